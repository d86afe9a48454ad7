"""Nearest neighbours of unit vectors, and unit vectors smoothed along them."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from coterie import executors
from coterie.arrays import unit_rows
from coterie.kernels import cpu
from coterie.kernels.dense import one_blas_thread
from coterie.kernels.largest import nth_largest
from coterie.types import Array, Counts, Labels

BLOCK = 64  # rows whose cosines with all others are held at a time


def nearest(rows: Array, n_neighbors: int) -> tuple[Labels, Labels]:
    """The graph of nearest neighbours of unit vectors, as ends of links; none links to itself.

    Examples
    --------
    >>> nearest(np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]), 1)
    (array([0, 1, 2]), array([1, 0, 1]))
    """
    n = min(n_neighbors, len(rows) - 1)
    neighbours, _ = _nearest(rows, rows, n, apart=True)
    return np.repeat(np.arange(len(rows)), n), neighbours.ravel()


def links(rows: Array, fitted: Array, n_neighbors: int) -> Counts:
    """Shares of the nearest fitted rows, in proportion to cosines above zero.

    A row among the fitted is its own neighbour, unless as many others are equal to it. The
    shares of a row do not depend on what other rows come with it.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], dtype=np.float32)
    >>> links(rows, rows, 2).toarray().round(2)
    array([[0.56, 0.44, 0.  ],
           [0.44, 0.56, 0.  ],
           [0.  , 0.38, 0.62]])
    """
    n = min(n_neighbors, len(fitted))
    neighbours, cosines = _nearest(rows, fitted, n)
    shares = np.maximum(cosines, 0, dtype=np.float64)
    totals = shares.sum(axis=1, keepdims=True)
    shares /= np.where(totals > 0, totals, 1)
    first = np.arange(0, neighbours.size + 1, n)
    shape = len(rows), len(fitted)
    by_row = Counts((shares.ravel(), neighbours.ravel(), first), shape=shape)
    by_row.eliminate_zeros()
    by_row.sort_indices()
    return by_row


def centred(rows: Array) -> Array:
    """Unit vectors less their mean, again of length one; those of zeros stay.

    What all documents have in common then makes none of them alike.

    Examples
    --------
    >>> centred(np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 0.0]])).round(2)
    array([[ 0.45, -0.89],
           [-0.45,  0.89],
           [ 0.  ,  0.  ]], dtype=float32)
    """
    present = np.asarray(rows.any(axis=1))
    mean = rows[present].sum(axis=0, dtype=np.float64) / max(1, np.count_nonzero(present))
    return unit_rows(np.where(present[:, None], rows - mean, 0))


def smoothed_along_neighbours(
    rows: Array, n_neighbors: int, n_times: Sequence[int]
) -> list[Array]:
    """Unit vectors moved so many times, each rising, towards the mean of their neighbours.

    Two rows are neighbours where one is among the nearest of the other, with their cosine as
    weight where it is above zero.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], dtype=np.float32)
    >>> smoothed_along_neighbours(rows, 1, [1])[0].round(2)
    array([[0.95, 0.32],
           [0.87, 0.5 ],
           [0.45, 0.89]], dtype=float32)
    """
    first, second = nearest(rows, n_neighbors)
    cosines = np.maximum(np.einsum("ij,ij->i", rows[first], rows[second]), 0)
    one_way = sp.csr_array((cosines, (first, second)), shape=(len(rows), len(rows)))
    links = sp.csr_array(one_way + one_way.T, dtype=np.float32)
    totals = links.sum(axis=1, dtype=np.float64)
    scale = sp.diags_array((1 / np.where(totals > 0, totals, 1)).astype(np.float32))
    links = sp.csr_array(scale @ links)
    smoothed = []
    for done, wanted in pairwise([0, *n_times]):
        for _ in range(wanted - done):
            rows = unit_rows(rows + links @ rows)
        smoothed.append(rows)
    return smoothed


def _nearest(
    rows: Array, fitted: Array, n: int, *, apart: bool = False
) -> tuple[Labels, Array]:
    """The nearest `n` of the fitted to each row, and their cosines, block by block.

    Where `apart`, rows are the fitted and none is its own neighbour. The last bits of a dense
    product depend on the processor and on which rows come together. So it only proposes
    neighbours, a few too many where cosines are close; those are computed again one by one.
    """
    starts = list(range(0, len(rows), BLOCK))
    slack = 4 * rows.shape[1] * np.finfo(rows.dtype).eps

    def of_block(first: int) -> tuple[Labels, Array]:
        part = rows[first : first + BLOCK]
        cosines = part @ fitted.T
        if apart:
            inside = np.arange(len(part))
            cosines[inside, first + inside] = -np.inf
        least = nth_largest(cosines, n) - slack
        found: tuple[Labels, Array] = cpu.largest_products(part, fitted, cosines, least, n)
        return found

    with one_blas_thread():
        parts = executors.current().map(of_block, starts) if n else []
    if not parts:
        return np.zeros((len(rows), n), dtype=np.int64), np.zeros((len(rows), n), rows.dtype)
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
