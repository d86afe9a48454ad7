"""The stages of an automatic fit: number of clusters, clusters, calibration, tree."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie import evaluation, fitting
from coterie.arrays import best_of, spherical_kmeans
from coterie.automatic import number
from coterie.automatic.axes import Axes, document_axes, first_axes
from coterie.automatic.calibration import Calibration, calibrate, no_calibration
from coterie.automatic.candidates import (
    FEW,
    FEW_SHARE,
    LEAST_ROUNDS,
    LIGHT,
    LIGHTER,
    QUICK,
    Effort,
)
from coterie.automatic.neighbour_mixture import NeighbourMixture, posteriors_of
from coterie.automatic.search import Search, search_bytes, softened
from coterie.automatic.tree import Tree, build_tree
from coterie.base import EMEstimator
from coterie.inference.strategy import fit_all
from coterie.memory import Size
from coterie.models.mixture import MultinomialMixture
from coterie.types import ASKED, Array, Counts, Labels

NUMBER, CLUSTERS = "Estimating the number of clusters", "Comparing candidates"
ALL = "Assigning all documents"
STABILITY, LEVELS = "Checking stability", "Building levels"
LEAST_WEIGHED = 30  # documents whose words are weighed anew, where stability is checked
LEAST_HALVED = 4  # documents a cluster must have to be halved
RANK = 100  # least number of axes that are computed, and on which clusters are halved
N_TRIES = 3


@dataclass
class Stages:
    """Weighted words of documents that have some, and what is learned from them.

    `parts` are the stages that the fit has. `weighted_by` gives the words of all documents by
    weights that some give. After a stop, the stages that are left do the least they can.
    """

    model: MultinomialMixture
    weights: Counts
    frequencies: Array
    effort: Effort
    state: fitting.State
    parts: tuple[str, ...]
    weighted_by: Callable[[Labels], Counts]
    vectors: Array | None = None

    @property
    def seed(self) -> int:
        """The seed of all stages: that of the checkpoint where the fit is resumed."""
        return int(self.state.values["seed"])

    @cached_property
    def axes(self) -> Axes:
        """The documents on their main axes, as many as any candidate needs."""
        return document_axes(self.weights, max((RANK, *self.effort.ranks)), self.seed)

    def number(self, wanted: Any) -> tuple[int, dict[str, list[float]]]:
        """The number of clusters, and the curve it was read from where it is estimated."""
        if wanted not in ASKED:
            return int(wanted), {}
        if "number" in self.state.values:
            n_clusters, curve = self.state.values["number"]
            return int(n_clusters), curve
        search = number.NumberSearch(self.weights, self.axes, self._search, self.seed, wanted)
        with self.part(NUMBER):
            n_clusters, curve = search.run()
        if not fitting.stopped():
            self.state.values["number"] = [n_clusters, curve]
            self.state.save()
        return n_clusters, curve

    def clusters(self, n_clusters: int) -> tuple[EMEstimator, Search]:
        """The fitted mixture, and the search that found it."""
        was_stopped = fitting.stopped()
        effort = (
            QUICK if was_stopped else self.effort.adapted(Size.of(self.weights), n_clusters)
        )
        search = self._search(n_clusters, effort, self.weights, self._axes_for(effort))
        if self.vectors is not None and not was_stopped:
            search.add_vectors(self.vectors)
        with self.part(CLUSTERS):
            return search.run(None if was_stopped else self.state), search

    def _axes_for(self, effort: Effort) -> Axes:
        """As many axes as its candidates need: more where clusters are many."""
        rank = max((RANK, *effort.ranks))
        if rank <= max((RANK, *self.effort.ranks)):
            return self.axes
        return document_axes(self.weights, rank, self.seed)

    def by_size(
        self, model: EMEstimator, search: Search, n_documents: int, *, drop_empty: bool
    ) -> EMEstimator:
        """The mixture with its clusters ordered by size, largest first.

        Documents without weighted words, all others of the `n_documents`, are in the cluster
        with the largest share. Clusters that no other document is in may be dropped.
        """
        has_words = np.diff(self.weights.indptr) > 0
        model = ordered_by_size(model, has_words, n_documents, drop_empty=drop_empty)
        model.memberships_, _ = model._assign_all(search.fitted_to)
        model.labels_ = model.memberships_.argmax(axis=1)
        return model

    def agreement(self, labels: Labels, search: Search) -> list[float]:
        """Adjusted Rand index of each candidate with the result."""
        return [
            evaluation.ari(labels, each.memberships.argmax(axis=1))
            for each in search.candidates
        ]

    def calibration(self, posteriors: Array) -> Calibration:
        """Calibration by clusters learned without part of the documents; none after a stop."""
        n_documents, n_clusters = posteriors.shape
        n_splits = 2 if n_documents < FEW else 1
        if not 1 < n_clusters <= n_documents // 2:
            return no_calibration(n_clusters)
        rng = np.random.default_rng([self.seed, n_clusters])
        splits = [np.array_split(rng.permutation(n_documents), 2) for _ in range(n_splits)]
        repeats = []
        with self.part(STABILITY):
            for i, half in enumerate(chain(*splits)):
                if fitting.stopped():
                    break
                with fitting.part(i, 2 * n_splits):
                    repeats += self._labels_without(half, n_clusters)
        if fitting.stopped():
            return no_calibration(n_clusters)
        return calibrate(posteriors, self.weights, repeats)

    def _labels_without(self, fold: Labels, n_clusters: int) -> list[Labels]:
        """Labels of all documents by clusters learned without some; none after a stop."""
        others = np.setdiff1d(np.arange(self.weights.shape[0]), fold)
        of_all = self.weighted_by(others) if len(others) >= LEAST_WEIGHED else self.weights
        weights = of_all[others]
        sizes = Size.of(self.weights), Size.of(weights)
        light = lighter_effort(self.effort, *sizes, n_clusters)
        search = self._search(n_clusters, light, weights)
        if self.vectors is not None:
            search.add_vectors(self.vectors[others])
        search.compare()
        if fitting.stopped():
            return []
        model = search.refined()
        posteriors = posteriors_of(model, search.neighbourhood, of_all, self.vectors)
        return [posteriors.argmax(axis=1)]

    def tree(self, labels: Labels, n_clusters: int) -> Tree:
        """Clusters halved, and merged up to one; after a stop not halved."""
        members = [np.flatnonzero(labels == cluster) for cluster in range(n_clusters)]
        large = [c for c in range(n_clusters) if len(members[c]) >= LEAST_HALVED]
        halves: dict[int, Labels] = {}
        if not fitting.stopped():
            fits = [partial(self._halves, cluster, members[cluster]) for cluster in large]
            with self.part(LEVELS):
                halves = dict(fit_all(self.weights, fits))
        return build_tree(self.weights, labels, members, halves)

    def _halves(self, cluster: int, members: Labels) -> tuple[int, Labels]:
        return cluster, self._halved(members).labels_

    def _halved(self, members: Labels) -> EMEstimator:
        """A mixture of two in the documents of a cluster, started by k-means on the axes."""
        rows = first_axes(self.axes.documents[members], RANK)
        two = best_of(spherical_kmeans(rows, 2, list(range(N_TRIES))))
        model = clone(self.model).set_params(n_clusters=2, init=softened(two, 2))
        model._fit(self.weights[members])
        halved: EMEstimator = model
        return halved

    def half_models(self, labels: Labels, n_clusters: int) -> dict[int, EMEstimator]:
        """Mixtures of two that halve the clusters which are large enough; none after a stop."""
        members = [np.flatnonzero(labels == cluster) for cluster in range(n_clusters)]
        large = [c for c in range(n_clusters) if len(members[c]) >= LEAST_HALVED]
        if fitting.stopped():
            return {}
        fits = [partial(self._halved, members[cluster]) for cluster in large]
        with self.part(LEVELS):
            return dict(zip(large, fit_all(self.weights, fits), strict=False))

    def _search(
        self, n_clusters: int, effort: Effort, weights: Counts, axes: Axes | None = None
    ) -> Search:
        model = clone(self.model).set_params(n_clusters=n_clusters)
        return Search(model, weights, self.frequencies, effort, self.seed, axes)

    def part(self, name: str) -> AbstractContextManager[None]:
        """A stage as a part of the fit; comparing candidates says by itself how far it is."""
        shown = "" if name == CLUSTERS else name
        return fitting.part(self.parts.index(name), len(self.parts), shown)


def lighter_effort(effort: Effort, whole: Size, half: Size, n_clusters: int) -> Effort:
    """The effort to learn clusters from a half of the documents, to check their stability."""
    n_rounds = effort.adapted(whole, n_clusters).n_rounds
    light = LIGHTER if n_rounds == LEAST_ROUNDS else LIGHT
    light = replace(light, n_neighbors=effort.n_neighbors)
    n_rounds = FEW_SHARE if half.n_documents < FEW else light.n_rounds
    return replace(light.adapted(half, n_clusters), n_rounds=n_rounds)


def calibration_bytes(weights: Size, n_clusters: int, effort: Effort) -> int:
    """What checking stability holds: axes of all documents, and a search in half of them."""
    half = weights.sample(-(-weights.n_documents // 2))
    light = lighter_effort(effort, weights, half, n_clusters)
    axes = weights.numbers(weights.n_documents + weights.n_words, RANK)
    return weights.data + axes + search_bytes(half, n_clusters, light)


def ordered_by_size(
    model: EMEstimator, has_words: Any, n_documents: int, *, drop_empty: bool
) -> EMEstimator:
    """The mixture with its clusters in the order of the labels of its documents, largest first.

    Of the `n_documents`, those that are not in the model or have no words are in the cluster
    with the largest share.
    """
    sizes = np.bincount(model.labels_[has_words], minlength=len(model.weights_))
    full = sizes > 0
    sizes[model.weights_.argmax()] += n_documents - np.count_nonzero(has_words)
    order = np.argsort(-sizes, kind="stable")
    if drop_empty:
        order = order[full[order]] if full.any() else order[:1]
    model = copy(model)
    model.weights_ = model.weights_[order] / model.weights_[order].sum()
    model.components_ = model.components_[order]
    if isinstance(model, NeighbourMixture):
        model.pull_ = np.ascontiguousarray(model.pull_[:, order])
    return model
