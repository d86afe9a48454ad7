"""Counting words: Coterie against scikit-learn's CountVectorizer, on the same texts.

Each runs in a process of its own, so that time and memory are its own; then the two matrices
and vocabularies are compared. The texts are 20 Newsgroups where `COTERIE_DATA` names a folder
that holds it, else random text of the same size. Run: `python benchmarks/counting.py`.
"""

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ARCHIVE = "20news-19997.tar.xz"
PATTERN = r"(?u)\b\w\w+\b"
COUNTERS = ("coterie", "scikit-learn")


def newsgroups(archive: Path) -> list[str]:
    """Return the messages of 20 Newsgroups."""
    texts = []
    with tarfile.open(archive, "r|*") as tape:
        for member in tape:
            file = tape.extractfile(member) if member.isreg() else None
            if file is not None:
                texts.append(file.read().decode("latin-1"))
    return texts


def zipfian(n_documents: int = 20_000, n_words: int = 200_000) -> list[str]:
    """Return random texts whose words are as unequal as those of a language."""
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    lengths = rng.integers(2, 12, n_words)
    words = ["".join(rng.choice(letters, length)) for length in lengths]
    texts = []
    for length in rng.lognormal(5.3, 0.9, n_documents).astype(int) + 1:
        ranks = np.minimum(rng.zipf(1.2, length), n_words) - 1
        texts.append(" ".join([words[rank] for rank in ranks]))
    return texts


def source() -> list[str]:
    """Return the texts to count."""
    archive = Path(os.environ.get("COTERIE_DATA", "")) / ARCHIVE
    return newsgroups(archive) if archive.is_file() else zipfian()


def count_with_coterie(texts: list[str], ngrams: int) -> tuple[Any, Any]:
    """Count with Coterie, set to do what CountVectorizer does by default."""
    from coterie.corpus import TextOptions, Vocabulary

    options = TextOptions(
        language="en",
        pattern=PATTERN,
        digits="keep",
        stop_words="none",
        min_df=1,
        ngrams=ngrams,
    )
    vocabulary, counts = Vocabulary.learn(texts, options)
    return vocabulary.words, counts


def count_with_scikit_learn(texts: list[str], ngrams: int) -> tuple[Any, Any]:
    """Count with CountVectorizer."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(ngram_range=(1, ngrams))
    counts = vectorizer.fit_transform(texts)
    return vectorizer.get_feature_names_out(), counts


def digest(words: Any, counts: Any) -> str:
    """Return a checksum of the words and of where each was counted."""
    counts.sort_indices()
    total = hashlib.sha256("\n".join(words).encode())
    for part, dtype in ((counts.data, "f4"), (counts.indices, "i4"), (counts.indptr, "i8")):
        total.update(np.asarray(part).astype(dtype).tobytes())
    return total.hexdigest()


def measure(name: str, ngrams: int) -> None:
    """Count in this process, and print what it took as JSON."""
    count = count_with_coterie if name == "coterie" else count_with_scikit_learn
    count(["warm up, so that imports are not timed"], 1)
    texts = source()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    words, counts = count(texts, ngrams)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = {
        "seconds": seconds,
        "peak": peak / 1024,
        "added": (peak - before) / 1024,
        "characters": sum(map(len, texts)),
        "shape": counts.shape,
        "digest": digest(words, counts),
    }
    print(json.dumps(found))


def in_fresh_process(name: str, ngrams: int) -> dict[str, Any]:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, "--one", name, "--ngrams", str(ngrams)]
    found: dict[str, Any] = json.loads(subprocess.check_output(command))
    return found


def compare(repeats: int, ngrams: int) -> None:
    """Print the best time of each, their ratio, peak memory, and whether the counts agree."""
    runs = {name: [] for name in COUNTERS}
    for _ in range(repeats):
        for name in COUNTERS:
            runs[name].append(in_fresh_process(name, ngrams))
    best = {name: min(found, key=lambda run: run["seconds"]) for name, found in runs.items()}
    for name, run in best.items():
        n_documents, n_words = run["shape"]
        print(
            f"{name:13} {run['seconds']:6.2f} s   peak {run['peak']:6.0f} MiB "
            f"({run['added']:+.0f} while counting)   {n_documents} documents x {n_words} words"
        )
    ratio = best["scikit-learn"]["seconds"] / best["coterie"]["seconds"]
    print(f"Coterie is {ratio:.2f} times as fast on {best['coterie']['characters']} characters")
    digests = {run["digest"] for found in runs.values() for run in found}
    print("counts and vocabularies are equal" if len(digests) == 1 else "COUNTS DIFFER")
    sys.exit(len(digests) != 1)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--ngrams", type=int, choices=(1, 2), default=1)
    parser.add_argument("--one", choices=COUNTERS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        measure(given.one, given.ngrams)
    else:
        compare(given.repeats, given.ngrams)


if __name__ == "__main__":
    main()
