"""chi-Sim against its equations (Grimal and Bisson, 2011), examples, and what follows."""

import signal

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie import ChiSim, Cosine, InputError, memory_limit
from coterie.memory import Size
from coterie.similarity import base, chi_sim, settings
from coterie.similarity.products import Rule, self_products, similarities_of_new_rows
from planted import plant


def similarity(first, second, S, k):
    """Sim^k of two rows through the similarities of their columns, eq. 3."""
    total = 0.0
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            if k == np.inf:
                total = max(total, a * S[i, j] * b)
            else:
                total += (a * b) ** k * S[i, j]
    return total if k == np.inf else total ** (1 / k)


def one_round(M, S, norm, k):
    """Eqs. 6a, 6b, 7a, 7b: similarities of the rows of M."""
    n = len(M)
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            if norm == "l1":
                scale = M[i].sum() * M[j].sum()
            else:
                own = [similarity(M[each], M[each], S, k) for each in (i, j)]
                scale = np.sqrt(own[0]) * np.sqrt(own[1])
            found[i, j] = found[j, i] = similarity(M[i], M[j], S, k) / scale
    return found


def pruned(S, p):
    """The share p of pairs, the least similar, becomes zero (section 3.2)."""
    pairs = np.sort(S[np.tril_indices(len(S), -1)])
    threshold = pairs[int(p * len(pairs))]
    kept = np.where(threshold > S, 0, S)
    np.fill_diagonal(kept, np.diag(S))
    return kept


def by_the_book(M, norm, k, p, t):
    """The algorithm of section 3.3."""
    SR, SC = np.eye(len(M)), np.eye(M.shape[1])
    for _ in range(t):
        new_SR, new_SC = one_round(M, SC, norm, k), one_round(M.T, SR, norm, k)
        SR, SC = pruned(new_SR, p), pruned(new_SC, p)
    return SR, SC


@pytest.fixture
def small():
    """Weights rather than counts: no two similarities are equal."""
    rng = np.random.default_rng(3)
    M = rng.poisson(0.7, (9, 7)) + np.eye(9, 7, k=0) + np.eye(9, 7, k=-7)
    return M * (0.5 + rng.random(M.shape))


@pytest.mark.parametrize("p", [0.0, 0.4])
@pytest.mark.parametrize(
    ("norm", "k"),
    [("l1", 1), ("pseudo", 1), ("pseudo", 0.8), ("pseudo", 3.5), ("pseudo", np.inf)],
)
def test_similarities_follow_the_equations(small, norm, k, p):
    p = 0.0 if k == np.inf else p  # else there are equals at the limit, up to rounding
    for t in (1, 2, 4):
        fitted = ChiSim(2, norm, k, p, t).fit(small)
        SR, SC = by_the_book(small, norm, k, p, t)
        assert_allclose(fitted.document_similarity_, SR, rtol=1e-4, atol=1e-6)
        assert_allclose(fitted.word_similarity_, SC, rtol=1e-4, atol=1e-6)
        assert fitted.n_iter_ == t
        assert_allclose(fitted.history_[-1], SR[np.tril_indices(9, -1)].mean(), rtol=1e-4)


@pytest.mark.parametrize("k", [30.0, 0.05])
def test_extreme_exponents_stay_in_range(small, k):
    fitted = ChiSim(2, exponent=k).fit(small * 1000)
    assert np.all(np.isfinite(fitted.document_similarity_))
    assert_allclose(np.diag(fitted.document_similarity_), 1)


def test_orange_is_too_like_red_and_banana_unless_k_is_infinite():
    """Section 3.1: orange is like red and like banana, which are not alike."""
    documents = sp.csr_array(np.array([[1, 0, 0], [0, 1, 1]], np.float32))
    SC = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 1]], np.float32)
    assert_allclose(self_products(documents, SC), [1, 2])
    for k, expected in ((1.0, 2 / np.sqrt(2)), (np.inf, 1.0)):
        rule = Rule(k, 1.0, largest=k == np.inf)
        own = self_products(documents, SC, rule.largest)
        found = similarities_of_new_rows(documents[[0]], documents, SC, rule, own)
        assert_allclose(found[1, 0], expected, rtol=1e-6)


@pytest.mark.parametrize("model", [ChiSim(2, "l1", 1), ChiSim(2, exponent=1), ChiSim(2)])
def test_sea_and_ocean_are_alike_through_waves_from_the_second_iteration_on(model):
    """Section 1: sea and ocean never meet in a document, both meet waves."""
    sea, ocean, waves, bread = range(4)
    X = np.zeros((7, 4))
    X[:3, [sea, waves]] = 1
    X[3:6, [ocean, waves]] = 1
    X[6, bread] = 1
    first = model.set_params(max_iter=1).fit(X).word_similarity_
    assert first[sea, ocean] == 0
    assert first[sea, waves] > 0
    second = model.set_params(max_iter=2).fit(X)
    assert second.word_similarity_[sea, ocean] > 0
    assert second.word_similarity_[sea, bread] == 0
    assert second.document_similarity_[0, 3] > second.document_similarity_[0, 6] == 0
    assert_array_equal(second.labels_, [0] * 6 + [1])


def test_one_iteration_with_k_one_is_the_cosine(X):
    cosine = Cosine(3).fit(X)
    fitted = ChiSim(3, exponent=1, pruning=0.0, max_iter=1).fit(X)
    assert_allclose(fitted.document_similarity_, cosine.document_similarity_, rtol=1e-5)
    assert_array_equal(fitted.labels_, cosine.labels_)
    assert_allclose(fitted.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("n_neighbors", [None, 7])
@pytest.mark.parametrize(
    "model", [ChiSim(3, "l1", 1, 0.3), ChiSim(3), ChiSim(3, exponent=np.inf)]
)
def test_matrices_are_symmetric_and_follow_permutations(model, n_neighbors, X):
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(60), rng.permutation(40)
    usual = model.set_params(n_neighbors=n_neighbors).fit(X)
    SR, SC = dense(usual.document_similarity_), dense(usual.word_similarity_)
    assert_array_equal(SR, SR.T)
    assert_array_equal(SC, SC.T)
    if model.norm == "pseudo":
        assert_array_equal(np.diag(SR), 1)
        assert_array_equal(np.diag(SC), 1)
    permuted = coterie.ChiSim(**model.get_params()).fit(X[rows][:, columns])
    close = {"rtol": 1e-3, "atol": 1e-5}
    if (
        n_neighbors is None and model.exponent != np.inf
    ):  # else which of equals are kept may change
        assert_allclose(dense(permuted.document_similarity_), SR[np.ix_(rows, rows)], **close)
        assert_allclose(dense(permuted.word_similarity_), SC[np.ix_(columns, columns)], **close)
    assert_array_equal(
        dense(permuted.document_similarity_), dense(permuted.document_similarity_).T
    )


def dense(S):
    return S.toarray() if sp.issparse(S) else S


def test_scaling_all_counts_changes_nothing(X):
    for norm, k in (("l1", 1), ("pseudo", 0.8)):
        once, more = ChiSim(3, norm, k).fit(X), ChiSim(3, norm, k).fit(X * 64)
        assert_array_equal(once.document_similarity_, more.document_similarity_)


def test_word_clusters_are_linked_to_document_clusters(corpus):
    X, _, _ = corpus
    fitted = ChiSim(3, n_word_clusters=5).fit(X)
    assert_array_equal(np.unique(fitted.word_labels_), np.arange(5))
    assert_allclose(fitted.word_components_.sum(axis=1), 1)
    for cluster in range(5):
        assert_array_equal(fitted.word_components_[cluster] > 0, fitted.word_labels_ == cluster)
        for documents in range(3):
            rows, columns = fitted.labels_ == documents, fitted.word_labels_ == cluster
            counts = X.toarray()[rows]
            share = counts[:, columns].sum() / counts.sum()
            assert_allclose(fitted.cluster_word_clusters_[documents, cluster], share)


def test_many_words_get_the_cluster_of_their_documents(X, monkeypatch):
    usual = ChiSim(3).fit(X)
    assert usual.word_components_ is not usual.components_
    monkeypatch.setattr(chi_sim, "MANY_WORDS", 39)
    fitted = usual.fit(X)
    assert fitted.word_components_ is fitted.components_
    assert not hasattr(fitted, "cluster_word_clusters_")
    joint = fitted.components_ * (X.toarray().sum(axis=1) @ fitted.memberships_)[:, None]
    assert_array_equal(fitted.word_labels_, joint.argmax(axis=0))
    with pytest.raises(InputError, match="^n_word_clusters=2: 40 words are too many"):
        ChiSim(3, n_word_clusters=2).fit(X)


def test_words_of_no_document_have_no_cluster(X):
    wide = sp.hstack([X, sp.csr_array((60, 2))]).tocsr()
    fitted, usual = ChiSim(3).fit(wide), ChiSim(3).fit(X)
    assert_array_equal(fitted.word_labels_, [*usual.word_labels_, -1, -1])
    assert_array_equal(fitted.document_similarity_, usual.document_similarity_)
    assert_array_equal(fitted.word_similarity_[40:, :40], 0)


def test_a_training_document_is_as_similar_as_one_iteration_more_would_have_it(X):
    for model in (
        ChiSim(3, "l1", 1, max_iter=3),
        ChiSim(3, max_iter=3),
        ChiSim(3, exponent=np.inf, max_iter=3),
    ):
        more = ChiSim(**model.get_params()).set_params(max_iter=4).fit(X).document_similarity_
        found = model.fit(X)._similarities_of_new(X[:20].astype(np.float32))
        others = ~np.eye(20, 60, dtype=bool)
        assert_allclose(found.T[others], more[:20][others], rtol=1e-4)


def test_new_documents_go_where_similarities_are_highest_on_average(X):
    fitted = ChiSim(3).fit(X[:50])
    similar = fitted._similarities_of_new(X[50:].astype(np.float32))
    means = np.array([similar[fitted.labels_ == k].mean(axis=0) for k in range(3)])
    assert_array_equal(fitted.predict(X[50:]), means.argmax(axis=0))


def test_an_infinite_exponent_and_a_search_are_saved(X, tmp_path):
    for name, model in {
        "inf": ChiSim(3, exponent=np.inf),
        "auto": ChiSim(3, pruning="auto", max_iter=1),
    }.items():
        fitted = model.fit(X)
        coterie.save_model(fitted, tmp_path / name)
        again = coterie.load_model(tmp_path / name)
        assert again.get_params() == fitted.get_params()
        assert (again.exponent_, again.pruning_) == (fitted.exponent_, fitted.pruning_)
        assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_similar_words_and_documents_are_named(X):
    texts = ["sea waves", "waves sea sea", "ocean waves", "bread butter", "butter bread salt"]
    english = coterie.TextOptions(language="en")
    fitted = ChiSim(2).fit(coterie.Corpus.from_texts(texts, options=english))
    assert [word for word, _ in fitted.similar_words("sea", 2)] == ["waves", "ocean"]
    assert [document for document, _ in fitted.similar_documents(3, 1)] == [4]
    with pytest.raises(InputError, match="^word 'snow': not one of the 6 words"):
        fitted.similar_words("snow")
    fitted = ChiSim(3, n_neighbors=5).fit(X)
    assert len(fitted.similar_words(3, 4)) == 4
    values = [value for _, value in fitted.similar_documents(0, 10)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [("norm", "l2"), ("exponent", 0), ("exponent", "one"), ("exponent", np.nan),
     ("pruning", 1.0),
     ("pruning", -0.1), ("max_iter", 0), ("n_word_clusters", 0), ("distance", "cosine"),
     ("n_neighbors", 0)],
)  # fmt: skip
def test_impossible_parameters_are_named(name, value, X):
    with pytest.raises(InputError, match=f"^{name}={value!r}: expected"):
        ChiSim(3).set_params(**{name: value}).fit(X)


def test_the_norm_of_lengths_has_no_exponent(X):
    with pytest.raises(InputError, match="^exponent=0.8: expected 1 with norm='l1'"):
        ChiSim(3, "l1").fit(X)


def test_what_does_not_fit_in_memory_is_refused_with_a_way_on(X):
    size = Size(2000, 20_000, 100_000)
    allowed = ChiSim(3, n_neighbors=100)._needed_bytes(size)
    assert ChiSim(3)._ways(size, allowed)[0] == "n_neighbors=100"
    with memory_limit("50KB"), pytest.raises(InputError, match="a sample of .* would fit"):
        ChiSim(3, n_neighbors=5).fit(X)


def test_what_is_reckoned_is_enough_for_many_documents_and_words():
    n, m = 16_800, 10_000
    needed = ChiSim()._needed_bytes(Size(n, m, 10**6))
    assert needed >= 4 * (n * n + m * m) + 4 * n * n
    assert needed < 6 << 30
    many = Size(n, 60_000, 10**6)
    assert ChiSim(n_neighbors=100)._needed_bytes(many) < ChiSim()._needed_bytes(many) / 4


def test_iterations_are_watched_and_an_interrupted_fit_keeps_those_done(X):
    seen = []
    with coterie.watching(seen.append):
        ChiSim(3, max_iter=3).fit(X)
    assert [progress.iteration for progress in seen] == [1, 2, 3]

    def stop(progress):
        if progress.iteration == 2:
            raise KeyboardInterrupt

    expected = ChiSim(3, max_iter=2).fit(X)
    with coterie.watching(stop), pytest.warns(coterie.InterruptedWarning):
        fitted = ChiSim(3, max_iter=4).fit(X)
    assert fitted.interrupted_
    assert fitted.n_iter_ == 2
    assert not fitted.converged_
    assert_array_equal(fitted.document_similarity_, expected.document_similarity_)


def test_a_stop_within_an_iteration_ends_the_fit_after_it(X, monkeypatch):
    calls = []
    measure = base.similarities

    def stops(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return measure(*arguments)

    expected = ChiSim(3, max_iter=2).fit(X)
    monkeypatch.setattr(base, "similarities", stops)
    with pytest.warns(coterie.InterruptedWarning):
        fitted = ChiSim(3, max_iter=4).fit(X)
    assert_array_equal(fitted.document_similarity_, expected.document_similarity_)
    assert_array_equal(fitted.word_similarity_, expected.word_similarity_)


def test_settings_are_chosen_by_stable_and_even_clusters(corpus):
    X, documents, _ = corpus
    fitted = ChiSim(3, exponent="auto", pruning="auto").fit(X)
    assert fitted.search_.shape == (18, 3)
    best = fitted.search_[fitted.search_[:, 2].argmax()]
    assert (fitted.exponent_, fitted.pruning_) == tuple(best[:2])
    plain = ChiSim(3, exponent=fitted.exponent_, pruning=fitted.pruning_).fit(X)
    assert not hasattr(plain, "search_")
    refitted = ChiSim(3, pruning="auto").fit(X).set_params(pruning=0.0).fit(X)
    assert not hasattr(refitted, "search_")
    assert_array_equal(plain.document_similarity_, fitted.document_similarity_)
    assert adjusted_rand_score(documents, fitted.labels_) > 0.9
    assert_array_equal(np.unique(ChiSim(3, pruning="auto").fit(X).search_[:, 0]), [0.8])
    assert ChiSim(3, "l1", 1, "auto").fit(X).search_.shape == (6, 3)


def test_scores_of_settings_by_the_book():
    rng = np.random.default_rng(0)
    tried = settings.settings_to_try("auto", "auto")
    partitions = [rng.integers(3, size=30) for _ in tried]
    found = settings.score_settings(tried, partitions)
    for i, (k, p) in enumerate(tried):
        row, column = settings.EXPONENTS.index(k), settings.SHARES.index(p)
        near = [
            adjusted_rand_score(partitions[i], partitions[j])
            for j, (other_k, other_p) in enumerate(tried)
            if j != i
            and abs(settings.EXPONENTS.index(other_k) - row) <= 1
            and abs(settings.SHARES.index(other_p) - column) <= 1
        ]
        sizes = np.bincount(partitions[i]) / 30
        even = -np.sum(sizes * np.log(sizes)) / np.log(3)
        assert_allclose(found[i], np.mean(near) * even)


def test_a_search_is_watched_as_one_and_can_be_stopped(X):
    seen = []

    def watch(progress):
        seen.append(progress.share)
        assert progress.stage == "trying settings"
        if len(seen) == 5:
            raise KeyboardInterrupt

    with coterie.watching(watch), pytest.warns(coterie.InterruptedWarning):
        fitted = ChiSim(3, pruning="auto", max_iter=2).fit(X)
    assert_allclose(seen, np.arange(1, 6) / 14)
    assert fitted.interrupted_
    assert not hasattr(fitted, "search_")
    assert (fitted.exponent_, fitted.pruning_) == (0.8, 0.4)


def test_more_neighbours_come_closer_to_the_exact_similarities():
    X = plant(200, 150, 4, 30, seed=2, purity=0.6)[0]
    exact = ChiSim(4).fit(X).document_similarity_
    errors = [
        np.abs(
            dense(ChiSim(4, n_neighbors=n_neighbors).fit(X).document_similarity_) - exact
        ).mean()
        for n_neighbors in (5, 40, 120, 199)
    ]
    assert errors[0] > errors[1] > errors[2] > errors[3] == 0
