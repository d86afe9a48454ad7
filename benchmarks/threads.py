"""One thread, two threads and two processes: what a second core gives, and what threads lose.

    python benchmarks/threads.py [--rounds 7] [--shares]

PLSA and the mixture on synthetic counts whose table of words by clusters is several times the
cache of a core, and whole fits of chi-Sim with their trees. One thread, two threads, and two
processes that each do the same on one thread at the same time take turns. The quickest of all
rounds count, so run it on an idle machine. Bits are compared.

"Two processes" is twice the time of one alone by the time of both together. They share nothing
but the machine, so it is what its two cores give for this work, and about the most that
threads can gain. "Threads lose" is how much of it they do not reach. The first three rows are
loops that share nothing either: where two cores are two hardware threads of one, arithmetic in
the cache gains little from the second.

"In one thread" is the share of the time that is spent outside what threads do side by side, by
the processor's clock of runs with one thread, and "two cores by that" the ratio that two whole
cores could then give at most (Amdahl's law). Other programs matter little to these; `--shares`
prints them alone.
"""

import argparse
import multiprocessing
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import BrokenBarrierError

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
N_CLUSTERS = 20, 100
LARGE = 40_000, 60_000, 100  # documents, words, and words of a document
PATIENCE = 600  # seconds that a process may take to begin or to end


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


CONTROLS = {
    "arithmetic in the cache": (arithmetic, 0),
    "a chain of dependent operations": (chain, 0),
    "gathers of rows of a table": (gathers, 4 * 60_000 * 104),
}


def control(work):
    """A function that does some work twice, on so many threads."""
    rng, pool = np.random.default_rng(0), ThreadPoolExecutor(2)
    few = rng.random(2000, np.float32)
    given = {arithmetic: (few, 100_000), chain: (few, 10_000_000)}.get(work)
    if work is gathers:
        table = rng.random((60_000, 104), np.float32)
        given = table, rng.integers(len(table), size=200_000)
    call = lambda _: work(*given)  # noqa: E731
    return lambda n_threads: list((map if n_threads == 1 else pool.map)(call, range(2)))


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
    one, two = (alone + sum(dealt(call, n) for call in calls) for n in (1, 2))
    return alone / one, one / two


def dealt(pieces, n_cores):
    """When the last piece ends, if each goes to the core that is free first."""
    ends = [0.0] * n_cores
    for piece in pieces:
        ends[ends.index(min(ends))] += piece
    return max(ends)


def on_threads(place):
    """A block on so many threads, or on an executor."""
    if isinstance(place, int):
        return coterie.run_on("threads", n_threads=place)
    return coterie.run_on(place)


def sweep_of(model):
    """A function that makes some iterations on so many threads, and gives their parameters."""
    X = counts(*LARGE)
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


def similarity():
    """A function that fits chi-Sim on so many threads, and gives its labels."""
    X = counts(4000, 4000, 100)

    def once(place):
        with on_threads(place):
            return coterie.ChiSim(5, max_iter=1).fit(X).labels_

    return once


def cases():
    """What makes the work, the bytes of its table, and its iterations, by name."""
    found = {
        name: (partial(control, work), table, 1) for name, (work, table) in CONTROLS.items()
    }
    for name, n_tables in (("PLSA", 2), ("mixture", 1)):
        for k in N_CLUSTERS:
            table = n_tables * 4 * LARGE[1] * -(-k // 8) * 8
            model = coterie.PLSA(k, 1.1) if name == "PLSA" else coterie.MultinomialMixture(k)
            found[f"{name}, K = {k}"] = partial(sweep_of, model), table, ITERATIONS
    return found | {"chi-Sim": (similarity, 0, 1)}


class Processes:
    """Two processes that do the same work at the same time, each on one thread."""

    def __init__(self, name):
        context = multiprocessing.get_context("spawn")
        self.barrier = context.Barrier(3, timeout=PATIENCE)
        self.processes = [
            context.Process(target=repeat, args=(name, self.barrier), daemon=True)
            for _ in range(2)
        ]
        for process in self.processes:
            process.start()

    def __call__(self):
        """The work once in each, from when both are released until both have ended."""
        self.barrier.wait()
        self.barrier.wait()

    def end(self):
        self.barrier.abort()
        for process in self.processes:
            process.join()


def repeat(name, barrier):
    """In a process of its own: the work, whenever it is released."""
    make, *_ = cases()[name]
    once = make()
    once(1)  # compiled
    with suppress(BrokenBarrierError):
        while True:
            barrier.wait()
            once(1)
            barrier.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--shares", action="store_true", help="only what is in one thread")
    chosen = parser.parse_args()
    if chosen.shares:
        print("| | in one thread | two cores by that |\n|---|--:|--:|")
    else:
        print("| | table of words, MB | one thread, ms | two threads, ms | ratio | two "
              "processes | threads lose | same bits | in one thread | two cores by that |\n"
              "|---|--:|--:|--:|--:|--:|--:|---|--:|--:|")  # fmt: skip
    for name, (make, table, n_iterations) in cases().items():
        if chosen.shares and name in CONTROLS:
            continue
        once = make()
        cells = [] if chosen.shares else row(name, once, table, n_iterations, chosen.rounds)
        cells.append(" | " if name in CONTROLS else both_shares(once))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def both_shares(once):
    once(1)  # compiled
    return "{:.1%} | {:.2f}".format(*shares(once))


def row(name, once, table, n_iterations, n_rounds):
    """Cells of times by turns."""
    same = "yes" if np.array_equal(once(1), once(2)) else "NO"  # and compiled
    together = Processes(name)
    together()
    ways = partial(once, 1), partial(once, 2), together
    seconds = [[] for _ in ways]
    for _ in range(n_rounds):
        for way, of_way in zip(ways, seconds, strict=True):
            began = time.perf_counter()
            way()
            of_way.append(time.perf_counter() - began)
    together.end()
    one, two, both = (1e3 * min(of_way) / n_iterations for of_way in seconds)
    threads, processes = one / two, 2 * one / both
    return [
        f"{table / 1e6:.0f}" if table else "", f"{one:.0f}", f"{two:.0f}", f"{threads:.2f}",
        f"{processes:.2f}", f"{1 - threads / processes:.0%}", same,
    ]  # fmt: skip


if __name__ == "__main__":
    main()
