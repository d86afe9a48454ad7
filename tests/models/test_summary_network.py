"""RSN: block means and re-assignments as loops, the spectral form against the SVD."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from coterie import RSN
from coterie.kernels import cpu
from coterie.models.summary_forms import centres_of, far_apart, orthonormal

DIVERGENCE = {
    "squared": lambda a, b: (a - b) ** 2,
    "information": lambda a, b: (a * np.log(a / b) if a > 0 else 0.0) - a + b,
}


def scaled(X):
    rows = X.toarray()
    return rows / np.sqrt((rows**2).sum(axis=1, keepdims=True))


def means(A, rows, columns, K, L):
    """The mean of each block, entry by entry."""
    B = np.zeros((K, L))
    for k in range(K):
        for m in range(L):
            entries = [
                A[d, w] for d in range(len(A)) for w in range(A.shape[1])
                if rows[d] == k and columns[w] == m
            ]  # fmt: skip
            B[k, m] = np.mean(entries)
    return B


@pytest.mark.parametrize("divergence", ["squared", "information"])
def test_one_sweep_moves_each_document_and_then_each_word_to_the_nearest_block(X, divergence):
    D = DIVERGENCE[divergence]
    model = RSN(3, 4, "summary", divergence)
    q, shared = model._start(X, np.random.default_rng(2))
    A, rows, columns = scaled(X), q.argmax(axis=1), shared[1]
    B = means(A, rows, columns, 3, 4)
    assert_allclose(shared[0], B, rtol=1e-12)

    expected = model._e_step(X, q, model._visible(shared), cpu)
    costs = np.array([
        [sum(D(A[d, w], B[k, columns[w]]) for w in range(A.shape[1])) for k in range(3)]
        for d in range(len(A))
    ])  # fmt: skip
    new_rows = costs.argmin(axis=1)
    assert_array_equal(expected.rows.argmax(axis=1), new_rows)
    assert_allclose(expected.objective, -costs.min(axis=1).sum(), rtol=1e-10)

    B = means(A, new_rows, columns, 3, 4)
    new_columns = [
        np.argmin([sum(D(A[d, w], B[new_rows[d], m]) for d in range(len(A))) for m in range(4)])
        for w in range(A.shape[1])
    ]
    moved = model._m_step(shared, *expected.statistics)
    assert_array_equal(moved[1], new_columns)
    assert_allclose(moved[0], means(A, new_rows, new_columns, 3, 4), rtol=1e-12)


def test_a_block_mean_is_the_best_value_for_both_divergences():
    entries = np.random.default_rng(0).gamma(1.0, size=50)
    for D in DIVERGENCE.values():
        best = sum(D(a, entries.mean()) for a in entries)
        for other in (0.9, 1.1):
            assert sum(D(a, other * entries.mean()) for a in entries) > best


@pytest.mark.parametrize("divergence", ["squared", "information"])
def test_clusters_without_documents_or_words_break_nothing(divergence):
    X = np.array([[3, 0, 0], [3, 0, 0], [0, 3, 0], [0, 3, 0], [3, 0, 0], [0, 3, 0]])
    fitted = RSN(4, 5, "summary", divergence, random_state=0, n_init=3).fit(X)
    assert np.all(np.isfinite(fitted.history_))
    assert_allclose(fitted.history_[-1], 0, atol=1e-9)
    assert fitted.labels_[0] == fitted.labels_[1] == fitted.labels_[4] != fitted.labels_[2]


def test_words_of_no_document_change_no_mean(X):
    padded = sp.hstack([X, sp.csr_array((60, 7))]).tocsr()
    q = np.random.default_rng(0).dirichlet([1, 1, 1], size=60)
    for model in (RSN(3, 1, "summary", init=q), RSN(3, 3, init=q, random_state=0)):
        assert_allclose(model.fit(padded).history_, model.fit(X).history_, rtol=1e-9)


@pytest.mark.parametrize(("K", "L"), [(3, 5), (4, 2)])
def test_the_spectral_form_reaches_the_singular_values(X, K, L):
    """The trace is largest for leading singular vectors: the sum of squared values."""
    fitted = RSN(K, L, random_state=0, tol=1e-12, max_iter=5000).fit(X)
    values = np.linalg.svd(scaled(X), compute_uv=False)[: min(K, L)]
    assert_allclose(fitted.history_[-1], np.sum(values**2), rtol=1e-6)


def test_each_spectral_step_is_the_maximum_given_the_other_side(X):
    """tr(C1' A C2 C2' A' C1) at the leading left vectors of A C2, by its definition."""
    model = RSN(3, 3)
    q, shared = model._start(X, np.random.default_rng(0))
    A, C2 = scaled(X), shared[0]
    assert_allclose(C2.T @ C2, np.eye(3), atol=1e-10)
    expected = model._e_step(X, q, shared, cpu)
    C1 = np.linalg.svd(A @ C2)[0][:, :3]
    assert_allclose(expected.objective, np.trace(C1.T @ A @ C2 @ C2.T @ A.T @ C1), rtol=1e-10)
    (new,) = model._m_step(shared, *expected.statistics)
    best = np.linalg.svd(A.T @ C1)[0][:, :3]
    assert_allclose(new @ new.T, best @ best.T, atol=1e-9)


def test_spectral_memberships_are_orthonormal_and_give_the_labels(X):
    fitted = RSN(3, 3, random_state=0).fit(X)
    projection, centres = fitted.network_
    C1 = scaled(X) @ projection
    assert_allclose(C1.T @ C1, np.eye(3), atol=1e-9)
    points = C1 / np.linalg.norm(C1, axis=1, keepdims=True)
    gaps = ((points[:, None] - centres) ** 2).sum(axis=2)
    assert_array_equal(gaps.argmin(axis=1), fitted.labels_)
    for k in range(3):
        assert_allclose(centres[k], points[fitted.labels_ == k].mean(axis=0), atol=1e-9)


def test_the_spectral_form_leaves_nothing_to_chance(X):
    """Nor to the start, be all documents in one cluster."""
    fits = [RSN(3, 3, random_state=s, tol=1e-10).fit(X) for s in (0, 1)]
    one = RSN(3, 3, init=[0] * 60, random_state=0, tol=1e-10, max_iter=1000).fit(X)
    assert_array_equal(fits[0].labels_, fits[1].labels_)
    assert_array_equal(fits[0].labels_, one.labels_)
    assert_allclose(one.history_[-1], fits[0].history_[-1], rtol=1e-7)


def test_columns_that_depend_on_each_other_span_what_they_can():
    basis = orthonormal(np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]]))
    assert_allclose(basis @ basis.T, [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 0]], atol=1e-9)


def test_points_are_chosen_far_apart_even_when_axes_run_out():
    points = np.array([[5.0, 0], [4, 0], [0, 3], [-5, 0], [0, -2]])
    assert far_apart(points, 4) == [0, 2, 3, 4]
    assert len(centres_of(points[:2], 3)) == 2


def test_the_published_table_is_of_counts(X):
    fitted = RSN(3, 4, "summary", random_state=0, n_init=3).fit(X)
    counts = X.toarray()
    for k in range(3):
        for m in range(4):
            block = counts[fitted.labels_ == k][:, fitted.word_labels_ == m]
            share = block.sum() / counts[fitted.labels_ == k].sum()
            assert_allclose(fitted.cluster_word_clusters_[k, m], share)


@pytest.mark.parametrize(
    ("name", "value"), [("form", "short"), ("divergence", "kl"), ("weighting", "tfidf")]
)
def test_unknown_choices_are_named(name, value, X):
    with pytest.raises(ValueError, match=f"^{name}='{value}': expected '"):
        RSN(3, 3, **{name: value}).fit(X)
