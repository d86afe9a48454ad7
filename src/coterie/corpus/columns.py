"""Columns of the table a corpus was read from: gathered, checked, and saved as Parquet."""

import io
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from coterie.corpus.documents import UniqueNames
from coterie.corpus.encodings import without_surrogates
from coterie.corpus.limits import DEFAULT_LIMITS, Budget, ExpansionError
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.parquet import batches
from coterie.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

LANGUAGE = "language"
"""The column of languages, where documents are in several."""

MOST_COLUMNS = 1000  # as rows with keys of their own would fill the memory
WHOLE = re.compile(r"0|-?[1-9][0-9]*")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*|(?=\.))(\.[0-9]+)?([eE][+-]?[0-9]+)?")
EXACT = 2**53  # up to which floats hold every whole number
LONGEST_NUMBER = 30  # characters
ROW_BYTES = 100  # on disk, with what an archive may expand to: 20 KB of columns a document
Bytes = npt.NDArray[np.uint8]


class Cells(dict[str, str]):
    """A row of a CSV file: strings, some of which mean numbers."""


class CellsWithCommas(Cells):
    """A row of a table with semicolons, in whose numbers a comma stands for the point."""


class Gatherer:
    """Collects the columns of documents that come one by one.

    Examples
    --------
    >>> gatherer = Gatherer()
    >>> gatherer.add(Cells(stars="5", shop="Bonn"))
    >>> gatherer.add(Cells(stars="", shop="Pisa"))
    >>> gatherer.add({})
    >>> gatherer.finish(ReadingNotes()).to_pydict()
    {'stars': [5, None, None], 'shop': ['Bonn', 'Pisa', None]}
    """

    def __init__(self) -> None:
        self._values: dict[str, list[Any]] = {}
        self._texts: set[str] = set()  # columns with strings that are not cells
        self._with_commas: set[str] = set()
        self._left_out: set[str] = set()
        self._n_rows = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Take what the columns hold of a document."""
        n_rows, cells = self._n_rows, isinstance(row, Cells)
        for name, value in row.items():
            values = self._values.get(name)
            if values is None and (values := self._column(name)) is None:
                continue
            if len(values) < n_rows:
                values.extend([None] * (n_rows - len(values)))
            if isinstance(value, str):
                if not cells:
                    self._texts.add(name)
            elif isinstance(value, dict | list):
                value = _as_json(value)  # it becomes that in the end, and is smaller
                self._texts.add(name)
            values.append(value)
        if isinstance(row, CellsWithCommas):
            self._with_commas.update(row)
        self._n_rows += 1

    def _column(self, name: str) -> list[Any] | None:
        if name not in self._values:
            if len(self._values) == MOST_COLUMNS:
                self._left_out.add(name)
                return None
            self._values[name] = []
        return self._values[name]

    def finish(self, notes: ReadingNotes) -> "pa.Table | None":
        """The columns of all documents, null where one has none; None without any column."""
        if not self._values:
            return None
        import pyarrow as pa

        if self._left_out:
            notes.guess(f"columns beyond the first {MOST_COLUMNS:,} were not kept")
        names, arrays = UniqueNames(), {}
        for name in list(self._values):
            values = self._values.pop(name)
            values.extend([None] * (self._n_rows - len(values)))
            if name in self._with_commas:
                values = _with_points(values)
            values = values if name in self._texts else _numbers(values)
            arrays[names.of(without_surrogates(name)[0])] = arrow_array(values)
        return pa.table(arrays)


def _with_points(values: list[Any]) -> list[Any]:
    """Cells with points for commas, if each of them is a number then; else as they are."""
    changed = [each.replace(",", ".") if isinstance(each, str) else each for each in values]
    numbers = all(_is_number(each) for each in changed if isinstance(each, str) and each)
    return changed if numbers and not any("." in str(each) for each in values) else values


def _numbers(values: list[Any]) -> list[Any]:
    """Cells as numbers, empty ones as None, if each of them is a number; else as they are."""
    cells = {value for value in values if isinstance(value, str) and value}
    if not cells or not all(map(_is_number, cells)):
        return values
    whole = all(map(WHOLE.fullmatch, cells))
    numbers: dict[str, Any] = {cell: int(cell) if whole else float(cell) for cell in cells}
    if whole and not all(-(2**63) <= number < 2**63 for number in numbers.values()):
        return values
    if not whole and not all(map(_is_float, cells)):
        return values
    numbers[""] = None
    return [numbers[value] if isinstance(value, str) else value for value in values]


def _is_number(cell: str) -> bool:
    return len(cell) <= LONGEST_NUMBER and NUMBER.fullmatch(cell) is not None


def _is_float(cell: str) -> bool:
    """Tell whether a float holds the number in a cell: finite, and no long id cut short."""
    return abs(int(cell)) <= EXACT if WHOLE.fullmatch(cell) else math.isfinite(float(cell))


def arrow_array(values: list[Any]) -> Any:
    """Return values as an Arrow array of one simple type, or of strings if there is none.

    Strings stay as they are then, and other values become their JSON text.

    Examples
    --------
    >>> arrow_array([1, None, 2.5]).to_pylist(), arrow_array([[1], "a", None]).to_pylist()
    ([1.0, None, 2.5], ['[1]', 'a', None])
    """
    import pyarrow as pa

    try:
        array = pa.array(values)
        if not pa.types.is_nested(array.type):
            return array
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        pass
    return pa.array([None if value is None else _as_text(value) for value in values])


def _as_text(value: Any) -> str:
    text = value if isinstance(value, str) else _as_json(value)
    return without_surrogates(text)[0]


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):  # keys that are no strings, depth
        return str(value)


def simple(column: Any) -> Any:
    """Return an Arrow array or column of a simple type: no dictionary, nested values as text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> simple(pa.array([[1, 2], None])).to_pylist()
    ['[1, 2]', None]
    """
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        return simple(column.cast(kind.value_type))
    if pa.types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType):
        return arrow_array(column.to_pylist())
    if str(kind) == "string_view":
        return column.cast(pa.large_string())
    return column


def checked_columns(columns: Any, n_documents: int) -> "pa.Table | None":
    """Return columns, of a mapping or an Arrow table, as a table with a row a document.

    Examples
    --------
    >>> checked_columns({"stars": [5, 1]}, 3)
    Traceback (most recent call last):
    coterie.errors.InputError: columns: 'stars' has 2 values for 3 documents; expected one a
    document
    """
    if columns is None:
        return None
    import pyarrow as pa

    if isinstance(columns, pa.Table):
        pairs: Iterable[tuple[Any, Any]] = zip(
            columns.column_names, columns.columns, strict=True
        )
    elif isinstance(columns, Mapping):
        pairs = [(name, _given(name, values)) for name, values in columns.items()]
    else:
        kind = type(columns).__name__
        raise InputError(
            f"columns: a {kind}; expected a mapping of names to values, or a table"
        )
    arrays: dict[str, Any] = {}
    for name, column in pairs:
        if not isinstance(name, str):
            raise InputError(f"columns: {name!r} is no string; expected names of columns")
        if name in arrays:
            raise InputError(f"columns: several are named '{name}'; expected each name once")
        if len(column) != n_documents:
            raise InputError(
                f"columns: '{name}' has {len(column)} values for {n_documents} documents; "
                "expected one a document"
            )
        arrays[name] = simple(column)
    return pa.table(arrays) if arrays else None


def _given(name: Any, values: Any) -> Any:
    import pyarrow as pa

    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InputError(f"columns: {name!r} is no list; expected a value a document")
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    items = values if isinstance(values, list | tuple) else np.asarray(values).tolist()
    return arrow_array(
        [each.item() if isinstance(each, np.generic) else each for each in items]
    )


def with_languages(columns: Any, languages: list[str] | None) -> Any:
    """Return columns with one more, the languages of documents, where they are known.

    Examples
    --------
    >>> with_languages({"stars": [5, 1]}, ["en", "de"])
    {'stars': [5, 1], 'language': ['en', 'de']}
    """
    import pyarrow as pa

    names = columns.column_names if isinstance(columns, pa.Table) else columns or {}
    if languages is None or LANGUAGE in names:
        return columns
    if isinstance(columns, pa.Table):
        return columns.append_column(LANGUAGE, pa.array(languages))
    return {**(columns or {}), LANGUAGE: languages}


def packed(columns: "pa.Table | None") -> Bytes | None:
    """Return columns as the bytes of a Parquet file."""
    if columns is None:
        return None
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(columns, stream, compression="zstd", write_page_checksum=True)
    return np.frombuffer(stream.getvalue(), dtype=np.uint8)


def unpacked(content: Bytes | None, n_documents: int) -> "pa.Table | None":
    """Return the columns that `packed` wrote, which may come from a stranger."""
    if content is None:
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    budget = Budget(DEFAULT_LIMITS)
    budget.open("columns", content.nbytes + n_documents * ROW_BYTES)
    file = pa.BufferReader(content.tobytes())
    try:
        schema, n_rows = pq.read_schema(file), pq.read_metadata(file).num_rows
        if n_rows != n_documents:
            raise InputError(f"columns: {n_rows} rows for {n_documents} documents")
        found = list(batches("columns", file, budget))
        read = pa.Table.from_batches(found) if found else schema.empty_table()
        read.validate(full=True)
        pairs = zip(read.columns, schema.types, strict=True)
        arrays = [
            simple(each if each.type == kind else each.cast(kind)) for each, kind in pairs
        ]
    except ExpansionError as error:
        raise InputError(f"columns: too large for {n_documents} documents") from error
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, MemoryError) as error:
        reason = str(error).partition("\n")[0] or "damaged"
        raise InputError(f"columns: not Parquet ({reason})") from error
    return pa.Table.from_arrays(arrays, names=schema.names)
