"""`python -m coterie` is the `coterie` command, which heeds Ctrl-C from its first line on."""

import os
import signal
import sys  # what more is imported here takes time in which Ctrl-C is not heeded yet

SOON = 0.01  # seconds


def main() -> None:
    """Run the command; while it is being imported, Ctrl-C ends it at once."""
    _open_closed()
    heeds = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeds:
        signal.signal(signal.SIGINT, _end)
    from coterie.cli import main as command

    try:
        if heeds:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGALRM, _press)
            sys.unraisablehook = _heed
        try:
            command(prog_name="coterie")
        finally:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)  # Python itself is ending
            _forget()
    except KeyboardInterrupt:  # before or after what the command does
        _end()


def _open_closed() -> None:
    """Open standard streams that were closed, so that no file of ours takes their place.

    Notes go nowhere then; to write to the output fails, as what was asked for would be lost.
    """
    while (number := os.open(os.devnull, os.O_RDONLY)) <= 2:
        pass
    os.close(number)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115


def _end(*_: object) -> None:
    """End the process at once: nothing has begun that could be left half done."""
    try:
        sys.stderr.write("Stopped.\n")
        sys.stderr.flush()
    finally:
        os._exit(130)


def _heed(ignored: "sys.UnraisableHookArgs") -> None:
    """Press Ctrl-C again soon where Python would ignore it: it cannot raise in a destructor.

    Nor can it in a callback of a weak reference, of which each import has some.
    """
    if isinstance(ignored.exc_value, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, SOON)
    else:
        sys.__unraisablehook__(ignored)


def _forget() -> None:
    """Let Python forget a Ctrl-C in code of a string, as that of a dataclass, that was heeded.

    It would end the process by a signal in place of the exit code; what it runs next is what
    it looks at.
    """
    exec("")


def _press(*_: object) -> None:
    signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
