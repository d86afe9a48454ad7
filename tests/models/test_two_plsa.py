"""2PLSA against eqs. 1 to 3 of Wang."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from coterie import PLSA, TwoPLSA
from coterie.evaluation import pairwise_scores_soft
from coterie.kernels import cpu
from planted import learned


def em_by_the_book(x, p_sd, p_zs, p_wz):
    """One iteration of eqs. 2 and 3 as loops over documents, words and both clusters."""
    (D, W), S, Z = x.shape, p_sd.shape[1], p_zs.shape[1]
    new_sd, new_zs, new_wz = np.zeros_like(p_sd), np.zeros_like(p_zs), np.zeros_like(p_wz)
    log_likelihood = 0.0
    for d in range(D):
        for w in range(W):
            q = np.zeros((S, Z))
            for s in range(S):
                for z in range(Z):
                    q[s, z] = p_wz[w, z] * p_zs[s, z] * p_sd[d, s]
            log_likelihood += x[d, w] * np.log(q.sum())
            q *= x[d, w] / q.sum()
            new_sd[d] += q.sum(axis=1)
            new_zs += q
            new_wz[w] += q.sum(axis=0)
    new_sd /= new_sd.sum(axis=1, keepdims=True)
    return (
        new_sd,
        new_zs / new_zs.sum(axis=1, keepdims=True),
        new_wz / new_wz.sum(axis=0),
        (log_likelihood),
    )


@pytest.mark.parametrize("n_word_clusters", [2, 5])
@pytest.mark.parametrize("init", ["random", "dirichlet"])
def test_three_iterations_follow_the_equations(X, n_word_clusters, init):
    X = X[:25]
    model = TwoPLSA(3, n_word_clusters, init=init)
    rows, shared = model._start(X, np.random.default_rng(5))
    p_sd, p_zs, p_wz = rows[:, :3], shared[1], shared[2]
    assert_allclose(p_zs.sum(axis=1), 1)
    assert_allclose(p_wz.sum(axis=0), 1)
    for _ in range(3):
        expected = model._e_step(X, rows, model._visible(shared), cpu)
        p_sd, p_zs, p_wz, log_likelihood = em_by_the_book(X.toarray(), p_sd, p_zs, p_wz)
        rows, shared = expected.rows, model._m_step(shared, *expected.statistics)
        assert_allclose(expected.objective, log_likelihood, rtol=1e-10)
        assert_allclose(rows[:, :3], p_sd, rtol=1e-8)
        assert_allclose(shared[1], p_zs, rtol=1e-8)
        assert_allclose(shared[2], p_wz, rtol=1e-8)


def test_published_tables_are_distributions_and_fit_together(X):
    fitted = learned(TwoPLSA(3, 4, random_state=0), X)
    assert_allclose(fitted.cluster_word_clusters_.sum(axis=1), 1)
    assert_allclose(fitted.word_components_.sum(axis=1), 1)
    assert_allclose(
        fitted.cluster_word_clusters_ @ fitted.word_components_, fitted.components_, rtol=1e-6
    )
    p_z = fitted.weights_ @ fitted.cluster_word_clusters_
    for w in range(X.shape[1]):
        scores = [fitted.word_components_[z, w] * p_z[z] for z in range(4)]
        assert fitted.word_labels_[w] == np.argmax(scores)


def test_likelihood_is_at_most_that_of_plsa_with_as_many_clusters(X):
    """P = S (T W) is a PLSA with K topics, so it cannot do better than the best of these."""
    two = TwoPLSA(3, 2, random_state=0, n_init=5, max_iter=1000).fit(X)
    plsa = PLSA(3, random_state=0, n_init=10, max_iter=1000, tol=1e-7).fit(X)
    assert two.history_[-1] <= plsa.history_[-1] + 1e-6 * abs(plsa.history_[-1])


def test_memberships_give_pairs_by_the_rule_of_the_paper(corpus):
    X, documents, _ = corpus
    fitted = TwoPLSA(3, 3, random_state=0, n_init=10).fit(X)
    scores = pairwise_scores_soft(documents, fitted.memberships_)
    assert scores.precision > 0.9
    assert scores.recall > 0.5
