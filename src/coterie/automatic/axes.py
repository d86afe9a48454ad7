"""Documents on the main axes of their weighted words, or of what their words mean elsewhere."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh

from coterie import executors
from coterie.arrays import unit_rows
from coterie.kernels import quotient
from coterie.kernels.dense import one_blas_thread
from coterie.memory import Size
from coterie.types import Array, Counts, Labels

SPARE = 10  # directions more than wanted: the last of a random basis are poor
ROUNDING = 1e-12  # square of a singular value, beside the largest, that is none
N_POWERS = 3  # times the matrix is applied back and forth, so that large values stand out
SHORT = 15  # different words of a mean document, below which documents are short
MOST_COUNTED = 100_000  # documents in which words that occur together are counted


class Axes(NamedTuple):
    """The main axes, words by axes, and the documents on them, documents by axes."""

    words: Array
    documents: Array

    def rows(self, chosen: Labels) -> "Axes":
        """The same axes with some of the documents."""
        return Axes(self.words, self.documents[chosen])

    def first(self, rank: int) -> "Axes":
        """The first axes alone."""
        words, documents = self.words[:, :rank], self.documents[:, :rank]
        return Axes(np.ascontiguousarray(words), np.ascontiguousarray(documents))


def are_short(weights: Counts) -> bool:
    """Whether a mean document has so few words that these alone say little of it.

    Examples
    --------
    >>> are_short(sp.csr_array([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    True
    """
    n_filled = max(1, int(np.count_nonzero(np.diff(weights.indptr))))
    return bool(weights.nnz < SHORT * n_filled)


def document_axes(weights: Counts, rank: int, seed: int) -> Axes:
    """Axes of word vectors where documents are short, of latent semantic analysis elsewhere."""
    of_kind = word_vector_axes if are_short(weights) else main_axes
    return of_kind(weights, rank, seed)


def main_axes(weights: Counts, rank: int, seed: int) -> Axes:
    """Latent semantic analysis: the `rank` largest axes of documents of length one.

    They are as many as there are, at most. Their first r columns are the r largest axes, so
    one decomposition serves all ranks.

    Examples
    --------
    >>> main_axes(sp.csr_array([[3.0, 0.0], [0.0, 2.0], [1.0, 0.0]]), 5, 0).documents.shape
    (3, 2)
    """
    rows = _of_length_one(weights)
    words, _ = _largest_directions(rows, rank, seed)
    return Axes(words, _times(rows, words))


def word_vector_axes(weights: Counts, rank: int, seed: int) -> Axes:
    r"""Documents as means of the vectors of their words, rare words counting more.

    Two words are alike that occur with the same other words. Word vectors are the main axes,
    scaled by the roots of their values, of the positive pointwise mutual information of words
    in the same document (Bullinaria and Levy 2007), where every document counts the same
    for each of its words. So two short documents may be alike that have no word in common.

    Examples
    --------
    >>> texts = sp.csr_array([[1.0, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 1]])
    >>> documents = unit_rows(word_vector_axes(texts, 2, 0).documents)
    >>> bool(documents[0] @ documents[1] > 0.9), bool(documents[0] @ documents[2] < 0.1)
    (True, True)
    """
    information = _mutual_information(weights, seed)
    if not information.nnz:  # no word tells of another
        return main_axes(weights, rank, seed)
    words, values = _largest_directions(information, rank, seed)
    vectors = _rarity(weights)[:, None] * unit_rows(words * np.sqrt(values))
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    return Axes(vectors, on_axes(weights, vectors))


def latent_axes(weights: Counts, rank: int, seed: int) -> Axes:
    """Main axes of weights in which rare words count more.

    Examples
    --------
    >>> texts = sp.csr_array([[1.0, 1, 0], [1, 1, 0], [1, 0, 1]])
    >>> lengths = np.linalg.norm(latent_axes(texts, 3, 0).words, axis=1)
    >>> bool(lengths[0] < lengths[1] < lengths[2])
    True
    """
    rarity = _rarity(weights)
    parts = weights.data * rarity[weights.indices], weights.indices, weights.indptr
    rows = _of_length_one(Counts(parts, shape=weights.shape))
    words, _ = _largest_directions(rows, rank, seed)
    words = np.ascontiguousarray(rarity[:, None] * words, dtype=np.float32)
    return Axes(words, on_axes(weights, words))


def side_by_side(several: Sequence[Axes]) -> Axes:
    """Axes of several kinds, scaled so that documents are about equally long on each.

    Examples
    --------
    >>> one = Axes(np.ones((2, 1), np.float32), np.full((3, 1), 2, np.float32))
    >>> side_by_side([one, one]).documents[0]
    array([1., 1.], dtype=float32)
    """
    scaled = []
    for words, documents in several:
        length = np.linalg.norm(documents, axis=1).mean(dtype=np.float64)
        scale = np.float32(1 / length if length > 0 else 1)
        scaled.append((scale * words, scale * documents))
    words, documents = (np.hstack(parts) for parts in zip(*scaled, strict=True))
    return Axes(words, documents)


def _rarity(weights: Counts) -> Array:
    """How rare words are, 0 for those that all documents have."""
    df = np.bincount(weights.indices, minlength=weights.shape[1])
    rarity: Array = np.log((weights.shape[0] + 1) / np.maximum(df, 1))
    return rarity


def _mutual_information(weights: Counts, seed: int) -> Counts:
    """Positive pointwise mutual information of words by words in the same document."""
    present = Counts(weights, dtype=np.float32, copy=True)
    if present.shape[0] > MOST_COUNTED:
        chosen = np.random.default_rng(seed).permutation(present.shape[0])[:MOST_COUNTED]
        present = present[np.sort(chosen)]
    present.data[:] = 1
    others = np.maximum(np.diff(present.indptr) - 1, 1)
    shares = present.copy()
    shares.data /= np.repeat(others, np.diff(present.indptr)).astype(np.float32)
    together = sp.coo_array(present.T @ shares)
    apart = together.row != together.col
    row, column, data = together.row[apart], together.col[apart], together.data[apart]
    totals = np.bincount(row, data, minlength=together.shape[0])
    expected = totals[row] * totals[column] / max(totals.sum(), 1e-300)
    information = np.log(np.maximum(data / np.maximum(expected, 1e-300), 1))
    return Counts((information.astype(np.float32), (row, column)), shape=together.shape)


def _largest_directions(rows: Counts, rank: int, seed: int) -> tuple[Array, Array]:
    """The largest right singular vectors of a matrix, and their singular values.

    They are those of the randomised decomposition of Halko, Martinsson and Tropp (2011).
    """
    columns = sp.csr_array(rows.T)
    width = min(rank + SPARE, *rows.shape)
    rng = np.random.default_rng(seed)
    used = np.diff(columns.indptr) > 0
    basis = np.zeros((rows.shape[1], width), dtype=np.float32)
    basis[used] = rng.standard_normal((np.count_nonzero(used), width), dtype=np.float32)
    with one_blas_thread():
        for _ in range(N_POWERS):
            basis = _times(columns, _times(rows, basis))
            values, turned = _right_directions(basis)
            basis = _times(basis, quotient(turned, values))
        values, turned = _right_directions(_times(rows, basis))
        n = min(rank, width)
        directions: Array = np.ascontiguousarray(_times(basis, turned)[:, :n])
    return directions, values[:n]


def _right_directions(rows: Array) -> tuple[Array, Array]:
    """Singular values of a tall matrix, falling, and its right singular vectors as columns.

    They are found from the products of its columns, added block by block. Values within
    rounding of zero are zero.

    Examples
    --------
    >>> _right_directions(np.array([[0.0, 3.0], [0.0, 4.0]], np.float32))[0]
    array([5., 0.], dtype=float32)
    """

    def products(first: int, last: int) -> Array:
        block = rows[first:last].astype(np.float64)
        return block.T @ block

    squares, directions = np.linalg.eigh(sum(executors.each_block(products, len(rows))))
    values = np.sqrt(np.where(squares > ROUNDING * squares[-1], squares, 0))
    return values[::-1].astype(np.float32), directions[:, ::-1].astype(np.float32)


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


def _times(matrix: Counts | Array, dense: Array) -> Array:
    """A matrix times a dense one, rows in blocks, side by side."""
    parts = executors.each_block(lambda a, b: matrix[a:b] @ dense, matrix.shape[0])
    return np.concatenate(parts)
