"""Incremental vocabulary (paper 002, section 7)."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from coterie.base import EMEstimator
from coterie.errors import InputError
from coterie.inference.strategy import Batch, Strategy, most_frequent, word_totals
from coterie.types import Array, Counts, Labels

LEAST = 1e-3  # added to memberships before drawing around them: no share is impossible


@dataclass(eq=False, repr=False)
class IncrementalVocabulary(Strategy):
    r"""Learn from the most frequent words first, then from more and more of them.

    On few words EM finds good clusters more easily. So at each of several vocabulary sizes
    the model is fitted `n_init` times, each time from memberships drawn from Dirichlet
    distributions centred on those of the best runs of the size before (at first: on equal
    probability), and the runs with the best likelihood are kept. New words need no start of
    their own: the M-step that follows gives them their average counts.

    Parameters
    ----------
    estimator : estimator
        A model whose start can be given: mixture, PLSA or one of their kind.
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
        Runs kept at each size.
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
    .. [1] L. Rigouste, O. Cappé, F. Yvon. Inference for probabilistic unsupervised text
       clustering.

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

    _: KW_ONLY
    vocabulary_sizes: Any = "auto"
    n_steps: int = 5
    first_size: int = 500
    n_init: int = 10
    n_kept: int = 3
    concentration: float = 100.0
    frequencies: Any = None
    random_state: Any = None

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be used."""
        for name in ("n_steps", "first_size", "n_init", "n_kept"):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or value < 1:
                raise InputError(f"{name}={value!r}: expected a whole number of at least 1")
        if not 0 < self.concentration < np.inf:
            raise InputError(
                f"concentration={self.concentration!r}: expected a finite number above zero"
            )
        if self.frequencies is not None and np.shape(self.frequencies) != (X.shape[1],):
            given = np.shape(self.frequencies)
            raise InputError(
                f"frequencies: shape {given}, expected one a word, ({X.shape[1]},)"
            )
        self.sizes(X)

    def sizes(self, X: Counts) -> list[int]:
        """Vocabulary sizes for these counts."""
        n_words = X.shape[1]
        if isinstance(self.vocabulary_sizes, str):
            if self.vocabulary_sizes != "auto":
                raise InputError(
                    f"vocabulary_sizes={self.vocabulary_sizes!r}: expected 'auto' or sizes"
                )
            totals = word_totals(X) if self.frequencies is None else self.frequencies
            return regular_sizes(np.asarray(totals), self.first_size, self.n_steps)
        given = list(self.vocabulary_sizes)
        rising = all(a < b for a, b in pairwise(given))
        if not given or min(given) < 1 or not rising:
            raise InputError(f"vocabulary_sizes={given}: expected rising numbers of words")
        return [*(int(size) for size in given if size < n_words), n_words]

    def search(self, X: Counts) -> tuple[EMEstimator, Labels]:
        """Section 7's pseudo-code."""
        K, n_words = self.estimator.n_clusters, X.shape[1]
        self.sizes_ = self.sizes(X)
        progress = self._progress(X)
        done, seeds, group, trace = progress.restored(
            self._seeds(len(self.sizes_) * self.n_init)
        )
        self.trace_ = [np.array(objectives) for objectives in trace]
        group = group or [np.full((X.shape[0], K), 1 / K)]
        best: EMEstimator | None = None
        for step, size in list(enumerate(self.sizes_))[done:]:
            words = X[:, most_frequent(X, size, self.frequencies)] if size < n_words else X
            fits = [
                partial(
                    self._one, words, group[run % len(group)], seeds[step * self.n_init + run]
                )
                for run in range(self.n_init)
            ]
            batch = Batch(step * self.n_init, len(seeds))
            ranked = sorted(batch.run(words, fits), key=lambda m: -m.history_[-1])
            if ranked:
                self.trace_.append(np.array([model.history_[-1] for model in ranked]))
                group = [model.memberships_ for model in ranked[: self.n_kept]]
                self.ranked(ranked)
                best, known = ranked[0], size
            if batch.interrupted:
                self._stopped()
                break
            if step + 1 < len(self.sizes_):
                progress.save(step + 1, seeds, group, self.trace_)
        else:
            progress.end()
        if best is None or known < X.shape[1]:
            if best is None and not done:
                raise KeyboardInterrupt
            last = partial(self._run, X, group[0], seeds[-1], max_iter=1)
            (best,) = Batch(len(seeds) - 1, len(seeds)).run(X, [last])
        return best, np.arange(X.shape[1])

    def ranked(self, runs: list[EMEstimator]) -> None:
        """Hear of the runs of a step, best first; nothing is made of it here."""

    def _one(self, X: Counts, centre: Array, seed: int) -> EMEstimator:
        start = drawn_around(centre, self.concentration, np.random.default_rng(seed))
        return self._run(X, start, seed)


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
