"""Latent semantic analysis: documents on the main axes of their weighted words."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh

from coterie import executors
from coterie.arrays import unit_rows
from coterie.kernels.dense import one_blas_thread
from coterie.memory import Size
from coterie.types import Array, Counts, Labels

SPARE = 10  # directions more than wanted: the last of a random basis are poor
N_POWERS = 3  # times the matrix is applied back and forth, so that large values stand out


class Axes(NamedTuple):
    """The main axes, words by axes, and the documents on them, documents by axes."""

    words: Array
    documents: Array

    def rows(self, chosen: Labels) -> "Axes":
        """The same axes with some of the documents."""
        return Axes(self.words, self.documents[chosen])


def main_axes(weights: Counts, rank: int, seed: int) -> Axes:
    """The `rank` largest axes of documents of length one, or as many as there are.

    They are those of the randomised decomposition of Halko, Martinsson and Tropp (2011).
    Their first r columns are the r largest axes, so one decomposition serves all ranks.

    Examples
    --------
    >>> main_axes(sp.csr_array([[3.0, 0.0], [0.0, 2.0], [1.0, 0.0]]), 5, 0).documents.shape
    (3, 2)
    """
    rows = _of_length_one(weights)
    columns = sp.csr_array(rows.T)
    width = min(rank + SPARE, *rows.shape)
    rng = np.random.default_rng(seed)
    used = np.diff(columns.indptr) > 0
    basis = np.zeros((rows.shape[1], width), dtype=np.float32)
    basis[used] = rng.standard_normal((np.count_nonzero(used), width), dtype=np.float32)
    with one_blas_thread():
        for _ in range(N_POWERS):
            basis = np.linalg.qr(_times(columns, np.linalg.qr(_times(rows, basis))[0]))[0]
        _, _, turned = np.linalg.svd(_times(rows, basis), full_matrices=False)
        words: Array = np.ascontiguousarray((basis @ turned.T)[:, : min(rank, width)])
    return Axes(words, _times(rows, words))


def axes_bytes(size: Size, rank: int) -> int:
    """What `main_axes` holds: the weights twice, and bases of documents and words at work."""
    wide = size.numbers(size.n_documents + size.n_words, rank + SPARE)
    return 2 * size.data + 4 * wide


def on_axes(weights: Counts, words: Array) -> Array:
    """Documents, scaled to length one, on these axes; each document on its own."""
    return _times(_of_length_one(weights), words)


def condensed(rows: Array, width: int) -> Array:
    """Dense rows on their main axes: as many columns at most, and nearly the same cosines.

    Examples
    --------
    >>> condensed(np.array([[3.0, 0.0, 4.0], [6.0, 0.0, 8.0]]), 1).round(6) ** 2
    array([[ 25.],
           [100.]])
    """
    n_rows, n_columns = rows.shape
    if n_columns <= width:
        return rows
    with one_blas_thread():
        if n_rows < n_columns:
            values, left = _largest(rows @ rows.T, width)
            rotated: Array = left * np.sqrt(np.maximum(values, 0))
        else:
            rotated = rows @ _largest(rows.T @ rows, width)[1]
    return rotated.astype(rows.dtype)


def _largest(products: Array, n: int) -> tuple[Array, Array]:
    """The largest eigenvalues of a symmetric matrix, rising, and their vectors."""
    size = len(products)
    values, axes = eigh(
        products.astype(np.float64), subset_by_index=[max(0, size - n), size - 1]
    )
    return values, axes


def first_axes(axes: Array, rank: int) -> Array:
    """Documents on the first axes, scaled to length one."""
    return unit_rows(axes[:, :rank])


def _of_length_one(weights: Counts) -> Counts:
    lengths = np.sqrt(weights.multiply(weights).sum(axis=1, dtype=np.float64))
    scale = sp.diags_array(1 / np.where(lengths > 0, lengths, 1))
    return Counts(scale @ weights, dtype=np.float32)


def _times(matrix: Counts, dense: Array) -> Array:
    """A sparse matrix times a dense one, rows in blocks, side by side."""
    parts = executors.each_block(lambda a, b: matrix[a:b] @ dense, matrix.shape[0])
    return np.concatenate(parts)
