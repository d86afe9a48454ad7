"""Classes of documents perturbed at random and compared with themselves (section 4)."""

import numpy as np

from coterie.evaluation import mi_f_score
from coterie_papers.cells import Cell, Scores
from coterie_papers.corpora import load


def scores(cell: Cell) -> Scores:
    """MI F-score of the classes after each share of them is perturbed, in one order.

    The method "all" draws a new class from all classes, the method "others" from those that
    the document does not have.
    """
    data = load(cell.corpus)
    names, codes = np.unique(data.labels.astype(str), return_inverse=True)
    rng = np.random.default_rng(cell.seed)
    order = rng.permutation(len(codes))
    if cell.method == "all":
        drawn = rng.integers(len(names), size=len(codes))
    else:
        drawn = (codes + rng.integers(1, len(names), size=len(codes))) % len(names)
    found = []
    for share in cell.setting("shares"):
        labels, chosen = codes.copy(), order[: round(share * len(codes))]
        labels[chosen] = drawn[chosen]
        found.append(mi_f_score(codes, np.eye(len(names))[labels]))
    return {"f_score": found}
