"""Where shards are computed: a context, so that estimators stay plain values.

A place is a class that follows `engine.Executor`; `PLACES` has one for each name.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from coterie.corpus.partitions import Here
from coterie.engine import Executor
from coterie.errors import InputError

T = TypeVar("T")


class Place(NamedTuple):
    """A class of executors, and the packages of the extra that it needs."""

    module: str
    name: str
    needs: tuple[str, ...] = ()


PLACES = {
    "threads": Place("coterie.executors.threads", "ThreadExecutor"),
    "dask": Place("coterie.executors.dask", "DaskExecutor", ("dask", "distributed")),
    "gpu": Place("coterie.executors.gpu", "GpuExecutor", ("cupy",)),
}
LEAST_BLOCK = 1024
_current: ContextVar[Executor | None] = ContextVar("coterie_executor", default=None)


def current() -> Executor:
    """The executor of the surrounding `run_on` block, or all cores of this machine."""
    executor = _current.get()
    if executor is None:
        executor = _make("threads")
        _current.set(executor)
    return executor


def gpu_kernels() -> Any:
    """The kernels of the GPU that the surrounding `run_on` block runs on, or None."""
    return getattr(current(), "gpu", None)


@contextmanager
def run_on(place: str | Executor, *given: Any, **options: Any) -> Iterator[Executor]:
    """Run every fit in the block somewhere: on threads, on a Dask cluster or on a GPU.

    The clusters do not depend on it: the same seed gives the same bits on any number of threads
    and on any number of workers of the same kind of machine, and on a GPU the same up to
    rounding.

    Parameters
    ----------
    place : "threads", "dask", "gpu" or an executor
        `"threads"` takes `n_threads` (default: all cores, or `COTERIE_THREADS`). `"dask"` takes
        a `client` of Dask, or the address of a `scheduler`, with `security` where it speaks
        TLS; without either, a cluster of `n_workers` processes of this machine is started, and
        closed when the block ends. `"gpu"` takes `half`, for tables of PLSA and its kin in half
        precision, and `n_threads` for what the GPU has no kernels for. Dask and GPUs need an
        extra: `coterie[dask]`, `coterie[gpu]`.

    Examples
    --------
    >>> from coterie import PLSA, run_on
    >>> with run_on("threads", n_threads=2):
    ...     labels = PLSA(2, random_state=0).fit([[3, 0], [2, 0], [0, 4]]).labels_
    >>> labels[0] == labels[1] != labels[2]
    np.True_
    """
    if not isinstance(place, str):
        with _running_on(place):
            yield place
        return
    executor = _make(place, *given, **options)
    try:
        with _running_on(executor):
            yield executor
    finally:
        executor.close()


@contextmanager
def _running_on(executor: Executor) -> Iterator[None]:
    token = _current.set(executor)
    try:
        yield
    finally:
        _current.reset(token)


def reading_cluster(*, needed: bool = False) -> Any:
    """The executor of the surrounding block if it can read files; None if it cannot.

    Where reading in partitions is `needed`, this process can.
    """
    executor = _current.get()
    if hasattr(executor, "begin"):
        return executor
    return Here() if needed else None


def each_block(function: Callable[[int, int], T], n: int, least: int = LEAST_BLOCK) -> list[T]:
    """What `function` gives for each block of 0 to n, cut by n and the `least` size alone.

    Examples
    --------
    >>> each_block(lambda first, last: last - first, 10)
    [10]
    """
    n_blocks = min(8, max(1, n // least))
    cuts = [round(n * i / n_blocks) for i in range(n_blocks + 1)]
    return current().share(lambda block: function(*block), list(pairwise(cuts)))


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


def check_place(place: Any) -> None:
    """Refuse a place that there is not, or whose extra is not installed."""
    if place not in PLACES:
        expected = ", ".join(repr(name) for name in PLACES)
        raise InputError(f"run_on({place!r}): expected {expected} or an executor")
    if not all(find_spec(package) for package in PLACES[place].needs):
        raise InputError(f'running on {place} needs an extra: pip install "coterie[{place}]"')


def _make(place: str, *given: Any, **options: Any) -> Executor:
    check_place(place)
    made: Executor = getattr(import_module(PLACES[place].module), PLACES[place].name)(
        *given, **options
    )
    return made
