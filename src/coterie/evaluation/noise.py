"""What a score is worth in label noise: the share of random labels that gives the same score.

Rigouste, Cappé and Yvon (section 4) explain their MI F-scores this way: labels of some of the
documents are perturbed at random and compared with the labels as they were.
"""

import math
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from coterie.errors import InputError
from coterie.evaluation.labels import Codes, LabelsLike, encode
from coterie.types import Array

Measure: TypeAlias = Literal["nmi", "mi_f_score"]

N_SHARES = 51
"""Points of a curve; they lie closer together at small shares, where it is steep."""

MIN_DRAWS, MAX_DRAWS, DRAWN_DOCUMENTS = 2, 20, 100_000
"""A curve is a mean over as many draws as give about `DRAWN_DOCUMENTS`, within limits."""

ROUNDING = 1e-12


class NoiseCurve(NamedTuple):
    """The mean score of labels of which each share is drawn at random; scores never rise."""

    shares: Array
    scores: Array


def noise_curve(
    true: LabelsLike, measure: Measure = "nmi", random_state: int = 0
) -> NoiseCurve:
    """Score labels of which a growing share is drawn at random, against the true labels.

    The documents are chosen at random, and each gets the label of a document drawn from all
    of them with replacement: classes are drawn by their frequencies, and a document may get
    its own class again. Rigouste, Cappé and Yvon do not state how they draw. With four equal
    classes and 5, 15 and 50 % of the labels, this gives an MI F-score of 0.86, 0.66 and 0.23,
    and labels that are always wrong 0.82, 0.58 and 0.10; they report 0.9, 0.7 and 0.25.

    The curve depends on the sizes of the classes and the seed alone, and is computed once for
    each. It is made monotone by its running minimum.

    Examples
    --------
    >>> curve = noise_curve(["tea", "rum"] * 500)
    >>> curve.shares[[0, -1]], curve.scores[[0, -1]].round(2)
    (array([0., 1.]), array([1., 0.]))
    """
    if measure not in get_args(Measure):
        raise InputError(f"measure: expected 'nmi' or 'mi_f_score', got {measure!r}")
    codes, _ = encode(true, "true")
    sizes = tuple(sorted(np.bincount(codes).tolist()))
    return _curves(sizes, random_state)[measure]


def label_noise(
    true: LabelsLike, score: float, measure: Measure = "nmi", random_state: int = 0
) -> float:
    """Share of labels one would have to draw at random to get this score, from 0 to 1.

    It is read from `noise_curve` by interpolation. A score at or above that of the true labels
    is worth 0, one at or below that of random labels 1. Where all documents are of one class,
    or there is one document, random labels are the true ones: a score of 1 is worth 0, and
    any other 1.

    Examples
    --------
    >>> classes = ["tea", "rum", "gin", "ale"] * 100
    >>> round(label_noise(classes, 0.66), 2), label_noise(classes, 1), label_noise(classes, 0)
    (0.15, 0.0, 1.0)
    """
    if not 0 <= score <= 1:
        raise InputError(f"score: expected a number from 0 to 1, got {score!r}")
    shares, scores = noise_curve(true, measure, random_state)
    if score >= scores[0] - ROUNDING:
        return 0.0
    if score <= scores[-1]:
        return 1.0
    return float(np.interp(score, scores[::-1], shares[::-1]))


@lru_cache(maxsize=8)
def _curves(sizes: tuple[int, ...], random_state: int) -> dict[Measure, NoiseCurve]:
    codes = np.repeat(np.arange(len(sizes)), sizes)
    n = len(codes)
    numbers = np.unique(np.rint(n * np.linspace(0, 1, N_SHARES) ** 2).astype(np.int64))
    rng = np.random.default_rng(random_state)
    n_draws = min(max(DRAWN_DOCUMENTS // n, MIN_DRAWS), MAX_DRAWS)
    draws = [_scores_of_one_draw(codes, numbers, rng) for _ in range(n_draws)]
    means = np.minimum.accumulate(np.mean(draws, axis=0), axis=0)
    shares = numbers / n
    shares.flags.writeable = means.flags.writeable = False
    return {
        measure: NoiseCurve(shares, means[:, column])
        for column, measure in enumerate(get_args(Measure))
    }


def _scores_of_one_draw(
    codes: Codes, numbers: Codes, rng: np.random.Generator
) -> list[tuple[float, float]]:
    order, drawn = rng.permutation(len(codes)), rng.choice(codes, len(codes))
    noisy, start, scores = codes.copy(), 0, []
    for end in numbers:
        chosen = order[start:end]
        noisy[chosen] = drawn[chosen]
        scores.append(_nmi_and_mi_f_score(codes, noisy))
        start = end
    return scores


def _nmi_and_mi_f_score(codes: Codes, noisy: Codes) -> tuple[float, float]:
    n, n_classes = len(codes), int(codes[-1]) + 1
    pairs = codes * n_classes + noisy
    few = n_classes**2 <= 4 * n
    cells = np.bincount(pairs) if few else np.unique(pairs, return_counts=True)[1]
    of_true, of_noisy = _entropy(np.bincount(codes)), _entropy(np.bincount(noisy))
    if of_true == 0 or of_noisy == 0:
        return (float(of_true == of_noisy),) * 2
    information = max(of_true + of_noisy - _entropy(cells), 0.0)
    return (
        min(information / math.sqrt(of_true * of_noisy), 1.0),
        min(2 * information / (of_true + of_noisy), 1.0),
    )


def _entropy(counts: Codes) -> float:
    """Entropy of counts, by a sum: a product of BLAS would wait for its threads each time."""
    positive = counts[counts > 0] / counts.sum()
    return 0.0 if len(positive) < 2 else float(-(positive * np.log(positive)).sum())
