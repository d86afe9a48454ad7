"""chi-Sim beside its equations as dense products, its growth, and what `n_neighbors` loses.

    python benchmarks/cosimilarity.py [--most 16000] [--words 2000]
    python benchmarks/cosimilarity.py --large
    python benchmarks/cosimilarity.py --quality [--draws 3]

The plain form is eqs. 8 and 9 of Grimal and Bisson (2011) as NumPy writes them: dense float64
matrices, the products by BLAS, on one thread and on two. It and Coterie compute four iterations
with k = 0.8 and p = 0; with p = 0.6, pruning by `np.partition` is added to both. Times are of
the similarities alone, without the tree; the best of three for NG3, one run for growth. On 20
Newsgroups where COTERIE_DATA has it, else on a synthetic matrix; all in one run.

With `--large`: 16,800 documents by 10,000 words, similarities and tree, with their memory.

With `--quality`: micro-averaged precision on the samples of Grimal and Bisson (2011), which
need COTERIE_DATA: of `n_neighbors=N`, and of settings chosen by `"auto"` beside the best and
beside fixed ones.
"""

import argparse
import os
import resource
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from plsa import synthetic
from threadpoolctl import threadpool_limits

from coterie import ChiSim, run_on
from coterie.evaluation import micro_precision
from coterie.similarity import settings, trees

NG3 = 1600
GROWTH = (1000, 2000, 4000, 8000, 16000)
NEIGHBORS = (20, 50, 100, 200, 400, 800)
LARGE = 16_800, 10_000


def counts(n_words):
    """Documents in random order by their most frequent words; none of them empty."""
    has_news = (Path(os.environ.get("COTERIE_DATA", "")) / "20news-19997.tar.xz").is_file()
    if has_news:
        from coterie_papers.collections import load_newsgroups

        X = sp.csr_array(load_newsgroups("twenty").counts)
    else:
        X = synthetic()
    frequent = np.sort(np.argsort(-X.sum(axis=0), kind="stable")[:n_words])
    X = X[np.random.default_rng(0).permutation(X.shape[0])][:, frequent]
    X = X[np.diff(X.indptr) > 0]
    return X, "20 Newsgroups" if has_news else "synthetic"


def plain(M, k, p, t=4):
    """Section 3.3 as it is written."""
    Mk = M**k
    SR, SC = np.eye(M.shape[0]), np.eye(M.shape[1])
    for _ in range(t):
        new_SR, new_SC = Mk @ SC @ Mk.T, Mk.T @ SR @ Mk
        SR, SC = (finished(S, k, p) for S in (new_SR, new_SC))
    return SR


def finished(S, k, p):
    root = np.sqrt(np.diag(S))
    S = (S / np.outer(root, root)) ** (1 / k)
    if p:
        threshold = np.partition(S.ravel(), int(p * S.size))[int(p * S.size)]
        S = np.where(threshold > S, 0, S)
    return S


def ours(X, k, p, n_neighbors=None):
    return ChiSim(10, exponent=k, pruning=p, n_neighbors=n_neighbors)._measure(X)


def seconds(work, repeats=3):
    best = np.inf
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def beside_the_plain_form(X):
    X = X[:NG3]
    X = X[:, np.unique(X.indices)]
    dense = X.toarray().astype(np.float64)
    print(f"\n{X.shape[0]:,} x {X.shape[1]:,}, {X.nnz:,} non-zeros, k = 0.8, t = 4; seconds\n")
    print("| p | plain, 1 thread | plain, 2 | Coterie, 1 thread | Coterie, 2 | ratio, 1 | 2 |")
    print("|---|---|---|---|---|---|---|")
    ours(X, 0.8, 0.6)
    for p in (0.0, 0.6):
        times = []
        for n_threads in (1, 2):
            with threadpool_limits(n_threads):
                times.append(seconds(lambda p=p: plain(dense, 0.8, p)))
        for n_threads in (1, 2):
            with run_on("threads", n_threads=n_threads):
                times.append(seconds(lambda p=p: ours(X, 0.8, p)))
        ratios = times[0] / times[2], times[1] / times[3]
        cells = [f"{each:.2f}" for each in times] + [f"{each:.1f}" for each in ratios]
        print(f"| {p} | {' | '.join(cells)} |", flush=True)
    difference = np.abs(ours(X, 0.8, 0.0).rows - plain(dense, 0.8, 0.0)).max()
    print(f"\nLargest difference of two similarities: {difference:.1e}")


def growth(X, most):
    print(f"\nGrowth, {X.shape[1]:,} words, k = 0.8, p = 0.6, t = 4, two threads\n")
    print("| documents | non-zeros | similarities, s | tree, s | estimated, GiB |")
    print("|---|---|---|---|---|")
    sizes = [n for n in GROWTH if n <= min(most, X.shape[0])]
    times = []
    for n in sizes:
        part = X[:n]
        part = part[:, np.unique(part.indices)]
        started = time.perf_counter()
        S = ours(part, 0.8, 0.6).rows
        middle = time.perf_counter()
        trees.ward(S)
        times.append((middle - started, time.perf_counter() - middle))
        estimated = ChiSim().needed_bytes(*part.shape) / 2**30
        cells = f"{part.nnz:,} | {times[-1][0]:.2f} | {times[-1][1]:.2f} | {estimated:.2f}"
        print(f"| {n:,} | {cells} |", flush=True)
        del S
    for name, each in zip(("similarities", "tree"), zip(*times, strict=True), strict=True):
        exponent = np.polyfit(np.log(sizes), np.log(each), 1)[0]
        print(f"\nTime of the {name} grows as the documents to the power of {exponent:.2f}")


def loss_by_neighbors(X):
    X = X[:NG3]
    X = X[:, np.unique(X.indices)]
    print(f"\nn_neighbors=N, {X.shape[0]:,} x {X.shape[1]:,}, k = 0.8, t = 4\n")
    print("| N | p | error of those kept | largest lost | pairs kept | seconds |")
    print("|---|---|---|---|---|---|")
    for p in (0.0, 0.6):
        exact = ours(X, 0.8, p).rows
        for n_neighbors in NEIGHBORS:
            started = time.perf_counter()
            S = ours(X, 0.8, p, n_neighbors).rows
            took = time.perf_counter() - started
            print(
                f"| {n_neighbors} | {p} | {lost(exact, S.tocoo())} | {took:.2f} |", flush=True
            )


def lost(exact, S):
    """Relative error of kept similarities, the largest not kept, and the share kept."""
    rows, columns = S.coords
    off = rows != columns
    theirs = exact[rows[off], columns[off]]
    error = np.abs(S.data[off] - theirs).sum() / theirs.sum()
    rest = exact.copy()
    rest[rows, columns] = 0
    return f"{error:.1%} | {rest.max():.3f} | {off.sum() / (exact.size - len(exact)):.1%}"


def large():
    X, name = counts(LARGE[1])
    X = X[: LARGE[0]]
    estimated, before = ChiSim().needed_bytes(*X.shape) / 2**30, peak()
    started = time.perf_counter()
    with run_on("threads", n_threads=2):
        ChiSim(20, pruning=0.6).fit(X)
    print(
        f"{name}, {X.shape[0]:,} x {X.shape[1]:,}: {time.perf_counter() - started:.0f} s, peak "
        f"{peak():.2f} GiB ({before:.2f} before), {estimated:.2f} estimated"
    )


def peak():
    """Most memory the process has held, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def samples(selector, names, draws):
    """Counts of the chosen words and classes, documents with such words only."""
    from coterie_papers.collections.samples import load_sample

    for name in names:
        for draw in range(draws):
            corpus = load_sample(name, draw)
            classes = np.unique(np.array(corpus.labels, str), return_inverse=True)[1]
            chosen = selector.fit(corpus.counts, classes).get_support()
            X = sp.csr_array(corpus.counts)[:, chosen]
            yield X, classes, np.flatnonzero(np.diff(X.indptr))


def quality(draws):
    from coterie import MedoidWords, SupervisedMutualInformation

    names = ("M2", "M5", "M10", "NG1", "NG2")
    selectors = {
        "k-medoids": MedoidWords(2000, random_state=0),
        "mutual information": SupervisedMutualInformation(2000),
    }
    print(f"Micro-averaged precision over {draws} draws of {', '.join(names)}\n")
    drawn = {name: list(samples(each, names, draws)) for name, each in selectors.items()}
    print("| | all kept |" + "|".join(f" N = {n} " for n in NEIGHBORS[:4]) + "|")
    print("|---|" + "---|" * 5)
    for p in (0.0, 0.6):
        means = [precision_of(drawn["k-medoids"], p, n) for n in (None, *NEIGHBORS[:4])]
        print(f"| p = {p} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |", flush=True)
    print("\n| words by | best | auto | k = 0.8, p = 0.6 | k = 1, p = 0.6 | k = 0.8, p = 0 |")
    print("|---|---|---|---|---|---|")
    for name, each in drawn.items():
        means = np.mean(
            [chosen_and_fixed(X[filled], y[filled]) for X, y, filled in each], axis=0
        )
        print(f"| {name} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |", flush=True)


def precision_of(drawn, p, n_neighbors):
    precisions = []
    for X, y, _ in drawn:
        model = ChiSim(len(set(y)), pruning=p, n_neighbors=n_neighbors)
        precisions.append(micro_precision(y, model.fit(X).labels_))
    return np.mean(precisions)


def chosen_and_fixed(X, y):
    tried = settings.settings_to_try("auto", "auto")
    partitions = [ChiSim(len(set(y)), exponent=k, pruning=p).fit(X).labels_ for k, p in tried]
    precisions = [micro_precision(y, labels) for labels in partitions]
    chosen = int(settings.score_settings(tried, partitions).argmax())
    fixed = [precisions[tried.index(each)] for each in ((0.8, 0.6), (1.0, 0.6), (0.8, 0.0))]
    return max(precisions), precisions[chosen], *fixed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=16000)
    parser.add_argument("--words", type=int, default=2000)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--quality", action="store_true")
    parser.add_argument("--draws", type=int, default=3)
    chosen = parser.parse_args()
    if chosen.quality:
        quality(chosen.draws)
        return
    if chosen.large:
        large()
        return
    X, name = counts(chosen.words)
    print(f"{name}: {X.shape[0]:,} documents, {X.shape[1]:,} words")
    beside_the_plain_form(X)
    loss_by_neighbors(X)
    with run_on("threads", n_threads=2):
        growth(X, chosen.most)


if __name__ == "__main__":
    main()
