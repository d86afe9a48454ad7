"""Online EM beside batch EM: held-out perplexity after at most three passes.

    python benchmarks/online.py groups reuters [--passes 3] [--seeds 3]
    python benchmarks/online.py groups reuters --updates [--parts 5] [--methods plsa,mm,auto]

Reads 20 Newsgroups (the 18 groups of five classes) and Reuters-21578 (7 classes) from the
folder in COTERIE_DATA, with a fifth of the documents held out. Batch EM runs to its default
tolerance. Perplexity is that of held-out documents, folded in, on words that training documents
have. Times are CPU seconds of one thread, so that they can be compared on a busy machine.

`--updates` clusters one of several equal parts, in random order, and adds the others by
`coterie update`, one after the other, beside one clustering of all texts. NMI is that of all
documents at the end. Counting words, and finding what the page shows, are in the times.
"""

import argparse
import os
import time
import warnings

os.environ.setdefault("COTERIE_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import coterie
from coterie.evaluation import nmi
from coterie_papers.collections import load_newsgroups, load_reuters

COLLECTIONS = {
    "groups": (lambda: load_newsgroups(classes="groups"), 18),
    "reuters": (load_reuters, 7),
}
MODELS = {
    "mm": lambda k, seed: coterie.MultinomialMixture(k, random_state=seed),
    "plsa": lambda k, seed: coterie.PLSA(k, 1.1, random_state=seed),
    "ext-plsa": lambda k, seed: coterie.ExtPLSA(k, 20, random_state=seed),
    "2plsa": lambda k, seed: coterie.TwoPLSA(k, 20, random_state=seed),
}


def halves(name):
    load, n_clusters = COLLECTIONS[name]
    counts = load().counts.astype(np.float32)
    held_out = np.random.default_rng(0).random(counts.shape[0]) < 0.2
    train, test = counts[~held_out], counts[held_out]
    known = np.flatnonzero(train.sum(axis=0) > 0)
    return train[:, known], test[:, known], n_clusters


def timed(fit, test):
    began = time.process_time()
    fitted = fit()
    return time.process_time() - began, fitted.perplexity(test), fitted.n_iter_


def row(make, n_clusters, seed, train, test, n_passes):
    batch = timed(lambda: make(n_clusters, seed).fit(train), test)
    online = timed(lambda: make(n_clusters, seed).fit_online(train, n_passes=n_passes), test)
    return *batch, *online[:2], online[1] / batch[1]


def updated(texts, n_clusters, method, seed, n_parts):
    """Labels after the last of some updates, and CPU seconds of the first fit and of all."""
    parts = np.array_split(np.arange(len(texts)), n_parts)
    of_parts = [[texts[number] for number in part] for part in parts]
    began = time.process_time()
    result = coterie.cluster(of_parts[0], n_clusters, method, seed=seed, progress=False)
    first = time.process_time() - began
    for part in of_parts[1:]:
        result = result.update(part).result
    _ = result.summary  # what the page and the tables show
    return result.labels, first, time.process_time() - began


def update_row(texts, labels, n_clusters, method, seed, n_parts):
    order = np.random.default_rng(seed).permutation(len(texts))
    texts, labels = [texts[number] for number in order], np.asarray(labels)[order]
    found, first, cpu = updated(texts, n_clusters, method, seed, n_parts)
    began = time.process_time()
    whole = coterie.cluster(texts, n_clusters, method, seed=seed, progress=False)
    _ = whole.summary
    at_once = time.process_time() - began
    n_first = len(texts) // n_parts
    return (first, nmi(labels[:n_first], found[:n_first]), cpu, nmi(labels, found),
            at_once, nmi(labels, whole.labels))  # fmt: skip


def show_updates(chosen):
    print("| collection | method | first part: CPU s | its NMI at the end | all parts: CPU s | "
          "NMI | all at once: CPU s | NMI |")  # fmt: skip
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for name in chosen.collections:
        load, n_clusters = COLLECTIONS[name]
        corpus = load()
        texts = corpus.texts(slice(None))
        for method in chosen.methods.split(","):
            rows = [update_row(texts, corpus.labels, n_clusters, method, seed, chosen.parts)
                    for seed in range(chosen.seeds)]  # fmt: skip
            first, of_first, cpu, score, at_once, of_all = np.mean(rows, axis=0)
            print(f"| {name} | {method} | {first:.1f} | {of_first:.3f} | {cpu:.1f} | "
                  f"{score:.3f} | {at_once:.1f} | {of_all:.3f} |", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("collections", nargs="*", default=["groups", "reuters"])
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--updates", action="store_true", help="a collection in parts")
    parser.add_argument("--parts", type=int, default=5)
    parser.add_argument("--methods", default="plsa,mm,auto", help="of updates")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    if chosen.updates:
        show_updates(chosen)
        return
    print("| collection | model | batch EM: iterations | CPU s | perplexity | online: CPU s |"
          " perplexity | online / batch |")  # fmt: skip
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for name in chosen.collections:
        train, test, n_clusters = halves(name)
        for model in chosen.models.split(","):
            rows = [row(MODELS[model], n_clusters, seed, train, test, chosen.passes)
                    for seed in range(chosen.seeds)]  # fmt: skip
            cpu, perplexity, n_iter, online_cpu, online_perplexity, ratio = np.mean(rows, 0)
            print(f"| {name} | {model} | {n_iter:.0f} | {cpu:.1f} | {perplexity:.0f} | "
                  f"{online_cpu:.1f} | {online_perplexity:.0f} | {ratio:.4f} |",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
