"""Checksums of labels over methods and collections: which answers a change of the code changes.

    python benchmarks/labels.py [METHOD ...]          compare with results/labels.json
    python benchmarks/labels.py --write [METHOD ...]  and write what is new

Labels are compared as partitions, whatever the numbers of the clusters. Collections are a
planted matrix, the built-in corpus (which depends on the packages installed) and, where
COTERIE_DATA has them, the descriptions of Debian packages in English and in three languages.
"""

import argparse
import hashlib
import json
import os
import sys
import warnings
from pathlib import Path

import numpy as np

import coterie
from coterie.demo import load_demo
from coterie.methods import METHODS

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from planted import plant

RESULTS = Path(__file__).parent / "results" / "labels.json"
CHAINS = ("mm-gibbs", "ldcc")  # samplers, cut short


def collections():
    """Names, documents and numbers of clusters."""
    yield "planted", plant(300, 120, 5, 40, seed=3, purity=0.6)[0], 5
    yield "built-in", load_demo(), 12
    file = Path(os.environ.get("COTERIE_DATA", "")) / "debian-desc-en-de-fr-it-es.jsonl.xz"
    if file.is_file():
        yield "debian", coterie.read(file, text=["en"], label="section"), 8
        yield "debian-views", coterie.read(file, views=["en", "de", "fr"]), 6


def suits(method, documents):
    """Whether a method clusters these documents, which may have several views."""
    several = isinstance(documents, coterie.Corpus) and len(documents.views) > 1
    return method.takes_views if several else not method.needs_views


def checksum(method, documents, n_clusters):
    """A checksum of the partition by a method with its defaults and two restarts."""
    settings = {} if "n_init" in method.unused else {"n_init": 2}
    settings |= {"max_iter": 60} if method.name in CHAINS else {}
    labels = method.make(n_clusters, seed=0, **settings).fit(documents).labels_
    _, first, numbers = np.unique(labels, return_index=True, return_inverse=True)
    partition = np.argsort(np.argsort(first))[numbers]
    return hashlib.sha256(partition.astype(np.int64).tobytes()).hexdigest()[:10]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*", metavar="METHOD")
    parser.add_argument("--write", action="store_true", help="keep what was computed")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    known = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    for name, documents, n_clusters in collections():
        for method in METHODS.values():
            if suits(method, documents) and method.name in (arguments.methods or METHODS):
                key = f"{method.name} {name}"
                new = checksum(method, documents, n_clusters)
                state = {None: "new", new: "same"}.get(known.get(key), "CHANGED")
                print(f"{key:32}{new}  {state}", flush=True)
                known[key] = new
    if arguments.write:
        RESULTS.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
