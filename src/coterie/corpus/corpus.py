"""A corpus: documents, the counts of their words in one or several views, and their names."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from coterie import persistence
from coterie.corpus import building
from coterie.corpus.building import Options, Reading, Tick, View
from coterie.corpus.columns import checked_columns, packed, unpacked, with_languages
from coterie.corpus.counting import Integers
from coterie.corpus.inputs import checked_counts, checked_texts, checked_words
from coterie.corpus.kinds import TABLES
from coterie.corpus.limits import DEFAULT_LIMITS, Limits
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.origins import IN_MEMORY, InMemory, OnDisk, Origin, restored
from coterie.corpus.readers import Paths
from coterie.corpus.storing import Storage
from coterie.corpus.text import DEFAULT_OPTIONS
from coterie.corpus.vectors import checked_vectors
from coterie.corpus.vocabulary import AS_THEY_STAND, Vocabulary
from coterie.errors import InputError
from coterie.schema import (
    FLOATS,
    WHOLES,
    Either,
    Field,
    Is,
    Items,
    Numbers,
    Objects,
    Record,
    Sparse,
    Values,
    Wholes,
    check_fields,
)
from coterie.types import Array, Counts, Strings

if TYPE_CHECKING:
    import pyarrow as pa

KIND = "corpus"
MANY = 10_000  # strings that are saved as bytes
LEAST_COUNT = 1e-30  # zeros are not stored
CONTENT: dict[str, Field] = {  # of a saved corpus
    "ids": Items(Is(str)),
    "titles": Items(Is(str)),
    "labels": Either((Is(type(None)), Objects("*", (str, int, float)))),
    "notes": Field(),
    "views": Values(
        Record(
            {
                "counts": Sparse("* *", LEAST_COUNT, (*FLOATS, *WHOLES)),
                "vocabulary": Field(),
            }
        )
    ),
    "vectors": Values(Numbers("* *")),
    "origin": Field(),
    "columns": Either(
        (Is(type(None)), Wholes("*", dtypes=(np.dtype(np.uint8),))),
        optional=True,  # in folders saved before there were columns
    ),
}
Texts = Iterable[str] | Mapping[str, Sequence[str]]


class Corpus:
    """Documents in one or several views, with ids, titles and, where known, labels.

    Parameters
    ----------
    views : mapping of str to View
        The first is the one that `counts`, `words` and `vocabulary` speak of.
    ids : sequence of str
    labels : sequence, optional
        The class of each document.
    titles : sequence of str, optional
        The ids if not given.
    notes : ReadingNotes, optional
        What was read, skipped, replaced and guessed.
    origin : Origin, optional
        Where the texts are.
    vectors : mapping of str to matrix, optional
        Views that are vectors, a row a document, zeros where it has none.
    columns : mapping of str to values, or pyarrow.Table, optional
        What else is known of each document, such as the other columns of its table.

    Examples
    --------
    >>> from coterie.corpus import TextOptions
    >>> corpus = Corpus.from_texts(
    ...     ["Cats purr.", "Dogs bark.", "Dogs and cats play."],
    ...     labels=["cat", "dog", "both"], options=TextOptions(language="en"))
    >>> corpus
    Corpus(3 documents, 5 words)
    >>> corpus.words
    array(['bark', 'cats', 'dogs', 'play', 'purr'], dtype=object)
    >>> corpus[1:].texts([0])
    ['Dogs bark.']
    """

    def __init__(
        self,
        views: Mapping[str, View],
        ids: Sequence[str],
        *,
        labels: Iterable[Any] | None = None,
        titles: Sequence[str] | None = None,
        notes: ReadingNotes | None = None,
        origin: Origin | None = None,
        vectors: Mapping[str, npt.ArrayLike] | None = None,
        columns: "Mapping[str, Any] | pa.Table | None" = None,
    ) -> None:
        self.views = dict(views)
        self.ids = list(ids)
        self.vectors: dict[str, Array] = {
            name: checked_vectors(f"view '{name}'", x, len(self.ids))
            for name, x in (vectors or {}).items()
        }
        self.labels: Strings | None = None if labels is None else _objects(labels)
        self.titles = list(self.ids if titles is None else titles)
        self.notes = ReadingNotes(documents=len(self.ids)) if notes is None else notes
        self._origin = origin
        self.columns: pa.Table | None = checked_columns(columns, len(self.ids))
        self._check()

    def _check(self) -> None:
        if not self.views:
            only = ", ".join(self.vectors)
            more = f" of words ({only} holds vectors)" if only else ""
            raise InputError(f"views: expected at least one{more}, got none")
        twice = self.views.keys() & self.vectors.keys()
        if twice:
            raise InputError(f"view '{min(twice)}': both words and vectors")
        n_documents = self.counts.shape[0]
        lengths = {"ids": len(self.ids), "titles": len(self.titles)}
        lengths |= {f"view '{name}'": view.counts.shape[0] for name, view in self.views.items()}
        if self.labels is not None:
            lengths["labels"] = len(self.labels)
        for name, length in lengths.items():
            if length != n_documents:
                raise InputError(
                    f"{name}: {length} for {n_documents} documents; expected one a document"
                )

    @property
    def _first(self) -> View:
        return next(iter(self.views.values()))

    @property
    def counts(self) -> Counts:
        """The counts of the first view."""
        return self._first.counts

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the first view."""
        return self._first.vocabulary

    @property
    def words(self) -> Strings:
        """The words of the first view."""
        return self._first.vocabulary.words

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        words = " + ".join(str(len(view.vocabulary)) for view in self.views.values())
        names = f" in views {', '.join(self.views)}" if len(self.views) > 1 else ""
        vectors = f", vectors in {', '.join(self.vectors)}" if self.vectors else ""
        return f"Corpus({len(self)} documents, {words} words{names}{vectors})"

    def __getitem__(self, documents: slice | npt.ArrayLike) -> "Corpus":
        positions = self._positions(documents)
        views = {
            name: View(view.counts[positions], view.vocabulary)
            for name, view in self.views.items()
        }
        return self._replace(
            views=views,
            ids=[self.ids[position] for position in positions],
            labels=None if self.labels is None else self.labels[positions],
            titles=[self.titles[position] for position in positions],
            origin=None if self._origin is None else self._origin.select(positions),
            vectors={name: x[positions] for name, x in self.vectors.items()},
            columns=None if self.columns is None else self.columns.take(positions),
        )

    def _replace(self, **changes: Any) -> "Corpus":
        same: dict[str, Any] = {
            "views": self.views,
            "ids": self.ids,
            "labels": self.labels,
            "titles": self.titles,
            "notes": self.notes,
            "origin": self._origin,
            "vectors": self.vectors,
            "columns": self.columns,
        }
        return Corpus(**(same | changes))

    def with_vectors(self, name: str, vectors: npt.ArrayLike) -> "Corpus":
        """Return the corpus with one more view: vectors, such as embeddings, a row a document.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["red fox", "blue whale"])
        >>> corpus.with_vectors("photo", [[0.1, -2.0], [3.0, 0.5]])
        Corpus(2 documents, 4 words, vectors in photo)
        """
        return self._replace(vectors=self.vectors | {name: vectors})

    def with_labels(self, labels: Iterable[Any]) -> "Corpus":
        """Return the corpus with the class of each document.

        Examples
        --------
        >>> Corpus.from_texts(["red fox", "blue whale"]).with_labels(["land", "sea"]).labels
        array(['land', 'sea'], dtype=object)
        """
        return self._replace(labels=labels)

    def _positions(self, documents: slice | npt.ArrayLike) -> Integers:
        every = np.arange(len(self))
        if isinstance(documents, slice):
            return every[documents]
        wanted = np.asarray(documents)
        if wanted.size == 0:
            return every[:0]
        try:
            return np.atleast_1d(every[wanted])
        except IndexError as error:
            raise InputError(f"documents: {error} (there are {len(self)})") from error

    def select_words(self, columns: npt.ArrayLike, view: str | None = None) -> "Corpus":
        """Return the corpus with some words only, in alphabetical order, of one view.

        Examples
        --------
        >>> from coterie.corpus import TextOptions
        >>> corpus = Corpus.from_texts(["red green blue"], options=TextOptions(language="en"))
        >>> corpus.select_words([2, 0]).words
        array(['blue', 'red'], dtype=object)
        """
        name = next(iter(self.views)) if view is None else view
        if name not in self.views:
            raise InputError(f"view: no '{name}'; there are {', '.join(self.views)}")
        old = self.views[name]
        wanted = np.asarray(columns)
        wanted = wanted if wanted.size else wanted.astype(np.int64)
        try:
            chosen = np.unique(np.arange(len(old.vocabulary))[wanted])
        except IndexError as error:
            raise InputError(f"columns: {error} (there are {len(old.vocabulary)})") from error
        new = View(sp.csr_array(old.counts[:, chosen]), old.vocabulary.select(chosen))
        return self._replace(views=self.views | {name: new})

    @property
    def has_texts(self) -> bool:
        """Whether the texts of the documents can be had."""
        return self._origin is not None

    @property
    def reads_files(self) -> bool:
        """Whether the texts are read again from the files that they came from."""
        return isinstance(self._origin, OnDisk)

    def texts(self, documents: slice | npt.ArrayLike) -> list[str]:
        """Return the texts of some documents, read again from their source if need be."""
        if self._origin is None:
            raise InputError("the corpus was made from counts and holds no texts")
        return self._origin.texts(self._positions(documents), self.ids)

    def text_columns(self, documents: slice | npt.ArrayLike) -> dict[str, list[str]]:
        """Return the same texts by the column or view they are read from; "text" for others.

        Examples
        --------
        >>> corpus = Corpus.from_texts({"en": ["a cat", "a dog"], "de": ["Katze", "Hund"]})
        >>> corpus.text_columns([1])
        {'en': ['a dog'], 'de': ['Hund']}
        """
        if self._origin is None:
            raise InputError("the corpus was made from counts and holds no texts")
        return self._origin.parts(self._positions(documents), self.ids)

    def with_texts(self) -> "Corpus":
        """Return the corpus with its texts at hand, or without them where they are gone."""
        if not self.reads_files:
            return self
        try:
            return self._replace(origin=InMemory(self.text_columns(slice(None))))
        except (InputError, OSError):
            return self._replace(origin=None)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the corpus as a folder that `Corpus.load` reads."""
        views = {
            name: {"counts": view.counts, "vocabulary": view.vocabulary.to_values()}
            for name, view in self.views.items()
        }
        content = {
            "ids": _packed(self.ids),
            "titles": _packed(self.titles),
            "labels": _packed(self.labels),
            "notes": self.notes.to_values(),
            "views": views,
            "vectors": self.vectors,
            "origin": None if self._origin is None else self._origin.to_values(),
            "columns": packed(self.columns),
        }
        persistence.save(path, KIND, content)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Corpus":
        """Read a corpus that `save` wrote; all of it is checked, whoever wrote it."""
        content = persistence.load(path, KIND)
        with persistence.named(path):
            for name in ("ids", "titles", "labels"):
                content[name] = _unpacked(name, content.get(name))
            check_fields("", content, CONTENT, {})
            views = {
                name: View(view["counts"], Vocabulary.from_values(view["vocabulary"]))
                for name, view in content["views"].items()
            }
            origin, n_documents = content["origin"], len(content["ids"])
            return cls(
                views,
                content["ids"],
                labels=content["labels"],
                titles=content["titles"],
                notes=ReadingNotes.from_values(content["notes"]),
                origin=None if origin is None else restored(origin, n_documents),
                vectors=content["vectors"],
                columns=unpacked(content.get("columns"), n_documents),
            )

    @classmethod
    def from_texts(
        cls,
        texts: Texts,
        *,
        ids: Iterable[str] | None = None,
        labels: Iterable[Any] | None = None,
        titles: Iterable[str] | None = None,
        columns: "Mapping[str, Any] | pa.Table | None" = None,
        options: Options = DEFAULT_OPTIONS,
    ) -> "Corpus":
        """Make a corpus from texts in memory, or from several views of each, by name.

        `columns` are what else is known of each document, by name.

        Examples
        --------
        >>> Corpus.from_texts({"en": ["a cat", "a dog"], "de": ["die Katze", "der Hund"]})
        Corpus(2 documents, 2 + 2 words in views en, de)
        """
        contents = building.checked_views(texts)
        built = building.count_texts(contents, options)
        names, renamed = building.unique_ids(ids, len(built.texts))
        built.notes.renamed += renamed
        return cls(
            built.views,
            names,
            labels=labels,
            titles=building.titles_of(built.texts, names) if titles is None else list(titles),
            notes=built.notes,
            origin=built.origin,
            columns=with_languages(columns, built.languages),
        )

    @classmethod
    def from_counts(
        cls,
        X: Any,
        words: Iterable[str],
        *,
        ids: Iterable[str] | None = None,
        labels: Iterable[Any] | None = None,
        titles: Iterable[str] | None = None,
        columns: "Mapping[str, Any] | pa.Table | None" = None,
    ) -> "Corpus":
        """Make a corpus from a matrix of counts made elsewhere and its words.

        `X` is sparse or dense, a row a document and a column a word, as scikit-learn's
        `CountVectorizer` gives it; weights of zero or more do as well. Columns stay in their
        order. Without texts, reports show words and titles, but no excerpts. New texts are
        counted word by word as they stand, in lower case; where the matrix has other columns
        than such words, as pairs of words, `vocabulary.count` refuses to.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_documents, n_words)
        words : sequence of str
            The word of each column.
        ids : sequence of str, optional
            Numbers from 1 if not given.
        labels : sequence, optional
            The class of each document.
        titles : sequence of str, optional
            The ids if not given.
        columns : mapping of str to values, or pyarrow.Table, optional
            What else is known of each document.

        Examples
        --------
        >>> from sklearn.feature_extraction.text import CountVectorizer
        >>> vectorizer = CountVectorizer()
        >>> X = vectorizer.fit_transform(["Cats purr.", "Dogs bark.", "Dogs and cats play."])
        >>> corpus = Corpus.from_counts(X, vectorizer.get_feature_names_out())
        >>> corpus
        Corpus(3 documents, 6 words)
        >>> corpus.vocabulary.count(["Cats bark at cats."]).toarray()
        array([[0., 1., 2., 0., 0., 0.]], dtype=float32)
        """
        counts = checked_counts(X)
        vocabulary = Vocabulary(checked_words(words, counts.shape[1]), AS_THEY_STAND)
        names, n_renamed = building.unique_ids(ids, counts.shape[0])
        n_empty = int(np.count_nonzero(np.diff(counts.indptr) == 0))
        notes = ReadingNotes(counts.shape[0], empty=n_empty, renamed=n_renamed)
        return cls(
            {building.PLAIN_VIEW: View(counts, vocabulary)},
            names,
            labels=labels,
            titles=None if titles is None else list(titles),
            notes=notes,
            columns=columns,
        )

    @classmethod
    def read(
        cls,
        path: Paths,
        *,
        text: str | Sequence[str] | None = None,
        id: str | None = None,
        label: str | None = None,
        title: str | None = None,
        views: Sequence[str] | None = None,
        options: Options = DEFAULT_OPTIONS,
        tick: Tick | None = None,
        limits: Limits = DEFAULT_LIMITS,
        storage: Storage | None = None,
        table: str | None = None,
    ) -> "Corpus":
        """Read a folder, an archive, a table or a file, whatever it is, or several of them.

        `text` (one column or several), `id`, `label`, `title` and `views` (a column each) name
        columns of tables; `views` also name folders, whose files of the same name are views of
        one document, and columns that hold vectors as lists of numbers. `options` say how to
        count words, or are a `Vocabulary`, whose words are then counted and no others; `tick`
        is called with the number of documents after each one. `limits` bound what a document,
        an archive and the collection may expand to. `table` names a table of a database or a
        sheet of a workbook. All columns of a table but those of the text stay as `columns`.
        With a `storage`, counts beyond its memory are on disk, and the texts are stored there,
        compressed; without one, counts are in memory, and texts are read again from their
        source when they are asked for.

        Examples
        --------
        >>> import tempfile
        >>> from coterie.corpus import TextOptions
        >>> table = Path(tempfile.mkdtemp()) / "pets.csv"
        >>> _ = table.write_text("kind,body\\ncat,It purrs.\\ndog,It barks.\\n")
        >>> corpus = read(table, label="kind", options=TextOptions(language="en"))
        >>> corpus.labels, corpus.words
        (array(['cat', 'dog'], dtype=object), array(['barks', 'purrs'], dtype=object))
        >>> corpus.notes.lines()
        ['2 documents read', "text taken from column 'body'"]
        """
        columns = replace(building.columns_of(text, id, label, title, views), table=table)
        built = building.count_documents(path, columns, options, tick, limits, storage)
        return cls(
            built.views,
            built.ids,
            labels=built.labels,
            titles=built.titles,
            notes=built.notes,
            origin=built.origin,
            vectors=built.vectors,
            columns=with_languages(built.columns, built.languages),
        )

    @classmethod
    def from_folder(
        cls,
        path: str | os.PathLike[str],
        *,
        options: Options = DEFAULT_OPTIONS,
        tick: Tick | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> "Corpus":
        """Read a folder of documents, its subfolders being their labels."""
        if Path(path).exists() and not Path(path).is_dir():
            raise InputError(f"{path}: expected a folder, got a file")
        return cls.read(path, options=options, tick=tick, limits=limits)

    @classmethod
    def from_table(
        cls,
        path: str | os.PathLike[str],
        **how: Unpack[Reading],
    ) -> "Corpus":
        """Read a CSV, TSV, JSON, JSON lines or Parquet file, compressed or not."""
        suffixes = [suffix.lower() for suffix in Path(path).suffixes]
        if not {*TABLES, ".json"} & set(suffixes[-2:]):
            raise InputError(f"{path}: expected a table ({', '.join(TABLES)}, .json)")
        return cls.read(path, **how)


read = Corpus.read
"""The same as `Corpus.read`."""


def corpus_of_texts(texts: Any) -> Corpus:
    """Count the words of texts, in a list, tuple, array or column of strings.

    Examples
    --------
    >>> corpus_of_texts(("green tea", "dark rum"))
    Corpus(2 documents, 4 words)
    """
    return Corpus.from_texts(checked_texts(texts))


def _packed(strings: Any) -> Any:
    """Many strings as one array of bytes and where each ends; others, and few, as they are."""
    if strings is None or len(strings) < MANY or not all(type(s) is str for s in strings):
        return strings
    try:
        return InMemory({"": strings}).to_values()
    except UnicodeEncodeError:
        return strings


def _unpacked(name: str, values: Any) -> Any:
    """What `_packed` was given; labels are an array again."""
    if not isinstance(values, dict):
        return values
    Record(IN_MEMORY).check(name, values, {})
    strings = restored(values, len(values["ends"]))
    assert isinstance(strings, InMemory)
    (contents,) = strings.contents.values()
    return _objects(contents) if name == "labels" else list(contents)


def _objects(values: Iterable[Any]) -> Strings:
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    array = np.empty(len(plain), dtype=object)
    array[:] = ["" if value is None else value for value in plain]
    return array
