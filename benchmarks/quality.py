"""Every method beside Table 5 of Pessiot et al.: average precision and NMI over ten seeds.

    python benchmarks/quality.py reuters news webkb groups [--seeds 10] [--methods mm+plsa]

Reads the original collections from the folder in COTERIE_DATA, with the paper's preprocessing:
`reuters` (7 classes), `news` (20 Newsgroups, 5 classes), `webkb` (4 classes), `groups` (the 18
groups of the five classes). Prints a table in Markdown and keeps each result in
`benchmarks/results/quality.json`, so that an interrupted run goes on. Two processes, one thread
each.
"""

import argparse
import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

os.environ.setdefault("COTERIE_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from kept import key, measured

from coterie import PLSA
from coterie.evaluation import ari, micro_precision, nmi
from coterie.methods import method
from coterie_papers.collections import load_newsgroups, load_reuters, load_webkb

RESULTS = Path(__file__).parent / "results" / "quality.json"
COLLECTIONS = {
    "reuters": (load_reuters, {}, 7),
    "news": (load_newsgroups, {}, 5),
    "webkb": (load_webkb, {}, 4),
    "groups": (load_newsgroups, {"classes": "groups"}, 18),
}
PUBLISHED = {  # Pessiot et al., Table 5: average precision, NMI
    "kmeans": {"reuters": (0.52, 0.20), "news": (0.32, 0.07), "webkb": (0.43, 0.08)},
    "nmf": {"reuters": (0.69, 0.42), "news": (0.45, 0.20), "webkb": (0.50, 0.20)},
    "mm": {"reuters": (0.61, 0.27), "news": (0.62, 0.36), "webkb": (0.48, 0.11)},
    "p-mm": {"reuters": (0.68, 0.40), "news": (0.69, 0.40), "webkb": (0.60, 0.28)},
    "c-mm": {"reuters": (0.70, 0.44), "news": (0.75, 0.53), "webkb": (0.68, 0.32)},
    "plsa": {"reuters": (0.64, 0.38), "news": (0.71, 0.49), "webkb": (0.61, 0.28)},
    "p-plsa": {"reuters": (0.68, 0.39), "news": (0.69, 0.40), "webkb": (0.63, 0.28)},
    "c-plsa": {"reuters": (0.69, 0.42), "news": (0.71, 0.49), "webkb": (0.65, 0.34)},
    "ext-plsa": {"reuters": (0.71, 0.42), "news": (0.77, 0.54), "webkb": (0.68, 0.36)},
    "lda": {"reuters": (0.69, 0.38), "news": (0.67, 0.41), "webkb": (0.59, 0.25)},
}
WORD_CLUSTERS = {"ext-plsa": 50, "2plsa": 50, "itcc": 20, "ldcc": 20, "c-mm": 10, "p-mm": 10,
                 "c-plsa": 10, "p-plsa": 10}  # fmt: skip
LONG = ("mm", "plsa", "ext-plsa", "2plsa")
SWEEPS = {"ldcc": 60, "mm-gibbs": 200}
FEWER_SEEDS = {"lda": 2, "ldcc": 3}  # slow
REFINED = "mm-incremental, then plsa"
METHODS = ["kmeans", "lsa-kmeans", "nmf", "lda", "spectral", "mm", "p-mm", "c-mm", "plsa",
           "p-plsa", "c-plsa", "ext-plsa", "2plsa", "itcc", "ldcc", "mm-gibbs", "mm-reduced",
           "mm-hierarchical", "mm-incremental", REFINED]  # fmt: skip


@cache
def collection(name):
    load, how, n_classes = COLLECTIONS[name]
    return load(**how), n_classes


def build(name, n_clusters, seed):
    """The method from a random start, those of `LONG` until they hardly move."""
    start = {"mm": "random", "ext-plsa": "random", "mm-gibbs": "dirichlet"}.get(name)
    words, steps = WORD_CLUSTERS.get(name), SWEEPS.get(name, 500 if name in LONG else 200)
    settings = {"seed": seed, "init": start, "n_word_clusters": words, "max_iter": steps}
    model = method(name).make(n_clusters, **settings)
    return model.set_params(tol=1e-7) if name in LONG else model


def measure(task):
    name, data, seed = task
    warnings.simplefilter("ignore")
    corpus, n_classes = collection(data)
    started = time.perf_counter()
    if name == REFINED:
        first = build("mm-incremental", n_classes, seed).fit(corpus.counts)
        model = PLSA(n_classes, init=first.memberships_).fit(corpus.counts)
    else:
        model = build(name, n_classes, seed).fit(corpus.counts)
    seconds = time.perf_counter() - started
    true, found = corpus.labels, model.labels_
    scores = micro_precision(true, found), nmi(true, found), ari(true, found)
    return [*map(float, scores), seconds]


def table(known, methods, data, seeds):
    print(f"\n{data}: AP and NMI, mean ± deviation over {seeds} seeds\n")
    print("| method | AP | NMI | ARI | seconds | paper AP | paper NMI |")
    print("|---|---|---|---|---|---|---|")
    for name in methods:
        n = min(seeds, FEWER_SEEDS.get(name, seeds))
        rows = [known.get(key((name, data, seed))) for seed in range(n)]
        if all(rows):
            ap, info, rand, seconds = np.array(rows).T
            theirs = PUBLISHED.get(name, {}).get(data, ("", ""))
            said = name if n == seeds else f"{name} ({n} seeds)"
            ours = f"{ap.mean():.3f} ± {ap.std():.3f} | {info.mean():.3f} ± {info.std():.3f}"
            rest = f"{rand.mean():.3f} | {seconds.mean():.1f} | {theirs[0]} | {theirs[1]}"
            print(f"| {said} | {ours} | {rest} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="+", choices=COLLECTIONS)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--methods", type=lambda text: text.split("+"), default=METHODS)
    chosen = parser.parse_args()
    tasks = [
        (name, data, seed)
        for data in chosen.collections
        for name in chosen.methods
        for seed in range(min(chosen.seeds, FEWER_SEEDS.get(name, chosen.seeds)))
    ]
    with ProcessPoolExecutor(2) as pool:
        known = measured(RESULTS, tasks, lambda todo: pool.map(measure, todo))
    for data in chosen.collections:
        table(known, chosen.methods, data, chosen.seeds)


if __name__ == "__main__":
    main()
