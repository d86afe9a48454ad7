"""Mixture of von Mises-Fisher distributions against its equations and known facts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.special import gammaln, ive, logsumexp
from sklearn.metrics import adjusted_rand_score

from coterie import (
    Corpus,
    InputError,
    VonMisesFisherMixture,
    load_model,
    save_model,
)
from coterie.models import von_mises
from coterie.models.von_mises import (
    concentration_of,
    log_bessel,
    log_normaliser,
    mean_length_at,
)
from planted import learned

SHORT = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def directions(n=90, width=5, spread=0.4, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    centres = rng.normal(size=(3, width))
    x = centres[labels] + spread * rng.normal(size=(n, width))
    return x * rng.uniform(0.1, 9, size=(n, 1)), labels


@SHORT
def test_two_iterations_follow_the_equations():
    x, labels = directions(width=3)
    start = np.where(np.arange(90) % 4, labels, (labels + 1) % 3)
    fitted = learned(VonMisesFisherMixture(3, init=start, max_iter=2, tol=0), x)
    u = np.array([row / np.sqrt(sum(row**2)) for row in x])
    q = np.eye(3)[start]
    history = []
    for _ in range(2):
        sums = np.array([sum(q[d, k] * u[d] for d in range(90)) for k in range(3)])
        lengths = np.array([np.sqrt(sum(s**2)) for s in sums])
        alpha, mu = q.sum(axis=0) / 90, sums / lengths[:, None]
        kappa = kappa_by_bisection(sum(lengths) / 90)
        c = kappa / (4 * np.pi * np.sinh(kappa))
        joint = np.array(
            [[alpha[k] * c * np.exp(kappa * mu[k] @ row) for k in range(3)] for row in u]
        )
        history.append(np.log(joint.sum(axis=1)).sum())
        q = joint / joint.sum(axis=1, keepdims=True)
    assert_allclose(fitted.history_, history, rtol=1e-9)
    sums = q.T @ u
    lengths = np.linalg.norm(sums, axis=1)
    assert_allclose(fitted.components_, sums / lengths[:, None], rtol=1e-8)
    assert_allclose(fitted.weights_, q.mean(axis=0), rtol=1e-8)
    assert_allclose(fitted.concentration_, kappa_by_bisection(lengths.sum() / 90), rtol=1e-8)


def kappa_by_bisection(mean_length):
    """Solve coth k - 1/k = mean length, which is A in three dimensions."""
    low, high = 1e-6, 1e3
    for _ in range(200):
        middle = (low + high) / 2
        below = 1 / np.tanh(middle) - 1 / middle < mean_length
        low, high = (middle, high) if below else (low, middle)
    return low


@SHORT
@pytest.mark.parametrize("width", [2, 5, 200])
@pytest.mark.parametrize(("dtype", "slack"), [(np.float64, 1e-9), (np.float32, 1e-5)])
def test_the_objective_never_falls(width, dtype, slack):
    x, _ = directions(width=width, spread=1.0)
    fitted = VonMisesFisherMixture(3, init="dirichlet", tol=1e-12, random_state=0)
    history = fitted.fit(x.astype(dtype)).history_
    assert len(history) > 2
    assert np.all(np.diff(history) >= -slack * np.abs(history[1:]))
    assert fitted.components_.dtype == fitted.memberships_.dtype == dtype


@pytest.mark.parametrize("init", ["kmeans", "random", "dirichlet"])
def test_finds_planted_directions_whatever_the_lengths(init):
    x, labels = directions()
    fitted = VonMisesFisherMixture(3, init=init, n_init=5, random_state=0).fit(x)
    assert adjusted_rand_score(labels, fitted.labels_) > 0.95
    assert_array_equal(fitted.predict(1e6 * x), fitted.labels_)
    assert_allclose(np.linalg.norm(fitted.components_, axis=1), 1)


def test_the_concentration_that_made_vectors_is_found():
    """In three dimensions the cosine to the centre is drawn by inverting its distribution."""
    rng = np.random.default_rng(0)
    kappa, n = 20.0, 20_000
    cosine = 1 + np.log(rng.random(n) * (1 - np.exp(-2 * kappa)) + np.exp(-2 * kappa)) / kappa
    angle = rng.uniform(0, 2 * np.pi, n)
    across = np.sqrt(1 - cosine**2)
    x = np.column_stack([across * np.cos(angle), across * np.sin(angle), cosine])
    fitted = VonMisesFisherMixture(1, random_state=0).fit(x)
    assert_allclose(fitted.concentration_, kappa, rtol=0.03)
    assert_allclose(fitted.components_[0], [0, 0, 1], atol=0.01)
    assert VonMisesFisherMixture(1, concentration=3.0).fit(x).concentration_ == 3.0


@pytest.mark.parametrize("width", [2, 3, 10, 50])
@pytest.mark.parametrize("kappa", [0.1, 3.0, 80.0])
def test_densities_integrate_to_one(width, kappa):
    log_area = np.log(2) + (width - 1) / 2 * np.log(np.pi) - gammaln((width - 1) / 2)

    def ring(angle):
        return np.exp(log_normaliser(kappa, width) + kappa * np.cos(angle) + log_area) * np.sin(
            angle
        ) ** (width - 2)

    assert_allclose(quad(ring, 0, np.pi, limit=200)[0], 1, rtol=1e-7)


@pytest.mark.parametrize(("width", "kappa"), [(300, 50.0), (400, 10.0), (768, 30.0)])
def test_large_dimensions_agree_with_the_exact_functions(width, kappa, monkeypatch):
    order = width / 2 - 1
    exact = ive(order, kappa) > 1e-280
    value, ratio = log_bessel(order, kappa), mean_length_at(kappa, width)
    monkeypatch.setattr(von_mises, "UNDERFLOW", np.inf)
    assert_allclose(log_bessel(order, kappa), value, rtol=1e-10)
    assert_allclose(mean_length_at(kappa, width), ratio, rtol=1e-10)
    monkeypatch.setattr(von_mises, "UNDERFLOW", 0.0 if exact else 1e-280)
    slope = (log_bessel(order, kappa * 1.0001) - log_bessel(order, kappa * 0.9999)) / (
        2e-4 * kappa
    )
    assert_allclose(slope - order / kappa, ratio, rtol=1e-4)


def test_vectors_of_zeros_add_nothing_and_lean_nowhere():
    x, labels = directions()
    without = VonMisesFisherMixture(3, init=labels).fit(x)
    padded, start = np.vstack([np.zeros((7, 5)), x]), np.concatenate([[0] * 7, labels])
    fitted = VonMisesFisherMixture(3, init=start).fit(padded)
    assert_allclose(fitted.components_, without.components_, rtol=1e-9)
    assert_allclose(fitted.history_, without.history_, rtol=1e-9)
    assert_allclose(fitted.memberships_[:7], 1 / 3)
    assert_allclose(fitted.score(padded), without.score(x))


def test_nearly_equal_vectors_have_a_bounded_concentration():
    x = np.vstack([np.eye(4)[[0] * 5], np.eye(4)[[1] * 5]])
    fitted = VonMisesFisherMixture(2, random_state=0).fit(x)
    assert fitted.concentration_ == von_mises.LARGEST_KAPPA
    assert len(set(fitted.labels_)) == 2
    assert np.all(np.isfinite(fitted.history_))


def test_bad_vectors_are_named():
    x, _ = directions()
    with pytest.raises(InputError, match="contains NaN: row 4, column 2, expected finite"):
        bad = x.copy()
        bad[4, 2] = np.nan
        VonMisesFisherMixture(3).fit(bad)
    with pytest.raises(InputError, match="n_clusters=3: larger than the number of vectors"):
        VonMisesFisherMixture(3).fit(np.vstack([x[:2], np.zeros((5, 5))]))
    with pytest.raises(InputError, match="^concentration=0: expected"):
        VonMisesFisherMixture(3, concentration=0).fit(x)
    corpus = Corpus.from_texts([f"text number {i}" for i in range(90)])
    with pytest.raises(InputError, match="corpus: expected one view of vectors, got 0"):
        VonMisesFisherMixture(3).fit(corpus)


def test_the_vectors_of_a_corpus_are_its_input_and_it_is_saved(tmp_path):
    x, _ = directions()
    corpus = Corpus.from_texts(["text"] * 90).with_vectors("photo", x)
    fitted = VonMisesFisherMixture(3, random_state=0).fit(corpus)
    save_model(fitted, tmp_path / "model")
    assert_array_equal(
        load_model(tmp_path / "model").predict_proba(x), fitted.predict_proba(corpus)
    )


def log_bessel_by_its_series(order, z):
    k = np.arange(2000)
    return logsumexp((2 * k + order) * np.log(z / 2) - gammaln(k + 1) - gammaln(k + order + 1))


@pytest.mark.parametrize(
    ("width", "kappa"), [(768, 1e-3), (768, 5.0), (3000, 300.0), (4096, 1500.0)]
)
def test_where_bessel_functions_underflow_their_series_is_met(width, kappa):
    order = width / 2 - 1
    assert ive(order, kappa) <= von_mises.UNDERFLOW
    exact = log_bessel_by_its_series(order, kappa)
    assert_allclose(log_bessel(order, kappa), exact, rtol=1e-11)
    ratio = np.exp(log_bessel_by_its_series(order + 1, kappa) - exact)
    assert_allclose(mean_length_at(kappa, width), ratio, rtol=1e-8)


def test_concentrations_end_where_vectors_are_all_alike_or_cancel_out():
    alike, cancelled = np.array([[0.0, 0.0, 9.0]]), np.zeros((1, 3))
    assert concentration_of(alike, 9) == von_mises.LARGEST_KAPPA == 1e5
    assert concentration_of(cancelled, 9) == von_mises.LEAST_KAPPA == 1e-6
