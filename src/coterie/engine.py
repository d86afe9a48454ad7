"""The one loop every iterative model runs in.

A model is cut along the line that makes it distributable. *Row* parameters (a document's
topic mix, its cluster) live with the rows they describe; *shared* parameters (topics, word
clusters) live in one place, as a tuple of arrays. An E-step reads one shard of rows and
returns the rows' new parameters, statistics that are summed over shards before the M-step
sees them, and its part of the objective.

How a fit is watched and where it is kept are context, not parameters of a model: see
`watching` and `checkpointing`.
"""

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from coterie.checkpoints import Checkpoint
from coterie.errors import InputError, InterruptedWarning
from coterie.types import Array, Counts, Ops

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

    def start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Rows and shared parameters to begin from."""

    def visible(self, shared: Shared) -> Shared:
        """What E-steps see of the shared parameters."""

    def e_step(self, X: Counts, rows: Any, shared: Any, ops: Ops) -> Expected:
        """Expectation on one shard; speaks to `ops` only, so it runs on any device."""

    def m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Shared parameters from the statistics of all shards."""

    def log_prior(self, shared: Shared) -> float:
        """What shared parameters add to the objective before any document is seen."""


class Executor(Protocol):
    """Where shards live and who computes on them."""

    @property
    def ops(self) -> Ops:
        """The kernels that run there."""

    def place(self, shards: list[Shard]) -> Any:
        """Bring shards to where they are computed on."""

    def sweep(self, step: Any, placed: Any, shared: Shared) -> tuple[Any, Shared, float]:
        """Run `step` on every shard: moved shards, summed statistics, summed objective."""

    def collect(self, placed: Any) -> list[Any]:
        """Bring the rows' parameters back, in order."""

    @property
    def n_threads(self) -> int:
        """How many can compute at the same time."""

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """What `function` gives for each item, in order, computed side by side."""


class Progress(NamedTuple):
    """What a watcher is told after each iteration; `objective` is that of the parameters
    the iteration began with."""

    restart: int
    n_restarts: int
    iteration: int
    max_iter: int
    objective: float


@dataclass(frozen=True)
class Run:
    """One restart: where it stands, or stood when it ended.

    Rows stay where they are computed until somebody asks for them.
    """

    gather: Callable[[], Array]
    shared: Shared
    history: tuple[float, ...] = ()
    converged: bool = False

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


@dataclass(frozen=True)
class _Context:
    watchers: tuple[Callable[[Progress], None], ...] = ()
    checkpoint: Checkpoint | None = None
    part: int = 0
    n_parts: int = 1
    stops: tuple[threading.Event, ...] = ()

    def tell(self, progress: Progress) -> None:
        restart = self.part * progress.n_restarts + progress.restart
        n_restarts = self.n_parts * progress.n_restarts
        whole = progress._replace(restart=restart, n_restarts=n_restarts)
        with _one_at_a_time:
            for watcher in self.watchers:
                watcher(whole)
        if any(stop.is_set() for stop in self.stops):
            raise KeyboardInterrupt


_one_at_a_time = threading.RLock()
_context: ContextVar[_Context | None] = ContextVar("coterie_fit", default=None)


@contextmanager
def watching(watcher: Callable[[Progress], None]) -> Iterator[None]:
    """Call `watcher` after every iteration of every fit in the block.

    Examples
    --------
    >>> from coterie import PLSA, watching
    >>> seen = []
    >>> with watching(lambda progress: seen.append(progress.iteration)):
    ...     model = PLSA(1, max_iter=5).fit([[1, 2], [2, 1]])
    >>> seen == list(range(1, model.n_iter_ + 1))
    True
    """
    outer = _context.get() or _Context()
    token = _context.set(_Context((*outer.watchers, watcher), outer.checkpoint))
    try:
        yield
    finally:
        _context.reset(token)


@contextmanager
def part_of(part: int, n_parts: int, stop: threading.Event | None = None) -> Iterator[None]:
    """Make the fit in the block one of several that are watched, but not kept, as one.

    When `stop` is set the fit ends, as by Ctrl-C, after the iteration it is in. A part may
    itself have parts.
    """
    outer = _context.get() or _Context()
    place = outer.part * n_parts + part, outer.n_parts * n_parts
    stops = outer.stops if stop is None else (*outer.stops, stop)
    token = _context.set(_Context(outer.watchers, None, *place, stops))
    try:
        yield
    finally:
        _context.reset(token)


def current_checkpoint() -> Checkpoint | None:
    """Where the surrounding block keeps its fit."""
    return (_context.get() or _Context()).checkpoint


@contextmanager
def checkpointing(folder: Any, *, every: float = 60.0) -> Iterator[None]:
    """Keep the state of the fit in the block in `folder`, and resume from it when it is there.

    The state is saved every `every` seconds, when a restart ends and on Ctrl-C. A resumed
    fit gives the answer of an uninterrupted one. When a fit ends by itself its checkpoint
    is removed.
    """
    outer = _context.get() or _Context()
    token = _context.set(_Context(outer.watchers, Checkpoint(folder, every)))
    try:
        yield
    finally:
        _context.reset(token)


def fit(
    model: Model,
    X: Counts,
    executor: Executor,
    seeds: Sequence[int],
    stopping: Stopping,
    identify: Callable[[], dict[str, Any]],
) -> tuple[Run, bool]:
    """Run one restart per seed and return the best, and whether Ctrl-C cut the work short.

    Restarts run one after the other, each on all threads; where the data are too small to be
    shared out, they run side by side instead, with the same answer.

    `identify` says what is being fitted to what; a checkpoint of another fit is refused.
    """
    context = _context.get() or _Context()
    if len(seeds) > 1 and len(shard_cuts(X)) == 2 and not context.checkpoint:
        return _SideBySide(model, X, executor, list(seeds), stopping, context).fit()
    identity = identify() if context.checkpoint else {}
    keep = _keeper(context.checkpoint, identity)
    restarts = _Restarts(list(seeds))
    if context.checkpoint:
        restarts = restarts.restored(context.checkpoint, identity)
    pieces = shards(X)
    try:
        while restarts.current < len(restarts.seeds):
            run = restarts.begin(model, X)
            for restarts.run in iterate(model, pieces, run, executor, stopping):
                context.tell(restarts.progress(stopping))
                keep(restarts, only_if_due=True)
            restarts.finish()
            keep(restarts)
    except KeyboardInterrupt:
        keep(restarts)
        return restarts.best_so_far(), True
    if context.checkpoint:
        context.checkpoint.remove()
    assert restarts.best is not None
    return restarts.best, False


def _keeper(checkpoint: Checkpoint | None, identity: dict[str, Any]) -> Callable[..., None]:
    """What saves the restarts, or does nothing where no checkpoint is wanted."""

    def keep(restarts: "_Restarts", only_if_due: bool = False) -> None:
        if checkpoint and (checkpoint.is_due() or not only_if_due):
            checkpoint.save(identity, *restarts.dump())

    return keep


def chain(step: Callable[[], float], n_iter: int) -> tuple[list[float], bool]:
    """Call `step` `n_iter` times, as samplers do: what it gave, and whether Ctrl-C ended it.

    Watchers are told after each step; a stop before the first is not swallowed.
    """
    context = _context.get() or _Context()
    if context.checkpoint:
        warnings.warn("a chain of draws is not kept in a checkpoint", UserWarning, stacklevel=3)
    trace: list[float] = []
    try:
        while len(trace) < n_iter:
            trace.append(step())
            context.tell(Progress(0, 1, len(trace), n_iter, trace[-1]))
    except KeyboardInterrupt:
        if not trace:
            raise
        message = f"stopped by Ctrl-C after {len(trace)} of {n_iter} iterations"
        warnings.warn(f"{message}; the chain so far is kept", InterruptedWarning, stacklevel=3)
        return trace, True
    return trace, False


def iterate(
    model: Model, pieces: list[Counts], run: Run, executor: Executor, stopping: Stopping
) -> Iterator[Run]:
    """Alternate E and M steps from where `run` stands, giving the state after each."""
    ends = np.cumsum([piece.shape[0] for piece in pieces])
    placed = executor.place(list(map(Shard, pieces, np.split(run.rows, ends[:-1]))))
    step = partial(sweep_shard, model)
    shared, history, converged = run.shared, run.history, run.converged
    while len(history) < stopping.max_iter and not converged:
        placed, statistics, objective = executor.sweep(step, placed, model.visible(shared))
        history = (*history, float(objective) + model.log_prior(shared))
        if np.isnan(history[-1]):
            raise InputError(
                f"the objective is not a number at iteration {len(history)}: the counts are "
                f"too large or too small for {pieces[0].dtype}"
            )
        shared = model.m_step(shared, *statistics)
        converged = has_converged(history, stopping.tol)
        yield Run(partial(_gather, executor, placed), shared, history, converged)


def _gather(executor: Executor, placed: Any) -> Array:
    return np.concatenate(executor.collect(placed))


def _same(rows: Array) -> Array:
    return rows


def sweep_shard(model: Model, shard: Shard, shared: Shared, ops: Ops) -> tuple[Shard, Any]:
    """E-step on one shard: the shard with its new rows, and what it adds to the totals."""
    rows, statistics, objective = model.e_step(shard.X, shard.rows, shared, ops)
    return Shard(shard.X, rows), (statistics, objective)


def each_shard(
    compute: Callable[[Counts, Ops], Any], X: Counts, executor: Executor
) -> list[Any]:
    """What `compute` gives for each shard of rows, in order: how fitted models are applied."""
    placed = executor.place([Shard(piece, None) for piece in shards(X)])
    placed, _, _ = executor.sweep(partial(_apply, compute), placed, ())
    return executor.collect(placed)


def _apply(compute: Callable[[Counts, Ops], Any], shard: Shard, _: Shared, ops: Ops) -> Any:
    return Shard(shard.X, compute(shard.X, ops)), ((), 0.0)


def shards(X: Counts) -> list[Counts]:
    """The rows of X in shards, as views of its memory."""
    return [_rows(X, a, b) for a, b in pairwise(shard_cuts(X))]


def _rows(X: Counts, first: int, last: int) -> Counts:
    start, end = X.indptr[first], X.indptr[last]
    rows = Counts((last - first, X.shape[1]), dtype=X.dtype)
    rows.data, rows.indices = X.data[start:end], X.indices[start:end]  # given to the
    rows.indptr = X.indptr[first : last + 1] - start  # constructor, they would be copied
    return rows


def shard_cuts(X: Counts) -> list[int]:
    """Row numbers where shards begin and end, chosen by the data alone.

    Each shard carries a table of words by topics, so beyond two there is one for every 16
    times as many non-zeros as there are words. The number of threads plays no part: sums
    are made in the same order on every machine.
    """
    n_documents, n_words = X.shape
    n_shards = max(X.nnz // (16 * max(n_words, 1)), min(2, X.nnz // 2**17), 1)
    if n_shards > 2:
        n_shards -= n_shards % (4 if n_shards > 4 else 2)  # equal shares for 2 or 4 threads
    n_shards = min(n_shards, 64, n_documents)
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


def _kept(best: Run | None, where: str) -> Run:
    """The best run when Ctrl-C ends a fit, with a warning; without any, the stop goes on."""
    if best is None:
        raise KeyboardInterrupt
    message = f"stopped by Ctrl-C {where}; the best so far is kept"
    warnings.warn(message, InterruptedWarning, stacklevel=5)
    return best


@dataclass
class _SideBySide:
    """Restarts that run at the same time, each in one thread."""

    model: Model
    X: Counts
    executor: Executor
    seeds: list[int]
    stopping: Stopping
    context: _Context

    def __post_init__(self) -> None:
        self.runs: dict[int, Run] = {}
        self.n_begun = self.n_compared = 0
        self.compared: Run | None = None
        self.at_work = 0
        self.ended: set[int] = set()
        self.stopped = threading.Event()
        self.lock = threading.Condition()

    def fit(self) -> tuple[Run, bool]:
        try:
            self.executor.map(self.restart, range(len(self.seeds)))
        except KeyboardInterrupt:
            self.wait()
            return _kept(self.best(), f"with {self.n_begun} of {len(self.seeds)} begun"), True
        finally:
            self.wait()
        best = self.best()
        assert best is not None
        return best, False

    def wait(self) -> None:
        with self.lock:
            self.stopped.set()
            self.lock.wait_for(lambda: not self.at_work)

    def best(self) -> Run | None:
        left = (run for _, run in sorted(self.runs.items()))
        return reduce(better, left, self.compared)

    def compare(self, number: int) -> None:
        """Keep the better of what has ended, in order, and let the others go."""
        self.ended.add(number)
        while self.n_compared in self.ended:
            run = self.runs.pop(self.n_compared, None)
            if run is not None:
                self.compared = better(self.compared, run)
            self.n_compared += 1

    def restart(self, number: int) -> None:
        with self.lock:
            if self.stopped.is_set():
                return
            self.at_work += 1
            self.n_begun += 1
        try:
            rows, shared = self.model.start(self.X, np.random.default_rng(self.seeds[number]))
            start = Run(partial(_same, rows), shared)
            pieces = [self.X]
            for run in iterate(self.model, pieces, start, self.executor, self.stopping):
                self.keep(number, run)
                if self.stopped.is_set():
                    break
        finally:
            with self.lock:
                self.at_work -= 1
                self.compare(number)
                self.lock.notify_all()

    def keep(self, number: int, run: Run) -> None:
        history = run.history
        with self.lock:
            self.runs[number] = run
            progress = (number, len(self.seeds), len(history), self.stopping.max_iter)
            self.context.tell(Progress(*progress, history[-1]))


@dataclass
class _Restarts:
    """All that a fit needs to go on: seeds, the restart under way, the best finished one."""

    seeds: list[int]
    current: int = 0
    run: Run | None = None
    best: Run | None = None

    def begin(self, model: Model, X: Counts) -> Run:
        """The restart under way, or the next one at its start."""
        if self.run is None:
            rng = np.random.default_rng(self.seeds[self.current])
            rows, shared = model.start(X, rng)
            self.run = Run(partial(_same, rows), shared)
        return self.run

    def finish(self) -> None:
        assert self.run is not None
        self.best, self.run, self.current = better(self.best, self.run), None, self.current + 1

    def progress(self, stopping: Stopping) -> Progress:
        assert self.run is not None
        history = self.run.history
        iteration, last = len(history), history[-1]
        return Progress(self.current, len(self.seeds), iteration, stopping.max_iter, last)

    def best_so_far(self) -> Run:
        if self.run is not None and self.run.history:
            self.best = better(self.best, self.run)
        return _kept(self.best, f"in restart {self.current + 1} of {len(self.seeds)}")

    def dump(self) -> tuple[dict[str, Any], dict[str, Array]]:
        values: dict[str, Any] = {"seeds": self.seeds, "current": self.current}
        arrays: dict[str, Array] = {}
        for name, run in (("run", self.run), ("best", self.best)):
            if run is not None:
                values[name] = {
                    "history": run.history,
                    "converged": run.converged,
                    "n_shared": len(run.shared),
                }
                arrays[f"{name}_rows"] = run.rows
                arrays |= {f"{name}_shared_{i}": part for i, part in enumerate(run.shared)}
        return values, arrays

    def restored(self, checkpoint: Checkpoint, identity: dict[str, Any]) -> "_Restarts":
        saved = checkpoint.load(identity)
        if saved is None:
            return self
        values, arrays = saved

        def run(name: str) -> Run | None:
            if name not in values:
                return None
            shared = (arrays[f"{name}_shared_{i}"] for i in range(values[name]["n_shared"]))
            rows = partial(_same, arrays[f"{name}_rows"])
            history = tuple(values[name]["history"])
            return Run(rows, tuple(shared), history, values[name]["converged"])

        return _Restarts(values["seeds"], values["current"], run("run"), run("best"))
