"""Readers: a folder, an archive, a table or a file into a stream of documents."""

import bz2
import gzip
import io
import lzma
import os
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, cast

from coterie.corpus import archives
from coterie.corpus.documents import Document, UnreadableError, cleaned
from coterie.corpus.encodings import SAMPLE_BYTES, decode, looks_binary
from coterie.corpus.mail import looks_like_mail, mail_text, messages
from coterie.corpus.markup import decode_html, looks_like_html, visible_text
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.tables import (
    Columns,
    Row,
    Source,
    csv_rows,
    json_line_rows,
    json_rows,
    parquet_rows,
    rows_to_documents,
)
from coterie.errors import InputError

COMPRESSED: dict[str, Callable[[IO[bytes]], object]] = {
    ".gz": lambda stream: gzip.GzipFile(fileobj=stream),
    ".xz": lzma.LZMAFile,
    ".bz2": bz2.BZ2File,
}
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
TAPES = (".tar", ".tgz", ".txz", ".tbz2")
PAGES = (".html", ".htm", ".xhtml")
PLAIN = (".txt", ".md")
TO_CONVERT = (".pdf", ".doc", ".docx", ".odt", ".epub")
ANY_COLUMNS = Columns()


def documents(
    path: str | os.PathLike[str],
    columns: Columns = ANY_COLUMNS,
    notes: ReadingNotes | None = None,
) -> Iterator[Document]:
    """Yield the documents of a path in an order that does not depend on the machine.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("first")
    >>> _ = (folder / "b.html").write_text("<title>Second</title><p>words")
    >>> [(document.id, document.title) for document in documents(folder)]
    [('a.txt', 'first'), ('b.html', 'Second')]
    """
    notes = ReadingNotes() if notes is None else notes
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if not path.is_dir():
        uncleaned = _file(path, columns, notes)
    elif any((path / view).is_dir() for view in columns.views):
        uncleaned = _parallel(path, columns, notes)
    else:
        uncleaned = _folder(path, columns, notes)
    count = 0
    for document in cleaned(uncleaned, notes):
        count += 1
        yield document
    if not count:
        reasons = ", ".join(f"{number} {reason}" for reason, number in notes.skipped.items())
        raise InputError(f"{path}: no documents found" + (f" ({reasons})" if reasons else ""))


@dataclass(frozen=True)
class OpenFile:
    """A file to read: its path with slashes, its bytes, and the columns and notes to use."""

    path: str
    stream: IO[bytes]
    columns: Columns
    notes: ReadingNotes
    alone: bool = False
    seekable: bool = True

    @property
    def suffix(self) -> str:
        """The extension, in lower case."""
        return posixpath.splitext(self.path)[1].lower()

    @property
    def source(self) -> Source:
        """Where rows of a table come from."""
        return Source(self.path, self.folder, self.alone)

    @property
    def folder(self) -> tuple[str, ...]:
        """The folders the file is in."""
        return tuple(self.path.split("/")[:-1])


def _file(path: Path, columns: Columns, notes: ReadingNotes) -> Iterator[Document]:
    try:
        with path.open("rb") as stream:
            file = OpenFile(path.name, stream, columns, notes, alone=True)
            yield from _read(file)
    except PermissionError as error:
        raise InputError(f"{path}: not allowed to read it") from error
    except archives.DAMAGED as error:
        raise InputError(f"{path}: damaged ({error})") from error


def _folder(path: Path, columns: Columns, notes: ReadingNotes) -> Iterator[Document]:
    for file in _walk(path, notes):
        yield from _one_of_many(file, file.relative_to(path).as_posix(), columns, notes)


def _one_of_many(
    file: Path, name: str, columns: Columns, notes: ReadingNotes
) -> Iterator[Document]:
    try:
        with file.open("rb") as stream:
            yield from _read(OpenFile(name, stream, columns, notes))
    except UnreadableError as error:
        notes.skip(error.reason, name)
    except PermissionError:
        notes.skip("not allowed to read it", name)
    except archives.DAMAGED:
        notes.skip("damaged", name)


def _parallel(path: Path, columns: Columns, notes: ReadingNotes) -> Iterator[Document]:
    """Folders that are views of the same documents, which have the same names in each."""
    files = {view: _names_in(path, view, notes) for view in columns.views}
    first, *others = files
    for view in others:
        if files[view] and files[first] and not files[view].keys() & files[first].keys():
            raise InputError(
                f"{path}: no file has the same name in '{first}' and '{view}', as "
                f"{min(files[first])} and {min(files[view])}"
            )
    inside = replace(columns, views=())
    for name in sorted({name for names in files.values() for name in names}):
        by_view = {
            view: {
                document.id: document
                for document in _one_of_many(names[name], name, inside, notes)
            }
            for view, names in files.items()
            if name in names
        }
        yield from _joined(by_view, columns.views)


def _names_in(path: Path, view: str, notes: ReadingNotes) -> dict[str, Path]:
    folder = path / view
    if not folder.is_dir():
        there = ", ".join(sorted(each.name for each in path.iterdir() if each.is_dir()))
        raise InputError(f"{path}: no folder '{view}' for that view; there are {there}")
    names = {file.relative_to(folder).as_posix(): file for file in _walk(folder, notes)}
    if not names:
        raise InputError(f"{folder}: empty, expected the documents of view '{view}'")
    return names


def _joined(
    by_view: dict[str, dict[str, Document]], views: tuple[str, ...]
) -> Iterator[Document]:
    """Documents of one id as one, an empty text standing for a view it lacks."""
    for name in dict.fromkeys(name for documents in by_view.values() for name in documents):
        parts = {view: by_view[view][name] for view in by_view if name in by_view[view]}
        some = next(iter(parts.values()))
        texts = {view: parts[view].text if view in parts else "" for view in views}
        joined = "\n".join(text for text in texts.values() if text)
        yield replace(some, text=joined, views=texts)


def _walk(folder: Path, notes: ReadingNotes) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except PermissionError:
        notes.skip("not allowed to read it", folder.name)
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_symlink():
            notes.skip("a link, not followed", entry.name)
        elif entry.is_dir():
            yield from _walk(Path(entry.path), notes)
        elif entry.is_file():
            yield Path(entry.path)


def _read(file: OpenFile) -> Iterator[Document]:
    suffix = file.suffix
    if suffix in COMPRESSED:
        opened = cast(IO[bytes], COMPRESSED[suffix](file.stream))
        inside = replace(file, path=file.path[: -len(suffix)], stream=opened, seekable=False)
        yield from _read(inside)
    elif suffix in TAPES:
        yield from _members(file, archives.tape_members(file.path, file.stream, file.notes))
    elif suffix == ".zip":
        if not file.seekable:
            raise UnreadableError(file.path, "zip inside an archive")
        yield from _members(file, archives.zip_members(file.path, file.stream, file.notes))
    elif suffix in TABLES:
        yield from rows_to_documents(_rows(file), file.columns, file.source, file.notes)
    elif suffix == ".mbox":
        yield from _mbox(file)
    else:
        yield from _whole(file)


def _members(file: OpenFile, members: Iterator[tuple[str, IO[bytes]]]) -> Iterator[Document]:
    prefix = "" if file.alone else f"{file.path}/"
    for name, stream in members:
        path = prefix + name
        try:
            yield from _read(
                replace(file, path=path, stream=stream, alone=False, seekable=False)
            )
        except UnreadableError as error:
            file.notes.skip(error.reason, path)
        except archives.BAD_MEMBER:
            file.notes.skip("damaged", path)


def _rows(file: OpenFile) -> Iterator[Row]:
    if file.suffix == ".parquet":
        stream = file.stream if file.seekable else io.BytesIO(file.stream.read())
        return parquet_rows(file.path, stream)
    parse = csv_rows if file.suffix in (".csv", ".tsv") else json_line_rows
    return parse(file.path, file.stream, file.notes)


def _mbox(file: OpenFile) -> Iterator[Document]:
    _note_missing_columns(file)
    for number, data in enumerate(messages(file.stream), start=1):
        text, title = mail_text(data, file.notes)
        name = str(number) if file.alone else f"{file.path}:{number}"
        yield Document(name, text, title=title, folder=file.folder)


def _whole(file: OpenFile) -> Iterator[Document]:
    data = file.stream.read(SAMPLE_BYTES)
    if looks_binary(data):
        format = file.suffix[1:].upper() + ", to be converted to text first"
        reason = format if file.suffix in TO_CONVERT else "binary, not text"
        raise UnreadableError(file.path, reason)
    data += file.stream.read()
    if file.suffix == ".json":
        yield from _json(file, data)
    else:
        _note_missing_columns(file)
        text, title = _text_and_title(file, data)
        yield Document(file.path, text, title=title, folder=file.folder)


def _note_missing_columns(file: OpenFile) -> None:
    wanted = replace(file.columns, views=()).named()
    if wanted:
        names = ", ".join(f"'{name}'" for name in wanted)
        file.notes.guess(f"files that are not tables read whole: they have no column {names}")


def _json(file: OpenFile, data: bytes) -> Iterator[Document]:
    rows, several = json_rows(file.path, data, file.notes)
    for document in rows_to_documents(rows, file.columns, file.source, file.notes):
        named = several or file.columns.id
        yield document if named else replace(document, id=file.path)


def _text_and_title(file: OpenFile, data: bytes) -> tuple[str, str]:
    unknown = file.suffix not in (*PLAIN, *PAGES)
    if file.suffix == ".eml" or (unknown and looks_like_mail(data[:SAMPLE_BYTES])):
        return mail_text(data, file.notes)
    if file.suffix in PAGES or (unknown and looks_like_html(data[:SAMPLE_BYTES])):
        page = decode_html(data)
        file.notes.decoded(page.encoding, page.replaced)
        return visible_text(page.text)
    plain = decode(data)
    file.notes.decoded(plain.encoding, plain.replaced)
    return plain.text, ""
