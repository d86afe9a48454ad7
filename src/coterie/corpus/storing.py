"""Where counts and texts are stored while documents are read: in memory, or on disk.

What is on disk is in temporary files without a name, which vanish with the process, however it
ends. Arrays there are mapped into memory: they look like any other array, and the system reads
and forgets their pages as it needs to.
"""

import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie.corpus.limits import size_in_words
from coterie.errors import InputError
from coterie.types import Counts

SHARE = 8
"""Counts may take one part in so many of the memory; a fit needs several times their size."""
BESIDE_CLUSTER = 1 << 24
"""Bytes of counts in the memory of a process whose cluster holds them as well."""
Arrays = npt.NDArray[Any]


class Storage:
    """Keeps arrays in memory until they are more than `memory` bytes allow, then on disk.

    Examples
    --------
    >>> storage = Storage(memory=8 * SHARE)
    >>> first, second = storage.kept(np.zeros(8, np.int8)), storage.kept(np.arange(3))
    >>> is_on_disk(first), is_on_disk(second), second
    (False, True, array([0, 1, 2]))
    """

    def __init__(self, memory: int | None = None) -> None:
        self.memory = memory
        self._most = None if memory is None else memory // SHARE
        self._used = 0
        self._has_cluster = False
        self.on_disk = 0
        """Bytes that are on disk."""

    def beside_cluster(self) -> "Storage":
        """The same with little memory: workers of a cluster hold what is computed with."""
        self._most = min(BESIDE_CLUSTER, BESIDE_CLUSTER if self._most is None else self._most)
        self._has_cluster = True
        return self

    def kept(self, array: Arrays) -> Arrays:
        """Return an array that will not change, from where it is stored from now on."""
        if self._fits(array.nbytes):
            return array
        mapped = self._mapped(array.dtype, array.shape)
        mapped[...] = array
        return mapped

    def empty(self, size: int, dtype: Any) -> Arrays:
        """Return an array to be filled, where there is room for it."""
        dtype = np.dtype(dtype)
        if self._fits(size * dtype.itemsize):
            return np.empty(size, dtype)
        return self._mapped(dtype, (size,))

    def freed(self, *arrays: Arrays) -> None:
        """Arrays that are no longer used leave room for others."""
        for array in arrays:
            if is_on_disk(array):
                self.on_disk -= array.nbytes
            else:
                self._used -= array.nbytes

    def note(self) -> str:
        """Say that counts are on disk, and why."""
        where = f"Counts are on disk ({size_in_words(self.on_disk)} in {tempfile.gettempdir()})"
        if self._has_cluster:
            return f"{where}, beside those on the workers. TMPDIR sets another folder."
        assert self.memory is not None
        return (
            f"{where}: more than an eighth of the {size_in_words(self.memory)} of memory. "
            "--memory or TMPDIR sets another size or folder."
        )

    def _fits(self, n_bytes: int) -> bool:
        if self._most is not None and self._used + n_bytes > self._most:
            return False
        self._used += n_bytes
        return True

    def _mapped(self, dtype: Any, shape: tuple[int, ...]) -> Arrays:
        if not np.prod(shape):
            return np.empty(shape, dtype)
        with tempfile.TemporaryFile() as file:  # it lives as long as it is mapped
            mapped = np.memmap(file, dtype, "w+", shape=shape)
        self.on_disk += mapped.nbytes
        return np.asarray(mapped)


IN_MEMORY = Storage()


def is_on_disk(array: Arrays) -> bool:
    """Tell whether an array is mapped from a file, or is part of one that is."""
    base: Any = array
    while base is not None:
        if isinstance(base, np.memmap):
            return True
        base = getattr(base, "base", None)
    return False


def counts_on_disk(counts: Counts) -> bool:
    """Tell whether counts are mapped from files."""
    return is_on_disk(counts.data)


def stored_rows(
    blocks: Iterable[Counts],
    shape: tuple[int, int],
    n_counts: int,
    storage: Storage,
    dtype: Any = np.float32,
) -> Counts:
    """Blocks of rows that come one after the other, as one matrix of known size in a storage.

    Examples
    --------
    >>> blocks = [Counts(np.eye(2)), Counts(np.array([[3, 4]]))]
    >>> stored_rows(iter(blocks), (3, 2), 4, Storage(0)).toarray()
    array([[1., 0.],
           [0., 1.],
           [3., 4.]], dtype=float32)
    """
    kind = np.int32 if n_counts < 2**31 else np.int64
    counts = Counts(shape, dtype=dtype)
    counts.data = storage.empty(n_counts, dtype)
    counts.indices = storage.empty(n_counts, kind)
    counts.indptr = np.zeros(shape[0] + 1, kind)
    row, end = 0, 0
    for block in blocks:
        start, end = end, end + block.nnz
        if end > n_counts:
            break
        counts.data[start:end], counts.indices[start:end] = block.data, block.indices
        counts.indptr[row + 1 : row + 1 + block.shape[0]] = start + block.indptr[1:]
        row += block.shape[0]
    if (row, end) != (shape[0], n_counts):  # a partition was lost, and read again
        raise InputError("files changed while they were read")
    return counts
