"""A model's tree of merges, read from its leaves up to its clusters and beyond.

The tree is written as SciPy's linkage writes it. Its leaves are the documents, or `leaves_`
says which leaf each document is in. The node of a cluster is the highest that has documents of
that cluster only; a tree in which a cluster has several such nodes does not go with the
clusters, and is left alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coterie.report.assignments import Assignments
from coterie.report.words import ViewProfile
from coterie.types import Array, Labels

EMPTY, MIXED = -1, -2


@dataclass
class Draft:
    """A node before it has a name: a cluster, half of one, or several.

    `pieces` are those its documents are in, `parent` the place of the draft it is part of.
    """

    pieces: tuple[int, ...]
    clusters: tuple[int, ...]
    cluster: int | None = None
    height: float = 0.0
    parent: int | None = None


class _Reading:
    """A tree read from its leaves up, as a list of drafts, parts before wholes."""

    def __init__(self, merges: Array, owners: Labels, numbers: Labels) -> None:
        self.children = merges[:, :2].astype(np.int64)
        self.heights = merges[:, 2]
        self.n_leaves = len(merges) + 1
        self.numbers = numbers
        self.owners = np.concatenate([owners, np.full(len(merges), EMPTY)])
        for step, (a, b) in enumerate(self.children):
            self.owners[self.n_leaves + step] = _common(self.owners[a], self.owners[b])
        self.drafts: list[Draft] = []
        self.n_pieces = 0
        self.piece_of_node = np.full(len(self.owners), EMPTY)

    def tops(self) -> list[int]:
        """Highest nodes with documents of one cluster only, by the numbers of the clusters."""
        below_mixed = [
            child
            for step, pair in enumerate(self.children)
            if self.owners[self.n_leaves + step] == MIXED
            for child in pair
        ]
        pure = [int(node) for node in below_mixed if self.owners[node] >= 0]
        return sorted(pure, key=lambda node: int(self.numbers[self.owners[node]]))

    def read(self) -> None:
        """Draft the halves of the clusters, the clusters, and what joins them."""
        places = {top: self._cluster(top) for top in self.tops()}
        for step, (a, b) in enumerate(self.children):
            node = self.n_leaves + step
            if self.owners[node] != MIXED:
                continue
            parts = [places[child] for child in (int(a), int(b)) if child in places]
            places[node] = parts[0] if len(parts) == 1 else self._joined(parts, step)

    def leaf_pieces(self) -> Labels:
        """The piece each leaf is in."""
        for step in range(len(self.children) - 1, -1, -1):
            piece = self.piece_of_node[self.n_leaves + step]
            if piece != EMPTY:
                self.piece_of_node[self.children[step]] = piece
        pieces: Labels = self.piece_of_node[: self.n_leaves]
        return pieces

    def _cluster(self, top: int) -> int:
        halves, height = self._halves(top)
        number = int(self.numbers[self.owners[top]])
        pieces = tuple(range(self.n_pieces, self.n_pieces + len(halves)))
        self.n_pieces += len(halves)
        self.piece_of_node[halves] = pieces
        if len(halves) > 1:
            parent = len(self.drafts) + len(halves)
            self.drafts += [Draft((piece,), (number,), parent=parent) for piece in pieces]
        self.drafts.append(Draft(pieces, (number,), number, height))
        return len(self.drafts) - 1

    def _halves(self, node: int) -> tuple[list[int], float]:
        """The two parts of a node that have documents, or the node itself, and their height."""
        while node >= self.n_leaves:
            step = node - self.n_leaves
            parts = [int(child) for child in self.children[step] if self.owners[child] != EMPTY]
            if len(parts) == 2:
                return parts, float(self.heights[step])
            node = parts[0]
        return [node], 0.0

    def _joined(self, parts: list[int], step: int) -> int:
        first, second = (self.drafts[part] for part in parts)
        first.parent = second.parent = len(self.drafts)
        clusters = tuple(sorted(first.clusters + second.clusters))
        pieces = first.pieces + second.pieces
        self.drafts.append(Draft(pieces, clusters, height=float(self.heights[step])))
        return len(self.drafts) - 1


class Pieces(NamedTuple):
    """Nodes, parts before wholes, and for each document the piece no node cuts in two."""

    drafts: list[Draft]
    labels: Labels


def read_pieces(
    model: Any, assignments: Assignments, views: Sequence[ViewProfile]
) -> Pieces | None:
    """The nodes of the model's tree from halves of clusters up, where a tree goes with them."""
    reading = _reading(model, assignments, views)
    if reading is None:
        return None
    labels = _own_pieces(reading, _leaves(model, assignments), assignments)
    return Pieces(reading.drafts, labels)


def _leaves(model: Any, assignments: Assignments) -> Labels:
    leaves: Labels = np.asarray(getattr(model, "leaves_", np.arange(len(assignments.labels))))
    return leaves


def _reading(
    model: Any, assignments: Assignments, views: Sequence[ViewProfile]
) -> _Reading | None:
    """Read the model's tree, if it has one whose nodes are its clusters."""
    merges = getattr(model, "tree_", None)
    if merges is None or np.count_nonzero(assignments.sizes) < 2:
        return None
    merges = np.asarray(merges, dtype=np.float64).reshape(-1, 4)
    leaves = _leaves(model, assignments)
    if leaves.shape != assignments.labels.shape or leaves.max() > len(merges):
        return None
    filled = np.flatnonzero(sum(np.diff(view.counts.indptr) for view in views))
    owners = _leaf_owners(leaves[filled], assignments.labels[filled], len(merges) + 1)
    reading = _Reading(merges, owners, assignments.numbers)
    clusters = [int(reading.owners[top]) for top in reading.tops()]
    if len(set(clusters)) < len(clusters) or len(clusters) < 2:
        return None
    if set(clusters) != set(np.flatnonzero(assignments.sizes).tolist()):
        return None
    reading.read()
    return reading


def _leaf_owners(leaves: Labels, labels: Labels, n_leaves: int) -> Labels:
    """The cluster most documents of each leaf are in, EMPTY without documents."""
    owners = np.full(n_leaves, EMPTY, dtype=np.int64)
    pairs, n_documents = np.unique(np.stack([leaves, labels]), axis=1, return_counts=True)
    order = np.argsort(n_documents, kind="stable")
    owners[pairs[0][order]] = pairs[1][order]
    return owners


def _common(first: int, second: int) -> int:
    if first in (EMPTY, second):
        return second
    return first if second == EMPTY else MIXED


def _own_pieces(reading: _Reading, leaves: Labels, assignments: Assignments) -> Labels:
    """The piece of each document; where the tree has it elsewhere, the first of its cluster."""
    pieces = reading.leaf_pieces()[leaves]
    wholes = [draft for draft in reading.drafts if draft.cluster is not None]
    number_of = np.repeat([w.clusters[0] for w in wholes], [len(w.pieces) for w in wholes])
    first = {whole.cluster: whole.pieces[0] for whole in wholes}
    numbers = assignments.numbers[assignments.labels]
    for place in np.flatnonzero((pieces == EMPTY) | (number_of[pieces] != numbers)):
        pieces[place] = first[int(numbers[place])]
    return pieces
