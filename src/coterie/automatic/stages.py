"""The stages of an automatic fit: how many clusters, which, how surely, and their tree."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from coterie import engine, evaluation
from coterie.automatic import number
from coterie.automatic.axes import Axes, first_axes, main_axes
from coterie.automatic.calibration import NONE, Calibration, calibrate
from coterie.automatic.candidates import GLANCE, LIGHT, LIGHTER, Effort
from coterie.automatic.keeping import Kept
from coterie.automatic.linked import place
from coterie.automatic.search import Search, softened
from coterie.arrays import best_of, spherical_kmeans
from coterie.automatic.tree import Tree, grown
from coterie.base import EMEstimator
from coterie.inference.strategy import Batch
from coterie.models.mixture import MultinomialMixture
from coterie.types import Array, Counts, Labels

N_PARTS = 4
LEAST_HALVED = 4  # documents a cluster must have to be halved
RANK = 100
N_TRIES = 3
Given = TypeVar("Given")


@dataclass
class Stages:
    """Weighted words of documents that have some, and what is to be learned from them.

    After Ctrl-C the stages that are left give the least they can.
    """

    model: MultinomialMixture
    weights: Counts
    frequencies: Array
    kept: Kept
    effort: Effort
    vectors: Array | None = None
    interrupted: bool = False

    @cached_property
    def axes(self) -> Axes:
        """The documents on their main axes."""
        return main_axes(self.weights, RANK, self.kept.seed)

    def number(self, wanted: Any) -> tuple[int, dict[str, list[float]]]:
        """The number of clusters, and the curve it was read from where it was looked for."""
        if wanted != number.AUTO:
            return int(wanted), {}
        if self.kept.number:
            return self.kept.number
        look = number.Look(self.weights, self.axes, self._search, self.kept.seed)
        with fitting.part(0, N_PARTS):
            found = look.number()
        self.interrupted |= look.interrupted
        if not self.interrupted:
            self.kept.add_number(*found)
        return found

    def clusters(self, n_clusters: int) -> tuple[EMEstimator, Search]:
        """The clusters, and the search that found them; after Ctrl-C one at a glance."""
        kept = None if self.interrupted else self.kept
        effort = GLANCE if self.interrupted else self.effort.adapted(self.weights, n_clusters)
        search = self._search(n_clusters, effort, self.weights, self.axes)
        if self.vectors is not None:
            search.add_vectors(self.vectors)
        with fitting.part(1, N_PARTS):
            found = search.run(kept)
        self.interrupted |= search.interrupted
        return found, search

    def without_empty(self, found: EMEstimator, search: Search) -> EMEstimator:
        """The clusters without those that no document with telling words is in."""
        return self._guarded(lambda: self._without_empty(found, search), found)

    def _without_empty(self, found: EMEstimator, search: Search) -> EMEstimator:
        telling = np.diff(self.weights.indptr) > 0
        full = np.unique(found.labels_[telling])
        if not len(full):
            full = np.array([found.weights_.argmax()])
        if len(full) < found.memberships_.shape[1]:
            found = copy(found)
            found.weights_ = found.weights_[full] / found.weights_[full].sum()
            found.components_ = found.components_[full]
            if search.near is not None:
                found.leaning_ = np.ascontiguousarray(found.leaning_[:, full])
            found.memberships_ = place(found, search.near, self.weights, self.vectors)
            found.labels_ = found.memberships_.argmax(axis=1)
        return found

    def agreement(self, found: EMEstimator, search: Search) -> list[float]:
        """Adjusted Rand index of each candidate with the answer; not a number after Ctrl-C."""
        n_candidates = len(search.candidates)
        return self._guarded(
            lambda: [
                evaluation.ari(found.labels_, each.memberships.argmax(axis=1))
                for each in search.candidates
            ],
            [np.nan] * n_candidates,
        )

    def calibration(self, found: EMEstimator, wanted: bool) -> Calibration:
        """How sure documents may be, by clusters found in part; unknown after Ctrl-C."""
        if not wanted or self.interrupted:
            return NONE
        return self._guarded(lambda: self._calibration(found), NONE)

    def _calibration(self, found: EMEstimator) -> Calibration:
        n_documents, n_clusters = found.memberships_.shape
        large = self.effort.adapted(self.weights, n_clusters).n_rounds == 1
        n_folds, light = (2, LIGHTER) if large else (3, LIGHT)
        least = n_documents - -(-n_documents // n_folds)
        if not 1 < n_clusters <= least:
            return NONE
        rng = np.random.default_rng([self.kept.seed, n_clusters])
        parts = np.array_split(rng.permutation(n_documents), n_folds)
        again = []
        for number_of_part, part in enumerate(parts):
            with fitting.part(2, N_PARTS), fitting.part(number_of_part, n_folds):
                placed = self._placed_again(n_clusters, part, light)
            if placed is None:
                return NONE
            again.append(placed)
        return calibrate(found.memberships_, self.weights, again)

    def tree(self, found: EMEstimator) -> Tree:
        """Clusters halved, and merged up to one."""
        labels, n_clusters = found.labels_, found.memberships_.shape[1]
        members = [np.flatnonzero(labels == cluster) for cluster in range(n_clusters)]
        large = [c for c in range(n_clusters) if len(members[c]) >= LEAST_HALVED]
        batch = Batch(0, max(len(large), 1))
        if not self.interrupted:
            with fitting.part(N_PARTS - 1, N_PARTS):
                batch.run(self.weights, [partial(self._halved, members[c]) for c in large])
        self.interrupted |= batch.interrupted
        halves = {large[i]: half.labels_ for i, half in batch.done.items()}
        grow = partial(grown, self.weights, labels, members)
        return self._guarded(lambda: grow(halves), None) or grow({})

    def _placed_again(self, n_clusters: int, part: Labels, light: Effort) -> Labels | None:
        """Labels of all documents by clusters found without a part of them; None if stopped."""
        others = np.setdiff1d(np.arange(self.weights.shape[0]), part)
        weights = self.weights[others]
        light = replace(light, n_neighbors=self.effort.n_neighbors)
        search = self._search(n_clusters, light.adapted(weights, n_clusters), weights)
        if self.vectors is not None:
            search.add_vectors(self.vectors[others])
        model = search.run()
        if search.interrupted:
            self.interrupted = True
            return None
        labels: Labels = place(model, search.near, self.weights, self.vectors).argmax(axis=1)
        return labels

    def _halved(self, members: Labels) -> EMEstimator:
        """A mixture of two in the documents of a cluster, begun on the axes."""
        rows = first_axes(self.axes.documents[members], RANK)
        two = best_of(spherical_kmeans(rows, 2, list(range(N_TRIES))))
        model = clone(self.model).set_params(n_clusters=2, init=softened(two, 2))
        fitted: EMEstimator = model.fit(self.weights[members])
        return fitted

    def _guarded(self, stage: Callable[[], Given], otherwise: Given) -> Given:
        """What a stage gives, or what stands for it where Ctrl-C ends it."""
        try:
            return stage()
        except KeyboardInterrupt:
            self.interrupted = True
            return otherwise

    def _search(
        self, n_clusters: int, effort: Effort, weights: Counts, axes: Axes | None = None
    ) -> Search:
        model = clone(self.model).set_params(n_clusters=n_clusters)
        return Search(model, weights, self.frequencies, effort, self.kept.seed, axes)
