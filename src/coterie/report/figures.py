"""Shapes of the pictures on the page, computed here and drawn by the template."""

from collections.abc import Sequence
from dataclasses import dataclass

from coterie.findings.hierarchy import Hierarchy
from coterie.findings.trust import CalibrationCurve, NumberOfClusters
from coterie.report.wording import counted, percent

WIDTH, HEIGHT = 600, 160
SQUARE = 200
LABEL_SHARE = 0.04  # of the width, that a label takes
LEAST_RADIUS, MOST_RADIUS = 2.0, 9.0
ROW, TREE_WIDTH = 32, 240


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


@dataclass(frozen=True)
class Dot:
    """A point of a picture and what it stands for."""

    x: float
    y: float
    radius: float
    title: str
    label: str = ""
    marked: bool = False


@dataclass(frozen=True)
class Dots:
    """Points, and a line through them where there is one."""

    dots: tuple[Dot, ...]
    points: str
    width: int
    height: int


def number_chart(number: NumberOfClusters | None) -> Dots | None:
    """Draw the score of each number of clusters that was tried, the chosen one marked.

    Examples
    --------
    >>> tried = NumberOfClusters(3, (2, 3, 4), (0.1, 0.3, 0.2), {"modularity": (0.1, 0.3, 0.2)})
    >>> number_chart(tried).points
    '0.0,160.0 300.0,0.0 600.0,80.0'
    """
    if number is None or len(number.tried) < 2:
        return None
    low, high = min(number.scores), max(number.scores)
    first, last = number.tried[0], number.tried[-1]
    dots = tuple(
        Dot(
            WIDTH * (k - first) / (last - first),
            _height(score, low, high),
            5.0 if k == number.chosen else 2.5,
            f"{k} clusters: score {score:.3f}",
            str(k) if k == number.chosen or k in _ends(number) else "",
            k == number.chosen,
        )
        for k, score in zip(number.tried, number.scores, strict=True)
    )
    return Dots(dots, " ".join(f"{dot.x:.1f},{dot.y:.1f}" for dot in dots), WIDTH, HEIGHT)


def _ends(number: NumberOfClusters) -> list[int]:
    """The first and the last number, where their labels leave room for that of the chosen."""
    room = LABEL_SHARE * (number.tried[-1] - number.tried[0])
    ends = (number.tried[0], number.tried[-1])
    return [end for end in ends if abs(end - number.chosen) > room]


def calibration_chart(calibration: CalibrationCurve | None) -> Dots | None:
    """Draw observed over predicted probabilities, the dots larger the more documents.

    Examples
    --------
    >>> dot, _ = calibration_chart(CalibrationCurve((0.5, 1.0), (0.25, 1.0), (1, 4))).dots
    >>> dot.x, dot.y, dot.radius
    (100.0, 150.0, 5.5)
    """
    if calibration is None:
        return None
    most = max(calibration.n)
    dots = tuple(
        Dot(
            SQUARE * predicted,
            SQUARE * (1 - observed),
            LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) * (n / most) ** 0.5,
            f"{counted(n, 'document')}: predicted {percent(predicted)}, "
            f"observed {percent(observed)}",
        )
        for predicted, observed, n in zip(
            calibration.predicted, calibration.observed, calibration.n, strict=True
        )
    )
    return Dots(dots, "", SQUARE, SQUARE)


@dataclass(frozen=True)
class Branch:
    """A line that joins two nodes of the tree of clusters, and the name of the two joined."""

    path: str
    title: str


@dataclass(frozen=True)
class Dendrogram:
    """Clusters from top to bottom, as positions in the list of nodes, and their branches."""

    rows: tuple[int, ...]
    branches: tuple[Branch, ...]
    width: int
    height: int


def dendrogram(hierarchy: Hierarchy | None) -> Dendrogram | None:
    """Draw the tree of clusters: from right to left, clusters are joined one pair at a time."""
    if hierarchy is None:
        return None
    nodes = hierarchy.nodes
    joins = [i for i, node in enumerate(nodes) if len(node.clusters) > 1]
    rows = _leaves_in_order(hierarchy, joins[-1])
    ends = {row: (float(TREE_WIDTH), ROW * (i + 0.5)) for i, row in enumerate(rows)}
    branches = []
    for number, join in enumerate(joins, start=1):
        (x1, y1), (x2, y2) = (ends[part] for part in hierarchy.parts(join))
        x = TREE_WIDTH * (1 - number / len(joins)) + 1
        ends[join] = x, (y1 + y2) / 2
        title = f"{nodes[join].name}: {counted(nodes[join].size, 'document')}"
        branches.append(Branch(f"M{x1:.1f} {y1:.1f}H{x:.1f}V{y2:.1f}H{x2:.1f}", title))
    return Dendrogram(tuple(rows), tuple(branches), TREE_WIDTH, ROW * len(rows))


def _leaves_in_order(hierarchy: Hierarchy, root: int) -> list[int]:
    """Clusters below a node, those of its largest part first."""
    rows, waiting = [], [root]
    while waiting:
        position = waiting.pop()
        if hierarchy.nodes[position].cluster is not None:
            rows.append(position)
        else:
            waiting += reversed(hierarchy.parts(position))
    return rows
