"""What could explain that strategies compare here otherwise than in Table 2, each tried."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from coterie_papers.cells import Cell, Results
from coterie_papers.comparison import Row, significantly_above
from coterie_papers.items import Grid, Scope
from coterie_papers.kim import published
from coterie_papers.kim.runs import MEASURES, cells, collections

Test = Callable[[list[Row]], dict[str, bool]]
STRATEGIES = {"conc-PLSA": "conc-plsa", "Fusion-LM": "fusion-lm", "voted-PLSA": "voted-plsa"}
FUSION = ("Fusion-LM",)
ALL, HALF, QUARTER = "as in the table", "half of the documents", "a quarter of the documents"


@dataclass(frozen=True)
class Try:
    """Settings that differ from the table's, for these strategies."""

    settings: dict[str, Any] = field(default_factory=dict)
    effort: float = 1.0
    parts: int = 1
    strategies: tuple[str, ...] = tuple(STRATEGIES)


STARTS = "best of five starts"
TRIES = {
    ALL: Try(),
    HALF: Try(parts=2, effort=0.5),
    QUARTER: Try(parts=4, effort=0.2),
    "the default stop, 1e-5": Try({"tol": 1e-5, "max_iter": 200}, 0.25),
    STARTS: Try({"n_init": 5}, 4.0),
    "starts by k-means": Try({"init": "kmeans"}),
    "views' memberships whole": Try({"whole": True}, strategies=FUSION),
    "relation between documents": Try({"relation": True}, 1.3, strategies=FUSION),
}


def cells_of(scope: Scope, corpus: str, label: str, strategy: str) -> list[Cell]:
    """The runs of a strategy in one of the tries."""
    tried = TRIES[label]
    return cells(scope, corpus, STRATEGIES[strategy], parts=tried.parts, effort=tried.effort,
                 **tried.settings)  # fmt: skip


def plan(scope: Scope, *strategies: str) -> list[Cell]:
    """All tries of these strategies."""
    return [
        each
        for corpus in collections().values()
        for label, tried in TRIES.items()
        for strategy in tried.strategies
        if strategy in strategies
        for each in cells_of(scope, corpus, label, strategy)
    ]


def rows_of(
    scope: Scope, results: Results, label: str, strategies: Iterable[str] = STRATEGIES
) -> list[Row]:
    """Those of the strategies that a try has, on every collection."""
    return [
        Row(title, strategy,
            [results[each] for each in cells_of(scope, corpus, label, strategy)], {})
        for title, corpus in collections().items()
        for strategy in TRIES[label].strategies
        if strategy in strategies
    ]  # fmt: skip


def grids(scope: Scope, results: Results) -> list[Grid]:
    """A table for each collection: a try a row, AP and NMI of the three strategies."""
    tables = []
    for title in collections():
        lines, records = [], []
        for label in TRIES:
            rows = {
                row.name: row for row in rows_of(scope, results, label) if row.group == title
            }
            shown = {name: _shown(rows.get(name)) for name in STRATEGIES}
            lines.append([label, *shown.values()])
            records.append(
                {"group": title, "try": label}
                | {name: {m: row.mean(m) for m in MEASURES} for name, row in rows.items()}
            )
        headings = ["tried", *(f"{name}, AP / NMI" for name in STRATEGIES)]
        tables.append(Grid(headings, lines, records, title=f"{title}: what was tried"))
    return tables


def preassigned(
    scope: Scope, results: Results, measure: str = "preassigned"
) -> dict[str, dict[str, float]]:
    """Share of the documents pre-assigned by votes, by try and collection."""
    return {
        label: {
            row.group: row.mean(measure)
            for row in rows_of(scope, results, label, ["voted-PLSA"])
        }
        for label, tried in TRIES.items()
        if "voted-PLSA" in tried.strategies
    }


def shares(scope: Scope, results: Results) -> Grid:
    """Share of the documents pre-assigned, and the precision on them, in every try."""
    share = preassigned(scope, results)
    precision = preassigned(scope, results, "precision_preassigned")
    lines = [
        [
            label,
            *(f"{100 * found[title]:.1f} / {precision[label][title]:.2f}" for title in found),
        ]
        for label, found in share.items()
    ]
    records = [
        {"try": label, "share": found, "precision": precision[label]}
        for label, found in share.items()
    ]
    headings = ["tried", *(f"{title}, % / AP on these" for title in collections())]
    return Grid(headings, lines, records, title="What was tried")


def reason(scope: Scope, results: Results, test: Test) -> str:
    """For how many comparisons a statement holds in each try, and what follows."""
    found = {
        label: test(rows_of(scope, results, label))
        for label, tried in TRIES.items()
        if len(tried.strategies) == len(STRATEGIES)
    }
    counts = {label: sum(verdicts.values()) for label, verdicts in found.items()}
    n_all = len(found[ALL])
    held = "; ".join(f"{label} {count}" for label, count in counts.items())
    helping = [label for label, count in counts.items() if count == n_all > counts[ALL]]
    conclusion = (
        f"It holds everywhere with: {'; '.join(helping)}."
        if helping
        else "None of these makes it hold everywhere, and the cause is not known."
    )
    return (
        f"Tried, with the number of the {n_all} comparisons for which it holds (figures in the "
        f"tables of tries): {held}. {conclusion}"
    )


def equal_work(scope: Scope, results: Results) -> str:
    """conc-PLSA with as many fits as Fusion-LM has models of views, beside Fusion-LM."""
    rows = rows_of(scope, results, ALL, ["Fusion-LM"])
    rows += rows_of(scope, results, STARTS, ["conc-PLSA"])
    rows.sort(key=lambda row: list(collections()).index(row.group))
    better = significantly_above(rows, "Fusion-LM", "conc-PLSA", MEASURES, published.LEVEL)
    places = [place for place, verdict in better.items() if verdict]
    found = "; ".join(
        f"{row.group} {row.mean('precision'):.3f} / {row.mean('nmi'):.3f}"
        for row in rows
        if row.name == "conc-PLSA"
    )
    verdict = (
        f"significantly better for {', '.join(places)}"
        if places
        else "not significantly better"
    )
    return (
        "Fusion-LM averages a model of each of five views, conc-PLSA is one fit. The best of "
        f"five fits of conc-PLSA has {found} (AP / NMI), and Fusion-LM with one start is "
        f"{verdict}."
    )


def _shown(row: Row | None) -> str:
    return "" if row is None else f"{row.mean('precision'):.3f} / {row.mean('nmi'):.3f}"
