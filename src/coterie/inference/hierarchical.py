"""Hierarchical splits (Rigouste, Cappé and Yvon, section 5)."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie import fitting, starts
from coterie.base import EMEstimator
from coterie.inference.strategy import SearchState, Strategy, fit_all
from coterie.memory import Size
from coterie.schema import Field, Items, Whole, Wholes
from coterie.types import Array, Counts, Labels


@dataclass(eq=False, repr=False)
class HierarchicalSplits(Strategy):
    """Find two clusters, then split each in two, until there are enough.

    A cluster is split by dividing its share of each document at random, around one half,
    and fitting again. When fewer splits than clusters remain, the heaviest clusters are
    split.

    Parameters
    ----------
    estimator : estimator
        A model of counts that starts from memberships, such as a mixture or PLSA, with the
        final number of clusters.
    n_init : int, default=10
        Fits at each number of clusters; the one with the best likelihood goes on.
    concentration : float, default=10.0
        How close to one half clusters are divided.
    random_state : int, RandomState or None, default=None
        Seed of all draws.

    Attributes
    ----------
    sizes_ : list of int
        The numbers of clusters, rising.
    parents_ : list of ndarray
        For each number but the first, the cluster each cluster was split from.
    estimator_, labels_, memberships_, components_, weights_, word_labels_
        See `Strategy`.

    References
    ----------
    .. [1] Rigouste, Cappé and Yvon in docs/bibliography.md.

    Examples
    --------
    >>> from coterie import MultinomialMixture
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3], [9, 0, 0, 0]]
    >>> search = HierarchicalSplits(MultinomialMixture(3), n_init=4, random_state=0).fit(X)
    >>> search.sizes_, len(set(search.labels_))
    ([2, 3], 3)
    """

    _schema: ClassVar[dict[str, Field]] = {
        **Strategy._schema,
        "sizes_": Items(Whole(1)),
        "parents_": Items(Wholes("*", ("K",))),
    }

    _: KW_ONLY
    n_init: int = 10
    concentration: float = 10.0
    random_state: Any = None

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be used on these counts."""
        super()._check_parameters(X)
        self._check_number("n_init", Integral, 1)
        starts.Dirichlet(self.concentration)

    def _needed_bytes(self, size: Size) -> int:
        """The fits of the last step, and the best of the one before."""
        n, m, K = size.n_documents, size.n_words, self._most_clusters
        before = size.doubles(n, K) + size.numbers(n + m, K)
        return size.data + self._bytes_of_fits(size, self.n_init) + before

    def _search(self, X: Counts) -> tuple[EMEstimator, Labels]:
        """Splits, of which the best fit goes on; after a stop, one iteration at the end."""
        sizes = rounds(self.estimator.n_clusters)
        state = SearchState(self, X, sizes)
        first, seeds = state.step, state.seeds
        self.sizes_, self.parents_ = sizes[:first], state.trace
        memberships = state.memberships[0] if state.memberships else np.ones((X.shape[0], 1))
        for step in range(first, len(sizes)):
            if step > first and fitting.stopped():
                break
            with fitting.part(step, len(sizes), f"Fitting {sizes[step]} clusters"):
                run_seeds = seeds[step * self.n_init : (step + 1) * self.n_init]
                best = self._best_split(X, memberships, sizes[step], run_seeds)
            memberships = best.memberships_
            if step + 1 < len(sizes):
                state.save(step + 1, [memberships], self.parents_)
        state.end()
        if self.sizes_[-1] < sizes[-1]:
            with fitting.part(len(sizes) - 1, len(sizes)):
                best = self._best_split(X, memberships, sizes[-1], seeds[-1:])
        return best, np.arange(X.shape[1])

    def _best_split(
        self, X: Counts, memberships: Array, n_clusters: int, seeds: list[int]
    ) -> EMEstimator:
        """The best fit from clusters split until there are so many."""
        parents = split_heaviest(memberships.sum(axis=0), n_clusters)
        self.parents_ += [parents] * bool(self.sizes_)
        self.sizes_.append(n_clusters)
        fits = [partial(self._split, X, memberships, parents, seed) for seed in seeds]
        return max(fit_all(X, fits), key=lambda model: float(model.history_[-1]))

    def _split(self, X: Counts, memberships: Array, parents: Labels, seed: int) -> EMEstimator:
        rng = np.random.default_rng(seed)
        start = divided(memberships, parents, self.concentration, rng)
        return self._fitted(X, start, seed, n_clusters=len(parents))

    def _order_clusters(self, order: Labels) -> None:
        super()._order_clusters(order)
        if self.parents_:
            self.parents_[-1] = self.parents_[-1][order]


def divided(
    memberships: Array, parents: Labels, concentration: float, rng: np.random.Generator
) -> Array:
    """Memberships of the children, which add up to those of their parents.

    Examples
    --------
    >>> halves = divided(np.array([[0.6, 0.4]]), np.array([0, 0, 1]), 9.0,
    ...                  np.random.default_rng(0))
    >>> bool(np.allclose([halves[0, :2].sum(), halves[0, 2]], [0.6, 0.4]))
    True
    """
    shape = len(memberships), len(parents)
    parts = np.maximum(rng.standard_gamma(concentration, size=shape), 1e-300)
    first_of_each = np.searchsorted(parents, np.arange(memberships.shape[1]))
    parts /= np.add.reduceat(parts, first_of_each, axis=1)[:, parents]
    children: Array = memberships[:, parents] * parts
    return children


def rounds(n_clusters: int) -> list[int]:
    """Numbers of clusters: doubling, up to the final one.

    Examples
    --------
    >>> rounds(5), rounds(1)
    ([2, 4, 5], [1])
    """
    sizes = [2]
    while sizes[-1] * 2 < n_clusters:
        sizes.append(sizes[-1] * 2)
    return sorted({*(size for size in sizes if size < n_clusters), n_clusters})


def split_heaviest(weights: Array, n_clusters: int) -> Labels:
    """The parent of each new cluster: all once, the heaviest twice or more.

    Examples
    --------
    >>> split_heaviest(np.array([5.0, 1.0, 3.0]), 5)
    array([0, 0, 1, 2, 2])
    """
    copies = np.ones(len(weights), dtype=int)
    for _ in range(n_clusters - len(weights)):
        copies[np.argmax(weights / copies)] += 1
    parents: Labels = np.repeat(np.arange(len(weights)), copies)
    return parents
