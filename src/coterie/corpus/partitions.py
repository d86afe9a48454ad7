"""Files read and counted in partitions, on other machines or here, as one corpus.

A partition is some files that follow each other. Each is read and its words are counted where a
cluster says; the terms of all are then merged into one vocabulary, by which the counts, which
stayed where they were made, are arranged. The corpus is that of `Corpus.read`. A path is a
folder, or an address that fsspec knows, such as s3://bucket/texts.

What comes from a cluster comes a partition at a time, and counts and texts go to disk as they
come, so that the memory of this process has one partition of them, however many there are.
"""

import os
import posixpath
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from coterie.corpus.blocks import TextWriter
from coterie.corpus.building import (
    PLAIN_VIEW,
    Built,
    Options,
    Tick,
    View,
    _conclude,
    _Register,
    _where_they_were,
    options_of,
)
from coterie.corpus.counting import Integers, Tally
from coterie.corpus.documents import Document, UniqueNames
from coterie.corpus.kinds.databases import BESIDE
from coterie.corpus.limits import Limits
from coterie.corpus.notes import COUNTERS, EXAMPLES, NoDocumentsError, ReadingNotes
from coterie.corpus.readers import NOT_ALLOWED, documents, size_of, walked
from coterie.corpus.storing import IN_MEMORY, Storage, stored_rows
from coterie.corpus.tables import Columns
from coterie.corpus.text import Analyser, TextOptions
from coterie.corpus.vocabulary import BUFFERED_DOCUMENTS, Learner, Observed, Vocabulary
from coterie.errors import InputError
from coterie.folders import linked_to
from coterie.types import Counts, Strings

PARTITION_BYTES = 32 << 20
PARTITION_FILES = 5000


class Cluster(Protocol):
    """Where partitions are worked on; what is begun stays there until it is asked for."""

    def begin(self, function: Callable[..., Any], *items: Sequence[Any]) -> Sequence[Any]:
        """Call `function` with each of the items, there."""

    def results(self, begun: Sequence[Any]) -> list[Any]:
        """What was begun, brought here, in order."""

    def each(self, begun: Sequence[Any]) -> Iterator[Any]:
        """The same, one after the other."""

    def keep(self, begun: Sequence[Any], n_rows: Sequence[int]) -> None:
        """Let counts, begun for partitions of so many rows, stay there for fits of them."""


class Here:
    """No cluster: partitions are worked on in this process, one after the other."""

    def begin(self, function: Callable[..., Any], *items: Sequence[Any]) -> Sequence[Any]:
        """Call `function` with each of the items."""
        return [function(*each) for each in zip(*items, strict=True)]

    def results(self, begun: Sequence[Any]) -> list[Any]:
        """They are here."""
        return list(begun)

    def each(self, begun: Sequence[Any]) -> Iterator[Any]:
        """They are here."""
        return iter(begun)

    def keep(self, begun: Sequence[Any], n_rows: Sequence[int]) -> None:
        """They are here."""


@dataclass(frozen=True)
class Partition:
    """Some files below a root that fsspec knows, by their paths below it."""

    root: str
    names: tuple[str, ...]

    def documents(
        self, columns: Columns, notes: ReadingNotes, limits: Limits
    ) -> Iterator[Document]:
        """The documents of the files, copied to a temporary folder and read there."""
        system, root = store_of(self.root)
        with tempfile.TemporaryDirectory() as folder:
            for name in self.names:
                copy = Path(folder, *name.split("/"))
                copy.parent.mkdir(parents=True, exist_ok=True)
                try:
                    with reaching(self.root):
                        system.get_file(posixpath.join(root, name), str(copy))
                except InputError as error:
                    if not isinstance(error.__cause__, PermissionError):
                        raise
                    copy.unlink(missing_ok=True)
                    notes.skip(NOT_ALLOWED, name)
            try:
                yield from documents(folder, columns, notes, limits)
            except NoDocumentsError:
                return  # the notes say why
            except InputError as error:
                raise InputError(str(error).replace(folder, self.root)) from error


Source: TypeAlias = str | os.PathLike[str] | Partition


class Part(NamedTuple):
    """What reading a partition gave: documents, texts by their parts if asked for, counts."""

    documents: list[Document]
    texts: list[Mapping[str, str]]
    notes: ReadingNotes
    counts: Counts
    names: list[str]
    n_words: int
    observed: Observed

    def frequencies(self) -> tuple[Integers, Integers]:
        """In how many documents each term occurs, and how often."""
        width = self.counts.shape[1]
        tokens = np.bincount(self.counts.indices, self.counts.data, width)
        return np.bincount(self.counts.indices, minlength=width), tokens.astype(np.int64)


def is_address(source: Any) -> bool:
    """Tell whether a source is an address, such as s3://bucket/texts, not a local path.

    Examples
    --------
    >>> is_address("s3://bucket/texts"), is_address("texts/")
    (True, False)
    """
    return isinstance(source, str) and "://" in source


def can_be_parted(source: Any, columns: Columns) -> bool:
    """Tell whether a source has files that can be read apart: a folder, of one view."""
    is_folder = isinstance(source, str | os.PathLike) and os.path.isdir(source)
    return not columns.views and (is_address(source) or is_folder)


def store_of(address: str) -> tuple[Any, str]:
    """The store of an address or path, as fsspec has it, and the path in it."""
    try:
        import fsspec
    except ImportError as error:
        raise InputError(f'{address}: needs an extra: pip install "coterie[dask]"') from error
    with reaching(address):
        system, path = fsspec.core.url_to_fs(address)
    return system, path


@contextmanager
def reaching(address: str) -> Iterator[None]:
    """Say in one sentence what a store could not do; each has errors of its own."""
    try:
        yield
    except Exception as error:
        said = getattr(error, "strerror", None) or str(error)
        reason = " ".join(str(said).split()) or type(error).__name__
        raise InputError(f"{address}: {reason}") from error


def partitions_of(source: Source, notes: ReadingNotes) -> list[Partition]:
    """Files of a folder or an address in runs, in the order in which `Corpus.read` has them.

    A partition stands for itself.
    """
    if isinstance(source, Partition):
        return [source]
    root = os.fspath(source)
    if not is_address(root):
        root = str(linked_to(Path(root)))
    system, path = store_of(root)
    if os.path.isdir(root):  # fsspec passes over folders that it cannot list
        below = {
            str(file.relative_to(root)): {"name": str(file), "size": size_of(file)}
            for file in walked(Path(root), notes)
        }
    else:
        with reaching(root):
            found = system.find(path, detail=True)
        below = {posixpath.relpath(name, path): each for name, each in found.items()}
    if not below:
        raise InputError(f"{root}: no files found")
    if list(below) == ["."]:
        with reaching(root):
            beside = [system.info(path + end) for end in BESIDE if system.exists(path + end)]
        files = [below["."], *beside]
        root = posixpath.dirname(root)
        below = {posixpath.basename(each["name"]): each for each in files}
    return list(_runs(root, _sizes(below, notes)))


def _sizes(below: dict[str, Any], notes: ReadingNotes) -> dict[str, int]:
    """Sizes of the files that are read, by their paths; links and hidden files are not."""
    sizes = {}
    for name in sorted(below, key=lambda name: (_owner(name).split("/"), name)):
        if any(part.startswith(".") for part in name.split("/")):
            continue
        if below[name].get("islink"):
            notes.skip("a link, not followed", posixpath.basename(name))
        elif below[name].get("type", "file") != "file":
            notes.skip("not a regular file", posixpath.basename(name))
        else:
            sizes[name] = below[name].get("size") or 0
    return sizes


def _owner(name: str) -> str:
    """The database that a file belongs to, from which it must not be parted; else itself."""
    for end in BESIDE:
        name = name.removesuffix(end)
    return name


def _runs(root: str, sizes: dict[str, int]) -> Iterator[Partition]:
    names: list[str] = []
    total = 0
    for name, size in sizes.items():
        is_full = total + size > PARTITION_BYTES or len(names) >= PARTITION_FILES
        if is_full and names and _owner(name) != _owner(names[-1]):
            yield Partition(root, tuple(names))
            names, total = [], 0
        names.append(name)
        total += size
    if names:
        yield Partition(root, tuple(names))


def count_partitions(
    source: Source,
    columns: Columns,
    options: Options,
    limits: Limits,
    cluster: Cluster,
    tick: Tick | None = None,
    storage: Storage | None = None,
) -> Built:
    """Read and count the files of a source on a cluster.

    With a `storage`, counts and texts are stored there; without one, counts are in memory, and
    only texts of an address are stored.
    """
    notes = ReadingNotes()
    partitions = partitions_of(source, notes)
    chosen = options_of(PLAIN_VIEW, options)
    learner = None if isinstance(chosen, Vocabulary) else _settled(chosen, partitions, columns,
                                                                   limits, cluster)  # fmt: skip
    used = chosen.options if isinstance(chosen, Vocabulary) else None
    used = used if learner is None else learner.settled
    assert used is not None
    is_local = not isinstance(source, Partition) and not is_address(source)
    with_texts = storage is not None or not is_local
    read = partial(_count, columns=columns, limits=limits, options=used, with_texts=with_texts)
    begun = cluster.begin(read, partitions)
    parts = cluster.each(cluster.begin(_without_counts, begun))
    gathered = _Gathered(parts, learner, notes, tick, str(source), with_texts=with_texts)
    register = gathered.register
    merged = _Merged(cluster.each(cluster.begin(_frequencies, begun)))
    if learner is None:
        assert isinstance(chosen, Vocabulary)
        vocabulary, words = chosen, [*chosen.positions()]
    else:
        found, vocabulary = learner.chosen(merged, len(register.ids), gathered.n_words)
        words = merged.names(found)
    (positions,) = cluster.begin(_positions, [np.array(words, dtype=object)])
    arranged = cluster.begin(_arranged, begun, [positions] * len(partitions))
    shape, n_counts = (len(register.ids), len(words)), merged.n_counts(words)
    counts = stored_rows(cluster.each(arranged), shape, n_counts, storage or IN_MEMORY)
    cluster.keep(arranged, gathered.n_rows)
    views = {PLAIN_VIEW: View(counts, vocabulary)}
    _conclude(notes, views, options)
    origin = gathered.texts or _where_they_were(str(source), columns, shape[0], limits)
    return Built(
        views, notes, origin,
        ids=register.ids, titles=register.titles,
        labels=register.labels(), columns=register.columns.finish(notes),
        languages=None if learner is None else learner.languages_of_documents(),
    )  # fmt: skip


def _settled(
    options: TextOptions,
    partitions: list[Partition],
    columns: Columns,
    limits: Limits,
    cluster: Cluster,
) -> Learner:
    """A learner that knows the language, from the first documents where none is named."""
    learner = Learner(options)
    sample: list[str] = []
    for partition in partitions:
        if learner.settled is not None or len(sample) == BUFFERED_DOCUMENTS:
            break
        first = partial(_first, n=BUFFERED_DOCUMENTS - len(sample), columns=columns)
        (texts,) = cluster.results(cluster.begin(partial(first, limits=limits), [partition]))
        sample.extend(texts)
    learner.start(sample)
    return learner


def _first(partition: Partition, n: int, columns: Columns, limits: Limits) -> list[str]:
    found = partition.documents(columns, ReadingNotes(), limits)
    return [document.text for _, document in zip(range(n), found, strict=False)]


def _count(
    partition: Partition,
    columns: Columns,
    limits: Limits,
    options: TextOptions,
    with_texts: bool,
) -> Part:
    """Read a partition and count all its terms; this runs where the partition is."""
    analyser, observed = Analyser(options), Observed(options)
    notes, tally = ReadingNotes(), Tally(analyser)
    register: list[Document] = []
    texts: list[Mapping[str, str]] = []
    for document in partition.documents(columns, notes, limits):
        tally.add(document.text)
        observed.add(document.text, analyser.language)
        if with_texts:
            texts.append(document.views or {PLAIN_VIEW: document.text})
        register.append(replace(document, text="", views={}))
    n_words = tally.n_words
    tallied = tally.finish()
    every = np.arange(len(tallied))
    names = tallied.names(every)
    counts = tallied.arranged(every, every, len(every))
    return Part(register, texts, notes, counts, names, n_words, observed)


def _without_counts(part: Part) -> Part:
    return part._replace(counts=Counts((0, 0)), names=[])


def _frequencies(part: Part) -> tuple[list[str], Integers, Integers]:
    return part.names, *part.frequencies()


def _positions(words: Strings) -> dict[str, int]:
    """Positions of words, which come as an array: a cluster looks into lists for work."""
    return {word: position for position, word in enumerate(words.tolist())}


def _arranged(part: Part, positions: Mapping[str, int]) -> Counts:
    """Counts of the words of a vocabulary, at their positions in it."""
    width = len(positions)
    found = np.array([positions.get(name, -1) for name in part.names], dtype=np.int64)
    entries = found[part.counts.indices]
    chosen = entries >= 0
    ends = np.concatenate([[0], np.cumsum(chosen)])[part.counts.indptr]
    content = part.counts.data[chosen], entries[chosen].astype(np.int32), ends.astype(np.int32)
    counts = Counts(content, shape=(part.counts.shape[0], width))
    counts.sort_indices()
    return counts


class _Merged:
    """Terms of all partitions, each once, in the order in which they were met.

    They come with the number of documents of each, and how often it occurs.
    """

    def __init__(self, parts: Iterable[tuple[list[str], Integers, Integers]]) -> None:
        self._numbers: dict[str, int] = {}
        self._documents, self._tokens = (np.zeros(0, np.int64) for _ in range(2))
        for names, n_documents, n_tokens in parts:
            self._add(names, n_documents, n_tokens)
        self._names = list(self._numbers)

    def _add(self, names: list[str], n_documents: Integers, n_tokens: Integers) -> None:
        numbers = self._numbers
        columns = np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)
        new = np.zeros(len(numbers) - len(self._documents), np.int64)
        self._documents, self._tokens = (
            np.concatenate([totals, new]) for totals in (self._documents, self._tokens)
        )
        self._documents[columns] += n_documents
        self._tokens[columns] += n_tokens

    def names(self, columns: Integers) -> list[str]:
        return [self._names[column] for column in columns]

    def document_frequencies(self) -> Integers:
        return self._documents

    def token_frequencies(self) -> Integers:
        return self._tokens

    def n_counts(self, words: Sequence[str]) -> int:
        """How many counts are not zero of some words, which need not be there."""
        columns = [self._numbers[word] for word in words if word in self._numbers]
        return int(self._documents[np.array(columns, np.int64)].sum())


class _Gathered:
    """Documents of all partitions, taken as they come: names, notes, languages, texts."""

    def __init__(
        self,
        parts: Iterable[Part],
        learner: Learner | None,
        notes: ReadingNotes,
        tick: Tick | None,
        source: str,
        *,
        with_texts: bool,
    ) -> None:
        self.register = _Register()
        self.n_rows: list[int] = []
        self.n_words = 0
        self._ids, self._learner, self._notes = UniqueNames(), learner, notes
        with TextWriter() as writer:
            for part in parts:
                self._add(part)
                for text in part.texts:
                    writer.add(text)
                if tick is not None:
                    tick(len(self.register.ids))
            self.texts = writer.finish() if with_texts else None
        notes.renamed += self._ids.changed
        if not self.register.ids:
            raise NoDocumentsError(source, notes)

    def _add(self, part: Part) -> None:
        """Take the documents of a part, with ids made unique, and what was noted of them."""
        for document in part.documents:
            self.register.add(replace(document, id=self._ids.of(document.id)))
        self.n_rows.append(len(part.documents))
        self.n_words += part.n_words
        add_notes(self._notes, part.notes)
        if self._learner is not None:
            self._learner.merge(part.observed)


def add_notes(notes: ReadingNotes, more: ReadingNotes) -> None:
    """Add what was noted of a part to what was noted of those before."""
    notes.replaced += more.replaced
    notes.renamed += more.renamed
    for name in COUNTERS:
        getattr(notes, name).update(getattr(more, name))
    for reason, examples in more.examples.items():
        mine = notes.examples.setdefault(reason, [])
        mine.extend(examples[: EXAMPLES - len(mine)])
    for guess in more.guesses:
        notes.guess(guess)
