"""Why this number of clusters, and how well calibrated the probabilities are.

Both are read from models that publish them, as `AutoClustering` does, and are None for others.
The command line gives any model it fits with `-k auto` an `n_clusters_curve_`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.types import ASKED

TRIED = "n_clusters"


@dataclass(frozen=True)
class NumberOfClusters:
    """The numbers of clusters that were tried, the score of each, and the number chosen.

    The score combines the `measures`, each a list with a value for each number, as
    `coterie.automatic.number` says. `n_left_out` of the chosen clusters hold no document.
    The numbers `near` the best score nearly as well; the smallest of them is chosen unless few
    or many are asked for. Those `offered` stand out.
    """

    chosen: int
    tried: tuple[int, ...]
    scores: tuple[float, ...]
    measures: dict[str, tuple[float, ...]]
    n_left_out: int = 0
    near: tuple[int, ...] = ()
    offered: tuple[int, ...] = ()

    @property
    def best(self) -> int:
        """The number with the highest score, the smallest of several."""
        return self.tried[int(np.argmax(self.scores))]

    @property
    def others(self) -> list[int]:
        """The numbers offered besides the chosen one."""
        return [number for number in self.offered if number != self.chosen]

    @property
    def share_of_best(self) -> float | None:
        """Score of the chosen number over the highest; None where one of them is missing."""
        return self.ratio(self.chosen, self.best)

    def ratio(self, number: int, other: int) -> float | None:
        """Score of a number over that of another; None where one of them is missing."""
        scores = dict(zip(self.tried, self.scores, strict=True))
        if number not in scores or scores.get(other, 0) <= 0:
            return None
        return scores[number] / scores[other]


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
    from coterie.automatic.number import numbers_near_the_best, offered_numbers, scores

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
    chosen = max(n_clusters, _asked(model, curve))
    return NumberOfClusters(
        chosen,
        tuple(int(k) for k in curve[TRIED]),
        tuple(by_number.tolist()),
        measures,
        n_left_out=chosen - n_clusters,
        near=tuple(near),
        offered=tuple(offered_numbers(curve)),
    )


def _asked(model: Any, curve: dict[str, list[float]]) -> int:
    """The number of clusters that the model was to find."""
    from coterie.automatic.number import AUTO, number_asked

    wanted = getattr(model, "n_clusters", None)
    if isinstance(wanted, int | np.integer):
        return int(wanted)
    if wanted is None and hasattr(model, "components_"):
        return len(model.components_)
    return number_asked(curve, wanted if wanted in ASKED else AUTO)


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
