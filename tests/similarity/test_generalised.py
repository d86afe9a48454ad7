"""Cosine, Dice and Jaccard through similarities of words, against loops and known ones."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics.pairwise import cosine_similarity

from coterie import ChiSim, Corpus, InputError
from coterie.similarity import generalised

MEASURES = ("cosine", "dice", "jaccard")


def product(first, second, A):
    return sum(a * A[i, j] * b for i, a in enumerate(first) for j, b in enumerate(second))


def by_loops(X, A, measure):
    found = np.eye(len(X))
    for i, first in enumerate(X):
        for j, second in enumerate(X):
            both = product(first, second, A)
            a, b = product(first, first, A), product(second, second, A)
            scale = {"cosine": np.sqrt(a * b), "dice": (a + b) / 2, "jaccard": a + b - both}
            found[i, j] = both / scale[measure]
    return found


@pytest.fixture
def counts():
    rng = np.random.default_rng(0)
    return rng.poisson(0.8, (8, 6)) + np.eye(8, 6, dtype=int) + np.eye(8, 6, k=-6, dtype=int)


@pytest.fixture
def words():
    B = np.random.default_rng(1).random((6, 4))
    return B @ B.T


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_follow_their_equations(measure, counts, words):
    expected = by_loops(counts, words, measure)
    for X in (counts, sp.csr_array(counts), sp.coo_array(counts)):
        for A in (
            words,
            sp.csr_array(words),
            words.astype(np.float32),
            np.asfortranarray(words),
        ):
            found = generalised(X, A, measure)
            assert found.dtype == np.float32
            assert_allclose(found, expected, rtol=1e-5)
            assert_array_equal(found, found.T)
    assert expected.max() <= 1 + 1e-12


@pytest.mark.parametrize("identity", [np.eye(6), sp.eye_array(6, format="csr")])
def test_the_identity_gives_the_classical_measures(identity, counts):
    assert_allclose(generalised(counts, identity), cosine_similarity(counts), atol=1e-6)
    present = counts > 0
    for measure in ("dice", "jaccard"):
        classical = 1 - squareform(pdist(present, measure))
        assert_allclose(
            generalised(present.astype(int), identity, measure), classical, atol=1e-6
        )


def test_jaccard_and_dice_are_those_of_the_paper_for_zeros_and_ones(counts):
    """Section 2.1: SC = I and sums of both less the product, SC = 2I and sums of both."""
    X = (counts > 0).astype(float)
    sums = X.sum(axis=1)[:, None] + X.sum(axis=1)
    assert_allclose(generalised(X, np.eye(6), "jaccard"), X @ X.T / (sums - X @ X.T), rtol=1e-6)
    assert_allclose(generalised(X, np.eye(6), "dice"), 2 * X @ X.T / sums, rtol=1e-6)


def test_orange_and_red_banana_are_alike_by_more_than_one_where_words_are_indefinite():
    A = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 1]])
    assert_allclose(generalised([[1, 0, 0], [0, 1, 1]], A)[0, 1], 2 / np.sqrt(2), rtol=1e-6)


def test_similarities_of_chi_sim_give_those_of_one_iteration_more(X):
    words = ChiSim(3, exponent=1, max_iter=3).fit(X).word_similarity_
    more = ChiSim(3, exponent=1, max_iter=4).fit(X).document_similarity_
    assert_allclose(generalised(X, words), more, rtol=1e-4)


@pytest.mark.parametrize("measure", MEASURES)
def test_documents_without_words_are_like_themselves_only(measure, counts, words):
    X = np.vstack([counts, np.zeros((2, 6))])
    found = generalised(X, words, measure)
    assert_array_equal(found[8:], np.eye(2, 10, k=8))
    assert_array_equal(found[:8, :8], generalised(counts, words, measure))


def test_a_corpus_has_counts():
    corpus = Corpus.from_texts(["sea waves", "waves sea", "bread"])
    n_words = corpus.counts.shape[1]
    assert_allclose(generalised(corpus, np.eye(n_words))[0], [1, 1, 0], atol=1e-6)


def test_what_is_wrong_is_named(counts, words):
    opposite = np.array([[1.0, -2.0], [-2.0, 1.0]])
    too_alike = np.array([[1.0, 2.0], [2.0, 1.0]])
    for arguments, complaint in [
        ((counts, words, "euclid"), "^measure='euclid': expected 'cosine' or 'dice' or"),
        ((counts, words[:5, :5]), "^word_similarity: 5 words; expected 6 as in X"),
        ((counts, words[:5]), r"^word_similarity: shape \(5, 6\); expected a square"),
        ((counts, words * np.nan), "^word_similarity: NaN or infinity"),
        ((counts, np.triu(words)), "^word_similarity: not symmetric"),
        ((-counts, words), "^X: row 0, column 0 holds -"),
        (([[1, 1]], opposite), "^word_similarity: a document has a product below zero"),
        (([[1, 0], [0, 1]], too_alike, "jaccard"), "^word_similarity: two documents have no"),
    ]:
        with pytest.raises(InputError, match=complaint):
            generalised(*arguments)
