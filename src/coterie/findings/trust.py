"""Why this number of clusters, and how well calibrated the probabilities are.

Both are read from models that publish them, as `AutoClustering` does, and are None for others.
The command line gives any model it fits with `-k auto` an `n_clusters_curve_`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

TRIED = "n_clusters"


@dataclass(frozen=True)
class NumberOfClusters:
    """The numbers of clusters that were tried, the score of each, and the number chosen.

    The score combines the `measures`, each a list with a value for each number, as
    `coterie.automatic.number` says. `n_left_out` of the chosen clusters hold no document.
    The numbers `near` the best score nearly as well; the chosen one is the smallest of them.
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
        """The numbers near the best, above the chosen, that score higher than both neighbours.

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
        """Score of the chosen number over the highest; None where one of them is missing."""
        highest = max(self.scores)
        if self.chosen not in self.tried or highest <= 0:
            return None
        return self.scores[self.tried.index(self.chosen)] / highest


@dataclass(frozen=True)
class CalibrationCurve:
    """By ranges of probability: mean predicted, share observed, and number of documents."""

    predicted: tuple[float, ...]
    observed: tuple[float, ...]
    n: tuple[int, ...]

    @property
    def error(self) -> float:
        """Expected calibration error: mean difference of predicted and observed."""
        difference = np.abs(np.array(self.predicted) - np.array(self.observed))
        return float(difference @ np.array(self.n) / sum(self.n))

    def nearest_range(self, probability: float) -> int:
        """Position of the range with the nearest prediction, of those with many documents."""
        many = [i for i, n in enumerate(self.n) if n >= sum(self.n) / (2 * len(self.n))]
        return min(many, key=lambda i: abs(self.predicted[i] - probability))


def read_number_of_clusters(model: Any, n_clusters: int) -> NumberOfClusters | None:
    """Read `n_clusters_curve_`, where the number of clusters was estimated.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> curve = {"n_clusters": [2, 3, 4], "modularity": [0.5] * 3, "stability": [0.4, 0.8, 0.8]}
    >>> number = read_number_of_clusters(SimpleNamespace(n_clusters_curve_=curve), 3)
    >>> number.tried, number.scores[0] < number.scores[1]
    ((2, 3, 4), True)
    """
    from coterie.automatic.number import numbers_near_the_best, scores

    curve = getattr(model, "n_clusters_curve_", None)
    if not curve or not len(curve.get(TRIED, ())):
        return None
    measures = {
        str(name): tuple(float(value) for value in values)
        for name, values in curve.items()
        if name != TRIED
    }
    by_number = scores(curve)
    if not np.isfinite(by_number).all():
        return None
    near = numbers_near_the_best(curve)
    chosen = max(n_clusters, near[0])
    return NumberOfClusters(
        chosen,
        tuple(int(k) for k in curve[TRIED]),
        tuple(by_number.tolist()),
        measures,
        n_left_out=chosen - n_clusters,
        near=tuple(near),
    )


def read_calibration(model: Any) -> CalibrationCurve | None:
    """Read `calibration_`, where the model checked its probabilities.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> ranges = {"predicted": [0.55, 0.9], "observed": [0.5, 0.95], "n": [10, 30]}
    >>> round(read_calibration(SimpleNamespace(calibration_=ranges)).error, 4)
    0.05
    """
    ranges = getattr(model, "calibration_", None)
    if not ranges or not sum(ranges["n"]):
        return None
    return CalibrationCurve(
        predicted=tuple(float(value) for value in ranges["predicted"]),
        observed=tuple(float(value) for value in ranges["observed"]),
        n=tuple(int(value) for value in ranges["n"]),
    )
