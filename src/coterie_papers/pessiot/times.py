"""Table 4 of Pessiot et al.: seconds, and their growth with documents, words and topics."""

from typing import Any

import numpy as np

from coterie_papers.cells import Cell, Results, cell
from coterie_papers.items import Chart, Claim, Grid, Line, Part, Scope, Sheet
from coterie_papers.pessiot import published, tried
from coterie_papers.pessiot.setup import (
    WITH_CONCEPTS,
    collections,
    runs,
    substitute,
)

CONCEPTS = 10
LIBRARIES = ("Kmeans", "NMF", "LDA")
TIMED_RUNS = 3
GROWING = {"MM": "mm", "PLSA": "plsa", "Ext-PLSA": "ext-plsa", "2PLSA": "2plsa"}
AXES = {
    "documents": (0.125, 0.25, 0.5, 1.0),
    "vocabulary": (0.125, 0.25, 0.5, 1.0),
    "clusters": (8, 16, 32, 64),
    "words": (10, 20, 40, 80),
}
NAMES = {
    "documents": "share of documents",
    "vocabulary": "share of words",
    "clusters": "number of clusters",
    "words": "number of word topics",
}


def _timed(scope: Scope, corpus: str, label: str) -> list[Cell]:
    few = Scope(min(scope.runs, TIMED_RUNS), scope.quick)
    return runs(few, corpus, label, CONCEPTS if label in WITH_CONCEPTS else None)


def _growth(scope: Scope, method: str, axis: str) -> list[Cell]:
    if axis == "words" and method in ("mm", "plsa"):
        return []
    corpus = collections(scope)["20Newsgroups"]
    steps, seconds = (3, 1.0) if scope.quick else (10, 1.0)
    settings: list[dict[str, Any]] = [{axis: value, "steps": steps} for value in AXES[axis]]
    return [
        cell("clustering.step_seconds", corpus, method, seconds=seconds, **each)
        for each in (settings[::3] if scope.quick else settings)
    ]


def plan_table4(scope: Scope) -> list[Cell]:
    """The first runs of Table 5 with ten concepts, and steps of growing size."""
    cells = [
        each
        for corpus in collections(scope).values()
        for label in published.TIMES
        for each in _timed(scope, corpus, label)
    ]
    for method in GROWING.values():
        for axis in AXES:
            cells += _growth(scope, method, axis)
    return cells


def present_table4(scope: Scope, results: Results) -> Sheet:
    """Seconds beside the paper's, and growth of one iteration's seconds."""
    grids = [_seconds(scope, results, title) for title in published.COLLECTIONS]
    growth, charts, exponents = _present_growth(scope, results)
    ratios = {
        (record["collection"], record["method"]): record["ratio"]
        for grid in grids
        for record in grid.records
        if record["ratio"] is not None
    }
    own = {f"{c}, {m}": r > 1 for (c, m), r in ratios.items() if m not in LIBRARIES}
    claims = [
        _same_time(grids),
        Claim("every model of the papers is fitted in less time than published", own,
              ours=True),
        Claim("time of an iteration grows at most linearly with documents, words and clusters",
              {name: exponent < 1.15 for name, exponent in exponents.items()},
              reason=f"Exponents: {', '.join(f'{n} {e:.2f}' for n, e in exponents.items())}."),
    ]  # fmt: skip
    note = (
        "Seconds are of one fit with ten concepts in one thread, the fastest of "
        f"{min(scope.runs, TIMED_RUNS)} runs. The paper used a Core 2 Duo of 3.16 GHz. "
        "Collections that differ in size from the paper's also differ in time; a substitute "
        "has no ratio. Growth is that of iterations alone: the start of a fit, and the "
        "assignment of its documents after the last iteration, are not in it."
    )
    headline = (
        f"published over ours: {min(ratios.values()):.2g} to {max(ratios.values()):.3g} times"
    )
    parts: list[Part] = [note, *grids, growth, *charts]
    return Sheet(parts, tried.settled(claims), substitute(), headline)


def _same_time(grids: list[Grid]) -> Claim:
    """Whether Ext-PLSA takes no more of the time of LDA and NMF than published."""
    verdicts, parts = {}, []
    for grid in grids:
        found = {record["method"]: record for record in grid.records}
        ext = found["Ext-PLSA"]
        for other in ("LDA", "NMF"):
            ours = ext["seconds"] / found[other]["seconds"]
            theirs = ext["published"] / found[other]["published"]
            verdicts[f"{grid.title}, {other}"] = ours <= theirs
            parts.append(f"{grid.title}, {other} {ours:.2g} (published {theirs:.2g})")
    text = "Ext-PLSA takes no more time than LDA and NMF, in the published proportion"
    return Claim(text, verdicts, reason=f"Time of Ext-PLSA over theirs: {'; '.join(parts)}.")


def _seconds(scope: Scope, results: Results, title: str) -> Grid:
    corpus, place = collections(scope)[title], published.COLLECTIONS.index(title)
    comparable = title != "RCV2-French" or not substitute()
    rows, records = [], []
    for label, all_theirs in published.TIMES.items():
        theirs = all_theirs[place]
        ours = min(float(results[each]["seconds"]) for each in _timed(scope, corpus, label))
        ratio = theirs / ours if comparable else None
        shown = "" if ratio is None else f"{ratio:.3g}"
        rows.append([label, published.COMPLEXITY[label], f"{ours:.2g}", f"{theirs:g}", shown])
        records.append({"method": label, "collection": title, "seconds": ours,
                        "published": theirs, "ratio": ratio})  # fmt: skip
    headings = ["method", "published complexity", "seconds", "published", "published / ours"]
    return Grid(headings, rows, records, title=title)


def _present_growth(
    scope: Scope, results: Results
) -> tuple[Grid, list[Chart], dict[str, float]]:
    rows, records, charts, exponents = [], [], [], {}
    for axis in AXES:
        lines = []
        for label, method in GROWING.items():
            cells = _growth(scope, method, axis)
            if cells:
                x = [float(each.setting(axis)) for each in cells]
                y = [float(results[each]["seconds"]) for each in cells]
                slope = float(np.polyfit(np.log(x), np.log(y), 1)[0])
                exponents[f"{label}, {NAMES[axis]}"] = slope
                rows.append([label, NAMES[axis], f"{1000 * y[0]:.2g}", f"{1000 * y[-1]:.2g}",
                             f"{slope:.2f}"])  # fmt: skip
                records.append({"method": label, "axis": axis, "x": x, "seconds": y,
                                "exponent": slope})  # fmt: skip
                lines.append(Line(label, x, [1000 * each for each in y]))
        charts.append(Chart(f"growth-{axis}", f"Time of an iteration by {NAMES[axis]}",
                            NAMES[axis], "milliseconds", lines))  # fmt: skip
    headings = ["method", "what grows", "ms, smallest size", "ms, largest size", "exponent"]
    title = "Growth of an iteration on 20Newsgroups"
    return Grid(headings, rows, records, title=title), charts, exponents
