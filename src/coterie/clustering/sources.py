"""Whatever holds documents, as a corpus: paths, texts, data frames, counts."""

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from coterie import progress
from coterie.corpus import Corpus, Limits, TextOptions, Vocabulary, is_texts
from coterie.corpus.building import columns_of
from coterie.corpus.columns import with_languages
from coterie.corpus.encodings import decode, looks_binary
from coterie.corpus.frames import corpus_from_frame, entries_of, is_frame, is_missing
from coterie.corpus.kinds.delimited import looks_like_table
from coterie.corpus.kinds.lines import text_lines
from coterie.corpus.limits import DEFAULT_LIMITS, size_in_words
from coterie.corpus.mail import looks_like_mailbox
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.partitions import (
    Here,
    add_notes,
    can_be_parted,
    count_partitions,
    is_address,
)
from coterie.corpus.readers import following, paths_of
from coterie.corpus.storing import Storage
from coterie.corpus.tables import Columns
from coterie.corpus.text import DEFAULT_OPTIONS
from coterie.errors import InputError
from coterie.executors import reading_cluster
from coterie.memory import available_bytes, bytes_in

EMBEDDINGS = "embeddings"
NO_EMBEDDINGS = "none"
STANDARD_INPUT = "-"
BEGINNINGS = {"{": ".jsonl", "[": ".json"}
START_BYTES = 1 << 16  # by which the format of standard input is recognised
EXPECTED = (
    "expected a path, texts in a list or column, a data frame, a Corpus, or counts with words"
)
Options = TextOptions | Vocabulary | Mapping[str, TextOptions | Vocabulary]


@dataclass(frozen=True)
class Reading:
    """How documents are read: names of columns, and how words are counted."""

    text: Sequence[str] = ()
    id: str | None = None
    title: str | None = None
    label: str | None = None
    views: Sequence[str] = ()
    options: Options = DEFAULT_OPTIONS
    limits: Limits = DEFAULT_LIMITS
    quiet: bool = False
    embeddings: str | None = None  # the model of an earlier fit, which is not downloaded again
    table: str | None = None

    def columns(self) -> dict[str, Any]:
        """The names of columns, as a saved result holds them."""
        return {
            "text": list(self.text) or None,
            "id": self.id,
            "label": self.label,
            "title": self.title,
            "views": list(self.views),
            EMBEDDINGS: self.embeddings,
        }


def names_of(what: str, columns: str | Sequence[str] | None) -> tuple[str, ...]:
    """Names of columns: one, several in a list, or none."""
    several = list(columns) if isinstance(columns, list | tuple) else [columns]
    names = (name_of(what, each) for each in several)
    return tuple(name for name in names if name)


def name_of(what: str, column: Any) -> str | None:
    """The name of a column, or none; data frames may have numbers for names.

    Examples
    --------
    >>> name_of("text", 0), name_of("text", "body"), name_of("text", None)
    ('0', 'body', None)
    """
    if column is None or isinstance(column, str):
        return column
    if isinstance(column, int | np.integer) and not isinstance(column, bool):
        return str(column)
    raise InputError(f"{what}: {_described(column)}; expected the name of a column")


def storage_within(memory: str | None) -> Storage:
    """Where documents are stored that are read: on disk where memory would not do.

    `memory` is a size such as "4GiB"; None stands for what is free.
    """
    return Storage(available_bytes() if memory is None else bytes_in(memory))


def corpus_of(
    source: Any,
    how: Reading,
    *,
    words: Any = None,
    embeddings: Any = None,
    storage: Storage | None = None,
) -> Corpus:
    """Make a corpus of whatever holds documents, with embeddings where there are some.

    With a `storage`, documents of files are stored there.
    """
    make = _maker(source, how, words, storage)
    if embeddings is None:
        return make()
    model = model_named(embeddings)
    if model:
        return _with_computed(make, model, how, download=how.embeddings is None)
    from coterie.corpus.vectors import checked_vectors, read_vectors

    name = EMBEDDINGS
    if isinstance(embeddings, str | os.PathLike):
        name, embeddings = os.fspath(embeddings), read_vectors(Path(embeddings))
    corpus = make()
    return corpus.with_vectors(EMBEDDINGS, checked_vectors(name, embeddings, len(corpus)))


def model_named(embeddings: Any) -> str | None:
    """The model that embeddings are computed by: "auto", a name or a folder; None for a file.

    Examples
    --------
    >>> model_named("minishlab/potion-base-8M"), model_named("x.npy"), model_named(None)
    ('minishlab/potion-base-8M', None, None)
    """
    if not isinstance(embeddings, str | os.PathLike):
        return None
    name = os.fspath(embeddings)
    if name.lower().endswith((".npy", ".npz")) or Path(name).is_file():
        return None
    if not name:
        raise InputError("embeddings: an empty name; expected a model, a .npy file or auto")
    return str(Path(name).resolve()) if Path(name).is_dir() else name


def _with_computed(
    make: Callable[[], Corpus], model: str, how: Reading, *, download: bool
) -> Corpus:
    """The corpus with vectors of its texts; what is missing for them is said before reading."""
    from coterie.corpus.embedding import embedded, embedder_named

    embedder = embedder_named(model, download=download)
    corpus = make()
    with progress.computing(f"Computing vectors by {model}", how.quiet) as tick:
        vectors = embedded(corpus.texts(slice(None)), embedder, tick=tick)
    return corpus.with_vectors(EMBEDDINGS, vectors)


def _maker(
    source: Any, how: Reading, words: Any, storage: Storage | None
) -> Callable[[], Corpus]:
    """A function that makes the corpus; what is wrong with the source is said at once."""
    import pyarrow as pa

    if isinstance(source, Corpus):
        _refuse_columns(how, "a Corpus")
        return lambda: source
    if words is not None:
        _refuse_columns(how, "counts")
        return lambda: Corpus.from_counts(source, words)
    if is_address(source) or is_path(source):
        return _reader(source, how, storage)
    if is_frame(source):
        return lambda: corpus_from_frame(
            source, text=how.text or None, id=how.id, label=how.label, title=how.title,
            views=how.views or None, options=how.options,
        )  # fmt: skip
    if isinstance(source, Mapping):
        _refuse_columns(how, "a mapping of views")
        return lambda: Corpus.from_texts(source, options=how.options)
    name, entries = entries_of(source)
    if entries is None:
        raise InputError(f"source: {_described(source)}; {EXPECTED}")
    texts = _texts(entries)
    _refuse_columns(how, "a list of texts")
    if not name:
        return lambda: Corpus.from_texts(texts, options=how.options)
    return lambda: corpus_from_frame(pa.table({name: texts}), text=name, options=how.options)


def _reader(source: Any, how: Reading, storage: Storage | None) -> Callable[[], Corpus]:
    """A function that reads a path or address, in parts where there is a cluster."""
    if is_address(source):
        return lambda: read_parts(source, how, reading_cluster(needed=True), storage)
    cluster = reading_cluster()
    if cluster is not None and can_be_parted(source, _columns(how)):
        return lambda: read_parts(source, how, cluster, storage)
    return lambda: _read(source, how, storage)


def _texts(entries: Sequence[Any]) -> list[str]:
    """The texts of a list or column; a missing one is an empty text, as in a data frame."""
    if not entries:
        raise InputError("source: no texts, expected at least one")
    if not is_texts(entries):
        raise InputError(
            f"source: the first entry is {_described(entries[0])}, expected a text; "
            "for a matrix of counts give its words too"
        )
    texts = ["" if is_missing(each) else each for each in entries]
    for number, each in enumerate(texts, start=1):
        if not isinstance(each, str):
            raise InputError(f"source: entry {number} is {_described(each)}, expected a text")
    return texts


def _described(value: Any) -> str:
    """A value in a few words, never all of it."""
    if isinstance(value, int | float):
        return f"the number {value}"
    shape = getattr(value, "shape", None)
    return type(value).__name__ + (f" of shape {tuple(shape)}" if shape else "")


def _refuse_columns(how: Reading, what: str) -> None:
    named = {"text": how.text, "id": how.id, "title": how.title, "label": how.label}
    for name, columns in named.items():
        if columns:
            column = columns if isinstance(columns, str) else columns[0]
            raise InputError(f"{name}={column!r}: {what} has no columns")


def is_path(source: Any) -> bool:
    """Tell whether a source is a path, or several in a list; a list of strings is texts."""
    several = isinstance(source, list | tuple) and len(source) > 0
    return isinstance(source, str | os.PathLike) or (
        several and all(isinstance(each, os.PathLike) for each in source)
    )


def views_of(source: Any, named: Sequence[str]) -> tuple[list[str], bool]:
    """Names of several views, those of a corpus or mapping too, and whether it has vectors."""
    if isinstance(source, Corpus):
        views = list(source.views) if len(source.views) > 1 else []
        return views, bool(source.vectors)
    return (list(source) if isinstance(source, Mapping) else list(named)), False


def titled(source: Any) -> str:
    """A title for the clusters of a source: the names of paths, else none."""
    if is_address(source):
        return str(source).rstrip("/").rpartition("/")[2]
    if not is_path(source) or str(source) == STANDARD_INPUT:
        return ""
    return ", ".join(Path(each).resolve().name for each in paths_of(source))


def located(source: Any) -> str:
    """Where a source lies, if it is one path."""
    if is_address(source):
        return str(source)
    one = isinstance(source, str | os.PathLike) and str(source) != STANDARD_INPUT
    return str(Path(source).resolve()) if one else ""


def _read(path: Any, how: Reading, storage: Storage | None) -> Corpus:
    if str(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError("standard input: closed, expected documents")
        return read_stream(sys.stdin.buffer, how, storage)
    name = " ".join(map(str, paths_of(path)))
    with following(path) as share, progress.reading(name, how.quiet, share) as tick:
        return _read_files(path, how, storage, tick)


def _columns(how: Reading) -> Columns:
    named = columns_of(how.text or None, how.id, how.label, how.title, how.views or None)
    return replace(named, table=how.table)


def read_parts(
    source: Any, how: Reading, cluster: Any, storage: Storage | None = None
) -> Corpus:
    """Read files in partitions, on the cluster of the surrounding block where there is one.

    Counts then stay there, and what of them comes here goes to the storage.
    """
    if storage is not None and not isinstance(cluster, Here):
        storage.beside_cluster()
    columns = _columns(how)
    if columns.views:
        raise InputError(f"{source}: views are read from local paths only")
    with progress.reading(str(source), how.quiet) as tick:
        built = count_partitions(
            source, columns, how.options, how.limits, cluster, tick, storage
        )
    return Corpus(
        built.views, built.ids, labels=built.labels, titles=built.titles, notes=built.notes,
        origin=built.origin, columns=with_languages(built.columns, built.languages),
    )  # fmt: skip


def _read_files(path: Any, how: Reading, storage: Storage | None, tick: Any = None) -> Corpus:
    return Corpus.read(
        path, text=how.text or None, id=how.id, label=how.label, title=how.title,
        views=how.views or None, options=how.options, tick=tick, limits=how.limits,
        storage=storage, table=how.table,
    )  # fmt: skip


def read_stream(stream: IO[bytes], how: Reading, storage: Storage | None = None) -> Corpus:
    """Read a stream to its end: a table, mail, or else a document a line.

    What it is shows in its first bytes; a table in CSV has columns that are named, or as many
    cells in every one of the first lines.
    """
    start = stream.read(START_BYTES)
    suffix = _format(start, how)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / f"standard-input{suffix}"
        with whole.open("wb") as file:
            _copy_within(start, stream, file, how.limits.collection)
        if suffix:
            return _read_files(whole, how, storage).with_texts()
        notes = ReadingNotes()
        with whole.open("rb") as file:
            lines = text_lines("standard input", file, notes, how.limits)
            texts = [line.rstrip("\n") for line in lines if line.strip()]
    if not texts:
        raise InputError("standard input: empty, expected documents")
    corpus = Corpus.from_texts(texts, options=how.options)
    add_notes(corpus.notes, notes)
    return corpus


def _copy_within(start: bytes, stream: IO[bytes], file: IO[bytes], most: int) -> None:
    total, block = 0, start
    while block:
        total += len(block)
        if total > most:
            raise InputError(
                f"standard input: more than {size_in_words(most)}; --limit collection sets "
                "another limit"
            )
        file.write(block)
        block = stream.read(1 << 20)


def _format(start: bytes, how: Reading) -> str:
    """The extension of what begins so; empty for a document a line."""
    if start.startswith(b"PAR1"):
        return ".parquet"
    if looks_like_mailbox(start.lstrip()):
        return ".mbox"
    if looks_binary(start):
        raise InputError("standard input: binary, not text; write it to a file first")
    text = decode(start).text
    named = next(
        (BEGINNINGS[each] for each in BEGINNINGS if text.lstrip().startswith(each)), ""
    )
    has_columns = bool(how.text or how.id or how.label or how.title or how.views)
    is_table = has_columns or looks_like_table(text, is_cut=len(start) == START_BYTES)
    return named or (".csv" if is_table else "")
