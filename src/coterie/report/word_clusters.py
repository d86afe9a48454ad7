"""The clusters of words a model found, and the document clusters that speak with them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.report.assignments import Assignments
from coterie.report.words import WordProfile, WordWeight
from coterie.types import Array

if TYPE_CHECKING:
    from coterie.corpus import Corpus

N_WORDS = 10
N_LINKS = 3


@dataclass(frozen=True)
class WordCluster:
    """A cluster of words: its strongest, how many it has, its share, and who speaks with it.

    `links` holds numbers of document clusters, and the share of the cluster's words that are
    theirs, the largest first; it is empty where a model links no clusters.
    """

    number: int
    index: int
    n_words: int
    share: float
    words: tuple[WordWeight, ...]
    links: tuple[tuple[int, float], ...]


def word_clusters(
    model: Any, corpus: "Corpus", assignments: Assignments, profile: WordProfile
) -> tuple[WordCluster, ...]:
    """Describe the word clusters of a model that has them, the heaviest first."""
    components = getattr(model, "word_components_", getattr(model, "word_components_", None))
    if components is None:
        return ()
    components = np.asarray(components, dtype=np.float64)
    own = WordProfile(profile.words, components, profile.corpus)
    joint = _joint(model, corpus, assignments, components)
    weights = joint.sum(axis=0)
    found = []
    for number, index in enumerate(np.argsort(-weights, kind="stable"), start=1):
        links = _links(joint[:, index], assignments) if _has_links(model) else ()
        n_words = int(np.count_nonzero(np.asarray(model.word_labels_) == index))
        top = own.top(int(index), N_WORDS) if components[index].any() else ()
        share = float(weights[index] / max(weights.sum(), 1e-300))
        found.append(WordCluster(number, int(index), n_words, share, top, links))
    return tuple(found)


def _has_links(model: Any) -> bool:
    return hasattr(model, "cluster_word_clusters_") or hasattr(model, "cluster_word_clusters_")


def _joint(model: Any, corpus: "Corpus", assignments: Assignments, components: Array) -> Array:
    """Weight of each document cluster with each word cluster, by the model's own indices."""
    links = getattr(
        model, "cluster_word_clusters_", getattr(model, "cluster_word_clusters_", None)
    )
    if links is None:
        return np.asarray(model.word_cluster_weights_, dtype=np.float64)[np.newaxis]
    links = np.asarray(links, dtype=np.float64)
    rows = links / np.maximum(links.sum(axis=1, keepdims=True), 1e-300)
    lengths = np.asarray(corpus.counts.sum(axis=1, dtype=np.float64)).ravel()
    joint: Array = (lengths @ assignments.memberships)[:, np.newaxis] * rows
    joint[:, ~components.any(axis=1)] = 0
    return joint


def _links(column: Array, assignments: Assignments) -> tuple[tuple[int, float], ...]:
    total = column.sum()
    if total <= 0:
        return ()
    strongest = np.argsort(-column, kind="stable")[:N_LINKS]
    shares = [(int(assignments.numbers[k]), float(column[k] / total)) for k in strongest]
    return tuple((number, share) for number, share in shares if share >= 0.05)
