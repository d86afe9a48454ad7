"""Everything that is reported of a clustering, computed once: writers read nothing else."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coterie.arrays import row_sums
from coterie.errors import InputError
from coterie.evaluation import Scores, evaluate
from coterie.findings.assignments import (
    Assignments,
    DocumentRow,
    DocumentRows,
    FittedModel,
    document_rows,
    doubtful_positions,
    read_assignments,
)
from coterie.findings.boilerplate import Mask
from coterie.findings.clusters import (
    Cluster,
    RankedWords,
    ViewWords,
    cluster_names,
    describe_cluster,
    describe_typical,
    rank_words,
    read_excerpts,
    term_rows,
    typical_documents,
)
from coterie.findings.duplicates import (
    Duplicates,
    alike_documents,
    find_duplicates,
    link_documents,
)
from coterie.findings.edits import (
    Documents,
    Edit,
    Numbers,
    Rename,
    documents_after,
    numbers_after,
    rows_after,
)
from coterie.findings.hierarchy import Hierarchy, level_labels, name_tree, words_for_names
from coterie.findings.remembering import LARGE, Remembered, checksum
from coterie.findings.texts import encodable
from coterie.findings.tree import read_tree
from coterie.findings.trust import (
    CalibrationCurve,
    NumberOfClusters,
    read_calibration,
    read_number_of_clusters,
)
from coterie.findings.word_clusters import WordCluster, read_word_clusters
from coterie.findings.words import TermRow, ViewProfile, read_words, view_counts
from coterie.types import Array, Counts, Labels

if TYPE_CHECKING:
    from coterie.corpus import Corpus

N_TERMS = 50
TABLES = ("documents", "terms", "levels")
"""What has a table of its own and is left out of the JSON."""


@dataclass(frozen=True, eq=False)
class Summary:
    """Everything a report shows, clusters in the order of their labels.

    `interrupted` tells that Ctrl-C ended the fit, which kept the best result so far. `history`
    holds None where the objective was not finite. `scores` compares the clusters with the
    labels of the documents that have one, and is None where there are none. So are `number`,
    `calibration` and `hierarchy` where the model does not provide them. `documents` has a row
    for each document, `terms` at least 50 words a cluster where it has as many, and `levels`
    the group of each document by the number of groups.
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
    interrupted: bool
    seconds: float | None
    history: tuple[float | None, ...]
    notes: tuple[str, ...]
    clusters: tuple[Cluster, ...]
    word_clusters: tuple[WordCluster, ...]
    doubtful: tuple[DocumentRow, ...]
    duplicates: Duplicates
    number: NumberOfClusters | None
    calibration: CalibrationCurve | None
    hierarchy: Hierarchy | None
    documents: DocumentRows
    terms: tuple[TermRow, ...]
    levels: dict[int, Labels]

    @cached_property
    def scores(self) -> Scores | None:
        """The clusters compared with the labels, computed when it is first asked for."""
        return _scores(self.documents, self.documents.assignments)

    def to_json(self) -> dict[str, Any]:
        """Give the summary without its tables as plain values, every number finite."""
        names = [field.name for field in fields(self) if field.name not in TABLES]
        return {name: plain(getattr(self, name)) for name in [*names, "scores"]}


def summarize(
    model: FittedModel,
    corpus: "Corpus",
    *,
    method: str,
    title: str = "",
    seconds: float | None = None,
    n_words: int = 12,
    n_documents: int = 5,
    edits: Sequence[Edit] = (),
) -> Summary:
    """Compute all that is reported of a model fitted to a corpus, after some edits.

    Words are ranked by p(w|k) log(p(w|k) / p(w)). Typical documents are the most probable
    ones, in steps of 0.05; among equals, those with the largest sum of log-lifts over the
    square root of their length; a title is shown once if others are left. Doubtful are the
    documents whose cluster has less than half of their probability, or a second that is close.
    Documents of dropped clusters are left out.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from coterie.corpus import Corpus, TextOptions
    >>> english = TextOptions(language="en")
    >>> texts = ["green tea", "dark rum", "black tea"]
    >>> corpus = Corpus.from_texts(texts, options=english)
    >>> labels = np.array([0, 1, 0])
    >>> model = SimpleNamespace(labels_=labels, memberships_=np.eye(2)[labels])
    >>> summary = summarize(model, corpus, method="by hand")
    >>> [(cluster.number, cluster.size, cluster.name) for cluster in summary.clusters]
    [(1, 2, 'tea · black · green'), (2, 1, 'dark · rum')]
    """
    found = find(model, corpus, edits)
    return describe(
        found, model, method=method, title=title, seconds=seconds, n_words=n_words,
        n_documents=n_documents,
    )  # fmt: skip


def describe(
    found: "Found",
    model: FittedModel,
    *,
    method: str,
    title: str = "",
    seconds: float | None = None,
    n_words: int = 12,
    n_documents: int = 5,
    remembered: Remembered | None = None,
) -> Summary:
    """The summary of what was found; what is remembered is not computed again."""
    _check_counts(n_words=n_words, n_documents=n_documents)
    remembered = Remembered() if remembered is None else remembered
    corpus, assignments, views = found.corpus, found.assignments, found.views
    lengths = np.sum([row_sums(view.counts) for view in views], axis=0)
    labels = range(assignments.n_clusters)
    alive = [number - 1 for number in found.numbers.alive]
    about = [_about(found, label) for label in labels]
    typical = [
        remembered(
            [n_documents, about[k], assignments.memberships[assignments.members(k), k]],
            typical_documents, k, corpus, assignments, views, lengths, n_documents,
        )
        for k in labels
    ]  # fmt: skip
    chosen = np.concatenate(typical)
    excerpts, missing = remembered([corpus, chosen], read_excerpts, corpus, chosen, most=LARGE)
    documents = document_rows(assignments, corpus)
    of_doubtful = doubtful_positions(assignments)
    doubtful = documents.some(of_doubtful)
    n_doubtful = np.bincount(assignments.labels[of_doubtful], minlength=len(labels))
    n_ranked = max(N_TERMS, n_words)
    ranked = [
        remembered(
            [n_ranked, about[k], assignments.is_empty(k)],
            rank_words, k, assignments, views, n_ranked,
        )
        for k in labels
    ]  # fmt: skip
    shown = [_first_words(each, n_words) for each in ranked]
    tables = [view.words.clusters for view in views]
    names = list(
        remembered([shown, assignments.sizes, tables], cluster_names, shown, assignments, views)
    )
    for number, name in found.numbers.names.items():
        names[number - 1] = encodable(name)
    hierarchy, levels = _levels(model, found, names, remembered)
    near = not getattr(model, "interrupted_", False)  # whoever stops a fit will not wait
    return Summary(
        title=encodable(title),
        method=encodable(method),
        clusters=tuple(
            describe_cluster(
                label, names[label], shown[label],
                describe_typical(typical[label], documents, excerpts),
                int(n_doubtful[label]), assignments,
            )
            for label in alive
        ),
        word_clusters=read_word_clusters(
            model, corpus, assignments, views[0].words, found.links
        ),
        doubtful=doubtful,
        duplicates=find_duplicates(
            documents,
            remembered(
                [found.positions, near],
                alike_documents,
                found.all_counts,
                remembered([near], link_documents, found.all_counts, near),
                found.positions,
                most=LARGE,
            ),
        ),
        number=read_number_of_clusters(model, len(alive)),
        calibration=read_calibration(model),
        hierarchy=hierarchy,
        documents=documents,
        terms=tuple(
            row for row in term_rows(ranked) if row.cluster in found.numbers.alive
        ),
        levels=levels,
        n_documents=len(corpus),
        n_empty_documents=int((lengths == 0).sum()),
        n_words=sum(len(view.words.words) for view in views),
        n_tokens=round(float(lengths.sum())),
        seconds=None if seconds is None else float(seconds),
        notes=tuple(
            encodable(line) for line in [*corpus.notes.lines(), *found.notes, *missing]
        ),
        **_fitting(model),
    )  # fmt: skip


class Found(NamedTuple):
    """Documents, clusters and words after some edits, without those of dropped clusters."""

    corpus: "Corpus"
    assignments: Assignments
    views: tuple[ViewProfile, ...]
    numbers: Numbers
    links: Array | None
    positions: Labels
    """Rows of the documents in the whole corpus."""
    notes: tuple[str, ...]
    all_counts: tuple[Counts, ...]
    """Counts of the whole corpus in each view."""


def find(model: FittedModel, corpus: "Corpus", edits: Sequence[Edit] = ()) -> Found:
    """Apply edits to what a model found in a corpus."""
    fitted = read_assignments(model, corpus)
    numbers = numbers_after(edits, fitted.n_clusters)
    masses = fitted.memberships.sum(axis=0, dtype=np.float64)
    place = {name: position for position, name in enumerate(corpus.ids)} if edits else {}
    documents = Documents(fitted.memberships, fitted.labels, corpus, place)
    memberships, labels, _, _ = documents_after(edits, documents)
    kept = np.flatnonzero(~np.isin(labels + 1, list(numbers.dropped)))
    if not len(kept):
        raise InputError("drop: no document is in another cluster; expected to keep one")
    links = getattr(model, "cluster_word_clusters_", None)
    notes: tuple[str, ...] = ()
    all_counts = view_counts(model, corpus)
    if len(kept) < len(corpus):
        n_aside = len(corpus) - len(kept)
        noun = "document" if n_aside == 1 else "documents"
        notes = (f"{n_aside:,} {noun} of dropped clusters set aside",)
        corpus, memberships, labels = corpus[kept], memberships[kept], labels[kept]
    assignments = Assignments(memberships, labels, numbers.gone)
    views = read_words(model, corpus, assignments, edits, masses)
    links = None if links is None else rows_after(edits, links, masses)
    return Found(corpus, assignments, views, numbers, links, kept, notes, all_counts)


def found_after(
    model: FittedModel, corpus: "Corpus", edits: Sequence[Edit], remembered: Remembered
) -> Found:
    """The same; names change neither documents nor words, so that a renaming finds nothing."""
    others = [edit for edit in edits if not isinstance(edit, Rename)]
    found = remembered([corpus, *others], find, model, corpus, others, most=LARGE)
    return found._replace(numbers=numbers_after(edits, model.memberships_.shape[1]))


def _about(found: Found, label: int) -> tuple[Any, ...]:
    """What the words and the documents of a cluster depend on."""
    views = [(view.words.clusters[label], view.words.corpus) for view in found.views]
    alone = found.assignments.n_clusters == 1
    return checksum(found.positions), alone, found.assignments.members(label), views


def words_of_name(
    found: Found, remembered: Remembered, inside: Mask, background: Mask | None = None
) -> list[list[str]]:
    """Words of each view that distinguish some documents from others, or from all."""
    inputs = found.positions, inside, background, [view.words.corpus for view in found.views]
    return remembered(inputs, words_for_names, found.views, inside, background)


def _first_words(ranked: Sequence[RankedWords], n_words: int) -> tuple[ViewWords, ...]:
    """The words of a cluster that are shown, in each view."""
    return tuple(ViewWords(each.view, each.words[:n_words], each.blocks) for each in ranked)


def _levels(
    model: FittedModel, found: Found, names: Sequence[str], remembered: Remembered
) -> tuple[Hierarchy | None, dict[int, Labels]]:
    """The tree of clusters with names, and the group of each document at each level."""
    assignments = found.assignments
    tree = read_tree(model, assignments, found.views)
    if tree is None:
        return None, {assignments.n_clusters: assignments.labels + 1}
    hierarchy = name_tree(tree, names, partial(words_of_name, found, remembered))
    return hierarchy, level_labels(hierarchy, tree.finest)


def _fitting(model: FittedModel) -> dict[str, Any]:
    """Describe the model and its fit, as far as it tells."""
    n_iterations = getattr(model, "n_iter_", None)
    converged = getattr(model, "converged_", None)
    parameters = model.get_params() if hasattr(model, "get_params") else {}
    history = np.asarray(getattr(model, "history_", ()), dtype=np.float64).ravel()
    return {
        "model": type(model).__name__,
        "parameters": {name: plain_parameter(value) for name, value in parameters.items()},
        "n_iterations": None if n_iterations is None else int(n_iterations),
        "converged": None if converged is None else bool(converged),
        "interrupted": bool(getattr(model, "interrupted_", False)),
        "history": tuple(value if math.isfinite(value) else None for value in history.tolist()),
    }


def _scores(documents: DocumentRows, assignments: Assignments) -> Scores | None:
    """Compare the clusters with the labels; documents without one are left out."""
    classes = documents.classes(range(len(documents)))
    labelled = [position for position, label in enumerate(classes) if label]
    if not labelled:
        return None
    return evaluate(
        [classes[position] for position in labelled],
        (assignments.labels[labelled] + 1).tolist(),
        assignments.memberships[labelled],
    )


def _check_counts(**counts: int) -> None:
    for name, value in counts.items():
        if value < 0:
            raise InputError(f"{name}: expected a number of at least 0, got {value}")


def plain_parameter(value: Any) -> Any:
    """Make a parameter plain; what JSON cannot hold becomes the name of its type."""
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
        return [plain_parameter(each) for each in value]
    return type(value).__name__


def plain(value: Any) -> Any:
    """Give a result as dicts, lists and plain values."""
    if isinstance(value, Scores):
        return value.as_dict()
    if isinstance(value, DocumentRow):
        return value._asdict()
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(each) for each in value]
    return value
