"""External measures against plain loops, scikit-learn, and laws they must obey."""

import json
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix, pair_confusion_matrix

from coterie.errors import InputError
from coterie.evaluation import (
    ari,
    class_scores,
    contingency,
    evaluate,
    external,
    majority_classes,
    mi_f_score,
    micro_precision,
    micro_recall,
    nmi,
    pairwise_scores,
    pairwise_scores_soft,
    scores,
)


def pair_precision(true, predicted):
    return pairwise_scores(true, predicted).precision


def pair_recall(true, predicted):
    return pairwise_scores(true, predicted).recall


def pair_f1(true, predicted):
    return pairwise_scores(true, predicted).f1


def hard_mi_f_score(true, predicted):
    return mi_f_score(true, one_hot(predicted))


def soft_pair_f1(true, predicted):
    return pairwise_scores_soft(true, one_hot(predicted)).f1


MEASURES = [
    micro_precision,
    micro_recall,
    nmi,
    hard_mi_f_score,
    pair_precision,
    pair_recall,
    pair_f1,
    soft_pair_f1,
    ari,
]
# fmt: off
DEGENERATE = [
    # true, predicted: micro precision, NMI, MI F-score, pair precision, recall, F1, ARI
    ("one class, one cluster", [1, 1, 1], [7, 7, 7], (1, 1, 1, 1, 1, 1, 1)),
    ("one class, split", [1, 1, 1], [1, 2, 3], (1, 0, 0, 0, 0, 0, 0)),
    ("one cluster", [1, 1, 2, 2], [0, 0, 0, 0], (1/2, 0, 0, 1/3, 1, 1/2, 0)),
    ("each its own cluster", [1, 1, 2, 2], [0, 1, 2, 3], (1, math.sqrt(1/2), 2/3, 0, 0, 0, 0)),
    ("each its own class", [0, 1, 2, 3], [1, 1, 2, 2], (1/2, math.sqrt(1/2), 2/3, 0, 0, 0, 0)),
    ("each its own of both", [0, 1, 2], [5, 4, 3], (1, 1, 1, 0, 0, 0, 1)),
    ("one document", ["x"], ["y"], (1, 1, 1, 0, 0, 0, 1)),
]
# fmt: on


def one_hot(labels):
    names = sorted(set(labels))
    return np.array([[float(x == name) for name in names] for x in labels])


def random_labels(seed, n=60, n_classes=4, n_clusters=5):
    rng = np.random.default_rng(seed)
    return rng.integers(n_classes, size=n), rng.integers(n_clusters, size=n)


def noisy_labels(seed, n=60):
    rng = np.random.default_rng(seed)
    true = rng.integers(4, size=n)
    return true, np.where(rng.random(n) < 0.3, rng.integers(5, size=n), true)


def random_memberships(seed, n=60, k=4):
    return np.random.default_rng(seed).dirichlet(np.full(k, 0.3), size=n)


LABELLINGS = [make(seed) for make in (random_labels, noisy_labels) for seed in range(3)]


labelled = st.integers(1, 25).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.permutations(range(n)),
        st.permutations(["a", "b", "c", "d", "e"]),
    )
)


@pytest.mark.parametrize("measure", MEASURES)
def test_renamed_classes_are_a_perfect_clustering(measure):
    true = ["tea", "rum", "tea", "gin", "gin", "rum", "tea"]
    predicted = [2, 0, 2, 1, 1, 0, 2]
    assert measure(true, predicted) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@settings(derandomize=True, deadline=None, max_examples=40)
@given(labelled)
def test_names_of_clusters_and_order_of_documents_do_not_matter(measure, case):
    true, predicted, order, names = case
    shuffled = measure([true[d] for d in order], [names[predicted[d]] for d in order])
    assert shuffled == pytest.approx(measure(true, predicted), abs=1e-12)


@pytest.mark.parametrize("measure", [m for m in MEASURES if m is not ari])
@settings(derandomize=True, deadline=None, max_examples=40)
@given(labelled)
def test_measures_lie_between_0_and_1(measure, case):
    true, predicted, _, _ = case
    assert 0 <= measure(true, predicted) <= 1


@pytest.mark.parametrize(
    ("true", "predicted", "expected"),
    [c[1:] for c in DEGENERATE],
    ids=[c[0] for c in DEGENERATE],
)
def test_degenerate_clusterings_have_their_documented_scores(true, predicted, expected):
    pairs = pairwise_scores(true, predicted)
    values = (
        micro_precision(true, predicted),
        nmi(true, predicted),
        hard_mi_f_score(true, predicted),
    )
    assert (*values, *pairs, ari(true, predicted)) == pytest.approx(expected, abs=1e-12)
    assert pairwise_scores_soft(true, one_hot(predicted)) == pairs


def test_random_clusters_share_almost_nothing_with_the_classes():
    true, predicted = random_labels(0, n=20_000)
    assert nmi(true, predicted) < 0.01
    assert abs(ari(true, predicted)) < 0.01
    assert hard_mi_f_score(true.tolist(), predicted.tolist()) < 0.01


@pytest.mark.parametrize(("true", "predicted"), LABELLINGS)
def test_scikit_learn_agrees(true, predicted):
    geometric = normalized_mutual_info_score(true, predicted, average_method="geometric")
    arithmetic = normalized_mutual_info_score(true, predicted, average_method="arithmetic")
    (_, false_pairs), (missed, right) = pair_confusion_matrix(true, predicted) // 2
    pairs = pairwise_scores(true, predicted)
    assert nmi(true, predicted) == pytest.approx(geometric, abs=1e-12)
    assert hard_mi_f_score(true, predicted) == pytest.approx(arithmetic, abs=1e-12)
    assert ari(true, predicted) == adjusted_rand_score(true, predicted)
    assert pairs.precision == pytest.approx(right / (right + false_pairs))
    assert pairs.recall == pytest.approx(right / (right + missed))
    np.testing.assert_array_equal(
        contingency(true, predicted).counts, contingency_matrix(true, predicted)
    )


@pytest.mark.parametrize(("true", "predicted"), LABELLINGS)
def test_nmi_is_the_published_formula(true, predicted):
    n, shared = len(true), Counter(zip(true, predicted, strict=True))
    in_class, in_cluster = Counter(true), Counter(predicted)
    information = sum(
        m * math.log(n * m / (in_class[c] * in_cluster[k])) for (c, k), m in shared.items()
    )
    entropies = [
        sum(m * math.log(m / n) for m in sizes.values()) for sizes in (in_class, in_cluster)
    ]
    assert nmi(true, predicted) == pytest.approx(information / math.sqrt(math.prod(entropies)))


@pytest.mark.parametrize(("true", "predicted"), LABELLINGS)
def test_precision_and_recall_count_documents_by_the_majority_class_of_their_cluster(
    true, predicted
):
    majority = majority_classes(true, predicted)
    assigned = [majority[k] for k in predicted]
    right_of_all = wrong_of_all = missed_of_all = 0
    for row in class_scores(true, predicted):
        both = list(zip(assigned, true, strict=True))
        right = sum(a == row.name and t == row.name for a, t in both)
        wrong = sum(a == row.name and t != row.name for a, t in both)
        missed = sum(a != row.name and t == row.name for a, t in both)
        assert row.size == right + missed
        assert row.precision == pytest.approx(right / (right + wrong) if right + wrong else 0)
        assert row.recall == pytest.approx(right / (right + missed))
        assert row.f1 == pytest.approx(2 * right / (2 * right + wrong + missed))
        right_of_all += right
        wrong_of_all += wrong
        missed_of_all += missed
    assert micro_precision(true, predicted) == right_of_all / (right_of_all + wrong_of_all)
    assert micro_recall(true, predicted) == right_of_all / (right_of_all + missed_of_all)


def test_a_class_no_cluster_stands_for_scores_zero():
    rows = class_scores(["a", "a", "b"], [0, 0, 0])
    assert rows[0] == ("a", 2, 2 / 3, 1.0, 0.8)
    assert rows[1] == ("b", 1, 0.0, 0.0, 0.0)


def test_equally_frequent_classes_are_decided_by_their_sorted_order():
    assert majority_classes(["b", "a", "c"], [0, 0, 1]) == {0: "a", 1: "c"}
    assert majority_classes(["a", "b", "c"], [0, 0, 1]) == {0: "a", 1: "c"}


@pytest.mark.parametrize("seed", range(3))
def test_mi_f_score_is_the_published_formula_on_soft_classes_and_clusters(seed):
    classes, clusters = random_memberships(seed, k=3), random_memberships(seed + 9, k=5)
    n = len(classes)
    information = 0.0
    for c in range(3):
        for t in range(5):
            joint = sum(classes[d, c] * clusters[d, t] for d in range(n))
            marginals = sum(classes[:, c]) * sum(clusters[:, t])
            information += joint / n * math.log(n * joint / marginals)
    entropies = [
        -sum(p * math.log(p) for p in rows.mean(axis=0)) for rows in (classes, clusters)
    ]
    by_classes, by_clusters = (information / entropy for entropy in entropies)
    harmonic = 2 * by_classes * by_clusters / (by_classes + by_clusters)
    assert mi_f_score(classes, clusters) == pytest.approx(harmonic)


def test_class_labels_and_their_one_hot_matrix_have_the_same_mi_f_score():
    true, _ = noisy_labels(1)
    memberships = random_memberships(1)
    assert mi_f_score(true, memberships) == pytest.approx(
        mi_f_score(one_hot(true), memberships)
    )


def test_certain_memberships_beat_hesitant_ones_on_the_same_clusters():
    true = [0, 0, 1, 1]
    assert mi_f_score(true, [[0.7, 0.3]] * 2 + [[0.3, 0.7]] * 2) < 0.2
    assert mi_f_score(true, [[1, 0]] * 2 + [[0, 1]] * 2) == pytest.approx(1)


@pytest.mark.parametrize("block_entries", [1, 170, 1 << 22])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5])
def test_soft_pairs_agree_with_plain_loops(monkeypatch, block_entries, threshold):
    monkeypatch.setattr(external, "BLOCK_ENTRIES", block_entries)
    true, _ = noisy_labels(3)
    memberships = random_memberships(3)
    together = related = both = 0
    for d, e in combinations(range(len(true)), 2):
        close = sum(p * q for p, q in zip(memberships[d], memberships[e], strict=True))
        together += close > threshold
        related += true[d] == true[e]
        both += close > threshold and true[d] == true[e]
    expected = (both / together, both / related, 2 * both / (together + related))
    assert pairwise_scores_soft(true, memberships, threshold) == pytest.approx(expected)


def test_a_product_equal_to_the_threshold_is_not_above_it():
    assert pairwise_scores_soft([0, 0], [[0.5, 0.5], [0.5, 0.5]]) == (0, 0, 0)
    just_below, below = math.nextafter(0.5, 0), 0.499
    assert pairwise_scores_soft([0, 0], [[0.5, 0.5]] * 2, just_below) == (0, 0, 0)
    assert pairwise_scores_soft([0, 0], [[0.5, 0.5]] * 2, below) == (1, 1, 1)


def test_evaluate_gathers_what_each_measure_gives():
    true, predicted = noisy_labels(5)
    memberships = random_memberships(5)
    result = evaluate(true, predicted, memberships)
    assert result.n_documents == 60
    assert result.micro_precision == result.micro_recall == micro_precision(true, predicted)
    assert (result.nmi, result.ari) == (nmi(true, predicted), ari(true, predicted))
    assert result.mi_f_score == mi_f_score(true, memberships)
    assert result.pairs == pairwise_scores(true, predicted)
    assert result.soft_pairs == pairwise_scores_soft(true, memberships)
    assert result.class_table == class_scores(true, predicted)
    np.testing.assert_array_equal(
        result.contingency.counts, contingency(true, predicted).counts
    )


def test_evaluate_without_memberships_takes_the_clusters_as_certain():
    true, predicted = noisy_labels(5)
    result = evaluate(iter(true), iter(predicted))
    assert result.mi_f_score == pytest.approx(hard_mi_f_score(true, predicted))
    assert result.soft_pairs is None


def test_evaluate_leaves_soft_pairs_out_beyond_its_limit(monkeypatch):
    monkeypatch.setattr(scores, "SOFT_PAIRS_LIMIT", 59)
    true, predicted = noisy_labels(5)
    assert evaluate(true, predicted, random_memberships(5)).soft_pairs is None


@pytest.mark.parametrize("memberships", [None, random_memberships(5)])
def test_scores_survive_json(memberships):
    true, predicted = noisy_labels(5)
    classes = [("class", int(c)) for c in true]
    plain = evaluate(classes, predicted.astype(np.int32), memberships).as_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["class_table"][0]["name"] == "('class', 0)"
    assert plain["contingency"]["clusters"] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["b", "a"]),
        np.array(["b", "a"], dtype=object),
        ("b", "a"),
        ["b", 1],
        [(1, 2), (0, 1)],
        [frozenset({1}), frozenset({2})],
        [True, False],
    ],
)
def test_any_hashable_labels_are_understood(labels):
    assert nmi(labels, [0, 1]) == nmi([0, 1], labels) == 1


def test_numpy_labels_come_back_as_plain_values():
    table = contingency(np.array([3, 3, 1], dtype=np.int32), np.array(["x", "y", "y"]))
    assert table.classes == (1, 3)
    assert all(type(name) is int for name in table.classes)
    assert all(type(name) is str for name in table.clusters)
    assert table.counts.tolist() == [[0, 1], [1, 1]]
    assert table.counts.dtype == np.int64


@pytest.mark.parametrize(
    "measure", [*MEASURES[:3], pairwise_scores, ari, evaluate, contingency]
)
@pytest.mark.parametrize(
    ("true", "predicted", "message"),
    [
        ([], [], "true: expected at least one label, got none"),
        ([1, 2], [1], "predicted: expected 2 documents as in true, got 1"),
        ([1, None], [1, 1], r"true: row 1 is missing \(None\)"),
        ([1, 1], [math.nan, 1], r"predicted: row 0 is missing \(nan\)"),
        (np.array([1, np.nan]), [1, 1], r"true: row 1 is missing \(nan\)"),
        ([1, [2]], [1, 1], r"true: row 1 is \[2\], expected a single label"),
    ],
)
def test_bad_labels_are_refused_by_name_and_row(measure, true, predicted, message):
    with pytest.raises(InputError, match=message):
        measure(true, predicted)


@pytest.mark.parametrize("labels", ["aab", 3, np.array([[1, 2], [2, 1]]), np.array(3)])
def test_what_is_not_a_label_a_document_is_refused(labels):
    with pytest.raises(InputError, match="true: expected a label a document"):
        nmi(labels, [1, 1])


@pytest.mark.parametrize("measure", [mi_f_score, pairwise_scores_soft])
@pytest.mark.parametrize(
    ("memberships", "message"),
    [
        ([0.5, 0.5], r"memberships: expected a row a document .* got an array of shape \(2,\)"),
        (np.zeros((2, 0)), r"got an array of shape \(2, 0\)"),
        ([[1, 0]], "memberships: expected 2 documents as in true, got 1"),
        ([[1, 0], [0.5, 0.6]], "memberships: row 1 sums to 1.1, expected 1"),
        ([[1, 0], [1.5, -0.5]], "memberships: row 1 holds a negative"),
        ([[math.nan, 1], [1, 0]], "memberships: row 0 holds a negative, infinite or missing"),
        ([["a", "b"], ["c", "d"]], "memberships: expected an array of numbers"),
        ([[1, 0], [1]], "memberships: expected an array of numbers"),
    ],
)
def test_bad_memberships_are_refused_by_row(measure, memberships, message):
    with pytest.raises(InputError, match=message):
        measure([0, 1], memberships)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, math.nan])
def test_a_threshold_that_is_no_probability_is_refused(threshold):
    with pytest.raises(InputError, match="threshold: expected a number from 0 to 1"):
        pairwise_scores_soft([0, 1], [[1, 0], [0, 1]], threshold)


def test_soft_classes_of_other_documents_are_refused():
    with pytest.raises(InputError, match="memberships: expected 3 documents as in true, got 2"):
        mi_f_score(np.eye(3), np.eye(2))


def test_memberships_of_single_precision_are_close_enough_to_one():
    memberships = random_memberships(1, n=200, k=300).astype(np.float32)
    assert 0 < mi_f_score(random_labels(1, n=200)[0], memberships) < 1
