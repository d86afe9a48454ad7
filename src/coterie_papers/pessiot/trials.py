"""Experiments on what the paper leaves open: priors, the start of EM, the size of a split."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from coterie.engine import Shared
from coterie.evaluation import micro_precision, nmi
from coterie.models.concepts import ConceptSpace
from coterie.models.ext_plsa import ExtPLSA
from coterie.models.mixture import MultinomialMixture
from coterie.models.plsa import PLSA
from coterie.types import Array, Counts
from coterie_papers.cells import Cell, Scores
from coterie_papers.clustering import complete, fitted
from coterie_papers.collections.recipes import stratified_folds
from coterie_papers.corpora import N_SPLITS, Data, load

CONCEPTS = {"c-mm": "cem", "p-mm": "plsa"}


@dataclass(eq=False, repr=False)
class PLSAFromExtPLSA(PLSA):
    """PLSA from the start of Ext-PLSA with the same seed, its word topics summed out."""

    n_word_clusters: int = 20

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """The mixes, and the words of each cluster over all word topics."""
        theta, shared = ExtPLSA(self.n_clusters, self.n_word_clusters)._start(X, rng)
        return theta, self._m_step((), shared[0])


def from_start(cell: Cell) -> Scores:
    """PLSA from the start of Ext-PLSA with `words` word topics."""
    data = load(cell.corpus)
    started = time.process_time()
    model = PLSAFromExtPLSA(
        data.n_classes, n_word_clusters=cell.setting("words"), random_state=cell.seed
    )
    return _scores(data, complete(model.fit(data.counts)), started)


def without_prior(cell: Cell) -> Scores:
    """C-MM or P-MM whose mixture has no prior; that of the concepts is `concept_prior`."""
    data = load(cell.corpus)
    started = time.process_time()
    space = ConceptSpace(
        cell.setting("words"),
        CONCEPTS[cell.method],
        cell.setting("concept_prior"),
        random_state=cell.seed,
    )
    bags = complete(space.fit(data.counts)).transform(data.counts)
    model = MultinomialMixture(
        data.n_classes, word_prior=1.0, init="dirichlet", random_state=cell.seed
    )
    return _scores(data, complete(model.fit(bags)), started)


def tenth(cell: Cell) -> Scores:
    """A method on one tenth of every class: the tenth that the split `seed` leaves out.

    With `weights`, the words of a document are weighted by tf-idf as in the French substitute.
    """
    whole = load(cell.corpus)
    folds = stratified_folds(whole.labels, N_SPLITS)
    data = whole.take(np.flatnonzero(folds == cell.seed % N_SPLITS)).without_rare_words()
    if cell.setting("weights"):
        weights = TfidfTransformer(norm=None, sublinear_tf=True).fit_transform(data.counts)
        data = Data(Counts(weights), data.labels)
    others = {k: v for k, v in cell.settings if k not in ("words", "weights")}
    started = time.process_time()
    model = fitted(
        cell.method, data, data.n_classes, cell.seed, cell.setting("words"), **others
    )
    return _scores(data, model, started)


def _scores(data: Data, model: Any, started: float) -> Scores:
    return {
        "precision": micro_precision(data.labels, model.labels_),
        "nmi": nmi(data.labels, model.labels_),
        "seconds": time.process_time() - started,
        "n_iter": int(model.n_iter_),
        "converged": bool(model.converged_),
    }
