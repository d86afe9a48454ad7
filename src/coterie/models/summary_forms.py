"""The two forms of a relation summary network: block means, and orthonormal axes."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from coterie.arrays import unit_rows
from coterie.engine import Shared
from coterie.kernels.dense import one_blas_thread
from coterie.models.clusters import log
from coterie.models.information import blocks
from coterie.types import Array, Counts, Labels

DIVERGENCES = ("squared", "information")
LLOYD_STEPS = 100
NOISE = 0.1


class Form(Protocol):
    """The mathematics of one form; `X` are counts and `scale` what makes them *A*."""

    def start(self, q: Array, words: Array, rng: np.random.Generator) -> Shared:
        """Shared parameters from memberships and the words of each cluster."""

    def rows(self, X: Counts, scale: Array, shared: Shared) -> tuple[Array, float]:
        """New rows, and their part of the objective."""

    def words(self, shared: Shared, sizes: Array, words: Array) -> Shared:
        """Shared parameters from the sums of the rows, and *A* transposed times the rows."""

    def network(
        self, X: Counts, scale: Array, rows: Array, shared: Shared
    ) -> tuple[list[Array], Labels]:
        """What new documents are compared with, and the clusters of the words."""

    def assign(self, X: Counts, scale: Array, *network: Array) -> Labels:
        """The cluster of each document."""


@dataclass(frozen=True)
class SummaryForm:
    """Hard clusters; shared are block means, labels of words, words per word cluster."""

    n_clusters: int
    n_word_clusters: int
    divergence: str

    def start(self, q: Array, words: Array, rng: np.random.Generator) -> Shared:
        """A random partition of the words."""
        columns = rng.integers(self.n_word_clusters, size=len(words))
        return self._means(q.sum(axis=0), words, columns)

    def rows(self, X: Counts, scale: Array, shared: Shared) -> tuple[Array, float]:
        """Each document wholly to its nearest cluster; the empty ones to none."""
        means, columns, widths = shared
        costs = self._costs(self._by_word_cluster(X, scale, columns), means.T, widths)
        filled = np.diff(X.indptr) > 0
        rows = np.where(filled[:, None], np.eye(self.n_clusters)[costs.argmin(axis=1)], 0.0)
        data = X.data * np.repeat(scale, np.diff(X.indptr))
        alone = data**2 if self.divergence == "squared" else data * np.log(data) - data
        return rows, -float(alone.sum() + costs.min(axis=1)[filled].sum())

    def words(self, shared: Shared, sizes: Array, words: Array) -> Shared:
        """Each word to its nearest cluster, by the means of the new documents' clusters."""
        means, columns, _ = self._means(sizes, words, shared[1])
        nearest = self._costs(words, means, sizes).argmin(axis=1)
        return self._means(sizes, words, np.where(words.any(axis=1), nearest, columns))

    def network(
        self,
        X: Counts,  # noqa: ARG002
        scale: Array,  # noqa: ARG002
        rows: Array,  # noqa: ARG002
        shared: Shared,
    ) -> tuple[list[Array], Labels]:
        """The shared parameters as they are."""
        return list(shared), shared[1]

    def assign(self, X: Counts, scale: Array, *network: Array) -> Labels:
        """The nearest row of blocks."""
        means, columns, widths = network
        by_cluster = self._by_word_cluster(X, scale, columns)
        labels: Labels = self._costs(by_cluster, means.T, widths).argmin(axis=1)
        return labels

    def _by_word_cluster(self, X: Counts, scale: Array, columns: Any) -> Array:
        totals: Array = scale[:, None] * (X @ np.eye(self.n_word_clusters)[columns])
        return totals

    def _costs(self, totals: Array, means: Array, sizes: Array) -> Array:
        """Divergence of each row from each column of means, but for what rows have alone.

        `totals` are sums of a row over groups, `sizes` how many entries each group has.
        """
        with one_blas_thread():
            if self.divergence == "squared":
                costs: Array = sizes @ means**2 - 2 * totals @ means
            else:
                costs = sizes @ means - totals @ log(means)
        return costs

    def _means(self, sizes: Array, words: Array, columns: Labels) -> Shared:
        """Means over documents and words that are not empty; of empty blocks, by margins."""
        widths = np.bincount(columns[words.any(axis=1)], minlength=self.n_word_clusters)
        sums = blocks(words, columns, self.n_word_clusters)
        n_entries = np.outer(sizes, widths)
        overall = sums.sum() / max(n_entries.sum(), 1)
        by_row = _ratio(sums.sum(axis=1), n_entries.sum(axis=1), overall)
        by_column = _ratio(sums.sum(axis=0), n_entries.sum(axis=0), overall)
        margins = np.outer(by_row, by_column) / (overall or 1)
        return _ratio(sums, n_entries, margins), columns, widths.astype(np.float64)


@dataclass(frozen=True)
class SpectralForm:
    """Orthonormal memberships; rows are documents on the axes, shared are the axes."""

    n_clusters: int
    n_word_clusters: int

    def start(self, q: Array, words: Array, rng: np.random.Generator) -> Shared:  # noqa: ARG002
        """Axes near the words of the clusters; noise makes up for clusters that are empty."""
        words = words[:, : min(self.n_clusters, self.n_word_clusters)]
        noise = rng.standard_normal(words.shape) * words.sum(axis=1, keepdims=True)
        return (orthonormal(words + NOISE * noise),)

    def rows(self, X: Counts, scale: Array, shared: Shared) -> tuple[Array, float]:
        """Documents on the axes; the best memberships span these, which gives the maximum."""
        on_axes = scale[:, None] * (X @ shared[0])
        return on_axes, float(np.sum(on_axes**2))

    def words(self, shared: Shared, sizes: Array, words: Array) -> Shared:  # noqa: ARG002
        """The best axes for these documents."""
        return (orthonormal(words),)

    def network(
        self, X: Counts, scale: Array, rows: Array, shared: Shared
    ) -> tuple[list[Array], Labels]:
        """What gives documents their rows of the memberships, and the centres there."""
        (axes,) = shared
        on_axes, _ = self.rows(X, scale, shared)
        with one_blas_thread():
            projection = axes @ inverse_root(on_axes.T @ on_axes)
        rows = (scale[:, None] * (X @ projection))[np.diff(X.indptr) > 0]
        columns = nearest_centres(
            unit_rows(axes, np.float64), centres_of(axes, self.n_word_clusters)
        )
        return [projection, centres_of(rows, self.n_clusters)], columns

    def assign(self, X: Counts, scale: Array, *network: Array) -> Labels:
        """The nearest centre."""
        projection, centres = network
        return nearest_centres(
            unit_rows(scale[:, None] * (X @ projection), np.float64), centres
        )


def orthonormal(columns: Array) -> Array:
    """The orthonormal columns nearest to these columns; zeros where these are dependent.

    Examples
    --------
    >>> orthonormal(np.array([[2.0, 0.0], [0.0, 3.0], [0.0, 0.0]]))
    array([[1., 0.],
           [0., 1.],
           [0., 0.]])
    """
    with one_blas_thread():
        nearest: Array = columns @ inverse_root(columns.T @ columns)
    return nearest


def inverse_root(square: Array) -> Array:
    """The symmetric inverse square root of a matrix of products, on the space it spans."""
    values, vectors = np.linalg.eigh(square)
    kept = values > 1e-12 * max(values[-1], 1e-300)
    vectors = vectors[:, kept]
    root: Array = (vectors / np.sqrt(values[kept])) @ vectors.T
    return root


def centres_of(vectors: Array, n_clusters: int) -> Array:
    """Centres of vectors scaled to length one, by k-means from some that lie far apart.

    There are no more centres than vectors.
    """
    points = unit_rows(vectors, np.float64)
    centres = points[far_apart(vectors, min(n_clusters, len(points)))]
    labels = nearest_centres(points, centres)
    for _ in range(LLOYD_STEPS):
        hot = np.eye(len(centres))[labels]
        with one_blas_thread():
            centres = _ratio(hot.T @ points, hot.sum(axis=0)[:, None], centres)
        before, labels = labels, nearest_centres(points, centres)
        if np.array_equal(before, labels):
            break
    return centres


def far_apart(points: Array, n: int) -> list[int]:
    """Points chosen one by one: the farthest from the span of those before, then from them.

    Examples
    --------
    >>> far_apart(np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 2.0], [-2.0, 0.0]]), 3)
    [2, 3, 0]
    """
    chosen: list[int] = []
    left = points.copy()
    for _ in range(min(n, points.shape[1])):
        sizes = (left**2).sum(axis=1)
        chosen.append(int(sizes.argmax()))
        axis = left[chosen[-1]] / max(np.sqrt(sizes.max()), 1e-300)
        left -= (left @ axis)[:, None] * axis
    while len(chosen) < n:
        gaps = ((points[:, None] - points[chosen]) ** 2).sum(axis=2)
        chosen.append(int(gaps.min(axis=1).argmax()))
    return chosen


def nearest_centres(points: Array, centres: Array) -> Labels:
    """The nearest centre of each point."""
    with one_blas_thread():
        labels: Labels = (points @ centres.T - (centres**2).sum(axis=1) / 2).argmax(axis=1)
    return labels


def _ratio(numbers: Array, divisors: Array, otherwise: Any) -> Array:
    """Quotients; `otherwise` where the divisor is zero."""
    usual = np.array(np.broadcast_to(otherwise, numbers.shape), dtype=np.float64)
    quotients: Array = np.divide(numbers, divisors, out=usual, where=divisors > 0)
    return quotients
