"""The default on texts in Japanese, Chinese, Korean and Russian, and on five scripts at once.

    python benchmarks/languages.py [--seeds 3] [--languages ja zh] [--mixed]

Reads the descriptions of Debian packages from the folder in COTERIE_DATA. A language is
clustered in six clusters, one a section (games, sound, graphics, net, text, admin), and average
precision and NMI against the sections are printed, with words of each cluster. `--mixed`
clusters documents of five scripts together, says how clusters follow languages, and clusters
each language by itself, as `--by-language` does.
"""

import argparse
import json
import lzma
import os
import warnings
from collections import Counter
from pathlib import Path

os.environ.setdefault("COTERIE_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from coterie import AutoClustering, Corpus
from coterie.clustering.languages import by_language, note_on_languages
from coterie.evaluation import micro_precision, nmi

SECTIONS = ("games", "sound", "graphics", "net", "text", "admin")
LANGUAGES = ("ja", "zh", "ko", "ru")


def rows(name):
    path = Path(os.environ["COTERIE_DATA"]) / name
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def of_language(code):
    """The texts of six sections in a language, and the section of each."""
    if code == "en":
        chosen = rows("debian-desc-en-de-fr-it-es.jsonl.xz")
        return [(row["en"], row["section"]) for row in chosen if row["section"] in SECTIONS]
    return [
        (row["text"], row["section"])
        for row in rows("debian-desc-ja-zh-ko-ru.jsonl.xz")
        if row["language"] == code and row["section"] in SECTIONS
    ]


def score(corpus, seeds):
    found = []
    for seed in range(seeds):
        model = AutoClustering(len(SECTIONS), random_state=seed).fit(corpus)
        true = corpus.labels
        found.append((micro_precision(true, model.labels_), nmi(true, model.labels_)))
    mean, deviation = np.mean(found, axis=0), np.std(found, axis=0)
    return mean, deviation, model


def show_words(corpus, model):
    overall = np.asarray(corpus.counts.sum(axis=0)).ravel() / corpus.counts.sum()
    for cluster, words in enumerate(model.components_):
        lift = words * np.log(np.maximum(words, 1e-12) / np.maximum(overall, 1e-12))
        print("  ", cluster + 1, " ".join(corpus.words[np.argsort(-lift)[:8]]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--languages", nargs="*", default=LANGUAGES)
    parser.add_argument("--mixed", action="store_true")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    for code in chosen.languages:
        texts, sections = zip(*of_language(code), strict=True)
        corpus = Corpus.from_texts(list(texts), labels=sections)
        mean, deviation, model = score(corpus, chosen.seeds)
        print(f"{code}: {len(texts)} documents, {len(corpus.words)} words, "
              f"AP {mean[0]:.3f} ± {deviation[0]:.3f}, "
              f"NMI {mean[1]:.3f} ± {deviation[1]:.3f}", flush=True)  # fmt: skip
        show_words(corpus, model)
    if chosen.mixed:
        mixed(chosen.seeds)


def mixed(seeds):
    """80 texts of each of five languages together: what clusters follow, and the notes."""
    chosen = [
        (text, section, code)
        for code in ("en", *LANGUAGES)
        for text, section in of_language(code)[:80]
    ]
    texts, sections, codes = zip(*chosen, strict=True)
    corpus = Corpus.from_texts(list(texts), labels=sections)
    print(*corpus.notes.lines(), sep="\n")
    mean, _, model = score(corpus, seeds)
    print(f"five scripts: {len(texts)} documents, NMI with sections {mean[1]:.3f}, "
          f"with languages {nmi(np.array(codes), model.labels_):.3f}")  # fmt: skip
    for cluster in range(len(SECTIONS)):
        inside = [code for code, label in zip(codes, model.labels_, strict=True)
                  if label == cluster]  # fmt: skip
        print("  ", cluster + 1, dict(Counter(inside)))
    show_words(corpus, model)
    print("said:", note_on_languages(corpus, model.labels_))
    for code, part in by_language(corpus):
        (ap, info), (ap_by, info_by), _ = score(part, seeds)
        print(f"by language, {code}: {len(part)} documents, AP {ap:.3f} ± {ap_by:.3f}, "
              f"NMI {info:.3f} ± {info_by:.3f}")  # fmt: skip


if __name__ == "__main__":
    main()
