"""Table 3 of Grimal and Bisson (2011), and other ways to choose words without classes."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from coterie.evaluation import compare_runs
from coterie_papers.cells import Cell, Results, cell
from coterie_papers.combined import above_published
from coterie_papers.comparison import OURS, Row, above, verdicts
from coterie_papers.grimal.samples import MEDOIDS, MUTUAL_INFORMATION
from coterie_papers.grimal.table2 import BEST, OTHERS
from coterie_papers.grimal.tables import (
    APART,
    MEASURES,
    NONE,
    OTHERWISE,
    PRECISION,
    ROWS,
    TREE,
    WHOLE,
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
from coterie_papers.grimal.whole import ALTERNATION, FREQUENT, RANDOM
from coterie_papers.items import Claim, Grid, Scope, Sheet

BELOW_COSINE = ("M2", "M10", "NG2", "NG3")
TRIED = ("M5", "NG1", "NG2")
WORDS = {
    MEDOIDS: "k-medoids, the best that FasterPAM finds",
    ALTERNATION: "k-medoids by alternation from random classes",
    RANDOM: "random words",
    FREQUENT: "the most frequent words",
}
OUTSIDE = "outside"
TREES = {
    WHOLE: "in the tree of 1 - s",
    OUTSIDE: "outside the tree of 1 - s",
    APART: "outside the tree of the square root of 1 - s",
}
SHOWN = {"Cosine": "cosine", "χ-Sim 0.8": "chi-sim-0.8"}


def plan(scope: Scope) -> list[Cell]:
    """Every method on every draw, LSA and Cosine of Table 2, and other words."""
    return [
        *plan_selected(MEDOIDS, scope),
        *(each for sample in drawn_samples(scope) for label in ("LSA", "Cosine")
          for each in draws(scope, sample, MUTUAL_INFORMATION, ROWS[label].method)),
        *(each for trial in trials(scope) for method in SHOWN.values()
          for each in tried(scope, *trial, method)),
    ]  # fmt: skip


def trials(scope: Scope) -> list[tuple[str, str, str]]:
    """Samples, ways to choose words, and trees."""
    samples = TRIED[:1] if scope.quick else TRIED
    return [
        (sample, words, tree)
        for sample, words, tree in product(samples, WORDS, TREES)
        if words == MEDOIDS or tree != APART
    ]


def tried(scope: Scope, sample: str, words: str, tree: str, method: str) -> list[Cell]:
    """A method with words chosen in one way, on a few draws."""
    n = 1 if scope.quick else 3
    usual = draws(scope, sample, MEDOIDS, method, APART)[:n]
    if tree == APART:
        return usual
    return [
        cell("grimal.whole.sweep", each.corpus, method, each.seed, selection=words,
             outside=True if tree == OUTSIDE else None, few=each.setting("few"),
             seconds=each.seconds)
        for each in usual
    ]  # fmt: skip


def present(scope: Scope, results: Results) -> Sheet:
    """The table, and trials with other words."""
    rows = rows_of(scope, results, MEDOIDS)
    before = [
        best_row(scope, results, sample, MUTUAL_INFORMATION, label, ROWS[label])
        for sample in drawn_samples(scope) for label in ("LSA", "Cosine")
    ]  # fmt: skip
    parts, headline = main_table(rows, "k-medoids chooses 2,000 words.")
    found = {each: trial(scope, results, *each) for each in trials(scope)}
    parts.append(_trials_grid(found))
    claims = [claim for claim in _claims(rows, before) if claim.verdicts]
    return Sheet(parts, claims, "", headline, _notes(rows, found))


class Trial(NamedTuple):
    """Means over the draws of a trial; what a sweep does not count is None."""

    empty: float | None
    alone: float | None
    cosine: float
    plain: float
    pruned: float
    n_runs: int


def trial(scope: Scope, results: Results, sample: str, words: str, tree: str) -> Trial:
    """Cosine, and χ-Sim 0.8 without and with pruning."""
    cosine, runs = (
        [results[each] for each in tried(scope, sample, words, tree, method)]
        for method in SHOWN.values()
    )
    means = {p: float(np.mean([run["scores"][p][0] for run in runs]))
             for p in runs[0]["scores"]}  # fmt: skip
    counted = tree != APART
    return Trial(
        float(np.mean([run["empty"] for run in runs])) if counted else None,
        float(np.mean([run["alone"][NONE] for run in runs])) if counted else None,
        float(np.mean([run["scores"][""][0] for run in cosine])),
        means[NONE],
        max(means.values()),
        len(runs),
    )


def _trials_grid(found: Mapping[tuple[str, str, str], Trial]) -> Grid:
    lines = []
    for (sample, words, tree), each in found.items():
        counts = ["" if count is None else f"{count:.1f}" for count in each[:2]]
        scores = [f"{score:.3f}" for score in each[2:5]]
        lines.append([sample, WORDS[words], TREES[tree], *counts, *scores, str(each.n_runs)])
    for sample in dict.fromkeys(sample for sample, _, _ in found):
        theirs = [str(published_of(MEDOIDS, label, sample)["precision"])
                  for label in ("Cosine", "χ-Sim 0.8", BEST)]  # fmt: skip
        lines.append([sample, "published", "", "", "", *theirs, ""])
    headings = ["sample", "words", "documents without them", "of these",
                "clusters of them alone, without pruning", "Cosine", "χ-Sim 0.8", BEST,
                "runs"]  # fmt: skip
    return Grid(
        headings, sorted(lines, key=lambda line: line[0]), title="Other words and trees"
    )


def _claims(rows: Sequence[Row], before: Sequence[Row]) -> list[Claim]:
    lower = (
        f"{_values(rows, ('Cosine', 'LSA'))} Other words were tried for Cosine: see the table "
        "of other words and trees. Why the published values differ is not known."
    )
    return [
        *(Claim(f"{BEST} is above {other}", above(rows, BEST, other, PRECISION),
                reason=_values(rows, (BEST, other)))
          for other in OTHERS),
        *(Claim(f"pruning is decisive: χ-Sim {k} p is above χ-Sim {k}",
                above(rows, f"χ-Sim {k} p", f"χ-Sim {k}", PRECISION),
                reason=_values(rows, (f"χ-Sim {k} p", f"χ-Sim {k}"))) for k in ("1", "0.8")),
        Claim("without pruning the pseudo-norm is below Cosine on M2, M10, NG2 and NG3",
              below_cosine(rows), reason=lower),
        Claim("k = 0.8 is better than k = 1 with pruning, on all samples but one",
              better_but_one(rows), reason=_values(rows, (BEST, "χ-Sim 1 p"))),
        Claim("χ-Sim is more or less the same as LSA: within 0.05, or the published difference",
              like_lsa(rows), reason=lower),
        Claim("χ-Sim with the previous norm is below CTK",
              above(rows, "CTK", "χ-Sim", PRECISION),
              reason=f"{_values(rows, ('CTK', 'χ-Sim'))} {_where_below(rows)}"),
        Claim("LSA gains less over Cosine than with words chosen by mutual information",
              smaller_gap(rows, before), reason=lower),
        above_published(rows, MEASURES),
    ]  # fmt: skip


def below_cosine(rows: Sequence[Row]) -> dict[str, bool]:
    """Whether χ-Sim without pruning is below Cosine where the paper says so."""
    return {
        f"χ-Sim {k} on {where}": verdict
        for k in ("1", "0.8")
        for where, verdict in above(rows, "Cosine", f"χ-Sim {k}", PRECISION).items()
        if where.partition(",")[0] in BELOW_COSINE
    }


def better_but_one(rows: Sequence[Row]) -> dict[str, bool]:
    """Whether k = 0.8 is above k = 1 on all samples but one at most."""
    higher = above(rows, BEST, "χ-Sim 1 p", PRECISION)
    return {f"{len(higher)} samples": sum(higher.values()) >= len(higher) - 1}


def like_lsa(rows: Sequence[Row]) -> dict[str, bool]:
    """Whether χ-Sim and LSA differ by no more than the paper calls the same."""
    gaps = {row.group: row for row in rows if row.name == "LSA"}
    found = {}
    for row in rows:
        theirs, others = row.published["precision"], gaps[row.group].published["precision"]
        if row.name == "χ-Sim" and theirs is not None and others is not None:
            most = max(0.05, abs(theirs.mean - others.mean))
            gap = abs(row.mean("precision") - gaps[row.group].mean("precision"))
            found[row.group] = gap <= most
    return found


def smaller_gap(rows: Sequence[Row], before: Sequence[Row]) -> dict[str, bool]:
    """Whether LSA is less above Cosine than in Table 2."""
    now, then = _gaps(rows), _gaps(before)
    return {sample: now[sample] < then[sample] for sample in now}


def _gaps(rows: Sequence[Row]) -> Mapping[str, float]:
    means = {(row.group, row.name): row.mean("precision") for row in rows}
    return {s: mean - means[s, "Cosine"] for (s, name), mean in means.items() if name == "LSA"}


def _values(rows: Sequence[Row], names: Sequence[str]) -> str:
    parts = []
    for sample in dict.fromkeys(row.group for row in rows):
        values = [f"{row.mean('precision'):.3f} (published {row.published['precision']})"
                  for name in names for row in rows
                  if (row.group, row.name) == (sample, name)]  # fmt: skip
        parts.append(f"{sample} {' and '.join(values)}")
    return f"{' and '.join(names)} have: {'; '.join(parts)}."


def _where_below(rows: Sequence[Row]) -> str:
    """Where CTK is below χ-Sim: how sure that is, and CTK with the other tree."""
    found = {(row.group, row.name): row for row in rows}
    parts = []
    for where, held in above(rows, "CTK", "χ-Sim", PRECISION).items():
        sample = where.partition(",")[0]
        if held:
            continue
        ctk, chi = found[sample, "CTK"], found[sample, "χ-Sim"]
        scores = chi.scores("precision"), ctk.scores("precision")
        sure = f" (p = {compare_runs(*scores).p_value:.2g})" if len(ctk.runs) > 1 else ""
        again = found[sample, f"{OURS}CTK{OTHERWISE}"].mean("precision")
        parts.append(f"{sample}{sure}, with the other tree CTK has {again:.3f}")
    return f"By the rank-sum test, where CTK is below: {'; '.join(parts)}." if parts else ""


def _notes(rows: Sequence[Row], found: Mapping[tuple[str, str, str], Trial]) -> list[str]:
    again = [f"{OURS}{name}{OTHERWISE}" for name in ("χ-Sim 1 p", "χ-Sim 1")]
    helped = verdicts(rows, again, "precision", float.__gt__)
    values = "; ".join(
        f"{sample} {', '.join(f'{found[sample, MEDOIDS, tree].plain:.3f}' for tree in TREES)}"
        for sample in dict.fromkeys(sample for sample, _, _ in found)
    )
    return [
        f"{TREE} {nearness(rows)} With the other tree, pruning raises χ-Sim 1 on "
        f"{sum(helped.values())} of {len(helped)} samples.",
        "Which of the two it is: χ-Sim 0.8 without pruning, with all documents in the tree, "
        f"with these outside, and outside on the square root, has {values}.",
        WITHOUT_CLASSES,
    ]
