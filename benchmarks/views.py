"""Several views: the automatic method beside its best single view and the methods of Kim et al.

    python benchmarks/views.py [debian6 debian-b debian-c debian-d debian12 reuters600]
        [--seeds 3] [--methods single+auto+conc-plsa+fusion-lm+voted-plsa]

`single` fits the automatic method to each view alone and shows the best of them, which nobody
knows beforehand. Methods are as `coterie cluster` makes them. For voted-plsa the table also
shows the share of documents that votes assign, their precision, and how many of the classes
have a signature. Collections are read from the folder in COTERIE_DATA; results are kept in
`benchmarks/results/views.json`.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

os.environ.setdefault("COTERIE_THREADS", "1")

import numpy as np
from kept import key, measured

from coterie import AutoClustering
from coterie.evaluation import micro_precision, nmi
from coterie.methods import method
from coterie_papers.collections.multiview import SECTIONS, load_debian, load_reuters_600

RESULTS = Path(__file__).parent / "results" / "views.json"
COLLECTIONS = {
    "debian6": lambda: load_debian(SECTIONS),
    "debian-b": lambda: load_debian(("utils", "gnome", "net", "graphics", "mail", "web")),
    "debian-c": lambda: load_debian(("games", "sound", "science", "mail", "fonts", "math")),
    "debian-d": lambda: load_debian(("utils", "admin", "net", "web", "devel", "graphics")),
    "debian12": lambda: load_debian(
        (*SECTIONS, "utils", "gnome", "net", "graphics", "mail", "web")
    ),
    "reuters600": load_reuters_600,
}
METHODS = ("single", "auto", "conc-plsa", "fusion-lm", "voted-plsa")


def scores(true, labels):
    return [float(micro_precision(true, labels)), float(nmi(true, labels))]


def measure(task):
    """AP, NMI, CPU seconds; of votes, share and precision of documents, and classes."""
    name, data, seed = task
    warnings.simplefilter("ignore")
    corpus = COLLECTIONS[data]()
    true = np.array([str(label) for label in corpus.labels])
    n_clusters = len(set(true))
    views = {each: view.counts for each, view in corpus.views.items()}
    started = time.process_time()

    def auto(X):
        return AutoClustering(n_clusters, calibrated=False, random_state=seed).fit(X).labels_

    if name == "single":
        found = [scores(true, auto(counts)) for counts in views.values()]
        return [*max(found, key=lambda pair: pair[1]), time.process_time() - started]
    if name == "auto":
        return [*scores(true, auto(views)), time.process_time() - started]
    model = method(name).make(n_clusters, seed=seed).fit(views)
    result = [*scores(true, model.labels_), time.process_time() - started]
    if name == "voted-plsa":
        agreed = model.preassigned_ >= 0
        found = model.preassigned_[agreed]
        largest = set()
        for k in np.unique(found):
            names, sizes = np.unique(true[agreed][found == k], return_counts=True)
            largest.add(str(names[sizes.argmax()]))
        precision = float(micro_precision(true[agreed], found))
        result += [float(agreed.mean()), precision, len(largest)]
    return result


def table(known, methods, collections, seeds):
    print(f"\nAP / NMI, means over {seeds} seeds\n")
    print(f"| | {' | '.join(collections)} |")
    print("|---|" + "---|" * len(collections))
    for name in methods:
        means = [
            np.mean([known[key((name, data, seed))] for seed in range(seeds)], axis=0)
            for data in collections
        ]
        print(f"| {name} | {' | '.join(f'{m[0]:.3f} / {m[1]:.3f}' for m in means)} |")
        if name == "voted-plsa":
            print("| of it: by votes | " + " | ".join(f"{m[3]:.0%}" for m in means) + " |")
            print("| their precision | " + " | ".join(f"{m[4]:.2f}" for m in means) + " |")
            print("| classes voted for | " + " | ".join(f"{m[5]:.1f}" for m in means) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="*", choices=COLLECTIONS, default=[*COLLECTIONS])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", type=lambda text: text.split("+"), default=[*METHODS])
    chosen = parser.parse_args()
    tasks = [
        (name, data, seed)
        for data in chosen.collections
        for name in chosen.methods
        for seed in range(chosen.seeds)
    ]
    known = measured(RESULTS, tasks, lambda todo: map(measure, todo))
    table(known, chosen.methods, chosen.collections, chosen.seeds)


if __name__ == "__main__":
    main()
