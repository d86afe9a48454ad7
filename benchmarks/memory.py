"""The memory each method is reckoned to need, beside what it takes, at three sizes.

    python benchmarks/memory.py [--methods mm,plsa] [--threads 2] [--out FILE.md]

Each method runs in a process of its own. Measured is the peak of the process during the fit,
less what it held before, plus the counts themselves: what `_needed_bytes` reckons. The peak is
reached in the first iterations, so there are two of them; loops that end by themselves are cut
short. Arrays are given back to the system when freed (`MALLOC_MMAP_THRESHOLD_`), so that the
measure is theirs alone. Fails where a ratio is outside 0.75 to 1.25.
"""

import argparse
import ctypes
import functools
import gc
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

LEAST, MOST = 0.75, 1.25
MB = 1 << 20
# documents, words, words a document, clusters
LARGE = [(40_000, 4_000, 12, 100), (8_000, 30_000, 40, 100), (20_000, 15_000, 20, 200)]
SMALL = [(20_000, 3_000, 12, 30), (4_000, 12_000, 40, 30), (10_000, 8_000, 20, 40)]
PAIRS = [(3_000, 1_000, 20, 10), (1_500, 3_000, 40, 10), (2_500, 2_500, 30, 20)]
FEW = [(8_000, 3_000, 12, 20), (3_000, 8_000, 30, 20), (10_000, 4_000, 15, 30)]
BESIDES = ("ConceptSpace", "VonMisesFisherMixture", "MedoidWords", "MostFrequent",
           "WordWeights")  # fmt: skip
"""Public estimators that no method by name is."""
OF_PAIRS = ("cosine", "lsa", "snos", "ctk", "chi-sim", "chi-sim-p", "chi-sim-k", "chi-sim-pk")
OF_LARGE = ("mm", "mm-reduced", "mm-gibbs", "plsa", "2plsa", "itcc", "c-mm", "p-mm", "c-plsa",
            "p-plsa", "conc-plsa")  # fmt: skip


def sizes_of(name):
    if name == "auto":
        return FEW
    return PAIRS if name in (*OF_PAIRS, "MedoidWords") else LARGE if name in OF_LARGE else SMALL


def planted(n_documents, n_words, length, n_groups=20):
    """Counts of documents in groups, half of whose words are the group's own."""
    import numpy as np

    from coterie.types import Counts

    rng = np.random.default_rng(0)
    n = n_documents * length
    group = np.repeat(rng.integers(n_groups, size=n_documents), length)
    own = group + n_groups * (rng.random(n) ** 2 * (n_words // n_groups)).astype(int)
    common = (rng.random(n) ** 3 * n_words).astype(int)
    words = np.where(rng.random(n) < 0.5, own % n_words, common)
    words[:n_words] = np.arange(n_words)  # every word occurs
    documents = np.repeat(np.arange(n_documents), length)
    X = Counts((np.ones(n, np.float32), (documents, words)), shape=(n_documents, n_words))
    X.sum_duplicates()
    indices = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return Counts((X.data, *indices), shape=X.shape)


def given(name, X):
    """The counts as the method takes them: two views of half the words, or one."""
    from coterie.methods import METHODS

    if name == "VonMisesFisherMixture":
        return X[:, :200].toarray()
    if name in BESIDES or not METHODS[name].needs_views:
        return X
    half = X.shape[1] // 2
    return {"first": X[:, :half], "second": X[:, half:]}


def made(name, n_clusters):
    import coterie
    from coterie.methods import method

    if name not in BESIDES:
        return method(name).make(n_clusters, max_iter=2, n_init=1)
    model = getattr(coterie, name)()
    few = {"max_iter": 2, "n_clusters": n_clusters, "n_word_clusters": n_clusters}
    few["n_words"] = n_clusters  # which they choose, or are clustered by
    return model.set_params(**{key: few[key] for key in few if key in model.get_params()})


def cut_short():
    """Few iterations also where no parameter sets them."""
    import sklearn.decomposition

    from coterie.models import block_values, dirichlet, topics

    topics.FOLD_IN_ITERATIONS = dirichlet.FOLD_IN_ITERATIONS = block_values.PLACING_STEPS = 2
    factors = sklearn.decomposition.non_negative_factorization

    @functools.wraps(factors)
    def few(*arguments, **settings):
        return factors(*arguments, **(settings | {"max_iter": 2}))

    sklearn.decomposition.non_negative_factorization = few


def status(field):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) << 10
    raise KeyError(field)


def measure(name, size):
    """Bytes reckoned and measured."""
    import coterie

    *shape, n_clusters = size
    X = planted(*shape)
    data = given(name, X)
    n_bytes = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    n_bytes = getattr(data, "nbytes", n_bytes)  # of vectors
    model = made(name, n_clusters)
    if name == "auto":
        model.set_params(growths=((300, 3), (1000, 3)), ranks=(20,), n_votes=16)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    reckoned = []
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    with coterie.memory_limit(told=lambda needed, _: reckoned.append(needed)):
        model.fit(data)
    return reckoned[0], status("VmHWM") - before + n_bytes


def measure_all(name):
    warnings.simplefilter("ignore")
    cut_short()
    measure(name, (120, 80, 20, 4))  # imports and compiles
    for size in sizes_of(name):
        print(json.dumps([name, size, *measure(name, size)]), flush=True)


def table(rows):
    lines = [
        "| method | documents | words | clusters | reckoned MB | measured MB | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, (n_documents, n_words, _, n_clusters), reckoned, measured in rows:
        sizes = f"{n_documents:,} | {n_words:,} | {n_clusters}"
        both = f"{reckoned / MB:,.0f} | {measured / MB:,.0f}"
        lines.append(f"| {name} | {sizes} | {both} | {reckoned / measured:.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", help="names, separated by commas (default: all)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="file for the table")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        measure_all(chosen.measure)
        return
    from coterie.methods import METHODS

    names = chosen.methods.split(",") if chosen.methods else [*METHODS, *BESIDES]
    settings = {"COTERIE_THREADS": str(chosen.threads), "MALLOC_MMAP_THRESHOLD_": "65536"}
    settings |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    rows = []
    for name in names:
        command = [sys.executable, __file__, "--measure", name]
        done = subprocess.run(
            command, env=os.environ | settings, stdout=subprocess.PIPE, text=True, check=True
        )
        found = [json.loads(line) for line in done.stdout.splitlines()]
        print("\n".join(table(found).splitlines()[2:]), flush=True)
        rows += found
    if chosen.out:
        chosen.out.write_text(table(rows) + "\n")
    wrong = [row for row in rows if not LEAST <= row[2] / row[3] <= MOST]
    if wrong:
        print(table(wrong))
        sys.exit(f"{len(wrong)} of {len(rows)} are outside {LEAST} to {MOST}")


if __name__ == "__main__":
    main()
