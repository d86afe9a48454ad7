"""The GPU: its layout and passes played by NumPy everywhere, its kernels where there is one."""

import signal
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import coterie
import emulated_gpu
from coterie.arrays import unit_rows
from coterie.automatic.neighbour_mixture import Neighbourhood, NeighbourMixture
from coterie.executors import gpu as place
from coterie.executors.gpu import GpuExecutor
from coterie.kernels import blocks, gpu, pad, reference
from planted import plant


def has_gpu():
    try:
        import cupy

        return cupy.cuda.runtime.getDeviceCount() > 0
    except Exception:
        return False


PLACES = pytest.mark.parametrize(
    "where",
    [
        "emulated",
        pytest.param(
            "real", marks=pytest.mark.skipif(not has_gpu(), reason="needs a GPU and CuPy")
        ),
    ],
)


def kernels_at(where, half=False, **options):
    return (
        emulated_gpu.kernels(half, **options)
        if where == "emulated"
        else gpu.GpuKernels(half=half)
    )


@pytest.fixture
def counts():
    """Frequent and rare words, a document and a word without counts, a long document."""
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.1 + 2.0 / np.arange(1, 41), size=(300, 40))
    dense[4], dense[:, 7], dense[11] = 0, 0, 1
    dense[11, 7] = 0
    return sp.csr_array(dense.astype(float))


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks, segments and long documents at sizes that small counts have."""
    monkeypatch.setattr(blocks, "TABLE_BYTES", 2**12)
    monkeypatch.setattr(blocks, "SEGMENT", 16)
    monkeypatch.setattr(blocks, "LONG", 30)


@pytest.mark.usefixtures("small_blocks")
def test_blocks_hold_every_nonzero_once_in_word_order(counts):
    number = blocks.n_blocks(300, counts.nnz, 64)
    assert number > 3
    found = np.zeros(counts.shape)
    parts = blocks.document_blocks(np, counts.indptr, number)
    assert_array_equal(np.sort(np.concatenate([each.order for each in parts])), np.arange(300))
    assert sum(each.n_long for each in parts) == 1
    for block in parts:
        lengths = np.diff(counts.indptr)[block.order]
        assert_array_equal(lengths, np.sort(lengths)[::-1])
        words, places = blocks.by_word(np, counts.indptr, counts.indices, block)
        data = np.empty(block.end - block.start)
        data[places] = counts.data[block.start : block.end]
        segments = words.segments
        assert segments.lengths.max() <= 16
        targets = []
        for at, n, word, target in zip(
            segments.starts, segments.lengths, segments.words, segments.targets, strict=True
        ):
            for j in range(at, at + n):
                found[words.documents[j], word] += data[j]
            targets.append((target, word))
        check_targets(segments, sorted(targets))
    assert_array_equal(found, counts.toarray())


def check_targets(segments, targets):
    """Words with one segment have no partial sums, others a run of them."""
    alone = [word for target, word in targets if target < 0]
    assert len(set(alone)) == len(alone)
    assert not set(alone) & set(segments.shared_words.tolist())
    expected = [
        (first + i, word)
        for word, first, n in zip(
            segments.shared_words, segments.firsts, segments.counts, strict=True
        )
        for i in range(n)
    ]
    assert [each for each in targets if each[0] >= 0] == expected
    assert segments.n_partials == len(expected)


def parameters(X, n_topics, dtype):
    rng = np.random.default_rng(1)
    theta = rng.dirichlet(np.ones(n_topics), size=X.shape[0])
    phi = rng.dirichlet(np.ones(X.shape[1]), size=n_topics).T
    return pad(theta, dtype), pad(phi, dtype)


PRECISIONS = pytest.mark.parametrize(("dtype", "rtol"), [("float64", 1e-9), ("float32", 2e-4)])


@PLACES
@PRECISIONS
@pytest.mark.parametrize("n_topics", [1, 3, 20, 130])
@pytest.mark.usefixtures("small_blocks")
def test_topic_counts(counts, where, n_topics, dtype, rtol):
    theta, phi = parameters(counts, n_topics, dtype)
    theta[9, : n_topics // 2] = 0
    fast = kernels_at(where).topic_counts(counts.astype(dtype), theta, phi)
    slow = reference.topic_counts(counts, theta.astype(float), phi.astype(float))
    for ours, expected in zip(fast, slow, strict=True):
        assert_allclose(ours, expected, rtol=rtol, atol=1e-6)
    assert fast[0].dtype == fast[1].dtype == dtype


@PLACES
@pytest.mark.usefixtures("small_blocks")
def test_topic_counts_in_half_precision(counts, where):
    theta, phi = parameters(counts, 12, np.float32)
    phi[:5] *= np.float32(1e-12)
    fast = kernels_at(where, half=True).topic_counts(counts.astype(np.float32), theta, phi)
    slow = reference.topic_counts(counts, theta.astype(float), phi.astype(float))
    assert_allclose(fast[0], slow[0], rtol=1e-2, atol=1e-4)
    assert_allclose(fast[1], slow[1], rtol=1e-2, atol=1e-3)
    assert_allclose(fast[2], slow[2], rtol=1e-4)
    phi[3] = 0
    assert kernels_at(where, half=True).topic_counts(counts, theta, phi)[2] == -np.inf


@PLACES
@PRECISIONS
@pytest.mark.parametrize("n_topics", [1, 13, 70])
def test_fold_in(counts, where, n_topics, dtype, rtol):
    _, phi = parameters(counts, n_topics, dtype)
    X = counts[:40]
    theta, logs = kernels_at(where).fold_in(X.astype(dtype), phi, n_topics, 20, 1e-3)
    slow = reference.fold_in(X, phi.astype(float), n_topics, 20, 1e-3)
    assert_allclose(theta, slow[0], rtol=10 * rtol, atol=10 * rtol)
    assert_allclose(logs, slow[1], rtol=rtol)


@PLACES
@PRECISIONS
@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("n_topics", [3, 20, 130])
@pytest.mark.usefixtures("small_blocks")
def test_cluster_posteriors(counts, where, n_topics, dtype, rtol, hard):
    _, phi = parameters(counts, n_topics, dtype)
    log_alpha = np.full(phi.shape[1], reference.IMPOSSIBLE)
    log_alpha[:n_topics] = -np.log(n_topics)
    log_beta = np.log(np.maximum(phi, 1e-30), dtype=dtype)
    given = counts.astype(dtype), log_alpha, log_beta, hard
    fast = kernels_at(where).cluster_posteriors(*given)
    slow = reference.cluster_posteriors(counts, log_alpha, log_beta.astype(float), hard)
    for ours, expected in zip(fast, slow, strict=True):
        assert_allclose(ours, expected, rtol=rtol, atol=rtol)


@PLACES
@PRECISIONS
def test_tables(counts, where, dtype, rtol):
    rng = np.random.default_rng(0)
    kernels = kernels_at(where)
    table = rng.integers(1, 5000, size=(700, 3, 5)).astype(np.uint16)
    mix, weights = rng.random((3, 5)).astype(dtype), rng.random((700, 3)).astype(dtype)
    put = kernels.put
    mixed = kernels.mix_topics(put(table), put(mix)).get()
    assert_allclose(mixed, reference.mix_topics(table, mix), rtol=rtol)
    summed = kernels.sum_words(put(table), put(weights)).get()
    assert_allclose(summed, reference.sum_words(table, weights), rtol=rtol)
    columns = pad(counts.toarray()[:, :5], dtype)
    columns[:, 2] = 0
    expected = reference.normalize_columns(columns.astype(float), 5)
    assert_allclose(kernels.normalize_columns(put(columns), 5).get(), expected, rtol=rtol)


@pytest.fixture(params=["emulated", "real"])
def executor(request, monkeypatch):
    monkeypatch.setattr(place, "SMALL_FIT", 0)
    monkeypatch.setattr(place, "FEW_NONZEROS", 0)
    if request.param == "real":
        if not has_gpu():
            pytest.skip("needs a GPU and CuPy")
        return GpuExecutor(n_threads=2)
    kernels = emulated_gpu.kernels()
    monkeypatch.setattr(gpu, "kernels", lambda: kernels)
    return GpuExecutor(n_threads=2, kernels=kernels)


@pytest.fixture(scope="module")
def planted():
    X, documents, _ = plant(100, 60, 3, 20, seed=0)
    return X, documents


FAMILY = {
    "plsa": lambda: coterie.PLSA(3, word_prior=1.1, max_iter=4, tol=0, random_state=0),
    "ext-plsa": lambda: coterie.ExtPLSA(3, 4, max_iter=4, tol=0, random_state=0),
    "2plsa": lambda: coterie.TwoPLSA(3, 4, max_iter=4, tol=0, random_state=0),
    "mixture": lambda: coterie.MultinomialMixture(
        3, cluster_prior=1.5, max_iter=4, tol=0, random_state=0
    ),
    "background": lambda: coterie.MultinomialMixture(
        3, background=0.3, n_init=3, max_iter=4, tol=0, random_state=0
    ),
    "hard": lambda: coterie.MultinomialMixture(3, hard=True, random_state=0),
}


@pytest.mark.filterwarnings("ignore:.*did not converge")
@pytest.mark.parametrize("name", FAMILY)
def test_fits_equal_those_of_threads(name, planted, executor):
    X, _ = planted
    here = FAMILY[name]().fit(X)
    with coterie.run_on(executor):
        there = FAMILY[name]().fit(X)
    assert_allclose(there.history_, here.history_, rtol=1e-5)
    assert_allclose(there.components_, here.components_, rtol=1e-5, atol=1e-7)
    assert_allclose(there.memberships_, here.memberships_, atol=1e-5)
    assert_array_equal(there.labels_, here.labels_)
    assert type(there.components_) is type(there.memberships_) is np.ndarray


def test_separable_clusters_are_found_in_half_precision(planted, executor):
    X, documents = planted
    half = GpuExecutor(n_threads=1, kernels=kernels_like(executor, half=True))
    with coterie.run_on(half):
        found = coterie.PLSA(3, init="kmeans", random_state=0).fit(X.astype(np.float32))
    here = coterie.PLSA(3, init="kmeans", random_state=0).fit(X.astype(np.float32))
    assert_array_equal(found.labels_, here.labels_)
    assert coterie.evaluation.nmi(documents, found.labels_) > 0.9
    assert_allclose(found.history_[-1], here.history_[-1], rtol=1e-4)


def kernels_like(executor, half):
    return type(executor.gpu)(executor.gpu.device, half=half)


@pytest.mark.parametrize(
    "options", [{}, {"pruning": 0.4}, {"norm": "l1", "exponent": 1}, {"exponent": np.inf}]
)
def test_chi_sim_equals_that_of_threads(planted, executor, options):
    X, _ = planted
    here = coterie.ChiSim(3, **options).fit(X)
    with coterie.run_on(executor):
        there = coterie.ChiSim(3, **options).fit(X)
    assert_allclose(there.history_, here.history_, rtol=1e-5)
    assert_allclose(there.document_similarity_, here.document_similarity_, atol=1e-5)
    assert_allclose(there.word_similarity_, here.word_similarity_, atol=1e-5)
    assert_array_equal(there.labels_, here.labels_)


def test_projected_and_sparse_similarities_and_other_models(planted, executor):
    """What the GPU has no kernels for runs on threads, with the same answer."""
    X, _ = planted
    for make in (
        lambda: coterie.ChiSim(3, semidefinite=True),
        lambda: coterie.ChiSim(3, n_neighbors=20),
        lambda: coterie.Cosine(3),
        lambda: coterie.ITCC(3, 4, random_state=0),
    ):
        here = make().fit(X)
        with coterie.run_on(executor):
            there = make().fit(X)
        assert_array_equal(there.labels_, here.labels_)
    weights = np.arange(X.shape[0]) % 3
    here = coterie.MultinomialMixture(3, random_state=0).fit(X, sample_weight=weights)
    with coterie.run_on(executor):
        there = coterie.MultinomialMixture(3, random_state=0).fit(X, sample_weight=weights)
    assert_allclose(there.memberships_, here.memberships_, atol=1e-12)


def test_mixtures_of_the_default_run_there(planted, executor):
    """Candidates from a growing vocabulary, and the mixture with neighbours."""
    X, documents = planted
    X, documents = X[:60], documents[:60]
    mixture = coterie.MultinomialMixture(3, background=0.2, max_iter=5, tol=1e-2)
    growth = coterie.IncrementalVocabulary(mixture, n_steps=2, first_size=30, n_init=3)
    links = Neighbourhood(np.eye(60), unit_rows(X.toarray()), None, 3).links(X)
    beside = sp.csr_array(sp.hstack([X, *links], format="csr"))
    start = 0.8 * np.eye(3)[documents] + 0.2 / 3
    neighbours = NeighbourMixture(3, n_links=60, init=start, random_state=0)
    for model, data in ((growth.set_params(random_state=0), X), (neighbours, beside)):
        here, there = clone(model), clone(model)
        here._fit(data)
        with coterie.run_on(executor):
            there._fit(data)
        assert_allclose(there.memberships_, here.memberships_, atol=1e-5)
        assert_allclose(there.components_, here.components_, rtol=1e-5, atol=1e-7)
    if isinstance(executor.gpu.device, emulated_gpu.EmulatedDevice):
        assert "posterior_pass" in executor.gpu.device.launched


@pytest.mark.skipif(not has_gpu(), reason="needs a GPU and CuPy")
def test_the_default_runs_there(planted, monkeypatch):
    monkeypatch.setattr(place, "SMALL_FIT", 0)
    X, documents = planted
    with coterie.run_on("gpu"):
        found = coterie.AutoClustering(3, random_state=0).fit(X)
    here = coterie.AutoClustering(3, random_state=0).fit(X)
    assert_array_equal(found.labels_, here.labels_)
    assert coterie.evaluation.nmi(documents, found.labels_) > 0.9


@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_counts_are_sent_once_a_fit(planted, executor, monkeypatch):
    X, _ = planted
    sent = []
    send = executor.gpu.send
    monkeypatch.setattr(
        executor.gpu, "send", lambda pieces, n: sent.append(n) or send(pieces, n)
    )
    with coterie.run_on(executor), coterie.run_on(executor._alone()):
        for n_init in (1, 3):
            coterie.PLSA(3, n_init=n_init, max_iter=2, random_state=0)._fit(X)
    assert len(sent) == 2


def test_the_same_bits_every_time(planted, executor):
    X, _ = planted
    with coterie.run_on(executor):
        first, second = (coterie.PLSA(3, random_state=0).fit(X) for _ in range(2))
    assert_array_equal(first.memberships_, second.memberships_)
    assert_array_equal(first.components_, second.components_)


def test_a_fit_continues_from_its_checkpoint(planted, executor, tmp_path):
    X, _ = planted

    def fit(stop_at):
        def stop(progress):
            if progress.iteration == stop_at:
                signal.raise_signal(signal.SIGINT)

        with coterie.run_on(executor), coterie.watching(stop):
            model = coterie.PLSA(3, tol=0, max_iter=6, random_state=0)
            with coterie.checkpointing(tmp_path / "state", every=0):
                return model.fit(X)

    with pytest.warns(coterie.InterruptedWarning):
        fit(4)
    with pytest.warns(match="did not converge"):
        model = fit(0)
    with coterie.run_on(executor), pytest.warns(match="did not converge"):
        whole = coterie.PLSA(3, tol=0, max_iter=6, random_state=0).fit(X)
    assert_array_equal(model.memberships_, whole.memberships_)


def test_small_fits_stay_on_threads(planted):
    X, _ = planted
    kernels = emulated_gpu.kernels()
    with coterie.run_on(GpuExecutor(kernels=kernels)):
        there = coterie.PLSA(3, random_state=0).fit(X)
    assert_array_equal(there.memberships_, coterie.PLSA(3, random_state=0).fit(X).memberships_)
    assert not kernels.device.launched


def test_what_does_not_fit_in_its_memory_is_refused(planted, monkeypatch):
    monkeypatch.setattr(place, "SMALL_FIT", 0)
    X, _ = planted
    kernels = emulated_gpu.kernels(free=10_000)
    with (
        coterie.run_on(GpuExecutor(kernels=kernels)),
        pytest.raises(coterie.InputError, match=r"of the GPU's memory, 9\.8 KB is free; fewer"),
    ):
        coterie.PLSA(3).fit(X)


def test_half_is_true_or_false():
    with pytest.raises(coterie.InputError, match="half='yes': expected True or False"):
        GpuExecutor(half="yes", kernels=emulated_gpu.kernels())


def test_without_a_gpu_one_sentence_says_so(monkeypatch):
    class NoDevice(Exception):
        pass

    def count():
        raise NoDevice("no CUDA-capable device is detected")

    class runtime:
        CUDARuntimeError, getDeviceCount = NoDevice, staticmethod(count)

    class cuda:
        pass

    cuda.runtime = runtime
    fake = type(sys)("cupy")
    fake.cuda = cuda
    monkeypatch.setitem(sys.modules, "cupy", fake)
    with pytest.raises(coterie.InputError, match=r"^running on gpu: CuPy finds none \(no CUDA"):
        GpuExecutor()


@pytest.mark.parametrize(
    ("width", "table", "lanes"),
    [(8, "float32", 2), (24, "float32", 8), (128, "float32", 8), (128, "float16", 8),
     (256, "float32", 8), (264, "float32", 32), (8, "float16", 1), (8, "float64", 4)],
)  # fmt: skip
def test_lanes_that_share_a_row(width, table, lanes):
    shape = gpu.Shape(table, width)
    vectors = next(o for o in shape.options if o.startswith("-DV=")).removeprefix("-DV=")
    assert shape.lanes == lanes
    assert lanes * int(vectors) * 16 >= width * shape.itemsize
    assert (lanes * int(vectors) - lanes) * 16 < width * shape.itemsize
