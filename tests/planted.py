"""Counts with known clusters: each cluster prefers its own block of words."""

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone


def plant(n_documents, n_words, n_clusters, length, seed, purity=0.8):
    """Counts, document clusters and word clusters of a corpus drawn from a mixture.

    Documents of different clusters differ in length, so that shares of documents and of
    words differ.
    """
    rng = np.random.default_rng(seed)
    documents = rng.integers(n_clusters, size=n_documents)
    words = np.arange(n_words) % n_clusters
    own = words[None, :] == np.arange(n_clusters)[:, None]
    p = purity * own / own.sum(axis=1, keepdims=True) + (1 - purity) / n_words
    lengths = rng.poisson(length * (0.5 + documents / n_clusters)) + length // 4
    counts = np.array(
        [rng.multinomial(n, p[k]) for n, k in zip(lengths, documents, strict=True)]
    )
    return sp.csr_array(counts.astype(np.float64)), documents, words


def learned(model, X):
    """What a model learns from counts, before they are folded in and clusters are ordered."""
    fitted = clone(model)
    fitted._fit(fitted._read(X))
    return fitted
