"""How the command line shows things: help in sections, progress, tables, one-line errors."""

import errno
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from coterie.errors import InputError, nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


STOPPED = 130
"""Exit code of a command that Ctrl-C ended, as in shells."""

ENTRY_POINTS = "coterie.commands"
"""Group of the entry points by which other packages add commands."""

PIPED_WIDTH = 100
DRIVING = (
    *range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0),
    0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A),
)  # fmt: skip
"""Characters that drive a terminal, or turn the direction of the text after them."""


class Option(click.Option):
    """An option that the help lists in a section."""

    def __init__(self, *names: Any, section: str = "Options", **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.section = section

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return what click adds to the help, without the range of a number."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


class Command(click.Command):
    """A command whose help lists options by section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections in the order of their first options."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                title = getattr(parameter, "section", "Options")
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


class Commands(click.Group):
    """Commands in the order they were written, then those of other installed packages.

    A package adds a command by an entry point of the group `coterie.commands`. Errors are
    shown in one line. Bad input ends with exit code 2, Ctrl-C with 130.
    """

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Give the names in the order they were written, then those of other packages."""
        return list(dict.fromkeys([*self.commands, *_added()]))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Give the command of that name; one of another package is imported now."""
        if cmd_name in self.commands:
            return super().get_command(ctx, cmd_name)
        added = _added().get(cmd_name)
        return None if added is None else _loaded(added)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first argument; an unknown one is told what is near."""
        near = nearest(args[0], self.list_commands(ctx))
        if near and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No such command '{args[0]}'.{near}")
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command that the arguments name and exit with its code."""
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        if not isinstance(sys.stdout, StandardOutput):
            sys.stdout = StandardOutput(sys.stdout)
        sys.exit(self._exit_code(*args, **extra | {"standalone_mode": False}))

    def _exit_code(self, *args: Any, **extra: Any) -> int:
        try:
            return int(super().main(*args, **extra) or 0)
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
        except Exception as error:
            if _comes_of_ctrl_c(error):
                with unstopped():
                    say("Stopped.")
                return STOPPED
            if not isinstance(error, SAID_IN_ONE_LINE):
                raise
            say(f"Error: {_in_one_line(error)}")
            if getattr(error, "filename", "") == STANDARD_OUTPUT:
                with suppress(OSError):  # Python would try again when it ends
                    sys.stdout.close()
        return 2


STANDARD_OUTPUT = "standard output"


class StandardOutput:
    """Standard output whose errors, as that of a full disk, say that they are its own."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> Any:
        """Write a text, or say what could not be written to."""
        with self._named():
            return self._stream.write(text)

    def flush(self) -> None:
        """Let what was written arrive, or say where it could not."""
        with self._named():
            self._stream.flush()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            error.filename = STANDARD_OUTPUT
            raise


SAID_IN_ONE_LINE = (click.ClickException, InputError, OSError, MemoryError)


def _comes_of_ctrl_c(error: BaseException) -> bool:
    """Whether Ctrl-C raised the error, or what it came of: libraries may raise another."""
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return True
    before = error.__cause__ or error.__context__
    return before is not None and _comes_of_ctrl_c(before)


def _added() -> dict[str, "EntryPoint"]:
    """Commands of other packages, by name."""
    from importlib.metadata import entry_points

    return {each.name: each for each in entry_points(group=ENTRY_POINTS)}


def _loaded(added: "EntryPoint") -> click.Command:
    """The command of an entry point, or one that says why it cannot be used."""
    try:
        command = added.load()
        if not isinstance(command, click.Command):
            raise TypeError(f"expected a click command, got {type(command).__name__}")
    except Exception as error:
        package = added.dist.name if added.dist else added.module
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return _unusable(
            added.name,
            f"{added.name}: the package {package} cannot provide this command ({reason})",
        )
    return command


def _unusable(name: str, message: str) -> click.Command:
    """A command that takes any arguments and ends with a message."""

    def refuse() -> None:
        raise click.ClickException(message)

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=refuse, help=message, context_settings=anything)


def _in_one_line(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "not enough memory; --min-df and --max-words make the vocabulary smaller"
    if isinstance(error, OSError):
        return f"{error.filename or _unnamed(error)}: {error.strerror or error}"
    if isinstance(error, click.ClickException):
        message = " ".join(error.format_message().removesuffix(".").split())
        if isinstance(error, click.NoSuchOption):
            message = f"No such option '{error.option_name}'."
            message += nearest(error.option_name, error.possibilities or ())
        context = error.ctx if isinstance(error, click.UsageError) else None
        return f"{message} (see {context.command_path} --help)" if context else message
    return " ".join(str(error).split())


def _unnamed(error: OSError) -> str:
    """What an error that names no file is about."""
    import tempfile

    if error.strerror == os.strerror(errno.ENOENT):
        return "the current folder"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) and tempfile.tempdir:
        return f"temporary files, in {tempfile.tempdir} (TMPDIR may name another folder)"
    return "a file"


class NamedPath(click.Path):
    """A path that is not empty; an empty one would mean the current folder."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Refuse an empty path."""
        if value == "":
            self.fail("an empty path; '.' is the current folder", param, ctx)
        return super().convert(value, param, ctx)


class PathOrAddress(NamedPath):
    """A path, or an address such as s3://bucket/texts, which stays a string."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Leave an address as it is: a path would lose one of its slashes."""
        if isinstance(value, str) and "://" in value:
            return value
        return super().convert(value, param, ctx)


class WholeNumber(click.IntRange):
    """A whole number within bounds; none is larger than arrays can count."""

    name = "whole number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Refuse a number beyond the bounds."""
        number = super().convert(value, param, ctx)
        if number >= 2**31 and self.max is None:
            self.fail("too large a number, expected at most 2147483647", param, ctx)
        return number


def number_or_auto(value: str | int) -> int | str:
    """Read a whole number of at least 1, or auto, few or many.

    Examples
    --------
    >>> number_or_auto("12"), number_or_auto("few")
    (12, 'few')
    """
    from coterie.types import ASKED

    text = str(value).strip()
    if text in ASKED:
        return text
    if not text.isdecimal() or int(text) < 1:
        raise click.BadParameter(
            f"expected a whole number of at least 1, or auto, few or many, got {text}"
        )
    return int(text)


def memory_size(value: str) -> str:
    """Read a size of memory, such as 4GiB or 500MB; a number alone is in GiB.

    Examples
    --------
    >>> memory_size("4GiB")
    '4GiB'
    """
    from coterie.memory import bytes_in

    try:
        bytes_in(value)
    except InputError as error:
        raise click.BadParameter(str(error).partition(": ")[2] + f", got {value}") from error
    return value


def frequency(value: str | float) -> int | float:
    """Read a document frequency: a number, such as 3, or a share, such as 0.1 or 10%.

    Examples
    --------
    >>> frequency("3"), frequency("0.1"), frequency("10%")
    (3, 0.1, 0.1)
    """
    text = str(value)
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = -1.0
    if text.isdecimal() and number >= 1:
        return int(text)
    share = number / 100 if text.endswith("%") else number
    if not 0 <= share <= 1 or text.isdecimal():
        raise click.BadParameter(
            f"expected a number of documents, such as 3, or a share, such as 10%, got {text}"
        )
    return share


def show(*renderables: Any) -> None:
    """Print results; in a pipe or a file, 100 columns wide and without trailing spaces."""
    from rich.console import Console

    as_they_are: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
    if sys.stdout.isatty():
        Console(**as_they_are).print(*renderables, sep="\n")
        return
    width = None if "COLUMNS" in os.environ else PIPED_WIDTH
    console = Console(width=width, **as_they_are)
    with console.capture() as captured:
        console.print(*renderables, sep="\n")
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def listing(
    headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: Collection[int] = ()
) -> Any:
    """A table without lines whose first column never wraps; some columns end on the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for number, heading in enumerate(headings):
        side: Any = "right" if number in right else "left"
        table.add_column(heading, no_wrap=number == 0 or number in right, justify=side)
    for row in rows:
        table.add_row(*(Text(each, overflow="fold") for each in row))
    return table


def plain(text: str) -> str:
    r"""Text from a corpus on one line, without characters that drive a terminal.

    Examples
    --------
    >>> plain("one\n two\x1b[31m")
    'one two[31m'
    """
    return "".join(each for each in " ".join(text.split()) if each.isprintable())


def spelled_out(text: str) -> str:
    r"""Text with what would drive a terminal spelled out, so that names stay known.

    Examples
    --------
    >>> print(spelled_out("menu\x1b[2J.txt: no words"))
    menu\x1b[2J.txt: no words
    """
    return text.translate({each: ascii(chr(each))[1:-1] for each in DRIVING})


def say(message: str) -> None:
    """Print a note or an error on the error stream; names in it may be anybody's.

    Where it cannot be written, as to a log on a full disk, the command goes on without it.
    """
    with suppress(OSError):
        click.echo(spelled_out(message), err=True)


def show_json(content: Any) -> None:
    """Print values as JSON, in which what would drive a terminal is escaped."""
    text = json.dumps(content, indent=1, ensure_ascii=False, default=str)
    click.echo(text.translate({each: f"\\u{each:04x}" for each in DRIVING}))


def show_csv(text: str) -> None:
    """Print a table as it is; on a terminal, what would drive it is spelled out."""
    click.echo(spelled_out(text) if sys.stdout.isatty() else text, nl=False, color=True)


@contextmanager
def writing_results() -> Iterator[Callable[[], bool]]:
    """A block that writes results and says so; a Ctrl-C in it ends the command after it.

    Yields whether there was one, so that less may be shown.
    """
    with unstopped("The results are being written; Ctrl-C again stops at once") as asked:
        yield asked
    if asked():
        raise click.exceptions.Exit(STOPPED)


@contextmanager
def unstopped(note: str = "") -> Iterator[Callable[[], bool]]:
    """A block that the first Ctrl-C does not stop; yields whether there was one.

    The first Ctrl-C prints a note; a second one raises KeyboardInterrupt at once. Where Ctrl-C
    is ignored or somebody else handles it, that stays so.
    """
    stops: list[int] = []

    def stop(number: int, _: Any) -> None:
        if stops:
            raise KeyboardInterrupt
        stops.append(number)
        if note:
            say(note)

    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: False
        return
    signal.signal(signal.SIGINT, stop)
    try:
        yield lambda: bool(stops)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
