"""How much may be read: bounds on a document, an archive and a collection."""

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import IO, cast

from coterie.errors import InputError, UnreadableError

KB, MB, GB, TB = (1 << power for power in (10, 20, 30, 40))
UNITS = {"": 1, "B": 1, "KB": KB, "MB": MB, "GB": GB, "TB": TB}
SETTING = re.compile(r"\s*(\w+)\s*=\s*(\d{1,15})\s*([A-Za-z]*)\s*")
WITHOUT_RATIO = 64 * MB  # what any archive may expand to, however small it is
BLOCK_BYTES = 1 << 16


@dataclass(frozen=True)
class Limits:
    """Bounds on what is read; more is refused, so that no file fills the memory.

    Parameters
    ----------
    document : int, default=512 MB
        Bytes of one document, one line or one field of a table.
    archive : int, default=64 GB
        Bytes that one archive, compressed file, table of Parquet or Arrow, or database
        expands to.
    collection : int, default=256 GB
        Bytes of everything that is read, expanded.
    ratio : int, default=200
        How many times its size an archive may expand to; the first 64 MB are always allowed.
    seconds : int, default=60
        Seconds that reading one PDF, office or book file, or a row of a database, may take.

    Examples
    --------
    >>> Limits(document=1000).ratio
    200
    >>> Limits(ratio=0)
    Traceback (most recent call last):
    coterie.errors.InputError: limit ratio: expected an integer of at least 1, got 0
    """

    document: int = 512 * MB
    archive: int = 64 * GB
    collection: int = 256 * GB
    ratio: int = 200
    seconds: int = 60

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(
                    f"limit {name}: expected an integer of at least 1, got {value!r}"
                )

    @classmethod
    def parse(cls, settings: Iterable[str]) -> "Limits":
        """Return the limits that settings such as `document=1GB` change.

        Examples
        --------
        >>> Limits.parse(["document=2KB", "ratio=1000"])
        Limits(document=2048, archive=68719476736, collection=274877906944,
        ratio=1000, seconds=60)
        """
        names = [field.name for field in fields(cls)]
        values = {}
        for setting in settings:
            match = SETTING.fullmatch(setting)
            if not match or match[1] not in names or match[3].upper() not in UNITS:
                raise InputError(
                    f"limit '{setting}': expected {', '.join(names[:-1])} or {names[-1]}, "
                    "then = and a number or a size, such as document=1GB"
                )
            values[match[1]] = int(match[2]) * UNITS[match[3].upper()]
        return cls(**values)


DEFAULT_LIMITS = Limits()


class ExpansionError(UnreadableError):
    """An archive that expands to more than the limits allow; none of it is read on."""


class Budget:
    """What the files of a collection have expanded to so far.

    Examples
    --------
    >>> budget = Budget(Limits(archive=1000))
    >>> budget.open("a.gz", 10)
    >>> budget.expand(900)
    >>> budget.expand(900)
    Traceback (most recent call last):
    coterie.corpus.limits.ExpansionError: a.gz: expands to more than 1000 bytes, the limit of an
    archive of 10 bytes; if it can be trusted, raise the limits archive and ratio
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._total = 0
        self._name, self._size, self._expanded, self._allowed = "", 0, 0, 0

    def open(self, name: str, size: int) -> None:
        """Begin with a file of so many bytes on disk."""
        allowed = max(WITHOUT_RATIO, self.limits.ratio * size)
        self._name, self._size, self._expanded = name, size, 0
        self._allowed = min(self.limits.archive, allowed)
        self._add(size)

    @property
    def largest(self) -> int:
        """Bytes that one value of the file may have, and one that is made of it."""
        return min(self.limits.document, self._allowed)

    def expand(self, n_bytes: int) -> None:
        """Count bytes that came out of an archive."""
        self.expect(n_bytes)
        self._expanded += n_bytes
        self._add(n_bytes)

    def expect(self, n_bytes: int) -> None:
        """Refuse an archive that is about to expand by too many bytes, or says so."""
        if n_bytes < 0 or self._expanded + n_bytes > self._allowed:
            raise ExpansionError(
                self._name,
                f"expands to more than {size_in_words(self._allowed)}, the limit of an archive "
                f"of {size_in_words(self._size)}; if it can be trusted, raise the limits "
                "archive and ratio",
            )

    def _add(self, n_bytes: int) -> None:
        self._total += n_bytes
        if self._total > self.limits.collection:
            allowed = size_in_words(self.limits.collection)
            raise InputError(
                f"{self._name}: the collection is larger than {allowed}; read less of it, or "
                "raise the limit collection"
            )


class _Measured(io.RawIOBase):
    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream, self._budget = stream, budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        self._budget.expand(len(data))
        buffer[: len(data)] = data
        return len(data)


def measured(stream: IO[bytes], budget: Budget) -> IO[bytes]:
    """Return a stream whose bytes are counted as they are read."""
    return cast(IO[bytes], io.BufferedReader(_Measured(stream, budget), BLOCK_BYTES))


def read_whole(name: str, stream: IO[bytes], limits: Limits, start: bytes = b"") -> bytes:
    """Read a stream to its end; one larger than a document may be is refused."""
    blocks, size = [], 0
    block = start or stream.read(BLOCK_BYTES)
    while block:
        blocks.append(block)
        size += len(block)
        if size > limits.document:
            raise too_long(name, limits)
        block = stream.read(BLOCK_BYTES if size < MB else MB)
    return b"".join(blocks)


def too_long(name: str, limits: Limits, where: str = "") -> UnreadableError:
    """Return the error for a document, a line or a field beyond the limit."""
    allowed = size_in_words(limits.document)
    return UnreadableError(
        name, f"{where}larger than {allowed}, the limit of a document; raise the limit document"
    )


def size_in_words(n_bytes: int) -> str:
    """Return a number of bytes for a person.

    Examples
    --------
    >>> size_in_words(40), size_in_words(64 * MB), size_in_words(1_600_000)
    ('40 bytes', '64 MB', '1.5 MB')
    """
    for unit in ("TB", "GB", "MB", "KB"):
        if n_bytes >= UNITS[unit]:
            return f"{n_bytes / UNITS[unit]:.1f}".removesuffix(".0") + f" {unit}"
    return f"{n_bytes} bytes"
