"""The default where documents are too many: a sample, then all of them, with the same laws."""

import json

import numpy as np
import pytest
from sklearn.base import clone

from coterie import AutoClustering, Corpus, MultinomialMixture, engine, fitting
from coterie.automatic import large
from coterie.automatic.estimator import number_of_clusters
from coterie.automatic.number import offers
from coterie.automatic.tree import build_tree
from coterie.cli import main
from coterie.corpus import counting, storing
from coterie.corpus.storing import is_on_disk
from coterie.demo.synthetic import Block, Synthetic
from coterie.evaluation import nmi
from coterie.kernels.largest import nth_largest
from coterie.kernels.sums import word_sums, word_totals
from coterie.weighting import WordWeights
from planted import plant

pytestmark = pytest.mark.filterwarnings("ignore:AutoClustering did not converge")
SETTINGS = {"growths": ((50, 2),), "ranks": (5,), "n_votes": 8, "random_state": 0}


@pytest.fixture(scope="module")
def block():
    counts, labels, _ = plant(800, 150, 3, 30, seed=1, purity=0.5)
    return Block(counts.astype(np.float32), labels)


@pytest.fixture(scope="module")
def small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "SAMPLE", 250)
        patch.setattr(large, "BLOCK", 150)
        yield


@pytest.fixture(scope="module")
def fitted(block, small):  # noqa: ARG001
    return AutoClustering(3, **SETTINGS).fit(block.counts)


def test_a_sample_gives_the_clusters_of_all_documents(block, fitted):
    assert nmi(block.labels, fitted.labels_) > 0.9
    assert fitted.memberships_.shape == (800, 3)
    assert len(fitted.neighbors_["documents"]) <= 250
    assert np.all(np.diff(np.bincount(fitted.labels_)) <= 0)


def test_documents_are_assigned_as_new_ones_would_be(block, fitted):
    assert np.array_equal(fitted.predict_proba(block.counts), fitted.memberships_)
    assert np.array_equal(fitted.predict_proba(block.counts[7:9]), fitted.memberships_[7:9])


def test_the_tree_has_all_documents_and_levels_are_nested(fitted):
    assert np.array_equal(fitted.labels_at(3), fitted.labels_)
    assert fitted.tree_[-1, 3] == 800
    assert fitted.labels_at(1).tolist() == [0] * 800


def test_the_tree_is_that_of_all_documents_at_once(monkeypatch):
    counts, classes, _ = plant(400, 80, 4, 40, seed=2, purity=0.7)
    labels = classes // 2
    monkeypatch.setattr(large, "BLOCK", 90)
    everything = large.Everything(counts, WordWeights().fit(counts))
    weights = everything.weighting.transform(counts.astype(np.float32))
    members = [np.flatnonzero(labels == cluster) for cluster in range(2)]
    mixture = MultinomialMixture(2, init="kmeans", random_state=0)
    models = {c: clone(mixture).fit(weights[members[c][::2]]) for c in range(2)}
    halves = {c: models[c].predict(weights[members[c]]) for c in range(2)}
    found = large.tree_of_all(everything, labels, 2, models)
    expected = build_tree(weights, labels, members, halves)
    assert np.array_equal(found.leaves, expected.leaves)
    assert found.leaves.max() == 3
    np.testing.assert_allclose(found.merges, expected.merges)


@pytest.mark.usefixtures("small")
def test_the_order_of_documents_and_empty_ones_do_not_matter(block, fitted):
    order = np.random.default_rng(0).permutation(800)
    counts = block.counts[order].tolil()
    counts.resize((803, 150))
    other = AutoClustering(3, **SETTINGS).fit(counts.tocsr())
    assert np.array_equal(other.labels_[:800], fitted.labels_[order])
    assert np.allclose(other.memberships_[800:], other.weights_)


@pytest.mark.usefixtures("small")
def test_the_same_answer_from_disk(block, fitted, monkeypatch):
    monkeypatch.setattr(storing, "SHARE", 1 << 60)
    monkeypatch.setattr(large, "SHARE", 1 << 60)
    joined = large.Everything(block.counts, fitted.weighting_).joined(None)
    assert is_on_disk(joined.data)
    again = AutoClustering(3, **SETTINGS).fit(block.counts)
    assert np.array_equal(again.memberships_, fitted.memberships_)


@pytest.mark.usefixtures("small")
def test_a_stop_in_the_sample_still_assigns_all_documents(block):
    def stop(progress):
        if progress.share > 0.05:
            fitting._current().session.stop.set()

    with fitting.watching(stop), pytest.warns(UserWarning, match="Ctrl-C"):
        model = AutoClustering(3, **SETTINGS).fit(block.counts)
    assert model.interrupted_
    assert model.memberships_.shape == (800, 3)


def test_the_number_is_estimated_on_the_sample(block, monkeypatch):
    monkeypatch.setattr(large, "SAMPLE", 9)
    assert number_of_clusters(block.counts, random_state=0) == (2, {})


@pytest.mark.usefixtures("small")
def test_numbers_are_offered_as_for_few_documents(block):
    model = AutoClustering(**SETTINGS).fit(block.counts)
    assert model.n_clusters_offered_ == offers(model.n_clusters_curve_)
    assert model.n_clusters_ in model.n_clusters_offered_["n_clusters"]


@pytest.mark.usefixtures("small")
def test_memory_is_that_of_the_sample_and_of_rows(block):
    model = AutoClustering(3)
    size = model._size(block.counts)
    many = size.sample(10_000)
    more = model._needed_bytes(size.sample(20_000)) - model._needed_bytes(many)
    each = size.n_nonzero / 800
    assert more < 10_000 * (4 * 8 * 3 + 8 * each + 8 * (each + 21) + 8)


def test_the_sample_is_the_same_documents_in_any_order(block, monkeypatch):
    monkeypatch.setattr(large, "SAMPLE", 250)
    rows = large.sampled(block.counts)
    assert len(np.unique(rows)) == 250
    order = np.random.default_rng(3).permutation(800)
    permuted = order[large.sampled(block.counts[order])]
    assert sorted(permuted) == sorted(rows)
    found = np.bincount(block.labels[rows], minlength=3) / 250
    assert np.allclose(found, np.bincount(block.labels) / 800, atol=0.08)


def test_blocks_are_views_of_all_rows(block):
    parts = [part for _, _, part in large.blocks_of(block.counts)]
    assert all(np.shares_memory(part.data, block.counts.data) for part in parts)
    assert sum(part.shape[0] for part in parts) == 800
    assert (engine.rows_between(block.counts, 5, 9) != block.counts[5:9]).nnz == 0


def test_sums_and_largest_values_by_plain_loops(block):
    counts, q = block.counts[:60], np.random.default_rng(0).dirichlet(np.ones(4), 60)
    expected = sum(np.outer(row, of) for row, of in zip(counts.toarray(), q, strict=True))
    np.testing.assert_allclose(word_sums(counts, q), expected)
    np.testing.assert_allclose(word_totals(counts), counts.toarray().sum(axis=0))
    values = np.random.default_rng(1).integers(0, 9, (20, 30)).astype(np.float32)
    for n in (1, 4, 30):
        assert np.array_equal(nth_largest(values, n), np.sort(values, axis=1)[:, -n])


def test_the_command_says_that_counts_are_on_disk_and_gives_the_same(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(counting, "CHUNK_TOKENS", 5000)
    table = tmp_path / "documents.jsonl"
    Synthetic(500, n_clusters=3, n_words=300, length=40).write_jsonl(table)
    command = ["cluster", str(table), "-k", "3", "--method", "mm", "--n-init", "1", "--out"]
    said, labels = {}, {}
    for name, memory in (("here", "1GiB"), ("there", "1MB")):
        with pytest.raises(SystemExit) as end:
            main([*command, str(tmp_path / name), "--memory", memory])
        assert not end.value.code
        said[name] = capsys.readouterr().err
        labels[name] = (tmp_path / name / "documents.csv").read_bytes()
        json.loads((tmp_path / name / "clusters.json").read_text())
    assert "Counts are on disk" in said["there"]
    assert "Counts are on disk" not in said["here"]
    assert labels["here"] == labels["there"]
    loaded = Corpus.load(tmp_path / "there" / "corpus")
    assert loaded.texts([0]) == [json.loads(table.read_text().splitlines()[0])["text"]]
