"""Time and memory of one PLSA iteration: Coterie, enstop and scikit-learn, in one run.

    make bench                      all of it, in an environment of its own
    python benchmarks/plsa.py       with what is installed (enstop is left out where absent)

Each program runs in a process of its own on the same matrices. Seconds per iteration are the
difference between a long and a short fit over the difference of their iterations, so that
set-up and compilation do not count; the best of several repeats is shown. Memory is how far
the peak of the process rises above what it holds before the fit, compilation already done.
"""

import argparse
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

TOPICS = 20
SHORT, LONG, REPEATS = 5, 25, 5


def synthetic(n_documents=18_000, n_words=20_000, n_nonzeros=1_700_000, seed=0):
    """Zipfian word counts of the shape of a newsgroup collection."""
    rng = np.random.default_rng(seed)
    p = 1 / np.arange(1, n_words + 1)
    lengths = rng.poisson(0.841 * n_nonzeros * 1.6 / n_documents, size=n_documents)
    rows = np.repeat(np.arange(n_documents), lengths)
    columns = rng.permutation(n_words)[rng.choice(n_words, size=len(rows), p=p / p.sum())]
    ones = np.ones(len(rows), np.float32)
    X = sp.coo_array((ones, (rows, columns)), shape=(n_documents, n_words)).tocsr()
    X.sort_indices()
    return X


def newsgroups():
    """The 20 Newsgroups counts as they are read by default, or None without the archive."""
    archive = Path(os.environ.get("COTERIE_DATA", "")) / "20news-19997.tar.xz"
    if not archive.is_file():
        return None
    from coterie import TextOptions, read

    return read(archive, options=TextOptions(language="en")).counts


def coterie_fit(X, n_iter):
    from coterie import PLSA

    PLSA(TOPICS, max_iter=n_iter, tol=0, random_state=0).fit(X)


def enstop_fit(X, n_iter):
    setattr(np, "float", float)  # noqa: B010  enstop was written for NumPy 1
    from enstop.plsa import plsa_fit

    weights = np.ones(X.shape[0], np.float32)
    X = sp.csr_matrix(X)
    plsa_fit(X, TOPICS, weights, n_iter=n_iter, tolerance=0.0, random_state=0)


def sklearn_fit(X, n_iter):
    from sklearn.decomposition import NMF

    NMF(
        TOPICS,
        init="random",
        solver="mu",
        beta_loss="kullback-leibler",
        tol=0,
        max_iter=n_iter,
        random_state=0,
    ).fit(X)


FITS = {"coterie": coterie_fit, "enstop": enstop_fit, "scikit-learn": sklearn_fit}


def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def resident_mib():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def child(name, file):
    """Measure one program on one matrix and print the figures as JSON."""
    warnings.simplefilter("ignore")
    X, fit = sp.csr_array(sp.load_npz(file)), FITS[name]
    fit(X[:2000], 2)
    before = resident_mib()
    seconds = []
    for _ in range(REPEATS):
        marks = [time.perf_counter()]
        for n_iter in (SHORT, LONG):
            fit(X, n_iter)
            marks.append(time.perf_counter())
        short, long = np.diff(marks)
        seconds.append((long - short) / (LONG - SHORT))
    print(json.dumps({"seconds": min(seconds), "mib": peak_mib() - before}))


def machine_peak(n=3000):
    """GFLOP/s of a float32 matrix product on all cores: what this machine can do."""
    a = np.ones((n, n), np.float32)
    best = min(_timed(lambda: a @ a) for _ in range(4))
    return 2 * n**3 / best / 1e9


def _timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(label, X, names, folder):
    file = folder / "counts.npz"
    sp.save_npz(file, X)
    print(f"\n{label}: {X.shape[0]:,} x {X.shape[1]:,}, {X.nnz:,} non-zeros, {TOPICS} topics")
    print(f"{'':14}{'ms/iteration':>14}{'slower by':>12}{'MiB above start':>18}")
    ours = None
    for name in names:
        command = [sys.executable, __file__, "--child", name, "--file", str(file)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        ours = ours or found["seconds"]
        ratio = found["seconds"] / ours
        print(f"{name:14}{found['seconds'] * 1e3:14.1f}{ratio:12.1f}{found['mib']:18.0f}")
    gflops, peak = 6 * X.nnz * TOPICS / ours / 1e9, machine_peak()
    print(
        f"coterie: 6 x non-zeros x topics = {6 * X.nnz * TOPICS / 1e9:.2f} GFLOP, "
        f"{gflops:.1f} GFLOP/s, {gflops / peak:.1%} of the {peak:.0f} of a dense product"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--child", choices=FITS)
    parser.add_argument("--file")
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child, arguments.file)
        return
    names = [n for n in FITS if n != "enstop" or importlib.util.find_spec("enstop")]
    matrices = {"synthetic": synthetic(), "20 Newsgroups": newsgroups()}
    with tempfile.TemporaryDirectory() as folder:
        for label, X in matrices.items():
            if X is None:
                print(f"\n{label}: skipped, set COTERIE_DATA to the folder with its archive")
            else:
                measure(label, X, names, Path(folder))


if __name__ == "__main__":
    main()
