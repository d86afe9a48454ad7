"""What strategies share: a model inside, fitted several times, and its results outside."""

import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    MetaEstimatorMixin,
    TransformerMixin,
    clone,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from coterie import engine, executors
from coterie.base import EMEstimator
from coterie.checkpoints import Checkpoint
from coterie.corpus import Corpus
from coterie.errors import InputError, InterruptedWarning
from coterie.types import Array, Counts, Labels

RESULTS = (
    "labels_",
    "memberships_",
    "weights_",
    "history_",
    "n_iter_",
    "converged_",
    "n_features_in_",
)


@dataclass(eq=False, repr=False)
class Strategy(
    ClassNamePrefixFeaturesOutMixin,
    MetaEstimatorMixin,
    TransformerMixin,
    ClusterMixin,
    BaseEstimator,
):
    """Base of strategies; a subclass writes `search`.

    Attributes
    ----------
    estimator_ : estimator
        The fitted model.
    columns_ : ndarray of int
        The words it was fitted to.
    labels_, memberships_, components_, weights_, word_labels_, history_, n_iter_, converged_
        Its results, for all words: a word it does not know has probability zero and the
        cluster -1.
    interrupted_ : bool
        Whether Ctrl-C ended the search early.
    """

    estimator: Any

    def fit(self, X: Any, y: None = None) -> Self:  # noqa: ARG002
        """Fit the model inside to counts, a row a document, or to a Corpus."""
        if not isinstance(self.estimator, EMEstimator) or not hasattr(self.estimator, "init"):
            given = type(self.estimator).__name__
            raise InputError(f"estimator: expected a model with a start, got {given}")
        model = clone(self.estimator)
        vocabulary = X.vocabulary if isinstance(X, Corpus) else None
        counts = model._check_counts(X, reset=True)
        model._check_parameters(counts)
        self._check_parameters(counts)
        self.interrupted_ = False
        fitted, self.columns_ = self.search(counts)
        for name in RESULTS:
            setattr(self, name, getattr(fitted, name))
        self.estimator_ = fitted
        self.vocabulary_ = vocabulary
        self.n_features_in_ = counts.shape[1]
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_
        self._publish_words(counts.shape[1])
        return self

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be used on these counts."""

    def search(self, X: Counts) -> tuple[EMEstimator, Labels]:
        """The fitted model, and the columns it was fitted to."""
        raise NotImplementedError

    def predict(self, X: Any) -> Labels:
        """The heaviest cluster of each document."""
        labels: Labels = self.predict_proba(X).argmax(axis=1)
        return labels

    def predict_proba(self, X: Any) -> Array:
        """Share or probability of each cluster in each document."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(self._known(X))

    def transform(self, X: Any) -> Array:
        """Same as `predict_proba`."""
        return self.predict_proba(X)

    def log_likelihood(self, X: Any) -> float:
        """Sum of log p(document) over the words the model knows."""
        check_is_fitted(self)
        return self.estimator_.log_likelihood(self._known(X))

    def score(self, X: Any, y: None = None) -> float:  # noqa: ARG002
        """Log-likelihood per word the model knows."""
        check_is_fitted(self)
        return self.estimator_.score(self._known(X))

    def perplexity(self, X: Any) -> float:
        """How many words a model that knew nothing would hesitate between: exp(-score)."""
        check_is_fitted(self)
        return self.estimator_.perplexity(self._known(X))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _known(self, X: Any) -> Counts:
        checker = clone(self.estimator)
        for name in ("n_features_in_", "feature_names_in_", "vocabulary_"):
            if hasattr(self, name):
                setattr(checker, name, getattr(self, name))
        return checker._check_counts(X, reset=False)[:, self.columns_]

    def _publish_words(self, n_words: int) -> None:
        inner = self.estimator_
        self.components_ = np.zeros((len(inner.components_), n_words), inner.components_.dtype)
        self.components_[:, self.columns_] = inner.components_
        self.word_labels_ = np.full(n_words, -1)
        self.word_labels_[self.columns_] = inner.word_labels_

    def _progress(self, X: Counts) -> "Progress":
        """Where the search stands: at its beginning, or where a checkpoint was left."""
        own = {
            name: value if isinstance(value, int | float | str | None) else repr(value)
            for name, value in self.get_params(deep=False).items()
            if name != "estimator" and not isinstance(value, np.random.RandomState)
        }
        identity = {**self.estimator._identity(X), "strategy": [type(self).__name__, own]}
        return Progress(engine.current_checkpoint(), identity)

    def _seeds(self, n: int) -> list[int]:
        seeds = check_random_state(self.random_state).randint(2**31, size=n)
        return [int(seed) for seed in seeds]

    def _run(self, X: Counts, start: Array, seed: int, **others: Any) -> EMEstimator:
        """One fit of the model inside from given memberships."""
        settings = {"init": start, "n_init": 1, "random_state": seed, **others}
        fitted: EMEstimator = clone(self.estimator).set_params(**settings).fit(X)
        return fitted

    def _stopped(self) -> None:
        """Note, and say, that Ctrl-C ended the search."""
        self.interrupted_ = True
        message = "stopped by Ctrl-C; the search goes no further, the best so far is kept"
        warnings.warn(message, InterruptedWarning, stacklevel=4)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def most_frequent(X: Counts, n_words: int, frequencies: Any = None) -> Labels:
    """Columns of the most frequent words, in their order; of equals the first.

    Frequencies are those of the counts unless given.

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


class Progress:
    """The state of a search between its steps, kept where the surrounding block says."""

    def __init__(self, checkpoint: Checkpoint | None, identity: dict[str, Any]) -> None:
        self.checkpoint, self.identity = checkpoint, identity

    def restored(self, seeds: list[int]) -> tuple[int, list[int], list[Array], list[Any]]:
        """The number of steps done, the seeds, what was kept, and the trace so far."""
        saved = self.checkpoint.load(self.identity) if self.checkpoint else None
        if saved is None:
            return 0, seeds, [], []
        values, arrays = saved
        group = [arrays[f"kept-{i}"] for i in range(len(arrays))]
        return values["step"], values["seeds"], group, values["trace"]

    def save(self, step: int, seeds: list[int], group: list[Array], trace: list[Any]) -> None:
        """Keep the state after a step."""
        if self.checkpoint:
            arrays = {f"kept-{i}": memberships for i, memberships in enumerate(group)}
            plain = [np.asarray(part).tolist() for part in trace]
            values = {"step": step, "seeds": seeds, "trace": plain}
            self.checkpoint.save(self.identity, values, arrays)

    def end(self) -> None:
        """Forget the state: the search is over."""
        if self.checkpoint:
            self.checkpoint.remove()


class Batch:
    """Several fits side by side, or, of large data and if few, one after the other."""

    def __init__(self, first: int, total: int) -> None:
        self.first, self.total = first, total
        self.done: dict[int, EMEstimator] = {}
        self.at_work = 0
        self._stop = threading.Event()
        self._lock = threading.Condition()

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the fits early."""
        return self._stop.is_set()

    def run(self, X: Counts, fits: Sequence[Callable[[], EMEstimator]]) -> list[EMEstimator]:
        """What was fitted, in order; after Ctrl-C those that had begun, as far as they came."""
        numbers = range(len(fits))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", InterruptedWarning)
            try:
                executor = executors.current()
                if len(engine.shard_cuts(X)) == 2 or len(fits) >= executor.n_threads:
                    executor.map(lambda number: self._one(number, fits), numbers)
                else:
                    for number in numbers:
                        self._one(number, fits)
            except KeyboardInterrupt:
                self._stop.set()
            except BaseException:
                self._stop.set()
                self._wait()
                raise
            self._wait()
        return [fitted for _, fitted in sorted(self.done.items())]

    def _one(self, number: int, fits: Sequence[Callable[[], EMEstimator]]) -> None:
        with self._lock:
            if self._stop.is_set():
                return
            self.at_work += 1
        try:
            with fitting.part(self.first + number, self.total, self._stop):
                fitted = fits[number]()
            self.done[number] = fitted
            if fitted.interrupted_:
                self._stop.set()
        finally:
            with self._lock:
                self.at_work -= 1
                self._lock.notify_all()

    def _wait(self) -> None:
        with self._lock:
            self._lock.wait_for(lambda: not self.at_work)
