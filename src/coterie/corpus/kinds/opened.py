"""The face that every kind of file shows: a file that is open goes in, documents come out."""

import io
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import IO, Any

from coterie.corpus.columns import Cells
from coterie.corpus.documents import Document
from coterie.corpus.encodings import SAMPLE_BYTES
from coterie.corpus.limits import Budget, read_whole
from coterie.corpus.mail import Threads
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.tables import Columns, Row, Source, rows_to_documents

DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")


@dataclass(frozen=True)
class OpenFile:
    """A file to read: its path with slashes, its bytes, and the columns and notes to use."""

    path: str
    stream: IO[bytes]
    columns: Columns
    notes: ReadingNotes
    budget: Budget
    alone: bool = False
    seekable: bool = True
    threads: Threads = field(default_factory=Threads)

    @property
    def suffix(self) -> str:
        """The extension, in lower case."""
        return posixpath.splitext(self.path)[1].lower()

    @property
    def folder(self) -> tuple[str, ...]:
        """The folders the file is in."""
        return tuple(self.path.split("/")[:-1])

    def sample(self) -> bytes:
        """The first bytes, which stay to be read."""
        peeked: bytes = self.stream.peek(SAMPLE_BYTES)  # type: ignore[attr-defined]
        return peeked[:SAMPLE_BYTES]

    def whole(self) -> bytes:
        """All bytes of the file; a file larger than a document may be is refused."""
        return read_whole(self.path, self.stream, self.budget.limits)

    def seekable_stream(self) -> IO[bytes]:
        """A stream that can go back; in an archive, the file is held in memory for that."""
        return self.stream if self.seekable else io.BytesIO(self.whole())

    def document(
        self, text: str, title: str = "", columns: Mapping[str, Any] | None = None
    ) -> Document:
        """The file as one document, named by its path."""
        self.note_missing_columns()
        known = dict(columns or {})
        if known.get("date") is None and (date := date_in(posixpath.basename(self.path))):
            known["date"] = date
        return Document(self.path, text, title=title, folder=self.folder, columns=known)

    def numbered(
        self, number: int, text: str, title: str = "", columns: Mapping[str, Any] | None = None
    ) -> Document:
        """One of the documents in the file, such as a message or a chapter."""
        if number == 1:
            self.note_missing_columns()
        name = str(number) if self.alone else f"{self.path}:{number}"
        return Document(name, text, title=title, folder=self.folder, columns=columns or {})

    def rows(self, rows: Iterable[Row]) -> Iterator[Document]:
        """The documents of numbered rows, by the columns that were named or are guessed."""
        source = Source(self.path, self.folder, self.alone)
        partition = dict(part.split("=", 1) for part in self.folder if "=" in part[1:])
        if partition:  # folders such as year=2024, by which tables are often cut
            rows = ((number, _with(partition, row)) for number, row in rows)
        return rows_to_documents(rows, self.columns, source, self.notes, self.threads)

    def note_missing_columns(self) -> None:
        """Say that columns were named which a file that is no table does not have."""
        wanted = replace(self.columns, views=()).named()
        if wanted:
            names = ", ".join(f"'{name}'" for name in wanted)
            self.notes.guess(
                f"files that are not tables read whole: they have no column {names}"
            )


def date_in(name: str) -> datetime | None:
    """The day that the name of a file says, if it says one.

    Examples
    --------
    >>> str(date_in("2024-05-31 minutes.txt")), date_in("104513.txt")
    ('2024-05-31 00:00:00+00:00', None)
    """
    found = DAY.search(name)
    if found is None:
        return None
    try:
        return datetime(int(found[1]), int(found[3]), int(found[4]), tzinfo=UTC)
    except ValueError:
        return None


def _with(partition: dict[str, str], row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with the values that its folders name; its own come first."""
    whole = {**partition, **row}
    return type(row)(whole) if isinstance(row, Cells) else whole


def _never(_sample: bytes) -> bool:
    return False


@dataclass(frozen=True)
class Kind:
    """A kind of file: what people call it, its extensions, and how it becomes documents.

    `recognises` tells it by the first bytes where the extension says nothing, or only that the
    file is text.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[OpenFile], Iterator[Document]]
    recognises: Callable[[bytes], bool] = _never
