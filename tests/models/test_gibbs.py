"""The Gibbs sampler: does it draw from the right posterior?"""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import coterie
from coterie import GibbsMixture, InputError
from coterie.models.gibbs import draw_clusters, draw_parameters, posteriors
from coterie.types import Counts

EXCEPTIONS = {
    "check_clustering": "feeds negative data to every clusterer",
    "check_clustering(readonly_memmap=True)": "feeds negative data to every clusterer",
    "check_estimator_sparse_array": "takes predict_proba for a classifier's",
    "check_estimator_sparse_matrix": "takes predict_proba for a classifier's",
}


@parametrize_with_checks(
    [GibbsMixture(3, max_iter=20, random_state=0)], expected_failed_checks=lambda _: EXCEPTIONS
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_geweke_joint_distribution():
    """Draw data given parameters and parameters given data in turn: the prior comes back.

    Geweke (2004): the marginal of the parameters in this chain is their prior, whatever the
    data did in between, if and only if the sampler leaves the posterior unchanged.
    """
    rng = np.random.default_rng(0)
    K, W, D, length, cluster_prior, word_prior = 2, 3, 4, 5, 1.5, 0.8

    def moments(alpha, beta):
        return [alpha[0], alpha[0] ** 2, beta[0, 0], beta[0, 0] ** 2, beta[0, 0] * beta[1, 1],
                alpha[0] * beta[2, 1]]  # fmt: skip

    prior = [
        moments(rng.dirichlet([cluster_prior] * K), rng.dirichlet([word_prior] * W, size=K).T)
        for _ in range(20_000)
    ]
    alpha, beta = rng.dirichlet([cluster_prior] * K), rng.dirichlet([word_prior] * W, size=K).T
    chain = []
    for _ in range(6_000):
        labels = rng.choice(K, size=D, p=alpha)
        counts = np.array(
            [rng.multinomial(length, beta[:, t] / beta[:, t].sum()) for t in labels]
        )
        X = Counts(counts.astype(float))
        draw = draw_parameters(X, labels, K, cluster_prior, word_prior, rng)
        labels = draw_clusters(posteriors(X, draw)[0], rng)
        _, alpha, beta = draw_parameters(X, labels, K, cluster_prior, word_prior, rng)
        chain.append(moments(alpha, beta))
    chain, prior = np.array(chain), np.array(prior)
    batches = chain.reshape(100, -1, chain.shape[1]).mean(axis=1)
    error = np.sqrt(batches.var(axis=0) / 100 + prior.var(axis=0) / len(prior))
    z = (chain.mean(axis=0) - prior.mean(axis=0)) / error
    assert np.all(np.abs(z) < 4), z


def test_posteriors_are_equation_two(X):
    rng = np.random.default_rng(0)
    draw = draw_parameters(X, rng.integers(3, size=60), 3, 1.0, 0.5, rng)
    q, objective = posteriors(X, draw)
    x, total = X.toarray(), 0.0
    for d in range(60):
        joint = [draw.alpha[t] * np.prod(draw.beta[:, t] ** x[d]) for t in range(3)]
        assert_allclose(q[d], np.array(joint) / sum(joint), rtol=1e-6, atol=1e-12)
        total += np.log(sum(joint))
    assert_allclose(objective, total)


def test_clusters_are_drawn_by_their_probabilities():
    memberships = np.tile([0.2, 0.0, 0.5, 0.3], (40_000, 1))
    labels = draw_clusters(memberships, np.random.default_rng(0))
    assert_allclose(np.bincount(labels, minlength=4) / 40_000, [0.2, 0, 0.5, 0.3], atol=0.01)


def test_planted_clusters_are_found_and_averages_are_distributions(corpus):
    X, documents, words = corpus
    fitted = GibbsMixture(3, word_prior=0.5, max_iter=200, random_state=0).fit(X)
    assert adjusted_rand_score(documents, fitted.labels_) > 0.9
    assert adjusted_rand_score(words, fitted.word_labels_) > 0.9
    for rows in (fitted.components_, fitted.memberships_, fitted.weights_[None]):
        assert_allclose(rows.sum(axis=1), 1)
    assert len(fitted.history_) == fitted.n_iter_ == 200
    assert fitted.history_[-50:].mean() > fitted.history_[:5].mean()


def test_burn_in_is_left_out():
    X = Counts(np.array([[5.0, 0], [0, 5]]))
    late = GibbsMixture(2, max_iter=10, burn_in=0.9, init=[0, 1], random_state=0).fit(X)
    whole = GibbsMixture(2, max_iter=10, burn_in=0.0, init=[0, 1], random_state=0).fit(X)
    assert_array_equal(late.history_, whole.history_)
    assert not np.allclose(late.components_, whole.components_)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("n_clusters", 2), ("cluster_prior", 9.0), ("word_prior", 3.0), ("max_iter", 12),
     ("init", "random"), ("init", coterie.Dirichlet(99.0)), ("random_state", 1)],
)  # fmt: skip
def test_every_parameter_matters(parameter, value, X):
    usual = GibbsMixture(3, max_iter=10, random_state=0)
    changed = clone(usual).set_params(**{parameter: value}).fit(X)
    usual.fit(X)
    assert not (
        np.array_equal(changed.components_, usual.components_)
        and np.array_equal(changed.weights_, usual.weights_)
    )


def test_same_bits_on_any_number_of_threads(large):
    fits = []
    for n_threads in (1, 2, 4):
        with coterie.run_on("threads", n_threads=n_threads):
            fits.append(GibbsMixture(3, max_iter=20, random_state=0).fit(large))
    for other in fits[1:]:
        assert_array_equal(other.memberships_, fits[0].memberships_)


def test_ctrl_c_keeps_the_chain_so_far(X):
    def watcher(progress):
        if progress.iteration == 7:
            raise KeyboardInterrupt

    with (
        coterie.watching(watcher),
        pytest.warns(coterie.InterruptedWarning, match="after 7 of 50 iterations"),
    ):
        fitted = GibbsMixture(3, max_iter=50, random_state=0).fit(X)
    assert fitted.interrupted_
    assert len(fitted.history_) == 7
    assert_allclose(fitted.memberships_.sum(axis=1), 1)


def test_empty_documents_add_nothing(X):
    both = sp.vstack([X, Counts((20, X.shape[1]))]).tocsr()
    start = np.arange(60) % 3
    fitted = GibbsMixture(3, max_iter=5, init=np.append(start, [0] * 20), random_state=0).fit(
        both
    )
    assert_allclose(fitted.memberships_[60:], 1 / 3)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("burn_in", 1.0), ("max_iter", 0), ("word_prior", 0.0), ("cluster_prior", np.inf)],
)
def test_bad_parameters_are_named(parameter, value, X):
    with pytest.raises(InputError, match=f"^{parameter}={value}"):
        GibbsMixture(3, **{parameter: value}).fit(X)
