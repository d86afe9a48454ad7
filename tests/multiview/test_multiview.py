"""What is true of the estimators of several views."""

import pickle
import re

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie import (
    PLSA,
    ConcPLSA,
    Corpus,
    FusionLM,
    InputError,
    InterruptedWarning,
    TextOptions,
    VotedPLSA,
    checkpointing,
    load_model,
    run_on,
    save_model,
    watching,
)

ESTIMATORS = [
    VotedPLSA(3, random_state=0, n_init=3),
    ConcPLSA(3, random_state=0, n_init=3),
    FusionLM(3, random_state=0, n_init=3),
    FusionLM(3, random_state=0, n_init=3, relation=True),
]
every = pytest.mark.parametrize(
    "estimator", ESTIMATORS, ids=["voted", "concatenated", "fusion", "relation"]
)
SHORT = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@every
def test_finds_planted_clusters_in_every_view(estimator, planted):
    views, documents = planted
    fitted = clone(estimator).fit(views)
    assert adjusted_rand_score(documents, fitted.labels_) > 0.95
    for name, counts in zip(fitted.view_names_, views, strict=True):
        components = fitted.view_components_[name]
        assert components.shape == (3, counts.shape[1])
        assert_allclose(components.sum(axis=1), 1)
        words = components.argmax(axis=0)
        assert adjusted_rand_score(np.arange(counts.shape[1]) % 3, words) > 0.8


@every
def test_parameters_are_distributions_and_the_objective_never_falls(estimator, views):
    fitted = clone(estimator).fit(views)
    for rows in (fitted.components_, fitted.memberships_, fitted.weights_[None]):
        assert rows.min() >= 0
        assert_allclose(rows.sum(axis=1), 1)
    history = fitted.history_
    assert np.all(np.diff(history) >= -1e-12 * np.abs(history[1:]))


@every
def test_same_seed_same_bits_on_any_number_of_threads(estimator, make_views):
    views, _ = make_views(n_documents=400, widths=(40, 30))
    fits = []
    for n_threads in (1, 2):
        with run_on("threads", n_threads=n_threads):
            fits.append(clone(estimator).set_params(n_init=1).fit(views))
    assert_array_equal(fits[0].memberships_, fits[1].memberships_)
    assert_array_equal(fits[0].components_, fits[1].components_)


@every
def test_lists_and_mappings_and_corpora_give_the_same_fit(estimator, views):
    texts = {
        name: [" ".join(f"w{w}" for w in row.indices for _ in range(int(row[[0], [w]][0])))
               for row in (counts[[d]] for d in range(20))]
        for name, counts in views.items()
    }  # fmt: skip
    english = TextOptions(language="en", min_df=1)
    corpus = Corpus.from_texts(texts, options=dict.fromkeys(texts, english))
    from_corpus = clone(estimator).fit(corpus)
    matrices = {name: view.counts for name, view in corpus.views.items()}
    for other in (matrices, list(matrices.values())):
        again = clone(estimator).fit(other)
        assert_array_equal(again.memberships_, from_corpus.memberships_)
        assert_array_equal(again.predict(other), from_corpus.predict(corpus))
    assert list(from_corpus.vocabulary_) == ["en", "de", "fr"]
    shuffled = {name: matrices[name] for name in ("fr", "en", "de")}
    assert_array_equal(from_corpus.predict(shuffled), from_corpus.predict(corpus))
    with pytest.raises(InputError, match="view 'de': the corpus has other words than"):
        from_corpus.predict(corpus.select_words(np.arange(5), "de"))


@every
def test_new_documents_are_assigned_by_the_views_they_have(estimator, planted, views):
    documents = planted[1]
    fitted = clone(estimator).fit(views)
    assert_array_equal(fitted.predict(views), fitted.labels_)
    assert_allclose(fitted.transform(views).sum(axis=1), 1)
    for left_out in views:
        some = {name: counts for name, counts in views.items() if name != left_out}
        assert adjusted_rand_score(documents, fitted.predict(some)) > 0.9
    alone = {name: counts[[4]] for name, counts in views.items()}
    assert_allclose(fitted.predict_proba(alone)[0], fitted.predict_proba(views)[4], atol=1e-9)
    assert np.isfinite(fitted.score(views))
    assert fitted.perplexity(views) > 1


@every
def test_refit_forgets_the_first_fit_and_leaves_its_input_alone(estimator, views):
    before = {name: counts.copy() for name, counts in views.items()}
    few = {name: counts[:30] for name, counts in views.items()}
    reused = clone(estimator).fit(views).fit(few)
    assert_array_equal(clone(estimator).fit(few).memberships_, reused.memberships_)
    for name, counts in views.items():
        assert (before[name] != counts).nnz == 0


@every
def test_survives_pickle_clone_and_being_saved(estimator, views, tmp_path):
    fitted = clone(estimator).fit(views)
    expected = fitted.predict_proba(views)
    for other in (pickle.loads(pickle.dumps(fitted)), saved(fitted, tmp_path)):
        assert_array_equal(other.predict_proba(views), expected)
        assert other.view_names_ == ["en", "de", "fr"]
        assert_array_equal(other.view_components_["de"], fitted.view_components_["de"])
    with pytest.raises(NotFittedError):
        clone(fitted).predict(views)


def saved(model, tmp_path):
    save_model(model, tmp_path / "model")
    assert not list((tmp_path / "model").glob("*.pkl"))
    return load_model(tmp_path / "model")


def test_a_base_from_another_library_is_not_saved(views, tmp_path):
    fitted = VotedPLSA(3, KMeans(n_init=1), random_state=0).fit(views)
    with pytest.raises(InputError, match="KMeans"):
        save_model(fitted, tmp_path / "model")


@every
def test_documents_that_lack_views_are_clustered_by_those_they_have(estimator, planted, views):
    documents = planted[1]
    rng = np.random.default_rng(1)
    lacking = {}
    left_out = rng.integers(4, size=60)  # the view a document lacks; 3 is none
    for number, (name, counts) in enumerate(views.items()):
        dense = counts.toarray()
        dense[left_out == number] = 0
        lacking[name] = sp.csr_array(dense)
    dense = lacking["en"].toarray()
    dense[5], left_out[5] = 0, 0
    for name in ("de", "fr"):
        other = lacking[name].tolil()
        other[5] = 0
        lacking[name] = other.tocsr()
    lacking["en"] = sp.csr_array(dense)
    fitted = clone(estimator).fit(lacking)
    known = np.arange(60) != 5
    assert adjusted_rand_score(documents[known], fitted.labels_[known]) > 0.9
    assert_allclose(fitted.memberships_[5], 1 / 3)
    if isinstance(fitted, VotedPLSA):
        for number in range(3):
            assert_array_equal(fitted.patterns_[:, number] == -1, lacks(lacking, number))
        assert fitted.preassigned_[5] == -1
        two_votes = (left_out < 3) & known
        assert np.count_nonzero(fitted.preassigned_[two_votes] >= 0) > 20


def lacks(views, number):
    return np.diff(list(views.values())[number].indptr) == 0


@every
def test_bad_views_are_named_in_one_line(estimator, views):
    en, de = views["en"], views["de"]
    for matrices, complaint in [
        ({"en": en, "de": de[:50]}, r"views: different numbers of documents (en 60, de 50)"),
        ({"en": en, "de": de * 0}, "view 'de': empty, none of its 60 documents has words"),
        ({"en": en, "de": -de}, "view 'de': Negative values in data passed to PLSA"),
        ({"en": en, "de": np.full((60, 2), np.nan)}, "view 'de': Input X contains NaN"),
        ({}, "views: expected at least one, got none"),
        (en, "X: expected a list or mapping of matrices or a Corpus, got csr_array"),
        (
            ["red tea", "blue sea"],
            "X: texts; Corpus.from_texts makes a corpus of several views",
        ),
        ("red tea", "X: texts; Corpus.from_texts makes"),
        ({"en": en, "de": ["roter Tee"] * 60}, "view 'de': texts; Corpus.from_texts makes"),
    ]:
        with pytest.raises(InputError, match="^" + re.escape(complaint)) as error:
            clone(estimator).fit(matrices)
        assert "\n" not in str(error.value)
    fitted = clone(estimator).fit(views)
    for matrices, complaint in [
        ([en, de], "views: 2, expected 3: en, de, fr"),
        ({"en": en, "it": de}, "view 'it': not known; there are en, de, fr"),
        ({"en": de}, "view 'en': 30 columns, expected 40"),
    ]:
        with pytest.raises(InputError, match="^" + complaint):
            fitted.predict(matrices)


def test_one_view_cannot_vote_but_can_be_concatenated(views):
    with pytest.raises(InputError, match="views: 'en' only, VotedPLSA needs at least two"):
        VotedPLSA(3).fit({"en": views["en"]})
    alone = ConcPLSA(3, random_state=0).fit({"en": views["en"]})
    assert_array_equal(alone.labels_, PLSA(3, random_state=0).fit(views["en"]).labels_)


def test_impossible_parameters_are_named(views):
    for settings, complaint in [
        ({"n_clusters": 0}, "n_clusters=0: expected"),
        ({"n_clusters": 61}, "n_clusters=61: larger than the number of documents"),
        ({"base": "best"}, "base='best': expected 'plsa', 'mm', 'lda', 'ext-plsa' or"),
        ({"base": 3}, "base=3: expected"),
        ({"n_view_clusters": 0}, "n_view_clusters=0: expected"),
        ({"agreement": 0}, "agreement=0: expected a share above 0, up to 1"),
        ({"agreement": 1.5}, "agreement=1.5: expected"),
        ({"agreement": "most"}, "agreement='most': expected"),
        ({"vector_weight": 0}, "vector_weight=0: expected"),
        ({"vector_weight": 3.0}, "vector_weight=3.0: there is no view of vectors; leave it"),
        ({"base": PLSA}, "base=<class 'coterie.models.plsa.PLSA'>: expected"),
        (
            {"base": NoSize(), "n_view_clusters": 4},
            "n_view_clusters=4: NoSize has no such parameter",
        ),
        ({"base": NoSize(), "n_init": 2}, "n_init=2: NoSize has no restarts; leave it at 1"),
        ({"max_iter": 0}, "max_iter=0: expected"),
        ({"n_init": 0}, "n_init=0: expected"),
        ({"tol": -1}, "tol=-1: expected"),
        ({"vectors": "en"}, "vectors='en': expected a list of names"),
        ({"vectors": ["it"]}, "vectors: no view 'it'; there are en, de, fr"),
        ({"vectors": [3]}, "vectors: no view 3; there are en, de, fr"),
        ({"vectors": [0, 1, 2]}, "views: vectors only, expected at least one view of words"),
        (
            {"n_view_clusters": 99},
            "view 'en': n_clusters=99: larger than the number of documents",
        ),
    ]:
        with pytest.raises(InputError, match="^" + re.escape(complaint)):
            VotedPLSA(3).set_params(**settings).fit(views)
    for estimator, complaint in [
        (FusionLM(3, relation="yes"), "relation='yes': expected True or False"),
        (ConcPLSA(3, init="best"), "init='best': expected"),
        (ConcPLSA(3, vector_weight=2.0), "vector_weight=2.0: there is no view of vectors"),
    ]:
        with pytest.raises(InputError, match="^" + re.escape(complaint)):
            estimator.fit(views)
    assert "vector_weight" not in FusionLM().get_params()
    corpus = Corpus.from_texts({"en": ["red tea", "blue sea"], "de": ["rot", "blau"]})
    with pytest.raises(InputError, match="^vectors: expected nothing for a Corpus"):
        VotedPLSA(2, vectors=["en"]).fit(corpus)


class NoSize(ClusterMixin, BaseEstimator):
    """A clusterer of another library: no number of clusters, no restarts, no new documents."""

    def fit(self, X, y=None):  # noqa: ARG002
        self.labels_ = KMeans(3, n_init=3, random_state=0).fit_predict(X)
        return self


PARAMETERS = [
    (VotedPLSA(3), "n_clusters", 4),
    (VotedPLSA(3), "base", "mm"),
    (VotedPLSA(3), "n_view_clusters", 5),
    (VotedPLSA(3), "agreement", 1.0),
    (VotedPLSA(3), "vectors", []),
    (VotedPLSA(3), "vector_weight", 3.0),
    (VotedPLSA(3), "max_iter", 3),
    (VotedPLSA(3), "tol", 1e-2),
    (VotedPLSA(3), "n_init", 4),
    (VotedPLSA(3, PLSA()), "n_init", 4),
    (VotedPLSA(3), "random_state", 1),
    (ConcPLSA(3), "n_clusters", 4),
    (ConcPLSA(3), "init", "kmeans"),
    (ConcPLSA(3), "vectors", []),
    (ConcPLSA(3), "vector_weight", 3.0),
    (ConcPLSA(3), "max_iter", 3),
    (ConcPLSA(3), "tol", 1e-2),
    (ConcPLSA(3), "n_init", 4),
    (ConcPLSA(3), "random_state", 1),
    (FusionLM(3), "n_clusters", 4),
    (FusionLM(3), "base", "mm"),
    (FusionLM(3), "n_view_clusters", 5),
    (FusionLM(3), "relation", True),
    (FusionLM(3), "vectors", []),
    (FusionLM(3), "max_iter", 3),
    (FusionLM(3), "tol", 1e-2),
    (FusionLM(3), "n_init", 4),
    (FusionLM(3), "random_state", 1),
]


@SHORT
@pytest.mark.parametrize(("estimator", "parameter", "value"), PARAMETERS)
def test_every_parameter_matters(estimator, parameter, value, make_views, make_vectors):
    views, documents = make_views(purity=0.25, length=15, widths=(30, 20))
    views.append(np.abs(make_vectors(documents, spread=2.0)))
    usual = clone(estimator).set_params(**{"vectors": [2], "random_state": 0}).fit(views)
    changed = clone(usual).set_params(**{parameter: value}).fit(views)
    assert not np.array_equal(usual.history_, changed.history_)


def test_no_parameter_is_forgotten_and_none_has_too_many():
    swept = {(type(estimator), parameter) for estimator, parameter, _ in PARAMETERS}
    assert swept == {(type(e), name) for e in ESTIMATORS for name in e.get_params()}
    assert all(len(estimator.get_params()) <= 10 for estimator in ESTIMATORS)


def test_concatenation_is_plsa_on_the_views_side_by_side(views):
    ours = ConcPLSA(3, random_state=5).fit(views)
    plsa = PLSA(3, random_state=5).fit(sp.hstack(list(views.values())))
    assert_allclose(ours.memberships_, plsa.memberships_, rtol=1e-9)
    assert_allclose(ours.components_, plsa.components_, rtol=1e-9)
    assert_allclose(
        ours.predict_proba(views), plsa.predict_proba(sp.hstack(list(views.values())))
    )


def test_votes_say_how_documents_were_preassigned(make_views):
    views, _ = make_views(purity=0.3, length=15)
    fitted = VotedPLSA(3, random_state=0).fit(views)
    agreed = fitted.preassigned_ >= 0
    assert 0 < fitted.n_preassigned_ == agreed.sum() < 60
    votes = np.zeros((3, 4), dtype=int)
    for pattern, cluster in zip(fitted.patterns_, fitted.preassigned_, strict=True):
        if cluster >= 0:
            votes[cluster, (pattern == fitted.signatures_[cluster]).sum()] += 1
    assert_array_equal(fitted.votes_, votes)
    assert votes[:, :2].sum() == 0
    assert_array_equal(fitted.memberships_[agreed], np.eye(3)[fitted.preassigned_[agreed]])
    assert_array_equal(fitted.labels_[agreed], fitted.preassigned_[agreed])
    strict = VotedPLSA(3, agreement=1.0, random_state=0).fit(views)
    assert_array_equal(strict.patterns_, fitted.patterns_)
    equal = [(strict.signatures_ == each).all(axis=1).any() for each in strict.patterns_]
    assert strict.n_preassigned_ == sum(equal) < fitted.n_preassigned_


def test_the_patterns_are_the_labels_of_models_of_single_views(views):
    seeds = np.random.RandomState(7).randint(2**31, size=4)
    fitted = VotedPLSA(3, n_view_clusters=4, random_state=7).fit(views)
    for number, counts in enumerate(views.values()):
        alone = PLSA(4, random_state=int(seeds[number]))
        alone._fit(counts)  # clusters in the order of the fit
        assert_array_equal(fitted.patterns_[:, number], alone.predict(counts))
        model = fitted.view_models_[number]
        assert_array_equal(fitted.patterns_[:, number], model.predict(counts))
        assert_array_equal(model.labels_, model.predict(counts))


@SHORT
@pytest.mark.parametrize(
    "base", ["plsa", "mm", "lda", "ext-plsa", PLSA(init="kmeans"), KMeans(n_init=3)], ids=str
)
def test_any_model_may_vote(base, planted):
    views, documents = planted
    fitted = VotedPLSA(3, base, random_state=0).fit(views)
    assert adjusted_rand_score(documents, fitted.labels_) > 0.9
    if base == "lda":
        return  # slow, and the same code
    fused = FusionLM(3, base, random_state=0).fit(views)
    assert adjusted_rand_score(documents, fused.labels_) > 0.9
    assert adjusted_rand_score(documents, fused.predict(views)) > 0.9


def test_permuting_documents_permutes_the_result(views):
    rng = np.random.default_rng(0)
    q, order = rng.dirichlet([1, 1, 1], size=60), rng.permutation(60)
    usual = VotedPLSA(3, PLSA(init=q)).fit(views)
    permuted = {name: counts[order] for name, counts in views.items()}
    other = VotedPLSA(3, PLSA(init=q[order])).fit(permuted)
    assert_allclose(other.memberships_, usual.memberships_[order], atol=1e-9)
    assert_allclose(other.components_, usual.components_, atol=1e-12)


def test_fusion_is_fitted_to_memberships_side_by_side_or_to_a_relation(views):
    flat = FusionLM(3, random_state=0).fit(views)
    shares = [model.memberships_ for model in flat.view_models_]
    again = PLSA(3, random_state=int(np.random.RandomState(0).randint(2**31, size=4)[3]))
    assert_array_equal(again.fit(np.hstack(shares)).labels_, flat.labels_)
    related = FusionLM(3, relation=True, random_state=0).fit(views)
    R = related._fused_counts(shares).toarray()
    for d, e in [(0, 0), (3, 8), (59, 1)]:
        expected = 0.0
        for p in shares:
            for z in range(3):
                p_z = sum(p[:, z]) / 60
                p_dz, p_ez = p[d, z] / sum(p[:, z]), p[e, z] / sum(p[:, z])
                expected += p_dz * p_ez * p_z
        assert_allclose(R[d, e] / 60, expected, rtol=1e-9)


def test_fusion_learns_nothing_from_a_view_that_is_not_there(views):
    fitted = FusionLM(3, random_state=0).fit(views)
    shares = np.zeros((60, 9))
    shares[:, 3:6] = fitted.view_models_[1].predict_proba(views["de"])
    expected = fitted.fused_.predict_proba(shares)
    assert fitted.score({"de": views["de"]}) == fitted.fused_.score(shares)
    assert_allclose(fitted.predict_proba({"de": views["de"]}), expected)


def test_a_vector_counts_as_much_as_a_view_of_words(views, vectors):
    lacking = views["de"].tolil()
    lacking[:20] = 0
    matrices = {"en": views["en"], "de": lacking.tocsr(), "photo": vectors}
    fitted = ConcPLSA(3, vectors=["photo"], random_state=0).fit(matrices)
    words = views["en"].sum() + views["de"][20:].sum()
    assert_allclose(fitted.vector_weight_, words / (60 + 40))
    set_by_hand = ConcPLSA(3, vectors=["photo"], vector_weight=4.0, random_state=0).fit(
        matrices
    )
    assert set_by_hand.vector_weight_ == 4.0


def test_vectors_vote_and_join_the_second_stage(views, vectors, planted):
    documents = planted[1]
    matrices = {"en": views["en"], "photo": vectors}
    with pytest.raises(InputError, match="view 'photo': Negative .*; vectors= names views"):
        VotedPLSA(3).fit(matrices)
    for estimator in (VotedPLSA(3), ConcPLSA(3, n_init=3), FusionLM(3, n_init=3)):
        fitted = estimator.set_params(vectors=["photo"], random_state=0).fit(matrices)
        assert adjusted_rand_score(documents, fitted.labels_) > 0.95
        assert adjusted_rand_score(documents, fitted.predict(matrices)) > 0.95
        assert adjusted_rand_score(documents, fitted.predict({"photo": vectors})) > 0.95
        assert list(fitted.view_components_) == ["en"]


def test_vectors_decide_where_words_do_not(make_views, make_vectors):
    (noise,), documents = make_views(widths=(30,), purity=0.0)
    x = make_vectors(documents)
    x[:5] = 0
    model = VotedPLSA(3, vectors=[1], random_state=0, n_init=3).fit([noise, x])
    assert adjusted_rand_score(documents[5:], model.labels_[5:]) > 0.6
    assert_array_equal(model.patterns_[:5, 1], -1)
    heavy = ConcPLSA(3, "kmeans", vectors=[1], vector_weight=1e4, random_state=0).fit(
        [noise, x]
    )
    light = ConcPLSA(3, "kmeans", vectors=[1], vector_weight=1e-4, random_state=0).fit(
        [noise, x]
    )
    scores = [adjusted_rand_score(documents[5:], m.labels_[5:]) for m in (heavy, light)]
    assert scores[0] > 0.9 > scores[1] + 0.5


def test_a_model_with_vectors_is_saved(views, vectors, tmp_path):
    matrices = {"en": views["en"], "de": views["de"], "photo": vectors}
    for estimator in (VotedPLSA(3), FusionLM(3)):
        fitted = estimator.set_params(vectors=["photo"], random_state=0).fit(matrices)
        again = saved(fitted, tmp_path)
        assert_array_equal(again.predict_proba(matrices), fitted.predict_proba(matrices))


def test_progress_names_every_view_and_the_second_stage(views):
    reports = []
    with watching(reports.append):
        VotedPLSA(3, random_state=0).fit(views)
    stages = list(dict.fromkeys(progress.stage for progress in reports))
    names = [f"Fitting view '{name}'" for name in views]
    assert stages == [*names, "Fitting all views"]
    for number, stage in enumerate(stages):
        shares = [progress.share for progress in reports if progress.stage == stage]
        assert number / 4 < min(shares) <= max(shares) <= (number + 1) / 4


@pytest.mark.parametrize(
    ("estimator", "stop_in", "n_iter"),
    [
        (VotedPLSA(3), "Fitting view 'de'", 1),
        (VotedPLSA(3), "Fitting all views", 2),
        (FusionLM(3), "Fitting view 'en'", 1),
        (FusionLM(3), "Fitting all views", 2),
        (ConcPLSA(3), "", 2),
    ],
)
def test_ctrl_c_ends_the_fit_with_the_best_result_so_far(estimator, stop_in, n_iter, views):
    def stop(progress):
        if progress.stage == stop_in and progress.iteration == 2:
            raise KeyboardInterrupt

    with watching(stop), pytest.warns(InterruptedWarning) as warned:
        fitted = clone(estimator).set_params(random_state=0).fit(views)
    assert len(warned) == 1
    assert fitted.interrupted_
    assert fitted.n_iter_ == n_iter
    assert_allclose(fitted.memberships_.sum(axis=1), 1)
    assert_array_equal(fitted.predict(views), fitted.labels_)


def test_a_checkpoint_is_left_alone_by_votes_and_used_by_concatenation(views, tmp_path):
    with checkpointing(tmp_path / "state", every=0):
        VotedPLSA(3, random_state=0).fit(views)
        ConcPLSA(3, random_state=0).fit(views)
    assert not (tmp_path / "state").exists()


@every
@pytest.mark.parametrize("with_vectors", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fitted_documents_are_assigned_as_new_ones(
    estimator, with_vectors, dtype, make_views, make_vectors, tmp_path
):
    """Also those whose views disagree, that lack views or have none at all."""
    matrices, documents = make_views(n_documents=150, purity=0.3, length=15)
    matrices = {name: each.toarray() for name, each in zip("abc", matrices, strict=True)}
    matrices["a"][:20] = matrices["b"][10:30] = 0
    for each in matrices.values():
        each[40] = 0
    views = {name: sp.csr_array(each.astype(dtype)) for name, each in matrices.items()}
    if with_vectors:
        views["x"] = make_vectors(documents, spread=1.5)
        views["x"][[3, 40]] = 0
        estimator = clone(estimator).set_params(vectors=["x"])
    fitted = clone(estimator).fit(views)
    for each in (fitted, saved(fitted, tmp_path)):
        assert_array_equal(each.predict(views), fitted.labels_)
        assert_allclose(each.transform(views), fitted.memberships_, atol=1e-5)
    sizes = np.bincount(np.delete(fitted.labels_, 40), minlength=3)
    assert np.all(np.diff(sizes) <= 0)


@every
def test_everything_by_cluster_is_in_the_same_order(estimator, views, vectors):
    views = views | {"photo": vectors}
    fitted = clone(estimator).set_params(vectors=["photo"]).fit(views)
    k = fitted.labels_
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    for cluster in range(3):
        words = sp.hstack([views[name] for name in fitted.view_components_])[k == cluster]
        assert np.corrcoef(words.sum(axis=0), fitted.components_[cluster])[0, 1] > 0.9
        for name, components in fitted.view_components_.items():
            words = views[name][k == cluster].sum(axis=0)
            assert np.corrcoef(words, components[cluster])[0, 1] > 0.9
        if not isinstance(fitted, FusionLM):
            mean = (vectors / lengths)[k == cluster].mean(axis=0)
            assert fitted.directions_[cluster] @ mean > 0.9 * np.linalg.norm(mean)
        if isinstance(fitted, VotedPLSA):
            members = fitted.preassigned_ == cluster
            assert set(k[members]) == {cluster}
            assert members.sum() == fitted.votes_[cluster].sum()
            common = (fitted.patterns_[members] == fitted.signatures_[cluster]).sum(axis=1)
            assert common.min() >= 3
    if isinstance(fitted, FusionLM):
        assert_array_equal(fitted.fused_.labels_, fitted.labels_)
        assert_array_equal(fitted.fused_.memberships_, fitted.memberships_)


def test_new_documents_vote(make_views):
    """A new document is whole in the cluster its views agree on, else folded in."""
    views, _ = make_views(n_documents=200, purity=0.3, length=15)
    fitted = VotedPLSA(3, random_state=0).fit([counts[:100] for counts in views])
    new = [counts[100:] for counts in views]
    memberships = fitted.transform(new)
    votes = [model.predict(X) for model, X in zip(fitted.view_models_, new, strict=True)]
    by_words = PLSA(3)
    by_words.components_ = fitted.components_
    folded = by_words.predict_proba(sp.hstack(new))
    n_agreed = 0
    for d, pattern in enumerate(np.column_stack(votes)):
        common = (pattern == fitted.signatures_).sum(axis=1)
        if common.max() >= 2:
            n_agreed += 1
            best = np.flatnonzero(common == common.max())
            cluster = best[fitted.signature_ranks_[best].argmin()]
            assert_array_equal(memberships[d], np.eye(3)[cluster])
        else:
            assert_allclose(memberships[d], folded[d], atol=1e-12)
            assert memberships[d].max() < 1
    assert 0 < n_agreed < 100


def test_without_predict_new_documents_are_folded_in_or_refused(planted):
    views, documents = planted
    voted = VotedPLSA(3, NoSize(), random_state=0).fit(views)
    assert voted.n_preassigned_ > 50
    assert adjusted_rand_score(documents, voted.labels_) > 0.9
    assert adjusted_rand_score(documents, voted.predict(views)) > 0.9
    assert voted.transform(views).max() < 1
    fused = FusionLM(3, NoSize(), random_state=0).fit(views)
    assert adjusted_rand_score(documents, fused.labels_) > 0.9
    with pytest.raises(InputError, match="^base: NoSize has no predict, so new documents"):
        fused.predict(views)


@SHORT
def test_more_clusters_than_patterns_leaves_none_broken(views):
    fitted = VotedPLSA(6, n_view_clusters=1, random_state=0).fit(views)
    assert fitted.signatures_.shape == (6, 3)
    assert_array_equal((fitted.signatures_ >= 0).all(axis=1), [True] + 5 * [False])
    assert fitted.n_preassigned_ == 60
    wide = VotedPLSA(12, n_view_clusters=2, max_iter=500, random_state=0).fit(views)
    assert np.all(np.isfinite(wide.memberships_))
    assert np.all(np.isfinite(wide.history_))


def test_every_public_model_of_views_is_checked_here():
    from coterie import multiview

    assert {type(e).__name__ for e in ESTIMATORS} == set(multiview.__all__)
    assert set(multiview.__all__) <= set(coterie.__all__)
