"""The methods of scikit-learn behave like the models they are compared with."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.cluster import KMeans, SpectralCoclustering
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie import InputError
from coterie.base import seeds_from
from coterie.models import baselines
from coterie.models.baselines import (
    KMeansBaseline,
    LDABaseline,
    LSABaseline,
    NMFBaseline,
    SpectralBaseline,
)
from planted import plant

SHORT = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
HARD = [
    KMeansBaseline(3, n_init=5, random_state=0),
    KMeansBaseline(3, "counts", n_init=5, random_state=0),
    LSABaseline(3, 5, n_init=5, random_state=0),
    SpectralBaseline(3, n_init=5, random_state=0),
]
SOFT = [
    NMFBaseline(3, n_init=2, random_state=0),
    NMFBaseline(3, "counts", n_init=2, random_state=0),
    LDABaseline(3, n_init=2, random_state=0),
]
BASELINES = [*HARD, *SOFT]


def name_of(model):
    counts = getattr(model, "weighting", "") == "counts"
    return type(model).__name__ + ("-counts" if counts else "")


every_baseline = pytest.mark.parametrize("model", BASELINES, ids=name_of)


@every_baseline
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_everything_is_published(model, dtype, X):
    fitted = clone(model).fit(X.astype(dtype))
    assert fitted.memberships_.dtype == fitted.components_.dtype == dtype
    assert fitted.predict_proba(X).dtype == dtype
    assert fitted.components_.shape == (3, 40)
    for rows in (fitted.memberships_, fitted.components_, fitted.weights_[None]):
        assert rows.min() >= 0
        assert_allclose(rows.sum(axis=1), 1, rtol=1e-5)
    assert fitted.labels_.dtype == np.int64
    assert fitted.word_labels_.shape == (40,)
    assert fitted.history_.shape == (1,)
    assert fitted.n_iter_ >= 1
    assert fitted.converged_
    assert fitted.interrupted_ is False
    assert fitted.vocabulary_ is None
    assert np.all(np.diff(np.bincount(fitted.labels_)) <= 0)
    if not isinstance(model, NMFBaseline):
        assert np.isfinite(fitted.score(X))
        assert 1 < fitted.perplexity(X) < 40


@pytest.mark.parametrize("model", HARD, ids=name_of)
def test_words_of_hard_clusters_are_those_of_their_documents(model, X):
    fitted = clone(model).fit(X)
    assert_array_equal(fitted.memberships_, np.eye(3)[fitted.labels_])
    for k in range(3):
        n_w = X.toarray()[fitted.labels_ == k].sum(axis=0)
        assert_allclose(fitted.components_[k], n_w / n_w.sum())
        assert_allclose(fitted.weights_[k], np.mean(fitted.labels_ == k))


@every_baseline
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_documents_of_the_fit_are_assigned_as_new_ones(model, dtype, tmp_path):
    unclear = plant(60, 40, 3, 40, seed=0, purity=0.35)[0]
    X = sp.vstack([unclear, sp.csr_array((5, 40)), unclear[:20]]).tocsr().astype(dtype)
    fitted = clone(model).fit(X)
    coterie.save_model(fitted, tmp_path / "model")
    for each in (fitted, coterie.load_model(tmp_path / "model")):
        assert_array_equal(each.predict(X), fitted.labels_)
        assert_array_equal(each.transform(X), fitted.memberships_)
    alone = np.vstack([fitted.predict_proba(X[[d]]) for d in range(85)])
    assert_allclose(alone, fitted.memberships_, atol=1e-4)


def test_spectral_documents_stay_where_the_cut_put_them():
    X = sp.csr_array(np.random.default_rng(1).poisson(0.5, (60, 40)).astype(float))
    fitted = clone(HARD[3]).set_params(n_init=1).fit(X)
    (seed,) = seeds_from(0, 1)
    usual = SpectralCoclustering(3, n_init=1, random_state=seed).fit(X)
    assert adjusted_rand_score(usual.row_labels_, fitted.labels_) == 1
    assert adjusted_rand_score(usual.column_labels_, fitted.word_labels_) == 1
    means = fitted._weigh_clusters(X).argmax(axis=1)
    assert np.any(means != fitted.labels_)
    assert_array_equal(fitted.predict(2 * X), means)


@every_baseline
def test_each_restart_is_watched_and_a_stop_keeps_the_best_so_far(model, X):
    seen = []

    def watch(progress):
        seen.append(progress.share)
        if len(seen) == 2:
            raise KeyboardInterrupt

    one = clone(model).set_params(n_init=4)
    with coterie.watching(watch), pytest.warns(coterie.InterruptedWarning):
        stopped = one.fit(X)
    assert_allclose(seen, [0.25, 0.5])
    assert stopped.interrupted_
    assert_array_equal(stopped.predict(X), stopped.labels_)


@every_baseline
def test_likelihood_is_that_of_the_mixed_words(model, X):
    fitted = clone(model).fit(X)
    p = fitted.predict_proba(X) @ fitted.components_
    used = X.toarray() > 0
    with np.errstate(divide="ignore"):
        expected = np.sum(X.toarray()[used] * np.log(p[used]))
    assert_allclose(fitted.log_likelihood(X), expected)


@every_baseline
def test_more_restarts_never_hurt(model, X):
    one, more = clone(model).set_params(n_init=1).fit(X), clone(model).fit(X)
    assert more.history_[-1] >= one.history_[-1]


@every_baseline
def test_each_restart_has_its_own_seed_and_the_best_is_kept(model, X, monkeypatch):
    results, learn = [], type(model)._learn

    def remember(self, *arguments):
        results.append((arguments[1], learn(self, *arguments)))
        return results[-1][1]

    monkeypatch.setattr(type(model), "_learn", remember)
    fitted = clone(model).set_params(n_init=4).fit(X)
    assert len({seed for seed, _ in results}) == 4
    assert fitted.history_[0] == max(result.objective for _, result in results)


@every_baseline
def test_empty_documents_add_nothing_and_belong_nowhere(model, X):
    padded = sp.vstack([X[:10], sp.csr_array((30, 40)), X[10:]]).tocsr()
    usual, fitted = clone(model).fit(X), clone(model).fit(padded)
    assert_array_equal(fitted.memberships_[10:40], 1 / 3)
    assert_array_equal(fitted.predict_proba(padded)[10:40], 1 / 3)
    assert_array_equal(np.delete(fitted.labels_, range(10, 40)), usual.labels_)
    assert_allclose(fitted.components_, usual.components_)
    assert_allclose(fitted.weights_, usual.weights_, atol=1e-6)


@every_baseline
def test_words_of_no_document_are_harmless(model, X):
    wide = sp.hstack([X, sp.csr_array((60, 2))]).tocsr()
    fitted = clone(model).fit(wide)
    assert np.all(np.isfinite(fitted.components_))
    assert adjusted_rand_score(clone(model).fit(X).labels_, fitted.labels_) > 0.9
    unknown = np.zeros((1, 42))
    unknown[0, 40] = 1
    assert_allclose(fitted.predict_proba(unknown).sum(), 1)


@every_baseline
def test_impossible_parameters_are_named(model, X):
    size = "n_clusters"
    for name, value in [(size, 0), ("max_iter", 0), ("n_init", 0), ("tol", -1)]:
        if name not in model.get_params():
            continue
        with pytest.raises(InputError, match=f"^{name}={value!r}: expected"):
            clone(model).set_params(**{name: value}).fit(X)
    mostly_empty = sp.vstack([X[:2], sp.csr_array((8, 40))]).tocsr()
    with pytest.raises(InputError, match=f"^{size}=3: larger than .* with words, 2"):
        clone(model).fit(mostly_empty)
    with pytest.raises(InputError, match="^no counts: all 60 documents are empty"):
        clone(model).fit(X * 0)


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [(HARD[0], "weighting", "bm25"), (SOFT[0], "weighting", "bm25"), (HARD[2], "rank", 0)],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_impossible_options_are_named(model, name, value, X):
    with pytest.raises(InputError, match=f"^{name}={value!r}: expected"):
        clone(model).set_params(**{name: value}).fit(X)


def test_one_word_cannot_be_cut(X):
    with pytest.raises(InputError, match="^n_features=1: spectral"):
        clone(HARD[3]).fit(X[:, [0]])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("model", [HARD[0], *SOFT], ids=name_of)
def test_a_short_fit_says_that_it_did_not_converge(model, X):
    short = clone(model).set_params(max_iter=1, n_init=1)
    with pytest.warns(match=f"{type(model).__name__} did not converge in max_iter=1; raise it"):
        assert not short.fit(X).converged_


def learned(model, X, **parameters):
    """One restart, before clusters are ordered."""
    fitted = clone(model).set_params(n_init=1, **parameters)
    fitted._fit(X)
    return fitted


def test_kmeans_is_that_of_scikit_learn_on_tf_idf(X):
    fitted = learned(HARD[0], X)
    seed = np.random.RandomState(0).randint(2**31, size=1)[0]
    weighted = TfidfTransformer().fit_transform(X)
    usual = KMeans(3, n_init=1, max_iter=200, tol=1e-5, random_state=seed).fit(weighted)
    assert_array_equal(fitted.labels_, usual.labels_)
    assert_allclose(fitted.history_, -usual.inertia_)
    assert_allclose(np.linalg.norm(baselines._weigh(X, fitted.idf_).toarray(), axis=1), 1)


def test_nmf_is_that_of_scikit_learn(X):
    fitted = learned(SOFT[1], X, tol=1e-8, max_iter=2000)
    usual = NMF(3, init="nndsvda", tol=1e-8, max_iter=2000, random_state=0)
    W = usual.fit_transform(X) * usual.components_.sum(axis=1)
    assert_allclose(fitted.memberships_, W / W.sum(axis=1, keepdims=True), atol=1e-3)
    assert_allclose(fitted.history_, -usual.reconstruction_err_, rtol=1e-6)


def test_lda_is_that_of_scikit_learn(X):
    fitted = learned(SOFT[2], X)
    seed = np.random.RandomState(0).randint(2**31, size=1)[0]
    usual = LatentDirichletAllocation(
        3, random_state=seed, max_iter=100, evaluate_every=10, perp_tol=1e-4 * 40
    ).fit(X)
    assert_allclose(fitted.memberships_, usual.transform(X), rtol=1e-6)
    assert_allclose(fitted.history_, -usual.bound_)


@SHORT
def test_many_documents_make_lda_learn_a_part_at_a_time(X, monkeypatch):
    usual = clone(SOFT[2]).fit(X)
    monkeypatch.setattr(baselines, "ONLINE", 50)
    online = clone(SOFT[2]).fit(X)
    assert adjusted_rand_score(usual.labels_, online.labels_) > 0.9
    assert not np.array_equal(usual.history_, online.history_)


def test_the_cut_counts_links_between_clusters():
    blocks = np.array([[4.0, 0, 1], [0, 3, 2]])
    expected = (1 - 2 * 4 / (5 + 4)) + (1 - 2 * 5 / (5 + 6))
    assert_allclose(baselines._normalised_cut(blocks, np.array([0, 1, 1])), expected)


def test_rank_is_cut_to_what_there_is(X):
    fitted = clone(HARD[2]).set_params(rank=1000).fit(X)
    assert fitted.projection_.shape == (40, 40)


OTHER_VALUES = {
    "n_clusters": 4, "weighting": "counts", "rank": 2, "n_init": 4, "max_iter": 1, "tol": 1e3,
    "random_state": 1,
}  # fmt: skip


@SHORT
@pytest.mark.parametrize(
    ("model", "name"), [(model, name) for model in BASELINES for name in model.get_params()]
)
def test_every_parameter_changes_the_result(model, name):
    noise = np.random.default_rng(2).poisson(0.5, (90, 40)).astype(float)
    usual = clone(model).set_params(n_clusters=8, n_init=1)
    other = clone(usual).set_params(**{name: OTHER_VALUES[name]})
    if usual.get_params() == other.get_params():
        return  # the value that another of the class is changed from
    usual.fit(noise)
    other.fit(noise)
    assert not (
        np.array_equal(usual.memberships_, other.memberships_)
        and np.array_equal(usual.history_, other.history_)
    )


def test_a_cut_has_no_iterations():
    assert list(SpectralBaseline().get_params()) == ["n_clusters", "n_init", "random_state"]


def test_weights_of_words_are_absent_where_counts_are_taken_as_they_are(X):
    fitted = clone(HARD[0]).fit(X)
    assert fitted.idf_.shape == (40,)
    fitted.set_params(weighting="counts").fit(X)
    assert not hasattr(fitted, "idf_")
    assert_array_equal(fitted.labels_, clone(HARD[1]).fit(X).labels_)
