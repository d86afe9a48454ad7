"""What a long search has found, kept between its stages where the surrounding block says."""

from collections.abc import Sequence
from typing import Any

from coterie.automatic.candidates import Candidate
from coterie.checkpoints import Checkpoint


class Kept:
    """The state of a search on disk, or nothing at all where no checkpoint is wanted.

    The seed is the state's own: a search without one goes on with that it began with.
    """

    def __init__(self, checkpoint: Checkpoint | None, identity: dict[str, Any], seed: int):
        self._checkpoint, self._identity = checkpoint, identity
        saved = checkpoint.load(identity) if checkpoint else None
        self._values, self._arrays = saved if saved else ({"seed": seed, "stages": {}}, {})

    @property
    def seed(self) -> int:
        """The seed of all stages."""
        return int(self._values["seed"])

    @property
    def number(self) -> tuple[int, Any] | None:
        """The number of clusters and its curve, or None where they are not known."""
        known = self._values.get("number")
        return (int(known[0]), known[1]) if known else None

    def add_number(self, n_clusters: int, curve: Any) -> None:
        """Keep the number of clusters and its curve."""
        self._values["number"] = [n_clusters, curve]
        self._save()

    def candidates(self, stage: str) -> list[Candidate] | None:
        """What a stage gave, or None where it has not been."""
        saved = self._values["stages"].get(stage)
        if saved is None:
            return None
        return [
            Candidate(name, self._arrays[f"{stage}-{i}"], float(objective))
            for i, (name, objective) in enumerate(saved)
        ]

    def add(self, stage: str, candidates: Sequence[Candidate]) -> None:
        """Keep what a stage gave."""
        self._values["stages"][stage] = [[each.name, each.objective] for each in candidates]
        for i, each in enumerate(candidates):
            self._arrays[f"{stage}-{i}"] = each.memberships
        self._save()

    def end(self) -> None:
        """Forget the state: the search is over."""
        if self._checkpoint:
            self._checkpoint.remove()

    def _save(self) -> None:
        if self._checkpoint:
            self._checkpoint.save(self._identity, self._values, self._arrays)
