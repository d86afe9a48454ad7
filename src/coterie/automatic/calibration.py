"""Probabilities that mean something: checked against clusters found in part of the documents.

The posteriors of a mixture are much too sure of themselves, and the surer the longer a
document is. Here a document's probability is brought to say how often documents like it are
put in the same cluster again when clusters are looked for in part of the documents. Documents
are alike that are in the same cluster, win it by the same margin and are as long:

    logit p = a_k + b log(1 + margin) + c log(length)

with the margin between the logarithms of the two largest posteriors.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.special import expit

from coterie.kernels.dense import one_thread
from coterie.types import Array, Counts, Labels

N_BINS = 10
LEAST = 1e-30  # posterior that stands for none
SUREST = 0.999
MARGIN = 1e-4  # above equal shares, and half of it above the second
Flags = npt.NDArray[np.bool_]


class Calibration(NamedTuple):
    """Terms of the clusters and slopes, or None, and what was said and seen, by ranges."""

    steadiness: Array | None
    bins: dict[str, list[float]]


NONE = Calibration(None, {})


def calibrate(posteriors: Array, weights: Counts, again: list[Labels]) -> Calibration:
    """Learn how steady documents are from how many go to the same cluster again.

    `again` has labels of all documents by clusters found in part of them, several times.
    """
    labels, n_clusters = posteriors.argmax(axis=1), posteriors.shape[1]
    steady = np.stack([aligned(labels, others, n_clusters) == labels for others in again])
    telling = np.diff(weights.indptr) > 0  # others say nothing on how steady words make
    posteriors, weights, steady = posteriors[telling], weights[telling], steady[:, telling]
    steadiness = learned(posteriors, weights, steady)
    said = calibrated(posteriors, weights, steadiness).max(axis=1)
    return Calibration(steadiness, in_bins(said, steady))


def aligned(labels: Labels, others: Labels, n_clusters: int) -> Labels:
    """Other labels renamed so that as many as possible are equal to the first.

    Examples
    --------
    >>> aligned(np.array([0, 0, 1, 2]), np.array([2, 2, 0, 0]), 3)
    array([0, 0, 1, 1])
    """
    together = np.zeros((n_clusters, n_clusters), dtype=np.int64)
    np.add.at(together, (others, labels), 1)
    _, names = linear_sum_assignment(-together)
    renamed: Labels = names[others]
    return renamed


def learned(posteriors: Array, weights: Counts, steady: Flags) -> Array:
    """The term of each cluster, and the slopes of margin and length, by logistic regression.

    `steady` has a row for each time. A larger margin never makes a document less sure.
    """
    n_clusters = posteriors.shape[1]
    if steady.all() or not steady.any():
        share = (steady.sum() + 0.5) / (steady.size + 1)
        return np.append(np.full(n_clusters, np.log(share / (1 - share))), [0.0, 0.0])
    hot = np.eye(n_clusters)[posteriors.argmax(axis=1)]
    features = _features(posteriors, weights)
    steadiness = _regression(np.hstack([hot, features]), steady)
    if steadiness[n_clusters] < 0:
        features[:, 0] = 0
        steadiness = _regression(np.hstack([hot, features]), steady)
    return steadiness


def calibrated(posteriors: Array, weights: Counts, steadiness: Array | None) -> Array:
    """Probabilities whose largest says how steady a document is, each row by itself.

    The most probable cluster stays so. What it leaves goes to the others in proportion, or
    more evenly where the second would otherwise overtake it.
    """
    n_clusters = posteriors.shape[1]
    if steadiness is None or n_clusters == 1:
        return posteriors
    rows, labels = np.arange(len(posteriors)), posteriors.argmax(axis=1)
    slopes = steadiness[n_clusters:]
    features = _features(posteriors, weights)
    logit = steadiness[labels] + features[:, 0] * slopes[0] + features[:, 1] * slopes[1]
    others = np.maximum(posteriors.astype(np.float64), LEAST)
    others[rows, labels] = 0
    others /= others.sum(axis=1, keepdims=True)
    largest = np.clip(expit(logit), 1 / n_clusters + MARGIN, SUREST)
    second, even = others.max(axis=1), 1 / (n_clusters - 1)
    most = (largest - MARGIN / 2) / (1 - largest)
    excess = np.maximum(second - most, 0) / np.maximum(second - even, LEAST)
    evened = np.minimum(excess, 1)[:, None]
    shares = ((1 - evened) * others + evened * even) * (1 - largest)[:, None]
    shares[rows, labels] = largest
    found: Array = shares.astype(posteriors.dtype)
    return found


def in_bins(said: Array, steady: Flags) -> dict[str, list[float]]:
    """What was said and what was seen, by ranges of what was said, least first.

    Examples
    --------
    >>> in_bins(np.array([0.55, 0.95, 0.97]), np.array([[False, True, True]]))
    {'said': [0.55, 0.96], 'seen': [0.0, 1.0], 'n': [1, 2]}
    """
    numbers = np.minimum((said * N_BINS).astype(int), N_BINS - 1)
    bins: dict[str, list[float]] = {"said": [], "seen": [], "n": []}
    for number in np.unique(numbers):
        inside = numbers == number
        bins["said"].append(round(float(said[inside].mean(dtype=np.float64)), 4))
        bins["seen"].append(round(float(steady[:, inside].mean()), 4))
        bins["n"].append(int(inside.sum()))
    return bins


def _features(posteriors: Array, weights: Counts) -> Array:
    two = -np.partition(-posteriors.astype(np.float64), 1, axis=1)[:, :2]
    logs = np.log(np.maximum(two, LEAST))
    lengths = weights.sum(axis=1, dtype=np.float64)
    features: Array = np.column_stack(
        [np.log1p(logs[:, 0] - logs[:, 1]), np.log(np.maximum(lengths, LEAST))]
    )
    return features


def _regression(features: Array, steady: Flags) -> Array:
    from sklearn.linear_model import LogisticRegression

    with one_thread():
        model = LogisticRegression(fit_intercept=False, max_iter=1000)
        model.fit(np.tile(features, (len(steady), 1)), steady.ravel())
    found: Array = model.coef_[0]
    return found
