"""Experiment of Pessiot et al.: concepts, and where the words of published clusters are."""

import numpy as np

from coterie.models.concepts import ConceptSpace
from coterie_papers.cells import Cell, Scores
from coterie_papers.clustering import complete
from coterie_papers.corpora import load

TOP = 15


def shares(cell: Cell) -> Scores:
    """The size of every concept, its most distinctive words, and those it has of `known`."""
    data = load(cell.corpus)
    space = ConceptSpace(cell.setting("words"), cell.method, 1.1, random_state=cell.seed)
    complete(space.fit(data.counts))
    concept_of = dict(zip(data.words.tolist(), space.word_labels_.tolist(), strict=True))
    known = [word for word in cell.setting("known") if word in concept_of]
    sizes = np.bincount(space.word_labels_ + 1, minlength=space.n_word_clusters + 1)[1:]
    return {
        "concepts": [
            {"size": int(size), "top": top, "known": [w for w in known if concept_of[w] == at]}
            for at, (size, top) in enumerate(
                zip(sizes, space.top_words(data.words, n=TOP), strict=True)
            )
        ]
    }
