"""The default on collections changed in ways that should not matter.

    python benchmarks/robust.py reuters debian6 [--seeds 3] [--jobs 2] [--variants "as it is"]

Texts are counted and clustered as `coterie cluster PATH -k CLASSES --language en` does, with
another stop list, stems, numbers dropped or kept, another `min_df`, half of the documents, and,
for the Reuters stories, titles before the bodies and the line they are signed off with.
Collections are those of `peers.py`. Labels are compared alone, so fits are not calibrated.
"""

import argparse
import os
import re
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

os.environ.setdefault("COTERIE_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from peers import COLLECTIONS
from short_texts import stories_of

from coterie import AutoClustering, Corpus, TextOptions
from coterie.evaluation import micro_precision, nmi
from coterie_papers.collections import reuters

AS_IS, HALF = "as it is", "half of the documents"
OPTIONS = {
    AS_IS: {},
    "stems": {"stem": True},
    "long stop list": {"stop_words": "long"},
    "no stop list": {"stop_words": "none"},
    "numbers dropped": {"digits": "drop"},
    "numbers kept": {"digits": "keep"},
    "min_df 2": {"min_df": 2},
    "min_df 5": {"min_df": 5},
    HALF: {},
}


def stories(*, signed_off):
    """Titles and bodies of the Reuters stories of the seven largest classes."""
    sign_off = reuters.SIGN_OFF
    if signed_off:
        reuters.SIGN_OFF = re.compile(r"(?!)")
    chosen = stories_of(7)
    reuters.SIGN_OFF = sign_off
    texts = [f"{story.title}\n\n{story.body}" for story in chosen]
    return texts, [story.topics[0] for story in chosen]


def texts_of(data):
    if data == "reuters+titles":
        return stories(signed_off=False)
    if data == "reuters+titles+sign-off":
        return stories(signed_off=True)
    corpus = COLLECTIONS[data]()
    return corpus.texts(slice(None)), corpus.labels.astype(str).tolist()


def measure(task):
    data, variant, seed = task
    warnings.simplefilter("ignore")
    texts, labels = texts_of(data)
    if variant == HALF:
        rows = np.random.default_rng(1).permutation(len(texts))[: len(texts) // 2]
        texts, labels = [texts[i] for i in sorted(rows)], [labels[i] for i in sorted(rows)]
    counts = Corpus.from_texts(
        texts, options=TextOptions(language="en", **OPTIONS[variant])
    ).counts
    model = AutoClustering(len(set(labels)), random_state=seed, calibrated=False).fit(counts)
    found = model.labels_.tolist()
    return float(micro_precision(labels, found)), float(nmi(labels, found))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    more = ["reuters+titles", "reuters+titles+sign-off"]
    parser.add_argument("collections", nargs="+", choices=[*COLLECTIONS, *more])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--variants", nargs="+", choices=OPTIONS, default=list(OPTIONS))
    chosen = parser.parse_args()
    tasks = [
        (d, v, s)
        for d in chosen.collections
        for v in chosen.variants
        for s in range(chosen.seeds)
    ]
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        scores = dict(zip(tasks, pool.map(measure, tasks), strict=True))
    print("| AP / NMI | " + " | ".join(chosen.collections) + " |")
    print("|---" * (len(chosen.collections) + 1) + "|")
    for variant in chosen.variants:
        cells = []
        for data in chosen.collections:
            runs = [scores[data, variant, seed] for seed in range(chosen.seeds)]
            means = " / ".join(f"{value:.3f}" for value in np.mean(runs, axis=0))
            cells.append(f"{means} (± {np.std(runs, axis=0)[1]:.3f})")
        print(f"| {variant} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
