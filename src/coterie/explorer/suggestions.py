"""What might be corrected, each with its reason."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coterie.report.wording import counted, percent

if TYPE_CHECKING:
    from coterie.clustering import Clustering
    from coterie.findings import Cluster

N_WORDS = 10
LEAST_SHARED = 4  # of the first ten words, for two clusters to be taken for one
LEAST_DOUBTFUL = 0.15  # share of the smaller cluster's documents that may be in the other
LOOSE = 0.4  # mean probability below which a cluster may hold several themes
LARGE = 2.5  # times the mean size, from which on
MOST = 6


@dataclass(frozen=True)
class Suggestion:
    """An edit that may be worth making, and why; the strongest first."""

    edit: str
    clusters: tuple[int, ...]
    reason: str
    strength: float

    def to_values(self) -> dict[str, Any]:
        """As plain values."""
        return {"edit": self.edit, "clusters": list(self.clusters), "reason": self.reason}


def suggestions(result: "Clustering") -> list[Suggestion]:
    """What might be corrected in a result.

    Two clusters may be one where they share many of their first ten words, or many documents
    that might as well be in the other. A cluster may be several where it is large and its
    documents are not sure of it. It may be set aside where all its words are boilerplate.

    Examples
    --------
    >>> import coterie
    >>> texts = ["green tea leaf", "tea leaf black", "dark rum", "white rum"] * 5
    >>> [each.reason for each in suggestions(coterie.cluster(texts, 2, progress=False))]
    []
    """
    summary = result.summary
    between = Counter(
        frozenset((row.cluster, row.second)) for row in summary.doubtful if row.second
    )
    clusters = summary.clusters
    found = [
        *(
            _merge(one, other, between[frozenset((one.number, other.number))])
            for i, one in enumerate(clusters)
            for other in clusters[i + 1 :]
        ),
        *(_split(each, summary.n_documents / max(len(clusters), 1)) for each in clusters),
        *(_drop(each) for each in clusters if len(clusters) > 1),
    ]
    return sorted((each for each in found if each), key=lambda each: -each.strength)[:MOST]


def _words(cluster: "Cluster") -> list[str]:
    return [each.word for each in cluster.words[:N_WORDS]]


def _merge(one: "Cluster", other: "Cluster", n_doubtful: int) -> Suggestion | None:
    words = _words(one)
    n_shared = len(set(words) & set(_words(other)))
    smaller = max(min(one.size, other.size), 1)
    if n_shared < LEAST_SHARED and n_doubtful < LEAST_DOUBTFUL * smaller:
        return None
    if n_doubtful < 2 and n_shared < LEAST_SHARED:
        return None
    reasons = []
    if n_shared:
        reasons.append(f"{n_shared} of {max(len(words), 1)} words")
    if n_doubtful:
        reasons.append(counted(n_doubtful, "doubtful document"))
    strength = n_shared / N_WORDS + min(n_doubtful / smaller, 1.0)
    shared = " and ".join(reasons)
    return Suggestion(
        "merge", (one.number, other.number), f"These two share {shared}: merge?", strength
    )


def _split(cluster: "Cluster", usual: float) -> Suggestion | None:
    large, loose = cluster.size / max(usual, 1), cluster.mean_probability
    if large < LARGE or loose > LOOSE or cluster.size < 2 * N_WORDS:
        return None
    reason = (
        f"Its {counted(cluster.size, 'document')} belong to it with {percent(loose)} on "
        f"average, and it is {large:.1f} times as large as the others: split?"
    )
    return Suggestion("split", (cluster.number,), reason, large * (1 - loose) / 4)


def _drop(cluster: "Cluster") -> Suggestion | None:
    marked = [each for each in cluster.words[:N_WORDS] if each.mark]
    if len(marked) < min(8, len(cluster.words)) or not cluster.words:
        return None
    reason = f"{len(marked)} of its {len(cluster.words[:N_WORDS])} words are boilerplate: drop?"
    return Suggestion("drop", (cluster.number,), reason, 0.8)
