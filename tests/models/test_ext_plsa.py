"""Ext-PLSA against eqs. 9 to 13 of Pessiot et al., and against PLSA."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from coterie import PLSA, ExtPLSA
from coterie.kernels import cpu
from planted import learned

SHORT = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def em_by_the_book(x, p_ad, p_b, p_wab):
    """One iteration of eqs. 10 to 13 as loops over documents, words, clusters and topics."""
    (D, W), A, B = x.shape, p_ad.shape[1], len(p_b)
    new_ad, new_b, new_wab = np.zeros_like(p_ad), np.zeros_like(p_b), np.zeros_like(p_wab)
    log_likelihood = 0.0
    for d in range(D):
        for w in range(W):
            joint = np.zeros((A, B))
            for a in range(A):
                for b in range(B):
                    joint[a, b] = p_ad[d, a] * p_b[b] * p_wab[w, a, b]
            log_likelihood += x[d, w] * np.log(joint.sum())
            posterior = joint / joint.sum()
            for a in range(A):
                for b in range(B):
                    n = x[d, w] * posterior[a, b]
                    new_ad[d, a] += n
                    new_b[b] += n
                    new_wab[w, a, b] += n
    new_ad /= new_ad.sum(axis=1, keepdims=True)
    return new_ad, new_b / new_b.sum(), new_wab / new_wab.sum(axis=0), log_likelihood


@SHORT
@pytest.mark.parametrize("init", ["random", "given"])
def test_three_iterations_follow_the_equations(X, init):
    x = X[:25].toarray()
    start = np.arange(25) % 3 if init == "given" else init
    model = ExtPLSA(3, 4, init=start, random_state=0)
    theta, shared = model._start(X[:25], np.random.default_rng(5))
    p_ad, p_b, p_wab = theta[:, :3], shared[3], model._pairs(shared)
    assert_allclose(p_wab.sum(axis=0), 1)
    for _ in range(3):
        expected = model._e_step(X[:25], theta, model._visible(shared), cpu)
        p_ad, p_b, p_wab, log_likelihood = em_by_the_book(x, p_ad, p_b, p_wab)
        theta, shared = expected.rows, model._m_step(shared, *expected.statistics)
        assert_allclose(expected.objective, log_likelihood, rtol=1e-7)
        assert_allclose(theta[:, :3], p_ad, rtol=1e-5)
        assert_allclose(shared[3], p_b, rtol=1e-5)
        assert_allclose(model._pairs(shared), p_wab, rtol=1e-4, atol=1e-12)
        assert_allclose(shared[0][:, :3], (p_wab * p_b).sum(axis=2), rtol=1e-5)


def test_published_topics_are_the_average_over_clusters(X):
    fitted = learned(ExtPLSA(3, 4, random_state=0), X)
    assert fitted.word_components_.shape == (4, X.shape[1])
    assert_allclose(fitted.word_components_.sum(axis=1), 1)
    assert_allclose(fitted.word_cluster_weights_.sum(), 1)
    whole = fitted.word_cluster_weights_ @ fitted.word_components_
    assert_allclose(whole, fitted.weights_ @ fitted.components_, rtol=1e-5)


@SHORT
def test_the_attainable_likelihood_is_that_of_plsa(X):
    """G is any word distribution: from PLSA's optimum, Ext-PLSA cannot climb, and back."""
    settings = {"max_iter": 3000, "tol": 1e-12, "random_state": 0}
    plsa = learned(PLSA(3, **settings), X)
    ext = learned(ExtPLSA(3, 5, **settings), X)
    best = max(plsa.history_[-1], ext.history_[-1])
    for other in (ExtPLSA(3, 5, init=plsa.memberships_, **settings),
                  PLSA(3, init=ext.memberships_, **settings)):  # fmt: skip
        start = plsa if isinstance(other, ExtPLSA) else ext
        reached = other.fit(X).history_[-1]
        assert_allclose(reached, start.history_[-1], rtol=1e-4)
        assert reached <= best * (1 - 1e-4 * np.sign(best)) + abs(best) * 2e-4


def test_one_topic_is_plsa(X):
    q = np.random.default_rng(0).dirichlet([1, 1, 1], size=60)
    ext = ExtPLSA(3, 1, init=q, n_init=5, random_state=0).fit(X)
    plsa = PLSA(3, init=q, random_state=0).fit(X)
    assert ext.word_cluster_weights_ == pytest.approx(1)
    assert_allclose(ext.history_[-1], plsa.history_[-1], rtol=2e-2)


def test_bad_numbers_of_topics_are_named(X):
    with pytest.raises(ValueError, match="n_word_clusters=0: expected a whole number"):
        ExtPLSA(3, 0).fit(X)
