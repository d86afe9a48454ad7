"""The second stage against its equations as loops, with fixed mixes and with vectors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie import PLSA
from coterie.engine import Run, Stopping, iterate
from coterie.executors import current
from coterie.models.von_mises import unit
from coterie.multiview.joint import COLLECTION_SHARE, JointPLSA

K = 3


def fit(X, **settings):
    """The model as it is fitted within another, its mixes those of the fit."""
    model = JointPLSA(K, **settings)
    model._fit(X)
    return model


def em_by_the_book(x, theta, phi, fixed, vectors=None, mu=None, kappa=0.0, weight=0.0):
    """One iteration over documents, words and clusters; vectors have three dimensions."""
    (D, W), new_phi = x.shape, np.zeros_like(phi)
    expected, sums, n_vectors = np.zeros_like(theta), np.zeros((K, 3)), 0
    log_likelihood = 0.0
    for d in range(D):
        for w in range(W):
            joint = [theta[d, z] * phi[w, z] for z in range(K)]
            if x[d, w]:
                log_likelihood += x[d, w] * np.log(sum(joint))
            for z in range(K):
                expected[d, z] += x[d, w] * joint[z] / sum(joint)
                new_phi[w, z] += x[d, w] * joint[z] / sum(joint)
        if vectors is not None and any(vectors[d]):
            n_vectors += 1
            c = kappa / (4 * np.pi * np.sinh(kappa))
            joint = [theta[d, z] * c * np.exp(kappa * mu[z] @ vectors[d]) for z in range(K)]
            log_likelihood += weight * np.log(sum(joint))
            for z in range(K):
                expected[d, z] += weight * joint[z] / sum(joint)
                sums[z] += joint[z] / sum(joint) * vectors[d]
    new_theta = np.array([row / sum(row) for row in expected])
    new_theta[fixed >= 0] = np.eye(K)[fixed[fixed >= 0]]
    lengths = np.array([np.sqrt(sum(s**2)) for s in sums])
    mean_length = sum(lengths) / max(n_vectors, 1)
    new_mu = sums / np.maximum(lengths, 1e-300)[:, None]
    return new_theta, new_phi / new_phi.sum(axis=0), log_likelihood, new_mu, mean_length


@pytest.fixture
def half_known(planted):
    (X, *_), documents = planted
    fixed = np.where(np.arange(60) % 2, documents, -1)
    return X, documents, fixed


def test_two_iterations_follow_the_equations(half_known):
    X, _, fixed = half_known
    x = X.toarray()
    model = fit(X, fixed=fixed, max_iter=2, tol=0, random_state=0)
    theta = np.full((60, K), 1 / K)
    theta[fixed >= 0] = np.eye(K)[fixed[fixed >= 0]]
    words = np.zeros((x.shape[1], K))
    for d in range(60):
        if fixed[d] >= 0:
            words[:, fixed[d]] += x[d]
    words += COLLECTION_SHARE / K * words.sum() / x.sum() * x.sum(axis=0)[:, None]
    phi, history = words / words.sum(axis=0), []
    for _ in range(2):
        theta, phi, log_likelihood, *_ = em_by_the_book(x, theta, phi, fixed)
        history.append(log_likelihood)
    assert_allclose(model.memberships_, theta, rtol=1e-9)
    assert_allclose(model.components_, phi.T, rtol=1e-9)
    assert_allclose(model.history_, history, rtol=1e-12)


def test_two_iterations_with_vectors_follow_the_equations(half_known, make_vectors):
    X, documents, fixed = half_known
    vectors = unit(make_vectors(documents, width=3), "x")
    vectors[[0, 7]] = 0
    model = JointPLSA(K, fixed=fixed, vectors=vectors, widths=(3,), vector_weight=5.0)
    rows, shared = model._start(X, np.random.default_rng(0))
    states = list(iterate(model, [X], Run(lambda: rows, shared), current(), Stopping(2, 0.0)))
    theta, phi, mu, kappa = rows[:, :K], shared[0][:, :K], shared[1], shared[2][0]
    for state in states:
        theta, phi, log_likelihood, mu, mean_length = em_by_the_book(
            X.toarray(), theta, phi, fixed, vectors, mu, kappa, 5.0
        )
        kappa = state.shared[2][0]
        assert_allclose(state.history[-1], log_likelihood, rtol=1e-10)
        assert_allclose(state.rows[:, :K], theta, rtol=1e-8)
        assert_allclose(state.shared[0][:, :K], phi, rtol=1e-8)
        assert_allclose(state.shared[1], mu, rtol=1e-8)
        assert_allclose(1 / np.tanh(kappa) - 1 / kappa, mean_length, rtol=1e-9)


def test_directions_start_from_the_documents_that_are_known(half_known, make_vectors):
    X, documents, fixed = half_known
    x = unit(make_vectors(documents, width=3), "x")
    x[1] = 0
    model = JointPLSA(K, fixed=fixed, vectors=x, widths=(3,), vector_weight=7.0)
    _, (_, directions, kappas) = model._start(X, np.random.default_rng(0))
    lengths = []
    for z in range(K):
        total = sum(x[d] for d in range(60) if fixed[d] == z)
        lengths.append(np.sqrt(sum(total**2)))
        assert_allclose(directions[z], total / lengths[-1], rtol=1e-12)
    n_known = sum(1 for d in range(60) if fixed[d] >= 0 and any(x[d]))
    assert_allclose(1 / np.tanh(kappas[0]) - 1 / kappas[0], sum(lengths) / n_known, rtol=1e-9)


@pytest.mark.parametrize("with_vectors", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_objective_never_falls_and_fixed_mixes_stay(
    half_known, vectors, with_vectors, dtype
):
    X, _, fixed = half_known
    others = {"vectors": unit(vectors, "x"), "widths": (5, 3)} if with_vectors else {}
    model = fit(X.astype(dtype), fixed=fixed, vector_weight=20.0, tol=1e-9, **others)
    assert len(model.history_) > 3
    slack = 1e-6 if dtype is np.float32 else 1e-12
    assert np.all(np.diff(model.history_) >= -slack * np.abs(model.history_[1:]))
    assert_array_equal(model.memberships_[fixed >= 0], np.eye(K)[fixed[fixed >= 0]])
    assert_allclose(model.memberships_.sum(axis=1), 1, rtol=1e-5)


def test_counts_beside_vectors_are_fitted_in_double_precision(half_known, make_vectors):
    """Whatever their own: log-probabilities and log-densities may nearly cancel."""
    X, documents, fixed = half_known
    vectors = unit(make_vectors(documents, width=3), "x")
    settings = {"fixed": fixed, "vectors": vectors, "widths": (3,)}
    single, double = (fit(X.astype(t), **settings) for t in (np.float32, np.float64))
    assert_array_equal(single.history_, double.history_)
    assert single.memberships_.dtype == np.float32


def test_without_fixed_mixes_and_vectors_it_is_plsa(planted):
    (X, *_), _ = planted
    ours, plsa = JointPLSA(K, random_state=3).fit(X), PLSA(K, random_state=3).fit(X)
    assert_allclose(ours.memberships_, plsa.memberships_, rtol=1e-9)
    assert_allclose(ours.history_, plsa.history_, rtol=1e-12)


def test_clusters_that_nobody_was_assigned_to_can_still_be_found(half_known):
    X, documents, fixed = half_known
    fixed = np.where(fixed == 2, -1, fixed)
    labels = fit(X, fixed=fixed, random_state=0).labels_
    assert np.mean(labels[documents == 2] == 2) > 0.9


def test_folding_in_with_vectors_stops_for_each_document_on_its_own(half_known, make_vectors):
    X, documents, fixed = half_known
    x = unit(make_vectors(documents), "x")
    model = fit(X, fixed=fixed, vectors=x, widths=(8,), vector_weight=9.0)
    together, log_likelihood = model._assign_with_vectors(X, x, current().ops)
    for d in (0, 1, 30):
        alone, of_one = model._assign_with_vectors(X[[d]], x[[d]], current().ops)
        assert_allclose(alone[0], together[d], atol=1e-12)
        assert_allclose(of_one[0], log_likelihood[d], rtol=1e-12)
    assert np.mean(together.argmax(axis=1) == documents) > 0.95
    blank = np.zeros((1, X.shape[1]))
    neither, _ = model._assign_with_vectors(type(X)(blank), np.zeros((1, 8)), current().ops)
    assert_allclose(neither, 1 / K)
