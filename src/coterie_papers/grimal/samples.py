"""Experiment of Grimal and Bisson (2011): methods compared on samples of 20 Newsgroups.

A cell is a method on a draw of a sample, with all the settings the paper sweeps: pruning, rank,
number of word clusters.
"""

import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from coterie.corpus import Corpus
from coterie.evaluation import micro_precision, nmi
from coterie.methods import AUTO
from coterie.models.block_values import BVD
from coterie.models.information import ITCC
from coterie.models.summary_network import RSN
from coterie.selection import MedoidWords, SupervisedMutualInformation
from coterie.similarity import CTK, LSA, SNOS, ChiSim, Cosine
from coterie.types import Labels
from coterie_papers.cells import Cell, Scores
from coterie_papers.clustering import complete, unfitted
from coterie_papers.collections.samples import SAMPLES, load_sample

MUTUAL_INFORMATION, MEDOIDS, ALL_WORDS = "mutual-information", "medoids", "none"
SELECTIONS: dict[str, Callable[[int], Any]] = {
    MUTUAL_INFORMATION: lambda _: SupervisedMutualInformation(smoothing=0.5),
    MEDOIDS: lambda draw: MedoidWords(random_state=draw),
}
PRUNED = tuple(i / 10 for i in range(10))
RANKS = tuple(range(10, 201, 10))
EXPONENTS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0, 3.0)
WORD_CLUSTERS = (16, 32, 64)
ALL, FEWER = ("all candidates",), ("fewer",)
FEW = {
    PRUNED: (0.0, 0.6),
    RANKS: (20, 50),
    EXPONENTS: (0.4, 0.8, 1.0),
    WORD_CLUSTERS: (32,),
    ALL: FEWER,
}
"""Settings of a quick run."""

WARD = "sqrt"
"""Distances of Ward's tree: nearer to the published Table 2 than 1 - s."""

Models = Mapping[Any, Any]


class DocumentsOnly(ChiSim):
    """χ-Sim without the tree of the words, which would take half the time."""

    def _cluster_words(self, *_: Any) -> None:
        """Leave words without clusters."""


def _pruned(settings: Callable[[Any], Any], n_clusters: int, **how: Any) -> Models:
    return {
        p: DocumentsOnly(n_clusters, pruning=p, **how, distance=WARD) for p in settings(PRUNED)
    }


METHODS: dict[str, Callable[[Callable[[Any], Any], int, int], Models]] = {
    "cosine": lambda _, K, __: {"": Cosine(K, distance=WARD)},
    "lsa": lambda few, K, seed: {
        h: LSA(K, h, random_state=seed, distance=WARD) for h in few(RANKS)
    },
    "lsa-counts": lambda few, K, seed: {
        h: LSA(K, h, scaled=False, random_state=seed, distance=WARD) for h in few(RANKS)
    },
    "itcc": lambda few, K, seed: {L: ITCC(K, L, random_state=seed) for L in few(WORD_CLUSTERS)},
    "bvd": lambda few, K, seed: {
        L: BVD(K, L, random_state=seed, n_init=3) for L in (K, *few(WORD_CLUSTERS))
    },
    "rsn": lambda few, K, seed: {
        L: RSN(K, L, "summary", random_state=seed, n_init=5) for L in (K, *few(WORD_CLUSTERS))
    },
    "rsn-information": lambda few, K, seed: {
        L: RSN(K, L, "summary", "information", random_state=seed, n_init=5)
        for L in (K, *few(WORD_CLUSTERS))
    },
    "rsn-spectral": lambda _, K, seed: {"": RSN(K, K, random_state=seed)},
    "snos": lambda _, K, __: {"": SNOS(K, distance=WARD)},
    "ctk": lambda _, K, __: {"": CTK(K, distance=WARD)},
    "chi-sim": lambda few, K, _: _pruned(few, K, norm="l1", exponent=1),
    "chi-sim-1": lambda few, K, _: _pruned(few, K, exponent=1),
    "chi-sim-0.8": lambda few, K, _: _pruned(few, K, exponent=0.8),
    "figure2-p": lambda few, K, _: _pruned(few, K, exponent=0.6),
    "figure2-k": lambda few, K, _: {
        k: DocumentsOnly(K, exponent=k, pruning=0.6, distance=WARD) for k in few(EXPONENTS)
    },
    AUTO: lambda few, K, seed: {"": unfitted(AUTO, K, seed, few=few(ALL) == FEWER)},
}


@lru_cache(maxsize=2)
def load(sample: str, draw: int, selection: str) -> tuple[Corpus, int]:
    """A draw of a sample with the words chosen, and how many documents have none of them."""
    corpus = load_sample(sample, draw)
    if selection == ALL_WORDS:
        return corpus, int((np.diff(corpus.counts.indptr) == 0).sum())
    selector = SELECTIONS[selection](draw).fit(corpus)
    return selector.transform(corpus), int(selector.n_empty_)


def sweep(cell: Cell) -> Scores:
    """Precision and NMI of a method on a draw, for every setting.

    With the setting `filled`, documents with none of the chosen words are left out.
    """
    sample, _, draw = cell.corpus.partition("/")
    corpus = as_asked(cell, load(sample, int(draw), cell.setting("selection"))[0])
    few = FEW.__getitem__ if cell.setting("few") else tuple
    models = METHODS[cell.method](few, len(SAMPLES[sample].groups), cell.seed)
    started = time.process_time()
    scores = {}
    for setting, model in models.items():
        complete(model.fit(corpus.counts))
        scores[str(setting)] = scores_of(corpus, model.labels_)
    return {"scores": scores, "seconds": time.process_time() - started}


def as_asked(cell: Cell, corpus: Corpus) -> Corpus:
    """The corpus; where the cell is `filled`, without the documents that have no word."""
    if not cell.setting("filled"):
        return corpus
    return corpus[np.flatnonzero(np.diff(corpus.counts.indptr))]


def scores_of(corpus: Corpus, labels: Labels) -> list[float]:
    """Precision and NMI of a clustering."""
    assert corpus.labels is not None
    pair = micro_precision(corpus.labels, labels), nmi(corpus.labels, labels)
    return [round(float(score), 5) for score in pair]


def shape(cell: Cell) -> Scores:
    """Clusters, documents, words, and documents without any of the chosen words."""
    sample, _, draw = cell.corpus.partition("/")
    corpus, n_empty = load(sample, int(draw), cell.setting("selection"))
    groups = SAMPLES[sample].groups
    return {
        "groups": list(groups),
        "clusters": len(groups),
        "documents": len(corpus),
        "words": len(corpus.words),
        "empty": n_empty,
    }
