"""SQLite: the rows of one table, a row a document."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from coterie.corpus.documents import Document
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.corpus.tables import Row
from coterie.errors import InputError, UnreadableError

TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
MAY = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}
STEPS = 100_000  # of the database between looks at the clock


def _rows(file: OpenFile) -> Iterator[Row]:
    try:
        with closing(_opened(file)) as database:
            table = _table(database, file)
            database.execute("PRAGMA trusted_schema = OFF")
            database.set_authorizer(lambda action, *_: 0 if action in MAY else 1)
            quoted = table.replace('"', '""')
            rows = database.execute(f'SELECT * FROM "{quoted}"')
            names = [each[0] for each in rows.description]
            for number, row in enumerate(rows, start=1):
                cells = zip(names, row, strict=True)
                yield number, {name: _text(cell) for name, cell in cells}
    except sqlite3.Error as error:
        raise UnreadableError(file.path, f"not a readable SQLite database ({error})") from error


def _opened(file: OpenFile) -> sqlite3.Connection:
    """The database, which is read and never written; one in an archive is held in memory."""
    name = getattr(file.stream, "name", None)
    if file.seekable and isinstance(name, str):
        path = quote(str(Path(name).resolve()))
        database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    else:
        database = sqlite3.connect(":memory:")
        database.deserialize(file.whole())
    end = time.monotonic() + file.budget.limits.seconds
    database.set_progress_handler(lambda: time.monotonic() > end, STEPS)
    database.text_factory = lambda data: data.decode("utf-8", "replace")
    return database


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
