"""Sums over shards in one order, whoever makes them: as a tree of fixed shape."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from coterie.engine import Shard, Shared
from coterie.memory import GROUP


class Totals:
    """Statistics and objectives of shards, added as they come, in shard order.

    Eight shards are added one after the other, then eight of these sums, and so on. The order
    depends on the number of shards alone, so that a cluster, where sums of groups are made on
    different workers, gives the bits of one thread.

    Examples
    --------
    >>> totals = Totals()
    >>> for number in range(20):
    ...     totals.add((np.array([number]),), 1.0)
    >>> totals.finish()
    ((array([190]),), 20.0)
    """

    def __init__(self) -> None:
        self._levels: list[_Sum] = []

    def add(self, statistics: Shared, objective: float) -> None:
        """Add those of the next shard; their arrays may be changed."""
        level = 0
        while True:
            if level == len(self._levels):
                self._levels.append(_Sum())
            current = self._levels[level]
            current.add(statistics, objective)
            if current.n_added < GROUP:
                return
            statistics, objective = current.statistics, current.objective
            self._levels[level] = _Sum()
            level += 1

    def finish(self) -> tuple[Shared, float]:
        """Add what is left at each level to the level above."""
        below: _Sum | None = None
        for level in self._levels:
            if below is not None:
                level.add(below.statistics, below.objective)
            below = level if level.n_added else None
        return ((), 0.0) if below is None else (below.statistics, below.objective)


def summed(results: Iterable[Any]) -> tuple[list[Shard], Shared, float]:
    """What a step gave for each shard, in order: moved shards, and all they add, summed.

    Examples
    --------
    >>> summed((Shard(None, number), ((np.array([number]),), 1.0)) for number in range(3))[1:]
    ((array([3]),), 3.0)
    """
    moved: list[Shard] = []
    totals = Totals()
    for shard, (statistics, objective) in results:
        moved.append(shard)
        totals.add(statistics, objective)
    return moved, *totals.finish()


class _Sum:
    """A sum of some statistics, made in the arrays of the first."""

    def __init__(self) -> None:
        self.n_added = 0
        self.statistics: Shared = ()
        self.objective: Any = 0.0

    def add(self, statistics: Shared, objective: float) -> None:
        self.objective += objective
        self.n_added += 1
        if self.n_added == 1:
            self.statistics = tuple(np.ascontiguousarray(each) for each in statistics)
            return
        for total, statistic in zip(self.statistics, statistics, strict=True):
            total += statistic
