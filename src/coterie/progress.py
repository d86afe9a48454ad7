"""How far a long job is: what is done, one percentage, the time left.

Shown on the error stream of a terminal and below the cell of a notebook; nowhere else.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from coterie.fitting import Progress

NAME_LENGTH = 40
SECONDS_BETWEEN = 0.2
TICKS = 100  # documents between two reports
LEAST_GAIN = 0.02  # share of a job from which the time left is told


class Line(Protocol):
    """One line that is written again and again."""

    def __call__(self, text: str) -> None:
        """Show the text in place of the last one."""


@contextmanager
def reading(
    name: str, quiet: bool, share: Callable[[], float] | None = None
) -> Iterator[Callable[[int], None]]:
    """Show how many documents have been read; yields a function to call with the number.

    `share` says which share of all is read, where that is known.
    """
    with _line(quiet) as show:
        text = f"Reading {name[-NAME_LENGTH:]}"
        clock = Clock()
        show(text)

        def tick(number: int) -> None:
            if show is not _unseen and number % TICKS == 0:
                known = "" if share is None else f" · {clock.status(share())}"
                show(f"{text} · {number:,} documents{known}")

        yield tick


@contextmanager
def fitting(quiet: bool) -> Iterator[Callable[["Progress"], None]]:
    """Show how much of a fit is done; yields a function to call with each progress report."""
    with _line(quiet) as show:
        clock = Clock()
        show("Fitting")

        def report(progress: "Progress") -> None:
            show(f"{progress.stage or 'Fitting'} · {clock.status(progress.share)}")

        yield report


@contextmanager
def computing(what: str, quiet: bool) -> Iterator[Callable[[float], None]]:
    """Show which share of a job is done; yields a function to call with the share."""
    with _line(quiet) as show:
        clock = Clock()
        show(what)
        yield lambda share: show(f"{what} · {clock.status(share)}")


class Clock:
    """The time that a job needs, from the shares of it that are done.

    It begins with the first share, as what comes before (loading compiled code) comes once.
    """

    def __init__(self) -> None:
        self._first: tuple[float, float] | None = None

    def status(self, share: float) -> str:
        """What there is to say of a share that is done now."""
        now = time.monotonic()
        if self._first is None:
            self._first = (now, share)
        began, before = self._first
        return status(share, now - began, share - before)


def status(share: float, seconds: float, gained: float) -> str:
    """What progress says of a share that is done, some of it gained in these seconds.

    Examples
    --------
    >>> status(0.38, 12.3, 0.38), status(0.01, 2.0, 0.01)
    ('38 % · about 20 s left', '1 %')
    """
    told = f"{100 * share:.0f} %"
    left = seconds * (1 - share) / gained if gained > 0 else 0.0
    if seconds < 1 or gained < LEAST_GAIN or left < 1:
        return told
    return f"{told} · about {duration(left if left < 10 else 5 * round(left / 5))} left"


def duration(seconds: float) -> str:
    """An approximate duration, for people.

    Examples
    --------
    >>> duration(4), duration(130), duration(7300)
    ('4 s', '2 min', '2.0 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextmanager
def _line(quiet: bool) -> Iterator[Line]:
    """A line on a terminal or in a notebook, gone after the block; elsewhere nothing."""
    if quiet:
        yield _unseen
    elif in_notebook():
        with _notebook_line() as show:
            yield show
    elif sys.stderr.isatty():
        with _terminal_line() as show:
            yield show
    else:
        yield _unseen


def _unseen(text: str) -> None:
    pass


@contextmanager
def _terminal_line() -> Iterator[Line]:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn

    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False)
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda text: bar.update(task, description="".join(filter(str.isprintable, text)))


@contextmanager
def _notebook_line() -> Iterator[Line]:
    from IPython.display import Pretty, display

    handle: Any = display(Pretty(""), display_id=True)
    shown = [0.0]

    def show(text: str) -> None:
        now = time.monotonic()
        if now - shown[0] > SECONDS_BETWEEN:
            shown[0] = now
            handle.update(Pretty(text))

    try:
        yield show
    finally:
        handle.update(Pretty(""))


def in_notebook() -> bool:
    """Tell whether this runs in the kernel of a notebook."""
    if "IPython" not in sys.modules:
        return False
    from IPython.core.getipython import get_ipython

    return type(get_ipython()).__name__ == "ZMQInteractiveShell"
