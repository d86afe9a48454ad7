"""Ward's agglomeration of a similarity matrix, and its cut into clusters."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie import executors
from coterie.kernels.ward import pair_distances, square_and_bound, ward_merges
from coterie.similarity.products import row_blocks
from coterie.types import Array, Labels

DISTANCES = ("one-minus", "sqrt", "kernel")
BYTES_PER_PAIR = 8  # distances of all pairs in float64, merged in place


def distances(similarity: Any, kind: str = "one-minus") -> Array:
    r"""Distances of all pairs, condensed as scipy has them, from dense or sparse similarities.

    `"one-minus"` is :math:`1 - s_{ij}`; `"sqrt"` is :math:`\sqrt{2 - 2 s_{ij}}`, with which
    Ward is exact for a positive semi-definite matrix with ones on its diagonal; `"kernel"` is
    :math:`\sqrt{s_{ii} + s_{jj} - 2 s_{ij}}`, for other diagonals. What would be below zero is
    zero.

    Examples
    --------
    >>> distances(np.array([[1, 0.5, 0.5], [0.5, 1, 1], [0.5, 1, 1]]), "sqrt")
    array([1., 1., 0.])
    """
    n, diagonal = similarity.shape[0], similarity.diagonal().astype(np.float64)
    condensed = np.empty(n * (n - 1) // 2)
    if not sp.issparse(similarity):
        squares = diagonal if kind == "kernel" else np.ones(n)
        rooted = kind != "one-minus"
        _share_rows(
            lambda rows: pair_distances(similarity, squares, rooted, condensed, *rows), n
        )
        return condensed
    position = 0
    for i in range(n - 1):
        row = similarity[[i]].toarray()[0]
        later = slice(i + 1, n)
        end = position + n - 1 - i
        condensed[position:end] = _distance(row[later], diagonal[i], diagonal[later], kind)
        position = end
    return condensed


def _distance(s: Array, to_itself: float, to_themselves: Array, kind: str) -> Array:
    if kind == "one-minus":
        return np.maximum(1.0 - s.astype(np.float64), 0)
    most = to_itself + to_themselves if kind == "kernel" else 2.0
    return np.sqrt(np.maximum(most - 2.0 * s.astype(np.float64), 0))


def ward(similarity: Any, kind: str = "one-minus") -> Array:
    """Tree of merges as scipy's `linkage` writes it.

    Examples
    --------
    >>> ward(np.array([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]]))[:, :2]
    array([[0., 1.],
           [2., 3.]])
    """
    return grow([similarity], kind)[0]


def grow(similarities: Sequence[Any], kind: str = "one-minus") -> list[Array]:
    """A tree of each; threads share the rows of one after the other, then the trees."""
    prepared = [_with_neighbours(distances(each, kind), each.shape[0]) for each in similarities]
    return executors.current().share(lambda pairs: ward_merges(*pairs), prepared)


def _with_neighbours(condensed: Array, n: int) -> tuple[Array, Labels, Array]:
    """Squared distances, and the nearest later neighbour of each row with its own."""
    nearest, bound = np.zeros(n, dtype=np.int64), np.full(n, np.inf)
    _share_rows(lambda rows: square_and_bound(condensed, nearest, bound, *rows), n)
    return condensed, nearest, bound


def _share_rows(function: Callable[[tuple[int, int]], None], n: int) -> None:
    """Call for blocks of all rows but the last, which has no later ones; the longest first."""
    executors.current().share(function, row_blocks(n - 1))


def cut(tree: Array, n_clusters: int) -> Labels:
    """Clusters when all but the last `n_clusters - 1` merges are done, the largest first.

    Merges at one height are taken in the order of the tree, so that there are as many clusters
    as asked for.

    Examples
    --------
    >>> cut(np.array([[0, 1, 0.2, 2], [2, 3, 1.0, 3]]), 2)
    array([0, 0, 1])
    """
    n = len(tree) + 1
    member_of = list(range(2 * n - 1))
    pairs = tree[:, :2].astype(int).tolist()
    for step in range(n - n_clusters - 1, -1, -1):
        first, second = pairs[step]
        member_of[first] = member_of[second] = member_of[n + step]
    return largest_first(np.array(member_of[:n]))


def largest_first(labels: Labels) -> Labels:
    """Clusters numbered from 0 by size; of equal ones that with the first document is first.

    Examples
    --------
    >>> largest_first(np.array([5, 3, 3, 7]))
    array([1, 0, 0, 2])
    """
    names, first, inverse, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(names), int)
    rank[np.lexsort((first, -sizes))] = np.arange(len(names))
    return rank[inverse]


def with_late_leaves(tree: Array, kept: Labels, n_leaves: int) -> Array:
    """The tree of the leaves `kept` of `n_leaves`, the others joined to its root at its height.

    Examples
    --------
    >>> with_late_leaves(np.array([[0, 1, 0.2, 2]]), np.array([0, 2]), 3)
    array([[0. , 2. , 0.2, 2. ],
           [1. , 3. , 0.2, 3. ]])
    """
    n_kept = len(kept)
    names = np.concatenate([kept, n_leaves + np.arange(len(tree))])
    whole = np.empty((n_leaves - 1, 4))
    whole[: len(tree)] = tree
    whole[: len(tree), :2] = names[tree[:, :2].astype(int)]
    height = tree[-1, 2] if len(tree) else 0.0
    root = n_leaves + len(tree) - 1 if len(tree) else kept[0]
    for step, leaf in enumerate(np.setdiff1d(np.arange(n_leaves), kept)):
        merge = len(tree) + step
        whole[merge] = (*sorted((leaf, root)), height, n_kept + step + 1)
        root = n_leaves + merge
    return whole
