"""Nearest neighbours of directions, and directions drawn towards them."""

import numpy as np
import scipy.sparse as sp

from coterie import executors
from coterie.automatic.spherical import directions
from coterie.kernels.dense import one_blas_thread
from coterie.types import Array, Labels

BLOCK = 512  # rows whose cosines with all others are held at a time


def nearest(rows: Array, n_neighbours: int) -> tuple[Labels, Labels]:
    """Each row of length one and the rows nearest to it, itself left out: links of a graph.

    Examples
    --------
    >>> nearest(np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]), 1)
    (array([0, 1, 2]), array([1, 0, 1]))
    """
    n = min(n_neighbours, len(rows) - 1)
    starts = list(range(0, len(rows), BLOCK))
    with one_blas_thread():
        parts = executors.current().map(lambda first: _nearest_of(rows, first, n), starts)
    return np.repeat(np.arange(len(rows)), n), np.concatenate(parts).ravel()


def drawn_together(rows: Array, n_neighbours: int, n_times: int) -> Array:
    """Each row moved, several times, towards the mean of those it is linked with.

    Rows are linked that are among the nearest of one another, by their cosine where it is
    above zero.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], dtype=np.float32)
    >>> drawn_together(rows, 1, 1).round(2)
    array([[0.95, 0.32],
           [0.87, 0.5 ],
           [0.45, 0.89]], dtype=float32)
    """
    first, second = nearest(rows, n_neighbours)
    cosines = np.maximum(np.einsum("ij,ij->i", rows[first], rows[second]), 0)
    one_way = sp.csr_array((cosines, (first, second)), shape=(len(rows), len(rows)))
    links = sp.csr_array(one_way + one_way.T, dtype=np.float32)
    totals = links.sum(axis=1, dtype=np.float64)
    scale = sp.diags_array((1 / np.where(totals > 0, totals, 1)).astype(np.float32))
    links = sp.csr_array(scale @ links)
    for _ in range(n_times):
        rows = directions(rows + links @ rows)
    return rows


def _nearest_of(rows: Array, first: int, n: int) -> Labels:
    """The nearest `n` of each row of a block, nearest first, of equals the first."""
    cosines = rows[first : first + BLOCK] @ rows.T
    inside = np.arange(len(cosines))
    cosines[inside, first + inside] = -np.inf
    if 4 * n >= cosines.shape[1]:
        return np.argsort(-cosines, axis=1, kind="stable")[:, :n]
    least = -np.partition(-cosines, n - 1, axis=1)[:, n - 1 : n]
    found = np.empty((len(cosines), n), dtype=np.int64)
    for row, near in enumerate(cosines >= least):
        columns = np.flatnonzero(near)
        found[row] = columns[np.argsort(-cosines[row, columns], kind="stable")[:n]]
    return found
