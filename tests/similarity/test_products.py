"""Products in blocks against plain matrices, and what pruning and neighbours leave."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import coterie
from coterie.kernels.cosimilarity import multiply
from coterie.similarity import products
from coterie.similarity.products import (
    Rule,
    all_products,
    order_statistic,
    self_products,
    similarities,
    similarities_of_new_rows,
)


def largest_products(A, S, B):
    n_rows, n_columns = A.shape[0], B.shape[0]
    found = np.zeros((n_rows, n_columns))
    for i in range(n_rows):
        for j in range(n_columns):
            found[i, j] = np.max(A[i][:, None] * S * B[j][None, :])
    return found


@pytest.fixture
def A():
    """More rows than a block has, some of them empty."""
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.4, (300, 23)) * rng.random((300, 23))
    dense[[3, 150]] = 0
    return sp.csr_array(dense.astype(np.float32))


@pytest.fixture
def S():
    half = np.random.default_rng(1).random((23, 23), dtype=np.float32)
    return (half + half.T) / 2


def sparse(S):
    return sp.csr_array(np.where(S > 0.6, S, 0))


@pytest.mark.parametrize("form", ["identity", "dense", "sparse"])
@pytest.mark.parametrize("largest", [False, True])
def test_products_are_those_of_matrices(A, S, form, largest):
    given = {"identity": None, "dense": S, "sparse": sparse(S)}[form]
    through = np.eye(23) if given is None else given
    through = through.toarray() if sp.issparse(through) else through
    dense = A.toarray().astype(np.float64)
    expected = dense @ through @ dense.T
    if largest:
        expected = largest_products(dense, through, dense)
    found = all_products(A, given, largest)
    lower = np.tril_indices(300)
    assert_allclose(found[lower], expected[lower], rtol=1e-5, atol=1e-6)
    assert_allclose(self_products(A, given, largest), np.diag(expected), rtol=1e-5, atol=1e-6)
    new = similarities_of_new_rows(A[:7], A, given, Rule(largest=largest))
    assert_allclose(new, expected[:, :7], rtol=1e-5, atol=1e-6)


def test_a_product_begins_at_its_corner_and_adds_to_what_is_there(A, S):
    out = np.ones((5, 30), np.float32)
    multiply(A, (10, 12), S, out, (2, 4))
    expected = np.ones((5, 30))
    expected[2:4, 4:27] += A.toarray()[10:12] @ S
    assert_allclose(out, expected, rtol=1e-5)


@pytest.mark.parametrize("n", [2, 3, 50, 200])
def test_order_statistics_are_those_of_a_sort(n):
    rng = np.random.default_rng(n)
    S = np.round(rng.random((n, n)), 2).astype(np.float32) * (rng.random((n, n)) > 0.3)
    below = np.sort(S[np.tril_indices(n, -1)])
    for rank in {0, len(below) // 3, len(below) // 2, len(below) - 1}:
        assert order_statistic(S, rank) == below[rank]
    assert order_statistic(S, len(below)) == np.inf


@pytest.mark.parametrize("prune", [0.0, 0.3, 0.9])
def test_pruning_zeroes_the_share_of_least_similar_pairs(A, S, prune):
    whole, _ = similarities(A, S, Rule(1.0, 1.0))
    found, mean = similarities(A, S, Rule(1.0, 1.0, prune))
    pairs = whole[np.tril_indices(300, -1)]
    rank = int(prune * len(pairs))
    threshold = np.partition(pairs, rank)[rank]
    expected = np.where(whole < threshold, 0, whole)
    np.fill_diagonal(expected, 1)
    assert_array_equal(found, expected)
    assert_allclose(mean, expected[np.tril_indices(300, -1)].mean(), rtol=1e-5)


@pytest.mark.parametrize("prune", [0.0, 0.98])
def test_keeping_leaves_the_largest_of_each_row(A, S, prune):
    whole, _ = similarities(A, S, Rule(1.0, 1.0))
    found, mean = similarities(A, S, Rule(1.0, 1.0, prune, n_neighbors=4))
    expected = np.zeros_like(whole)
    for i, row in enumerate(whole):
        others = np.argsort(np.where(np.arange(300) == i, -1, row))[-4:]
        expected[i, others] = row[others]
    expected = np.maximum(expected, expected.T)
    n_left = 300 * 299 - 2 * int(prune * 300 * 299 / 2)
    if np.count_nonzero(expected) > n_left:
        expected[expected < np.sort(expected[expected > 0])[-n_left]] = 0
    np.fill_diagonal(expected, 1)
    assert sp.issparse(found)
    assert_allclose(found.toarray(), expected, rtol=1e-5)
    assert_allclose(mean, expected[np.tril_indices(300, -1)].mean(), rtol=1e-4)


def test_keeping_as_many_as_there_are_is_exact(A, S):
    exact, mean = similarities(A, S, Rule(1.0, 1.0))
    kept, same_mean = similarities(A, S, Rule(1.0, 1.0, n_neighbors=299))
    assert_array_equal(kept, exact)
    assert mean == same_mean


@pytest.mark.parametrize("n_neighbors", [None, 5])
def test_same_bits_on_any_number_of_threads_and_blocks(A, S, n_neighbors, monkeypatch):
    rule = Rule(0.8, 1.0, 0.5, n_neighbors)

    def dense(n_threads):
        with coterie.run_on("threads", n_threads=n_threads):
            found, mean = similarities(A, S, rule)
        return found.toarray() if sp.issparse(found) else found, mean

    once, mean = dense(1)
    again, same_mean = dense(3)
    assert_array_equal(once, again)
    assert mean == same_mean
    monkeypatch.setattr(products, "BLOCK", 37)
    assert_array_equal(dense(2)[0], once)
