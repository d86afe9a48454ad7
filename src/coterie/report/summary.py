"""What a clustering found, as plain data: the page, the tables and the terminal all read it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
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
    rows_at,
)
from coterie.report.typical import typical_documents
from coterie.report.word_clusters import WordCluster, word_clusters
from coterie.report.wording import encodable, excerpt
from coterie.report.words import WordProfile, WordWeight, cluster_name, read_words
from coterie.types import Array, Labels

if TYPE_CHECKING:
    from coterie.corpus import Corpus

N_DOUBTFUL = 10
CERTAIN_MARGIN = 0.9
LEAST_MASS = 1e-6


@dataclass(frozen=True)
class TypicalDocument:
    """A document that shows what its cluster is about; `position` is its row in the corpus."""

    position: int
    id: str
    title: str
    label: str | None
    probability: float
    excerpt: str


@dataclass(frozen=True)
class Cluster:
    """One cluster: `number` counts from the largest, `index` is the model's own.

    `size` counts the documents that choose it first, `mass` adds up their and everyone
    else's probabilities, and `mean_probability` is that of its own documents.
    """

    number: int
    index: int
    name: str
    size: int
    share: float
    mass: float
    mean_probability: float
    words: tuple[WordWeight, ...]
    documents: tuple[TypicalDocument, ...]


@dataclass(frozen=True, eq=False)
class Summary:
    """Everything a report shows, clusters from the largest to the smallest.

    `history` holds None where the objective was not finite. `scores` compares the clusters
    with the labels of the documents that have one, and is None where there are none.
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
    scores: Scores | None

    def to_json(self) -> dict[str, Any]:
        """Give the summary as plain values, every number finite."""
        plain: dict[str, Any] = _plain(self)
        return plain


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
    merely long one comes first; a title is shown once if others are left. Doubtful documents
    are those between two clusters.

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
    profile = read_words(model, corpus, assignments)
    lengths = np.asarray(corpus.counts.sum(axis=1, dtype=np.float64)).ravel()
    typical = {
        index: typical_documents(index, corpus, assignments, profile, lengths, n_documents)
        for index in range(assignments.n_clusters)
    }
    excerpts, missing = _excerpts(corpus, [p for each in typical.values() for p in each])
    clusters = tuple(
        _cluster(int(index), corpus, assignments, profile, n_words, typical, excerpts)
        for index in assignments.order
    )
    return Summary(
        title=encodable(title),
        method=encodable(method),
        clusters=clusters,
        word_clusters=word_clusters(model, corpus, assignments, profile),
        doubtful=_doubtful(corpus, assignments, lengths),
        scores=_scores(corpus, assignments),
        n_documents=len(corpus),
        n_empty_documents=int((lengths == 0).sum()),
        n_words=len(profile.words),
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
        "parameters": {name: _parameter(value) for name, value in parameters.items()},
        "n_iterations": None if n_iterations is None else int(n_iterations),
        "converged": None if converged is None else bool(converged),
        "history": tuple(value if math.isfinite(value) else None for value in history.tolist()),
    }


def _excerpts(corpus: "Corpus", positions: list[Any]) -> tuple[dict[int, str], list[str]]:
    """Read the texts of a few documents in one go, or say why they cannot be had."""
    chosen = sorted(int(position) for position in positions)
    if not chosen:
        return {}, []
    try:
        texts = corpus.texts(chosen)
    except (InputError, OSError) as error:
        return {}, [f"Excerpts are missing: {error}"]
    return {
        position: excerpt(text, corpus.titles[position])
        for position, text in zip(chosen, texts, strict=True)
    }, []


def _cluster(
    index: int,
    corpus: "Corpus",
    assignments: Assignments,
    profile: WordProfile,
    n_words: int,
    typical: Mapping[int, Labels],
    excerpts: Mapping[int, str],
) -> Cluster:
    size = int(assignments.sizes[index])
    mass = float(assignments.memberships[:, index].sum(dtype=np.float64))
    words = profile.top(index, n_words) if size or mass > LEAST_MASS else ()
    members = assignments.memberships[assignments.members(index), index]
    return Cluster(
        number=int(assignments.numbers[index]),
        index=index,
        name=cluster_name(words) or "(no words)",
        size=size,
        share=size / len(corpus),
        mass=mass,
        mean_probability=float(members.mean(dtype=np.float64)) if size else 0.0,
        words=words,
        documents=tuple(
            TypicalDocument(
                position=int(position),
                id=encodable(corpus.ids[position]),
                title=encodable(corpus.titles[position]),
                label=label_at(corpus, position),
                probability=float(assignments.memberships[position, index]),
                excerpt=excerpts.get(int(position), ""),
            )
            for position in typical[index]
        ),
    )


def _doubtful(
    corpus: "Corpus", assignments: Assignments, lengths: Array
) -> tuple[DocumentRow, ...]:
    """List the documents nearest to a second cluster, leaving out those that are certain."""
    if assignments.n_clusters == 1:
        return ()
    margins = assignments.probabilities - assignments.second_choices()[1]
    open_questions = np.flatnonzero((lengths > 0) & (margins < CERTAIN_MARGIN))
    order = np.argsort(margins[open_questions], kind="stable")[:N_DOUBTFUL]
    return tuple(rows_at(assignments, corpus, open_questions[order]))


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


def _parameter(value: Any) -> Any:
    """Make a parameter plain: what JSON cannot hold is named by its kind."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}"
    if isinstance(value, list | tuple):
        return [_parameter(each) for each in value]
    return type(value).__name__


def _plain(value: Any) -> Any:
    if isinstance(value, Scores):
        return value.as_dict()
    if isinstance(value, DocumentRow):
        return value._asdict()
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value
