"""Threads of this machine: kernels release the GIL, so shards run side by side."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from numbers import Integral
from typing import Any

from coterie import executors
from coterie.engine import Executor, Model, Shard, Shared
from coterie.errors import InputError
from coterie.executors.totals import summed
from coterie.kernels import cpu
from coterie.types import Counts, Ops


class ThreadExecutor:
    """Run shards on a pool of threads and add their statistics in shard order."""

    ops: Ops = cpu

    def __init__(self, n_threads: Any = None) -> None:
        if n_threads is None:
            n_threads = executors.available_threads()
        if not isinstance(n_threads, Integral) or n_threads < 1:
            raise InputError(f"n_threads={n_threads!r}: expected a whole number of at least 1")
        self.n_threads = int(n_threads)
        self._start_pool()

    def _start_pool(self) -> None:
        self._process = os.getpid()
        self._threads = ThreadPoolExecutor(self.n_threads, thread_name_prefix="coterie")

    @property
    def _pool(self) -> ThreadPoolExecutor:
        if self._process != os.getpid():  # a forked process has no threads of its parent's
            self._start_pool()
        return self._threads

    def send(self, shards: list[Shard]) -> list[Shard]:
        """Shards are already here."""
        return shards

    def sweep(
        self, step: Callable[..., Any], sent: list[Shard], shared: Shared
    ) -> tuple[list[Shard], Shared, float]:
        """Run `step` on every shard."""
        return summed(self._results(step, sent, shared))

    def collect(self, sent: list[Shard]) -> list[Any]:
        """The rows' parameters, in order."""
        return [shard.rows for shard in sent]

    def prepare(
        self,
        model: Model,  # noqa: ARG002
        blocks: list[Counts],  # noqa: ARG002
        shared: Shared,
    ) -> tuple[Executor, Shared]:
        """Every model is computed here."""
        return self, shared

    def map(
        self,
        function: Callable[[Any], Any],
        items: Sequence[Any],
        alone: Callable[[], Executor] | None = None,
    ) -> list[Any]:
        """What `function` gives for each item, in order, each in a thread of its own.

        `alone` makes the executor of such a thread: by default, one that has no other threads.
        Where an item fails, no other is begun, and those under way end before the error is
        raised; Ctrl-C does not wait for them.
        """
        if len(items) == 1 or self.n_threads == 1:
            return [function(item) for item in items]
        contexts = [copy_context() for _ in items]  # watchers of this thread hear of the work
        alone = alone or partial(ThreadExecutor, 1)
        work = partial(_alone, function, alone)
        calls = [
            self._pool.submit(context.run, work, item)
            for context, item in zip(contexts, items, strict=True)
        ]
        try:
            return [call.result() for call in calls]
        except BaseException as error:
            under_way = [call for call in calls if not call.cancel()]
            if not isinstance(error, KeyboardInterrupt):
                wait(under_way)
            raise

    def share(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """What `function` gives for each item, in order: for short work that reports nothing.

        The calling thread takes items as the others do, so that little time goes by before
        work begins, and none where the others are busy. Where an item fails, or after Ctrl-C,
        no other is begun.
        """
        results: list[Any] = [None] * len(items)
        left = iter(range(len(items)))

        def take() -> None:
            try:
                for number in left:
                    results[number] = function(items[number])
            except BaseException:
                for _ in left:
                    pass
                raise

        n_others = min(self.n_threads, len(items)) - 1
        others = [self._pool.submit(take) for _ in range(n_others)]
        take()
        for other in others:
            if not other.cancel():
                other.result()
        return results

    def close(self) -> None:
        """Idle threads end with their pool."""

    def _results(self, step: Callable[..., Any], sent: list[Shard], shared: Shared) -> Any:
        if len(sent) == 1 or self.n_threads == 1:
            return (step(shard, shared, self.ops) for shard in sent)
        return self._in_order(lambda shard: step(shard, shared, self.ops), sent)

    def _in_order(self, work: Callable[[Shard], Any], shards: list[Shard]) -> Iterator[Any]:
        """Results in order; no more of them wait to be added than there are threads."""
        waiting = deque(self._pool.submit(work, shard) for shard in shards[: self.n_threads])
        for shard in shards[self.n_threads :]:
            result = waiting.popleft().result()
            waiting.append(self._pool.submit(work, shard))
            yield result
        while waiting:
            yield waiting.popleft().result()


def _alone(function: Callable[[Any], Any], alone: Callable[[], Executor], item: Any) -> Any:
    """Call in a thread of the pool, which must not wait for others of the same pool."""
    with executors.run_on(alone()):
        return function(item)
