"""Figures 1 to 7 of Rigouste, Cappé and Yvon: ways to fit a mixture compared."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coterie_papers.cells import Results, Scores
from coterie_papers.items import Chart, Claim, Grid, Line, Scope, Sheet, Value
from coterie_papers.rigouste import published, quality
from coterie_papers.rigouste.setup import (
    F_SCORE,
    all_lines,
    best_first_size,
    chains,
    em,
    gather,
    growing,
    here,
    is_above,
    last,
    level,
    mean_line,
    pictures,
    sheet,
    short_chains,
    sizes,
    splits,
    steps_of,
)

Rows = dict[str, tuple[Sequence[float], Value | None]]


def starts(scope: Scope, results: Results) -> tuple[list[Scores], list[Scores], Rows]:
    """Runs from the classes and from draws, and their rows."""
    labels, drawn = (
        gather(results, em(scope, "labels")),
        gather(results, em(scope, "dirichlet")),
    )
    rows: Rows = {
        "start from the classes": (last(labels, "f_score"), published.LABELS),
        "Dirichlet start": (last(drawn, "f_score"), published.DIRICHLET),
    }
    return labels, drawn, rows


def present_figure1(scope: Scope, results: Results) -> Sheet:
    """Likelihood and perplexity, from classes and from Dirichlet draws."""
    labels, drawn, rows = starts(scope, results)
    x = steps_of(drawn)
    both = {"start from the classes": labels, "Dirichlet start": drawn}
    unigram = float(np.mean([run["unigram"] for run in drawn]))
    charts = pictures([mean_line(n, f, "likelihood", x) for n, f in both.items()],
                      [mean_line(n, f, "f_score", x) for n, f in both.items()])  # fmt: skip
    surprise = [mean_line(n, f, "perplexity", x) for n, f in both.items()]
    surprise.append(level("unigram model", unigram, x))
    charts.append(
        Chart(
            "perplexity", "Perplexity of unseen documents", "iteration", "perplexity", surprise
        )
    )
    claims = [
        Claim("the start from the classes ends with a higher likelihood",
              is_above(last(labels, "likelihood"), last(drawn, "likelihood"))),
        Claim("the start from the classes ends with a lower perplexity",
              is_above(last(drawn, "perplexity"), last(labels, "perplexity"))),
        Claim("Dirichlet starts predict words better than the unigram model",
              is_above([unigram], last(drawn, "perplexity"))),
        Claim("the MI F-scores of the two starts differ by more than 0.4",
              here(np.mean(rows["start from the classes"][0])
               - np.mean(rows["Dirichlet start"][0]) > 0.4)),
    ]  # fmt: skip
    return sheet("rigouste-figure1", charts, rows, claims)


def present_figure2(scope: Scope, results: Results) -> Sheet:
    """Every run from Dirichlet draws."""
    labels, drawn, rows = starts(scope, results)
    ends, best = last(drawn, "f_score"), last(labels, "f_score")
    claims = [
        Claim("every Dirichlet start ends far below the start from the classes",
              here(max(ends) < min(best))),
        Claim("runs differ: the best has more than twice the MI F-score of the worst",
              here(max(ends) > 2 * min(ends))),
    ]  # fmt: skip
    page = sheet("rigouste-figure2", _all_runs("Dirichlet start", drawn, labels), rows, claims)
    correlations, indicator = quality.likelihood_tells(scope, results)
    page.parts.append(correlations)
    page.claims.append(indicator)
    page.notes.append(
        "Folds have different documents: for the rank correlations, the mean of its fold is "
        "taken from each log-likelihood and each MI F-score."
    )
    return page


def present_figure3(scope: Scope, results: Results) -> Sheet:
    """Hierarchical splits."""
    labels, drawn, rows = starts(scope, results)
    split = gather(results, splits(scope))
    ends = last(split, "f_score")
    rows["hierarchical splits"] = (ends, published.HIERARCHICAL)
    claims = [
        Claim("most runs end with an MI F-score below 0.3", here(np.median(ends) < 0.3)),
        Claim(
            "hierarchical splits have a lower MI F-score than Dirichlet starts",
            is_above(last(drawn, "f_score"), ends),
        ),
        Claim(
            "hierarchical splits have a likelihood like that of Dirichlet starts: it differs "
            "by less than a tenth of what the start from the classes gains",
            here(_differs(split, drawn, labels) < 0.1),
        ),
    ]
    return sheet("rigouste-figure3", _all_runs("hierarchical splits", split, labels), rows,
                 claims)  # fmt: skip


def present_figure4(scope: Scope, results: Results) -> Sheet:
    """The 500 most frequent words."""
    labels, drawn, rows = starts(scope, results)
    fewer = gather(results, em(scope, "dirichlet", published.BEST_SIZE))
    ends = last(fewer, "f_score")
    rows["Dirichlet start, 500 words"] = (ends, None)
    claims = [
        Claim("with 500 words the best run is better",
              here(max(ends) > max(last(drawn, "f_score")))),
        Claim("with 500 words the average run is better",
              is_above(ends, last(drawn, "f_score"))),
    ]  # fmt: skip
    return sheet("rigouste-figure4", _all_runs("500 words", fewer, labels), rows, claims)


def present_figure5(scope: Scope, results: Results) -> Sheet:
    """MI F-score against the number of words."""
    _, drawn, rows = starts(scope, results)
    ends = {size: last(gather(results, em(scope, "dirichlet", size)), "f_score")
            for size in sizes(scope)}  # fmt: skip
    for size, scores in ends.items():
        rows[f"{size:,} words"] = (scores, None)
    means = [float(np.mean(scores)) for scores in ends.values()]
    spread = [
        float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0 for scores in ends.values()
    ]
    x = [float(size) for size in ends]
    whole = float(np.mean(last(drawn, "f_score")))
    lines = [
        Line("Dirichlet start, most frequent words", x, means, spread),
        level("Dirichlet start, all words", whole, x),
    ]
    chart = Chart(
        "f-score", "MI F-score by number of words", "number of words", F_SCORE, lines, True
    )
    best = x[int(np.argmax(means))]
    claims = [
        Claim("about 500 words are best (between 200 and 1,500)", here(200 <= best <= 1500)),
        Claim("all words are worse than the best number of words",
              is_above([max(means)], last(drawn, "f_score"))),
    ]  # fmt: skip
    return sheet("rigouste-figure5", [chart], rows, claims)


def present_figure7(scope: Scope, results: Results) -> Sheet:
    """Gibbs sampling."""
    _, drawn, rows = starts(scope, results)
    found = gather(results, chains(scope))
    searches = growing(scope, best_first_size())
    grown = last(gather(results, searches), "f_score")
    on_fold = [gather(results, [each for each in cells if each.setting("fold") == 0])
               for cells in (em(scope, "dirichlet"), searches)]  # fmt: skip
    ends = last(found, "f_score")
    rows["Gibbs sampling"] = (ends, None)
    rows["incremental vocabulary"] = (grown, published.INCREMENTAL)
    x = [float(sweep) for sweep in found[0]["sweeps"]]
    charts = pictures(_numbered("chain", found, "likelihood", x),
                      _numbered("chain", found, "f_score", x), "sweep")  # fmt: skip
    likelihoods, in_range = _in_the_range(
        last(found, "likelihood"), last(on_fold[0], "likelihood"),
        gather(results, short_chains(scope)),
    )  # fmt: skip
    claims = [
        Claim("Gibbs sampling has a higher MI F-score than EM from Dirichlet starts",
              is_above(ends, last(drawn, "f_score"))),
        Claim("Gibbs sampling has a lower MI F-score than the incremental vocabulary",
              is_above(grown, ends)),
        Claim("Gibbs sampling has a lower likelihood than the incremental vocabulary",
              is_above(last(on_fold[1], "likelihood"), last(found, "likelihood"))),
        in_range,
        Claim("the MI F-scores of chains differ by more than 0.1",
              here(max(ends) - min(ends) > 0.1)),
    ]  # fmt: skip
    page = sheet("rigouste-figure7", charts, rows, claims)
    page.parts.append(likelihoods)
    return page


def _in_the_range(
    chains: Sequence[float], drawn: Sequence[float], short: Sequence[Scores]
) -> tuple[Grid, Claim]:
    """Whether chains end with likelihoods that runs of EM have on the same fold."""
    low, high = min(drawn), max(drawn)
    one, other = (float(np.mean([run[name] for run in short]))
                  for name in ("drawn", "estimated"))  # fmt: skip
    why = (
        f"Runs of EM end between {low:,.0f} and {high:,.0f}, chains at {np.mean(chains):,.0f} "
        "on average. The likelihood of a chain is that of the parameters it draws, which "
        f"scatter around the best ones: in {len(short)} shorter chains it is {one:,.0f}, and "
        f"{other:,.0f} after the parameters are estimated from the themes drawn last. The "
        "paper does not say which of the two it shows."
    )
    claim = Claim("Gibbs sampling has a likelihood in the range of EM from Dirichlet starts",
                  here(low <= np.mean(chains) <= high), reason=why)  # fmt: skip
    ends = {
        "EM from Dirichlet starts": drawn,
        "Gibbs sampling": chains,
        "Gibbs sampling, shorter chains": [run["drawn"] for run in short],
        "the same, parameters estimated from the themes": [run["estimated"] for run in short],
    }
    rows = [[name, f"{min(values):,.0f}", f"{np.mean(values):,.0f}", f"{max(values):,.0f}",
             str(len(values))] for name, values in ends.items()]  # fmt: skip
    records = [{"name": name, "likelihoods": list(values)} for name, values in ends.items()]
    headings = ["method", "lowest", "mean", "highest", "runs"]
    return Grid(headings, rows, records, title="Log-likelihood on the first fold"), claim


def _differs(
    found: Sequence[Scores], drawn: Sequence[Scores], labels: Sequence[Scores]
) -> float:
    """Likelihood beside that of Dirichlet starts, in units of what the classes gain."""
    ours, base, top = (np.mean(last(runs, "likelihood")) for runs in (found, drawn, labels))
    return float(abs(ours - base) / (top - base)) if top != base else 0.0


def _all_runs(name: str, found: list[Scores], labels: list[Scores]) -> list[Chart]:
    x = steps_of(found)
    charts = pictures(
        all_lines(name, found, "likelihood", x), all_lines(name, found, "f_score", x)
    )
    best = float(np.mean(last(labels, "f_score")))
    f_scores = [*charts[1].lines, level("start from the classes", best, x)]
    return [charts[0], replace(charts[1], lines=f_scores)]


def _numbered(name: str, found: list[Scores], measure: str, x: list[float]) -> list[Line]:
    return [Line(f"{name} {i}", x, run[measure]) for i, run in enumerate(found, start=1)]
