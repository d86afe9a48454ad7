"""Documents that might as well be elsewhere: as likely as not, or nearly as likely."""

from typing import TYPE_CHECKING

import numpy as np

from coterie.report.assignments import Assignments, DocumentRow, rows_at
from coterie.types import Labels

if TYPE_CHECKING:
    from coterie.corpus import Corpus

LIKELY = 0.5
CLOSE = 0.2


def doubtful_positions(assignments: Assignments) -> Labels:
    """Documents whose cluster has less than half of their probability.

    Or whose second choice comes within 0.2 of the first. Those nearest to a second cluster
    come first.
    """
    if assignments.n_clusters == 1:
        return np.empty(0, dtype=np.intp)
    first = assignments.probabilities
    margins = first - assignments.second_choices()[1]
    found = np.flatnonzero((first < LIKELY) | (margins < CLOSE))
    positions: Labels = found[np.argsort(margins[found], kind="stable")]
    return positions


def doubtful_documents(corpus: "Corpus", assignments: Assignments) -> tuple[DocumentRow, ...]:
    """List them all, with their first and second choice."""
    return tuple(rows_at(assignments, corpus, doubtful_positions(assignments)))
