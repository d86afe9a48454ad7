"""Votes with another second stage than PLSA (Kim et al., 2010, end of section 2.2)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from coterie import (
    BVD,
    ITCC,
    PLSA,
    ConceptClustering,
    ExtPLSA,
    FusionLM,
    GibbsMixture,
    InputError,
    LDABaseline,
    MultinomialMixture,
    TwoPLSA,
    VonMisesFisherMixture,
    VotedPLSA,
    load_model,
    save_model,
)
from coterie.kernels import cpu
from coterie.multiview import second_stage
from coterie.multiview.joint import known_words

SHORT = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
CONSTRAINED = ["mm", "ext-plsa", "2plsa", PLSA(word_prior=1.1), MultinomialMixture(hard=True)]
STARTED = [
    ITCC(n_word_clusters=4),
    ConceptClustering(n_word_clusters=6),
    BVD(n_word_clusters=3),
    GibbsMixture(max_iter=50),
]


@pytest.fixture
def unclear(make_views):
    """Views that disagree on some documents."""
    return make_views(n_documents=150, purity=0.25, length=15)


def test_plsa_given_as_an_estimator_is_the_plsa_of_the_paper(unclear):
    views, _ = unclear
    usual = VotedPLSA(3, random_state=0).fit(views)
    given = VotedPLSA(3, ("plsa", PLSA()), random_state=0).fit(views)
    assert 20 < usual.n_preassigned_ < 150
    assert_array_equal(given.history_, usual.history_)
    assert_array_equal(given.memberships_, usual.memberships_)
    assert_array_equal(given.components_, usual.components_)


@SHORT
@pytest.mark.parametrize("second", CONSTRAINED + STARTED, ids=str)
def test_preassigned_documents_keep_their_cluster(second, unclear, tmp_path):
    views, documents = unclear
    estimator = VotedPLSA(3, ("plsa", second), random_state=0, max_iter=500)
    fitted = clone(estimator).fit(views)
    agreed = fitted.preassigned_ >= 0
    assert 20 < agreed.sum() < 150
    assert_array_equal(fitted.memberships_[agreed], np.eye(3)[fitted.preassigned_[agreed]])
    assert adjusted_rand_score(documents, fitted.labels_) > 0.3
    assert adjusted_rand_score(documents[~agreed], fitted.labels_[~agreed]) > 0
    assert_array_equal(fitted.predict(views), fitted.labels_)
    assert np.all(np.diff(np.bincount(fitted.labels_)) <= 0)
    if not isinstance(second, GibbsMixture):  # which does not climb
        assert np.all(np.diff(fitted.history_) >= -1e-12 * np.abs(fitted.history_[1:]))
    save_model(fitted, tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert_array_equal(again.predict_proba(views), fitted.predict_proba(views))
    assert repr(again.base) == repr(fitted.base)


def test_the_mixture_is_constrained_as_loops_say(unclear):
    views, _ = unclear
    X = second_stage.Counts(np.hstack([each.toarray() for each in views]))
    rng = np.random.default_rng(0)
    fixed = np.where(rng.random(150) < 0.5, rng.integers(3, size=150), -1)
    model = second_stage.Constrained(MultinomialMixture(3, word_prior=1.5), fixed)
    rows, shared = model._start(X, rng)
    alpha, beta = np.exp(shared[0][:3]), np.exp(shared[1][:, :3])
    expected = model._e_step(X, rows, shared, cpu)
    dense, n_k, n_wk, objective = X.toarray(), np.zeros(3), np.zeros_like(beta), 0.0
    for d, cluster in enumerate(fixed):
        joint = np.log(alpha) + dense[d] @ np.log(beta)
        if cluster >= 0:
            q, part = np.eye(3)[cluster], joint[cluster]
        else:
            part = np.log(np.exp(joint).sum())
            q = np.exp(joint - part)
        assert_allclose(expected.rows[d, :3], q, atol=1e-12)
        n_k, n_wk, objective = n_k + q, n_wk + np.outer(dense[d], q), objective + part
    assert_allclose(expected.objective, objective)
    assert_array_equal(expected.rows[:, -1], fixed)
    log_alpha, log_beta = model._m_step(shared, *expected.statistics)
    assert_allclose(np.exp(log_alpha[:3]), n_k / 150)
    assert_allclose(np.exp(log_beta[:, :3]), (n_wk + 0.5) / (n_wk + 0.5).sum(axis=0))


def test_words_begin_from_the_preassigned_documents(unclear):
    views, _ = unclear
    fixed = np.array([0, 0, 1] + 147 * [-1])
    words = known_words(views[0], fixed, 3, np.random.default_rng(0))
    dense = views[0].toarray()
    share = words[:, 0] - dense[:2].sum(axis=0)
    assert_allclose(share / share.sum(), dense.sum(axis=0) / dense.sum())
    assert_allclose(words[:, 1] - dense[2], share, atol=1e-9)
    assert np.all(words[:, 2] > share)  # no document: random weights of all words


def test_the_pair_is_a_parameter_like_others(unclear):
    views, _ = unclear
    voted = VotedPLSA(3, ("mm", TwoPLSA(n_word_clusters=4)), random_state=0, max_iter=60)
    copy = clone(voted)
    assert repr(copy) == repr(voted)
    assert copy.base[1] is not voted.base[1]
    with pytest.warns(match="did not converge in max_iter=2"):
        fitted = copy.set_params(max_iter=2).fit(views)
    assert fitted.n_iter_ == 2
    assert (fitted.second_stage_.max_iter, fitted.second_stage_.n_word_clusters) == (2, 4)
    assert copy.base[1].n_clusters == 10  # the parameter stays as it was given
    assert isinstance(fitted.view_models_[0], MultinomialMixture)
    again = copy.set_params(base="plsa", max_iter=500).fit(views)
    assert not hasattr(again, "second_stage_")


def test_an_estimator_that_starts_from_votes_keeps_its_own_start_afterwards(unclear):
    views, _ = unclear
    fitted = VotedPLSA(3, ("plsa", ITCC(n_word_clusters=4)), random_state=0).fit(views)
    assert fitted.second_stage_.init == "random"
    X = second_stage.Counts(np.hstack([each.toarray() for each in views]))
    nearest = second_stage._nearest(X, fitted.preassigned_, 3, 0)
    agreed = fitted.preassigned_ >= 0
    assert_array_equal(nearest[agreed], fitted.preassigned_[agreed])
    words = known_words(X, fitted.preassigned_, 3, np.random.default_rng(0))
    for d in np.flatnonzero(~agreed)[:5]:
        scores = [
            X[[d]].toarray()[0] @ np.log(words[:, k] / words[:, k].sum()) for k in range(3)
        ]
        assert nearest[d] == np.argmax(scores)


@pytest.mark.parametrize("second", ["lda", LDABaseline(), VonMisesFisherMixture(), PLSA, 3])
def test_what_cannot_start_from_votes_is_refused(second, views):
    with pytest.raises(InputError, match="as the second stage cannot start from votes; "):
        VotedPLSA(3, ("plsa", second)).fit(views)


def test_other_bases_are_refused(views, vectors):
    with pytest.raises(InputError, match=r"^base=\('plsa',\): expected a model of each view"):
        VotedPLSA(3, ("plsa",)).fit(views)
    with pytest.raises(InputError, match=r"^base='nothing': expected 'plsa'"):
        VotedPLSA(3, ("nothing", "mm")).fit(views)
    with pytest.raises(InputError, match=r"^base=\('plsa', 'mm'\): expected 'plsa', 'mm'"):
        FusionLM(3, ("plsa", "mm")).fit(views)
    with pytest.raises(InputError, match="views of vectors need 'plsa' as the second stage"):
        VotedPLSA(3, ("plsa", "mm"), vectors=["photo"]).fit(views | {"photo": vectors})
    assert VotedPLSA(3, ("mm", "plsa"), vectors=["photo"]).fit(views | {"photo": vectors})
    assert isinstance(VotedPLSA(3, ("plsa", ExtPLSA())).fit(views).second_stage_, ExtPLSA)
