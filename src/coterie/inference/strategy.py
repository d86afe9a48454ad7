"""What strategies share: they fit a model several times and publish the best of these fits."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags

from coterie import engine, executors, fitting
from coterie.base import Clusterer, EMEstimator, seeds_from
from coterie.errors import InputError
from coterie.memory import Size
from coterie.schema import Distributions, Estimator, Field, Items, Number, Shares, Whole, Wholes
from coterie.types import Array, Counts, Labels, Ops

T = TypeVar("T")
SAME = ("labels_", "memberships_", "weights_", "history_", "n_iter_", "converged_")


@dataclass(eq=False, repr=False)
class Strategy(MetaEstimatorMixin, Clusterer):
    """Base of strategies; a subclass writes `_search`.

    Attributes
    ----------
    estimator_ : estimator
        The fitted model.
    columns_ : ndarray of int
        The words it was fitted to.
    labels_, memberships_, components_, weights_, word_labels_, history_, n_iter_, converged_
        Its results, for all words: a word it was not fitted to has probability zero and the
        cluster -1. `score` and `perplexity` are per word it was fitted to.
    interrupted_ : bool
        Whether Ctrl-C ended the search early, with the best result so far.
    """

    _schema: ClassVar[dict[str, Field]] = {
        **Clusterer._schema,
        "estimator_": Estimator(EMEstimator, {"n": "n", "K": "K", "m": "c"}),
        "columns_": Wholes("c", ("m",)),
        "components_": Shares("K m"),
        "word_components_": Shares("L m", optional=True),
        "cluster_word_clusters_": Shares("K L", optional=True),
        "word_labels_": Wholes("m", ("L", "K"), low=-1),
    }

    estimator: Any

    def _fit(self, X: Counts) -> None:
        self.estimator_, self.columns_ = self._search(X)
        self.estimator_.n_features_in_ = len(self.columns_)
        self._publish(X.shape[1])

    def _search(self, X: Counts) -> tuple[EMEstimator, Labels]:
        """The best fit of the model, and the columns it was fitted to."""
        raise NotImplementedError

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """Memberships and log-likelihoods by the words the model was fitted to."""
        memberships, log_likelihoods = self.estimator_._assign(self._fitted_words(X), ops)
        return memberships, log_likelihoods

    def _assign_fitted(self, X: Counts) -> None:
        self.estimator_._assign_fitted(self._fitted_words(X))
        self._publish(X.shape[1])

    def _order_clusters(self, order: Labels) -> None:
        self.estimator_._order_clusters(order)
        self._publish(self.components_.shape[1])

    def _order_word_clusters(self, order: Labels) -> None:
        self.estimator_._order_word_clusters(order)
        self._publish(self.components_.shape[1])

    def _publish(self, n_words: int) -> None:
        """Set the results of the model, those of words for all words."""
        model = self.estimator_
        for name in SAME:
            setattr(self, name, getattr(model, name))
        self.__dict__.pop("word_components_", None)  # of an earlier fit
        for name in ("components_", "word_components_"):
            if name in vars(model):  # words may have no clusters of their own
                setattr(self, name, on_all_words(getattr(model, name), self.columns_, n_words))
        self.word_labels_ = np.full(n_words, -1)
        self.word_labels_[self.columns_] = model.word_labels_
        self.__dict__.pop("cluster_word_clusters_", None)
        if hasattr(model, "cluster_word_clusters_"):
            self.cluster_word_clusters_ = model.cluster_word_clusters_

    def _fitted_words(self, X: Counts) -> Counts:
        return X if len(self.columns_) == X.shape[1] else X[:, self.columns_]

    def _word_cluster_shares(self) -> Array:
        shares: Array = self.estimator_._word_cluster_shares()
        return shares

    def _likelihood_and_length(self, X: Any) -> tuple[float, float]:
        counts = self._fitted_words(self._read_new(X))
        total, n_words = self.estimator_._likelihood_and_length(counts)
        return total, n_words

    def _check_parameters(self, X: Counts) -> None:
        model = self.estimator
        if (
            not isinstance(model, EMEstimator)
            or not hasattr(model, "init")
            or not get_tags(model).input_tags.positive_only
        ):
            raise InputError(
                "estimator: expected a model of counts with the parameter init, such as PLSA, "
                f"got {type(model).__name__}"
            )
        model._check_parameters(X)

    @property
    def _most_clusters(self) -> int:
        return int(self.estimator.n_clusters)

    def _with_clusters(self, n_clusters: int) -> Self:
        other = copy(self)
        other.estimator = self.estimator._with_clusters(n_clusters)
        return other

    def _bytes_of_fits(self, size: Size, n_fits: int) -> int:
        """Fits of the model, of which some run at a time and all stay, with their starts."""
        n, m, K = size.n_documents, size.n_words, self._most_clusters
        model = copy(self.estimator)
        model.n_init = 1
        side_by_side = size.n_shards == 1 or n_fits >= size.n_threads
        n_together = min(n_fits, size.n_threads) if side_by_side else 1
        working = n_together * (model._needed_bytes(size) - size.data + size.doubles(n, K))
        return int(working) + n_fits * (size.doubles(n, K) + size.numbers(n + m, K))

    @property
    def max_iter(self) -> Any:
        """Most iterations of a fit, a parameter of `estimator`."""
        return self.estimator.max_iter

    def _identity(self, X: Counts) -> dict[str, Any]:
        identity = super()._identity(X)
        del identity["parameters"]["estimator"]  # its parameters are there one by one
        return {**identity, "estimator": type(self.estimator).__name__}

    def _fitted(self, X: Counts, start: Array, seed: int, **others: Any) -> EMEstimator:
        """The model fitted once, from these memberships."""
        settings = {"init": start, "n_init": 1, "random_state": seed, **others}
        model: EMEstimator = clone(self.estimator).set_params(**settings)
        model._fit(X)
        return model


STEPS = {
    "step": Whole(),
    "seeds": Items(Whole()),
    "trace": Items(Items(Number(finite=False))),
}


class SearchState:
    """Where a search stands between its steps, in a checkpoint where one is asked for."""

    def __init__(self, strategy: Any, X: Counts, n_clusters: list[int]) -> None:
        """`n_clusters` are those of the memberships after each step."""
        self._state = fitting.state(lambda: strategy._identity(X))
        values, arrays = self._state.values, self._state.arrays
        self._state.check(STEPS, {f"memberships_{i}": Field() for i in range(len(arrays))})
        self.step: int = values.get("step", 0)
        drawn = seeds_from(strategy.random_state, len(n_clusters) * strategy.n_init)
        self.seeds: list[int] = values.get("seeds", drawn)
        if self.step >= len(n_clusters) or len(self.seeds) != len(drawn):
            self._state.refuse(f"step {self.step} of {len(n_clusters)}")
        shape = f"{X.shape[0]} {n_clusters[self.step - 1]}"
        if bool(arrays) != bool(self.step):
            self._state.refuse(f"{len(arrays)} arrays in step {self.step}")
        self._state.check(STEPS, dict.fromkeys(arrays, Distributions(shape)))
        self.trace = [np.array(each) for each in values.get("trace", [])]
        self.memberships = [arrays[f"memberships_{i}"] for i in range(len(arrays))]

    def save(self, step: int, memberships: list[Array], trace: list[Array]) -> None:
        """Save the state before a step; after a stop, that before the step it came in stays."""
        if fitting.stopped() or not self._state.is_saved:
            return
        plain = [each.tolist() for each in trace]
        self._state.values = {"step": step, "seeds": self.seeds, "trace": plain}
        self._state.arrays = {f"memberships_{i}": q for i, q in enumerate(memberships)}
        self._state.save()

    def end(self) -> None:
        """Remove the checkpoint, unless the search was stopped."""
        self._state.end()


def fit_all(X: Counts, fits: Sequence[Callable[[], T]]) -> list[T]:
    """What fits to counts give, in order; after a stop, of those that had begun.

    They run side by side; of large counts, and if few, one after the other on all threads.
    """
    executor = executors.current()
    side_by_side = engine.is_small(X) or len(fits) >= executor.n_threads
    return fitting.side_by_side(fits, executor.map if side_by_side else None)


def on_all_words(components: Array, columns: Labels, n_words: int) -> Array:
    """Word distributions over some words as distributions over all, zero for the others.

    Examples
    --------
    >>> on_all_words(np.array([[0.5, 0.5]]), np.array([0, 2]), 4)
    array([[0.5, 0. , 0.5, 0. ]])
    """
    wide: Array = np.zeros((len(components), n_words), components.dtype)
    wide[:, columns] = components
    return wide


def most_frequent(X: Counts, n_words: int, frequencies: Any = None) -> Labels:
    """Columns of the most frequent words, in their order; of equals the first.

    Frequencies are those of the counts unless others are passed.

    Examples
    --------
    >>> most_frequent(Counts(np.array([[1, 3, 3, 0], [1, 1, 0, 2]])), 2)
    array([1, 2])
    """
    totals = word_totals(X) if frequencies is None else np.asarray(frequencies)
    columns: Labels = np.sort(np.argsort(-totals, kind="stable")[:n_words])
    return columns


def word_totals(X: Counts) -> Array:
    """How often each word occurs."""
    totals: Array = X.sum(axis=0, dtype=np.float64)
    return totals
