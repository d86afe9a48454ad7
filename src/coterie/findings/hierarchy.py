"""Coarser and finer levels: clusters joined with others, and the halves of each."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from coterie.arrays import rows_at
from coterie.findings.boilerplate import N_COMPARED, Mask, marked_words
from coterie.findings.names import distinct_names, name_words
from coterie.findings.tree import ClusterTree, TreeNode
from coterie.findings.words import ViewProfile, WordProfile, word_shares
from coterie.types import Labels

N_CANDIDATES = 12


@dataclass(frozen=True)
class Node:
    """A cluster (`cluster` is its number), half of one, or several clusters joined.

    `clusters` are the numbers of all that are in it; `parent` is the position, in the list of
    nodes, of the node it is part of, None for the root; `height` is the cost of joining its
    parts.
    """

    parent: int | None
    cluster: int | None
    clusters: tuple[int, ...]
    name: str
    size: int
    height: float


@dataclass(frozen=True)
class Level:
    """A coarser level: its groups as positions in the list of nodes, the largest first."""

    n_clusters: int
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class Hierarchy:
    """All nodes, parts before wholes, and some coarser levels, the finest first."""

    nodes: tuple[Node, ...]
    levels: tuple[Level, ...]

    def parts(self, position: int) -> tuple[int, ...]:
        """Positions of the parts of a node, the largest first."""
        parts = [i for i, node in enumerate(self.nodes) if node.parent == position]
        return _by_size(self.nodes, parts)


def name_tree(
    tree: ClusterTree,
    names: Sequence[str],
    words: Callable[[Mask, Mask | None], list[list[str]]],
) -> Hierarchy:
    """Name the nodes of a tree and choose coarser levels; clusters have the `names` given.

    `words` gives those for a name in each view, as `words_for_names` does.
    """
    sizes = np.bincount(tree.finest)
    nodes = tuple(
        Node(
            node.parent, node.cluster, node.clusters, name,
            int(sizes[list(node.finest)].sum()), node.height,
        )
        for node, name in zip(tree.nodes, _node_names(tree, names, words), strict=True)
    )  # fmt: skip
    return Hierarchy(nodes, tuple(_coarser_levels(nodes)))


def level_labels(hierarchy: Hierarchy, finest: Labels) -> dict[int, Labels]:
    """Number of each document's group at each level, by the number of groups, fewest first.

    `finest` holds the finest group of each document.
    """
    nodes = hierarchy.nodes
    clusters = {i: node.cluster for i, node in enumerate(nodes) if node.cluster is not None}
    wholes = {node.parent for node in nodes}
    leaves = [i for i in range(len(nodes)) if i not in wholes]  # the finest groups, in order
    numbers = [
        *(_numbered(level.nodes) for level in hierarchy.levels),
        clusters,
        _numbered(_by_size(nodes, leaves)),
    ]
    by_level = {}
    for number_of in numbers:
        groups = [number_of[_ancestor(nodes, leaf, number_of)] for leaf in leaves]
        by_level[len(number_of)] = np.array(groups)[finest]
    return dict(sorted(by_level.items()))


def _numbered(positions: Sequence[int]) -> dict[int, int]:
    return {position: number for number, position in enumerate(positions, start=1)}


def _by_size(nodes: Sequence[Node], positions: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(positions, key=lambda i: (-nodes[i].size, i)))


def _ancestor(nodes: Sequence[Node], position: int, groups: Container[int]) -> int:
    """The one of some groups that a node is in, or is."""
    while position not in groups:
        parent = nodes[position].parent
        if parent is None:
            raise LookupError(f"node {position} is in no group")
        position = parent
    return position


def _node_names(
    tree: ClusterTree,
    names: Sequence[str],
    words: Callable[[Mask, Mask | None], list[list[str]]],
) -> list[str]:
    """Names of nodes: words that distinguish a half from its cluster, others from all."""
    candidates: list[list[list[str]]] = [
        [[]]
        if node.cluster is not None
        else words(np.isin(tree.finest, node.finest), _background(tree, node))
        for node in tree.nodes
    ]
    return [
        names[node.cluster - 1] if node.cluster is not None else name
        for node, name in zip(tree.nodes, distinct_names(candidates), strict=True)
    ]


def _background(tree: ClusterTree, node: TreeNode) -> Mask | None:
    """Documents a node is compared with: those of its cluster, or None for all."""
    if node.parent is None or tree.nodes[node.parent].cluster is None:
        return None
    return np.isin(tree.finest, tree.nodes[node.parent].finest)


def words_for_names(
    views: Sequence[ViewProfile], inside: Mask, background: Mask | None
) -> list[list[str]]:
    """Words of each view that distinguish some documents from others, or from all."""
    return [words_for_name(view, inside, background) for view in views]


def words_for_name(view: ViewProfile, inside: Mask, background: Mask | None) -> list[str]:
    """Words that distinguish some documents from others, or from all, for a name."""
    counts = rows_at(view.counts, np.flatnonzero(inside))
    everywhere = view.words.corpus
    if background is not None:
        everywhere = word_shares(rows_at(view.counts, np.flatnonzero(background)))
    two_rows = np.stack([word_shares(counts), everywhere])
    profile = WordProfile(view.words.words, two_rows, everywhere)
    columns = profile.ranked(0, N_COMPARED)
    words = profile.described(0, columns[:N_CANDIDATES])
    return name_words(marked_words(words, columns, counts, profile.words)[0])


def _coarser_levels(nodes: Sequence[Node]) -> Iterator[Level]:
    """Levels of half as many groups each, down to two."""
    joins = [
        i for i, node in enumerate(nodes) if node.cluster is None and len(node.clusters) > 1
    ]
    groups = {i for i, node in enumerate(nodes) if node.cluster is not None}
    n_clusters = len(groups)
    wanted = n_clusters // 2
    for join in joins:
        if n_clusters > len(groups) == max(wanted, 2):
            yield Level(len(groups), _by_size(nodes, groups))
            wanted = len(groups) // 2
        groups -= {i for i in groups if nodes[i].parent == join}
        groups.add(join)
