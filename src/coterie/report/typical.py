"""Which documents show best what a cluster is about."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coterie.report.assignments import Assignments
from coterie.report.words import ViewProfile
from coterie.types import Array, Labels

if TYPE_CHECKING:
    from coterie.corpus import Corpus

CANDIDATES = 10
PROBABILITY_STEP = 0.05


def typical_documents(
    index: int,
    corpus: "Corpus",
    assignments: Assignments,
    views: Sequence[ViewProfile],
    lengths: Array,
    n_documents: int,
) -> Labels:
    """Choose documents by probability, in steps, then by what their words say for the cluster.

    The evidence of the words is taken over the square root of a document's length, so that
    neither a lucky short document nor a merely long one comes first.
    """
    members = assignments.members(index)
    members = members[lengths[members] > 0]
    said = sum(view.counts[members] @ view.words.log_lift(index) for view in views)
    evidence = said / np.sqrt(lengths[members])
    steps = np.round(assignments.memberships[members, index] / PROBABILITY_STEP)
    best = members[np.lexsort((-evidence, -steps))]
    return _distinct_titles_first(best[: CANDIDATES * n_documents], corpus)[:n_documents]


def _distinct_titles_first(positions: Labels, corpus: "Corpus") -> Labels:
    """Move documents whose title was already listed to the end."""
    seen: set[str] = set()
    repeated = np.zeros(len(positions), dtype=bool)
    for place, position in enumerate(positions):
        repeated[place] = corpus.titles[position] in seen
        seen.add(corpus.titles[position])
    return np.concatenate([positions[~repeated], positions[repeated]])
