"""Concept spaces against Algorithm 1 of Pessiot et al., and clusterings in them."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie import PLSA, InputError, MultinomialMixture
from coterie.models.concepts import ConceptClustering, ConceptSpace
from coterie_papers.collections import load_webkb
from planted import learned

SHORT = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SPACES = [
    ConceptSpace(3, "cem", n_init=10, random_state=0),
    ConceptSpace(3, "cem", 1.1, n_init=10, random_state=0),
    ConceptSpace(3, "plsa", n_init=10, random_state=0),
]
CLUSTERINGS = [
    ConceptClustering(3, 3, concepts, model, n_init=10, random_state=0)
    for concepts in ("cem", "plsa")
    for model in ("mm", "plsa")
]
every_space = pytest.mark.parametrize("space", SPACES, ids=["cem", "cem-prior", "plsa"])
every_clustering = pytest.mark.parametrize(
    "clustering", CLUSTERINGS, ids=["C-MM", "C-PLSA", "P-MM", "P-PLSA"]
)


def cem_by_the_book(x, labels, n_word_clusters):
    """Algorithm 1 as loops, from a partition of the words to one that no step changes."""
    n, m = x.shape
    while True:
        pi, q = np.zeros(n_word_clusters), np.zeros((n, n_word_clusters))
        for w in range(m):
            pi[labels[w]] += 1 / m
            q[:, labels[w]] += x[:, w]
        q /= np.maximum(q.sum(axis=0), 1e-300)
        new = labels.copy()
        for w in range(m):
            best = -np.inf
            for c in range(n_word_clusters):
                with np.errstate(divide="ignore"):
                    terms = [x[d, w] * np.log(q[d, c]) for d in range(n) if x[d, w]]
                    joint = np.log(pi[c]) + sum(terms)
                if joint > best:
                    best, new[w] = joint, c
        if np.array_equal(new, labels):
            return labels
        labels = new


def test_words_are_clustered_by_algorithm_1(X):
    space = ConceptSpace(4, tol=0, random_state=5).fit(X)
    seed = np.random.RandomState(5).randint(2**31, size=1)[0]
    start = np.random.default_rng(seed).integers(4, size=40)
    expected = cem_by_the_book(X.toarray(), start, 4)
    assert adjusted_rand_score(expected, space.word_labels_) == 1.0


def test_words_are_clustered_by_the_bayes_rule_of_plsa(X):
    space = ConceptSpace(4, "plsa", random_state=5, max_iter=500).fit(X)
    plsa = PLSA(4, random_state=5, max_iter=500).fit(X)
    joint = plsa.components_ * plsa.weights_[:, None]
    assert adjusted_rand_score(joint.argmax(axis=0), space.word_labels_) == 1.0


@every_space
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bags_of_concepts_keep_every_occurrence(space, dtype, X):
    fitted = clone(space).fit(X.astype(dtype))
    bags = fitted.transform(X.astype(dtype))
    assert sp.issparse(bags)
    assert bags.dtype == dtype
    assert_array_equal(bags.sum(axis=1), X.sum(axis=1))
    for c in range(3):
        mine = X.toarray()[:, fitted.word_labels_ == c].sum(axis=1)
        assert_array_equal(bags.toarray()[:, c], mine)


@every_space
def test_words_of_no_document_belong_to_no_concept(space, X):
    wide = sp.hstack([X[:, :7], sp.csr_array((60, 2)), X[:, 7:]]).tocsr()
    fitted = clone(space).fit(wide)
    assert_array_equal(np.flatnonzero(fitted.word_labels_ == -1), [7, 8])
    assert not fitted.word_components_[:, 7:9].any()
    assert not fitted.word_scores_[7:9].any()
    assert_array_equal(fitted.transform(np.ones((1, 42))).sum(), 40)
    listed = [w for concept in fitted.top_words(range(42), n=50) for w in concept]
    assert sorted(map(int, listed)) == [w for w in range(42) if w not in (7, 8)]


@SHORT
@pytest.mark.parametrize("method", ["cem", "plsa"])
def test_more_concepts_than_words_leave_the_rest_empty_and_last(method, X):
    small = X[:5, :6]
    fitted = ConceptSpace(50, method, random_state=0).fit(small)
    used = len(np.unique(fitted.word_labels_))
    assert fitted.n_empty_ == 50 - used >= 44
    bags = fitted.transform(small).toarray()
    assert bags.shape == (5, 50)
    assert bags[:, :used].any(axis=0).all()
    assert not bags[:, used:].any()
    assert_allclose(fitted.word_components_.sum(axis=1), np.arange(50) < used)
    assert fitted.top_words(list("abcdef"))[-1] == []


@every_space
def test_shares_of_words_in_concepts_are_those_of_their_counts(space, X):
    fitted = clone(space).fit(X)
    n_w = X.sum(axis=0)
    for w in range(40):
        c = fitted.word_labels_[w]
        total = n_w[fitted.word_labels_ == c].sum()
        assert_allclose(fitted.word_components_[c, w], n_w[w] / total)


def test_scores_of_words_follow_their_definition(X):
    fitted, x = clone(SPACES[1]).fit(X), X.toarray()
    for w in range(40):
        own = x[:, fitted.word_labels_ == fitted.word_labels_[w]].sum(axis=1)
        score = sum(
            x[d, w] * np.log((own[d] / own.sum()) / (x[d].sum() / x.sum()))
            for d in range(60)
            if x[d, w]
        )
        assert_allclose(fitted.word_scores_[w], score)


def test_top_words_are_the_words_of_one_theme_each(corpus):
    X, _, words = corpus
    named = [f"{'abc'[k]}{w}" for w, k in enumerate(words)]
    concepts = clone(SPACES[1]).fit(X).top_words(named, n=4)
    assert sorted("".join(word[0] for word in concept) for concept in concepts) == [
        "aaaa",
        "bbbb",
        "cccc",
    ]


def test_telling_words_come_before_frequent_ones(corpus):
    X, _, _ = corpus
    everywhere = np.full((60, 1), 9.0)
    fitted = clone(SPACES[1]).fit(sp.hstack([X, everywhere]).tocsr())
    theme = fitted.top_words(range(41), n=50)[fitted.word_labels_[40]]
    assert theme[-1] == "40"


def test_top_words_want_a_name_for_each_column(X):
    fitted = clone(SPACES[0]).fit(X)
    with pytest.raises(InputError, match="^words: expected 40, one a column; got none"):
        fitted.top_words()
    with pytest.raises(InputError, match="^words: expected 40, one a column; got 2"):
        fitted.top_words(["a", "b"])
    texts = ["cat dog cat", "dog cat", "moon star", "star moon moon"]
    fitted = ConceptSpace(2, n_init=10, random_state=0).fit(coterie.Corpus.from_texts(texts))
    assert sorted(map(sorted, fitted.top_words())) == [["cat", "dog"], ["moon", "star"]]
    assert list(fitted.get_feature_names_out()) == ["conceptspace0", "conceptspace1"]


@every_space
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_word_clusters", 0),
        ("n_word_clusters", 2.5),
        ("method", "em"),
        ("prior", 0.9),
        ("tol", -1),
        ("max_iter", 0),
        ("n_init", 0),
    ],
)
def test_impossible_parameters_of_spaces_are_named(space, name, value, X):
    with pytest.raises(InputError, match=f"^{name}={value!r}: expected"):
        clone(space).set_params(**{name: value}).fit(X)


def test_a_short_fit_says_that_it_did_not_converge(X):
    for model, complaint in (
        (ConceptSpace(3, "plsa", max_iter=2), "ConceptSpace did not converge in max_iter=2"),
        (ConceptClustering(3, 3, max_iter=1), "the concepts did not converge in max_iter=1"),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.set_params(random_state=0).fit(X)
        messages = [str(w.message) for w in caught if w.category is ConvergenceWarning]
        assert any(message.startswith(complaint) for message in messages)


@SHORT
@pytest.mark.parametrize("concepts", ["cem", "plsa"])
@pytest.mark.parametrize(("model", "inner"), [("mm", MultinomialMixture), ("plsa", PLSA)])
def test_clusters_are_those_of_the_model_on_the_bags_of_concepts(concepts, model, inner, X):
    q = np.random.default_rng(0).dirichlet([1, 1, 1], size=60)
    stopping = {"max_iter": 3, "tol": 0}
    fitted = ConceptClustering(3, 6, concepts, model, init=q, random_state=0, **stopping).fit(X)
    onehot = np.eye(6)[fitted.word_labels_]
    bags = X @ onehot[:, : fitted.word_labels_.max() + 1]
    usual = inner(3, init=q, **stopping).fit(bags)
    assert_array_equal(fitted.labels_, usual.labels_)
    assert_allclose(fitted.memberships_, usual.memberships_, atol=1e-9)
    assert_allclose(fitted.weights_, usual.weights_, atol=1e-9)
    used = bags.shape[1]
    assert_allclose(fitted.cluster_word_clusters_[:, :used], usual.components_, atol=1e-9)
    within = np.log(fitted.word_components_.sum(axis=0))
    assert_allclose(fitted.history_, usual.history_ + (X @ within).sum(), rtol=1e-9)
    new = np.random.default_rng(1).poisson(0.5, (10, 40))
    assert_allclose(fitted.predict_proba(new), usual.predict_proba(new @ onehot[:, :used]))


@every_clustering
def test_objective_is_the_likelihood_of_words(clustering, X):
    fitted = clone(clustering).fit(X)
    if clustering.model == "plsa":
        assert_allclose(fitted.history_[-1], fitted.log_likelihood(X), rtol=1e-3)
    else:
        assert fitted.history_[-1] < fitted.log_likelihood(X)


@every_clustering
def test_the_best_of_several_concept_spaces_is_kept(clustering, X):
    many = learned(clone(clustering).set_params(n_init=5), X)
    seeds = np.random.RandomState(0).randint(2**31, size=5)
    alone = []
    for seed in seeds:
        one = clone(clustering).set_params(n_init=1)
        _, shared = one._start(X, np.random.default_rng(seed))
        alone.append(tuple(shared[-2]))
    assert tuple(many.word_labels_) in alone
    assert len(set(alone)) > 1 or clustering.concepts == "plsa"


@every_clustering
def test_empty_documents_and_unknown_words_lean_nowhere(clustering, X):
    padded = sp.vstack([X, sp.csr_array((5, 40))]).tocsr()
    wide = sp.hstack([padded, sp.csr_array((65, 1))]).tocsr()
    fitted = clone(clustering).fit(wide)
    assert_array_equal(fitted.memberships_[60:], 1 / 3)
    assert fitted.word_labels_[40] == -1
    assert not fitted.components_[:, 40].any()
    unknown = np.zeros((2, 41))
    unknown[:, 40] = 3
    unknown[1, :40] = X.toarray()[0]
    memberships = fitted.predict_proba(unknown)
    assert_array_equal(memberships[0], 1 / 3)
    assert_allclose(memberships[1], fitted.predict_proba(wide[[0]])[0], atol=1e-9)
    assert fitted.log_likelihood(unknown) == -np.inf
    assert np.isfinite(fitted.log_likelihood(wide))


@every_clustering
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_clusters", 0),
        ("n_word_clusters", 0),
        ("concepts", "em"),
        ("model", "lda"),
        ("concept_prior", 0.5),
    ],
)
def test_impossible_parameters_of_clusterings_are_named(clustering, name, value, X):
    with pytest.raises(InputError, match=f"^{name}={value!r}: expected"):
        clone(clustering).set_params(**{name: value}).fit(X)
    with pytest.raises(InputError, match="^init='best': expected"):
        clone(clustering).set_params(init="best").fit(X)


@pytest.mark.corpus
@pytest.mark.usefixtures("collections")
def test_concepts_of_a_real_collection_read_like_table_2():
    corpus = load_webkb()
    space = ConceptSpace(20, prior=1.1, random_state=0, n_init=3).fit(corpus)
    teaching = {"course", "homework", "assignment", "lecture", "exam", "assignments"}
    best = max(len(teaching & set(words)) for words in space.top_words(n=20))
    assert best >= 4
