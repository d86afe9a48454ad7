"""20 Newsgroups as files of mail: what is recognised, and the default by what is left out.

    python benchmarks/mail.py [--seeds 3] [--method auto] [--variants "as read" "whole body"]

Writes the 18,000 messages of the 18 groups of alt, comp, rec, sci and talk, from the folder in
COTERIE_DATA, to two folders, named as they are and with `.txt` added. Both are read as
`coterie cluster` reads them: how many messages have their subject as title, and whether the
counts of both are the same, is printed. Then the messages are clustered in 18 clusters with
more or less of each message left out, and average precision and NMI against the groups are
printed, with the standard deviation over seeds. Labels are compared alone, so fits of the
default are not calibrated. Each fit is kept in `benchmarks/results/mail.json`, so that an
interrupted run goes on; delete it when the reading of mail has changed.
"""

import argparse
import os
import re
import tempfile
import time
import warnings
from functools import cache
from pathlib import Path
from unittest.mock import patch

os.environ.setdefault("COTERIE_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from kept import key, measured

import coterie
from coterie import AutoClustering
from coterie.corpus import mail, quotes
from coterie.evaluation import micro_precision, nmi
from coterie.methods import method
from coterie_papers.collections.files import NEWSGROUPS, locate, members
from coterie_papers.collections.newsgroups import FIVE_CLASSES, SUBJECT

RESULTS = Path(__file__).parent / "results" / "mail.json"
ADDRESS = re.compile(r"<[^<>\s]*>|[^\s<>()]*@[^\s<>()]*|[^\s<>()]*\.[^\s<>()]+")
AS_READ, WHOLE = "as read", "whole body"


def without_quotes(body):
    """What the sender wrote, alone: the lines that are quoted are left out too."""
    unmarked = quotes._unmarked

    def blank(line, marks):
        text, quoted = unmarked(line, marks)
        return ("" if quoted else text), quoted

    with patch.object(quotes, "_unmarked", blank):
        return quotes.own_words(body)


def keeping(*names):
    """The cleaning without some of its steps."""
    steps = {
        "signatures": ("_without_signature", lambda lines: lines),
        "attributions": ("_attributions", lambda _lines, _quoted: set()),
        "headers": ("_without_headers", lambda lines: lines),
    }

    def clean(body):
        for name in names:
            step = patch.object(quotes, *steps[name])
            step.start()
        try:
            return quotes.own_words(body)
        finally:
            patch.stopall()

    return clean


VARIANTS = {
    AS_READ: quotes.own_words,
    WHOLE: lambda body: body,
    "signatures kept": keeping("signatures"),
    "attributions kept": keeping("attributions"),
    "both kept": keeping("signatures", "attributions"),
    "headers kept": keeping("headers"),
    "addresses left out": lambda body: ADDRESS.sub(" ", body),
    "quotes left out": without_quotes,
}


def write(folder, suffix):
    """Messages of the 18 groups, each in a file in the folder of its group."""
    for path, content in members(locate(NEWSGROUPS)):
        group, number = path.split("/")[-2:]
        if group.partition(".")[0] in FIVE_CLASSES:
            (folder / group).mkdir(parents=True, exist_ok=True)
            (folder / group / (number + suffix)).write_bytes(content)


def subject_of(file):
    """The line of the subject, found without the reader."""
    head = file.read_bytes().decode("latin-1").partition("\n\n")[0]
    found = SUBJECT.search(head)
    return " ".join(found[1].split()) if found else ""


@cache
def read(folder, variant=AS_READ):
    with patch.object(mail, "own_words", VARIANTS[variant]):
        return coterie.read(folder)


def measure(folder, task):
    variant, name, seed = task
    corpus = read(folder, variant)
    n_groups = len(set(corpus.labels))
    started = time.process_time()
    if name == "auto":
        model = AutoClustering(n_groups, random_state=seed, calibrated=False)
    else:
        model = method(name).make(n_groups, seed=seed)
    found = model.fit(corpus.counts).labels_
    seconds = time.process_time() - started
    return [
        float(micro_precision(corpus.labels, found)),
        float(nmi(corpus.labels, found)),
        seconds,
    ]


def recognised(plain, txt):
    """Print how many messages have a subject, and whether names of files matter."""
    for name, folder in (("as they are", plain), ("with .txt", txt)):
        corpus = read(folder)
        files = sorted(file for file in folder.glob("*/*"))
        right = sum(
            title == subject_of(file) for title, file in zip(corpus.titles, files, strict=True)
        )
        print(f"{name}: {len(files):,} messages, {right:,} with their subject as title, "
              f"{corpus.counts.shape[1]:,} words")  # fmt: skip
    one, other = read(plain), read(txt)
    same = one.words.tolist() == other.words.tolist() and (one.counts != other.counts).nnz == 0
    print("counts are", "the same" if same else "DIFFERENT", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        plain, txt = Path(name, "plain"), Path(name, "txt")
        write(plain, "")
        write(txt, ".txt")
        recognised(plain, txt)
        tasks = [
            (each, chosen.method, seed)
            for each in chosen.variants
            for seed in range(chosen.seeds)
        ]
        known = measured(RESULTS, tasks, lambda todo: (measure(txt, task) for task in todo))
        print("\n| left out | words | AP | NMI | CPU seconds |\n|---|---|---|---|---|")
        for variant in chosen.variants:
            runs = np.array(
                [known[key((variant, chosen.method, seed))] for seed in range(chosen.seeds)]
            )
            (ap, info, seconds), (ap_by, info_by, _) = runs.mean(axis=0), runs.std(axis=0)
            n_words = read(txt, variant).counts.shape[1]
            print(f"| {variant} | {n_words:,} | {ap:.3f} ± {ap_by:.3f} "
                  f"| {info:.3f} ± {info_by:.3f} | {seconds:.0f} |")  # fmt: skip


if __name__ == "__main__":
    main()
