"""What an MI F-score is worth (section 4), and whether the likelihood tells it (section 7)."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import spearmanr

from coterie_papers.cells import Cell, Results, Scores
from coterie_papers.comparison import shown
from coterie_papers.items import PUBLISHED, Chart, Claim, Grid, Line, Part, Scope, Sheet
from coterie_papers.rigouste import published
from coterie_papers.rigouste.setup import (
    F_SCORE,
    SHARES,
    em,
    gather,
    here,
    last,
    level,
    mean_line,
    perturbed,
    sizes,
    substitute,
)

READINGS = {"drawn from all classes": "all", "drawn from the other classes": "others"}
CLOSE = 0.05
"""Published values have one digit, or two that end in 5."""


def present_section4(scope: Scope, results: Results) -> Sheet:
    """Classes of which a share is perturbed, in two readings, beside the starts of EM."""
    curves = {name: gather(results, perturbed(scope, method))
              for name, method in READINGS.items()}  # fmt: skip
    x = [100 * share for share in SHARES]
    lines = [mean_line(name, runs, "f_score", x) for name, runs in curves.items()]
    theirs = published.PERTURBED
    lines.append(Line(f"perturbed{PUBLISHED}", [100 * share for share in theirs],
                      [value.mean for value in theirs.values()]))  # fmt: skip
    ends = {
        "start from the classes": last(gather(results, em(scope, "labels")), "f_score"),
        "Dirichlet start": last(gather(results, em(scope, "dirichlet")), "f_score"),
    }
    lines += [level(name, float(np.mean(scores)), x) for name, scores in ends.items()]
    chart = Chart("f-score", "MI F-score of perturbed classes", "share perturbed, %", F_SCORE,
                  lines)  # fmt: skip
    means = {name: _at_published(runs) for name, runs in curves.items()}
    values = [value.mean for value in theirs.values()]
    apart = {name: float(np.abs(np.subtract(m, values)).mean()) for name, m in means.items()}
    nearer = min(apart, key=lambda name: apart[name])
    half = _share_of(curves[nearer], float(np.mean(ends["Dirichlet start"])))
    note = (
        f"The difference from the published values is {_each(apart)} on average: classes "
        f"{nearer} are nearer, and the statements are tested with them. The MI F-score of "
        f"Dirichlet starts is that of classes of which {half:.0%} are so perturbed."
    )
    claims = [
        Claim(f"perturbed classes have the published MI F-scores, within {CLOSE}",
              {f"{share:.0%}": abs(mean - value.mean) <= CLOSE
               for (share, value), mean in zip(theirs.items(), means[nearer], strict=True)},
              reason=note),
        Claim("Dirichlet starts are as poor as classes of which about half are perturbed "
              "(between 40 and 60 %)", here(0.4 <= half <= 0.6), reason=note),
    ]  # fmt: skip
    headline = "MI F-score, ours (published): " + "; ".join(
        f"{share:.0%} perturbed {mean:.2f} ({value})"
        for (share, value), mean in zip(theirs.items(), means[nearer], strict=True)
    )
    parts: list[Part] = [
        published.SAYINGS["rigouste-section4"],
        chart,
        _perturbed_grid(curves),
        note,
    ]
    return Sheet(parts, claims, substitute(), headline)


def _perturbed_grid(curves: Mapping[str, Sequence[Scores]]) -> Grid:
    rows, records = [], []
    for share, theirs in published.PERTURBED.items():
        row, record = [f"{share:.0%}"], {"share": share, "published": theirs.mean}
        for name, runs in curves.items():
            scores = [run["f_score"][SHARES.index(share)] for run in runs]
            deviation = float(np.std(scores, ddof=1)) if len(scores) > 1 else None
            row.append(shown(float(np.mean(scores)), deviation))
            record[name] = float(np.mean(scores))
        rows.append([*row, str(theirs), str(len(next(iter(curves.values()))))])
        records.append(record)
    headings = ["share perturbed", *curves, "published", "runs"]
    return Grid(headings, rows, records, title="MI F-score of perturbed classes")


def _at_published(runs: Sequence[Scores]) -> list[float]:
    """Mean scores at the shares of the paper."""
    means = np.mean([run["f_score"] for run in runs], axis=0)
    return [float(means[SHARES.index(share)]) for share in published.PERTURBED]


def _share_of(runs: Sequence[Scores], score: float) -> float:
    """The share perturbed that leaves this score."""
    means = np.mean([run["f_score"] for run in runs], axis=0)
    return float(np.interp(-score, -means, SHARES))


def _each(apart: Mapping[str, float]) -> str:
    return " and ".join(f"{value:.2f} for classes {name}" for name, value in apart.items())


def likelihood_tells(scope: Scope, results: Results) -> tuple[Grid, Claim]:
    """Rank correlation of likelihood and MI F-score over runs, for every vocabulary."""
    numbers = sorted({published.BEST_SIZE, *sizes(scope)})
    vocabularies = {**{f"{n:,} words": em(scope, "dirichlet", n) for n in numbers},
                    "all words": em(scope, "dirichlet")}  # fmt: skip
    rows, records, found = [], [], {}
    for name, wanted in vocabularies.items():
        found[name] = rank_correlation(wanted, results)
        correlation, p_value = found[name]
        rows.append([name, f"{correlation:.2f}", f"{p_value:.2g}", str(len(wanted))])
        records.append({"name": name, "correlation": correlation, "p": p_value})
    headings = ["Dirichlet starts with", "rank correlation", "p", "runs"]
    title = "Final log-likelihood and MI F-score over runs"
    tested = {name: bool(found[name][0] > 0 and found[name][1] < 0.05)
              for name in ("all words", f"{published.BEST_SIZE} words")}  # fmt: skip
    told = "; ".join(f"{name} {found[name][0]:.2f} (p {found[name][1]:.2g})" for name in tested)
    claim = Claim(
        "the log-likelihood at the end of training is a reasonable indicator of the MI F-score "
        "(section 7): their rank correlation over runs is above zero at the level 0.05",
        tested,
        reason=f"Rank correlations are {told}.",
    )
    return Grid(headings, rows, records, title=title), claim


def rank_correlation(wanted: Sequence[Cell], results: Results) -> tuple[float, float]:
    """Spearman's correlation of final likelihood and MI F-score, and its p-value.

    Folds have different documents: the mean of its fold is taken from each value.
    """
    folds = np.array([each.setting("fold") for each in wanted])
    columns = []
    for measure in ("likelihood", "f_score"):
        ends = np.array([results[each][measure][-1] for each in wanted])
        for fold in np.unique(folds):
            ends[folds == fold] -= ends[folds == fold].mean()
        columns.append(ends)
    if len(folds) < 3 or min(np.ptp(column) for column in columns) == 0:
        return 0.0, 1.0
    test = spearmanr(*columns)
    return float(test.statistic), float(test.pvalue)
