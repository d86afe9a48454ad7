"""Experiments that fit a method to a corpus and compare its clusters with the classes."""

import time
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie import watching
from coterie.evaluation import (
    ari,
    class_scores,
    micro_precision,
    nmi,
    pairwise_scores,
    pairwise_scores_soft,
)
from coterie.methods import AUTO, method
from coterie_papers.cells import Cell, Scores
from coterie_papers.corpora import Data, load

PAPERS_START = {"mm": "dirichlet", "mm-gibbs": "dirichlet", "ext-plsa": "random"}
"""Starts of the papers, for methods whose default is another."""

LEFT_OUT = {AUTO: {"calibrated": False}}
"""Settings that save time and change no cluster."""

FEW = {AUTO: {"growths": ((500, 3),), "ranks": (20,)}}
"""Candidates of a quick run."""

SECONDS = {"lda": 120.0, "nmf": 6.0, "p-mm": 6.0, "p-plsa": 8.0, "ext-plsa": 7.0, "plsa": 4.0,
           "c-plsa": 2.0, "mm-incremental+ext-plsa": 12.0, "mm-incremental+2plsa": 12.0,
           "ldcc": 10.0, AUTO: 40.0}  # fmt: skip
"""Estimated seconds of a fit to 20 Newsgroups in one thread; other methods take one."""


def unfitted(
    name: str,
    n_clusters: int,
    seed: int,
    n_word_clusters: int | None = None,
    *,
    few: bool = False,
    **parameters: Any,
) -> Any:
    """A method as the experiments fit it, from the papers' start; `few` is for a quick look.

    `parameters` are those of the estimator that differ from the method's.
    """
    init = PAPERS_START.get(name)
    model = method(name).make(n_clusters, init=init, seed=seed, n_word_clusters=n_word_clusters)
    fewer = FEW.get(name, {}) if few else {}
    return model.set_params(**LEFT_OUT.get(name, {}), **fewer, **parameters)


def fitted(
    name: str,
    data: Data,
    n_clusters: int,
    seed: int,
    words: int | None = None,
    **others: Any,
) -> Any:
    """A fitted method; in "first+second" the second starts from the clusters of the first."""
    first, _, then = name.partition("+")
    model = unfitted(first, n_clusters, seed, words, **others)
    texts = data.corpus if first == "ldcc" and data.corpus is not None else data.counts
    model = complete(model.fit(texts))
    if then:
        refined = unfitted(then, n_clusters, seed, words, init=model.memberships_)
        model = complete(refined.fit(data.counts))
    return model


def complete(model: Any) -> Any:
    """The model, unless Ctrl-C ended its fit: a result of the papers is whole or none."""
    if model.interrupted_:
        raise KeyboardInterrupt
    return model


def scores(cell: Cell) -> Scores:
    """Precision, NMI and ARI of one fit with as many clusters as there are classes."""
    data = load(cell.corpus)
    started = time.process_time()
    model = fitted(
        cell.method, data, data.n_classes, cell.seed, cell.setting("words"), **_others(cell)
    )
    seconds = time.process_time() - started
    return {
        "precision": micro_precision(data.labels, model.labels_),
        "nmi": nmi(data.labels, model.labels_),
        "ari": ari(data.labels, model.labels_),
        "seconds": seconds,
        "n_iter": int(model.n_iter_),
        "converged": bool(model.converged_),
        "classes": {
            str(row.name): [row.precision, row.recall]
            for row in class_scores(data.labels, model.labels_)
        },
    }


def pairs(cell: Cell) -> Scores:
    """Pairwise precision, recall and F1 by memberships, and by labels in `hard`."""
    data = load(cell.corpus)
    started = time.process_time()
    n_clusters = cell.setting("clusters", data.n_classes)
    model = fitted(
        cell.method, data, n_clusters, cell.seed, cell.setting("words"), **_others(cell)
    )
    seconds = time.process_time() - started
    hard = pairwise_scores(data.labels, model.labels_)
    soft = pairwise_scores_soft(data.labels, model.memberships_)
    return {
        "precision": soft.precision,
        "recall": soft.recall,
        "f1": soft.f1,
        "hard": list(hard),
        "nmi": nmi(data.labels, model.labels_),
        "seconds": seconds,
    }


def shape(cell: Cell) -> Scores:
    """Documents, words and the share of every class; nothing is fitted."""
    data = load(cell.corpus)
    names, sizes = np.unique(data.labels.astype(str), return_counts=True)
    shares = sizes / sizes.sum()
    order = np.argsort(-shares, kind="stable")
    return {
        "documents": int(data.counts.shape[0]),
        "words": int(data.counts.shape[1]),
        "nonzeros": int(data.counts.nnz),
        "classes": {str(names[i]): float(shares[i]) for i in order},
    }


def step_seconds(cell: Cell) -> Scores:
    """Seconds of one iteration on a share of the documents or words, or with other sizes.

    Iterations are timed from the first report to the last: neither the start of a fit nor the
    assignment of its documents at the end, which has iterations of its own, is among them.
    """
    data = load(cell.corpus)
    rng = np.random.default_rng(cell.seed)
    n, m = data.counts.shape
    rows = np.sort(rng.permutation(n)[: round(n * cell.setting("documents", 1.0))])
    columns = np.sort(rng.permutation(m)[: round(m * cell.setting("vocabulary", 1.0))])
    part = Data(data.counts[rows][:, columns], data.labels[rows])
    steps = cell.setting("steps", 10)
    K, L = cell.setting("clusters", data.n_classes), cell.setting("words", 10)
    model = method(cell.method).make(
        K, seed=0, n_word_clusters=L, max_iter=steps, init=PAPERS_START.get(cell.method)
    )
    model.set_params(tol=0)
    clone(model).set_params(max_iter=1).fit(part.counts[:200])  # compiles
    reported: list[float] = []
    taken = []
    for _ in range(3):
        reported.clear()
        with watching(lambda _: reported.append(time.process_time())):
            model.fit(part.counts)
        taken.append((reported[-1] - reported[0]) / (len(reported) - 1))
    return {"seconds": min(taken), "nonzeros": int(part.counts.nnz)}


def _others(cell: Cell) -> dict[str, Any]:
    """Settings of a cell beside its sizes."""
    return {name: value for name, value in cell.settings if name not in ("words", "clusters")}
