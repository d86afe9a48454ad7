"""Tables 1 and 2 of Kim et al. (2010)."""

from functools import partial
from itertools import pairwise
from typing import Any

from coterie.methods import AUTO
from coterie_papers.cells import Cell, Results
from coterie_papers.combined import COMBINED, above_published, beside_published
from coterie_papers.comparison import Row, above, compare, significantly_above
from coterie_papers.items import Claim, Grid, Part, Scope, Sheet
from coterie_papers.kim import published, tries
from coterie_papers.kim.runs import MEASURES, cells, collections, substitute
from coterie_papers.kim.views import FUSED, SINGLE, TO_THE_END

STARTED = "ours: votes of models started by k-means"
BESIDE = "ours: auto, all views side by side"
METHODS = {
    "single views": SINGLE,
    "conc-PLSA": "conc-plsa",
    "Fusion-LM": "fusion-lm",
    "voted-PLSA": "voted-plsa",
    STARTED: "voted-plsa",
    BESIDE: AUTO,
    COMBINED: FUSED,
}
SETTINGS: dict[str, dict[str, Any]] = {STARTED: {"init": "kmeans"}}
NOTES = {COMBINED: "of each view and of all, fused by Fusion-LM"}
HALF = 0.5
TOL = f"{TO_THE_END['tol']:g}".replace("e-0", "e-")
SAME_STOP = (
    "All strategies of the paper stop alike, models of views and of all views: where the "
    f"relative gain of an iteration is below {TOL}, or after {TO_THE_END['max_iter']} "
    "iterations. The paper does not say when it stops."
)
FROM_DESCRIPTION = (
    "Fusion-LM was written from descriptions of it: its article was not at hand. The tables of "
    "tries have two other readings, whole memberships and the relation between documents."
)


def plan_table1(scope: Scope) -> list[Cell]:
    """The votes alone, and what was tried to have more of them."""
    return tries.plan(scope, "voted-PLSA")


def present_table1(scope: Scope, results: Results) -> Sheet:
    """Share of the documents pre-assigned by votes, and the precision on them."""
    voted = [
        Row(title, title, [results[each] for each in cells(scope, corpus, "voted-plsa")], {})
        for title, corpus in collections().items()
    ]
    shares = {row.name: row.mean("preassigned") for row in voted}
    precisions = {row.name: row.mean("precision_preassigned") for row in voted}
    average = published.PREASSIGNED["Average"]
    claims = [
        Claim("votes pre-assign more than half of the documents",
              {title: share > HALF for title, share in shares.items()},
              reason="" if min(shares.values()) > HALF else _few_preassigned(scope, results)),
        Claim("the groups are homogeneous: average precision on pre-assigned documents is at "
              f"least the published {average[1]}",
              {title: precision >= average[1] for title, precision in precisions.items()}),
        Claim("precision is higher on the documents the views agree on than on all documents",
              {row.name: precisions[row.name] > row.mean("precision") for row in voted}),
    ]  # fmt: skip
    said = [
        f"{name} {100 * share:.0f} %, {precisions[name]:.2f}" for name, share in shares.items()
    ]
    headline = f"{'; '.join(said)} (published: {100 * average[0]:.0f} %, {average[1]})"
    parts = [_preassigned(shares, precisions), tries.shares(scope, results)]
    return Sheet([*parts], claims, substitute(), headline, [SAME_STOP])


def _preassigned(shares: dict[str, float], precisions: dict[str, float]) -> Grid:
    rows, records = [], []
    for title, share in shares.items():
        theirs = published.PREASSIGNED.get(title)
        shown = [f"{100 * theirs[0]:.2f}", f"{theirs[1]:.2f}"] if theirs else ["", ""]
        precision = precisions[title]
        rows.append([title, f"{100 * share:.1f}", shown[0], f"{precision:.2f}", shown[1]])
        records.append({"collection": title, "share": share, "precision": precision})
    if not set(shares) & set(published.PREASSIGNED):
        rows += [
            [f"published, {name}", "", f"{100 * share:.2f}", "", f"{precision:.2f}"]
            for name, (share, precision) in published.PREASSIGNED.items()
        ]
    headings = ["collection", "% of documents", "published", "AP on these", "published"]
    return Grid(headings, rows, records)


def _few_preassigned(scope: Scope, results: Results) -> str:
    """How the share pre-assigned grows with the number of documents, and with other changes."""
    share = tries.preassigned(scope, results)
    sizes = (tries.QUARTER, tries.HALF, tries.ALL)
    grows = all(
        share[few][title] < share[many][title]
        for few, many in pairwise(sizes)
        for title in share[few]
    )
    by_size = "; ".join(
        f"{title} {', '.join(f'{100 * share[size][title]:.0f}' for size in sizes)} %"
        for title in collections()
    )
    others = "; ".join(
        f"{label} {', '.join(f'{100 * each:.0f} %' for each in found.values())}"
        for label, found in share.items()
        if label not in sizes
    )
    so = (
        "The more documents, the more the views agree, and the paper has 111,740"
        if grows
        else "The number of documents does not tell"
    )
    return (
        f"{so}: with a quarter, half and all of the documents, {by_size} are pre-assigned. "
        f"Other changes give ({' and '.join(collections())}): {others}."
    )


def plan_table2(scope: Scope) -> list[Cell]:
    """Every strategy on every collection, and what was tried to explain how they compare."""
    table = [
        each
        for corpus in collections().values()
        for label in METHODS
        for each in _cells(scope, corpus, label)
    ]
    return [*table, *tries.plan(scope, *tries.STRATEGIES)]


def _cells(scope: Scope, corpus: str, label: str) -> list[Cell]:
    return cells(scope, corpus, METHODS[label], **SETTINGS.get(label, {}))


def present_table2(scope: Scope, results: Results) -> Sheet:
    """Precision and NMI of the strategies."""
    rows = [
        Row(title, label, [results[each] for each in _cells(scope, corpus, label)],
            published.STRATEGIES.get(label, {}), NOTES.get(label, ""))
        for title, corpus in collections().items()
        for label in METHODS
    ]  # fmt: skip
    headline = "; ".join(
        f"{row.group} {row.name} {row.mean('precision'):.2f}/{row.mean('nmi'):.2f}"
        for row in rows
        if row.name in ("conc-PLSA", "voted-PLSA")
    )
    note = (
        f"The clusterings of the views by `{AUTO}` can be combined in several ways. The one "
        "shown was chosen by its scores on the Reuters sample and the Debian packages; this "
        "choice uses the classes."
    )
    headline += " (published: 0.63/0.41, 0.65/0.44)"
    headline = f"AP/NMI: {headline}; {beside_published(rows, MEASURES)}"
    parts: list[Part] = [*compare(rows, MEASURES, published.LEVEL)]
    parts += tries.grids(scope, results)
    claims = [*_claims(scope, results, rows), *_claims_of_ours(rows)]
    return Sheet(parts, claims, substitute(), headline, [SAME_STOP, FROM_DESCRIPTION, note])


def _claims(scope: Scope, results: Results, rows: list[Row]) -> list[Claim]:
    """What the abstract and section 3 say of Table 2."""
    tests: dict[str, tries.Test] = {
        "voted-PLSA is significantly above conc-PLSA":
            partial(_significantly, "voted-PLSA", "conc-PLSA"),
        "voted-PLSA is significantly above Fusion-LM":
            partial(_significantly, "voted-PLSA", "Fusion-LM"),
        "voted-PLSA performs at least as well as Fusion-LM (is not significantly worse)":
            partial(_at_least, "voted-PLSA", "Fusion-LM"),
        "conc-PLSA performs at least as well as Fusion-LM (is not significantly worse)":
            partial(_at_least, "conc-PLSA", "Fusion-LM"),
    }  # fmt: skip
    claims = [
        Claim("voted-PLSA is above conc-PLSA", above(rows, "voted-PLSA", "conc-PLSA", MEASURES))
    ]
    for text, test in tests.items():
        verdicts = test(rows)
        reason = "" if all(verdicts.values()) else tries.reason(scope, results, test)
        if reason and text.startswith("conc-PLSA"):
            reason += " " + tries.equal_work(scope, results)
        claims.append(Claim(text, verdicts, reason=reason))
    return claims


def _significantly(first: str, second: str, rows: list[Row]) -> dict[str, bool]:
    return significantly_above(rows, first, second, MEASURES, published.LEVEL)


def _at_least(first: str, second: str, rows: list[Row]) -> dict[str, bool]:
    return {place: not worse for place, worse in _significantly(second, first, rows).items()}


def _claims_of_ours(rows: list[Row]) -> list[Claim]:
    return [
        Claim("conc-PLSA is above PLSA on single views",
              above(rows, "conc-PLSA", "single views", MEASURES), ours=True),
        Claim("votes of models started by k-means are above voted-PLSA",
              above(rows, STARTED, "voted-PLSA", MEASURES), ours=True),
        Claim("auto on all views side by side is above voted-PLSA",
              above(rows, BESIDE, "voted-PLSA", MEASURES), ours=True),
        above_published(rows, MEASURES),
    ]  # fmt: skip
