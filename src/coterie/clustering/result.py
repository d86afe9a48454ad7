"""A clustering in hand: what was found, as tables; edits; new documents; a folder to keep."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coterie.arrays import row_sums
from coterie.clustering import levels, running, searching
from coterie.clustering.assigning import Assigner, document_columns
from coterie.clustering.layout import DISCS, check_layout
from coterie.clustering.sources import Reading
from coterie.clustering.tables import (
    column,
    frame,
    free_name,
    library_of,
    text_columns,
    texts_of,
    with_columns,
)
from coterie.corpus import Corpus
from coterie.errors import InputError, check_choice
from coterie.evaluation import Scores, evaluate
from coterie.findings import Cluster, Summary
from coterie.findings.assignments import Assignments, DocumentRows
from coterie.findings.clusters import rank_words, typical_documents
from coterie.findings.edits import (
    SET_ASIDE,
    Drop,
    Edit,
    Merge,
    Move,
    Numbers,
    Rename,
    Split,
    checked_names,
    numbers_after,
)
from coterie.findings.internal import InternalScores, internal_scores
from coterie.findings.remembering import Remembered
from coterie.findings.summary import Found, describe, found_after
from coterie.findings.texts import readable_word
from coterie.methods import AUTO
from coterie.report.html import FULL, LIGHT
from coterie.types import Labels

if TYPE_CHECKING:
    import pyarrow as pa

    from coterie.clustering.plots import Plots

MOST_HELD = 20_000_000  # counts of a corpus whose texts, some hundred MB, stay in memory
N_WORDS, N_DOCUMENTS = 20, 5
N_NAME_WORDS = 12
N_SHOWN = 8
COMPUTED = ("summary", "_found", "_document_columns")
"""What follows from the edits, and is computed when it is first asked for."""


class Parent(NamedTuple):
    """The cluster of another clustering that these documents are; None once it is saved."""

    title: str
    cluster: int
    name: str
    result: "Clustering | None" = None


@dataclass(frozen=True)
class About:
    """Where a clustering comes from, kept with it."""

    title: str = ""
    settings: running.Settings = field(default_factory=running.Settings)
    reading: Reading = field(default_factory=Reading)
    source: str = ""
    seconds: float | None = None
    library: str = ""
    raw_csv: bool = False
    page: str = FULL
    layout: str = DISCS
    notes: tuple[str, ...] = ()


class Clustering:
    """Clusters of documents: tables, words, edits, new documents, pictures, a folder.

    Made by `coterie.cluster` and `coterie.load`. Clusters are numbered from 1, the largest
    first, as on the page; a cluster keeps its number through all edits. Tables are data frames
    of the library that the source came in, else of pandas.

    Examples
    --------
    >>> import coterie
    >>> texts = ["green tea", "black tea", "tea leaves", "dark rum", "white rum", "rum punch"]
    >>> result = coterie.cluster(texts, 2, progress=False)
    >>> result.clusters[["number", "name", "size"]]
       number                 name  size
    0       1   rum · dark · punch     3
    1       2  tea · black · green     3
    >>> result.rename({2: "Tea"}).merge([1, 2]).names
    {1: 'Tea'}
    >>> result.undo().predict(["a cup of tea"])
    array([2])
    """

    def __init__(
        self,
        model: Any,
        corpus: Corpus,
        *,
        about: About | None = None,
        edits: Sequence[Edit] = (),
        parent: Parent | None = None,
    ) -> None:
        self.model = model
        self.corpus = corpus
        self.about = About() if about is None else about
        self.parent = parent
        self.folder: Path | None = None
        self.run = ""
        self.saved_edits: tuple[Edit, ...] = ()
        self._edits = tuple(edits)
        self._remembered = Remembered()

    # What was found

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits so far, the last one last."""
        return self._edits

    @property
    def notes(self) -> list[str]:
        """What was read, skipped and guessed, and how the fit ended."""
        return [*self.corpus.notes.lines(), *self.about.notes]

    @cached_property
    def summary(self) -> Summary:
        """Everything the page shows."""
        return describe(
            found_after(self.model, self._held(), self._edits, self._remembered),
            self.model,
            method=self.about.settings.method,
            title=self.about.title,
            seconds=self.about.seconds,
            remembered=self._remembered,
        )

    @cached_property
    def _found(self) -> Found:
        return found_after(self.model, self.corpus, self._edits, self._remembered)

    @property
    def _numbers(self) -> Numbers:
        return numbers_after(self._edits, self.model.memberships_.shape[1])

    @property
    def numbers(self) -> list[int]:
        """The numbers of the clusters."""
        return sorted(self._numbers.alive)

    @property
    def names(self) -> dict[int, str]:
        """The names of the clusters, by number."""
        return {cluster.number: cluster.name for cluster in self.summary.clusters}

    @property
    def clusters(self) -> Any:
        """Table of the clusters.

        Its columns are number, name, size, share, words (the most distinctive), probability
        (the mean of its documents) and doubtful (how many of them are).
        """
        found = self.summary.clusters
        return self._frame(
            {
                "number": [each.number for each in found],
                "name": [each.name for each in found],
                "size": [each.size for each in found],
                "share": [each.share for each in found],
                "words": [_words(each) for each in found],
                "probability": [each.mean_probability for each in found],
                "doubtful": [each.n_doubtful for each in found],
            }
        )

    @property
    def labels(self) -> Labels:
        """Number of each document's cluster, 0 for those of dropped clusters."""
        labels = np.full(len(self.corpus), SET_ASIDE, dtype=np.intp)
        labels[self._found.positions] = self._found.assignments.labels + 1
        return labels

    @property
    def memberships(self) -> Any:
        """Probability of each cluster (columns, in the order of `numbers`) for each document.

        Rows of documents that are set aside are zeros.
        """
        columns = np.array(self.numbers) - 1
        memberships = np.zeros((len(self.corpus), len(columns)))
        memberships[self._found.positions] = self._found.assignments.memberships[:, columns]
        return memberships

    @property
    def documents(self) -> Any:
        """Table of all documents: columns of the source, cluster, name, probability, second.

        Documents of dropped clusters have cluster 0. A column of the source that is named like
        one of these is called source_cluster, and so on.
        """
        return self._frame(self.document_table(texts=True))

    def document_table(self, *, texts: bool) -> "pa.Table":
        """The documents as an Arrow table, with or without their texts."""
        corpus = self._held() if texts else self.corpus
        return with_columns(corpus, self._document_columns, texts=texts)

    def _held(self) -> Corpus:
        """The corpus with its texts, which are read once, unless it is very large."""
        if self.corpus.counts.nnz <= MOST_HELD:
            self.corpus = self.corpus.with_texts()
        return self.corpus

    def column(self, name: str) -> list[Any]:
        """The values of a column of `documents`."""
        table = self.document_table(texts=False)
        if name not in table.column_names:
            table = self.document_table(texts=True)
        return column(table, name)

    @cached_property
    def _document_columns(self) -> dict[str, Any]:
        found, every = self._found, len(self.corpus)
        if len(found.positions) == every:
            return document_columns(DocumentRows(found.assignments, self.corpus), self.names)
        memberships = np.zeros((every, found.assignments.n_clusters))
        labels, aside = np.zeros(every, dtype=np.intp), np.ones(every, dtype=bool)
        memberships[found.positions] = found.assignments.memberships
        labels[found.positions] = found.assignments.labels
        aside[found.positions] = False
        everything = Assignments(memberships, labels, found.assignments.gone)
        return document_columns(DocumentRows(everything, self.corpus, aside), self.names)

    def words(self, cluster: int, n_words: int = N_WORDS) -> Any:
        """Table of a cluster's distinctive words: probability, lift, count and mark.

        The lift is how many times more frequent a word is in the cluster than in all
        documents; a mark tells of words that may mislead, as boilerplate.
        """
        self._numbers.require([cluster])
        _check_count("n_words", n_words)
        found = self._found
        ranked = rank_words(cluster - 1, found.assignments, found.views, n_words)
        several = len(found.views) > 1
        whole = all(float(count).is_integer() for view in ranked for count in view.counts)
        rows: list[dict[str, Any]] = [
            ({"view": view.view} if several else {})
            | {
                "word": readable_word(word.word),
                "probability": word.probability,
                "lift": word.lift,
                "count": round(count) if whole else count,
                "mark": word.mark,
            }
            for view in ranked
            for word, count in zip(view.words, view.counts, strict=True)
        ]
        names = ["word", "probability", "lift", "count", "mark"]
        return self._rows(rows, ["view", *names] if several else names)

    def typical(self, cluster: int, n_documents: int = N_DOCUMENTS) -> Any:
        """Table of the documents that show best what a cluster is about."""
        self._numbers.require([cluster])
        _check_count("n_documents", n_documents)
        found = self._found
        lengths = np.sum([row_sums(view.counts) for view in found.views], axis=0)
        chosen = typical_documents(
            cluster - 1, found.corpus, found.assignments, found.views, lengths, n_documents
        )
        return self._some(found.positions[chosen])

    def members(self, cluster: int) -> Any:
        """Table of all documents of a cluster, the most probable first; 0: those set aside."""
        if cluster != SET_ASIDE:
            self._numbers.require([cluster])
        positions = np.flatnonzero(self.labels == cluster)
        found = np.zeros(len(self.corpus))
        found[self._found.positions] = self._found.assignments.probabilities
        return self._some(positions[np.argsort(-found[positions], kind="stable")])

    @property
    def doubtful(self) -> Any:
        """Table of the documents that may belong to another cluster, the closest first."""
        place = self._places
        return self._some([place[row.id] for row in self.summary.doubtful])

    @property
    def duplicates(self) -> Any:
        """Table of documents alike, in groups; `similarity` is to the first of the group."""
        groups = self.summary.duplicates.groups
        rows = [
            {
                "group": group.number,
                "same_words": group.same_words,
                "id": each.id,
                "title": each.title,
                "cluster": each.cluster,
                "similarity": each.similarity,
            }
            for group in groups
            for each in group.documents
        ]
        names = ["group", "same_words", "id", "title", "cluster", "similarity"]
        return self._rows(rows, names)

    def find(self, phrase: str) -> Any:
        """Table of the documents in which a word or phrase occurs, most often first.

        Upper and lower case are the same, and words are whole. Where the texts are not at
        hand, a counted word is looked up in the counts.
        """
        import pyarrow as pa

        hits = searching.hits(self._held(), phrase)
        table = _taken(self.document_table(texts=False), [each.position for each in hits])
        for name, values in (
            ("count", pa.array([each.n_times for each in hits], pa.int64())),
            ("excerpt", pa.array([each.excerpt for each in hits], pa.string())),
        ):
            table = table.append_column(free_name(name, table.column_names), values)
        return self._frame(table)

    def evaluate(self, labels: Iterable[Any] | str | None = None) -> Scores:
        """Compare the clusters with known classes: those of the corpus, a column, or a list.

        Documents without a class, and those set aside, are left out.
        """
        if isinstance(labels, str):
            labels = self.column(labels)
        known = self.corpus.labels if labels is None else list(labels)
        if known is None:
            raise InputError("the documents have no labels; name a column of theirs")
        if len(known) != len(self.corpus):
            raise InputError(f"labels: {len(known)} for {len(self.corpus)} documents")
        mine, memberships = self.labels, self.memberships
        chosen = [
            i for i, each in enumerate(known) if each not in (None, "") and mine[i] != SET_ASIDE
        ]
        if not chosen:
            raise InputError("labels: no document has one")
        classes = [str(known[i]) for i in chosen]
        return evaluate(classes, mine[chosen].tolist(), memberships[chosen])

    def internal_scores(self, n_resamples: int = 0) -> InternalScores:
        """Coherence (NPMI, C_V) and diversity of words, and silhouette: no labels are needed.

        With resamples, also the stability: the mean agreement with as many fits to 80 % of the
        documents.
        """
        return internal_scores(
            self.model, self.corpus, n_resamples=n_resamples, edits=self._edits
        )

    # New documents

    @property
    def _assigner(self) -> Assigner:
        return Assigner(self.model, self._edits, self.names, self.about.reading)

    def predict(self, texts: Iterable[str] | Corpus) -> Labels:
        """Numbers of the clusters of new texts; 0 stands for a dropped one."""
        rows = self._assigner.rows(self._assigner.counted(texts))
        numbers: Labels = np.array([row.cluster for row in rows], dtype=np.intp)
        return numbers

    def assign(
        self,
        source: Any,
        *,
        text: str | Sequence[str] | None = None,
        id: str | None = None,
        title: str | None = None,
        label: str | None = None,
        embeddings: Any = None,
    ) -> Any:
        """Table of new documents: columns of the source, cluster, name, probability, second.

        `source` is a path, texts, a data frame or a corpus. Columns are those of the clustered
        table unless others are named; '' stands for none.
        """
        assigner = self._assigner
        corpus = assigner.counted(
            source, text=text, id=id, title=title, label=label, embeddings=embeddings
        )
        table = with_columns(corpus, assigner.columns(corpus), texts=True)
        return frame(table, self._library(source))

    def update(self, source: Any, **reading: Any) -> Any:
        """Add documents: an `Update` with the new clustering, and what they changed.

        Models of online EM learn from them; with others they are assigned. See
        `coterie.clustering.updating.update`.
        """
        from coterie.clustering.updating import update

        return update(self, source, **reading)

    # Edits

    def rename(self, names: Mapping[int, str] | Callable[..., str]) -> "Clustering":
        """Give clusters names, by number, or by a function of a cluster.

        The function is called with each cluster's distinctive words and typical texts, both as
        lists of strings, as one that asks a language model; it returns the name. An empty name
        gives the automatic one back.
        """
        if callable(names):
            names = {cluster: names(*self._described(cluster)) for cluster in self.numbers}
        return self._edit(Rename(checked_names(names)))

    def _described(self, cluster: int) -> tuple[list[str], list[str]]:
        """The distinctive words and the typical texts of a cluster."""
        found = next(each for each in self.summary.clusters if each.number == cluster)
        words = [each.word for each in found.words[:N_NAME_WORDS]]
        positions = [self._found.positions[each.position] for each in found.documents]
        texts = texts_of(self._held(), positions)
        return words, [each.title for each in found.documents] if texts is None else texts

    def merge(self, clusters: Iterable[int]) -> "Clustering":
        """Make several clusters one, which has the smallest of their numbers."""
        return self._edit(Merge(tuple(dict.fromkeys(_whole_numbers("merge", clusters)))))

    def split(self, cluster: int, n_clusters: int = 2) -> "Clustering":
        """Divide a cluster; its largest part keeps the number, the others get new ones."""
        cluster, n_clusters = map(running.whole_number, (cluster, n_clusters))
        if isinstance(n_clusters, bool) or not isinstance(n_clusters, int) or n_clusters < 2:
            raise InputError(f"split: {n_clusters!r} parts; expected at least 2")
        for method in (self.about.settings.method, AUTO):
            part = self.within(cluster, n_clusters, method)
            if len(np.unique(part.model.labels_)) == n_clusters:
                break
        else:
            raise InputError(
                f"cluster {cluster}: its documents cannot be divided into {n_clusters} parts"
            )
        highest = self._numbers.highest
        new = range(highest + 1, highest + part.model.memberships_.shape[1])
        return self._edit(Split(cluster, (cluster, *new), part.model))

    def move(self, ids: str | Iterable[str], cluster: int) -> "Clustering":
        """Put documents, by their ids, into a cluster."""
        chosen = (ids,) if isinstance(ids, str) else tuple(map(str, ids))
        if not chosen:
            raise InputError("move: no ids, expected at least one")
        for each in chosen:
            if each not in self._places:
                raise InputError(f"document {each!r}: no such id")
        return self._edit(Move(tuple(dict.fromkeys(chosen)), running.whole_number(cluster)))

    def drop(self, clusters: int | Iterable[int]) -> "Clustering":
        """Set the documents of clusters aside; new documents of these are set aside too."""
        chosen = [clusters] if isinstance(clusters, int | np.integer) else clusters
        return self._edit(Drop(tuple(dict.fromkeys(_whole_numbers("drop", chosen)))))

    def undo(self) -> "Clustering":
        """Take the last edit back."""
        if not self._edits:
            raise InputError("nothing to undo")
        return self._set(self._edits[:-1])

    def _edit(self, edit: Edit) -> "Clustering":
        numbers_after([*self._edits, edit], self.model.memberships_.shape[1])
        return self._set((*self._edits, edit))

    def _set(self, edits: tuple[Edit, ...]) -> "Clustering":
        if any(isinstance(edit, Drop) for edit in edits):  # which must leave a document
            found_after(self.model, self.corpus, edits, self._remembered)
        self._edits = edits
        for name in COMPUTED:
            self.__dict__.pop(name, None)
        return self

    def copy(self) -> "Clustering":
        """The same clustering, to edit apart."""
        other = Clustering(
            self.model, self.corpus, about=self.about, edits=self._edits, parent=self.parent
        )
        known = {name: self.__dict__[name] for name in COMPUTED if name in self.__dict__}
        other.__dict__.update(known)
        other._remembered = self._remembered
        return other

    # Other clusterings

    def at(self, n_clusters: int) -> "Clustering":
        """A coarser or finer clustering of the same documents, as a new result.

        For fewer clusters the most similar ones are merged, for more the largest are split.
        """
        return levels.at(self, n_clusters)

    def within(
        self, cluster: int, n_clusters: int | str = AUTO, method: str | None = None
    ) -> "Clustering":
        """Cluster the documents of one cluster by themselves, by the same method or another."""
        cluster, n_clusters = map(running.whole_number, (cluster, n_clusters))
        self._numbers.require([cluster])
        positions = np.flatnonzero(self.labels == cluster)
        if len(positions) < 2:
            n_documents = "only one document" if len(positions) else "no document"
            raise InputError(f"cluster {cluster}: {n_documents}, expected at least two")
        corpus = self.corpus[positions]
        settings = replace(self.about.settings, n_clusters=n_clusters, checkpoint=None)
        if method is not None and method != settings.method:
            settings = running.Settings(n_clusters, method, settings.seed, quiet=settings.quiet)
        fitted = running.fit(corpus, settings)
        name = self.names[cluster]
        about = replace(
            self.about, title=f"{self.about.title} · {name}".removeprefix(" · "),
            settings=settings, seconds=fitted.seconds,
            notes=(*fitted.notes, *fitted.remarks),
        )  # fmt: skip
        parent = Parent(self.about.title, cluster, name, self)
        return Clustering(fitted.model, corpus, about=about, parent=parent)

    def refit(self) -> "Clustering":
        """Fit again from the clusters as edited; documents that were moved keep theirs.

        Similar documents follow those that were moved. The result is a new one, with the names
        that were given.
        """
        from coterie.clustering.steering import refit

        return refit(self)

    def compare(self, other: "Clustering") -> Any:
        """Compare with another clustering of the same documents."""
        from coterie.clustering.comparing import compare

        return compare(self, other)

    def over(self, column: str, by: str = "month") -> Any:
        """Share of each cluster over time, by a column of dates.

        `by` is "year", "quarter", "month", "week" or "day". `beyond` is the share in a period
        minus that over all periods.
        """
        from coterie.clustering.columns import over

        return over(self, column, by)

    def by(self, column: str) -> Any:
        """Share of each cluster for each value of a column."""
        from coterie.clustering.columns import by

        return by(self, column)

    # To look at and to keep

    @property
    def plot(self) -> "Plots":
        """Pictures by matplotlib: `map`, `sizes`, `tree`, `words`, `over` and `by`."""
        from coterie.clustering.plots import Plots

        return Plots(self)

    def show(self, *, browser: bool = True) -> Path:
        """Open the page in a browser; returns the file."""
        from coterie.clustering.showing import show

        return show(self, browser=browser)

    def _repr_html_(self) -> str:
        from coterie.clustering.showing import cards

        return cards(self)

    def __repr__(self) -> str:
        after = f", {len(self._edits)} edits" if self._edits else ""
        return f"Clustering({len(self.corpus)} documents, {len(self.numbers)} clusters{after})"

    def save(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        page: str | None = None,
        layout: str | None = None,
    ) -> Path:
        """Write tables, page, model, documents and edits to a folder.

        Without a folder, to the one it was loaded from or saved to last. The page is "full",
        with every document, or "light", a small one for sharing; it stays so. The layout of
        the map is "discs", or "umap" or "pacmap" (extra `map`); so does this.
        """
        from coterie.clustering.saving import save

        if page is not None:
            check_choice("page", page, (FULL, LIGHT))
            self.about = replace(self.about, page=page)
        if layout is not None:
            check_layout(layout)
            self.about = replace(self.about, layout=layout)
        return save(self, folder)

    # Frames

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.corpus.ids)}

    def _library(self, source: Any = None) -> str:
        return library_of(source) if source is not None else self.about.library or library_of()

    def _frame(self, columns: Any) -> Any:
        return frame(columns, self._library())

    def _rows(self, rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Any:
        return self._frame({name: [row[name] for row in rows] for name in names})

    def _some(self, positions: Any) -> Any:
        """The table of some documents, in this order."""
        table = _taken(self.document_table(texts=False), positions)
        for name, texts in text_columns(self._held(), positions).items():
            table = table.append_column(free_name(name, table.column_names), [texts])
        return self._frame(table)


def _words(cluster: Cluster) -> str:
    return ", ".join(readable_word(word.word) for word in cluster.words[:N_SHOWN])


def _taken(table: "pa.Table", positions: Any) -> "pa.Table":
    return table.take(np.asarray(positions, dtype=np.int64))


def _whole_numbers(what: str, numbers: Iterable[Any]) -> list[int]:
    if isinstance(numbers, str | int) or not isinstance(numbers, Iterable):
        raise InputError(f"{what}: {numbers!r}; expected a list of numbers of clusters")
    chosen = list(numbers)
    for each in chosen:
        if isinstance(each, bool) or not isinstance(each, int | np.integer):
            raise InputError(f"{what}: {each!r}; expected numbers of clusters")
    if not chosen:
        raise InputError(f"{what}: no clusters, expected at least one number")
    return [int(each) for each in chosen]


def _check_count(name: str, number: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InputError(f"{name}: {number!r}; expected a whole number of at least 1")
