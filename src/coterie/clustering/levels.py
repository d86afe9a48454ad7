"""Coarser and finer clusterings: similar clusters merged, large ones split."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.clustering.running import check_number, whole_number
from coterie.errors import InputError
from coterie.types import Array

if TYPE_CHECKING:
    from coterie.clustering.result import Clustering


def at(result: "Clustering", n_clusters: Any) -> "Clustering":
    """A copy of a clustering with so many clusters."""
    if isinstance(n_clusters, str):
        raise InputError("at: expected a number of clusters")
    n_clusters = whole_number(n_clusters)
    check_number(n_clusters, len(result.corpus))
    other = result.copy()
    merged = set()
    for first, second in _joins(result):
        if len(other.numbers) <= n_clusters:
            break
        other.merge([first, second])
        merged.add(min(first, second))
    misnamed = merged & other._numbers.names.keys()
    if misnamed:  # the name that a person gave to a part
        other.rename(dict.fromkeys(sorted(misnamed), ""))
    while len(other.numbers) < n_clusters:
        _split_largest(other)
    return other


def _split_largest(result: "Clustering") -> None:
    """Split the largest cluster in two, or the next one where it cannot be divided."""
    clusters = sorted(result.summary.clusters, key=lambda each: (-each.size, each.number))
    for cluster in clusters:
        with suppress(InputError):
            result.split(cluster.number, 2)
            return
    raise InputError(f"at: no more than {len(clusters)} clusters can be found")


def _joins(result: "Clustering") -> list[tuple[int, int]]:
    """Pairs of numbers to merge, one after the other, until one cluster is left.

    The tree of the model where it has one, else the pair that loses the least information on
    words (Slonim and Tishby, 2000).
    """
    hierarchy = result.summary.hierarchy
    joins: list[tuple[int, int]] = []
    if hierarchy is not None:
        for position, node in enumerate(hierarchy.nodes):
            if node.cluster is None and len(node.clusters) > 1:
                parts = [hierarchy.nodes[i].clusters for i in hierarchy.parts(position)]
                joins.append((min(parts[0]), min(parts[1])))
        listed = {number for node in hierarchy.nodes for number in node.clusters}
    else:
        labels = np.array(result.numbers) - 1
        words = np.hstack([view.words.clusters[labels] for view in result._found.views])
        weights = result._found.assignments.memberships[:, labels].sum(axis=0)
        known = result._remembered([words, weights], _by_information, words, weights)
        joins = [(result.numbers[one], result.numbers[other]) for one, other in known]
        listed = set(result.numbers)
    first = min(listed)
    return joins + [(first, number) for number in result.numbers if number not in listed]


def _by_information(words: Array, weights: Array) -> list[tuple[int, int]]:
    """Rows to join, those of the later one into the earlier."""
    words, weights = words.copy(), weights.copy()
    costs = np.full((len(words), len(words)), np.inf)
    for i in range(len(words)):
        costs[i, :i] = [_cost(words[[i, j]], weights[[i, j]]) for j in range(i)]
    joins = []
    for _ in range(len(words) - 1):
        i, j = map(int, np.unravel_index(int(costs.argmin()), costs.shape))
        joins.append((j, i))
        total = max(weights[i] + weights[j], np.finfo(float).tiny)
        words[j] = (weights[i] * words[i] + weights[j] * words[j]) / total
        weights[j] += weights[i]
        costs[i], costs[:, i] = np.inf, np.inf
        finite = np.isfinite(costs)
        for k in np.flatnonzero(finite.any(axis=0) | finite.any(axis=1)).tolist():
            if k != j:
                costs[max(j, k), min(j, k)] = _cost(words[[j, k]], weights[[j, k]])
    return joins


def _cost(words: Array, weights: Array) -> float:
    """Information on words that is lost when two clusters become one."""
    total = max(float(weights.sum()), np.finfo(float).tiny)
    mixed = weights @ words / total
    with np.errstate(divide="ignore", invalid="ignore"):
        used = (words > 0) & (weights[:, None] > 0)
        ratios = np.where(used, words * np.log(words / mixed), 0.0)
    return float(weights @ ratios.sum(axis=1))
