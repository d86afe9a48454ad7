"""BVD against the updates of Long, Zhang and Yu (2005), as loops."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls

from coterie import BVD
from coterie.kernels import cpu
from coterie.models.block_values import scales
from planted import learned


def scaled(X, weighting="length"):
    """Documents of length one, of sum one, or as they are."""
    rows = X.toarray()
    for d in range(len(rows)):
        size = np.sqrt(sum(x * x for x in rows[d])) if weighting == "length" else sum(rows[d])
        rows[d] /= 1 if weighting == "counts" else size
    return rows


def update_rows(A, R, B, C):
    """R <- R o (A C' B') / (R B C C' B'), entry by entry."""
    new = np.zeros_like(R)
    whole = R @ B @ C
    words = B @ C
    for d in range(R.shape[0]):
        for k in range(R.shape[1]):
            above = sum(A[d, w] * words[k, w] for w in range(A.shape[1]))
            below = sum(whole[d, w] * words[k, w] for w in range(A.shape[1]))
            new[d, k] = R[d, k] * above / below
    return new


def update_blocks(A, R, B, C):
    """B <- B o (R' A C') / (R' R B C C')."""
    new = np.zeros_like(B)
    whole = R @ B @ C
    for k in range(B.shape[0]):
        for m in range(B.shape[1]):
            above = sum(R[d, k] * (A[d] @ C[m]) for d in range(len(A)))
            below = sum(R[d, k] * (whole[d] @ C[m]) for d in range(len(A)))
            new[k, m] = B[k, m] * above / below
    return new


def update_words(A, R, B, C):
    """C <- C o (B' R' A) / (B' R' R B C)."""
    new = np.zeros_like(C)
    whole = R @ B @ C
    documents = R @ B
    for m in range(C.shape[0]):
        for w in range(C.shape[1]):
            above = sum(documents[d, m] * A[d, w] for d in range(len(A)))
            below = sum(documents[d, m] * whole[d, w] for d in range(len(A)))
            new[m, w] = C[m, w] * above / below
    return new


@pytest.mark.parametrize("weighting", ["length", "share", "counts"])
def test_one_sweep_is_the_three_updates_one_after_the_other(X, weighting):
    model = BVD(3, 4, weighting)
    R, (B, C) = model._start(X, np.random.default_rng(0))
    expected = model._e_step(X, R, model._visible((B, C)), cpu)
    new_B, new_C = model._m_step((B, C), *expected.statistics)

    A = scaled(X, weighting)
    error = np.sum((A - R @ B @ C.T) ** 2)
    R = update_rows(A, R, B, C.T)
    B = update_blocks(A, R, B, C.T)
    assert_allclose(expected.objective, -error, rtol=1e-10)
    assert_allclose(expected.rows, R, rtol=1e-10)
    assert_allclose(new_B, B, rtol=1e-10)
    assert_allclose(new_C.T, update_words(A, R, B, C.T), rtol=1e-10)


def test_factors_are_published_on_their_natural_scales(X):
    fitted = learned(BVD(3, 4, random_state=0), X)
    assert_allclose(fitted.word_components_.sum(axis=1), 1)
    A = scaled(X)
    mixes = fitted.memberships_ @ fitted.cluster_word_clusters_ @ fitted.word_components_
    scale = [row @ a / (row @ row) for row, a in zip(mixes, A, strict=True)]
    error = np.sum((A - np.array(scale)[:, None] * mixes) ** 2)
    assert error <= -fitted.history_[-1] * (1 + 1e-9)
    assert_array_equal(fitted.word_labels_, fitted.word_components_.argmax(axis=0))


def test_new_documents_get_the_least_squares_coefficients(X):
    fitted = BVD(3, 4, random_state=0, n_init=3).fit(X)
    by_words = fitted.cluster_word_clusters_ @ fitted.word_components_
    placed = fitted.predict_proba(X)
    for d, document in enumerate(scaled(X)):
        best = nnls(by_words.T, document)[0]
        assert_allclose(placed[d], best / best.sum(), atol=0.02)


def test_an_exact_decomposition_is_recognised():
    rng = np.random.default_rng(0)
    blocks = np.kron(np.diag([3.0, 5.0]), np.ones((4, 6)))
    X = sp.csr_array(np.diag(rng.uniform(1, 2, 8)) @ blocks)
    fitted = BVD(2, 2, random_state=0, n_init=3, tol=1e-9).fit(X)
    assert fitted.history_[-1] > -1e-6
    assert len(set(fitted.labels_[:4])) == len(set(fitted.labels_[4:])) == 1
    assert len(set(fitted.word_labels_[:6])) == len(set(fitted.word_labels_[6:])) == 1


def test_scales_of_documents():
    X = sp.csr_array([[3.0, 4.0], [0.0, 0.0]])
    assert_allclose(scales(X, "share"), [1 / 7, 0])
    assert_allclose(scales(X, "length"), [0.2, 0])
    assert_allclose(scales(X, "counts"), [1, 1])


def test_an_unknown_weighting_is_named(X):
    with pytest.raises(ValueError, match="^weighting='tfidf': expected 'length' or 'share'"):
        BVD(3, 3, "tfidf").fit(X)
