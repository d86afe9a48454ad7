"""Kernels of a GPU: the operations of `reference`, in passes over blocks of documents.

Pass one goes through the documents of a block and writes the ratio of each non-zero to its
place in word order. Pass two goes through the words in segments and adds rows of the
documents' table, which the cache of the GPU holds by then. No sum uses atomics, so that the
same data give the same bits. `gpu.cu` has the kernels, `blocks` the order of the non-zeros.

Arrays come back where they came from: what is given as NumPy returns as NumPy, and arrays on
the GPU stay there.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from threading import Lock
from typing import Any

import numpy as np

from coterie.errors import InputError
from coterie.kernels import on_host
from coterie.kernels.blocks import Block, ByWord, by_word, document_blocks, n_blocks

THREADS = 128
HALF_SCALE = 2.0**15  # of numbers from 0 to 1 in half precision: most of its range
MOST_VECTORS = 8  # of 16 bytes a lane, so that a row stays in registers
MULTIPLIED = 2048  # rows of a product at a time


class Device:
    """CuPy, and the kernels compiled for one GPU."""

    def __init__(self) -> None:
        import cupy

        self.xp = cupy

    def check(self) -> None:
        """Refuse to begin where there is no GPU."""
        runtime = self.xp.cuda.runtime
        try:
            found = runtime.getDeviceCount()
        except runtime.CUDARuntimeError as error:
            raise InputError(f"running on gpu: CuPy finds none ({error})") from error
        if not found:
            raise InputError("running on gpu: CuPy finds none")

    def release(self) -> None:
        """Give back memory that is kept for later."""
        self.xp.get_default_memory_pool().free_all_blocks()

    def free_bytes(self) -> int:
        """Memory of the GPU that can still be taken."""
        pool = self.xp.get_default_memory_pool()
        return int(self.xp.cuda.runtime.memGetInfo()[0] + pool.free_bytes())

    def launch(self, name: str, shape: "Shape", grid: Any, block: Any, *arguments: Any) -> None:
        """Run a kernel, compiled for rows of one shape."""
        if 0 not in grid:
            _compiled(shape).get_function(name)(grid, block, arguments)


@dataclass(frozen=True)
class Shape:
    """Rows that kernels are compiled for: type and number of columns, lanes that share one."""

    table: str
    width: int
    entry: str = "float"

    @property
    def itemsize(self) -> int:
        """Bytes of a number."""
        return np.dtype(self.table).itemsize

    @property
    def real(self) -> Any:
        """The type of sums."""
        return np.dtype("float32" if self.table == "float16" else self.table)

    @property
    def lanes(self) -> int:
        """Threads that share a row: eight where registers hold it, fewer for few columns."""
        vectors = -(-self.width * self.itemsize // 16)
        lanes = 1
        while lanes < vectors and lanes < (8 if vectors <= 8 * MOST_VECTORS else 32):
            lanes *= 2
        return lanes

    @property
    def options(self) -> tuple[str, ...]:
        """What the compiler is told."""
        names = {"float16": "__half", "float32": "float", "float64": "double"}
        n_vectors = -(-self.width * self.itemsize // (16 * self.lanes))
        wide = n_vectors * 16 > 64 or self.table == "float64"
        values = {
            "TABLE": names[self.table],
            "REAL": names[str(self.real)],
            "WIDTH": self.width,
            "LANES": self.lanes,
            "V": n_vectors,
            "SCALE": int(HALF_SCALE) if self.table == "float16" else 1,
            "ENTRY": self.entry,
            "THREADS": THREADS,
            **(WIDE if wide else TUNED[self.table]),
        }
        defined = [f"-D{name}={value}" for name, value in values.items()]
        return ("-std=c++17", *defined, *(["-DHALF"] if self.table == "float16" else []))


WIDE = {"BATCH": 1, "RESIDENT": 1, "UNROLL_WORDS": 2, "RESIDENT_WORDS": 1}
TUNED = {  # rows on their way at a time, and blocks of threads that share a multiprocessor
    "float32": {"BATCH": 1, "RESIDENT": 8, "UNROLL_WORDS": 2, "RESIDENT_WORDS": 8},
    "float16": {"BATCH": 4, "RESIDENT": 5, "UNROLL_WORDS": 2, "RESIDENT_WORDS": 8},
}


@cache
def _compiled(shape: Shape) -> Any:
    import cupy

    code = resources.files("coterie.kernels").joinpath("gpu.cu").read_text(encoding="utf-8")
    return cupy.RawModule(code=code, options=shape.options)


def numbers(n: Any) -> Any:
    """A whole number as kernels take it, in 32 bits."""
    return np.int32(n)


@dataclass
class DeviceCounts:
    """Sparse counts on the GPU; what a pass needs of them is made when first asked for."""

    device: Any
    shape: tuple[int, int]
    indptr: Any
    indices: Any
    data: Any
    n_blocks: int = 1
    word_totals: Any = None
    _partials: Any = None

    @cached_property
    def blocks(self) -> list[Block]:
        """Documents in blocks."""
        return document_blocks(self.device.xp, self.indptr, self.n_blocks)

    @cached_property
    def _in_word_order(self) -> tuple[list[ByWord], Any]:
        xp = self.device.xp
        parts = [by_word(xp, self.indptr, self.indices, block) for block in self.blocks]
        return [part for part, _ in parts], xp.concatenate([places for _, places in parts])

    @property
    def words(self) -> list[ByWord]:
        """The non-zeros of each block in word order."""
        return self._in_word_order[0]

    @property
    def places(self) -> Any:
        """The place of each non-zero in the word order of its block."""
        return self._in_word_order[1]

    @cached_property
    def data_by_word(self) -> Any:
        """Counts in word order within each block."""
        data = self.device.xp.empty_like(self.data)
        for block in self.blocks:
            inside = slice(block.start, block.end)
            data[inside][self.places[inside]] = self.data[inside]
        return data

    @cached_property
    def ratios(self) -> Any:
        """Room for a number for each non-zero of a block."""
        return self._room(max(block.end - block.start for block in self.blocks))

    def partials(self, width: int) -> Any:
        """Room for the partial sums of a block."""
        if self._partials is None or self._partials.shape[1] != width:
            n = max(part.segments.n_partials for part in self.words)
            self._partials = self._room(n, width)
        return self._partials

    def _room(self, *shape: int) -> Any:
        return self.device.xp.empty(shape, self.data.dtype)


class GpuKernels:
    """The operations of `reference` on a GPU, and those of similarities.

    With `half`, PLSA keeps its tables in half precision: the sums stay in single precision.
    """

    def __init__(self, device: Any = None, half: bool = False) -> None:
        self.device = Device() if device is None else device
        self.half = half
        self._lock = Lock()  # a sweep's launches follow each other, whatever thread they are of

    def put(self, array: Any) -> Any:
        """An array on the GPU, rows one after the other."""
        return self.device.xp.ascontiguousarray(self.device.xp.asarray(array))

    def send(self, pieces: list[Any], row_bytes: int) -> DeviceCounts:
        """Sparse counts on the GPU, from pieces of their rows in order."""
        xp = self.device.xp
        ends = np.cumsum([piece.nnz for piece in pieces])
        starts = ends - [piece.nnz for piece in pieces]
        indptr = [piece.indptr[1:] + start for piece, start in zip(pieces, starts, strict=True)]
        indices = xp.empty(int(ends[-1]), np.int32)
        data = xp.empty(int(ends[-1]), pieces[0].dtype)
        for piece, start, end in zip(pieces, starts, ends, strict=True):
            indices[start:end] = xp.asarray(piece.indices.astype(np.int32, copy=False))
            data[start:end] = xp.asarray(piece.data)
        n, n_words = sum(piece.shape[0] for piece in pieces), pieces[0].shape[1]
        return DeviceCounts(
            self.device,
            (n, n_words),
            xp.asarray(np.concatenate([[0], *indptr]).astype(np.int64)),
            indices,
            data,
            n_blocks(n, int(ends[-1]), row_bytes),
            xp.asarray(_word_totals(pieces, n_words)) if self.half else None,
        )

    def topic_counts(self, X: Any, theta: Any, phi: Any) -> tuple[Any, Any, float]:
        """Equivalent to `reference.topic_counts`."""
        if not isinstance(X, DeviceCounts):
            X = X.astype(theta.dtype, copy=False)
            sent = self.send([X], theta.shape[1] * theta.itemsize)
            new, n_wz, total = self.topic_counts(sent, self.put(theta), self.put(phi))
            return self.rows(new), on_host(n_wz), total
        more = None
        if self.half and phi.dtype == np.float32:
            theta, phi, more = self._halves(X, theta, phi)
        with self._lock:
            new, n_wz, logs = self._topic_counts(X, theta, phi)
        total = logs.sum() if more is None else logs.sum() + more.sum()
        return new, n_wz, float(total)

    def _halves(self, X: DeviceCounts, theta: Any, phi: Any) -> tuple[Any, Any, Any]:
        """Tables in half precision, and what that takes from the log-likelihood of each word.

        Rows of words are scaled to a largest number of one, which posteriors do not see.
        """
        xp, (n_words, width) = self.device.xp, phi.shape
        halved, logs = xp.empty(phi.shape, np.float16), xp.empty(n_words)
        self.device.launch(
            "halve", Shape("float16", width), (-(-n_words * 32 // THREADS),), (THREADS,),
            numbers(n_words), phi, X.word_totals, halved, logs,
        )  # fmt: skip
        if theta.dtype != np.float16:
            theta = (theta * np.float32(HALF_SCALE)).astype(np.float16)
        return theta, halved, logs

    def rows(self, rows: Any) -> Any:
        """Rows of documents as NumPy; those in half precision in single precision again."""
        found = on_host(rows)
        if found.dtype != np.float16:
            return found
        mixes = found.astype(np.float32)
        return mixes / mixes.sum(axis=1, keepdims=True)

    def _topic_counts(self, X: DeviceCounts, theta: Any, phi: Any) -> tuple[Any, Any, Any]:
        xp = self.device.xp
        shape = Shape(str(phi.dtype), phi.shape[1])
        new_theta, logs = xp.empty_like(theta), xp.zeros(X.shape[0])
        gained = xp.zeros(phi.shape, shape.real)
        for number, block in enumerate(X.blocks):
            arguments = (
                X.indptr, X.indices, X.data, X.places, theta, phi, X.ratios, new_theta, logs,
            )  # fmt: skip
            self._by_document("document_pass", shape, block, arguments)
            self._by_word(shape, X, number, X.ratios, theta, gained)
        gained *= phi
        return new_theta, gained, logs

    def _by_document(self, name: str, shape: Shape, block: Block, arguments: Any) -> None:
        """Run a pass over the documents of a block; long ones have a block of threads each."""
        n_long = block.n_long
        n_others = len(block.order) - n_long
        launch = self.device.launch
        long, others = block.order[:n_long], block.order[n_long:]
        launch(f"long_{name}", shape, (n_long,), (THREADS,), numbers(n_long), long, *arguments)
        grid = (-(-n_others * shape.lanes // THREADS),)
        launch(name, shape, grid, (THREADS,), numbers(n_others), others, *arguments)

    def _by_word(
        self, shape: Shape, X: DeviceCounts, number: int, weights: Any, table: Any, out: Any
    ) -> None:
        """Add to each word the rows of its documents in a block, times the weights."""
        segments, documents = X.words[number].segments, X.words[number].documents
        n, partials = len(segments.starts), X.partials(shape.width)
        self.device.launch(
            "word_pass", shape, (-(-n * shape.lanes // THREADS),), (THREADS,),
            numbers(n), segments.starts, segments.lengths, segments.words, segments.targets,
            documents, weights, table, out, partials,
        )  # fmt: skip
        self.device.launch(
            "add_partials", shape, (len(segments.firsts), -(-shape.width // 32)), (32, 8),
            segments.shared_words, segments.firsts, segments.counts, partials, out,
        )  # fmt: skip

    def fold_in(
        self, X: Any, phi: Any, n_topics: int, max_iter: int, tol: float
    ) -> tuple[Any, Any]:
        """Equivalent to `reference.fold_in`: a warp a document."""
        sent = self.send([X.astype(phi.dtype, copy=False)], 0)
        xp, phi = self.device.xp, self.put(phi)
        shape = Shape(str(phi.dtype), phi.shape[1])
        theta, logs = xp.zeros((X.shape[0], shape.width), phi.dtype), xp.zeros(X.shape[0])
        for block in sent.blocks:
            n = len(block.order)
            self.device.launch(
                "fold_pass", shape, (-(-n * 32 // THREADS),), (THREADS,),
                numbers(n), block.order, sent.indptr, sent.indices, sent.data, phi,
                numbers(n_topics), numbers(max_iter), np.float64(tol), theta, logs,
            )  # fmt: skip
        return on_host(theta), on_host(logs)

    def cluster_posteriors(
        self, X: Any, log_alpha: Any, log_beta: Any, hard: bool
    ) -> tuple[Any, Any, Any, Any]:
        """Equivalent to `reference.cluster_posteriors`."""
        if not isinstance(X, DeviceCounts):
            X = X.astype(log_beta.dtype, copy=False)
            sent = self.send([X], log_beta.shape[1] * log_beta.itemsize)
            found = self.cluster_posteriors(sent, self.put(log_alpha), self.put(log_beta), hard)
            return tuple(on_host(each) for each in found)
        with self._lock:
            return self._cluster_posteriors(X, log_alpha, log_beta, hard)

    def _cluster_posteriors(
        self, X: DeviceCounts, log_alpha: Any, log_beta: Any, hard: bool
    ) -> tuple[Any, Any, Any, Any]:
        xp = self.device.xp
        shape = Shape(str(log_beta.dtype), log_beta.shape[1])
        posterior = xp.empty((X.shape[0], shape.width), log_beta.dtype)
        objective, n_wk = xp.zeros(X.shape[0]), xp.zeros_like(log_beta)
        log_alpha = log_alpha.astype(np.float64)
        for number, block in enumerate(X.blocks):
            arguments = (
                X.indptr, X.indices, X.data, log_alpha, log_beta, numbers(bool(hard)),
                posterior, objective,
            )  # fmt: skip
            self._by_document("posterior_pass", shape, block, arguments)
            counts = X.data_by_word[block.start : block.end]
            self._by_word(shape, X, number, counts, posterior, n_wk)
        return posterior, self.column_sums(posterior), n_wk, objective

    def column_sums(self, table: Any) -> Any:
        """Sums of columns in double precision."""
        n_rows, width = table.shape
        n_parts = max(1, min(512, n_rows // 64))
        sums = self.device.xp.empty((n_parts, width))
        self.device.launch(
            "column_sums", _flat(table), (-(-width // 32), n_parts), (32, 8),
            numbers(n_rows), numbers(width), table, sums,
        )  # fmt: skip
        return sums.sum(axis=0)

    def normalize_columns(self, counts: Any, n_columns: int) -> Any:
        """Equivalent to `reference.normalize_columns`, in place."""
        n_rows, width = counts.shape
        self.device.launch(
            "divide_columns", _flat(counts), (-(-counts.size // THREADS),), (THREADS,),
            np.int64(counts.size), numbers(n_rows), numbers(width), numbers(n_columns),
            self.column_sums(counts), counts,
        )  # fmt: skip
        return counts

    def mix_topics(self, table: Any, weights: Any) -> Any:
        """Equivalent to `reference.mix_topics`."""
        n_words, n_clusters, n_topics = table.shape
        mixed = self.device.xp.empty((n_words, n_clusters), weights.dtype)
        self.device.launch(
            "mix_topics", _flat(weights, table), (-(-mixed.size // THREADS),), (THREADS,),
            np.int64(mixed.size), numbers(n_clusters), numbers(n_topics), table,
            self.put(weights), mixed,
        )  # fmt: skip
        return mixed

    def sum_words(self, table: Any, weights: Any) -> Any:
        """Equivalent to `reference.sum_words`."""
        n_words, n_clusters, n_topics = table.shape
        n_pairs, n_parts = n_clusters * n_topics, max(1, min(512, n_words // 64))
        sums = self.device.xp.empty((n_parts, n_pairs))
        self.device.launch(
            "sum_words", _flat(weights, table), (-(-n_pairs // THREADS), n_parts), (THREADS,),
            numbers(n_words), numbers(n_clusters), numbers(n_topics), table, self.put(weights),
            sums,
        )  # fmt: skip
        return sums.sum(axis=0).reshape(n_clusters, n_topics)

    def similarities(self, A: Any, S: Any, rule: Any) -> tuple[Any, float]:
        """Similarities of the rows of `A` through those of its columns, and their mean.

        As `similarity.products.similarities` computes them, all pairs kept; `S` may be on the
        GPU, where the answer stays.
        """
        xp, n = self.device.xp, A.shape[0]
        sent = self.send([A.astype(np.float32, copy=False)], 0)
        S = None if S is None else self.put(S)
        products = xp.empty((n, n), np.float32)
        for first in range(0, n, MULTIPLIED):
            last = min(first + MULTIPLIED, n)
            if S is None:
                mixed = xp.asarray(A[first:last].toarray().astype(np.float32, copy=False))
            else:
                mixed = self._multiply(sent, first, last, S, rule.largest)
            with_all = self._multiply(sent, 0, n, self.put(mixed.T), rule.largest)
            products[first:last] = with_all.T
        lower = xp.tril(products, -1)
        squares = products.diagonal().copy()
        products = lower + lower.T
        products += xp.diag(squares)
        return products, self._finish(products, squares, rule)

    def _multiply(
        self, X: DeviceCounts, first: int, last: int, dense: Any, largest: bool
    ) -> Any:
        width = dense.shape[1]
        out = self.device.xp.empty((last - first, width), dense.dtype)
        self.device.launch(
            "multiply", _flat(dense), (last - first, -(-width // 512)), (128,),
            numbers(first), numbers(width), X.indptr, X.indices, X.data, dense,
            numbers(bool(largest)), out,
        )  # fmt: skip
        return out

    def _finish(self, products: Any, squares: Any, rule: Any) -> float:
        """Make products similarities, in place: their mean over pairs."""
        xp, n = self.device.xp, len(products)
        if rule.semidefinite:
            xp.maximum(products, 0, out=products)
        if rule.root is not None:
            roots = xp.where(squares > 0, 1 / xp.sqrt(xp.where(squares > 0, squares, 1)), 0)
            products *= roots[:, None]
            products *= roots
            if rule.root not in (1, np.inf):
                xp.power(products, np.float32(1 / rule.root), out=products)
        n_pairs = n * (n - 1) // 2
        diagonal = squares if rule.diagonal is None else rule.diagonal
        rank = int(rule.prune * n_pairs)
        if rule.prune and n_pairs:
            xp.fill_diagonal(products, np.inf)  # every pair is there twice, and then these
            threshold = xp.sort(products, axis=None)[2 * rank] if rank < n_pairs else np.inf
            products[products < threshold] = 0
        xp.fill_diagonal(products, 0)
        mean = float(products.sum(dtype=np.float64)) / max(2 * n_pairs, 1)
        places = xp.arange(n)
        products[places, places] = diagonal
        return mean


def _word_totals(pieces: list[Any], n_words: int) -> Any:
    totals = np.zeros(n_words)
    for piece in pieces:
        totals += np.bincount(piece.indices, piece.data, minlength=n_words)
    return totals


@cache
def kernels() -> GpuKernels:
    """Those that M-steps use, whatever the executor."""
    return GpuKernels()


def _flat(array: Any, entries: Any = None) -> Shape:
    """Kernels for tables of any width, by the type of their numbers."""
    names = {"uint16": "unsigned short", "float32": "float", "float64": "double"}
    entry = "float" if entries is None else names[str(entries.dtype)]
    return Shape(str(array.dtype), 8, entry)
