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


class Line(Protocol):
    """One line that is written again and again."""

    def __call__(self, text: str) -> None:
        """Show the text in place of the last one."""


@contextmanager
def reading(name: str, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show how many documents have been read; yields a function to call with the number."""
    with _line(quiet) as show:
        text = f"Reading {name[-NAME_LENGTH:]}"
        show(text)

        def tick(number: int) -> None:
            if number % 100 == 0:
                show(f"{text} · {number:,} documents")

        yield tick


@contextmanager
def fitting(quiet: bool) -> Iterator[Callable[["Progress"], None]]:
    """Show how much of a fit is done; yields a function to call with each progress report."""
    with _line(quiet) as show:
        started = time.monotonic()
        show("Fitting")

        def report(progress: "Progress") -> None:
            seconds = time.monotonic() - started
            show(fitting_status(progress.stage, progress.share, seconds))

        yield report


def fitting_status(stage: str, share: float, seconds: float) -> str:
    """What the progress of a fit says after these seconds, with a share of it done.

    Examples
    --------
    >>> fitting_status("Comparing candidates 2 of 5", 0.38, 12.3)
    'Comparing candidates 2 of 5 · 38 % · about 20 s left'
    >>> fitting_status("", 0.0, 0.1)
    'Fitting · 0 %'
    """
    status = f"{stage or 'Fitting'} · {100 * share:.0f} %"
    left = seconds * (1 - share) / share if share > 0 else 0.0
    if seconds < 1 or left < 1:
        return status
    return f"{status} · about {duration(left if left < 10 else 5 * round(left / 5))} left"


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
        yield lambda text: bar.update(task, description=text)


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
