"""Readers: a folder, an archive, a table or a file into a stream of documents."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import IO

from coterie.corpus import archives
from coterie.corpus.documents import Document, cleaned
from coterie.corpus.kinds import kind_of
from coterie.corpus.kinds.opened import OpenFile
from coterie.corpus.limits import DEFAULT_LIMITS, Budget, ExpansionError, Limits
from coterie.corpus.mail import Threads
from coterie.corpus.notes import NoDocumentsError, ReadingNotes
from coterie.corpus.tables import Columns
from coterie.errors import InputError, UnreadableError
from coterie.folders import RECORD, read_record

TAPES = (".tar", ".tgz", ".txz", ".tbz2")
ANY_COLUMNS = Columns()
MARKS_OF_DATASETS = ({"_SUCCESS"}, {"_metadata"}, {"state.json", "dataset_info.json"},
                     {"dataset_dict.json"})  # fmt: skip
ABOUT_DATASETS = frozenset().union(*MARKS_OF_DATASETS) | {"_common_metadata"}
"""Files beside those that hold the rows of a dataset, as Spark and Hugging Face write them."""

NOT_ALLOWED = "not allowed to read it"
LONGEST_PATH = 1000  # characters, of which systems take some thousand bytes at once


Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def documents(
    path: Paths,
    columns: Columns = ANY_COLUMNS,
    notes: ReadingNotes | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[Document]:
    """Yield the documents of a path in an order that does not depend on the machine.

    Of several paths, those of the first come first, and ids begin with the name of the path.

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
    paths = [_checked(each) for each in paths_of(path)]
    how = _How(columns, notes, Budget(limits))
    uncleaned = [_of_path(each, how, alone=len(paths) == 1) for each in paths]
    count = 0
    for document in cleaned(chain.from_iterable(uncleaned), notes):
        count += 1
        yield document
    if not count:
        raise NoDocumentsError(", ".join(map(str, paths)), notes)


_followed: ContextVar[list[IO[bytes]] | None] = ContextVar("followed", default=None)


@contextmanager
def following(path: Paths) -> Iterator[Callable[[], float]]:
    """A block that reads a path; yields a function that says which share of it is read.

    The share is that of the bytes on disk, compressed or not.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("a.txt", "b.txt", "c.txt", "d.txt"):
    ...     _ = (folder / name).write_text("12345")
    >>> with following(folder) as share:
    ...     [share() for _ in documents(folder)]
    [0.25, 0.5, 0.75, 1.0]
    """
    streams: list[IO[bytes]] = []
    total, done = -1, 0

    def share() -> float:
        nonlocal total, done
        if total < 0:
            files = (file for each in paths_of(path) for file in _files(Path(each)))
            total = sum(map(size_of, files))
        while streams and (streams[0].closed or len(streams) > 1):
            done += size_of(streams.pop(0).name)
        position = streams[0].tell() if streams else 0
        return min(1.0, (done + position) / total) if total else 0.0

    token = _followed.set(streams)
    try:
        yield share
    finally:
        _followed.reset(token)


def _follow(stream: IO[bytes]) -> None:
    streams = _followed.get()
    if streams is not None:
        streams.append(stream)


def _files(path: Path) -> list[str | Path]:
    walked = os.walk(path) if path.is_dir() else ()
    return [os.path.join(at, name) for at, _, names in walked for name in names] or [path]


def size_of(file: str | Path) -> int:
    """How many bytes a file has; none where that cannot be said."""
    try:
        return os.stat(file).st_size
    except OSError:
        return 0


def paths_of(path: Paths) -> list[str | os.PathLike[str]]:
    """One path, or several, as a list that is not empty."""
    several = [path] if isinstance(path, str | os.PathLike) else list(path)
    if not several:
        raise InputError("path: none, expected a file or folder")
    return several


def _of_path(path: Path, how: "_How", *, alone: bool) -> Iterator[Document]:
    if not path.is_dir():
        yield from _file(path, how, alone=alone)
        return
    is_parallel = any((path / view).is_dir() for view in how.columns.views)
    for document in _parallel(path, how) if is_parallel else _folder(path, how):
        if alone:
            yield document
        else:
            name = path.resolve().name
            folder = (name, *document.folder)
            yield replace(document, id=f"{name}/{document.id}", folder=folder)


def _checked(path: str | os.PathLike[str]) -> Path:
    """The path, if it can be read: not empty, there, and a file or folder, which end."""
    name = os.fspath(path)
    if not name:
        raise InputError("path: empty, expected a file or folder ('.' is the current folder)")
    path = Path(name)
    try:
        there = path.exists()
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: not a readable path ({error})") from error
    if not there:
        raise InputError(f"{path}: no such file or folder")
    if not path.is_file() and not path.is_dir():
        raise InputError(
            f"{path}: a pipe, socket or device, expected a file or folder; write its content "
            "to a file first, with the extension of its format, such as texts.jsonl"
        )
    return path


@dataclass(frozen=True)
class _How:
    """How files are read: the columns of tables, where to note what, and how much at most."""

    columns: Columns
    notes: ReadingNotes
    budget: Budget
    threads: Threads = field(default_factory=Threads)


def _file(path: Path, how: _How, *, alone: bool = True) -> Iterator[Document]:
    kept = 0
    try:
        for document in _opened(path, path.name, how, alone=alone):
            kept += 1
            yield document
    except PermissionError as error:
        raise InputError(f"{path}: {NOT_ALLOWED}") from error
    except archives.DAMAGED as error:
        after = f" after {kept:,} documents" if kept else ""
        raise InputError(f"{path}: damaged{after} ({error})") from error


def _opened(path: Path, name: str, how: _How, alone: bool = False) -> Iterator[Document]:
    with open(path, "rb", opener=_open_deep) as stream:
        _follow(stream)
        how.budget.open(name, os.fstat(stream.fileno()).st_size)
        yield from _read(
            OpenFile(
                name,
                stream,
                how.columns,
                how.notes,
                how.budget,
                alone=alone,
                threads=how.threads,
            )
        )


def _folder(path: Path, how: _How) -> Iterator[Document]:
    for file in walked(path, how.notes):
        yield from _one_of_many(file, file.relative_to(path).as_posix(), how)


def _one_of_many(file: Path, name: str, how: _How) -> Iterator[Document]:
    yield from _or_skipped(_opened(file, name, how), name, how.notes)


def _or_skipped(
    documents: Iterator[Document], name: str, notes: ReadingNotes, member: bool = False
) -> Iterator[Document]:
    """Documents of one of many files; what ends them early is noted, with how many came.

    A member that expands to too much ends its archive too.
    """
    kept = 0
    try:
        for document in documents:
            kept += 1
            yield document
    except UnreadableError as error:
        if member and isinstance(error, ExpansionError):
            raise
        notes.skip(error.reason, name, kept)
    except PermissionError:
        notes.skip(NOT_ALLOWED, name, kept)
    except archives.BAD_MEMBER:
        notes.skip("damaged", name, kept)


def _parallel(path: Path, how: _How) -> Iterator[Document]:
    """Folders that are views of the same documents, which have the same names in each."""
    views = how.columns.views
    files = {view: _names_in(path, view, how.notes) for view in views}
    first, *others = files
    for view in others:
        if files[view] and files[first] and not files[view].keys() & files[first].keys():
            raise InputError(
                f"{path}: no file has the same name in '{first}' and '{view}', as "
                f"{min(files[first])} and {min(files[view])}"
            )
    inside = replace(how, columns=replace(how.columns, views=()))
    for name in sorted({name for names in files.values() for name in names}):
        by_view = {
            view: {
                document.id: document for document in _one_of_many(names[name], name, inside)
            }
            for view, names in files.items()
            if name in names
        }
        yield from _joined(by_view, views)


def _names_in(path: Path, view: str, notes: ReadingNotes) -> dict[str, Path]:
    folder = path / view
    if not folder.is_dir():
        there = ", ".join(sorted(each.name for each in path.iterdir() if each.is_dir()))
        raise InputError(f"{path}: no folder '{view}' for that view; there are {there}")
    names = {file.relative_to(folder).as_posix(): file for file in walked(folder, notes)}
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


def walked(folder: Path, notes: ReadingNotes) -> Iterator[Path]:
    """Files of a folder and all below it, in the order of their names, however deep."""
    waiting = [(folder, True)]
    while waiting:
        path, is_folder = waiting.pop()
        if not is_folder:
            yield path
            continue
        try:
            entries = _entries(path, notes)
        except OSError as error:
            denied = isinstance(error, PermissionError)
            reason = NOT_ALLOWED if denied else f"not readable ({error.strerror})"
            notes.skip(reason, path.name)
            continue
        waiting.extend((path / name, inside) for name, inside in reversed(entries))


def _entries(folder: Path, notes: ReadingNotes) -> list[tuple[str, bool]]:
    """Names of the files and folders in a folder, sorted, and whether they are folders."""
    entries = []
    with _scanned(folder) as found:
        for entry in found:
            if entry.name.startswith("."):
                continue
            if entry.is_symlink():
                notes.skip(archives.LINK, entry.name)
            elif entry.is_dir() or entry.is_file():
                entries.append((entry.name, entry.is_dir()))
            else:
                notes.skip("not a regular file", entry.name)
    names = {name for name, _ in entries}
    if RECORD in names and read_record(folder, RECORD):
        notes.skip("results of Coterie", folder.name)
        return []
    if any(marks <= names for marks in MARKS_OF_DATASETS):
        entries = [each for each in entries if each[0] not in ABOUT_DATASETS]
    return sorted(entries)


@contextmanager
def _scanned(folder: Path) -> Iterator[Iterator[os.DirEntry[str]]]:
    """The entries of a folder, whose path may be longer than the system takes at once."""
    if len(str(folder)) <= LONGEST_PATH:
        with os.scandir(folder) as found:
            yield found
        return
    opened = _open_deep(str(folder), os.O_RDONLY)
    try:
        with os.scandir(opened) as found:
            yield found
    finally:
        os.close(opened)


def _open_deep(path: str, flags: int) -> int:
    """Open a path however long, where the system takes only so many characters at once."""
    opened: int | None = None
    try:
        while len(path) > LONGEST_PATH and os.open in os.supports_dir_fd:
            end = path.rindex(os.sep, 0, LONGEST_PATH) + 1
            outer, opened = opened, os.open(path[:end], os.O_RDONLY, dir_fd=opened)
            if outer is not None:
                os.close(outer)
            path = path[end:]
        return os.open(path, flags, dir_fd=opened)
    finally:
        if opened is not None:
            os.close(opened)


def _read(file: OpenFile) -> Iterator[Document]:
    suffix = file.suffix
    if suffix in archives.COMPRESSED:
        opened = archives.expanded(file.stream, suffix, file.budget)
        inside = replace(file, path=file.path[: -len(suffix)], stream=opened, seekable=False)
        yield from _read(inside)
    elif suffix in TAPES:
        yield from _members(file, archives.tape_members)
    elif suffix == ".zip":
        if not file.seekable:
            raise UnreadableError(file.path, "zip inside an archive")
        yield from _members(file, archives.zip_members)
    else:
        yield from kind_of(file).read(file)


def _members(
    file: OpenFile, members: Callable[..., Iterator[tuple[str, IO[bytes]]]]
) -> Iterator[Document]:
    prefix = "" if file.alone else f"{file.path}/"
    kept = 0
    try:
        for name, stream in members(file.path, file.stream, file.notes, file.budget):
            path = prefix + name
            inside = replace(file, path=path, stream=stream, alone=False, seekable=False)
            for document in _or_skipped(_read(inside), path, file.notes, member=True):
                kept += 1
                yield document
    except archives.BAD_MEMBER as error:
        if not kept:
            reason = f"not a readable archive ({error})"
            raise UnreadableError(file.path, reason) from error
        file.notes.skip("damaged archive", file.path, kept)
