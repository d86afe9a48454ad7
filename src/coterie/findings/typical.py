"""Documents that show best what a cluster is about."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coterie.findings.assignments import Assignments
from coterie.findings.words import ViewProfile
from coterie.types import Array, Labels

if TYPE_CHECKING:
    from coterie.corpus import Corpus

CANDIDATES = 10
PROBABILITY_STEP = 0.05


def typical_documents(
    label: int,
    corpus: "Corpus",
    assignments: Assignments,
    views: Sequence[ViewProfile],
    lengths: Array,
    n_documents: int,
) -> Labels:
    """Positions of the most probable documents; among equals, of those with most evidence.

    Evidence is the sum of the log-lifts of a document's words over the square root of its
    length, so that neither a lucky short document nor a merely long one comes first.
    """
    members = assignments.members(label)
    members = members[lengths[members] > 0]
    log_lifts = sum(view.counts[members] @ view.words.log_lift(label) for view in views)
    evidence = log_lifts / np.sqrt(lengths[members])
    steps = np.round(assignments.memberships[members, label] / PROBABILITY_STEP)
    best = members[np.lexsort((-evidence, -steps))]
    return _distinct_titles_first(best[: CANDIDATES * n_documents], corpus)[:n_documents]


def _distinct_titles_first(positions: Labels, corpus: "Corpus") -> Labels:
    """Move documents whose title was already listed to the end."""
    listed: set[str] = set()
    repeated = np.zeros(len(positions), dtype=bool)
    for i, position in enumerate(positions):
        repeated[i] = corpus.titles[position] in listed
        listed.add(corpus.titles[position])
    return np.concatenate([positions[~repeated], positions[repeated]])
