"""Many ways to clusters, and what they agree on.

Candidates come from the mixture whose vocabulary grows (paper 002, section 7) and from
k-means on the axes of latent semantic analysis. Their memberships side by side describe each
document by how the candidates see it; documents seen alike are clustered (as the views of
paper 003 vote), and the mixture refines what they agree on, with an eye to each document's
neighbours.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie import engine
from coterie.automatic.axes import Axes, condensed, first_axes, main_axes
from coterie.automatic.candidates import Candidate, Effort
from coterie.automatic.keeping import Kept
from coterie.automatic.linked import LinkedMixture, Near
from coterie.automatic.neighbours import drawn_together
from coterie.arrays import best_of, best_of_many, spherical_kmeans, unit_rows
from coterie.base import EMEstimator
from coterie.errors import InterruptedWarning
from coterie.inference import IncrementalVocabulary
from coterie.inference.strategy import Batch
from coterie.models.mixture import MultinomialMixture
from coterie.types import Array, Counts, Labels

GROWTH, AXES, VECTORS = "growth from", "axes", "vectors"
AGREEMENT = 1000  # the stage, after all those that give candidates
FIRMNESS = 0.9  # of a document's membership in its cluster, where labels become a start
CONCENTRATION = 100.0
N_VECTOR_PARTITIONS = 8
LAST_TOL, LAST_ITER = 0.01, 5  # times those of candidates: the answer is fitted to its end
WIDTH, WIDTH_EACH = 128, 14  # least columns, and for a cluster, of what candidates see
N_DRAWN_TO, N_DRAWN = 10, 2
VECTOR_VOTES = 2  # of a candidate from vectors, beside one of each other
LINK_RANK = 50  # axes on which neighbours are near
MOST_FITTED = 20_000  # documents among which neighbours are looked for


class Growth(IncrementalVocabulary):
    """A vocabulary that grows, of which all runs of the last step are kept."""

    def ranked(self, runs: list[EMEstimator]) -> None:
        """Keep the runs of the step that was last."""
        self.last = runs


@dataclass
class Search:
    """Looks for clusters in weighted words; each stage has its own seeds.

    `model` is the unfitted mixture of as many clusters; `frequencies` are the words' numbers
    of occurrences.
    """

    model: MultinomialMixture
    weights: Counts
    frequencies: Array
    effort: Effort
    seed: int
    axes: Axes | None = None
    vectors: Array | None = None
    near: Near | None = None
    candidates: list[Candidate] = field(default_factory=list)
    interrupted: bool = False

    @property
    def n_clusters(self) -> int:
        """How many clusters are looked for."""
        return self.model.n_clusters

    def run(self, kept: Kept | None = None) -> EMEstimator:
        """The mixture refined from what the candidates agree on; else the best candidate."""
        stages: dict[str, Callable[[int], list[Candidate]]] = {
            f"growth {place + 1} of round {number + 1}": partial(self.grow, size, n_steps)
            for number in range(self.effort.n_rounds)
            for place, (size, n_steps) in enumerate(self.effort.growths)
        }
        if self.effort.ranks:
            stages[AXES] = self.partition
        for number, (name, stage) in enumerate(stages.items()):
            known = kept.candidates(name) if kept else None
            if known is None and not self.interrupted:
                with fitting.part(number, len(stages) + 1):
                    known = self._guarded(stage, number)
                if kept and not self.interrupted:
                    kept.add(name, known)
            self.candidates += known or []
        with fitting.part(len(stages), len(stages) + 1):
            return self.settle()

    def grow(self, first_size: int, n_steps: int, stage: int) -> list[Candidate]:
        """Candidates from a vocabulary that grows."""
        (seed,) = self._seeds(stage, 1)
        growth = Growth(
            self.model,
            first_size=max(2, min(first_size, self.weights.shape[1] // 2)),
            n_steps=n_steps,
            n_init=self.effort.n_init,
            n_kept=self.effort.n_kept,
            concentration=CONCENTRATION,
            frequencies=self.frequencies,
            random_state=seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InterruptedWarning)
            growth.fit(self.weights)
        self.interrupted |= growth.interrupted_
        last = [growth.estimator_] if growth.interrupted_ else growth.last
        return [_candidate(f"{GROWTH} {first_size}", model) for model in last]

    def partition(self, stage: int) -> list[Candidate]:
        """Candidates from k-means on the main axes, refined."""
        labels = [
            each
            for rank, own in zip(
                self.effort.ranks, self._seeds(stage, len(self.effort.ranks)), strict=True
            )
            for each in self._partitions(
                first_axes(self._axes().documents, rank),
                self.effort.n_partitions * self.effort.n_rounds,
                self.effort.n_tries,
                own,
            )
        ]
        return [_candidate(AXES, model) for model in self.refine(labels)]

    def add_vectors(self, vectors: Array) -> None:
        """Candidates from k-means on vectors, by which documents then also have neighbours.

        Vectors are of length one. K-means looks at vectors drawn towards their neighbours.
        """
        self.vectors = vectors
        near = drawn_together(self.vectors, N_DRAWN_TO, N_DRAWN)
        (seed,) = self._seeds(AGREEMENT + 1, 1)
        for labels in self._partitions(near, N_VECTOR_PARTITIONS, self.effort.n_tries, seed):
            start = softened(labels, self.n_clusters)
            self.candidates.append(Candidate(VECTORS, start, -np.inf))

    def settle(self) -> EMEstimator:
        """What the candidates agree on, or the most likely where no agreement is wanted."""
        best = max(self.candidates, key=lambda candidate: candidate.objective)
        agreed = [best.memberships.argmax(axis=1)]
        if self.effort.n_votes and not self.interrupted:
            agreed = self._guarded(self.agreements) or agreed
        found: list[EMEstimator] = []
        if not self.interrupted:
            stage = self.link if self.effort.n_neighbors else self.refine_to_the_end
            found = self._guarded(stage, agreed)
        if not found:
            found = self._batch([partial(_fit, self.model, self.weights, best.memberships)])
        if not found:
            raise KeyboardInterrupt
        return max(found, key=lambda model: float(model.history_[-1]))

    def agreements(self) -> list[Labels]:
        """Clusters of documents that the candidates see alike.

        Where there are vectors, candidates from them have some votes, or as many together as
        those from words have, or none.
        """
        by_words = [each for each in self.candidates if each.name != VECTORS]
        by_vectors = [each for each in self.candidates if each.name == VECTORS]
        if not by_words or not by_vectors:
            return [self._seen_alike(self.candidates)]
        some, alike = VECTOR_VOTES, len(by_words) / len(by_vectors)
        return [self._seen_alike(by_words, by_vectors, votes) for votes in (some, alike, 0)]

    def link(self, agreed: list[Labels]) -> list[EMEstimator]:
        """Clusters refined with an eye to the neighbours of documents."""
        near = self._near()
        links = near.links(self.weights, self.vectors)
        near = near.measured(links, np.eye(self.n_clusters)[agreed[0]])
        X = near.beside(self.weights, links)
        n_links = X.shape[1] - self.weights.shape[1]
        model = self._to_the_end(LinkedMixture(**self.model.get_params(), n_links=n_links))
        linked = self._refined(model, X, agreed)
        self.near = near if linked else None
        return linked

    def _near(self) -> Near:
        n_documents, axes = self.weights.shape[0], self._axes()
        (seed,) = self._seeds(AGREEMENT + 2, 1)
        drawn = np.random.default_rng(seed).permutation(n_documents)[:MOST_FITTED]
        chosen = np.sort(drawn)
        return Near(
            np.ascontiguousarray(axes.words[:, :LINK_RANK]),
            first_axes(axes.documents[chosen], LINK_RANK),
            None if self.vectors is None else self.vectors[chosen],
            self.effort.n_neighbors,
        )

    def _axes(self) -> Axes:
        if self.axes is None:
            (seed,) = self._seeds(AGREEMENT + 3, 1)
            self.axes = main_axes(self.weights, max((*self.effort.ranks, LINK_RANK)), seed)
        return self.axes

    def _to_the_end(self, model: MultinomialMixture) -> MultinomialMixture:
        """The model fitted further than candidates are, where that is wanted."""
        if not self.effort.to_the_end:
            return model
        tol, max_iter = model.tol * LAST_TOL, model.max_iter * LAST_ITER
        further: MultinomialMixture = clone(model).set_params(tol=tol, max_iter=max_iter)
        return further

    def _seen_alike(
        self, candidates: list[Candidate], more: Sequence[Candidate] = (), votes: float = 1.0
    ) -> Labels:
        """Clusters of documents seen alike, where some candidates may have several votes."""
        views = [each.memberships for each in candidates]
        if votes:
            views += [np.sqrt(votes) * each.memberships for each in more]
        seen = unit_rows(np.hstack(views))
        (seed,) = self._seeds(AGREEMENT, 1)
        seen = condensed(seen, max(WIDTH, WIDTH_EACH * self.n_clusters))
        seeds = np.random.default_rng(seed).integers(2**31, size=self.effort.n_votes)
        return best_of_many(seen, self.n_clusters, seeds.tolist())

    def refine(self, labels: Sequence[Labels]) -> list[EMEstimator]:
        """The mixture on all words, from each labelling; fewer where Ctrl-C came between."""
        return self._refined(self.model, self.weights, labels)

    def refine_to_the_end(self, labels: Sequence[Labels]) -> list[EMEstimator]:
        """The same, fitted further than candidates are."""
        return self._refined(self._to_the_end(self.model), self.weights, labels)

    def _refined(
        self, model: MultinomialMixture, X: Counts, labels: Sequence[Labels]
    ) -> list[EMEstimator]:
        starts = [softened(each, self.n_clusters) for each in labels]
        return self._batch([partial(_fit, model, X, start) for start in starts])

    def _partitions(self, rows: Array, n: int, n_tries: int, seed: int) -> list[Labels]:
        """Several partitions of rows, each the best of a few tries."""
        seeds = np.random.default_rng(seed).integers(2**31, size=n * n_tries)
        found = spherical_kmeans(rows, self.n_clusters, seeds.tolist())
        return [best_of(found[i::n]) for i in range(n)]

    def _guarded(self, stage: Callable[..., list[Any]], *arguments: Any) -> list[Any]:
        """What a stage gives; nothing where Ctrl-C ends it and there is something already."""
        try:
            return stage(*arguments)
        except KeyboardInterrupt:
            if not self.candidates:
                raise
            self.interrupted = True
            return []

    def _batch(self, fits: Sequence[Any]) -> list[EMEstimator]:
        batch = Batch(0, len(fits))
        done = batch.run(self.weights, fits)
        self.interrupted |= batch.interrupted
        return done

    def _seeds(self, stage: int, n: int) -> list[int]:
        drawn = np.random.default_rng([self.seed, stage]).integers(2**31, size=n)
        return [int(seed) for seed in drawn]


def _fit(model: MultinomialMixture, X: Counts, start: Array) -> EMEstimator:
    fitted: EMEstimator = clone(model).set_params(init=start).fit(X)
    return fitted


def _candidate(name: str, model: EMEstimator) -> Candidate:
    return Candidate(name, model.memberships_, float(model.history_[-1]))


def softened(labels: Labels, n_clusters: int) -> Array:
    """Memberships that lean to the labels but exclude nothing.

    Examples
    --------
    >>> softened(np.array([1]), 2)
    array([[0.05, 0.95]])
    """
    soft: Array = FIRMNESS * np.eye(n_clusters)[labels] + (1 - FIRMNESS) / n_clusters
    return soft
