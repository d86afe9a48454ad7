r"""Measures of agreement between known classes (`true`) and clusters (`predicted`).

Both are one label a document, of any hashable kind: numbers, strings, tuples. Soft clusters
are memberships: a row of probabilities a document. No measure depends on the names of the
clusters or on the order of the documents. scikit-learn computes what it can; what is computed
here are measures by majority class, which it lacks, and those of soft memberships, which it
would round to whole numbers.
"""

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import pair_confusion_matrix

from coterie.errors import InputError
from coterie.evaluation.labels import (
    Codes,
    LabelsLike,
    check_memberships,
    check_same_length,
    contingency,
    encode,
    encode_both,
)
from coterie.types import Array

BLOCK_ENTRIES = 1 << 22
ROUNDING = 1e-12


class ClassScore(NamedTuple):
    """Precision, recall and F1 of one class, each cluster standing for its majority class."""

    name: Hashable
    size: int
    precision: float
    recall: float
    f1: float


class PairScores(NamedTuple):
    """Precision, recall and F1 of pairs of documents, right if of one class."""

    precision: float
    recall: float
    f1: float


def majority_classes(true: LabelsLike, predicted: LabelsLike) -> dict[Hashable, Hashable]:
    """Give each cluster's most frequent class; of equals, the first in sorted order.

    Examples
    --------
    >>> majority_classes(["tea", "tea", "rum", "rum"], [0, 0, 0, 1])
    {0: 'tea', 1: 'rum'}
    """
    table = contingency(true, predicted)
    majority = table.counts.argmax(axis=0)
    return {
        name: table.classes[row] for name, row in zip(table.clusters, majority, strict=True)
    }


def micro_precision(true: LabelsLike, predicted: LabelsLike) -> float:
    r"""Share of documents in the majority class of their cluster.

    With :math:`\kappa(l)` documents rightly assigned to class *l* and :math:`\vartheta(l)`
    wrongly, it is :math:`\sum_l \kappa(l) / \sum_l (\kappa(l) + \vartheta(l))`. Every document
    is assigned to exactly one class, so micro-averaged recall is the same number, and some
    papers call it average precision. One cluster for each document gives 1.

    Examples
    --------
    >>> micro_precision(["tea", "tea", "rum", "rum"], [0, 0, 0, 1])
    0.75
    """
    counts = contingency(true, predicted).counts
    return float(counts.max(axis=0).sum() / counts.sum())


def micro_recall(true: LabelsLike, predicted: LabelsLike) -> float:
    """Share of documents in the majority class of their cluster: equal to micro precision.

    Examples
    --------
    >>> micro_recall(["tea", "tea", "rum", "rum"], [0, 0, 0, 1])
    0.75
    """
    return micro_precision(true, predicted)


def class_scores(true: LabelsLike, predicted: LabelsLike) -> list[ClassScore]:
    """Score each class; one that no cluster stands for has precision, recall and F1 of 0.

    Examples
    --------
    >>> for row in class_scores(["tea", "tea", "rum", "rum"], [0, 0, 0, 1]):
    ...     print(row.name, row.size, round(row.precision, 2), row.recall)
    rum 2 1.0 0.5
    tea 2 0.67 1.0
    """
    table = contingency(true, predicted)
    stands_for = np.eye(len(table.classes), dtype=np.int64)[table.counts.argmax(axis=0)]
    right = (table.counts * stands_for.T).sum(axis=1)
    assigned = stands_for.T @ table.counts.sum(axis=0)
    sizes = table.counts.sum(axis=1)
    return [
        ClassScore(name, size, *_precision_recall_f1(n_right, n_assigned, size))
        for name, size, n_right, n_assigned in zip(
            table.classes, sizes.tolist(), right.tolist(), assigned.tolist(), strict=True
        )
    ]


def nmi(true: LabelsLike, predicted: LabelsLike) -> float:
    r"""Mutual information over the geometric mean of the entropies, between 0 and 1.

    .. math::
        \frac{\sum_{hl} n_{hl} \log \frac{n\, n_{hl}}{n_h n_l}}
             {\sqrt{(\sum_h n_h \log \frac{n_h}{n}) (\sum_l n_l \log \frac{n_l}{n})}}

    A single class in a single cluster scores 1.0; if only one of the two is single, the score
    is 0.0.

    Examples
    --------
    >>> nmi(["tea", "tea", "rum"], [1, 1, 0])
    1.0
    """
    codes = encode_both(true, predicted)
    return min(float(normalized_mutual_info_score(*codes, average_method="geometric")), 1.0)


def mi_f_score(true: LabelsLike | Array, memberships: npt.ArrayLike) -> float:
    r"""Harmonic mean of the mutual information over each marginal entropy, soft clusters.

    The joint probability of class *c* and cluster *t* is the average over documents of
    :math:`P(c \mid d) P(t \mid d)`. `true` holds labels, or is itself an array of memberships
    of shape (documents, classes). For clusters that are certain this is the NMI with the
    arithmetic mean. Degenerate cases are those of `nmi`.

    Examples
    --------
    >>> mi_f_score(["tea", "tea", "rum"], [[1, 0], [1, 0], [0, 1]])
    1.0
    >>> mi_f_score(["tea", "rum"], [[0.5, 0.5], [0.5, 0.5]])
    0.0
    """
    clusters = check_memberships(memberships, "memberships")
    if isinstance(true, np.ndarray) and true.ndim == 2:
        classes = check_memberships(true, "true")
        check_same_length(len(classes), len(clusters), "memberships")
        return information_f_score(classes.T @ clusters)
    codes, names = encode(true, "true")
    check_same_length(len(codes), len(clusters), "memberships")
    return information_f_score(_class_sums(clusters, codes, len(names)))


def information_f_score(joint: npt.NDArray[Any]) -> float:
    """MI F-score of a table of counts or weights, classes by clusters.

    Examples
    --------
    >>> information_f_score(np.array([[2, 0], [0, 1]]))
    1.0
    """
    information, of_classes, of_clusters = _informations(joint)
    if of_classes == 0 or of_clusters == 0:
        return float(of_classes == of_clusters)
    return min(2 * information / (of_classes + of_clusters), 1.0)


def pairwise_scores(true: LabelsLike, predicted: LabelsLike) -> PairScores:
    """Score the pairs of documents put in the same cluster against those of the same class.

    With no pair in any cluster precision is 0; with no pair in any class recall is 0.

    Examples
    --------
    >>> pairwise_scores(["tea", "tea", "rum", "rum"], [0, 0, 0, 1])
    PairScores(precision=0.333..., recall=0.5, f1=0.4)
    """
    (_, wrong), (missed, right) = pair_confusion_matrix(*encode_both(true, predicted)).tolist()
    return PairScores(*_precision_recall_f1(right, right + wrong, right + missed))


def pairwise_scores_soft(
    true: LabelsLike, memberships: npt.ArrayLike, threshold: float = 0.5
) -> PairScores:
    """Score pairs, two documents being together if their memberships' product is above 0.5.

    The product is the inner product of the two rows, and must be above `threshold` by more
    than rounding. Degenerate cases are those of `pairwise_scores`. Time grows with the square
    of the number of documents, from a threshold of 0.5 with that of the largest cluster; memory
    does not.

    Examples
    --------
    >>> pairwise_scores_soft(["tea", "tea", "rum"], [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8]])
    PairScores(precision=1.0, recall=1.0, f1=1.0)
    """
    codes, _ = encode(true, "true")
    rows = check_memberships(memberships, "memberships")
    check_same_length(len(codes), len(rows), "memberships")
    if not 0 <= threshold <= 1:
        raise InputError(f"threshold: expected a number from 0 to 1, got {threshold!r}")
    rows = rows / rows.sum(axis=1, keepdims=True)
    # The product of two rows is at most a half where their largest entries are apart.
    groups = rows.argmax(axis=1) if threshold >= 0.5 else np.zeros(len(rows), dtype=np.int64)
    together = right = 0
    for group in np.unique(groups):
        members = groups == group
        counted = _count_soft_pairs(codes[members], rows[members], threshold + ROUNDING)
        together, right = together + counted[0], right + counted[1]
    sizes = np.bincount(codes)
    related = int((sizes * (sizes - 1) // 2).sum())
    return PairScores(*_precision_recall_f1(right, together, related))


def ari(true: LabelsLike, predicted: LabelsLike) -> float:
    """Adjusted Rand index: agreement on pairs beyond chance, 1 at best, about 0 at random.

    Examples
    --------
    >>> ari(["tea", "tea", "rum"], [1, 1, 0])
    1.0
    """
    return float(adjusted_rand_score(*encode_both(true, predicted)))


def _precision_recall_f1(
    right: int, predicted: int, relevant: int
) -> tuple[float, float, float]:
    precision = right / predicted if predicted else 0.0
    recall = right / relevant if relevant else 0.0
    both = predicted + relevant
    return precision, recall, 2 * right / both if both else 0.0


def _class_sums(rows: Array, codes: Codes, n_classes: int) -> Array:
    documents = np.arange(len(codes))
    shape = (n_classes, len(codes))
    sums: Array = sp.csr_array((np.ones(len(codes)), (codes, documents)), shape=shape) @ rows
    return sums


def _informations(joint: npt.NDArray[Any]) -> tuple[float, float, float]:
    """Mutual information of rows and columns, entropy of rows, entropy of columns."""
    probabilities = joint / joint.sum()
    rows, columns = probabilities.sum(axis=1), probabilities.sum(axis=0)
    i, j = probabilities.nonzero()
    cells = probabilities[i, j]
    information = float(cells @ (np.log(cells) - np.log(rows[i]) - np.log(columns[j])))
    return max(information, 0.0), _entropy(rows), _entropy(columns)


def _entropy(probabilities: Array) -> float:
    positive = probabilities[probabilities > 0]
    return 0.0 if len(positive) < 2 else float(-positive @ np.log(positive))


def _count_soft_pairs(codes: Codes, rows: Array, threshold: float) -> tuple[int, int]:
    """Count the pairs together, and those of them in the same class, a block at a time."""
    together = right = 0
    height = max(1, BLOCK_ENTRIES // len(rows))
    for start in range(0, len(rows), height):
        block = slice(start, start + height)
        close = np.triu(rows[block] @ rows[start:].T > threshold, k=1)
        together += int(np.count_nonzero(close))
        close &= codes[block, None] == codes[None, start:]
        right += int(np.count_nonzero(close))
    return together, right
