"""Partitions that know nothing of the documents."""

import numpy as np

from coterie.evaluation import pairwise_scores
from coterie_papers.cells import Cell, Scores
from coterie_papers.corpora import load


def even(cell: Cell) -> Scores:
    """Pairwise scores of clusters of equal size, drawn at random."""
    labels = load(cell.corpus).labels
    clusters = np.arange(len(labels)) % cell.setting("clusters")
    found = pairwise_scores(labels, np.random.default_rng(cell.seed).permutation(clusters))
    return {"precision": found.precision, "recall": found.recall, "f1": found.f1,
            "hard": list(found), "seconds": 0.0}  # fmt: skip
