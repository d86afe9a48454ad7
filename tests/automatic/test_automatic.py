"""AutoClustering: consensus of candidates, number of clusters, calibration, tree."""

import json
import signal
import time
import warnings
from copy import deepcopy

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie import (
    AutoClustering,
    Corpus,
    InputError,
    TextOptions,
    fitting,
    load_model,
    save_model,
)
from coterie.arrays import unit_rows
from coterie.automatic import number_of_clusters, search, stages
from coterie.automatic.calibration import aligned
from coterie.automatic.neighbour_mixture import NeighbourMixture, log_odds
from coterie.automatic.neighbours import links
from coterie.automatic.number import NumberSearch, offers
from planted import plant

LIGHT = {"growths": ((20, 2),), "ranks": (5,), "n_votes": 2, "calibrated": False}
CALIBRATED = LIGHT | {"calibrated": True}
CLASSES = 5


@pytest.fixture(scope="module")
def planted():
    return plant(300, 200, CLASSES, 30, seed=3, purity=0.5)


@pytest.fixture(scope="module")
def fitted(planted):
    return AutoClustering(CLASSES, random_state=0).fit(planted[0])


@pytest.fixture(scope="module")
def few(planted):
    return planted[0][:120]


@pytest.fixture(scope="module")
def light(few):
    return AutoClustering(CLASSES, random_state=0, **CALIBRATED).fit(few)


@pytest.fixture(scope="module")
def unclear():
    """Documents whose words leave their clusters open, and vectors that do not."""
    X, documents, _ = plant(150, 60, 4, 12, seed=1, purity=0.25)
    rng = np.random.default_rng(0)
    return X, np.eye(4)[documents] + 0.25 * rng.standard_normal((150, 4)), documents


@pytest.fixture(scope="module")
def with_vectors(unclear):
    X, vectors, _ = unclear
    return AutoClustering(4, random_state=0, **CALIBRATED).fit(X, vectors=vectors)


def test_finds_planted_clusters(fitted, planted):
    _, documents, words = planted
    assert adjusted_rand_score(documents, fitted.labels_) > 0.95
    assert adjusted_rand_score(words, fitted.word_labels_) > 0.9
    assert fitted.converged_
    assert not fitted.interrupted_


def test_parameters_are_distributions(fitted, planted):
    X, documents, _ = planted
    for rows in (fitted.components_, fitted.memberships_, fitted.weights_[None]):
        assert rows.min() >= 0
        assert_allclose(rows.sum(axis=1), 1, rtol=1e-5)
    assert_allclose(fitted.word_probabilities_.sum(axis=1), 1, rtol=1e-4)
    for cluster in range(CLASSES):
        totals = X[fitted.labels_ == cluster].sum(axis=0)
        assert_allclose(fitted.components_[cluster], totals / totals.sum())
    assert np.all(np.diff(fitted.history_) >= -1e-6 * np.abs(fitted.history_[1:]))
    assert len(documents) == len(fitted.labels_)


def test_all_candidates_are_reported(fitted):
    candidates = fitted.candidates_
    assert {len(values) for values in candidates.values()} == {6 * 13}
    assert candidates["name"].count("axes") == 6 * 9
    assert max(candidates["agreement"]) > 0.9


def test_documents_are_assigned_alike_one_by_one_and_all_at_once(fitted, planted):
    X = planted[0]
    together = fitted.predict_proba(X)
    assert_array_equal(together, fitted.memberships_)
    assert_array_equal(fitted.predict(X), fitted.labels_)
    alone = np.vstack([fitted.predict_proba(X[[d]]) for d in range(50)])
    assert_array_equal(alone, together[:50])


def test_same_bits_on_any_number_of_threads(large):
    fits = []
    for n_threads in (1, 3):
        with coterie.run_on("threads", n_threads=n_threads):
            fits.append(AutoClustering(4, random_state=0, **CALIBRATED).fit(large[:250]))
    for name in ("memberships_", "history_", "tree_", "leaves_", "stability_"):
        assert_array_equal(getattr(fits[0], name), getattr(fits[1], name))
    assert fits[0].candidates_ == fits[1].candidates_


def test_the_order_of_documents_plays_no_part(light, few):
    order = np.random.default_rng(0).permutation(120)
    permuted = AutoClustering(CLASSES, random_state=0, **CALIBRATED).fit(few[order])
    assert_array_equal(permuted.memberships_, light.memberships_[order])
    assert_array_equal(permuted.leaves_, light.leaves_[order])


def test_empty_documents_and_unused_words_change_nothing(light, few):
    X = few
    padded = sp.vstack([X[:10], sp.csr_array((7, X.shape[1])), X[10:]]).tocsr()
    padded = sp.hstack([padded, sp.csr_array((padded.shape[0], 3))]).tocsr()
    fitted = AutoClustering(CLASSES, random_state=0, **CALIBRATED).fit(padded)
    shares = np.tile(fitted.weights_, (7, 1))  # all that is known of them
    assert_allclose(fitted.memberships_[10:17], shares, rtol=1e-6)
    kept = np.delete(np.arange(padded.shape[0]), range(10, 17))
    assert adjusted_rand_score(fitted.labels_[kept], light.labels_) == 1
    new = sp.csr_array((2, padded.shape[1]))
    assert_allclose(fitted.predict_proba(new), shares[:2], rtol=1e-6)


@pytest.mark.parametrize("n_documents", [2, 3, 7, 30])
@pytest.mark.parametrize("wanted", ["auto", "most"])
def test_few_documents_are_clustered_too(n_documents, wanted):
    X = plant(n_documents, 12, min(3, n_documents), 10, seed=n_documents)[0]
    n_clusters = n_documents if wanted == "most" else "auto"
    fitted = AutoClustering(n_clusters, random_state=0, n_votes=8, growths=((300, 4),)).fit(X)
    assert fitted.memberships_.shape == (n_documents, fitted.n_clusters_)
    assert 1 <= fitted.n_clusters_ <= n_documents
    assert np.all(np.isfinite(fitted.memberships_))
    assert fitted.predict(X[[0]]) == fitted.labels_[:1]


def test_one_cluster_and_equal_documents_are_no_trouble():
    X = np.tile([[2, 1, 0, 3]], (10, 1))
    assert_array_equal(AutoClustering(1, random_state=0, **CALIBRATED).fit(X).labels_, 0)
    three = AutoClustering(3, random_state=0, **CALIBRATED).fit(X)
    assert three.memberships_.shape == (10, 3)
    assert_array_equal(three.predict(X), three.labels_)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"n_clusters": "all"}, "n_clusters='all': expected 'auto', 'few', 'many' or a whole"),
        ({"n_clusters": 0}, "n_clusters=0: expected a whole number of at least 1"),
        ({"n_clusters": 301}, "n_clusters=301: larger than the number of documents"),
        ({"background": 1.0}, "background=1.0: expected a share below 1"),
        ({"background": -0.1}, "background=-0.1: expected a finite number of at least 0"),
        ({"scale": 0}, "scale=0: expected a finite number"),
        ({"growths": (), "ranks": ()}, "growths and ranks: both empty"),
        ({"growths": ((0, 3),)}, "growths=.*: expected pairs of whole numbers of at least 1"),
        ({"ranks": (0,)}, "ranks=.*: expected whole numbers of at least 1"),
        ({"ranks": 5}, "ranks=5: expected whole numbers of at least 1"),
        ({"ranks": (True,)}, "ranks=.*: expected whole numbers of at least 1"),
        ({"growths": None}, "growths=None: expected pairs of whole numbers of at least 1"),
        ({"growths": [3]}, "growths=.*: expected pairs of whole numbers of at least 1"),
        ({"calibrated": "no"}, "calibrated='no': expected True or False"),
    ],
)
def test_impossible_parameters_are_named(settings, complaint, planted):
    with pytest.raises(InputError, match=complaint):
        AutoClustering(**{"n_clusters": 3, **settings}).fit(planted[0])


def test_more_clusters_than_documents_with_words_are_refused():
    with pytest.raises(InputError, match="larger than the number of documents with words, 2"):
        AutoClustering(3).fit([[1, 0], [0, 2], [0, 0]])
    with pytest.raises(InputError, match="no counts: all 2 documents are empty"):
        AutoClustering(1).fit([[0, 0], [0, 0]])


def test_what_is_not_fitted_says_so(planted):
    for call in (AutoClustering().predict_proba, AutoClustering().score):
        with pytest.raises(NotFittedError):
            call(planted[0])
    with pytest.raises(NotFittedError):
        AutoClustering().labels_at(2)


def test_the_number_of_clusters_is_found():
    for n_classes in (3, 6):
        X = plant(120, 120, n_classes, 30, seed=n_classes, purity=0.7)[0]
        with coterie.run_on("threads", n_threads=1):
            number, curve = number_of_clusters(X, random_state=0)
        assert number == n_classes
        assert set(curve) == {"n_clusters", "modularity", "agreement", "stability"}
    fitted = AutoClustering(random_state=0, **LIGHT).fit(X)
    assert fitted.n_clusters_ == number
    assert fitted.n_clusters_curve_ == curve
    assert fitted.n_clusters_offered_ == offers(curve)


def test_few_and_many_are_the_ends_of_the_numbers_offered(planted, monkeypatch):
    curve = {"n_clusters": [2, 3, 4, 6, 8], "modularity": [0.7, 0.8, 0.6, 0.85, 0.6]}
    monkeypatch.setattr(NumberSearch, "curve", lambda _self: curve)
    for asked, expected in (("few", 2), ("auto", 3), ("many", 6)):
        assert number_of_clusters(planted[0], asked, random_state=0) == (expected, curve)
    fitted = AutoClustering("few", random_state=0, **LIGHT).fit(planted[0])
    assert fitted.n_clusters_ == 2
    assert fitted.n_clusters_offered_["n_clusters"] == [2, 3, 6]


def test_a_saved_model_assigns_documents_as_before(light, few, tmp_path):
    X = few
    save_model(light, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert_array_equal(loaded.predict_proba(X), light.memberships_)
    assert_array_equal(loaded.labels_at(2), light.labels_at(2))
    assert loaded.calibration_ == light.calibration_
    assert loaded.candidates_ == light.candidates_
    refitted = clone(loaded).fit(X)
    assert_array_equal(refitted.memberships_, light.memberships_)


def test_takes_a_corpus_and_keeps_its_vocabulary():
    texts = ["red apples green apples", "blue seas green seas"] * 10
    corpus = Corpus.from_texts(texts, options=coterie.TextOptions(language="en"))
    fitted = AutoClustering(2, random_state=0, **LIGHT).fit(corpus)
    assert fitted.vocabulary_ is corpus.vocabulary
    assert_array_equal(fitted.predict(corpus), fitted.labels_)
    assert adjusted_rand_score(fitted.labels_, [0, 1] * 10) == 1


def test_scores_are_those_of_the_weighted_words(fitted, planted):
    X = planted[0][:20]
    weights = fitted.weighting_.transform(X).toarray()
    log_likelihood = 0.0
    for d in range(20):
        joint = [
            np.log(fitted.weights_[k])
            + sum(
                weights[d, w] * np.log(fitted.word_probabilities_[k, w])
                for w in np.flatnonzero(weights[d])
            )
            for k in range(CLASSES)
        ]
        log_likelihood += np.logaddexp.reduce(joint)
    assert_allclose(fitted.log_likelihood(X), log_likelihood, rtol=1e-5)
    assert_allclose(fitted.score(X), log_likelihood / weights.sum(), rtol=1e-5)


def test_the_tree_goes_from_the_halves_of_clusters_to_one(fitted, planted):
    merges = fitted.tree_
    n_leaves = len(merges) + 1
    assert CLASSES < n_leaves <= 2 * CLASSES
    assert np.all(np.diff(merges[:, 2]) >= 0)
    assert merges[-1, 3] == len(fitted.labels_)
    assert json.loads(json.dumps(merges.tolist())) == merges.tolist()
    assert_array_equal(fitted.labels_at(CLASSES), fitted.labels_)
    assert_array_equal(fitted.labels_at(1), 0)
    assert adjusted_rand_score(fitted.labels_at(n_leaves), fitted.leaves_) == 1
    for k in range(1, n_leaves + 1):
        assert np.all(np.diff(np.bincount(fitted.labels_at(k))) <= 0)
    for k in range(1, n_leaves):
        coarse, fine = fitted.labels_at(k), fitted.labels_at(k + 1)
        assert len(set(coarse)) == k
        pairs = {(a, b) for a, b in zip(fine.tolist(), coarse.tolist(), strict=True)}
        assert len(pairs) == k + 1  # every finer cluster lies in one coarser cluster
    for wrong in (0, n_leaves + 1, 2.5):
        with pytest.raises(InputError, match=f"n_clusters={wrong}: expected a whole number"):
            fitted.labels_at(wrong)
    assert planted[0].shape[0] == len(fitted.leaves_)


def test_scipy_reads_the_tree(fitted):
    from scipy.cluster.hierarchy import is_valid_linkage

    n_leaves = len(fitted.tree_) + 1
    plain = fitted.tree_.copy()
    plain[:, 3] = 1
    sizes = np.ones(2 * n_leaves - 1)
    for row, (a, b, *_) in enumerate(plain):
        sizes[n_leaves + row] = sizes[int(a)] + sizes[int(b)]
        plain[row, 3] = sizes[n_leaves + row]
    assert is_valid_linkage(plain)


def test_probabilities_are_shares_of_documents_that_stay_in_their_cluster():
    """Of the documents at p, about p are in the same cluster when a resample is clustered."""
    light = LIGHT | {"n_votes": 16}
    parts = []
    for seed in range(5, 8):
        X = plant(1000, 150, 4, 8, seed=seed, purity=0.37)[0]
        drawn = np.sort(np.random.default_rng(seed).integers(1000, size=1000))
        fitted = AutoClustering(4, random_state=0, **light | {"calibrated": True}).fit(X)
        other = AutoClustering(4, random_state=1, **light).fit(X[drawn])
        stayed = aligned(fitted.labels_, other.predict(X), 4) == fitted.labels_
        parts.append((fitted.memberships_.max(axis=1), stayed))
    predicted, stayed = (np.concatenate(part) for part in zip(*parts, strict=True))
    assert abs(predicted.mean() - stayed.mean()) < 0.06
    for low, high in ((0.3, 0.6), (0.6, 0.8), (0.8, 1.0)):
        inside = (predicted >= low) & (predicted < high)
        assert inside.sum() > 100
        assert abs(predicted[inside].mean() - stayed[inside].mean()) < 0.13


def test_calibration_changes_probabilities_and_not_clusters(light, few):
    assert list(light.calibration_) == ["predicted", "observed", "n"]
    assert sum(light.calibration_["n"]) == 120
    raw = clone(light).set_params(calibrated=False).fit(few)
    assert raw.calibration_ == {}
    assert np.all(np.isnan(raw.stability_))
    assert np.all(np.isfinite(light.stability_))
    assert_array_equal(raw.labels_, light.labels_)
    assert abs(raw.memberships_ - light.memberships_).max() > 0.01


def test_vectors_settle_what_words_leave_open(with_vectors, unclear):
    X, vectors, documents = unclear
    words = AutoClustering(4, random_state=0, **LIGHT).fit(X)
    assert adjusted_rand_score(documents, with_vectors.labels_) > 0.9
    assert adjusted_rand_score(documents, words.labels_) < 0.8
    assert with_vectors.predict_proba(X).shape == (150, 4)  # by words alone
    assert with_vectors.candidates_["name"].count("vectors") == 12
    assert with_vectors.candidates_["name"].count("centred vectors") == 12
    for wrong, complaint in ((vectors[:3], "3 rows, but there are 150"),
                             (vectors[:, :2], "2 columns, expected 4")):  # fmt: skip
        with pytest.raises(InputError, match=complaint):
            with_vectors.predict(X, wrong)
    other = AutoClustering(4, n_neighbors=3, random_state=0, **LIGHT).fit(X, vectors=vectors)
    assert not np.array_equal(other.memberships_, with_vectors.memberships_)


def test_documents_with_vectors_are_assigned_as_in_the_fit(with_vectors, unclear, tmp_path):
    X, vectors, _ = unclear
    save_model(with_vectors, tmp_path / "model")
    for model in (with_vectors, load_model(tmp_path / "model")):
        together = model.transform(X, vectors=vectors)
        assert_allclose(together, with_vectors.memberships_, atol=1e-5)
        assert_array_equal(model.predict(X, vectors=vectors), with_vectors.labels_)
        alone = [model.transform(X[[d]], vectors=vectors[[d]]) for d in range(20)]
        assert_array_equal(np.vstack(alone), together[:20])
    again = clone(with_vectors).fit_transform(X, vectors=vectors)
    assert_array_equal(again, with_vectors.memberships_)


def test_as_many_axes_are_computed_as_are_asked_for(monkeypatch):
    X = plant(150, 180, 3, 30, seed=0, purity=0.4)[0]
    n_axes = []
    kmeans = search.spherical_kmeans

    def noted(rows, *others):
        n_axes.append(rows.shape[1])
        return kmeans(rows, *others)

    monkeypatch.setattr(search, "spherical_kmeans", noted)
    AutoClustering(3, random_state=0, **LIGHT | {"growths": (), "ranks": (120, 5)}).fit(X)
    assert n_axes == [120, 5]


def test_clusters_may_come_in_any_order(light, with_vectors, few, unclear):
    """What has an axis of clusters is ordered alike."""
    for model, (X, vectors) in ((light, (few, None)), (with_vectors, unclear[:2])):
        n_clusters = model.n_clusters_
        assert np.all(np.diff(np.bincount(model.labels_)) <= 0)
        order = np.random.default_rng(0).permutation(n_clusters)
        other = deepcopy(model)
        other._order_clusters(order)
        assert_array_equal(order[other.labels_], model.labels_)
        assert_allclose(
            other.predict_proba(X, vectors), model.memberships_[:, order], atol=1e-6
        )
        assert_array_equal(other.components_, model.components_[order])
        assert_array_equal(order[other.word_labels_], model.word_labels_)
        for level in range(1, len(model.tree_) + 2):
            same = adjusted_rand_score(other.labels_at(level), model.labels_at(level))
            assert same == 1
        first = other.leaves_ < n_clusters
        assert_array_equal(other.leaves_[first], other.labels_[first])


def test_vectors_of_a_corpus_are_taken_and_saved(tmp_path):
    texts = ["red apples green apples", "blue seas green seas"] * 10
    corpus = Corpus.from_texts(texts, options=coterie.TextOptions(language="en"))
    corpus = corpus.with_vectors("embeddings", np.tile([[1.0, 0.0], [0.0, -1.0]], (10, 1)))
    fitted = AutoClustering(2, random_state=0, **LIGHT).fit(corpus)
    assert fitted.vector_views_ == {"embeddings": 2}
    save_model(fitted, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert_array_equal(loaded.predict_proba(corpus), fitted.memberships_)
    assert_array_equal(loaded.transform(corpus), fitted.memberships_)


def linked(planted):
    """Weighted words beside links to the documents that are near, and what made them."""
    X, documents, _ = planted
    rng = np.random.default_rng(0)
    rows = unit_rows(np.eye(CLASSES)[documents] + rng.standard_normal((300, CLASSES)))
    near = links(rows, rows[:200], 6)
    return X, near, sp.csr_array(sp.hstack([X, 3.0 * near], format="csr"))


def test_links_climb_with_words(planted):
    X, _, joined = linked(planted)
    model = NeighbourMixture(CLASSES, background=0.25, random_state=0, tol=1e-9, n_links=200)
    history = model.fit(joined).history_
    assert len(history) > 3
    assert np.all(np.diff(history) >= -1e-12 * np.abs(history[1:]))
    joint = np.log(model.weights_) + X.toarray() @ np.log(model.components_.T)
    joint += joined[:, X.shape[1] :].toarray() @ model.pull_
    expected = np.exp(joint - joint.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)
    assert_allclose(model.memberships_, expected, atol=1e-5)


def test_pull_is_what_neighbours_have_beyond_the_mean(planted):
    X, near, joined = linked(planted)
    start = np.random.default_rng(1).dirichlet(np.ones(CLASSES), 300)
    model = NeighbourMixture(CLASSES, init=start, word_prior=1.0, n_links=200)
    _, shared = model._start(joined, np.random.default_rng(0))
    a, objective = near.toarray() * 3.0, 0.0
    mean = [(a.sum(axis=1) * start[:, k]).sum() / a.sum() for k in range(CLASSES)]
    for j in range(200):
        for k in range(CLASSES):
            total = sum(a[d, j] for d in range(300))
            pull = sum(a[d, j] * start[d, k] for d in range(300)) / total - mean[k]
            assert_allclose(shared[1][X.shape[1] + j, k], pull, rtol=1e-4, atol=1e-6)
            objective -= pull**2 * total / 2
    assert_allclose(model._log_prior(shared), objective, rtol=1e-5)


def test_strength_is_the_odds_of_a_neighbour_in_the_same_cluster(planted):
    _, near, _ = linked(planted)
    q = np.random.default_rng(2).dirichlet(np.full(CLASSES, 0.1), 300)
    a = near.toarray()
    same = links_to_others = 0.0
    for d in range(300):
        for j in np.flatnonzero(a[d]):
            for other in np.flatnonzero(a[:, j]):
                if other != d:
                    way = a[d, j] * a[other, j] / a[:, j].sum()
                    links_to_others += way
                    same += way * float(q[other] @ q[d])
    same /= links_to_others
    assert_allclose(log_odds(near, q), np.log(same * (CLASSES - 1) / (1 - same)), rtol=1e-6)
    assert log_odds(near, np.ones((300, 1))) == 0.0
    assert log_odds(near[:, :0], q) == 0.0


def test_neighbours_settle_what_words_leave_open():
    X, documents, _ = plant(600, 150, 4, 9, seed=3, purity=0.35)
    light = {"growths": ((50, 3),), "n_votes": 32, "calibrated": False, "random_state": 0}
    alone = AutoClustering(4, n_neighbors=0, **light).fit(X)
    near = AutoClustering(4, **light).fit(X)
    assert alone.neighbors_ == {}
    assert near.neighbors_["pull"].shape == (600, 4)
    assert adjusted_rand_score(documents, near.labels_) > adjusted_rand_score(
        documents, alone.labels_
    )


class Stop(Exception):
    """What ends a search from outside."""


def stopping_after(n, error):
    reports = []

    def watcher(progress):
        reports.append(progress)
        if len(reports) == n:
            raise error

    return reports, watcher


def test_ctrl_c_while_the_number_is_estimated_is_reported(planted):
    _, watcher = stopping_after(40, KeyboardInterrupt)
    with (
        coterie.watching(watcher),
        pytest.warns(coterie.InterruptedWarning, match="while estimating the number"),
    ):
        number, curve = number_of_clusters(planted[0], random_state=0)
    assert number in curve["n_clusters"]
    assert len(curve["n_clusters"]) < 15


def test_vectors_decide_where_hardly_a_word_is_shared():
    texts = ["car", "automobile", "vehicle, red", "apple", "pear", "fruit, red"]
    vectors = np.array([[1, 0.1], [0.9, 0], [1, 0], [0, 1], [0.1, 0.9], [0, 1]])
    counts = Corpus.from_texts(texts, options=TextOptions(language="en")).counts
    model = AutoClustering(2, random_state=0).fit(counts, vectors=vectors)
    assert adjusted_rand_score([0, 0, 0, 1, 1, 1], model.labels_) == 1


def test_several_views_are_taken_side_by_side(planted, tmp_path):
    X, truth, _ = planted
    views = {"even": X[:, ::2], "odd": X[:, 1::2]}
    model = AutoClustering(CLASSES, random_state=0, **LIGHT).fit(views)
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    joined = sp.hstack(list(views.values()), format="csr")
    beside = AutoClustering(CLASSES, random_state=0, **LIGHT).fit(joined)
    assert_array_equal(model.memberships_, beside.memberships_)
    assert beside.view_components_ == {}
    assert list(model.view_components_) == ["even", "odd"]
    for name, counts in views.items():
        words = counts.T @ np.eye(CLASSES)[model.labels_]
        expected = (words / words.sum(axis=0)).T
        assert_allclose(model.view_components_[name], expected, rtol=1e-4, atol=1e-7)
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert_array_equal(again.predict_proba(views), model.memberships_)
    assert_array_equal(again.predict_proba(joined), model.memberships_)
    known = again.predict({"odd": views["odd"]})
    assert adjusted_rand_score(truth, known) > 0.6
    with pytest.raises(InputError, match="view 'third': not known; there are even, odd"):
        model.predict({"third": X})
    with pytest.raises(InputError, match="view 'odd': 3 columns, expected 100"):
        model.predict({"odd": X[:, :3]})


def test_the_words_of_a_corpus_of_several_views_are_known_again():
    texts = {"en": ["tea milk", "rain snow"] * 10, "de": ["tee milch", "regen schnee"] * 10}
    corpora = {
        name: Corpus.from_texts(each, options=coterie.TextOptions(language=name))
        for name, each in texts.items()
    }
    both = Corpus({name: c.views["text"] for name, c in corpora.items()}, corpora["en"].ids)
    model = AutoClustering(2, random_state=0, **LIGHT).fit(both)
    assert_array_equal(model.predict(both), model.labels_)
    assert list(model.vocabulary_) == ["en", "de"]
    swapped = Corpus({"en": corpora["de"].views["text"]}, corpora["en"].ids)
    with pytest.raises(InputError, match="view 'en': the corpus has other words"):
        model.predict(swapped)
    with pytest.raises(InputError, match="X: texts, but .* fitted to several views"):
        model.predict(texts["en"])


def test_the_number_is_estimated_from_all_views():
    texts = [f"{a} {a} thing" for a in ("red", "blue")] * 20
    colours = Corpus.from_texts(texts, options=coterie.TextOptions(language="en"))
    sizes = Corpus.from_texts(
        [f"{a} {a} thing" for a in ("big", "big", "small", "small")] * 10,
        options=coterie.TextOptions(language="en"),
    )
    views = {"colour": colours.views["text"], "size": sizes.views["text"]}
    both = Corpus(views, colours.ids)
    joined = sp.hstack([colours.counts, sizes.counts], format="csr")
    estimate = number_of_clusters(both, random_state=0)
    assert estimate == number_of_clusters(joined, random_state=0)
    assert estimate != number_of_clusters(colours, random_state=0)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("n", [2, 90, 220])
def test_ctrl_c_keeps_the_best_so_far(n, n_threads, planted):
    X = planted[0]
    reports, watcher = stopping_after(n, KeyboardInterrupt)
    with (
        coterie.watching(watcher),
        coterie.run_on("threads", n_threads=n_threads),
        pytest.warns(coterie.InterruptedWarning),
    ):
        fitted = AutoClustering(CLASSES, random_state=0, max_iter=20).fit(X)
    n_reports = len(reports)
    time.sleep(0.05)
    assert len(reports) == n_reports
    assert fitted.interrupted_
    assert fitted.memberships_.shape == (300, CLASSES)
    assert_array_equal(fitted.labels_at(CLASSES), fitted.labels_)


def pressing_ctrl_c(monkeypatch, module, name, nth):
    """Press Ctrl-C in the n-th call of a function, which then goes on."""
    function, calls = getattr(module, name), []

    def pressed(*arguments):
        calls.append(name)
        if len(calls) == nth:
            signal.raise_signal(signal.SIGINT)
        return function(*arguments)

    monkeypatch.setattr(module, name, pressed)
    return calls


@pytest.mark.parametrize(("module", "name"), [
    (coterie.evaluation, "ari"), (stages, "calibrate"), (stages, "posteriors_of"),
    (stages, "softened"), (stages, "build_tree"),
])  # fmt: skip
def test_ctrl_c_after_the_clusters_are_found_keeps_them(
    module, name, light, few, monkeypatch, tmp_path
):
    X = few
    calls = pressing_ctrl_c(monkeypatch, module, name, 1)
    with pytest.warns(coterie.InterruptedWarning), coterie.run_on("threads", n_threads=1):
        stopped = clone(light).fit(X)
    monkeypatch.undo()
    assert calls
    assert stopped.interrupted_
    assert_array_equal(stopped.labels_, light.labels_)
    assert_array_equal(stopped.labels_at(CLASSES), stopped.labels_)
    if name in ("ari", "posteriors_of"):
        assert stopped.calibration_ == {}
        assert len(stopped.tree_) == CLASSES - 1
    save_model(stopped, tmp_path / "model")
    assert_array_equal(load_model(tmp_path / "model").predict(X), stopped.labels_)


def test_a_second_ctrl_c_ends_the_fit_at_once(planted, monkeypatch):
    pressing_ctrl_c(monkeypatch, search, "softened", 1)
    pressing_ctrl_c(monkeypatch, stages, "build_tree", 1)
    with pytest.raises(KeyboardInterrupt), coterie.run_on("threads", n_threads=1):
        AutoClustering(CLASSES, random_state=0, **LIGHT).fit(planted[0])


def test_ctrl_c_at_once_still_finds_clusters(planted):
    for n_clusters in (CLASSES, "auto"):
        _, watcher = stopping_after(1, KeyboardInterrupt)
        with coterie.watching(watcher), pytest.warns(coterie.InterruptedWarning):
            stopped = AutoClustering(n_clusters, random_state=0).fit(planted[0])
        if n_clusters == CLASSES:
            assert adjusted_rand_score(planted[1], stopped.labels_) > 0.8
        assert_array_equal(stopped.predict(planted[0]), stopped.labels_)


@pytest.mark.parametrize("name", ["modularity", "agreement", "stability"])
def test_ctrl_c_while_a_number_is_judged_ends_with_it(name, monkeypatch):
    X = plant(60, 60, 4, 20, seed=0)[0]
    pressing_ctrl_c(monkeypatch, coterie.automatic.number, name, 3)
    with pytest.warns(coterie.InterruptedWarning):
        number, curve = number_of_clusters(X, random_state=0)
    assert curve["n_clusters"] == [2, 3, 4]
    assert {len(values) for values in curve.values()} == {3}
    assert number in (2, 3, 4)


def test_an_estimated_number_has_no_empty_clusters():
    different = plant(6, 40, 6, 12, seed=0, purity=1.0)[0]
    X = sp.vstack([different] * 10, format="csr")
    model = AutoClustering(random_state=0, **LIGHT).fit(X)
    assert set(model.labels_.tolist()) == set(range(model.n_clusters_))
    assert model.components_.shape == model.word_probabilities_.shape
    assert len(model.weights_) == model.n_clusters_ <= 6
    assert_array_equal(model.memberships_, model.predict_proba(X))
    assert_array_equal(model.labels_at(model.n_clusters_), model.labels_)
    alike = AutoClustering(random_state=0, **CALIBRATED).fit(np.tile([[3, 2, 1]], (12, 1)))
    assert alike.n_clusters_ == 1
    assert_array_equal(alike.memberships_, np.ones((12, 1)))


def test_a_cluster_without_documents_has_words_by_probabilities():
    X = np.tile([[3, 2, 1, 0], [0, 1, 1, 4]], (6, 1))
    model = AutoClustering(4, random_state=0, **CALIBRATED).fit(X)
    assert model.components_.shape == (4, 4)
    assert_array_equal(model.labels_at(4), model.labels_)
    empty = np.setdiff1d(np.arange(4), model.labels_)
    assert len(empty)
    expected = X.T @ model.memberships_[:, empty]
    assert_allclose(model.components_[empty], (expected / expected.sum(axis=0)).T, rtol=1e-5)


def test_ctrl_c_while_the_number_is_estimated_leaves_a_quick_search(tmp_path):
    X = plant(60, 60, 4, 20, seed=0)[0]
    usual = AutoClustering(random_state=0, **CALIBRATED)
    reports, watcher = stopping_after(100, KeyboardInterrupt)
    with (
        coterie.checkpointing(tmp_path / "state"),
        coterie.run_on("threads", n_threads=1),
    ):
        with coterie.watching(watcher), pytest.warns(coterie.InterruptedWarning):
            stopped = clone(usual).fit(X)
        assert stopped.interrupted_
        assert len(stopped.candidates_["name"]) < 10
        assert stopped.calibration_ == {}
        assert len(reports) < 1000
        resumed = clone(usual).fit(X)
    assert resumed.n_clusters_ == 4
    assert len(resumed.n_clusters_curve_["n_clusters"]) > len(
        stopped.n_clusters_curve_["n_clusters"]
    )


@pytest.mark.parametrize(("wanted", "n"), [("auto", 200), (4, 30), (4, 120)])
def test_a_resumed_search_gives_the_uninterrupted_answer(wanted, n, tmp_path):
    X = plant(60, 60, 4, 20, seed=0)[0]
    growths = {"growths": ((20, 2), (30, 2))}
    usual = AutoClustering(wanted, random_state=0, **CALIBRATED | growths)
    whole = clone(usual).fit(X)
    _, watcher = stopping_after(n, Stop)
    with coterie.run_on("threads", n_threads=1), coterie.checkpointing(tmp_path / "state"):
        with pytest.raises(Stop), coterie.watching(watcher):
            clone(usual).fit(X)
        resumed = clone(usual).fit(X)
    assert_array_equal(resumed.memberships_, whole.memberships_)
    assert resumed.n_clusters_curve_ == whole.n_clusters_curve_
    assert not (tmp_path / "state").exists()


def test_a_search_goes_on_where_it_stopped(planted, tmp_path):
    X = planted[0][:100]
    growths = {"growths": ((20, 2), (50, 2))}
    usual = AutoClustering(CLASSES, random_state=0, **LIGHT | growths)
    reports = []
    with coterie.watching(reports.append), coterie.run_on("threads", n_threads=1):
        clone(usual).fit(X)
    _, watcher = stopping_after(len(reports) // 3, Stop)
    again = []
    with coterie.run_on("threads", n_threads=1), coterie.checkpointing(tmp_path / "state"):
        with pytest.raises(Stop), coterie.watching(watcher):
            clone(usual).fit(X)
        with coterie.watching(again.append):
            clone(usual).fit(X)
    assert reports[0].share < again[0].share
    assert len(again) < len(reports)


def test_a_checkpoint_of_other_vectors_is_refused(unclear, tmp_path):
    X, vectors, _ = unclear
    usual = AutoClustering(4, random_state=0, **LIGHT)
    _, watcher = stopping_after(60, KeyboardInterrupt)
    with coterie.checkpointing(tmp_path / "state"):
        with coterie.watching(watcher), pytest.warns(coterie.InterruptedWarning):
            clone(usual).fit(X, vectors=vectors)
        for others in (None, -vectors):
            with pytest.raises(InputError, match="checkpoint of another fit, its vectors"):
                clone(usual).fit(X, vectors=others)


def test_progress_grows_and_is_in_words(planted):
    reports = []
    with coterie.watching(reports.append), coterie.run_on("threads", n_threads=1):
        AutoClustering("auto", random_state=0, **CALIBRATED).fit(planted[0][:40])
    shares = [progress.share for progress in reports]
    assert np.all(np.diff(shares) >= 0)
    assert shares[0] < 0.05
    assert shares[-1] > 0.8
    assert list(dict.fromkeys(progress.stage for progress in reports)) == [
        "Estimating the number of clusters",
        *(f"Comparing candidates {number} of 7" for number in range(1, 8)),
        "Refining",
        "Checking stability",
        "Building levels",
    ]


def test_the_filters_of_warnings_are_left_alone(planted):
    before = list(warnings.filters)
    AutoClustering(CLASSES, random_state=0, **LIGHT).fit(planted[0][:60])
    assert warnings.filters == before


def test_views_share_the_evidence_of_a_document():
    X, *_ = plant(60, 40, 2, 200, seed=0)

    def weights(counts):
        model = AutoClustering(2, scale=10.0, random_state=0)
        model._stages(model._read(counts), None, fitting.State(None, dict))
        return model.weighting_.word_weights_

    side_by_side = {name: X[:, columns] for name, columns in (
        ("en", slice(0, 10)), ("de", slice(10, 20)), ("fr", slice(20, 40)),
    )}  # fmt: skip
    assert_allclose(weights(side_by_side), weights(X) / 3, rtol=1e-6)


def test_noise_for_vectors_counts_for_nothing():
    X, documents, _ = plant(300, 100, 3, 20, seed=2, purity=0.5)
    noise = np.random.default_rng(0).standard_normal((300, 500))
    light = {"growths": ((50, 3),), "n_votes": 32, "calibrated": False}
    fitted = AutoClustering(3, random_state=0, **light).fit(X, vectors=noise)
    by_words, by_vectors = fitted.neighbors_["strengths"]
    assert by_vectors < 0.1 < by_words
    assert adjusted_rand_score(documents, fitted.labels_) > 0.8


def test_words_that_tell_nothing_leave_the_shares_of_the_clusters(planted):
    X = sp.hstack([planted[0], sp.csr_array((300, 2))], format="csr")
    strange = sp.csr_array(([1.0, 1.0], ([0, 1], [200, 201])), shape=(2, 202))
    X = sp.vstack([X, strange], format="csr")
    fitted = AutoClustering(CLASSES, random_state=0, **LIGHT).fit(X)
    shares = np.tile(fitted.weights_, (2, 1))
    assert_allclose(fitted.memberships_[300:], shares, rtol=1e-6)
    assert_array_equal(fitted.labels_at(CLASSES)[300:], fitted.labels_at(CLASSES)[[np.argmax(
        fitted.labels_ == fitted.weights_.argmax()
    )] * 2])  # fmt: skip


def test_ctrl_c_goes_no_further_than_it_must(planted):
    reports, watcher = stopping_after(60, KeyboardInterrupt)
    with coterie.watching(watcher), pytest.warns(coterie.InterruptedWarning):
        AutoClustering(CLASSES, random_state=0).fit(planted[0])
    assert len(reports) < 60 + 61  # one fit as candidates have


def test_equal_words_are_told_apart_by_vectors_in_any_order():
    X = np.tile([[3.0, 1.0, 0.0], [0.0, 2.0, 4.0]], (20, 1))
    vectors = np.random.default_rng(1).standard_normal((40, 3))
    order = np.random.default_rng(2).permutation(40)
    usual = AutoClustering(2, random_state=0, **LIGHT).fit(X, vectors=vectors)
    other = AutoClustering(2, random_state=0, **LIGHT).fit(X[order], vectors=vectors[order])
    assert_array_equal(other.memberships_, usual.memberships_[order])
    corpus = Corpus.from_texts(["red apples", "blue seas"] * 20).with_vectors(
        "embeddings", vectors
    )
    fitted = AutoClustering(2, random_state=0, **LIGHT).fit(corpus)
    assert_array_equal(fitted.transform(corpus), fitted.memberships_)


def test_vectors_of_several_views_count_the_same():
    few, truth, _ = plant(120, 60, CLASSES, 6, seed=5)
    rng = np.random.default_rng(0)
    photo = np.eye(CLASSES)[truth] + 0.1 * rng.standard_normal((120, CLASSES))
    sound = 100 * rng.standard_normal((120, 3))
    texts = [" ".join(f"word{j}x" for j in few[[d]].indices) for d in range(120)]
    corpus = Corpus.from_texts(texts, options=coterie.TextOptions(language="en"))
    both = corpus.with_vectors("photo", photo).with_vectors("sound", sound)
    stacked = unit_rows(np.hstack([unit_rows(photo), unit_rows(sound)]))
    usual = AutoClustering(CLASSES, random_state=0, **LIGHT)
    expected = clone(usual).fit(corpus.counts, vectors=stacked)
    found = clone(usual).fit(both)
    assert found.vector_views_ == {"photo": CLASSES, "sound": 3}
    assert_allclose(found.memberships_, expected.memberships_, rtol=1e-3, atol=1e-6)
    assert_array_equal(found.predict_proba(both), found.memberships_)
    one = clone(usual).fit(corpus.with_vectors("photo", photo))
    assert_array_equal(one.predict_proba(corpus, vectors=photo), one.memberships_)


def test_a_cluster_without_words_of_a_view_has_none_there():
    blocks = np.kron(np.eye(2), np.ones((10, 3)))
    blocks *= np.random.default_rng(0).integers(1, 4, (20, 6))
    model = AutoClustering(2, random_state=0, **LIGHT).fit(
        {"en": blocks[:, :3], "de": blocks[:, 3:]}
    )
    english = model.labels_[0]
    assert_allclose(model.view_components_["en"].sum(axis=1), np.eye(2)[english])
    assert_allclose(model.view_components_["de"].sum(axis=1), 1 - np.eye(2)[english])
    with pytest.raises(InputError, match="X: several views, expected one matrix"):
        AutoClustering(2, random_state=0, **LIGHT).fit(blocks).predict({"en": blocks})
