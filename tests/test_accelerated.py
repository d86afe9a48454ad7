"""Longer steps of EM: the objective still rises, sooner, and to the same maximum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import coterie
from coterie import engine
from coterie.kernels import cpu
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


def test_a_point_further_along_by_the_equation():
    rng = np.random.default_rng(0)
    x, y, z = rng.dirichlet(np.ones(6), (3, 4))
    r, v = y - x, z - 2 * y + x
    assert_allclose(engine.moved_squares(x, y, z), [np.sum(r**2), np.sum(v**2)])
    assert_allclose(engine.further_along(x, y, z, 1.0), z)
    expected = x + 2 * 3 * r + 3**2 * v
    assert (expected <= 0).any()
    assert_allclose(
        engine.further_along(x, y, z, 3.0), np.where(expected > 0, expected, z), atol=1e-12
    )


def iterated(model, blocks, X, n_threads):
    rows, shared = model._start(X, np.random.default_rng(0))
    with coterie.accelerating(), coterie.run_on("threads", n_threads=n_threads) as executor:
        start = engine.Run(lambda: rows, shared)
        stopping = engine.Stopping(40, -1.0)  # none is left out where rounding ends the gains
        *_, last = engine.iterate(model, blocks, start, executor, stopping)
    return last.rows, last.shared[0], last.history


@every
def test_rows_in_shards_move_as_rows_in_one(model, X):
    """Lengths of steps are reckoned from all shards; rows come back as the model has them."""
    parts = [engine.rows_between(X, first, first + 100) for first in (0, 100, 200)]
    whole = iterated(model, [X], X, 1)
    one, two = (iterated(model, parts, X, n_threads) for n_threads in (1, 2))
    for ours, expected, together in zip(one, two, whole, strict=True):
        assert_array_equal(ours, expected)
        assert_allclose(ours, together, rtol=1e-6, atol=1e-9)
    assert whole[0].shape == model._start(X, np.random.default_rng(0))[0].shape


def test_the_third_sweep_begins_where_the_equations_say(X):
    """Rows and topics together are the point that moves."""
    model = coterie.PLSA(4, 1.1, random_state=0, max_iter=3, tol=0.0)

    def swept(rows, topics):
        expected = model._e_step(X, rows, (topics,), cpu)
        objective = expected.objective + model._log_prior((topics,))
        return expected.rows, model._m_step((), *expected.statistics)[0], objective

    rows, (topics,) = model._start(X, np.random.default_rng(0))
    for _ in range(10):
        rows, topics, _ = swept(rows, topics)
    x = rows, topics
    *y, _ = swept(*x)
    *z, before = swept(*y)
    r = [after - before for before, after in zip(x, y, strict=True)]
    v = [last - 2 * middle + first for first, middle, last in zip(x, y, z, strict=True)]
    length = np.sqrt(sum(np.sum(part**2) for part in r) / sum(np.sum(part**2) for part in v))
    assert 1 < length < engine.LONGER
    rows, topics = (
        np.where((point := a + 2 * length * b + length**2 * c) > 0, point, d)
        for a, b, c, d in zip(x, r, v, z, strict=True)
    )
    rows /= rows.sum(axis=1, keepdims=True)
    topics /= np.where(topics.sum(axis=0) > 0, topics.sum(axis=0), 1)
    rows, topics, objective = swept(rows, topics)
    assert objective > before  # or it would be taken back
    start, stopping = engine.Run(lambda: x[0], x[1:]), engine.Stopping(3, 0.0)
    with coterie.accelerating(), coterie.run_on("threads", n_threads=1) as executor:
        *_, last = engine.iterate(model, [X], start, executor, stopping)
    assert_allclose(last.history[-1], objective)
    assert_allclose(last.rows, rows)
    assert_allclose(last.shared[0], topics)
