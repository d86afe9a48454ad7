"""Saving: values and arrays as a folder, written whole or not at all, and checked when read.

This module alone knows the files. `manifest.json` holds what kind of folder it is, the version
of the layout, plain values, and a checksum of every array; each array is a `.npy` file. Nothing
is pickled, so a folder from a stranger cannot run code.
"""

import io
import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from coterie.errors import InputError
from coterie.folders import (
    MANIFEST,
    content_checksum,
    file_checksum,
    finish_moving_in,
    read_json,
    read_record,
    refuse_changed,
    refuse_unwritable,
    replacing,
    settle,
)
from coterie.schema import MOST, check_rows

LAYOUT = 2
MARK = "$"  # begins the key of a value that JSON cannot hold as it is
LONGEST_NAME = 150
LONGEST_HEADER = 1 << 16  # bytes of a .npy file before its numbers; numpy reads 10,000
DEEPEST = 100  # lists and mappings inside one another
MOST_AXES = 32
AGAIN = "make it again with this one (results: coterie cluster PATH --out FOLDER)"
UNREADABLE = (
    ValueError, KeyError, TypeError, SyntaxError, TokenError, RecursionError, MemoryError,
)  # fmt: skip
HEADERS: dict[tuple[int, int], Callable[[Any], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
Arrays = dict[str, npt.NDArray[Any]]
Pack = Callable[[Any, str], Any]
Unpack = Callable[[Any], Any]


def refuse_object(value: Any, name: str) -> Any:
    """Refuse an object that is no plain value, array or collection of these."""
    raise InputError(
        f"{name} is of type {type(value).__name__}, which cannot be saved; expected numbers, "
        "strings, arrays, or lists and mappings of them"
    )


def save(
    path: str | os.PathLike[str],
    kind: str,
    content: Mapping[str, Any],
    pack: Pack = refuse_object,
) -> None:
    """Write values, arrays, and nested lists and mappings of them as the folder `path`.

    `pack` turns any other object, called with it and its name, into such values; `load` calls
    `unpack` with them.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "saved"
    >>> save(folder, "example", {"answer": (42, np.arange(3)), "none": [None]})
    >>> load(folder, "example")
    {'answer': (42, array([0, 1, 2])), 'none': [None]}
    """
    flattener = _Flattener(pack)
    values = {name: flattener.plain(value, name) for name, value in content.items()}
    save_folder(path, kind, values, flattener.arrays)


def load(
    path: str | os.PathLike[str], kind: str, unpack: Unpack = lambda packed: packed
) -> dict[str, Any]:
    """Read what `save` wrote; what an error of `unpack` says is said of the folder."""
    values, arrays = load_folder(path, kind)
    rebuilder = _Rebuilder(arrays, unpack)
    with understood(path):
        rebuilt = {name: rebuilder.value(value, name) for name, value in values.items()}
        rebuilder.refuse_unused()
    return rebuilt


@contextmanager
def named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the folder in what is said of its content."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


@contextmanager
def understood(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name a folder whose content does not fit this version, and say what to do."""
    try:
        yield
    except InputError as error:
        raise InputError(
            f"{path}: {error}. It was changed, or saved by another version of Coterie; {AGAIN}"
        ) from error


class _Flattener:
    """Turns nested values into what JSON holds, and collects their arrays by name."""

    def __init__(self, pack: Pack) -> None:
        self.arrays: Arrays = {}
        self._pack = pack
        self._files: set[str] = set()

    def plain(self, value: Any, name: str) -> Any:
        """A value as JSON holds it."""
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, list):
            return self._items(value, name)
        if isinstance(value, tuple):
            return {"$tuple": self._items(value, name)}
        if isinstance(value, Mapping):
            return self._mapping(value, name)
        return self._array(value, name)

    def _items(self, values: Any, name: str) -> list[Any]:
        return [self.plain(value, f"{name}-{number}") for number, value in enumerate(values)]

    def _mapping(self, values: Mapping[Any, Any], name: str) -> dict[str, Any]:
        if all(isinstance(key, str) and not key.startswith(MARK) for key in values):
            return {key: self.plain(value, f"{name}-{key}") for key, value in values.items()}
        return {"$mapping": self._items([list(item) for item in values.items()], name)}

    def _array(self, value: Any, name: str) -> dict[str, Any]:
        if sp.issparse(value):
            rows = sp.csr_array(value)
            parts = {part: getattr(rows, part) for part in ("data", "indices", "indptr")}
            return {"$sparse": [self._mapping(parts, name), list(rows.shape)]}
        if not isinstance(value, np.ndarray):
            return {"$object": self.plain(self._pack(value, name), name)}
        if value.dtype == object:
            return {"$objects": [self._items(value.ravel().tolist(), name), list(value.shape)]}
        file = self._file(name)
        self.arrays[file] = value
        return {"$array": file}

    def _file(self, name: str) -> str:
        """A name for a file that no other has, even where case is ignored."""
        usable = re.fullmatch(r"[\w.-]+", name, re.ASCII) and len(name) <= LONGEST_NAME
        if not usable or name.lower() in self._files:
            name = f"array-{len(self._files)}"
        self._files.add(name.lower())
        return name


class _Rebuilder:
    """Makes the values that `_Flattener` made plain; what it cannot have written is refused."""

    def __init__(self, arrays: Arrays, unpack: Unpack) -> None:
        self._arrays = dict(arrays)
        self._unpack = unpack

    def value(self, value: Any, name: str) -> Any:
        """A value as it was before it was made plain."""
        if isinstance(value, list):
            return self._items(value, name)
        if not isinstance(value, dict):
            return value
        mark = next(iter(value), "")
        if not mark.startswith(MARK):
            return {key: self.value(item, f"{name}-{key}") for key, item in value.items()}
        builders: dict[str, Callable[[Any, str], Any]] = {
            "$array": self._array,
            "$tuple": lambda items, name: tuple(self._items(items, name)),
            "$mapping": self._mapping,
            "$objects": self._objects,
            "$sparse": self._sparse,
            "$object": lambda packed, name: self._unpack(self.value(packed, name)),
        }
        if len(value) != 1 or mark not in builders:
            raise InputError(f"{name}: {mark[:20]!r} and {len(value) - 1} more, not understood")
        return builders[mark](value[mark], name)

    def refuse_unused(self) -> None:
        """Refuse arrays that no value holds."""
        if self._arrays:
            raise InputError(
                f"{next(iter(self._arrays))}: not known; no value holds this array"
            )

    def _items(self, items: Any, name: str) -> list[Any]:
        if not isinstance(items, list):
            raise InputError(f"{name}: expected a list, got {type(items).__name__}")
        return [self.value(item, f"{name}-{number}") for number, item in enumerate(items)]

    def _array(self, file: Any, name: str) -> npt.NDArray[Any]:
        if not isinstance(file, str) or file not in self._arrays:
            raise InputError(f"{name}: no array of its own in the folder")
        return self._arrays.pop(file)

    def _mapping(self, items: Any, name: str) -> dict[Any, Any]:
        pairs = self._items(items, name)
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise InputError(f"{name}: expected pairs of keys and values")
        try:
            return dict(pairs)
        except TypeError as error:
            raise InputError(f"{name}: a list or mapping is a key") from error

    def _objects(self, saved: Any, name: str) -> npt.NDArray[Any]:
        if not isinstance(saved, list) or len(saved) != 2:
            raise InputError(f"{name}: expected items and a shape")
        items, shape = self._items(saved[0], name), saved[1]
        sides = shape if isinstance(shape, list) else []
        if not is_shape(sides):
            raise InputError(f"{name}: the shape is not one")
        if math.prod(sides) != len(items):
            raise InputError(f"{name}: {len(items)} items, expected {math.prod(sides)}")
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return array.reshape(sides)

    def _sparse(self, saved: Any, name: str) -> sp.csr_array:
        parts = saved[0] if isinstance(saved, list) and len(saved) == 2 else None
        if not isinstance(parts, dict) or list(parts) != ["data", "indices", "indptr"]:
            raise InputError(f"{name}: expected data, indices, indptr and a shape")
        data, indices, indptr = self.value(parts, name).values()
        check_rows(name, data, indices, indptr, saved[1])
        return sp.csr_array((data, indices, indptr), shape=tuple(saved[1]))


def save_folder(
    path: str | os.PathLike[str],
    kind: str,
    values: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
) -> None:
    """Write plain values, and arrays by name, as the folder `path`, replacing one saved there.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "saved"
    >>> save_folder(folder, "example", {"answer": 42}, {"x": np.arange(3)})
    >>> load_folder(folder, "example")
    ({'answer': 42}, {'x': array([0, 1, 2])})
    """
    path = Path(path)
    refuse_foreign(path, kind)
    with replacing(path) as folder:
        checksums = {}
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array, allow_pickle=False)
            checksums[name] = file_checksum(folder / f"{name}.npy")
        manifest = {"kind": kind, "layout": LAYOUT, "values": values, "arrays": checksums}
        manifest = json.loads(json.dumps(manifest, default=_plain))
        manifest["checksum"] = content_checksum(manifest)
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="ascii")


def refuse_foreign(path: Path, kind: str) -> None:
    """Refuse a folder that Coterie did not save as this kind, or whose files were changed.

    One that this user may not write to is refused too.
    """
    refuse_unwritable(path, f"{kind}s")
    settle(path)
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    if read_record(path, MANIFEST).get("kind") != kind:
        raise InputError(
            f"{path}: exists and was not saved by Coterie as a {kind}; choose another folder"
        )
    refuse_changed(path, MANIFEST)


def load_folder(
    path: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Read what `save_folder` wrote, or say what is missing, damaged, too new or too old."""
    path = Path(path)
    manifest = _read_manifest(path)
    layout = manifest["layout"]
    if layout != LAYOUT:
        age, advice = ("newer", "upgrade Coterie") if layout > LAYOUT else ("older", AGAIN)
        raise InputError(
            f"{path}: saved by a{'n' * (age == 'older')} {age} Coterie (layout {layout}, this "
            f"one reads {LAYOUT}); {advice}"
        )
    if manifest["kind"] != kind:
        raise InputError(f"{path}: holds a {manifest['kind']}, expected a {kind}")
    if manifest.get("checksum") != content_checksum(manifest):
        raise InputError(f"{path / MANIFEST}: damaged, its checksum does not match")
    arrays = {name: _load_array(path, name, sha) for name, sha in manifest["arrays"].items()}
    return manifest["values"], arrays


def remove_folder(path: str | os.PathLike[str]) -> None:
    """Remove what `save_folder` wrote; a folder that holds other files stays, with these."""
    path = Path(path)
    with replacing(path):
        pass
    with suppress(OSError):
        path.rmdir()


def _read_manifest(path: Path) -> dict[str, Any]:
    finish_moving_in(path)
    file = path / MANIFEST
    if not file.is_file():
        raise InputError(f"{path}: not a folder saved by Coterie, it has no {MANIFEST}")
    try:
        manifest = read_json(file)
        complete = {"kind", "layout", "values", "arrays"} <= manifest.keys()
    except (ValueError, AttributeError) as error:
        raise InputError(f"{file}: damaged, not readable as JSON ({error})") from error
    except RecursionError as error:
        raise InputError(f"{file}: damaged, nested too deeply") from error
    if not complete or not _has_kinds(manifest):
        raise InputError(f"{file}: damaged, fields are missing")
    if not all(re.fullmatch(r"[\w .-]{1,250}", name, re.ASCII) for name in manifest["arrays"]):
        raise InputError(f"{file}: damaged, arrays are named outside the folder")
    if _depth_exceeds(manifest, DEEPEST):
        raise InputError(f"{file}: damaged, nested too deeply")
    return dict(manifest)


def _has_kinds(manifest: Mapping[str, Any]) -> bool:
    kinds = {"kind": str, "layout": int, "values": dict, "arrays": dict}
    return all(isinstance(manifest[name], kind) for name, kind in kinds.items())


def _depth_exceeds(values: Any, most: int) -> bool:
    level = [values]
    for _ in range(most):
        inner = [each for each in level if isinstance(each, dict | list)]
        level = [
            item
            for each in inner
            for item in (each.values() if isinstance(each, dict) else each)
            if isinstance(item, dict | list)
        ]
        if not level:
            return False
    return True


def is_shape(sides: Any) -> bool:
    """Tell whether numbers are the shape of an array that there could be."""
    whole = len(sides) <= MOST_AXES and all(type(side) is int and side >= 0 for side in sides)
    return whole and math.prod(max(side, 1) for side in sides) < MOST // 64


def _load_array(path: Path, name: str, checksum: str) -> npt.NDArray[Any]:
    file = path / f"{name}.npy"
    if not file.is_file():
        raise InputError(f"{file}: missing")
    if file_checksum(file) != checksum:
        raise InputError(f"{file}: damaged, its checksum does not match the manifest")
    return read_array(file)


def read_array(file: Path) -> npt.NDArray[Any]:
    """Read a `.npy` file whose size is what its header says, before memory is taken for it."""
    with file.open("rb") as stream:
        head = io.BytesIO(stream.read(LONGEST_HEADER))
        try:
            version = np.lib.format.read_magic(head)
            read_header = HEADERS[version]
            shape, in_columns, dtype = read_header(head)
        except UNREADABLE as error:
            raise InputError(
                f"{file}: damaged, not an array as numpy.save writes it"
            ) from error
        if dtype.hasobject or dtype.kind == "V" or not dtype.itemsize:
            raise InputError(f"{file}: holds {dtype}, expected numbers or strings")
        if not is_shape(shape):
            raise InputError(f"{file}: damaged, its shape is not one")
        found = file.stat().st_size - stream.seek(head.tell())
        expected = math.prod(shape) * dtype.itemsize
        if found != expected:
            raise InputError(
                f"{file}: damaged, {found:,} bytes, expected {expected:,} by its shape {shape}"
            )
        values: npt.NDArray[Any] = np.fromfile(stream, dtype)
    return values.reshape(shape, order="F" if in_columns else "C")


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be saved as JSON")
