"""What is true of every estimator, whatever its mathematics: each law once.

`estimators` holds the instances and the kinds a law asks for.
"""

import os
import pickle
import re
import subprocess
import sys
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

import coterie
from coterie import executors, starts
from coterie.engine import Run, Stopping, iterate
from coterie.starts import kmeans
from estimators import (
    ESTIMATORS,
    assigns,
    climbs,
    clusterer,
    clusters,
    corpus,
    data,
    each,
    em,
    every,
    finds_words,
    fit,
    fitted,
    flat,
    form,
    generative,
    has,
    is_own,
    measures_similarity,
    mixes_word_clusters,
    name_of,
    one_of_each_class,
    public_classes,
    restarted,
    selector,
    stack,
    starts_anywhere,
    supervised,
    takes_counts,
    takes_matrix,
    takes_sparse,
    takes_vectors,
    takes_views,
    transforms,
    with_parameter,
    without,
    without_prior,
)
from planted import plant

SHORT = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
NOT_SAVED = pytest.mark.filterwarnings("ignore:a chain of draws is not saved:UserWarning")


# The house of estimators: who is here, what they are called, what scikit-learn asks of them.


def test_no_public_estimator_is_forgotten():
    assert {type(estimator) for estimator in ESTIMATORS} == public_classes()
    names = [name_of(estimator) for estimator in ESTIMATORS]
    assert len(names) == len(set(names))


NEGATIVE = "feeds negative numbers to every clusterer, where these models are of counts"


def expected_failures(estimator):
    """Checks that cannot pass, with their reasons: one check, in its two forms."""
    if not (clusterer(estimator) and takes_counts(estimator)):
        return {}
    return {
        "check_clustering": NEGATIVE,
        "check_clustering(readonly_memmap=True)": NEGATIVE,
    }


def as_checked(estimator):
    """With one restart of a few iterations, from the usual start, in four clusters.

    Checks want as many columns of `predict_proba` as there are classes in their y, four.
    """
    init = {"init": type(estimator)().init} if starts_anywhere(estimator) else {}
    settings = restarted(1, estimator) | at_most(30, estimator) | init
    if clusterer(estimator):
        settings |= clusters(4, estimator)
    return clone(estimator).set_params(**settings)


def at_most(max_iter, estimator):
    """The parameter for so many iterations at most, where there is one."""
    if not with_parameter("max_iter")(estimator):
        return {}
    return {"max_iter": min(max_iter, estimator.max_iter)}


@SHORT
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [as_checked(estimator) for estimator in one_of_each_class() if takes_matrix(estimator)],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check, monkeypatch):
    if "sample_weight_equivalence" in str(check):  # copies must begin as what they copy
        monkeypatch.setattr(starts, "kmeans_labels", by_content)
        estimator = clone(estimator).set_params(init="kmeans")
    check(estimator)


def by_content(points, n_clusters, rng):  # noqa: ARG001
    """A start that depends on the words of a document alone, not on chance or its row."""
    return _dense(points)[:, :n_clusters].argmax(axis=1)


def test_exceptions_to_the_contract_are_few():
    assert all(len(expected_failures(estimator)) <= 2 for estimator in ESTIMATORS)


@every(takes_views)
@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_mixin_order,
        estimator_checks.check_valid_tag_types,
    ],
    ids=lambda check: check.__name__,
)
def test_scikit_learn_contract_without_data(estimator, check):
    """All it can ask of estimators that do not take one matrix."""
    check(type(estimator).__name__, clone(estimator))


METHODS = {
    *("fit", "fit_predict", "fit_transform", "predict", "predict_proba", "transform"),
    *("score", "log_likelihood", "perplexity"),
    *("get_params", "set_params", "get_metadata_routing", "get_feature_names_out"),
    *("set_output", "set_fit_request", "set_predict_request", "set_predict_proba_request"),
    *("set_transform_request", "set_score_request"),
}
ONLINE = {"partial_fit", "fit_online"}
OTHER_METHODS = {  # what one kind of estimator has beside these
    coterie.MultinomialMixture: ONLINE,
    coterie.PLSA: ONLINE,
    coterie.ExtPLSA: ONLINE,
    coterie.TwoPLSA: ONLINE,
    coterie.ConceptSpace: {"top_words"},
    coterie.AutoClustering: {"labels_at"},
    coterie.ChiSim: {"similar_words"},
}


@every()
def test_public_methods_are_few(estimator):
    allowed = METHODS | OTHER_METHODS.get(type(estimator), set())
    if measures_similarity(estimator):
        allowed |= {"similar_documents"}
    if selector(estimator):
        allowed |= {"get_support", "inverse_transform"}
    public = {
        name
        for name in dir(type(estimator))
        if name[0] != "_" and callable(getattr(type(estimator), name))
    }
    assert public - allowed == set()


@every()
def test_parameters_are_few(estimator):
    assert len(estimator.get_params(deep=False)) <= 10


@every()
def test_no_fitted_attribute_is_none(estimator):
    attributes = vars(fitted(estimator))
    assert [
        name for name, value in attributes.items() if value is None and _learned(name)
    ] == []


def _learned(name):
    return name.endswith("_") and not name.startswith("_")


# What a fit finds.


@every(clusterer)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_parameters_are_distributions(estimator, dtype):
    found = fit(estimator, each(lambda matrix: matrix.astype(dtype), data(estimator)))
    tables = [found.memberships_, found.weights_[None]]
    if takes_counts(estimator) or takes_views(estimator):
        tables.append(found.components_)
    if hasattr(found, "cluster_word_clusters_"):
        tables += [found.cluster_word_clusters_, found.word_components_]
    for rows in tables:
        assert rows.min() >= 0
        assert_allclose(rows.sum(axis=1), 1, rtol=1e-5)
    n_documents, n_clusters = len(corpus()[1]), len(found.components_)
    assert found.memberships_.shape == (n_documents, n_clusters)
    assert found.weights_.shape == (n_clusters,)
    assert found.memberships_.dtype == found.components_.dtype == dtype


@every(clusterer)
def test_finds_planted_clusters(estimator):
    _, documents, words = corpus()
    found = fit(estimator, **restarted(6, estimator))
    assert adjusted_rand_score(documents, found.labels_) > 0.95
    if finds_words(estimator):
        known = found.word_labels_ >= 0
        assert known.sum() >= 35
        assert adjusted_rand_score(words[known], found.word_labels_[known]) > 0.95


@every(without(clusterer), with_parameter("n_word_clusters"))
def test_finds_planted_words(estimator):
    found = fit(estimator, **restarted(6, estimator))
    assert adjusted_rand_score(corpus()[2], found.word_labels_) > 0.95


@every(starts_anywhere, clusterer)
@pytest.mark.parametrize("init", ["random", "dirichlet", "kmeans"])
def test_every_start_leads_somewhere_sensible(estimator, init):
    found = fit(estimator, init=init, **restarted(10, estimator))
    assert adjusted_rand_score(corpus()[1], found.labels_) > 0.9


@every(clusterer)
def test_labels_are_ordered_by_size(estimator):
    found = fitted(estimator)
    assert found.labels_.dtype == np.int64
    assert_array_equal(np.unique(found.labels_), np.arange(3))
    assert np.bincount(found.labels_).tolist() == [21, 20, 19]


@every(clusterer, without(takes_vectors))
def test_word_labels_are_rows_of_word_components(estimator):
    found = fitted(estimator)
    assert found.word_labels_.shape == (40,)
    assert found.word_components_.shape[1] == 40
    assert -1 <= found.word_labels_.min() <= found.word_labels_.max()
    if "word_components_" in vars(found):  # clusters of words alone are ordered too
        sizes = np.bincount(found.word_labels_[found.word_labels_ >= 0])
        assert np.all(np.diff(sizes) <= 0)
    assert found.word_labels_.max() < len(found.word_components_)
    words = np.flatnonzero(found.word_labels_ >= 0)
    own = found.word_components_[found.word_labels_[words], words]
    others = found.word_components_[:, words].mean(axis=0)
    assert np.mean(own > others) > 0.8
    assert found.word_memberships_.shape == found.word_components_.T.shape
    assert_allclose(found.word_memberships_[words].sum(axis=1), 1, rtol=1e-5)


@every(mixes_word_clusters)
def test_words_of_clusters_are_those_of_their_word_clusters(estimator):
    found = fitted(estimator)
    mixed = found.cluster_word_clusters_ @ found.word_components_
    assert_allclose(found.components_, mixed, rtol=1e-5, atol=1e-7)


@SHORT
@every(clusterer)
def test_one_cluster_has_all_documents(estimator):
    found = fit(estimator, **clusters(1, estimator))
    assert_allclose(found.memberships_, 1)
    assert_array_equal(found.labels_, 0)


@every(em, takes_counts, without_prior)
def test_one_cluster_is_the_unigram_model(estimator):
    X = corpus()[0]
    found = fit(estimator, **clusters(1, estimator), **flat(estimator))
    assert_allclose(found.components_[0], X.sum(axis=0) / X.sum())


# Documents of the fit and new ones.


@every(assigns)
def test_documents_of_the_fit_are_assigned_as_new_ones(estimator):
    X, found = data(estimator), fitted(estimator)
    assert_array_equal(found.predict(X), found.labels_)
    assert_allclose(found.transform(X), found.memberships_, atol=1e-5)
    assert_array_equal(found.predict_proba(X), found.transform(X))
    assert_array_equal(found.labels_, found.memberships_.argmax(axis=1))


@every(assigns, takes_matrix)
def test_also_documents_without_words(estimator):
    X = data(estimator)
    padded = stack([X[:5], 0 * X[:20], X[5:]])
    found = fit(estimator, padded)
    assert_array_equal(found.predict(padded), found.labels_)
    assert_allclose(found.transform(padded), found.memberships_, atol=1e-5)
    sizes = np.bincount(np.delete(found.labels_, range(5, 25)), minlength=3)
    assert np.all(np.diff(sizes) <= 0)


@every(assigns)
def test_saved_and_loaded_it_assigns_alike(estimator, tmp_path):
    X, found = data(estimator), fitted(estimator)
    coterie.save_model(found, tmp_path / "model")
    loaded = coterie.load_model(tmp_path / "model")
    assert_array_equal(loaded.predict(X), found.labels_)
    assert_array_equal(loaded.transform(X), found.transform(X))
    assert loaded.score(X) == found.score(X)
    assert repr(loaded) == repr(found)
    assert results(loaded) == results(found)


@every(transforms, without(clusterer))
def test_saved_and_loaded_it_transforms_alike(estimator, tmp_path):
    X, found = data(estimator), fitted(estimator)
    coterie.save_model(found, tmp_path / "model")
    loaded = coterie.load_model(tmp_path / "model")
    assert_array_equal(_dense(loaded.transform(X)), _dense(found.transform(X)))
    assert repr(loaded) == repr(found)
    assert results(loaded) == results(found)


def _dense(X):
    return X.toarray() if sp.issparse(X) else np.asarray(X)


@every(transforms)
def test_fit_transform_is_fit_and_transform(estimator):
    X, found = data(estimator), fitted(estimator)
    y = (corpus()[1],) if supervised(estimator) else ()
    both = clone(estimator).fit_transform(X, *y)
    if clusterer(estimator):
        assert_array_equal(both, found.memberships_)
    else:
        assert_array_equal(_dense(both), _dense(found.transform(X)))


@every(clusterer)
def test_fit_predict_gives_the_labels(estimator):
    assert_array_equal(clone(estimator).fit_predict(data(estimator)), fitted(estimator).labels_)


@every(assigns)
def test_documents_are_assigned_alike_one_by_one_and_all_at_once(estimator):
    X, found = data(estimator), fitted(estimator)
    alone = [found.predict_proba(each(lambda matrix, d=d: matrix[[d]], X)) for d in range(60)]
    if is_own(estimator) and takes_sparse(estimator):
        assert_array_equal(np.vstack(alone), found.predict_proba(X))
    assert_allclose(np.vstack(alone), found.predict_proba(X), rtol=1e-5, atol=1e-9)


@every(transforms, without(clusterer))
def test_documents_are_transformed_alike_one_by_one_and_all_at_once(estimator):
    X, found = data(estimator), fitted(estimator)
    alone = [_dense(found.transform(X[[d]])) for d in range(60)]
    assert_array_equal(np.vstack(alone), _dense(found.transform(X)))


@SHORT
@every(clusterer, takes_counts)
def test_perplexity_is_that_of_the_likelihood(estimator):
    X, found = data(estimator), fitted(estimator)
    words = X[:, found.columns_] if hasattr(found, "columns_") else X
    words = found.weighting_.transform(X) if hasattr(found, "weighting_") else words
    assert_allclose(found.perplexity(X), np.exp(-found.log_likelihood(X) / words.sum()))
    assert_allclose(found.score(X), found.log_likelihood(X) / words.sum())
    if generative(estimator):
        one = fit(estimator, **clusters(1, estimator))
        assert found.perplexity(X) < one.perplexity(X)


@every(clusterer, takes_counts)
def test_scores_of_nothing_and_of_the_unfitted_are_refused(estimator):
    X, found = data(estimator), fitted(estimator)
    for measure in (found.score, found.perplexity):
        with pytest.raises(coterie.InputError, match="no counts: all 2 documents are empty"):
            measure(X[:2] * 0)
    texts = ["one fish", "two fish"]
    for measure in (clone(estimator).score, clone(estimator).predict):
        for new in (texts, coterie.Corpus.from_texts(texts), X[:2]):
            with pytest.raises(NotFittedError):
                measure(new)


@SHORT
@every(clusterer, takes_matrix, generative)
def test_grid_search_finds_the_number_of_clusters(estimator):
    usual = clone(estimator).set_params(**restarted(2, estimator))
    usual.set_params(**dict.fromkeys(flat(estimator), 1.1))
    (parameter,) = clusters(1, estimator)
    search = GridSearchCV(usual, {parameter: [1, 3]}, cv=3).fit(data(estimator))
    assert search.best_params_ == {parameter: 3}


@every(clusterer, takes_matrix)
def test_pipelines_take_it(estimator):
    same = FunctionTransformer(feature_names_out="one-to-one")
    pipeline = make_pipeline(same, clone(estimator))
    memberships = pipeline.fit_transform(data(estimator))
    assert_array_equal(memberships, fitted(estimator).memberships_)
    names = list(pipeline.get_feature_names_out())
    assert names == [f"{type(estimator).__name__.lower()}{i}" for i in range(3)]


# The same fit from the same data, however they come.


@every()
def test_same_seed_same_fit(estimator):
    assert results(fit(estimator)) == results(fitted(estimator))


def results(found):
    """A checksum of all that a fit left, also in estimators inside; parameters apart."""
    return joblib.hash(_results(found))


def _results(value):
    if isinstance(value, BaseEstimator):
        named = {name: each for name, each in vars(value).items() if _learned(name)}
        return _results(dict(sorted(named.items())))
    if isinstance(value, dict):
        return {name: _results(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_results(each) for each in value]
    if sp.issparse(value):
        return _results(value.toarray())
    if isinstance(value, np.ndarray):
        content = value.tolist() if value.dtype == object else value.tobytes()
        return value.shape, value.dtype.str, content  # however it lies in memory
    return value


@pytest.fixture(scope="module")
def many():
    """Counts large enough to be cut into several shards."""
    rng = np.random.default_rng(0)
    dense = rng.poisson(plant(240, 50, 4, 120, seed=1)[0].toarray() * 0.9)
    return sp.csr_array(dense.astype(np.float64))


@SHORT
@every()
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_same_bits_on_any_number_of_threads(estimator, dtype, many):
    X = each(lambda matrix: matrix.astype(dtype), form(estimator, many))
    y = np.arange(240) % 3
    settings = restarted(2, estimator) | at_most(20, estimator)
    fits = []
    for n_threads in (1, 2, 4):
        with coterie.run_on("threads", n_threads=n_threads):
            found = fit(estimator, X, y, **settings)
            fits.append((results(found), joblib.hash(_dense(found.transform(X)))))
    assert fits[0] == fits[1] == fits[2]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_starts_by_kmeans_do_not_depend_on_anybodys_threads(n_threads):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from planted import plant\n"
        "import numpy as np; from coterie.starts import kmeans\n"
        "X = plant(9000, 60, 6, 8, seed=1, purity=0.3)[0]\n"
        "print(*kmeans(X, 6, np.random.default_rng(0)))"
    )
    limits = {"OMP_NUM_THREADS": str(n_threads), "OPENBLAS_NUM_THREADS": str(n_threads)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent)],
        env=os.environ | limits,
        capture_output=True,
        text=True,
        check=True,
    )
    X = plant(9000, 60, 6, 8, seed=1, purity=0.3)[0]
    expected = kmeans(X, 6, np.random.default_rng(0))
    assert list(map(int, done.stdout.split())) == expected.tolist()


@every(clusterer)
def test_permuted_documents_are_in_the_same_clusters(estimator):
    order = np.random.default_rng(0).permutation(60)
    X = each(lambda matrix: matrix[order], data(estimator))
    permuted = fit(estimator, X, **restarted(6, estimator))
    assert_array_equal(permuted.labels_, fitted(estimator).labels_[order])


@every(clusterer, takes_matrix)
def test_permuted_words_leave_documents_in_the_same_clusters(estimator):
    order = np.random.default_rng(0).permutation(40)
    permuted = fit(estimator, data(estimator)[:, order], **restarted(6, estimator))
    assert_array_equal(permuted.labels_, fitted(estimator).labels_)


@every(em)
def test_permuting_documents_permutes_the_result(estimator):
    """From the same start, to the last digits."""
    rng = np.random.default_rng(0)
    X, q, order = data(estimator), _memberships(), rng.permutation(60)
    usual = fit(estimator, X, init=q, n_init=1)
    permuted = fit(estimator, X[order], init=q[order], n_init=1)
    assert_allclose(permuted.memberships_, usual.memberships_[order], atol=1e-9)
    assert_allclose(permuted.components_, usual.components_, atol=1e-12)


def _memberships():
    """A start that belongs to nobody."""
    return np.random.default_rng(0).dirichlet([1, 1, 1], size=60)


@every(em, takes_counts, without(with_parameter("concepts")))
def test_permuting_words_permutes_the_result(estimator):
    """From the same start: words may have been given theirs at random."""
    X, n_words = corpus()[0], 40
    order = np.random.default_rng(0).permutation(n_words)
    model = clone(estimator)
    rows, shared = model._start(X, np.random.default_rng(1))
    permuted = tuple(part[order] if len(part) == n_words else part for part in shared)
    start = Run(lambda: rows, shared), Run(lambda: rows, permuted)
    stopping, executor = Stopping(30, -1.0), executors.current()  # never early, by rounding
    *_, usual = iterate(model, [X], start[0], executor, stopping)
    *_, other = iterate(model, [X[:, order]], start[1], executor, stopping)
    assert_allclose(other.history, usual.history, rtol=1e-9)
    assert_allclose(other.rows, usual.rows, atol=1e-7)
    for theirs, ours in zip(other.shared, usual.shared, strict=True):
        expected = ours[order] if len(ours) == n_words else ours
        assert_allclose(theirs, expected, rtol=1e-5, atol=1e-9)


@every(takes_sparse)
@pytest.mark.parametrize(
    "container", [np.asarray, sp.csr_matrix, sp.csc_matrix, sp.csc_array, sp.coo_array]
)
def test_the_container_of_counts_does_not_matter(estimator, container):
    X = container(corpus()[0].toarray().astype(int))
    found = fit(estimator, X)
    assert results(found) == results(fitted(estimator))
    assert_array_equal(_dense(found.transform(X)), _dense(found.transform(corpus()[0])))


@every()
def test_data_that_cannot_be_written_to_are_enough(estimator):
    X = each(lambda matrix: _dense(matrix).copy(), data(estimator))
    each(lambda matrix: matrix.setflags(write=False), X)
    found = fit(estimator, X)
    assert results(found) == results(fitted(estimator))
    if hasattr(found, "predict"):
        assert_array_equal(found.predict(X), found.labels_)


@every(clusterer)
def test_single_precision_agrees_with_double(estimator):
    single = fit(estimator, each(lambda matrix: matrix.astype(np.float32), data(estimator)))
    double = fitted(estimator)
    assert single.memberships_.dtype == single.components_.dtype == np.float32
    assert_array_equal(single.labels_, double.labels_)
    assert_allclose(single.history_[0], double.history_[0], rtol=1e-5)


@every()
def test_fit_leaves_its_input_and_its_parameters_alone(estimator):
    X, y = each(lambda matrix: matrix.copy(), data(estimator)), corpus()[1].copy()
    model = clone(estimator)
    before = joblib.hash([X, model.get_params(deep=False)])
    model.fit(X, y) if supervised(estimator) else model.fit(X)
    model.transform(X)
    assert joblib.hash([X, model.get_params(deep=False)]) == before
    assert_array_equal(y, corpus()[1])


@every(takes_sparse)
def test_repeated_and_zero_entries_of_a_sparse_matrix_are_summed_and_ignored(estimator):
    X = corpus()[0]
    halves = np.repeat(X.data / 2, 2)
    indptr, indices = 2 * X.indptr, np.repeat(X.indices, 2)
    repeated = sp.csr_array((halves, indices, indptr), shape=X.shape)
    zeros = sp.csr_array(sp.coo_array(np.ones(X.shape)))
    zeros.data[:] = X.toarray().ravel()
    for odd in (repeated, zeros):
        n_stored, content = odd.nnz, odd.data.copy()
        assert results(fit(estimator, odd)) == results(fitted(estimator))
        assert odd.nnz == n_stored
        assert_array_equal(odd.data, content)


@every(takes_matrix, transforms)
def test_data_frames_keep_their_names_and_raise_no_warning(estimator):
    columns = [f"word{i}" for i in range(40)]
    frame = pd.DataFrame(corpus()[0].toarray(), columns=columns)
    found = fit(estimator, frame)
    assert list(found.feature_names_in_) == columns
    if clusterer(estimator):
        assert found.score(frame) == fitted(estimator).score(data(estimator))
        found.set_output(transform="pandas")
        assert isinstance(found.transform(frame), pd.DataFrame)
    assert found.transform(frame).shape == fitted(estimator).transform(data(estimator)).shape
    with pytest.raises(ValueError, match="feature names"):
        found.transform(frame.rename(columns={"word0": "other"}))


@every()
def test_survives_pickle(estimator):
    found = pickle.loads(pickle.dumps(fitted(estimator)))
    assert results(found) == results(fitted(estimator))
    assert_array_equal(
        _dense(found.transform(data(estimator))),
        _dense(fitted(estimator).transform(data(estimator))),
    )


@every()
def test_refit_forgets_the_first_fit(estimator):
    X, y = data(estimator), corpus()[1]
    half = each(lambda matrix: matrix[:30], X)
    reused = clone(estimator)
    reused.fit(X, y) if supervised(estimator) else reused.fit(X)
    reused.fit(half, y[:30]) if supervised(estimator) else reused.fit(half)
    assert results(reused) == results(fit(estimator, half, y[:30]))


# Texts.

ANIMALS = ["cats purr and sleep", "cats sleep", "a cat may purr", "cats purr"]
DRINKS = ["green tea is hot", "tea with milk", "hot milk and tea", "milk or green tea"]
SKIES = ["the moon and stars", "stars shine", "a bright moon", "bright stars shine"]
TEXTS = 3 * [*ANIMALS, *DRINKS, *SKIES]
TOPICS = 3 * [*[0] * 4, *[1] * 4, *[2] * 4]


@SHORT
@every(takes_counts)
@pytest.mark.parametrize("container", [list, tuple, np.array, pd.Series])
def test_texts_are_as_good_as_the_corpus_of_them(estimator, container):
    words = coterie.Corpus.from_texts(TEXTS)
    usual = fit(estimator, words, TOPICS, **_for_texts(estimator))
    found = fit(estimator, container(TEXTS), TOPICS, **_for_texts(estimator))
    expected, new = usual.transform(words), found.transform(container(TEXTS))
    if isinstance(expected, coterie.Corpus):
        expected, new = expected.counts, new.counts if isinstance(new, coterie.Corpus) else new
    assert_array_equal(_dense(new), _dense(expected))
    if assigns(estimator):
        assert_array_equal(found.labels_, usual.labels_)
        assert_array_equal(found.predict(container(TEXTS)), usual.predict(words))
    assert list(found.vocabulary_.words) == list(words.words)


def _for_texts(estimator):
    sizes = {"n_words": 5, "estimator__n_init": 1}
    return {k: v for k, v in sizes.items() if k in estimator.get_params()}


@every(takes_counts)
def test_a_matrix_of_strings_is_refused_in_one_sentence(estimator):
    for bad in ([["a", "b"], ["c", "d"]], pd.DataFrame({"text": ["a b", "c"], "n": [1, 2]})):
        with pytest.raises(coterie.InputError) as refusal:
            fit(estimator, bad, [0, 1])
        assert re.match(
            r"X: row 0, column .* holds 'a.*' \(str\); expected", str(refusal.value)
        )
        assert "\n" not in str(refusal.value)
    with pytest.raises(coterie.InputError, match="^X: texts, but .* was fitted to a matrix"):
        fitted(estimator).transform(TEXTS)


# What weighs how much.


@every(em)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_empty_documents_add_nothing_and_belong_nowhere(estimator, dtype):
    X, q = data(estimator).astype(dtype), _memberships()
    without_them = fit(estimator, X, init=q)
    padded = stack([X[:10], 0 * X[:30], X[10:]])
    start = np.vstack([q[:10], np.eye(3)[[0] * 30], q[10:]])
    found = fit(estimator, padded, init=start)
    assert_allclose(found.components_, without_them.components_, rtol=1e-4, atol=1e-7)
    assert_allclose(found.weights_, without_them.weights_, rtol=1e-4)
    assert_array_equal(np.delete(found.labels_, range(10, 40)), without_them.labels_)
    assert_allclose(found.memberships_[10:40], 1 / 3, rtol=1e-6)


@every(clusterer, takes_matrix)
def test_documents_without_words_belong_nowhere(estimator):
    X = data(estimator)
    found = fit(estimator, stack([X, 0 * X[:5]]))
    expected = np.full((5, 3), 1 / 3)
    if isinstance(estimator, coterie.AutoClustering):  # all that is known of them
        expected[:] = found.weights_
    assert_allclose(found.memberships_[60:], expected, rtol=1e-6)
    assert_allclose(found.predict_proba(0 * X[:5]), expected, rtol=1e-6)
    assert adjusted_rand_score(found.labels_[:60], corpus()[1]) > 0.9


@every(em, without_prior)
def test_documents_given_twice_give_the_same_model(estimator):
    """Twice the same documents weigh twice as much, all alike (without a prior)."""
    X, q = data(estimator), _memberships()
    settings = {**flat(estimator), "n_init": 1, "max_iter": 1000, "tol": 1e-6}
    if "concept_prior" in estimator.get_params():
        settings["concept_prior"] = 1.0
    once = fit(estimator, X, init=q, **settings)
    twice = fit(estimator, stack([X, X]), init=np.vstack([q, q]), **settings)
    assert_allclose(twice.components_, once.components_, rtol=1e-5, atol=1e-8)
    assert_allclose(twice.memberships_[:60], once.memberships_, rtol=1e-5, atol=1e-8)
    assert_allclose(twice.memberships_[60:], once.memberships_, rtol=1e-5, atol=1e-8)
    assert_allclose(twice.history_, 2 * once.history_, rtol=1e-9)


@every(has("sample_weight"))
def test_a_document_of_weight_two_is_two_copies_and_one_of_weight_zero_is_left_out(estimator):
    X, q = data(estimator), _memberships()
    weights = np.random.default_rng(1).integers(3, size=60)
    rows = np.repeat(np.arange(60), weights)
    assert 0 < np.count_nonzero(weights == 0) < len(rows)
    model = clone(estimator).set_params(init=q, n_init=1)
    weighted = model.fit(X, sample_weight=weights)
    copied = fit(estimator, X[rows], init=q[rows], n_init=1)
    assert_allclose(weighted.history_, copied.history_, rtol=1e-9)
    assert_allclose(weighted.components_, copied.components_, rtol=1e-6, atol=1e-9)
    assert_allclose(weighted.weights_, copied.weights_, rtol=1e-6)
    assert_allclose(weighted.memberships_[rows], copied.memberships_, atol=1e-6)
    assert_array_equal(weighted.labels_[rows], copied.labels_)
    assert_array_equal(weighted.predict(X), weighted.labels_)


@every(has("sample_weight"))
def test_a_checkpoint_of_other_weights_is_refused(estimator, tmp_path):
    X, model = data(estimator), clone(estimator).set_params(tol=0, max_iter=50, n_init=2)

    def stop(progress):
        if progress.iteration == 2:
            raise KeyboardInterrupt

    weights = np.random.default_rng(1).integers(1, 3, size=60)
    folder = tmp_path / "state"
    stopped = pytest.warns(coterie.InterruptedWarning)
    with coterie.checkpointing(folder), coterie.watching(stop), stopped:
        clone(model).fit(X, sample_weight=weights)
    with coterie.checkpointing(tmp_path / "state"):
        for others in (weights[::-1], None):
            with pytest.raises(coterie.InputError, match="checkpoint of another fit"):
                clone(model).fit(X, sample_weight=others)


@every(has("sample_weight"))
def test_equal_weights_are_no_weights_and_impossible_ones_are_named(estimator):
    X, q = data(estimator), _memberships()
    model = clone(estimator).set_params(init=q, n_init=1)
    ones, none = clone(model).fit(X, sample_weight=np.ones(60)), clone(model).fit(X)
    assert_allclose(ones.components_, none.components_, rtol=1e-9, atol=1e-12)
    for bad, complaint in [
        (np.ones(59), r"shape \(59,\), expected one number a document, \(60,\)"),
        (np.full(60, -1.0), "expected finite numbers of zero or more, not all zero"),
        (np.full(60, np.nan), "expected finite numbers of zero or more, not all zero"),
        (np.zeros(60), "expected finite numbers of zero or more, not all zero"),
    ]:
        with pytest.raises(coterie.InputError, match=f"^sample_weight: {complaint}"):
            clone(model).fit(X, sample_weight=bad)
    assert not hasattr(model.fit(X, sample_weight=np.ones(60)), "_sample_weight_")


@every(clusterer, takes_matrix)
def test_a_word_of_no_document_is_harmless(estimator):
    X = data(estimator).copy()
    X = X.tolil() if sp.issparse(X) else X
    X[:, 3] = 0
    found = fit(estimator, X.tocsr() if sp.issparse(X) else X)
    assert np.all(np.isfinite(found.components_))
    assert adjusted_rand_score(found.labels_, corpus()[1]) > 0.9


@every(em)
def test_more_restarts_never_hurt(estimator):
    one, eight = fit(estimator, n_init=1), fit(estimator, n_init=8)
    assert eight.history_[-1] >= one.history_[-1] - 1e-9 * abs(one.history_[-1])


# Parameters: each matters, and impossible ones are named.

OTHER_VALUES = {  # for every parameter there is, values that are not its usual one
    "agreement": [0.9, 0.4],
    "background": [0.5],
    "base": ["mm"],
    "burn_in": [0.9],
    "calibrated": [True],
    "cluster_prior": [5.0],
    "concentration": [5.0],
    "concept_prior": [1.5],
    "concepts": ["plsa", "cem"],
    "distance": ["sqrt"],
    "divergence": ["information"],
    "estimator": [coterie.PLSA(3)],
    "exponent": [0.4],
    "first_size": [12],
    "form": ["spectral", "summary"],
    "frequencies": [np.arange(40)],
    "growths": [((10, 3),)],
    "hard": [True],
    "init": [coterie.Dirichlet(50.0), "random"],
    "least_length": [50.0],
    "max_iter": [1],
    "method": ["plsa", "cem"],
    "min_df": [30, 36, 40],
    "model": ["plsa", "mm"],
    "n_clusters": [4],
    "n_init": [1, 5, 9],
    "n_kept": [1],
    "n_neighbors": [4],
    "n_steps": [2],
    "n_view_clusters": [2],
    "n_votes": [0, 30],
    "n_word_clusters": [5],
    "n_words": [20],
    "norm": ["l1"],
    "prior": [1.5],
    "pruning": [0.4],
    "random_state": [7, 8, 9, 10],
    "rank": [2],
    "ranks": [(2,)],
    "relation": [True],
    "scale": [0.5],
    "SNOS.scale": ["lengths"],
    "scaled": [False],
    "segments": ["sentence"],
    "semidefinite": [True],
    "smoothing": [2.0],
    "steepness": [1.0],
    "tol": [0.1, 1e3],
    "vector_weight": [500.0],
    "vectors": [["de"]],
    "vocabulary_sizes": [[10, 40]],
    "weight": [0.3],
    "weighted": [True],
    "weighting": ["counts", "share"],
    "word_cluster_prior": [3.0],
    "word_prior": [2.0],
}
BESIDES = {  # what else must be set for a parameter to have a say
    "first_size": {"vocabulary_sizes": "auto"},
    "n_steps": {"vocabulary_sizes": "auto", "first_size": 10},
    "norm": {"exponent": 1.0},
    "semidefinite": {"pruning": 0.4},
    "vector_weight": {"vectors": ["photo"]},
}


@pytest.fixture(scope="module")
def unclear():
    """Counts without clusters, so that what a method does shows."""
    return plant(60, 40, 3, 40, seed=0, purity=0.0)[0]


@SHORT
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("cls", "parameter"),
    [
        (cls, name)
        for cls in sorted(public_classes(), key=str)
        for name in cls._get_param_names()
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_every_parameter_matters(cls, parameter, unclear):
    """One of its values changes what one of the instances finds."""
    assert any(
        _changes_something(estimator, parameter, unclear)
        for estimator in ESTIMATORS
        if type(estimator) is cls
    )


def _changes_something(estimator, parameter, unclear):
    usual = clone(estimator).set_params(**BESIDES.get(parameter, {}))
    X, y = form(usual, unclear), np.arange(60) % 3
    if isinstance(estimator, coterie.LDCC) and parameter in ("segments", "cluster_prior"):
        X = [f"{text}. {text}.\n\n{sky}" for text, sky in zip(TEXTS, 9 * SKIES, strict=True)]
    before, own = results(fit(usual, X, y)), joblib.hash(getattr(usual, parameter))
    values = OTHER_VALUES.get(f"{type(estimator).__name__}.{parameter}")
    others = values or [v for v in OTHER_VALUES[parameter] if joblib.hash(v) != own]
    return any(results(fit(usual, X, y, **{parameter: value})) != before for value in others)


@every(clusterer)
def test_impossible_parameters_are_named(estimator):
    (size,) = clusters(1, estimator)
    name = size.removeprefix("estimator__")
    impossible = [(size, 0), (size, 2.5), (size, True), ("max_iter", 0), ("n_init", 0)]
    impossible += [
        ("tol", -1),
        ("tol", np.inf),
        ("n_word_clusters", 0),
        ("n_word_clusters", 1.5),
    ]
    impossible += [("cluster_prior", -0.5), ("word_prior", -0.5), ("word_prior", np.inf)]
    for parameter, value in impossible:
        if parameter not in estimator.get_params():
            continue
        plain = parameter.removeprefix("estimator__")
        with pytest.raises(coterie.InputError, match=re.escape(f"{plain}={value!r}: expected")):
            fit(estimator, **{parameter: value})
    with pytest.raises(coterie.InputError, match=f"^{name}=61: larger than the number of"):
        fit(estimator, **{size: 61})


@every(without(clusterer))
def test_impossible_parameters_of_others_are_named(estimator):
    impossible = {"n_words": 0, "min_df": 0, "max_iter": 0, "n_init": 0, "n_word_clusters": 0.5}
    impossible |= {"tol": -1, "prior": 0.9, "scale": 0, "least_length": -1, "smoothing": -1}
    known = {k: v for k, v in impossible.items() if k in estimator.get_params()}
    assert known
    for parameter, value in known.items():
        with pytest.raises(coterie.InputError, match=f"^{parameter}={value!r}: expected"):
            fit(estimator, **{parameter: value})


@every(starts_anywhere, clusterer)
def test_impossible_starts_are_named(estimator):
    for start, complaint in [
        ("best", "^init='best': expected"),
        (np.ones((2, 2)), r"^init has shape \(2, 2\): expected"),
        (np.full((60, 3), -1.0), "memberships of zero or more"),
        (np.zeros((60, 3)), "not all zero in a row"),
        ([-1] * 60, "labels run from -1 to -1, expected 0 to 2"),
        ([0, 1], "expected 60 whole numbers, one a document; got 2"),
    ]:
        with pytest.raises(coterie.InputError, match=complaint):
            fit(estimator, init=start)


@every(takes_counts)
@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (-1.0, "Negative values .*: row 2, column 5 holds -1.0"),
        (np.nan, "contains NaN.*: row 2, column 5 holds nan"),
        (np.inf, "contains infinity.*: row 2, column 5 holds inf"),
    ],
)
def test_bad_counts_are_named(estimator, spoil, complaint):
    dense = corpus()[0].toarray()
    dense[2, 5] = spoil
    for bad in (dense, sp.csr_array(dense)):
        with pytest.raises(coterie.InputError, match=complaint):
            fit(estimator, bad)
        with pytest.raises(coterie.InputError, match=complaint):
            fitted(estimator).transform(bad)


@every(takes_counts)
@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize("position", [-2, 2**30])
def test_positions_outside_of_a_sparse_matrix_are_refused(estimator, make, position):
    damaged = make(corpus()[0]).copy()
    damaged.indices[3] = position
    with pytest.raises(coterie.InputError, match="^X: a damaged sparse matrix"):
        fit(estimator, damaged)


@every(clusterer, takes_counts)
def test_no_counts_are_refused(estimator):
    with pytest.raises(coterie.InputError, match="^no counts: all 60 documents are empty"):
        fit(estimator, corpus()[0] * 0)


# Ctrl-C, progress, checkpoints.


def stopping_after(n_reports):
    """A watcher that asks for a stop at that report, and those it heard."""
    heard = []

    def watcher(progress):
        heard.append(progress)
        if len(heard) == n_reports:
            raise KeyboardInterrupt

    return watcher, heard


def _n_reports(estimator):
    heard = []
    with coterie.watching(heard.append):
        fit(estimator)
    return len(heard)


@every(clusterer)
def test_progress_rises_to_the_whole(estimator):
    heard = []
    with coterie.watching(heard.append):
        fit(estimator)
    shares = [progress.share for progress in heard]
    assert heard
    assert all(0 < share <= 1 for share in shares)
    assert np.all(np.diff(shares) >= 0)
    assert all(1 <= progress.iteration <= progress.max_iter for progress in heard)


@every(clusterer)
@pytest.mark.parametrize("moment", ["first", "middle", "last"])
def test_ctrl_c_keeps_a_result_with_one_warning(estimator, moment):
    n_reports = _n_reports(estimator)
    watcher, heard = stopping_after(
        {"first": 1, "middle": -(-n_reports // 2)}.get(moment, n_reports)
    )
    with warnings.catch_warnings(record=True) as caught, coterie.watching(watcher):
        warnings.simplefilter("always")
        found = fit(estimator)
    messages = [warning for warning in caught if warning.category is coterie.InterruptedWarning]
    assert len(messages) == len(caught) == 1
    assert "stopped by Ctrl-C" in str(messages[0].message)
    assert found.interrupted_
    assert heard
    X = data(estimator)
    assert_array_equal(found.predict(X), found.labels_)
    assert_allclose(found.transform(X), found.memberships_, atol=1e-5)
    assert np.all(np.diff(np.bincount(found.labels_, minlength=3)) <= 0)
    assert not fitted(estimator).interrupted_


@NOT_SAVED
@every(clusterer)
def test_a_stopped_fit_goes_on_from_its_checkpoint(estimator, tmp_path):
    folder = tmp_path / "state"
    watcher, _ = stopping_after(-(-_n_reports(estimator) // 2))
    with (
        coterie.checkpointing(folder, every=0),
        coterie.watching(watcher),
        pytest.warns(coterie.InterruptedWarning),
    ):
        fit(estimator)
    with coterie.checkpointing(folder, every=0):
        resumed = fit(estimator)
    assert results(resumed) == results(fitted(estimator))
    assert not folder.exists()


@every(climbs)
def test_too_few_iterations_are_said(estimator):
    with pytest.warns(ConvergenceWarning, match="did not converge in max_iter=2"):
        found = fit(estimator, max_iter=2, tol=0)
    assert found.n_iter_ == 2
    assert not found.converged_
