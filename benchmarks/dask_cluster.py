"""The same fit on one thread, on two, and on a Dask cluster of two worker processes.

    python benchmarks/dask_cluster.py [--documents 40000] [--clusters 50] [--iterations 15]

Prints seconds of the iterations, the objective, and whether the parameters have the same bits.
The time to start the cluster, and to send the counts, is printed apart.
"""

import argparse
import os
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from threads import counts

import coterie


class Clock:
    """When iterations ended."""

    def __init__(self):
        self.times = []

    def __call__(self, _progress):
        self.times.append(time.perf_counter())


def fitted(X, k, n_iterations, place, **options):
    clock, began = Clock(), time.perf_counter()
    with coterie.run_on(place, **options):
        started = time.perf_counter()
        with coterie.watching(clock):
            model = coterie.PLSA(k, 1.1, random_state=0, max_iter=n_iterations, tol=0.0)
            model._fit(model._read(X))
    first = clock.times[0] - started
    per_iteration = np.median(np.diff(clock.times))
    return model, started - began, first, per_iteration


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=40_000)
    parser.add_argument("--clusters", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=15)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    X = counts(chosen.documents, 20_000, 80)
    k, n = chosen.clusters, chosen.iterations
    print(f"{X.shape[0]:,} documents, {X.shape[1]:,} words, {X.nnz:,} non-zeros, K = {k}\n")
    print(
        "| where | start, s | first iteration, s | an iteration, ms | objective | same bits |"
    )
    print("|---|--:|--:|--:|--:|---|")
    places = {
        "1 thread": ("threads", {"n_threads": 1}),
        "2 threads": ("threads", {"n_threads": 2}),
        "Dask, 2 worker processes": ("dask", {"n_workers": 2}),
    }
    reference = None
    for name, (place, options) in places.items():
        model, start, first, per_iteration = fitted(X, k, n, place, **options)
        reference = model if reference is None else reference
        same = np.array_equal(model.components_, reference.components_)
        print(f"| {name} | {start:.1f} | {first:.1f} | {per_iteration * 1e3:.0f} | "
              f"{model.history_[-1]:.6g} | {'yes' if same else 'NO'} |",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
