"""Cosine, LSA, SNOS and the commute-time kernel, and what is true of every measure."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import is_valid_linkage
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import cosine_similarity

import coterie
from coterie import CTK, LSA, SNOS, ChiSim, Cosine, InputError
from coterie.methods import method
from coterie.similarity.commute import commute_time_kernel, connected_parts
from planted import plant

MEASURES = [
    Cosine(3),
    LSA(3, 6, random_state=0),
    SNOS(3, scale="lengths"),
    CTK(3),
    ChiSim(3, "l1", 1),
    ChiSim(3, pruning=0.3),
]


def name_of(model):
    return type(model).__name__ + ("-l1" if getattr(model, "norm", "") == "l1" else "")


every_measure = pytest.mark.parametrize("model", MEASURES, ids=name_of)
sparse_measure = pytest.mark.parametrize(
    "model", [m for m in MEASURES if not isinstance(m, CTK)], ids=name_of
)


def dense(S):
    return S.toarray() if sp.issparse(S) else S


@every_measure
def test_planted_clusters_are_found(model, corpus):
    X, documents, words = corpus
    fitted = clone(model).fit(X)
    assert adjusted_rand_score(documents, fitted.labels_) > 0.9
    assert adjusted_rand_score(words, fitted.word_labels_) > 0.8


@sparse_measure
def test_planted_clusters_are_found_by_the_largest_similarities(model, corpus):
    X, documents, _ = corpus
    fitted = clone(model).set_params(n_neighbors=20).fit(X)
    assert fitted.document_similarity_.nnz < 60 * 42
    assert adjusted_rand_score(documents, fitted.labels_) > 0.8


@every_measure
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_everything_is_published(model, dtype, X):
    fitted = clone(model).fit(X.astype(dtype))
    assert fitted.memberships_.dtype == fitted.components_.dtype == dtype
    assert fitted.predict_proba(X).dtype == dtype
    assert fitted.document_similarity_.dtype == np.float32
    assert fitted.document_similarity_.shape == (60, 60)
    assert_array_equal(fitted.document_similarity_, fitted.document_similarity_.T)
    assert is_valid_linkage(fitted.tree_)
    assert_array_equal(fitted.memberships_, np.eye(3)[fitted.labels_])
    for k in range(3):
        n_w = X.toarray()[fitted.labels_ == k].sum(axis=0)
        assert_allclose(fitted.components_[k], n_w / n_w.sum(), rtol=1e-5)
        assert_allclose(fitted.weights_[k], np.mean(fitted.labels_ == k))
    pairs = fitted.document_similarity_[np.tril_indices(60, -1)]
    assert_allclose(fitted.history_[-1], pairs.mean(), rtol=1e-5)
    assert fitted.n_iter_ == len(fitted.history_) >= 1
    assert fitted.converged_
    assert fitted.interrupted_ is False
    assert fitted.vocabulary_ is None
    assert fitted.n_empty_ == 0
    assert np.isfinite(fitted.score(X))
    assert 1 < fitted.perplexity(X) < 40


@every_measure
def test_permuting_documents_and_words_permutes_the_result(model, X):
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(60), rng.permutation(40)
    usual, permuted = clone(model).fit(X), clone(model).fit(X[rows][:, columns])
    expected = usual.document_similarity_[np.ix_(rows, rows)]
    if not isinstance(model, LSA):  # whose decomposition is randomised
        assert_allclose(permuted.document_similarity_, expected, rtol=1e-3, atol=1e-5)
    assert adjusted_rand_score(permuted.labels_, usual.labels_[rows]) > 0.9


@every_measure
def test_empty_documents_come_last_and_belong_nowhere(model, X):
    padded = sp.vstack([X[:10], sp.csr_array((30, 40)), X[10:]]).tocsr()
    usual, fitted = clone(model).fit(X), clone(model).fit(padded)
    assert fitted.n_empty_ == 30
    others = np.delete(np.arange(90), range(10, 40))
    assert_allclose(
        fitted.document_similarity_[np.ix_(others, others)],
        usual.document_similarity_,
        atol=1e-5,
    )
    assert_array_equal(np.delete(fitted.labels_, range(10, 40)), usual.labels_)
    assert_array_equal(fitted.labels_[10:40], 0)
    assert_array_equal(fitted.memberships_[10:40], 1 / 3)
    assert_array_equal(fitted.predict_proba(padded)[10:40], 1 / 3)
    assert_allclose(fitted.components_, usual.components_)
    assert_allclose(fitted.weights_, usual.weights_)
    assert is_valid_linkage(fitted.tree_)
    assert_array_equal(fitted.tree_[-30:, 2], usual.tree_[-1, 2])
    between = fitted.document_similarity_[10:40][:, others]
    assert_array_equal(between, 0)


@every_measure
def test_documents_of_unknown_words_belong_nowhere(model, X):
    wide = sp.hstack([X, sp.csr_array((60, 2))]).tocsr()
    fitted = clone(model).fit(wide)
    assert adjusted_rand_score(clone(model).fit(X).labels_, fitted.labels_) == 1
    unknown = np.zeros((1, 42))
    unknown[0, 40] = 1
    assert_allclose(fitted.predict_proba(unknown), 1 / 3)


@every_measure
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_documents_equal_to_one_of_the_fit_go_to_its_cluster(model, dtype, tmp_path):
    unclear = plant(60, 40, 3, 40, seed=0, purity=0.35)[0] * 0.7
    X = sp.vstack([unclear, sp.csr_array((5, 40)), unclear[:20]]).tocsr().astype(dtype)
    fitted = clone(model).fit(X)
    assert_array_equal(fitted.labels_[65:], fitted.labels_[:20])
    assert np.all(np.diff(np.bincount(fitted.labels_)) <= 0)
    coterie.save_model(fitted, tmp_path / "model")
    for each in (fitted, coterie.load_model(tmp_path / "model")):
        assert_array_equal(each.predict(X), fitted.labels_)
        assert_array_equal(each.transform(X), fitted.memberships_)
    alone = np.vstack([fitted.predict_proba(X[[d]]) for d in range(85)])
    assert_array_equal(alone, fitted.memberships_)
    others = X[:60][::-1] * 2
    alone = [fitted.predict(others[[d]])[0] for d in range(60)]
    assert_array_equal(fitted.predict(others), alone)


@every_measure
def test_more_clusters_than_different_documents_leave_some_empty(model, X):
    few = sp.vstack([X[[0]]] * 4 + [X[[1]]] * 2).tocsr()
    fitted = clone(model).set_params(n_clusters=3).fit(few)
    assert len(set(fitted.labels_[:4])) == len(set(fitted.labels_[4:])) == 1
    assert_array_equal(fitted.predict(few), fitted.labels_)
    assert set(fitted.predict(X)) <= set(fitted.labels_)
    assert np.all(np.isfinite(fitted.components_))


OTHER_VALUES = {
    "n_clusters": 4, "distance": "sqrt", "n_neighbors": 5, "rank": 2,
    "scaled": False, "random_state": 1, "weight": 0.3, "max_iter": 1, "scale": "whole",
    "steepness": 1.0, "norm": "pseudo", "exponent": 0.5, "pruning": 0.5, "n_word_clusters": 5,
    "semidefinite": True, "weighted": True,
}  # fmt: skip


@pytest.mark.parametrize(
    ("model", "name"), [(model, name) for model in MEASURES for name in model.get_params()]
)
def test_every_parameter_changes_the_result_or_is_refused(model, name):
    noise = np.random.default_rng(1).poisson(0.5, (60, 40)).astype(float)
    usual = clone(model)
    if (
        name == "semidefinite"
    ):  # without pruning and with exponent 1 there is nothing to project
        usual.set_params(pruning=0.3)
    other = clone(usual).set_params(**{name: OTHER_VALUES[name]})
    assert len(usual.get_params()) <= 10
    if usual.get_params() == other.get_params():
        return  # the value that others of the class are changed from
    if name == "exponent" and model.norm == "l1":
        with pytest.raises(InputError, match=f"^{name}="):
            other.fit(noise)
        return
    usual.fit(noise)
    other.fit(noise)
    assert not (
        np.array_equal(usual.labels_, other.labels_)
        and np.array_equal(usual.tree_, other.tree_)
        and np.array_equal(usual.word_labels_, other.word_labels_)
    )


def test_a_kernel_that_is_never_sparse_has_no_neighbours():
    assert list(CTK().get_params()) == ["distance", "n_clusters", "steepness"]


@every_measure
def test_one_cluster_holds_everything(model, X):
    fitted = clone(model).set_params(n_clusters=1).fit(X)
    assert not fitted.labels_.any()
    assert_allclose(fitted.predict_proba(X), 1)


@every_measure
@pytest.mark.parametrize("n_neighbors", [None, 10])
def test_saved_and_loaded_it_assigns_alike(model, n_neighbors, X, tmp_path):
    fitted = clone(model)
    if n_neighbors:
        if isinstance(model, CTK):
            return
        fitted.set_params(n_neighbors=n_neighbors)
    fitted.fit(X)
    coterie.save_model(fitted, tmp_path / "model")
    again = coterie.load_model(tmp_path / "model")
    assert again.get_params() == fitted.get_params()
    assert_array_equal(dense(again.document_similarity_), dense(fitted.document_similarity_))
    assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert again.score(X) == fitted.score(X)
    assert again.similar_documents(0, 3) == fitted.similar_documents(0, 3)


@every_measure
def test_impossible_requests_are_named(model, X):
    mostly_empty = sp.vstack([X[:2], sp.csr_array((8, 40))]).tocsr()
    with pytest.raises(InputError, match="^n_clusters=3: larger than .* with words, 2"):
        clone(model).fit(mostly_empty)
    with pytest.raises(InputError, match="^no counts: all 60 documents are empty"):
        clone(model).fit(X * 0)
    with (
        coterie.memory_limit("1KB"),
        pytest.raises(InputError, match="of 60 documents and 40 words .* 1 KB is allowed"),
    ):
        clone(model).fit(X)
    with pytest.raises(InputError, match="^distance='far': expected 'one-minus' or"):
        clone(model).set_params(distance="far").fit(X)


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [(LSA(3), "rank", 0), (SNOS(3), "weight", 1.5), (SNOS(3), "weight", 0),
     (SNOS(3), "scale", "log"), (SNOS(3), "max_iter", 0), (CTK(3), "steepness", 0)],
)  # fmt: skip
def test_impossible_options_are_named(model, name, value, X):
    with pytest.raises(InputError, match=f"^{name}={value!r}: expected"):
        clone(model).set_params(**{name: value}).fit(X)


@every_measure
@pytest.mark.parametrize("distance", ["one-minus", "sqrt", "kernel"])
def test_every_distance_leads_somewhere_sensible(model, distance, corpus):
    X, documents, _ = corpus
    fitted = clone(model).set_params(distance=distance).fit(X)
    assert adjusted_rand_score(documents, fitted.labels_) > 0.8


def test_cosines_are_those_of_scikit_learn(X):
    assert_allclose(Cosine(3).fit(X).document_similarity_, cosine_similarity(X), rtol=1e-5)
    expected = cosine_similarity(X[50:], X[:50])
    found = Cosine(3).fit(X[:50])._similarities_of_new(X[50:].astype(np.float32))
    assert_allclose(found.T, expected, rtol=1e-5, atol=1e-7)


def test_lsa_is_the_cosine_on_the_first_singular_vectors(X):
    fitted = LSA(3, 40, random_state=0).fit(X)
    assert_allclose(fitted.document_similarity_, cosine_similarity(X), atol=1e-4)
    fitted = LSA(3, 5, random_state=0).fit(X)
    points = X.toarray() / np.linalg.norm(X.toarray(), axis=1, keepdims=True)
    axes = np.linalg.svd(points)[2][:5]
    assert_allclose(fitted.document_similarity_, cosine_similarity(points @ axes.T), atol=0.02)


@pytest.mark.parametrize("scale", ["whole", "lengths"])
def test_snos_by_the_book(scale, X):
    A = X.toarray()
    left = A / (A.sum(axis=1).max() if scale == "whole" else A.sum(axis=1, keepdims=True))
    right = A / (A.sum(axis=0).max() if scale == "whole" else A.sum(axis=0))
    S, T = np.eye(60), np.eye(40)
    for _ in range(3):
        S, T = 0.8 * left @ T @ left.T, 0.8 * right.T @ S @ right
        np.fill_diagonal(S, 1)
        np.fill_diagonal(T, 1)
    fitted = SNOS(3, 0.8, 3, scale).fit(X)
    assert_allclose(fitted.document_similarity_, S, rtol=1e-4, atol=1e-7)
    assert_allclose(fitted.word_similarity_, T, rtol=1e-4, atol=1e-7)
    assert fitted.document_similarity_.max() <= 1


def laplacian_inverse(A):
    n, m = A.shape
    links = np.block([[np.zeros((n, n)), A], [A.T, np.zeros((m, m))]])
    return np.linalg.pinv(np.diag(links.sum(axis=1)) - links, hermitian=True)[:n, :n]


@pytest.mark.parametrize("linked", [True, False])
def test_the_kernel_is_the_block_of_the_pseudo_inverse(linked):
    A = np.random.default_rng(0).poisson(0.8, (12, 9)).astype(float)
    A[3], A[:, 2] = 0, 0
    if not linked:
        A[:6, 5:] = A[6:, :5] = 0
    X = sp.csr_array(A)
    parts, n_words = connected_parts(X)
    assert len(n_words) == (2 if linked else 3)
    assert_allclose(commute_time_kernel(X, parts, n_words), laplacian_inverse(A), atol=1e-9)


def test_the_sigmoid_of_the_kernel_and_nothing_between_parts_that_nothing_links(X):
    kernel = laplacian_inverse(X.toarray())
    expected = 1 / (1 + np.exp(-5 * kernel / kernel.std()))
    assert_allclose(CTK(3, 5.0).fit(X).document_similarity_, expected, rtol=1e-4)
    apart = sp.block_diag([X, X], format="csr")
    fitted = CTK(2, 5.0).fit(apart)
    assert_array_equal(fitted.document_similarity_[:60, 60:], 0)
    assert adjusted_rand_score(np.repeat([0, 1], 60), fitted.labels_) == 1


CHI_SIM = ("chi-sim", "chi-sim-p", "chi-sim-k", "chi-sim-pk")


@pytest.mark.parametrize("name", ["cosine", "lsa", "snos", "ctk", *CHI_SIM])
def test_methods_by_name_cluster_a_corpus_and_assign_new_texts(name):
    sea, bread = ["sea waves ship", "ocean waves ship"], ["bread butter salt", "salt bread rye"]
    english = coterie.TextOptions(language="en")
    corpus = coterie.Corpus.from_texts([*sea, *bread] * 3, options=english)
    fitted = method(name).make(2, seed=0).fit(corpus)
    assert_array_equal(fitted.labels_ == fitted.labels_[0], [True, True, False, False] * 3)
    predicted = fitted.predict(corpus.vocabulary.count(["waves and a ship", "rye bread"]))
    assert_array_equal(predicted, fitted.labels_[[0, 2]])


def test_options_of_methods_reach_the_measure():
    made = method("chi-sim-pk").make(4, max_iter=3, n_word_clusters=7)
    assert (made.max_iter, made.n_word_clusters, made.pruning, made.norm) == (
        3,
        7,
        0.2,
        "pseudo",
    )
    assert method("chi-sim").make(4).norm == "l1"
    assert method("lsa").make(4, seed=9).random_state == 9
    assert not method("snos").resumes


def test_weighted_words_are_those_of_the_weights():
    """Weighing inside the measure gives what weights in place of counts give."""
    X = np.random.default_rng(0).poisson(0.7, (30, 20)).astype(float)
    X[:, 0] = 5  # a word that all documents have
    X[0, 1:] = 0
    counted = coterie.ChiSim(3, weighted=True, pruning=0.2).fit(X)
    n, N, df = X, len(X), np.maximum((X > 0).sum(axis=0), 1)
    weights = np.log1p(n) * np.log((N + 1) / df)
    given = coterie.ChiSim(3, pruning=0.2).fit(weights)
    assert_array_equal(counted.labels_, given.labels_)
    np.testing.assert_allclose(
        counted.document_similarity_, given.document_similarity_, atol=1e-5
    )
    new = np.random.default_rng(1).poisson(0.7, (9, 20)).astype(float)
    of_new = np.log1p(new) * np.log((N + 1) / df)
    assert_array_equal(counted.predict(new), given.predict(of_new))
    with pytest.raises(coterie.InputError, match="weighted='yes': expected True or False"):
        coterie.ChiSim(3, weighted="yes").fit(X)


def test_lsa_of_counts_as_they_are_lets_long_documents_weigh_more():
    X = np.array([[40, 30, 0, 0], [30, 40, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]], float)
    counts = coterie.LSA(2, rank=1, scaled=False, random_state=0).fit(X)
    scaled = coterie.LSA(2, rank=1, random_state=0).fit(X)
    assert_allclose(np.abs(counts.projection_[0]), [0.5**0.5, 0.5**0.5, 0, 0], atol=1e-6)
    assert np.abs(scaled.projection_[0, :2]).max() < 0.9
    assert_allclose(counts.document_similarity_[0], [1, 1, 0, 0], atol=1e-6)
