"""How much memory a fit takes, reckoned before any is taken.

What is reckoned is the data a fit is given and all that it adds to them while it runs. What
the process holds besides, as the interpreter and its libraries, is not. A class says by
`_needed_bytes` what it needs for data of a size, as a sum of the arrays it holds at a time.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any, Self

from coterie.corpus.limits import GB, UNITS, size_in_words
from coterie.corpus.storing import is_on_disk
from coterie.errors import InputError
from coterie.kernels import LANES

ROOT = Path("/")
SIZE = re.compile(r"\s*(\d+(?:\.\d*)?)\s*([A-Za-z]*)\s*")
NO_LIMIT = 1 << 60  # version 1 of cgroups writes a number above for none
INDEX = 4  # bytes of the number of a column
GROUP = 8  # shards whose statistics are added one after the other; then groups of them


@dataclass(frozen=True)
class Size:
    """The size of what is fitted, and how many threads fit it.

    Examples
    --------
    >>> size = Size(1000, 500, 20_000, itemsize=4)
    >>> size.data, size.numbers(1000, 8), size.doubles(1000, 8)
    (164004, 32000, 64000)
    """

    n_documents: int
    n_words: int
    n_nonzero: int
    itemsize: int = 8
    """Bytes of a count."""
    n_threads: int = 1
    n_tokens: int = 0
    """Occurrences of words."""
    n_dimensions: int = 0
    """Of the vectors of documents, where they have some."""
    views: tuple["Size", ...] = ()
    is_full: bool = True
    """Whether all documents have words and all words are in documents."""
    on_disk: bool = False
    """Whether counts are mapped from disk, so that the memory they take is given back."""

    @classmethod
    def of(cls, X: Any, n_threads: int = 1, **others: Any) -> Self:
        """The size of sparse counts."""
        (n, m), n_tokens = X.shape, int(X.data.sum(dtype="float64"))
        others.setdefault("on_disk", is_on_disk(X.data))
        return cls(n, m, X.nnz, X.dtype.itemsize, n_threads, n_tokens, **others)

    @property
    def data(self) -> int:
        """Bytes of the counts in memory, and of the vectors where there are some."""
        counts = 0 if self.on_disk else self.n_nonzero * (self.itemsize + INDEX)
        counts += INDEX * (self.n_documents + 1)
        return counts + self.numbers(self.n_documents, self.n_dimensions)

    @property
    def n_shards(self) -> int:
        """Into how many shards `engine` cuts the documents, at most.

        Each shard carries a table of words by topics, so beyond two there is one for every 16
        times as many non-zeros as there are words.
        """
        by_words = self.n_nonzero // (16 * max(self.n_words, 1))
        n_shards = max(by_words, min(2, self.n_nonzero // 2**17), 1)
        if n_shards > 2:
            n_shards -= n_shards % (4 if n_shards > 4 else 2)  # equal shares for 2 or 4 threads
        return min(n_shards, 64, max(self.n_documents, 1))

    @property
    def at_work(self) -> int:
        """How many shards are computed at a time."""
        return max(1, min(self.n_threads, self.n_shards))

    @property
    def n_sums(self) -> int:
        """How many sums over shards are held at a time: that of a group, and of groups."""
        return 2 if self.n_shards > GROUP else 1

    def numbers(self, *shape: int) -> int:
        """Bytes of an array in the precision of the counts."""
        return self.itemsize * prod(shape)

    def padded(self, n_rows: int, n_columns: int) -> int:
        """Bytes of a table as kernels take it: columns filled up to a multiple of `LANES`."""
        return self.numbers(n_rows, -(-n_columns // LANES) * LANES)

    @staticmethod
    def doubles(*shape: int) -> int:
        """Bytes of an array in double precision, or of whole numbers."""
        return 8 * prod(shape)

    def sample(self, n_documents: int) -> Self:
        """So many of the documents, each with as many words as in the mean."""
        share = n_documents / max(self.n_documents, 1)
        return replace(
            self,
            n_documents=n_documents,
            n_nonzero=round(share * self.n_nonzero),
            n_tokens=round(share * self.n_tokens),
            views=tuple(view.sample(n_documents) for view in self.views),
        )

    def with_words(self, n_words: int, share: float = 1.0) -> Self:
        """Other words, with this share of the non-zeros."""
        return replace(self, n_words=n_words, n_nonzero=round(share * self.n_nonzero))

    @property
    def turned(self) -> Self:
        """Documents as words and words as documents."""
        return replace(self, n_documents=self.n_words, n_words=self.n_documents)


class TooLargeError(InputError):
    """A fit that needs more memory than is allowed; `ways` are what would fit instead."""

    def __init__(
        self, what: str, size: Size, needed: int, allowed: int, ways: list[str]
    ) -> None:
        instead = either(ways) if ways else "no sample of the documents"
        super().__init__(
            f"{what} needs about {size_in_words(needed)} of memory, "
            f"{size_in_words(allowed)} is allowed; {instead} would fit"
        )
        self.what, self.size, self.needed = what, size, needed
        self.allowed, self.ways = allowed, ways

    def instead(self, *ways: str) -> "TooLargeError":
        """The same, with other ways before a sample, which is the last."""
        n = len(self.ways) - ("sample" in self.ways[-1] if self.ways else 0)
        together = [*self.ways[:n], *ways, *self.ways[n:]]
        return TooLargeError(self.what, self.size, self.needed, self.allowed, together)


def either(ways: list[str]) -> str:
    """Several ways in words.

    Examples
    --------
    >>> either(["5 clusters", "PLSA", "a sample"])
    '5 clusters, PLSA or a sample'
    """
    *first, last = ways
    return f"{', '.join(first)} or {last}" if first else last


def largest(fits: Callable[[int], bool], most: int) -> int:
    """The largest number up to `most` that fits, if those below a number that fits do too.

    It is rounded down to two digits; zero where none fits.

    Examples
    --------
    >>> largest(lambda n: n * n < 70_000, 1000), largest(lambda n: False, 10)
    (260, 0)
    """
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    step = 10 ** max(0, len(str(low)) - 2)
    rounded = low // step * step
    return rounded if rounded and fits(rounded) else low


def bytes_in(text: str | float) -> int:
    """Bytes of a size such as `4GiB` or `500MB`; a number alone is in GiB.

    Units are powers of 1024, as everywhere in Coterie.

    Examples
    --------
    >>> bytes_in("4") == bytes_in("4GiB") == bytes_in("4096 MB") == 4 << 30
    True
    """
    match = SIZE.fullmatch(str(text))
    unit = match[2].upper().replace("I", "") if match else ""
    if not match or unit not in UNITS or not float(match[1]):
        raise InputError(f"memory {text}: expected a size above zero, such as 4GiB or 500MB")
    return int(float(match[1]) * (UNITS[unit] if unit else GB))


def available_bytes(root: Path = ROOT) -> int:
    """Bytes this process can still take: of the machine, or of what its cgroup is allowed.

    Examples
    --------
    >>> available_bytes() > 0
    True
    """
    return max(0, min([_free_of_machine(root), *_left_of_cgroups(root)]))


def _free_of_machine(root: Path) -> int:
    meminfo = _fields(root / "proc/meminfo")
    if "MemAvailable:" in meminfo:
        return meminfo["MemAvailable:"] << 10
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return 4 * GB


def _left_of_cgroups(root: Path) -> Iterator[int]:
    """What is left of each limit on the cgroup of this process and on those around it."""
    mounted = root / "sys/fs/cgroup"
    for line in _lines(root / "proc/self/cgroup"):
        number, kinds, name = line.split(":", 2)
        if number == "0":
            names = mounted, "memory.max", "memory.current", "inactive_file"
        elif "memory" in kinds.split(","):
            limit, used = "memory.limit_in_bytes", "memory.usage_in_bytes"
            names = mounted / "memory", limit, used, "total_inactive_file"
        else:
            continue
        top, limit, used, cache = names
        inner = top / name.strip("/")
        for folder in (inner, *inner.parents):
            most = _number(folder / limit)
            if most is not None and most < NO_LIMIT:
                spare = _fields(folder / "memory.stat").get(cache, 0)  # given back when asked
                yield most - (_number(folder / used) or 0) + spare
            if folder == top:
                break


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def _number(file: Path) -> int | None:
    text = "".join(_lines(file)).strip()
    return int(text) if text.isdecimal() else None


def _fields(file: Path) -> dict[str, int]:
    pairs = (line.split()[:2] for line in _lines(file))
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal()}
