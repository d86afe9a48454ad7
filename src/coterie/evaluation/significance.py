"""Whether one method's runs are better than another's beyond chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from coterie.errors import InputError
from coterie.types import Array

EXACT_LIMIT = 100
"""Up to this many runs together, p-values are exact."""

ROUNDING = 1e-12


@dataclass(frozen=True)
class Comparison:
    """The outcome of a rank-sum test; deviations are those of a sample (n - 1)."""

    p_value: float
    better: Literal["first", "second"] | None
    mean_first: float
    std_first: float
    mean_second: float
    std_second: float


def compare_runs(
    a: Sequence[float] | npt.ArrayLike,
    b: Sequence[float] | npt.ArrayLike,
    *,
    level: float = 0.01,
) -> Comparison:
    """Compare the scores of two methods by the two-sided Wilcoxon rank-sum test.

    The test is that of Mann and Whitney. Its p-value is exact, conditional on the ties, up to
    `EXACT_LIMIT` runs; beyond, it is the normal approximation corrected for ties. Runs are few
    and often end in the same optimum: the plain normal approximation ignores the ties and is
    rough in the tail where significance is decided. Scores that differ by rounding are tied.
    With four runs each or fewer, no difference is significant at 0.01.

    Larger scores count as better; negate a measure where smaller is.

    Examples
    --------
    >>> outcome = compare_runs([0.81, 0.84, 0.79, 0.83, 0.80], [0.62, 0.66, 0.61, 0.66, 0.64])
    >>> round(outcome.p_value, 4), outcome.better
    (0.0079, 'first')
    """
    first, second = _check_runs(a, "a"), _check_runs(b, "b")
    _check_level(level)
    p_value, first_is_higher = _rank_sum_test(first, second)
    better: Literal["first", "second"] | None = None
    if p_value < level:
        better = "first" if first_is_higher else "second"
    return Comparison(
        p_value=p_value,
        better=better,
        mean_first=float(first.mean()),
        std_first=float(first.std(ddof=1)),
        mean_second=float(second.mean()),
        std_second=float(second.std(ddof=1)),
    )


def mark(runs: Mapping[str, Sequence[float]], level: float = 0.01) -> dict[str, bool]:
    """Tell which methods are significantly worse than the one with the highest mean.

    Each method is compared with the best alone; levels are not corrected for their number.

    Examples
    --------
    >>> runs = {"MM": [0.41, 0.44, 0.39, 0.40, 0.42], "PLSA": [0.51, 0.55, 0.50, 0.58, 0.53]}
    >>> mark(runs)
    {'MM': True, 'PLSA': False}
    """
    if not runs:
        raise InputError("runs: expected at least one method, got none")
    _check_level(level)
    scores = {name: _check_runs(values, f"runs[{name!r}]") for name, values in runs.items()}
    best = max(scores, key=lambda name: float(scores[name].mean()))
    return {
        name: name != best and compare_runs(scores[best], values, level=level).better == "first"
        for name, values in scores.items()
    }


def _check_runs(values: Sequence[float] | npt.ArrayLike, parameter: str) -> Array:
    try:
        runs: Array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{parameter}: expected numbers, {error}") from error
    if runs.ndim != 1 or len(runs) < 2:
        raise InputError(
            f"{parameter}: expected the scores of at least two runs, "
            f"got an array of shape {runs.shape}"
        )
    wrong = ~np.isfinite(runs)
    if wrong.any():
        run = wrong.argmax()
        raise InputError(f"{parameter}: run {run} is {runs[run]}, expected a finite number")
    return runs


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise InputError(f"level: expected a number between 0 and 1, got {level!r}")


def _rank_sum_test(first: Array, second: Array) -> tuple[float, bool]:
    from scipy.stats import mannwhitneyu, rankdata

    levels = _tie(np.concatenate([first, second]))
    ranks = rankdata(levels)
    observed = 2 * ranks[: len(first)].sum()
    first_is_higher = bool(observed > len(first) * (len(ranks) + 1))
    if len(ranks) <= EXACT_LIMIT:
        doubled = np.rint(2 * ranks).astype(np.int64)
        return _exact_p_value(doubled, len(first), round(observed)), first_is_higher
    if np.ptp(ranks) == 0:
        return 1.0, False
    n_first = len(first)
    result = mannwhitneyu(levels[:n_first], levels[n_first:], method="asymptotic")
    return float(result.pvalue), first_is_higher


def _tie(scores: Array) -> npt.NDArray[np.int64]:
    """Number the scores from low to high, giving one number to those that rounding parts."""
    order = np.argsort(scores, kind="stable")
    apart = np.diff(scores[order]) > ROUNDING * abs(scores).max()
    levels = np.zeros(len(scores), dtype=np.int64)
    levels[order[1:]] = np.cumsum(apart)
    return levels


def _exact_p_value(doubled_ranks: npt.NDArray[np.int64], size: int, observed: int) -> float:
    """Count, for every sum, the choices of `size` ranks that give it, and compare the tails.

    Ranks are doubled because ties share ranks that end in one half.
    """
    choices = np.zeros((size + 1, int(doubled_ranks.sum()) + 1))
    choices[0, 0] = 1
    for rank in doubled_ranks:
        choices[1:, rank:] += choices[:-1, :-rank].copy()
    sums = choices[size] / choices[size].sum()
    tail = min(sums[: observed + 1].sum(), sums[observed:].sum())
    return float(min(1.0, 2 * tail))
