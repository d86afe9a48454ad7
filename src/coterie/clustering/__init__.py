"""One call and its result: what was found within reach, edited, kept and read back."""

from coterie.clustering.calling import cluster
from coterie.clustering.result import Clustering
from coterie.clustering.saving import load

__all__ = ["Clustering", "cluster", "load"]
