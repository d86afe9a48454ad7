"""Longer steps of EM: the objective still rises, sooner, and to the same maximum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import coterie
from coterie.kernels import stretched
from planted import plant

ACCELERATED = [
    coterie.MultinomialMixture(4, init="kmeans", random_state=0, max_iter=2000, tol=1e-9),
    coterie.PLSA(4, 1.1, init="kmeans", random_state=0, max_iter=5000, tol=1e-7),
    coterie.TwoPLSA(4, 6, init="kmeans", random_state=0, max_iter=5000, tol=1e-7),
]
every = pytest.mark.parametrize("model", ACCELERATED, ids=lambda each: type(each).__name__)


@pytest.fixture(scope="module")
def X():
    size = {"n_documents": 300, "n_words": 50, "n_clusters": 4, "length": 25}
    counts, _, _ = plant(**size, seed=3, purity=0.5)
    return counts


def fitted(model, X):
    return type(model)(**model.get_params()).fit(X)


@every
def test_the_objective_rises_and_fewer_iterations_are_needed(model, X):
    plain = fitted(model, X)
    with coterie.accelerating():
        faster = fitted(model, X)
    assert np.all(np.diff(faster.history_) >= 0)
    reached = np.flatnonzero(faster.history_ >= plain.history_[-1])
    if len(reached):
        assert reached[0] < plain.n_iter_
    assert faster.history_[-1] > plain.history_[-1] - 1e-3 * abs(plain.history_[-1])
    assert len(reached) or faster.n_iter_ < plain.n_iter_


def test_models_without_longer_steps_are_not_changed(X):
    model = coterie.ExtPLSA(3, 4, random_state=0)
    plain = fitted(model, X)
    with coterie.accelerating():
        assert_array_equal(fitted(model, X).history_, plain.history_)


def test_a_stretched_distribution_is_one():
    rng = np.random.default_rng(0)
    before, after = rng.dirichlet(np.ones(6), 3).T, rng.dirichlet(np.ones(6), 3).T
    after[2] = 0
    assert_allclose(stretched(before, after.copy(), 1.0, 3), after / after.sum(axis=0))
    longer = stretched(before, after, 3.0, 3)
    assert_allclose(longer.sum(axis=0), 1)
    assert np.all(longer[2] == 0)
    direct = after * (after / before) ** 2
    assert_allclose(longer, direct / direct.sum(axis=0))
