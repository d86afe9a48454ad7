"""What an iteration of Ext-PLSA and 2PLSA costs beside PLSA, and beside their naive forms.

    python benchmarks/family.py [--clusters 20] [--topics 50]

The naive forms go through all pairs of a document cluster and a word topic for every non-zero,
as eqs. 10 to 13 of Pessiot et al. and eqs. 2 and 3 of Wang are written, in compiled loops.
On 20 Newsgroups where COTERIE_DATA has it, else on a synthetic matrix; all in one run.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
from numba import njit
from plsa import newsgroups, synthetic

from coterie import PLSA, ExtPLSA, TwoPLSA, run_on


@njit(nogil=True)
def naive_ext(indptr, indices, data, theta, p_beta, pairs, new_theta, new_beta, new_pairs):
    n_clusters, n_topics = theta.shape[1], len(p_beta)
    joint = np.empty((n_clusters, n_topics), np.float32)
    for d in range(len(indptr) - 1):
        for j in range(indptr[d], indptr[d + 1]):
            w = indices[j]
            total = np.float32(0)
            for a in range(n_clusters):
                for b in range(n_topics):
                    joint[a, b] = theta[d, a] * p_beta[b] * pairs[w, a, b]
                    total += joint[a, b]
            for a in range(n_clusters):
                for b in range(n_topics):
                    n = data[j] * joint[a, b] / total
                    new_theta[d, a] += n
                    new_beta[b] += n
                    new_pairs[w, a, b] += n


@njit(nogil=True)
def naive_two(indptr, indices, data, S, T, W, new_S, new_T, new_W):
    n_clusters, n_topics = T.shape
    joint = np.empty((n_clusters, n_topics), np.float32)
    for d in range(len(indptr) - 1):
        for j in range(indptr[d], indptr[d + 1]):
            w = indices[j]
            total = np.float32(0)
            for s in range(n_clusters):
                for z in range(n_topics):
                    joint[s, z] = W[w, z] * T[s, z] * S[d, s]
                    total += joint[s, z]
            for s in range(n_clusters):
                for z in range(n_topics):
                    n = data[j] * joint[s, z] / total
                    new_S[d, s] += n
                    new_T[s, z] += n
                    new_W[w, z] += n


def per_iteration(make, X, short=3, long=13, repeats=3):
    """Milliseconds of an iteration: a long fit less a short one."""
    make(2).fit(X)
    best = np.inf
    for _ in range(repeats):
        marks = [time.perf_counter()]
        for n_iter in (short, long):
            make(n_iter).fit(X)
            marks.append(time.perf_counter())
        first, second = np.diff(marks)
        best = min(best, (second - first) / (long - short))
    return best * 1e3


def once(step):
    started = time.perf_counter()
    step()
    return (time.perf_counter() - started) * 1e3


def naive_times(X, K, L):
    rng = np.random.default_rng(0)
    n, m = X.shape
    parts = X.indptr, X.indices, X.data
    theta = rng.dirichlet(np.ones(K), n).astype(np.float32)
    p_beta = rng.dirichlet(np.ones(L)).astype(np.float32)
    pairs = rng.random((m, K, L), dtype=np.float32)
    T = rng.dirichlet(np.ones(L), K).astype(np.float32)
    W = rng.random((m, L), dtype=np.float32)

    def zeros(*arrays):
        return [np.zeros_like(array) for array in arrays]

    ext, two = (theta, p_beta, pairs), (theta, T, W)
    few = X[:5]
    naive_ext(few.indptr, few.indices, few.data, *ext, *zeros(*ext))
    naive_two(few.indptr, few.indices, few.data, *two, *zeros(*two))
    return (
        once(lambda: naive_ext(*parts, *ext, *zeros(*ext))),
        once(lambda: naive_two(*parts, *two, *zeros(*two))),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clusters", type=int, default=20)
    parser.add_argument("--topics", type=int, default=50)
    chosen = parser.parse_args()
    K, L = chosen.clusters, chosen.topics
    warnings.simplefilter("ignore")
    has_news = (Path(os.environ.get("COTERIE_DATA", "")) / "20news-19997.tar.xz").is_file()
    X = newsgroups() if has_news else synthetic()
    fixed = {"tol": 0, "random_state": 0}
    print(
        f"{X.shape[0]:,} x {X.shape[1]:,}, {X.nnz:,} non-zeros, K = {K}, L = {L}; ms/iteration"
    )
    models = {
        "PLSA": lambda n: PLSA(K, max_iter=n, **fixed),
        "Ext-PLSA": lambda n: ExtPLSA(K, L, max_iter=n, **fixed),
        "2PLSA": lambda n: TwoPLSA(K, L, max_iter=n, **fixed),
    }
    naive = dict(zip(("Ext-PLSA", "2PLSA"), naive_times(X, K, L), strict=True))
    alone = {}
    with run_on("threads", n_threads=1):
        for name in naive:
            alone[name] = per_iteration(models[name], X, repeats=1)
    times = {name: per_iteration(make, X) for name, make in models.items()}
    for name, ms in times.items():
        line = f"{name:10}{ms:8.1f}   {ms / times['PLSA']:.2f} times PLSA"
        if name in naive:
            ratio = naive[name] / alone[name]
            line += f"; naive {naive[name]:,.0f}, one thread each {ratio:.0f} times slower"
        print(line)


if __name__ == "__main__":
    main()
