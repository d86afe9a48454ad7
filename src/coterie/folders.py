"""A folder replaced as a whole: after a kill it is the old one or the new one, never a mixture.

A folder that Coterie wrote holds a record: one file that lists the others with their SHA-256.
A file is ours if the record lists it and its bytes are unchanged; nothing else is ever replaced
or removed, wherever it lies.

`replacing` lets its block write a draft in a hidden folder beside the target, and makes it
visible in one step: a rename where there is no target, else an exchange of the two folders.
Files of other people are linked into the draft before the exchange. Where folders cannot be
exchanged (a mount point, the current folder, some file systems) the hidden folder lies in the
target; the draft counts from the moment it is renamed to "ready", and its files move in one by
one. What is left to do after that step is done by `settle`: at once, or, after a kill, by the
next write or the next load. The name of the draft tells how far the write came:

- "draft": not finished, so it is removed;
- "swapped": exchanged, or about to be; what is not ours goes back to the target;
- "ready", "gone": its files move in, or, without a record, ours are removed.
"""

import ctypes
import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

from coterie.errors import InputError

RECORD = "coterie.json"
RECORD_LAYOUT = 1
RUN = "coterie-run"  # names the run among the metadata of a page or a Parquet file
MANIFEST = "manifest.json"
INSIDE, BESIDE = ".coterie-inside-", ".coterie-beside-"
MARK = "mark.json"
DRAFT, SWAPPED, READY, GONE = "draft", "swapped", "ready", "gone"
MOST_LINKED = 1000
MOST_JSON = 1 << 30  # bytes; the words of a large vocabulary are a tenth of it
EXCHANGE = 2  # the flag of renameat2 on Linux and of renamex_np on macOS
CURRENT_FOLDER = -100
NO_RECORD = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


def file_checksum(file: Path) -> str:
    """The SHA-256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def content_checksum(content: Mapping[str, Any]) -> str:
    """The SHA-256 of values as JSON, without their own `checksum`."""
    rest = {key: value for key, value in content.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def write_record(folder: Path, kind: str, run: str) -> None:
    """List every file of a folder with its SHA-256, and the run that wrote them.

    Examples
    --------
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("a")
    >>> write_record(folder, "example", "run 1")
    >>> sorted(written(folder, RECORD))
    ['a.txt', 'coterie.json']
    """
    files = {name: file_checksum(folder / name) for name in sorted(_contents(folder)[0])}
    record = {"kind": kind, "layout": RECORD_LAYOUT, "run": run, "files": files}
    record["checksum"] = content_checksum(record)
    (folder / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="ascii")


def read_record(folder: Path, record: str) -> dict[str, Any]:
    """The record of a folder; empty where there is none, or where somebody changed it."""
    try:
        content = read_json(folder / record)
        genuine = content["checksum"] == content_checksum(content)
        inside = _are_inside(folder, _listed(content))
    except NO_RECORD:
        return {}
    return dict(content) if genuine and inside else {}


def read_json(file: Path) -> Any:
    """Read a file of values; a file that is none, or that would fill the memory, is refused."""
    if not file.is_file():  # a pipe would be waited for
        raise FileNotFoundError(errno.ENOENT, "no such file", str(file))
    if file.stat().st_size > MOST_JSON:
        raise ValueError(f"larger than {MOST_JSON:,} bytes")
    return json.loads(file.read_text(encoding="utf-8"))


def _are_inside(folder: Path, names: Iterable[str]) -> bool:
    """Tell whether names are files in a folder: none is the folder itself, climbs out of it
    or goes through a link."""
    paths = [PurePosixPath(name) for name in names]
    if any(not path.name or path.is_absolute() or ".." in path.parts for path in paths):
        return False
    base = os.path.realpath(folder)
    around = {Path(base, path.parent) for path in paths}
    return all(os.path.realpath(each) == str(each) for each in around)


def written(folder: Path, record: str) -> dict[str, str]:
    """The files that Coterie wrote in a folder, with their SHA-256, the record last."""
    content = read_record(folder, record)
    return {**_listed(content), record: file_checksum(folder / record)} if content else {}


def _listed(content: Mapping[str, Any]) -> dict[str, str]:
    if "files" in content:
        return dict(content["files"])
    return {f"{name}.npy": checksum for name, checksum in content["arrays"].items()}


def refuse_changed(folder: Path, record: str) -> None:
    """Refuse to replace a file that was changed since Coterie wrote it."""
    for name, checksum in written(folder, record).items():
        if os.path.lexists(folder / name) and not _is_unchanged(folder / name, checksum):
            raise InputError(
                f"{folder / name}: changed since Coterie wrote it, so it is not replaced; move "
                "it away or choose another folder"
            )


def _is_unchanged(file: Path, checksum: str) -> bool:
    return file.is_file() and not file.is_symlink() and file_checksum(file) == checksum


def _ours(folder: Path, record: str) -> list[str]:
    """The files in a folder that Coterie wrote and nobody changed, the record last."""
    listed = written(folder, record).items()
    return [name for name, checksum in listed if _is_unchanged(folder / name, checksum)]


def _contents(folder: Path) -> tuple[list[str], list[str]]:
    """Everything below a folder that is no folder, and the folders, outer ones first."""
    files: list[str] = []
    folders: list[str] = []
    for root, below, names in os.walk(folder):
        inside = Path(root).relative_to(folder)
        for name in below:
            linked = Path(root, name).is_symlink()
            (files if linked else folders).append((inside / name).as_posix())
        files += [(inside / name).as_posix() for name in names]
    return files, folders


def linked_to(path: Path) -> Path:
    """The whole path that a path leads to, through links."""
    found = Path(os.path.realpath(path))
    for each in (found, *found.parents):
        if each.is_symlink():
            raise InputError(f"{each}: a link that leads back to itself")
    return found


def refuse_unwritable(folder: Path, what: str) -> None:
    """Refuse a folder that this user may not write to, or not make, before work is done."""
    around = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not around.is_dir():
        raise InputError(f"{around}: a file, expected a folder for the {what}")
    if not os.access(around, os.W_OK | os.X_OK):
        raise InputError(f"{around}: not allowed to write {what} there")


@contextmanager
def replacing(path: Path, record: str = MANIFEST) -> Iterator[Path]:
    """Give an empty folder to write in, which replaces `path` when the block succeeds.

    Of what is in `path`, only files that its record lists and that are unchanged give way; all
    others stay. The block writes the record too. Without one, our files in `path` are removed.

    Examples
    --------
    >>> folder = Path(tempfile.mkdtemp()) / "saved"
    >>> with replacing(folder, RECORD) as draft:
    ...     _ = (draft / "a.txt").write_text("a")
    ...     write_record(draft, "example", "run 1")
    >>> sorted(each.name for each in folder.iterdir())
    ['a.txt', 'coterie.json']
    """
    path = linked_to(path)
    with _folders_around(path):
        settle(path)
        inside = _works_inside(path, record)
        prefix, around = (INSIDE, path) if inside else (_beside(path), path.parent)
        place = Path(tempfile.mkdtemp(prefix=prefix, dir=around))
        try:
            with _locked(place):
                mark = {"kind": "draft", "for": path.name, "record": record}
                (place / MARK).write_text(json.dumps(mark), encoding="ascii")
                (place / DRAFT).mkdir()
                yield place / DRAFT
                _sync_files(place / DRAFT)
                _make_visible(place, path, record)
        except OSError as error:  # which names the draft, or as that of a full disk nothing
            named = str(error.filename or path)
            error.filename = named.replace(str(place / DRAFT), str(path))
            raise
        finally:
            settle(path)


@contextmanager
def _folders_around(path: Path) -> Iterator[None]:
    """Make the folders that `path` lies in, and take them away if the block fails."""
    missing = [each for each in path.parents if not each.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as undo:
        for each in reversed(missing):
            undo.callback(each.rmdir)
        yield
        undo.pop_all()


def _beside(path: Path) -> str:
    """How the names of hidden folders beside `path` begin."""
    return f"{BESIDE}{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:12]}-"


def _works_inside(path: Path, record: str) -> bool:
    """Tell whether `path` had better stay the same folder, and get its files one by one."""
    if not path.is_dir():
        return False
    writable = os.access(path.parent, os.W_OK | os.X_OK)
    if not writable or os.path.ismount(path) or Path.cwd().is_relative_to(path):
        return True
    ours, (files, _) = written(path, record), _contents(path)
    n_others = len(set(files) - ours.keys())
    return n_others > (MOST_LINKED if ours else 0)


def _make_visible(place: Path, path: Path, record: str) -> None:
    """Turn a draft into what counts, by one step."""
    draft = place / DRAFT
    if not os.path.lexists(path):
        draft.rename(path)
    elif place.parent == path or not _exchanged(place, path, record):
        if place.parent != path:
            place = place.rename(path / place.name.replace(BESIDE, INSIDE))
        has_record = (place / DRAFT / record).exists()
        (place / DRAFT).rename(place / (READY if has_record else GONE))
        _sync_folder(place)
    _sync_folder(path.parent)


def _exchanged(place: Path, path: Path, record: str) -> bool:
    """Exchange draft and target, with links to what others have there; False if impossible."""
    draft, swapped = place / DRAFT, place / SWAPPED
    try:
        _link_others(path, draft, record)
        draft.rename(swapped)
        _exchange(swapped, path)
    except OSError:
        if swapped.exists():
            swapped.rename(draft)
        return False
    _sync_folder(place)
    return True


def _link_others(path: Path, draft: Path, record: str) -> None:
    """Let a draft hold what others have in the target: the same files, under a second name."""
    files, folders = _contents(path)
    for name in folders:
        (draft / name).mkdir(exist_ok=True)
        shutil.copymode(path / name, draft / name)
    for name in set(files).difference(written(path, record)):
        os.link(path / name, draft / name, follow_symlinks=False)
    shutil.copymode(path, draft)
    for name in ("", *folders):
        _sync_folder(draft / name)


def _exchange(one: Path, other: Path) -> None:
    """Exchange two folders in one step of the file system, or raise OSError."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        first, second = os.fsencode(one), os.fsencode(other)
        if hasattr(library, "renameat2"):
            failed = library.renameat2(CURRENT_FOLDER, first, CURRENT_FOLDER, second, EXCHANGE)
        else:
            failed = library.renamex_np(first, second, EXCHANGE)
    except (AttributeError, TypeError) as error:
        raise OSError(errno.ENOSYS, "folders cannot be exchanged") from error
    if failed:
        raise OSError(ctypes.get_errno(), "folders cannot be exchanged", str(other))


def settle(path: Path) -> None:
    """Do what a write to `path` left to do, its own end or that of a killed one."""
    path = linked_to(path)
    if path.parent.is_dir():
        _settle_all(path.parent.glob(f"{_beside(path)}*"), path)
    _settle_all(path.glob(f"{INSIDE}*"), path)


def finish_moving_in(path: Path) -> None:
    """Let a reader find whole what a killed write was moving into `path`.

    Of a write to the folder around it, as that of results to a model in them, only what lies
    below `path` is moved: to read a folder changes nothing outside it.
    """
    path = linked_to(path)
    with suppress(OSError):
        _settle_all(path.glob(f"{INSIDE}*"), path)
    with suppress(OSError):
        for place in _free(path.parent.glob(f"{INSIDE}*")):
            if _marked_record(place) == RECORD and _is_folder(place / READY):
                _move_in(place / READY, path.parent, RECORD, below=f"{path.name}/")


def _settle_all(places: Iterable[Path], path: Path) -> None:
    for place in _free(places):
        _settle_one(place, path)


def _free(places: Iterable[Path]) -> Iterator[Path]:
    """The hidden folders that no living process writes, each locked while it is looked at."""
    for place in list(places):
        with _locked(place) as free:
            if free:
                yield place


def _settle_one(place: Path, path: Path) -> None:
    record = _marked_record(place)
    if not record:
        _remove_unmarked(place)
        return
    is_there = {name: _is_folder(place / name) for name in (DRAFT, SWAPPED, READY, GONE)}
    if is_there[READY]:
        _move_in(place / READY, path, record)
    if is_there[GONE]:
        _remove(path, _ours(path, record))
    if is_there[SWAPPED]:
        _give_back(place / SWAPPED, path, record)
    for name in (DRAFT, READY, GONE):
        if is_there[name]:
            shutil.rmtree(place / name)
    if {each.name for each in place.iterdir()} == {MARK}:
        (place / MARK).unlink()
        place.rmdir()


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _marked_record(place: Path) -> str:
    """The name of the record a hidden folder of ours is about; empty for another folder."""
    try:
        mark = read_json(place / MARK)
        known = mark["kind"] == "draft" and mark["record"] in (RECORD, MANIFEST)
        return str(mark["record"]) if known else ""
    except NO_RECORD:
        return ""


def _remove_unmarked(place: Path) -> None:
    """Remove a folder if it is as empty as one that was killed before it was marked."""
    with suppress(OSError):
        if (place / MARK).is_file() and not (place / MARK).stat().st_size:
            (place / MARK).unlink()
        place.rmdir()


def _remove(folder: Path, names: list[str]) -> None:
    for name in names:
        (folder / name).unlink()


def _move_in(ready: Path, path: Path, record: str, below: str = "") -> None:
    """Move the files of a record in, the record last; what others have there steps aside.

    Only files whose names begin with `below` are moved or removed.
    """
    new, old = written(ready, record), written(path, record)
    if not new or not _are_inside(path, new):
        return
    for name, checksum in old.items():
        gone = name.startswith(below) and name not in new
        if gone and _is_unchanged(path / name, checksum):
            (path / name).unlink()
    for name, checksum in new.items():
        source, target = ready / name, path / name
        if not name.startswith(below) or not source.exists():
            continue
        known = {checksum, old.get(name, checksum)}
        if os.path.lexists(target) and not any(_is_unchanged(target, each) for each in known):
            target.rename(free_name(target))
        target.parent.mkdir(parents=True, exist_ok=True)
        source.replace(target)
        _sync_folder(target.parent)


def _give_back(swapped: Path, path: Path, record: str) -> None:
    """Empty the folder that was exchanged: ours is removed, the rest goes to the target."""
    ours = _ours(swapped, record)
    files, folders = _contents(swapped)
    if not _are_inside(path, files):
        return
    for name in set(files).difference(ours):
        source, target = swapped / name, path / name
        if _is_same(source, target):
            source.unlink()
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(free_name(target))
    _remove(swapped, ours)
    with suppress(OSError):  # somebody wrote a file meanwhile: the next write gives it back
        for name in (*reversed(folders), ""):
            (swapped / name).rmdir()


def _is_same(one: Path, other: Path) -> bool:
    return os.path.lexists(other) and os.path.samestat(one.lstat(), other.lstat())


def free_name(file: Path) -> Path:
    """The name of a file, or the first with a number that is free.

    Examples
    --------
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("a")
    >>> free_name(folder / "a.txt").name, free_name(folder / "b.txt").name
    ('a-2.txt', 'b.txt')
    """
    number, free = 2, file
    while os.path.lexists(free):
        free = file.with_name(f"{file.stem}-{number}{file.suffix}")
        number += 1
    return free


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """A block that one process at a time runs for a folder, where the system can tell.

    Whoever waited must look at the folder again: it may be another one by now.
    """
    handle = None
    with suppress(ImportError, OSError):  # not a POSIX system, or nothing there yet
        import fcntl

        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


@contextmanager
def _locked(place: Path) -> Iterator[bool]:
    """Lock a hidden folder for the block; False where the process that writes it lives.

    It is False too for one that neither this user nor the owner of the folder around it made:
    in a folder that all may write to, as /tmp, it may be anybody's.
    """
    try:
        import fcntl
    except ImportError:  # not a POSIX system: two writers at once are not told apart
        yield True
        return
    try:
        handle = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = True
    except OSError as error:
        free = error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    try:
        yield free and os.fstat(handle).st_uid in (os.geteuid(), place.parent.stat().st_uid)
    finally:
        os.close(handle)


def _sync_files(folder: Path) -> None:
    """Wait until the files and folders of a draft are on the disk."""
    files, folders = _contents(folder)
    for name in files:
        with (folder / name).open("r+b") as stream:
            os.fsync(stream.fileno())
    for name in ("", *folders):
        _sync_folder(folder / name)


def _sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can tell."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
