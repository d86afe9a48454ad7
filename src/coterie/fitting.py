"""What surrounds a fit: who watches it, where its state is saved, how Ctrl-C ends it.

The first Ctrl-C during a public `fit` asks it to stop: every loop ends after the step it is
in, what is left does the least it can, and the best so far is the answer. A second Ctrl-C
raises `KeyboardInterrupt` at once. Loops ask `stopped()`; nobody else needs to know.

All of this is context, not parameters of a model: see `watching`, `checkpointing` and
`memory_limit`.
"""

import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np

from coterie.checkpoints import Checkpoint
from coterie.errors import InputError
from coterie.memory import available_bytes, bytes_in
from coterie.persistence import named
from coterie.schema import Field, check, check_fields
from coterie.types import Array

T = TypeVar("T")


class Progress(NamedTuple):
    """What a watcher learns after each iteration.

    `objective` is that of the parameters the iteration began with, `share` how much of the
    whole fit is done, from 0 to 1, and `stage` what is being done, for people.
    """

    iteration: int
    max_iter: int
    objective: float
    share: float
    stage: str


class Session:
    """One public fit with all fits inside it."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.at_once = False
        self.share = 0.0
        self.lock = threading.RLock()

    @property
    def stopped(self) -> bool:
        """Whether Ctrl-C asked the fit to stop."""
        return self.stop.is_set()

    def request_stop(self, *_: Any) -> None:
        """Ask the fit to stop after the step it is in; when asked twice, stop at once."""
        if self.stopped:
            self.at_once = True
            raise KeyboardInterrupt
        self.stop.set()


@dataclass(frozen=True)
class Context:
    """Where a fit stands in what surrounds it; `start` and `length` are shares of the whole."""

    watchers: tuple[Callable[[Progress], None], ...] = ()
    checkpoint: Checkpoint | None = None
    session: Session | None = None
    stops: tuple[threading.Event, ...] = ()
    start: float = 0.0
    length: float = 1.0
    stage: str = ""
    memory: int | None = None
    told: tuple[Callable[[int, int], None], ...] = ()
    is_accelerated: bool = False


_context: ContextVar[Context | None] = ContextVar("coterie_fit", default=None)


def _current() -> Context:
    return _context.get() or Context()


@contextmanager
def _within(**changes: Any) -> Iterator[None]:
    """The surrounding context with some changes, for the block."""
    token = _context.set(replace(_current(), **changes))
    try:
        yield
    finally:
        _context.reset(token)


@contextmanager
def watching(watcher: Callable[[Progress], None]) -> Iterator[None]:
    """Call `watcher` after every iteration of every fit in the block.

    Examples
    --------
    >>> from coterie import PLSA, watching
    >>> iterations = []
    >>> with watching(lambda progress: iterations.append(progress.iteration)):
    ...     model = PLSA(1, max_iter=5).fit([[1, 2], [2, 1]])
    >>> iterations == list(range(1, model.n_iter_ + 1))
    True
    """
    with _within(watchers=(*_current().watchers, watcher)):
        yield


@contextmanager
def accelerating() -> Iterator[None]:
    """Let EM in the block take longer steps, as long as its objective rises.

    From two iterations, a point further on their way is reckoned, mixes of documents included
    (SQUAREM, Varadhan and Roland, 2008). A step that would lower the objective is taken back.
    The mixture, PLSA and 2PLSA need fewer iterations to the same objective; others, and fits on
    a GPU, are not changed. Mixes take three times the memory.

    Examples
    --------
    >>> from coterie import PLSA, accelerating
    >>> X = [[4, 2, 0, 1], [3, 3, 1, 0], [0, 1, 2, 5], [1, 0, 3, 3]]
    >>> with accelerating():
    ...     history = PLSA(2, random_state=0).fit(X).history_
    >>> bool((np.diff(history) >= 0).all())
    True
    """
    with _within(is_accelerated=True):
        yield


def is_accelerated() -> bool:
    """Tell whether EM may take longer steps."""
    return _current().is_accelerated


@contextmanager
def checkpointing(folder: Any, *, every: float = 60.0) -> Iterator[None]:
    """Save the state of the fit in the block in `folder`, and resume from it when it is there.

    The state is saved every `every` seconds and when a restart or another stage ends. A resumed
    fit gives the answer of an uninterrupted one. When a fit ends by itself its checkpoint
    is removed.
    """
    with _within(checkpoint=Checkpoint(folder, every)):
        yield


@contextmanager
def memory_limit(
    limit: float | str | None = None, told: Callable[[int, int], None] | None = None
) -> Iterator[None]:
    """Refuse every fit in the block that needs more memory than `limit`, before it begins.

    `limit` is a size such as "500MB", or a number of GiB; None, as without the block, is what
    the machine has free. `told` is called with the bytes a fit needs and those it is allowed.

    Examples
    --------
    >>> from coterie import PLSA, memory_limit
    >>> with memory_limit("1KB"):
    ...     PLSA(2).fit([[3, 0], [2, 0], [0, 4]])
    Traceback (most recent call last):
    coterie.memory.TooLargeError: PLSA of 3 documents and 2 words into 2 clusters needs ...
    """
    allowed = _current().memory if limit is None else bytes_in(limit)
    with _within(memory=allowed, told=(*_current().told, *([told] if told else []))):
        yield


def allowed_bytes() -> int:
    """The memory that fits may take: what is set, or what the machine has free."""
    set_bytes = _current().memory
    return available_bytes() if set_bytes is None else set_bytes


def is_too_large(needed: int) -> bool:
    """Tell whether a fit needs more bytes than it may take; those who ask are told.

    What runs within another fit is reckoned with that one.
    """
    context = _current()
    if context.session is not None:
        return False
    allowed = allowed_bytes()
    for tell in context.told:
        tell(needed, allowed)
    return needed > allowed


@contextmanager
def checking_resumed(estimator: Any) -> Iterator[None]:
    """A block that fits; what comes of a checkpoint that no fit can have left is refused."""
    checkpoint = _current().checkpoint
    if checkpoint is None:
        yield
        return
    checkpoint.resumed = False
    try:
        yield
        if checkpoint.resumed:
            check(estimator)
    except (ValueError, IndexError, ArithmeticError) as error:  # InputError is a ValueError
        if not checkpoint.resumed or checkpoint.is_named(error):
            raise
        raise InputError(
            f"{checkpoint.folder}: the fit cannot go on from this checkpoint ({error}); begin "
            "anew without it"
        ) from error


@contextmanager
def session() -> Iterator[Session]:
    """A public fit: Ctrl-C stops it between steps; within another fit, it is part of that one.

    Where Ctrl-C is ignored or somebody else handles it, that stays so.
    """
    outer = _current()
    if outer.session is not None:
        yield outer.session
        return
    new = Session()
    with ExitStack() as stack:
        stack.enter_context(_within(session=new, stops=(*outer.stops, new.stop)))
        stack.enter_context(_handling_ctrl_c(new.request_stop))
        yield new


@contextmanager
def _handling_ctrl_c(handler: Callable[..., None]) -> Iterator[None]:
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def undivided() -> Iterator[None]:
    """A block that cannot stop between steps: Ctrl-C raises KeyboardInterrupt at once."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def stopped() -> bool:
    """Tell whether the surrounding fit is to stop: by Ctrl-C, or as a fit beside it failed."""
    return any(stop.is_set() for stop in _current().stops)


@contextmanager
def part(number: int, n_parts: int, stage: str = "") -> Iterator[None]:
    """Make the fit in the block one of several parts of a whole.

    Progress is that of the whole; the state of a part is not saved by itself. A part may
    have parts; the outermost `stage` is what people see.
    """
    outer = _current()
    length = outer.length / n_parts
    start = outer.start + number * length
    with _within(checkpoint=None, start=start, length=length, stage=outer.stage or stage):
        yield


def report(iteration: int, max_iter: int, objective: float, share: float | None = None) -> None:
    """Let watchers know of an iteration; a `KeyboardInterrupt` of theirs asks for a stop.

    `share` is how much of this run is done; how many iterations it takes is not known, so
    by default it grows with the logarithm of their number.
    """
    context = _current()
    if share is None:
        share = float(np.log1p(iteration) / np.log1p(max_iter))
    whole = context.start + context.length * min(share, 1.0)
    session = context.session or Session()
    with session.lock:
        session.share = max(session.share, whole)
        progress = Progress(iteration, max_iter, objective, session.share, context.stage)
        try:
            for watcher in context.watchers:
                watcher(progress)
        except KeyboardInterrupt:
            if context.session is None or session.at_once:
                raise
            session.stop.set()


def side_by_side(
    tasks: Sequence[Callable[[], T]], run: Callable[..., list[Any]] | None, stage: str = ""
) -> list[T]:
    """What tasks give, in order; after a stop, of those that had begun, the first at least.

    `run` is an executor's `map`, or None to run them one after the other. Each task is a part
    of the whole.
    """
    failed = threading.Event()
    results: dict[int, T] = {}

    def one(number: int) -> None:
        if number and stopped():
            return
        with part(number, len(tasks), stage):
            try:
                results[number] = tasks[number]()
            except BaseException:
                failed.set()
                raise

    with _within(stops=(*_current().stops, failed)):
        if run is None:
            for number in range(len(tasks)):
                one(number)
        else:
            run(one, range(len(tasks)))
    return [result for _, result in sorted(results.items())]


class State:
    """Values and arrays of a long fit between its steps, on disk where that is asked for."""

    def __init__(self, checkpoint: Checkpoint | None, identify: Callable[[], dict[str, Any]]):
        self._checkpoint = checkpoint
        self._identity = identify() if checkpoint else {}
        loaded = checkpoint.load(self._identity) if checkpoint else None
        self.values: dict[str, Any] = loaded[0] if loaded else {}
        self.arrays: dict[str, Array] = loaded[1] if loaded else {}

    def check(self, fields: Mapping[str, Field], arrays: Mapping[str, Field]) -> None:
        """Refuse a checkpoint that holds other values or arrays than these."""
        if not self._checkpoint or not self.values:
            return
        with named(self._checkpoint.folder):
            values = {name: item for name, item in self.values.items() if name != "identity"}
            check_fields("", values, fields, {})
            check_fields("", self.arrays, arrays, {})

    def refuse(self, complaint: str) -> NoReturn:
        """Refuse a checkpoint that does not go with what is fitted."""
        assert self._checkpoint is not None
        raise InputError(f"{self._checkpoint.folder}: {complaint}; remove it to begin anew")

    @property
    def is_saved(self) -> bool:
        """Whether there is a checkpoint to save to."""
        return self._checkpoint is not None

    @property
    def is_due(self) -> bool:
        """Whether it is time to save the state again."""
        return self._checkpoint is not None and self._checkpoint.is_due()

    def save(self) -> None:
        """Save values and arrays as they are now."""
        if self._checkpoint:
            self._checkpoint.save(self._identity, self.values, self.arrays)

    def end(self) -> None:
        """Remove the checkpoint, unless the fit was stopped before its end."""
        if self._checkpoint and not stopped():
            self._checkpoint.remove()


def state(identify: Callable[[], dict[str, Any]]) -> State:
    """The state of the surrounding fit; `identify` says what is fitted to what.

    A checkpoint of another fit is refused.
    """
    return State(_current().checkpoint, identify)
