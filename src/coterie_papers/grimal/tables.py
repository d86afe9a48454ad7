"""Tables 1 to 3 and Figure 2 of Grimal and Bisson (2011)."""

from collections.abc import Sequence

import numpy as np

from coterie.methods import AUTO
from coterie_papers.cells import Cell, Results, cell
from coterie_papers.combined import COMBINED, above_published, beside_published, n_runs
from coterie_papers.comparison import Row, above, compare, shown
from coterie_papers.grimal import published
from coterie_papers.grimal.samples import ALL_WORDS, MEDOIDS, MUTUAL_INFORMATION
from coterie_papers.items import Chart, Claim, Grid, Line, Scope, Sheet, Value

QUICK_SAMPLES = ("M5", "NG1")
SECONDS = {"M2": 0.4, "M5": 0.4, "M10": 0.4, "NG1": 0.3, "NG2": 1.0, "NG3": 2.0}
MEASURES = {"precision": "Pr", "nmi": "NMI"}
PRECISION = {"precision": "Pr"}
PRUNED = "ours: χ-Sim 0.8, pruned by 0.6 everywhere"
SCALED = "LSA, documents of length one"
SUMMARY = "RSN, summary"
NONE = "0.0"
ROWS: dict[str, tuple[str, str | None]] = {  # our method, and the setting where it is fixed
    "Cosine": ("cosine", None),
    "LSA": ("lsa-counts", None),
    SCALED: ("lsa", None),
    "ITCC": ("itcc", None),
    "BVD": ("bvd", None),
    "RSN": ("rsn-spectral", None),
    SUMMARY: ("rsn", None),
    "SNOS": ("snos", None),
    "CTK": ("ctk", None),
    "χ-Sim": ("chi-sim", NONE),
    "χ-Sim p": ("chi-sim", None),
    "χ-Sim 1": ("chi-sim-1", NONE),
    "χ-Sim 1 p": ("chi-sim-1", None),
    "χ-Sim 0.8": ("chi-sim-0.8", NONE),
    "χ-Sim 0.8 p": ("chi-sim-0.8", None),
    PRUNED: ("chi-sim-0.8", "0.6"),
    COMBINED: (AUTO, None),
}
CALLED = {
    "lsa": "rank",
    "lsa-counts": "rank",
    "itcc": "word clusters",
    "bvd": "word clusters",
    "rsn": "word clusters",
}
NOTES = {COMBINED: "all words, no class known"}


def draws(scope: Scope, sample: str, selection: str, method: str) -> list[Cell]:
    """A sweep of a method on every draw of a sample; `auto` has all words."""
    n = min(scope.runs, 2) if scope.quick else scope.runs
    if method == AUTO:
        n, selection = n_runs(scope), ALL_WORDS
    swept = 10 if method.startswith(("chi", "lsa", "figure", AUTO)) else 2
    return [
        cell("grimal.samples.sweep", f"{sample}/{draw}", method, draw, selection=selection,
             few=True if scope.quick else None, seconds=SECONDS[sample] * swept)
        for draw in range(n)
    ]  # fmt: skip


def drawn_samples(scope: Scope) -> tuple[str, ...]:
    """The samples that are drawn."""
    return QUICK_SAMPLES if scope.quick else published.SAMPLES


def labels(selection: str) -> list[str]:
    """The rows of a table; Table 3 has neither BVD nor RSN."""
    if selection == MUTUAL_INFORMATION:
        return list(ROWS)
    return [label for label in ROWS if label not in ("BVD", "RSN", SUMMARY)]


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
    methods = dict.fromkeys(ROWS[label][0] for label in labels(selection))
    return [
        each
        for sample in drawn_samples(scope)
        for method in methods
        for each in draws(scope, sample, selection, method)
    ]


def best_row(scope: Scope, results: Results, sample: str, selection: str, label: str) -> Row:
    """A row of a table, with the setting that has the best mean precision over the draws."""
    method, fixed = ROWS[label]
    runs = [results[each] for each in draws(scope, sample, selection, method)]
    settings = [fixed] if fixed is not None else list(runs[0]["scores"])
    means = [np.mean([run["scores"][setting][0] for run in runs]) for setting in settings]
    setting = settings[int(np.argmax(means))]
    scores = [dict(zip(MEASURES, run["scores"][setting], strict=True)) for run in runs]
    swept = len(settings) > 1
    note = f"{CALLED.get(method, 'p')} {setting}" if swept else NOTES.get(label, "")
    return Row(sample, label, scores, _published(selection, label, sample), note)


def _published(selection: str, label: str, sample: str) -> dict[str, Value | None]:
    supervised = selection == MUTUAL_INFORMATION
    precision = published.SUPERVISED if supervised else published.MEDOIDS
    information = published.SUPERVISED_NMI if supervised else {}
    tables = {"precision": precision, "nmi": information}
    return {measure: table.get(label, {}).get(sample) for measure, table in tables.items()}


def present_selected(selection: str, scope: Scope, results: Results) -> Sheet:
    """The table of one way to choose words."""
    rows = [
        best_row(scope, results, sample, selection, label)
        for sample in drawn_samples(scope)
        for label in labels(selection)
    ]
    supervised = selection == MUTUAL_INFORMATION
    way = "Supervised mutual information (half a document of smoothing)"
    note = (
        f"{way if supervised else 'k-medoids'} chooses 2,000 words. As in the paper, "
        "the pruning, rank or number of word clusters with the best mean precision over the "
        "draws is reported; this choice uses the classes. Deviations are over draws. "
        f"`{AUTO}` is fitted to all words of each draw."
    )
    known = [row for row in rows if row.published["precision"] is not None]
    inside = sum(_within(row) for row in known)
    headline = f"{inside} of {len(known)} precisions within two published deviations"
    claims = _claims(rows, supervised)
    headline += f"; Pr {beside_published(rows, PRECISION)}"
    return Sheet([note, *compare(rows, MEASURES, 0.05)], claims, "", headline)


def _within(row: Row) -> bool:
    theirs = row.published["precision"]
    assert theirs is not None
    spread = max(theirs.deviation or 0.0, 0.01)
    return abs(row.mean("precision") - theirs.mean) <= 2 * spread


def _claims(rows: Sequence[Row], supervised: bool) -> list[Claim]:
    best = "χ-Sim 0.8 p"
    claims = [
        Claim(f"{best} is above {other}", above(rows, best, other, PRECISION))
        for other in ("Cosine", "LSA", "ITCC", "SNOS", "CTK")
    ]
    if supervised:
        return [
            *claims,
            Claim("the pseudo-norm is better: χ-Sim 1 is above χ-Sim",
                  above(rows, "χ-Sim 1", "χ-Sim", PRECISION)),
            Claim("CTK is above LSA", above(rows, "CTK", "LSA", PRECISION)),
            above_published(rows, MEASURES),
        ]  # fmt: skip
    return [
        *claims,
        *(Claim(f"pruning is decisive: χ-Sim {k} p is above χ-Sim {k}",
                above(rows, f"χ-Sim {k} p", f"χ-Sim {k}", PRECISION)) for k in ("1", "0.8")),
        above_published(rows, MEASURES),
    ]  # fmt: skip


def plan_figure2(scope: Scope) -> list[Cell]:
    """Pruning and exponent, each with the other held fixed, on NG1."""
    return [
        each
        for selection in (MUTUAL_INFORMATION, MEDOIDS)
        for method in ("figure2-p", "figure2-k")
        for each in draws(scope, "NG1", selection, method)
    ]


def present_figure2(scope: Scope, results: Results) -> Sheet:
    """Precision against the pruning, and against the exponent."""
    names = {MUTUAL_INFORMATION: "mutual information", MEDOIDS: "k-medoids"}
    charts, rows = [], []
    curves: dict[tuple[str, str], dict[float, float]] = {}
    for axis, title in {"p": "pruning p (k = 0.6)", "k": "exponent k (p = 0.6)"}.items():
        lines = []
        for selection, name in names.items():
            line = _curve(name, [results[c] for c in draws(scope, "NG1", selection,
                                                           f"figure2-{axis}")])  # fmt: skip
            lines.append(line)
            curves[axis, selection] = dict(zip(line.x, line.y, strict=True))
            rows += [
                [name, f"{axis} = {at:g}", shown(mean, deviation)]
                for at, mean, deviation in zip(
                    line.x, line.y, line.deviation or (), strict=True
                )
            ]
        charts.append(Chart(axis, f"NG1: precision by {title}", title, "precision", lines))
    by_p, by_k = curves["p", MEDOIDS], curves["k", MEDOIDS]
    claims = [
        Claim("with k-medoids, pruning 60 % is better than none",
              {"NG1": by_p[0.6] > by_p[0.0]}),
        Claim("with mutual information pruning up to 60 % changes less than with k-medoids",
              {"NG1": _range(curves["p", MUTUAL_INFORMATION]) < _range(by_p)}),
        Claim("with k-medoids the best k is between 0.5 and 1",
              {"NG1": 0.5 <= max(by_k, key=by_k.__getitem__) <= 1.0}),
    ]  # fmt: skip
    grid = Grid(["words chosen by", "at", "precision"], rows, title="The numbers")
    best = max(by_p, key=by_p.__getitem__)
    headline = f"best pruning with k-medoids: {best:g} (published: about 0.6)"
    return Sheet([published.FIGURE2, *charts, grid], claims, "", headline)


def _curve(name: str, runs: Sequence[dict[str, dict[str, list[float]]]]) -> Line:
    settings = list(runs[0]["scores"])
    table = np.array([[run["scores"][setting][0] for setting in settings] for run in runs])
    spread = table.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(len(settings))
    return Line(
        name, [float(s) for s in settings], table.mean(axis=0).tolist(), spread.tolist()
    )


def _range(curve: dict[float, float]) -> float:
    used = [value for at, value in curve.items() if at <= 0.6]
    return max(used) - min(used)
