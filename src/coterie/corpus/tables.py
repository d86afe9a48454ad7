"""Tables: CSV, JSON, JSON lines and Parquet, a row a document."""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import IO, Any, TypeVar

from coterie.corpus.columns import Cells
from coterie.corpus.documents import Document
from coterie.corpus.encodings import decode, decoded_lines, looks_binary
from coterie.corpus.limits import BLOCK_BYTES, DEFAULT_LIMITS, Limits, size_in_words
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.spreadsheets import is_table_of_documents, original_cell
from coterie.errors import UnreadableError, nearest

TEXT_NAMES = (
    "text", "body", "content", "contents", "abstract", "description", "message", "document",
    "article", "review", "comment", "post", "tweet", "summary", "story",
)  # fmt: skip
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
NO_DELIMITER = "\x1f"
PEEKED_LINES = 50  # to choose the delimiter
PEEKED_ROWS, PEEKED_CHARACTERS = 1000, 1 << 24  # to choose the column of the text
OFTEN = 0.5  # share of the rows of the fullest column that a column of text is filled in
FEW_ROWS = 100  # below which nothing is said of most rows before all are read
LARGEST_FIELD = 2**31 - 1  # what the csv module takes on every machine
DEEPEST_NAME = 8  # levels of nested fields that get a name
LONG_CELL, MANY_WORDS = 80, 12  # no name of a column
SHOWN_NAMES, SHOWN_LENGTH = 20, 40
Row = tuple[int, Mapping[str, Any]]
Item = TypeVar("Item")


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
    first = _peeked(remaining, PEEKED_ROWS, _length)
    if not first:
        raise UnreadableError(source.name, "no rows")
    available = list(dict.fromkeys(name for _, row in first for name in _names(row)))
    for name in columns.named():
        if name not in available:
            raise UnreadableError(source.name, no_column(name, available))
    vectors = [name for name in columns.views if _holds_vectors(first, name)]
    views = tuple(name for name in columns.views if name not in vectors)
    text = columns.text or views or guess_text(first, available, source, notes)
    read = {*text, *vectors}
    columns = replace(columns, views=views)
    for number, row in chain(first, remaining):
        document = _document(number, row, text, columns, source)
        document = replace(document, columns=_others(row, read))
        if vectors:
            row_vectors = {name: _vector(row, name, number, source) for name in vectors}
            document = replace(document, vectors=row_vectors)
        yield document


def _peeked(items: Iterator[Item], most: int, length: Callable[[Item], int]) -> list[Item]:
    """The first items, as many as are needed and the memory can hold."""
    first, total = [], 0
    for item in islice(items, most):
        first.append(item)
        total += length(item)
        if total > PEEKED_CHARACTERS:
            break
    return first


def _length(row: Row) -> int:
    return sum(len(value) for value in row[1].values() if isinstance(value, str))


def listed(names: list[str]) -> str:
    """Return a sentence that lists columns, the first of many.

    Examples
    --------
    >>> listed(["id", "body"])
    'Columns: id, body'
    """
    shown = [" ".join(_cut(name).split()) for name in names[:SHOWN_NAMES]]
    more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
    return f"Columns: {', '.join(shown)}{more}"


def no_column(name: str, available: list[str]) -> str:
    """Return a sentence on a column that is not there, and a question after the nearest.

    Examples
    --------
    >>> no_column("boddy", ["id", "body"])
    "no column 'boddy'. Columns: id, body. Did you mean 'body'?"
    """
    near = nearest(name, available)
    return f"no column '{name}'. {listed(available)}" + (f".{near}" if near else "")


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_LENGTH else text[:SHOWN_LENGTH] + "..."


def _holds_vectors(first: list[Row], name: str) -> bool:
    """Tell whether most values of a column in the first rows are lists of numbers."""
    values = [value for _, row in first if (value := _value(row, name)) is not None]
    return 2 * sum(map(_is_vector, values)) > len(values)


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
    parts = {name: _string(row, name) for name in text}
    return Document(
        id=row_id or numbered,
        text="\n".join(parts.values()),
        label=_string(row, columns.label) if columns.label else None,
        title=" ".join(_string(row, columns.title).split()) if columns.title else "",
        folder=source.folder,
        views=parts,
    )


def _others(row: Mapping[str, Any], read: set[str]) -> Mapping[str, Any]:
    """What a row holds besides the columns that are read, which may be nested."""
    others = {name: value for name, value in row.items() if name not in read}
    for name in read - row.keys():
        head, _, tail = name.partition(".")
        if tail and isinstance(inner := others.get(head), Mapping):
            others[head] = _others(inner, {tail})
    return Cells(others) if isinstance(row, Cells) else others


def _names(row: Mapping[str, Any], prefix: str = "", level: int = 1) -> Iterator[str]:
    for name, value in row.items():
        yield prefix + name
        if isinstance(value, Mapping) and level < DEEPEST_NAME:
            yield from _names(value, f"{prefix}{name}.", level + 1)


def _value(row: Mapping[str, Any], name: str) -> Any:
    if name in row:
        return row[name]
    head, _, tail = name.partition(".")
    inner = row.get(head)
    return _value(inner, tail) if tail and isinstance(inner, Mapping) else None


def _string(row: Mapping[str, Any], name: str) -> str:
    value = _value(row, name)
    return "" if value is None else value if isinstance(value, str) else str(value)


def guess_text(
    first: list[Row], available: list[str], source: Source, notes: ReadingNotes
) -> tuple[str, ...]:
    """Choose a column filled in many rows, by a usual name or else by its length.

    Examples
    --------
    >>> rows = [(1, {"id": "a1", "post": "Green tea"})]
    >>> guess_text(rows, ["id", "post"], Source("t.csv"), ReadingNotes())
    ('post',)
    """
    lengths = {name: _lengths_of_text(first, name) for name in available}
    fullest = max(map(len, lengths.values()), default=0)
    often = [name for name in available if len(lengths[name]) >= max(1, OFTEN * fullest)]
    candidates = often if fullest else available
    spelled = {name.lower(): name for name in reversed(candidates)}
    column = next((spelled[name] for name in TEXT_NAMES if name in spelled), None)
    if column is None:
        column = max(often, key=lambda name: sum(lengths[name]), default=None)
    if column is None:
        raise UnreadableError(
            source.name, f"no column holds text; name it with --text. {listed(available)}"
        )
    if len(available) > 1:
        notes.guess(f"text taken from column '{column}'")
    return (column,)


def _lengths_of_text(rows: list[Row], name: str) -> list[int]:
    values = (_value(row, name) for _, row in rows)
    return [len(v) for v in values if isinstance(v, str) and any(map(str.isalpha, v))]


def csv_rows(
    name: str, stream: IO[bytes], notes: ReadingNotes, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Row]:
    r"""Yield the rows of a CSV file by their header, the delimiter chosen by trial.

    Rows of another width than the header are counted and left out. A quote that is not closed
    makes all that follows uncertain, so the table is refused.

    Examples
    --------
    >>> import io
    >>> list(csv_rows("t.csv", io.BytesIO(b"a;b\n1;'2'\n"), ReadingNotes()))
    [(1, {'a': '1', 'b': "'2'"})]
    """
    lines = _text_lines(name, stream, notes, limits)
    sample = _peeked(lines, PEEKED_LINES, len)
    delimiter = _delimiter(sample)
    if delimiter not in (",", NO_DELIMITER) and not name.lower().endswith(".tsv"):
        notes.guess(f"delimiter of {name}: {DELIMITERS[delimiter]}")
    csv.field_size_limit(min(limits.document, LARGEST_FIELD))
    records = _Records(name, csv.reader(chain(sample, lines), delimiter=delimiter, strict=True))
    header = _header(name, next(iter(records), []), notes)
    width, number, faults = len(header), 0, 0
    ours = is_table_of_documents(header)
    for record in records:
        number += 1
        if len(record) > width and not any(record[width:]):
            record = record[:width]
        if len(record) == width:
            cells = map(original_cell, record) if ours else record
            yield number, Cells(zip(header, cells, strict=True))
            continue
        faults += 1
        more = "more" if len(record) > width else "fewer"
        reason = f"{more} fields than the header" if record else "a quote amid a quoted field"
        notes.leave_out(reason, f"{name}, line {records.line}")
        _refuse_most(name, faults, number, at_least=FEW_ROWS)
    _refuse_most(name, faults, number)


class _Records:
    """Records of a table with the line each begins in; a broken one of one line is empty."""

    def __init__(self, name: str, reader: Any) -> None:
        self._name, self._reader = name, reader
        self.line = 1

    def __iter__(self) -> Iterator[list[str]]:
        while True:
            self.line = self._reader.line_num + 1
            try:
                record = next(self._reader, None)
            except csv.Error as error:
                self._refuse(error)
                yield []
                continue
            if record is None:
                return
            if record:
                yield record

    def _refuse(self, error: csv.Error) -> None:
        last = self._reader.line_num
        if "end of data" in str(error):
            problem = "opens a quote that is never closed"
        elif "limit" in str(error):
            allowed = size_in_words(csv.field_size_limit())
            problem = f"has a field larger than {allowed}; is a quote in it not closed?"
        elif last > self.line:
            problem = f"opens a quote that is not closed before the quote in line {last}"
        else:
            return
        raise UnreadableError(
            self._name,
            f"the row in line {self.line} {problem} (within quotes, a quote is written twice)",
        )


def _refuse_most(name: str, faults: int, number: int, at_least: int = 0) -> None:
    """Refuse a table most of whose rows were left out."""
    if faults > max(at_least, number / 2):
        raise UnreadableError(
            name,
            f"most rows do not fit the header ({faults:,} of {number:,} so far); is its first "
            "row the names of the columns, and the delimiter the same throughout?",
        )


def _header(name: str, cells: list[str], notes: ReadingNotes) -> list[str]:
    """Names of the columns, all different; one without a name gets its number."""
    names = [cell.strip() or f"column {at}" for at, cell in enumerate(cells, start=1)]
    _refuse_repeated(name, names)
    odd = next((each for each in names if _looks_like_data(each)), None)
    if odd is not None:
        notes.guess(
            f"{name}: the first row was read as names of columns, but looks like data "
            f"('{_cut(odd)}'); if the table has no header, add one"
        )
    return names


def _refuse_repeated(name: str, columns: Sequence[str]) -> None:
    repeated = [_cut(each) for each, number in Counter(columns).items() if number > 1]
    if repeated:
        raise UnreadableError(
            name, f"several columns are named '{repeated[0]}'. {listed(list(columns))}"
        )


def _looks_like_data(cell: str) -> bool:
    """Tell whether a cell is a number or a long text, which seldom name a column."""
    if len(cell) > LONG_CELL or len(cell.split()) > MANY_WORDS:
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _delimiter(sample: list[str]) -> str:
    """Choose the delimiter that splits most rows like the header, then into most columns."""
    csv.field_size_limit(LARGEST_FIELD)
    best, best_score = NO_DELIMITER, (0.0, 0)
    for delimiter in DELIMITERS:
        widths = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
        if widths and widths[0] > 1:
            agreeing = sum(width == widths[0] for width in widths) / len(widths)
            best, best_score = max(
                (best, best_score), (delimiter, (agreeing, widths[0])), key=lambda pair: pair[1]
            )
    return best


def looks_like_table(text: str) -> bool:
    r"""Tell whether every one of the first lines has as many cells as the first, above one.

    Examples
    --------
    >>> looks_like_table("id,body\n1,tea\n2,rum\n"), looks_like_table("tea, rum\ncoffee\n")
    (True, False)
    """
    sample = text.splitlines()[:PEEKED_LINES]
    delimiter = _delimiter(sample)
    widths = {len(row) for row in csv.reader(sample, delimiter=delimiter) if row}
    return delimiter != NO_DELIMITER and len(widths) == 1 and len(sample) > 1


def _text_lines(
    name: str, stream: IO[bytes], notes: ReadingNotes, limits: Limits
) -> Iterator[str]:
    start = stream.read(BLOCK_BYTES)
    if looks_binary(start):
        raise UnreadableError(name, "binary, not text")
    return decoded_lines(start, stream, notes, name, limits)


def json_line_rows(
    name: str, stream: IO[bytes], notes: ReadingNotes, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Row]:
    r"""Yield the objects of a JSON lines file, numbered by line; bad lines are counted.

    Examples
    --------
    >>> import io
    >>> list(json_line_rows("t.jsonl", io.BytesIO(b'{"a": 1}\n"words"\n'), ReadingNotes()))
    [(1, {'a': 1}), (2, {'text': 'words'})]
    """
    good, first_problem = 0, ""
    for number, line in enumerate(_text_lines(name, stream, notes, limits), start=1):
        if not line.strip():
            continue
        row, problem = _parsed(name, number, line)
        if row is None:
            first_problem = first_problem or f"line {number}: {problem}"
            notes.leave_out(problem.partition(" (")[0], f"{name}, line {number}")
            continue
        good += 1
        yield number, row
    if not good and first_problem:
        raise UnreadableError(name, first_problem)


class _RepeatedKeyError(Exception):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _RepeatedKeyError(f"an object has the key '{_cut(key)}' more than once")
    return row


PARSE = json.JSONDecoder(object_pairs_hook=_object).decode


def _parsed(name: str, number: int, line: str) -> tuple[Mapping[str, Any] | None, str]:
    try:
        value = PARSE(line)
    except _RepeatedKeyError as error:
        raise UnreadableError(name, f"line {number}: {error}") from error
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
        value = PARSE(decoded.text)
    except _RepeatedKeyError as error:
        raise UnreadableError(name, str(error)) from error
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
        table = pq.ParquetFile(file)
        _refuse_repeated(name, table.schema_arrow.names)
        for batch in table.iter_batches(batch_size=1000):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except UnreadableError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else "damaged"
        raise UnreadableError(name, f"not Parquet ({reason})") from error
