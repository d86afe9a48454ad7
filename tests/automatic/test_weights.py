"""Weights by coherence, against plain loops over all pairs of documents."""

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import AutoClustering
from coterie.arrays import unit_rows
from coterie.automatic import axes, estimator, weights
from coterie.automatic.weights import (
    DOUBT,
    RANK,
    coherent_weights,
    plain_weights,
    word_coherence,
)
from coterie.types import Counts
from coterie.weighting import WordWeights


def documents_of_two_topics(seed=0, n_documents=80, n_numbers=20):
    """Words of two topics, two words of every text, and numbers that mean nothing."""
    rng = np.random.default_rng(seed)
    topic = np.arange(n_documents) % 2
    table = np.zeros((n_documents, 22 + n_numbers))
    for d in range(n_documents):
        of_topic = 10 * topic[d] + rng.integers(10, size=5)
        for word in [
            *of_topic,
            *(20 + rng.integers(2, size=2)),
            *(22 + rng.integers(20, size=3)),
        ]:
            table[d, word] += 1
    return Counts(sp.csr_array(table)), topic


def coherence_by_loops(X):
    table = X.toarray()
    weighted = WordWeights(exponent=1.0).fit(X).transform(X.astype(np.float32))
    rows = unit_rows(axes.main_axes(weighted, RANK, 0).documents, np.float64)
    filled = [d for d in range(len(table)) if table[d].any()]
    centred = rows - sum(rows[d] for d in filled) / len(filled)
    square = sum(centred[d] @ centred[d] for d in filled) / len(filled)
    found = []
    for word in range(table.shape[1]):
        members = [d for d in filled if table[d, word]]
        pairs = [centred[a] @ centred[b] for a in members for b in members if a != b]
        mean = sum(pairs) / max(len(pairs), 1) / square
        found.append(min(max(mean, 0), 1) * len(members) / (len(members) + DOUBT))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_coherence_is_that_of_loops_over_pairs(seed):
    X, _ = documents_of_two_topics(seed)
    X = sp.csr_array(sp.vstack([X, Counts((1, X.shape[1]))]))  # a document without words
    np.testing.assert_allclose(word_coherence(X, X, 0), coherence_by_loops(X), atol=1e-6)


def test_coherence_of_blocks_is_that_of_all(monkeypatch):
    X, _ = documents_of_two_topics()
    whole = word_coherence(X, X, 0)
    monkeypatch.setattr("coterie.arrays.BLOCK_COUNTS", 100)
    np.testing.assert_allclose(word_coherence(X, X, 0), whole, atol=1e-12)


def test_words_count_for_as_much_as_their_documents_are_alike():
    X, _ = documents_of_two_topics(n_documents=600, n_numbers=400)
    found = coherent_weights(plain_weights(X, 0.1), X, word_coherence(X, X, 0)).word_weights_
    assert found[:20].min() > 3 * found[20:22].max()
    assert found[:20].min() > 2 * np.mean(found[22:])


def test_documents_weigh_as_much_as_by_rarity_alone():
    X, _ = documents_of_two_topics()
    learned = coherent_weights(plain_weights(X, 0.1), X, word_coherence(X, X, 0))
    plain = WordWeights(exponent=0.0).fit(X)  # they are short
    np.testing.assert_allclose(learned.transform(X).sum(), plain.transform(X).sum())


@pytest.mark.parametrize("table", [np.ones((5, 3)), np.eye(6), [[2.0, 0.0], [0.0, 0.0]]])
def test_documents_that_are_all_alike_or_all_apart_have_finite_weights(table):
    X = Counts(np.array(table))
    found = coherent_weights(plain_weights(X, 0.1), X, word_coherence(X, X, 0)).word_weights_
    assert np.isfinite(found).all()
    assert np.any(found > 0) == np.any(WordWeights(exponent=0.0).fit(X).word_weights_ > 0)


def test_weights_are_learned_again_from_the_halves_that_check_stability(monkeypatch):
    """Else the documents left out would have their say in the weights."""
    X, _ = documents_of_two_topics()
    learned = []

    def counting(counts, sample, **settings):
        learned.append(counts.shape[0])
        return weights.learned_weights(counts, sample, **settings)

    monkeypatch.setattr(estimator, "learned_weights", counting)
    light = {"growths": ((20, 2),), "ranks": (5,), "n_votes": 2}
    AutoClustering(2, random_state=0, **light).fit(X)
    assert learned == [80, 40, 40, 40, 40]
