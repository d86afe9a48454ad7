"""GSDMM: the Dirichlet multinomial mixture by collapsed Gibbs sampling (Yin and Wang, 2014).

Equation 4 of the paper with its settings, alpha = beta = 0.1; labels are those of the last
sweep. `GibbsMixture` draws from the same model, but with its parameters, not without them.
"""

import numpy as np
from numba import njit

ALPHA = BETA = 0.1
N_SWEEPS = 30


def gsdmm(counts, n_clusters, seed):
    """Labels of documents, in at most so many clusters."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_clusters, size=counts.shape[0])
    words = np.zeros((counts.shape[1], n_clusters))
    totals, sizes = np.zeros(n_clusters), np.zeros(n_clusters)
    parts = counts.indptr, counts.indices, counts.data.astype(np.int64)
    for document, cluster in enumerate(labels):
        _move(*parts, document, cluster, 1, words, totals, sizes)
    for _ in range(N_SWEEPS):
        _sweep(*parts, labels, words, totals, sizes, rng.random(len(labels)))
    return labels


@njit(cache=True)
def _move(indptr, indices, data, document, cluster, sign, words, totals, sizes):
    sizes[cluster] += sign
    for j in range(indptr[document], indptr[document + 1]):
        words[indices[j], cluster] += sign * data[j]
        totals[cluster] += sign * data[j]


@njit(cache=True)
def _sweep(indptr, indices, data, labels, words, totals, sizes, draws):
    n_words, n_clusters = words.shape
    logs = np.empty(n_clusters)
    for d in range(len(labels)):
        _move(indptr, indices, data, d, labels[d], -1, words, totals, sizes)
        for k in range(n_clusters):
            logs[k], before = np.log(sizes[k] + ALPHA), 0
            for j in range(indptr[d], indptr[d + 1]):
                for i in range(data[j]):
                    logs[k] += np.log(words[indices[j], k] + BETA + i)
                    logs[k] -= np.log(totals[k] + n_words * BETA + before)
                    before += 1
        reach = np.cumsum(np.exp(logs - logs.max()))
        drawn = np.searchsorted(reach, draws[d] * reach[-1], side="right")
        labels[d] = min(drawn, n_clusters - 1)
        _move(indptr, indices, data, d, labels[d], 1, words, totals, sizes)
