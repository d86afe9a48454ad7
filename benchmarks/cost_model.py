"""What an iteration of PLSA costs, as a formula: fitted to runs, checked on others.

    python benchmarks/cost_model.py            # runs, fit, check, and what it says of more
    python benchmarks/cost_model.py --dask     # the same with two worker processes

An iteration takes t = a · M·K + b · M·K·f + c · M + d · S·W·K seconds of one core: M non-zeros,
K topics (padded to a multiple of eight), W words, S shards, each with a table of its own. f is
the share of non-zeros whose word is not in the cache of a core when its most frequent words are
there (by Zipf's law, of W words the r most frequent have ln r / ln W of all occurrences).
Coefficients are fitted to CPU seconds by least squares of relative errors. Two runs, larger
than any of these, are not used in the fit and check it.
"""

import argparse
import os
import time

os.environ.setdefault("COTERIE_THREADS", "1")

import numpy as np
from threads import counts

import coterie
from coterie import engine
from coterie.memory import Size

FITTED = [  # documents, words, words a document, topics
    (5000, 5000, 60, 16), (5000, 5000, 60, 64), (20_000, 5000, 60, 32),
    (10_000, 20_000, 60, 16), (10_000, 20_000, 60, 64), (20_000, 40_000, 100, 32),
    (20_000, 10_000, 100, 104), (20_000, 40_000, 60, 104), (40_000, 20_000, 60, 8),
]  # fmt: skip
CHECKED = [(60_000, 30_000, 100, 48), (40_000, 60_000, 80, 104)]
N_ITERATIONS = 4
CACHE = 1 << 20  # bytes of the second level, of one core


def terms(n_documents, n_words, X, k):
    padded = -(-k // 8) * 8
    n_shards = Size(n_documents, n_words, X.nnz).n_shards
    work = X.nnz * padded
    tables = n_shards * n_words * padded
    return np.array([work, work * misses(n_words, padded), X.nnz, tables])


def misses(n_words, padded):
    """Share of non-zeros whose row of the table, with its gain, is not in the cache."""
    n_cached = CACHE / (8 * padded)
    return max(0.0, 1 - np.log1p(n_cached) / np.log1p(n_words))


def seconds(X, k, executor):
    """CPU seconds of an iteration here, or seconds on the clock on a cluster."""
    model = coterie.PLSA(k, 1.1)
    rows, shared = model._start(X, np.random.default_rng(0))
    clock = time.process_time if executor is None else time.perf_counter
    with coterie.run_on(executor or "threads"):
        from coterie import executors

        run, stopping = engine.Run(lambda: rows, shared), engine.Stopping(N_ITERATIONS + 1, 0.0)
        steps = engine.iterate(model, engine.shards(X), run, executors.current(), stopping)
        next(steps)  # what is compiled and sent
        times = []
        for _ in range(N_ITERATIONS):
            began = clock()
            next(steps)
            times.append(clock() - began)
    return min(times)


def measured(case, executor):
    n_documents, n_words, length, k = case
    X = counts(n_documents, n_words, length)
    return terms(n_documents, n_words, X, k), seconds(X, k, executor), X.nnz


def report(executor):
    runs = [measured(case, executor) for case in FITTED]
    table, times = np.array([run[0] for run in runs]), np.array([run[1] for run in runs])
    from scipy.optimize import nnls

    coefficients, _ = nnls(table / times[:, None], np.ones(len(times)))
    a, b, c, d = coefficients * 1e9
    print(f"t = {a:.3f} ns · M·K + {b:.3f} ns · M·K·f + {c:.2f} ns · M + {d:.2f} ns · S·W·K")
    print()
    print("| documents | words | non-zeros | K | measured, ms | model, ms | model / measured |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    for case in (*FITTED, *CHECKED):
        features, found, nnz = (
            runs[FITTED.index(case)] if case in FITTED else measured(case, executor)
        )
        said = features @ coefficients
        mark = "" if case in FITTED else " (not fitted to)"
        print(f"| {case[0]:,} | {case[1]:,} | {nnz:,} | {case[3]} | {found * 1e3:.0f} | "
              f"{said * 1e3:.0f} | {said / found:.2f}{mark} |", flush=True)  # fmt: skip
    return coefficients


def simulated(coefficients, n_documents, length, n_words, k, n_machines, cores, gbit):
    """Seconds of an iteration on machines, and what is on each, by the formula."""
    a, b, c, d = coefficients
    padded = -(-k // 8) * 8
    n_nonzero, table = n_documents * length, 4 * n_words * padded
    shards = max(n_machines * cores, 1)
    per_nonzero = (a + b * misses(n_words, padded)) * padded + c
    compute = (n_nonzero * per_nonzero + d * shards * n_words * padded) / (n_machines * cores)
    levels = np.ceil(np.log(max(n_machines, 2)) / np.log(8))
    network = (8 * levels + np.ceil(np.log2(max(n_machines, 2)))) * table / (gbit * 1e9 / 8)
    held = (8 * n_nonzero + 3 * 4 * n_documents * padded) / n_machines + 3 * cores * table
    return compute, network, held


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dask", action="store_true")
    chosen = parser.parse_args()
    if chosen.dask:
        with coterie.run_on("dask", n_workers=2) as executor:
            report(executor)
        return
    coefficients = report(None)
    print("\nA billion documents of 60 distinct words, 500,000 words, K = 128, 10 Gbit/s:\n")
    print("| machines of 32 cores | compute, s | network, s | an iteration | 60 iterations | "
          "memory each, GB |")  # fmt: skip
    print("|--:|--:|--:|--:|--:|--:|")
    for n_machines in (4, 8, 16, 32, 64, 128):
        compute, network, held = simulated(
            coefficients, 1e9, 60, 500_000, 128, n_machines, 32, 10
        )
        total = compute + network
        print(f"| {n_machines} | {compute:.0f} | {network:.1f} | {total:.0f} s | "
              f"{total * 60 / 3600:.1f} h | {held / 1e9:.0f} |")  # fmt: skip


if __name__ == "__main__":
    main()
