"""Positive semi-definite similarities (Grimal and Bisson, 2011, section 3.1)."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import coterie
from coterie import ChiSim, InputError, memory_limit
from coterie.memory import Size
from coterie.similarity import diagnose, semidefinite
from coterie.similarity.semidefinite import make_semidefinite
from planted import plant

SETTINGS = [("l1", 1, 0.4), ("pseudo", 1, 0.4), ("pseudo", 0.8, 0.4), ("pseudo", np.inf, 0.4)]


@pytest.fixture(scope="module")
def unclear():
    """Counts without clusters, whose similarities pruning makes indefinite."""
    return plant(60, 40, 3, 40, seed=0, purity=0.0)[0]


def projected(S):
    """The nearest positive semi-definite matrix, scaled to the diagonal of S."""
    values, vectors = np.linalg.eigh(S)
    nearest = vectors @ np.diag(np.maximum(values, 0)) @ vectors.T
    scale = np.sqrt(np.diag(S) / np.diag(nearest))
    return scale[:, None] * nearest * scale


def pruned(S, p):
    pairs = np.sort(S[np.tril_indices(len(S), -1)])
    kept = np.where(pairs[int(p * len(pairs))] > S, 0, S)
    np.fill_diagonal(kept, np.diag(S))
    return kept


def one_round(M, S, k, p):
    products = np.maximum(M**k @ S @ (M**k).T, 0) ** (1 / k)
    own = np.sqrt(np.diag(products))
    return projected(pruned(products / np.outer(own, own), p))


@pytest.mark.parametrize("k", [1.0, 0.8])
def test_both_matrices_are_projected_after_each_iteration(k):
    rng = np.random.default_rng(3)
    M = (rng.poisson(0.7, (9, 7)) + np.eye(9, 7) + np.eye(9, 7, k=-7)) * rng.random((9, 7))
    SR, SC = np.eye(9), np.eye(7)
    for t in (1, 2, 3):
        SR, SC = one_round(M, SC, k, 0.4), one_round(M.T, SR, k, 0.4)
        fitted = ChiSim(2, "pseudo", k, 0.4, t, semidefinite=True).fit(M)
        assert_allclose(fitted.document_similarity_, SR, rtol=1e-3, atol=1e-5)
        assert_allclose(fitted.word_similarity_, SC, rtol=1e-3, atol=1e-5)
        assert_allclose(fitted.history_[-1], SR[np.tril_indices(9, -1)].mean(), rtol=1e-3)


@pytest.mark.parametrize(("norm", "k", "p"), SETTINGS)
def test_chi_sim_can_be_indefinite_and_the_projected_one_is_not(norm, k, p, unclear):
    plain = ChiSim(3, norm, k, p).fit(unclear)
    fitted = ChiSim(3, norm, k, p, semidefinite=True).fit(unclear)
    for name in ("document_similarity_", "word_similarity_"):
        before, S = diagnose(getattr(plain, name)), getattr(fitted, name)
        after, largest = diagnose(S), np.linalg.eigvalsh(S.astype(np.float64))[-1]
        assert before.smallest_eigenvalue < -1e-3
        assert after.smallest_eigenvalue > -1e-6 * largest
        assert after.n_above_one == 0
        assert after.largest <= 1 + 1e-6
        assert_array_equal(S, S.T)
        if norm == "pseudo":
            assert_array_equal(np.diag(S), 1)
    if norm == "pseudo" and k != np.inf:  # no sum can be above one with the others
        assert diagnose(plain.document_similarity_).n_above_one > 0


@pytest.mark.parametrize("norm", ["l1", "pseudo"])
def test_without_pruning_and_with_exponent_one_nothing_changes(norm, unclear):
    plain = ChiSim(3, norm, 1).fit(unclear)
    fitted = ChiSim(3, norm, 1, semidefinite=True).fit(unclear)
    assert_array_equal(fitted.document_similarity_, plain.document_similarity_)
    assert_array_equal(fitted.word_similarity_, plain.word_similarity_)
    assert_array_equal(fitted.labels_, plain.labels_)
    assert_allclose(fitted.history_, plain.history_, rtol=1e-6)


def test_projected_words_give_new_documents_similarities_of_zero_or_more(unclear, tmp_path):
    fitted = ChiSim(3, pruning=0.8, semidefinite=True).fit(unclear[:40])
    assert fitted.word_similarity_.min() < 0
    single = sp.csr_array(np.eye(40, dtype=np.float32))
    for new in (unclear[40:].astype(np.float32), single):
        similar = fitted._similarities_of_new(new)
        assert np.all(np.isfinite(similar))
        assert similar.min() >= 0
    assert_array_equal(fitted.predict(unclear[:40]), fitted.labels_)
    coterie.save_model(fitted, tmp_path / "model")
    again = coterie.load_model(tmp_path / "model")
    assert_array_equal(again.predict(unclear), fitted.predict(unclear))


def test_documents_and_words_without_counts_stay_like_themselves_only(unclear):
    wide = sp.block_diag([unclear, sp.csr_array((2, 3))]).tocsr()
    fitted = ChiSim(3, pruning=0.4, semidefinite=True).fit(wide)
    usual = ChiSim(3, pruning=0.4, semidefinite=True).fit(unclear)
    assert_array_equal(fitted.document_similarity_[:60, :60], usual.document_similarity_)
    assert_array_equal(fitted.document_similarity_[60:, :60], 0)
    assert diagnose(fitted.word_similarity_).smallest_eigenvalue > -1e-4


def test_the_projection_goes_over_blocks_and_keeps_the_diagonal(monkeypatch):
    rng = np.random.default_rng(0)
    S = rng.random((23, 23))
    S = ((S + S.T) / 2 + np.diag(rng.random(23))).astype(np.float32)
    expected = projected(S.astype(np.float64))
    for rows in (256, 5):
        monkeypatch.setattr(semidefinite, "BLOCK", rows)
        found = S.copy()
        make_semidefinite(found)
        assert_allclose(found, expected, atol=1e-6)
        assert_array_equal(np.diag(found), np.diag(S))
        assert_array_equal(found, found.T)


def test_a_diagnosis_is_the_same_of_dense_sparse_small_and_large(monkeypatch):
    rng = np.random.default_rng(1)
    S = rng.random((80, 80)) * (rng.random((80, 80)) < 0.2)
    S = S + S.T
    np.fill_diagonal(S, 1)
    S[3, 3] = 1.5
    expected = np.linalg.eigvalsh(S)[0]
    pairs = sum(S[i, j] > 1 for i in range(80) for j in range(i + 1))
    for few in (1000, 10):
        monkeypatch.setattr(semidefinite, "FEW", few)
        for form in (S, sp.csr_array(S), sp.coo_array(S), S.astype(np.float32), S.tolist()):
            found = diagnose(form)
            assert_allclose(found.smallest_eigenvalue, expected, atol=1e-4)
            assert found.n_above_one == pairs
            assert_allclose(found.largest, S.max(), rtol=1e-6)
    for n in (5, 50):
        assert_allclose(diagnose(np.eye(n, dtype=int)), (1, 0, 1))
        assert_allclose(diagnose(sp.csr_array((n, n))), (0, 0, 0), atol=1e-9)


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (np.ones((2, 3)), r"shape \(2, 3\); expected a square matrix"),
        (np.ones(3), r"shape \(3,\); expected a square matrix"),
        (np.empty((0, 0)), r"shape \(0, 0\); expected a square matrix"),
        ([[1.0, np.nan], [np.nan, 1.0]], "NaN or infinity; expected finite numbers"),
        ([[1.0, 0.5], [0.2, 1.0]], "not symmetric; expected equal numbers"),
        ("orange", "a str; expected a square matrix of numbers"),
    ],
)
def test_what_is_no_similarity_matrix_is_named(bad, complaint):
    with pytest.raises(InputError, match=f"^similarity: {complaint}"):
        diagnose(bad)


def test_neighbours_alone_cannot_be_projected(unclear):
    with pytest.raises(InputError, match=r"^n_neighbors=5: expected None with semidefinite"):
        ChiSim(3, n_neighbors=5, semidefinite=True).fit(unclear)
    with pytest.raises(InputError, match=r"^semidefinite='yes': expected True or False"):
        ChiSim(3, semidefinite="yes").fit(unclear)


def test_memory_of_the_projection_is_reckoned(unclear):
    model = ChiSim(3, semidefinite=True)
    (n, m), n_nonzero = unclear.shape, unclear.nnz
    plain = ChiSim(3)._needed_bytes(Size(n, m, n_nonzero))
    with (
        memory_limit(f"{plain + 5000}B"),
        pytest.raises(InputError, match=r"; semidefinite=False or a sample of .* would fit"),
    ):
        model.fit(unclear)
    for n, m in ((4000, 1000), (1000, 4000)):
        size = Size(n, m, 10_000)
        plain, more = (ChiSim(semidefinite=each)._needed_bytes(size) for each in (False, True))
        assert more >= 2 * 4 * (n * n + m * m) + 2 * 8 * 4000**2 > plain
