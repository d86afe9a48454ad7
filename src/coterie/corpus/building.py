"""Building a corpus: documents go by once, and leave their counts, names and folders."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from coterie.corpus import columns as gathering
from coterie.corpus import languages
from coterie.corpus.blocks import TextWriter
from coterie.corpus.documents import (
    Document,
    UniqueNames,
    labels_from_folders,
    title_of,
)
from coterie.corpus.encodings import without_surrogates
from coterie.corpus.limits import DEFAULT_LIMITS, Limits
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.origins import InMemory, OnDisk, Origin, joined
from coterie.corpus.readers import Paths, documents, paths_of
from coterie.corpus.storing import IN_MEMORY, Storage
from coterie.corpus.tables import Columns
from coterie.corpus.text import TextOptions
from coterie.corpus.vectors import Gatherer
from coterie.corpus.vocabulary import Learner, Recounter, Vocabulary
from coterie.errors import InputError
from coterie.types import Array, Counts

if TYPE_CHECKING:
    import pyarrow as pa

PLAIN_VIEW = "text"
Options = TextOptions | Vocabulary | Mapping[str, TextOptions | Vocabulary]
Tick = Callable[[int], None]


class Reading(TypedDict, total=False):
    """How a table is read: the columns that hold what, and what is done with the text."""

    text: str | Sequence[str] | None
    id: str | None
    label: str | None
    title: str | None
    views: Sequence[str] | None
    options: Options
    tick: Tick | None
    limits: Limits
    table: str | None


@dataclass(frozen=True)
class View:
    """Documents described by one set of words: counts, a document a row, and the words."""

    counts: Counts
    vocabulary: Vocabulary

    def __post_init__(self) -> None:
        if self.counts.shape[1] != len(self.vocabulary):
            raise InputError(
                f"counts: {self.counts.shape[1]} columns for {len(self.vocabulary)} words"
            )


@dataclass
class Built:
    """All a corpus is made of."""

    views: dict[str, View]
    notes: ReadingNotes
    origin: Origin
    texts: Sequence[str] = ()
    ids: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    labels: list[str] | None = None
    vectors: dict[str, Array] = field(default_factory=dict)
    columns: "pa.Table | None" = None
    languages: list[str] | None = None


def columns_of(
    text: str | Sequence[str] | None,
    id: str | None,
    label: str | None,
    title: str | None,
    views: Sequence[str] | None,
) -> Columns:
    """Return the columns a person named, refusing what contradicts itself."""
    if isinstance(views, str):
        raise InputError(f"views: expected a list of columns, got the string {views!r}")
    if text is not None and views:
        raise InputError("text: expected text or views, got both")
    names = (text,) if isinstance(text, str) else None if text is None else tuple(text)
    return Columns(names or None, id, label, title, tuple(views or ()))


def options_of(view: str, options: Options) -> TextOptions | Vocabulary:
    """Return the options of a view; one named like a language is in that language.

    A vocabulary stands for itself: its words are counted, and no others.

    Examples
    --------
    >>> options_of("de", TextOptions())
    TextOptions(language='de', ...)
    """
    if isinstance(options, TextOptions | Vocabulary):
        chosen: TextOptions | Vocabulary = options
    elif view in options:
        chosen = options[view]
    else:
        raise InputError(
            f"options: none for view '{view}'; there are some for {', '.join(options)}"
        )
    if isinstance(chosen, Vocabulary):
        return chosen
    if chosen.language is None and len(view) == 2 and languages.is_known(view):
        return replace(chosen, language=view)
    return chosen


def checked_views(texts: Iterable[str] | Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the texts of each view, as many in each, all of them strings."""
    if isinstance(texts, str):
        raise InputError("texts: expected several texts, got one string")
    views = texts if isinstance(texts, Mapping) else {PLAIN_VIEW: texts}
    for name, view in views.items():
        if isinstance(view, str):
            raise InputError(f"texts: view '{name}' is one text, expected a list of them")
    contents = {name: list(_strings(name, view)) for name, view in views.items()}
    if not contents:
        raise InputError("texts: expected at least one view, got none")
    lengths = {name: len(view) for name, view in contents.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"texts: views have different numbers of documents ({listed})")
    return contents


def _strings(view: str, texts: Iterable[object]) -> Iterator[str]:
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            kind = type(text).__name__
            raise InputError(f"texts: document {number} of view '{view}' is {kind}, not str")
        yield text


def count_texts(contents: dict[str, list[str]], options: Options) -> Built:
    """Count texts held in memory."""
    notes = ReadingNotes()
    clean: dict[str, list[str]] = {}
    for name, texts in contents.items():
        pairs = [without_surrogates(text) for text in texts]
        clean[name] = [text for text, _ in pairs]
        notes.replaced += sum(replaced for _, replaced in pairs)
    views, codes = {}, None
    for name, texts in clean.items():
        view_options = options_of(name, options)
        if isinstance(view_options, Vocabulary):
            vocabulary, counts = view_options, view_options.count(texts)
        else:
            learner = Learner(view_options)
            vocabulary, counts = learner.learn(texts)
            codes = learner.languages_of_documents() if len(clean) == 1 else None
        views[name] = View(counts, vocabulary)
    _conclude(notes, views, options)
    return Built(views, notes, InMemory(clean), joined(clean), languages=codes)


def count_documents(
    path: Paths,
    columns: Columns,
    options: Options,
    tick: Tick | None,
    limits: Limits = DEFAULT_LIMITS,
    storage: Storage | None = None,
) -> Built:
    """Count documents as they are read; their texts do not stay in memory.

    With a `storage`, the texts are stored as well and never read from their source again.
    """
    notes = ReadingNotes()
    counting = _Counting(columns, options, storage or IN_MEMORY)
    register = _Register()
    with ExitStack() as stack:
        writer = None if storage is None else stack.enter_context(TextWriter(columns.views))
        for document in documents(path, columns, notes, limits):
            register.add(document)
            counting.add(document)
            if writer is not None:
                writer.add(document.views or {PLAIN_VIEW: document.text})
            if tick is not None:
                tick(len(register.ids))
        origin = None if writer is None else writer.finish()
    views, vectors = counting.finish()
    _conclude(notes, views, options)
    return Built(
        views,
        notes,
        origin or _where_they_were(path, columns, len(register.ids), limits),
        ids=register.ids,
        titles=register.titles,
        labels=register.labels(),
        vectors=vectors,
        columns=register.columns.finish(notes),
        languages=counting.languages_of_documents(),
    )


def _where_they_were(path: Paths, columns: Columns, n: int, limits: Limits) -> OnDisk:
    """The origin of texts that stay in the files they were read from."""
    paths = tuple(Path(each).resolve() for each in paths_of(path))
    return OnDisk(paths[0] if len(paths) == 1 else paths, columns, np.arange(n), limits)


class _Counting:
    """Counts the words of each view, and gathers vectors, as documents go by."""

    def __init__(self, columns: Columns, options: Options, storage: Storage) -> None:
        self._columns, self._options, self._storage = columns, options, storage
        self._counters: dict[str, Learner | Recounter] = {}
        self._gatherers: dict[str, Gatherer] = {}

    def add(self, document: Document) -> None:
        for name in self._columns.views or (PLAIN_VIEW,):
            if name in document.vectors:
                gatherer = self._gatherers.setdefault(name, Gatherer(name))
                gatherer.add(document.id, document.vectors[name])
                continue
            if name not in self._counters:
                options = options_of(name, self._options)
                self._counters[name] = (
                    Recounter(options, self._storage)
                    if isinstance(options, Vocabulary)
                    else Learner(options, self._storage)
                )
            self._counters[name].add(_text_of(document, name, self._columns))

    def finish(self) -> tuple[dict[str, View], dict[str, Array]]:
        both = self._counters.keys() & self._gatherers.keys()
        if both:
            raise InputError(f"view '{min(both)}': text in some tables, vectors in others")
        views = {}
        for name, counter in self._counters.items():
            try:
                vocabulary, counts = counter.finish()
            except InputError as error:
                where = f"view '{name}': " if self._columns.views else ""
                raise InputError(f"{where}{error}") from error
            views[name] = View(counts, vocabulary)
        vectors = {name: gatherer.finish() for name, gatherer in self._gatherers.items()}
        return views, vectors

    def languages_of_documents(self) -> list[str] | None:
        """The language of each document, where there is one view in several languages."""
        counters = [*self._counters.values()]
        one = counters[0] if len(counters) == 1 else None
        return one.languages_of_documents() if isinstance(one, Learner) else None


def _text_of(document: Document, view: str, columns: Columns) -> str:
    if not columns.views:
        return document.text
    if view not in document.views:
        raise InputError(
            f"{document.id}: has no column '{view}'; views are columns of a table, or folders "
            "of files with the same names"
        )
    return document.views[view]


class _Register:
    def __init__(self) -> None:
        self.ids: list[str] = []
        self.titles: list[str] = []
        self.columns = gathering.Gatherer()
        self._named: list[str | None] = []
        self._folders: list[tuple[str, ...]] = []

    def add(self, document: Document) -> None:
        self.ids.append(document.id)
        self.titles.append(document.title)
        self.columns.add(document.columns)
        self._named.append(document.label)
        self._folders.append(document.folder)

    def labels(self) -> list[str] | None:
        if any(label is not None for label in self._named):
            return [label or "" for label in self._named]
        return labels_from_folders(self._folders)


def _conclude(notes: ReadingNotes, views: Mapping[str, View], options: Options) -> None:
    matrices = [view.counts for view in views.values()]
    notes.documents = matrices[0].shape[0]
    words = np.sum([np.diff(counts.indptr) for counts in matrices], axis=0)
    notes.empty = int(np.count_nonzero(words == 0))
    for name, view in views.items():
        prefix = f"view '{name}': " if len(views) > 1 else ""
        lacking = int(np.count_nonzero((np.diff(view.counts.indptr) == 0) & (words > 0)))
        if lacking:
            noun = "document" if lacking == 1 else "documents"
            notes.guess(f"{prefix}{lacking} {noun} without it, known by other views only")
        if isinstance(options_of(name, options), Vocabulary):
            continue  # its remarks are on other documents
        for remark in view.vocabulary.remarks:
            notes.guess(prefix + remark)


def unique_ids(ids: Iterable[str] | None, n_documents: int) -> tuple[list[str], int]:
    """Return unique ids, numbers from 1 for None, and how many had to be changed."""
    names = UniqueNames()
    wanted = map(str, range(1, n_documents + 1)) if ids is None else map(str, ids)
    return [names.of(without_surrogates(name)[0]) for name in wanted], names.changed


def titles_of(texts: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Return the first line of each text, or the id of one that is blank."""
    if len(texts) != len(ids):
        raise InputError(f"ids: {len(ids)} for {len(texts)} documents; expected one a document")
    return [title_of(text) or name for text, name in zip(texts, ids, strict=True)]
