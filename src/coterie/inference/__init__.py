"""Strategies to a better maximum than one start gives (Rigouste, Cappé and Yvon)."""

from coterie.inference.hierarchical import HierarchicalSplits
from coterie.inference.incremental import IncrementalVocabulary
from coterie.inference.reduced import ReducedVocabulary

__all__ = ["HierarchicalSplits", "IncrementalVocabulary", "ReducedVocabulary"]
