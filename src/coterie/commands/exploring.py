"""The command that opens the explorer."""

import importlib.util
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coterie import terminal
from coterie.commands.options import columns_options, names_in
from coterie.errors import InputError

if TYPE_CHECKING:
    from coterie.explorer.workspace import Workspace

EXTRA = "explorer"
NEEDED = ("starlette", "uvicorn", "python_multipart")
option = partial(click.option, cls=terminal.Option)


@click.command(cls=terminal.Command)
@click.argument("path", type=terminal.NamedPath(path_type=Path), required=False)
@option("-k", "n_clusters", type=terminal.number_or_auto, metavar="N",
        help="Number of clusters, or few or many (default: estimated).")  # fmt: skip
@option("--method", metavar="NAME",
        help="Clustering method; `coterie methods` lists them (default: auto).")  # fmt: skip
@option("--seed", type=terminal.WholeNumber(0, 2**32 - 1), default=0, metavar="N",
        help="Seed; the same seed gives the same result (default: 0).")  # fmt: skip
@option("--port", type=terminal.WholeNumber(0, 65535), default=0, metavar="N",
        help="Port on this machine (default: any that is free).")  # fmt: skip
@option("--no-browser", is_flag=True, help="Address printed, no browser opened.")
@option("--in-container", is_flag=True,
        help="Listening for the host of this container, whose --port is published to 127.0.0.1 "
        "of the host only; no browser opened.")  # fmt: skip
@columns_options
def explore(
    path: Path | None, port: int, no_browser: bool, in_container: bool, **settings: Any
) -> None:
    """Open the explorer in a browser on this machine.

    PATH is what `coterie cluster` takes, to be clustered, or a folder written by
    `coterie cluster --out`, to be looked at and edited; edits are saved in it. Without PATH,
    drop files on the page. What was open the last time is open again. Only this machine can
    reach the page, and only with the address that is printed. Ctrl-C ends the explorer.

    \b
    Examples:
      coterie explore
      coterie explore letters/
      coterie explore reviews.csv --text body -k 8
      coterie explore results
    """
    _refuse_without_extra()
    from coterie.explorer.sampling import warm_up
    from coterie.explorer.server import Server, browser_opener, refuse_open
    from coterie.explorer.store import session
    from coterie.explorer.workspace import Workspace

    if in_container:
        refuse_open(port)
    with session() as store:
        workspace = Workspace(store)
        try:
            if path is not None:
                _open(workspace, path, settings)
            else:
                threading.Thread(target=warm_up, daemon=True).start()
            server = Server(workspace, port, in_container=in_container)
            click.echo(f"The explorer is at {server.address}")  # a link must stay on one line
            terminal.say("Ctrl-C ends it; what is open stays saved.")
            with browser_opener(server.address) as show:
                server.run((lambda: None) if no_browser or in_container else show)
        finally:
            workspace.end()


def _refuse_without_extra() -> None:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(
            f"the explorer needs an extra; install it by pip install coterie[{EXTRA}]"
        )


def _open(workspace: "Workspace", path: Path, settings: dict[str, Any]) -> None:
    """Open a folder of results, or cluster what a path holds."""
    from coterie.folders import RECORD

    if (path / RECORD).is_file():
        workspace.open_folder(path)
        return
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if settings["limits"]:
        raise InputError(
            "--limit: not for the explorer; use `coterie cluster --out`, then explore that"
        )
    wanted = {
        "n_clusters": settings["n_clusters"] if settings["n_clusters"] != "auto" else None,
        "method": settings["method"],
        "seed": settings["seed"],
        "text": names_in(settings["text"]),
        "id": settings["id_column"],
        "title": settings["title"],
        "label": settings["label"],
    }
    request = {name: value for name, value in wanted.items() if value}
    workspace.cluster(path.resolve(), path.resolve().name, request)


COMMANDS = (explore,)
