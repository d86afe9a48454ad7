"""Where shards are computed: a context, so that estimators stay plain values."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any, TypeVar

from coterie.engine import Executor
from coterie.errors import InputError

T = TypeVar("T")
_current: ContextVar[Executor | None] = ContextVar("coterie_executor", default=None)


def current() -> Executor:
    """The executor of the surrounding `run_on` block, or all cores of this machine."""
    executor = _current.get()
    if executor is None:
        executor = _make("threads")
        _current.set(executor)
    return executor


@contextmanager
def run_on(place: str | Executor, **options: Any) -> Iterator[Executor]:
    """Run every fit in the block somewhere: `"threads"` with `n_threads`, or an executor.

    The answer does not depend on it: the same seed gives the same bits on any number of
    threads.

    Examples
    --------
    >>> from coterie import PLSA, run_on
    >>> with run_on("threads", n_threads=2):
    ...     labels = PLSA(2, random_state=0).fit([[3, 0], [2, 0], [0, 4]]).labels_
    >>> labels[0] == labels[1] != labels[2]
    np.True_
    """
    executor = _make(place, **options) if isinstance(place, str) else place
    token = _current.set(executor)
    try:
        yield executor
    finally:
        _current.reset(token)


def each_block(function: Callable[[int, int], T], n: int) -> list[T]:
    """What `function` gives for each block of 0 to n, blocks being cut by n alone.

    Examples
    --------
    >>> each_block(lambda first, last: last - first, 10)
    [10]
    """
    n_blocks = min(8, max(1, n // 1024))
    cuts = [round(n * i / n_blocks) for i in range(n_blocks + 1)]
    return current().map(lambda block: function(*block), list(pairwise(cuts)))


def available_threads() -> int:
    """Cores this process may use, or what `COTERIE_THREADS` says."""
    wanted = os.environ.get("COTERIE_THREADS")
    if wanted is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else (os.cpu_count() or 1)
        )
    if not wanted.isdecimal() or int(wanted) < 1:
        raise InputError(f"COTERIE_THREADS={wanted!r}: expected a whole number of at least 1")
    return int(wanted)


def _make(place: str, **options: Any) -> Executor:
    if place != "threads":
        raise InputError(f"run_on({place!r}): expected 'threads' or an executor")
    from coterie.executors.threads import ThreadExecutor

    return ThreadExecutor(**options)
