"""Sums over rows: sparse ones in double precision without a copy, and those of clusters."""

from typing import Any

import numpy as np

from coterie.kernels.compiled import njit
from coterie.types import Array, Counts


def word_sums(X: Counts, memberships: Any) -> Array:
    """Counts of words by cluster: `X.T @ memberships` in double precision.

    Examples
    --------
    >>> word_sums(Counts(np.array([[1.0, 2.0], [0.0, 3.0]])), np.array([[1.0], [0.5]]))
    array([[1. ],
           [3.5]])
    """
    memberships = np.ascontiguousarray(memberships)
    sums = np.zeros((X.shape[1], memberships.shape[1]))
    _word_sums(X.indptr, X.indices, X.data, memberships, sums)
    return sums


def word_totals(X: Counts) -> Array:
    """How often each word occurs in all, in double precision.

    Examples
    --------
    >>> word_totals(Counts(np.array([[1.0, 2.0], [0.0, 3.0]])))
    array([1., 5.])
    """
    totals = np.zeros(X.shape[1])
    _word_totals(X.indices, X.data, totals)
    return totals


def cluster_sums(rows: Array, labels: Any, n_clusters: int) -> Array:
    """Sums of the rows of each cluster, in double precision.

    Examples
    --------
    >>> cluster_sums(np.array([[1.0, 2.0], [0.0, 3.0], [4.0, 4.0]]), np.array([1, 1, 0]), 3)
    array([[4., 4.],
           [1., 5.],
           [0., 0.]])
    """
    sums = np.zeros((n_clusters, rows.shape[1]))
    _cluster_sums(rows, labels, sums)
    return sums


@njit(nogil=True)
def _cluster_sums(rows, labels, sums):
    for i in range(len(labels)):
        cluster = labels[i]
        for j in range(rows.shape[1]):
            sums[cluster, j] += rows[i, j]


@njit(nogil=True)
def _word_sums(indptr, indices, data, memberships, sums):
    for d in range(len(indptr) - 1):
        for j in range(indptr[d], indptr[d + 1]):
            w, x = indices[j], np.float64(data[j])
            for k in range(memberships.shape[1]):
                sums[w, k] += x * memberships[d, k]


@njit(nogil=True)
def _word_totals(indices, data, totals):
    for j in range(len(data)):
        totals[indices[j]] += data[j]
