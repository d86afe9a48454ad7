"""Single files that commands write where they are asked to: a table, a picture."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coterie.commands.options import option
from coterie.errors import InputError

replace_file = option(
    "--replace", "replace_it", is_flag=True,
    help="Replace FILE where it exists (default: it is refused).",
)  # fmt: skip


def check_file(path: Path, replace: bool) -> None:
    """Refuse a file that cannot be written, or that exists and is not to be replaced."""
    if path.is_dir():
        raise InputError(f"{path}: a folder, expected a file to write")
    if not path.parent.is_dir():
        raise InputError(f"{path.parent}: no such folder, to write {path.name} in")
    if os.path.lexists(path) and not replace:
        raise InputError(f"{path}: exists already; choose another name, or add --replace")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: not a file that can be replaced; choose another name")


@contextmanager
def file_to_write(path: Path, replace: bool) -> Iterator[Path]:
    """Give the path of a draft, which gets its name and place when the block succeeds.

    Examples
    --------
    >>> path = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with file_to_write(path, replace=False) as draft:
    ...     _ = draft.write_text("tea")
    >>> path.read_text()
    'tea'
    """
    try:
        with tempfile.TemporaryDirectory(prefix=".coterie-", dir=path.parent) as name:
            draft = Path(name) / path.name
            yield draft
            check_file(path, replace)  # it may have come in the meantime
            draft.replace(path)
    except OSError as error:  # which names the draft, or as that of a full disk nothing
        error.filename = str(path)
        raise
