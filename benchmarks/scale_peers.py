"""PLSA beside libraries for large collections: time to the same held-out perplexity.

    python benchmarks/scale_peers.py [groups synthetic] [--methods plsa,online,scikit-learn,...]
                                     [--documents 100000] [--seconds 300]

Every method gets the same counts and number of topics, and two cores: scikit-learn's online
LDA, gensim's LdaMulticore, tomotopy's LDA (Gibbs sampling) and Spark MLlib's online LDA, beside
PLSA by batch EM and by online EM. Those whose package is missing are left out, which is said;
they need `pip install gensim tomotopy pyspark` and, for Spark, Java 17 or newer.

`groups` are the 18 groups of 20 Newsgroups in COTERIE_DATA, `synthetic` are `--documents`
(default 100,000) of `coterie.demo.synthetic`. A fifth of the documents is held out, about 5,000
of more than 25,000. Topics alone are taken from a method after some passes, the last of them
when it has taken as many CPU seconds as `--seconds` says, and judged in one way, that of LDA:
mixes of documents, with a Dirichlet prior of 0.1 for each topic, are found by half of their
words, and perplexity is that of the other half (document completion). A twentieth of each topic
is as the collection, so that no method is judged by how it smooths words. NMI compares the
heaviest topics of held-out documents, found by all their words, with their classes.
Each method has a process of its own. Clocks stand still while topics are judged; data are read,
and Java is started, before they run. CPU seconds are of the process and of those it started.

For each method, the table has the least perplexity it came to, the time to within 1 % of that,
and the time in which PLSA by batch EM comes there; then the same for the best NMI, within 0.01.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("COTERIE_THREADS", "2")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy.sparse as sp

import coterie
from coterie import engine, executors
from coterie.evaluation import nmi

NEAR = 1.01  # times the least perplexity
ALIKE = 0.01  # below the best NMI
EVEN = 0.05
PRIOR = 0.1  # of each topic in a mix
MIXING = 50  # iterations
HELD_OUT, MOST_HELD_OUT = 0.2, 5000  # a share of the documents, and about so many at most
N_PASSES = 10  # of those that learn from batches; others come to their end in more
TICKS = os.sysconf("SC_CLK_TCK")


def groups(n_documents):  # noqa: ARG001
    from coterie_papers.collections import load_newsgroups

    corpus = load_newsgroups(classes="groups")
    return corpus.counts, corpus.labels, 18


def synthetic(n_documents):
    from coterie.demo.synthetic import Synthetic

    corpus = Synthetic(n_documents, 20).counts()
    return corpus.counts, corpus.labels, 20


def plsa(X, k):
    """Batch EM."""
    model = coterie.PLSA(k, 1.1)
    rows, shared = model._start(X, np.random.default_rng(0))
    start = engine.Run(lambda: rows, shared)
    blocks, stopping = engine.shards(X), engine.Stopping(200, 0.0)
    for run in engine.iterate(model, blocks, start, executors.current(), stopping):
        n_done = len(run.history)
        if n_done % (5 if n_done < 30 else 30) == 0:
            yield n_done, run.shared[0][:, :k].T


def online(X, k):
    """Online EM, after each of three passes."""
    for n_passes in (1, 2, 3):
        model = coterie.PLSA(k, 1.1, random_state=0)
        yield n_passes, model.fit_online(X, n_passes=n_passes).components_


def scikit_learn(X, k):
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(k, total_samples=X.shape[0], n_jobs=2, random_state=0)
    for n_passes in range(1, N_PASSES + 1):
        model.partial_fit(X)
        yield n_passes, model.components_


def gensim(X, k):
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaMulticore

    corpus = list(Sparse2Corpus(X, documents_columns=False))
    names = {number: str(number) for number in range(X.shape[1])}
    yield 0, None
    settings = {"workers": 2, "eval_every": None, "random_state": 0}
    model = LdaMulticore(num_topics=k, id2word=names, **settings)
    for n_passes in range(1, N_PASSES + 1):
        model.update(corpus)
        yield n_passes, model.get_topics()


def tomotopy(X, k):
    import tomotopy as tp

    model = tp.LDAModel(k=k, seed=1)
    for first, last in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        counts = X.data[first:last].astype(int)
        model.add_doc(np.repeat(X.indices[first:last], counts).astype(str).tolist())
    yield 0, None
    words = None
    for n_passes in range(10, 101, 10):
        model.train(10, workers=2)
        if words is None:
            words = np.array(model.used_vocabs, dtype=int)
        topics = np.zeros((k, X.shape[1]))
        topics[:, words] = [model.get_topic_word_dist(topic) for topic in range(k)]
        yield n_passes, topics


def spark(X, k):
    """Spark's online LDA, begun anew for each number of passes, as it cannot go on."""
    from pyspark.ml.clustering import LDA
    from pyspark.sql import SparkSession
    from sklearn.datasets import dump_svmlight_file

    settings = {"spark.ui.enabled": "false", "spark.driver.memory": "6g",
                "spark.driver.host": "127.0.0.1"}  # fmt: skip
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "counts.svm")
        dump_svmlight_file(X, np.zeros(X.shape[0]), path, zero_based=False)
        reader = session.read.format("libsvm").option("numFeatures", X.shape[1])
        table = reader.load(path).repartition(2).cache()
        table.count()
        LDA(k=k, maxIter=1).fit(table)  # compiled
        for n_passes in (1, N_PASSES):
            yield -n_passes, None
            settings = {"optimizer": "online", "subsamplingRate": 0.05, "seed": 0}
            model = LDA(k=k, maxIter=20 * n_passes, **settings).fit(table)
            yield n_passes, model.topicsMatrix().toArray().T
    session.stop()


METHODS = {"plsa": (plsa, None), "online": (online, None),
           "scikit-learn": (scikit_learn, "sklearn"), "gensim": (gensim, "gensim"),
           "tomotopy": (tomotopy, "tomotopy"), "spark": (spark, "pyspark")}  # fmt: skip
STARTS_ANEW = {"online", "spark"}


class Judge:
    """Held-out documents in halves of their words, and their classes."""

    def __init__(self, counts, labels, n_topics):
        rng = np.random.default_rng(19)  # not that which synthetic documents were drawn by
        n_documents = counts.shape[0]
        held_out = rng.random(n_documents) < min(HELD_OUT, MOST_HELD_OUT / n_documents)
        train = counts[~held_out]
        known = np.flatnonzero(train.sum(axis=0) > 0)
        self.train, test = train[:, known].astype(np.float32), counts[held_out][:, known]
        frequencies = self.train.sum(axis=0, dtype=float)
        self.words = frequencies / frequencies.sum()
        seen = test.copy()
        seen.data = rng.binomial(test.data.astype(int), 0.5).astype(np.float32)
        rest = sp.csr_array(test - seen)
        for half in (seen, rest):
            half.eliminate_zeros()
        self.seen, self.rest = seen.astype(np.float32), rest.tocoo()
        self.test, self.n_topics = test.astype(np.float32), n_topics
        names = np.array([str(label) for label in labels])[held_out]
        _, self.classes = np.unique(names, return_inverse=True)

    def __call__(self, topics):
        topics = np.asarray(topics, float)
        topics = topics / topics.sum(axis=1, keepdims=True)
        topics = (1 - EVEN) * topics + EVEN * self.words
        by_half = mixes(self.seen, topics)
        rows, words = self.rest.coords
        p = np.einsum("ik,ik->i", by_half[rows], topics.T[words])
        perplexity = np.exp(-np.sum(self.rest.data * np.log(p)) / self.rest.data.sum())
        labels = mixes(self.test, topics).argmax(axis=1)
        return float(perplexity), float(nmi(self.classes, labels))


def mixes(X, topics):
    """Expected mixes of documents under given topics, by mean-field updates of their counts."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    to_rows = sp.csr_array((np.ones(X.nnz), np.arange(X.nnz), X.indptr), (X.shape[0], X.nnz))
    of_words = topics.T[X.indices]
    theta = np.full((X.shape[0], len(topics)), 1 / len(topics))
    for _ in range(MIXING):
        shares = theta[rows] * of_words
        shares *= (X.data / shares.sum(axis=1))[:, None]
        theta = PRIOR + to_rows @ shares
        theta /= theta.sum(axis=1, keepdims=True)
    return theta


def cpu_seconds():
    """Of this process and of those it started, ended or not."""
    parents, spent = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(path.parent.name)
        parents[number] = int(fields[1])
        spent[number] = sum(map(int, fields[11:15])) / TICKS
    ours = {os.getpid()}
    for _ in range(10):
        ours |= {child for child, parent in parents.items() if parent in ours}
    return sum(spent[number] for number in ours)


def measure(collection, method, n_documents, seconds):
    """What a method came to after some passes: CPU and wall seconds, perplexity, NMI."""
    judge = Judge(*{"groups": groups, "synthetic": synthetic}[collection](n_documents))
    make, _ = METHODS[method]
    if method in ("plsa", "online"):  # compiled, and the pool of threads started
        coterie.PLSA(judge.n_topics, 1.1, max_iter=2).fit(judge.train[:2000])
    found, clock = [], [0.0, 0.0]
    began = cpu_seconds(), time.perf_counter()
    for n_passes, topics in make(judge.train, judge.n_topics):
        now = cpu_seconds(), time.perf_counter()
        if topics is not None:
            clock = [total + b - a for total, a, b in zip(clock, began, now, strict=True)]
            found.append((n_passes, *clock, *judge(topics)))
            print(method, found[-1], file=sys.stderr, flush=True)
        if clock[0] > seconds:
            break
        if topics is None or method in STARTS_ANEW:
            clock = [0.0, 0.0]
        began = cpu_seconds(), time.perf_counter()
    return found


def measured(*task):
    command = [sys.executable, __file__, "--task", json.dumps(task)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def first_where(rows, is_there):
    """CPU and wall seconds to what is looked for, in words."""
    reached = [row[1:3] for row in rows if is_there(row)]
    return "never | never" if not reached else "{:.1f} | {:.1f}".format(*min(reached))


def show(collection, methods, n_documents, seconds):
    ours = None
    print(f"\n| {collection} | least perplexity | CPU s | wall s | PLSA to it: CPU s | wall s |"
          " best NMI | CPU s | wall s | PLSA to it: CPU s | wall s |")  # fmt: skip
    print("|---|" + 10 * "--:|")
    for method in methods:
        rows = measured(collection, method, n_documents, seconds)
        if rows is None:
            print(f"| {method} | failed |" + 9 * " |", flush=True)
            continue
        ours = ours or rows
        print(f"| {method} | {row_of(rows, ours)} |", flush=True)


def row_of(rows, ours):
    perplexity, score = min(row[3] for row in rows), max(row[4] for row in rows)

    def is_sure(row):
        return row[3] <= NEAR * perplexity

    def is_alike(row):
        return row[4] >= score - ALIKE

    cells = [f"{perplexity:.0f}", *(first_where(each, is_sure) for each in (rows, ours))]
    cells += [f"{score:.3f}", *(first_where(each, is_alike) for each in (rows, ours))]
    return " | ".join(cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="*", default=["groups", "synthetic"])
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--documents", type=int, default=100_000, help="synthetic ones")
    parser.add_argument("--seconds", type=float, default=1e9, help="of the CPU for a method")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    if chosen.task:
        print(json.dumps(measure(*json.loads(chosen.task))))
        return
    methods = ["plsa", *(name for name in chosen.methods.split(",") if name != "plsa")]
    for name in [
        name for name in methods if METHODS[name][1] and not find_spec(METHODS[name][1])
    ]:
        print(f"{name} is left out: install {METHODS[name][1]}")
        methods.remove(name)
    for collection in chosen.collections:
        show(collection, methods, chosen.documents, chosen.seconds)


if __name__ == "__main__":
    main()
