"""One thread and two, by turns: how much faster two cores are, with small and large tables.

    python benchmarks/threads.py [--rounds 7]

PLSA and the mixture on synthetic counts whose table of words by clusters is several times the
cache of a core, and whole fits of chi-Sim with their trees. Iterations with one thread and with
two alternate, and the ratio of the quickest is printed: run it on an idle machine. Bits are
compared. The first three rows are loops that share nothing: what they gain is what the machine
gives, and where its two cores are two hardware threads of one, arithmetic in the cache gains
little from the second, so read the ratio of a model beside those of the work it is made of.
"""

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np
import scipy.sparse as sp
from numba import njit

import coterie
from coterie import engine

ITERATIONS = 5  # that a round times together


@njit(nogil=True, fastmath=True)
def arithmetic(numbers, n):
    x = numbers.copy()
    for _ in range(n):
        for i in range(len(x)):
            x[i] = x[i] * np.float32(0.999) + numbers[i]
    return x[0]


@njit(nogil=True)
def chain(numbers, n):
    x = numbers[0]
    for _ in range(n):
        x = x * np.float32(0.999) + numbers[1]
    return x


@njit(nogil=True, fastmath=True)
def gathers(table, rows):
    total = np.zeros(table.shape[1], np.float32)
    for row in rows:
        for i in range(len(total)):
            total[i] += table[row, i]
    return total[0]


def controls():
    """Functions that do some work twice, on so many threads, by its name."""
    rng, pool = np.random.default_rng(0), ThreadPoolExecutor(2)
    few, table = rng.random(2000, np.float32), rng.random((60_000, 104), np.float32)
    rows = rng.integers(len(table), size=200_000)

    def twice(*work):
        call = lambda _: work[0](*work[1:])  # noqa: E731
        return lambda n_threads: list((map if n_threads == 1 else pool.map)(call, range(2)))

    return {
        "arithmetic in the cache": twice(arithmetic, few, 100_000),
        "a chain of dependent operations": twice(chain, few, 10_000_000),
        "gathers of rows of a table": twice(gathers, table, rows),
    }


def counts(n_documents, n_words, n_per_document, seed=0):
    """Counts whose words have the frequencies of Zipf's law."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, n_words + 1)
    words = rng.choice(n_words, size=n_documents * n_per_document, p=share / share.sum())
    rows = np.repeat(np.arange(n_documents), n_per_document)
    X = sp.csr_array((np.ones(len(words), np.float32), (rows, words)),
                     shape=(n_documents, n_words))  # fmt: skip
    X.sum_duplicates()
    return X


def sweep_of(model, X):
    """A function that makes a few iterations on so many threads, and gives their parameters."""
    rows, shared = model._start(X, np.random.default_rng(0))

    def once(n_threads):
        with coterie.run_on("threads", n_threads=n_threads) as executor:
            run = engine.Run(lambda: rows, shared)
            blocks, stopping = engine.shards(X), engine.Stopping(ITERATIONS, -np.inf)
            *_, last = engine.iterate(model, blocks, run, executor, stopping)
        return last.shared[-1]

    return once


def similarity_of(X):
    def once(n_threads):
        with coterie.run_on("threads", n_threads=n_threads):
            return coterie.ChiSim(5, max_iter=1).fit(X).labels_

    return once


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args()
    large = counts(40_000, 60_000, 100)
    small = counts(4000, 4000, 100)
    cases = {
        f"{name}, K = {k}": (make(k), large, k)
        for name, make in (
            ("PLSA", lambda k: coterie.PLSA(k, 1.1)),
            ("mixture", lambda k: coterie.MultinomialMixture(k)),
        )
        for k in (20, 100)
    }
    print("| | table of words, MB | one thread, ms | two threads, ms | ratio | same bits |")
    print("|---|--:|--:|--:|--:|---|")
    for name, once in controls().items():
        report(name, 4 * 60_000 * 104 if "table" in name else 0, once, chosen.rounds)
    for name, (model, X, k) in cases.items():
        table = 4 * X.shape[1] * -(-k // 8) * 8 * (2 if "PLSA" in name else 1)
        report(name, table, sweep_of(model, X), chosen.rounds, ITERATIONS)
    report("chi-Sim", 0, similarity_of(small), max(chosen.rounds // 2, 1))


def report(name, table, once, n_rounds, n_iterations=1):
    first, second = once(1), once(2)  # compiled, and compared
    seconds = {1: [], 2: []}
    for _ in range(n_rounds):
        for n_threads in (1, 2):
            began = time.perf_counter()
            once(n_threads)
            seconds[n_threads].append(time.perf_counter() - began)
    one, two = (1e3 * min(seconds[n]) / n_iterations for n in (1, 2))
    same = "yes" if np.array_equal(first, second) else "NO"
    size = f"{table / 1e6:.0f}" if table else ""
    print(f"| {name} | {size} | {one:.0f} | {two:.0f} | {one / two:.2f} | {same} |", flush=True)


if __name__ == "__main__":
    main()
