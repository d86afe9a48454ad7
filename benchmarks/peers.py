"""The automatic method beside the usual ones, and what each part of it is worth.

    python benchmarks/peers.py demo debian6 reuters webkb five groups [--seeds 5]
        [--methods auto+lda] [--ablation] [--vectors DIR] [--time-vectors]

All methods are told the number of classes and see the same counts of words (English stop
words, otherwise as `coterie cluster` counts them). Collections but `demo` are read from the
folder in COTERIE_DATA. LDA is tomotopy's, Louvain scikit-network's; both, and BERTopic with
k-means on sentence vectors, need the environment of `benchmarks/peers.in` (BERTopic itself
installed with `--no-deps`); methods whose package is missing are left out, and this is said.
Fits with a part left out are not calibrated, so their seconds are fewer.
Vectors are read from DIR/NAME.npy; `--time-vectors` says what they cost, by those of 200
documents drawn at random, computed on one thread, and the tables then count that. Each run has
a process of its own, one thread, and is kept in `benchmarks/results/peers.json`. Seconds are of
one core, memory is the peak of the process.
"""

import argparse
import os
import resource
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

os.environ.setdefault("COTERIE_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import short_texts
import unseen
from gsdmm import gsdmm
from kept import keep, key, measured

from coterie import AutoClustering
from coterie.automatic import estimator
from coterie.automatic.weights import plain_weights
from coterie.corpus import Corpus, TextOptions, read
from coterie.corpus.embedding import embedded
from coterie.demo import load_demo
from coterie.evaluation import ari, micro_precision, nmi
from coterie.methods import method
from coterie.weighting import WordWeights
from coterie_papers.collections import load_newsgroups, load_reuters, load_webkb
from coterie_papers.collections.files import DEBIAN, locate

RESULTS = Path(__file__).parent / "results" / "peers.json"
ENGLISH = TextOptions(language="en")
SIX = ("games", "sound", "science", "text", "admin", "x11")
LDA_STEPS = 300
N_TIMED = 200
NEEDS = {"lda": "tomotopy", "louvain": "sknetwork", "bertopic": "bertopic"}


def debian():
    return read(locate(DEBIAN), text="en", label="section", options=ENGLISH)


def only(corpus, classes):
    """The documents of some classes, their words counted anew."""
    rows = np.flatnonzero(np.isin(corpus.labels.astype(str), classes))
    return Corpus.from_texts(corpus.texts(rows), labels=corpus.labels[rows], options=ENGLISH)


COLLECTIONS = {
    "demo": load_demo,
    "debian6": lambda: only(debian(), SIX),
    "reuters": lambda: load_reuters(options=ENGLISH),
    "webkb": lambda: load_webkb(options=ENGLISH),
    "five": lambda: load_newsgroups("five", options=ENGLISH),
    "groups": lambda: load_newsgroups("groups", options=ENGLISH),
    **short_texts.COLLECTIONS,
    **unseen.COLLECTIONS,
}


class PlainCounts(WordWeights):
    """Counts as they are, tempered as weights are."""

    def fit(self, X, y=None):
        super().fit(X, y)
        self.word_weights_ = np.full(X.shape[1], self.scale)
        return self

    def transform(self, X):
        X = X.copy()
        X.data *= self.scale
        return X


def plain_counts(X, scale):
    return PlainCounts(scale=scale).fit(X)


ABLATIONS = {
    "auto": {},
    "without weights": {"weights": plain_counts},
    "without coherence": {"weights": plain_weights},
    "without background": {"background": 0.0},
    "without tempering": {"scale": 1.0},
    "without incremental vocabularies": {"growths": ()},
    "without latent semantic analysis": {"ranks": ()},
    "without consensus": {"n_votes": 0},
    "without neighbours": {"n_neighbors": 0},
    "one incremental vocabulary only": {
        "growths": ((500, 5),), "ranks": (), "n_votes": 0, "n_neighbors": 0,
    },
}  # fmt: skip
OURS = [*ABLATIONS, "auto with embeddings"]
BASELINES = ("kmeans", "lsa-kmeans", "nmf", "spectral")
PEERS = ["auto", *BASELINES, "lda", "gsdmm", "louvain", "bertopic", "auto with embeddings"]


def auto(corpus, n_clusters, seed, vectors, name="auto"):
    settings = dict(ABLATIONS.get(name, {}))
    weights = settings.pop("weights", None)
    if weights is not None:
        estimator.learned_weights = lambda X, *_, scale, **__: weights(X, scale)
    settings["calibrated"] = name == "auto"  # else only labels are looked at
    model = AutoClustering(n_clusters, random_state=seed, **settings)
    return model.fit(corpus.counts, vectors=vectors).labels_


def lda(corpus, n_clusters, seed):
    import tomotopy

    model = tomotopy.LDAModel(k=n_clusters, seed=seed)
    words = corpus.words
    rows = np.split(np.arange(corpus.counts.nnz), corpus.counts.indptr[1:-1])
    for row in rows:
        repeated = np.repeat(corpus.counts.indices[row], corpus.counts.data[row].astype(int))
        model.add_doc([words[i] for i in repeated] or ["-"])
    model.train(LDA_STEPS, workers=1)
    return np.array([np.argmax(document.get_topic_dist()) for document in model.docs])


def louvain(corpus, seed):
    """Communities of the graph of ten nearest neighbours; their number is Louvain's own."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.neighbors import kneighbors_graph
    from sknetwork.clustering import Louvain

    rows = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.counts)
    graph = kneighbors_graph(rows, 10, metric="cosine", include_self=False)
    return Louvain(random_state=seed).fit_predict((graph + graph.T).tocsr())


def bertopic(corpus, n_clusters, seed, vectors):
    from bertopic import BERTopic
    from sklearn.cluster import KMeans
    from umap import UMAP

    flat = UMAP(
        n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed
    )
    clusters = KMeans(n_clusters, random_state=seed)
    model = BERTopic(umap_model=flat, hdbscan_model=clusters)
    found, _ = model.fit_transform(corpus.texts(slice(None)), vectors.astype(np.float32))
    return np.array(found)


def labels_of(name, corpus, n_clusters, seed, vectors):
    if name in ABLATIONS:
        return auto(corpus, n_clusters, seed, None, name)
    if name == "auto with embeddings":
        return auto(corpus, n_clusters, seed, vectors.astype(np.float32))
    if name == "bertopic":
        return bertopic(corpus, n_clusters, seed, vectors)
    if name == "lda":
        return lda(corpus, n_clusters, seed)
    if name == "louvain":
        return louvain(corpus, seed)
    if name == "gsdmm":
        return gsdmm(corpus.counts, n_clusters, seed)
    return method(name).make(n_clusters, seed=seed).fit(corpus.counts).labels_


def measure(task, folder):
    name, data, seed = task
    warnings.simplefilter("ignore")
    corpus = COLLECTIONS[data]()
    vectors = np.load(folder / f"{data}.npy") if needs_vectors(name) else None
    started = time.process_time()
    found = labels_of(name, corpus, len(set(corpus.labels)), seed, vectors)
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    true, found = corpus.labels, np.asarray(found).tolist()
    scores = micro_precision(true, found), nmi(true, found), ari(true, found)
    return [*map(float, scores), seconds, peak, len(set(found))]


def needs_vectors(name):
    return name in ("bertopic", "auto with embeddings")


def time_vectors(data):
    """Seconds that the vectors of all documents take, by those of some."""
    import torch

    torch.set_num_threads(1)
    corpus = COLLECTIONS[data]()
    n_documents = len(corpus.labels)
    rows = np.random.default_rng(0).permutation(n_documents)[:N_TIMED]
    texts = corpus.texts(np.sort(rows))
    embedded(texts[:8], cached=False)
    started = time.process_time()
    embedded(texts, cached=False)
    return (time.process_time() - started) * n_documents / len(texts)


def can_run(name, data, folder):
    package = NEEDS.get(name)
    if package and find_spec(package) is None:
        print(f"{name}: left out, {package} is not installed")
        return False
    if needs_vectors(name) and not (folder and (folder / f"{data}.npy").is_file()):
        print(f"{name} on {data}: left out, no vectors given")
        return False
    return True


def run(tasks, folder):
    fresh = {"mp_context": get_context("spawn"), "max_tasks_per_child": 1}
    with ProcessPoolExecutor(1, **fresh) as pool:
        return measured(
            RESULTS, tasks, lambda todo: pool.map(measure, todo, [folder] * len(todo))
        )


def table(known, methods, data, seeds):
    print(f"\n{data}, mean ± deviation over {seeds} seeds\n")
    print("| method | AP | NMI | ARI | seconds | peak MiB |")
    print("|---|---|---|---|---|---|")
    for name in methods:
        rows = [known.get(key((name, data, seed))) for seed in range(seeds)]
        if all(rows):
            ap, info, rand, seconds, peak, n_found = np.array(rows).T
            if needs_vectors(name):
                seconds = seconds + known.get(key(("vectors", data)), 0)
            said = f"{name} ({n_found.mean():.0f} clusters)" if name == "louvain" else name
            print(
                f"| {said} | {ap.mean():.3f} ± {ap.std():.3f} "
                f"| {info.mean():.3f} ± {info.std():.3f} | {rand.mean():.3f} "
                f"| {seconds.mean():.1f} | {peak.mean():.0f} |"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="+", choices=COLLECTIONS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--methods", type=lambda text: text.split("+"))
    parser.add_argument("--ablation", action="store_true")
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--time-vectors", action="store_true")
    chosen = parser.parse_args()
    methods = chosen.methods or (list(ABLATIONS) if chosen.ablation else PEERS)
    tasks = [
        (name, data, seed)
        for data in chosen.collections
        for name in methods
        if can_run(name, data, chosen.vectors)
        for seed in range(chosen.seeds)
    ]
    if chosen.time_vectors:
        for data in chosen.collections:
            keep(RESULTS, {key(("vectors", data)): time_vectors(data)})
    known = run(tasks, chosen.vectors)
    for data in chosen.collections:
        table(known, methods, data, chosen.seeds)


if __name__ == "__main__":
    main()
