"""Files that a browser sends, and what they hold.

No name that comes from a browser is ever a path: one file is kept under a name of ours, several
are members of one archive of ours, which is read as a stream and never unpacked. What people
called their files shows in ids and titles only.
"""

import os
import re
import shutil
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Any

from coterie.clustering.sources import Reading
from coterie.corpus import archives
from coterie.corpus.kinds.arrow import parquet_rows
from coterie.corpus.kinds.delimited import csv_rows
from coterie.corpus.kinds.json_files import json_line_rows
from coterie.corpus.limits import DEFAULT_LIMITS, Budget, size_in_words
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.readers import documents
from coterie.corpus.tables import Row, Source, guess_text
from coterie.errors import InputError
from coterie.explorer.store import PRIVATE, new_identifier

MOST_BYTES = 8 << 30
MOST_FILES = 500_000
LONGEST_NAME = 300
PREVIEWED_ROWS, PREVIEWED_DOCUMENTS, EXAMPLES = 200, 5, 3
SHOWN_CHARACTERS = 160
SUFFIXES = re.compile(r"(\.[a-z0-9]{1,8})?\.[a-z0-9]{1,8}$")
TABLES = {
    ".csv": csv_rows,
    ".tsv": csv_rows,
    ".jsonl": json_line_rows,
    ".ndjson": json_line_rows,
}


@dataclass
class Upload:
    """Files received so far; the first alone is a file, more are an archive."""

    folder: Path
    id: str = field(default_factory=new_identifier)
    names: list[str] = field(default_factory=list)
    n_bytes: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    tape: tarfile.TarFile | None = None
    finished: bool = False
    sampling: threading.Thread | None = None

    def finish(self) -> Path:
        """The file or archive to read; no other file is taken from now on."""
        if not self.names:
            raise InputError("no files yet; drop some")
        with self.lock:
            self.finished = True
            if self.tape is not None:
                self.tape.close()
                self.tape = None
        return self._first if len(self.names) == 1 else self._archive

    @property
    def title(self) -> str:
        """What people call it: the one file, or the folder that all files are in."""
        if len(self.names) == 1:
            return self.names[0].rpartition("/")[2]
        common = os.path.commonpath([f"/{name.rpartition('/')[0]}" for name in self.names])
        return common.rpartition("/")[2] or f"{len(self.names):,} files"

    @property
    def _first(self) -> Path:
        match = SUFFIXES.search(self.names[0].lower())
        return self.folder / f"documents{match[0] if match else '.txt'}"

    @property
    def _archive(self) -> Path:
        return self.folder / "documents.tar"

    def add(self, name: str, stream: IO[bytes], size: int) -> None:
        """Take one file."""
        name = label(name)
        with self.lock:
            self._refuse(size)
            self.folder.mkdir(exist_ok=True, mode=PRIVATE)
            self.names.append(name)
            self.n_bytes += size
            if len(self.names) == 1:
                with self._first.open("xb") as file:
                    shutil.copyfileobj(stream, file)
                return
            if len(self.names) == 2:
                with self._first.open("rb") as first:
                    self._pack(self.names[0], first, os.fstat(first.fileno()).st_size)
                self._first.unlink()
            self._pack(name, stream, size)

    def _pack(self, name: str, stream: IO[bytes], size: int) -> None:
        if self.tape is None:
            self.tape = tarfile.open(self._archive, "x")  # noqa: SIM115
        member = tarfile.TarInfo(name)
        member.size = size
        self.tape.addfile(member, stream)

    def _refuse(self, size: int) -> None:
        if self.finished:
            raise InputError("these files are being clustered already; begin with new ones")
        if self.n_bytes + size > MOST_BYTES:
            raise InputError(
                f"more than {size_in_words(MOST_BYTES)}; start `coterie explore` with the path "
                "of so large a collection"
            )
        if len(self.names) >= MOST_FILES:
            raise InputError(f"more than {MOST_FILES:,} files; pack them in one archive")

    def remove(self) -> None:
        """Remove what was received."""
        if self.sampling is not None:
            self.sampling.join()
        if self.tape is not None:
            self.tape.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def label(name: str) -> str:
    """The name of a file as it is shown: no way out of a folder, nothing unprintable.

    Examples
    --------
    >>> label("../../etc/passwd"), label("C:\\\\letters\\\\one.txt"), label("/")
    ('etc/passwd', 'C:/letters/one.txt', 'document')
    """
    printable = "".join(each for each in name if each.isprintable()).replace("\\", "/")
    clean = archives.clean(printable)
    return clean[-LONGEST_NAME:].lstrip("/") or "document"


def preview(path: Path) -> dict[str, Any]:
    """What a path holds: the columns of one table with examples, or the first documents."""
    notes = ReadingNotes()
    with _table_rows(path, notes) as rows:
        if rows is not None:
            return _columns(list(islice(rows, PREVIEWED_ROWS)), path.name, notes)
    first = list(islice(documents(path, notes=notes), PREVIEWED_DOCUMENTS))
    return {
        "columns": [],
        "text": None,
        "documents": [
            {"title": _shown(each.title or each.id), "text": _shown(each.text)}
            for each in first
        ],
    }


@contextmanager
def _table_rows(path: Path, notes: ReadingNotes) -> Iterator[Iterator[Row] | None]:
    """The rows of one table, compressed or not; None for anything else."""
    if path.is_dir():
        yield None
        return
    inner = Path(path.stem) if path.suffix in archives.COMPRESSED else path
    kind = inner.suffix.lower()
    budget = Budget(DEFAULT_LIMITS)
    budget.open(path.name, path.stat().st_size)
    with path.open("rb") as stream:
        if kind == ".parquet" and inner is path:
            yield parquet_rows(path.name, stream, budget)
        elif kind in TABLES:
            whole: IO[bytes] = stream
            if inner is not path:
                whole = archives.expanded(stream, path.suffix, budget)
            yield TABLES[kind](inner.name, whole, notes, DEFAULT_LIMITS)
        else:
            yield None


def _columns(rows: list[Row], name: str, notes: ReadingNotes) -> dict[str, Any]:
    if not rows:
        raise InputError(f"{name}: no rows")
    names = list(dict.fromkeys(column for _, row in rows for column in row))
    (guessed, *_) = guess_text(rows, names, Source(name), notes)
    columns = []
    for column in names:
        values = [row.get(column) for _, row in rows]
        filled = [str(value) for value in values if value not in (None, "")]
        columns.append(
            {
                "name": column,
                "examples": [_shown(value) for value in dict.fromkeys(filled[:20])][:EXAMPLES],
                "filled": len(filled) / len(rows),
                "different": len(set(filled)),
                "length": round(sum(map(len, filled)) / max(len(filled), 1)),
            }
        )
    return {"columns": columns, "text": guessed, "rows": len(rows), "documents": []}


def _shown(text: str) -> str:
    line = " ".join(text[: 4 * SHOWN_CHARACTERS].split())
    return line if len(line) <= SHOWN_CHARACTERS else line[: SHOWN_CHARACTERS - 1] + "…"


def reading_of(request: dict[str, Any]) -> Reading:
    """How documents are read, from what the browser asks for."""
    from coterie.corpus import TextOptions

    text = request.get("text") or ()
    return Reading(
        text=(text,) if isinstance(text, str) else tuple(text),
        id=request.get("id") or None,
        title=request.get("title") or None,
        label=request.get("label") or None,
        options=TextOptions(language=request.get("language") or None),
        quiet=True,
    )
