"""PDF, office and book files, read by another process within limits of time and memory."""

import atexit
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

from coterie.corpus.columns import Cells
from coterie.corpus.documents import Document
from coterie.corpus.encodings import REPLACEMENT
from coterie.corpus.kinds import extraction
from coterie.corpus.kinds.opened import Kind, OpenFile, date_of
from coterie.corpus.limits import WITHOUT_RATIO
from coterie.corpus.tables import header_of
from coterie.errors import InputError, UnreadableError

MEMORY = 4 << 30  # bytes that reading one file may take
GENERIC = re.compile(
    r"(?i)untitled|(microsoft )?(word|powerpoint|excel) ?-.*|.*\.(docx?|rtf|tex|odt)"
)
Answer = dict[str, Any]


class _Reader:
    """The process that reads; it is begun when needed, and again after it was killed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def ask(self, kind: str, data: bytes, most: int, seconds: float) -> Answer:
        with self._lock:
            process = self._running()
            late = threading.Event()
            timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), _kill, (process, late))
            timer.start()
            try:
                request = {"kind": kind, "size": len(data), "most": most}
                requests = cast(IO[bytes], process.stdin)
                requests.write(json.dumps(request).encode() + b"\n" + data)
                requests.flush()
                line = cast(IO[bytes], process.stdout).readline()
            except OSError:
                line = b""
            finally:
                timer.cancel()
            if line:
                answer: Answer = json.loads(line)
                return answer
            self.close()
        if late.is_set():
            allowed = f"{seconds:g} s, the limit of a file; raise the limit seconds"
            return {"refused": f"takes longer than {allowed}"}
        return {"refused": "damaged (it crashes the program that reads it)"}

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is None or self._process.poll() is not None:
            self.close()
            command = [sys.executable, "-I", str(Path(extraction.__file__)), str(MEMORY)]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()
            self._process = None


def _kill(process: "subprocess.Popen[bytes]", late: threading.Event) -> None:
    late.set()
    process.kill()


READER = _Reader()
atexit.register(READER.close)


def _answered(file: OpenFile, kind: str) -> Answer:
    data, limits = file.whole(), file.budget.limits
    most = min(limits.document, max(WITHOUT_RATIO, limits.ratio * len(data)))
    answer = READER.ask(kind, data, most, limits.seconds)
    if "missing" in answer:
        name = file.suffix[1:].upper()
        raise UnreadableError(file.path, f"{name} (install coterie[documents] to read it)")
    if "refused" in answer:
        raise UnreadableError(file.path, answer["refused"])
    return answer


def _one(kind: str) -> Callable[[OpenFile], Iterator[Document]]:
    def documents(file: OpenFile) -> Iterator[Document]:
        answer = _answered(file, kind)
        title = " ".join(answer.get("title", "").split())
        columns = {"date": _date(answer), "author": answer.get("author")}
        kept = {name: value for name, value in columns.items() if value}
        text = answer["text"]
        file.notes.decoded("utf-8", text.count(REPLACEMENT))
        yield file.document(text, "" if GENERIC.fullmatch(title) else title, kept)
        if answer.get("lost"):
            file.notes.skip(answer["lost"], file.path, kept=1)

    return documents


def _date(answer: Answer) -> datetime | None:
    try:
        if answer.get("moment"):
            return datetime(*answer["moment"]).replace(tzinfo=UTC)
    except (ValueError, OverflowError, TypeError):
        return None
    return date_of(answer.get("date"))


def _sheets(file: OpenFile) -> Iterator[Document]:
    """Rows of the sheet that was named, or of the first that holds some, as of a table."""
    sheets: dict[str, list[list[str]]] = _answered(file, "workbook")["sheets"]
    wanted, filled = (
        file.columns.table,
        [name for name, rows in sheets.items() if len(rows) > 1],
    )
    if wanted is not None and wanted not in sheets:
        raise InputError(f"{file.path}: no sheet '{wanted}'. Sheets: {', '.join(sheets)}")
    if not filled:
        raise UnreadableError(file.path, "no rows")
    name = wanted or filled[0]
    if wanted is None and len(filled) > 1:
        file.notes.guess(f"{file.path}: rows taken from sheet '{name}'; --table names another")
    first, *rest = sheets[name]
    header = header_of(file.path, first, file.notes)
    yield from file.rows(
        (number, Cells(zip(header, row, strict=False)))
        for number, row in enumerate(rest, start=1)
        if any(row)
    )


KINDS = (
    Kind("PDF", (".pdf",), _one("pdf"), lambda sample: sample.startswith(b"%PDF-")),
    Kind("Word", (".docx", ".docm", ".dotx"), _one("docx")),
    Kind("PowerPoint", (".pptx", ".pptm", ".ppsx"), _one("pptx")),
    Kind("OpenDocument", (".odt", ".odp", ".ott", ".odm"), _one("odt")),
    Kind("EPUB", (".epub",), _one("epub")),
    Kind("RTF", (".rtf",), _one("rtf"), lambda sample: sample.startswith(b"{\\rtf")),
    Kind("workbook", (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), _sheets),
)
