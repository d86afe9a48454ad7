"""Checkpoints: the state of a long fit on disk, from which it resumes."""

import time
from pathlib import Path
from typing import Any

from coterie.errors import InputError
from coterie.folders import MANIFEST
from coterie.persistence import (
    load_folder,
    named,
    refuse_foreign,
    remove_folder,
    save_folder,
)
from coterie.schema import Field, Values
from coterie.types import Array

KIND = "checkpoint"


class Checkpoint:
    """A folder that holds one unfinished fit, and the clock that says when to save again."""

    def __init__(self, folder: Any, every: float) -> None:
        self.folder = Path(folder)
        self.every = every
        self.resumed = False
        self._saved_at = time.monotonic()

    def is_due(self) -> bool:
        """Tell whether `every` seconds have passed since the last save."""
        return time.monotonic() - self._saved_at >= self.every

    def save(
        self, identity: dict[str, Any], values: dict[str, Any], arrays: dict[str, Array]
    ) -> None:
        """Replace the saved state by this one."""
        save_folder(self.folder, KIND, {"identity": identity, **values}, arrays)
        self._saved_at = time.monotonic()

    def load(self, identity: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The saved state of this fit, or None where there is none."""
        refuse_foreign(self.folder, KIND)
        if not (self.folder / MANIFEST).is_file():
            return None
        values, arrays = load_folder(self.folder, KIND)
        with named(self.folder):
            Values(Field()).check("identity", values.get("identity"), {})
        for name, ours in identity.items():
            theirs = values["identity"].get(name)
            if theirs != ours:
                theirs, ours = _difference(theirs, ours)
                raise InputError(
                    f"{self.folder}: checkpoint of another fit, its {name}: {theirs}, here "
                    f"{ours}; choose another folder or remove it"
                )
        self.resumed = True
        return values, arrays

    def is_named(self, error: Exception) -> bool:
        """Tell whether an error says already that this folder is refused."""
        return isinstance(error, InputError) and str(error).startswith(f"{self.folder}: ")

    def remove(self) -> None:
        """Forget the saved state."""
        if (self.folder / MANIFEST).is_file():
            remove_folder(self.folder)


def _difference(theirs: Any, ours: Any) -> tuple[Any, Any]:
    """What differs of two sets of parameters, or the two as they are."""
    if not isinstance(theirs, dict) or not isinstance(ours, dict):
        return theirs, ours
    names = [name for name in ours if theirs.get(name) != ours[name]]
    return {name: theirs.get(name) for name in names}, {name: ours[name] for name in names}
