"""Calibrated probabilities: how often documents stay in their cluster when data change.

The posteriors of a mixture are overconfident, and the more so the longer a document is. Here
the largest probability of a document is calibrated to the share of documents like it that
stay in their cluster when clusters are learned from part of the documents. Documents are
alike that are in the same cluster, win it by the same margin and are as long:

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
    """Coefficients of the logistic regression, and its reliability by bins; or nothing.

    The coefficients are the intercept of each cluster and the slopes of margin and length.
    """

    coefficients: Array
    bins: dict[str, list[float]]


NONE = Calibration(np.zeros(0), {})


def calibrate(posteriors: Array, weights: Counts, repeats: list[Labels]) -> Calibration:
    """Learn how likely documents are to stay in their cluster.

    `repeats` has labels of all documents for each time clusters were learned from part of them.
    """
    labels, n_clusters = posteriors.argmax(axis=1), posteriors.shape[1]
    stayed = np.stack([aligned(labels, others, n_clusters) == labels for others in repeats])
    has_words = np.diff(weights.indptr) > 0  # others cannot be judged by words
    posteriors, weights, stayed = (
        posteriors[has_words],
        weights[has_words],
        stayed[:, has_words],
    )
    coefficients = regression(posteriors, weights, stayed)
    predicted = calibrated(posteriors, weights, coefficients).max(axis=1)
    return Calibration(coefficients, in_bins(predicted, stayed))


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


def regression(posteriors: Array, weights: Counts, stayed: Flags) -> Array:
    """Coefficients of a logistic regression of `stayed`, which has a row for each repeat.

    A larger margin never makes a document less likely to stay.
    """
    n_clusters = posteriors.shape[1]
    if stayed.all() or not stayed.any():
        share = (stayed.sum() + 0.5) / (stayed.size + 1)
        return np.append(np.full(n_clusters, np.log(share / (1 - share))), [0.0, 0.0])
    hot = np.eye(n_clusters)[posteriors.argmax(axis=1)]
    features = _features(posteriors, weights)
    coefficients = _logistic(np.hstack([hot, features]), stayed)
    if coefficients[n_clusters] < 0:
        features[:, 0] = 0
        coefficients = _logistic(np.hstack([hot, features]), stayed)
    return coefficients


def calibrated(posteriors: Array, weights: Counts, coefficients: Array) -> Array:
    """Calibrated probabilities of documents, each document on its own.

    The most probable cluster stays so. What it leaves goes to the others in proportion, or
    more evenly where the second would otherwise overtake it. Without coefficients, posteriors
    stay as they are.
    """
    n_clusters = posteriors.shape[1]
    if not coefficients.size or n_clusters == 1:
        return posteriors
    rows, labels = np.arange(len(posteriors)), posteriors.argmax(axis=1)
    slopes = coefficients[n_clusters:]
    features = _features(posteriors, weights)
    logit = coefficients[labels] + features[:, 0] * slopes[0] + features[:, 1] * slopes[1]
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
    probabilities: Array = shares.astype(posteriors.dtype)
    return probabilities


def in_bins(predicted: Array, stayed: Flags) -> dict[str, list[float]]:
    """Mean predicted and observed probabilities of ten bins, and documents, lowest bin first.

    Examples
    --------
    >>> in_bins(np.array([0.55, 0.95, 0.97]), np.array([[False, True, True]]))
    {'predicted': [0.55, 0.96], 'observed': [0.0, 1.0], 'n': [1, 2]}
    """
    numbers = np.minimum((predicted * N_BINS).astype(int), N_BINS - 1)
    bins: dict[str, list[float]] = {"predicted": [], "observed": [], "n": []}
    for number in np.unique(numbers):
        inside = numbers == number
        bins["predicted"].append(round(float(predicted[inside].mean(dtype=np.float64)), 4))
        bins["observed"].append(round(float(stayed[:, inside].mean()), 4))
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


def _logistic(features: Array, stayed: Flags) -> Array:
    from sklearn.linear_model import LogisticRegression

    with one_thread():
        model = LogisticRegression(fit_intercept=False, max_iter=1000)
        model.fit(np.tile(features, (len(stayed), 1)), stayed.ravel())
    coefficients: Array = model.coef_[0]
    return coefficients
