"""Data frames of pandas, polars and others, a row a document."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from coterie.corpus.building import PLAIN_VIEW, Options, columns_of
from coterie.corpus.columns import arrow_array, simple
from coterie.corpus.corpus import Corpus
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.origins import InMemory, joined
from coterie.corpus.tables import PEEKED_ROWS, Columns, Source, guess_text, listed, no_column
from coterie.corpus.text import DEFAULT_OPTIONS
from coterie.corpus.vectors import Gatherer
from coterie.errors import InputError, UnreadableError

Arrays = dict[str, Any]  # Arrow arrays, by the name of the column


def is_frame(X: Any) -> bool:
    """Tell whether X is a data frame, or a table of pyarrow.

    Examples
    --------
    >>> import pandas as pd
    >>> is_frame(pd.DataFrame({"text": ["green tea"]})), is_frame(["green tea"])
    (True, False)
    """
    import narwhals.stable.v1 as nw

    try:
        frame = nw.from_native(X, pass_through=True)
    except ValueError:  # a frame with columns of one name
        return True
    return isinstance(frame, nw.DataFrame | nw.LazyFrame)


def entries_of(X: Any) -> tuple[str, list[Any] | None]:
    """The name and the entries of a column; no name for lists, arrays and iterators.

    The entries are None where X is nothing of these.

    Examples
    --------
    >>> import pandas as pd
    >>> entries_of(pd.Series(["green tea", None], name="drink"))
    ('drink', ['green tea', None])
    >>> entries_of(("green tea",)), entries_of(7)
    (('', ['green tea']), ('', None))
    """
    import narwhals.stable.v1 as nw

    column = nw.from_native(X, series_only=True, pass_through=True)
    if isinstance(column, nw.Series):
        name = "" if column.name is None else str(column.name)
        return name, _array(column).to_pylist()
    listed = isinstance(X, list | tuple | Iterator) or len(getattr(X, "shape", ())) == 1
    return "", list(X) if listed else None


def corpus_from_frame(
    frame: Any,
    *,
    text: str | Sequence[str] | None = None,
    id: str | None = None,
    label: str | None = None,
    title: str | None = None,
    views: Sequence[str] | None = None,
    options: Options = DEFAULT_OPTIONS,
) -> Corpus:
    """Make a corpus of a data frame: pandas, polars, or another that narwhals reads.

    `text` (one column or several, joined by a line break), `id`, `label`, `title` and `views`
    (a column each, of texts or of lists of numbers) name columns; a text column that is not
    named is guessed, and noted. Missing texts are empty documents. All columns but those of
    the texts stay as `columns` of the corpus. An index of pandas that has a name is a column
    too; one without is ignored.

    Examples
    --------
    >>> import pandas as pd
    >>> pets = pd.DataFrame({"stars": [5, 1], "review": ["A quiet cat", "Loud dogs"]})
    >>> corpus = corpus_from_frame(pets)
    >>> corpus, corpus.columns.to_pydict()
    (Corpus(2 documents, 4 words), {'stars': [5, 1]})
    >>> corpus.notes.lines()[1]
    "text taken from column 'review'"
    """
    wanted = columns_of(text, id, label, title, views)
    original = _arrays(frame)
    for name in wanted.named():
        _refuse_missing(name, original)
    notes = ReadingNotes()
    vectors = [name for name in wanted.views if _holds_vectors(original[name])]
    arrays = {name: simple(x) for name, x in original.items() if name not in vectors}
    worded = [name for name in wanted.views if name not in vectors]
    if vectors and not worded:
        raise InputError(f"views: expected at least one of texts, got vectors ({vectors[0]})")
    used = wanted.text or tuple(worded) or _guessed(arrays, notes)
    texts = {name: _texts(name, arrays) for name in used}
    corpus = Corpus.from_texts(
        texts if worded else {PLAIN_VIEW: joined(texts)},
        ids=_ids(wanted, arrays),
        labels=_strings(arrays[label]) if label else None,
        columns={name: x for name, x in arrays.items() if name not in used},
        options=options,
    )
    corpus.notes.guesses[:0] = notes.guesses
    if not worded:
        corpus = corpus._replace(origin=InMemory(texts))
    if title:
        pairs = zip(_strings(arrays[title]), corpus.titles, strict=True)
        corpus.titles = [" ".join(named.split()) or other for named, other in pairs]
    for name in vectors:
        corpus = corpus.with_vectors(name, _vectors(name, original[name], corpus.ids))
    return corpus


def _arrays(frame: Any) -> Arrays:
    """The columns of a frame as Arrow arrays, their names as strings, all different."""
    import narwhals.stable.v1 as nw

    try:
        columns = nw.from_native(_with_index(frame))
    except TypeError as error:
        kind = type(frame).__name__
        raise InputError(
            f"frame: a {kind}; expected a data frame of pandas, polars or pyarrow"
        ) from error
    except ValueError as error:
        names = [str(name) for name in getattr(frame, "column_names", frame.columns)]
        raise _repeated(names) from error
    if isinstance(columns, nw.LazyFrame):
        columns = columns.collect()
    names = [str(name) for name in columns.columns]
    if len(set(names)) < len(names):
        raise _repeated(names)
    if not len(columns) or not names:
        raise InputError(
            f"frame: {len(columns)} rows and {len(names)} columns; expected a row a document"
        )
    return dict(zip(names, map(_array, columns.iter_columns()), strict=True))


def _with_index(frame: Any) -> Any:
    """The frame with the named levels of an index of pandas as columns, unless these exist."""
    names = getattr(getattr(frame, "index", None), "names", ())
    missing = [name for name in names if name is not None and name not in frame.columns]
    return frame.reset_index(level=missing) if missing else frame


def _repeated(names: list[str]) -> InputError:
    name = Counter(names).most_common(1)[0][0]
    return InputError(
        f"frame: several columns are named '{name}'; rename them. {listed(names)}"
    )


def _array(column: Any) -> Any:
    """A column as an Arrow array; one of several types as strings, missing values as null."""
    import pyarrow as pa

    try:
        return column.to_arrow()
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return arrow_array([None if is_missing(each) else each for each in column.to_list()])


def is_missing(value: Any) -> bool:
    """Tell whether a value is None or not a number."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _refuse_missing(name: str, arrays: Arrays) -> None:
    if name not in arrays:
        raise InputError(f"frame: {no_column(name, list(arrays))}")


def _guessed(arrays: Arrays, notes: ReadingNotes) -> tuple[str, ...]:
    peeked = {name: array[:PEEKED_ROWS].to_pylist() for name, array in arrays.items()}
    rows = [dict(zip(peeked, row, strict=True)) for row in zip(*peeked.values(), strict=True)]
    try:
        return guess_text(list(enumerate(rows)), list(arrays), Source("frame"), notes)
    except UnreadableError as error:
        raise InputError(
            "frame: no column holds texts; expected one, or its name as `text`. "
            f"{listed(list(arrays))}"
        ) from error


def _texts(name: str, arrays: Arrays) -> list[str]:
    """The texts of a column, empty where missing."""
    import pyarrow as pa

    kind = arrays[name].type
    if str(kind) not in ("string", "large_string", "null"):
        numbers = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        holds = "numbers" if numbers else str(kind)
        raise InputError(
            f"frame: column '{name}' holds {holds}, expected texts; name a column of texts. "
            f"{listed(list(arrays))}"
        )
    return _strings(arrays[name])


def _strings(array: Any) -> list[str]:
    return ["" if value is None else str(value) for value in array.to_pylist()]


def _ids(wanted: Columns, arrays: Arrays) -> list[str] | None:
    """The ids in a column, the number of the row where one is missing."""
    if wanted.id is None:
        return None
    named = _strings(arrays[wanted.id])
    return [name or str(number) for number, name in enumerate(named, start=1)]


def _holds_vectors(array: Any) -> bool:
    import pyarrow as pa

    kind, types = array.type, pa.types
    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(
        lists and (types.is_floating(kind.value_type) or types.is_integer(kind.value_type))
    )


def _vectors(name: str, array: Any, ids: Sequence[str]) -> Any:
    gatherer = Gatherer(name)
    for document, vector in zip(ids, array.to_pylist(), strict=True):
        gatherer.add(document, vector)
    return gatherer.finish()
