"""The rank-sum test against enumeration and scipy, and the marks of tables."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, rankdata

from coterie.errors import InputError
from coterie.evaluation import compare_runs, mark, significance

LOW = [0.61, 0.64, 0.60, 0.66, 0.62]
HIGH = [0.81, 0.84, 0.79, 0.83, 0.80]


def enumerated_p_value(a, b):
    ranks = rankdata([*a, *b])
    sums = [sum(chosen) for chosen in combinations(ranks, len(a))]
    observed = sum(ranks[: len(a)])
    below = sum(s <= observed + 1e-9 for s in sums) / len(sums)
    above = sum(s >= observed - 1e-9 for s in sums) / len(sums)
    return min(1.0, 2 * min(below, above))


@pytest.mark.parametrize("seed", range(6))
def test_tied_runs_have_the_p_value_of_every_regrouping(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(5, size=6) / 4, rng.integers(5, size=5) / 4
    assert compare_runs(a, b).p_value == pytest.approx(enumerated_p_value(a, b))


@pytest.mark.parametrize("sizes", [(2, 2), (5, 5), (10, 10), (3, 12), (50, 50)])
def test_untied_runs_have_the_exact_p_value_of_mann_and_whitney(sizes):
    rng = np.random.default_rng(0)
    a, b = rng.random(sizes[0]), rng.random(sizes[1]) + 0.2
    expected = mannwhitneyu(a, b, method="exact").pvalue
    assert compare_runs(a, b).p_value == pytest.approx(expected)


def test_many_runs_have_the_approximate_p_value_corrected_for_ties():
    rng = np.random.default_rng(0)
    a, b = rng.integers(9, size=60) / 8, rng.integers(9, size=60) / 8 + 0.125
    outcome = compare_runs(a, b)
    assert outcome.p_value == pytest.approx(mannwhitneyu(a, b, method="asymptotic").pvalue)
    assert outcome.p_value < 0.05
    assert compare_runs(a, b, level=0.05).better == "second"


def test_the_approximation_takes_over_where_exactness_ends(monkeypatch):
    rng = np.random.default_rng(1)
    a, b = rng.random(40), rng.random(40) + 0.1
    exact = compare_runs(a, b).p_value
    monkeypatch.setattr(significance, "EXACT_LIMIT", 10)
    approximate = compare_runs(a, b).p_value
    assert approximate != exact
    assert approximate == pytest.approx(exact, rel=0.05)


def test_five_runs_that_never_overlap_are_significant():
    outcome = compare_runs(HIGH, LOW)
    assert outcome.p_value == pytest.approx(2 / 252)
    assert outcome.better == "first"
    assert compare_runs(LOW, HIGH).better == "second"
    assert compare_runs(HIGH, LOW, level=0.005).better is None


def test_four_runs_are_too_few_for_one_in_a_hundred():
    assert compare_runs(HIGH[:4], LOW[:4]).better is None


def test_means_and_sample_deviations_are_given():
    outcome = compare_runs([1, 2, 3], [4, 8])
    assert (outcome.mean_first, outcome.mean_second) == (2, 6)
    assert (outcome.std_first, outcome.std_second) == pytest.approx((1, math.sqrt(8)))


@pytest.mark.parametrize("n", [2, 10, 80])
def test_constant_equal_runs_do_not_differ(n):
    outcome = compare_runs([0.7] * n, [0.7] * n)
    assert (outcome.p_value, outcome.better) == (1, None)
    assert outcome.std_first == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("n", [10, 80])
def test_scores_that_differ_by_rounding_are_tied(n):
    runs = [0.1 + 0.2] * n
    assert runs[0] != 0.3
    assert compare_runs(runs, [0.3] * n).p_value == 1
    assert compare_runs(runs, [0.3 - 1e-9] * n).better == "first"


def test_arrows_mark_the_methods_significantly_below_the_best():
    close = [0.80, 0.82, 0.85, 0.78, 0.79]
    assert mark({"a": LOW, "b": HIGH, "c": close}) == {"a": True, "b": False, "c": False}
    assert mark({"a": LOW}) == {"a": False}
    assert mark({"a": LOW, "b": HIGH}, level=0.001) == {"a": False, "b": False}


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([0.5], "a: expected the scores of at least two runs"),
        ([], "a: expected the scores of at least two runs"),
        ([[0.5, 0.6]], "a: expected the scores of at least two runs"),
        ([0.5, math.nan], "a: run 1 is nan, expected a finite number"),
        ([math.inf, 0.5], "a: run 0 is inf"),
        (["x", "y"], "a: expected numbers"),
    ],
)
def test_bad_runs_are_refused_by_name(runs, message):
    with pytest.raises(InputError, match=message):
        compare_runs(runs, LOW)
    with pytest.raises(InputError, match=message.replace("a:", r"runs\['a'\]:")):
        mark({"a": runs, "b": LOW})


@pytest.mark.parametrize("level", [0, 1, -1, math.nan])
def test_a_level_that_is_no_probability_is_refused(level):
    with pytest.raises(InputError, match="level: expected a number between 0 and 1"):
        compare_runs(HIGH, LOW, level=level)
    with pytest.raises(InputError, match="level: expected a number between 0 and 1"):
        mark({"a": LOW}, level)


def test_no_method_has_no_best():
    with pytest.raises(InputError, match="runs: expected at least one method"):
        mark({})
