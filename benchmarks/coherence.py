"""Coherence of topics on 20 Newsgroups: ours against gensim's CoherenceModel.

    COTERIE_DATA=FOLDER python benchmarks/coherence.py

Both get the same lists of words; ours turns them into numbers, and gensim's dictionary is
made, before the clock starts. Times are the best of three (ours) and of one (gensim), on one
core each.
"""

import os
import time
from pathlib import Path

import numpy as np
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel

import coterie
from coterie.corpus import sequences_of
from coterie.evaluation import c_v_coherence, npmi_coherence

N_TOPICS, N_WORDS = 20, 10


def timed(compute, runs):
    best = np.inf
    for _ in range(runs):
        started = time.perf_counter()
        result = compute()
        best = min(best, time.perf_counter() - started)
    return best, np.asarray(result)


def main():
    corpus = coterie.read(Path(os.environ["COTERIE_DATA"]) / "20news-19997.tar.xz")
    model = coterie.PLSA(N_TOPICS, random_state=0, max_iter=30, tol=1e-3).fit(corpus)
    top = np.argsort(-model.components_, axis=1)[:, :N_WORDS]
    topics = [corpus.words[row].tolist() for row in top]
    sequences = sequences_of(corpus)
    words = np.append(sequences.words, "(rare)")
    texts = [words[each].tolist() for each in np.split(sequences.columns, sequences.ends[:-1])]
    dictionary = Dictionary(texts)
    print(f"{len(texts):,} documents, {len(sequences.columns):,} words, {N_TOPICS} topics")
    print("| measure | Coterie, s | gensim, s | ratio | largest difference |")
    print("|---|---|---|---|---|")
    for name, ours in (("c_npmi", npmi_coherence), ("c_v", c_v_coherence)):
        ours(topics, sequences)  # compiles
        seconds, mine = timed(lambda ours=ours: ours(topics, sequences), 3)
        theirs = CoherenceModel(
            topics=topics, texts=texts, dictionary=dictionary, coherence=name, processes=1
        )
        gensim_seconds, expected = timed(theirs.get_coherence_per_topic, 1)
        print(
            f"| {name} | {seconds:.2f} | {gensim_seconds:.1f} | {gensim_seconds / seconds:.0f} "
            f"| {abs(mine - expected).max():.1e} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
