"""Our scores beside published ones: means, deviations, marks of the rank-sum test."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from coterie.evaluation import compare_runs, mark
from coterie_papers.cells import Scores
from coterie_papers.items import Grid, Value

OURS = "ours: "
"""Begins the name of a method that the paper does not have."""


@dataclass(frozen=True)
class Row:
    """A method on a collection: our runs, and the published values."""

    group: str
    name: str
    runs: Sequence[Scores]
    published: Mapping[str, Value | None]
    note: str = ""

    def scores(self, measure: str) -> list[float]:
        """One measure of every run."""
        return [float(run[measure]) for run in self.runs]

    def mean(self, measure: str) -> float:
        """The mean of a measure over the runs."""
        return float(np.mean(self.scores(measure)))

    def deviation(self, measure: str) -> float | None:
        """The sample standard deviation of a measure over the runs; None for one run."""
        scores = self.scores(measure)
        return float(np.std(scores, ddof=1)) if len(scores) > 1 else None


def compare(
    rows: Sequence[Row], measures: Mapping[str, str], level: float, label: str = "method"
) -> list[Grid]:
    """A table for each group: our score with its mark and the published one, by measure.

    A mark means that the rank-sum test finds a method of the papers worse than the best of them
    in its group. Rows of ours have no marks.
    """
    return [
        _grid(group, list(members), measures, level, label)
        for group, members in groupby(rows, key=lambda row: row.group)
    ]


def _grid(
    group: str, rows: list[Row], measures: Mapping[str, str], level: float, label: str
) -> Grid:
    marks = {measure: _marks(rows, measure, level) for measure in measures}
    headings = [label]
    for heading in measures.values():
        headings += [heading, f"{heading} published"]
    timed = all("seconds" in run for row in rows for run in row.runs)
    lines, records = [], []
    for row in rows:
        name = f"{row.name} ({row.note})" if row.note else row.name
        line = [name]
        record: dict[str, Any] = {"group": group, "name": row.name, "note": row.note}
        record["runs"] = len(row.runs)
        for measure in measures:
            worse = marks[measure].get(row.name, False)
            published = row.published.get(measure)
            line += [
                shown(row.mean(measure), row.deviation(measure), worse),
                "" if published is None else str(published),
            ]
            record[measure] = {
                "mean": row.mean(measure),
                "deviation": row.deviation(measure),
                "worse": worse,
                "published": None if published is None else published.mean,
            }
        if timed:
            record["seconds"] = row.mean("seconds")
            line.append(f"{row.mean('seconds'):.2g}")
        lines.append([*line, str(len(row.runs))])
        records.append(record)
    headings += ["seconds", "runs"] if timed else ["runs"]
    return Grid(headings, lines, records, title=group)


def _marks(rows: Sequence[Row], measure: str, level: float) -> dict[str, bool]:
    runs = {
        row.name: row.scores(measure) for row in rows if len(row.runs) > 1 and not is_ours(row)
    }
    return mark(runs, level) if len(runs) > 1 else {}


def is_ours(row: Row) -> bool:
    """Whether a row is of a method that its paper does not have."""
    return row.name.startswith(OURS)


def shown(mean: float, deviation: float | None = None, worse: bool = False) -> str:
    """A number as tables show it.

    Examples
    --------
    >>> shown(0.5219, 0.013, worse=True)
    '0.522 ± 0.013 ↓'
    """
    spread = "" if deviation is None else f" ± {deviation:.3f}"
    return f"{mean:.3f}{spread}{' ↓' if worse else ''}"


def verdicts(
    rows: Sequence[Row], names: Sequence[str], measure: str, holds: Callable[..., bool]
) -> dict[str, bool]:
    """`holds` of the means of some methods, for every group that has them all."""
    by_group = {}
    for group, members in groupby(rows, key=lambda row: row.group):
        means = {row.name: row.mean(measure) for row in members if row.runs}
        if all(name in means for name in names):
            by_group[group] = bool(holds(*(means[name] for name in names)))
    return by_group


def above(
    rows: Sequence[Row], first: str, second: str, measures: Mapping[str, str]
) -> dict[str, bool]:
    """For every group and measure, whether the mean of the first is above the second's."""
    return {
        f"{group}, {heading}": verdict
        for measure, heading in measures.items()
        for group, verdict in verdicts(rows, (first, second), measure, float.__gt__).items()
    }


def significantly_above(
    rows: Sequence[Row], first: str, second: str, measures: Mapping[str, str], level: float
) -> dict[str, bool]:
    """For every group and measure, whether the rank-sum test finds the first above the second.

    One run of each is too few to tell: then no verdict is given.
    """
    return {
        where: compare_runs(one.scores(measure), two.scores(measure), level=level).better
        == "first"
        for where, measure, one, two in _pairs(rows, first, second, measures)
        if min(len(one.runs), len(two.runs)) > 1
    }


def as_published(
    rows: Sequence[Row], first: str, second: str, measures: Mapping[str, str], level: float
) -> dict[str, bool]:
    """For every group and measure, whether two methods compare here as their published values.

    Where these differ, the means must differ in the same direction. Where they are the same
    number, the rank-sum test must not find the first worse.
    """
    found = {}
    for where, measure, one, two in _pairs(rows, first, second, measures):
        theirs, others = one.published.get(measure), two.published.get(measure)
        if theirs is None or others is None:
            continue
        gain = theirs.mean - others.mean
        if gain:
            found[where] = (one.mean(measure) - two.mean(measure)) * gain > 0
        elif min(len(one.runs), len(two.runs)) > 1:
            test = compare_runs(two.scores(measure), one.scores(measure), level=level)
            found[where] = test.better != "first"
        else:
            found[where] = one.mean(measure) >= two.mean(measure)
    return found


def _pairs(
    rows: Sequence[Row], first: str, second: str, measures: Mapping[str, str]
) -> Iterator[tuple[str, str, Row, Row]]:
    """Two methods wherever both are: group and heading, the measure, and their rows."""
    for measure, heading in measures.items():
        for group, members in groupby(rows, key=lambda row: row.group):
            by_name = {row.name: row for row in members}
            if first in by_name and second in by_name:
                yield f"{group}, {heading}", measure, by_name[first], by_name[second]
