"""The one loop every iterative model runs in.

A model is cut along the line that makes it distributable. *Row* parameters (a document's
topic mix, its cluster) live with the rows they describe; *shared* parameters (topics, word
clusters) live in one place, as a tuple of arrays. An E-step reads one shard of rows and
returns the rows' new parameters, statistics that are summed over shards before the M-step
sees them, and its part of the objective.

Who watches a fit, where its state is saved and how Ctrl-C ends it: see `coterie.fitting`.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from coterie import fitting
from coterie.errors import InputError
from coterie.kernels import is_on_gpu, on_host, spare
from coterie.memory import Size
from coterie.schema import Field, Is, Items, Number, Record, Whole
from coterie.types import Array, Counts, Ops

LONGER = (
    4.0  # by what the limit of the length of steps grows when met, and falls after a failure
)
LEAST_LIMIT = 2.0
Shared = tuple[Any, ...]


class Shard(NamedTuple):
    """Some rows of the data, with the parameters that belong to them."""

    X: Counts
    rows: Any


class Expected(NamedTuple):
    """What one E-step learned from one shard."""

    rows: Any
    statistics: Shared
    objective: float


class Model(Protocol):
    """What the loop asks of a model."""

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Rows and shared parameters to begin from."""

    def _visible(self, shared: Shared) -> Shared:
        """What E-steps see of the shared parameters."""

    def _e_step(self, X: Counts, rows: Any, shared: Any, ops: Ops) -> Expected:
        """Expectation on one shard; speaks to `ops` only, so it runs on any device."""

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Shared parameters from the statistics of all shards."""

    def _log_prior(self, shared: Shared) -> float:
        """What shared parameters add to the objective before any document is seen."""

    @property
    def _moves_rows(self) -> bool:
        """Tell whether an E-step moves rows from where they were, rather than finds them."""

    def _distributions(self, shared: Shared) -> tuple[Array, ...] | None:
        """What determines the shared parameters, as columns that sum to one.

        None where EM is not accelerated.
        """

    def _from_distributions(self, *columns: Array) -> Shared:
        """Shared parameters from columns that may not sum to one."""

    def _runs_on_gpu(self) -> bool:
        """Tell whether both steps take arrays of a GPU as they take those of NumPy."""


class Executor(Protocol):
    """Where shards live and who computes on them."""

    @property
    def ops(self) -> Ops:
        """The kernels that run there."""

    def prepare(
        self, model: Model, blocks: list[Counts], shared: Shared
    ) -> tuple["Executor", Shared]:
        """The executor for a model of these counts, itself or another, and parameters there."""

    def send(self, shards: list[Shard]) -> Any:
        """Bring shards to where they are computed on."""

    def sweep(self, step: Any, sent: Any, shared: Shared) -> tuple[Any, Shared, float]:
        """Run `step` on every shard: moved shards, summed statistics, summed objective.

        The shards before the step can still be used, until the next but one.

        Sums are made in the order of `totals.Totals`, so that they have the same bits
        everywhere.
        """

    def collect(self, sent: Any) -> list[Any]:
        """Bring the rows' parameters back, in order."""

    @property
    def n_threads(self) -> int:
        """How many can compute at the same time."""

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """What `function` gives for each item, in order, computed side by side.

        Functions may be closures over anything: they run in this process.
        """

    def share(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """The same for short work that reports nothing, with less delay."""

    def close(self) -> None:
        """Give back what was taken for the block of `run_on` that made the executor."""


@dataclass(frozen=True)
class Run:
    """One restart: where it stands, or stood when it ended.

    Rows and shared parameters stay where they are computed until somebody asks for them.
    """

    gather: Callable[[], Array]
    computed: Shared
    history: tuple[float, ...] = ()
    converged: bool = False

    @property
    def shared(self) -> Shared:
        return tuple(on_host(part) for part in self.computed)

    @property
    def rows(self) -> Array:
        return self.gather()

    @property
    def objective(self) -> float:
        return self.history[-1] if self.history else -np.inf


@dataclass(frozen=True)
class Stopping:
    """When a restart ends: `max_iter` iterations, or a relative gain of at most `tol`."""

    max_iter: int
    tol: float


def fit(
    model: Model,
    X: Counts,
    executor: Executor,
    seeds: Sequence[int],
    stopping: Stopping,
    identify: Callable[[], dict[str, Any]],
) -> Run:
    """Run one restart per seed and return the best; after a stop, the best so far.

    Restarts run one after the other, each on all threads; where the data are too small to be
    shared out, they run side by side instead, with the same answer.

    `identify` says what is being fitted to what; a checkpoint of another fit is refused.
    """
    state = fitting.state(identify)
    one = partial(_restart, model, X, shards(X), executor, stopping)
    if len(seeds) > 1 and is_small(X) and not state.is_saved:
        return reduce(
            better, fitting.side_by_side([partial(one, seed) for seed in seeds], executor.map)
        )
    restarts = _Restarts.restored(state, list(seeds))
    restarts.refuse_other(state, model, X)
    for number in range(restarts.current, len(restarts.seeds)):
        with fitting.part(number, len(restarts.seeds)):
            run = one(restarts.seeds[number], restarts.run, partial(restarts.update, state))
        if fitting.stopped():
            return better(restarts.best, run)
        restarts.finish(run)
        restarts.save(state)
    state.end()
    assert restarts.best is not None
    return restarts.best


def _restart(
    model: Model,
    X: Counts,
    blocks: list[Counts],
    executor: Executor,
    stopping: Stopping,
    seed: int,
    run: Run | None = None,
    update: Callable[[Run], None] | None = None,
) -> Run:
    """One restart from its start, or from where it stands, to its end or to a stop.

    `update` hears of every iteration.
    """
    if run is None:
        rows, shared = model._start(X, np.random.default_rng(seed))
        run = Run(partial(_same, rows), shared)
    for latest in iterate(model, blocks, run, executor, stopping):
        run = latest
        fitting.report(len(run.history), stopping.max_iter, run.history[-1])
        if update is not None:
            update(run)
        if fitting.stopped():
            break
    return run


def is_small(X: Counts) -> bool:
    """Tell whether counts are too few to be cut into shards."""
    return len(shard_cuts(X)) == 2


def chain(step: Callable[[], float], max_iter: int) -> list[float]:
    """Call `step` `max_iter` times, as samplers do, and return what it gave; a stop ends it."""
    if fitting.state(dict).is_saved:
        warnings.warn(
            "a chain of draws is not saved in a checkpoint", UserWarning, stacklevel=3
        )
    trace: list[float] = []
    while len(trace) < max_iter and not (trace and fitting.stopped()):
        trace.append(step())
        n_done = len(trace)
        fitting.report(n_done, max_iter, trace[-1], n_done / max_iter)
    return trace


def iterate(
    model: Model, blocks: list[Counts], run: Run, executor: Executor, stopping: Stopping
) -> Iterator[Run]:
    """Alternate E and M steps from where `run` stands, giving the state after each.

    Within `fitting.accelerating`, every third sweep begins from a point that the two before it
    lead to; an objective that falls there shows in that sweep, which is then made again.
    """
    with spare.kept():
        yield from _iterations(model, blocks, run, executor, stopping)


def _iterations(
    model: Model, blocks: list[Counts], run: Run, executor: Executor, stopping: Stopping
) -> Iterator[Run]:
    ends = np.cumsum([piece.shape[0] for piece in blocks])
    executor, shared = executor.prepare(model, blocks, run.shared)
    longer = _longer_steps(model, shared)
    rows = run.rows
    width = rows.shape[1] if rows.ndim > 1 else 0
    if longer:
        rows = longer.with_history(rows)
    sent = executor.send(list(map(Shard, blocks, np.split(rows, ends[:-1]))))
    step = longer.step if longer else partial(sweep_shard, model)
    history, converged = run.history, run.converged
    while len(history) < stopping.max_iter and not converged:
        visible = model._visible(shared)
        swept = executor.sweep(step, sent, longer.visible(visible) if longer else visible)
        objective = float(swept[2]) + model._log_prior(shared)
        if longer and longer.plain is not None and not objective >= history[-1]:
            shared = longer.taken_back()
            continue
        sent, statistics, _ = swept
        history = (*history, objective)
        if np.isnan(history[-1]):
            raise InputError(
                f"the objective is not a number at iteration {len(history)}: the counts are "
                f"too large or too small for {blocks[0].dtype}"
            )
        if longer:
            statistics = longer.measured(statistics)
        after = model._m_step(shared, *statistics)
        converged = has_converged(history, stopping.tol)
        gather = partial(_gather, executor, sent, width if longer else None)
        yield Run(gather, after, history, converged)
        shared = longer.from_(shared, after) if longer else after


def _longer_steps(model: Model, shared: Shared) -> "_LongerSteps | None":
    """What makes steps longer, where it is asked for, and where a model has longer ones."""
    on_gpu = any(map(is_on_gpu, shared))
    if not fitting.is_accelerated() or on_gpu or model._distributions(shared) is None:
        return None
    return _LongerSteps(model)


class _LongerSteps:
    """Squared steps of EM (SQUAREM, Varadhan and Roland, 2008).

    Two sweeps lead from a point x to y and z. With r = y - x and v = (z - y) - r the next one
    begins from x + 2 s r + s² v, where s = |r| / |v|; s = 1 gives z. A point is made of the
    distributions of the shared parameters and, where sweeps move them, of the rows, which then
    carry those of the two sweeps before beside them. What a longer step would make zero or less
    stays as it is in z.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._first: Shared | None = None
        self._length = 0.0
        self._most = LONGER
        self._of_rows = np.zeros(2)
        self.plain: Shared | None = None
        """What the last M-step gave, where a longer step was taken in its place."""

    @property
    def step(self) -> Callable[..., Any]:
        """What is called for every shard."""
        return partial(_sweep_with_history, self._model)

    def with_history(self, rows: Array) -> Array:
        """Rows, and beside them those of the two sweeps before."""
        return np.tile(rows, 3) if self._model._moves_rows else rows

    def visible(self, shared: Shared) -> Shared:
        """What E-steps see, and how long the step is by which rows come to their point."""
        return *shared, self._length

    def measured(self, statistics: Shared) -> Shared:
        """Statistics of the model; the others say how far rows have moved."""
        *others, self._of_rows = statistics
        return tuple(others)

    def from_(self, before: Shared, after: Shared) -> Shared:
        """Where the next sweep begins: after the M-step, or further."""
        self.plain, self._length = None, 0.0
        if self._first is None:
            self._first = before
            return after
        points = [self._model._distributions(each) for each in (self._first, before, after)]
        self._first = None
        x, y, z = (point or () for point in points)
        squares = sum(map(moved_squares, x, y, z), self._of_rows)
        length = float(np.sqrt(squares[0] / squares[1])) if squares[1] > 0 else 1.0
        length = min(length, self._most)
        if not length > 1:
            return after
        if length == self._most:
            self._most *= LONGER
        self.plain, self._length = after, length
        further = partial(further_along, length=length)
        return self._model._from_distributions(*map(further, x, y, z))

    def taken_back(self) -> Shared:
        """What the M-step gave; the next steps are shorter."""
        assert self.plain is not None
        plain, self.plain, self._length = self.plain, None, 0.0
        self._most = max(self._most / LONGER, LEAST_LIMIT)
        return plain


def _sweep_with_history(
    model: Model, shard: Shard, shared: Shared, ops: Ops
) -> tuple[Shard, Any]:
    """E-step on one shard, from a point further along where the last of `shared` is above 0."""
    *visible, length = shared
    if not model._moves_rows:
        moved, (statistics, objective) = sweep_shard(model, shard, tuple(visible), ops)
        return moved, ((*statistics, np.zeros(2)), objective)
    z, y, x = np.split(shard.rows, 3, axis=1)
    if length:
        z = further_along(x, y, z, length)
        z /= z.sum(axis=1, keepdims=True)
    z = np.ascontiguousarray(z)
    rows, statistics, objective = model._e_step(shard.X, z, tuple(visible), ops)
    history = Shard(shard.X, np.hstack([rows, z, y]))
    return history, ((*statistics, moved_squares(y, z, rows)), objective)


def moved_squares(x: Array, y: Array, z: Array) -> Array:
    """Squares of y - x and of (z - y) - (y - x), summed.

    Examples
    --------
    >>> moved_squares(np.zeros(2), np.ones(2), np.ones(2) * 1.5)
    array([2. , 0.5])
    """
    r = y - x
    v = z - y
    v -= r
    return np.array([np.sum(np.square(each), dtype=np.float64) for each in (r, v)])


def further_along(x: Array, y: Array, z: Array, length: float) -> Array:
    """A point beyond z on the way from x through y; a length of one gives z.

    Examples
    --------
    >>> x, y, z = np.zeros(2), np.array([1.0, 0.5]), np.array([1.5, 0.75])
    >>> further_along(x, y, z, 1.0), further_along(x, y, z, 2.0)
    (array([1.5 , 0.75]), array([2., 1.]))
    """
    scale = z.dtype.type
    r = y - x
    point: Array = x + scale(2 * length) * r
    r -= z
    r += y  # (z - y) - (y - x), with the other sign
    point -= scale(length**2) * r
    return np.where(point > 0, point, z)


def _gather(executor: Executor, sent: Any, width: int | None) -> Array:
    rows = np.concatenate(executor.collect(sent))
    return rows if width is None else np.ascontiguousarray(rows[:, :width])


def _same(rows: Array) -> Array:
    return rows


def sweep_shard(model: Model, shard: Shard, shared: Shared, ops: Ops) -> tuple[Shard, Any]:
    """E-step on one shard: the shard with its new rows, and what it adds to the totals."""
    rows, statistics, objective = model._e_step(shard.X, shard.rows, shared, ops)
    return Shard(shard.X, rows), (statistics, objective)


def each_shard(
    compute: Callable[[Counts, Ops], Any], X: Counts, executor: Executor
) -> list[Any]:
    """What `compute` gives for each shard of rows, in order: how fitted models are applied."""
    sent = executor.send([Shard(piece, None) for piece in shards(X)])
    sent, _, _ = executor.sweep(partial(_apply, compute), sent, ())
    return executor.collect(sent)


def _apply(compute: Callable[[Counts, Ops], Any], shard: Shard, _: Shared, ops: Ops) -> Any:
    return Shard(shard.X, compute(shard.X, ops)), ((), 0.0)


def shards(X: Counts) -> list[Counts]:
    """The rows of X in shards, as views of its memory."""
    return [rows_between(X, a, b) for a, b in pairwise(shard_cuts(X))]


def rows_between(X: Counts, first: int, last: int) -> Counts:
    """Some rows of X, as a view of its memory."""
    start, end = X.indptr[first], X.indptr[last]
    rows = Counts((last - first, X.shape[1]), dtype=X.dtype)
    rows.data, rows.indices = X.data[start:end], X.indices[start:end]  # given to the
    rows.indptr = X.indptr[first : last + 1] - start  # constructor, they would be copied
    return rows


def shard_cuts(X: Counts) -> list[int]:
    """Row numbers where shards begin and end, chosen by the data alone.

    The number of threads plays no part: sums are made in the same order on every machine.
    """
    n_documents, n_words = X.shape
    n_shards = Size(n_documents, n_words, X.nnz).n_shards
    targets = np.linspace(0, X.nnz, n_shards + 1)[1:-1]
    inner = np.searchsorted(X.indptr, targets)
    return sorted({0, *inner.tolist(), n_documents})


def has_converged(history: Sequence[float], tol: float) -> bool:
    """Tell whether the last step gained at most `tol`, relative to the objective.

    Examples
    --------
    >>> has_converged([-100.0, -99.0], 1e-3), has_converged([-100.0, -99.99], 1e-3)
    (False, True)
    """
    if len(history) < 2:
        return False
    gain, scale = history[-1] - history[-2], abs(history[-1])
    if gain < -1e-5 * max(scale, 1e-4):
        message = f"objective fell by {-gain:.3g} at iteration {len(history)}"
        warnings.warn(message, ConvergenceWarning, stacklevel=2)
    return bool(gain <= tol * scale)


def better(first: Run | None, second: Run) -> Run:
    """The run with the higher objective; the first unless the second is clearly higher.

    Restarts often find the same clustering under permuted labels, with objectives that
    differ only by rounding; the earliest of these wins, on every machine.
    """
    if first is None:
        return second
    margin = 1e-9 * abs(first.objective) if np.isfinite(first.objective) else 0.0
    return second if second.objective > first.objective + margin else first


def _alike(run: Run, model: Any, rows: Array, shared: Shared) -> bool:
    """Tell whether a run may have come from a start: arrays alike, and no bad number."""
    found, expected = (run.rows, *run.shared), (rows, *shared)
    n_labels = max(getattr(model, name, 1) for name in ("n_clusters", "n_word_clusters"))
    return len(found) == len(expected) and all(
        ours.dtype == theirs.dtype
        and ours.shape == theirs.shape
        and bool(np.all(np.isfinite(ours)))
        and (ours.dtype.kind != "i" or bool(np.all((ours >= -1) & (ours < n_labels))))
        for ours, theirs in zip(map(np.asarray, found), map(np.asarray, expected), strict=True)
    )


_RUN = Record(
    {
        "history": Items(Number(finite=False)),
        "converged": Is(bool),
        "n_shared": Whole(),
    },
    optional=True,
)
RESTARTS = {"seeds": Items(Whole()), "current": Whole(), "run": _RUN, "best": _RUN}


@dataclass
class _Restarts:
    """All that a fit needs to go on: seeds, the restart under way, the best finished one."""

    seeds: list[int]
    current: int = 0
    run: Run | None = None
    best: Run | None = None

    def finish(self, run: Run) -> None:
        """The restart under way is over; the next one may begin."""
        self.best, self.run, self.current = better(self.best, run), None, self.current + 1

    def update(self, state: fitting.State, run: Run) -> None:
        """Note where the restart under way stands, and save it when due or when stopped."""
        self.run = run
        if state.is_due or fitting.stopped():
            self.save(state)

    def save(self, state: fitting.State) -> None:
        """Save all restarts where a checkpoint is wanted."""
        if not state.is_saved:
            return
        state.values = {"seeds": self.seeds, "current": self.current}
        state.arrays = {}
        for name, run in (("run", self.run), ("best", self.best)):
            if run is not None:
                state.values[name] = {
                    "history": run.history,
                    "converged": run.converged,
                    "n_shared": len(run.shared),
                }
                state.arrays[f"{name}_rows"] = run.rows
                for i, part in enumerate(run.shared):
                    state.arrays[f"{name}_shared_{i}"] = part
        state.save()

    @classmethod
    def restored(cls, state: fitting.State, seeds: list[int]) -> "_Restarts":
        """Restarts as they were saved, or at their beginning."""
        values, arrays = state.values, state.arrays
        state.check(RESTARTS, dict.fromkeys(arrays, Field()))

        def run(name: str) -> Run | None:
            if name not in values:
                return None
            n_shared = values[name]["n_shared"]
            expected = [f"{name}_rows", *(f"{name}_shared_{i}" for i in range(n_shared))]
            if not arrays.keys() >= set(expected):
                state.refuse(f"arrays of '{name}' are missing")
            first, *shared = (arrays[each] for each in expected)
            rows = partial(_same, first)
            history = tuple(values[name]["history"])
            return Run(rows, tuple(shared), history, values[name]["converged"])

        if not values:
            return cls(seeds)
        if len(values["seeds"]) != len(seeds) or values["current"] > len(seeds):
            state.refuse(f"restart {values['current']} of {len(values['seeds'])}")
        return cls(values["seeds"], values["current"], run("run"), run("best"))

    def refuse_other(self, state: fitting.State, model: Model, X: Counts) -> None:
        """Refuse saved restarts that no start of the model could have led to."""
        if (self.best is None) != (self.current == 0) or (
            self.run is not None and self.current == len(self.seeds)
        ):
            state.refuse(f"the restarts before number {self.current} are not there")
        for run, seeds in (
            (self.run, self.seeds[self.current : self.current + 1]),
            (self.best, self.seeds[: self.current]),
        ):
            starts = (model._start(X, np.random.default_rng(seed)) for seed in seeds)
            if run is not None and not any(_alike(run, model, *start) for start in starts):
                state.refuse("its arrays are not those of this model")
