"""WordWeights against its formula, and what the automatic method needs of it."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

import coterie
from coterie import InputError, WordWeights
from planted import plant


@pytest.mark.parametrize("scale", [0.1, 2.0])
def test_weights_follow_the_formula(scale):
    X = np.random.default_rng(0).poisson(0.5, (30, 12)).astype(float)
    X[3] = 0
    X[:, 4] = 0
    X[7, 4] = 2
    found = WordWeights(scale=scale, least_length=0).fit_transform(sp.csr_array(X)).toarray()
    n_documents = sum(1 for row in X if row.any())
    for d in range(30):
        for w in range(12):
            df = sum(1 for row in X if row[w])
            expected = scale * np.log(1 + X[d, w]) * np.log((n_documents + 1) / df) * (df > 1)
            assert_allclose(found[d, w], expected, rtol=1e-12)


def test_rarity_counts_by_its_exponent():
    X = plant(60, 40, 3, 20, seed=0)[0]
    usual = WordWeights(least_length=0).fit(X).word_weights_ / 0.1
    for exponent in (0.0, 0.5):
        weights = WordWeights(least_length=0, exponent=exponent).fit(X)
        assert_allclose(weights.word_weights_ / 0.1, np.where(usual > 0, usual**exponent, 0))


def test_short_documents_are_raised_to_a_least_length():
    X = plant(60, 40, 3, 5, seed=0)[0]
    usual, raised = WordWeights(least_length=0).fit(X), WordWeights(least_length=9.0).fit(X)
    assert usual.scale_ == 0.1
    assert raised.scale_ > 0.1
    assert_allclose(raised.transform(X).sum() / 60, 9.0)
    assert_allclose(raised.word_weights_ / raised.scale_, usual.word_weights_ / 0.1)
    assert WordWeights(least_length=1e-6).fit(X).scale_ == 0.1


def test_every_document_is_weighed_by_itself_and_counts_stay_as_they_are():
    X = plant(60, 40, 3, 20, seed=0)[0]
    before = X.copy()
    weights = WordWeights().fit(X)
    together = weights.transform(X)
    assert (before != X).nnz == 0
    assert_array_equal(together[[7]].toarray(), weights.transform(X[[7]]).toarray())
    assert weights.transform(X.astype(np.float32)).dtype == np.float32


def test_words_of_one_document_or_none_weigh_nothing():
    X = sp.csr_array([[1.0, 0.0, 2.0, 1.0], [1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    weights = WordWeights().fit(X)
    new = sp.csr_array([[1.0, 5.0, 0.0, 3.0]])
    assert_array_equal(weights.transform(new).indices, [0])
    assert_array_equal(WordWeights(min_df=1).fit(X).transform(new).indices, [0, 3])
    assert new.nnz == 3
    assert_array_equal(new.indptr, [0, 3])


def test_where_no_word_is_in_two_documents_all_weigh():
    X = sp.csr_array([[1.0, 0.0], [0.0, 4.0]])
    assert WordWeights().fit_transform(X).nnz == 2


def test_bad_settings_and_order_are_refused():
    for name, value in (("scale", 0), ("scale", np.inf), ("least_length", -1)):
        with pytest.raises(InputError, match=f"^{name}={value}: expected a finite number"):
            WordWeights(**{name: value}).fit([[1]])
    with pytest.raises(NotFittedError):
        WordWeights().transform([[1]])


def test_takes_a_corpus_of_the_same_words_only():
    corpus = coterie.Corpus.from_texts(["one fish", "two fish"])
    weights = WordWeights().fit(corpus)
    assert weights.transform(corpus).shape == corpus.counts.shape
    with pytest.raises(InputError, match="other words"):
        weights.transform(coterie.Corpus.from_texts(["red fish", "blue fish"]))
