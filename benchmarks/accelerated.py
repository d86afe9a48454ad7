"""Accelerated EM beside EM: iterations and CPU seconds to the same objective.

    python benchmarks/accelerated.py [groups reuters] [--seeds 3]

Reads the collections from the folder in COTERIE_DATA. EM runs to its default tolerance; the
accelerated fit, from the same start, counts the sweeps it makes until it is where EM ended,
those that it takes back included.
"""

import argparse
import os
import time
import warnings

os.environ.setdefault("COTERIE_THREADS", "1")

import numpy as np
from online import COLLECTIONS, MODELS

import coterie
from coterie import executors

MODELS = {name: MODELS[name] for name in ("mm", "plsa", "2plsa")} | {
    "plsa, no prior": lambda k, seed: coterie.PLSA(k, random_state=seed),
}


class Counter:
    """Sweeps of an executor, counted, and the CPU time at which an objective was reached."""

    def __init__(self, goal):
        self.goal, self.n_sweeps, self.reached = goal, 0, None
        self.began = time.process_time()

    def __call__(self, progress):
        if self.reached is None and progress.objective >= self.goal:
            self.reached = self.n_sweeps, time.process_time() - self.began


def fitted(model, X, goal=np.inf):
    counter = Counter(goal)
    with coterie.run_on("threads", n_threads=1) as executor:
        sweep = executor.sweep

        def counted(*arguments):
            counter.n_sweeps += 1
            return sweep(*arguments)

        executor.sweep = counted
        with coterie.watching(counter):
            began = time.process_time()
            model._fit(model._read(X))
    return counter, time.process_time() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("collections", nargs="*", default=["groups", "reuters"])
    parser.add_argument("--seeds", type=int, default=3)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| collection | model | EM: iterations | accelerated: sweeps to the same objective |"
          " fewer | CPU |")  # fmt: skip
    print("|---|---|--:|--:|--:|--:|")
    for name in chosen.collections:
        load, n_clusters = COLLECTIONS[name]
        X = load().counts.astype(np.float32)
        for label, make in MODELS.items():
            rows = []
            for seed in range(chosen.seeds):
                plain = make(n_clusters, seed)
                _, seconds = fitted(plain, X)
                with coterie.accelerating():
                    counter, _ = fitted(
                        make(n_clusters, seed).set_params(max_iter=1000, tol=1e-7),
                        X,
                        plain.history_[-1],
                    )
                if counter.reached is None:  # another maximum, lower than that of EM
                    continue
                sweeps, needed = counter.reached
                rows.append((plain.n_iter_, sweeps, sweeps / plain.n_iter_, needed / seconds))
            if not rows:
                print(f"| {name} | {label} | never | | | |")
                continue
            n_iter, sweeps, share, cpu = np.mean(rows, axis=0)
            of = f"({len(rows)} of {chosen.seeds} seeds)"
            print(f"| {name} | {label} | {n_iter:.0f} | {sweeps:.0f} {of} | "
                  f"{1 - share:.0%} | {cpu:.2f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    assert executors.available_threads() == 1
    main()
