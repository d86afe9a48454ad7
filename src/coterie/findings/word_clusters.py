"""Clusters of words, and the document clusters that use them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.arrays import row_shares, row_sums
from coterie.findings.assignments import Assignments
from coterie.findings.words import WordProfile, WordWeight
from coterie.types import Array

if TYPE_CHECKING:
    from coterie.corpus import Corpus

STRONGEST = 10
N_LINKS = 3
LEAST_LINK = 0.05


@dataclass(frozen=True)
class WordCluster:
    """A cluster of words: its strongest words, its size, its share, and who uses it.

    `number` counts from the heaviest, `index` is the model's. `links` holds numbers of
    document clusters, and the share of the word cluster's tokens that are theirs, the largest
    first; it is empty where a model links no clusters.
    """

    number: int
    index: int
    n_words: int
    share: float
    words: tuple[WordWeight, ...]
    links: tuple[tuple[int, float], ...]


def read_word_clusters(
    model: Any,
    corpus: "Corpus",
    assignments: Assignments,
    profile: WordProfile,
    links: Array | None = None,
) -> tuple[WordCluster, ...]:
    """Describe the word clusters of a model that has them, in the order of their labels.

    `links` is the table between clusters of documents (rows) and of words, where there is one.
    """
    components = vars(model).get("word_components_")  # set by models with word clusters only
    if components is None:
        return ()
    components = np.asarray(components, dtype=np.float64)
    words = WordProfile(profile.words, components, profile.corpus)
    joint = _joint_weights(model, corpus, assignments, components, links)
    weights = joint.sum(axis=0)
    described = []
    for index in range(len(components)):
        filled = components[index].any()
        columns = words.ranked(index, STRONGEST if filled else 0)
        described.append(
            WordCluster(
                number=index + 1,
                index=index,
                n_words=int(np.count_nonzero(np.asarray(model.word_labels_) == index)),
                share=float(weights[index] / max(weights.sum(), 1e-300)),
                words=words.described(index, columns),
                links=() if links is None else _links(joint[:, index]),
            )
        )
    return tuple(described)


def _joint_weights(
    model: Any,
    corpus: "Corpus",
    assignments: Assignments,
    components: Array,
    links: Array | None,
) -> Array:
    """Weight of each document cluster (rows) with each word cluster (columns)."""
    if links is None:
        return np.asarray(model.word_cluster_weights_, dtype=np.float64)[np.newaxis]
    lengths = row_sums(corpus.counts)
    joint: Array = (lengths @ assignments.memberships)[:, np.newaxis] * row_shares(links)
    joint[:, ~components.any(axis=1)] = 0
    return joint


def _links(column: Array) -> tuple[tuple[int, float], ...]:
    total = column.sum()
    if total <= 0:
        return ()
    strongest = np.argsort(-column, kind="stable")[:N_LINKS].tolist()
    shares = [(label + 1, float(column[label] / total)) for label in strongest]
    return tuple((number, share) for number, share in shares if share >= LEAST_LINK)
