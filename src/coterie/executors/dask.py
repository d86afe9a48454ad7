"""A Dask cluster: shards stay on their workers, only totals travel.

Rows live in the processes of the workers, beside their counts. A sweep sends the shared
parameters to all workers; each takes a step on its shards and adds their statistics; sums of
eight are added on workers, then sums of these, until one is left, which comes back. The order
of sums is that of `totals.Totals`, so that the bits are those of threads.

A worker may die at any time. What it held is then sent to another one: counts as they are here,
rows as they were at the last backup, and the few steps since are taken again, which gives the
same bits. Nothing of this shows outside but the time it takes.
"""

import asyncio
import math
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from distributed import Client, Future, wait
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from coterie import executors
from coterie.engine import Executor, Model, Shard, Shared
from coterie.errors import InputError
from coterie.executors import workers
from coterie.executors.clusters import local_cluster
from coterie.executors.threads import ThreadExecutor
from coterie.kernels import cpu
from coterie.memory import GROUP
from coterie.types import Counts, Ops

T = TypeVar("T")
REPLAYED = 8  # sweeps between backups of rows: at most so many are taken again
TRIES = 10  # how often a sweep begins anew before the cluster is given up
ANSWER = "30s"  # how long a scheduler may take to answer
SOME = 1 << 16  # counts by which those of workers are told from others at once
A_WHILE = 1  # second, after which workers are asked for
PATIENCE = 60  # seconds to wait for a worker when there is none
LOST = (KilledWorker, CancelledError, asyncio.CancelledError, CommClosedError, OSError)


@dataclass(eq=False)
class _Unit:
    """Shards that one worker steps through: a group of them, or a single one."""

    counts: str
    blocks: list[Counts]
    rows: str
    worker: str = ""
    first: int = -1
    """Number of the first row, where the counts are those that workers counted."""


@dataclass(frozen=True, eq=False)
class _Sent:
    """Shards on workers: where they are, and how to make their rows anew.

    Those of one version and of the next can be used.
    """

    units: list[_Unit]
    saved: list[Any]
    saved_version: int = 0
    steps: tuple[tuple[Any, Shared], ...] = ()

    @property
    def version(self) -> int:
        return self.saved_version + len(self.steps)


class DaskExecutor:
    """Run shards on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        A client of a cluster that is there. It stays open.
    scheduler : str, optional
        The address of the scheduler of such a cluster.
    security : distributed.Security, optional
        Certificates, for an address that begins with tls://. By default, those of the
        configuration of Dask.
    n_workers : int, optional
        Without a client and an address, the number of processes that are started on this
        machine and closed with the executor (default: one a core). They listen on the loopback
        address only, with certificates made for them, and without a dashboard.
    """

    ops: Ops = cpu

    def __init__(
        self,
        client: Client | None = None,
        *,
        scheduler: str | None = None,
        security: Any = None,
        n_workers: int | None = None,
    ) -> None:
        if client is not None and scheduler is not None:
            raise InputError(f"scheduler={scheduler!r}: a client was given too; expected one")
        self._owned: list[Any] = []
        self.client = client or self._connected(scheduler, security, n_workers)
        self._local = ThreadExecutor()
        self._known: weakref.WeakValueDictionary[str, _Unit] = weakref.WeakValueDictionary()
        self._latest: _Sent | None = None
        self._garbage: list[str] = []
        self._step: tuple[Any, Future | None] = (None, None)
        self._counted: tuple[list[Future], Any] | None = None

    def _connected(self, scheduler: str | None, security: Any, n_workers: Any) -> Client:
        if scheduler is None:
            cluster = local_cluster(n_workers or executors.available_threads())
            security = cluster.security
            self._owned.append(cluster)
        try:
            client = Client(
                scheduler or cluster, security=security, direct_to_workers=True, timeout=ANSWER
            )
        except (OSError, ValueError, TypeError) as error:
            raise InputError(
                f"scheduler {scheduler}: no Dask scheduler answers there ({error})"
            ) from error
        self._owned.insert(0, client)
        return client

    def close(self) -> None:
        """Forget what workers hold, and close the cluster if it was started here."""
        self._latest = None
        with suppress(*LOST):
            self._forget_garbage()
        for each in self._owned:
            each.close()

    @property
    def n_threads(self) -> int:
        """Threads of all workers."""
        return max(int(sum(self.client.nthreads().values())), 1)

    def prepare(
        self,
        model: Model,  # noqa: ARG002
        blocks: list[Counts],  # noqa: ARG002
        shared: Shared,
    ) -> tuple[Executor, Shared]:
        """Every model is computed on workers."""
        return self, shared

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """What `function` gives for each item, in order, by threads of this machine."""
        return self._local.map(function, items)

    def share(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """The same for short work."""
        return self._local.share(function, items)

    def begin(self, function: Callable[..., Any], *items: Sequence[Any]) -> list[Future]:
        """Call `function` with each of the items on the workers, where what it gives stays.

        What a dead worker was at, or had, is computed anew by another one.
        """
        return list(self.client.map(function, *items, pure=False, retries=TRIES))

    def results(self, begun: Sequence[Future]) -> list[Any]:
        """What was begun, brought here, in order."""
        results: list[Any] = self.client.gather(list(begun))
        return results

    def each(self, begun: Sequence[Future]) -> Iterator[Any]:
        """The same, one after the other: no two of them are here unless they are kept."""
        for future in begun:
            (result,) = self.client.gather([future])
            yield result
            del result

    def keep(self, begun: Sequence[Future], n_rows: Sequence[int]) -> None:
        """Let counts of partitions of so many rows stay on workers, for the first fit of them.

        The shards of that fit are then made of them there, and are not sent.
        """
        self._counted = list(begun), np.concatenate([[0], np.cumsum(n_rows)])

    def send(self, shards: list[Shard]) -> Any:
        """Shards in units to workers, those that follow each other to the same one.

        A single shard stays here.
        """
        if len(shards) == 1:
            return shards
        sent = _Sent(*self._units(shards))
        for unit in sent.units:
            weakref.finalize(unit, self._garbage.extend, (unit.rows, unit.counts))
        self._forget_garbage()
        self._assign(sent.units)
        self._latest = sent
        self._trying(lambda: self._deliver(sent, sent.units), sent)
        if sent.units[0].first == 0:
            self._counted = None  # workers need not hold them twice
        return sent

    def sweep(
        self, step: Callable[..., Any], sent: Any, shared: Shared
    ) -> tuple[Any, Shared, float]:
        """Run `step` on every shard."""
        if isinstance(sent, list):
            return self._local.sweep(step, sent, shared)
        totals = self._trying(lambda: self._swept(step, sent, shared), sent)
        moved = replace(sent, steps=(*sent.steps, (step, shared)))
        if len(moved.steps) == REPLAYED:
            rows = self._trying(lambda: self._rows(moved), moved)
            moved = _Sent(moved.units, rows, moved.version)
        self._latest = moved
        return moved, *totals

    def collect(self, sent: Any) -> list[Any]:
        """The rows' parameters, in order."""
        if isinstance(sent, list):
            return self._local.collect(sent)
        rows = self._trying(lambda: self._rows(sent), sent)
        return [each for unit in rows for each in unit]

    def _units(self, shards: list[Shard]) -> tuple[list[_Unit], list[Any]]:
        """A unit for every group, or where workers are more than groups, for every shard."""
        n_groups = -(-len(shards) // GROUP)
        length = GROUP if n_groups >= self.n_threads else 1
        units, saved = [], []
        row = 0 if self._are_counted([shard.X for shard in shards]) else -1
        for first in range(0, len(shards), length):
            group = shards[first : first + length]
            blocks = [shard.X for shard in group]
            units.append(_Unit(workers.digest(blocks), blocks, uuid4().hex, first=row))
            saved.append([shard.rows for shard in group])
            if row >= 0:
                row += sum(block.shape[0] for block in blocks)
        return units, saved

    def _are_counted(self, blocks: list[Counts]) -> bool:
        """Tell whether blocks may be the counts that workers hold: as many, and whole numbers.

        Workers compare them by their digest.
        """
        if self._counted is None:
            return False
        some = blocks[0].data[:SOME]
        is_whole = np.array_equal(some, np.rint(some))
        n_rows = sum(block.shape[0] for block in blocks)
        return bool(is_whole and n_rows == self._counted[1][-1])

    def _assign(self, units: list[_Unit]) -> None:
        """Workers for units, by their threads: those that hold the counts, else in runs."""
        threads = self._workers()
        share = len(units) / sum(threads.values())
        free = {name: math.ceil(share * n) for name, n in sorted(threads.items())}
        for unit in units:
            known = self._known.get(unit.counts)
            unit.worker = known.worker if known is not None else ""
            if not free.get(unit.worker):
                unit.worker = next(name for name, n in free.items() if n)
            free[unit.worker] -= 1
            self._known[unit.counts] = unit

    def _workers(self) -> dict[str, int]:
        """Addresses of the workers and their threads; waits for one where there is none."""
        with suppress(TimeoutError):
            self.client.wait_for_workers(1, timeout=PATIENCE)
        threads: dict[str, int] = self.client.nthreads()
        if not threads:
            address = self.client.scheduler.address
            raise InputError(f"scheduler {address}: it has had no worker for {PATIENCE} s")
        return threads

    def _deliver(self, sent: _Sent, units: list[_Unit]) -> None:
        """Bring counts and rows to workers, and take the steps since the last backup."""
        held = self._inventory()
        arrived = []
        missing = [unit for unit in units if unit.counts not in held.get(unit.worker, {})]
        taken = [(unit, self._taken(unit)) for unit in missing]
        missing = [unit for unit, future in taken if not self._is_taken(unit, future)]
        for unit in units:
            there = {"workers": [unit.worker], "pure": False}
            if unit in missing:
                blocks = [self._scatter([block], unit.worker) for block in unit.blocks]
                arrived.append(
                    self.client.submit(workers.hold_counts, unit.counts, *blocks, **there)
                )
            rows = self._scatter(sent.saved[sent.units.index(unit)], unit.worker)
            arrived.append(
                self.client.submit(
                    workers.hold_rows, unit.rows, rows, sent.saved_version, **there
                )
            )
        self._results(arrived, units)
        for version, (step, shared) in enumerate(sent.steps, sent.saved_version):
            self._results(self._steps(units, version, step, shared), units)

    def _taken(self, unit: _Unit) -> Future | None:
        """Let a worker make the counts of a unit of those that workers counted."""
        if self._counted is None or unit.first < 0:
            return None
        futures, ends = self._counted
        cuts = unit.first + np.cumsum([0, *(block.shape[0] for block in unit.blocks)])
        a = int(np.searchsorted(ends, cuts[0], side="right")) - 1
        b = int(np.searchsorted(ends, cuts[-1], side="left"))
        block = unit.blocks[0]
        dtypes = [array.dtype for array in (block.indptr, block.indices, block.data)]
        return self.client.submit(
            workers.take_counts, unit.counts, (cuts - ends[a]).tolist(), dtypes, *futures[a:b],
            workers=[unit.worker], pure=False,
        )  # fmt: skip

    def _is_taken(self, unit: _Unit, future: Future | None) -> bool:
        """Tell whether a worker has made the counts of a unit; not if it is gone."""
        while future is not None:
            with suppress(TimeoutError):
                return bool(future.result(timeout=1))
            if unit.worker not in self.client.nthreads():
                return False
        return False

    def _scatter(self, payload: Any, worker: str) -> Future:
        (future,) = self.client.scatter([payload], workers=[worker], hash=False)
        return future

    def _inventory(self) -> dict[str, dict[str, int]]:
        """What every worker holds: names of counts and rows, with the version of rows."""
        held: dict[str, dict[str, int]] = self.client.run(workers.inventory, on_error="ignore")
        return held

    def _steps(
        self, units: list[_Unit], version: int, step: Any, shared: Shared
    ) -> list[Future]:
        """A step of units on their workers; elsewhere a step ends as missing."""
        if self._step[0] is not step:
            self._step = step, self.client.scatter([step], hash=False)[0]
        (visible,) = self.client.scatter([shared], hash=False)
        return [
            self.client.submit(
                workers.step, unit.counts, unit.rows, version, self._step[1], visible,
                workers=[unit.worker], allow_other_workers=True, pure=False,
            )
            for unit in units
        ]  # fmt: skip

    def _swept(self, step: Any, sent: _Sent, shared: Shared) -> tuple[Shared, float]:
        parts = self._steps(sent.units, sent.version, step, shared)
        while len(parts) > 1:
            parts = [
                self.client.submit(workers.add, *parts[first : first + GROUP], pure=False)
                for first in range(0, len(parts), GROUP)
            ]
        (totals,) = self._results(parts, sent.units)
        return totals  # type: ignore[no-any-return]

    def _rows(self, sent: _Sent) -> list[Any]:
        futures = [
            self.client.submit(
                workers.rows_of, unit.rows, sent.version,
                workers=[unit.worker], allow_other_workers=True, pure=False,
            )
            for unit in sent.units
        ]  # fmt: skip
        return self._results(futures, sent.units)

    def _results(self, futures: list[Future], units: list[_Unit]) -> list[Any]:
        """What futures give; what is missing is an error.

        So is what was asked of a worker that is gone: where it was the only one, Dask would
        wait for it for ever, though others may do its work and are there again.
        """
        while not self._are_done(futures):
            if not {unit.worker for unit in units} <= self.client.nthreads().keys():
                raise _MissingError
        results: list[Any] = self.client.gather(futures)
        if any(isinstance(result, workers.Missing) for result in results):
            raise _MissingError
        return results

    def _are_done(self, futures: list[Future]) -> bool:
        """Tell whether all futures are, after a while of waiting for them."""
        try:
            with self.client.as_current():
                wait(futures, timeout=A_WHILE)
        except TimeoutError:
            return False
        return True

    def _trying(self, attempt: Callable[[], T], sent: _Sent | None = None) -> T:
        """What an attempt gives; whenever workers are lost, mend and begin anew."""
        for number in count(1):
            try:
                return attempt()
            except (_MissingError, *LOST) as error:
                if number == TRIES:
                    raise InputError(
                        f"scheduler {self.client.scheduler.address}: workers were lost "
                        f"{TRIES} times in a row; begin again when the cluster is steady"
                    ) from error
            self._step = (None, None)
            if sent is not None:
                with suppress(_MissingError, *LOST):
                    self._mend(sent)
        raise AssertionError

    def _mend(self, sent: _Sent) -> None:
        """Bring units whose worker is gone, or has lost them, to workers that are there."""
        threads, held = self._workers(), self._inventory()
        lost = [unit for unit in sent.units if not _is_held(unit, sent, held)]
        loads = dict.fromkeys(threads, 0.0)
        for unit in sent.units:
            if unit.worker in loads and unit not in lost:
                loads[unit.worker] += 1 / threads[unit.worker]
        for unit in lost:
            unit.worker = min(loads, key=lambda name: (loads[name], name))
            loads[unit.worker] += 1 / threads[unit.worker]
        self._deliver(sent, lost)

    def _forget_garbage(self) -> None:
        """Let workers forget what nobody asks for any more."""
        kept = {unit.counts for unit in self._known.values()}
        names = [name for name in self._garbage if name not in kept]
        self._garbage.clear()
        if names:
            self.client.run(workers.forget, names, on_error="ignore")


class _MissingError(Exception):
    """A worker that had to take a step did not have what it needs."""


def _is_held(unit: _Unit, sent: _Sent, held: dict[str, dict[str, int]]) -> bool:
    names = held.get(unit.worker, {})
    return unit.counts in names and names.get(unit.rows) in (sent.version, sent.version + 1)
