"""What is true of every estimator, whatever its mathematics."""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import coterie
from coterie import executors
from coterie.base import EMEstimator
from coterie.engine import Run, Stopping, iterate
from coterie.starts import kmeans
from estimators import ESTIMATORS, PARAMETERS, every_estimator
from planted import plant

NEGATIVE = "feeds negative data to every clusterer, where these models are of counts"
CLASSIFIER = "takes predict_proba for a classifier's and wants a column for each class of y"
NOT_FOR_COUNTS = {
    "check_clustering": NEGATIVE,
    "check_clustering(readonly_memmap=True)": NEGATIVE,
    "check_estimator_sparse_array": CLASSIFIER,
    "check_estimator_sparse_matrix": CLASSIFIER,
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [clone(e).set_params(n_init=1) for e in ESTIMATORS],
    expected_failed_checks=lambda _: NOT_FOR_COUNTS,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_no_public_estimator_is_forgotten():
    public = [getattr(coterie, name) for name in coterie.__all__]
    classes = {c for c in public if isinstance(c, type) and issubclass(c, BaseEstimator)}
    checked_elsewhere = {
        coterie.AutoClustering: "tests/automatic/test_automatic.py",
        coterie.WordWeights: "tests/automatic/test_weighting.py",
        coterie.ConceptClustering: "tests/models/test_concepts.py",
        coterie.ConceptSpace: "tests/models/test_concepts.py",
        coterie.GibbsMixture: "tests/models/test_gibbs.py",
        coterie.LDCC: "tests/models/test_ldcc.py",
        coterie.HierarchicalSplits: "tests/inference/test_strategies.py",
        coterie.IncrementalVocabulary: "tests/inference/test_strategies.py",
        coterie.ReducedVocabulary: "tests/inference/test_strategies.py",
        coterie.KMeansBaseline: "tests/models/test_baselines.py",
        coterie.LDABaseline: "tests/models/test_baselines.py",
        coterie.LSABaseline: "tests/models/test_baselines.py",
        coterie.NMFBaseline: "tests/models/test_baselines.py",
        coterie.SpectralBaseline: "tests/models/test_baselines.py",
        coterie.SupervisedMutualInformation: "tests/selection/test_selection.py",
        coterie.MostFrequent: "tests/selection/test_selection.py",
        coterie.MedoidWords: "tests/selection/test_selection.py",
        coterie.InformationGain: "tests/selection/test_selection.py",
        coterie.CTK: "tests/similarity/test_measures.py",
        coterie.ChiSim: "tests/similarity/test_chi_sim.py",
        coterie.Cosine: "tests/similarity/test_measures.py",
        coterie.LSA: "tests/similarity/test_measures.py",
        coterie.SNOS: "tests/similarity/test_measures.py",
        coterie.ConcPLSA: "tests/multiview/test_multiview.py",
        coterie.FusionLM: "tests/multiview/test_multiview.py",
        coterie.VotedPLSA: "tests/multiview/test_multiview.py",
        coterie.VonMisesFisherMixture: "tests/models/test_von_mises.py",
    }
    assert {type(e) for e in ESTIMATORS} | set(checked_elsewhere) == classes
    for estimator, file in checked_elsewhere.items():
        text = (Path(__file__).parents[1] / file).read_text(encoding="utf-8")
        assert estimator.__name__ in text


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@every_estimator
@pytest.mark.parametrize(("dtype", "slack"), [(np.float64, 1e-12), (np.float32, 1e-6)])
def test_objective_never_falls(estimator, dtype, slack, X):
    history = clone(estimator).set_params(tol=1e-9).fit(X.astype(dtype)).history_
    assert len(history) > 2
    assert np.all(np.diff(history) >= -slack * np.abs(history[1:]))


@every_estimator
def test_parameters_are_distributions(estimator, X):
    fitted = clone(estimator).fit(X)
    for rows in (fitted.components_, fitted.memberships_, fitted.weights_[None]):
        assert rows.min() >= 0
        assert_allclose(rows.sum(axis=1), 1)


@every_estimator
def test_finds_planted_clusters(estimator, corpus):
    X, documents, words = corpus
    fitted = clone(estimator).set_params(n_init=10).fit(X)
    assert adjusted_rand_score(documents, fitted.labels_) > 0.95
    assert adjusted_rand_score(words, fitted.word_labels_) > 0.95


@every_estimator
def test_same_seed_same_fit(estimator, X):
    first, second = clone(estimator).fit(X), clone(estimator).fit(X)
    assert_array_equal(first.memberships_, second.memberships_)


@every_estimator
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_same_bits_on_any_number_of_threads(estimator, dtype, large):
    fits = []
    for n_threads in (1, 2, 4):
        with coterie.run_on("threads", n_threads=n_threads):
            fits.append(clone(estimator).fit(large.astype(dtype)))
    for other in fits[1:]:
        assert_array_equal(other.history_, fits[0].history_)
        assert_array_equal(other.memberships_, fits[0].memberships_)
        assert_array_equal(other.components_, fits[0].components_)
        assert_array_equal(other.predict_proba(large), fits[0].predict_proba(large))


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


@every_estimator
def test_permuting_documents_permutes_the_result(estimator, X):
    rng = np.random.default_rng(0)
    q, order = rng.dirichlet([1, 1, 1], size=X.shape[0]), rng.permutation(X.shape[0])
    usual = clone(estimator).set_params(init=q, n_init=1).fit(X)
    permuted = clone(estimator).set_params(init=q[order], n_init=1).fit(X[order])
    assert_allclose(permuted.memberships_, usual.memberships_[order], atol=1e-9)
    assert_allclose(permuted.components_, usual.components_, atol=1e-12)


@every_estimator
def test_permuting_words_permutes_the_result(estimator, X):
    """From the same start: words may have been given theirs at random."""
    n_words = X.shape[1]
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


@every_estimator
def test_dense_and_sparse_counts_give_the_same_fit(estimator, X):
    sparse, dense = clone(estimator).fit(X), clone(estimator).fit(X.toarray().astype(int))
    assert_array_equal(sparse.memberships_, dense.memberships_)
    csc = clone(estimator).fit(sp.csc_matrix(X))
    assert_array_equal(sparse.memberships_, csc.memberships_)


@every_estimator
@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array, sp.csc_array, sp.coo_array])
def test_sparse_containers_work_throughout(estimator, container, X):
    fitted = clone(estimator).fit(container(X))
    assert fitted.predict(container(X)).shape == (60,)
    assert fitted.predict_proba(container(X)).shape == fitted.transform(X).shape == (60, 3)


@every_estimator
@pytest.mark.parametrize("readonly", [False, True])
def test_clusterers_behave_as_scikit_learn_expects(estimator, readonly, corpus):
    """What scikit-learn's own check of clusterers asks, on counts."""
    X, documents, _ = corpus
    dense = X.toarray()
    dense.setflags(write=not readonly)
    fitted = clone(estimator).set_params(n_init=10)
    labels = fitted.fit_predict(dense)
    assert_array_equal(labels, fitted.labels_)
    assert labels.dtype == np.int64
    assert_array_equal(np.unique(labels), np.arange(3))
    assert adjusted_rand_score(documents, labels) > 0.9


@every_estimator
def test_single_precision_agrees_with_double(estimator, X):
    single, double = clone(estimator).fit(X.astype(np.float32)), clone(estimator).fit(X)
    assert single.memberships_.dtype == single.components_.dtype == np.float32
    assert_array_equal(single.labels_, double.labels_)
    assert_allclose(single.history_[0], double.history_[0], rtol=1e-6)


@every_estimator
def test_fit_leaves_its_input_alone(estimator, X):
    before = X.copy()
    clone(estimator).fit(X)
    assert (before != X).nnz == 0


@every_estimator
def test_repeated_and_zero_entries_of_a_sparse_matrix_are_summed_and_ignored(estimator, X):
    halves = np.repeat(X.data / 2, 2)
    indptr, indices = 2 * X.indptr, np.repeat(X.indices, 2)
    repeated = sp.csr_array((halves, indices, indptr), shape=X.shape)
    zeros = sp.csr_array(sp.coo_array(np.ones(X.shape)))
    zeros.data[:] = X.toarray().ravel()
    usual = clone(estimator).fit(X)
    for odd in (repeated, zeros):
        n_stored, content = odd.nnz, odd.data.copy()
        fitted = clone(estimator).fit(odd)
        assert_array_equal(fitted.memberships_, usual.memberships_)
        assert odd.nnz == n_stored
        assert_array_equal(odd.data, content)


@every_estimator
def test_data_frames_keep_their_names_and_raise_no_warning(estimator, X):
    frame = pd.DataFrame(X.toarray(), columns=[f"word{i}" for i in range(X.shape[1])])
    fitted = clone(estimator).set_output(transform="pandas").fit(frame)
    assert list(fitted.feature_names_in_) == list(frame.columns)
    assert np.isfinite(fitted.score(frame))
    assert np.isfinite(fitted.perplexity(frame))
    placed = fitted.transform(frame)
    assert isinstance(placed, pd.DataFrame)
    assert placed.shape == (60, 3)
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame.rename(columns={"word0": "other"}))


@every_estimator
def test_survives_pickle(estimator, X):
    fitted = clone(estimator).fit(X)
    assert_array_equal(pickle.loads(pickle.dumps(fitted)).labels_, fitted.labels_)


@every_estimator
def test_more_restarts_never_hurt(estimator, X):
    one = clone(estimator).set_params(n_init=1).fit(X)
    ten = clone(estimator).set_params(n_init=10).fit(X)
    assert ten.history_[-1] >= one.history_[-1] - 1e-9 * abs(one.history_[-1])


@pytest.mark.parametrize(("estimator", "parameter", "value"), PARAMETERS)
def test_every_parameter_matters(estimator, parameter, value, X):
    usual = clone(estimator).fit(X)
    changed = clone(estimator).set_params(**{parameter: value}).fit(X)
    assert not np.array_equal(usual.history_, changed.history_)


def test_no_parameter_is_forgotten():
    swept = {(type(e), parameter) for e, parameter, _ in PARAMETERS}
    fitting = set(EMEstimator().get_params())
    own = {(type(e), p) for e in ESTIMATORS for p in set(e.get_params()) - fitting}
    assert swept == own


@every_estimator
@pytest.mark.parametrize("init", ["random", "dirichlet", "kmeans"])
def test_every_start_leads_somewhere_sensible(estimator, init, corpus):
    X, documents, _ = corpus
    fitted = clone(estimator).set_params(init=init, n_init=10).fit(X)
    assert adjusted_rand_score(documents, fitted.labels_) > 0.9


@every_estimator
def test_refit_forgets_the_first_fit(estimator, X):
    fresh = clone(estimator).fit(X[:30])
    reused = clone(estimator).fit(X).fit(X[:30])
    assert_array_equal(fresh.memberships_, reused.memberships_)


@every_estimator
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_empty_documents_add_nothing_and_lean_nowhere(estimator, dtype, X):
    X = X.astype(dtype)
    q = np.random.default_rng(0).dirichlet([1, 1, 1], size=60)
    without = clone(estimator).set_params(init=q).fit(X)
    padded = sp.vstack([X[:10], sp.csr_array((90, X.shape[1]), dtype=dtype), X[10:]]).tocsr()
    start = np.vstack([q[:10], np.eye(3)[[0] * 90], q[10:]])
    fitted = clone(estimator).set_params(init=start).fit(padded)
    assert_allclose(fitted.components_, without.components_, rtol=1e-4, atol=1e-7)
    assert_allclose(fitted.weights_, without.weights_, rtol=1e-4)
    assert_array_equal(np.delete(fitted.labels_, range(10, 100)), without.labels_)
    assert_array_equal(fitted.memberships_[10:100], dtype(1 / 3))
    assert_array_equal(fitted.predict_proba(padded)[10:100], dtype(1 / 3))


@every_estimator
def test_documents_given_twice_give_the_same_model(estimator, X):
    """Twice the same documents weigh twice as much, all alike (without a prior)."""
    q = np.random.default_rng(0).dirichlet([1, 1, 1], size=60)
    model = clone(estimator).set_params(**flat(estimator), n_init=1, max_iter=1000, tol=1e-6)
    once = clone(model).set_params(init=q).fit(X)
    twice = clone(model).set_params(init=np.vstack([q, q])).fit(sp.vstack([X, X]))
    assert_allclose(twice.components_, once.components_, rtol=1e-6, atol=1e-9)
    assert_allclose(twice.memberships_[:60], once.memberships_, rtol=1e-6, atol=1e-9)
    assert_allclose(twice.memberships_[60:], once.memberships_, rtol=1e-6, atol=1e-9)
    assert_allclose(twice.history_, 2 * once.history_, rtol=1e-9)


@every_estimator
def test_empty_word_is_harmless(estimator, X):
    X = X.tolil()
    X[:, 3] = 0
    fitted = clone(estimator).fit(X.tocsr())
    assert np.all(np.isfinite(fitted.components_))


@every_estimator
def test_one_cluster_is_the_unigram_model(estimator, X):
    fitted = clone(estimator).set_params(**{"n_clusters": 1}, **flat(estimator)).fit(X)
    assert_allclose(fitted.components_[0], X.sum(axis=0) / X.sum())
    assert_allclose(fitted.memberships_, 1)


@every_estimator
def test_documents_are_placed_alike_one_by_one_and_all_at_once(estimator, X):
    fitted = clone(estimator).fit(X)
    together = fitted.predict_proba(X)
    alone = np.vstack([fitted.predict_proba(X[[d]]) for d in range(X.shape[0])])
    assert_array_equal(alone, together)


@every_estimator
def test_scores_of_nothing_and_of_the_unfitted_are_refused(estimator, X):
    fitted = clone(estimator).fit(X)
    for measure in (fitted.score, fitted.perplexity):
        with pytest.raises(coterie.InputError, match="no counts: all 2 documents are empty"):
            measure(X[:2] * 0)
    corpus = coterie.Corpus.from_texts(["one fish", "two fish"])
    for measure in (clone(estimator).score, clone(estimator).predict):
        with pytest.raises(NotFittedError):
            measure(corpus)


@every_estimator
def test_perplexity_is_that_of_the_likelihood(estimator, X):
    fitted = clone(estimator).fit(X)
    assert_allclose(fitted.perplexity(X), np.exp(-fitted.log_likelihood(X) / X.sum()))
    assert fitted.perplexity(X) < clone(estimator).set_params(**{"n_clusters": 1}).fit(
        X
    ).perplexity(X)


@every_estimator
def test_grid_search_and_pipelines_take_it(estimator, X):
    sizes = {"n_clusters": [1, 3]}
    usual = clone(estimator).set_params(n_init=1, init=_default_init(estimator))
    if "word_prior" in usual.get_params():
        usual.set_params(word_prior=1.1)
    search = GridSearchCV(usual, sizes, cv=3).fit(X)
    assert search.best_params_ == {"n_clusters": 3}
    pipeline = make_pipeline(TfidfTransformer(use_idf=False, norm=None), usual)
    assert pipeline.fit_transform(X).shape == (60, 3)
    names = list(pipeline.get_feature_names_out())
    assert names == [f"{type(estimator).__name__.lower()}{i}" for i in range(3)]


def flat(estimator):
    """Settings that leave out the prior of a model that has one."""
    return {"word_prior": 1.0} if "word_prior" in estimator.get_params() else {}


def _default_init(estimator):
    return type(estimator)().init


@every_estimator
@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (-1.0, "Negative values .*: row 2, column 5 holds -1.0"),
        (np.nan, "contains NaN.*: row 2, column 5 holds nan"),
        (np.inf, "contains infinity.*: row 2, column 5 holds inf"),
    ],
)
def test_bad_counts_are_named(estimator, spoil, complaint, X):
    dense = X.toarray()
    dense[2, 5] = spoil
    for bad in (dense, sp.csr_array(dense)):
        with pytest.raises(coterie.InputError, match=complaint):
            clone(estimator).fit(bad)


@every_estimator
def test_impossible_parameters_are_named(estimator, X):
    size = "n_clusters"
    for name, value in [
        (size, 61),
        (size, 0),
        (size, 2.5),
        (size, True),
        ("max_iter", 0),
        ("n_init", 0),
        ("tol", -1),
        ("tol", np.inf),
    ]:
        with pytest.raises(
            coterie.InputError,
            match=re.escape(f"{name}={value!r}: expected")
            if value != 61
            else "^n_.*=61: larger than the number of documents",
        ):
            clone(estimator).set_params(**{name: value}).fit(X)
    with pytest.raises(coterie.InputError, match="^init='best': expected"):
        clone(estimator).set_params(init="best").fit(X)
    with pytest.raises(coterie.InputError, match=r"^init has shape \(2, 2\): expected"):
        clone(estimator).set_params(init=np.ones((2, 2))).fit(X)
    for start, complaint in [
        (np.full((60, 3), -1.0), "memberships of zero or more"),
        (np.zeros((60, 3)), "not all zero in a row"),
        ([-1] * 60, "labels run from -1 to -1, expected 0 to 2"),
        ([0, 1], "expected 60 whole numbers, one a document; got 2"),
    ]:
        with pytest.raises(coterie.InputError, match=complaint):
            clone(estimator).set_params(init=start).fit(X)
    for name in {"cluster_prior", "word_prior"} & set(estimator.get_params()):
        for value in (0.5, np.inf):
            with pytest.raises(coterie.InputError, match=f"^{name}={value}: "):
                clone(estimator).set_params(**{name: value}).fit(X)
    with pytest.raises(coterie.InputError, match="^no counts: all 60 documents are empty"):
        clone(estimator).fit(X * 0)
