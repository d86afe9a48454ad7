"""A dendrogram of the clusters and their halves: coarser and finer levels without a new fit."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from coterie.types import Array, Counts, Labels


class Tree(NamedTuple):
    """Documents' leaves, and merges as in SciPy's linkage: two nodes, height, documents."""

    leaves: Labels
    merges: Array

    def ordered(self, order: Labels) -> "Tree":
        """The same with the first leaves, the clusters, in another order."""
        names = np.arange(2 * len(self.merges) + 1)
        names[order] = np.arange(len(order))
        merges = self.merges.copy()
        merges[:, :2] = names[merges[:, :2].astype(np.intp)]
        return Tree(names[self.leaves], merges)


def build_tree(
    weights: Counts,
    labels: Labels,
    members: Sequence[Labels],
    halves: Mapping[int, Labels],
) -> Tree:
    """A tree whose leaves are halves of clusters and whose root holds all documents.

    `members` are the documents of each cluster; `halves`, of those that are halved, 0 or 1
    for each. What a merge costs is what the words lose in likelihood when one distribution
    serves both.
    """
    leaves, pairs = leaves_of(labels, members, halves)
    n_leaves = len(members) + len(pairs)
    words = word_totals_by_cluster(weights, leaves, n_leaves)
    return merged(leaves, words, pairs)


def leaves_of(
    labels: Labels, members: Sequence[Labels], halves: Mapping[int, Labels]
) -> tuple[Labels, list[tuple[int, int]]]:
    """The leaf of each document, and the pairs of leaves that are halves of a cluster."""
    leaves, pairs = labels.copy(), []
    n_leaves = len(members)
    for cluster, half in sorted(halves.items()):
        if 0 < half.sum() < len(half):
            leaves[members[cluster][half == 1]] = n_leaves
            pairs.append((cluster, n_leaves))
            n_leaves += 1
    return leaves, pairs


def merged(leaves: Labels, words: Array, pairs: list[tuple[int, int]]) -> Tree:
    """The tree of leaves with these words, of which pairs are halves of a cluster."""
    return Tree(leaves, _merged(words, np.bincount(leaves, minlength=len(words)), pairs))


def _merged(words: Array, sizes: Labels, pairs: list[tuple[int, int]]) -> Array:
    n_leaves = len(words)
    nodes = {leaf: leaf for leaf in range(n_leaves)}  # the row of words each node has
    merges: list[tuple[float, ...]] = []

    def merge(a: int, b: int, cost: float) -> None:
        first, second = nodes.pop(a), nodes.pop(b)
        words[first] += words[second]
        sizes[first] += sizes[second]
        height = max(cost, merges[-1][2] if merges else 0.0)
        nodes[n_leaves + len(merges)] = first
        merges.append((a, b, height, float(sizes[first])))

    for cost, a, b in sorted((loss(words[a], words[b]), a, b) for a, b in pairs):
        merge(a, b, cost)
    rows = np.array(list(nodes.values()))  # and the node of each row
    names = np.zeros(n_leaves, dtype=np.int64)
    names[rows] = list(nodes)
    costs = np.full((n_leaves, n_leaves), np.inf)
    for i, row in enumerate(rows):
        costs[row, rows[:i]] = costs[rows[:i], row] = losses(words, row, rows[:i])
    while len(nodes) > 1:
        cost = costs.min()
        equal = names[np.argwhere(costs == cost)]
        a, b = min((int(min(pair)), int(max(pair))) for pair in equal)
        first, second = nodes[a], nodes[b]
        merge(a, b, cost)
        names[first] = n_leaves + len(merges) - 1
        costs[second] = costs[:, second] = np.inf
        others = np.array([row for row in nodes.values() if row != first], dtype=np.int64)
        costs[first, others] = costs[others, first] = losses(words, first, others)
    return np.array(merges, dtype=np.float64).reshape(-1, 4)


def labels_at(tree: Tree, n_clusters: int) -> Labels:
    """Labels of the documents when the tree is cut into so many clusters, largest first.

    Examples
    --------
    >>> merges = np.array([[0.0, 2.0, 1.0, 3.0], [1.0, 3.0, 5.0, 4.0]])
    >>> labels_at(Tree(np.array([0, 1, 2, 2]), merges), 2)
    array([0, 1, 0, 0])
    >>> labels_at(Tree(np.array([0, 1, 2, 2]), merges), 3)
    array([1, 2, 0, 0])
    """
    n_leaves = len(tree.merges) + 1
    cluster = np.arange(n_leaves)
    nodes = {leaf: leaf for leaf in range(n_leaves)}
    for number, (a, b, *_) in enumerate(tree.merges[: n_leaves - n_clusters]):
        first, second = nodes[int(a)], nodes[int(b)]
        cluster[cluster == second] = first
        nodes[n_leaves + number] = first
    _, numbers = np.unique(cluster, return_inverse=True)
    labels = numbers[tree.leaves]
    order = np.argsort(-np.bincount(labels, minlength=n_clusters), kind="stable")
    by_size: Labels = np.argsort(order)[labels]
    return by_size


def word_totals_by_cluster(weights: Counts, labels: Labels, n_clusters: int) -> Array:
    """Words of the documents of each cluster, a row a cluster."""
    hot = Counts(
        (np.ones(len(labels)), (labels, np.arange(len(labels)))),
        shape=(n_clusters, len(labels)),
    )
    totals: Array = (hot @ weights.astype(np.float64)).toarray()
    return totals


def loss(first: Array, second: Array) -> float:
    r"""What two rows of words lose in likelihood by one distribution.

    :math:`\sum_w a_w \log\frac{a_w}{a} + b_w \log\frac{b_w}{b} - c_w \log\frac{c_w}{c}` with
    *c* = *a* + *b*: the Jensen-Shannon divergence of the two, weighted by their lengths.

    Examples
    --------
    >>> loss(np.array([1.0, 2.0]), np.array([2.0, 4.0])) < 1e-12
    True
    >>> round(loss(np.array([1.0, 0.0]), np.array([0.0, 1.0])), 6)  # 2 log 2
    1.386294
    """
    return float(_likelihood(first) + _likelihood(second) - _likelihood(first + second))


def losses(words: Array, row: int, others: Labels) -> Array:
    """The `loss` of a row of words and each of others.

    Beyond the words of the row the sums are those of the others alone, so that what it takes
    grows with the words it has.

    Examples
    --------
    >>> losses(np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]]), 0, np.array([1, 2])).round(6)
    array([1.386294, 0.      ])
    """
    shared = np.flatnonzero(words[row])
    own, theirs = words[row, shared], words[np.ix_(others, shared)]
    gained = xlogy(own, own).sum() + (
        xlogy(theirs, theirs) - xlogy(theirs + own, theirs + own)
    ).sum(axis=1)
    total, totals = own.sum(), words[others].sum(axis=1)
    lengths = (
        xlogy(total, total) + xlogy(totals, totals) - xlogy(total + totals, total + totals)
    )
    lost: Array = gained - lengths
    return lost


def _likelihood(words: Array) -> float:
    present = words[words > 0]
    return float(present @ np.log(present) - present.sum() * np.log(max(present.sum(), 1e-300)))
