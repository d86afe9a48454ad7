"""Archives: the files inside, one after the other, never written to disk."""

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from coterie.corpus.documents import UnreadableError
from coterie.corpus.notes import ReadingNotes

DAMAGED = (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError, OSError)
BAD_MEMBER = (*DAMAGED, NotImplementedError)


def tape_members(
    path: str, stream: IO[bytes], notes: ReadingNotes
) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the files of a tar archive, in the order they were packed.

    The compression of the archive is recognised by its first bytes.
    """
    count = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|*") as tape:
            for member in tape:
                if member.issym() or member.islnk():
                    notes.skip("a link, not followed", member.name)
                file = tape.extractfile(member) if member.isreg() else None
                if file is not None and not is_hidden(member.name):
                    count += 1
                    yield clean(member.name), file
    except DAMAGED as error:
        if not count:
            raise UnreadableError(path, f"not a readable archive ({error})") from error
        notes.skip("rest of a damaged archive", path)


def zip_members(
    path: str, stream: IO[bytes], notes: ReadingNotes
) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the files of a zip archive, sorted by name; encrypted ones are counted."""
    try:
        archive = zipfile.ZipFile(stream)
    except zipfile.BadZipFile as error:
        raise UnreadableError(path, f"not a readable archive ({error})") from error
    with archive:
        for member in sorted(archive.infolist(), key=lambda info: info.filename):
            if member.is_dir() or is_hidden(member.filename):
                continue
            if member.flag_bits & 1:
                notes.skip("encrypted", f"{path}/{member.filename}")
                continue
            try:
                file = archive.open(member)
            except BAD_MEMBER:
                notes.skip("damaged", f"{path}/{member.filename}")
                continue
            with file:
                yield clean(member.filename), file


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
