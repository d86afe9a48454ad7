"""Tables: CSV, JSON, JSON lines and Parquet, a row a document."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import IO, Any

from coterie.corpus.documents import Document, UnreadableError
from coterie.corpus.encodings import BLOCK_BYTES, decode, decoded_lines, looks_binary
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.spreadsheets import is_table_of_documents, original_cell

TEXT_NAMES = (
    "text", "body", "content", "contents", "abstract", "description", "message", "document",
    "article", "review", "comment", "post", "tweet", "summary", "story",
)  # fmt: skip
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
NO_DELIMITER = "\x1f"
PEEKED_ROWS = 50
LARGEST_FIELD = 2**31 - 1
Row = tuple[int, Mapping[str, Any]]


@dataclass(frozen=True)
class Columns:
    """Which columns of a table hold what; a text column of None is guessed."""

    text: tuple[str, ...] | None = None
    id: str | None = None
    label: str | None = None
    title: str | None = None
    views: tuple[str, ...] = ()

    def named(self) -> list[str]:
        """Return the columns that must be there."""
        single = [name for name in (self.id, self.label, self.title) if name is not None]
        return [*(self.text or ()), *self.views, *single]


@dataclass(frozen=True)
class Source:
    """Where rows come from: the file's name, its folder, and whether it is one of several."""

    name: str
    folder: tuple[str, ...] = ()
    alone: bool = True


def rows_to_documents(
    rows: Iterable[Row], columns: Columns, source: Source, notes: ReadingNotes
) -> Iterator[Document]:
    """Yield a document for each row; a text column that is not named is guessed first."""
    remaining = iter(rows)
    first = list(islice(remaining, PEEKED_ROWS))
    if not first:
        raise UnreadableError(source.name, "no rows")
    available = list(dict.fromkeys(name for _, row in first for name in _names(row)))
    for name in columns.named():
        if name not in available:
            has = ", ".join(available)
            raise UnreadableError(source.name, f"no column '{name}'. Columns: {has}")
    vectors = [name for name in columns.views if _holds_vectors(first, name)]
    views = tuple(name for name in columns.views if name not in vectors)
    text = columns.text or views or _guess_text(first, available, source, notes)
    columns = replace(columns, views=views)
    for number, row in chain(first, remaining):
        document = _document(number, row, text, columns, source)
        if vectors:
            row_vectors = {name: _vector(row, name, number, source) for name in vectors}
            document = replace(document, vectors=row_vectors)
        yield document


def _holds_vectors(first: list[Row], name: str) -> bool:
    """Tell whether a column holds lists of numbers, in the first rows and where it is set."""
    values = [value for _, row in first if (value := _value(row, name)) is not None]
    return bool(values) and all(map(_is_vector, values))


def _is_vector(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, int | float) and not isinstance(each, bool) for each in value
    )


def _vector(
    row: Mapping[str, Any], name: str, number: int, source: Source
) -> Sequence[float] | None:
    value = _value(row, name)
    if value is not None and not _is_vector(value):
        kind = type(value).__name__
        raise UnreadableError(
            source.name,
            f"row {number}, column '{name}': expected a list of numbers, got {kind}",
        )
    return value or None


def _document(
    number: int, row: Mapping[str, Any], text: tuple[str, ...], columns: Columns, source: Source
) -> Document:
    row_id = _string(row, columns.id) if columns.id else ""
    numbered = str(number) if source.alone else f"{source.name}:{number}"
    return Document(
        id=row_id or numbered,
        text="\n".join(_string(row, name) for name in text),
        label=_string(row, columns.label) if columns.label else None,
        title=" ".join(_string(row, columns.title).split()) if columns.title else "",
        folder=source.folder,
        views={name: _string(row, name) for name in columns.views},
    )


def _names(row: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in row.items():
        yield prefix + name
        if isinstance(value, Mapping):
            yield from _names(value, f"{prefix}{name}.")


def _value(row: Mapping[str, Any], name: str) -> Any:
    if name in row:
        return row[name]
    head, _, tail = name.partition(".")
    inner = row.get(head)
    return _value(inner, tail) if tail and isinstance(inner, Mapping) else None


def _string(row: Mapping[str, Any], name: str) -> str:
    value = _value(row, name)
    return "" if value is None else value if isinstance(value, str) else str(value)


def _guess_text(
    first: list[Row], available: list[str], source: Source, notes: ReadingNotes
) -> tuple[str, ...]:
    spelled = {name.lower(): name for name in reversed(available)}
    column = next((spelled[name] for name in TEXT_NAMES if name in spelled), None)
    if column is None:
        column = max(available, key=lambda name: _total_length(first, name), default=None)
    if column is None or (
        column.lower() not in TEXT_NAMES and not _total_length(first, column)
    ):
        raise UnreadableError(source.name, "no column holds text; name it with --text")
    if len(available) > 1:
        notes.guess(f"text taken from column '{column}'")
    return (column,)


def _total_length(rows: list[Row], name: str) -> int:
    values = (_value(row, name) for _, row in rows)
    return sum(len(v) for v in values if isinstance(v, str) and any(map(str.isalpha, v)))


def csv_rows(name: str, stream: IO[bytes], notes: ReadingNotes) -> Iterator[Row]:
    r"""Yield the rows of a CSV file by their header, the delimiter chosen by trial.

    Examples
    --------
    >>> import io
    >>> list(csv_rows("t.csv", io.BytesIO(b"a;b\n1;'2'\n"), ReadingNotes()))
    [(1, {'a': '1', 'b': "'2'"})]
    """
    csv.field_size_limit(LARGEST_FIELD)
    lines = _text_lines(name, stream, notes)
    sample = list(islice(lines, PEEKED_ROWS))
    delimiter = _delimiter(sample)
    if delimiter not in (",", NO_DELIMITER) and not name.lower().endswith(".tsv"):
        notes.guess(f"delimiter of {name}: {DELIMITERS[delimiter]}")
    records: Iterator[list[str]] = csv.reader(chain(sample, lines), delimiter=delimiter)
    header = _unique_names(next(records, []))
    if is_table_of_documents(header):
        records = (list(map(original_cell, record)) for record in records)
    number = 0
    for record in records:
        if not record:
            continue
        number += 1
        if len(record) > len(header):
            notes.leave_out("fields beyond the header", f"{name}, row {number}")
        yield number, dict(zip(header, record, strict=False))


def _unique_names(header: list[str]) -> list[str]:
    names: list[str] = []
    for position, cell in enumerate(header, start=1):
        name = cell.strip() or f"column {position}"
        names.append(f"{name} ({position})" if name in names else name)
    return names


def _delimiter(sample: list[str]) -> str:
    """Choose the delimiter that splits most rows like the header, then into most columns."""
    best, best_score = NO_DELIMITER, (0.0, 0)
    for delimiter in DELIMITERS:
        widths = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
        if widths and widths[0] > 1:
            agreeing = sum(width == widths[0] for width in widths) / len(widths)
            best, best_score = max(
                (best, best_score), (delimiter, (agreeing, widths[0])), key=lambda pair: pair[1]
            )
    return best


def _text_lines(name: str, stream: IO[bytes], notes: ReadingNotes) -> Iterator[str]:
    start = stream.read(BLOCK_BYTES)
    if looks_binary(start):
        raise UnreadableError(name, "binary, not text")
    return decoded_lines(start, stream, notes)


def json_line_rows(name: str, stream: IO[bytes], notes: ReadingNotes) -> Iterator[Row]:
    r"""Yield the objects of a JSON lines file, numbered by line; bad lines are counted.

    Examples
    --------
    >>> import io
    >>> list(json_line_rows("t.jsonl", io.BytesIO(b'{"a": 1}\n"words"\n'), ReadingNotes()))
    [(1, {'a': 1}), (2, {'text': 'words'})]
    """
    good, first_problem = 0, ""
    for number, line in enumerate(_text_lines(name, stream, notes), start=1):
        if not line.strip():
            continue
        row, problem = _parsed(line)
        if row is None:
            first_problem = first_problem or f"line {number}: {problem}"
            notes.leave_out(problem.partition(" (")[0], f"{name}, line {number}")
            continue
        good += 1
        yield number, row
    if not good and first_problem:
        raise UnreadableError(name, first_problem)


def _parsed(line: str) -> tuple[Mapping[str, Any] | None, str]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return None, f"not JSON ({error})"
    row = _as_row(value)
    return row, "" if row is not None else "not a JSON object or string"


def _as_row(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, str):
        return {"text": value}
    return value if isinstance(value, dict) else None


def json_rows(name: str, data: bytes, notes: ReadingNotes) -> tuple[list[Row], bool]:
    """Return the objects of a JSON file, and whether it is a list of them."""
    decoded = decode(data)
    notes.decoded(decoded.encoding, decoded.replaced)
    try:
        value = json.loads(decoded.text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(name, f"not JSON ({error})") from error
    several = isinstance(value, list)
    rows: list[Row] = []
    for number, item in enumerate(value if several else [value], start=1):
        row = _as_row(item)
        if row is None:
            notes.leave_out("not a JSON object or string", f"{name}, item {number}")
        else:
            rows.append((number, row))
    return rows, several


def parquet_rows(name: str, file: IO[bytes]) -> Iterator[Row]:
    """Yield the rows of a Parquet file, a batch in memory at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=1000):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else "damaged"
        raise UnreadableError(name, f"not Parquet ({reason})") from error
