"""Measures that need no classes: how well a model predicts the words of documents."""

import math
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from coterie.errors import InputError
from coterie.types import Counts

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
    occurrences = counts if hasattr(counts, "sum") else np.asarray(counts)
    n_words = float(occurrences.sum(dtype=np.float64))
    if n_words == 0:
        raise InputError("counts: expected at least one word, got empty documents only")
    return perplexity(float(model.log_likelihood(counts)), n_words)
