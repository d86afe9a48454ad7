"""The papers together: a row of every table of scores, and where it stands among published."""

from collections.abc import Iterable, Mapping, Sequence

from coterie.methods import AUTO
from coterie_papers.comparison import Row
from coterie_papers.items import Claim, Scope

COMBINED = f"best of the papers combined: {AUTO}"
ABOVE_PUBLISHED = "(ours) the papers combined are above the best published value"


def n_runs(scope: Scope) -> int:
    """How often it is run; once in a quick look."""
    return 1 if scope.quick else scope.runs


def few(scope: Scope) -> bool | None:
    """The setting of a cell that asks for few candidates: that of a quick look."""
    return True if scope.quick else None


def best_published(rows: Sequence[Row], group: str, measure: str) -> float | None:
    """The largest value published for any method of a group, None where there is none."""
    values = [row.published.get(measure) for row in rows if row.group == group]
    return max((value.mean for value in values if value is not None), default=None)


def above_published(rows: Sequence[Row], measures: Mapping[str, str]) -> Claim:
    """For every group and measure with published values, whether ours is above them all."""
    found = {}
    for measure, heading in measures.items():
        for row in _combined(rows):
            best = best_published(rows, row.group, measure)
            if best is not None:
                found[f"{row.group}, {heading}"] = row.mean(measure) > best
    return Claim(ABOVE_PUBLISHED, found)


def beside_published(rows: Sequence[Row], measures: Iterable[str]) -> str:
    """Ours, and the best published in brackets, for every group in a line.

    Examples
    --------
    >>> from coterie_papers.items import Value
    >>> theirs = Row("WebKB", "MM", [{"nmi": 0.1}], {"nmi": Value(0.11)})
    >>> beside_published([theirs, Row("WebKB", COMBINED, [{"nmi": 0.5}], {})], ["nmi"])
    'WebKB auto 0.50 (best 0.11)'
    """
    said = []
    for row in _combined(rows):
        bests = [(measure, best_published(rows, row.group, measure)) for measure in measures]
        known = [(measure, best) for measure, best in bests if best is not None]
        ours = "/".join(f"{row.mean(measure):.2f}" for measure, _ in known)
        theirs = "/".join(f"{best:.2f}" for _, best in known)
        said.append(f"{row.group} {AUTO} {ours} (best {theirs})")
    return "; ".join(said)


def _combined(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.name == COMBINED]
