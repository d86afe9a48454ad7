"""Experiment of Kim et al. (2010): clusterings of documents in several languages."""

import time
from collections.abc import Callable
from dataclasses import dataclass
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
from coterie.types import Array, Counts, Ops
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
"""The stop of all strategies; the default stops while precision still rises."""

STRATEGIES: dict[str, Callable[..., Any]] = {
    "conc-plsa": lambda k, seed, **more: ConcPLSA(k, random_state=seed, **TO_THE_END | more),
    "fusion-lm": lambda k, seed, **more: FusionLM(
        k, random_state=seed, **TO_THE_END | _with_base(**more)
    ),
    "voted-plsa": lambda k, seed, **more: VotedPLSA(
        k, random_state=seed, **TO_THE_END | _with_base(**more)
    ),
    AUTO: lambda k, seed, **few: unfitted(AUTO, k, seed, **few),
    FUSED: lambda k, seed, **few: FusionLM(
        k, unfitted(AUTO, k, seed, **few), n_init=10, random_state=seed, **TO_THE_END
    ),
}


@dataclass(eq=False, repr=False)
class WholePLSA(PLSA):
    """PLSA whose documents belong wholly to their heaviest topic once it is fitted."""

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        mixes, log_likelihood = super()._assign(X, ops)
        return np.eye(self.n_clusters)[mixes.argmax(axis=1)], log_likelihood


def _with_base(
    init: str | None = None, whole: bool = False, second: str | None = None, **others: Any
) -> dict[str, Any]:
    """Parameters of a strategy, with the model of each view that some of them ask for."""
    first: Any = "plsa"
    if init or whole:
        first = (WholePLSA if whole else PLSA)(init=init or "random", **TO_THE_END)
    return {"base": (first, second) if second else first, **others}


@cache
def load(name: str) -> Corpus:
    """A collection of several views, a sample of it ("debian:300"), or a part ("debian/4/1").

    The last is the second of four parts with the same shares of classes.
    """
    whole, _, part = name.partition("/")
    if part:
        n_parts, number = map(int, part.split("/"))
        return _fold(load(whole), n_parts, number)
    base, _, size = whole.partition(":")
    corpus = LOADERS[base]()
    return _fold(corpus, max(1, round(len(corpus) / int(size))), 0) if size else corpus


def _fold(corpus: Corpus, n_folds: int, number: int) -> Corpus:
    assert corpus.labels is not None
    return corpus[np.flatnonzero(stratified_folds(corpus.labels, n_folds) == number)]


def scores(cell: Cell) -> Scores:
    """Precision and NMI; for votes also the share pre-assigned, and the precision on it.

    Settings are parameters of the strategy, `n_views` and `repeats` (see `voters`).
    """
    corpus = load(cell.corpus)
    assert corpus.labels is not None
    n_clusters = len(set(corpus.labels.tolist()))
    settings = dict(cell.settings)
    n_views, repeats = settings.pop("n_views", None), settings.pop("repeats", 1)
    started = time.process_time()
    model = None
    if cell.method == SINGLE:
        clusterings = _single(corpus, n_clusters, cell.seed)
    else:
        views: Any = with_all(corpus) if cell.method == FUSED else corpus
        if n_views or repeats > 1:
            views = voters(corpus, n_views, repeats, cell.seed)
        strategy = STRATEGIES[cell.method](n_clusters, cell.seed, **settings)
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
        precision = (
            micro_precision(corpus.labels[agreed], model.preassigned_[agreed])
            if agreed.any()
            else 0.0
        )
        result |= {"preassigned": float(agreed.mean()), "precision_preassigned": precision}
    return result


def voters(corpus: Corpus, n_views: int | None, repeats: int, seed: int) -> dict[str, Counts]:
    """Some of the views, others with each seed, each of them as often as `repeats` says.

    A view that is given several times votes several times, each time by a model of another
    start. PLSA on all of them has the mixes it has on each once.
    """
    names = list(corpus.views)
    chosen = [names[(seed + i) % len(names)] for i in range(n_views or len(names))]
    return {
        f"{name} {repeat + 1}": corpus.views[name].counts
        for repeat in range(repeats)
        for name in sorted(chosen, key=names.index)
    }


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
