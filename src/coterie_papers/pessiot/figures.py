"""Figures 2 and 3 of Pessiot et al.: scores by number of concepts."""

from functools import partial

from coterie_papers.cells import Cell, Results
from coterie_papers.comparison import Row, shown
from coterie_papers.items import PUBLISHED, Chart, Claim, Grid, Line, Scope, Sheet, Value
from coterie_papers.pessiot import published
from coterie_papers.pessiot.setup import (
    FIGURE_CONCEPTS,
    MEASURES,
    QUICK_CONCEPTS,
    collections,
    runs,
    substitute,
)

FIGURES = {"pessiot-figure2": ("C-MM", "P-MM"), "pessiot-figure3": ("C-PLSA", "Ext-PLSA")}
LEVELS = {"pessiot-figure2": ("MM", "PLSA"), "pessiot-figure3": ("PLSA", "Kmeans", "NMF")}


def figure_sizes(scope: Scope, title: str) -> tuple[int, ...]:
    """Numbers of concepts along a figure; the paper ends at 70 on Reuters-21578."""
    most = 70 if title == "Reuters-21578" else 100
    sizes = QUICK_CONCEPTS if scope.quick else FIGURE_CONCEPTS
    return tuple(size for size in sizes if size <= most)


def _plan_figure(name: str, scope: Scope) -> list[Cell]:
    cells = []
    for title, corpus in collections(scope).items():
        for label in LEVELS[name]:
            cells += runs(scope, corpus, label)
        for label in FIGURES[name]:
            for words in figure_sizes(scope, title):
                cells += runs(scope, corpus, label, words)
    return cells


def _present_figure(name: str, scope: Scope, results: Results) -> Sheet:
    charts: list[Chart] = []
    rows: list[Row] = []
    for title, corpus in collections(scope).items():
        sizes = figure_sizes(scope, title)
        curves = {
            label: [Row(title, label, [results[c] for c in runs(scope, corpus, label, words)],
                        {}, f"{words} concepts") for words in sizes]
            for label in FIGURES[name]
        }  # fmt: skip
        levels = {label: Row(title, label, [results[c] for c in runs(scope, corpus, label)], {})
                  for label in LEVELS[name]}  # fmt: skip
        rows += [*(row for curve in curves.values() for row in curve), *levels.values()]
        charts += [_chart(title, m, sizes, curves, levels) for m in MEASURES]
    claims = _figure2_claims(rows) if name.endswith("2") else _figure3_claims(rows)
    headline = "; ".join(f"{claim.text}: {_share(claim)}" for claim in claims)
    said = published.FIGURE_SAYINGS[name]
    return Sheet([said, *charts, *compare_sizes(rows)], claims, substitute(), headline)


def _chart(
    title: str,
    measure: str,
    sizes: tuple[int, ...],
    curves: dict[str, list[Row]],
    levels: dict[str, Row],
) -> Chart:
    lines = [
        Line(label, sizes, [row.mean(measure) for row in curve],
             [row.deviation(measure) or 0.0 for row in curve])
        for label, curve in curves.items()
    ]  # fmt: skip
    ends = [sizes[0], sizes[-1]]
    for label, row in levels.items():
        lines.append(Line(label, ends, [row.mean(measure)] * 2))
        theirs = published.best(label, title)[measure]
        if isinstance(theirs, Value):
            lines.append(Line(label + PUBLISHED, ends, [theirs.mean] * 2, dashed=True))
    slug = title.lower().replace(" ", "-")
    score = "average precision" if measure == "precision" else "NMI"
    heading = f"{title}: {score} by number of concepts"
    return Chart(f"{slug}-{measure}", heading, "number of concepts", score, lines)


def compare_sizes(rows: list[Row]) -> list[Grid]:
    """The numbers behind the curves."""
    table = [
        [row.group, row.name, row.note,
         *(shown(row.mean(m), row.deviation(m)) for m in MEASURES), str(len(row.runs))]
        for row in rows
    ]  # fmt: skip
    records = [
        {"group": row.group, "name": row.name, "note": row.note,
         **{m: {"mean": row.mean(m), "deviation": row.deviation(m)} for m in MEASURES}}
        for row in rows
    ]  # fmt: skip
    headings = ["collection", "method", "concepts", *MEASURES.values(), "runs"]
    return [Grid(headings, table, records, title="The numbers")]


def _best_of(rows: list[Row], group: str, label: str, measure: str) -> float:
    return max(r.mean(measure) for r in rows if (r.group, r.name) == (group, label))


def _everywhere(rows: list[Row], first: str, second: str, how: str) -> dict[str, bool]:
    """Whether the first is above the second: at its best number of concepts, or at all."""
    verdicts = {}
    for group in dict.fromkeys(row.group for row in rows):
        for measure, heading in MEASURES.items():
            mine = [r.mean(measure) for r in rows if (r.group, r.name) == (group, first)]
            theirs = _best_of(rows, group, second, measure)
            level = max(mine) if how == "best" else min(mine)
            verdicts[f"{group}, {heading}"] = level > theirs
    return verdicts


def _figure2_claims(rows: list[Row]) -> list[Claim]:
    return [
        Claim("PLSA is above MM", _everywhere(rows, "PLSA", "MM", "best")),
        Claim("C-MM at its best is above MM", _everywhere(rows, "C-MM", "MM", "best")),
        Claim("P-MM at its best is above MM", _everywhere(rows, "P-MM", "MM", "best")),
        Claim("C-MM at its best is above P-MM at its best",
              _everywhere(rows, "C-MM", "P-MM", "best")),
    ]  # fmt: skip


def _figure3_claims(rows: list[Row]) -> list[Claim]:
    both = [row for row in rows if row.group in ("Reuters-21578", "20Newsgroups")]
    return [
        Claim("Ext-PLSA is above PLSA for any number of concepts (Reuters-21578, 20Newsgroups)",
              _everywhere(both, "Ext-PLSA", "PLSA", "all")),
        Claim("Ext-PLSA at its best is above PLSA",
              _everywhere(rows, "Ext-PLSA", "PLSA", "best")),
        Claim("PLSA is above NMF", _everywhere(rows, "PLSA", "NMF", "best")),
        Claim("PLSA is above Kmeans", _everywhere(rows, "PLSA", "Kmeans", "best")),
    ]  # fmt: skip


def _share(claim: Claim) -> str:
    return f"{sum(claim.verdicts.values())} of {len(claim.verdicts)}"


plan_figure2 = partial(_plan_figure, "pessiot-figure2")
plan_figure3 = partial(_plan_figure, "pessiot-figure3")
present_figure2 = partial(_present_figure, "pessiot-figure2")
present_figure3 = partial(_present_figure, "pessiot-figure3")
