"""Rows of numbers as unit vectors and as distributions, equal ones, sums, spherical k-means."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import scipy.sparse as sp

from coterie import executors
from coterie.corpus.storing import Storage, counts_on_disk, stored_rows
from coterie.engine import rows_between
from coterie.kernels import is_on_gpu, kernels_of, quotient, spare
from coterie.kernels.background import add_background, take_background
from coterie.kernels.columns import column_totals, divide_columns
from coterie.kernels.dense import one_blas_thread
from coterie.kernels.sums import cluster_sums
from coterie.types import Array, Counts, Labels

Rows: TypeAlias = Any  # dense, or sparse by rows
T = TypeVar("T")
BLOCK_BYTES = 2**20  # of a table, for which starting a thread pays
WORDS = 2**14  # rows of a table, at least, that a thread takes
BLOCK_COUNTS = 2**20  # that are passed over together
LEAST = 1e-9  # distance that stands for none, so that equal rows can still be drawn
MAX_ITER = 50
FIRST_ITER, N_KEPT = 5, 8  # steps on some of the rows, after which so many starts go on
SOME_ROWS, ROWS_EACH = 4000, 50  # rows that many starts are compared on, or so many a cluster


def unit_rows(rows: Array, dtype: Any = np.float32) -> Array:
    """Rows scaled to length one; those of zeros stay.

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    scaled: Array = rows / np.where(lengths > 0, lengths, 1)[:, None]
    return scaled.astype(dtype)


def sparse_unit_rows(rows: Counts) -> Counts:
    """The same of sparse rows, in single precision.

    Examples
    --------
    >>> sparse_unit_rows(Counts(np.array([[3.0, 4.0], [0.0, 0.0]]))).toarray()
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    lengths = np.sqrt(rows.multiply(rows).sum(axis=1, dtype=np.float64))
    scale = sp.diags_array((1 / np.where(lengths > 0, lengths, 1)).astype(np.float32))
    return Counts(scale @ rows, dtype=np.float32)


def row_shares(rows: Array) -> Array:
    """Rows over their sums; a row of zeros stays one.

    Examples
    --------
    >>> row_shares(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.  , 0.  ]])
    """
    sums = rows.sum(axis=1, keepdims=True)
    return quotient(rows, sums)


def distributions(weights: Array) -> Array:
    """Rows that sum to one; a row of zeros becomes uniform.

    Examples
    --------
    >>> distributions(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    return np.ascontiguousarray(normalize_columns(weights.T.copy(), len(weights)).T)


def normalize_columns(counts: Array, n_columns: int, prior: float = 0.0) -> Array:
    """Turn columns of counts into probabilities, in place: the M-step of words by cluster.

    The prior is added to all counts before. A column of zeros becomes uniform, unless it is
    padding, after the first `n_columns`.

    Examples
    --------
    >>> normalize_columns(np.array([[1.0, 0.0, 0.0], [3.0, 0.0, 0.0]]), 2)
    array([[0.25, 0.5 , 0.  ],
           [0.75, 0.5 , 0.  ]])
    """
    if is_on_gpu(counts):
        if prior:
            counts[:, :n_columns] += prior
        normalized: Array = kernels_of(counts).normalize_columns(counts, n_columns)
        return normalized
    of_blocks = each_rows(lambda rows: column_totals(rows, n_columns, prior), counts)
    totals = np.add.reduce(of_blocks)
    each_rows(lambda rows: divide_columns(rows, totals, n_columns, len(counts)), counts)
    return counts


def without_background(n_wk: Array, phi: Array, gamma: Array, background: float) -> Array:
    """Leave the clusters those of their words that are their own; those of the background.

    Of the words `n_wk` by cluster, a cluster's own are in proportion to its own `phi`, those of
    the background to `gamma`, a column of all words.

    Examples
    --------
    >>> n_wk, phi, gamma = np.full((1, 2), 4.0), np.array([[0.5, 0.0]]), np.array([[0.5]])
    >>> without_background(n_wk, phi, gamma, 0.25), n_wk
    (array([[5.]]), array([[3., 0.]]))
    """
    if is_on_gpu(n_wk):
        counted = n_wk.sum(axis=1, dtype=np.float64, keepdims=True)
        own = (1 - background) * phi
        n_wk *= quotient(own, own + background * gamma)
        left: Array = counted - n_wk.sum(axis=1, dtype=np.float64, keepdims=True)
        return np.maximum(left, 0)
    taken = np.empty((len(n_wk), 1))

    def take(first: int, last: int) -> None:
        rows = slice(first, last)
        take_background(n_wk[rows], phi[rows], gamma[rows], background, taken[rows])

    executors.each_block(take, len(n_wk), WORDS)
    return taken


def with_background(phi: Array, gamma: Array, background: float) -> Array:
    """Words of the clusters and of the background together.

    Examples
    --------
    >>> with_background(np.array([[0.5, 0.0]]), np.array([[0.5]]), 0.25)
    array([[0.5  , 0.125]])
    """
    if is_on_gpu(phi):
        on_gpu: Array = (1 - background) * phi + background * gamma
        return on_gpu
    beta = spare.empty(phi.shape, phi.dtype)

    def add(first: int, last: int) -> None:
        add_background(phi[first:last], gamma[first:last], background, beta[first:last])

    executors.each_block(add, len(phi), WORDS)
    return beta


def each_rows(function: Callable[[Array], T], table: Array) -> list[T]:
    """What `function` gives for blocks of rows of a table, side by side where it is large.

    Blocks depend on the table alone.

    Examples
    --------
    >>> each_rows(len, np.zeros((10, 2))), each_rows(len, np.zeros((10, 2**15)))
    ([10], [5, 5])
    """
    if is_on_gpu(table):
        return [function(table)]
    return executors.each_block(
        lambda first, last: function(table[first:last]),
        len(table),
        -(-BLOCK_BYTES * len(table) // max(table.nbytes, 1)),
    )


def row_blocks(X: Counts) -> Iterator[tuple[slice, Counts]]:
    """Rows of X in blocks of about as many counts, as views of its memory, from the first on.

    What is made of a block, in place of all rows, takes no more memory however many rows X has.

    Examples
    --------
    >>> [(rows, block.shape) for rows, block in row_blocks(Counts(np.eye(3)))]
    [(slice(0, 3, None), (3, 3))]
    """
    for rows in _parts(np.diff(X.indptr)):
        yield rows, rows_between(X, rows.start, rows.stop)


def rows_at(X: Counts, positions: Labels) -> Counts:
    """Some rows of X; on disk where X is.

    Examples
    --------
    >>> rows_at(Counts(np.diag([1, 2, 3])), np.array([2, 0])).toarray()
    array([[0, 0, 3],
           [1, 0, 0]])
    """
    if not counts_on_disk(X):
        return X[positions]
    lengths = np.diff(X.indptr)[positions]
    blocks = (X[positions[part]] for part in _parts(lengths))
    shape = len(positions), X.shape[1]
    return stored_rows(blocks, shape, int(lengths.sum()), Storage(0), X.dtype)


def cells_at(X: Counts, positions: Labels, columns: Labels) -> Counts:
    """Some columns of some rows of X, some rows at a time.

    Examples
    --------
    >>> cells_at(Counts(np.diag([1, 2, 3])), np.array([2, 0]), np.array([0, 2])).toarray()
    array([[0, 3],
           [1, 0]])
    """
    parts = _parts(np.diff(X.indptr)[positions])
    blocks = [X[positions[part]][:, columns] for part in parts]
    return blocks[0] if len(blocks) == 1 else sp.csr_array(sp.vstack(blocks, format="csr"))


def _parts(lengths: Labels) -> Iterator[slice]:
    """Parts of rows of these lengths, in order, of about as many counts each; at least one."""
    ends = np.cumsum(lengths)
    n_counts = int(ends[-1]) if len(ends) else 0
    inner = np.searchsorted(ends, np.arange(BLOCK_COUNTS, n_counts, BLOCK_COUNTS))
    cuts = sorted({0, *inner.tolist()})
    yield from map(slice, cuts, [*cuts[1:], len(lengths)])


def row_sums(X: Counts) -> Array:
    """Sums of rows, in double precision.

    Examples
    --------
    >>> row_sums(Counts(np.array([[1, 2], [0, 4]])))
    array([3., 4.])
    """
    sums = np.empty(X.shape[0])
    for rows, block in row_blocks(X):
        sums[rows] = block.sum(axis=1, dtype=np.float64)
    return sums


def word_sums(X: Counts) -> Array:
    """Sums of columns, in double precision.

    Examples
    --------
    >>> word_sums(Counts(np.array([[1, 2], [0, 4]])))
    array([1., 6.])
    """
    sums = np.zeros(X.shape[1])
    for _, block in row_blocks(X):
        sums += block.sum(axis=0, dtype=np.float64)
    return sums


def document_frequencies(X: Counts) -> Labels:
    """In how many rows each column has a count.

    Examples
    --------
    >>> document_frequencies(Counts(np.array([[1, 2], [0, 4]])))
    array([1, 2])
    """
    found: Labels = np.zeros(X.shape[1], dtype=np.int64)
    for _, block in row_blocks(X):
        found += np.bincount(block.indices, minlength=X.shape[1])
    return found


def first_equal_rows(rows: Counts, among: Counts) -> Labels:
    """For each of some canonical sparse rows the first equal one of others; -1 for none.

    Numbers are compared as those of `among` are stored, exactly.

    Examples
    --------
    >>> among = Counts(np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 2.0]]))
    >>> first_equal_rows(Counts(np.array([[0.0, 2.0], [3.0, 0.0]])), among)
    array([ 1, -1])
    """
    first: dict[bytes, int] = {}
    numbers = [
        first.setdefault(content, number)
        for number, content in enumerate(_contents(among, among.dtype))
    ]
    if rows is not among:
        numbers = [first.get(content, -1) for content in _contents(rows, among.dtype)]
    return np.array(numbers, int)


def _contents(rows: Counts, dtype: Any) -> Iterator[bytes]:
    indices, data = rows.indices.astype(np.int64), rows.data.astype(dtype)
    for start, end in pairwise(rows.indptr):
        yield indices[start:end].tobytes() + data[start:end].tobytes()


class Partition(NamedTuple):
    """Labels of the rows, and the sum of their cosines with the centres."""

    labels: Labels
    objective: float


def spherical_kmeans(
    rows: Array, n_clusters: int, seeds: list[int], max_iter: int = MAX_ITER
) -> list[Partition]:
    """A partition of rows of length one for each seed, in order, found side by side.

    Examples
    --------
    >>> rows = unit_rows(np.array([[5.0, 1.0], [4.0, 0.0], [0.0, 2.0], [1.0, 9.0]]))
    >>> (found,) = spherical_kmeans(rows, 2, [0])
    >>> bool(found.labels[0] == found.labels[1] != found.labels[2] == found.labels[3])
    True
    """
    with one_blas_thread():
        return executors.current().map(
            lambda seed: _moved(rows, _spread(rows, seed, n_clusters), max_iter)[0], seeds
        )


def best_of(partitions: list[Partition]) -> Labels:
    """Labels of the partition with the largest objective; of equals the first."""
    return max(partitions, key=lambda partition: partition.objective).labels


def best_of_many(
    rows: Rows,
    n_clusters: int,
    starts: Sequence[int | Labels],
    stopped: Callable[[], bool] = lambda: False,
) -> Labels:
    """The best partition of many starts, of which the best after a few steps go to the end.

    Starts are seeds of rows drawn far apart, or labels. Where there are many rows, the first
    steps are made on some of them, taken evenly. Rows of length one may be sparse; what a step
    takes then grows with their non-zeros. Once `stopped`, no start but the first is tried, and
    none goes on for long.

    Examples
    --------
    >>> rows = unit_rows(np.array([[5.0, 1.0], [4.0, 0.0], [0.0, 2.0], [1.0, 9.0]]))
    >>> found = best_of_many(rows, 2, list(range(20)))
    >>> bool(found[0] == found[1] != found[2] == found[3])
    True
    """
    step = max(1, rows.shape[0] // max(SOME_ROWS, ROWS_EACH * n_clusters))
    some = rows if step == 1 else rows[::step]
    some = some if sp.issparse(some) else np.ascontiguousarray(some)

    def begun(number: int) -> list[tuple[Partition, Rows]]:
        if stopped() and number:
            return []
        start = starts[number]
        if isinstance(start, int):
            return [_moved(some, _spread(some, start, n_clusters), FIRST_ITER)]
        return [_moved(some, _centres(some, start[::step], n_clusters), FIRST_ITER)]

    def ended(start: tuple[Partition, Rows]) -> Partition:
        return _moved(rows, start[1], 1 if stopped() else MAX_ITER)[0]

    with one_blas_thread():
        tried = executors.current().map(begun, range(len(starts)))
        first = sorted((each for some in tried for each in some), key=_worse)
        return best_of(executors.current().map(ended, first[:N_KEPT]))


def _worse(begun: tuple[Partition, Rows]) -> float:
    return -begun[0].objective


def _moved(rows: Rows, centres: Rows, max_iter: int) -> tuple[Partition, Rows]:
    """Rows by the centres nearest to them, which move to their rows until none changes."""
    n_rows = rows.shape[0]
    labels: Labels = np.full(n_rows, -1)
    for _ in range(max_iter):
        cosines = _dense(rows @ centres.T)
        new = cosines.argmax(axis=1)
        if np.array_equal(new, labels):
            break
        labels = new
        nearest = cosines[np.arange(n_rows), labels]
        n_clusters = centres.shape[0]
        centres = _centres(rows, _without_gaps(labels, nearest, n_clusters), n_clusters)
    return Partition(labels, float(cosines.max(axis=1).sum(dtype=np.float64))), centres


def _spread(rows: Rows, seed: int, n_clusters: int) -> Rows:
    """Rows to begin from, each drawn by its distance from those before."""
    rng = np.random.default_rng(seed)
    chosen = [int(rng.integers(rows.shape[0]))]
    distance = 1 - rows @ _dense(rows[chosen[:1]])[0]
    while len(chosen) < n_clusters:
        reach = np.cumsum(np.maximum(distance, LEAST), dtype=np.float64)
        chosen.append(int(np.searchsorted(reach, rng.random() * reach[-1], side="right")))
        distance = np.minimum(distance, 1 - rows @ _dense(rows[chosen[-1:]])[0])
    return rows[chosen]


def _without_gaps(labels: Labels, nearest: Array, n_clusters: int) -> Labels:
    """Labels in which a cluster without rows is given the row that fits its own least."""
    sizes = np.bincount(labels, minlength=n_clusters)
    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return labels
    moved = labels.copy()
    worst = iter(np.argsort(nearest, kind="stable"))
    for cluster in empty:
        row = next((row for row in worst if sizes[moved[row]] > 1), None)
        if row is None:
            break
        sizes[moved[row]] -= 1
        moved[row] = cluster
        sizes[cluster] = 1
    return moved


def _centres(rows: Rows, labels: Labels, n_clusters: int) -> Rows:
    """Sums of the rows of each cluster, of length one; sparse where rows are."""
    if sp.issparse(rows):
        ones, numbers = np.ones(len(labels), dtype=rows.dtype), np.arange(len(labels))
        members = sp.csr_array((ones, (labels, numbers)), shape=(n_clusters, len(labels)))
        return sparse_unit_rows(members @ rows)
    return unit_rows(cluster_sums(rows, labels, n_clusters))


def _dense(rows: Rows) -> Array:
    dense: Array = rows.toarray() if sp.issparse(rows) else rows
    return dense
