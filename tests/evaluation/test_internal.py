"""Perplexity, silhouette and stability, and what they refuse."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.metrics import silhouette_score

from coterie.errors import InputError
from coterie.evaluation import (
    ari,
    cosine_silhouette,
    held_out_perplexity,
    perplexity,
    stability,
)


class Unigram:
    def __init__(self, probabilities):
        self.probabilities = np.asarray(probabilities)

    def log_likelihood(self, X):
        return float((X @ np.log(self.probabilities)).sum())


def test_hesitating_evenly_between_v_words_is_a_perplexity_of_v():
    assert perplexity(-7 * math.log(123), 7) == pytest.approx(123)


def test_certainty_is_a_perplexity_of_one():
    assert perplexity(0.0, 5) == 1
    assert perplexity(1e-12, 5) == pytest.approx(1)


@pytest.mark.parametrize("log_likelihood", [-math.inf, -1e9])
def test_an_impossible_word_is_an_infinite_perplexity(log_likelihood):
    assert perplexity(log_likelihood, 2) == math.inf


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_held_out_perplexity_is_the_published_formula(kind, dtype):
    counts = np.array([[2, 0, 1], [0, 4, 1], [0, 0, 0]])
    model = Unigram([0.5, 0.3, 0.2])
    log_likelihood = sum(
        counts[d, w] * math.log(model.probabilities[w]) for d in range(3) for w in range(3)
    )
    expected = math.exp(-log_likelihood / 8)
    assert held_out_perplexity(model, kind(counts.astype(dtype))) == pytest.approx(expected)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_words_are_counted_in_double_precision(kind):
    counts = kind(np.array([[2**24, 1, 1, 1]], dtype=np.float32))

    class Halving:
        def log_likelihood(self, _):
            return (2**24 + 3) * math.log(0.5)

    assert held_out_perplexity(Halving(), counts) == pytest.approx(2, rel=1e-12)


@pytest.mark.parametrize("n_words", [0, -3, math.nan, math.inf])
def test_no_words_have_no_perplexity(n_words):
    with pytest.raises(InputError, match="n_words: expected at least one word"):
        perplexity(-1.0, n_words)


@pytest.mark.parametrize("log_likelihood", [math.nan, 0.5])
def test_what_is_no_log_probability_is_refused(log_likelihood):
    with pytest.raises(InputError, match="log_likelihood: expected the logarithm"):
        perplexity(log_likelihood, 3)


def test_empty_documents_alone_are_refused():
    with pytest.raises(InputError, match="counts: expected at least one word"):
        held_out_perplexity(Unigram([0.5, 0.5]), sp.csr_array((3, 2)))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_silhouette_is_that_of_scikit_learn(kind):
    rng = np.random.default_rng(0)
    rows = rng.poisson(0.4, size=(120, 30)).astype(float)
    rows[7] = 0
    rows[20] = rows[21]
    labels = rng.integers(0, 5, size=120)
    labels[3] = 9  # alone
    expected = silhouette_score(rows, labels, metric="cosine")
    assert cosine_silhouette(kind(rows), labels) == pytest.approx(expected, abs=1e-10)
    assert cosine_silhouette(kind(rows), [f"c{label}" for label in labels]) == pytest.approx(
        expected, abs=1e-10
    )


def test_the_silhouette_visits_no_pairs():
    rng = np.random.default_rng(0)
    entries = np.repeat(np.arange(100_000), 5), rng.integers(0, 50, size=500_000)
    rows = sp.csr_array((rng.random(500_000), entries), shape=(100_000, 50))
    labels = rng.integers(0, 3, size=100_000)  # all pairs would need 80 GB
    assert abs(cosine_silhouette(rows, labels)) < 0.01


def test_what_has_no_silhouette():
    with pytest.raises(InputError, match="labels: one cluster, expected at least two"):
        cosine_silhouette([[1.0], [2.0]], [0, 0])
    with pytest.raises(InputError, match="labels: 3 for 2 documents"):
        cosine_silhouette([[1.0], [2.0]], [0, 1, 1])


def test_stability_compares_the_documents_of_each_subset():
    labels = np.repeat([0, 1, 2], 20)
    subsets = []

    def same(rows):
        subsets.append(rows)
        return 5 - labels[rows]

    assert_allclose(stability(labels, same, n_resamples=4, random_state=1), 1)
    assert [len(rows) for rows in subsets] == [48] * 4
    assert all((np.diff(rows) > 0).all() for rows in subsets)
    assert len({rows.tobytes() for rows in subsets}) == 4
    again = stability(labels, lambda rows: rows % 2, n_resamples=4, random_state=1)
    expected = [ari(labels[rows].tolist(), (rows % 2).tolist()) for rows in subsets]
    assert_allclose(again, expected)


@pytest.mark.parametrize("share", [0, 1, 0.1])
def test_a_subset_has_some_documents_and_not_all(share):
    with pytest.raises(InputError, match=f"share: {share} of 5 documents"):
        stability([0] * 5, lambda rows: rows, share=share)
