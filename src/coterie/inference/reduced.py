"""Reduced vocabulary (Rigouste, Cappé and Yvon, section 6)."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

from sklearn.base import clone

from coterie.base import EMEstimator, seeds_from
from coterie.inference.strategy import Strategy, most_frequent
from coterie.memory import Size
from coterie.types import Counts, Labels


@dataclass(eq=False, repr=False)
class ReducedVocabulary(Strategy):
    """Fit a model to the most frequent words only; the others are left out.

    Parameters
    ----------
    estimator : estimator
        A model of the mixture or PLSA kind.
    n_words : int, default=500
        Number of words; the default is the best on the corpus of [1]_.
    random_state : int, RandomState or None, default=None
        Seed of the model's restarts.

    Attributes
    ----------
    columns_ : ndarray of int
        The words the model was fitted to.
    estimator_, labels_, memberships_, components_, weights_, word_labels_
        See `Strategy`.

    References
    ----------
    .. [1] Rigouste, Cappé and Yvon in docs/bibliography.md.

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

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be used on these counts."""
        super()._check_parameters(X)
        self._check_number("n_words", Integral, 1)

    def _needed_bytes(self, size: Size) -> int:
        """The counts of the chosen words, what the model needs, and words of all clusters."""
        fewer = size.with_words(min(self.n_words, size.n_words))
        model: int = self.estimator._needed_bytes(fewer)
        words = 2 * size.numbers(size.n_words, self._most_clusters)
        return size.data + max(model, words)

    def _search(self, X: Counts) -> tuple[EMEstimator, Labels]:
        """One fit, to the most frequent words."""
        columns = most_frequent(X, self.n_words)
        (seed,) = seeds_from(self.random_state, 1)
        model: EMEstimator = clone(self.estimator).set_params(random_state=seed)
        model._fit(X[:, columns])
        return model, columns
