"""Choosing words before documents are compared: with their classes, or without."""

from coterie.selection.base import MostFrequent, WordSelector, document_frequencies
from coterie.selection.medoids import MedoidWords
from coterie.selection.supervised import InformationGain, SupervisedMutualInformation

__all__ = [
    "InformationGain",
    "MedoidWords",
    "MostFrequent",
    "SupervisedMutualInformation",
    "WordSelector",
    "document_frequencies",
]
