"""Length of the voting pattern, number of topics, second stage: section 4 leaves them open."""

from typing import Any

from coterie_papers.cells import Cell, Results
from coterie_papers.comparison import Row, above, shown
from coterie_papers.items import Chart, Claim, Grid, Line, Part, Scope, Sheet
from coterie_papers.kim.runs import MEASURES, cells, collections, substitute

VOTES: dict[str, tuple[float, dict[str, Any]]] = {  # effort and settings
    "2 views": (0.45, {"n_views": 2}),
    "3 views": (0.6, {"n_views": 3}),
    "4 views": (0.8, {"n_views": 4}),
    "5 views": (1.0, {}),
    "5 views twice": (2.0, {"repeats": 2}),
    "5 views three times": (3.0, {"repeats": 3}),
}
AGREEMENT: dict[str, tuple[float, dict[str, Any]]] = {
    "5 views, all 5 in common": (1.0, {"agreement": 1.0}),
    "5 views, 3 in common": (1.0, {"agreement": 0.6}),
    "5 views twice, 6 in common": (2.0, {"repeats": 2, "agreement": 0.6}),
    "5 views three times, 9 in common": (3.0, {"repeats": 3, "agreement": 0.6}),
}
TOPICS: dict[str, tuple[float, dict[str, Any]]] = {
    f"{n} topics": (0.8 + n / 30, {"n_view_clusters": n} if n != 6 else {})
    for n in (3, 4, 6, 9, 12, 18, 24)
}
SECONDS: dict[str, tuple[float, dict[str, Any]]] = {
    "PLSA": (1.0, {}),
    "mixture of multinomials": (0.9, {"second": "mm"}),
    "Ext-PLSA": (2.0, {"second": "ext-plsa"}),
    "2PLSA": (1.2, {"second": "2plsa"}),
}
TABLES = {
    "Length of the voting pattern, all votes but one in common": VOTES,
    "Votes asked for": AGREEMENT,
    "Topics of the models of single views": TOPICS,
    "Model of the second stage": SECONDS,
}
LENGTHS = [2, 3, 4, 5, 10, 15]
SHOWN = {
    **MEASURES,
    "preassigned": "share pre-assigned",
    "precision_preassigned": "AP on these",
}
MIXTURE = "mixture of multinomials"


def plan(scope: Scope) -> list[Cell]:
    """Every row of every table on every collection."""
    return [
        each
        for corpus in collections().values()
        for rows in TABLES.values()
        for label in rows
        for each in _cells(scope, corpus, rows, label)
    ]


def _cells(scope: Scope, corpus: str, rows: Any, label: str) -> list[Cell]:
    effort, settings = rows[label]
    return cells(scope, corpus, "voted-plsa", effort=effort, **settings)


def present(scope: Scope, results: Results) -> Sheet:
    """Four tables and two charts of voted-PLSA."""
    found = {
        title: [
            Row(collection, label,
                [results[each] for each in _cells(scope, corpus, rows, label)], {})
            for collection, corpus in collections().items()
            for label in rows
        ]
        for title, rows in TABLES.items()
    }  # fmt: skip
    votes, _, topics, second = found.values()
    parts: list[Part] = [_grid(title, rows) for title, rows in found.items()]
    numbers = [int(label.split()[0]) for label in TOPICS]
    parts.insert(1, _chart("votes", "Length of the voting pattern", "votes", LENGTHS, votes))
    parts.append(_chart("topics", "Topics of each view", "topics", numbers, topics))
    claims = [
        Claim("votes of five views are above votes of two",
              above(votes, "5 views", "2 views", MEASURES), ours=True),
        Claim("five views voting three times are above five views voting once",
              above(votes, "5 views three times", "5 views", MEASURES), ours=True),
        Claim("six topics, as many as there are classes, are above twelve",
              above(topics, "6 topics", "12 topics", MEASURES), ours=True),
        Claim("PLSA as the second stage is above a mixture",
              above(second, "PLSA", MIXTURE, MEASURES), ours=True),
    ]  # fmt: skip
    return Sheet(parts, claims, substitute(), _headline(found), [OPEN])


OPEN = (
    "The paper makes no statement here: it names the length of voting patterns and the number "
    "of topics as future work, and says that other generative models may take the place of "
    "PLSA in the second stage. Two to four views are other ones with each seed. A view that "
    "votes several times has a model of another start each time."
)


def _headline(found: dict[str, list[Row]]) -> str:
    """The best row of each table, by average precision on each collection."""
    parts = []
    for collection in collections():
        bests = [
            max(
                (row for row in rows if row.group == collection),
                key=lambda r: r.mean("precision"),
            )
            for rows in found.values()
        ]
        said = ", ".join(f"{row.name} {row.mean('precision'):.2f}" for row in bests)
        parts.append(f"{collection}: {said}")
    return f"best AP: {'; '.join(parts)} (no published values)"


def _grid(title: str, rows: list[Row]) -> Grid:
    lines = [
        [row.group, row.name,
         *(shown(row.mean(m), row.deviation(m) if m in MEASURES else None) for m in SHOWN)]
        for row in rows
    ]  # fmt: skip
    records = [
        {"group": row.group, "name": row.name, "runs": len(row.runs)}
        | {measure: row.mean(measure) for measure in SHOWN}
        for row in rows
    ]
    return Grid(["collection", "voted-PLSA with", *SHOWN.values()], lines, records, title)


def _chart(name: str, title: str, x_label: str, x: list[int], rows: list[Row]) -> Chart:
    lines = []
    for collection in collections():
        chosen = [row for row in rows if row.group == collection]
        for measure in ("precision", "preassigned"):
            y = [row.mean(measure) for row in chosen]
            spread = [row.deviation(measure) or 0.0 for row in chosen]
            lines.append(Line(f"{collection}, {SHOWN[measure]}", x, y, spread,
                              dashed=measure == "preassigned"))  # fmt: skip
    return Chart(name, title, x_label, "AP, share pre-assigned", lines)
