"""Folders of JSON and `.npy` files: written whole or not at all, and checked when read.

Nothing is pickled, so a folder from a stranger cannot run code. `manifest.json` holds the
kind of thing saved, the version of the layout, plain values, and a checksum of every array.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie.errors import InputError

LAYOUT = 1
MANIFEST = "manifest.json"


def save_folder(
    path: str | os.PathLike[str],
    kind: str,
    values: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
) -> None:
    """Write plain values and arrays as the folder `path`, replacing what was saved there.

    Examples
    --------
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
            checksums[name] = _checksum(folder / f"{name}.npy")
        manifest = {"kind": kind, "layout": LAYOUT, "values": values, "arrays": checksums}
        manifest = json.loads(json.dumps(manifest, default=_plain))
        manifest["checksum"] = _manifest_checksum(manifest)
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="ascii")


def refuse_foreign(path: Path, kind: str) -> None:
    """Refuse to replace anything but what Coterie saved there, of the same kind, and alone."""
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    refusal = f"{path}: exists and was not saved by Coterie as a {kind}; choose another folder"
    try:
        manifest = _read_manifest(path)
        known = {MANIFEST, *(f"{name}.npy" for name in manifest["arrays"])}
    except InputError as error:
        raise InputError(refusal) from error
    if manifest["kind"] != kind or not {file.name for file in path.iterdir()} <= known:
        raise InputError(refusal)


def load_folder(
    path: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Read what `save_folder` wrote, or say what is missing, damaged or too new."""
    path = Path(path)
    manifest = _read_manifest(path)
    if manifest["layout"] > LAYOUT:
        raise InputError(
            f"{path}: saved by a newer Coterie (layout {manifest['layout']}, this one reads "
            f"up to {LAYOUT}); upgrade Coterie to read it"
        )
    if manifest["kind"] != kind:
        raise InputError(f"{path}: holds a {manifest['kind']}, expected a {kind}")
    if manifest.get("checksum") != _manifest_checksum(manifest):
        raise InputError(f"{path / MANIFEST}: damaged, its checksum does not match")
    arrays = {name: _load_array(path, name, sha) for name, sha in manifest["arrays"].items()}
    return manifest["values"], arrays


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary folder that takes the place of `path` when the block succeeds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        yield folder
        folder.chmod(0o755)
        if path.exists():
            discarded = folder.with_name(folder.name + "-old")
            path.rename(discarded)
            try:
                folder.rename(path)
            except OSError:
                discarded.rename(path)
                raise
            shutil.rmtree(discarded)
        else:
            folder.rename(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read_manifest(path: Path) -> dict[str, Any]:
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
    if _checksum(file) != checksum:
        raise InputError(f"{file}: damaged, its checksum does not match the manifest")
    array: npt.NDArray[Any] = np.load(file, allow_pickle=False)
    return array


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be saved as JSON")


def _checksum(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _manifest_checksum(manifest: Mapping[str, Any]) -> str:
    content = {key: value for key, value in manifest.items() if key != "checksum"}
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
