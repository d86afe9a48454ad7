"""Memberships to begin from, made in blocks of documents."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from coterie import PLSA, MultinomialMixture, starts
from coterie.types import Counts

LABELS = np.arange(100) % 3


@pytest.fixture
def X():
    counts = np.random.default_rng(0).poisson(0.5, size=(100, 12)).astype(np.float32)
    counts[[0, 40, 99]] = 0
    return Counts(counts)


@pytest.mark.parametrize(
    "init", ["dirichlet", "random", "kmeans", starts.Dirichlet(5), LABELS, np.eye(3)[LABELS]]
)
@pytest.mark.parametrize("block", [7, 100])
def test_blocks_are_rows_of_all_memberships(X, init, block, monkeypatch):
    monkeypatch.setattr(starts, "BLOCK", block)
    whole = starts.memberships(init, X, 3, np.random.default_rng(1))
    rng = np.random.default_rng(1)
    empty = np.diff(X.indptr) == 0
    found = MultinomialMixture(3, init=init)._start_memberships(X, rng)
    expected = np.where(empty[:, None], 0, whole).astype(np.float32)
    assert_array_equal(found, np.pad(expected, [(0, 0), (0, 5)]))
    assert found.dtype == np.float32


@pytest.mark.parametrize("init", ["random", LABELS])
def test_mixes_are_even_where_there_are_no_words(X, init, monkeypatch):
    monkeypatch.setattr(starts, "BLOCK", 7)
    mixes = PLSA(3, init=init)._start_mixes(X, np.random.default_rng(1))[:, :3]
    if init is LABELS:
        expected = 0.9 * np.eye(3)[LABELS] + 0.1 / 3
    else:
        expected = np.random.default_rng(1).dirichlet(np.ones(3), size=100)
    expected[np.diff(X.indptr) == 0] = 1 / 3
    np.testing.assert_allclose(mixes, expected, rtol=1e-6)


@pytest.mark.parametrize("model", [PLSA(12), MultinomialMixture(12, init="dirichlet")])
def test_draws_take_little_memory_besides_the_rows(model):
    n = 8 * starts.BLOCK
    X = Counts((np.ones(n, np.float32), np.zeros(n, np.int32), np.arange(n + 1)), shape=(n, 2))
    start = getattr(model, "_start_mixes", None) or model._start_memberships
    tracemalloc.start()
    rows = start(X, np.random.default_rng(0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < rows.nbytes + 2.5 * starts.held_bytes(starts.Dirichlet(), n, 12)
