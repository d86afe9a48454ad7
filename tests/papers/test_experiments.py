"""Experiments on planted corpora give what the library gives, cell by cell."""

import time

import numpy as np
import pytest

from coterie import PLSA, ExtPLSA, InputError, MultinomialMixture
from coterie.evaluation import micro_precision, nmi, pairwise_scores, pairwise_scores_soft
from coterie.methods import method
from coterie.types import Counts
from coterie_papers import clustering, corpora, words
from coterie_papers.cells import cell, compute
from coterie_papers.collections.recipes import stratified_folds


def test_scores_are_those_of_the_fit_with_the_papers_start(planted):
    found = compute(cell("clustering.scores", "webkb", "mm", 3))
    model = MultinomialMixture(4, init="dirichlet", random_state=3).fit(planted.counts)
    assert found["precision"] == micro_precision(planted.labels, model.labels_)
    assert found["nmi"] == nmi(planted.labels, model.labels_)
    assert found["n_iter"] == model.n_iter_
    assert set(found["classes"]) == {f"class {n}" for n in range(4)}
    assert found["seconds"] > 0


def test_ext_plsa_starts_from_k_means_but_in_the_papers_experiments():
    assert method("ext-plsa").make(3).init == "kmeans"
    assert method("ext-plsa").make(3, init="dirichlet").init == "dirichlet"
    assert clustering.unfitted("ext-plsa", 3, 0).init == "random"


def test_a_second_method_starts_from_what_the_first_found(planted):
    model = clustering.fitted("mm-incremental+ext-plsa", planted, 4, 1, words=5)
    first = method("mm-incremental").make(4, seed=1).fit(planted.counts)
    then = ExtPLSA(4, 5, init=first.memberships_, random_state=1).fit(planted.counts)
    assert isinstance(model, ExtPLSA)
    assert np.array_equal(model.memberships_, then.memberships_)


@pytest.mark.usefixtures("planted")
def test_an_interrupted_fit_is_no_result(monkeypatch):
    def stopped(self, *_):
        self.interrupted_ = True
        return self

    monkeypatch.setattr(MultinomialMixture, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        compute(cell("clustering.scores", "webkb", "mm"))


def test_pairs_are_those_of_memberships(planted):
    found = compute(cell("clustering.pairs", "nine-groups", "2plsa", 2, clusters=6, words=8))
    model = method("2plsa").make(6, seed=2, n_word_clusters=8).fit(planted.counts)
    soft = pairwise_scores_soft(planted.labels, model.memberships_)
    by_memberships = [found["precision"], found["recall"], found["f1"]]
    assert by_memberships == pytest.approx(list(soft), abs=1e-7)
    hard = pairwise_scores(planted.labels, model.labels_)
    assert found["hard"] == pytest.approx(list(hard), abs=1e-7)


def test_shapes_and_shares_are_counted(planted):
    found = compute(cell("clustering.shape", "webkb", "-"))
    assert (found["documents"], found["words"]) == planted.counts.shape
    assert sum(found["classes"].values()) == pytest.approx(1)
    assert list(found["classes"].values()) == sorted(found["classes"].values(), reverse=True)


@pytest.mark.usefixtures("planted")
def test_steps_are_timed_on_a_share_of_documents():
    whole = compute(cell("clustering.step_seconds", "webkb", "plsa", steps=2))
    half = compute(cell("clustering.step_seconds", "webkb", "plsa", steps=2, documents=0.5))
    assert half["nonzeros"] < 0.7 * whole["nonzeros"]
    assert half["seconds"] > 0


@pytest.mark.usefixtures("planted")
def test_the_assignment_at_the_end_is_no_part_of_a_step(monkeypatch):
    assign_fitted = PLSA._assign_fitted

    def slow(self, X):
        begun = time.process_time()
        while time.process_time() < begun + 0.2:
            pass
        assign_fitted(self, X)

    monkeypatch.setattr(PLSA, "_assign_fitted", slow)
    timed = compute(cell("clustering.step_seconds", "webkb", "plsa", steps=2))
    assert timed["seconds"] < 0.1


def test_a_split_leaves_out_a_tenth_of_every_class(planted):
    folds = stratified_folds(planted.labels, 10)
    third = corpora.load("webkb/3")
    assert third.counts.shape[0] == np.count_nonzero(folds != 3)
    for name in set(planted.labels):
        left = np.count_nonzero(third.labels == name)
        assert left == pytest.approx(0.9 * np.count_nonzero(planted.labels == name), abs=1)
    assert corpora.load("webkb/13").counts.shape == third.counts.shape


@pytest.mark.usefixtures("planted")
def test_a_sample_keeps_the_proportions_and_has_splits_too():
    sample = corpora.load("webkb:40")
    assert sample.counts.shape[0] == 40
    assert sample.n_classes == 4
    assert corpora.load("webkb:40/0").counts.shape[0] < 40
    with pytest.raises(InputError, match="corpus 'nowhere': expected one of"):
        corpora.load("nowhere")


def test_densities_are_shares_of_nonzeros_by_loops():
    rng = np.random.default_rng(0)
    dense = (rng.random((7, 9)) < 0.4) * 1.0
    rows, columns = rng.permutation(7), rng.permutation(9)
    found = words.densities(Counts(dense), rows, columns, 3)
    ordered = dense[rows][:, columns]
    row_bins, column_bins = np.arange(7) * 3 // 7, np.arange(9) * 3 // 9
    for i in range(3):
        for j in range(3):
            block = ordered[row_bins == i][:, column_bins == j]
            assert found[i, j] == pytest.approx(block.mean())


@pytest.mark.usefixtures("planted")
def test_putting_a_planted_matrix_in_order_brings_out_blocks():
    found = compute(cell("words.ordered", "ten-groups", "2plsa", clusters=4, words=4, bins=8))
    before, after = found["contrast"]
    assert after > before
    assert found["shape"] == [120, 60]


@pytest.mark.parametrize(("n_clusters", "n_word_clusters"), [(4, 4), (3, 7), (6, 3)])
def test_documents_and_words_are_ordered_so_that_blocks_are_diagonal(
    n_clusters, n_word_clusters
):
    rng = np.random.default_rng(0)
    shared = min(n_clusters, n_word_clusters)
    pair, word_pair = (
        rng.permutation(np.arange(n) % shared) for n in (n_clusters, n_word_clusters)
    )
    table = np.where(pair[:, None] == word_pair, 0.9, 0.1)
    labels = rng.permutation(np.repeat(np.arange(n_clusters), 6))
    word_labels = rng.permutation(np.repeat(np.arange(n_word_clusters), 5))
    rows, columns = words.diagonal_order(labels, word_labels, table)
    assert sorted(rows) == list(range(len(labels)))
    assert sorted(columns) == list(range(len(word_labels)))
    for ordered, count in ((labels[rows], n_clusters), (word_labels[columns], n_word_clusters)):
        assert np.count_nonzero(np.diff(ordered)) == count - 1  # a cluster is not split
    down, across = (
        list(dict.fromkeys(which[each].tolist()))
        for which, each in ((pair, labels[rows]), (word_pair, word_labels[columns]))
    )
    assert down == across
    assert len(down) == shared


def test_words_of_unused_clusters_change_nothing():
    table = [[0.0, 0.2, 0.8], [0.0, 0.9, 0.1]]
    rows, columns = words.diagonal_order(np.array([0, 1]), np.array([1, 2]), table)
    assert rows.tolist() == [0, 1]
    assert columns.tolist() == [1, 0]
