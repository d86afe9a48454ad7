"""The Gibbs sampler: does it draw from the right posterior?"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie import GibbsMixture, InputError
from coterie.models.gibbs import draw_clusters, draw_parameters, posteriors
from coterie.types import Counts


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


def test_the_chain_climbs_to_its_mode(X):
    fitted = GibbsMixture(3, word_prior=0.5, max_iter=200, random_state=0).fit(X)
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
    [("burn_in", 1.0), ("max_iter", 0), ("word_prior", 0.0), ("cluster_prior", np.inf)],
)
def test_bad_parameters_are_named(parameter, value, X):
    with pytest.raises(InputError, match=f"^{parameter}={value}"):
        GibbsMixture(3, **{parameter: value}).fit(X)
