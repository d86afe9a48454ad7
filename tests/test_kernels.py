"""Fast kernels against their specification."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from numba.core.errors import TypingError
from numpy.testing import assert_allclose, assert_array_equal

import coterie
from coterie import arrays, engine
from coterie.kernels import cpu, lanes, pad, prefetch, reference, spare, windows

PRECISIONS = pytest.mark.parametrize(
    ("dtype", "rtol"), [(np.float64, 1e-10), (np.float32, 2e-4)]
)
SIZES = pytest.mark.parametrize("n_topics", [1, 3, 8, 13])


@pytest.fixture
def counts(X):
    X = X.tolil()
    X[4] = 0
    X[:, 7] = 0
    return X.tocsr()


def parameters(X, n_topics, dtype, seed=0):
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.ones(n_topics), size=X.shape[0])
    phi = rng.dirichlet(np.ones(X.shape[1]), size=n_topics).T
    return pad(theta, dtype), pad(phi, dtype)


@PRECISIONS
@SIZES
def test_topic_counts(counts, n_topics, dtype, rtol):
    theta, phi = parameters(counts, n_topics, dtype)
    theta[9, : n_topics // 2] = 0
    phi[5, : n_topics // 2] = 0
    fast = cpu.topic_counts(counts.astype(dtype), theta, phi)
    slow = reference.topic_counts(counts, theta.astype(float), phi.astype(float))
    for ours, expected in zip(fast, slow, strict=True):
        assert_allclose(ours, expected, rtol=rtol, atol=1e-7)
    assert fast[0].dtype == fast[1].dtype == dtype


@PRECISIONS
def test_rows_asked_for_ahead_change_no_bit(X, dtype, rtol, monkeypatch):  # noqa: ARG001
    theta, phi = parameters(X, 19, dtype)
    plain = cpu.topic_counts(X.astype(dtype), theta, phi)
    assert prefetch.distance(phi) == 0
    monkeypatch.setattr(prefetch, "CACHED", 0)
    assert prefetch.distance(phi) > 0
    ahead = cpu.topic_counts(X.astype(dtype), theta, phi)
    for ours, expected in zip(ahead, plain, strict=True):
        assert_array_equal(ours, expected)


@PRECISIONS
def test_words_of_clusters_asked_for_ahead_change_no_bit(X, dtype, rtol, monkeypatch):  # noqa: ARG001
    log_beta = np.log(np.maximum(parameters(X, 19, dtype)[1], 1e-30))
    log_alpha = np.zeros(log_beta.shape[1])
    plain = cpu.cluster_posteriors(X.astype(dtype), log_alpha, log_beta, False)
    monkeypatch.setattr(prefetch, "CACHED", 0)
    ahead = cpu.cluster_posteriors(X.astype(dtype), log_alpha, log_beta, False)
    for ours, expected in zip(ahead, plain, strict=True):
        assert_array_equal(ours, expected)


@PRECISIONS
def test_topic_counts_of_an_impossible_word(counts, dtype, rtol):
    theta, phi = parameters(counts, 3, dtype)
    phi[5] = 0
    fast = cpu.topic_counts(counts.astype(dtype), theta, phi)
    slow = reference.topic_counts(counts, theta.astype(float), phi.astype(float))
    assert fast[2] == slow[2] == -np.inf
    assert_allclose(fast[1], slow[1], rtol=rtol, atol=1e-7)
    assert_allclose(fast[0], slow[0], rtol=rtol, atol=1e-7)


@PRECISIONS
@SIZES
def test_fold_in(counts, n_topics, dtype, rtol):
    _, phi = parameters(counts, n_topics, dtype)
    theta, log_likelihood = cpu.fold_in(counts.astype(dtype), phi, n_topics, 20, 1e-3)
    slow = reference.fold_in(counts, phi.astype(float), n_topics, 20, 1e-3)
    assert_allclose(theta, slow[0], rtol=10 * rtol, atol=10 * rtol)
    assert_allclose(log_likelihood, slow[1], rtol=rtol)
    assert_allclose(theta[4, :n_topics], 1 / n_topics)


@PRECISIONS
@SIZES
@pytest.mark.parametrize("hard", [False, True])
def test_cluster_posteriors(counts, n_topics, dtype, rtol, hard):
    _, phi = parameters(counts, n_topics, dtype)
    log_alpha = np.full(phi.shape[1], reference.IMPOSSIBLE)
    log_alpha[:n_topics] = np.log(np.arange(1, n_topics + 1) / sum(range(n_topics + 1)))
    log_beta = np.log(np.maximum(phi, 1e-30), dtype=dtype)
    fast = cpu.cluster_posteriors(counts.astype(dtype), log_alpha, log_beta, hard)
    slow = reference.cluster_posteriors(counts, log_alpha, log_beta.astype(float), hard)
    for ours, expected in zip(fast, slow, strict=True):
        assert_allclose(ours, expected, rtol=rtol, atol=rtol)
    empty = np.diff(counts.indptr) == 0
    assert_allclose(fast[0].sum(axis=1), np.where(empty, 0, 1), rtol=1e-5)


@PRECISIONS
@pytest.mark.parametrize("width", [1, 8, 13, 16, 24, 31, 32, 40, 77])
@pytest.mark.parametrize("ahead", [0, 16])
def test_rows_of_a_table_are_added_to_sums(dtype, rtol, width, ahead):
    rng = np.random.default_rng(width)
    table, sums = rng.random((50, width)).astype(dtype), rng.random(width)
    data, indices = rng.random(30).astype(dtype), rng.integers(50, size=30).astype(np.int32)
    for first, last in ((0, 30), (3, 4), (5, 12), (7, 7)):
        expected = sums + data[first:last].astype(float) @ table[indices[first:last]]
        ours = sums.copy()
        lanes.add_rows(ours, table, indices, data, first, last, ahead)
        assert_allclose(ours, expected, rtol=rtol)


def test_rows_of_a_table_in_another_order_are_refused():
    table = np.asfortranarray(np.ones((4, 8)))
    with pytest.raises(TypingError, match="C order"):
        lanes.add_rows(np.zeros(8), table, np.zeros(1, np.int32), np.ones(1), 0, 1, 0)


@pytest.mark.parametrize("cluster", [0, 5])
def test_a_posterior_that_is_no_number_shows_in_the_objective(X, cluster):
    log_beta = np.zeros((X.shape[1], 8))
    log_beta[:, cluster] = np.nan
    *_, objective = cpu.cluster_posteriors(X, np.zeros(8), log_beta, False)
    assert np.isnan(objective[np.diff(X.indptr) > 0]).all()


@PRECISIONS
def test_large_tables_are_divided_with_the_background_in_blocks(dtype, rtol, monkeypatch):
    monkeypatch.setattr(arrays, "WORDS", 10)
    rng = np.random.default_rng(0)
    n_wk, phi, gamma = (rng.random((95, k)).astype(dtype) for k in (8, 8, 1))
    phi[:, 5], gamma[7] = 0, 0
    own, shared = 0.7 * phi.astype(float), 0.3 * gamma.astype(float)
    left = n_wk * np.divide(own, own + shared, out=np.zeros_like(own), where=own > 0)
    taken = (n_wk - left).sum(axis=1, keepdims=True)
    assert_allclose(arrays.without_background(n_wk, phi, gamma, 0.3), taken, rtol=rtol)
    assert_allclose(n_wk, left, rtol=rtol)
    assert_allclose(arrays.with_background(phi, gamma, 0.3), own + shared, rtol=rtol)


@pytest.mark.parametrize("tiny", [1e-30, 1e-150, 1e-310])
def test_likelihood_of_very_improbable_words(X, tiny):
    """The product of probabilities that stands for many logarithms never underflows."""
    theta, phi = parameters(X, 3, np.float64)
    phi *= tiny
    X.data[:] = 1
    fast = cpu.topic_counts(X, theta, phi)
    slow = reference.topic_counts(X, theta, phi)
    assert_allclose(fast[2], slow[2], rtol=1e-6)


def test_single_precision_sums_keep_long_documents_and_many_rows_apart():
    """A document of 100,000 words, and more rows than single precision can count."""
    rng = np.random.default_rng(0)
    counts = sp.csr_array(rng.poisson(1000.0, size=(1, 100)))
    log_beta = np.log(rng.dirichlet(np.full(100, 50.0), size=8).T)
    single = cpu.cluster_posteriors(
        counts.astype(np.float32), np.zeros(8), log_beta.astype(np.float32), False
    )
    double = reference.cluster_posteriors(
        counts, np.zeros(8), log_beta.astype(np.float32).astype(float), False
    )
    assert_allclose(single[3], double[3], rtol=1e-12)
    assert_allclose(single[0], double[0], atol=1e-6)
    n_rows = 2**24 + 2
    ones = sp.csr_array(
        (np.ones(n_rows, np.float32), np.zeros(n_rows, np.int32), np.arange(n_rows + 1)),
        shape=(n_rows, 1),
    )
    _, n_k, _, _ = cpu.cluster_posteriors(
        ones, np.zeros(1), np.zeros((1, 1), np.float32), False
    )
    assert n_k[0] == n_rows


def test_huge_counts_of_impossible_words_stay_numbers():
    counts = sp.csr_array(np.full((1, 2), 1e9, np.float32))
    log_beta = np.array([[-1e30, -1], [-1, -1e30]], np.float32)
    posterior, *_ = cpu.cluster_posteriors(counts, np.zeros(2), log_beta, False)
    assert_allclose(posterior, 0.5)


def test_normalize_columns_of_subnormal_totals():
    counts = np.array([[1e-40, 0], [1e-40, 1]], np.float32)
    assert_allclose(cpu.normalize_columns(counts, 2), [[0.5, 0], [0.5, 1]], rtol=1e-2)


@PRECISIONS
def test_tables_of_words_clusters_and_topics(dtype, rtol):
    rng = np.random.default_rng(0)
    table = rng.random((700, 3, 5)).astype(dtype)
    mix, weights = rng.random((3, 5)).astype(dtype), rng.random((700, 3)).astype(dtype)
    weights[::3] = 0
    assert_allclose(cpu.mix_topics(table, mix), reference.mix_topics(table, mix), rtol=rtol)
    summed = cpu.sum_words(table, weights)
    assert_allclose(summed, reference.sum_words(table, weights), rtol=rtol)
    assert summed.dtype == np.float64


@PRECISIONS
def test_normalize_columns(X, dtype, rtol):
    counts = pad(X.toarray()[:, :5], dtype)
    counts[:, 2] = 0
    slow = reference.normalize_columns(counts.astype(float), 5)
    fast = cpu.normalize_columns(counts, 5)
    assert_allclose(fast, slow, rtol=rtol)
    assert_allclose(fast[:, :5].sum(axis=0), 1, rtol=1e-5)
    assert_allclose(fast[:, 2], 1 / len(fast), rtol=1e-5)
    assert not fast[:, 5:].any()


@PRECISIONS
def test_likelihood_of_tiny_and_fractional_and_large_counts(X, dtype, rtol):
    """The product of probabilities that stands for many logarithms never underflows."""
    theta, phi = parameters(X, 3, dtype)
    phi[:20] *= dtype(1e-25)
    for scale in (1, 0.3, 40):
        counts = (X * scale).astype(dtype)
        fast = cpu.topic_counts(counts, theta, phi)
        slow = reference.topic_counts(counts, theta.astype(float), phi.astype(float))
        assert_allclose(fast[2], slow[2], rtol=1e-5)
        assert_allclose(fast[0], slow[0], rtol=10 * rtol, atol=1e-6)


def test_hard_posteriors_take_the_first_of_equals(X):
    log_beta = np.full((X.shape[1], 8), -1.0)
    posterior, *_ = cpu.cluster_posteriors(X, np.zeros(8), log_beta, True)
    assert_array_equal(posterior.argmax(axis=1), 0)


def test_every_kernel_has_a_specification():
    def public(module):
        return {n for n in vars(module) if callable(vars(module)[n]) and n[0] != "_"}

    assert public(cpu) - {"njit", "pairwise"} == public(reference)


def counted_by_loops(words, positions, first, lengths, window, n_words, repeats):
    """Numbers of windows with each pair of words, and of windows in all.

    Without `repeats`, a token that leaves the window takes its word along, wherever else in
    the window it stands; the token that enters brings its word back.
    """
    together, n_windows = np.zeros((n_words, n_words), np.int64), 0
    for d, length in enumerate(lengths):
        tokens = np.full(length, -1)
        tokens[positions[first[d] : first[d + 1]]] = words[first[d] : first[d + 1]]
        inside = set()
        for start in range(max(length - window + 1, 1)):
            seen = tokens[start : start + window]
            if repeats or start == 0:
                inside = set(seen)
            else:
                inside = (inside - {tokens[start - 1]}) | {seen[-1]}
            present = sorted(inside - {-1})
            together[np.ix_(present, present)] += 1
            n_windows += 1
    return together, n_windows


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("window", [1, 3, 10, 50])
def test_window_counts(window, repeats):
    rng = np.random.default_rng(window)
    lengths = rng.integers(0, 30, size=40)
    tokens = [rng.integers(-3, 6, size=n) for n in lengths]
    chosen = [np.flatnonzero(each >= 0) for each in tokens]
    first = np.cumsum([0, *map(len, chosen)])
    words = np.concatenate([t[c] for t, c in zip(tokens, chosen, strict=True)])
    given = words, np.concatenate(chosen), first, lengths, window, 6, repeats
    fast, slow = windows.window_counts(*given), counted_by_loops(*given)
    assert_array_equal(fast[0], slow[0])
    assert fast[1] == slow[1]


@PRECISIONS
def test_largest_products(dtype, rtol):
    rng = np.random.default_rng(0)
    rows, others = rng.normal(size=(5, 7)).astype(dtype), rng.normal(size=(40, 7)).astype(dtype)
    others[[3, 9, 30]] = others[20]
    products = rows @ others.T
    products[2, 20] = -np.inf
    least = np.sort(products, axis=1)[:, -6] - 0.1
    fast = cpu.largest_products(rows, others, products, least, 6)
    slow = reference.largest_products(
        rows.astype(float), others.astype(float), products, least, 6
    )
    assert_array_equal(fast[0], slow[0])
    assert_allclose(fast[1], slow[1], rtol=rtol)
    assert fast[1].dtype == dtype
    for row in range(5):
        alone = cpu.largest_products(rows[[row]], others, products[[row]], least[[row]], 6)
        assert_array_equal(alone[0][0], fast[0][row])
        assert_array_equal(alone[1][0], fast[1][row])


def test_spare_memory_is_none_in_use():
    size = (1024, 256), np.float32
    with spare.kept():
        table = spare.empty(*size)
        place, view = table.ctypes.data, table[3:5]
        del table
        other = spare.empty(*size)
        assert other.ctypes.data != place
        del view
        again = spare.empty(*size)
        assert again.ctypes.data == place
        more = spare.empty(*size)
        assert more.ctypes.data not in (place, other.ctypes.data)
        again.fill(1)
        del again
        assert not spare.zeros(*size).any()
        with spare.kept():
            pass
        del other
        assert spare._spare
    assert not spare._spare


@pytest.mark.parametrize("model", [coterie.PLSA(50), coterie.MultinomialMixture(100)])
def test_iterations_take_no_memory_anew(model, monkeypatch):
    taken, take = [], spare._raw
    monkeypatch.setattr(spare, "_raw", lambda n: taken.append(n) or take(n))
    X = sp.random_array((3000, 3000), density=0.03, format="csr", rng=0, dtype=np.float32)
    rows, shared = model._start(X, np.random.default_rng(0))
    with coterie.run_on("threads", n_threads=1) as executor:
        start, stopping = engine.Run(lambda: rows, shared), engine.Stopping(6, -np.inf)
        n_taken = []
        for _ in engine.iterate(model, engine.shards(X), start, executor, stopping):
            n_taken.append(sum(size >= spare.LARGE for size in taken))
    assert 0 < n_taken[0] < 8
    assert n_taken[2] == n_taken[-1]


NO_FOLDER = "caching.CacheImpl._locator_classes = []"
FULL_DISK = """
def full(*_):
    raise OSError(28, "No space left on device")
caching.IndexDataCacheFile.save = full
"""


@pytest.mark.parametrize("trouble", [NO_FOLDER, FULL_DISK])
def test_kernels_need_no_folder_for_what_is_compiled(tmp_path, trouble):
    """As for a user whose home cannot be written, in a container."""
    code = f"from numba.core import caching\n{trouble}\nimport numpy as np\n"
    code += "from coterie.kernels.columns import column_totals\n"
    code += "print(column_totals(np.ones((3, 2)), 2))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("[3. 3.]\n", "")
