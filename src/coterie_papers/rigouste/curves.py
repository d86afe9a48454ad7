"""Curves of Rigouste, Cappé and Yvon: scores of the mixture after every iteration.

All models are fitted to three of four folds; the mutual information with the classes and
the perplexity are computed on the fourth.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from coterie import engine, executors, starts
from coterie.evaluation import mi_f_score, perplexity
from coterie.inference import IncrementalVocabulary
from coterie.inference.hierarchical import divided
from coterie.inference.strategy import most_frequent
from coterie.models.gibbs import draw_clusters, draw_parameters, posteriors
from coterie.models.mixture import MultinomialMixture
from coterie.starts import Dirichlet
from coterie.types import Array, Counts
from coterie_papers.cells import Cell, Scores
from coterie_papers.clustering import complete, fitted
from coterie_papers.collections.recipes import stratified_folds
from coterie_papers.corpora import Data, load

N_FOLDS = 4
CLOSE_TO_EQUAL = 100.0
"""Parameter of the Dirichlet draws: initial memberships are near one another."""


def folds(cell: Cell) -> tuple[Data, Data]:
    """The training and the test part of the cell's fold."""
    data = load(cell.corpus)
    data = Data(data.counts.astype(np.float64), data.labels)
    fold = stratified_folds(data.labels, N_FOLDS)
    test = fold == cell.setting("fold", 0)
    return data.take(np.flatnonzero(~test)), data.take(np.flatnonzero(test))


def em(cell: Cell) -> Scores:
    """EM from a Dirichlet, k-means or label start, on all words or the most frequent."""
    train, test = _reduced(*folds(cell), cell.setting("n_words"))
    K = train.n_classes
    init: Any = cell.method
    if cell.method == "labels":
        init = np.unique(train.labels.astype(str), return_inverse=True)[1]
    elif cell.method == "dirichlet":
        init = Dirichlet(CLOSE_TO_EQUAL)
    model = MultinomialMixture(K, init=init)
    started = time.process_time()
    rows = [_point(each, train, test) for each in _steps(model, train.counts, cell)]
    words = train.counts.sum(axis=0) + model.word_prior - 1
    unigram = float((test.counts @ np.log(words / words.sum())).sum())
    return {
        **_columns(rows),
        "unigram": perplexity(unigram, float(test.counts.sum())),
        "seconds": time.process_time() - started,
    }


def hierarchical(cell: Cell) -> Scores:
    """Two themes first, then each split in two (section 5)."""
    train, test = folds(cell)
    rng = np.random.default_rng(cell.seed)
    started = time.process_time()
    n_steps = cell.setting("steps")
    two = MultinomialMixture(2, init=Dirichlet(CLOSE_TO_EQUAL))
    rows = []
    model: Any = None
    for model in _steps(two, train.counts, cell, n_steps // 2):
        rows.append(_point(model, train, test))
    split = divided(model.memberships_, np.array([0, 0, 1, 1]), 10.0, rng)
    four = MultinomialMixture(4, init=split)
    for model in _steps(four, train.counts, cell, n_steps - n_steps // 2):
        rows.append(_point(model, train, test))
    return {**_columns(rows), "seconds": time.process_time() - started}


def incremental(cell: Cell) -> Scores:
    """The incremental vocabulary (section 7), scored at the end of each of its sizes.

    A search that ends at a size equals, up to there, the search that goes on.
    """
    train, test = folds(cell)
    n_words = train.counts.shape[1]
    sizes = [*(size for size in cell.setting("sizes") if size < n_words), n_words]
    started = time.process_time()
    rows = []
    for step, size in enumerate(sizes):
        smaller, held_out = _reduced(train, test, size)
        search = IncrementalVocabulary(
            MultinomialMixture(train.n_classes),
            vocabulary_sizes=sizes[: step + 1],
            n_init=cell.setting("runs"),
            n_kept=cell.setting("kept"),
            concentration=cell.setting("concentration"),
            random_state=cell.seed,
        ).fit(smaller.counts)
        complete(search)
        rows.append(_point(search, smaller, held_out))
    return {**_columns(rows), "sizes": sizes, "seconds": time.process_time() - started}


def automatic(cell: Cell) -> Scores:
    """`auto` on all words, scored at its end."""
    train, test = folds(cell)
    started = time.process_time()
    few = cell.setting("few", False)
    model = fitted(cell.method, train, train.n_classes, cell.seed, few=few)
    placed = model.predict_proba(test.counts)
    return {
        "f_score": [mi_f_score(test.labels, placed)],
        "by_labels": [mi_f_score(test.labels, np.eye(train.n_classes)[placed.argmax(axis=1)])],
        "seconds": time.process_time() - started,
    }


def gibbs(cell: Cell) -> Scores:
    """The sampler of section 8, scored every so many sweeps."""
    train, test = folds(cell)
    X, K = train.counts, train.n_classes
    rng = np.random.default_rng(cell.seed)
    prior = MultinomialMixture(K)
    started = time.process_time()
    labels = draw_clusters(starts.dirichlet(X.shape[0], K, CLOSE_TO_EQUAL, rng), rng)
    rows, sweeps = [], []
    for sweep in range(1, cell.setting("sweeps") + 1):
        draw = draw_parameters(X, labels, K, prior.cluster_prior, prior.word_prior, rng)
        posterior, likelihood = posteriors(X, draw)
        labels = draw_clusters(posterior, rng)
        if sweep % cell.setting("every") == 0 or sweep == 1:
            placed, _ = posteriors(test.counts, draw)
            sweeps.append(sweep)
            rows.append({"likelihood": likelihood, "f_score": mi_f_score(test.labels, placed)})
    return {**_columns(rows), "sweeps": sweeps, "seconds": time.process_time() - started}


def _steps(
    model: MultinomialMixture, X: Counts, cell: Cell, n_steps: int | None = None
) -> Iterator[MultinomialMixture]:
    """The model after each iteration of EM."""
    rng = np.random.default_rng(cell.seed)
    model.n_features_in_ = X.shape[1]
    model.vocabulary_ = None
    rows, shared = model._start(X, rng)
    first = engine.Run(_given(rows), shared)
    stopping = engine.Stopping(n_steps or cell.setting("steps"), -1.0)  # never converged
    for run in engine.iterate(model, engine.shards(X), first, executors.current(), stopping):
        model._publish(X, run.rows, run.shared)
        yield model


def _given(rows: Array) -> Callable[[], Array]:
    return lambda: rows


def _point(model: Any, train: Data, test: Data) -> dict[str, float]:
    held_out = model.log_likelihood(test.counts)
    return {
        "likelihood": model.log_likelihood(train.counts),
        "perplexity": perplexity(held_out, float(test.counts.sum())),
        "f_score": mi_f_score(test.labels, model.predict_proba(test.counts)),
    }


def _reduced(train: Data, test: Data, n_words: int | None) -> tuple[Data, Data]:
    if n_words is None or n_words >= train.counts.shape[1]:
        return train, test
    columns = most_frequent(train.counts, n_words)
    return Data(train.counts[:, columns], train.labels), Data(
        test.counts[:, columns], test.labels
    )


def _columns(rows: list[dict[str, float]]) -> dict[str, list[float]]:
    return {name: [row[name] for row in rows] for name in rows[0]}
