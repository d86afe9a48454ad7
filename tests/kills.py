"""A process as if killed: from some operation on, the disk is out of its reach.

Python announces every operation on files to audit hooks before it is done. From the chosen one
on, each of them raises, those of clean-up code too, so that the disk is left as by a kill.
"""

import sys
from contextlib import contextmanager

OPERATIONS = {
    "open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.chmod",
    "ctypes.dlsym",
}  # fmt: skip


class Killed(BaseException):
    """The process is dead."""


class _Disk:
    left = None  # operations until the kill


def _count(event, _):
    if _Disk.left is not None and event in OPERATIONS:
        _Disk.left -= 1
        if _Disk.left < 0:
            raise Killed


sys.addaudithook(_count)


@contextmanager
def killed_after(n_operations):
    """Kill the block after some operations on the disk; yields a list, empty unless killed."""
    kills = []
    _Disk.left = n_operations
    try:
        yield kills
    except Killed as kill:
        kills.append(kill)
    finally:
        _Disk.left = None


def contents(folder):
    """Every file below a folder with its bytes, every folder with None."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }
