"""One thread and two, by turns: how much faster two cores are, with small and large tables.

    python benchmarks/threads.py [--rounds 7] [--shares]

PLSA and the mixture on synthetic counts whose table of words by clusters is several times the
cache of a core, and whole fits of chi-Sim with their trees. Iterations with one thread and with
two alternate, and the ratio of the quickest is printed: run it on an idle machine. Bits are
compared. The first three rows are loops that share nothing: what they gain is what the machine
gives, and where its two cores are two hardware threads of one, arithmetic in the cache gains
little from the second, so read the ratio of a model beside those of the work it is made of.

"In one thread" is the share of the time that is spent outside what threads do side by side, by
the processor's clock of runs with one thread, and "two cores by that" the ratio that two whole
cores could then give at most (Amdahl's law). Other programs matter little to these; `--shares`
prints them alone.
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
from coterie.executors.threads import ThreadExecutor

ITERATIONS = 20  # that a round times together
N_SHARES = 4  # runs, of which the least times say what is in one thread


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


class Watched(ThreadExecutor):
    """One thread, and the seconds of each piece of work that others could have done."""

    def __init__(self):
        super().__init__(1)
        self.calls, self._is_inside = [], False

    def _timed(self, function, pieces):
        if self._is_inside or len(pieces) == 1:
            return function
        seconds = []
        self.calls.append(seconds)

        def timed(*given):
            self._is_inside, began = True, time.thread_time()
            try:
                return function(*given)
            finally:
                self._is_inside = False
                seconds.append(time.thread_time() - began)

        return timed

    def map(self, function, items, alone=None):
        return super().map(self._timed(function, items), items, alone)

    def share(self, function, items):
        return super().share(self._timed(function, items), items)

    def sweep(self, step, sent, shared):
        return super().sweep(self._timed(step, sent), sent, shared)


def shares(once):
    """What is spent in one thread, of all, and the ratio with two whole cores by that.

    Of each piece of work, and of what is between, the least of some runs is taken.
    """
    found = []
    for _ in range(N_SHARES):
        executor, began = Watched(), time.thread_time()
        once(executor)
        found.append(
            (time.thread_time() - began - sum(map(sum, executor.calls)), executor.calls)
        )
    alone = min(between for between, _ in found)
    calls = [np.min(same, axis=0) for same in zip(*(calls for _, calls in found), strict=True)]
    share = alone / (alone + sum(map(sum, calls)))
    return share, 1 / (share + (1 - share) / 2)


def on_threads(place):
    """A block on so many threads, or on an executor."""
    if isinstance(place, int):
        return coterie.run_on("threads", n_threads=place)
    return coterie.run_on(place)


def sweep_of(model, X):
    """A function that makes some iterations on so many threads, and gives their parameters."""
    rows, shared = model._start(X, np.random.default_rng(0))

    def once(place):
        with on_threads(place) as executor:
            start, stopping = (
                engine.Run(lambda: rows, shared),
                engine.Stopping(ITERATIONS, -np.inf),
            )
            for run in engine.iterate(model, engine.shards(X), start, executor, stopping):
                last = run  # what was before is let go of, as in a fit
        return last.shared[-1]

    return once


def similarity_of(X):
    def once(place):
        with on_threads(place):
            return coterie.ChiSim(5, max_iter=1).fit(X).labels_

    return once


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--shares", action="store_true", help="only what is in one thread")
    chosen = parser.parse_args()
    large = counts(40_000, 60_000, 100)
    small = counts(4000, 4000, 100)
    cases = {
        f"{name}, K = {k}": (make(k), n_tables * 4 * large.shape[1] * -(-k // 8) * 8)
        for name, make, n_tables in (
            ("PLSA", lambda k: coterie.PLSA(k, 1.1), 2),
            ("mixture", lambda k: coterie.MultinomialMixture(k), 1),
        )
        for k in (20, 100)
    }
    tables = {name: table for name, (_, table) in cases.items()}
    models = {name: sweep_of(model, large) for name, (model, _) in cases.items()}
    models["chi-Sim"] = similarity_of(small)
    if chosen.shares:
        print("| | in one thread | two cores by that |\n|---|--:|--:|")
        for name, once in models.items():
            print(f"| {name} | {both_shares(once)} |", flush=True)
        return
    print("| | table of words, MB | one thread, ms | two threads, ms | ratio | same bits |"
          " in one thread | two cores by that |")  # fmt: skip
    print("|---|--:|--:|--:|--:|---|--:|--:|")
    for name, once in controls().items():
        table = 4 * 60_000 * 104 if "table" in name else 0
        print(f"| {name} | {row(table, once, chosen.rounds)} | | |", flush=True)
    for name, once in models.items():
        n_rounds = chosen.rounds if name in cases else max(chosen.rounds // 2, 1)
        n_iterations = ITERATIONS if name in cases else 1
        cells = row(tables.get(name, 0), once, n_rounds, n_iterations)
        print(f"| {name} | {cells} | {both_shares(once)} |", flush=True)


def both_shares(once):
    once(1)  # compiled
    return "{:.1%} | {:.2f}".format(*shares(once))


def row(table, once, n_rounds, n_iterations=1):
    """Cells of times by turns."""
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
    return f"{size} | {one:.0f} | {two:.0f} | {one / two:.2f} | {same}"


if __name__ == "__main__":
    main()
