"""Open results on disk, so that neither a crash nor a closed browser loses anything.

A session is a folder that one explorer at a time uses. Each result in it has a folder of its
own: `node.json` says what it is and where it came from, `result/` is a folder of results as
`coterie cluster --out` writes it, `edits.json` and `parts/` hold the edits made since.
"""

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from coterie.errors import InputError

NODE, NODES, RESULT, UPLOADS = "node.json", "nodes", "result", "uploads"
NEW, FITTING, READY, FAILED = "new", "fitting", "ready", "failed"
IDENTIFIER = re.compile(r"[0-9a-f]{16}")
MOST_SESSIONS = 100
PRIVATE = 0o700


@dataclass
class Node:
    """A result and its place in the tree of results.

    `made_by` is "opened", "clustered", "gathered", "again" or "steered"; all but the first two
    have a `parent`. `clusters` are the numbers gathered from it. `folder` is where an opened
    result lies; others lie in the session. `request` is how to cluster, by which an interrupted
    fit can begin again.
    """

    id: str
    title: str
    made_by: str = "clustered"
    parent: str | None = None
    clusters: list[int] = field(default_factory=list)
    status: str = NEW
    error: str = ""
    folder: str = ""
    source: str = ""
    request: dict[str, Any] = field(default_factory=dict)
    created: float = 0.0
    closed: bool = False


class Store:
    """The nodes of one session, each saved whenever it changes.

    Examples
    --------
    >>> import tempfile
    >>> store = Store(Path(tempfile.mkdtemp()))
    >>> node = store.add(Node(new_identifier(), "Letters"))
    >>> Store(store.root).nodes[node.id].title
    'Letters'
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in (NODES, UPLOADS):
            (root / name).mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        found = [_read(each) for each in (root / NODES).iterdir() if each.is_dir()]
        known = sorted((each for each in found if each), key=lambda node: node.created)
        self.nodes = {node.id: node for node in known}
        for node in self.nodes.values():
            if node.status == FITTING:
                node.status = NEW

    def add(self, node: Node) -> Node:
        """Take a new node into the session."""
        node.created = time.time()
        self.folder(node).mkdir(mode=PRIVATE)
        self.nodes[node.id] = node
        self.save(node)
        return node

    def save(self, node: Node) -> None:
        """Write what is known of a node."""
        write_whole(self.folder(node) / NODE, asdict(node))

    def remove(self, node: Node) -> None:
        """Remove a node with all it holds in the session; an opened folder stays."""
        del self.nodes[node.id]
        shutil.rmtree(self.folder(node), ignore_errors=True)

    def folder(self, node: Node) -> Path:
        """The folder of a node in the session."""
        return self.root / NODES / node.id

    def result(self, node: Node) -> Path:
        """The folder of results of a node."""
        return Path(node.folder) if node.folder else self.folder(node) / RESULT

    def children(self, node: Node) -> list[Node]:
        """The nodes that were made from a node."""
        return [each for each in self.nodes.values() if each.parent == node.id]


def new_identifier() -> str:
    """A name that nobody can guess and no path can hold."""
    return secrets.token_hex(8)


def _read(folder: Path) -> Node | None:
    """The node of a folder; None where a kill left none."""
    try:
        values = json.loads((folder / NODE).read_text(encoding="utf-8"))
        known = {each.name for each in fields(Node)}
        node = Node(**{name: value for name, value in values.items() if name in known})
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return node if node.id == folder.name and IDENTIFIER.fullmatch(node.id) else None


def write_whole(file: Path, content: Any) -> None:
    """Write JSON so that after a kill the file is the old or the new one."""
    draft = file.with_name(f".{file.name}.draft")
    with draft.open("w", encoding="utf-8") as stream:
        json.dump(content, stream, ensure_ascii=True, allow_nan=False)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(file)


def sessions_folder() -> Path:
    """Where sessions lie: in the data folder of whoever runs the explorer."""
    from platformdirs import user_data_path

    return user_data_path("coterie", appauthor=False) / "explorer"


@contextmanager
def session(sessions: Path | None = None) -> Iterator[Store]:
    """The first session that no other explorer uses, for the block."""
    around = sessions_folder() if sessions is None else sessions
    around.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
    for number in range(1, MOST_SESSIONS + 1):
        root = around / str(number)
        root.mkdir(exist_ok=True, mode=PRIVATE)
        handle = _locked(root)
        if handle is None:
            continue
        try:
            yield Store(root)
        finally:
            os.close(handle)
        return
    raise InputError(f"{around}: {MOST_SESSIONS} explorers are running; end one of them")


def _locked(root: Path) -> int | None:
    """A handle that locks a session, or None where another explorer has it."""
    handle = os.open(root / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:  # not a POSIX system: two explorers at once are not told apart
        pass
    except OSError:
        with suppress(OSError):
            os.close(handle)
        return None
    return handle
