"""Experiments on words: word clusters, matrices ordered by cluster."""

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from coterie_papers.cells import Cell, Scores
from coterie_papers.clustering import fitted
from coterie_papers.corpora import Data, load

TOP = 15
BINS = 160


def topics(cell: Cell) -> Scores:
    """The most probable words of every word cluster."""
    data = load(cell.corpus)
    K = cell.setting("clusters", data.n_classes)
    model = fitted(cell.method, data, K, cell.seed, cell.setting("words"))
    order = np.argsort(-model.word_components_, axis=1, kind="stable")[:, :TOP]
    return {"topics": [data.words[row].tolist() for row in order]}


def ordered(cell: Cell) -> Scores:
    """Densities of the matrix in random order, and in the order of the clusters."""
    data = load(cell.corpus)
    used = np.flatnonzero(data.counts.count_nonzero(axis=0))
    data = Data(data.counts[:, used], data.labels)
    K = cell.setting("clusters", data.n_classes)
    model = fitted(cell.method, data, K, cell.seed, cell.setting("words"))
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(data.counts.shape[0]), rng.permutation(data.counts.shape[1])
    rows, columns = diagonal_order(
        model.labels_, model.word_labels_, model.cluster_word_clusters_
    )
    n_bins = cell.setting("bins", BINS)
    before = densities(data.counts, *shuffled, n_bins)
    after = densities(data.counts, rows, columns, n_bins)
    return {
        "before": before.round(5).tolist(),
        "after": after.round(5).tolist(),
        "contrast": [_contrast(before), _contrast(after)],
        "shape": list(data.counts.shape),
    }


def diagonal_order(labels: Any, word_labels: Any, table: Any) -> tuple[Any, Any]:
    """Orders of documents and of words in which their clusters meet along the diagonal.

    `table` has a row for each cluster of documents and a column for each of words. Clusters are
    matched one to one so that the sum of the matched entries is largest. A cluster without a
    match stands beside the pair with which its entry is largest.

    Examples
    --------
    >>> table = [[0.1, 0.7, 0.2], [0.8, 0.1, 0.1]]
    >>> rows, columns = diagonal_order(np.array([1, 0, 1]), np.array([0, 2, 1, 0]), table)
    >>> rows.tolist(), columns.tolist()
    ([1, 0, 2], [2, 1, 0, 3])
    """
    entries = np.asarray(table, dtype=np.float64)
    clusters, matches = linear_sum_assignment(entries, maximize=True)
    ranks = _ranks(entries[:, matches], clusters)
    word_ranks = _ranks(entries[clusters].T, matches)
    return (
        np.argsort(ranks[labels], kind="stable"),
        np.argsort(word_ranks[word_labels], kind="stable"),
    )


def _ranks(entries: Any, matched: Any) -> Any:
    """Positions of clusters by their pair, a column of `entries`; the matched comes first."""
    n = len(entries)
    pairs, unmatched, ranks = entries.argmax(axis=1), np.ones(n), np.empty(n, np.int64)
    pairs[matched], unmatched[matched] = np.arange(len(matched)), 0
    ranks[np.lexsort((unmatched, pairs))] = np.arange(n)
    return ranks


def densities(counts: Any, rows: Any, columns: Any, n_bins: int) -> Any:
    """The share of non-zeros in each block of rows and columns, taken in this order.

    There are `n_bins` blocks down and across, fewer where there are fewer rows or columns.

    Examples
    --------
    >>> from coterie.types import Counts
    >>> densities(Counts(np.eye(4)), np.arange(4), np.arange(4), 2)
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    n, m = counts.shape
    down, across = min(n_bins, n), min(n_bins, m)
    block_of_row, block_of_column = np.empty(n, np.int64), np.empty(m, np.int64)
    block_of_row[rows] = np.arange(n) * down // n
    block_of_column[columns] = np.arange(m) * across // m
    row, column = counts.tocoo().coords
    blocks = block_of_row[row] * across + block_of_column[column]
    sizes = np.outer(np.bincount(block_of_row), np.bincount(block_of_column))
    return np.bincount(blocks, minlength=down * across).reshape(down, across) / sizes


def _contrast(table: Any) -> float:
    """Standard deviation of the densities, divided by their mean."""
    return float(table.std() / table.mean())
