"""`auto`, which combines methods of the papers: its row in every table of scores."""

from collections.abc import Iterable, Mapping, Sequence

from coterie.methods import AUTO
from coterie_papers.comparison import Row
from coterie_papers.items import Claim, Scope

COMBINED = f"ours: {AUTO}"
MOST_RUNS = 5
ABOVE_PUBLISHED = f"{AUTO} is above the best published value"


def n_runs(scope: Scope) -> int:
    """Number of runs of `auto`: five at most, which differ little; one in a quick run."""
    return 1 if scope.quick else min(scope.runs, MOST_RUNS)


def few(scope: Scope) -> bool | None:
    """Setting of a cell that asks for few candidates, as in a quick run."""
    return True if scope.quick else None


def best_published(rows: Sequence[Row], group: str, measure: str) -> float | None:
    """The largest value published for a method of the group; None where there is none."""
    values = [row.published.get(measure) for row in rows if row.group == group]
    return max((value.mean for value in values if value is not None), default=None)


def above_published(rows: Sequence[Row], measures: Mapping[str, str]) -> Claim:
    """Whether `auto` is above every published value, by group and measure."""
    verdicts = {}
    for measure, heading in measures.items():
        for row in _combined(rows):
            best = best_published(rows, row.group, measure)
            if best is not None:
                verdicts[f"{row.group}, {heading}"] = row.mean(measure) > best
    return Claim(ABOVE_PUBLISHED, verdicts, ours=True)


def beside_published(rows: Sequence[Row], measures: Iterable[str]) -> str:
    """Scores of `auto` with the best published ones in brackets, for every group.

    Examples
    --------
    >>> from coterie_papers.items import Value
    >>> theirs = Row("WebKB", "MM", [{"nmi": 0.1}], {"nmi": Value(0.11)})
    >>> beside_published([theirs, Row("WebKB", COMBINED, [{"nmi": 0.5}], {})], ["nmi"])
    'WebKB auto 0.50 (best published 0.11)'
    """
    parts = []
    for row in _combined(rows):
        bests = [(measure, best_published(rows, row.group, measure)) for measure in measures]
        known = [(measure, best) for measure, best in bests if best is not None]
        ours = "/".join(f"{row.mean(measure):.2f}" for measure, _ in known)
        theirs = "/".join(f"{best:.2f}" for _, best in known)
        parts.append(f"{row.group} {AUTO} {ours} (best published {theirs})")
    return "; ".join(parts)


def _combined(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.name == COMBINED]
