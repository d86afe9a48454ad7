"""Reduced vocabulary (paper 002, section 6)."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie.base import EMEstimator
from coterie.errors import InputError
from coterie.inference.strategy import Strategy, most_frequent
from coterie.types import Counts, Labels


@dataclass(eq=False, repr=False)
class ReducedVocabulary(Strategy):
    """Fit a model to the most frequent words only; the others are not looked at.

    Parameters
    ----------
    estimator : estimator
        A model of the mixture or PLSA kind.
    n_words : int, default=500
        How many words to keep; the paper's optimum on its corpus.
    random_state : int, RandomState or None, default=None
        Seed of the model's restarts.

    Attributes
    ----------
    columns_ : ndarray of int
        The words kept.
    estimator_, labels_, memberships_, components_, weights_, word_labels_
        See `Strategy`.

    Examples
    --------
    >>> from coterie import MultinomialMixture
    >>> X = [[4, 2, 0, 0], [3, 3, 1, 0], [0, 0, 0, 5], [0, 0, 0, 3]]
    >>> model = ReducedVocabulary(MultinomialMixture(2), n_words=3, random_state=0).fit(X)
    >>> model.columns_, model.word_labels_
    (array([0, 1, 3]), array([ 0,  0, -1,  1]))
    """

    _: KW_ONLY
    n_words: int = 500
    random_state: Any = None

    def _check_parameters(self, X: Counts) -> None:  # noqa: ARG002
        """Refuse parameters that cannot be used."""
        if not isinstance(self.n_words, int | np.integer) or self.n_words < 1:
            raise InputError(f"n_words={self.n_words!r}: expected a whole number of at least 1")

    def search(self, X: Counts) -> tuple[EMEstimator, Labels]:
        """One fit, to the words kept."""
        columns = most_frequent(X, self.n_words)
        (seed,) = self._seeds(1)
        model = clone(self.estimator).set_params(random_state=seed)
        fitted: EMEstimator = model.fit(X[:, columns])
        self.interrupted_ = fitted.interrupted_
        return fitted, columns
