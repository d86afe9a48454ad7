"""LDCC against its joint probability, written as products of Gamma functions."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from coterie.corpus import Corpus, TextOptions, View
from coterie.errors import InputError
from coterie.kernels import gibbs
from coterie.models import dirichlet
from coterie.models.dirichlet import LDCC, Tables
from planted import plant

PRIORS = 0.7, 0.4, 0.3
SEGMENTS = [[0, 1], [1], [], [2, 2]]  # the words of each
DOCUMENTS = [0, 0, 1, 1]
quick = LDCC(3, 3, max_iter=60, random_state=0, n_init=2)


def tables_by_loops(segments, documents, y, z, K, L, m):
    """Counts of topics, z being a list of lists as `segments` is."""
    n_dt = np.zeros((max(documents) + 1, K), np.int32)
    n_tk, n_wk = np.zeros((K, L), np.int32), np.zeros((m, L), np.int32)
    for words, d, t, topics in zip(segments, documents, y, z, strict=True):
        n_dt[d, t] += bool(words)
        for w, k in zip(words, topics, strict=True):
            n_tk[t, k] += 1
            n_wk[w, k] += 1
    totals = n_tk.sum(axis=1, dtype=np.int32), n_wk.sum(axis=0, dtype=np.int32)
    return Tables(n_dt, n_tk, totals[0], n_wk, totals[1])


def log_joint_by_the_book(tables, alpha, beta, gamma):
    """The closed form of log p(w, z, y), factor by factor."""
    n_dt, n_tk, _, n_wk, _ = tables
    total = 0.0
    for rows, prior in ((n_dt, alpha), (n_tk, beta), (n_wk.T, gamma)):
        for row in rows:
            total += math.lgamma(len(row) * prior) - math.lgamma(row.sum() + len(row) * prior)
            for n in row:
                total += math.lgamma(n + prior) - math.lgamma(prior)
    return total


def kernel_arguments(segments, documents, y, z, K, L, m):
    tables = tables_by_loops(segments, documents, y, z, K, L, m)
    first = np.cumsum([0, *map(len, segments)])
    words = np.array([w for words in segments for w in words], np.int32)
    topics = np.array([k for topics in z for k in topics], np.int32)
    places = first, np.array(documents), np.array(y, np.int32)
    posterior = np.full((len(segments), K), np.nan)
    return [places, (words, topics), tables, PRIORS, posterior, np.array([5], np.uint64)]


def cut(topics, segments):
    ends = np.cumsum([0, *map(len, segments)])
    return [list(topics[a:b]) for a, b in itertools.pairwise(ends)]


def test_sweeps_visit_states_as_often_as_the_posterior_says():
    states = {}
    for y in itertools.product(range(2), repeat=3):
        for z in itertools.product(range(2), repeat=5):
            of_segments = [y[0], y[1], 0, y[2]]
            tables = tables_by_loops(
                SEGMENTS, DOCUMENTS, of_segments, cut(z, SEGMENTS), 2, 2, 4
            )
            states[*y, *z] = math.exp(log_joint_by_the_book(tables, *PRIORS))
    exact = np.array(list(states.values())) / sum(states.values())
    number = {state: i for i, state in enumerate(states)}
    arguments = kernel_arguments(SEGMENTS, DOCUMENTS, [0] * 4, cut([0] * 5, SEGMENTS), 2, 2, 4)
    (_, _, y), (_, z) = arguments[:2]
    visits, n_sweeps = np.zeros(len(exact)), 60_000
    for _ in range(n_sweeps):
        gibbs.ldcc_sweep(*arguments)
        visits[number[*y[[0, 1, 3]].tolist(), *z.tolist()]] += 1
    difference = (visits / n_sweeps - exact).reshape(8, 32)
    assert abs(difference).sum() / 2 < 0.035
    assert abs(difference.sum(axis=1)).sum() / 2 < 0.01
    assert abs(difference.sum(axis=0)).sum() / 2 < 0.015


@pytest.mark.parametrize("length", [1, 3, 16, 17, 60, 900])
def test_document_topic_is_drawn_from_its_conditional(length):
    rng = np.random.default_rng(length)
    segments = [rng.integers(6, size=n).tolist() for n in (length, 5, 0, 40, 200)]
    documents, y = [0, 0, 0, 1, 0], [0, 2, 1, 1, 0]
    z = [rng.integers(4, size=len(words)).tolist() for words in segments]
    joint = [
        log_joint_by_the_book(
            tables_by_loops(segments, documents, [t, *y[1:]], z, 3, 4, 6), *PRIORS
        )
        for t in range(3)
    ]
    arguments = kernel_arguments(segments, documents, y, z, 3, 4, 6)
    gibbs.ldcc_sweep(*arguments)
    expected = np.exp(np.array(joint) - max(joint))
    assert_allclose(arguments[4][0], expected / expected.sum(), rtol=1e-7, atol=1e-300)
    assert_allclose(arguments[4][[1, 3, 4]].sum(axis=1), 1)
    assert np.isnan(arguments[4][2]).all()


@pytest.mark.parametrize(("K", "L"), [(1, 1), (3, 4), (5, 2)])
def test_tables_and_joint_stay_those_of_the_topics(K, L):
    rng = np.random.default_rng(0)
    segments = [rng.integers(9, size=n).tolist() for n in (4, 0, 30, 1, 12, 7)]
    documents, y = [0, 1, 0, 3, 3, 1], rng.integers(K, size=6).tolist()
    z = [rng.integers(L, size=len(words)).tolist() for words in segments]
    arguments = kernel_arguments(segments, documents, y, z, K, L, 9)
    before = arguments[0][2].tolist(), arguments[1][1].tolist()
    for _ in range(20):
        gibbs.ldcc_sweep(*arguments)
    (_, _, y), (_, z), tables = arguments[:3]
    assert (K, L) == (1, 1) or before != (y.tolist(), z.tolist())
    again = tables_by_loops(segments, documents, y, cut(z, segments), K, L, 9)
    for kept, counted in zip(tables, again, strict=True):
        assert_array_equal(kept, counted)
    assert_allclose(tables.log_joint(*PRIORS), log_joint_by_the_book(again, *PRIORS))


def test_random_numbers_are_those_of_splitmix64():
    state, mask = 0, 2**64 - 1
    given = np.array([0], np.uint64)
    for first in (0xE220A8397B1DCDAF, None, None):
        state = (state + 0x9E3779B97F4A7C15) & mask
        x = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
        x ^= x >> 31
        assert first in (x, None)
        assert gibbs.uniform(given) == (x >> 11) / 2**53


def test_history_is_the_joint_of_the_only_state_there_is(X):
    fitted = LDCC(1, 1, *PRIORS, max_iter=5).fit(X)
    tables = tables_by_loops(
        [np.repeat(X[[s]].indices, X[[s]].data.astype(int)).tolist() for s in range(60)],
        list(range(60)),
        [0] * 60,
        [[0] * int(n) for n in X.sum(axis=1)],
        1,
        1,
        40,
    )
    assert_allclose(fitted.history_, [log_joint_by_the_book(tables, *PRIORS)] * 5)
    assert_allclose(fitted.components_[0], (X.sum(axis=0) + 0.3) / (X.sum() + 40 * 0.3))
    assert_allclose(fitted.memberships_, 1)


@pytest.fixture
def segmented():
    """Documents of several segments, most from one cluster: counts, documents, clusters."""
    X, clusters, _ = plant(240, 60, 4, 25, seed=3)
    rng = np.random.default_rng(0)
    documents = np.empty(240, int)
    homes = []
    for k in range(4):
        rows = np.flatnonzero(clusters == k)
        documents[rows] = len(homes) + np.arange(len(rows)) // 5
        homes += [k] * (-(-len(rows) // 5))
    order = rng.permutation(240)
    return X[order], documents[order], np.array(homes), clusters[order]


@pytest.mark.parametrize("init", ["kmeans", "random", "dirichlet"])
def test_planted_documents_segments_and_words_are_found(segmented, init):
    X, documents, homes, clusters = segmented
    fitted = LDCC(4, 4, init=init, n_init=4, max_iter=200, random_state=0)
    fitted.fit(X, documents=documents)
    assert adjusted_rand_score(homes, fitted.labels_) > 0.9
    assert adjusted_rand_score(clusters, fitted.segment_labels_) > 0.9
    assert adjusted_rand_score(np.arange(60) % 4, fitted.word_labels_) > 0.9
    assert fitted.memberships_.shape == (len(homes), 4)


def test_other_segments_of_the_document_help_a_short_one():
    """A segment of one word that says little goes where the rest of its document is."""
    block = np.array([[9, 9, 0, 0, 1], [0, 0, 9, 9, 1], [0, 0, 0, 0, 1]])
    X = np.vstack([block[[0] * 12], block[[1] * 12], block[[2] * 2]])
    documents = [*np.repeat(range(8), 3), 0, 7]
    fitted = LDCC(2, 3, cluster_prior=0.1, random_state=0, max_iter=200).fit(
        X, documents=documents
    )
    first, last = fitted.labels_[[0, 7]]
    assert first != last
    assert fitted.segment_labels_[-2:].tolist() == [first, last]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_parameters_are_distributions(segmented, dtype):
    X, documents, *_ = segmented
    fitted = LDCC(4, 7, max_iter=30, random_state=0).fit(X.astype(dtype), documents=documents)
    tables = [
        fitted.components_,
        fitted.memberships_,
        fitted.cluster_word_clusters_,
        fitted.word_components_,
    ]
    for rows in (*tables, fitted.weights_[None]):
        assert rows.min() >= 0
        assert_allclose(rows.sum(axis=1), 1, rtol=1e-5)
    assert {rows.dtype for rows in tables} == {np.dtype(dtype)}
    assert_allclose(
        fitted.components_, fitted.cluster_word_clusters_ @ fitted.word_components_, rtol=1e-5
    )
    assert_array_equal(fitted.labels_, fitted.memberships_.argmax(axis=1))
    assert fitted.word_labels_.max() < 7
    assert fitted.transform(X[:9].astype(dtype)).dtype == dtype


def test_means_are_taken_over_the_second_half(X, monkeypatch):
    assert dirichlet.BURN_IN == 0.5
    half = clone(quick).set_params(n_init=1).fit(X)
    monkeypatch.setattr(dirichlet, "BURN_IN", 0.999)
    last = clone(quick).set_params(n_init=1).fit(X)
    assert_array_equal(last.history_, half.history_)
    unused = last.word_components_.min(axis=1, keepdims=True)
    counts = (last.word_components_ / unused - 1) * quick.word_prior
    assert_allclose(counts, counts.round(), atol=1e-6)  # of one state, not a mean
    assert not np.array_equal(last.word_components_, half.word_components_)


def test_the_more_probable_chain_is_kept(X):
    one = LDCC(3, 3, init="random", random_state=2, max_iter=60).fit(X)
    five = clone(one).set_params(n_init=5).fit(X)
    assert five.history_[30:].mean() > one.history_[30:].mean() + 100
    assert five.n_iter_ == len(five.history_) == 60


def test_empty_documents_and_segments_add_nothing(X):
    start = np.arange(60) % 3
    usual = clone(quick).set_params(init=start).fit(X)
    padded = sp.vstack([X[:10], sp.csr_array((30, 40)), X[10:]]).tocsr()
    documents = [*range(10), *range(20), *[60] * 5, *[61] * 5, *range(10, 60)]
    fitted = clone(quick).set_params(init=np.append(start, [0, 0]))
    fitted.fit(padded, documents=documents)
    assert fitted.memberships_.shape == (62, 3)
    assert_array_equal(fitted.memberships_[60:], 1 / 3)
    assert_allclose(fitted.memberships_[:60].sum(axis=1), 1)
    assert_array_equal(fitted.segment_labels_[10:30], fitted.labels_[:20])
    assert adjusted_rand_score(usual.labels_, fitted.labels_[:60]) > 0.9
    assert_array_equal(fitted.predict_proba(padded)[10:40], 1 / 3)


def test_a_word_nobody_uses_is_harmless(X):
    wide = sp.hstack([X, sp.csr_array((60, 2))]).tocsr()
    fitted = clone(quick).fit(wide)
    assert np.isfinite(fitted.history_).all()
    assert 0 < fitted.components_[:, 40:].max() < fitted.components_[:, :40].max() / 10


@pytest.mark.parametrize("sizes", [(1, 5), (5, 1), (6, 2)])
def test_any_two_numbers_of_topics_go_together(X, sizes):
    fitted = LDCC(*sizes, max_iter=10, random_state=0).fit(X)
    assert fitted.cluster_word_clusters_.shape == sizes
    assert np.isfinite(fitted.score(X))


TEXTS = [
    "Cats purr and cats sleep.\n\nCats purr.",
    "Dogs bark and dogs run.\n\nDogs bark. Dogs run.\n\nDogs!",
    "Cats sleep.\n\nDogs bark.",
    "",
]


def test_a_corpus_is_cut_into_paragraphs():
    corpus = Corpus.from_texts(TEXTS, options=TextOptions(language="en"))
    fitted = LDCC(2, 2, random_state=0, max_iter=50).fit(corpus)
    assert len(fitted.segment_labels_) == 8
    assert fitted.memberships_.shape == (4, 2)
    assert fitted.vocabulary_ is corpus.vocabulary
    assert fitted.predict(corpus).shape == (4,)
    whole = clone(fitted).set_params(segments=None).fit(corpus)
    assert len(whole.segment_labels_) == 4
    rows = clone(fitted).fit(corpus, documents=[0, 0, 1, 1])
    assert rows.memberships_.shape == (2, 2)


def test_a_corpus_without_texts_is_fitted_whole_with_a_warning():
    full = Corpus.from_texts(TEXTS, options=TextOptions(language="en"))
    bare = Corpus({"text": View(full.counts, full.vocabulary)}, full.ids)
    with pytest.warns(UserWarning, match=r"taken as one segment \(.*made from counts"):
        fitted = LDCC(2, 2, max_iter=5, random_state=0).fit(bare)
    assert len(fitted.segment_labels_) == 4


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("n_clusters", 61, "larger than the number of documents"),
        ("n_clusters", 0, "expected a whole number of at least 1"),
        ("n_word_clusters", 0, "expected a whole number of at least 1"),
        ("n_word_clusters", 2.5, "expected a whole number"),
        ("cluster_prior", 0, "expected a finite number above zero"),
        ("word_cluster_prior", -1, "expected a finite number"),
        ("word_prior", np.inf, "expected a finite number"),
        ("max_iter", 0, "expected a whole number of at least 1"),
        ("segments", "chapter", "expected 'paragraph', 'sentence' or"),
    ],
)
def test_impossible_parameters_are_named(name, value, complaint, X):
    with pytest.raises(InputError, match=f"^{name}={value!r}: .*{complaint}"):
        clone(quick).set_params(**{name: value}).fit(X)


@pytest.mark.parametrize(
    ("documents", "complaint"),
    [
        ([0, 1], "expected 60 whole numbers, one a row; got int64 of shape"),
        ([0.5] * 60, "got float64 of shape"),
        ([0, 1, -2, *[0] * 57], "rows are of documents -2 to 1; expected"),
        (range(1, 61), "documents 1 to 60, none is of 0; expected every number"),
        ([0, 1, 3, *[0] * 57], "documents 0 to 3, none is of 2; expected every number"),
        ([10**12] * 60, "documents 1000000000000 to 1000000000000, none is of 0"),
    ],
)
def test_documents_that_cannot_be_are_named(documents, complaint, X):
    with pytest.raises(InputError, match=f"^documents: .*{complaint}"):
        clone(quick).fit(X, documents=documents)


def test_counts_that_cannot_be_drawn_are_named(X):
    dense = X.toarray()
    dense[2, 5], dense[3, 1] = 1.5, 0.5
    with pytest.raises(InputError, match="^row 2, column 5 holds 1.5: .*whole numbers"):
        clone(quick).fit(dense)
    dense[2, 5], dense[3, 1] = 3e9, 1
    with pytest.raises(InputError, match="^the counts sum to 3e.09, expected at most"):
        clone(quick).fit(dense)
    with pytest.raises(InputError, match="^no counts: all 60 documents are empty"):
        clone(quick).fit(X * 0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.uint8, bool])
def test_whole_numbers_of_any_type_are_counts(X, dtype):
    counts = X.toarray().astype(dtype)
    settings = {"max_iter": 4, "random_state": 0}
    usual = LDCC(3, 3, **settings).fit(counts.astype(np.float64))
    found = LDCC(3, 3, **settings).fit(counts)
    assert_array_equal(found.labels_, usual.labels_)
    assert_allclose(found.components_, usual.components_, rtol=1e-5)


def test_numbers_that_are_not_whole_are_refused_in_one_sentence(X):
    counts = X.toarray()
    counts[4, 7] = 1.5
    with pytest.raises(InputError, match=r"^row 4, column 7 holds 1.5: .* whole numbers$"):
        LDCC(3, 3).fit(counts)
