"""What the figures of Rigouste, Cappé and Yvon share: runs, lines, pages."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coterie.methods import AUTO
from coterie_papers import corpora
from coterie_papers.cells import Cell, Results, Scores, cell
from coterie_papers.combined import few, n_runs
from coterie_papers.comparison import shown
from coterie_papers.items import PUBLISHED, Chart, Claim, Grid, Line, Scope, Sheet, Value
from coterie_papers.rigouste import published

STEPS, SWEEPS, EVERY, CHAINS = 40, 20_000, 200, 5
SIZES = (100, 200, 500, 1000, 1500, 3000, 5000, 10000)
SEARCH = {"runs": 40, "kept": 8, "concentration": 10.0}
"""Parameters of the incremental vocabulary; the paper does not state its own."""

BEST_FIRST_SIZE = 1500
"""The best size of Figure 5 on the groups; on the paper's stories it is 500."""

SAMPLE = 800
F_SCORE = "MI F-score"
HERE = "all folds"


def corpus(scope: Scope) -> str:
    """The corpus of the experiments."""
    return f"{corpora.themes()}:{SAMPLE}" if scope.quick else corpora.themes()


def substitute() -> str:
    """Sentence on the substitute for the 1,600 stories; empty where they are here."""
    if corpora.themes() == "four-themes":
        return ""
    groups = ", ".join(corpora.FOUR_GROUPS)
    return (
        "**Substitute:** the paper's 1,600 Reuters stories (sports, health, disasters, "
        f"employment) are replaced by 1,600 messages of 20 Newsgroups, 400 each of {groups}."
    )


def cells(scope: Scope, experiment: str, method: str, **settings: Any) -> list[Cell]:
    """Runs of an experiment on every fold."""
    folds, runs = (2, min(scope.runs, 2)) if scope.quick else (published.FOLDS, scope.runs)
    if method == "labels":
        runs = 1  # nothing is drawn
    if method == AUTO:
        runs = n_runs(scope)
    return [
        cell(f"rigouste.curves.{experiment}", corpus(scope), method, run, fold=fold, **settings)
        for fold in range(folds)
        for run in range(runs)
    ]


def em(scope: Scope, method: str, n_words: int | None = None) -> list[Cell]:
    """EM from a start, on all words or fewer."""
    steps = 20 if scope.quick else STEPS
    return cells(scope, "em", method, steps=steps, n_words=n_words, seconds=0.6)


def splits(scope: Scope) -> list[Cell]:
    """Hierarchical splits."""
    return cells(scope, "hierarchical", "splits", steps=20 if scope.quick else 50, seconds=0.8)


def growing(scope: Scope, first: int) -> list[Cell]:
    """The incremental vocabulary from its first size on."""
    search: dict[str, Any] = {**SEARCH, "seconds": 8.0}
    if scope.quick:
        search |= {"runs": 8, "seconds": 2.0}
    sizes = [first, *(size for size in published.VOCABULARY if size > first)]
    return cells(scope, "incremental", "growing", sizes=sizes, **search)


def combined(scope: Scope) -> list[Cell]:
    """`auto` on all words."""
    seconds = 1.0 if scope.quick else 8.0
    return cells(scope, "automatic", AUTO, few=few(scope), seconds=seconds)


def best_first_size() -> int:
    """First size of the incremental vocabulary: the best size of Figure 5."""
    on_groups = corpora.themes() == "four-groups"
    return BEST_FIRST_SIZE if on_groups else published.BEST_SIZE


def chains(scope: Scope) -> list[Cell]:
    """Gibbs draws, five chains on the first fold."""
    sweeps, every = (200, 20) if scope.quick else (SWEEPS, EVERY)
    n = min(scope.runs, 2 if scope.quick else CHAINS)
    return [
        cell("rigouste.curves.gibbs", corpus(scope), "gibbs", run, fold=0, sweeps=sweeps,
             every=every, seconds=2.0 if scope.quick else 120.0)
        for run in range(n)
    ]  # fmt: skip


def plan(name: str, scope: Scope) -> list[Cell]:
    """The cells of a figure; all but the fifth compare with starts from labels and draws."""
    starts = [*em(scope, "labels"), *em(scope, "dirichlet")]
    more: dict[str, Sequence[Cell]] = {
        "rigouste-figure3": splits(scope),
        "rigouste-figure4": em(scope, "dirichlet", published.BEST_SIZE),
        "rigouste-figure5": [c for size in sizes(scope) for c in em(scope, "dirichlet", size)],
        "rigouste-figure6": [
            *growing(scope, published.BEST_SIZE),
            *growing(scope, best_first_size()),
            *em(scope, "kmeans"),
            *combined(scope),
        ],
        "rigouste-figure7": [*chains(scope), *growing(scope, best_first_size())],
    }
    return [*starts, *more.get(name, ())]


def sizes(scope: Scope) -> tuple[int, ...]:
    """Vocabulary sizes of Figure 5."""
    return SIZES[::3] if scope.quick else SIZES


def last(found: Sequence[Scores], measure: str) -> list[float]:
    """A measure at the end of every run."""
    return [run[measure][-1] for run in found]


def gather(results: Results, wanted: Sequence[Cell]) -> list[Scores]:
    """The scores of the cells, in order."""
    return [results[each] for each in wanted]


def mean_line(name: str, found: Sequence[Scores], measure: str, x: Sequence[float]) -> Line:
    """Mean and deviation of runs along an axis."""
    table = np.array([run[measure] for run in found])
    spread = table.std(axis=0, ddof=1) if len(table) > 1 else np.zeros(table.shape[1])
    return Line(name, x, table.mean(axis=0).tolist(), spread.tolist())


def all_lines(
    name: str, found: Sequence[Scores], measure: str, x: Sequence[float]
) -> list[Line]:
    """A faint line for every run."""
    return [Line(name, x, run[measure], faint=True) for run in found]


def level(name: str, value: float, x: Sequence[float]) -> Line:
    """A dashed line at a height."""
    return Line(name, [x[0], x[-1]], [value, value], dashed=True)


def steps_of(found: Sequence[Scores]) -> list[float]:
    """The numbers of the iterations."""
    return [float(i) for i in range(1, len(found[0]["likelihood"]) + 1)]


def summary(rows: dict[str, tuple[Sequence[float], Value | None]]) -> Grid:
    """Final MI F-scores beside those the text states."""
    lines, records = [], []
    for name, (scores, theirs) in rows.items():
        deviation = float(np.std(scores, ddof=1)) if len(scores) > 1 else None
        mean = float(np.mean(scores))
        lines.append([name, shown(mean, deviation), str(theirs or ""), str(len(scores))])
        records.append({"name": name, "mean": mean, "deviation": deviation, **_record(theirs)})
    headings = ["method", "MI F-score on unseen documents", "published", "runs"]
    return Grid(headings, lines, records, title="Final scores")


def _record(theirs: Value | None) -> dict[str, Any]:
    """A published value as data."""
    if theirs is None:
        return {"published": None}
    return {"published": theirs.mean, **({"bound": theirs.bound} if theirs.bound else {})}


def here(holds: Any) -> dict[str, bool]:
    """A verdict on the one collection there is."""
    return {HERE: bool(holds)}


def is_above(first: Sequence[float], second: Sequence[float]) -> dict[str, bool]:
    """Whether one mean is above another."""
    return here(np.mean(first) > np.mean(second))


def pictures(
    likelihoods: list[Line],
    f_scores: list[Line],
    x_label: str = "iteration",
    *,
    log_x: bool = False,
) -> list[Chart]:
    """The two charts most figures have."""
    return [
        Chart("likelihood", "Log-likelihood of the training documents", x_label,
              "log-likelihood", likelihoods, log_x),
        Chart("f-score", "MI F-score on unseen documents", x_label, F_SCORE, f_scores, log_x),
    ]  # fmt: skip


def headline(rows: dict[str, tuple[Sequence[float], Value | None]]) -> str:
    """Our values and the published ones in a line."""
    return "MI F-score, ours (published): " + "; ".join(
        f"{name} {np.mean(scores):.2f}" + (f" ({theirs})" if theirs else "")
        for name, (scores, theirs) in rows.items()
    )


def sheet(
    name: str,
    charts: list[Chart],
    rows: dict[str, tuple[Sequence[float], Value | None]],
    claims: list[Claim],
) -> Sheet:
    """A page of this paper."""
    pictures = [with_published(chart, rows) for chart in charts]
    return Sheet(
        [published.SAYINGS[name], *pictures, summary(rows)],
        claims,
        substitute(),
        headline(rows),
    )


def with_published(
    chart: Chart, rows: dict[str, tuple[Sequence[float], Value | None]]
) -> Chart:
    """The chart of MI F-scores with the values published for its lines, each once."""
    if chart.y_label != F_SCORE:
        return chart
    x = chart.lines[0].x
    lines: dict[float, Line] = {}
    for line in chart.lines:
        _, theirs = rows.get(line.name, ((), None))
        if theirs is not None and theirs.mean not in lines:
            bound = f" {theirs}" if theirs.bound else ""
            lines[theirs.mean] = level(f"{line.name}{PUBLISHED}{bound}", theirs.mean, x)
    return replace(chart, lines=[*chart.lines, *lines.values()])
