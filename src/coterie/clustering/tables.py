"""Tables for people, in the data frames they use."""

import importlib.util
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.corpus.tables import no_column
from coterie.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from coterie.corpus import Corpus

LIBRARIES = ("pandas", "polars", "pyarrow")
BLOCK_ROWS = 1 << 13  # whose texts are in memory together
SOURCE = "source_"
"""Begins the name of a column of the source that is named like one of ours."""


def library_of(source: Any = None) -> str:
    """The library whose data frames people get: that of their own, or the first installed.

    Examples
    --------
    >>> import pyarrow
    >>> library_of(pyarrow.table({"a": [1]}))
    'pyarrow'
    """
    home = type(source).__module__.partition(".")[0]
    if home in LIBRARIES:
        return home
    return next(name for name in LIBRARIES if importlib.util.find_spec(name))


def frame(columns: "Mapping[str, Sequence[Any]] | pa.Table", library: str) -> Any:
    """A data frame of a library with these columns.

    Examples
    --------
    >>> frame({"number": [1, 2], "name": ["tea", "rum"]}, "pandas")
       number name
    0       1  tea
    1       2  rum
    """
    import pyarrow as pa

    table = columns if isinstance(columns, pa.Table) else pa.table(dict(columns))
    if library == "pandas":
        return table.to_pandas()
    if library == "polars":
        import polars

        return polars.from_arrow(table)
    return table


def has_columns(source: Any) -> bool:
    """Tell whether a source may have named columns: a path or a data frame, but no texts."""
    from coterie.corpus.frames import is_frame

    return isinstance(source, str | os.PathLike) or is_frame(source)


def texts_of(corpus: "Corpus", positions: Any) -> list[str] | None:
    """The texts of documents; None where they are not at hand."""
    try:
        return corpus.texts(positions)
    except (InputError, OSError):
        return None


def with_columns(corpus: "Corpus", ours: Mapping[str, Any], *, texts: bool) -> "pa.Table":
    """The columns of the source, the texts where wanted, then ours; each name once."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    source = pa.table({}) if corpus.columns is None else corpus.columns
    for name in source.column_names:
        if name not in ours or not _equal(source[name], ours[name]):
            columns[free_name(name, {*ours, *columns})] = source[name]
    for name, contents in text_columns(corpus).items() if texts else ():
        columns[free_name(name, {*ours, *columns})] = pa.array(contents, pa.string())
    return pa.table(columns | dict(ours))


def text_blocks(table: "pa.Table", corpus: "Corpus") -> Iterator["pa.Table"]:
    """A table of all documents with the texts where they are at hand, some rows at a time.

    They stand where `with_columns` puts them.
    """
    import pyarrow as pa

    place = table.column_names.index("id")
    for start in range(0, len(table), BLOCK_ROWS):
        part = table.slice(start, BLOCK_ROWS)
        rows = np.arange(start, start + len(part))
        columns = corpus.text_columns(rows) if corpus.has_texts else {}
        for number, (name, texts) in enumerate(columns.items()):
            name = free_name(name, part.column_names)
            part = part.add_column(place + number, name, pa.array(texts, pa.string()))
        yield part


def text_columns(corpus: "Corpus", positions: Any = slice(None)) -> dict[str, list[str]]:
    """The texts of documents by column or view; none where they are not at hand."""
    try:
        return corpus.text_columns(positions)
    except (InputError, OSError):
        return {}


def _equal(source: Any, ours: Any) -> bool:
    """Tell whether a column of the source is the one that ours was taken from."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(source.type) and pa.types.is_string(ours.type):
        same = pc.equal(pc.fill_null(source, ""), pc.fill_null(ours, ""))
        return bool(pc.all(same, min_count=0).as_py())
    pairs = zip(source.to_pylist(), ours.to_pylist(), strict=True)
    return all(("" if a is None else str(a)) == ("" if b is None else str(b)) for a, b in pairs)


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name of a column, after "source_" where it is taken."""
    while name in taken:
        name = SOURCE + name
    return name


def column(table: "pa.Table", name: str) -> list[Any]:
    """The values of a column, which must be there."""
    if name not in table.column_names:
        raise InputError(no_column(name, table.column_names))
    values: list[Any] = table[name].to_pylist()
    return values
