"""The steps of the automatic method against plain loops."""

from itertools import combinations, permutations
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from coterie import AutoClustering, arrays, run_on
from coterie.arrays import best_of, best_of_many, spherical_kmeans, unit_rows
from coterie.automatic import number, search
from coterie.automatic.axes import (
    are_short,
    condensed,
    first_axes,
    main_axes,
    on_axes,
    word_vector_axes,
)
from coterie.automatic.calibration import (
    aligned,
    calibrate,
    calibrated,
    in_bins,
    regression,
)
from coterie.automatic.candidates import Candidate, Effort
from coterie.automatic.neighbours import centred, links, nearest, smoothed_along_neighbours
from coterie.automatic.number import (
    agreement,
    best_number,
    modularity,
    offered_numbers,
    offers,
    scores,
    stability,
)
from coterie.automatic.search import softened
from coterie.automatic.tree import Tree, build_tree, labels_at, loss, losses
from coterie.evaluation import nmi
from coterie.inference.strategy import most_frequent
from coterie.models.mixture import MultinomialMixture
from planted import plant


def test_unit_rows_have_length_one_and_zeros_stay():
    rows = np.random.default_rng(0).standard_normal((20, 5))
    rows[3] = 0
    found = unit_rows(rows)
    lengths = np.linalg.norm(found, axis=1)
    assert_allclose(np.delete(lengths, 3), 1, rtol=1e-6)
    assert lengths[3] == 0


def test_spherical_kmeans_ends_where_nothing_can_move():
    rows = unit_rows(np.random.default_rng(0).standard_normal((200, 6)))
    for partition in spherical_kmeans(rows, 4, [0, 1, 2]):
        centres = unit_rows(
            np.array([rows[partition.labels == k].sum(axis=0) for k in range(4)])
        )
        nearest_centre = [max(range(4), key=lambda k: float(row @ centres[k])) for row in rows]
        assert_array_equal(partition.labels, nearest_centre)
        cosines = sum(rows[i] @ centres[partition.labels[i]] for i in range(200))
        assert_allclose(partition.objective, cosines, rtol=1e-4)


def test_spherical_kmeans_finds_groups_on_any_number_of_threads():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(5), 40)
    rows = unit_rows(rng.standard_normal((5, 12))[truth] + 0.2 * rng.standard_normal((200, 12)))
    seeds = list(range(6))
    found = spherical_kmeans(rows, 5, seeds)
    assert adjusted_rand_score(truth, best_of(found)) == 1
    with run_on("threads", n_threads=1):
        alone = spherical_kmeans(rows, 5, seeds)
    for a, b in zip(found, alone, strict=True):
        assert_array_equal(a.labels, b.labels)
        assert a.objective == b.objective


@pytest.mark.parametrize("n_compared", [4000, 100])
def test_the_best_of_many_starts_is_settled_and_no_worse_than_most_of_them(
    n_compared, monkeypatch
):
    monkeypatch.setattr(arrays, "SOME_ROWS", n_compared)
    monkeypatch.setattr(arrays, "ROWS_EACH", n_compared / 6)
    rows = unit_rows(np.random.default_rng(2).standard_normal((300, 5)))
    seeds = list(range(80))
    labels = best_of_many(rows, 6, seeds)
    centres = unit_rows(np.array([rows[labels == k].sum(axis=0) for k in range(6)]))
    assert_array_equal(labels, (rows @ centres.T).argmax(axis=1))
    objective = float((rows @ centres.T).max(axis=1).sum())
    alone = [partition.objective for partition in spherical_kmeans(rows, 6, seeds)]
    assert objective >= np.quantile(alone, 0.9) - 1e-3
    with run_on("threads", n_threads=1):
        assert_array_equal(best_of_many(rows, 6, seeds), labels)


def test_many_starts_are_compared_on_some_of_the_rows_and_the_best_go_on_with_all(monkeypatch):
    rows = unit_rows(np.random.default_rng(2).standard_normal((900, 5)))
    monkeypatch.setattr(arrays, "SOME_ROWS", 90)
    monkeypatch.setattr(arrays, "ROWS_EACH", 10)
    moved, lengths = arrays._moved, []

    def noted(rows, centres, max_iter):
        lengths.append((len(rows), max_iter))
        return moved(rows, centres, max_iter)

    monkeypatch.setattr(arrays, "_moved", noted)
    labels = best_of_many(rows, 6, list(range(40)))
    assert len(labels) == 900
    assert lengths == [(90, arrays.FIRST_ITER)] * 40 + [(900, arrays.MAX_ITER)] * arrays.N_KEPT


def test_no_cluster_of_unit_rows_is_empty_where_rows_differ():
    rows = unit_rows(np.random.default_rng(1).standard_normal((9, 4)))
    for partition in spherical_kmeans(rows, 9, [0, 1]):
        assert len(set(partition.labels.tolist())) == 9
    equal = np.tile(rows[:1], (6, 1))
    assert len(spherical_kmeans(equal, 3, [0])[0].labels) == 6


def test_axes_keep_the_cosines_that_all_axes_have():
    X = plant(80, 30, 4, 25, seed=0)[0]
    axes = main_axes(X, 30, seed=0).documents
    rows = unit_rows(X.toarray())
    assert_allclose(axes @ axes.T, rows @ rows.T, atol=1e-4)
    words, few = main_axes(X, 3, seed=0)
    alone = np.vstack([on_axes(X[[d]], words) for d in range(80)])
    assert_array_equal(alone, few)
    _, values, _ = np.linalg.svd(rows)
    assert_allclose(np.linalg.norm(few, axis=0), values[:3], rtol=1e-3)
    assert first_axes(axes, 3).shape == (80, 3)


def test_word_vectors_are_axes_of_mutual_information():
    X = plant(200, 12, 3, 4, seed=0)[0]
    present = (X.toarray() > 0).astype(float)
    together = np.zeros((12, 12))
    for row in present:
        for a in np.flatnonzero(row):
            for b in np.flatnonzero(row):
                if a != b:
                    together[a, b] += 1 / (row.sum() - 1)
    totals, information = together.sum(axis=1), np.zeros((12, 12))
    for a in range(12):
        for b in range(12):
            if together[a, b]:
                ratio = together[a, b] * together.sum() / (totals[a] * totals[b])
                information[a, b] = max(0, np.log(ratio))
    values, vectors = np.linalg.eigh(information @ information.T)
    largest = np.argsort(-values)[:3]
    expected = unit_rows(vectors[:, largest] * values[largest] ** 0.25)
    words, documents = word_vector_axes(X, 3, seed=0)
    rarity = np.log(201 / present.sum(axis=0))
    assert_allclose(np.linalg.norm(words, axis=1), rarity, rtol=1e-4)
    found = words / rarity[:, None]
    assert_allclose(found @ found.T, expected @ expected.T, atol=1e-3)
    assert_allclose(unit_rows(documents), unit_rows(X.toarray() @ words), atol=1e-4)


def test_documents_of_few_words_are_short():
    assert are_short(plant(50, 200, 3, 10, seed=0)[0])
    assert not are_short(plant(50, 200, 3, 40, seed=0)[0])
    alone = sp.csr_array(np.eye(4))
    assert_array_equal(
        word_vector_axes(alone, 2, 0).documents, main_axes(alone, 2, 0).documents
    )


def test_condensed_rows_keep_their_products():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((50, 4)) @ rng.standard_normal((4, 20))
    assert_allclose(condensed(rows, 4) @ condensed(rows, 4).T, rows @ rows.T, rtol=1e-6)
    assert condensed(rows, 40) is rows
    wide = np.vstack([rows, 2 * rows]).T
    assert_allclose(
        condensed(wide, 4) @ condensed(wide, 4).T, wide @ wide.T, rtol=1e-6, atol=1e-9
    )


def test_modularity_is_newmans():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=30)
    links = rng.integers(30, size=100), rng.integers(30, size=100)
    A = np.zeros((30, 30))
    for i, j in zip(*links, strict=True):
        A[i, j] += 1
        A[j, i] += 1
    degree, twice = A.sum(axis=1), A.sum()
    total = 0.0
    for i in range(30):
        for j in range(30):
            if labels[i] == labels[j]:
                total += A[i, j] - degree[i] * degree[j] / twice
    assert_allclose(modularity(links, labels), total / twice)


def test_neighbours_are_the_nearest_others():
    rows = unit_rows(np.random.default_rng(0).standard_normal((12, 3)))
    first, second = nearest(rows, 4)
    for i in range(12):
        others = sorted(
            (j for j in range(12) if j != i), key=lambda j: -float(rows[i] @ rows[j])
        )
        assert_array_equal(second[first == i], others[:4])
    assert len(nearest(rows[:3], 10)[0]) == 6


def test_neighbours_are_found_block_by_block():
    rows = unit_rows(np.random.default_rng(1).standard_normal((1100, 5)))
    first, second = nearest(rows, 3)
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, -np.inf)
    assert_array_equal(second.reshape(-1, 3), np.argsort(-cosines, axis=1)[:, :3])
    assert_array_equal(first, np.repeat(np.arange(1100), 3))


def test_links_are_shares_of_the_nearest_and_each_row_has_its_own():
    rng = np.random.default_rng(3)
    rows, fitted = (unit_rows(rng.standard_normal((n, 4))) for n in (150, 90))
    found = links(rows, fitted, 5)
    cosines = rows @ fitted.T
    for i in range(150):
        near = np.argsort(-cosines[i], kind="stable")[:5]
        shares = np.maximum(cosines[i, near], 0)
        expected = np.zeros(90)
        expected[near] = shares / shares.sum()
        assert_allclose(found[[i]].toarray()[0], expected, atol=1e-6)
        assert (links(rows[[i]], fitted, 5) != found[[i]]).nnz == 0
    own = links(fitted, fitted, 3)
    assert np.all(own.toarray().argmax(axis=1) == np.arange(90))
    assert links(rows[:0], fitted, 3).shape == (0, 90)


def test_smoothing_moves_rows_to_the_mean_of_their_neighbours():
    rows = unit_rows(np.random.default_rng(2).standard_normal((9, 4)))
    first, second = nearest(rows, 2)
    links = np.zeros((9, 9))
    for i, j in zip(first, second, strict=True):
        cosine = max(float(rows[i] @ rows[j]), 0)
        links[i, j] += cosine
        links[j, i] += cosine
    expected = [np.array(rows)]
    for _ in range(5):
        moved = expected[-1] + (links @ expected[-1]) / links.sum(axis=1, keepdims=True)
        expected.append(moved / np.linalg.norm(moved, axis=1, keepdims=True))
    twice, five = smoothed_along_neighbours(rows, 2, [2, 5])
    assert_allclose(twice, expected[2], rtol=1e-4, atol=1e-6)
    assert_allclose(five, expected[5], rtol=1e-4, atol=1e-6)


def test_agreement_compares_candidates_of_different_methods_only():
    labels = [[0, 0, 1, 2, 2, 1], [0, 1, 1, 2, 0, 1], [2, 2, 1, 0, 0, 0]]
    names = ["growth from 5", "growth from 5", "axes"]
    candidates = [
        Candidate(name, np.eye(3)[each], 0.0) for name, each in zip(names, labels, strict=True)
    ]
    expected = np.mean([adjusted_mutual_info_score(labels[i], labels[2]) for i in (0, 1)])
    assert_allclose(agreement(SimpleNamespace(candidates=candidates)), expected)


def test_the_score_is_a_product_of_powers_smoothed_unless_a_peak_stands_out():
    rng = np.random.default_rng(0)
    curve = {name: rng.random(6).tolist() for name in ("modularity", "agreement", "stability")}
    curve["agreement"][2] = -0.1
    expected = []
    for i in range(6):
        smooth = plain = 1.0
        for name, power in (("modularity", 1), ("agreement", 0.15), ("stability", 0.4)):
            values = [max(value, 0) for value in curve[name]]
            beside = values[max(0, i - 1) : i] + values[i + 1 : i + 2]
            smooth *= ((3 * values[i] + sum(beside)) / (3 + len(beside))) ** power
            plain *= values[i] ** power
        expected.append(max(smooth, 0.96 * plain))
    assert_allclose(scores({"n_clusters": list(range(2, 8))} | curve), expected)


def test_stability_is_high_at_the_number_of_groups_and_low_where_there_are_none():
    rng = np.random.default_rng(0)
    centres = unit_rows(rng.normal(size=(5, 20)))
    near = unit_rows(centres[rng.integers(5, size=400)] + 0.1 * rng.normal(size=(400, 20)))
    by_number = {k: stability({20: near, 50: near}, k, 0) for k in (3, 5, 9)}
    assert by_number[5] > 0.99
    assert by_number[3] < 0.9
    assert by_number[9] < 0.9
    noise = unit_rows(rng.normal(size=(400, 20)))
    assert stability({20: noise, 50: noise}, 5, 0) < 0.3
    assert stability({20: near, 50: near}, 3, 0) == by_number[3]


def test_stability_compares_subsamples_on_the_documents_they_share(monkeypatch):
    parts = []
    own = number.adjusted_mutual_info_score

    def noted(one, other):
        assert min(one.min(), other.min()) >= 0
        parts.append(len(one))
        return own(one, other)

    monkeypatch.setattr(number, "adjusted_mutual_info_score", noted)
    rows = unit_rows(np.random.default_rng(0).normal(size=(100, 20)))
    stability({20: rows, 50: rows}, 4, 0)
    assert len(parts) == 15
    assert all(40 <= size < 70 for size in parts)


def test_the_smallest_number_near_the_best_is_taken():
    curve = {"n_clusters": [2, 3, 4, 5, 6, 7], "modularity": [0.1, 0.2, 0.6, 0.6, 0.61, 0.6]}
    assert best_number(curve | {"agreement": [1.0] * 6}) == 4
    assert best_number(curve | {"agreement": [1.0, 1.0, 1.0, 0.2, 0.1, 0.1]}) == 4
    higher = curve | {"modularity": [0.1, 0.2, 0.6, 0.6, 0.61, 0.9]}
    assert best_number(higher | {"agreement": [1.0] * 6}) == 7


def test_the_best_of_half_and_of_twice_as_many_that_stand_out_are_offered():
    grid = [2, 3, 4, 5, 6, 8, 12, 16]

    def offered(*modularity):
        curve = {"n_clusters": grid[: len(modularity)], "modularity": list(modularity)}
        found = offers(curve)
        assert found["n_clusters"] == offered_numbers(curve)
        rows = [grid.index(k) for k in found["n_clusters"]]
        assert found["modularity"] == [modularity[row] for row in rows]
        assert_allclose(found["score"], scores(curve)[rows])
        return found["n_clusters"]

    assert offered(0.1, 0.1, 0.1, 0.9, 0.5, 0.4) == [5]
    # the best between 5 / 2.5 and 5 / 1.4, and between 5 * 1.4 and 5 * 2.5
    assert offered(0.8, 0.85, 0.85, 0.98, 0.98, 0.85, 0.99, 0.85) == [3, 5, 12]
    # too near the chosen number, too low, and too far
    assert offered(0.1, 0.1, 0.9, 0.97, 0.98, 0.5, 0.5, 0.9) == [5]
    assert offered(0.9, 0.3, 0.3, 0.3, 0.9, 0.9, 0.8, 0.1) == [2]
    assert offers({}) == {}


def test_every_other_vocabulary_begins_with_the_words_that_weigh_most(monkeypatch):
    seen = []
    fitted = search.IncrementalVocabulary._fit

    def noted(growth, X):
        first = growth._sizes_for(X)[0]
        seen.append(set(most_frequent(X, first, growth.frequencies)))
        return fitted(growth, X)

    monkeypatch.setattr(search.IncrementalVocabulary, "_fit", noted)
    rng = np.random.default_rng(0)
    weights = sp.csr_array(rng.random((30, 8)) * [1, 1, 1, 1, 9, 9, 9, 9])
    occurrences = np.array([9.0, 9, 9, 9, 1, 1, 1, 1])
    clusters = search.Search(MultinomialMixture(2), weights, occurrences, Effort(), 0)
    clusters.from_growths(0)
    often, heavy = set(range(4)), set(range(4, 8))
    assert sorted(seen, key=min) == [often, often, heavy, heavy]


@pytest.mark.parametrize(("trust", "more"), [(1.0, 1.0), (0.5, 1.0), (0.0, 3.0), (0.5, 2.5)])
def test_vectors_have_as_many_votes_as_words(monkeypatch, trust, more):
    rng = np.random.default_rng(0)

    def drawn(name, n):
        return [Candidate(name, rng.dirichlet([1, 1], size=8), 0.0) for _ in range(n)]

    words, vectors, centred = drawn("axes", 6), drawn("vectors", 4), drawn("centred vectors", 3)
    seen = []

    def noted(rows, *_):
        seen.append(rows)
        return np.zeros(len(rows), dtype=np.int64)

    monkeypatch.setattr(search, "best_of_many", noted)
    monkeypatch.setattr(search, "trusted", lambda *_: trust)
    monkeypatch.setattr(search, "surer", lambda *_: more)
    model = MultinomialMixture(2)
    clusters = search.Search(model, sp.csr_array(np.ones((8, 3))), np.ones(3), Effort(), 0)
    for candidates, votes in (
        (words, [1] * 6),
        (words + vectors, [1] * 6 + [1.5 * trust * more] * 4),
        (vectors + words, [1.5 * trust * more] * 4 + [1] * 6),
        (vectors, [1] * 4),
        (words + vectors + centred, [1] * 6 + [0.75 * trust * more] * 4 + [trust * more] * 3),
    ):
        clusters.candidates = candidates
        clusters.consensus()
        expected = np.zeros((8, 8))
        for each, n in zip(candidates, votes, strict=True):
            expected += n * each.memberships @ each.memberships.T
        scale = np.sqrt(np.diag(expected))
        found = seen[0]
        seen.clear()
        assert_allclose(found @ found.T, expected / np.outer(scale, scale), rtol=1e-5)


def test_descriptions_of_many_clusters_are_sparse_and_give_the_same_consensus(monkeypatch):
    rng = np.random.default_rng(3)
    truth = np.repeat(np.arange(5), 12)
    clusters = search.Search(
        MultinomialMixture(5), sp.csr_array(np.ones((60, 3))), np.ones(3), Effort(n_votes=8), 0
    )
    for _ in range(4):
        labels = np.where(rng.random(60) < 0.95, truth, rng.integers(5, size=60))
        memberships = 0.98 * np.eye(5)[labels] + 0.02 / 5
        memberships[0] = 0.2  # no small ones beside the largest: all stay
        clusters.candidates.append(Candidate("axes", memberships, 0.0))
    scaled = [(2.0, each.memberships) for each in clusters.candidates]
    dense, (labels,) = clusters._descriptions(scaled), clusters.consensus()
    monkeypatch.setattr(search, "MANY", 4)
    rows = clusters._descriptions(scaled)
    assert sp.issparse(rows)
    assert rows.nnz == 59 * 4 + 5 * 4
    assert_allclose((rows @ rows.T).toarray(), dense @ dense.T, atol=0.02)
    (again,) = clusters.consensus()
    assert adjusted_rand_score(again[1:], labels[1:]) == 1  # 0 may be anywhere
    assert adjusted_rand_score(labels, truth) > 0.9


def test_sparse_rows_are_clustered_as_dense_ones():
    rows = unit_rows(np.random.default_rng(4).random((80, 9)) > 0.6)
    rows[7] = 0
    for seeds in ([0], list(range(12))):
        assert_array_equal(
            best_of_many(sp.csr_array(rows), 6, seeds), best_of_many(rows, 6, seeds)
        )


def test_a_consensus_may_start_from_labels():
    """Two pairs of groups: k-means that starts with both pairs split wrongly mends it."""
    rows = unit_rows(np.repeat(np.eye(4), 5, axis=0) + 0.1)
    truth, shifted = np.repeat(np.arange(4), 5), np.repeat(np.arange(4), 5)
    shifted[[0, 19]] = shifted[[19, 0]]
    lumped = np.zeros(20, dtype=np.int64)
    for form in (rows, sp.csr_array(rows)):
        found = best_of_many(form, 4, [lumped, shifted])
        assert adjusted_rand_score(found, truth) == 1
        only = best_of_many(form, 4, [lumped])
        assert len(np.unique(only)) == 4  # empty clusters are given rows


def test_many_clusters_have_more_axes_and_a_consensus_from_each_candidate(monkeypatch):
    X = plant(150, 180, 3, 30, seed=0, purity=0.4)[0]
    ranks, starts = [], []
    kmeans, many = search.spherical_kmeans, search.best_of_many

    def noted(rows, *others):
        ranks.append(rows.shape[1])
        return kmeans(rows, *others)

    def noted_starts(rows, n_clusters, given, stopped):
        starts.append(given)
        return many(rows, n_clusters, given, stopped)

    monkeypatch.setattr(search, "spherical_kmeans", noted)
    monkeypatch.setattr(search, "best_of_many", noted_starts)
    monkeypatch.setattr(search, "MANY", 2)
    monkeypatch.setattr("coterie.automatic.candidates.MANY", 2)
    monkeypatch.setattr("coterie.automatic.candidates.USUAL", 1)
    settings = {"growths": (), "ranks": (5, 40), "n_votes": 2, "calibrated": False}
    model = AutoClustering(3, random_state=0, **settings).fit(X)
    assert ranks == [15, 120]
    assert [len(each) for each in starts[0]] == [150] * len(model.candidates_["name"])


def test_what_a_row_loses_with_each_of_others():
    rng = np.random.default_rng(5)
    words = rng.random((7, 20)) * (rng.random((7, 20)) > 0.5)
    words[3] = 0
    others = np.array([0, 2, 3, 6])
    expected = [loss(words[4], words[other]) for other in others]
    assert_allclose(losses(words, 4, others), expected, rtol=1e-9, atol=1e-12)


def test_vectors_that_contradict_what_words_agree_on_lose_their_votes():
    rng = np.random.default_rng(1)
    truth, other = rng.integers(3, size=60), rng.integers(3, size=60)

    def near(labels, share, n):
        """Candidates that have a share of the labels, and others at random."""
        drawn = [
            np.where(rng.random(60) < share, labels, rng.integers(3, size=60)) for _ in range(n)
        ]
        return [Candidate("", search.softened(each, 3), 0.0) for each in drawn]

    def expected(words, vectors):
        labels = [
            [each.memberships.argmax(axis=1) for each in kind] for kind in (words, vectors)
        ]
        within = [nmi(a, b) for i, a in enumerate(labels[0]) for b in labels[0][:i]]
        between = [nmi(a, b) for a in labels[0] for b in labels[1]]
        return min(1, max(0, 2 - 5 * (np.mean(within) - np.mean(between))))

    for words, vectors, low, high in (
        (near(truth, 0.97, 5), near(truth, 0.9, 4), 1, 1),
        (near(truth, 0.97, 5), near(other, 1, 4), 0, 0),
        (near(truth, 0.9, 5), near(truth, 0.66, 4), 0.01, 0.95),  # in between
        (near(truth, 0.1, 5), near(other, 1, 4), 1, 1),  # words agree on nothing
        (near(truth, 1, 1), near(other, 1, 4), 1, 1),  # a single one agrees with no other
    ):
        trust = search.trusted(words, vectors, np.arange(60))
        assert low <= trust <= high
        if len(words) > 1:
            assert_allclose(trust, expected(words, vectors))
    # documents without words are all in the first cluster, which is no agreement
    words, vectors = near(0 * truth, 1, 5), near(other, 1, 4)
    assert search.trusted(words, vectors, np.arange(60)) == 1
    words = near(np.where(np.arange(60) < 20, truth, 0), 1, 5)
    assert search.trusted(words, vectors, np.arange(60)) < 1
    assert search.trusted(words, vectors, np.arange(20, 60)) == 1


def test_vectors_have_more_votes_where_words_find_nothing_again():
    rng = np.random.default_rng(4)
    truth = rng.integers(3, size=80)

    def drawn(share, n):
        for _ in range(n):
            labels = np.where(rng.random(80) < share, truth, rng.integers(3, size=80))
            yield Candidate("", search.softened(labels, 3), 0.0)

    def within(candidates):
        labels = [each.memberships[10:].argmax(axis=1) for each in candidates]
        return np.mean([nmi(a, b) for i, a in enumerate(labels) for b in labels[:i]])

    seen = []
    for share in (0.95, 0.9, 0.86, 0.84, 0.82, 0.5):
        words, vectors = list(drawn(share, 6)), list(drawn(0.95, 5))
        ratio = within(vectors) / within(words)
        seen.append(search.surer(words, vectors, np.arange(10, 80)))
        assert_allclose(seen[-1], min(3, max(1, 1 + 4 * (ratio - 1.5))))
    assert seen[0] == 1
    assert seen[-1] == 3
    assert any(1 < each < 3 for each in seen)
    assert search.surer(words[:1], vectors, np.arange(80)) == 1  # a single one agrees with none
    assert search.surer(words, vectors[:1], np.arange(80)) == 1
    assert search.surer(words, vectors, np.arange(0)) == 1  # no document has words


def test_centred_vectors_have_nothing_in_common_and_zeros_stay():
    rows = unit_rows(np.random.default_rng(3).standard_normal((8, 3)) + 2)
    rows[2] = 0
    others = [i for i in range(8) if i != 2]
    mean = [sum(float(rows[i, j]) for i in others) / 7 for j in range(3)]
    for i in others:
        moved = rows[i] - mean
        assert_allclose(centred(rows)[i], moved / np.linalg.norm(moved), atol=1e-6)
    assert not centred(rows)[2].any()
    assert not centred(rows[:0]).size
    assert not centred(np.ones((3, 2))).any()


@pytest.mark.parametrize(("n_clusters", "n_near"), [(2, 10), (3, 7), (20, 2)])
def test_vectors_are_smoothed_along_part_of_a_cluster(monkeypatch, n_clusters, n_near):
    rng = np.random.default_rng(0)
    vectors = unit_rows(rng.standard_normal((61, 80)))
    asked = []

    def noted(rows, n_neighbors, n_times):
        asked.append((rows, n_neighbors, n_times))
        return [rows for _ in n_times]

    monkeypatch.setattr(search, "smoothed_along_neighbours", noted)
    X = sp.csr_array(np.ones((61, 3)))
    clusters = search.Search(MultinomialMixture(n_clusters), X, np.ones(3), Effort(), 0)
    clusters.add_vectors(vectors)
    names = [each.name for each in clusters.candidates]
    assert names == ["vectors"] * 12 + ["centred vectors"] * 12
    assert [each[1:] for each in asked] == [(n_near, (2, 10))] * 2
    assert_array_equal(asked[0][0], vectors)
    assert_array_equal(asked[1][0], centred(vectors))


def test_kinds_that_agree_and_are_likely_have_more_votes():
    """Votes are agreement to the fourth, times e for 1.6 % of the log-likelihood."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=40)

    def kind(name, share, objective):
        drawn = [
            np.where(rng.random(40) < share, truth, rng.integers(3, size=40)) for _ in "123"
        ]
        return [Candidate(name, search.softened(each, 3), 40 * objective) for each in drawn]

    def agreement(candidates):
        labels = [each.memberships.argmax(axis=1) for each in candidates]
        return np.mean([nmi(a, b) for i, a in enumerate(labels) for b in labels[:i]])

    X = sp.csr_array(np.ones((40, 3)))
    clusters = search.Search(MultinomialMixture(3), X, np.ones(3), Effort(), 0)
    growths = [*kind("growth from 300", 0.9, -3.0), *kind("growth from 500", 0.9, -3.0)]
    axes, latent = kind("axes", 0.7, -2.8), kind("latent axes", 0.95, -3.1)
    clusters.candidates = [*growths, *axes, *latent, *kind("vectors", 1.0, -np.inf)]
    worth = [
        agreement(each) ** 4 * np.exp(objective / 2.8 / 0.016)
        for each, objective in ((growths, -3.0), (axes, -2.8), (latent, -3.1))
    ]
    expected = np.repeat(worth, (6, 3, 3)) / max(worth)
    assert_allclose(clusters._votes([*growths, *axes, *latent]), expected)
    clusters.candidates = [*growths, *axes[:1]]  # one alone agrees with no other
    assert clusters._votes(clusters.candidates) == [1] * 7
    clusters.candidates = growths
    assert clusters._votes(growths) == [1] * 6


def likely_growths(names, changed, objective=-1.0):
    """Candidates of so many changed labels of 40, and others that are less likely."""
    truth = np.arange(40) % 2
    found = [
        Candidate(name, search.softened(np.where(np.arange(40) < n, 0, truth), 2), objective)
        for name, n in zip(names, changed, strict=True)
    ]
    others = np.random.default_rng(0).integers(2, size=(4, 40))
    names = ["growth from 300", "axes", "axes", "axes"]
    return found, [
        Candidate(name, search.softened(each, 2), -2.0)
        for name, each in zip(names, others, strict=True)
    ]


@pytest.mark.parametrize(
    ("names", "changed", "gain", "expected"),
    [
        (("growth from 300", "growth from 500", "growth from 300"), (0, 0, 2), 0.002, True),
        (("growth from 300", "growth from 500", "growth from 300"), (0, 0, 2), 0.0005, False),
        (("growth from 300", "growth from 500", "growth from 300"), (0, 0, 10), 0.002, False),
        (("growth from 300", "growth from 500", "axes"), (0, 0, 0), 0.002, False),
    ],
)
def test_the_likeliest_clusters_decide_where_growths_found_them_again(
    monkeypatch, names, changed, gain, expected
):
    X = sp.csr_array(np.ones((40, 3)))
    clusters = search.Search(MultinomialMixture(2), X, np.ones(3), Effort(), 0)
    likeliest, others = likely_growths(names, changed)
    clusters.candidates = [*others, *likeliest]
    of_all = np.arange(40) % 2

    def labels_of(found, votes):  # noqa: ARG001
        return of_all if len(found) == 7 else of_all[::-1]

    def refined(model, X, labels):  # noqa: ARG001
        assert model.max_iter == 2
        objectives = [-1000 * (1 - (each is not of_all) * gain) for each in labels]
        return [SimpleNamespace(history_=[-2000.0, each]) for each in objectives]

    monkeypatch.setattr(clusters, "_consensus_of", mock := Mock(side_effect=labels_of))
    monkeypatch.setattr(clusters, "_refined", refined)
    found = clusters.consensus()
    assert [each is of_all for each in found] == ([False, False] if expected else [True])
    asked = [call.args[0] for call in mock.call_args_list]
    was_found_again = expected or gain < 0.001
    several = [likeliest, [*likeliest, *others[:3]]] if was_found_again else []
    assert asked == [clusters.candidates, *several]


@pytest.mark.parametrize(("gain", "expected"), [(-1.0, 0), (1.0, 1)])
def test_the_likelier_of_two_refined_mixtures_is_the_result(monkeypatch, gain, expected):
    X = sp.csr_array(np.ones((40, 3)))
    clusters = search.Search(MultinomialMixture(2), X, np.ones(3), Effort(n_neighbors=0), 0)
    clusters.candidates = likely_growths(["growth from 500"] * 3, (0, 0, 0))[0]
    monkeypatch.setattr(clusters, "consensus", lambda: [np.arange(40) % 2] * 2)
    models = [SimpleNamespace(history_=[-50.0]), SimpleNamespace(history_=[-50 + gain])]
    monkeypatch.setattr(clusters, "refine_further", lambda labels: models[: len(labels)])
    assert clusters.refined_consensus() is models[expected]


def test_runs_of_one_growth_do_not_find_clusters_again():
    """They begin from the best runs of a smaller vocabulary, which they have in common."""
    likeliest, others = likely_growths(["growth from 500"] * 3, (0, 0, 0))
    assert search.found_again([*likeliest, *others[1:]], 1)[:3] == likeliest
    assert search.found_again([*likeliest, *others[1:]], 3) == []
    runs = [each for best in likeliest for each in (best, others[0])]
    assert search.found_again([*runs, *others[1:]], 2)[:3] == likeliest


def test_other_labels_are_renamed_for_the_best_match():
    rng = np.random.default_rng(0)
    labels, others = rng.integers(4, size=60), rng.integers(4, size=60)
    best = max(
        sum(names[o] == label for o, label in zip(others, labels, strict=True))
        for names in permutations(range(4))
    )
    assert np.sum(aligned(labels, others, 4) == labels) == best


def calibration_data(n=4000):
    """Posteriors of two clusters: documents of the first stay in it more often."""
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=n)
    top = rng.uniform(0.6, 0.999, n)
    posteriors = np.where(labels[:, None] == [0, 1], top[:, None], 1 - top[:, None])
    stayed = rng.random(n) < np.where(labels == 0, 0.95, 0.6)
    return posteriors, sp.csr_array(rng.uniform(5, 50, (n, 1))), stayed, labels


def test_predicted_probabilities_are_the_observed_ones():
    posteriors, weights, stayed, labels = calibration_data()
    coefficients = regression(posteriors, weights, stayed[None])
    predicted = calibrated(posteriors, weights, coefficients)
    assert_array_equal(predicted.argmax(axis=1), labels)
    assert_allclose(predicted.sum(axis=1), 1)
    for cluster, share in ((0, 0.95), (1, 0.6)):
        assert abs(predicted[labels == cluster, cluster].mean() - share) < 0.02
    bins = in_bins(predicted.max(axis=1), stayed[None])
    assert all(abs(s - a) < 0.08 for s, a, n in zip(*bins.values(), strict=True) if n > 100)


def test_the_order_of_clusters_is_never_changed():
    rng = np.random.default_rng(0)
    posteriors = rng.dirichlet([0.3] * 5, 500).astype(np.float32)
    weights = sp.csr_array(rng.uniform(5, 50, (500, 1)))
    for coefficients in (np.full(7, -9.0), np.zeros(7), np.full(7, 9.0)):
        predicted = calibrated(posteriors, weights, coefficients)
        assert predicted.dtype == np.float32
        assert_array_equal(predicted.argmax(axis=1), posteriors.argmax(axis=1))
        alone = np.vstack(
            [calibrated(posteriors[[d]], weights[[d]], coefficients) for d in range(50)]
        )
        assert_array_equal(alone, predicted[:50])


@pytest.mark.parametrize("stayed", [True, False])
def test_documents_that_always_or_never_stay_are_no_trouble(stayed):
    posteriors, weights, _, _ = calibration_data(50)
    predicted = calibrated(
        posteriors, weights, regression(posteriors, weights, np.full((2, 50), stayed))
    ).max(axis=1)
    assert predicted.min() > 0.95 if stayed else predicted.max() < 0.52


def test_a_merge_costs_what_the_words_lose():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, (2, 20)).astype(float)

    def likelihood(words):
        total = sum(words)
        return sum(n * np.log(n / total) for n in words if n)

    assert_allclose(loss(a, b), likelihood(a) + likelihood(b) - likelihood(a + b))


def by_size(labels):
    sizes = [np.sum(labels == k) for k in range(labels.max() + 1)]
    order = sorted(range(len(sizes)), key=lambda k: (-sizes[k], k))
    return np.array([order.index(label) for label in labels])


def test_the_cheapest_pair_is_merged_first():
    X, documents, _ = plant(120, 40, 4, 40, seed=0, purity=0.6)
    documents = by_size(documents)
    members = [np.flatnonzero(documents == k) for k in range(4)]
    tree = build_tree(X, documents, members, {})
    words = [X[m].sum(axis=0) for m in members]
    cheapest = min(combinations(range(4), 2), key=lambda pair: loss(*(words[k] for k in pair)))
    assert tuple(tree.merges[0, :2].astype(int)) == cheapest
    assert_allclose(tree.merges[0, 2], loss(*(words[k] for k in cheapest)))
    assert_array_equal(labels_at(tree, 4), documents)
    halved = build_tree(X, documents, members, {1: np.arange(len(members[1])) % 2})
    assert len(halved.merges) == 4
    assert_array_equal(labels_at(halved, 4), documents)
    assert len(set(labels_at(halved, 5)[members[1]])) == 2
    assert_array_equal(labels_at(Tree(documents * 0, np.zeros((0, 4))), 1), 0)


def test_halves_come_together_before_clusters_do():
    X, documents, _ = plant(200, 40, 4, 40, seed=0, purity=0.9)
    themes = [np.flatnonzero(documents == k) for k in range(4)]
    rows = np.concatenate([themes[0], themes[1], themes[2][:3], themes[3][:3]])
    labels = np.repeat([0, 1, 2], [len(themes[0]) + len(themes[1]), 3, 3])
    members = [np.flatnonzero(labels == k) for k in range(3)]
    halves = {0: np.repeat([0, 1], [len(themes[0]), len(themes[1])])}
    tree = build_tree(X[rows], labels, members, halves)
    assert_array_equal(labels_at(tree, 3), labels)
    assert np.all(np.diff(tree.merges[:, 2]) >= 0)


def test_levels_are_ordered_by_size_whatever_the_order_of_the_clusters():
    X, documents, _ = plant(120, 40, 4, 40, seed=0, purity=0.6)
    members = [np.flatnonzero(documents == k) for k in range(4)]
    halves = {1: np.arange(len(members[1])) % 3 == 0, 3: np.arange(len(members[3])) % 2}
    tree = build_tree(
        X, documents, members, {k: half.astype(int) for k, half in halves.items()}
    )
    order = np.array([2, 0, 3, 1])
    ordered = tree.ordered(order)
    assert_array_equal(order[ordered.leaves[tree.leaves < 4]], tree.leaves[tree.leaves < 4])
    assert_array_equal(ordered.leaves[tree.leaves >= 4], tree.leaves[tree.leaves >= 4])
    for n_clusters in range(1, 7):
        labels = labels_at(tree, n_clusters)
        assert_array_equal(by_size(labels), labels)
        assert adjusted_rand_score(labels_at(ordered, n_clusters), labels) == 1


def test_softened_labels_favour_a_cluster_but_exclude_none():
    soft = softened(np.array([2, 0]), 4)
    assert_allclose(soft.sum(axis=1), 1)
    assert_array_equal(soft.argmax(axis=1), [2, 0])
    assert soft.min() > 0


def test_a_larger_margin_never_makes_a_document_less_likely_to_stay():
    posteriors, weights, _, _ = calibration_data(1000)
    stayed = posteriors.max(axis=1) < 0.8  # the surer, the sooner gone
    coefficients = regression(posteriors, weights, stayed[None])
    assert coefficients[2] == 0
    predicted = calibrated(posteriors, weights, coefficients).max(axis=1)
    assert_allclose(predicted.mean(), stayed.mean(), atol=0.1)


def test_documents_without_words_take_no_part_in_the_calibration():
    posteriors, weights, stayed, labels = calibration_data(300)
    repeats = [np.where(stayed, labels, 1 - labels)]
    usual = calibrate(posteriors, weights, repeats)
    padded = np.vstack([posteriors, np.full((40, 2), 0.5)])
    empty = sp.csr_array(sp.vstack([weights, sp.csr_array((40, 1))]))
    found = calibrate(padded, empty, [np.append(repeats[0], np.zeros(40, dtype=int))])
    assert_allclose(found.coefficients, usual.coefficients)
    assert found.bins == usual.bins
    assert sum(found.bins["n"]) == 300


@pytest.mark.parametrize(("n_documents", "tried"), [(9, []), (10, [2]), (15, [2, 3])])
def test_clusters_that_are_tried_have_five_documents_in_the_mean(n_documents, tried):
    points = np.random.default_rng(0).normal(size=(n_documents, 60)).astype(np.float32)
    axes = SimpleNamespace(documents=points)
    axes.rows = lambda rows: SimpleNamespace(documents=points[rows])

    def quick(k, *_):
        ended = SimpleNamespace(labels_=np.arange(n_documents) % k)
        model = SimpleNamespace(set_params=lambda **_: None)
        return SimpleNamespace(run=lambda: ended, model=model, candidates=[])

    weights = sp.csr_array(np.ones((n_documents, 3)))
    best, curve = number.NumberSearch(weights, axes, quick, 0).run()
    assert curve.get("n_clusters", []) == tried
    assert best == 2
