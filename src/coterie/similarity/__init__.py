"""Clusters from similarities: measure how alike documents are, then cut a tree of them."""

from coterie.similarity.base import SimilarityEstimator
from coterie.similarity.chi_sim import ChiSim
from coterie.similarity.commute import CTK
from coterie.similarity.cosine import LSA, Cosine
from coterie.similarity.measures import generalised
from coterie.similarity.semidefinite import Diagnosis, diagnose
from coterie.similarity.snos import SNOS

__all__ = [
    "CTK",
    "LSA",
    "SNOS",
    "ChiSim",
    "Cosine",
    "Diagnosis",
    "SimilarityEstimator",
    "diagnose",
    "generalised",
]
