"""Libraries' own threads held to one, so that sums round alike everywhere."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

_lock = threading.Lock()
_held = ExitStack()
_depth = 0


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep dense products in the block to one thread.

    The limit is the whole process's: the first to come sets it, the last to go lifts it.
    """
    global _depth
    with _lock:
        if _depth == 0:
            _held.enter_context(_controller().limit(limits=1, user_api="blas"))
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                _held.close()


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep OpenMP loops, whose limit is the calling thread's own, to one thread as well."""
    with one_blas_thread(), _controller().limit(limits=1, user_api="openmp"):
        yield


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
