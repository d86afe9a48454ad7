"""The numbers of clusters that are found and offered, beside the number of classes.

    python benchmarks/how_many.py [--seeds 3] [--jobs 2] [NAME ...]

The collections of `peers.py`, and others made of them with classes fewer, more or drawn at
random, so that the rule is not judged on a handful: the samples of Grimal and Bisson (2011),
the ten largest classes of Reuters-21578 and some of them, six classes of WebKB, all large
sections of the Debian descriptions and six sections in other languages, the 600 stories of the
Reuters multilingual collection, and some of the 18 groups of 20 Newsgroups; collections of
short texts only where they are named. The classes are not shown to the method. Runs are kept in
`benchmarks/results/how_many.json`.
"""

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

os.environ.setdefault("COTERIE_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from kept import key, measured
from peers import COLLECTIONS, ENGLISH, debian, only
from short_texts import COLLECTIONS as SHORT

from coterie.automatic.estimator import number_of_clusters
from coterie.automatic.number import offered_numbers
from coterie.corpus import Corpus
from coterie_papers.collections import load_reuters, load_webkb
from coterie_papers.collections.multiview import load_debian, load_reuters_600
from coterie_papers.collections.samples import SAMPLES, load_sample

RESULTS = Path(__file__).parent / "results" / "how_many.json"
NEAR = 0.3
LARGE = 40  # documents of a section


def some(load, n_classes, seed):
    """The documents of some classes, drawn at random."""
    corpus = load()
    classes = np.unique(corpus.labels.astype(str))
    return only(corpus, np.random.default_rng(seed).choice(classes, n_classes, replace=False))


def large_sections():
    corpus = debian()
    sections, sizes = np.unique(corpus.labels.astype(str), return_counts=True)
    return only(corpus, sections[sizes >= LARGE])


def _view(corpus, name):
    return Corpus({name: corpus.views[name]}, corpus.ids, labels=corpus.labels)


_groups = cache(COLLECTIONS["groups"])
_ten = cache(partial(load_reuters, 10, options=ENGLISH))
SIX_CLASSES = ("student", "faculty", "course", "project", "department", "staff")
SETS = {
    **{name: load for name, load in COLLECTIONS.items() if name != "five"},
    "groups": _groups,
    **{name: partial(load_sample, name, 0, ENGLISH, copies=False) for name in SAMPLES},
    "reuters10": _ten,
    "reuters4of10": partial(some, _ten, 4, 1),
    "reuters5of10": partial(some, _ten, 5, 2),
    "webkb6": partial(load_webkb, SIX_CLASSES, options=ENGLISH),
    "debian12": large_sections,
    **{f"debian6-{code}": partial(lambda c: _view(load_debian(), c), code)
       for code in ("de", "fr", "it", "es")},
    "reuters600": lambda: _view(load_reuters_600(), "en"),
    **{f"groups{k}of18": partial(some, _groups, k, k) for k in (3, 4, 6, 9, 12, 15)},
}  # fmt: skip


def measure(task):
    name, seed = task
    corpus = SETS[name]()
    n_clusters, curve = number_of_clusters(corpus.counts, random_state=seed)
    first = [len(set(corpus.labels)), n_clusters, len(corpus.labels), len(curve["n_clusters"])]
    return [*first, *offered_numbers(curve)]


def is_near(numbers, classes):
    return any(abs(number - classes) <= NEAR * classes for number in numbers)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SETS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    names = chosen.names or [name for name in SETS if name not in SHORT]
    unknown = set(names) - set(SETS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: expected some of {', '.join(SETS)}")
    tasks = [(name, seed) for name in names for seed in range(chosen.seeds)]
    with ProcessPoolExecutor(chosen.jobs) as pool:
        known = measured(RESULTS, tasks, partial(pool.map, measure))
    print("\n| collection | documents | classes | found | offered |\n|---|---|---|---|---|")
    shares, offered_shares, errors = [], [], []
    for name in names:
        rows = [known[key((name, seed))] for seed in range(chosen.seeds)]
        classes, found = rows[0][0], np.array([row[1] for row in rows])
        offered = [row[4:] for row in rows]
        shares.append(np.mean([is_near([k], classes) for k in found]))
        offered_shares.append(np.mean([is_near(numbers, classes) for numbers in offered]))
        errors.append(np.mean(np.abs(np.log(found / classes))))
        said = ", ".join(f"{k:.0f}" for k in found)
        shown = ", ".join("/".join(map(str, numbers)) for numbers in offered)
        print(f"| {name} | {rows[0][2]} | {classes} | {said} | {shown} |")
    print(
        f"\nwithin {NEAR:.0%} of the classes: the number found {np.mean(shares):.0%}, one of "
        f"those offered {np.mean(offered_shares):.0%} of the runs, collections weighing the "
        f"same; mean factor {np.exp(np.mean(errors)):.2f}"
    )


if __name__ == "__main__":
    main()
