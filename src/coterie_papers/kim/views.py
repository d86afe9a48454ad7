"""Experiment of Kim et al. (2010): clusterings of documents in several languages."""

import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from coterie.corpus import Corpus
from coterie.evaluation import micro_precision, nmi
from coterie.methods import AUTO
from coterie.models.plsa import PLSA
from coterie.multiview import ConcPLSA, FusionLM, VotedPLSA
from coterie.multiview.views import read_views
from coterie.types import Counts
from coterie_papers.cells import Cell, Scores
from coterie_papers.clustering import complete, unfitted
from coterie_papers.collections.multiview import (
    LANGUAGES,
    load_debian,
    load_reuters_600,
    load_reuters_multilingual,
)
from coterie_papers.collections.recipes import stratified_folds

LOADERS: dict[str, Callable[[], Corpus]] = {
    "reuters600": load_reuters_600,
    "debian": load_debian,
    **{f"multilingual-{name}": partial(load_reuters_multilingual, name) for name in LANGUAGES},
}
SINGLE, FUSED = "single views", "auto, fused"
TO_THE_END: dict[str, Any] = {"tol": 1e-7, "max_iter": 1000}
"""The default stops while precision still rises."""

STRATEGIES: dict[str, Callable[..., Any]] = {
    "conc-plsa": lambda k, seed: ConcPLSA(k, random_state=seed, **TO_THE_END),
    "fusion-lm": lambda k, seed: FusionLM(k, random_state=seed, **TO_THE_END),
    "voted-plsa": lambda k, seed: VotedPLSA(k, random_state=seed, **TO_THE_END),
    "voted-plsa, k-means starts": lambda k, seed: VotedPLSA(
        k, PLSA(init="kmeans"), random_state=seed, **TO_THE_END
    ),
    AUTO: lambda k, seed, **few: unfitted(AUTO, k, seed, **few),
    FUSED: lambda k, seed, **few: FusionLM(
        k, unfitted(AUTO, k, seed, **few), n_init=10, random_state=seed, **TO_THE_END
    ),
}


@cache
def load(name: str) -> Corpus:
    """A collection of several views, or a sample of it."""
    base, _, size = name.partition(":")
    corpus = LOADERS[base]()
    if not size:
        return corpus
    assert corpus.labels is not None
    folds = stratified_folds(corpus.labels, max(1, round(len(corpus) / int(size))))
    return corpus[np.flatnonzero(folds == 0)]


def scores(cell: Cell) -> Scores:
    """Precision and NMI; for votes also the share pre-assigned, and the precision on it."""
    corpus = load(cell.corpus)
    assert corpus.labels is not None
    n_clusters = len(set(corpus.labels.tolist()))
    started = time.process_time()
    model = None
    if cell.method == SINGLE:
        clusterings = _single(corpus, n_clusters, cell.seed)
    else:
        views = with_all(corpus) if cell.method == FUSED else corpus
        strategy = STRATEGIES[cell.method](n_clusters, cell.seed, **dict(cell.settings))
        model = strategy.fit(views)
        complete(model)
        clusterings = [model.labels_]
    result = {
        "precision": float(
            np.mean([micro_precision(corpus.labels, each) for each in clusterings])
        ),
        "nmi": float(np.mean([nmi(corpus.labels, each) for each in clusterings])),
        "seconds": time.process_time() - started,
    }
    if isinstance(model, VotedPLSA):
        agreed = model.preassigned_ >= 0
        precision = micro_precision(corpus.labels[agreed], model.preassigned_[agreed])
        result |= {"preassigned": float(agreed.mean()), "precision_preassigned": precision}
    return result


def with_all(corpus: Corpus) -> dict[str, Counts]:
    """The views, and all of them side by side as one more."""
    views = read_views(corpus)
    return {**views.counts, "all": views.words}


def _single(corpus: Corpus, n_clusters: int, seed: int) -> list[Any]:
    seeds = check_random_state(seed).randint(2**31, size=len(corpus.views))
    return [
        PLSA(n_clusters, random_state=int(each), **TO_THE_END).fit(view.counts).labels_
        for each, view in zip(seeds, corpus.views.values(), strict=True)
    ]
