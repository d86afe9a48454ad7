"""Collections too large to compare candidates on all of their documents.

Candidates are compared, and their consensus found and refined, on a sample. All documents are
then assigned to its clusters, a block of rows at a time, and the mixture with its
nearest-neighbour term is refined further on all of them. The sample depends on the documents
alone, not on their order.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie import fitting
from coterie.automatic.candidates import Effort
from coterie.automatic.neighbour_mixture import Neighbourhood, NeighbourMixture
from coterie.automatic.search import Search, fitted_from, search_bytes
from coterie.automatic.tree import Tree, leaves_of, merged, word_totals_by_cluster
from coterie.base import EMEstimator
from coterie.corpus.storing import SHARE, Storage
from coterie.engine import rows_between
from coterie.memory import Size
from coterie.types import Array, Counts, Labels
from coterie.weighting import WordWeights

SAMPLE = 60_000  # documents with words on which candidates are compared
BLOCK = 1 << 15  # documents that are weighted together
REFINING_ITER = 10
SCRAMBLE = np.uint64(0x9E3779B97F4A7C15)


def blocks_of(X: Counts) -> Iterator[tuple[int, int, Counts]]:
    """Blocks of rows, as views of the memory of all, with their first and last row."""
    for first in range(0, X.shape[0], BLOCK):
        last = min(first + BLOCK, X.shape[0])
        yield first, last, rows_between(X, first, last)


def projected(X: Counts, directions: Array) -> Array:
    """Rows times some directions, in double precision, a block at a time."""
    parts = [block @ directions for _, _, block in blocks_of(X)]
    together: Array = np.concatenate(parts) if parts else np.empty((0, directions.shape[1]))
    return together


def by_content(X: Counts, vectors: Array | None = None) -> Labels:
    """Documents with words, in an order that only their words and vectors decide."""
    rng = np.random.default_rng(0)
    first, second = projected(X, rng.random((X.shape[1], 2))).T
    last = np.zeros(len(first))
    if vectors is not None:
        last = np.einsum("ij,j->i", vectors, rng.random(vectors.shape[1]))
    order = np.lexsort((last, second, first))
    filled: Labels = order[np.diff(X.indptr)[order] > 0]
    return filled


def sampled(X: Counts, vectors: Array | None = None) -> Labels:
    """Documents on which candidates are compared, in an order that their content decides.

    All that have words, or a sample of them where they are too many: those with the smallest
    scrambled content.
    """
    filled = by_content(X, vectors)
    if len(filled) <= SAMPLE:
        return filled
    directions = np.random.default_rng(1).random((X.shape[1], 1))
    content = np.concatenate([block @ directions for _, _, block in blocks_of(X)])
    scrambled = np.ascontiguousarray(content[filled, 0]).view(np.uint64) * SCRAMBLE
    chosen = np.argsort(scrambled, kind="stable")[:SAMPLE]
    rows: Labels = filled[np.sort(chosen)]
    return rows


@dataclass
class Everything:
    """All documents: counts, how they are weighted, and vectors where they have some."""

    counts: Counts
    weighting: WordWeights
    vectors: Array | None = None

    def blocks(self) -> Iterator[tuple[slice, Counts, Array | None]]:
        """Blocks of rows, their weighted words and their vectors."""
        for first, last, block in blocks_of(self.counts):
            rows = slice(first, last)
            vectors = None if self.vectors is None else self.vectors[rows]
            yield rows, self.weighting.transform(block.astype(np.float32)), vectors

    def joined(self, neighbourhood: Neighbourhood | None) -> Counts:
        """Weighted words of all documents, and links to their neighbours beside them.

        They are on disk where they would take too much memory.
        """
        n_documents, n_words = self.counts.shape
        n_kinds, n_links = 0, 0
        if neighbourhood is not None:
            n_kinds = 1 + (neighbourhood.vectors is not None)
            n_links = n_kinds * len(neighbourhood.documents)
        n_each = 0 if neighbourhood is None else neighbourhood.n_neighbors + 1
        most = self.counts.nnz + n_documents * n_kinds * n_each
        storage = Storage(fitting.allowed_bytes())
        data, indices = storage.empty(most, np.float32), storage.empty(most, np.int32)
        lengths, end = [np.zeros(1, dtype=np.int64)], 0
        for _, weights, vectors in self.blocks():
            rows = weights
            if neighbourhood is not None:
                rows = neighbourhood.beside(weights, neighbourhood.links(weights, vectors))
            start, end = end, end + rows.nnz
            data[start:end], indices[start:end] = rows.data, rows.indices
            lengths.append(np.diff(rows.indptr))
        together = Counts((n_documents, n_words + n_links), dtype=np.float32)
        together.data, together.indices = data[:end], indices[:end]
        kind = np.int32 if end < 2**31 else np.int64
        together.indptr = np.cumsum(np.concatenate(lengths)).astype(kind)
        return together


def refined_on_all(model: EMEstimator, search: Search, joined: Counts) -> EMEstimator:
    """The mixture of a sample, refined further on all documents."""
    start, _ = model._assign_all(joined)
    if fitting.stopped():
        model.memberships_, model.labels_ = start, start.argmax(axis=1)
        return model
    plain = search.model
    n_links = joined.shape[1] - search.weights.shape[1]
    unfitted: Any = clone(plain)
    if search.neighbourhood is not None:
        unfitted = NeighbourMixture(**plain.get_params(), n_links=n_links)
    refined = fitted_from(unfitted.set_params(max_iter=REFINING_ITER), joined, start)
    refined.converged_ = model.converged_  # on the sample; a few steps on all are enough
    return refined


def tree_of_all(
    everything: Everything, labels: Labels, n_clusters: int, halves: Mapping[int, EMEstimator]
) -> Tree:
    """The tree of clusters and their halves, which mixtures of two give of all documents."""
    members = [np.flatnonzero(labels == cluster) for cluster in range(n_clusters)]
    second = np.zeros(len(labels), dtype=bool)
    has_words = np.zeros(len(labels), dtype=bool)
    for rows, weights, _ in everything.blocks():
        has_words[rows] = np.diff(weights.indptr) > 0
        for cluster, model in halves.items():
            inside = np.flatnonzero((labels[rows] == cluster) & has_words[rows])
            if len(inside):
                of_halves, _ = model._assign_all(weights[inside])
                second[rows.start + inside] = of_halves.argmax(axis=1) == 1
    found = {cluster: second[members[cluster]].astype(np.int64) for cluster in halves}
    leaves, pairs = leaves_of(labels, members, found)
    words = np.zeros((n_clusters + len(pairs), everything.counts.shape[1]))
    for rows, weights, _ in everything.blocks():
        words += word_totals_by_cluster(weights, leaves[rows], len(words))
    return merged(leaves, words, pairs)


def needed_bytes(size: Size, n_clusters: int, effort: Effort) -> int:
    """What a fit holds: the search in the sample, then rows of all documents.

    Counts beside links are on disk where they would take more than a part of the memory.
    """
    sample = replace(size.sample(SAMPLE), itemsize=4, on_disk=False)
    search = search_bytes(sample, n_clusters, effort.adapted(sample, n_clusters))
    n = size.n_documents
    links = size.n_nonzero + n * (effort.n_neighbors + 1)
    joined = min(8 * links, fitting.allowed_bytes() // SHARE)
    rows = size.doubles(n, 4 * n_clusters) + joined
    return size.data + sample.data + max(search, rows)
