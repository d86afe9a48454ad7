"""A GPU beside the threads of its machine: PLSA, the mixture, chi-Sim and the default.

    python benchmarks/gpu.py                       all of it
    python benchmarks/gpu.py plsa --documents 1000000 --words 100000 --nonzeros 100000000
    python benchmarks/gpu.py plsa --tune           other ways to compile the passes
    python benchmarks/gpu.py rounding              what rounding does to pruning; needs no GPU

An iteration is one of `coterie.engine`: E-step over all counts, M-step, objective. Its time is
the median of those after the first three, which compile and lay the counts out. Tables are in
single precision, then in half precision. Counts are drawn on the GPU: words by Zipf's law
(or evenly, with --even), documents of Poisson length.
"""

import argparse
import time

import numpy as np
import scipy.sparse as sp

import coterie
from coterie import engine
from coterie.executors.gpu import GpuExecutor
from coterie.executors.threads import ThreadExecutor
from coterie.kernels import blocks
from coterie.kernels import gpu as kernels

TOPICS = 128
WARM_UP, TIMED = 3, 12
WAYS = {
    "float32": ((1, 8, 1, 8), (1, 8, 2, 8)),
    "float16": ((1, 8, 2, 8), (2, 7, 2, 8), (4, 5, 2, 8)),
}
SIZES = (256, 25), (256, 16), (256, 12), (512, 25)  # of segments, and of MiB of ratios


def synthetic(n_documents, n_words, n_nonzeros, even=False, seed=0):
    """Counts with about as many non-zeros, drawn on the GPU."""
    import cupy as cp

    rng = cp.random.default_rng(seed)
    share = np.full(n_words, 1.0) if even else 1 / np.arange(1, n_words + 1)
    share /= share.sum()
    length = n_nonzeros / n_documents
    for _ in range(30):  # as many draws as leave so many different words
        different = (1 - np.exp(-length * share)).sum()
        length *= n_nonzeros / n_documents / different
    n_draws = int(n_documents * length)
    names = cp.asarray(np.random.default_rng(seed).permutation(n_words))
    ends = cp.asarray(np.cumsum(share))
    keys = []
    step = 2**25
    for first in range(0, n_draws, step):
        n = min(step, n_draws - first)
        ranks = cp.minimum(cp.searchsorted(ends, rng.random(n)), n_words - 1)
        keys.append(rng.integers(n_documents, size=n) * n_words + names[ranks])
    keys = cp.concatenate(keys)
    keys.sort()
    places = cp.flatnonzero(cp.concatenate([cp.ones(1, bool), keys[1:] != keys[:-1]]))
    counts = cp.diff(cp.append(places, cp.asarray([len(keys)]))).astype(cp.float32)
    keys = keys[places]
    X = sp.csr_array((n_documents, n_words), dtype=np.float32)
    X.indices = cp.asnumpy((keys % n_words).astype(cp.int32))
    X.data = cp.asnumpy(counts)
    rows = cp.arange(n_documents + 1) * n_words
    X.indptr = cp.asnumpy(cp.searchsorted(keys, rows).astype(cp.int64))
    del keys, counts, places
    cp.get_default_memory_pool().free_all_blocks()
    return X


def start(X, n_topics, seed=0):
    """Mixes and topics to begin from, quicker to draw than those of a fit."""
    rng = np.random.default_rng(seed)
    theta = rng.random((X.shape[0], n_topics), dtype=np.float32) + np.float32(0.01)
    theta /= theta.sum(axis=1, keepdims=True)
    phi = rng.random((X.shape[1], n_topics), dtype=np.float32) + np.float32(0.01)
    return theta, phi / phi.sum(axis=0, dtype=np.float64).astype(np.float32)


def iterations(model, blocks, run, executor, n):
    """Milliseconds of each iteration, and the last run."""
    marks = [time.perf_counter()]
    stopping = engine.Stopping(n, -1.0)
    for run in engine.iterate(model, blocks, run, executor, stopping):  # noqa: B007, B020
        marks.append(time.perf_counter())
    return 1e3 * np.diff(marks), run


def largest_error(ours, theirs):
    """Largest difference over the largest number, and the norm of all over the norm."""
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    difference = np.abs(ours - theirs)
    return difference.max() / np.abs(theirs).max(), np.linalg.norm(difference) / np.linalg.norm(
        theirs
    )


def plsa(chosen):
    X = synthetic(chosen.documents, chosen.words, chosen.nonzeros, chosen.even)
    kind = "even words" if chosen.even else "Zipf"
    print(
        f"\nPLSA, {X.shape[0]:,} x {X.shape[1]:,}, {X.nnz:,} non-zeros, {kind}, {TOPICS} topics"
    )
    theta, phi = start(X, TOPICS)
    model = coterie.PLSA(TOPICS)
    first, X = engine.Run(lambda: theta, (phi,)), engine.shards(X)
    kept = {}
    for half in (False, True):
        if chosen.tune:
            tune(model, X, first, half)
            continue
        executor = GpuExecutor(half=half)
        times, run = iterations(model, X, first, executor, WARM_UP + TIMED)
        name = "half" if half else "single"
        timed = times[WARM_UP:]
        print(
            f"  {name:7} precision: {np.median(timed):6.2f} ms an iteration (from "
            f"{timed.min():.2f} to {timed.max():.2f}; the first {times[0]:.0f}), "
            f"objective {run.history[-1]:.9e}",
            flush=True,
        )
        kept[name] = iterations(model, X, first, executor, chosen.compared)[1]
        again = iterations(model, X, first, executor, chosen.compared)[1]
        same = np.array_equal(kept[name].rows, again.rows) and np.array_equal(
            kept[name].shared[0], again.shared[0]
        )
        print(f"  {name:7} again: the same bits: {same}", flush=True)
        del again, run
    if not chosen.tune and not chosen.alone:
        beside_threads(model, X, first, kept, chosen.compared)


def beside_threads(model, X, first, kept, n):
    times, here = iterations(model, X, first, ThreadExecutor(), n)
    print(f"  threads ({ThreadExecutor().n_threads}): {np.min(times):.0f} ms an iteration")
    for name, there in kept.items():
        errors = [largest_error(there.rows, here.rows)]
        errors.append(largest_error(there.shared[0], here.shared[0]))
        objective = abs(there.history[-1] / here.history[-1] - 1)
        labels = np.mean(there.rows.argmax(axis=1) == here.rows.argmax(axis=1))
        print(
            f"  {name:7} beside threads after {n}: mixes {errors[0][0]:.1e} at most "
            f"({errors[0][1]:.1e} of the norm), words {errors[1][0]:.1e} ({errors[1][1]:.1e}), "
            f"objective {objective:.1e}, heaviest topic the same in {labels:.4%}",
            flush=True,
        )


def tune(model, X, first, half):
    """Milliseconds of ways to compile and to cut, and of the passes one by one."""
    name = "float16" if half else "float32"
    usual = dict(kernels.TUNED[name])
    for segment, mib in SIZES:
        blocks.SEGMENT, blocks.RATIO_BYTES = segment, mib << 20
        executor = GpuExecutor(half=half)
        for way in WAYS[name] if mib > 12 or segment > 256 else [tuple(usual.values())]:
            kernels.TUNED[name].update(zip(usual, way, strict=True))
            kernels._compiled.cache_clear()
            times, _ = iterations(model, X, first, executor, 9)
            print(
                f"  {name}, segments {segment}, ratios of {mib} MiB, {way}: "
                f"{np.median(times[3:]):.2f} ms; {by_pass(model, X, first, executor)}",
                flush=True,
            )
        kernels.TUNED[name].update(usual)
    blocks.SEGMENT, blocks.RATIO_BYTES = SIZES[0][0], SIZES[0][1] << 20


def by_pass(model, X, first, executor):
    """Milliseconds of each kernel in one iteration, measured by events."""
    import cupy as cp

    found = {}
    launch = executor.gpu.device.launch

    def timed(name, *arguments):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        begin.record()
        launch(name, *arguments)
        end.record()
        found.setdefault(name, []).append((begin, end))

    executor.gpu.device.launch = timed
    iterations(model, X, first, executor, 2)
    cp.cuda.Device().synchronize()
    executor.gpu.device.launch = launch
    return ", ".join(
        f"{name} {sum(cp.cuda.get_elapsed_time(*each) for each in pairs) / 2:.2f}"
        for name, pairs in found.items()
    )


def separable(n_documents=3000, n_words=2000, n_clusters=10, seed=0, length=60):
    """Counts of clusters that each have words of their own, and the clusters."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_clusters, size=n_documents)
    own = np.arange(n_words) % n_clusters == np.arange(n_clusters)[:, None]
    p = 0.7 * own / own.sum(axis=1, keepdims=True) + 0.3 / n_words
    rows = [sp.csr_array(rng.multinomial(length, p[k])[None]) for k in labels]
    return sp.csr_array(sp.vstack(rows, format="csr").astype(np.float32)), labels


def family(_):
    X, classes = separable()
    print(f"\nThe family, {X.shape[0]:,} x {X.shape[1]:,}, 10 separable clusters, whole fits")
    models = {
        "PLSA": coterie.PLSA(10, init="kmeans", random_state=0),
        "Ext-PLSA": coterie.ExtPLSA(10, 20, init="kmeans", random_state=0),
        "2PLSA": coterie.TwoPLSA(10, 20, init="kmeans", random_state=0),
        "mixture": coterie.MultinomialMixture(10, init="kmeans", random_state=0),
    }
    from sklearn.base import clone

    for name, model in models.items():
        for _ in range(2):  # the first compiles
            here, there, halves = (clone(model) for _ in range(3))
            t0 = time.perf_counter()
            here.fit(X)
            t1 = time.perf_counter()
            with coterie.run_on("gpu"):
                there.fit(X)
            t2 = time.perf_counter()
        with coterie.run_on("gpu", half=True):
            halves.fit(X)
        n = min(len(here.history_), len(there.history_))
        print(
            f"  {name:9} threads {t1 - t0:.2f} s, GPU {t2 - t1:.2f} s; objective "
            f"{np.abs(there.history_[:n] / here.history_[:n] - 1).max():.1e}, memberships "
            f"{np.abs(there.memberships_ - here.memberships_).max():.1e}, labels the same in "
            f"{np.mean(there.labels_ == here.labels_):.2%}, with half in "
            f"{np.mean(halves.labels_ == here.labels_):.2%}; NMI with the clusters "
            f"{coterie.evaluation.nmi(classes, there.labels_):.3f}",
            flush=True,
        )


def mixture(chosen):
    X = synthetic(chosen.documents // 4, chosen.words, chosen.nonzeros // 4)
    model = coterie.MultinomialMixture(TOPICS)
    rng = np.random.default_rng(0)
    q = rng.random((X.shape[0], TOPICS), dtype=np.float32)
    q /= q.sum(axis=1, keepdims=True)
    _, phi = start(X, TOPICS)
    shared = np.full(TOPICS, -np.log(TOPICS)), np.log(phi)
    size = f"{X.shape[0]:,} x {X.shape[1]:,}, {X.nnz:,} non-zeros"
    first, X = engine.Run(lambda: q, shared), engine.shards(X)
    executor = GpuExecutor()
    times, _ = iterations(model, X, first, executor, WARM_UP + TIMED)
    there = iterations(model, X, first, executor, 2)[1]
    theirs, here = iterations(model, X, first, ThreadExecutor(), 2)
    print(
        f"\nMixture, {size}, {TOPICS} clusters: "
        f"{np.median(times[WARM_UP:]):.2f} ms an iteration, threads {theirs.min():.0f}; words "
        f"{largest_error(np.exp(there.shared[1]), np.exp(here.shared[1]))[1]:.1e} of the norm, "
        f"objective {abs(there.history[-1] / here.history[-1] - 1):.1e}",
        flush=True,
    )


def chi_sim(_):
    for n_documents, n_words in ((4000, 2000), (16_800, 10_000)):
        X, _ = separable(n_documents, n_words, 20, length=120)
        X = X[:, np.unique(X.indices)]
        for p in (0.0, 0.6):
            model = coterie.ChiSim(20, exponent=0.8, pruning=p)
            with coterie.run_on("gpu"):
                model._measure(X[:500][:, np.unique(X[:500].indices)])
                t0 = time.perf_counter()
                there = model._measure(X)
                t1 = time.perf_counter()
            here = model._measure(X)
            t2 = time.perf_counter()
            difference = np.abs(there.rows - here.rows)
            print(
                f"\nchi-Sim, {X.shape[0]:,} x {X.shape[1]:,}, {X.nnz:,} non-zeros, k = 0.8, "
                f"p = {p}, 4 iterations: GPU {t1 - t0:.2f} s, threads {t2 - t1:.2f} s "
                f"({(t2 - t1) / (t1 - t0):.0f} times); similarities differ by "
                f"{difference.max():.1e} at most, {np.mean(difference > 1e-5):.1e} of them by "
                "more than 1e-5",
                flush=True,
            )


def rounding(_):
    """What rounding alone does to pruned similarities: threads beside threads, no GPU."""
    X, _ = separable(4000, 2000, 20, length=120)
    Y = sp.csr_array(X[:, np.random.default_rng(0).permutation(X.shape[1])])
    Y.sort_indices()
    for p in (0.0, 0.6):
        one, other = (coterie.ChiSim(20, exponent=0.8, pruning=p)._measure(Z) for Z in (X, Y))
        difference = np.abs(one.rows - other.rows)
        print(
            f"\nchi-Sim on threads, words in another order, p = {p}: similarities differ by "
            f"{difference.max():.1e} at most, {np.mean(difference > 1e-5):.1e} of them by more "
            "than 1e-5",
            flush=True,
        )


def automatic(_):
    X, classes = separable(30_000, 8000, 20)
    answers = {}
    for place in ("gpu", "threads"):
        with coterie.run_on(place):
            started = time.perf_counter()
            answers[place] = coterie.AutoClustering(20, random_state=0).fit(X).labels_
            took = time.perf_counter() - started
        print(
            f"\nThe default, {X.shape[0]:,} x {X.shape[1]:,}, 20 clusters, on {place}: "
            f"{took:.1f} s, NMI {coterie.evaluation.nmi(classes, answers[place]):.3f}",
            flush=True,
        )
    print(f"labels the same in {np.mean(answers['gpu'] == answers['threads']):.2%}")


PARTS = {
    "plsa": plsa,
    "family": family,
    "mixture": mixture,
    "chi-sim": chi_sim,
    "rounding": rounding,
    "default": automatic,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--nonzeros", type=int, default=100_000_000)
    parser.add_argument("--even", action="store_true", help="words as frequent as each other")
    parser.add_argument("--compared", type=int, default=3, help="iterations beside threads")
    parser.add_argument("--alone", action="store_true", help="not beside threads")
    parser.add_argument("--tune", action="store_true")
    chosen = parser.parse_args()
    for name in chosen.parts or PARTS:
        PARTS[name](chosen)


if __name__ == "__main__":
    main()
