"""One GPU, by CuPy: counts, rows and tables stay in its memory through a whole fit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import ref

from coterie.corpus.limits import size_in_words
from coterie.engine import Executor, Model, Shard, Shared
from coterie.errors import InputError
from coterie.executors.threads import ThreadExecutor
from coterie.executors.totals import Totals
from coterie.kernels.gpu import DeviceCounts, GpuKernels
from coterie.types import Counts, Ops

TABLES_OF_ROWS, TABLES_OF_WORDS = 4, 6  # held at a time, in the memory of the GPU
NONZERO_BYTES = 12  # of places, and of documents and counts in word order
SMALL_FIT = 2**23  # non-zeros times clusters up to which threads are as quick
FEW_NONZEROS = 2**20  # of new documents up to which threads are as quick


@dataclass(frozen=True)
class OnGpu:
    """All shards of a fit, as one."""

    counts: DeviceCounts
    rows: Any


@dataclass(frozen=True)
class OnThreads:
    """Shards that are too few for the GPU."""

    shards: list[Shard]


class GpuExecutor:
    """Run the EM family and chi-Sim on a GPU, all else on the threads of this machine.

    So do fits that are too small for a GPU to be quicker.

    With `half`, PLSA and its kin keep their tables in half precision.
    """

    def __init__(
        self, *, half: bool = False, n_threads: Any = None, kernels: GpuKernels | None = None
    ) -> None:
        if not isinstance(half, bool):
            raise InputError(f"half={half!r}: expected True or False")
        self.gpu = _kernels(half) if kernels is None else kernels
        self.threads = ThreadExecutor(n_threads)
        self._sent: tuple[Any, DeviceCounts] | None = None

    @property
    def ops(self) -> Ops:
        """Kernels that take arrays of NumPy or of the GPU."""
        return self.gpu

    @property
    def n_threads(self) -> int:
        """Threads of the machine: the GPU takes work from all of them."""
        return self.threads.n_threads

    def prepare(
        self, model: Model, blocks: list[Counts], shared: Shared
    ) -> tuple[Executor, Shared]:
        """Parameters on the GPU; small fits, and those of NumPy alone, stay on threads."""
        work = _n_nonzeros(blocks) * getattr(model, "n_clusters", 1)
        if work < SMALL_FIT or not model._runs_on_gpu():
            return self.threads, shared
        return self, tuple(self.gpu.put(part) for part in shared)

    def send(self, shards: list[Shard]) -> Any:
        """Bring counts and rows to the GPU; shards without rows, of new documents, stay."""
        if shards[0].rows is None:
            few = _n_nonzeros([each.X for each in shards]) < FEW_NONZEROS
            return OnThreads(shards) if few else shards
        xp = self.gpu.device.xp
        n, width = sum(len(each.rows) for each in shards), shards[0].rows.shape[1]
        rows = xp.empty((n, width), shards[0].rows.dtype)
        counts = self._counts([each.X for each in shards], rows)
        first = 0
        for each in shards:
            rows[first : first + len(each.rows)] = xp.asarray(each.rows)
            first += len(each.rows)
        return OnGpu(counts, rows)

    def _counts(self, pieces: list[Any], rows: Any) -> DeviceCounts:
        """Counts on the GPU; the restarts of one fit send the same ones."""
        if self._sent is not None:
            known, counts = self._sent
            if len(known) == len(pieces) and all(
                each() is piece for each, piece in zip(known, pieces, strict=True)
            ):
                return counts
        self._sent = None
        self._check_memory(pieces, rows)
        row_bytes = rows.shape[1] * (2 if self.gpu.half else rows.itemsize)
        counts = self.gpu.send(pieces, row_bytes)
        self._sent = [ref(piece) for piece in pieces], counts
        return counts

    def _check_memory(self, pieces: list[Any], rows: Any) -> None:
        n_nonzeros, n_words = _n_nonzeros(pieces), pieces[0].shape[1]
        words = n_words * rows.shape[1] * rows.itemsize
        needed = TABLES_OF_ROWS * rows.nbytes + TABLES_OF_WORDS * words
        needed += n_nonzeros * (4 + rows.itemsize + NONZERO_BYTES)
        free = self.gpu.device.free_bytes()
        if needed > free:
            raise InputError(
                f"the fit needs about {size_in_words(needed)} of the GPU's memory, "
                f"{size_in_words(free)} is free; fewer clusters, a sample of the documents or "
                "running on threads would do"
            )

    def sweep(
        self, step: Callable[..., Any], sent: Any, shared: Shared
    ) -> tuple[Any, Shared, float]:
        """Run `step` on all shards at once; on those that stayed, one after the other."""
        if isinstance(sent, OnGpu):
            shard = Shard(sent.counts, sent.rows)
            moved, (statistics, objective) = step(shard, shared, self.gpu)
            return OnGpu(sent.counts, moved.rows), statistics, objective
        if isinstance(sent, OnThreads):
            found, sums, objective = self.threads.sweep(step, sent.shards, shared)
            return OnThreads(found), sums, objective
        totals, moved_shards = Totals(), []
        for each in sent:
            shard, (statistics, objective) = step(each, shared, self.gpu)
            moved_shards.append(shard)
            totals.add(statistics, objective)
        return moved_shards, *totals.finish()

    def collect(self, sent: Any) -> list[Any]:
        """The rows' parameters as arrays of NumPy, in order."""
        if isinstance(sent, OnGpu):
            return [self.gpu.rows(sent.rows)]
        return [each.rows for each in (sent.shards if isinstance(sent, OnThreads) else sent)]

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """What `function` gives for each item, on threads that all have the GPU."""
        return self.threads.map(function, items, self._alone)

    def share(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """What `function` gives for each item, without the GPU."""
        return self.threads.share(function, items)

    def _alone(self) -> "GpuExecutor":
        """The same GPU for one thread, with counts of its own."""
        return GpuExecutor(n_threads=1, kernels=self.gpu)

    def close(self) -> None:
        """Give the memory of the GPU back."""
        self._sent = None
        self.gpu.device.release()


def _n_nonzeros(pieces: list[Counts]) -> int:
    return sum(piece.nnz for piece in pieces)


def _kernels(half: bool) -> GpuKernels:
    kernels = GpuKernels(half=half)
    kernels.device.check()
    return kernels
