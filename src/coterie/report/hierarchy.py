"""Clusters of clusters, and the halves of each: coarser and finer views of all documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie.report.assignments import Assignments
from coterie.report.boilerplate import N_LOOKED_AT, marked_words
from coterie.report.names import distinct_names, good_words
from coterie.report.tree import Draft, read_pieces
from coterie.report.words import ViewProfile, WordProfile
from coterie.types import Array, Labels

N_WORDS = 12
Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Node:
    """A cluster (`cluster` is its number), half of one, or several clusters joined.

    `clusters` are the numbers of all that are in it; `parent` is the place of the node it is
    part of in the list of nodes, None for the whole; `height` what joining its parts costs.
    """

    parent: int | None
    cluster: int | None
    clusters: tuple[int, ...]
    name: str
    size: int
    height: float


@dataclass(frozen=True)
class Level:
    """A coarser view: so many groups, the largest first, each a place in the list of nodes."""

    n_clusters: int
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class Hierarchy:
    """All nodes, parts before wholes, and some coarser views, the finest first."""

    nodes: tuple[Node, ...]
    levels: tuple[Level, ...]

    def parts(self, place: int) -> tuple[int, ...]:
        """Places of the parts of a node, the largest first."""
        found = [i for i, node in enumerate(self.nodes) if node.parent == place]
        return tuple(sorted(found, key=lambda i: (-self.nodes[i].size, i)))


def read_hierarchy(
    model: Any, assignments: Assignments, views: Sequence[ViewProfile], names: Sequence[str]
) -> Hierarchy | None:
    """The hierarchy of a model that has one; `names`, by number, are what clusters keep."""
    found = read_pieces(model, assignments, views)
    if found is None:
        return None
    drafts, pieces = found
    sizes = np.bincount(pieces)
    called = _names(drafts, pieces, views, names)
    nodes = tuple(
        Node(
            draft.parent, draft.cluster, draft.clusters, name,
            int(sizes[list(draft.pieces)].sum()), draft.height,
        )
        for draft, name in zip(drafts, called, strict=True)
    )  # fmt: skip
    return Hierarchy(nodes, tuple(_levels(nodes)))


def level_labels(hierarchy: Hierarchy, pieces: Labels) -> dict[int, Labels]:
    """Number of each document's group at each level, by the number of groups, fewest first."""
    whole = len([node for node in hierarchy.nodes if node.cluster is not None])
    found = {}
    piece_nodes = _piece_nodes(hierarchy)
    for n_groups, places in [
        *((level.n_clusters, level.nodes) for level in hierarchy.levels),
        (whole, [i for i, node in enumerate(hierarchy.nodes) if node.cluster is not None]),
        (len(piece_nodes), sorted(piece_nodes, key=lambda i: (-hierarchy.nodes[i].size, i))),
    ]:
        number_of = {place: number for number, place in enumerate(places, start=1)}
        numbers = [number_of[_ancestor(hierarchy, i, number_of)] for i in piece_nodes]
        found[n_groups] = np.array(numbers)[pieces]
    return dict(sorted(found.items()))


def _piece_nodes(hierarchy: Hierarchy) -> list[int]:
    """Places of the nodes without parts, which are the pieces in their order."""
    wholes = {node.parent for node in hierarchy.nodes}
    return [i for i in range(len(hierarchy.nodes)) if i not in wholes]


def _ancestor(hierarchy: Hierarchy, place: int, among: dict[int, int]) -> int:
    while place not in among:
        parent = hierarchy.nodes[place].parent
        if parent is None:
            raise LookupError(f"node {place} is in no group")
        place = parent
    return place


def _names(
    drafts: Sequence[Draft],
    pieces: Labels,
    views: Sequence[ViewProfile],
    names: Sequence[str],
) -> list[str]:
    """Names of nodes: a half is told from its cluster, joined clusters from all documents."""
    candidates: list[list[list[str]]] = [
        [[]] if draft.cluster is not None else [
            _good_words(view, np.isin(pieces, draft.pieces), _around(drafts, draft, pieces))
            for view in views
        ]
        for draft in drafts
    ]  # fmt: skip
    found = distinct_names(candidates)
    return [
        names[draft.cluster - 1] if draft.cluster is not None else name
        for draft, name in zip(drafts, found, strict=True)
    ]


def _around(drafts: Sequence[Draft], draft: Draft, pieces: Labels) -> Mask | None:
    """Documents a node is told from: its cluster's, or None for all."""
    if draft.parent is None or drafts[draft.parent].cluster is None:
        return None
    return np.isin(pieces, drafts[draft.parent].pieces)


def _good_words(view: ViewProfile, inside: Mask, around: Mask | None) -> list[str]:
    counts = view.counts[np.flatnonzero(inside)]
    own, everywhere = _shares(counts), view.words.corpus
    if around is not None:
        everywhere = _shares(view.counts[np.flatnonzero(around)])
    profile = WordProfile(view.words.words, np.stack([own, everywhere]), everywhere)
    columns = profile.ranked(0, N_LOOKED_AT)
    words, _ = marked_words(profile.top(0, N_WORDS), columns, counts, profile.words)
    return good_words(words)


def _shares(counts: Any) -> Array:
    totals = np.asarray(counts.sum(axis=0, dtype=np.float64)).ravel()
    shares: Array = totals / max(totals.sum(), 1e-300)
    return shares


def _levels(nodes: Sequence[Node]) -> Iterator[Level]:
    """Coarser views of half as many groups each, down to two."""
    joins = [
        i for i, node in enumerate(nodes) if node.cluster is None and len(node.clusters) > 1
    ]
    groups = {i for i, node in enumerate(nodes) if node.cluster is not None}
    n_clusters = len(groups)
    wanted = n_clusters // 2
    for join in joins:
        if n_clusters > len(groups) == max(wanted, 2):
            yield _level(nodes, groups)
            wanted = len(groups) // 2
        groups -= {i for i in groups if nodes[i].parent == join}
        groups.add(join)


def _level(nodes: Sequence[Node], groups: set[int]) -> Level:
    places = tuple(sorted(groups, key=lambda i: (-nodes[i].size, i)))
    return Level(len(groups), places)
