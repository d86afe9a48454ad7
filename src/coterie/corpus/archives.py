"""Archives: the files inside, one after the other, never written to disk."""

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import IO, Any, cast

from coterie.corpus.limits import Budget, measured, size_in_words
from coterie.corpus.notes import ReadingNotes
from coterie.errors import InputError, UnreadableError

BLOCK = 1 << 16  # compressed bytes that are read together


class _Concatenated(io.RawIOBase):
    """What concatenated streams expand to, up to the end of the file.

    `LZMAFile` and `BZ2File` take one that is damaged, and all after it, for garbage to ignore.
    """

    def __init__(self, stream: IO[bytes], decompressor: Callable[[], Any]) -> None:
        self._stream, self._new = stream, decompressor
        self._current = decompressor()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            data = b""
            if self._current.eof:
                data = self._current.unused_data.lstrip(b"\0")  # xz may pad its streams
                while not data and (block := self._stream.read(BLOCK)):
                    data = block.lstrip(b"\0")
                if not data:
                    return 0
                self._current = self._new()
            elif self._current.needs_input and not (data := self._stream.read(BLOCK)):
                raise EOFError("it ends before its end-of-stream marker")
            if expanded := self._current.decompress(data, len(buffer)):
                buffer[: len(expanded)] = expanded
                return len(expanded)


def _concatenated(decompressor: Callable[[], Any]) -> Callable[[IO[bytes]], IO[bytes]]:
    def opened(stream: IO[bytes]) -> IO[bytes]:
        return cast(IO[bytes], io.BufferedReader(_Concatenated(stream, decompressor)))

    return opened


COMPRESSED: dict[str, Callable[[IO[bytes]], object]] = {
    ".gz": lambda stream: gzip.GzipFile(fileobj=stream),
    ".xz": _concatenated(lzma.LZMADecompressor),
    ".bz2": _concatenated(bz2.BZ2Decompressor),
}
FIRST_BYTES = {b"\x1f\x8b": ".gz", b"\xfd7zXZ": ".xz", b"]\0\0": ".xz", b"BZh": ".bz2"}
EXTENDED = {
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
}  # fmt: skip
LARGEST_HEADER = 1 << 16  # bytes; a path has some thousand at most
LINK = "a link, not followed"
ENCRYPTED = 1  # a flag of members of a zip archive
LOCAL_HEADER = 30  # bytes before a member of a zip archive, without its name

DAMAGED = (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError, OSError)
BAD_MEMBER = (*DAMAGED, NotImplementedError, struct.error)
MALFORMED = (ValueError, LookupError, OverflowError, RuntimeError, struct.error)


class _Member(tarfile.TarInfo):
    """A member whose long name and extended headers, which are held in memory, are bounded."""

    def _proc_member(self, tape: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in EXTENDED and self.size > LARGEST_HEADER:
            raise tarfile.ReadError(f"a header of {size_in_words(self.size)}")
        return cast(tarfile.TarInfo, super()._proc_member(tape))  # type: ignore[misc]


def expanded(stream: IO[bytes], suffix: str, budget: Budget) -> IO[bytes]:
    """Return what a compressed stream expands to, counted as it is read."""
    return measured(cast(IO[bytes], COMPRESSED[suffix](stream)), budget)


def tape_members(
    path: str, stream: IO[bytes], notes: ReadingNotes, budget: Budget
) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the files of a tar archive, in the order they were packed.

    The compression of the archive is recognised by its first bytes.
    """
    first = cast(Any, stream).peek(8)
    suffix = next((FIRST_BYTES[each] for each in FIRST_BYTES if first.startswith(each)), "")
    stream = expanded(stream, suffix, budget) if suffix else stream
    opened = partial(tarfile.open, fileobj=stream, mode="r|", tarinfo=_Member)
    with _malformed_is_damaged(), opened() as tape:
        for member in tape:
            budget.expect(member.size)
            name = clean(member.name)
            if reason := _not_a_file(member):
                notes.skip(reason, f"{path}/{name}")
            elif member.isreg() and not is_hidden(member.name):
                yield name, cast(IO[bytes], tape.extractfile(member))


@contextmanager
def _malformed_is_damaged() -> Iterator[None]:
    """Raise what the standard library raises of a malformed archive as one kind of error."""
    try:
        yield
    except InputError:
        raise
    except MALFORMED as error:
        raise tarfile.ReadError(f"malformed, {error}") from error


def _not_a_file(member: tarfile.TarInfo) -> str:
    if member.issym() or member.islnk():
        return LINK
    if member.isdir():
        return ""
    if not clean(member.name):
        return "without a name"
    return "not a regular file" if not member.isreg() or member.issparse() else ""


def zip_members(
    path: str, stream: IO[bytes], notes: ReadingNotes, budget: Budget
) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the files of a zip archive, sorted by name; encrypted ones are counted."""
    with _malformed_is_damaged(), zipfile.ZipFile(stream) as archive:
        _refuse_overlaps(path, archive.infolist())
        budget.expect(sum(member.file_size for member in archive.infolist()))
        for member in sorted(archive.infolist(), key=lambda info: info.filename):
            name = clean(member.filename)
            if member.filename.endswith("/") or is_hidden(member.filename):
                continue
            if reason := _not_readable(member, name):
                notes.skip(reason, f"{path}/{name}")
                continue
            try:
                with _malformed_is_damaged():
                    file = archive.open(member)
            except BAD_MEMBER:
                notes.skip("damaged", f"{path}/{name}")
                continue
            with file:
                yield name, measured(file, budget)


def _not_readable(member: zipfile.ZipInfo, name: str) -> str:
    if not name:
        return "without a name"
    if member.flag_bits & ENCRYPTED:
        return "encrypted"
    return LINK if stat.S_ISLNK(member.external_attr >> 16) else ""


def _refuse_overlaps(path: str, members: list[zipfile.ZipInfo]) -> None:
    """Refuse members that share bytes of the archive, by which few bytes expand to many."""
    ordered = sorted(members, key=lambda member: member.header_offset)
    for one, next_one in pairwise(ordered):
        end = one.header_offset + LOCAL_HEADER + one.compress_size
        if end > next_one.header_offset:
            raise UnreadableError(
                path,
                f"not a readable archive ('{one.filename}' and '{next_one.filename}' overlap)",
            )


def is_hidden(name: str) -> bool:
    """Say whether a file, or a folder it is in, is hidden.

    Examples
    --------
    >>> is_hidden("a/.git/config"), is_hidden("__MACOSX/a"), is_hidden("./a/b")
    (True, True, False)
    """
    if "." not in name and "__MACOSX" not in name:
        return False
    parts = clean(name).split("/")
    return any(part.startswith(".") or part == "__MACOSX" for part in parts)


def clean(name: str) -> str:
    """Return a member's path without what leads out of the archive.

    Examples
    --------
    >>> clean("/../a/./b")
    'a/b'
    """
    return "/".join(part for part in name.split("/") if part not in ("", ".", ".."))
