"""Other ways to search for the mixture, and newswire stories in place of messages.

Scores are those of the end, on the folds of `curves`.
"""

import time
from functools import cache
from typing import Any

import numpy as np

from coterie.evaluation import mi_f_score
from coterie.inference import IncrementalVocabulary
from coterie.models.mixture import MultinomialMixture
from coterie.starts import Dirichlet
from coterie_papers.cells import Cell, Scores
from coterie_papers.clustering import complete
from coterie_papers.collections import load_reuters
from coterie_papers.collections.recipes import RIGOUSTE, sample_by_class, stratified_folds
from coterie_papers.corpora import Data
from coterie_papers.rigouste import curves

STORIES = "four-stories"
PER_CLASS = 400


def ends(cell: Cell) -> Scores:
    """The end of EM from the classes or from draws, or of an incremental vocabulary."""
    train, test = _folds(cell)
    started = time.process_time()
    model = complete(_unfitted(cell, train).fit(train.counts))
    return {
        "likelihood": model.log_likelihood(train.counts),
        "f_score": mi_f_score(test.labels, model.predict_proba(test.counts)),
        "seconds": time.process_time() - started,
    }


def _unfitted(cell: Cell, train: Data) -> Any:
    """EM of as many iterations as the cell says; without their number, until it converges."""
    steps = cell.setting("steps")
    stop: dict[str, Any] = {} if steps is None else {"max_iter": steps, "tol": 0}
    K = train.n_classes
    if cell.method == "labels":
        classes = np.unique(train.labels.astype(str), return_inverse=True)[1]
        return MultinomialMixture(K, init=classes, **stop)
    if cell.method == "dirichlet":
        init = Dirichlet(curves.CLOSE_TO_EQUAL)
        return MultinomialMixture(K, init=init, random_state=cell.seed, **stop)
    n_words = train.counts.shape[1]
    return IncrementalVocabulary(
        MultinomialMixture(K, **stop),
        vocabulary_sizes=[*(n for n in cell.setting("sizes") if n < n_words), n_words],
        n_init=cell.setting("runs"),
        n_kept=cell.setting("kept"),
        concentration=cell.setting("concentration"),
        random_state=cell.seed,
    )


def _folds(cell: Cell) -> tuple[Data, Data]:
    name, _, classes = cell.corpus.partition("/")
    if name != STORIES:
        return curves.folds(cell)
    data = stories(classes)
    test = stratified_folds(data.labels, curves.N_FOLDS) == cell.setting("fold", 0)
    return data.take(np.flatnonzero(~test)), data.take(np.flatnonzero(test))


@cache
def stories(classes: str) -> Data:
    """400 stories of Reuters-21578 of each of the classes, named with commas between them."""
    whole = _reuters()
    kept = [i for i, label in enumerate(whole.labels) if label in classes.split(",")]
    drawn = np.array(sample_by_class(kept, [whole.labels[i] for i in kept], PER_CLASS))
    counts = whole.counts[drawn].astype(np.float64)
    return Data(counts[:, np.flatnonzero(counts.count_nonzero(axis=0))], whole.labels[drawn])


@cache
def _reuters() -> Data:
    corpus = load_reuters(7, RIGOUSTE)
    assert corpus.labels is not None
    return Data(corpus.counts, corpus.labels)
