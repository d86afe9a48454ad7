"""Experiment: Ward's tree of all documents, on one minus their similarity.

This is the plainest reading of section 4.1 of Grimal and Bisson (2011). Documents with none of
the chosen words are leaves like the others, with similarity 0 to all of them. `samples.sweep`
clusters as the library does: such documents stay outside the tree.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from coterie.corpus import Corpus
from coterie.selection import MostFrequent
from coterie.selection.base import WordSelector
from coterie.selection.medoids import euclidean_distances
from coterie.similarity import trees
from coterie.types import Array, Counts, Labels
from coterie_papers.cells import Cell, Scores
from coterie_papers.clustering import complete
from coterie_papers.collections.samples import SAMPLES, load_sample
from coterie_papers.grimal.samples import FEW, METHODS, as_asked, load, scores_of

DISTANCE = "one-minus"
ALTERNATION, RANDOM, FREQUENT = "alternation", "random", "frequent"


@dataclass(eq=False, repr=False)
class RandomWords(WordSelector):
    """Words drawn at random."""

    random_state: int | None = None

    def _choose(self, X: Counts, frequent: Labels, classes: Labels | None) -> Labels:  # noqa: ARG002
        rng = check_random_state(self.random_state)
        chosen: Labels = rng.choice(frequent, min(self.n_words, len(frequent)), replace=False)
        return chosen


@dataclass(eq=False, repr=False)
class AlternatedMedoids(RandomWords):
    """k-medoids by alternation from random classes, one start, on squared distances."""

    def _choose(self, X: Counts, frequent: Labels, classes: Labels | None) -> Labels:  # noqa: ARG002
        if len(frequent) <= self.n_words:
            return frequent
        distances = euclidean_distances(X[:, frequent].T.tocsr())
        np.square(distances, out=distances)
        return frequent[alternate(distances, self.n_words, self.random_state)]


def alternate(distances: Array, n_clusters: int, random_state: int | None) -> Labels:
    """Medoids of random classes, then classes of the medoids, until the sum stops falling.

    Examples
    --------
    >>> points = np.array([0.0, 1.0, 2.0, 9.0, 10.0])
    >>> np.sort(alternate(abs(points[:, None] - points), 2, 0))
    array([1, 3])
    """
    rng = check_random_state(random_state)
    n = len(distances)
    labels = rng.permutation(
        np.concatenate([np.arange(n_clusters), rng.randint(n_clusters, size=n - n_clusters)])
    )
    best = np.inf
    while True:
        classes = np.split(
            np.argsort(labels, kind="stable"),
            np.cumsum(np.bincount(labels, minlength=n_clusters))[:-1],
        )
        medoids = np.array([c[distances[np.ix_(c, c)].sum(axis=0).argmin()] for c in classes])
        labels = distances[:, medoids].argmin(axis=1)
        labels[medoids] = np.arange(n_clusters)
        total = float(distances[np.arange(n), medoids[labels]].sum(dtype=np.float64))
        if total >= best:
            return medoids
        best = total


SELECTIONS: dict[str, Callable[[int], Any]] = {
    ALTERNATION: lambda draw: AlternatedMedoids(random_state=draw),
    RANDOM: lambda draw: RandomWords(random_state=draw),
    FREQUENT: lambda _: MostFrequent(2000),
}


@lru_cache(maxsize=2)
def chosen(sample: str, draw: int, selection: str) -> tuple[Corpus, int]:
    """A draw with the words chosen in any way, and how many documents have none of them."""
    if selection not in SELECTIONS:
        return load(sample, draw, selection)
    corpus = load_sample(sample, draw)
    selector = SELECTIONS[selection](draw).fit(corpus)
    return selector.transform(corpus), int(selector.n_empty_)


def sweep(cell: Cell) -> Scores:
    """Precision and NMI of a method on a draw, for every setting, by the tree of all documents.

    With the setting `outside`, documents with none of the chosen words are outside the tree;
    with `filled` they are left out before the fit. `alone` are the numbers of clusters that
    have no other documents.
    """
    sample, _, draw = cell.corpus.partition("/")
    corpus, n_empty = chosen(sample, int(draw), cell.setting("selection"))
    corpus = as_asked(cell, corpus)
    n_clusters = len(SAMPLES[sample].groups)
    few = FEW.__getitem__ if cell.setting("few") else tuple
    started = time.process_time()
    empty = np.diff(corpus.counts.indptr) == 0
    scores, alone = {}, {}
    for setting, model in METHODS[cell.method](few, n_clusters, cell.seed).items():
        model.set_params(distance=DISTANCE).fit(corpus.counts)
        complete(model)
        labels = model.labels_
        if n_empty and not (cell.setting("outside") or cell.setting("filled")):
            labels = trees.cut(trees.ward(model.document_similarity_, DISTANCE), n_clusters)
        alone[str(setting)] = len(np.setdiff1d(labels, labels[~empty]))
        scores[str(setting)] = scores_of(corpus, labels)
    seconds = time.process_time() - started
    return {"scores": scores, "empty": n_empty, "alone": alone, "seconds": seconds}
