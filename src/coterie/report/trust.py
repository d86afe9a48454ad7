"""What a model tells of its own choices: how many clusters, and how sure its probabilities are.

Both are taken from models that have them, as `AutoClustering`, and are None for others. Any
model may be given a `n_clusters_curve_`, as those are that the command line fits with `-k auto`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

NUMBERS = "k"


@dataclass(frozen=True)
class NumberOfClusters:
    """The numbers of clusters that were tried, the score of each, and the number chosen.

    The score is made of the `measures`, each a list with a value a number, as
    `coterie.automatic.number` says. `n_left_out` of the chosen clusters hold no document.
    The numbers `near` the best would do nearly as well; the chosen is the smallest of them.
    """

    chosen: int
    tried: tuple[int, ...]
    scores: tuple[float, ...]
    measures: dict[str, tuple[float, ...]]
    n_left_out: int = 0
    near: tuple[int, ...] = ()

    @property
    def best(self) -> int:
        """The number with the highest score, the smallest of several."""
        return self.tried[int(np.argmax(self.scores))]

    @property
    def peaks(self) -> list[int]:
        """The numbers near the best, above the chosen, whose score is above those beside them.

        Examples
        --------
        >>> scores = (0.6, 0.9, 0.98, 0.92, 0.97, 0.9)
        >>> NumberOfClusters(3, (2, 3, 4, 5, 6, 7), scores, {}, near=(3, 4, 5, 6)).peaks
        [4, 6]
        """
        padded = (-np.inf, *self.scores, -np.inf)
        return [
            number
            for i, number in enumerate(self.tried)
            if number > self.chosen
            and number in self.near
            and padded[i] < padded[i + 1] > padded[i + 2]
        ]

    @property
    def share_of_best(self) -> float | None:
        """Score of the chosen number over the highest; None where that cannot be said."""
        highest = max(self.scores)
        if self.chosen not in self.tried or highest <= 0:
            return None
        return self.scores[self.tried.index(self.chosen)] / highest


@dataclass(frozen=True)
class Calibration:
    """By ranges of probability: what was said, what was seen, and the number of documents."""

    said: tuple[float, ...]
    seen: tuple[float, ...]
    n: tuple[int, ...]

    @property
    def gap(self) -> float:
        """Mean of the difference between what was said and what was seen, over documents."""
        difference = np.abs(np.array(self.said) - np.array(self.seen))
        return float(difference @ np.array(self.n) / sum(self.n))

    def near(self, probability: float) -> int:
        """The range whose said probability is nearest, of those with many documents."""
        many = [i for i, n in enumerate(self.n) if n >= sum(self.n) / (2 * len(self.n))]
        return min(many, key=lambda i: abs(self.said[i] - probability))


def number_of_clusters(model: Any, n_clusters: int) -> NumberOfClusters | None:
    """Read `n_clusters_curve_`, where the number of clusters was looked for.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> curve = {"k": [2, 3, 4], "modularity": [0.5, 0.5, 0.5], "concord": [0.4, 0.8, 0.8]}
    >>> number = number_of_clusters(SimpleNamespace(n_clusters_curve_=curve), 3)
    >>> number.tried, number.scores[0] < number.scores[1]
    ((2, 3, 4), True)
    """
    from coterie.automatic.number import numbers_near_the_best, scores

    curve = getattr(model, "n_clusters_curve_", None)
    if not curve or not len(curve.get(NUMBERS, ())):
        return None
    measures = {
        str(name): tuple(float(value) for value in values)
        for name, values in curve.items()
        if name != NUMBERS
    }
    found = scores(curve)
    if not np.isfinite(found).all():
        return None
    tried = tuple(int(k) for k in curve[NUMBERS])
    near = numbers_near_the_best(curve)
    chosen = max(n_clusters, near[0])
    return NumberOfClusters(
        chosen,
        tried,
        tuple(found.tolist()),
        measures,
        n_left_out=chosen - n_clusters,
        near=tuple(near),
    )


def calibration(model: Any) -> Calibration | None:
    """Read `calibration_`, where the model checked its probabilities.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> bins = {"said": [0.55, 0.9], "seen": [0.5, 0.95], "n": [10, 30]}
    >>> round(calibration(SimpleNamespace(calibration_=bins)).gap, 4)
    0.05
    """
    bins = getattr(model, "calibration_", None)
    if not bins or not sum(bins["n"]):
        return None
    return Calibration(
        said=tuple(float(value) for value in bins["said"]),
        seen=tuple(float(value) for value in bins["seen"]),
        n=tuple(int(value) for value in bins["n"]),
    )
