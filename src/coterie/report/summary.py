"""What a clustering found, as plain data: the page, the tables and the terminal all read it."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.errors import InputError
from coterie.evaluation import Scores, evaluate
from coterie.report.assignments import (
    Assignments,
    Clustering,
    DocumentRow,
    label_at,
    read_assignments,
)
from coterie.report.clusters import (
    Cluster,
    cluster_names,
    describe,
    read_excerpts,
    telling_words,
)
from coterie.report.doubtful import doubtful_documents
from coterie.report.duplicates import Duplicates, find_duplicates
from coterie.report.hierarchy import Hierarchy, read_hierarchy
from coterie.report.plain import parameter, plain
from coterie.report.trust import (
    Calibration,
    NumberOfClusters,
    calibration,
    number_of_clusters,
)
from coterie.report.typical import typical_documents
from coterie.report.word_clusters import WordCluster, word_clusters
from coterie.report.wording import encodable
from coterie.report.words import read_words

if TYPE_CHECKING:
    from coterie.corpus import Corpus


@dataclass(frozen=True, eq=False)
class Summary:
    """Everything a report shows, clusters from the largest to the smallest.

    `history` holds None where the objective was not finite. `scores` compares the clusters
    with the labels of the documents that have one, and is None where there are none. So are
    `number`, `calibration` and `hierarchy` where the model does not tell.
    """

    title: str
    method: str
    model: str
    parameters: dict[str, Any]
    n_documents: int
    n_empty_documents: int
    n_words: int
    n_tokens: int
    n_iterations: int | None
    converged: bool | None
    seconds: float | None
    history: tuple[float | None, ...]
    notes: tuple[str, ...]
    clusters: tuple[Cluster, ...]
    word_clusters: tuple[WordCluster, ...]
    doubtful: tuple[DocumentRow, ...]
    duplicates: Duplicates
    number: NumberOfClusters | None
    calibration: Calibration | None
    hierarchy: Hierarchy | None
    scores: Scores | None

    def to_json(self) -> dict[str, Any]:
        """Give the summary as plain values, every number finite."""
        values: dict[str, Any] = plain(self)
        return values


def summarize(
    model: Clustering,
    corpus: "Corpus",
    *,
    method: str,
    title: str = "",
    seconds: float | None = None,
    n_words: int = 12,
    n_documents: int = 5,
) -> Summary:
    """Say what a fitted model found in the corpus it was fitted to.

    Words are ranked by p(w|k) log(p(w|k) / p(w)). Typical documents are the most probable
    ones, in steps of 0.05; among equals, those whose words speak most for the cluster, in
    total over the square root of their length, so that neither a lucky short document nor a
    merely long one comes first; a title is shown once if others are left. Doubtful are the
    documents whose cluster has less than half of their probability, or a second that is close.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from coterie.corpus import Corpus, TextOptions
    >>> english = TextOptions(language="en")
    >>> texts = ["green tea", "dark rum", "black tea"]
    >>> corpus = Corpus.from_texts(texts, options=english)
    >>> labels = np.array([1, 0, 1])
    >>> model = SimpleNamespace(labels_=labels, memberships_=np.eye(2)[labels])
    >>> summary = summarize(model, corpus, method="by hand")
    >>> [(cluster.number, cluster.size, cluster.name) for cluster in summary.clusters]
    [(1, 2, 'tea · black · green'), (2, 1, 'dark · rum')]
    """
    _check_counts(n_words=n_words, n_documents=n_documents)
    assignments = read_assignments(model, corpus)
    views = read_words(model, corpus, assignments)
    lengths = np.asarray(
        sum(view.counts.sum(axis=1, dtype=np.float64) for view in views)
    ).ravel()
    typical = {
        index: typical_documents(index, corpus, assignments, views, lengths, n_documents)
        for index in range(assignments.n_clusters)
    }
    excerpts, missing = read_excerpts(corpus, [p for each in typical.values() for p in each])
    doubtful = doubtful_documents(corpus, assignments)
    told = [telling_words(index, assignments, views, n_words) for index in assignments.order]
    names = cluster_names(told, assignments, views)
    clusters = tuple(
        describe(words, name, corpus, assignments, doubtful, typical, excerpts)
        for words, name in zip(told, names, strict=True)
    )
    return Summary(
        title=encodable(title),
        method=encodable(method),
        clusters=clusters,
        word_clusters=word_clusters(model, corpus, assignments, views[0].words),
        doubtful=doubtful,
        duplicates=find_duplicates(corpus, assignments, [view.counts for view in views]),
        number=number_of_clusters(model, assignments.n_clusters),
        calibration=calibration(model),
        hierarchy=read_hierarchy(model, assignments, views, names),
        scores=_scores(corpus, assignments),
        n_documents=len(corpus),
        n_empty_documents=int((lengths == 0).sum()),
        n_words=sum(len(view.words.words) for view in views),
        n_tokens=round(float(lengths.sum())),
        seconds=None if seconds is None else float(seconds),
        notes=tuple(encodable(line) for line in [*corpus.notes.lines(), *missing]),
        **_fitting(model),
    )


def _fitting(model: Clustering) -> dict[str, Any]:
    """Describe the model and its fit, as far as it tells."""
    n_iterations = getattr(model, "n_iter_", None)
    converged = getattr(model, "converged_", None)
    parameters = model.get_params() if hasattr(model, "get_params") else {}
    history = np.asarray(getattr(model, "history_", ()), dtype=np.float64).ravel()
    return {
        "model": type(model).__name__,
        "parameters": {name: parameter(value) for name, value in parameters.items()},
        "n_iterations": None if n_iterations is None else int(n_iterations),
        "converged": None if converged is None else bool(converged),
        "history": tuple(value if math.isfinite(value) else None for value in history.tolist()),
    }


def _scores(corpus: "Corpus", assignments: Assignments) -> Scores | None:
    """Compare the clusters, by number, with the labels; documents without one are left out."""
    if corpus.labels is None:
        return None
    labels = [label_at(corpus, position) for position in range(len(corpus))]
    labelled = np.flatnonzero([bool(label) for label in labels])
    if not len(labelled):
        return None
    return evaluate(
        [labels[position] for position in labelled],
        assignments.numbers[assignments.labels[labelled]].tolist(),
        assignments.memberships[labelled],
    )


def _check_counts(**counts: int) -> None:
    for name, value in counts.items():
        if value < 0:
            raise InputError(f"{name}: expected a number of at least 0, got {value}")
