"""The parts of a reproduced table or figure, before they are written."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from coterie.errors import InputError
from coterie_papers.cells import Cell, Results

PAPERS = {
    "pessiot": "Pessiot, Kim, Amini and Gallinari",
    "grimal": "Grimal and Bisson (2011)",
    "rigouste": "Rigouste, Cappé and Yvon",
    "kim": "Kim, Amini, Goutte and Gallinari (2010)",
    "wang": "Wang",
}
"""The papers by name, and how they are cited; three of them do not say their year."""

PUBLISHED = ", published"
"""After the method, in the name of a line that shows a value published for it."""

_VALUE = re.compile(r"(?P<mean>\d*\.?\d+)(?:±(?P<deviation>\d*\.?\d+))?(?P<worse>↓?)")


@dataclass(frozen=True)
class Value:
    """A published number; `worse` marks one significantly worse than the best.

    `read_off` marks one read off the text or picture of a figure that prints no numbers.
    `bound` marks one that the paper only states to be below ("<") or above (">") `mean`.

    Examples
    --------
    >>> str(Value(0.3, bound="<"))
    '< 0.3'
    """

    mean: float
    deviation: float | None = None
    worse: bool = False
    read_off: bool = False
    bound: Literal["", "<", ">"] = ""

    def __str__(self) -> str:
        if self.bound:
            return f"{self.bound} {self.mean:g}"
        deviation = "" if self.deviation is None else f" ± {self.deviation:.2f}"
        about = "about " if self.read_off else ""
        mean = f"{self.mean:.2f}" if round(self.mean, 2) == self.mean else f"{self.mean:.4g}"
        return f"{about}{mean}{deviation}{' ↓' if self.worse else ''}"


def values(line: str) -> list[Value | None]:
    """The numbers of a printed row; a dash stands for none.

    Examples
    --------
    >>> [str(value) for value in values("0.52↓ 0.60±0.07 -")]
    ['0.52 ↓', '0.60 ± 0.07', 'None']
    """
    row: list[Value | None] = []
    for word in line.split():
        match = _VALUE.fullmatch(word)
        if match is None and word != "-":
            raise InputError(f"{word!r}: expected a number, as 0.52, 0.52↓ or 0.60±0.07")
        if match is None:
            row.append(None)
        else:
            deviation = match["deviation"]
            spread = float(deviation) if deviation else None
            row.append(Value(float(match["mean"]), spread, bool(match["worse"])))
    return row


@dataclass(frozen=True)
class Scope:
    """How much to run: the number of runs, and whether a quick run on samples is enough."""

    runs: int = 10
    quick: bool = False


@dataclass(frozen=True)
class Grid:
    """A table of texts; `records` hold the same as data."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    records: Sequence[Mapping[str, Any]] = ()
    title: str = ""


@dataclass(frozen=True)
class Line:
    """A line of a chart, with deviations where known; each of many runs is faint."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    deviation: Sequence[float] | None = None
    dashed: bool = False
    faint: bool = False


@dataclass(frozen=True)
class Chart:
    """Lines over common axes."""

    name: str
    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    log_x: bool = False


@dataclass(frozen=True)
class Matrix:
    """Densities from 0 to 1 as a grey picture."""

    name: str
    title: str
    x_label: str
    y_label: str
    densities: Sequence[Sequence[float]]


@dataclass(frozen=True)
class Claim:
    """A statement, and whether it holds here: a verdict for each collection.

    It is the paper's, or `ours`: one about our methods that the paper does not make. Where it
    does not hold everywhere, `reason` says why, and what was computed to find out.
    """

    text: str
    verdicts: Mapping[str, bool]
    ours: bool = False
    reason: str = ""

    @property
    def holds(self) -> bool:
        """Whether it holds on every collection it is tested on."""
        return all(self.verdicts.values())


def count_held(claims: Iterable[Claim], *, ours: bool) -> str:
    """How many of the paper's claims hold, or of ours; empty where there are none.

    Examples
    --------
    >>> claims = [Claim("MM is slow", {"WebKB": True}), Claim("auto is fast", {}, ours=True)]
    >>> count_held(claims, ours=False)
    '1 of 1'
    """
    holding = [claim.holds for claim in claims if claim.ours == ours]
    return f"{sum(holding)} of {len(holding)}" if holding else ""


def summarize(claims: Sequence[Claim]) -> str:
    """A sentence on how many claims hold, the paper's and ours apart.

    Examples
    --------
    >>> summarize([Claim("MM is slow", {"WebKB": True}), Claim("auto is fast", {}, ours=True)])
    'Statements of the paper that hold: 1 of 1; of ours: 1 of 1.'
    """
    theirs, ours = count_held(claims, ours=False), count_held(claims, ours=True)
    return f"Statements of the paper that hold: {theirs or 'none made'}" + (
        f"; of ours: {ours}." if ours else "."
    )


Part = Grid | Chart | Matrix | str


@dataclass
class Sheet:
    """All that is written of one table or figure.

    `substitute` is the first line, which names the collections that replace the paper's;
    `headline` has our values and the published ones in a line, for the index; `notes` say what
    differs from the paper beside what the claims tell.
    """

    parts: list[Part] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    substitute: str = ""
    headline: str = ""
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Item:
    """A published table or figure, and how to compute it again.

    `needs` are the collections it is computed on here; `original` has the paper's
    collections that have substitutes, each with these. `level` is that of the paper's rank-sum
    test.
    """

    name: str
    title: str
    where: str
    needs: tuple[str, ...]
    plan: Callable[[Scope], list[Cell]]
    present: Callable[[Scope, Results], Sheet]
    original: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    level: float = 0.05
    runs: int = 10

    @property
    def paper(self) -> str:
        """Name of the paper, a key of `PAPERS`."""
        return self.name.partition("-")[0]

    def seconds(self, scope: Scope) -> float:
        """Estimated time on one core."""
        return sum(each.seconds for each in set(self.plan(scope)))
