"""What workers of a cluster do: they hold counts and rows, take steps and add statistics.

Rows of one version are kept beside those of the next, so that a step that is asked for twice,
as when its result was lost on the way, gives the same result twice.
"""

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.engine import Shard, Shared, rows_between
from coterie.executors.totals import Totals, summed
from coterie.kernels import cpu
from coterie.types import Counts


class Missing:
    """The answer of a worker that was asked for what it does not hold."""


@dataclass
class _Rows:
    version: int
    rows: list[Any]
    before: list[Any] | None = None
    lock: Any = field(default_factory=threading.Lock)

    def at(self, version: int) -> list[Any] | None:
        """Rows of that version, if they are still there."""
        if version == self.version:
            return self.rows
        return self.before if version == self.version - 1 else None


_counts: dict[str, list[Counts]] = {}
_rows: dict[str, _Rows] = {}


def hold_counts(name: str, *parts: list[Counts]) -> None:
    """Keep counts, which came in some parts, under a name."""
    blocks = [block for part in parts for block in part]
    for block in blocks:
        block.data, block.indices, block.indptr = map(
            _own, (block.data, block.indices, block.indptr)
        )
    _counts[name] = blocks


def take_counts(
    name: str, cuts: Sequence[int], dtypes: Sequence[Any], *partitions: Counts
) -> bool:
    """Keep counts of rows of partitions, cut into shards, if they are those of the name.

    Rows are numbered from the first of the first partition on. Words, ends of rows and counts
    take the types of those that are fitted.
    """
    rows = sp.vstack(partitions, format="csr")
    blocks = []
    for first, last in pairwise(cuts):
        block = rows_between(rows, first, last)
        arrays = block.indptr, block.indices, block.data
        block.indptr, block.indices, block.data = map(np.ndarray.astype, arrays, dtypes)
        blocks.append(block)
    if digest(blocks) != name:
        return False
    _counts[name] = blocks
    return True


def digest(blocks: Sequence[Counts]) -> str:
    """A name for counts by what they hold, under which workers keep them."""
    content = hashlib.blake2b(digest_size=16)
    for block in blocks:
        content.update(repr((block.shape, block.dtype)).encode())
        for array in (block.indptr, block.indices, block.data):
            content.update(np.ascontiguousarray(array).data)
    return content.hexdigest()


def hold_rows(name: str, rows: list[Any], version: int) -> None:
    """Keep rows under a name."""
    _rows[name] = _Rows(version, [_own(each) for each in rows])


def inventory() -> dict[str, int]:
    """Names of all that is held, with the version of rows."""
    return dict.fromkeys(_counts, 0) | {name: held.version for name, held in _rows.items()}


def forget(names: Sequence[str]) -> None:
    """Let go what is held under these names."""
    for name in names:
        _counts.pop(name, None)
        _rows.pop(name, None)


def step(
    counts: str, rows: str, version: int, function: Callable[..., Any], shared: Shared
) -> tuple[Shared, float] | Missing:
    """Take a step on shards held here: their rows move on, their statistics are added."""
    blocks, held = _counts.get(counts), _rows.get(rows)
    if blocks is None or held is None:
        return Missing()
    shared = tuple(_own(each) for each in shared)
    with held.lock:
        before = held.at(version)
        if before is None:
            return Missing()
        shards = map(Shard, blocks, before)
        moved, statistics, objective = summed(function(s, shared, cpu) for s in shards)
        after = [shard.rows for shard in moved]
        held.version, held.rows, held.before = version + 1, after, before
    return statistics, objective


def rows_of(name: str, version: int) -> list[Any] | Missing:
    """Rows of that version."""
    held = _rows.get(name)
    rows = held.at(version) if held else None
    return Missing() if rows is None else rows


def add(*parts: tuple[Shared, float] | Missing) -> tuple[Shared, float] | Missing:
    """Sum of at most a group of statistics; of missing ones there is none."""
    totals = Totals()
    for number, part in enumerate(parts):
        if isinstance(part, Missing):
            return part
        statistics, objective = part
        if not number:  # sums are made in the arrays of the first, which are not ours
            statistics = tuple(np.array(each) for each in statistics)
        totals.add(statistics, objective)
    return totals.finish()


def _own(array: Any) -> Any:
    """An array that may be written to, as kernels are compiled for; others as they are."""
    if isinstance(array, np.ndarray) and not array.flags.writeable:
        return array.copy()
    return array
