"""Tables 3 and 5 of Pessiot et al.: precision, recall and NMI of every method."""

from coterie.evaluation import mark
from coterie.methods import AUTO
from coterie_papers.cells import Cell, Results, Scores
from coterie_papers.combined import COMBINED, above_published, beside_published
from coterie_papers.comparison import Row, above, compare
from coterie_papers.items import Claim, Grid, Scope, Sheet
from coterie_papers.pessiot import published
from coterie_papers.pessiot.setup import (
    INCREMENTAL,
    LDA_RUNS,
    LEVEL,
    MEASURES,
    METHODS,
    QUICK_CONCEPTS,
    TABLE_CONCEPTS,
    WITH_CONCEPTS,
    best_row,
    collections,
    runs,
    substitute,
)


def plan_table3(scope: Scope) -> list[Cell]:
    """MM on words, and on concepts, as many as were best in the paper."""
    return [
        each
        for title, corpus in collections(scope).items()
        for label in ("MM", "C-MM")
        for each in _table3_runs(scope, title, corpus, label)
    ]


def _table3_runs(scope: Scope, title: str, corpus: str, label: str) -> list[Cell]:
    words = published.CONCEPTS[title] if label == "C-MM" else None
    return runs(scope, corpus, label, words)


def present_table3(scope: Scope, results: Results) -> Sheet:
    """Precision and recall of every class, MM beside C-MM."""
    grids, averages = [], []
    for title, corpus in collections(scope).items():
        found = {
            label: [results[each] for each in _table3_runs(scope, title, corpus, label)]
            for label in ("MM", "C-MM")
        }
        grids.append(_class_grid(title, found))
        averages += [Row(title, label, scores, published.best(label, title))
                     for label, scores in found.items()]  # fmt: skip
    claims = [
        Claim("C-MM has a higher average precision than MM",
              above(averages, "C-MM", "MM", {"precision": "AP"}))
    ]  # fmt: skip
    pairs = "; ".join(
        f"{row.group} {row.name} {row.mean('precision'):.2f} ({row.published['precision']})"
        for row in averages
    )
    note = "In brackets: published. Average precision and average recall are the same number."
    return Sheet([note, *grids], claims, substitute(), f"AP ours (published): {pairs}")


def _class_grid(title: str, found: dict[str, list[Scores]]) -> Grid:
    names = [n for t, n in published.CLASSES if t == title and n != "Average"]
    own = {published.OUR_CLASSES.get(name, name): name for name in names}
    classes = next(iter(found.values()))[0]["classes"]
    order = [name for name in own if name in classes] or list(classes)
    columns = [(place, label) for place in (0, 1) for label in found]
    rows, records = [], []
    for name in [*order, "Average"]:
        numbers = published.CLASSES.get((title, own.get(name, name)), [None] * 4)
        scores = {
            (place, label): [
                run["precision"] if name == "Average" else run["classes"][name][place]
                for run in runs_of
            ]
            for place in (0, 1)
            for label, runs_of in found.items()
        }
        cells = []
        for number, column in enumerate(columns):
            value = _with_mark(scores, column)
            theirs = numbers[number]
            cells.append(value if theirs is None else f"{value} ({theirs})")
        rows.append([own.get(name, name), *cells])
        records.append({"class": name, "scores": {f"{'pr'[p]} {m}": v for (p, m), v in
                                                  scores.items()}})  # fmt: skip
    headings = ["class", "precision MM", "precision C-MM", "recall MM", "recall C-MM"]
    return Grid(headings, rows, records, title=title)


def _with_mark(scores: dict[tuple[int, str], list[float]], column: tuple[int, str]) -> str:
    place, label = column
    pair = {name: values for (p, name), values in scores.items() if p == place}
    worse = len(pair[label]) > 1 and mark(pair, LEVEL)[label]
    mean = sum(pair[label]) / len(pair[label])
    return f"{mean:.2f}{' ↓' if worse else ''}"


def plan_table5(scope: Scope) -> list[Cell]:
    """Every method on every collection, those with concepts at several numbers of them."""
    sizes = QUICK_CONCEPTS if scope.quick else TABLE_CONCEPTS
    cells = []
    for corpus in collections(scope).values():
        for label in METHODS:
            for words in sizes if label in WITH_CONCEPTS else (None,):
                cells += runs(scope, corpus, label, words)
        cells += [each for own in _ours(scope, corpus).values() for each in own]
    return cells


def _ours(scope: Scope, corpus: str) -> dict[str, list[Cell]]:
    return {
        INCREMENTAL: runs(scope, corpus, INCREMENTAL, 25, "mm-incremental+ext-plsa"),
        COMBINED: runs(scope, corpus, COMBINED, method=AUTO),
    }


def present_table5(scope: Scope, results: Results) -> Sheet:
    """Best average precision and its NMI."""
    sizes = QUICK_CONCEPTS if scope.quick else TABLE_CONCEPTS
    rows = []
    for title, corpus in collections(scope).items():
        rows += [best_row(scope, results, title, corpus, label, sizes) for label in METHODS]
        rows += [
            Row(title, label, [results[each] for each in own], {})
            for label, own in _ours(scope, corpus).items()
        ]
    claims = [
        Claim("PLSA is above MM", above(rows, "PLSA", "MM", MEASURES)),
        Claim("C-MM is above MM", above(rows, "C-MM", "MM", MEASURES)),
        Claim("C-MM is above P-MM", above(rows, "C-MM", "P-MM", MEASURES)),
        Claim("Ext-PLSA is above PLSA", above(rows, "Ext-PLSA", "PLSA", MEASURES)),
        Claim("PLSA is above NMF", above(rows, "PLSA", "NMF", MEASURES)),
        Claim("Ext-PLSA is above LDA", above(rows, "Ext-PLSA", "LDA", MEASURES)),
        Claim("Ext-PLSA after the incremental vocabulary is above Ext-PLSA",
              above(rows, INCREMENTAL, "Ext-PLSA", MEASURES), ours=True),
        above_published(rows, MEASURES),
    ]  # fmt: skip
    grids = compare(rows, MEASURES, LEVEL)
    note = (
        "Each of ten runs leaves out another tenth of every class and has its own seed; LDA, "
        f"which is slow, has {LDA_RUNS} runs. The number of concepts is the best of "
        f"{', '.join(map(str, sizes))} by precision, as in the paper."
    )
    headline = "; ".join(
        f"{row.group} {row.name} {row.mean('precision'):.2f}/{row.mean('nmi'):.2f} "
        f"({row.published['precision']}/{row.published['nmi']})"
        for row in rows
        if row.name in ("C-MM", "Ext-PLSA")
    )
    headline = f"AP/NMI ours (published): {headline}; {beside_published(rows, MEASURES)}"
    return Sheet([note, *grids], claims, substitute(), headline)
