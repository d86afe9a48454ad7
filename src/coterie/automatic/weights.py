"""Weights of words found from the data: a word counts for as much as its documents are alike.

How rare a word is says little of what it tells. Documents that share a word of a topic are
alike in their other words too; those that share a number, or a word of every text, are not.
"""

from copy import copy

import numpy as np

from coterie.arrays import document_frequencies, row_blocks, unit_rows
from coterie.automatic.axes import are_short, main_axes, on_axes
from coterie.types import Array, Counts
from coterie.weighting import WordWeights

RANK = 50  # axes on which documents are compared
EXPONENT = 0.5  # of the rarity of words whose coherence is known
HALF = 0.05  # coherence of a word that has half of its weight
LEAST = 0.02  # share of its weight that a word without coherence has
DOUBT = 5  # documents without coherence that are added to those of a word


def learned_weights(X: Counts, sample: Counts, *, scale: float, seed: int) -> WordWeights:
    """Weights of words by coherence on the axes of a sample, and by rarity."""
    return coherent_weights(plain_weights(X, scale), X, word_coherence(X, sample, seed))


def plain_weights(X: Counts, scale: float) -> WordWeights:
    """Weights by which rare words count more, unless documents are short."""
    return WordWeights(scale=scale, exponent=0.0 if are_short(X) else 1.0).fit(X)


def word_coherence(X: Counts, sample: Counts, seed: int) -> Array:
    """How far documents that share a word are alike: 0 as any two, 1 as if they were one.

    It is the mean product of two documents that have the word, over the mean square of one:
    documents are of length one on the main axes of the `sample`, less the mean of all.

    Examples
    --------
    >>> X = Counts(np.array([[3.0, 1, 0, 1], [1, 2, 0, 1], [0, 0, 2, 1], [0, 0, 1, 1]]))
    >>> word_coherence(X, X, 0).round(2)
    array([0.22, 0.22, 0.26, 0.  ])
    """
    weighting = WordWeights(exponent=1.0).fit(X)
    axes = main_axes(weighting.transform(sample.astype(np.float32)), RANK, seed).words
    n_words, rank = axes.shape
    sums, squares = np.zeros((n_words, rank)), np.zeros(n_words)
    total, square, n_filled = np.zeros(rank), 0.0, 0
    for _, block in row_blocks(X):
        weights = weighting.transform(block.astype(np.float32))
        documents = unit_rows(on_axes(weights, axes), np.float64)
        lengths = np.einsum("ij,ij->i", documents, documents)
        present = Counts((np.ones(block.nnz), block.indices, block.indptr), shape=block.shape)
        sums += present.T @ documents
        squares += present.T @ lengths
        total += documents.sum(axis=0)
        square += float(lengths.sum())
        n_filled += int(np.count_nonzero(np.diff(block.indptr)))
    mean = total / max(n_filled, 1)
    df = document_frequencies(X)
    of_mean = sums @ mean
    spread = square / max(n_filled, 1) - float(mean @ mean)
    products = np.einsum("ij,ij->i", sums, sums) - 2 * df * of_mean + df**2 * (mean @ mean)
    products -= squares - 2 * of_mean + df * (mean @ mean)  # of a document with itself
    if spread <= 1e-9:  # all documents are alike
        return np.zeros(n_words)
    coherence = products / np.maximum(df * (df - 1.0), 1) / spread
    shrunk: Array = np.clip(coherence, 0, 1) * df / (df + DOUBT)
    return shrunk


def coherent_weights(plain: WordWeights, X: Counts, coherence: Array) -> WordWeights:
    """Weights by which coherent words count more, with the same sum over all documents.

    Examples
    --------
    >>> X = Counts(np.array([[1.0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0]]))
    >>> coherence = np.array([0.2, 0.2, 0.2, 0.0])
    >>> coherent_weights(plain_weights(X, 0.1), X, coherence).word_weights_.round(2)
    array([4.77, 4.77, 4.77, 0.12])
    """
    rarity = WordWeights(exponent=1.0).fit(X).word_weights_
    weights = rarity ** (EXPONENT * plain.exponent) * (coherence / (coherence + HALF) + LEAST)
    weights[plain.word_weights_ == 0] = 0
    repeated = np.zeros(X.shape[1])
    for _, block in row_blocks(X):
        repeated += np.bincount(
            block.indices, np.log1p(block.data.astype(np.float64)), minlength=X.shape[1]
        )
    found, total = copy(plain), float(repeated @ weights)
    if total > 0:
        found.word_weights_ = weights * (repeated @ plain.word_weights_) / total
    return found
