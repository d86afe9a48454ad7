"""Clusters without a choice to make: many ways to them, and what these agree on."""

from coterie.automatic.estimator import AutoClustering, number_of_clusters

__all__ = ["AutoClustering", "number_of_clusters"]
