"""Memory of large tables, used again by the next sweep.

A system takes the memory of a large array back when the array is forgotten, and gives it anew
page by page, each set to zero: with tables of some tens of megabytes, that is up to a third of
the time of a sweep. While a loop runs, such memory is kept for the next array of the same size.
"""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np

from coterie.types import Array

LARGE = 2**20  # bytes, from which on memory is kept
LINE = 64  # bytes of a line of the cache, in which an array begins

_lock = threading.RLock()  # a collection of garbage may call from anywhere
_spare: defaultdict[int, list[Array]] = defaultdict(list)
_loops = 0


@contextmanager
def kept() -> Iterator[None]:
    """Keep the memory of arrays made by `empty` while the block lasts.

    No more is kept than was in use at a time, as an array takes what is spare first.

    Examples
    --------
    >>> with kept():
    ...     first = empty((512, 512), np.float64)
    ...     place = first.ctypes.data
    ...     del first
    ...     empty((512, 512), np.float64).ctypes.data == place
    True
    """
    global _loops
    with _lock:
        _loops += 1
    try:
        yield
    finally:
        with _lock:
            _loops -= 1
            if not _loops:
                forget()


def forget() -> None:
    """Give spare memory back, before other large arrays are made."""
    with _lock:
        _spare.clear()


def empty(shape: tuple[int, ...], dtype: Any) -> Array:
    """An array of any numbers, which begins with a line of the cache."""
    dtype = np.dtype(dtype)
    n_bytes = prod(shape) * dtype.itemsize
    memory = np.asarray(_Memory(n_bytes)) if n_bytes >= LARGE else _raw(n_bytes)
    offset = -memory.ctypes.data % LINE
    array: Array = memory[offset : offset + n_bytes].view(dtype).reshape(shape)
    return array


def zeros(shape: tuple[int, ...], dtype: Any) -> Array:
    """An array of zeros, which begins with a line of the cache."""
    array = empty(shape, dtype)
    array.fill(0)
    return array


def _raw(n_bytes: int) -> Array:
    return np.empty(n_bytes + LINE, np.uint8)


class _Memory:
    """Memory that becomes spare when no array, nor a view of one, is left in it."""

    def __init__(self, n_bytes: int) -> None:
        with _lock:
            spare = _spare[n_bytes] if _loops else []
            self._bytes = spare.pop() if spare else _raw(n_bytes)
        self._size = n_bytes

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self._bytes.__array_interface__

    def __del__(self) -> None:
        with _lock:
            if _loops:
                _spare[self._size].append(self._bytes)
