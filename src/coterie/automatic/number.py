"""The number of clusters: as many as are well separated, agreed on and stable.

For each number K that is tried, clusters are found by a quick search. Measured are:

- *modularity* of the graph that links each document to the ten nearest on the main axes: how
  many more links lie within clusters than chance would have. It rises as long as clusters
  are separated;
- *agreement* between methods, the adjusted mutual information of clusters by an incremental
  vocabulary with those by k-means on the axes;
- *stability*, that of clusters by k-means on few and on more axes in subsamples of the
  documents, on the documents that two subsamples share.

The score is the product of powers of the three. All are smoothed by the values beside them,
but for a sharp peak. The score often stays flat after its rise, so the smallest K is taken
that comes near the highest. Other numbers that stand out are offered beside it: people may ask
for few clusters or for many. The powers and what is near were chosen on labelled collections
(see docs/automatic.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil

import numpy as np
from sklearn.metrics import adjusted_mutual_info_score

from coterie import fitting
from coterie.arrays import best_of, spherical_kmeans
from coterie.automatic.axes import Axes, axes_bytes, first_axes
from coterie.automatic.candidates import QUICK
from coterie.automatic.neighbours import nearest
from coterie.automatic.search import AXES, Search, search_bytes
from coterie.memory import Size
from coterie.types import ASKED, Array, Counts, Labels

AUTO, FEW, MANY = ASKED
NUMBERS = "n_clusters"  # key of the numbers tried
GRID = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 21, 24, 28, 32, 36, 40)
LEAST_SIZE = 5  # documents a cluster has in the mean at least
SAMPLE, LARGER_SAMPLE = 4000, 10_000  # documents searched, and clustered by k-means alone
RANK = 50
MAIN_RANK = 100  # axes that are computed of all documents
MOST_NEIGHBOURS = 10
ROUGH_TOL = 1e-4
SAMPLE_RANKS = (20, 50) * 3  # axes on which k-means clusters a subsample, one by one
SHARE = 0.7  # of the documents in a subsample
N_TRIES = 3
POWERS = {"modularity": 1.0, "agreement": 0.15, "stability": 0.4}  # in the score
WEIGHT = 3  # of a value in its mean with the two beside it
SHARP = 0.96  # share of a score that counts without smoothing
NEAR = 0.93  # share of the highest score that is near enough
FALLEN = 0.87  # share of it below which, several times, no more is expected
N_FALLEN = 4
IN_SIGHT = 0.75  # share of the highest score from which a number may be offered
APART, FAR = 1.4, 2.5  # least and largest factor between the chosen number and one offered


@dataclass
class NumberSearch:
    """Compares clusterings into different numbers, of a sample where documents are many."""

    weights: Counts
    axes: Axes
    search: Callable[..., Search]
    seed: int
    asked: str = AUTO

    def run(self) -> tuple[int, dict[str, list[float]]]:
        """The number of clusters, and the curve it was read from."""
        curve = self.curve()
        if not curve:
            return min(2, int(self.weights.shape[0])), {}
        return number_asked(curve, self.asked), curve

    def curve(self) -> dict[str, list[float]]:
        """The numbers tried and the measures of each; empty where documents are too few."""
        n_documents = self.weights.shape[0]
        grid = [k for k in GRID if k * LEAST_SIZE <= n_documents]
        if not grid:
            return {}
        order = np.random.default_rng(self.seed).permutation(n_documents)
        rows, more = np.sort(order[:SAMPLE]), np.sort(order[:LARGER_SAMPLE])
        weights, axes = self.weights[rows], self.axes.rows(rows)
        n_neighbors = min(MOST_NEIGHBOURS, max(1, len(rows) // 3 - 1))
        links = nearest(first_axes(axes.documents, RANK), n_neighbors)
        by_rank = {rank: first_axes(self.axes.documents[more], rank) for rank in SAMPLE_RANKS}
        curve: dict[str, list[float]] = {name: [] for name in (NUMBERS, *POWERS)}
        for i, k in enumerate(grid):
            with fitting.part(i, len(grid)):
                search = self.search(k, QUICK, weights, axes)
                search.model.set_params(tol=ROUGH_TOL)
                labels = search.run().labels_
            if i and fitting.stopped():
                break
            curve[NUMBERS].append(k)
            curve["modularity"].append(modularity(links, labels))
            curve["agreement"].append(agreement(search))
            curve["stability"].append(stability(by_rank, k, self.seed))
            if fitting.stopped() or has_fallen(curve):
                break
        return curve


def number_bytes(size: Size) -> int:
    """What the estimate needs: the axes of all documents, and quick searches in a sample."""
    weights = replace(size, itemsize=4)
    sample = weights.sample(min(SAMPLE, size.n_documents))
    n_clusters = min(max(GRID), size.n_documents)
    search = search_bytes(sample, n_clusters, QUICK.adapted(sample, n_clusters))
    axes = weights.numbers(size.n_documents + size.n_words, MAIN_RANK)
    return 2 * size.data + max(axes_bytes(weights, MAIN_RANK), axes + search)


def best_number(curve: dict[str, list[float]]) -> int:
    """The smallest number whose score is near the highest.

    Examples
    --------
    >>> best_number({"n_clusters": [2, 3, 4, 5, 6], "modularity": [0.2, 0.6, 0.6, 0.6, 0.6],
    ...              "agreement": [0.9, 0.8, 0.8, 0.8, 0.8]})
    3
    """
    return numbers_near_the_best(curve)[0]


def numbers_near_the_best(curve: dict[str, list[float]]) -> list[int]:
    """All numbers whose score is near the highest."""
    score = scores(curve)
    return [int(curve[NUMBERS][i]) for i in np.flatnonzero(score >= NEAR * score.max())]


def number_asked(curve: dict[str, list[float]], asked: str) -> int:
    """The number that is asked for: "few" and "many" are the ends of those offered.

    Examples
    --------
    >>> curve = {"n_clusters": [2, 3, 4, 6, 8], "modularity": [0.7, 0.8, 0.6, 0.85, 0.6]}
    >>> [number_asked(curve, asked) for asked in ("few", "auto", "many")]
    [2, 3, 6]
    """
    if asked == AUTO:
        return best_number(curve)
    return (min if asked == FEW else max)(offered_numbers(curve))


def offered_numbers(curve: dict[str, list[float]]) -> list[int]:
    """The number that is chosen, and the best of about half and of about twice as many.

    Those whose score is far below the highest are not offered.

    Examples
    --------
    >>> offered_numbers({"n_clusters": [2, 3, 4, 5, 6, 8, 12],
    ...                  "modularity": [0.2, 0.3, 0.8, 0.6, 0.7, 0.6, 0.5]})
    [4, 6]
    """
    score, chosen = scores(curve), best_number(curve)
    by_number = {int(k): score[i] for i, k in enumerate(curve[NUMBERS])}
    in_sight = [k for k in by_number if by_number[k] >= IN_SIGHT * score.max()]
    half = [k for k in in_sight if APART * k <= chosen <= FAR * k]
    twice = [k for k in in_sight if APART * chosen <= k <= FAR * chosen]
    others = [max(some, key=lambda k: by_number[k]) for some in (half, twice) if some]
    return sorted([chosen, *others])


def offers(curve: dict[str, list[float]]) -> dict[str, list[float]]:
    """The offered numbers, with the score and the measures of each; empty without a curve.

    Examples
    --------
    >>> offers({"n_clusters": [2, 3, 4], "modularity": [0.4, 0.8, 0.4]})
    {'n_clusters': [3], 'score': [0.768], 'modularity': [0.8]}
    """
    if not curve:
        return {}
    by_number: dict[str, Sequence[float]] = {
        NUMBERS: curve[NUMBERS], "score": scores(curve).tolist(), **curve,
    }  # fmt: skip
    rows = [curve[NUMBERS].index(number) for number in offered_numbers(curve)]
    return {name: [values[row] for row in rows] for name, values in by_number.items()}


def has_fallen(curve: dict[str, list[float]]) -> bool:
    """Tell whether the score has been far below its highest for several numbers."""
    score = scores(curve)
    return bool(np.all(score[-N_FALLEN:] < FALLEN * score.max()))


def scores(curve: dict[str, list[float]]) -> Array:
    """The product of powers of the measures, smoothed but for a sharp peak."""
    known = [(np.maximum(curve[name], 0), p) for name, p in POWERS.items() if name in curve]
    score: Array = np.maximum(
        np.prod([smoothed(values) ** power for values, power in known], axis=0),
        SHARP * np.prod([values**power for values, power in known], axis=0),
    )
    return score


def smoothed(values: Sequence[float] | Array) -> Array:
    """Weighted means of each value and those beside it.

    Examples
    --------
    >>> smoothed([1.0, 5.0, 4.0])
    array([2.  , 4.  , 4.25])
    """
    plain = np.asarray(values, dtype=np.float64)
    beside = [[*plain[max(0, i - 1) : i], *plain[i + 1 : i + 2]] for i in range(len(plain))]
    means = [(WEIGHT * plain[i] + sum(x)) / (WEIGHT + len(x)) for i, x in enumerate(beside)]
    return np.array(means)


def agreement(search: Search) -> float:
    """Mean adjusted mutual information between candidates of different methods."""
    by_axes, by_growth = (
        [c.memberships.argmax(axis=1) for c in search.candidates if (c.name == AXES) is wanted]
        for wanted in (True, False)
    )
    pairs = [
        adjusted_mutual_info_score(a, b, average_method="arithmetic")
        for a in by_axes
        for b in by_growth
    ]
    return float(np.mean(pairs)) if pairs else 0.0


def stability(by_rank: dict[int, Array], n_clusters: int, seed: int) -> float:
    """Mean adjusted mutual information between clusterings of subsamples of the documents.

    `by_rank` has the documents on as many of the first axes, scaled to length one.

    Examples
    --------
    >>> apart = np.repeat(np.eye(3, dtype=np.float32), 10, axis=0)
    >>> stability({20: apart, 50: apart}, 3, 0)
    1.0
    """
    rng = np.random.default_rng([seed, n_clusters])
    n_documents = len(next(iter(by_rank.values())))
    clusterings = []
    for rank in SAMPLE_RANKS:
        sample = np.sort(rng.permutation(n_documents)[: ceil(SHARE * n_documents)])
        seeds = rng.integers(2**31, size=N_TRIES).tolist()
        labels = np.full(n_documents, -1)
        labels[sample] = best_of(spherical_kmeans(by_rank[rank][sample], n_clusters, seeds))
        clusterings.append(labels)
    scores = []
    for one, other in combinations(clusterings, 2):
        both = (one >= 0) & (other >= 0)
        scores.append(adjusted_mutual_info_score(one[both], other[both]))
    return float(np.mean(scores))


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
