"""The mixture against eqs. 1 to 4 of Rigouste et al. and Algorithm 1 of Pessiot et al."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie import Dirichlet, InputError, MultinomialMixture
from planted import learned

SHORT = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def m_step_by_the_book(x, q, cluster_prior, word_prior):
    """Eqs. 3 and 4 as loops."""
    (D, W), T = x.shape, q.shape[1]
    alpha, beta = np.full(T, cluster_prior - 1.0), np.full((W, T), word_prior - 1.0)
    for d in range(D):
        for t in range(T):
            alpha[t] += q[d, t]
            for w in range(W):
                beta[w, t] += x[d, w] * q[d, t]
    alpha /= sum(alpha)
    for t in range(T):
        beta[:, t] /= sum(beta[:, t])
    return alpha, beta


def e_step_by_the_book(x, alpha, beta, hard):
    """Eq. 2 as loops, and the objective: eq. 1, or eq. 7 of Pessiot et al. when hard."""
    (D, W), T = x.shape, len(alpha)
    q, objective = np.zeros((D, T)), 0.0
    for d in range(D):
        joint = []
        for t in range(T):
            p = alpha[t]
            for w in range(W):
                p *= beta[w, t] ** x[d, w]
            joint.append(p)
        if hard:
            q[d, int(np.argmax(joint))] = 1
            objective += np.log(max(joint))
        else:
            q[d] = np.array(joint) / sum(joint)
            objective += np.log(sum(joint))
    return q, objective


@SHORT
@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize(("cluster_prior", "word_prior"), [(1.0, 1.1), (3.0, 1.5), (1.0, 1.0)])
def test_two_iterations_follow_the_equations(X, hard, cluster_prior, word_prior):
    x, q = X.toarray(), np.random.default_rng(0).dirichlet([1, 1, 1], size=60)
    model = MultinomialMixture(3, cluster_prior, word_prior, hard, init=q, max_iter=2, tol=0)
    fitted, history = learned(model, X), []
    alpha, beta = m_step_by_the_book(x, q, cluster_prior, word_prior)
    for _ in range(2):
        prior = (cluster_prior - 1) * np.log(alpha).sum()
        if word_prior > 1:
            prior += (word_prior - 1) * np.log(beta).sum()
        q, objective = e_step_by_the_book(x, alpha, beta, hard)
        history.append(objective + prior)
        alpha, beta = m_step_by_the_book(x, q, cluster_prior, word_prior)
    assert_allclose(fitted.history_, history, rtol=1e-12)
    assert_allclose(fitted.weights_, alpha, rtol=1e-9)
    assert_allclose(fitted.components_, beta.T, rtol=1e-9)
    posterior, _ = e_step_by_the_book(x, alpha, beta, hard=False)
    assert_allclose(fitted.memberships_, posterior, rtol=1e-7, atol=1e-12)


def test_likelihood_of_new_documents_is_equation_one(X):
    fitted = MultinomialMixture(3, random_state=0).fit(X)
    _, expected = e_step_by_the_book(
        X[:5].toarray(), fitted.weights_, fitted.components_.T, hard=False
    )
    assert_allclose(fitted.log_likelihood(X[:5]), expected)
    assert_allclose(fitted.score(X[:5]), expected / X[:5].sum())


def test_a_word_no_cluster_has_does_not_hide_the_others(X):
    X = X.tolil()
    X[:, 0] = 0
    fitted = MultinomialMixture(3, word_prior=1.0, random_state=0, n_init=5).fit(X.tocsr())
    new = X.toarray()[:4]
    expected = fitted.predict_proba(new)
    new[:, 0] = 3
    assert_allclose(fitted.predict_proba(new), expected)
    assert fitted.log_likelihood(new) == -np.inf


def test_a_document_no_cluster_can_have_written_has_no_finite_likelihood():
    fitted = MultinomialMixture(2, word_prior=1.0, init=[0, 1]).fit([[3, 0], [0, 3]])
    assert fitted.log_likelihood([[1, 1]]) == -np.inf
    assert fitted.log_likelihood([[0.01, 0.01]]) == -np.inf
    assert fitted.perplexity([[1, 1]]) == np.inf


def test_words_are_clustered_by_their_share_of_the_counts(X):
    fitted = MultinomialMixture(3, random_state=0).fit(X)
    n_wk = np.zeros((X.shape[1], 3))
    length = (X.sum(axis=1)[:, None] * fitted.memberships_).sum(axis=0)
    for w in range(X.shape[1]):
        n_wk[w] = fitted.components_[:, w] * length
    assert_array_equal(fitted.word_labels_, n_wk.argmax(axis=1))


def test_transposed_counts_cluster_words(corpus):
    """Pessiot et al., section 2.4: CEM on words is the mixture on the transposed counts."""
    X, _, words = corpus
    fitted = MultinomialMixture(
        3, word_prior=1.0, hard=True, init="random", n_init=10, random_state=0
    ).fit(X.T)
    agreement = [len(set(fitted.labels_[words == k])) for k in range(3)]
    assert agreement == [1, 1, 1]


def test_given_labels_are_a_start(corpus):
    X, documents, _ = corpus
    fitted = learned(MultinomialMixture(3, init=documents), X)
    assert_array_equal(fitted.labels_, documents)


def test_an_emptied_cluster_stays_empty_and_harmless(X):
    labels = np.zeros(60, dtype=int)
    labels[:30] = 1
    fitted = learned(MultinomialMixture(3, hard=True, init=labels), X)
    assert fitted.weights_[2] == 0
    assert 2 not in fitted.labels_
    assert_allclose(fitted.components_.sum(axis=1), 1)


def test_high_concentration_starts_near_equality(X):
    near = MultinomialMixture(3, init=Dirichlet(1e4))
    rows, _ = near._start(X, np.random.default_rng(0))
    assert_allclose(rows[:, :3], 1 / 3, atol=0.05)
    assert_allclose(rows[:, 3:], 0)


def background_steps_by_the_book(x, q, background, cluster_prior, word_prior, n_steps):
    """The mixture with a background as loops: each occurrence has a source of its own."""
    (D, W), T = x.shape, q.shape[1]
    totals = x.sum(axis=0)
    gamma = totals / totals.sum()
    phi = np.zeros((W, T))
    for t in range(T):
        phi[:, t] = sum(q[d, t] * x[d] for d in range(D))
        phi[:, t] /= phi[:, t].sum()
    history = []
    for step in range(n_steps + 1):
        new, shared = np.full((W, T), word_prior - 1.0), 0.05 * totals
        for w in range(W):
            for t in range(T):
                own = (1 - background) * phi[w, t]
                either = own + background * gamma[w]
                for d in range(D):
                    if x[d, w]:
                        new[w, t] += x[d, w] * q[d, t] * own / either
                        shared[w] += x[d, w] * q[d, t] * background * gamma[w] / either
        phi, gamma = new / new.sum(axis=0), shared / shared.sum()
        alpha = cluster_prior - 1 + q.sum(axis=0)
        alpha /= alpha.sum()
        beta = (1 - background) * phi + background * gamma[:, None]
        if step == n_steps:
            return history, alpha, beta, phi
        q, objective = e_step_by_the_book(x, alpha, beta, hard=False)
        prior = (cluster_prior - 1) * np.log(alpha).sum()
        prior += (word_prior - 1) * np.log(phi).sum() if word_prior > 1 else 0
        prior += 0.05 * sum(totals[w] * np.log(gamma[w]) for w in range(W) if totals[w])
        history.append(objective + prior)


@SHORT
@pytest.mark.parametrize(
    ("background", "cluster_prior", "word_prior"), [(0.25, 1.0, 1.1), (0.6, 2.0, 1.0)]
)
def test_words_of_the_background_follow_the_equations(X, background, cluster_prior, word_prior):
    q = np.random.default_rng(0).dirichlet([1, 1, 1], size=60)
    model = MultinomialMixture(
        3, cluster_prior, word_prior, init=q, background=background, max_iter=3, tol=0
    )
    fitted = learned(model, X)
    history, alpha, beta, phi = background_steps_by_the_book(
        X.toarray(), q, background, cluster_prior, word_prior, 3
    )
    assert_allclose(fitted.history_, history, rtol=1e-11)
    assert_allclose(fitted.weights_, alpha, rtol=1e-8)
    assert_allclose(fitted.components_, beta.T, rtol=1e-8)
    words = X.sum(axis=1) @ fitted.memberships_
    assert_array_equal(fitted.word_labels_, (phi * words).argmax(axis=1))


def test_a_background_takes_common_words_and_leaves_the_others():
    """Words that all clusters share come from the background, others hardly ever do."""
    rng = np.random.default_rng(0)
    own = np.kron(np.eye(2), np.ones((30, 5))) * rng.poisson(2, (60, 10))
    common = rng.poisson(4, (60, 5))
    X = np.hstack([own, common])
    mixture = MultinomialMixture(
        2, random_state=0, n_init=5, tol=1e-9, background=0.25, max_iter=2000
    ).fit(X)
    elsewhere = mixture.components_[[1, 1, 1, 1, 1, 0, 0, 0, 0, 0], np.arange(10)]
    if mixture.components_[0, 0] < mixture.components_[1, 0]:
        elsewhere = mixture.components_[[0, 0, 0, 0, 0, 1, 1, 1, 1, 1], np.arange(10)]
    everywhere = (X.sum(axis=0) / X.sum())[:10]
    assert np.all(elsewhere > 0)  # possible
    assert np.all(elsewhere < 0.5 * 0.25 * everywhere)  # but less than in the collection


@pytest.mark.parametrize("background", [-0.1, 1.0, np.nan, "some", True])
def test_an_impossible_background_is_named(background, X):
    with pytest.raises(InputError, match=f"^background={background!r}: expected"):
        MultinomialMixture(3, background=background).fit(X)
