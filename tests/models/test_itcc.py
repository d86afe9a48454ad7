"""ITCC against Dhillon, Mallela and Modha, and the identity of Wang, section 4."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie import ITCC
from coterie.kernels import cpu
from coterie.models.information import mutual_information
from planted import learned


def information(p):
    """Mutual information by its definition, cell by cell."""
    total = 0.0
    for i in range(p.shape[0]):
        for j in range(p.shape[1]):
            if p[i, j] > 0:
                total += p[i, j] * np.log(p[i, j] / (p[i].sum() * p[:, j].sum()))
    return total


def entropy(p):
    """Sum of p log p."""
    return np.sum(p[p > 0] * np.log(p[p > 0]))


def blocks(p, rows, columns, K, L):
    table = np.zeros((K, L))
    for i in range(p.shape[0]):
        for j in range(p.shape[1]):
            table[rows[i], columns[j]] += p[i, j]
    return table


def test_the_loss_is_the_information_lost_and_the_divergence(X):
    """Eq. 4 of Wang: I(D;W) - I(S;Z) = KL(p || q), with q of eqs. 5 and 6."""
    fitted = learned(ITCC(3, 4, random_state=0), X)
    p = X.toarray() / X.sum()
    table = blocks(p, fitted.labels_, fitted.word_labels_, 3, 4)
    across = fitted.cluster_word_clusters_ * table.sum(axis=1, keepdims=True)
    assert_allclose(across, table, atol=1e-12)
    assert_allclose(fitted.loss_, information(p) - information(table), rtol=1e-9)
    divergence = 0.0
    for i in range(p.shape[0]):
        for j in range(p.shape[1]):
            k, m = fitted.labels_[i], fitted.word_labels_[j]
            q = table[k, m] * p[i].sum() / table[k].sum() * p[:, j].sum() / table[:, m].sum()
            divergence += p[i, j] * np.log(p[i, j] / q) if p[i, j] > 0 else 0
    assert_allclose(fitted.loss_, divergence, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_objective_is_minus_the_loss_up_to_constants(X):
    """Section 4: the likelihood with hard clusters and the loss differ by a constant."""
    N = X.sum()
    found = []
    for seed in range(3):
        fitted = ITCC(3, 4, random_state=seed, tol=0, max_iter=60).fit(X)
        found.append((fitted.history_[-1], fitted.loss_))
    (h0, l0), *others = found
    x = X.toarray()
    p = x / x.sum()
    known = N * (np.sum(p[p > 0] * np.log(p[p > 0])) - entropy(p.sum(axis=1)))
    assert_allclose(h0, known - N * l0, rtol=1e-9)
    for h, loss in others:
        assert_allclose(h - h0, -N * (loss - l0), rtol=1e-6, atol=1e-6)


def test_reassignments_are_those_of_the_definition(X):
    """A row goes where KL(p(W|d) || q(W|k)) is smallest, then a column likewise."""
    x = X.toarray()
    model = ITCC(3, 4)
    rows, shared = model._start(X, np.random.default_rng(2))
    labels, columns = rows[:, :3].argmax(axis=1), shared[2]
    expected = model._e_step(X, rows, model._visible(shared), cpu)
    n = blocks(x, labels, columns, 3, 4)
    new = [
        np.argmin([kl_row(x, d, columns, n, k) for k in range(3)]) for d in range(X.shape[0])
    ]
    assert_array_equal(expected.rows[:, :3].argmax(axis=1), new)
    shared = model._m_step(shared, *expected.statistics)
    n = blocks(x, new, columns, 3, 4)
    moved = [
        np.argmin([kl_column(x, w, new, n, m) for m in range(4)]) for w in range(X.shape[1])
    ]
    assert_array_equal(shared[2], moved)


def kl_row(x, d, columns, n, k):
    """KL(p(W | d) || q(W | k)) with q(w | k) = p(w | word cluster) p(word cluster | k)."""
    total = 0.0
    for w in np.flatnonzero(x[d]):
        p = x[d, w] / x[d].sum()
        m = columns[w]
        q = x[:, w].sum() / n[:, m].sum() * n[k, m] / n[k].sum()
        total += p * np.log(p / q)
    return total


def kl_column(x, w, labels, n, m):
    total = 0.0
    for d in np.flatnonzero(x[:, w]):
        p = x[d, w] / x[:, w].sum()
        k = labels[d]
        q = x[d].sum() / n[k].sum() * n[k, m] / n[:, m].sum()
        total += p * np.log(p / q)
    return total


def test_memberships_are_hard_and_predicted_alike(X):
    fitted = ITCC(3, 3, random_state=0, n_init=5).fit(X)
    assert set(np.unique(fitted.memberships_)) == {0, 1}
    assert_array_equal(fitted.predict(X), fitted.labels_)


def test_more_clusters_than_needed_leave_some_empty_and_nothing_breaks():
    X = np.array([[3, 0], [3, 0], [0, 3], [0, 3], [3, 0], [0, 3]])
    fitted = ITCC(4, 5, random_state=0, n_init=3).fit(X)
    assert np.all(np.isfinite(fitted.components_))
    assert_allclose(fitted.loss_, 0, atol=1e-12)


def test_mutual_information_of_counts(X):
    assert_allclose(mutual_information(X.tocoo()), information(X.toarray() / X.sum()))
