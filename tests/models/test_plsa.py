"""PLSA against the equations of Pessiot et al., and against what it is known to equal."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import non_negative_factorization

from coterie import PLSA
from planted import learned

SHORT = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def em_by_the_book(x, theta, phi, word_prior):
    """One EM iteration as loops over documents, words and topics; `phi` is words by topics."""
    (D, W), Z = x.shape, theta.shape[1]
    new_theta, new_phi = np.zeros_like(theta), np.full_like(phi, word_prior - 1)
    log_likelihood = 0.0
    for d in range(D):
        for w in range(W):
            joint = [theta[d, z] * phi[w, z] for z in range(Z)]
            log_likelihood += x[d, w] * np.log(sum(joint))
            for z in range(Z):
                posterior = joint[z] / sum(joint)
                new_theta[d, z] += x[d, w] * posterior
                new_phi[w, z] += x[d, w] * posterior
    for d in range(D):
        new_theta[d] /= sum(new_theta[d])
    for z in range(Z):
        new_phi[:, z] /= sum(new_phi[:, z])
    return new_theta, new_phi, log_likelihood


def start_of(model, X):
    seed = np.random.RandomState(model.random_state).randint(2**31, size=1)[0]
    theta, (phi,) = model._start(X, np.random.default_rng(int(seed)))
    return theta[:, : model.n_clusters], phi[:, : model.n_clusters]


@SHORT
@pytest.mark.parametrize("word_prior", [1.0, 1.5])
def test_two_iterations_follow_the_equations(X, word_prior):
    model = PLSA(3, word_prior=word_prior, max_iter=2, tol=0, random_state=0)
    theta, phi = start_of(model, X)
    fitted = learned(model, X)
    history = []
    for _ in range(2):
        prior = (word_prior - 1) * np.log(phi).sum()
        theta, phi, log_likelihood = em_by_the_book(X.toarray(), theta, phi, word_prior)
        history.append(log_likelihood + prior)
    assert_allclose(fitted.memberships_, theta, rtol=1e-9)
    assert_allclose(fitted.components_, phi.T, rtol=1e-9)
    assert_allclose(fitted.history_, history, rtol=1e-12)


def test_words_are_clustered_by_the_bayes_rule(X):
    """Eq. 5, word by word."""
    fitted = learned(PLSA(3, random_state=0), X)
    p_d = X.sum(axis=1) / X.sum()
    p_z = [sum(p_d[d] * fitted.memberships_[d, z] for d in range(60)) for z in range(3)]
    assert_allclose(fitted.weights_, p_z)
    for w in range(X.shape[1]):
        scores = [fitted.components_[z, w] * p_z[z] for z in range(3)]
        assert fitted.word_labels_[w] == np.argmax(scores)


@SHORT
def test_solution_is_a_fixed_point_of_kl_nmf(X):
    """Gaussier and Goutte (2005): maxima of the PLSA likelihood are minima of KL-NMF."""
    fitted = learned(PLSA(3, tol=1e-12, max_iter=3000, random_state=0), X)
    theta = fitted.memberships_ * X.sum(axis=1)[:, None]
    W, H, _ = non_negative_factorization(
        X,
        W=theta.copy(),
        H=fitted.components_.copy(),
        n_components=3,
        init="custom",
        solver="mu",
        beta_loss="kullback-leibler",
        max_iter=20,
    )
    assert_allclose(W @ H, theta @ fitted.components_, atol=2e-3)


def test_fold_in_of_the_training_documents_finds_their_mixes(X):
    model = PLSA(3, random_state=0, tol=1e-10, max_iter=5000)
    fitted, order = model.fit(X), np.argsort(-np.bincount(learned(model, X).labels_))
    mixes = learned(model, X).memberships_[:, order]
    assert_allclose(fitted.memberships_, mixes, atol=5e-3)
    assert_allclose(fitted.log_likelihood(X), fitted.history_[-1], rtol=1e-5)


def test_given_labels_are_a_start(corpus):
    X, documents, _ = corpus
    assert_array_equal(learned(PLSA(3, init=documents), X).labels_, documents)


def test_given_labels_can_be_left(corpus):
    """A mix of zeros and ones would be a fixed point of EM whatever the words say."""
    X, documents, _ = corpus
    wrong = documents.copy()
    wrong[:6] = (wrong[:6] + 1) % 3
    assert_array_equal(learned(PLSA(3, init=wrong), X).labels_, documents)


def test_unseen_words_have_no_finite_likelihood_without_a_prior(X):
    X = X.tolil()
    X[:, 0] = 0
    new = np.zeros((1, X.shape[1]))
    new[0, [0, 1]] = 1
    assert PLSA(3, random_state=0).fit(X.tocsr()).log_likelihood(new) == -np.inf
    smooth = PLSA(3, random_state=0, word_prior=1.1).fit(X.tocsr())
    assert np.isfinite(smooth.perplexity(new))


def test_unseen_words_say_nothing_of_the_mix(X):
    X = X.tolil()
    X[:, 0] = 0
    fitted = PLSA(3, random_state=0).fit(X.tocsr())
    new = np.zeros((2, X.shape[1]))
    new[:, 1] = 2
    new[1, 0] = 5
    known, with_unseen = fitted.transform(new)
    assert_allclose(known, with_unseen)
