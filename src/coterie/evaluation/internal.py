"""Measures that need no classes: prediction of words, separation and stability of clusters."""

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from coterie.errors import InputError
from coterie.evaluation.external import ari
from coterie.types import Array, Counts, Labels

ROUNDING = 1e-9


class HasLogLikelihood(Protocol):
    """A fitted model that knows how probable documents are."""

    def log_likelihood(self, X: Any, /) -> float:
        """Sum of log p over documents, without the multinomial coefficient."""


def perplexity(log_likelihood: float, n_words: float) -> float:
    """Perplexity per word: exp of minus the mean log-likelihood of a word.

    A model that finds some word impossible has an infinite perplexity.

    Examples
    --------
    >>> round(perplexity(10 * math.log(1 / 50), n_words=10), 6)
    50.0
    """
    if not (n_words > 0 and math.isfinite(n_words)):
        raise InputError(f"n_words: expected at least one word, got {n_words!r}")
    if not log_likelihood <= ROUNDING * n_words:
        raise InputError(
            "log_likelihood: expected the logarithm of a probability, at most 0, "
            f"got {log_likelihood!r}"
        )
    with np.errstate(over="ignore"):
        return float(np.exp(np.float64(-log_likelihood) / n_words))


def held_out_perplexity(model: HasLogLikelihood, counts: Counts | npt.ArrayLike) -> float:
    """Perplexity of a fitted model on documents it was not fitted to.

    Examples
    --------
    >>> class Uniform:
    ...     def log_likelihood(self, X):
    ...         return float(np.sum(X) * math.log(1 / 4))
    >>> round(held_out_perplexity(Uniform(), [[3, 0, 1, 0]]), 6)
    4.0
    """
    given: Any = counts
    n_words = float(np.sum(given.data if sp.issparse(given) else given, dtype=np.float64))
    if n_words == 0:
        raise InputError("counts: expected at least one word, got empty documents only")
    return perplexity(float(model.log_likelihood(counts)), n_words)


def cosine_silhouette(X: Any, labels: npt.ArrayLike) -> float:
    """Mean silhouette of documents by cosine distance (Rousseeuw 1987), in linear time.

    Cosines of unit rows are linear, so that the mean distance of a document to a cluster is
    that to the cluster's mean; no pair of documents is visited. A document that is alone in
    its cluster counts as 0. `X` has a row a document, sparse or dense, such as tf-idf weights.

    Examples
    --------
    >>> X = [[3.0, 1.0], [2.0, 0.0], [0.0, 1.0], [0.0, 4.0]]
    >>> round(cosine_silhouette(X, [0, 0, 1, 1]), 3)
    0.968
    """
    from sklearn.preprocessing import normalize

    rows = normalize(sp.csr_array(X, dtype=np.float64))
    _, cluster, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    n_documents, n_clusters = len(cluster), len(sizes)
    if n_documents != rows.shape[0]:
        raise InputError(f"labels: {n_documents} for {rows.shape[0]} documents")
    if n_clusters < 2:
        raise InputError("labels: one cluster, expected at least two")
    every = np.arange(n_documents)
    members = sp.csr_array((np.ones(n_documents), (every, cluster)))
    alike: Array = np.asarray(rows @ (rows.T @ members).toarray())  # sums of cosines
    own_size = sizes[cluster]
    itself = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    own = 1 - (alike[every, cluster] - itself) / np.maximum(own_size - 1, 1)
    others = 1 - alike / sizes
    others[every, cluster] = np.inf
    nearest = others.min(axis=1)
    larger = np.maximum(own, nearest)
    width = np.divide(nearest - own, larger, out=np.zeros_like(own), where=larger > 0)
    return float(np.where(own_size > 1, width, 0).mean())


def stability(
    labels: npt.ArrayLike,
    refit: Callable[[Labels], npt.ArrayLike],
    *,
    n_resamples: int = 5,
    share: float = 0.8,
    random_state: int = 0,
) -> Array:
    """ARI between a clustering and those of random subsets, for each subset.

    A partition of noise changes with the documents, one of real groups stays (Ben-Hur,
    Elisseeff and Guyon 2002). `refit` gets the positions of the documents of a subset, in
    order, and returns their labels when only these documents are clustered.

    Examples
    --------
    >>> from coterie import MultinomialMixture
    >>> X = np.array([[4, 1, 0], [3, 2, 0], [5, 1, 0], [0, 1, 6], [0, 2, 3], [1, 0, 4]])
    >>> def refit(rows):
    ...     return MultinomialMixture(2, n_init=5, random_state=0).fit(X[rows]).labels_
    >>> stability([0, 0, 0, 1, 1, 1], refit, n_resamples=3)
    array([1., 1., 1.])
    """
    whole = np.asarray(labels)
    scores = []
    for seed in np.random.SeedSequence(random_state).spawn(n_resamples):
        rows = resample(len(whole), share=share, random_state=seed)
        scores.append(ari(whole[rows].tolist(), np.asarray(refit(rows)).tolist()))
    return np.array(scores)


def resample(n_documents: int, *, share: float = 0.8, random_state: Any = 0) -> Labels:
    """Positions of a random share of the documents, in order.

    Examples
    --------
    >>> resample(5, random_state=0)
    array([1, 2, 3, 4])
    """
    size = round(share * n_documents)
    if not 0 < share < 1 or size < 2:
        raise InputError(f"share: {share!r} of {n_documents} documents, expected at least two")
    rng = np.random.default_rng(random_state)
    return np.sort(rng.choice(n_documents, size, replace=False))
