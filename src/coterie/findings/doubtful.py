"""Documents that might as well be in another cluster."""

import numpy as np

from coterie.findings.assignments import Assignments
from coterie.types import Labels

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
    margins = first - assignments.second_choices[1]
    doubtful = np.flatnonzero((first < LIKELY) | (margins < CLOSE))
    positions: Labels = doubtful[np.argsort(margins[doubtful], kind="stable")]
    return positions
