"""A model's tree of merges, read from its leaves up to its clusters and beyond.

The tree is written as SciPy's linkage writes it. Its leaves are the documents, or `leaves_`
says which leaf each document is in. The node of a cluster is the highest one that has
documents of that cluster only. A tree in which a cluster has several such nodes does not match
the clusters and is not used.

Below a cluster only its two halves are read. The halves, or the cluster itself where it cannot
be halved, are the *finest* groups; they are numbered from 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coterie.findings.assignments import Assignments
from coterie.findings.words import ViewProfile
from coterie.types import Array, Labels

EMPTY, MIXED = -1, -2


@dataclass
class TreeNode:
    """A half of a cluster, a cluster, or several clusters joined.

    `finest` are the finest groups in it, `clusters` the numbers of its clusters; `cluster` is
    the number of the one it is, None for others. `parent` is a position in the list of nodes.
    """

    finest: tuple[int, ...]
    clusters: tuple[int, ...]
    cluster: int | None = None
    height: float = 0.0
    parent: int | None = None


class ClusterTree(NamedTuple):
    """Nodes, parts before wholes, and the finest group of each document."""

    nodes: list[TreeNode]
    finest: Labels


def read_tree(
    model: Any, assignments: Assignments, views: Sequence[ViewProfile]
) -> ClusterTree | None:
    """Read the model's tree from halves of clusters up; None where it has no matching tree."""
    merges = getattr(model, "tree_", None)
    if merges is None or np.count_nonzero(assignments.sizes) < 2:
        return None
    merges = np.asarray(merges, dtype=np.float64).reshape(-1, 4)
    n_documents = len(assignments.labels)
    leaves = np.asarray(getattr(model, "leaves_", np.arange(n_documents)))
    if leaves.shape != (n_documents,) or leaves.max() > len(merges):
        return None
    filled = np.flatnonzero(sum(np.diff(view.counts.indptr) for view in views))
    labels = _leaf_labels(leaves[filled], assignments.labels[filled], len(merges) + 1)
    reader = _TreeReader(merges, labels)
    if reader.cluster_labels() != np.flatnonzero(assignments.sizes).tolist():
        return None
    reader.read()
    return ClusterTree(reader.nodes, _finest_groups(reader, leaves, assignments.labels))


class _TreeReader:
    """A tree read from its leaves up, as a list of nodes, parts before wholes."""

    def __init__(self, merges: Array, leaf_labels: Labels) -> None:
        self.children = merges[:, :2].astype(np.int64)
        self.heights = merges[:, 2]
        self.n_leaves = len(merges) + 1
        self.labels = np.concatenate([leaf_labels, np.full(len(merges), EMPTY)])
        for step, (a, b) in enumerate(self.children):
            self.labels[self.n_leaves + step] = _common(self.labels[a], self.labels[b])
        self.nodes: list[TreeNode] = []
        self.n_finest = 0
        self.finest_of = np.full(len(self.labels), EMPTY)

    def cluster_labels(self) -> list[int]:
        """Labels of the clusters of the pure nodes, in ascending order."""
        return [int(self.labels[node]) for node in self.highest_pure()]

    def highest_pure(self) -> list[int]:
        """Highest nodes with documents of one cluster only, by the labels of the clusters."""
        below_mixed = [
            child
            for step, pair in enumerate(self.children)
            if self.labels[self.n_leaves + step] == MIXED
            for child in pair
        ]
        pure = [int(node) for node in below_mixed if self.labels[node] >= 0]
        return sorted(pure, key=lambda node: int(self.labels[node]))

    def read(self) -> None:
        """List the halves of the clusters, the clusters, and what joins them."""
        positions = {node: self._add_cluster(node) for node in self.highest_pure()}
        for step, (a, b) in enumerate(self.children):
            node = self.n_leaves + step
            if self.labels[node] != MIXED:
                continue
            parts = [positions[child] for child in (int(a), int(b)) if child in positions]
            positions[node] = parts[0] if len(parts) == 1 else self._add_join(parts, step)

    def finest_of_leaves(self) -> Labels:
        """The finest group of each leaf."""
        for step in range(len(self.children) - 1, -1, -1):
            group = self.finest_of[self.n_leaves + step]
            if group != EMPTY:
                self.finest_of[self.children[step]] = group
        groups: Labels = self.finest_of[: self.n_leaves]
        return groups

    def _add_cluster(self, top: int) -> int:
        halves, height = self._halves(top)
        number = int(self.labels[top]) + 1
        finest = tuple(range(self.n_finest, self.n_finest + len(halves)))
        self.n_finest += len(halves)
        self.finest_of[halves] = finest
        if len(halves) > 1:
            parent = len(self.nodes) + len(halves)
            self.nodes += [TreeNode((group,), (number,), parent=parent) for group in finest]
        self.nodes.append(TreeNode(finest, (number,), number, height))
        return len(self.nodes) - 1

    def _halves(self, node: int) -> tuple[list[int], float]:
        """The two parts of a node that have documents, or the node itself, and their height."""
        while node >= self.n_leaves:
            step = node - self.n_leaves
            parts = [int(child) for child in self.children[step] if self.labels[child] != EMPTY]
            if len(parts) == 2:
                return parts, float(self.heights[step])
            node = parts[0]
        return [node], 0.0

    def _add_join(self, parts: list[int], step: int) -> int:
        first, second = (self.nodes[part] for part in parts)
        first.parent = second.parent = len(self.nodes)
        clusters = tuple(sorted(first.clusters + second.clusters))
        finest = first.finest + second.finest
        self.nodes.append(TreeNode(finest, clusters, height=float(self.heights[step])))
        return len(self.nodes) - 1


def _leaf_labels(leaves: Labels, labels: Labels, n_leaves: int) -> Labels:
    """The cluster most documents of each leaf are in, EMPTY without documents."""
    by_leaf = np.full(n_leaves, EMPTY, dtype=np.int64)
    pairs, n_documents = np.unique(np.stack([leaves, labels]), axis=1, return_counts=True)
    order = np.argsort(n_documents, kind="stable")
    by_leaf[pairs[0][order]] = pairs[1][order]
    return by_leaf


def _common(first: int, second: int) -> int:
    if first in (EMPTY, second):
        return second
    return first if second == EMPTY else MIXED


def _finest_groups(reader: _TreeReader, leaves: Labels, labels: Labels) -> Labels:
    """The finest group of each document.

    A document that the tree has in another cluster goes to the first group of its own.
    """
    groups = reader.finest_of_leaves()[leaves]
    clusters = [node for node in reader.nodes if node.cluster is not None]
    number_of = np.repeat([c.clusters[0] for c in clusters], [len(c.finest) for c in clusters])
    first = {cluster.cluster: cluster.finest[0] for cluster in clusters}
    numbers = labels + 1
    for position in np.flatnonzero((groups == EMPTY) | (number_of[groups] != numbers)):
        groups[position] = first[int(numbers[position])]
    return groups
