"""Choosing words: each score by its definition, and what is true of every selector."""

import builtins

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.feature_selection import SelectorMixin, mutual_info_classif
from sklearn.pipeline import make_pipeline

from coterie import (
    PLSA,
    Corpus,
    InformationGain,
    InputError,
    MedoidWords,
    MostFrequent,
    SupervisedMutualInformation,
    TextOptions,
    load_model,
    save_model,
)
from coterie.selection import document_frequencies
from coterie.selection.medoids import euclidean_distances

SUPERVISED = [
    SupervisedMutualInformation(5),
    SupervisedMutualInformation(5, smoothing=0.5),
    InformationGain(5),
]
SELECTORS = [*SUPERVISED, MostFrequent(5), MedoidWords(5, random_state=0)]
every_selector = pytest.mark.parametrize(
    "selector", SELECTORS, ids=lambda s: type(s).__name__ + "-smooth" * hasattr(s, "smoothing")
)


@pytest.fixture
def sample():
    """Words of very different frequency, three classes, some words of one class only."""
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1, 2], [12, 10, 8])
    rates = rng.gamma(0.3, 1.0, size=(3, 30))
    return sp.csr_array(rng.poisson(rates[classes]).astype(np.float64)), classes


def pointwise(present, classes, word, smoothing):
    """The largest over classes of log P(t, c) / (P(t) P(c)), from counts of documents."""
    found = []
    names = sorted(set(classes))
    for c in names:
        n_c = sum(1 for own in classes if own == c)
        share = n_c / len(classes)
        both = sum(1 for d, own in enumerate(classes) if own == c and present[d, word])
        total = sum(1 for d in range(len(classes)) if present[d, word])
        more = smoothing * len(names)
        inside = (both + more * share) / (total + more)
        found.append(np.log(inside / share) if inside > 0 else -np.inf)
    return max(found)


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_pointwise_information_is_that_of_the_definition(sample, smoothing):
    X, classes = sample
    selector = SupervisedMutualInformation(4, smoothing=smoothing).fit(X, classes)
    present = X.toarray() > 0
    for word in np.flatnonzero(present.any(axis=0)):
        expected = pointwise(present, classes, word, smoothing)
        assert_allclose(selector.scores_[word], expected, atol=1e-12)


def test_information_gain_is_the_mutual_information_of_presence_and_class(sample):
    X, classes = sample
    present = X.toarray() > 0
    expected = mutual_info_classif(present, classes, discrete_features=True)
    assert_allclose(InformationGain(4).fit(X, classes).scores_, expected, atol=1e-12)


def test_of_equal_scores_words_of_more_documents_come_first():
    X = np.array([[1, 0, 1, 1], [1, 1, 1, 1], [1, 1, 0, 1], [0, 0, 0, 1]])
    y = [0, 0, 0, 1]
    found = SupervisedMutualInformation(1).fit(X, y)
    assert_array_equal(found.scores_[:3], found.scores_[0])
    assert_array_equal(found.get_support(indices=True), [0])


def test_smoothing_prefers_frequent_words_to_rare_ones_of_a_single_class():
    rare = np.array([1, 1] + [0] * 18)
    frequent = np.array([1] * 10 + [1] + [0] * 9)
    X = np.column_stack([rare, frequent])
    y = [0] * 10 + [1] * 10
    plain = SupervisedMutualInformation(1).fit(X, y)
    smooth = SupervisedMutualInformation(1, smoothing=0.5).fit(X, y)
    assert plain.get_support(indices=True) == [0]
    assert smooth.get_support(indices=True) == [1]


def test_words_of_too_few_documents_are_never_chosen(sample):
    X, classes = sample
    df = document_frequencies(X)
    for selector in SELECTORS:
        fitted = clone(selector).set_params(n_words=1000, min_df=4).fit(X, classes)
        assert_array_equal(fitted.get_support(), df >= 4)


def test_most_frequent_words_have_the_largest_totals(sample):
    X, _ = sample
    chosen = MostFrequent(7).fit(X).get_support()
    totals = X.toarray().sum(axis=0)
    totals[document_frequencies(X) < 2] = 0
    assert chosen.sum() == 7
    assert totals[chosen].min() >= totals[~chosen].max()


def test_distances_are_euclidean(sample):
    words = sample[0].T.tocsr()
    dense = words.toarray()
    expected = np.sqrt(((dense[:, None] - dense[None]) ** 2).sum(axis=2))
    assert_allclose(euclidean_distances(words), expected, rtol=1e-6)


def test_no_other_word_is_a_better_medoid_in_place_of_one(sample):
    """FasterPAM ends where no single swap lowers the sum of distances to the medoids."""
    X, _ = sample
    fitted = MedoidWords(6, random_state=3).fit(X)
    frequent = np.flatnonzero(document_frequencies(X) >= 2)
    distances = euclidean_distances(X[:, frequent].T.tocsr())
    medoids = np.flatnonzero(fitted.get_support()[frequent])
    loss = distances[:, medoids].min(axis=1).sum()
    assert_allclose(fitted.loss_, loss, rtol=1e-6)
    for out in range(6):
        for new in range(len(frequent)):
            swapped = np.append(np.delete(medoids, out), new)
            assert distances[:, swapped].min(axis=1).sum() >= loss - 1e-4


@every_selector
def test_same_seed_same_words_and_as_many_as_asked(selector, sample):
    X, classes = sample
    first = clone(selector).fit(X, classes).get_support()
    assert first.sum() == 5
    assert_array_equal(first, clone(selector).fit(X.toarray(), classes).get_support())


@every_selector
def test_the_order_of_documents_does_not_matter(selector, sample):
    X, classes = sample
    order = np.random.default_rng(1).permutation(len(classes))
    usual = clone(selector).fit(X, classes)
    permuted = clone(selector).fit(X[order], classes[order])
    assert_array_equal(usual.get_support(), permuted.get_support())


@every_selector
def test_documents_left_without_words_stay_and_are_counted(selector, sample):
    X, classes = sample
    X = sp.vstack([X, sp.csr_array((2, X.shape[1]))]).tocsr()
    fitted = clone(selector).fit(X, np.append(classes, [0, 1]))
    reduced = fitted.transform(X)
    assert reduced.shape == (32, 5)
    assert fitted.n_empty_ == np.count_nonzero(reduced.sum(axis=1) == 0) >= 2


@every_selector
def test_a_corpus_gives_a_corpus_with_its_labels(selector):
    texts = ["tea pot cup", "tea cup leaf", "rum cask ship", "rum ship sail", "tea ship cup"]
    labels = ["tea", "tea", "rum", "rum", "tea"]
    options = TextOptions(language="en", min_df=1)
    corpus = Corpus.from_texts(texts, labels=labels, options=options)
    selector = clone(selector).set_params(n_words=2)
    small = selector.fit_transform(corpus)
    assert isinstance(small, Corpus)
    assert set(small.words) < {"tea", "cup", "rum", "ship"}
    assert small.labels.tolist() == labels
    assert_array_equal(selector.transform(corpus.counts).toarray(), small.counts.toarray())
    with pytest.raises(InputError, match="other words than the 8"):
        selector.transform(small)


def test_selectors_take_part_in_pipelines(sample):
    X, classes = sample
    pipeline = make_pipeline(InformationGain(12), PLSA(3, random_state=0))
    assert pipeline.fit(X, classes).predict(X).shape == (30,)
    assert isinstance(pipeline[0], SelectorMixin)


def test_a_fitted_selector_is_saved_without_pickle(sample, tmp_path):
    X, classes = sample
    fitted = InformationGain(5).fit(X, classes)
    save_model(fitted, tmp_path / "selector")
    again = load_model(tmp_path / "selector")
    assert_array_equal(again.transform(X).toarray(), fitted.transform(X).toarray())


@pytest.mark.parametrize("selector", SUPERVISED, ids=lambda s: type(s).__name__)
def test_classes_are_needed_one_a_document(selector, sample):
    X, classes = sample
    with pytest.raises(InputError, match="requires y to be passed, but the target y is None"):
        clone(selector).fit(X)
    with pytest.raises(InputError, match="^y: expected 30 labels, one a document; got 29$"):
        clone(selector).fit(X, classes[1:])


@pytest.mark.parametrize(
    ("selector", "complaint"),
    [
        (MostFrequent(0), "^n_words=0: expected a whole number of at least 1"),
        (MostFrequent(2.5), "^n_words=2.5: expected a whole number"),
        (MostFrequent(5, min_df=0), "^min_df=0: expected a whole number of at least 1"),
        (MostFrequent(5, min_df=31), "^min_df=31: no word is in so many of the documents"),
        (SupervisedMutualInformation(5, smoothing=-1), "^smoothing=-1: expected a finite"),
        (MedoidWords(5, max_iter=0), "^max_iter=0: expected a whole number of at least 1"),
    ],
)
def test_impossible_parameters_are_named(selector, complaint, sample):
    with pytest.raises(InputError, match=complaint):
        selector.fit(*sample)


def test_a_missing_package_is_named_with_the_way_to_get_it(sample, monkeypatch):
    usual = builtins.__import__

    def without(name, *rest):
        if name == "kmedoids":
            raise ImportError(name)
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"needs the package kmedoids.*coterie\[selection\]"):
        MedoidWords(5).fit(sample[0])
