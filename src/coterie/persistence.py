"""Saving: values and arrays as a folder, written whole or not at all, and checked when read.

This module alone knows the files. `manifest.json` holds what kind of folder it is, the version
of the layout, plain values, and a checksum of every array; each array is a `.npy` file. Nothing
is pickled, so a folder from a stranger cannot run code.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
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
    read_record,
    refuse_changed,
    replacing,
    settle,
)

LAYOUT = 2
MARK = "$"  # begins the key of a value that JSON cannot hold as it is
LONGEST_NAME = 150
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
    """Read what `save` wrote."""
    values, arrays = load_folder(path, kind)
    return {name: _rebuilt(value, arrays, unpack) for name, value in values.items()}


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


def _rebuilt(value: Any, arrays: Arrays, unpack: Unpack) -> Any:
    """The value that `_Flattener` made plain."""
    if isinstance(value, list):
        return [_rebuilt(item, arrays, unpack) for item in value]
    if not isinstance(value, dict):
        return value
    kind = next(iter(value), "")
    if kind == "$array":
        return arrays[value[kind]]
    if not kind.startswith(MARK):
        return {key: _rebuilt(item, arrays, unpack) for key, item in value.items()}
    content = _rebuilt(value[kind], arrays, unpack)
    builders: dict[str, Callable[[Any], Any]] = {
        "$tuple": tuple,
        "$mapping": dict,
        "$objects": lambda saved: _object_array(*saved),
        "$sparse": lambda saved: sp.csr_array(tuple(saved[0].values()), shape=saved[1]),
        "$object": unpack,
    }
    return builders[kind](content)


def _object_array(items: list[Any], shape: list[int]) -> npt.NDArray[Any]:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(shape)


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
    """Refuse a folder that Coterie did not save as this kind, or whose files were changed."""
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
        age, advice = (
            ("newer", "upgrade Coterie") if layout > LAYOUT else ("older", "save again")
        )
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
        manifest = json.loads(file.read_text(encoding="utf-8"))
        complete = {"kind", "layout", "values", "arrays"} <= manifest.keys()
    except (ValueError, AttributeError) as error:
        raise InputError(f"{file}: damaged, not readable as JSON ({error})") from error
    names = manifest["arrays"] if complete else None
    if not isinstance(names, dict) or not isinstance(manifest["layout"], int):
        raise InputError(f"{file}: damaged, fields are missing")
    if any(Path(name).name != name for name in names):
        raise InputError(f"{file}: damaged, arrays are named outside the folder")
    return dict(manifest)


def _load_array(path: Path, name: str, checksum: str) -> npt.NDArray[Any]:
    file = path / f"{name}.npy"
    if not file.is_file():
        raise InputError(f"{file}: missing")
    if file_checksum(file) != checksum:
        raise InputError(f"{file}: damaged, its checksum does not match the manifest")
    array: npt.NDArray[Any] = np.load(file, allow_pickle=False)
    return array


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be saved as JSON")
