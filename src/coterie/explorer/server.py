"""The explorer served on the loopback interface, until Ctrl-C."""

import asyncio
import contextlib
import os
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from coterie.errors import InputError
from coterie.explorer.api import application
from coterie.explorer.guard import Guard
from coterie.explorer.workspace import Workspace

LOOPBACK = "127.0.0.1"
ALL_INTERFACES = "0.0.0.0"
MARKS_OF_CONTAINERS = (Path("/.dockerenv"), Path("/run/.containerenv"))
REDIRECT = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>Coterie</title>
<p><a href="{address}">Open the explorer</a></p>
"""


class Server:
    """A listening socket, the guard before the application, and its address with the token."""

    def __init__(
        self, workspace: Workspace, port: int = 0, *, in_container: bool = False
    ) -> None:
        self.socket = listening(port, in_container=in_container)
        self.port = int(self.socket.getsockname()[1])
        self.guard = Guard(application(workspace), self.port)
        settings = uvicorn.Config(
            self.guard, log_level="warning", access_log=False, server_header=False,
            date_header=False, lifespan="off", ws="none", proxy_headers=False,
            timeout_graceful_shutdown=2, h11_max_incomplete_event_size=1 << 16,
        )  # fmt: skip
        self._server = uvicorn.Server(settings)

    @property
    def address(self) -> str:
        """What to open; the token is in the fragment, which browsers never send."""
        return f"http://{LOOPBACK}:{self.port}/#{self.guard.token}"

    def run(self, started: Callable[[], object] = lambda: None) -> None:
        """Serve until Ctrl-C."""

        async def serve() -> None:
            task = asyncio.create_task(self._server.serve(sockets=[self.socket]))
            while not self._server.started and not task.done():
                await asyncio.sleep(0.01)
            started()
            await task

        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(serve())

    def end(self) -> None:
        """Ask the server to end."""
        self._server.should_exit = True


def listening(port: int, *, in_container: bool = False) -> socket.socket:
    """A socket on the loopback interface, at this port or, for 0, at any that is free.

    The loopback interface of a container cannot be reached from its host. There, when told, all
    interfaces of the container are listened on; whoever runs it publishes the port, under the
    same number, to the loopback interface of the host. The guard asks for the same as ever.
    """
    if in_container:
        refuse_open(port)
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((ALL_INTERFACES if in_container else LOOPBACK, port))
        opened.listen()
    except OSError as error:
        opened.close()
        raise InputError(
            f"port {port}: not free ({error.strerror}); choose another with --port"
        ) from error
    return opened


def refuse_open(port: int) -> None:
    """Refuse all interfaces of a machine, and a port that nobody can publish beforehand."""
    in_one = "container" in os.environ or any(each.exists() for each in MARKS_OF_CONTAINERS)
    if not in_one:
        raise InputError(
            "--in-container: this is no container, and others could reach the explorer; leave "
            "the option out"
        )
    if not port:
        raise InputError(
            "--in-container: choose the port that is published, as --port 8765 for "
            "docker run -p 127.0.0.1:8765:8765"
        )


@contextmanager
def browser_opener(address: str) -> Iterator[Callable[[], threading.Thread]]:
    """A function that opens the address in a browser.

    The browser gets a file that only this user can read and that leads to the address: what a
    program is started with can be seen by every user of the machine.
    """
    with tempfile.TemporaryDirectory(prefix="coterie-explorer-") as folder:
        file = Path(folder) / "open.html"
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(REDIRECT.format(address=address))

        def show() -> threading.Thread:
            opening = threading.Thread(
                target=webbrowser.open, args=[file.as_uri()], daemon=True
            )
            opening.start()
            return opening

        yield show
