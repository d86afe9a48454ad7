"""SQLite: the rows of one table, a row a document."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from coterie.corpus.documents import Document
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.corpus.limits import too_long
from coterie.corpus.tables import Row
from coterie.errors import InputError, UnreadableError

TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
MAY = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}
STEPS = 100_000  # of the database between looks at the clock
HEADER = 100  # bytes
LARGEST_PAGE = 1 << 16  # bytes, written as 1
BESIDE = ("-wal", "-journal")
LONGEST = 1_000_000_000  # bytes of a value, at most


class _Patience:
    """How long one row may take; what is done with the rows takes its own time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.renew()

    def renew(self) -> None:
        self._end = time.monotonic() + self._seconds

    def is_over(self) -> bool:
        return time.monotonic() > self._end


def _rows(file: OpenFile) -> Iterator[Row]:
    limits, patience = file.budget.limits, _Patience(file.budget.limits.seconds)
    try:
        with closing(_opened(file)) as database:
            database.set_progress_handler(patience.is_over, STEPS)
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(file.budget.largest, LONGEST))
            table = _table(database, file)
            database.execute("PRAGMA trusted_schema = OFF")
            database.set_authorizer(lambda action, *_: 0 if action in MAY else 1)
            quoted = table.replace('"', '""')
            rows = database.execute(f'SELECT * FROM "{quoted}"')
            names = [each[0] for each in rows.description]
            for number, row in enumerate(rows, start=1):
                cells = zip(names, row, strict=True)
                sizes = [len(cell) for cell in row if isinstance(cell, str | bytes)]
                file.budget.expand(sum(sizes))
                yield number, {name: _text(cell) for name, cell in cells}
                patience.renew()
    except sqlite3.DataError as error:  # a value, maybe computed, beyond the limit set above
        file.budget.expect(file.budget.largest + 1)
        raise too_long(file.path, limits, "a value is ") from error
    except UnicodeDecodeError as error:
        raise UnreadableError(file.path, "the name of a column is not UTF-8") from error
    except sqlite3.Error as error:
        if patience.is_over():
            allowed = f"{limits.seconds} s; raise the limit seconds"
            raise UnreadableError(file.path, f"a row takes longer than {allowed}") from error
        raise UnreadableError(file.path, f"not a readable SQLite database ({error})") from error


def _opened(file: OpenFile) -> sqlite3.Connection:
    """The database, which is read and never written; one in an archive is held in memory."""
    name = getattr(file.stream, "name", None)
    if file.seekable and isinstance(name, str):
        whole = Path(name).resolve()
        _refuse_unfinished(file.path, whole)
        path = quote(str(whole))
        database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    else:
        database = sqlite3.connect(":memory:")
        data = file.whole()
        _refuse_cut(file.path, data[:HEADER], len(data))
        database.deserialize(data)
    database.text_factory = lambda data: data.decode("utf-8", "replace")
    return database


def _refuse_unfinished(name: str, path: Path) -> None:
    """Refuse a database that is cut off, or whose last changes are in a file beside it.

    SQLite would write to the folder of the database to read these, and without them rows are
    lost or half changed.
    """
    with path.open("rb") as stream:
        _refuse_cut(name, stream.read(HEADER), path.stat().st_size)
    for suffix in BESIDE:
        beside = path.with_name(path.name + suffix)
        if _begins(beside):
            raise UnreadableError(
                name,
                f"its last changes may be in {beside.name} alone; close the program that "
                "writes it, or read a copy made by sqlite3's .backup",
            )


def _begins(beside: Path) -> bool:
    """Tell whether a file holds something; SQLite leaves zeros in one that is done with."""
    if not beside.is_file():
        return False
    with beside.open("rb") as stream:
        return stream.read(1) not in (b"", b"\0")


def _refuse_cut(name: str, header: bytes, size: int) -> None:
    """Refuse a database whose last page is not whole, which SQLite reads as zeros."""
    page = int.from_bytes(header[16:18], "big")
    page = LARGEST_PAGE if page == 1 else page
    if page and size % page:
        raise UnreadableError(name, "not a readable SQLite database (its last page is cut off)")


def _table(database: sqlite3.Connection, file: OpenFile) -> str:
    names = [name for (name,) in database.execute(TABLES)]
    listed, wanted = ", ".join(names), file.columns.table
    if wanted is not None and wanted not in names:
        raise InputError(f"{file.path}: no table '{wanted}'. Tables: {listed}")
    if wanted is None and len(names) != 1:
        problem = f"several tables ({listed}); name one with --table" if names else "no tables"
        raise UnreadableError(file.path, problem)
    return wanted or names[0]


def _text(cell: object) -> object:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell


def _documents(file: OpenFile) -> Iterator[Document]:
    yield from file.rows(_rows(file))


KIND = Kind(
    "SQLite",
    (".db", ".sqlite", ".sqlite3"),
    _documents,
    lambda sample: sample.startswith(b"SQLite format 3\0"),
)
