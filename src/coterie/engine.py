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
from coterie.kernels import on_host
from coterie.memory import Size
from coterie.schema import Field, Is, Items, Number, Record, Whole
from coterie.types import Array, Counts, Ops

LENGTHENED = 1.2  # how much longer a step is than the one before that succeeded
LONGEST = 8.0
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

    def _further(self, before: Shared, after: Shared, power: float) -> Shared | None:
        """Shared parameters beyond those after an M-step; None where a model has none."""

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

    Within `fitting.accelerating`, an M-step may go further than its maximum; an objective that
    falls by it shows in the next sweep, which is then made again with the maximum.
    """
    ends = np.cumsum([piece.shape[0] for piece in blocks])
    executor, shared = executor.prepare(model, blocks, run.shared)
    sent = executor.send(list(map(Shard, blocks, np.split(run.rows, ends[:-1]))))
    step = partial(sweep_shard, model)
    history, converged = run.history, run.converged
    longer = _LongerSteps(model) if fitting.is_accelerated() else None
    while len(history) < stopping.max_iter and not converged:
        swept = executor.sweep(step, sent, model._visible(shared))
        objective = float(swept[2]) + model._log_prior(shared)
        if longer and history and not objective >= history[-1] and longer.plain is not None:
            shared = longer.taken_back()
            continue
        sent, statistics, _ = swept
        history = (*history, objective)
        if np.isnan(history[-1]):
            raise InputError(
                f"the objective is not a number at iteration {len(history)}: the counts are "
                f"too large or too small for {blocks[0].dtype}"
            )
        after = model._m_step(shared, *statistics)
        shared = longer.from_(shared, after) if longer else after
        converged = has_converged(history, stopping.tol)
        yield Run(partial(_gather, executor, sent), shared, history, converged)


class _LongerSteps:
    """Steps of EM made longer after each success (Salakhutdinov and Roweis, 2003)."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._power = 1.0
        self.plain: Shared | None = None
        """What the last M-step gave, where a longer step was taken in its place."""

    def from_(self, before: Shared, after: Shared) -> Shared:
        """A longer step than from `before` to `after`, where there is one."""
        self._power = min(self._power * LENGTHENED, LONGEST)
        further = self._model._further(before, after, self._power)
        self.plain = None if further is None else after
        return after if further is None else further

    def taken_back(self) -> Shared:
        """What the M-step gave; the next steps are shorter."""
        assert self.plain is not None
        plain, self.plain, self._power = self.plain, None, 1.0
        return plain


def _gather(executor: Executor, sent: Any) -> Array:
    return np.concatenate(executor.collect(sent))


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
