"""Shapes of the pictures on the page, computed here and drawn by the template."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 600, 160


@dataclass(frozen=True)
class Curve:
    """A line through the objective of each iteration, in units of the picture."""

    points: str
    first: float
    last: float
    start: int
    end: int
    width: int = WIDTH
    height: int = HEIGHT


def objective_curve(history: Sequence[float | None]) -> Curve | None:
    """Draw the objective over the iterations; None where fewer than two are known.

    Examples
    --------
    >>> objective_curve([-30.0, -20.0, -10.0]).points
    '0.0,160.0 300.0,80.0 600.0,0.0'
    """
    known = [(i, value) for i, value in enumerate(history, start=1) if value is not None]
    if len(known) < 2:
        return None
    values = [value for _, value in known]
    low, high = min(values), max(values)
    start, end = known[0][0], known[-1][0]
    points = " ".join(
        f"{WIDTH * (i - start) / (end - start):.1f},{_height(value, low, high):.1f}"
        for i, value in known
    )
    return Curve(points, values[0], values[-1], start, end)


def _height(value: float, low: float, high: float) -> float:
    if low == high:
        return HEIGHT / 2
    return HEIGHT * (high - value) / (high - low)
