"""What the figures of Rigouste, Cappé and Yvon share: runs, lines, pages."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from coterie.methods import AUTO
from coterie_papers import corpora
from coterie_papers.cells import Cell, Results, Scores, cell
from coterie_papers.combined import few, n_runs
from coterie_papers.comparison import shown
from coterie_papers.items import PUBLISHED, Chart, Claim, Grid, Line, Scope, Sheet, Value
from coterie_papers.rigouste import published

STEPS, SWEEPS, EVERY, CHAINS, SHORT = 40, 20_000, 200, 5, 600
SIZES = (100, 200, 500, 1000, 1500, 3000, 5000, 10000)
SEARCH = {"runs": 40, "kept": 8, "concentration": 10.0}
"""Parameters of the incremental vocabulary; the paper does not state its own."""

TRIALS: dict[str, dict[str, Any]] = {
    f"EM of {STEPS} iterations at every size": {"steps": STEPS},
    "200 runs, 40 kept": {"runs": 200, "kept": 40},
    "200 runs, 2 kept": {"runs": 200, "kept": 2},
    f"200 runs of {STEPS} iterations, 2 kept": {"runs": 200, "kept": 2, "steps": STEPS},
    "concentration 1": {"concentration": 1.0},
    "concentration 100": {"concentration": 100.0},
    "from 3,000 words": {"sizes": (3000, 5000, 10000)},
}
"""Other parameters of the search; EM stops by itself where no iterations are stated."""

STORIES, NEWSWIRE = "four-stories", ("acq", "crude", "earn", "grain", "money-fx", "trade")
"""The six classes of Reuters-21578 that have 400 stories."""

BEST_FIRST_SIZE = 1500
"""The best size of Figure 5 on the groups; on the paper's stories it is 500."""

SHARES = tuple(round(0.05 * n, 2) for n in range(21))
"""Shares of the classes that are perturbed."""

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
        cell(f"rigouste.{experiment}", corpus(scope), method, run, fold=fold, **settings)
        for fold in range(folds)
        for run in range(runs)
    ]


def em(scope: Scope, method: str, n_words: int | None = None) -> list[Cell]:
    """EM from a start, on all words or fewer."""
    steps, seconds = 20 if scope.quick else STEPS, 0.6 if n_words is None else 0.2
    return cells(scope, "curves.em", method, steps=steps, n_words=n_words, seconds=seconds)


def splits(scope: Scope) -> list[Cell]:
    """Hierarchical splits."""
    return cells(
        scope, "curves.hierarchical", "splits", steps=20 if scope.quick else 50, seconds=0.8
    )


def growing(scope: Scope, first: int) -> list[Cell]:
    """The incremental vocabulary from its first size on."""
    search: dict[str, Any] = {**SEARCH, "seconds": 8.0}
    if scope.quick:
        search |= {"runs": 8, "seconds": 2.0}
    sizes = [first, *(size for size in published.VOCABULARY if size > first)]
    return cells(scope, "curves.incremental", "growing", sizes=sizes, **search)


def combined(scope: Scope) -> list[Cell]:
    """`auto` on all words."""
    seconds = 1.0 if scope.quick else 8.0
    return cells(scope, "curves.automatic", AUTO, few=few(scope), seconds=seconds)


def tried_searches(scope: Scope) -> list[str]:
    """Names of the other searches: all, in a quick run two."""
    return list(TRIALS)[:2] if scope.quick else list(TRIALS)


def tried(scope: Scope, name: str) -> list[Cell]:
    """Another search on every fold, from the best first size unless it has its own."""
    first = best_first_size()
    sizes = tuple(size for size in published.VOCABULARY if size >= first)
    search = {**SEARCH, "sizes": sizes, **TRIALS[name]}
    if scope.quick:
        search |= {"runs": 8, "kept": 2}
    iterations = 2 if "steps" in TRIALS[name] else 1
    seconds = 0.06 * search["runs"] * iterations
    return cells(replace(scope, runs=1), "searches.ends", "growing", **search, seconds=seconds)


def chosen_classes(scope: Scope) -> list[tuple[str, ...]]:
    """Choices of four classes of Reuters-21578: all, in a quick run one.

    There are none where the paper's stories are here.
    """
    if corpora.themes() == "four-themes":
        return []
    choices: list[tuple[str, ...]] = list(combinations(NEWSWIRE, 4))
    return choices[:1] if scope.quick else choices


def on_stories(scope: Scope, classes: Sequence[str], method: str | None = None) -> list[Cell]:
    """The two starts and the search from the paper's first size, on newswire stories."""
    search: dict[str, Any] = {**SEARCH, "sizes": published.VOCABULARY}
    if scope.quick:
        search |= {"runs": 8, "kept": 2}
    settings = {"labels": {"steps": STEPS}, "dirichlet": {"steps": STEPS}, "growing": search}
    return [
        cell("rigouste.searches.ends", f"{STORIES}/{','.join(classes)}", name, 0, fold=fold,
             seconds=2.0 if name == "growing" else 0.3, **settings[name])
        for name in ([method] if method else settings)
        for fold in range(2 if scope.quick else published.FOLDS)
    ]  # fmt: skip


def perturbed(scope: Scope, drawn_from: str) -> list[Cell]:
    """Classes of which growing shares are perturbed; a cell has the whole curve."""
    return [
        cell("rigouste.perturbed.scores", corpus(scope), drawn_from, run, shares=SHARES,
             seconds=0.1)
        for run in range(scope.runs)
    ]  # fmt: skip


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


def short_chains(scope: Scope) -> list[Cell]:
    """Shorter chains, of which the parameters are estimated too."""
    sweeps = 50 if scope.quick else SHORT
    return [
        cell("rigouste.chains.ends", corpus(scope), "gibbs", each.seed, fold=0, sweeps=sweeps,
             seconds=1.0 if scope.quick else 6.0)
        for each in chains(scope)
    ]  # fmt: skip


def plan(name: str, scope: Scope) -> list[Cell]:
    """The cells of an item; all have the starts from labels and draws."""
    starts = [*em(scope, "labels"), *em(scope, "dirichlet")]
    by_size = [c for size in sizes(scope) for c in em(scope, "dirichlet", size)]
    more: dict[str, Sequence[Cell]] = {
        "rigouste-section4": [*perturbed(scope, "all"), *perturbed(scope, "others")],
        "rigouste-figure2": [*em(scope, "dirichlet", published.BEST_SIZE), *by_size],
        "rigouste-figure3": splits(scope),
        "rigouste-figure4": em(scope, "dirichlet", published.BEST_SIZE),
        "rigouste-figure5": by_size,
        "rigouste-figure6": [
            *growing(scope, published.BEST_SIZE),
            *growing(scope, best_first_size()),
            *em(scope, "kmeans"),
            *combined(scope),
            *(c for name in tried_searches(scope) for c in tried(scope, name)),
            *(c for names in chosen_classes(scope) for c in on_stories(scope, names)),
        ],
        "rigouste-figure7": [
            *chains(scope),
            *short_chains(scope),
            *growing(scope, best_first_size()),
        ],
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
