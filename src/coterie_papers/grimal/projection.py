"""Experiment: are similarities of χ-Sim inner products, and is a projection worth its time?

Section 3.1 of Grimal and Bisson (2011) answers both in words.
"""

import time
from typing import Any

import numpy as np

from coterie.evaluation import micro_precision
from coterie.similarity import diagnose
from coterie_papers.cells import Cell, Scores
from coterie_papers.clustering import complete
from coterie_papers.collections.samples import SAMPLES
from coterie_papers.grimal.samples import WARD, DocumentsOnly, load


def diagnosis(cell: Cell) -> Scores:
    """Eigenvalues and entries above one of both matrices; χ-Sim with and without projection.

    The smallest eigenvalue is relative to the largest; it is the lower one of documents and
    words. The share of pairs above one is the larger one.
    """
    sample, _, draw = cell.corpus.partition("/")
    corpus, _ = load(sample, int(draw), cell.setting("selection"))
    corpus = corpus[np.flatnonzero(np.diff(corpus.counts.indptr))]
    assert corpus.labels is not None
    found: Scores = {}
    for name, semidefinite in (("plain", False), ("projected", True)):
        started = time.process_time()
        model = DocumentsOnly(
            len(SAMPLES[sample].groups),
            exponent=cell.setting("exponent"),
            pruning=cell.setting("pruning"),
            semidefinite=semidefinite,
            distance=WARD,
        ).fit(corpus.counts)
        complete(model)
        found[f"{name}_seconds"] = time.process_time() - started
        found[name] = float(micro_precision(corpus.labels, model.labels_))
        if not semidefinite:
            both = [_quality(S) for S in (model.document_similarity_, model.word_similarity_)]
            found["smallest"] = min(smallest for smallest, _ in both)
            found["above_one"] = max(share for _, share in both)
    return found


def _quality(similarity: Any) -> tuple[float, float]:
    """The smallest eigenvalue relative to the largest, and the share of pairs above one."""
    from scipy.sparse.linalg import eigsh

    found = diagnose(similarity)
    n = similarity.shape[0]
    start = np.ones(n, similarity.dtype)
    (largest,) = eigsh(similarity, 1, which="LA", v0=start, return_eigenvectors=False)
    share = found.n_above_one / (n * (n + 1) / 2)
    return found.smallest_eigenvalue / float(largest), share
