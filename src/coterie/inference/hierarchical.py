"""Hierarchical splits (paper 002, section 5)."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

import numpy as np

from coterie import starts
from coterie.base import EMEstimator
from coterie.errors import InputError
from coterie.inference.strategy import Batch, Strategy
from coterie.types import Array, Counts, Labels


@dataclass(eq=False, repr=False)
class HierarchicalSplits(Strategy):
    """Find two clusters, then split each in two, until there are enough.

    A cluster is split by dividing its share of each document at random, around one half,
    and fitting again. When fewer splits than clusters are left to make, the heaviest
    clusters are split.

    Parameters
    ----------
    estimator : estimator
        A model whose start can be given, with the final number of clusters.
    n_init : int, default=10
        Runs of each round; the one with the best likelihood goes on.
    concentration : float, default=10.0
        How close to one half clusters are divided.
    random_state : int, RandomState or None, default=None
        Seed of all draws.

    Attributes
    ----------
    sizes_ : list of int
        Number of clusters in each round.
    parents_ : list of ndarray
        For each round after the first, the cluster each cluster was split from.
    estimator_, labels_, memberships_, components_, weights_, word_labels_
        See `Strategy`.

    Examples
    --------
    >>> from coterie import MultinomialMixture
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3], [9, 0, 0, 0]]
    >>> search = HierarchicalSplits(MultinomialMixture(3), n_init=4, random_state=0).fit(X)
    >>> search.sizes_, len(set(search.labels_))
    ([2, 3], 3)
    """

    _: KW_ONLY
    n_init: int = 10
    concentration: float = 10.0
    random_state: Any = None

    def _check_parameters(self, X: Counts) -> None:  # noqa: ARG002
        """Refuse parameters that cannot be used."""
        if not isinstance(self.n_init, int | np.integer) or self.n_init < 1:
            raise InputError(f"n_init={self.n_init!r}: expected a whole number of at least 1")
        starts.Dirichlet(self.concentration)

    def search(self, X: Counts) -> tuple[EMEstimator, Labels]:
        """Rounds of splits, the best run of each going on."""
        self.sizes_ = rounds(self.estimator.n_clusters)
        progress = self._progress(X)
        done, seeds, kept, trace = progress.restored(
            self._seeds(len(self.sizes_) * self.n_init)
        )
        self.parents_ = [np.array(parents) for parents in trace]
        memberships: Array = kept[0] if kept else np.ones((X.shape[0], 1))
        best: EMEstimator | None = None
        for step, size in list(enumerate(self.sizes_))[done:]:
            parents = split_heaviest(memberships.sum(axis=0), size)
            own = seeds[step * self.n_init : (step + 1) * self.n_init]
            fits = [partial(self._split, X, memberships, parents, seed) for seed in own]
            batch = Batch(step * self.n_init, len(seeds))
            runs = batch.run(X, fits)
            if runs:
                best = max(runs, key=lambda model: float(model.history_[-1]))
                memberships = best.memberships_
                self.parents_ += [parents] * bool(step)
            if batch.interrupted:
                self._stopped()
                break
            if step + 1 < len(self.sizes_):
                progress.save(step + 1, seeds, [memberships], self.parents_)
        else:
            progress.end()
        if best is None or memberships.shape[1] < self.sizes_[-1]:
            if best is None and not done:
                raise KeyboardInterrupt
            parents = split_heaviest(memberships.sum(axis=0), self.sizes_[-1])
            last = partial(self._split, X, memberships, parents, seeds[-1], max_iter=1)
            (best,) = Batch(len(seeds) - 1, len(seeds)).run(X, [last])
        return best, np.arange(X.shape[1])

    def _split(
        self, X: Counts, memberships: Array, parents: Labels, seed: int, **others: Any
    ) -> EMEstimator:
        rng = np.random.default_rng(seed)
        start = divided(memberships, parents, self.concentration, rng)
        return self._run(X, start, seed, n_clusters=len(parents), **others)


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
    """Numbers of clusters: doubling, then as many as wanted.

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
