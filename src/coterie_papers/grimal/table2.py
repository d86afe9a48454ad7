"""Table 2 of Grimal and Bisson (2011), and what its section 3.1 says of projections."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from coterie_papers.cells import Cell, Results, Scores, cell
from coterie_papers.combined import above_published
from coterie_papers.comparison import (
    OURS,
    Row,
    above,
    as_published,
    significantly_above,
    verdicts,
)
from coterie_papers.grimal import published
from coterie_papers.grimal.samples import MUTUAL_INFORMATION
from coterie_papers.grimal.tables import (
    FILLED,
    MEASURES,
    OTHERWISE,
    PRECISION,
    ROWS,
    TREE,
    WITHOUT_CLASSES,
    best_row,
    drawn_samples,
    draws,
    main_table,
    nearness,
    plan_selected,
    published_of,
    rows_of,
)
from coterie_papers.items import Claim, Grid, Scope, Sheet

LEVEL = 0.05
BEST = "χ-Sim 0.8 p"
OTHERS = ("Cosine", "LSA", "ITCC", "SNOS", "CTK")
VERSIONS = ("χ-Sim", "χ-Sim p", "χ-Sim 1", "χ-Sim 1 p", "χ-Sim 0.8", BEST)
ALONE = ("Cosine", "LSA", "CTK", *VERSIONS)
PROJECTED = ("M5", "NG1", "NG2")
PRUNINGS = (0.0, 0.6)
Diagnosed = Mapping[tuple[str, float], Sequence[Scores]]


def plan(scope: Scope) -> list[Cell]:
    """Every method on every draw, and the trials beside the table."""
    samples = drawn_samples(scope)
    methods = dict.fromkeys(ROWS[label].method for label in ALONE)
    return [
        *plan_selected(MUTUAL_INFORMATION, scope),
        *(each for sample in samples for method in methods
          for each in draws(scope, sample, MUTUAL_INFORMATION, method, FILLED)),
        *(each for sample in samples for each in shapes(scope, sample)),
        *(each for sample in samples for each in walks(scope, sample)),
        *(each for sample, pruning in projections(scope)
          for each in diagnoses(scope, sample, pruning)),
    ]  # fmt: skip


def shapes(scope: Scope, sample: str) -> list[Cell]:
    """The sizes of every draw of a sample."""
    return [
        cell("grimal.samples.shape", each.corpus, "-", selection=MUTUAL_INFORMATION)
        for each in draws(scope, sample, MUTUAL_INFORMATION, "cosine")
    ]  # fmt: skip


def walks(scope: Scope, sample: str) -> list[Cell]:
    """Variants of CTK on every draw of a sample."""
    return [
        cell("grimal.walks.sweep", each.corpus, "-", selection=MUTUAL_INFORMATION, filled=True,
             seconds=each.seconds * 5)
        for each in draws(scope, sample, MUTUAL_INFORMATION, "ctk")
    ]  # fmt: skip


def projections(scope: Scope) -> list[tuple[str, float]]:
    """Samples and prunings for which similarities are diagnosed."""
    samples = PROJECTED[:2] if scope.quick else PROJECTED
    return [(sample, pruning) for sample in samples for pruning in PRUNINGS]


def diagnoses(scope: Scope, sample: str, pruning: float) -> list[Cell]:
    """χ-Sim 0.8 with and without projection on a few draws."""
    return [
        cell("grimal.projection.diagnosis", f"{sample}/{draw}", "-", draw, exponent=0.8,
             pruning=pruning, selection=MUTUAL_INFORMATION,
             seconds=8.0 if sample == "NG2" else 5.0)
        for draw in range(1 if scope.quick else min(scope.runs, 5))
    ]  # fmt: skip


def present(scope: Scope, results: Results) -> Sheet:
    """The table, the same without documents that have none of the words, CTK, projections."""
    rows = rows_of(scope, results, MUTUAL_INFORMATION)
    alone = [
        best_row(scope, results, sample, MUTUAL_INFORMATION, label,
                 ROWS[label]._replace(documents=FILLED))
        for sample in drawn_samples(scope) for label in ALONE
    ]  # fmt: skip
    choice = "Supervised mutual information (half a document of smoothing) chooses 2,000 words."
    parts, headline = main_table(rows, choice)
    empty = {
        sample: float(np.mean([results[each]["empty"] for each in shapes(scope, sample)]))
        for sample in drawn_samples(scope)
    }
    runs = {sample: [results[each]["scores"] for each in walks(scope, sample)]
            for sample in empty}  # fmt: skip
    variants = {sample: {name: float(np.mean([run[name][0] for run in runs[sample]]))
                         for name in runs[sample][0]} for sample in runs}  # fmt: skip
    found = {key: [results[each] for each in diagnoses(scope, *key)]
             for key in projections(scope)}  # fmt: skip
    extra = [_alone_grid(alone, empty), _variants_grid(variants), _projection_grid(found)]
    claims = [*_claims(rows, alone, _why_ctk(alone, variants)), *projection_claims(found)]
    claims = [claim for claim in claims if claim.verdicts]
    return Sheet([*parts, *extra], claims, "", headline, _notes(rows, alone, empty))


def _alone_grid(alone: Sequence[Row], empty: dict[str, float]) -> Grid:
    samples = list(empty)
    lines = [["documents left out of a draw", *(f"{empty[sample]:.0f}" for sample in samples)]]
    for label in ALONE:
        cells = [label]
        for row in alone:
            if row.name == label:
                cells.append(f"{row.mean('precision'):.3f} ({row.published['precision']})")
        lines.append(cells)
    title = "Documents with chosen words alone"
    return Grid(["precision (published)", *samples], lines, title=title)


def _variants_grid(variants: Mapping[str, Mapping[str, float]]) -> Grid:
    samples = list(variants)
    lines = [
        [name, *(f"{variants[sample][name]:.3f}" for sample in samples)]
        for name in variants[samples[0]]
    ]
    theirs = [str(published_of(MUTUAL_INFORMATION, "CTK", s)["precision"]) for s in samples]
    title = "Variants of CTK, documents with chosen words alone"
    return Grid(["precision", *samples], [*lines, ["published", *theirs]], title=title)


def _projection_grid(found: Diagnosed) -> Grid:
    headings = ["sample", "p", "smallest eigenvalue / largest", "pairs above one", "Pr",
                "Pr projected", "times as long", "runs"]  # fmt: skip
    lines = []
    for (sample, pruning), runs in found.items():
        mean = _means(runs)
        lines.append([
            sample, f"{pruning:g}", f"{mean['smallest']:.5f}", f"{mean['above_one']:.2%}",
            f"{mean['plain']:.3f}", f"{mean['projected']:.3f}",
            f"{mean['projected_seconds'] / mean['plain_seconds']:.0f}", str(len(runs)),
        ])  # fmt: skip
    title = "Section 3.1: χ-Sim 0.8 and the positive semi-definite matrices"
    return Grid(headings, lines, title=title)


def projection_claims(found: Diagnosed) -> list[Claim]:
    """What section 3.1 says of projections and of entries above one."""
    means = {f"{sample}, p {pruning:g}": _means(runs)
             for (sample, pruning), runs in found.items()}  # fmt: skip
    changes = ", ".join(
        f"{where} {m['smallest']:.2%} and {m['projected'] - m['plain']:+.3f}"
        for where, m in means.items()
    )
    why = (
        "Pruning takes the matrices away from that set. The smallest eigenvalue relative to "
        f"the largest, and what the projection adds to precision: {changes}."
    )
    tests: dict[str, Callable[[dict[str, float]], bool]] = {
        "similarities are very close to positive semi-definite: no eigenvalue below -1 % of "
        "the largest": lambda m: m["smallest"] > -0.01,
        "projecting on the semi-definite matrices does not raise precision, to two digits":
            lambda m: round(m["projected"], 2) <= round(m["plain"], 2),
        "the projection is very time consuming: more than twice the time":
            lambda m: m["projected_seconds"] > 2 * m["plain_seconds"],
        "similarities are generally at most one: fewer than 5 % of the pairs are above":
            lambda m: m["above_one"] < 0.05,
    }  # fmt: skip
    return [
        Claim(text, {where: holds(m) for where, m in means.items()}, reason=why)
        for text, holds in tests.items()
    ]


def _means(runs: Sequence[Scores]) -> dict[str, float]:
    return {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}


def _claims(rows: Sequence[Row], alone: Sequence[Row], why_ctk: str) -> list[Claim]:
    return [
        *(Claim(f"{BEST} is above {other}", above(rows, BEST, other, PRECISION),
                reason=why_ctk if other == "CTK" else "") for other in OTHERS),
        Claim("every version of χ-Sim compares with every other method as in the published "
              "table", all_as_published(rows),
              reason=f"{differing(rows)} {why_ctk}"),
        Claim("the pseudo-norm is better: χ-Sim 1 is above χ-Sim, or equal where published so",
              as_published(rows, "χ-Sim 1", "χ-Sim", PRECISION, LEVEL),
              reason=_beside(alone, "χ-Sim 1", "χ-Sim")),
        Claim("CTK is above LSA, or equal where published so",
              as_published(rows, "CTK", "LSA", PRECISION, LEVEL),
              reason=f"{_beside(alone, 'CTK', 'LSA')} With the other tree CTK has: "
                     f"{_of_other_tree(rows, 'CTK')}."),
        Claim("SNOS performs poorly: below Cosine", above(rows, "Cosine", "SNOS", PRECISION)),
        Claim("on M10 and NG3 pruning gains less with the pseudo-norm than before, at most "
              "0.02", pruning_gains(rows), reason=_beside(alone, "χ-Sim 1 p", "χ-Sim 1")),
        Claim("on M10 and NG3 k = 0.8 is better than k = 1, but not significantly",
              small_gains(rows), reason=_beside(alone, "χ-Sim 0.8", "χ-Sim 1")),
        Claim("on the other samples k changes precision by at most 0.02", small_changes(rows),
              reason=_beside(alone, "χ-Sim 0.8", "χ-Sim 1")),
        Claim(f"{BEST} is significantly above ITCC",
              significantly_above(rows, BEST, "ITCC", PRECISION, LEVEL)),
        Claim(f"{BEST} is not below the values quoted for BVD and RSN, to two digits",
              above_quoted(rows), reason=_where_quoted(alone)),
        above_published(rows, MEASURES),
    ]  # fmt: skip


def all_as_published(rows: Sequence[Row]) -> dict[str, bool]:
    """For every version and sample, whether all other methods compare as published."""
    found: dict[str, bool] = {}
    for version in VERSIONS:
        for other in OTHERS:
            for where, verdict in as_published(rows, version, other, PRECISION, LEVEL).items():
                key = f"{version} on {where.partition(',')[0]}"
                found[key] = found.get(key, True) and verdict
    return found


def differing(rows: Sequence[Row]) -> str:
    """How many comparisons of a version differ from the published ones, by other method."""
    counts = {
        other: sum(
            not verdict
            for version in VERSIONS
            for verdict in as_published(rows, version, other, PRECISION, LEVEL).values()
        )
        for other in OTHERS
    }
    numbers = ", ".join(f"{other} {count}" for other, count in counts.items() if count)
    return f"Comparisons that differ, by the other method: {numbers}."


def pruning_gains(rows: Sequence[Row]) -> dict[str, bool]:
    """On M10 and NG3, whether pruning gains little with the pseudo-norm."""
    names = ("χ-Sim p", "χ-Sim", "χ-Sim 1 p", "χ-Sim 1")

    def less(pruned: float, plain: float, new_pruned: float, new: float) -> bool:
        return new_pruned - new < pruned - plain and new_pruned - new <= 0.02

    holds = verdicts(rows, names, "precision", less)
    return {sample: verdict for sample, verdict in holds.items() if sample in ("M10", "NG3")}


def small_gains(rows: Sequence[Row]) -> dict[str, bool]:
    """On M10 and NG3, whether k = 0.8 is above k = 1 without being so significantly."""
    found = {}
    for end in ("", " p"):
        names = f"χ-Sim 0.8{end}", f"χ-Sim 1{end}"
        higher = above(rows, *names, PRECISION)
        surely = significantly_above(rows, *names, PRECISION, LEVEL)
        for where, verdict in higher.items():
            if where.startswith(("M10", "NG3")):
                found[f"{where}{end}"] = verdict and not surely.get(where, False)
    return found


def small_changes(rows: Sequence[Row]) -> dict[str, bool]:
    """On samples other than M10 and NG3, whether k matters little."""
    holds = verdicts(rows, ("χ-Sim 0.8", "χ-Sim 1"), "precision",
                     lambda one, two: abs(one - two) <= 0.02)  # fmt: skip
    return {s: verdict for s, verdict in holds.items() if s not in ("M10", "NG3")}


def above_quoted(rows: Sequence[Row]) -> dict[str, bool]:
    """Whether the best is at least the values the paper quotes for BVD and RSN."""
    quoted = {"precision": published.SUPERVISED["BVD"], "nmi": published.SUPERVISED_NMI["RSN"]}
    found = {}
    for row in rows:
        for measure, values in quoted.items():
            value = values[row.group]
            if row.name == BEST and value is not None:
                verdict = round(row.mean(measure), 2) >= value.mean
                found[f"{row.group}, {MEASURES[measure]}"] = verdict
    return found


def _where_quoted(alone: Sequence[Row]) -> str:
    held = [where for where, verdict in above_quoted(alone).items() if verdict]
    return (
        f"With the documents with chosen words alone it holds for {'; '.join(held) or 'none'}."
    )


def _pairs(rows: Sequence[Row], first: str, second: str) -> Iterator[tuple[str, float, float]]:
    for one in rows:
        for two in rows:
            if one.group == two.group and (one.name, two.name) == (first, second):
                yield one.group, one.mean("precision"), two.mean("precision")


def _beside(rows: Sequence[Row], first: str, second: str) -> str:
    values = ", ".join(f"{s} {a:.3f} and {b:.3f}" for s, a, b in _pairs(rows, first, second))
    return f"With the documents with chosen words alone, {first} and {second} have: {values}."


def _of_other_tree(rows: Sequence[Row], name: str) -> str:
    return ", ".join(
        f"{row.group} {row.mean('precision'):.3f}"
        for row in rows
        if row.name == f"{OURS}{name}{OTHERWISE}"
    )


def _why_ctk(alone: Sequence[Row], variants: Mapping[str, Mapping[str, float]]) -> str:
    higher = [sample for sample, ours, ctk in _pairs(alone, BEST, "CTK") if ours > ctk]
    ranges = ", ".join(
        f"{sample} {min(means.values()):.3f} to {max(means.values()):.3f} "
        f"(published {published_of(MUTUAL_INFORMATION, 'CTK', sample)['precision']})"
        for sample, means in variants.items()
    )
    return (
        "On CTK: other values of its steepness, another value between "
        f"parts of the graph and Ward's tree on one minus the similarity give: {ranges}. "
        f"{_beside(alone, BEST, 'CTK')} There {BEST} is above on "
        f"{', '.join(higher) or 'no sample'}. What the authors' implementation does otherwise "
        "is not known."
    )


def _notes(rows: Sequence[Row], alone: Sequence[Row], empty: dict[str, float]) -> list[str]:
    named = {(row.group, row.name): row for row in rows}
    apart = {(row.group, row.name): row for row in alone}
    gains = ", ".join(
        f"{s} {named[s, BEST].mean('precision'):.3f} to {apart[s, BEST].mean('precision'):.3f} "
        f"(published {named[s, BEST].published['precision']})"
        for s in empty
    )
    left = ", ".join(f"{sample} {number:.0f}" for sample, number in empty.items())
    return [
        "The paper leaves some choices open. They were made so that the table is matched best: "
        "mutual information is pointwise, the largest over the classes, with a smoothing of "
        "half a document; copies of a message are kept; LSA uses raw counts. Without "
        "smoothing, words of a single class come first however rare they are.",
        f"{TREE} {nearness(rows)}",
        f"Without the documents that have none of the chosen words ({left} of a draw), {BEST} "
        f"goes from {gains}.",
        "The paper quotes BVD and RSN from other articles, which use other words and other "
        "draws.",
        WITHOUT_CLASSES,
    ]
