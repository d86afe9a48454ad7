"""Label noise against the published figures, plain loops, and laws it must obey."""

import math
from itertools import pairwise, product

import numpy as np
import pytest

from coterie.errors import InputError
from coterie.evaluation import evaluate, label_noise, mi_f_score, nmi, noise_curve
from coterie.evaluation.noise import MAX_DRAWS, N_SHARES

MEASURES = ("nmi", "mi_f_score")
FOUR_EQUAL = ["sports", "health", "disasters", "employment"] * 400
UNEQUAL = ["tea"] * 500 + ["rum"] * 250 + ["gin"] * 50


def score(measure, true, noisy):
    return nmi(true, noisy) if measure == "nmi" else mi_f_score(true, np.eye(9)[noisy])


def expected_score(sizes, share):
    """The score of infinitely many documents, by the probabilities of pairs of classes."""
    weights = [size / sum(sizes) for size in sizes]
    information = 0.0
    for (i, p), (j, q) in product(enumerate(weights), repeat=2):
        both = share * p * q + (1 - share) * p * (i == j)
        information += both * math.log(both / (p * q)) if both else 0.0
    return information / -sum(p * math.log(p) for p in weights)


@pytest.mark.parametrize(("share", "published"), [(0.05, 0.9), (0.15, 0.7), (0.5, 0.25)])
def test_the_published_figures_are_near(share, published):
    curve = noise_curve(FOUR_EQUAL, "mi_f_score")
    assert np.interp(share, *curve) == pytest.approx(published, abs=0.05)
    assert label_noise(FOUR_EQUAL, published, "mi_f_score") == pytest.approx(share, abs=0.03)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("classes", [FOUR_EQUAL, UNEQUAL])
def test_the_curve_is_near_its_expectation(classes, measure):
    sizes = [classes.count(name) for name in sorted(set(classes))]
    for share, value in zip(*noise_curve(classes * 5, measure), strict=True):
        assert value == pytest.approx(expected_score(sizes, share), abs=0.02)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("sizes", [(2, 3, 5), (1,) * 9, (1, 1, 7)])
def test_plain_loops_give_the_same_curve(sizes, measure):
    true = [code for code, size in enumerate(sizes) for _ in range(size)]
    n, rng = len(true), np.random.default_rng(3)
    numbers = sorted({round(n * (i / (N_SHARES - 1)) ** 2) for i in range(N_SHARES)})
    sums = [0.0] * len(numbers)
    for _ in range(MAX_DRAWS):
        order, drawn = rng.permutation(n), rng.choice(true, n)
        for i, number in enumerate(numbers):
            noisy = list(true)
            for document in order[:number]:
                noisy[document] = int(drawn[document])
            sums[i] += score(measure, true, noisy)
    expected = [min(sums[: i + 1]) / MAX_DRAWS for i in range(len(sums))]
    curve = noise_curve(true, measure, random_state=3)
    assert curve.shares == pytest.approx([number / n for number in numbers])
    assert curve.scores == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("classes", [FOUR_EQUAL, UNEQUAL, [0, 0, 1, 1, 2]])
def test_a_score_of_the_curve_is_worth_its_share(classes, measure):
    shares, scores = noise_curve(classes, measure)
    assert all(later <= earlier for earlier, later in pairwise(scores))
    worth = [label_noise(classes, value, measure) for value in scores]
    assert worth == sorted(worth)
    assert (worth[0], worth[-1]) == (0, 1)
    alone = np.flatnonzero((np.diff(scores[:-1]) < 0) & (np.diff(scores[1:]) < 0)) + 1
    np.testing.assert_allclose(np.array(worth)[alone], shares[alone])


def test_labels_drawn_at_random_are_worth_the_share_that_was_drawn():
    rng = np.random.default_rng(7)
    true = rng.choice(5, 20_000, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    noisy = np.where(rng.random(20_000) < 0.18, rng.permutation(true), true)
    assert label_noise(true, nmi(true, noisy)) == pytest.approx(0.18, abs=0.01)


def test_names_and_order_do_not_matter_and_a_seed_gives_one_answer():
    renamed = [{"tea": 3, "rum": 1, "gin": 2}[name] for name in reversed(UNEQUAL)]
    assert label_noise(renamed, 0.5) == label_noise(UNEQUAL, 0.5)
    other = label_noise(UNEQUAL, 0.5, random_state=1)
    assert other != label_noise(UNEQUAL, 0.5)
    assert other == pytest.approx(label_noise(UNEQUAL, 0.5), abs=0.02)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("true", [["tea"] * 5, ["tea"]])
def test_without_two_classes_only_a_perfect_score_is_worth_no_noise(true, measure):
    assert set(noise_curve(true, measure).scores.tolist()) == {1}
    assert [label_noise(true, value, measure) for value in (1, 0.99, 0)] == [0, 1, 1]


@pytest.mark.parametrize("measure", MEASURES)
def test_labels_that_are_all_different_have_a_curve_far_above_0(measure):
    curve = noise_curve(range(2000), measure)
    assert curve.scores[0] == pytest.approx(1)
    assert 0.9 < curve.scores[-1] < 0.99
    assert label_noise(range(2000), 0.8, measure) == 1
    assert 0 < label_noise(range(2000), 0.98, measure) < 1


def test_random_labels_of_a_large_collection_score_0():
    curve = noise_curve(np.arange(120_000) % 3)
    assert curve.scores[-1] == pytest.approx(0, abs=1e-3)


def test_a_curve_cannot_be_changed_by_its_reader():
    with pytest.raises(ValueError, match="read-only"):
        noise_curve(FOUR_EQUAL).scores[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        noise_curve(FOUR_EQUAL).shares[0] = 1


def test_evaluate_gives_the_noise_of_both_measures():
    rng = np.random.default_rng(0)
    true = np.array(FOUR_EQUAL)
    predicted = np.where(rng.random(1600) < 0.3, rng.permutation(true), true)
    memberships = rng.dirichlet(np.full(4, 0.3), size=1600)
    scores = evaluate(true, predicted, memberships)
    assert scores.label_noise == {
        "nmi": label_noise(true, scores.nmi, "nmi"),
        "mi_f_score": label_noise(true, scores.mi_f_score, "mi_f_score"),
    }
    assert scores.label_noise["nmi"] == pytest.approx(0.3, abs=0.03)
    assert scores.as_dict()["label_noise"] == scores.label_noise


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_a_score_outside_0_to_1_is_refused(value):
    with pytest.raises(InputError, match="score: expected a number from 0 to 1"):
        label_noise([0, 1], value)


def test_other_measures_and_missing_labels_are_refused():
    with pytest.raises(InputError, match="measure: expected 'nmi' or 'mi_f_score', got 'ari'"):
        noise_curve([0, 1], "ari")
    with pytest.raises(InputError, match="true: expected at least one label, got none"):
        label_noise([], 0.5)
