"""The same fit on one thread, on two, and on a Dask cluster of two worker processes.

    python benchmarks/dask_cluster.py [--documents 40000] [--clusters 50] [--iterations 15]
    python benchmarks/dask_cluster.py memory [--documents 300000] [--lengths 60] [--on dask]

Prints seconds of the iterations, the objective, and whether the parameters have the same bits.
The time to start the cluster, and to send the counts, is printed apart.

`memory` runs `coterie cluster FOLDER --on dask --method plsa -k 20` on synthetic documents of
some mean lengths, and samples the memory of that process alone, not of its workers, from
reading to the folder of results. As many documents of more words show what grows with the
non-zeros. Labels are shown as a checksum, to be compared with those of `--on threads`.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

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


def write_parts(folder, n_documents, length, n_part=10_000):
    """Synthetic documents as JSON lines, some in each file."""
    from coterie.demo.synthetic import Synthetic

    folder.mkdir()
    with tempfile.TemporaryDirectory() as other:
        whole = Path(other) / "whole"
        Synthetic(n_documents, length=length).write_jsonl(whole)
        with whole.open() as lines:
            for number, line in enumerate(lines):
                if number % n_part == 0:
                    part = (folder / f"{number // n_part:05}.jsonl").open("w")
                part.write(line)
                if (number + 1) % n_part == 0 or number + 1 == n_documents:
                    part.close()


def peak_of(command):
    """Peaks of the memory of a process in MB, in all and without mapped files; its seconds."""
    began, peaks = time.perf_counter(), {"VmRSS": 0, "RssAnon": 0}
    surroundings = os.environ | {"MALLOC_ARENA_MAX": "1"}  # memory that threads reserve
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=surroundings)
    while process.poll() is None:
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in peaks:
                peaks[name] = max(peaks[name], int(value.split()[0]) >> 10)
        time.sleep(0.01)
    if process.returncode:
        sys.exit(f"the command ended with {process.returncode}")
    return *peaks.values(), time.perf_counter() - began


def show_memory(chosen):
    import pyarrow.parquet as pq

    print("| documents | words of each | non-zeros | counts, MB | peak MB | without mapped "
          "files | wall s | labels |")  # fmt: skip
    print("|--:|--:|--:|--:|--:|--:|--:|---|")
    for length in chosen.lengths:
        with tempfile.TemporaryDirectory() as folder:
            source, out = Path(folder) / "documents", Path(folder) / "out"
            write_parts(source, chosen.documents, length)
            options = f"-k 20 --method plsa --max-iter {chosen.iterations} --page light -q"
            command = [sys.executable, "-m", "coterie", "cluster", str(source),
                       "--out", str(out), "--on", chosen.on, "--threads", "2",
                       *options.split()]  # fmt: skip
            peak, anonymous, seconds = peak_of(command)
            nonzeros = coterie.Corpus.load(out / "corpus").counts.nnz
            labels = pq.read_table(out / "documents.parquet", columns=["cluster"])["cluster"]
        digest = hashlib.sha256(labels.to_numpy().astype(np.int64).tobytes()).hexdigest()[:8]
        print(f"| {chosen.documents:,} | {length:g} | {nonzeros:,} | {8 * nonzeros >> 20:,} | "
              f"{peak:,} | {anonymous:,} | {seconds:.0f} | {digest} |", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", nargs="?", choices=["fit", "memory"], default="fit")
    parser.add_argument("--documents", type=int)
    parser.add_argument("--clusters", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=15)
    parser.add_argument("--lengths", type=float, nargs="+", default=[60])
    parser.add_argument("--on", choices=["threads", "dask"], default="dask")
    chosen = parser.parse_args()
    chosen.documents = chosen.documents or {"fit": 40_000, "memory": 300_000}[chosen.what]
    warnings.simplefilter("ignore")
    if chosen.what == "memory":
        show_memory(chosen)
        return
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
