"""Automatic clustering: the number of clusters and a consensus of many candidates."""

from coterie.automatic.estimator import AutoClustering, number_of_clusters

__all__ = ["AutoClustering", "number_of_clusters"]
