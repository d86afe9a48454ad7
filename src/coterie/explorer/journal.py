"""The edits of a result, written down one by one before anything else happens.

Saving a whole result takes seconds where documents are many, so an edit is first written beside
it: the list of all edits, and the models of split clusters. Opening a result applies the list,
if it goes with what the folder of results holds: the edits that it held when the journal began,
or those that were being written to it.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coterie.clustering import Clustering
from coterie.clustering.saving import edits_from, to_values
from coterie.errors import InputError
from coterie.explorer.store import write_whole
from coterie.findings.edits import Edit, Split
from coterie.folders import free_name
from coterie.storage import save_model

EDITS, PARTS = "edits.json", "parts"


class Journal:
    """The edits of one result on disk."""

    def __init__(self, folder: Path) -> None:
        self.file, self.parts = folder / EDITS, folder / PARTS
        self._models: dict[int, Any] = {}
        self._base: list[Any] = []
        self._writing: list[Any] = []

    def begin(self, result: Clustering) -> tuple[Sequence[Edit], str]:
        """The edits of a result just read, those on disk included, and what to say of them."""
        self._base = self._writing = [to_values(edit) for edit in result.edits]
        try:
            content = json.loads(self.file.read_text(encoding="utf-8"))
            listed, known = content["edits"], (content["base"], content["writing"])
        except FileNotFoundError:
            return result.edits, ""
        except (OSError, ValueError, KeyError, TypeError) as error:
            return result.edits, self._put_aside(f"cannot be read ({error})")
        if self._base not in known:
            reason = "the folder was changed by another program meanwhile"
            return result.edits, self._put_aside(reason)
        try:
            n_clusters = result.model.memberships_.shape[1]
            edits = edits_from(listed, self.parts, n_clusters, set(result.corpus.ids))
        except InputError as error:
            return result.edits, self._put_aside(str(error))
        for position, edit in enumerate(edits, start=1):
            if isinstance(edit, Split):
                self._models[position] = edit.model
        return edits, ""

    def _put_aside(self, reason: str) -> str:
        aside = free_name(self.file)
        self.file.rename(aside)
        return f"Edits of an earlier session were not applied: {reason}. They are in {aside}."

    def write(self, edits: Sequence[Edit]) -> None:
        """Write the list of edits; the models of split clusters come first."""
        for position, edit in enumerate(edits, start=1):
            if isinstance(edit, Split) and self._models.get(position) is not edit.model:
                self.parts.mkdir(exist_ok=True)
                save_model(edit.model, self.parts / str(position))
                self._models[position] = edit.model
        listed = [to_values(edit) for edit in edits]
        content = {"base": self._base, "writing": self._writing, "edits": listed}
        write_whole(self.file, content)

    def folder_gets(self, edits: Sequence[Edit], current: Sequence[Edit]) -> None:
        """Note that the folder of results is about to get some edits."""
        self._writing = [to_values(edit) for edit in edits]
        self.write(current)

    def folder_has(self, current: Sequence[Edit]) -> None:
        """Note that it has them now."""
        self._base = self._writing
        self.write(current)
