"""How many clusters: as many as are clearly apart and found again by other means.

For each number K that is tried, clusters are found by a light search. Measured are:

- *modularity* of the graph that links each document to the ten nearest on the main axes: how
  many more links lie within clusters than chance would have. It rises as long as clusters
  are apart;
- *concord*, the adjusted mutual information of clusters found by a growing vocabulary with
  those found on the axes: how far two very different means find the same;
- *stability*, that of clusters found by k-means on few and on more axes in parts of the
  documents, where two parts meet: how far others of the documents would say the same.

The first times powers of the others is high where clusters are apart and not arbitrary.
All are smoothed by their neighbours' values, but for a sharp peak. The score often stays flat
after its rise, so the smallest K is taken that comes near the highest. The powers and what is
near were chosen on labelled collections (see docs/automatic.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil

import numpy as np
from sklearn.metrics import adjusted_mutual_info_score

from coterie import engine
from coterie.automatic.axes import Axes, first_axes
from coterie.automatic.candidates import GLANCE
from coterie.automatic.neighbours import nearest
from coterie.automatic.search import AXES, Search
from coterie.arrays import best_of, spherical_kmeans
from coterie.types import Array, Counts, Labels

AUTO = "auto"
GRID = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 21, 24, 28, 32, 36, 40)
LEAST_SIZE = 5  # documents a cluster has in the mean at least
SAMPLE, LARGER_SAMPLE = 4000, 10_000  # documents searched, and clustered by k-means alone
RANK = 50
MOST_NEIGHBOURS = 10
ROUGH_TOL = 1e-4
PARTS = (20, 50) * 3  # axes on which k-means clusters a part of the documents, part by part
PART = 0.7  # share of the documents
N_TRIES = 3
POWERS = {"modularity": 1.0, "concord": 0.15, "stability": 0.4}  # in the score
OWN = 3  # weight of a value in its mean with the two beside it
SHARP = 0.96  # share of a score that counts without smoothing
NEAR = 0.93  # share of the highest score that is near enough
FALLEN = 0.87  # share of it below which, several times, no more is expected
N_FALLEN = 4


@dataclass
class Look:
    """A look at clusterings into different numbers, of a sample where documents are many."""

    weights: Counts
    axes: Axes
    search: Callable[..., Search]
    seed: int
    curve: dict[str, list[float]] = field(default_factory=dict)
    interrupted: bool = False

    def number(self) -> tuple[int, dict[str, list[float]]]:
        """The number of clusters, and the curve it was read from."""
        n_documents = self.weights.shape[0]
        grid = [k for k in GRID if k * LEAST_SIZE <= n_documents]
        if not grid:
            return min(2, int(n_documents)), {}
        order = np.random.default_rng(self.seed).permutation(n_documents)
        rows, more = np.sort(order[:SAMPLE]), np.sort(order[:LARGER_SAMPLE])
        weights, axes = self.weights[rows], self.axes.rows(rows)
        n_neighbors = min(MOST_NEIGHBOURS, max(1, len(rows) // 3 - 1))
        links = nearest(first_axes(axes.documents, RANK), n_neighbors)
        places = {rank: first_axes(self.axes.documents[more], rank) for rank in set(PARTS)}
        self.curve = {name: [] for name in ("k", *POWERS)}
        for done, k in enumerate(grid):
            try:
                with fitting.part(done, len(grid)):
                    search = self.search(k, GLANCE, weights, axes)
                    search.model.set_params(tol=ROUGH_TOL)
                    found = search.run()
                self.interrupted |= search.interrupted
                apart = modularity(links, found.labels_)
                seen = k, apart, concord(search), stability(places, k, self.seed)
            except KeyboardInterrupt:
                self.interrupted = True
                if not self.curve["k"]:
                    raise
            if self.interrupted and self.curve["k"]:
                break
            for values, value in zip(self.curve.values(), seen, strict=True):
                values.append(value)
            if has_fallen(self.curve):
                break
        return best_number(self.curve), self.curve


def best_number(curve: dict[str, list[float]]) -> int:
    """The smallest number whose score is near the highest.

    Examples
    --------
    >>> best_number({"k": [2, 3, 4, 5, 6], "modularity": [0.2, 0.6, 0.6, 0.6, 0.6],
    ...              "concord": [0.9, 0.8, 0.8, 0.8, 0.8]})
    3
    """
    return numbers_near_the_best(curve)[0]


def numbers_near_the_best(curve: dict[str, list[float]]) -> list[int]:
    """All numbers whose score is near the highest."""
    score = scores(curve)
    return [int(curve["k"][i]) for i in np.flatnonzero(score >= NEAR * score.max())]


def has_fallen(curve: dict[str, list[float]]) -> bool:
    """Tell whether the score has been far below its highest for several numbers."""
    score = scores(curve)
    return bool(np.all(score[-N_FALLEN:] < FALLEN * score.max()))


def scores(curve: dict[str, list[float]]) -> Array:
    """The product of powers of what was measured, smoothed but for a sharp peak."""
    known = [(np.maximum(curve[name], 0), p) for name, p in POWERS.items() if name in curve]
    score: Array = np.maximum(
        np.prod([smoothed(values) ** power for values, power in known], axis=0),
        SHARP * np.prod([values**power for values, power in known], axis=0),
    )
    return score


def smoothed(values: Sequence[float] | Array) -> Array:
    """Means of each value, taken `OWN` times, and those beside it.

    Examples
    --------
    >>> smoothed([1.0, 5.0, 4.0])
    array([2.  , 4.  , 4.25])
    """
    own = np.asarray(values, dtype=np.float64)
    beside = [[*own[max(0, i - 1) : i], *own[i + 1 : i + 2]] for i in range(len(own))]
    means = [(OWN * own[i] + sum(x)) / (OWN + len(x)) for i, x in enumerate(beside)]
    return np.array(means)


def concord(search: Search) -> float:
    """Mean adjusted mutual information of candidates of different kinds."""
    kinds: dict[bool, list[Labels]] = {True: [], False: []}
    for each in search.candidates:
        kinds[each.name == AXES].append(each.memberships.argmax(axis=1))
    pairs = [
        adjusted_mutual_info_score(a, b, average_method="arithmetic")
        for a in kinds[True]
        for b in kinds[False]
    ]
    return float(np.mean(pairs)) if pairs else 0.0


def stability(places: dict[int, Array], n_clusters: int, seed: int) -> float:
    """Mean adjusted mutual information of clusters of parts of the documents, where they meet.

    `places` has the documents on as many of the first axes, scaled to length one.

    Examples
    --------
    >>> apart = np.repeat(np.eye(3, dtype=np.float32), 10, axis=0)
    >>> stability({20: apart, 50: apart}, 3, 0)
    1.0
    """
    rng = np.random.default_rng([seed, n_clusters])
    n_documents = len(next(iter(places.values())))
    found = []
    for rank in PARTS:
        part = np.sort(rng.permutation(n_documents)[: ceil(PART * n_documents)])
        seeds = rng.integers(2**31, size=N_TRIES).tolist()
        labels = np.full(n_documents, -1)
        labels[part] = best_of(spherical_kmeans(places[rank][part], n_clusters, seeds))
        found.append(labels)
    agreed = []
    for one, other in combinations(found, 2):
        both = (one >= 0) & (other >= 0)
        agreed.append(adjusted_mutual_info_score(one[both], other[both]))
    return float(np.mean(agreed))


def modularity(links: tuple[Labels, Labels], labels: Labels) -> float:
    """Share of links within clusters, less what it would be by chance (Newman, 2004).

    Examples
    --------
    >>> modularity((np.array([0, 1, 2, 3]), np.array([1, 0, 3, 2])), np.array([0, 0, 1, 1]))
    0.5
    """
    first, second = labels[links[0]], labels[links[1]]
    ends = np.bincount(np.concatenate([first, second]))
    shares = ends / ends.sum()
    return float(np.mean(first == second) - shares @ shares)
