r"""Similarities of rows through similarities of columns: :math:`A S A^T`, exactly, in blocks.

`A` is sparse, `S` dense, sparse or None for the identity. A block of rows is multiplied by `S`
and the result by all rows of `A` from that block on: the matrix is symmetric, so half of it is
computed. Nothing but the blocks at work is held besides the result.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from coterie import executors
from coterie.kernels import on_host
from coterie.kernels.cosimilarity import count_halves, mirror, multiply
from coterie.similarity.semidefinite import make_semidefinite
from coterie.types import Array, Counts


class Rule(NamedTuple):
    """How products become similarities.

    With a `root` *k*, products are divided by the roots of those of each row with itself, then
    the *k*-th root is taken; with none they stay. `diagonal` is put on the diagonal. `prune` is
    the share of pairs, the least similar ones, that become zero; of equals at the limit all
    stay. `n_neighbors` keeps so many of each row only. `largest` takes maxima for sums.
    `semidefinite` projects the similarities at last; products below zero, which those through
    projected ones can be and which have no root, become zero.
    """

    root: float | None = None
    diagonal: float | None = None
    prune: float = 0.0
    n_neighbors: int | None = None
    largest: bool = False
    semidefinite: bool = False


UNCHANGED = Rule()
BLOCK = 128  # rows whose products with all columns stay in the processor's cache


def row_blocks(n: int) -> list[tuple[int, int]]:
    """First and last of the blocks of n rows.

    Examples
    --------
    >>> row_blocks(200)
    [(0, 128), (128, 200)]
    """
    return list(pairwise([*range(0, n, BLOCK), n]))


def through(A: Counts, rows: tuple[int, int], S: Any, largest: bool = False) -> Array:
    """Some rows of `A S`, dense."""
    first, last = rows
    mixed: Array
    if S is None:
        mixed = A[first:last].toarray()
        return mixed
    mixed = np.zeros((last - first, A.shape[1]), np.float32)
    multiply(A, rows, S, mixed, largest=largest)
    return mixed


def with_all(mixed: Array, A: Counts, largest: bool = False) -> Array:
    """Products of rows of `A S` with every row of `A`: a row for each of `A`."""
    products = np.zeros((A.shape[0], len(mixed)), np.float32)
    multiply(A, (0, A.shape[0]), np.ascontiguousarray(mixed.T), products, largest=largest)
    return products


def with_themselves(mixed: Array, A: Counts, largest: bool = False) -> Array:
    """Products of rows of `A S` with the same rows of `A`."""
    terms = mixed * A.toarray()
    total: Array = terms.max(axis=1) if largest else terms.sum(axis=1)
    return total


def self_products(A: Counts, S: Any, largest: bool = False) -> Array:
    """The diagonal of `A S A^T`."""

    def squares(rows: tuple[int, int]) -> Array:
        return with_themselves(through(A, rows, S, largest), A[rows[0] : rows[1]], largest)

    return np.concatenate(executors.current().share(squares, row_blocks(A.shape[0])))


def all_products(A: Counts, S: Any, largest: bool = False) -> Array:
    """`A S A^T` up to its diagonal; above, blocks on the diagonal are filled, others zero."""
    n = A.shape[0]
    products = np.zeros((n, n), np.float32)

    def fill(rows: tuple[int, int]) -> None:
        mixed = np.ascontiguousarray(through(A, rows, S, largest).T)
        multiply(A, (rows[0], n), mixed, products, (rows[0], rows[0]), largest)

    executors.current().share(fill, row_blocks(n))
    return products


def finish_products(products: Array, rule: Rule) -> float:
    """Make products up to the diagonal similarities, in place, and mirror them: their mean."""
    n = len(products)
    squares, threshold = products.diagonal().copy(), 0.0
    blocks = row_blocks(n)[::-1]  # the longest first, so that threads end together

    def normalized(rows: tuple[int, int]) -> None:
        normalize_products(
            products[slice(*rows), : rows[1]], squares[slice(*rows)], squares[: rows[1]], rule
        )

    def completed(rows: tuple[int, int]) -> float:
        first, last = rows
        part = products[first:last, :last]
        if not rule.prune:
            normalized(rows)
        elif threshold > 0:
            part[part < threshold] = 0
        left, corner = part[:, :first], np.tril(part[:, first:], -1)
        mirror(products, first, last)
        return float(left.sum(dtype=np.float64) + corner.sum(dtype=np.float64))

    share, n_pairs = executors.current().share, n * (n - 1) // 2
    if rule.prune:
        share(normalized, blocks)
        threshold = order_statistic(products, int(rule.prune * n_pairs))
    total = sum(share(completed, blocks)[::-1])
    np.fill_diagonal(products, squares if rule.diagonal is None else rule.diagonal)
    return float(total) / max(n_pairs, 1)


def normalize_products(products: Array, squares: Array, others: Array, rule: Rule) -> None:
    """Divide by the roots of the products of rows with themselves and take the root, in place.

    Eqs. 7a and 7b of Grimal and Bisson (2011).
    """
    if rule.semidefinite:
        np.maximum(products, 0, out=products)
    if rule.root is None:
        return
    products *= _inverse_root(squares)[:, None]
    products *= _inverse_root(others)
    if rule.root not in (1, np.inf):
        np.power(products, np.float32(1 / rule.root), out=products)


def _inverse_root(squares: Array) -> Array:
    return np.divide(1, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0)


def order_statistic(S: Array, rank: int) -> float:
    """The entry left of the diagonal that as many as `rank` others are below or equal to.

    Examples
    --------
    >>> S = np.array([[1, 0, 0], [0.5, 1, 0], [0.25, 0.75, 1]], np.float32)
    >>> order_statistic(S, 1)
    0.5
    """
    n = len(S)
    if rank >= n * (n - 1) // 2:
        return np.inf
    upper, rank = _half_at(S, rank, -1)
    lower, _ = _half_at(S, rank, upper)
    return float(np.uint32(upper << 16 | lower).view(np.float32))


def _half_at(S: Array, rank: int, prefix: int) -> tuple[int, int]:
    """The half that the entry of this rank has, and its rank among those that have it."""
    counts = executors.each_block(lambda a, b: count_halves(S, (a, b), prefix), len(S))
    ends = np.cumsum(np.sum(counts, axis=0))
    half = int(np.searchsorted(ends, rank, side="right"))
    return half, rank - (int(ends[half - 1]) if half else 0)


def similarities(A: Counts, S: Any, rule: Rule) -> tuple[Any, float]:
    """Similarities of the rows of `A` through those of its columns, and their mean over pairs.

    Examples
    --------
    >>> A = sp.csr_array(np.array([[0.6, 0.8], [0.0, 1.0]], np.float32))
    >>> similarities(A, None, Rule(diagonal=1.0))[0]
    array([[1. , 0.8],
           [0.8, 1. ]], dtype=float32)
    """
    if rule.n_neighbors is None or rule.n_neighbors >= A.shape[0] - 1:
        products, mean = _dense_similarities(A, S, rule)
        if rule.semidefinite:
            make_semidefinite(products)
            mean = _mean_of_pairs(products)
        return products, mean
    return _largest_similarities(A, S, rule, rule.n_neighbors)


def _dense_similarities(A: Counts, S: Any, rule: Rule) -> tuple[Any, float]:
    """All similarities; on a GPU, where they stay unless they are to be projected."""
    gpu = executors.gpu_kernels()
    if gpu is None:
        products = all_products(A, S, rule.largest)
        return products, finish_products(products, rule)
    found, mean = gpu.similarities(A, S, rule)
    return (on_host(found) if rule.semidefinite else found), mean


def _mean_of_pairs(similarity: Array) -> float:
    n = len(similarity)
    total = similarity.sum(dtype=np.float64) - similarity.trace(dtype=np.float64)
    return float(total) / max(n * (n - 1), 1)


def similarities_of_new_rows(
    new: Counts, A: Counts, S: Any, rule: Rule = UNCHANGED, squares: Array | None = None
) -> Array:
    """Similarities of a few new rows, in columns, with each of `A`, not pruned.

    `squares` are the products of the rows of `A` with themselves, for a rule with a root.
    """
    mixed = through(new, (0, new.shape[0]), S, rule.largest)
    products = with_all(mixed, A, rule.largest)
    if squares is not None:
        normalize_products(products, squares, with_themselves(mixed, new, rule.largest), rule)
    return products


def _largest_similarities(A: Counts, S: Any, rule: Rule, n_neighbors: int) -> tuple[Any, float]:
    n = A.shape[0]
    squares = self_products(A, S, rule.largest)

    def kept(rows: tuple[int, int]) -> Any:
        block = with_all(through(A, rows, S, rule.largest), A, rule.largest)
        normalize_products(block, squares, squares[slice(*rows)], rule)
        return largest_of_rows(np.ascontiguousarray(block.T), rows[0], n_neighbors)

    n_pairs = n * (n - 1) / 2
    parts = executors.current().share(kept, row_blocks(n))
    left = n_pairs - int(rule.prune * n_pairs)
    similarity = kept_by_either(parts, left)
    similarity.setdiag(squares if rule.diagonal is None else rule.diagonal)
    total = float(similarity.sum(dtype=np.float64) - similarity.trace()) / 2
    return similarity, total / n_pairs


def largest_of_rows(block: Array, first: int, n_neighbors: int) -> Any:
    """The `n_neighbors` largest entries of each row besides the diagonal, and that, as sparse.

    Examples
    --------
    >>> largest_of_rows(np.array([[1.0, 0.2, 0.3, 0.1]]), 0, 1).toarray()
    array([[1. , 0. , 0.3, 0. ]])
    """
    n_rows, n = block.shape
    on_diagonal = np.arange(n_rows), first + np.arange(n_rows)
    diagonal = block[on_diagonal].copy()
    block[on_diagonal] = np.inf
    columns = np.argpartition(block, n - 1 - n_neighbors, axis=1)[:, n - 1 - n_neighbors :]
    block[on_diagonal] = diagonal
    columns.sort(axis=1)
    values = np.take_along_axis(block, columns, axis=1)
    indptr = np.arange(n_rows + 1) * columns.shape[1]
    return sp.csr_array((values.ravel(), columns.ravel(), indptr), shape=block.shape)


def kept_by_either(parts: list[Any], n_pairs_left: float) -> Any:
    """Blocks of kept rows as one symmetric matrix: a pair stays if either row keeps it.

    If more than `n_pairs_left` pairs stay, the least similar become zero, as in pruning.
    """
    one = sp.vstack(parts, format="csr")
    both = one.maximum(one.T).tocsr()
    off = both.indices != np.repeat(np.arange(both.shape[0]), np.diff(both.indptr))
    values, n_stay = both.data[off], int(2 * n_pairs_left)
    if len(values) > n_stay:
        rank = len(values) - n_stay
        threshold = np.partition(values, rank)[rank] if n_stay else np.inf
        both.data[off & (both.data < threshold)] = 0
    both.eliminate_zeros()
    return sp.csr_array(
        (both.data, both.indices.astype(np.int32), both.indptr.astype(np.int64)),
        shape=both.shape,
    )
