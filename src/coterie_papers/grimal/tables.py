"""Tables 1 to 3 and Figure 2 of Grimal and Bisson (2011)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coterie.methods import AUTO
from coterie_papers.cells import Cell, Results, cell
from coterie_papers.combined import COMBINED, beside_published, n_runs
from coterie_papers.comparison import OURS, Row, compare, shown
from coterie_papers.grimal import published
from coterie_papers.grimal.samples import ALL_WORDS, MEDOIDS, MUTUAL_INFORMATION
from coterie_papers.items import Chart, Claim, Grid, Line, Part, Scope, Sheet, Value

QUICK_SAMPLES = ("M5", "NG1")
SECONDS = {"M2": 2.0, "M5": 2.0, "M10": 2.0, "NG1": 1.7, "NG2": 2.5, "NG3": 3.5}
"""CPU seconds of χ-Sim with ten prunings on a draw of a sample."""

SHARES = {"lsa": 0.7, "lsa-counts": 0.7, "bvd": 0.6, "rsn": 0.4, AUTO: 4.0}
"""Time of other methods relative to that; those not named take a twentieth."""

MEASURES = {"precision": "Pr", "nmi": "NMI"}
PRECISION = {"precision": "Pr"}
PRUNED = "ours: χ-Sim 0.8, pruned by 0.6 everywhere"
SCALED = "LSA, documents of length one"
SUMMARY = "RSN, summary"
NONE = "0.0"
APART, WHOLE, FILLED = "apart", "whole", "filled"
"""Documents with none of the chosen words: outside the tree, in it, left out before the fit.

Trees are of one minus the similarity, those of `apart` of its square root.
"""


class Entry(NamedTuple):
    """Our method of a row, its setting where that is fixed, and how documents are treated."""

    method: str
    fixed: str | None = None
    documents: str | None = None


ROWS = {
    "Cosine": Entry("cosine"),
    "LSA": Entry("lsa-counts"),
    SCALED: Entry("lsa"),
    "ITCC": Entry("itcc"),
    "BVD": Entry("bvd"),
    "RSN": Entry("rsn-spectral"),
    SUMMARY: Entry("rsn"),
    "SNOS": Entry("snos"),
    "CTK": Entry("ctk"),
    "χ-Sim": Entry("chi-sim", NONE),
    "χ-Sim p": Entry("chi-sim"),
    "χ-Sim 1": Entry("chi-sim-1", NONE),
    "χ-Sim 1 p": Entry("chi-sim-1"),
    "χ-Sim 0.8": Entry("chi-sim-0.8", NONE),
    "χ-Sim 0.8 p": Entry("chi-sim-0.8"),
    PRUNED: Entry("chi-sim-0.8", "0.6"),
}
OTHERWISE = ", other tree"
AGAIN = ("Cosine", "CTK", "χ-Sim 1", "χ-Sim 1 p", "χ-Sim 0.8", "χ-Sim 0.8 p")
"""Rows that are shown with the other tree too."""
IN_TREES = frozenset(
    {"cosine", "lsa", "lsa-counts", "snos", "ctk", "chi-sim", "chi-sim-1", "chi-sim-0.8"}
)
CALLED = {
    "lsa": "rank",
    "lsa-counts": "rank",
    "itcc": "word clusters",
    "bvd": "word clusters",
    "rsn": "word clusters",
}
NOTES = {COMBINED: "all words, no class known"}
WITHOUT_CLASSES = (
    f"`{AUTO}` uses only the texts. It is compared with published values for which the words "
    "or the pruning were chosen by the classes."
)


TREE = (
    "Ward's tree is of one minus the similarity and has all documents, which is the plainest "
    "reading of the paper. Documents with none of the chosen words have similarity 0 to all "
    "others, and can take clusters of their own. In rows with the other tree it is of the "
    "square root of one minus the similarity, and these documents are outside of it, as "
    "members of the largest cluster."
)


def nearness(rows: Sequence[Row]) -> str:
    """How far the precisions of both trees are from the published ones."""
    named = {(row.group, row.name): row for row in rows}
    gaps: dict[str, list[float]] = {"": [], OTHERWISE: []}
    for sample, label in ((s, name) for s, name in named if name in AGAIN):
        theirs = named[sample, label].published["precision"]
        assert theirs is not None
        for end, name in (("", label), (OTHERWISE, f"{OURS}{label}{OTHERWISE}")):
            gaps[end].append(abs(named[sample, name].mean("precision") - theirs.mean))
    here, there = (float(np.mean(each)) for each in gaps.values())
    return (
        "The tree was chosen for Tables 2 and 3 and Figure 2 together, by two draws of each "
        f"sample. Here these {len(gaps[''])} precisions differ from the published ones by "
        f"{here:.3f} on average, with the other tree by {there:.3f}."
    )


def table_rows(selection: str) -> dict[str, Entry]:
    """The rows of a table; Table 3 has neither BVD nor RSN."""
    missing = () if selection == MUTUAL_INFORMATION else ("BVD", "RSN", SUMMARY)
    rows = {label: entry for label, entry in ROWS.items() if label not in missing}
    rows |= {f"{OURS}{label}{OTHERWISE}": ROWS[label]._replace(documents=APART)
             for label in AGAIN}  # fmt: skip
    return rows | {COMBINED: Entry(AUTO)}


def draws(
    scope: Scope, sample: str, selection: str, method: str, documents: str | None = None
) -> list[Cell]:
    """A sweep of a method on every draw of a sample; `auto` has all words."""
    n = min(scope.runs, 2) if scope.quick else scope.runs
    if method == AUTO:
        n, selection = n_runs(scope), ALL_WORDS
    if documents is None:
        documents = WHOLE if method in IN_TREES else APART
    experiment = "grimal.samples.sweep" if documents == APART else "grimal.whole.sweep"
    share = 1.0 if method.startswith(("chi", "figure")) else SHARES.get(method, 0.05)
    return [
        cell(experiment, f"{sample}/{draw}", method, draw, selection=selection,
             filled=True if documents == FILLED else None,
             few=True if scope.quick else None, seconds=SECONDS[sample] * share)
        for draw in range(n)
    ]  # fmt: skip


def drawn_samples(scope: Scope) -> tuple[str, ...]:
    """The samples that are drawn."""
    return QUICK_SAMPLES if scope.quick else published.SAMPLES


def plan_table1(scope: Scope) -> list[Cell]:
    """One draw of each sample."""
    return [
        cell("grimal.samples.shape", f"{sample}/0", "-", selection=MUTUAL_INFORMATION)
        for sample in drawn_samples(scope)
    ]


def present_table1(scope: Scope, results: Results) -> Sheet:
    """Groups, clusters and documents of the samples."""
    rows, records, verdicts = [], [], {}
    for sample, each in zip(drawn_samples(scope), plan_table1(scope), strict=True):
        found = results[each]
        _, n_clusters, n_documents = published.GROUPS[sample]
        ours, theirs = (found["clusters"], found["documents"]), (n_clusters, n_documents)
        numbers = (ours[0], theirs[0], ours[1], theirs[1], found["words"], found["empty"])
        rows.append([sample, ", ".join(found["groups"]), *map(str, numbers)])
        records.append({"sample": sample, **found})
        verdicts[sample] = ours == theirs
    headings = ["sample", "groups", "clusters", "published", "documents", "published", "words",
                "documents without any of these words"]  # fmt: skip
    claims = [Claim("samples have the published numbers of clusters and documents", verdicts)]
    held = sum(verdicts.values())
    return Sheet([Grid(headings, rows, records)], claims, "", f"{held} of {len(rows)} agree")


def plan_selected(selection: str, scope: Scope) -> list[Cell]:
    """Every method on every draw of every sample."""
    asked = dict.fromkeys(
        (entry.method, entry.documents) for entry in table_rows(selection).values()
    )
    return [
        each
        for sample in drawn_samples(scope)
        for method, documents in asked
        for each in draws(scope, sample, selection, method, documents)
    ]


def rows_of(scope: Scope, results: Results, selection: str) -> list[Row]:
    """All rows of a table, sample by sample."""
    return [
        best_row(scope, results, sample, selection, label, entry)
        for sample in drawn_samples(scope)
        for label, entry in table_rows(selection).items()
    ]


def best_row(
    scope: Scope, results: Results, sample: str, selection: str, label: str, entry: Entry
) -> Row:
    """A row of a table, with the setting that has the best mean precision over the draws."""
    method, fixed, documents = entry
    runs = [results[each] for each in draws(scope, sample, selection, method, documents)]
    settings = [fixed] if fixed is not None else list(runs[0]["scores"])
    means = [np.mean([run["scores"][setting][0] for run in runs]) for setting in settings]
    setting = settings[int(np.argmax(means))]
    scores = [dict(zip(MEASURES, run["scores"][setting], strict=True)) for run in runs]
    swept = len(settings) > 1
    note = f"{CALLED.get(method, 'p')} {setting}" if swept else NOTES.get(label, "")
    return Row(sample, label, scores, published_of(selection, label, sample), note)


def published_of(selection: str, label: str, sample: str) -> dict[str, Value | None]:
    """The published values of a row."""
    supervised = selection == MUTUAL_INFORMATION
    precision = published.SUPERVISED if supervised else published.MEDOIDS
    information = published.SUPERVISED_NMI if supervised else {}
    tables = {"precision": precision, "nmi": information}
    return {measure: table.get(label, {}).get(sample) for measure, table in tables.items()}


def main_table(rows: Sequence[Row], choice: str) -> tuple[list[Part], str]:
    """The parts of a page with every row, and its headline."""
    note = (
        f"{choice} As in the paper, the pruning, rank or number of word clusters with the best "
        "mean precision over the draws is reported; this choice uses the classes. Deviations "
        f"are over draws. `{AUTO}` is fitted to all words of each draw."
    )
    known = [row for row in rows if row.published["precision"] is not None]
    inside = sum(_within(row) for row in known)
    headline = f"{inside} of {len(known)} precisions within two published deviations"
    headline += f"; Pr {beside_published(rows, PRECISION)}"
    return [note, *compare(rows, MEASURES, 0.05)], headline


def _within(row: Row) -> bool:
    theirs = row.published["precision"]
    assert theirs is not None
    spread = max(theirs.deviation or 0.0, 0.01)
    return abs(row.mean("precision") - theirs.mean) <= 2 * spread


AT_08, APART_LINE = f"{OURS}k-medoids, k = 0.8", f"{OURS}k-medoids{OTHERWISE}"


def figure2_lines(axis: str) -> dict[str, tuple[str, str, str]]:
    """Lines of a side of Figure 2: words, method and documents."""
    method = f"figure2-{axis}"
    lines = {
        "mutual information": (MUTUAL_INFORMATION, method, WHOLE),
        "k-medoids": (MEDOIDS, method, WHOLE),
        APART_LINE: (MEDOIDS, method, APART),
    }
    return lines | ({AT_08: (MEDOIDS, "chi-sim-0.8", WHOLE)} if axis == "p" else {})


def plan_figure2(scope: Scope) -> list[Cell]:
    """Pruning and exponent, each with the other held fixed, on NG1."""
    return [
        each
        for axis in ("p", "k")
        for line in figure2_lines(axis).values()
        for each in draws(scope, "NG1", *line)
    ]


def present_figure2(scope: Scope, results: Results) -> Sheet:
    """Precision against the pruning, and against the exponent."""
    charts, rows = [], []
    curves: dict[tuple[str, str], dict[float, float]] = {}
    for axis, title in {"p": "pruning p (k = 0.6)", "k": "exponent k (p = 0.6)"}.items():
        lines = []
        for name, drawn in figure2_lines(axis).items():
            runs = [results[each] for each in draws(scope, "NG1", *drawn)]
            line = _curve(name, runs, name.startswith(OURS))
            lines.append(line)
            curves[axis, name] = dict(zip(line.x, line.y, strict=True))
            rows += [
                [name, f"{axis} = {at:g}", shown(mean, deviation)]
                for at, mean, deviation in zip(
                    line.x, line.y, line.deviation or (), strict=True
                )
            ]
        charts.append(Chart(axis, f"NG1: precision by {title}", title, "precision", lines))
    grid = Grid(["words chosen by", "at", "precision"], rows, title="The numbers")
    by_p = curves["p", "k-medoids"]
    best = max(by_p, key=by_p.__getitem__)
    headline = f"best pruning with k-medoids: {best:g} (published: about 0.6)"
    outside = curves["p", APART_LINE][0.0]
    note = (
        f"{TREE} A dashed line has that other tree: then precision is {outside:.2f} without "
        f"pruning, instead of {by_p[0.0]:.2f}."
    )
    return Sheet([published.FIGURE2, *charts, grid], _figure2_claims(curves), "", headline,
                 [note])  # fmt: skip


def _figure2_claims(curves: dict[tuple[str, str], dict[float, float]]) -> list[Claim]:
    by_p, by_k = curves["p", "k-medoids"], curves["k", "k-medoids"]
    best = max(by_p, key=by_p.__getitem__)
    tables = curves["p", AT_08]
    why = (
        f"With k = 0.6 precision is {by_p[0.0]:.3f} without pruning and {by_p[0.6]:.3f} with "
        f"60 %. With k = 0.8, as in the paper's tables, it goes from {tables[0.0]:.3f} to "
        f"{tables[0.6]:.3f}, as in the published figure (dashed line)."
    )
    return [
        Claim("with k-medoids, pruning 60 % is better than none",
              {"NG1": by_p[0.6] > by_p[0.0]}, reason=why),
        Claim("with k-medoids the best pruning is about 60 %: between 50 and 70 %",
              {"NG1": 0.5 <= best <= 0.7},
              reason=f"The best is {best:.0%}. {why}"),
        Claim("with mutual information pruning up to 60 % changes less than with k-medoids",
              {"NG1": _range(curves["p", "mutual information"]) < _range(by_p)}),
        Claim("with k-medoids the best k is between 0.5 and 1",
              {"NG1": 0.5 <= max(by_k, key=by_k.__getitem__) <= 1.0}),
    ]  # fmt: skip


def _curve(name: str, runs: Sequence[dict[str, dict[str, list[float]]]], dashed: bool) -> Line:
    settings = list(runs[0]["scores"])
    table = np.array([[run["scores"][setting][0] for setting in settings] for run in runs])
    spread = table.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(len(settings))
    return Line(
        name, [float(s) for s in settings], table.mean(axis=0).tolist(), spread.tolist(), dashed
    )


def _range(curve: dict[float, float]) -> float:
    used = [value for at, value in curve.items() if at <= 0.6]
    return max(used) - min(used)
