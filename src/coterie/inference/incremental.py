"""Incremental vocabulary (Rigouste, Cappé and Yvon, section 7)."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie import fitting, starts
from coterie.base import EMEstimator
from coterie.errors import InputError
from coterie.inference.strategy import (
    SearchState,
    Strategy,
    fit_all,
    most_frequent,
    word_totals,
)
from coterie.memory import Size
from coterie.schema import Field, Items, Numbers, Whole
from coterie.types import Array, Counts, Labels

LEAST = 1e-3  # added to memberships before drawing around them: no share is impossible
N_STEPS, FIRST_SIZE = 5, 500  # of automatic vocabulary sizes


@dataclass(eq=False, repr=False)
class IncrementalVocabulary(Strategy):
    r"""Learn from the most frequent words first, then from more and more of them.

    On few words EM finds good clusters more easily. So at each of several vocabulary sizes
    the model is fitted `n_init` times, each time from memberships drawn from Dirichlet
    distributions centred on those of the best runs of the size before (at first: on equal
    probability), and the runs with the best likelihood go on. New words need no start: the
    M-step that follows gives them their average counts.

    Parameters
    ----------
    estimator : estimator
        A model of counts that starts from memberships, such as a mixture or PLSA.
    vocabulary_sizes : "auto" or sequence of int, default="auto"
        Numbers of words, rising; the last step always takes all. Automatic sizes begin with
        `first_size` words and grow by equal numbers of occurrences.
    n_steps : int, default=5
        Number of automatic sizes.
    first_size : int, default=500
        The smallest automatic size.
    n_init : int, default=10
        Runs at each size.
    n_kept : int, default=3
        Runs of each size that the next one starts from.
    frequencies : array of shape (n_words,), optional
        How often each word occurs, where the model is fitted to weights and not to counts.
    concentration : float, default=100.0
        How close the memberships drawn are to those they are centred on.
    random_state : int, RandomState or None, default=None
        Seed of all draws.

    Attributes
    ----------
    sizes_ : list of int
        The vocabulary sizes used.
    trace_ : list of ndarray
        Objectives of the runs at each size, best first.
    estimator_, labels_, memberships_, components_, weights_, word_labels_
        See `Strategy`.

    References
    ----------
    .. [1] Rigouste, Cappé and Yvon in docs/bibliography.md.

    Examples
    --------
    >>> from coterie import MultinomialMixture
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> search = IncrementalVocabulary(
    ...     MultinomialMixture(2), vocabulary_sizes=[2, 4], n_init=4, random_state=0)
    >>> search.fit(X).labels_
    array([0, 0, 1, 1])
    >>> search.sizes_
    [2, 4]
    """

    _schema: ClassVar[dict[str, Field]] = {
        **Strategy._schema,
        "sizes_": Items(Whole(1)),
        "trace_": Items(Numbers("*", finite=False)),
    }

    _: KW_ONLY
    vocabulary_sizes: Any = "auto"
    n_steps: int = N_STEPS
    first_size: int = FIRST_SIZE
    n_init: int = 10
    n_kept: int = 3
    concentration: float = 100.0
    frequencies: Any = None
    random_state: Any = None

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be used on these counts."""
        super()._check_parameters(X)
        for name in ("n_steps", "first_size", "n_init", "n_kept"):
            self._check_number(name, Integral, 1)
        starts.Dirichlet(self.concentration)
        shape = np.shape(self.frequencies)
        if self.frequencies is not None and shape != (X.shape[1],):
            raise InputError(
                f"frequencies: shape {shape}, expected one a word, ({X.shape[1]},)"
            )
        self._sizes_for(X)

    def _sizes_for(self, X: Counts) -> list[int]:
        """Vocabulary sizes for these counts."""
        n_words = X.shape[1]
        if isinstance(self.vocabulary_sizes, str):
            if self.vocabulary_sizes != "auto":
                raise InputError(
                    f"vocabulary_sizes={self.vocabulary_sizes!r}: expected 'auto' or sizes"
                )
            totals = word_totals(X) if self.frequencies is None else self.frequencies
            return regular_sizes(np.asarray(totals), self.first_size, self.n_steps)
        if (self.n_steps, self.first_size) != (N_STEPS, FIRST_SIZE):
            raise InputError(
                "n_steps, first_size: for automatic sizes only; leave them out where "
                "vocabulary_sizes are given"
            )
        sizes = list(self.vocabulary_sizes)
        rising = all(a < b for a, b in pairwise(sizes))
        if not sizes or min(sizes) < 1 or not rising:
            raise InputError(f"vocabulary_sizes={sizes}: expected rising numbers of words")
        return [*(int(size) for size in sizes if size < n_words), n_words]

    def _needed_bytes(self, size: Size) -> int:
        """The fits of the last step and of the one before, to about half of the words."""
        n, m, K = size.n_documents, size.n_words, self._most_clusters
        start, result = size.doubles(n, K), size.numbers(n + m // 2, K)
        before = self.n_init * (start + result)
        return size.data + self._bytes_of_fits(size, self.n_init) + before

    def _search(self, X: Counts) -> tuple[EMEstimator, Labels]:
        """The pseudo-code of section 7; after a stop, one iteration on all words."""
        n_clusters, sizes = self.estimator.n_clusters, self._sizes_for(X)
        state = SearchState(self, X, [n_clusters] * len(sizes))
        first, seeds = state.step, state.seeds
        self.sizes_, self.trace_ = sizes[:first], state.trace
        centres = state.memberships or [np.full((X.shape[0], n_clusters), 1 / n_clusters)]
        for step in range(first, len(sizes)):
            if step > first and fitting.stopped():
                break
            with fitting.part(step, len(sizes), f"Fitting {sizes[step]} words"):
                run_seeds = seeds[step * self.n_init : (step + 1) * self.n_init]
                runs = self._runs(X, sizes[step], centres, run_seeds)
            best, self._last_runs = runs[0], runs
            centres = [run.memberships_ for run in runs[: self.n_kept]]
            if step + 1 < len(sizes):
                state.save(step + 1, centres, self.trace_)
        state.end()
        if self.sizes_[-1] < X.shape[1]:
            with fitting.part(len(sizes) - 1, len(sizes)):
                best = self._fitted(X, centres[0], seeds[-1])
            self._add_step(X.shape[1], [best])
        return best, np.arange(X.shape[1])

    def _runs(
        self, X: Counts, size: int, centres: list[Array], seeds: list[int]
    ) -> list[EMEstimator]:
        """Fits to the most frequent words from starts drawn around the centres, best first."""
        words = X[:, most_frequent(X, size, self.frequencies)] if size < X.shape[1] else X
        runs = fit_all(
            words,
            [
                partial(self._run, words, centres[number % len(centres)], seed)
                for number, seed in enumerate(seeds)
            ],
        )
        runs.sort(key=lambda run: -run.history_[-1])
        self._add_step(size, runs)
        return runs

    def _run(self, X: Counts, centre: Array, seed: int) -> EMEstimator:
        start = drawn_around(centre, self.concentration, np.random.default_rng(seed))
        return self._fitted(X, start, seed)

    def _add_step(self, size: int, runs: list[EMEstimator]) -> None:
        self.sizes_.append(size)
        self.trace_.append(np.array([run.history_[-1] for run in runs]))

    def _assign_fitted(self, X: Counts) -> None:
        self._last_runs = []  # for those who call `_fit` only
        super()._assign_fitted(X)


def drawn_around(centre: Array, concentration: float, rng: np.random.Generator) -> Array:
    """Memberships drawn from a Dirichlet distribution centred on each row.

    Examples
    --------
    >>> centre = np.array([[0.9, 0.1]])
    >>> bool(abs(drawn_around(centre, 1e6, np.random.default_rng(0)) - centre).max() < 0.01)
    True
    """
    drawn = rng.standard_gamma(concentration * (centre.astype(np.float64) + LEAST))
    drawn = np.maximum(drawn, 1e-300)
    memberships: Array = drawn / drawn.sum(axis=1, keepdims=True)
    return memberships


def regular_sizes(totals: Array, first: int, n_steps: int) -> list[int]:
    """Vocabulary sizes that grow by equal numbers of occurrences, from `first` to all.

    Examples
    --------
    >>> regular_sizes(np.array([50.0, 20, 10, 5, 5, 5, 5]), 1, 3)
    [1, 3, 7]
    """
    covered = np.cumsum(np.sort(totals)[::-1])
    first = min(first, len(totals))
    goals = np.linspace(covered[first - 1], covered[-1], n_steps)
    inner = np.searchsorted(covered, goals[1:-1] - 1e-9) + 1
    sizes: Sequence[int] = (
        [first, *inner.tolist(), len(totals)] if n_steps > 1 else [len(totals)]
    )
    return sorted(set(sizes))
