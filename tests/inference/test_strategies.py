"""Strategies of Rigouste, Cappé and Yvon: growing or fewer words, splits of clusters."""

import time
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie import (
    PLSA,
    Corpus,
    ExtPLSA,
    HierarchicalSplits,
    IncrementalVocabulary,
    InputError,
    MultinomialMixture,
    ReducedVocabulary,
    TwoPLSA,
    VonMisesFisherMixture,
    load_model,
    save_model,
)
from coterie.inference import hierarchical
from coterie.inference.hierarchical import divided, rounds, split_heaviest
from coterie.inference.incremental import drawn_around, regular_sizes
from planted import plant

MODELS = [MultinomialMixture(3), PLSA(3), ExtPLSA(3, 4), TwoPLSA(3, 4)]
STRATEGIES = [
    lambda model: IncrementalVocabulary(
        model, first_size=8, n_steps=3, n_init=4, random_state=0
    ),
    lambda model: HierarchicalSplits(model, n_init=4, random_state=0),
    lambda model: ReducedVocabulary(model, n_words=30, random_state=0),
]
every_strategy = pytest.mark.parametrize(
    "make", STRATEGIES, ids=["incremental", "hierarchical", "reduced"]
)
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)


@every_strategy
@every_model
def test_planted_clusters_are_found(make, model, corpus):
    X, documents, _ = corpus
    fitted = make(clone(model).set_params(n_init=8)).fit(X)
    assert adjusted_rand_score(documents, fitted.labels_) > 0.85
    assert_allclose(fitted.memberships_.sum(axis=1), 1)
    assert_allclose(fitted.components_.sum(axis=1), 1)
    assert fitted.components_.shape == (3, X.shape[1])
    assert fitted.predict_proba(X).shape == (60, 3)


@every_strategy
def test_same_seed_same_bits_on_any_number_of_threads(make):
    X = plant(60, 400, 3, 40, seed=0)[0]
    fits = []
    for n_threads in (1, 2, 4):
        with coterie.run_on("threads", n_threads=n_threads):
            fits.append(make(MultinomialMixture(3)).fit(X))
    for other in fits[1:]:
        assert_array_equal(other.memberships_, fits[0].memberships_)
        assert_array_equal(other.history_, fits[0].history_)
    changed = make(MultinomialMixture(3)).set_params(random_state=5).fit(X)
    assert not np.array_equal(changed.history_, fits[0].history_)


@every_strategy
def test_survives_saving(make, X, tmp_path):
    fitted = make(PLSA(3)).fit(X)
    save_model(fitted, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    assert_array_equal(loaded.labels_, fitted.labels_)
    assert type(loaded.estimator) is PLSA
    assert loaded.get_params()["estimator__n_clusters"] == 3


@every_strategy
def test_takes_a_corpus_and_keeps_its_vocabulary(make):
    texts = ["red apples green apples", "blue seas green seas"] * 10
    corpus = Corpus.from_texts(texts, options=coterie.TextOptions(language="en"))
    fitted = make(MultinomialMixture(2)).fit(corpus)
    assert fitted.vocabulary_ is corpus.vocabulary
    assert_array_equal(fitted.predict(corpus), fitted.labels_)


@every_strategy
def test_refit_forgets_the_first_fit(make, X):
    fresh = make(MultinomialMixture(3)).fit(X[:30])
    reused = make(MultinomialMixture(3)).fit(X).fit(X[:30])
    assert_array_equal(fresh.memberships_, reused.memberships_)


@every_strategy
def test_bad_estimators_and_counts_are_refused(make, X):
    with pytest.raises(InputError, match="estimator: expected a model of counts .*, got str"):
        make("mm").fit(X)
    with pytest.raises(InputError, match="estimator: expected .*, got VonMisesFisherMixture"):
        make(VonMisesFisherMixture(3)).fit(X)
    with pytest.raises(InputError, match="n_clusters=61: larger than the number of documents"):
        make(MultinomialMixture(61)).fit(X)
    with pytest.raises(InputError, match="Negative values"):
        make(MultinomialMixture(3)).fit(-X)


@every_strategy
def test_searches_leave_the_filters_of_warnings_alone(make):
    X = plant(60, 400, 3, 40, seed=0)[0]
    before = list(warnings.filters)
    with coterie.run_on("threads", n_threads=4):
        for seed in range(3):
            search = make(MultinomialMixture(3, tol=1e-3))
            search.set_params(random_state=seed).fit(X)
    assert warnings.filters == before


def stop_after(n_reports, reports):
    """A watcher that asks for a stop after some iterations."""

    def watcher(progress):
        reports.append(progress)
        if len(reports) == n_reports:
            raise KeyboardInterrupt

    return watcher


@every_strategy
def test_ctrl_c_ends_all_fits_before_the_search_returns(make, tmp_path):
    X = plant(60, 400, 3, 40, seed=0)[0]
    reports = []
    with (
        coterie.watching(stop_after(12, reports)),
        coterie.checkpointing(tmp_path / "state"),
        coterie.run_on("threads", n_threads=4),
        pytest.warns(coterie.InterruptedWarning),
    ):
        fitted = make(PLSA(3, tol=0, max_iter=300)).fit(X)
    n_reports = len(reports)
    time.sleep(0.2)
    assert len(reports) == n_reports
    assert fitted.components_.shape == (3, 400)
    with coterie.checkpointing(tmp_path / "state"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        resumed = make(PLSA(3, tol=0, max_iter=300)).fit(X)
        whole = make(PLSA(3, tol=0, max_iter=300)).fit(X)
    assert_array_equal(resumed.memberships_, whole.memberships_)


@every_strategy
@pytest.mark.parametrize("n_reports", [1, 9, 150])
def test_ctrl_c_leaves_the_best_so_far_on_all_words(make, n_reports):
    X = plant(60, 400, 3, 40, seed=0)[0]
    with (
        coterie.watching(stop_after(n_reports, [])),
        coterie.run_on("threads", n_threads=1),
        pytest.warns(coterie.InterruptedWarning) as warned,
    ):
        fitted = make(PLSA(3, tol=0)).fit(X)
    assert len(warned) == 1
    assert fitted.interrupted_
    assert fitted.components_.shape == (3, 400)
    assert fitted.memberships_.shape == (60, 3)
    assert_array_equal(fitted.predict(X), fitted.labels_)
    if isinstance(fitted, IncrementalVocabulary):
        assert fitted.sizes_[-1] == 400
        assert len(fitted.sizes_) == len(fitted.trace_)
    if isinstance(fitted, HierarchicalSplits):
        assert fitted.sizes_[-1] == len(fitted.parents_[-1]) == 3


class Stop(Exception):
    """What ends a search from outside."""


@every_strategy
@pytest.mark.parametrize("stop_at", [0.2, 0.4, 0.7, 0.9])
def test_a_resumed_search_gives_the_uninterrupted_answer(make, stop_at, tmp_path):
    X = plant(60, 400, 3, 40, seed=0)[0]
    reports = []
    with coterie.watching(reports.append):
        whole = make(MultinomialMixture(3)).fit(X)
    stop_at *= reports[-1].share

    def watcher(progress):
        if progress.share >= stop_at:
            raise Stop

    folder = tmp_path / "state"
    with coterie.run_on("threads", n_threads=1), coterie.checkpointing(folder, every=0):
        with pytest.raises(Stop), coterie.watching(watcher):
            make(MultinomialMixture(3)).fit(X)
        resumed = make(MultinomialMixture(3)).fit(X)
    assert_array_equal(resumed.memberships_, whole.memberships_)
    assert_array_equal(resumed.history_, whole.history_)
    assert not folder.exists()


def test_a_search_goes_on_where_it_stopped(X, tmp_path):
    """Steps that were done are not done again."""
    search = IncrementalVocabulary(
        MultinomialMixture(3), vocabulary_sizes=[10, 20], n_init=3, random_state=0
    )

    def in_the_last_step(progress):
        if progress.stage == "Fitting 40 words":
            raise Stop

    with (
        pytest.raises(Stop),
        coterie.checkpointing(tmp_path / "state"),
        coterie.watching(in_the_last_step),
    ):
        clone(search).fit(X)
    with (
        coterie.checkpointing(tmp_path / "state"),
        pytest.raises(InputError, match="checkpoint of another fit, its parameters: .*n_kept"),
    ):
        clone(search).set_params(n_kept=1).fit(X)
    with (
        coterie.checkpointing(tmp_path / "state"),
        pytest.raises(InputError, match="checkpoint of another fit, its parameters: .*tol"),
    ):
        clone(search).set_params(estimator__tol=1e-3).fit(X)
    reports = []
    with coterie.checkpointing(tmp_path / "state"), coterie.watching(reports.append):
        resumed = clone(search).fit(X)
    assert {progress.stage for progress in reports} == {"Fitting 40 words"}
    assert min(progress.share for progress in reports) > 2 / 3
    assert [len(objectives) for objectives in resumed.trace_] == [3, 3, 3]
    assert resumed.sizes_ == [10, 20, 40]


@every_strategy
def test_progress_rises_to_the_whole(make, X):
    reports = []
    with coterie.watching(reports.append):
        fitted = make(MultinomialMixture(3)).fit(X)
    shares = [progress.share for progress in reports]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.3
    assert 0.3 < shares[-1] <= 1  # how many iterations the last fit takes is not known
    n_stages = len(getattr(fitted, "sizes_", [1]))
    assert len({progress.stage for progress in reports}) == n_stages


@every_strategy
@every_model
def test_fitted_documents_are_assigned_as_new_ones(make, model, X, tmp_path):
    fitted = make(model).fit(X)
    save_model(fitted, tmp_path / "model")
    for each in (fitted, load_model(tmp_path / "model")):
        assert_array_equal(each.predict(X), fitted.labels_)
        assert_allclose(each.transform(X), fitted.memberships_, atol=1e-5)
    sizes = np.bincount(fitted.labels_, minlength=3)
    assert np.all(np.diff(sizes) <= 0)
    known = X[:, fitted.columns_]
    assert_array_equal(fitted.estimator_.predict(known), fitted.labels_)
    assert_array_equal(fitted.estimator_.labels_, fitted.labels_)
    assert_allclose(fitted.components_[:, fitted.columns_], fitted.estimator_.components_)
    n_word_clusters = getattr(model, "n_word_clusters", 3)
    assert fitted.word_components_.shape == (n_word_clusters, X.shape[1])
    assert fitted.word_memberships_.shape == (X.shape[1], n_word_clusters)
    assert fitted.word_labels_.max() < n_word_clusters
    assert_allclose(fitted.score(X), fitted.log_likelihood(X) / known.sum())


@every_strategy
def test_takes_texts(make):
    texts = ["red apples green apples", "blue seas green seas"] * 10
    fitted = make(MultinomialMixture(2)).fit(texts)
    assert_array_equal(fitted.predict(texts), fitted.labels_)


@every_strategy
def test_a_fit_without_convergence_warns_once(make, X):
    with pytest.warns(ConvergenceWarning, match="did not converge in max_iter=2") as warned:
        make(PLSA(3, max_iter=2)).fit(X)
    assert len(warned) == 1


def test_the_most_likely_runs_go_on(X):
    """Section 7: each step draws around the best of the step before, and keeps the best."""
    search = IncrementalVocabulary(
        MultinomialMixture(3), vocabulary_sizes=[10, 20], n_init=6, random_state=0
    ).fit(X)
    assert search.sizes_ == [10, 20, 40]
    assert [len(objectives) for objectives in search.trace_] == [6, 6, 6]
    for objectives in search.trace_:
        assert np.all(np.diff(objectives) <= 0)
    assert search.history_[-1] == search.trace_[-1][0]


def test_all_runs_of_the_last_step_are_there_for_another_fit(X):
    search = IncrementalVocabulary(
        MultinomialMixture(3), vocabulary_sizes=[10], n_init=5, random_state=0
    )
    search._fit(X)
    objectives = [run.history_[-1] for run in search._last_runs]
    assert_array_equal(objectives, search.trace_[-1])
    assert all(run.components_.shape == (3, 40) for run in search._last_runs)
    assert not clone(search).fit(X)._last_runs


def test_steps_start_from_the_best_runs(X):
    """With draws this tight around one run, the next step begins where that one ended."""
    search = IncrementalVocabulary(
        MultinomialMixture(3), vocabulary_sizes=[39], n_init=3, n_kept=1,
        concentration=1e9, random_state=0,
    ).fit(X)  # fmt: skip
    assert np.ptp(search.trace_[1]) < 1e-3 * abs(search.trace_[1][0])
    assert search.n_iter_ < 8


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("vocabulary_sizes", [5]), ("n_steps", 2), ("first_size", 20), ("n_init", 1),
     ("n_kept", 1), ("concentration", 3.0), ("random_state", 7)],
)  # fmt: skip
def test_every_parameter_of_incremental_vocabulary_matters(parameter, value, X):
    usual = IncrementalVocabulary(
        MultinomialMixture(4), first_size=8, n_steps=4, n_init=6, random_state=0
    )
    changed = clone(usual).set_params(**{parameter: value})
    if parameter == "vocabulary_sizes":
        with pytest.raises(InputError, match="n_steps, first_size: for automatic sizes only"):
            clone(changed).fit(X)
        changed.set_params(n_steps=5, first_size=500)
    changed.fit(X)
    usual.fit(X)
    same = [np.array_equal(a, b) for a, b in zip(usual.trace_, changed.trace_, strict=False)]
    assert len(usual.trace_) != len(changed.trace_) or not all(same)


@pytest.mark.parametrize(
    ("parameter", "value", "complaint"),
    [
        ("vocabulary_sizes", "some", "vocabulary_sizes='some': expected 'auto' or sizes"),
        ("vocabulary_sizes", [5, 3], r"vocabulary_sizes=\[5, 3\]: expected rising"),
        ("vocabulary_sizes", [], r"vocabulary_sizes=\[\]: expected rising"),
        ("n_init", 0, "n_init=0: expected a whole number"),
        ("concentration", 0, "concentration=0: expected a finite number above zero"),
    ],
)
def test_impossible_parameters_are_named(parameter, value, complaint, X):
    search = IncrementalVocabulary(MultinomialMixture(3), **{parameter: value})
    with pytest.raises(InputError, match=complaint):
        search.fit(X)


def test_sizes_grow_by_equal_numbers_of_occurrences():
    totals = np.random.default_rng(0).zipf(1.5, size=5000).astype(float)
    sizes = regular_sizes(totals, 50, 5)
    assert sizes[0] == 50
    assert sizes[-1] == 5000
    covered = np.cumsum(np.sort(totals)[::-1])[np.array(sizes) - 1]
    steps = np.diff(covered)
    assert np.all(np.abs(steps - steps.mean()) < 0.1 * steps.mean())
    assert regular_sizes(np.ones(10), 50, 5) == [10]


def test_draws_are_centred_on_memberships():
    centre = np.tile([0.7, 0.2, 0.1, 0.0], (20_000, 1))
    drawn = drawn_around(centre, 20.0, np.random.default_rng(0))
    assert_allclose(drawn.sum(axis=1), 1)
    assert_allclose(drawn.mean(axis=0), [0.7, 0.2, 0.1, 0.0], atol=0.005)
    tight = drawn_around(centre, 2000.0, np.random.default_rng(0))
    assert tight.std() < drawn.std()


def test_splits_double_until_there_are_enough():
    assert rounds(4) == [2, 4]
    assert rounds(7) == [2, 4, 7]
    assert rounds(2) == [2]
    assert_array_equal(split_heaviest(np.array([1.0, 9.0]), 4), [0, 1, 1, 1])


def test_children_lie_within_their_parents(corpus):
    """Before fitting again, a document's shares of the children add up to the parent's."""
    X, _, _ = corpus
    search = HierarchicalSplits(MultinomialMixture(4), n_init=2, random_state=0).fit(X)
    assert search.sizes_ == [2, 4]
    assert [len(parents) for parents in search.parents_] == [4]
    assert set(search.parents_[0]) == {0, 1}
    before = np.random.default_rng(0).dirichlet([1, 1], size=50)
    after = divided(before, np.array([0, 0, 0, 1]), 5.0, np.random.default_rng(1))
    assert_allclose(after[:, :3].sum(axis=1), before[:, 0])
    assert_allclose(after[:, 3], before[:, 1])
    assert after[:, :3].std(axis=1).min() > 0


def test_reduced_vocabulary_looks_at_frequent_words_only(X):
    fitted = ReducedVocabulary(MultinomialMixture(3), n_words=10, random_state=0).fit(X)
    frequent = np.argsort(-X.sum(axis=0), kind="stable")[:10]
    assert set(fitted.columns_) == set(frequent)
    rare = np.setdiff1d(np.arange(40), frequent)
    changed = X.toarray()
    changed[:, rare] = 0
    assert_array_equal(fitted.predict_proba(changed), fitted.predict_proba(X))
    assert np.all(fitted.components_[:, rare] == 0)
    assert np.all(fitted.word_labels_[rare] == -1)


def test_the_higher_the_concentration_the_nearer_to_one_half_clusters_are_divided(monkeypatch):
    whole, parents = np.ones((20_000, 1)), np.array([0, 0])
    for concentration in (0.5, 10.0, 400.0):
        first = divided(whole, parents, concentration, np.random.default_rng(0))[:, 0]
        assert_allclose(first.mean(), 0.5, atol=0.01)
        assert_allclose(first.std(), 0.5 / np.sqrt(2 * concentration + 1), rtol=0.03)
    passed = []

    def divided_as(memberships, parents, concentration, rng):
        passed.append(concentration)
        return divided(memberships, parents, concentration, rng)

    monkeypatch.setattr(hierarchical, "divided", divided_as)
    X = plant(20, 10, 2, 20, seed=0)[0]
    HierarchicalSplits(MultinomialMixture(2), n_init=1, concentration=7.5).fit(X)
    assert passed == [7.5]
