"""Settings of a measure chosen by the clusters they give, without knowing any classes."""

from itertools import product

import numpy as np

from coterie.evaluation import ari
from coterie.types import Array, Labels

EXPONENTS = (0.6, 0.8, 1.0)
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9)


def settings_to_try(exponent: float | str, pruning: float | str) -> list[tuple[float, float]]:
    """All settings to try where `"auto"` stands for a number.

    Examples
    --------
    >>> settings_to_try("auto", 0.5)
    [(0.6, 0.5), (0.8, 0.5), (1.0, 0.5)]
    """
    exponents = EXPONENTS if isinstance(exponent, str) else (exponent,)
    shares = SHARES if isinstance(pruning, str) else (pruning,)
    return list(product(exponents, shares))


def score_settings(settings: list[tuple[float, float]], partitions: list[Labels]) -> Array:
    """Stability times evenness of the partition of each setting of exponent and pruning.

    Stability is the mean adjusted Rand index with the partitions of neighbouring settings,
    those a step away in either or both; evenness is the entropy of the clusters' sizes over
    its maximum.

    Examples
    --------
    >>> labels = [np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])]
    >>> score_settings([(1.0, 0.0), (1.0, 0.2), (1.0, 0.4)], labels).round(2)
    array([1. , 0.5, 0. ])
    """
    steps = np.array(settings)
    for column in steps.T:
        column[:] = np.unique(column, return_inverse=True)[1]
    scores = []
    for i, labels in enumerate(partitions):
        near = np.flatnonzero(np.abs(steps - steps[i]).max(axis=1) <= 1)
        agreement = [ari(labels, partitions[j]) for j in near if j != i]
        scores.append(np.mean(agreement or [1.0]) * evenness(labels))
    return np.array(scores)


def evenness(labels: Labels) -> float:
    """Entropy of the sizes of clusters over that of equal sizes; one cluster is even.

    Examples
    --------
    >>> evenness(np.array([0, 0, 1, 1])), round(evenness(np.array([0, 0, 0, 1])), 2)
    (1.0, 0.81)
    """
    shares = np.bincount(labels) / len(labels)
    if len(shares) == 1:
        return 1.0
    used = shares[shares > 0]
    return float(-(used @ np.log(used)) / np.log(len(shares)))
