"""Many candidate clusterings, and the mixture refined from their consensus.

Candidates come from the mixture with an incremental vocabulary (Rigouste, Cappé and Yvon) and
from k-means on the axes of latent semantic analysis, where documents are short also on those of
word vectors. Their memberships side by side describe each document. The consensus is a
clustering of these descriptions, as the views vote in Kim et al. (2010). The mixture with a
nearest-neighbour term refines it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, combinations, product
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from coterie import evaluation, fitting
from coterie.arrays import (
    best_of,
    best_of_many,
    sparse_unit_rows,
    spherical_kmeans,
    unit_rows,
)
from coterie.automatic.axes import (
    SHORT,
    Axes,
    are_short,
    axes_bytes,
    condensed,
    document_axes,
    first_axes,
    latent_axes,
    side_by_side,
)
from coterie.automatic.candidates import (
    MANY,
    Candidate,
    Effort,
    save_candidates,
    saved_candidates,
)
from coterie.automatic.neighbour_mixture import Neighbourhood, NeighbourMixture
from coterie.automatic.neighbours import centred, smoothed_along_neighbours
from coterie.base import EMEstimator
from coterie.evaluation import ari
from coterie.fitting import State
from coterie.inference import IncrementalVocabulary
from coterie.inference.strategy import fit_all
from coterie.memory import Size
from coterie.models.mixture import MultinomialMixture
from coterie.types import Array, Counts, Labels

GROWTH, AXES, LATENT = "growth from", "axes", "latent axes"
VECTORS, CENTRED = "vectors", "centred vectors"
CONSENSUS = 1000  # number of its seeds, after those of all sources of candidates
FIRMNESS = 0.9  # membership of a document in its cluster, where labels become a start
CONCENTRATION = 100.0
N_VECTOR_PARTITIONS = 6  # of a kind of vectors, for each number of times they are smoothed
LAST_TOL, LAST_ITER = 0.01, 5  # times those of candidates, for the result
WIDTH, WIDTH_EACH = 128, 14  # least columns, and columns a cluster, of condensed memberships
SMALL = 0.5  # membership left out where they are sparse, beside the largest
N_SMOOTHED_BY, N_SMOOTHED = 10, (2, 10)  # neighbours, and times, vectors are smoothed
CONTRADICTION = 0.2, 0.4  # lost agreement at which vectors have all of their votes, and none
SURER = 1.5, 2.0  # times the agreement of words at which vectors get more votes, and the most
MOST_VOTES = 3  # times those of words
N_COMPARED = 12  # candidates of a kind, whose agreement is measured
AGREEING = 4  # power of the agreement of a kind of candidates, in its votes
LIKELY = 0.016  # share of the log-likelihood that is worth a factor e of votes
LEAST = 1e-9  # agreement that stands for none
AGREED = 0.98  # adjusted Rand index of candidates that are nearly the same
AGAIN, SAME = 3, 0.8  # times the likeliest clusters are found, at this adjusted Rand index
CLEARLY, FEW_ITER = 0.001, 2  # likelier by this share, after so few iterations
LINK_RANK = 50  # axes on which neighbours are searched
MOST_FITTED = 20_000  # documents among which neighbours are searched


@dataclass
class Search:
    """Finds clusters in weighted words; each source of candidates has its own seeds.

    `model` is the unfitted mixture of as many clusters; `frequencies` are the words' numbers
    of occurrences. `fitted_to` is what the result is fitted to: weighted words, and links to
    the `neighbourhood` where there is one.
    """

    model: MultinomialMixture
    weights: Counts
    frequencies: Array
    effort: Effort
    seed: int
    axes: Axes | None = None
    latent_axes: Axes | None = None
    vectors: Array | None = None
    neighbourhood: Neighbourhood | None = None
    candidates: list[Candidate] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.fitted_to = self.weights

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return self.model.n_clusters

    def run(self, state: State | None = None) -> EMEstimator:
        """The mixture refined from the consensus; after a stop, from the best candidate."""
        if not self.compare(state):
            self.candidates += self.from_few_axes()
        return self.refined()

    def compare(self, state: State | None = None) -> bool:
        """Collect candidates until a stop, and tell whether any source of them has ended."""
        sources = self._sources()
        shape = self.weights.shape[0], self.n_clusters
        has_ended = False
        for number, (name, source) in enumerate(sources.items()):
            if fitting.stopped():
                break
            if number == 1 and self._agree():
                self.effort = replace(self.effort, n_rounds=1)
            if name not in (AXES, LATENT) and number >= self.effort.n_rounds:
                continue
            candidates = saved_candidates(state, name, shape) if state else None
            if candidates is None:
                stage = f"Comparing candidates {number + 1} of {len(sources)}"
                with fitting.part(number, len(sources) + 1, stage):
                    candidates = source(number)
                if state and not fitting.stopped():
                    save_candidates(state, name, candidates)
            self.candidates += candidates
            has_ended |= not fitting.stopped()
        return has_ended

    def refined(self) -> EMEstimator:
        """The mixture refined from the candidates, as the last part of a search."""
        n_sources = len(self._sources())
        with fitting.part(n_sources, n_sources + 1, "Refining"):
            return self.refined_consensus()

    def _agree(self) -> bool:
        """Whether all candidates so far are nearly the same clusters."""
        labels = [each.memberships.argmax(axis=1) for each in self.candidates]
        return len(labels) > 1 and all(ari(labels[0], each) >= AGREED for each in labels[1:])

    def _sources(self) -> dict[str, Callable[[int], list[Candidate]]]:
        """What gives candidates, by name."""
        sources: dict[str, Callable[[int], list[Candidate]]] = {}
        if self.effort.growths:
            rounds = range(1, self.effort.n_rounds + 1)
            sources = {f"growths of round {number}": self.from_growths for number in rounds}
        if self.effort.ranks:
            sources[AXES] = self.from_axes
            if self._has_latent_axes():
                sources[LATENT] = self.from_latent_axes
        return sources

    def from_growths(self, number: int) -> list[Candidate]:
        """A round of candidates from incremental vocabularies, found side by side."""
        first = number * len(self.effort.growths)
        fits = [
            partial(self.from_growth, size, n_steps, first + i)
            for i, (size, n_steps) in enumerate(self.effort.growths)
        ]
        return [each for of_growth in fit_all(self.weights, fits) for each in of_growth]

    def from_growth(self, first_size: int, n_steps: int, number: int) -> list[Candidate]:
        """Candidates from an incremental vocabulary, every other by weights."""
        (seed,) = self._seeds(number, 1)
        growth = IncrementalVocabulary(
            self.model,
            first_size=max(2, min(first_size, self.weights.shape[1] // 2)),
            n_steps=n_steps,
            n_init=self.effort.n_init,
            n_kept=self.effort.n_kept,
            concentration=CONCENTRATION,
            frequencies=None if number % 2 else self.frequencies,
            random_state=seed,
        )
        growth._fit(self.weights)
        runs = [growth.estimator_] if fitting.stopped() else growth._last_runs
        return [_candidate(f"{GROWTH} {first_size}", model) for model in runs]

    def from_axes(self, number: int) -> list[Candidate]:
        """Candidates from k-means on the main axes, refined by the mixture."""
        return self._from_axes(AXES, self._axes().documents, number)

    def from_latent_axes(self, number: int) -> list[Candidate]:
        """The same on axes of latent semantic analysis, where the main ones are others."""
        return self._from_axes(LATENT, self._latent_axes().documents, number)

    def _from_axes(self, name: str, documents: Array, number: int) -> list[Candidate]:
        labels = [
            each
            for rank, seed in zip(
                self.effort.ranks, self._seeds(number, len(self.effort.ranks)), strict=True
            )
            for each in self._partitions(
                first_axes(documents, rank),
                self.effort.n_partitions * self.effort.n_rounds,
                seed,
            )
        ]
        return self.refine(name, labels)

    def from_few_axes(self) -> list[Candidate]:
        """One candidate from k-means on few axes: the least that can be done after a stop."""
        (seed,) = self._seeds(CONSENSUS + 4, 1)
        labels = self._partitions(first_axes(self._axes().documents, LINK_RANK), 1, seed)
        return self.refine(AXES, labels)

    def add_vectors(self, vectors: Array) -> None:
        """Candidates from k-means on vectors, by which documents then also have neighbours.

        Vectors are of length one; as they are and less their mean, they are two kinds. K-means
        is run on vectors smoothed along their neighbours, a little and strongly.
        """
        self.vectors = vectors
        n_near = min(N_SMOOTHED_BY, -(-len(vectors) // (3 * self.n_clusters)))
        kinds = {VECTORS: vectors, CENTRED: centred(vectors)}
        for number, (name, of_kind) in enumerate(kinds.items()):
            seeds = self._seeds(CONSENSUS + 6 + number, len(N_SMOOTHED))
            smoothed = smoothed_along_neighbours(of_kind, n_near, N_SMOOTHED)
            for rows, seed in zip(smoothed, seeds, strict=True):
                for labels in self._partitions(rows, N_VECTOR_PARTITIONS, seed):
                    start = softened(labels, self.n_clusters)
                    self.candidates.append(Candidate(name, start, -np.inf))

    def refined_consensus(self) -> EMEstimator:
        """The mixture refined from the consensus, the likeliest where there are two.

        After a stop, or where no votes are wanted, it is refined from the best candidate.
        """
        best = max(self.candidates, key=lambda candidate: candidate.objective)
        labels = [best.memberships.argmax(axis=1)]
        if self.effort.n_votes and not fitting.stopped():
            labels = self.consensus()
        if fitting.stopped():
            return fitted_from(self.model, self.weights, best.memberships)
        refine = self.refine_by_neighbours if self.effort.n_neighbors else self.refine_further
        return max(refine(labels), key=lambda model: float(model.history_[-1]))

    def consensus(self) -> list[Labels]:
        """Clusters of documents that have similar memberships in all candidates.

        Candidates from vectors have together as many votes as those from words, half of them
        from each kind of vectors, but fewer where they contradict the words, and more where
        candidates from words do not agree with one another. Where there are no
        vectors and the likeliest clusters were found several times, only these have votes, or
        these and as many that are next, if what they find is clearly likelier.
        """
        kinds = [[c for c in self.candidates if c.name == kind] for kind in (VECTORS, CENTRED)]
        kinds = [of_kind for of_kind in kinds if of_kind]
        by_words = [each for each in self.candidates if not _is_by_vectors(each)]
        if kinds:
            votes = self._votes(by_words)
            n_votes, filled = sum(votes), np.flatnonzero(np.diff(self.weights.indptr))
            for of_kind in kinds:
                share = 1.0
                if by_words:
                    both = by_words, of_kind, filled
                    share = trusted(*both) * surer(*both) * n_votes
                votes += [share / len(kinds) / len(of_kind)] * len(of_kind)
            return [self._consensus_of([*by_words, *chain(*kinds)], votes)]
        of_all = self._consensus_of(by_words, self._votes(by_words))
        likeliest = found_again(by_words, self.effort.n_init)
        several = [likeliest[:AGAIN], likeliest] if likeliest else []
        of_likeliest = [self._consensus_of(each, [1.0] * len(each)) for each in several]
        return of_likeliest if self._clearly_likelier(of_likeliest, of_all) else [of_all]

    def _clearly_likelier(self, several: list[Labels], other: Labels) -> bool:
        """Whether one of several labellings is, by more than differences of no account."""
        if not several:
            return False
        few = clone(self.model).set_params(max_iter=FEW_ITER)
        fits = self._refined(few, self.weights, [other, *several])
        than, *objectives = (float(model.history_[-1]) for model in fits)
        return max(objectives) - than > CLEARLY * abs(than)

    def _consensus_of(self, candidates: list[Candidate], votes: list[float]) -> Labels:
        """The consensus of candidates with so many votes each.

        Where clusters are many, no draw of so many documents meets all of them. There, the
        consensus starts from each candidate.
        """
        scaled = [
            (np.sqrt(n), each.memberships)
            for n, each in zip(votes, candidates, strict=True)
            if n
        ]
        rows = self._descriptions(scaled)
        if self.n_clusters > MANY:
            starts = [each.argmax(axis=1) for _, each in scaled]
            return best_of_many(rows, self.n_clusters, starts, fitting.stopped)
        (seed,) = self._seeds(CONSENSUS, 1)
        seeds = np.random.default_rng(seed).integers(2**31, size=self.effort.n_votes)
        return best_of_many(rows, self.n_clusters, seeds.tolist(), fitting.stopped)

    def _votes(self, candidates: Sequence[Candidate]) -> list[float]:
        """More for kinds whose candidates agree with one another and are likely.

        Kinds are axes, latent axes and growing vocabularies.
        """
        filled = np.flatnonzero(np.diff(self.weights.indptr))
        kinds: dict[str, list[Candidate]] = {}
        for each in self.candidates:
            if not _is_by_vectors(each):
                kinds.setdefault(_kind(each), []).append(each)
        if not len(filled) or len(kinds) < 2 or min(map(len, kinds.values())) < 2:
            return [1.0] * len(candidates)
        objectives = {
            kind: float(np.median([each.objective for each in of_kind]))
            for kind, of_kind in kinds.items()
        }
        scale = LIKELY * max(abs(max(objectives.values())), LEAST)
        votes = {}
        for kind, of_kind in kinds.items():
            agreement = mean_nmi(combinations(_some_labels(of_kind, filled), 2))
            votes[kind] = AGREEING * np.log(max(agreement, LEAST)) + objectives[kind] / scale
        most = max(votes.values())
        return [float(np.exp(votes[_kind(each)] - most)) for each in candidates]

    def _descriptions(self, scaled: list[tuple[float, Array]]) -> Any:
        """Memberships times their scales side by side, in rows of length one.

        They are dense, on their main axes, or where clusters are many sparse, without the small
        ones: axes grow with clusters, and both multiply.
        """
        if self.n_clusters <= MANY:
            rows = unit_rows(np.hstack([scale * each for scale, each in scaled]))
            return condensed(rows, max(WIDTH, WIDTH_EACH * self.n_clusters))
        large = [
            sp.csr_array(
                np.where(each < SMALL * each.max(axis=1, keepdims=True), 0, scale * each),
                dtype=np.float32,
            )
            for scale, each in scaled
        ]
        return sparse_unit_rows(sp.hstack(large, format="csr"))

    def refine_by_neighbours(self, labels: list[Labels]) -> list[EMEstimator]:
        """The mixture with a nearest-neighbour term, from each labelling.

        Neighbours are those, by one or the other axes, that are most often in one cluster.
        """
        memberships = np.eye(self.n_clusters)[labels[0]]
        tried = []
        for axes in self._neighbour_axes():
            neighbourhood = self._neighbourhood(axes)
            links = neighbourhood.links(self.weights, self.vectors)
            tried.append((neighbourhood.weighted(links, memberships), links))
        self.neighbourhood, links = max(tried, key=lambda each: each[0].strengths[0])
        self.fitted_to = self.neighbourhood.beside(self.weights, links)
        n_links = self.fitted_to.shape[1] - self.weights.shape[1]
        model = NeighbourMixture(**self.model.get_params(), n_links=n_links)
        return self._refined(self._further(model), self.fitted_to, labels)

    def refine_further(self, labels: Sequence[Labels]) -> list[EMEstimator]:
        """The mixture from each labelling, fitted further than candidates are."""
        return self._refined(self._further(self.model), self.weights, labels)

    def refine(self, name: str, labels: Sequence[Labels]) -> list[Candidate]:
        """A candidate from each labelling; fewer after a stop."""

        def refined(each: Labels) -> Candidate:  # without the words of its clusters
            return _candidate(name, self._from_labels(self.model, self.weights, each))

        return fit_all(self.weights, [partial(refined, each) for each in labels])

    def _refined(
        self, model: MultinomialMixture, X: Counts, labels: Sequence[Labels]
    ) -> list[EMEstimator]:
        fits = [partial(self._from_labels, model, X, each) for each in labels]
        return fit_all(self.weights, fits)

    def _from_labels(self, model: MultinomialMixture, X: Counts, labels: Labels) -> EMEstimator:
        return fitted_from(model, X, softened(labels, self.n_clusters))

    def _further(self, model: MultinomialMixture) -> MultinomialMixture:
        """The model with more iterations than candidates have, where the result is final."""
        if not self.effort.is_final:
            return model
        tol, max_iter = model.tol * LAST_TOL, model.max_iter * LAST_ITER
        further: MultinomialMixture = clone(model).set_params(tol=tol, max_iter=max_iter)
        return further

    def _neighbour_axes(self) -> list[Axes]:
        """Axes on which neighbours are searched: the main ones, latent ones, and both."""
        axes = [self._axes().first(LINK_RANK)]
        if self._has_latent_axes():
            axes.append(self._latent_axes().first(LINK_RANK))
            axes.append(side_by_side(axes))
        return axes

    def _neighbourhood(self, axes: Axes) -> Neighbourhood:
        n_documents = self.weights.shape[0]
        (seed,) = self._seeds(CONSENSUS + 2, 1)
        fitted = np.random.default_rng(seed).permutation(n_documents)[:MOST_FITTED]
        fitted.sort()
        return Neighbourhood(
            axes.words,
            unit_rows(axes.documents[fitted]),
            None if self.vectors is None else self.vectors[fitted],
            self.effort.n_neighbors,
        )

    def _axes(self) -> Axes:
        if self.axes is None:
            (seed,) = self._seeds(CONSENSUS + 3, 1)
            self.axes = document_axes(self.weights, max((*self.effort.ranks, LINK_RANK)), seed)
        return self.axes

    def _has_latent_axes(self) -> bool:
        """Whether axes of latent semantic analysis are used beside the main ones.

        The main axes of short documents are those of word vectors. Where a class has a word of
        its own, which most of its documents have, latent axes follow it more closely.
        """
        thorough = self.effort.is_final or self.effort.n_neighbors
        return bool(thorough and self.effort.ranks) and are_short(self.weights)

    def _latent_axes(self) -> Axes:
        if self.latent_axes is None:
            (seed,) = self._seeds(CONSENSUS + 5, 1)
            rank = max((*self.effort.ranks, LINK_RANK))
            self.latent_axes = latent_axes(self.weights, rank, seed)
        return self.latent_axes

    def _partitions(self, rows: Array, n: int, seed: int) -> list[Labels]:
        """Several partitions of rows, each the best of a few tries."""
        seeds = np.random.default_rng(seed).integers(2**31, size=n * self.effort.n_tries)
        partitions = spherical_kmeans(rows, self.n_clusters, seeds.tolist())
        return [best_of(partitions[i::n]) for i in range(n)]

    def _seeds(self, number: int, n: int) -> list[int]:
        drawn = np.random.default_rng([self.seed, number]).integers(2**31, size=n)
        return [int(seed) for seed in drawn]


def search_bytes(size: Size, n_clusters: int, effort: Effort) -> int:
    """What a search holds in its largest stage; counts are weights in single precision.

    The effort is adapted. The consensus lays the memberships of all candidates side by side, in
    double precision too.
    """
    n, m, K = size.n_documents, size.n_words, n_clusters
    n_axes = 2 if size.n_nonzero < SHORT * n else 1  # short documents have latent axes too
    n_rounds, n_partitions = effort.n_rounds, n_axes * len(effort.ranks) * effort.n_partitions
    of_round = len(effort.growths) * effort.n_init + n_partitions
    n_candidates = n_rounds * of_round
    n_candidates += 2 * len(N_SMOOTHED) * N_VECTOR_PARTITIONS * bool(size.n_dimensions)
    rank = max((*effort.ranks, LINK_RANK))
    axes = n_axes * size.numbers(n + m, rank)
    candidates = n_candidates * size.numbers(n, K)
    n_links = min(n, MOST_FITTED) * (1 + bool(size.n_dimensions))
    linked = size.with_words(m + n_links)
    linked = replace(linked, n_nonzero=size.n_nonzero + n * (effort.n_neighbors + 1))
    mixture = MultinomialMixture(K, background=0.1)
    growth = IncrementalVocabulary(mixture, n_init=effort.n_init * max(1, len(effort.growths)))
    stages = {
        "axes": axes_bytes(size, rank),
        "growth": axes + candidates + growth._needed_bytes(size),
        "consensus": axes + candidates + 2 * candidates + size.doubles(n_candidates, n, K),
        "neighbours": axes + candidates + mixture._needed_bytes(linked) + 4 * linked.data,
    }
    return size.data + max(stages.values())


def trusted(
    by_words: Sequence[Candidate], by_vectors: Sequence[Candidate], documents: Labels
) -> float:
    """How far candidates from vectors are trusted: from 1, fully, to 0, where they contradict.

    They contradict where candidates from words agree with one another, by NMI, and not with
    them. Where those from words do not agree either, vectors are trusted.
    Only the documents that have words are compared, and candidates from words that tell some of
    them apart.

    Examples
    --------
    >>> one, other = softened(np.array([0, 0, 1, 1]), 2), softened(np.array([0, 1, 0, 1]), 2)
    >>> words = [Candidate(AXES, one, 0.0)] * 2
    >>> trusted(words, [Candidate(VECTORS, one, 0.0)] * 2, np.arange(4))
    1.0
    >>> trusted(words, [Candidate(VECTORS, other, 0.0)] * 2, np.arange(4))
    0.0
    """
    words = [each for each in _some_labels(by_words, documents) if len(np.unique(each)) > 1]
    vectors = _some_labels(by_vectors, documents)
    if len(words) < 2:
        return 1.0
    within, between = mean_nmi(combinations(words, 2)), mean_nmi(product(words, vectors))
    least, most = CONTRADICTION
    return float(np.clip((most - (within - between)) / (most - least), 0, 1))


def surer(
    by_words: Sequence[Candidate], by_vectors: Sequence[Candidate], documents: Labels
) -> float:
    """How many times the votes of candidates from words those from vectors have, 1 to 3.

    The more, the more they agree with one another beside those from words, on the documents
    that have words: what candidates of a kind do not find again is chance more often than not.

    Examples
    --------
    >>> one, other = softened(np.array([0, 0, 1, 1]), 2), softened(np.array([0, 1, 0, 1]), 2)
    >>> agreeing, differing = [Candidate("", one, 0.0)] * 2, [Candidate("", one, 0.0)]
    >>> differing += [Candidate("", other, 0.0)]
    >>> surer(agreeing, agreeing, np.arange(4)), surer(differing, agreeing, np.arange(4))
    (1.0, 3.0)
    """
    kinds = [_some_labels(each, documents) for each in (by_words, by_vectors)]
    if not len(documents) or min(map(len, kinds)) < 2:
        return 1.0
    of_words, of_vectors = (mean_nmi(combinations(labels, 2)) for labels in kinds)
    return float(np.interp(of_vectors / max(of_words, LEAST), SURER, (1, MOST_VOTES)))


def found_again(candidates: Sequence[Candidate], n_init: int) -> list[Candidate]:
    """The likeliest candidates where growing vocabularies found the same clusters, else none.

    They are those that were found again, and as many that are next by likelihood. The best of
    the `n_init` runs of each vocabulary are compared, whose starts are independent. Candidates
    from axes have the axes in common: that they agree says less.

    Examples
    --------
    >>> one, other = softened(np.array([0, 0, 1, 1]), 2), softened(np.array([0, 1, 0, 1]), 2)
    >>> likely = [Candidate(f"{GROWTH} 300", one, -1.0)] * 3
    >>> unlikely = [Candidate(f"{GROWTH} 300", other, -2.0), Candidate(AXES, other, -3.0)]
    >>> len(found_again([*likely, *unlikely], 1))
    5
    >>> found_again([*likely, Candidate(AXES, other, 0.0)], 1)
    []
    """
    best = [each for each in candidates if _kind(each) == GROWTH][::n_init]
    others = [each for each in candidates if _kind(each) != GROWTH]
    ranked = sorted([*best, *others], key=lambda each: -each.objective)
    first = ranked[:AGAIN]
    if len(first) < AGAIN or any(_kind(each) != GROWTH for each in first):
        return []
    labels = [each.memberships.argmax(axis=1) for each in first]
    agreement = np.mean([ari(a, b) for a, b in combinations(labels, 2)])
    return ranked[: 2 * AGAIN] if agreement >= SAME else []


def mean_nmi(pairs: Iterable[tuple[Labels, Labels]]) -> float:
    """Mean NMI of pairs of labels.

    Examples
    --------
    >>> mean_nmi([([0, 0, 1, 1], [1, 1, 0, 0]), ([0, 0, 1, 1], [0, 1, 0, 1])])
    0.5
    """
    return float(np.mean([evaluation.nmi(a, b) for a, b in pairs]))


def _is_by_vectors(candidate: Candidate) -> bool:
    return candidate.name in (VECTORS, CENTRED)


def _kind(candidate: Candidate) -> str:
    return GROWTH if GROWTH in candidate.name else candidate.name


def _some_labels(candidates: Sequence[Candidate], documents: Labels) -> list[Labels]:
    """Labels of these documents in a few of the candidates, taken evenly."""
    step = -(-len(candidates) // N_COMPARED)
    return [each.memberships[documents].argmax(axis=1) for each in candidates[::step]]


def fitted_from(model: MultinomialMixture, X: Counts, start: Array) -> EMEstimator:
    """The mixture fitted to documents from these memberships."""
    fitted: EMEstimator = clone(model).set_params(init=start)
    fitted._fit(X)
    return fitted


def _candidate(name: str, model: EMEstimator) -> Candidate:
    return Candidate(name, model.memberships_, float(model.history_[-1]))


def softened(labels: Labels, n_clusters: int) -> Array:
    """Memberships that favour the labels but exclude no cluster.

    Examples
    --------
    >>> softened(np.array([1]), 2)
    array([[0.05, 0.95]])
    """
    soft: Array = FIRMNESS * np.eye(n_clusters)[labels] + (1 - FIRMNESS) / n_clusters
    return soft
