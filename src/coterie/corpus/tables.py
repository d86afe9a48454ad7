"""Tables: CSV, JSON, JSON lines and Parquet, a row a document."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, TypeVar

from coterie.corpus.columns import Cells
from coterie.corpus.documents import Document
from coterie.corpus.encodings import SAMPLE_BYTES
from coterie.corpus.mail import Threads, looks_like_mail, mail_text
from coterie.corpus.notes import ReadingNotes
from coterie.errors import UnreadableError, nearest

TEXT_NAMES = (
    "text", "body", "content", "contents", "abstract", "description", "message", "document",
    "article", "review", "comment", "post", "tweet", "summary", "story",
)  # fmt: skip
PEEKED_ROWS, PEEKED_CHARACTERS = 1000, 1 << 24  # to choose the column of the text
OFTEN = 0.5  # share of the rows of the fullest column that a column of text is filled in
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
    table: str | None = None

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
    rows: Iterable[Row],
    columns: Columns,
    source: Source,
    notes: ReadingNotes,
    threads: Threads | None = None,
) -> Iterator[Document]:
    """Yield a document for each row; a text column that is not named is guessed first.

    Where most texts of the first rows are messages with their headers, they are read as mail.
    """
    remaining = iter(rows)
    first = peeked(remaining, PEEKED_ROWS, _length)
    if not first:
        raise UnreadableError(source.name, "no rows")
    available = list(dict.fromkeys(name for _, row in first for name in _names(row)))
    for name in columns.named():
        if name not in available:
            raise UnreadableError(source.name, no_column(name, available))
    vectors = tuple(name for name in columns.views if _holds_vectors(first, name))
    views = tuple(name for name in columns.views if name not in vectors)
    text = columns.text or views or guess_text(first, available, source, notes)
    documents = _documents(
        chain(first, remaining), text, vectors, replace(columns, views=views), source
    )
    if len(text) == 1 and _holds_mail(first, text[0]):
        notes.guess(f"the texts in column '{text[0]}' were read as mail")
        threads = Threads() if threads is None else threads
        return (_as_mail(document, notes, threads) for document in documents)
    return documents


def _holds_mail(first: list[Row], name: str) -> bool:
    texts = [text[:SAMPLE_BYTES] for _, row in first if (text := _string(row, name))]
    mails = sum(looks_like_mail(text.encode("utf-8", "replace")) for text in texts)
    return 2 * mails > len(texts)


def _as_mail(document: Document, notes: ReadingNotes, threads: Threads) -> Document:
    """A document whose text is a message; columns of the table come before its headers."""
    data = document.text.encode("utf-8", "replace")
    if not looks_like_mail(data[:SAMPLE_BYTES]):
        return document
    text, title, headers = mail_text(data, notes, threads)
    columns = {**headers, **document.columns}
    parts = dict.fromkeys(document.views, text)
    title = document.title or title
    return replace(document, text=text, title=title, columns=columns, views=parts)


def _documents(
    rows: Iterable[Row],
    text: tuple[str, ...],
    vectors: tuple[str, ...],
    columns: Columns,
    source: Source,
) -> Iterator[Document]:
    read = {*text, *vectors}
    nested = any("." in name for name in read)
    for number, row in rows:
        row_id = _string(row, columns.id) if columns.id else ""
        numbered = str(number) if source.alone else f"{source.name}:{number}"
        title = " ".join(_string(row, columns.title).split()) if columns.title else ""
        parts = {name: _string(row, name) for name in text}
        yield Document(
            row_id or numbered,
            parts[text[0]] if len(text) == 1 else "\n".join(parts.values()),
            _string(row, columns.label) if columns.label else None,
            title,
            source.folder,
            parts,
            {name: _vector(row, name, number, source) for name in vectors} if vectors else {},
            _others(row, read) if nested else _flat_others(row, read),
        )


def peeked(items: Iterator[Item], most: int, length: Callable[[Item], int]) -> list[Item]:
    """Return the first items, as many as are needed and the memory can hold."""
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
    shown = [" ".join(cut(name).split()) for name in names[:SHOWN_NAMES]]
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


def cut(text: str) -> str:
    """Return a text, or the beginning of a long one."""
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


def _flat_others(row: Mapping[str, Any], read: set[str]) -> Mapping[str, Any]:
    others = {name: value for name, value in row.items() if name not in read}
    return type(row)(others) if isinstance(row, Cells) else others


def _others(row: Mapping[str, Any], read: set[str]) -> Mapping[str, Any]:
    """What a row holds besides the columns that are read, which may be nested."""
    others = {name: value for name, value in row.items() if name not in read}
    for name in read - row.keys():
        head, _, tail = name.partition(".")
        if tail and isinstance(inner := others.get(head), Mapping):
            others[head] = _others(inner, {tail})
    return type(row)(others) if isinstance(row, Cells) else others


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
    value = row.get(name)
    if isinstance(value, str):
        return value
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


def refuse_repeated(name: str, columns: Sequence[str]) -> None:
    """Refuse a table with several columns of one name."""
    repeated = [cut(each) for each, number in Counter(columns).items() if number > 1]
    if repeated:
        raise UnreadableError(
            name, f"several columns are named '{repeated[0]}'. {listed(list(columns))}"
        )


def header_of(name: str, cells: list[str], notes: ReadingNotes) -> list[str]:
    """Return the names of columns, all different; one without a name gets its number."""
    names = [cell.strip() or f"column {at}" for at, cell in enumerate(cells, start=1)]
    refuse_repeated(name, names)
    odd = next((each for each in names if _looks_like_data(each)), None)
    if odd is not None:
        notes.guess(
            f"{name}: the first row was read as names of columns, but looks like data "
            f"('{cut(odd)}'); if the table has no header, add one"
        )
    return names


def _looks_like_data(cell: str) -> bool:
    """Tell whether a cell is a number or a long text, which seldom name a column."""
    if len(cell) > LONG_CELL or len(cell.split()) > MANY_WORDS:
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True
