"""`python -m coterie` is the `coterie` command, which heeds Ctrl-C from its first line on."""

import os
import signal
import sys


def main() -> None:
    """Run the command; while it is being imported, Ctrl-C ends it at once."""
    heeds = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeds:
        signal.signal(signal.SIGINT, _end)
    from coterie.cli import main as command

    try:
        if heeds:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        command(prog_name="coterie")
    except KeyboardInterrupt:  # before or after what the command does
        _end()


def _end(*_: object) -> None:
    """End the process at once: nothing has begun that could be left half done."""
    sys.stderr.write("Stopped.\n")
    sys.stderr.flush()
    os._exit(130)


if __name__ == "__main__":
    main()
