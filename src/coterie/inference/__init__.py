"""Ways to a better maximum than one start gives (paper 002): strategies around a model."""

from coterie.inference.hierarchical import HierarchicalSplits
from coterie.inference.incremental import IncrementalVocabulary
from coterie.inference.reduced import ReducedVocabulary

__all__ = ["HierarchicalSplits", "IncrementalVocabulary", "ReducedVocabulary"]
