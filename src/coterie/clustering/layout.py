"""Where documents and clusters lie on the map.

Each cluster is a disc whose area is its number of documents. Discs do not overlap, and those
with similar words are close. A document lies in the disc of its cluster, near documents with
similar words; the closer its second choice, the farther on the way to that cluster's disc, half
way at most. Nothing is drawn at random.

UMAP and PaCMAP (extra `map`) place documents by their words alone, whatever their clusters.
"""

import importlib.util
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from coterie.arrays import unit_rows
from coterie.errors import InputError, check_choice
from coterie.findings.remembering import LARGE
from coterie.types import Array, Counts

if TYPE_CHECKING:
    from coterie.clustering.result import Clustering
    from coterie.findings.remembering import Remembered
    from coterie.findings.summary import Found

DISCS, UMAP, PACMAP = "discs", "umap", "pacmap"
PACKAGES = {UMAP: "umap", PACMAP: "pacmap"}
MOST_OF_THEM = (
    0.9  # of a cluster's documents that are within its radius, where there are no discs
)
GAP = 1.25  # least distance of two centres, in sums of their radii
SPREAD = 1.0  # width of the map, in diameters of a disc as large as all together
N_AXES = 20
N_STEPS = 300
GOLDEN_ANGLE = np.pi * (3 - 5**0.5)


def lay_out(result: "Clustering") -> tuple[Array, Array, Array]:
    """Places of the documents that are not set aside, of the clusters, and their radii."""
    found = result._found
    columns = np.array(result.numbers) - 1
    if result.about.layout != DISCS:
        return _projected(result, np.searchsorted(columns, found.assignments.labels))
    sizes = np.bincount(found.assignments.labels, minlength=columns.max() + 1)[columns]
    radii = np.sqrt(np.maximum(sizes, 1) / max(sizes.sum(), 1))
    remembered = result._remembered
    distances = _distances(found, columns)
    centres = remembered([distances, radii], _centres, distances, radii)
    memberships = np.asarray(found.assignments.memberships[:, columns], dtype=np.float64)
    labels = np.searchsorted(columns, found.assignments.labels)
    second, weight = _second_choices(memberships, labels)
    places = centres[labels] + weight[:, None] * (centres[second] - centres[labels])
    inside = (radii[labels] * (1 - weight))[:, None] * _inside(found, labels, remembered)
    return places + inside, centres, radii


def check_layout(layout: str) -> None:
    """Refuse a layout that is unknown, or whose extra is not installed."""
    check_choice("map", layout, (DISCS, UMAP, PACMAP))
    if not is_available(layout):
        raise InputError(
            f"map {layout!r}: needs an extra; install it by pip install coterie[map]"
        )


def is_available(layout: str) -> bool:
    """Whether there is such a layout here."""
    package = PACKAGES.get(layout, "")
    return layout == DISCS or bool(package and importlib.util.find_spec(package))


def _projected(result: "Clustering", labels: Any) -> tuple[Array, Array, Array]:
    """Places by a projection; a cluster is where the most central of its documents is."""
    found, layout = result._found, result.about.layout
    remembered = result._remembered
    axes = remembered([], _latent, found.all_counts)
    places = remembered([layout], _projection, axes, layout, most=LARGE)[found.positions]
    members = [places[labels == label] for label in range(len(result.numbers))]
    centres = np.array([_central(each) if len(each) else (0, 0) for each in members])
    radii = [
        np.quantile(np.linalg.norm(each - centre, axis=1), MOST_OF_THEM) if len(each) else 0.0
        for each, centre in zip(members, centres, strict=True)
    ]
    return places, centres, np.array(radii)


def _central(places: Array) -> Array:
    """The place that is nearest to the median of all."""
    apart = np.linalg.norm(places - np.median(places, axis=0), axis=1)
    central: Array = places[apart.argmin()]
    return central


def _projection(axes: Array, layout: str) -> Array:
    """Two dimensions of the latent axes, the same for the same documents."""
    n_neighbors = min(15, len(axes) - 1)
    if layout == UMAP:
        from umap import UMAP as method

        projection = method(n_neighbors=n_neighbors, random_state=0, n_jobs=1)
    else:
        from pacmap import PaCMAP as method

        projection = method(n_neighbors=n_neighbors, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        places = np.asarray(projection.fit_transform(axes.astype(np.float32)), dtype=np.float64)
    return _upright(places)


def _distances(found: "Found", columns: Any) -> Array:
    """Hellinger distances of the clusters' words, from 0 to 1."""
    roots = np.hstack([np.sqrt(view.words.clusters[columns]) for view in found.views])
    likeness = roots @ roots.T / len(found.views)
    distances: Array = np.sqrt(np.clip(1 - likeness, 0, None))
    np.fill_diagonal(distances, 0)
    return distances


def _centres(distances: Array, radii: Array) -> Array:
    """Centres of discs at distances in the order of those given (stress majorisation)."""
    from scipy.stats import rankdata

    n = len(radii)
    if n == 1:
        return np.zeros((1, 2))
    apart = GAP * (radii[:, None] + radii)
    upper = np.triu_indices(n, 1)
    ranks = np.zeros((n, n))
    ranks[upper] = np.sqrt(rankdata(distances[upper].round(6)) / len(upper[0]))
    targets = np.maximum(apart, 2 * SPREAD * (ranks + ranks.T))
    np.fill_diagonal(targets, 0)
    weights = np.where(targets > 0, 1 / np.maximum(targets, 1e-9) ** 2, 0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    places = _spiral(n)
    for _ in range(N_STEPS):
        now = _pairwise(places)
        ratios = np.where(now > 0, weights * targets / np.maximum(now, 1e-9), 0)
        places = inverse @ ((np.diag(ratios.sum(axis=1)) - ratios) @ places)
    return _upright(_pushed_apart(places, apart))


def _pushed_apart(places: Array, apart: Array) -> Array:
    """Places moved as little as needed so that no two are too close."""
    for _ in range(N_STEPS):
        between = places[:, None] - places
        now = _pairwise(places)
        lacking = np.clip(apart - now, 0, None)
        np.fill_diagonal(lacking, 0)
        if lacking.max() < 1e-6:
            break
        steps = lacking / np.maximum(now, 1e-9)
        places = places + 0.5 * (steps[:, :, None] * between).sum(axis=1)
    return places


def _upright(places: Array) -> Array:
    """The same picture turned so that it is wider than high, the first disc top left."""
    centred = places - places.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned: Array = centred @ axes.T
    if turned.shape[1] < 2:
        turned = np.column_stack([turned, np.zeros(len(turned))])
    return turned * np.where(turned[0] * [-1, 1] < 0, -1, 1)


def _pairwise(places: Array) -> Array:
    distances: Array = np.linalg.norm(places[:, None] - places, axis=2)
    return distances


def _second_choices(memberships: Array, labels: Any) -> tuple[Any, Array]:
    """The second choice of each document, and its share of the first two, at most a half."""
    rows = np.arange(len(labels))
    others = memberships.copy()
    first = others[rows, labels]
    others[rows, labels] = -1
    second = others.argmax(axis=1)
    rest = np.clip(others[rows, second], 0, None)
    total = first + rest
    shares = np.divide(rest, total, out=np.zeros_like(rest), where=total > 0)
    return second, np.minimum(shares, 0.5)


def _inside(found: "Found", labels: Any, remembered: "Remembered") -> Array:
    """Places in a disc of radius 1: the first two latent axes of each cluster's documents.

    Both are spread so that the disc is filled, the order by distance and by direction kept.
    Documents whose words do not tell them apart lie on a spiral.
    """
    axes = remembered([], _latent, found.all_counts)
    places = np.zeros((len(labels), 2))
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        rows = found.positions[members]
        places[members] = remembered([rows], _disc, axes[rows])
    return places


def _latent(views: Sequence[Counts]) -> Array:
    """Latent axes of all documents by tf-idf, which no edit changes."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer

    counts = sp.hstack(views, format="csr")
    n_axes = min(N_AXES, min(counts.shape) - 1)
    if n_axes < 2 or not counts.nnz:
        return np.zeros((counts.shape[0], 2))
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(counts.astype(np.float64))
    with np.errstate(invalid="ignore"):  # documents that are all alike have no variance
        axes = TruncatedSVD(n_axes, random_state=0).fit_transform(weighted)
    return unit_rows(axes, np.float64)


def _disc(axes: Array) -> Array:
    centred = axes - axes.mean(axis=0)
    left, scales, _ = np.linalg.svd(centred, full_matrices=False)
    if len(scales) < 2 or scales[1] < 1e-9:
        return _spiral(len(axes))
    plane = left[:, :2] * np.sign(left[np.abs(left[:, :2]).argmax(axis=0), [0, 1]])
    radii = np.sqrt(_even(np.linalg.norm(plane, axis=1)))
    angles = np.arctan2(plane[:, 1], plane[:, 0])
    angles = (angles + np.pi * (2 * _even(angles) - 1)) / 2
    return _polar(radii, angles)


def _even(values: Array) -> Array:
    """Numbers evenly spread from 0 to 1 in the order of the values."""
    return (values.argsort(kind="stable").argsort() + 0.5) / len(values)


def _spiral(n: int) -> Array:
    """Places that fill a disc of radius 1, in the order of seeds in a sunflower."""
    order = np.arange(n)
    return _polar(np.sqrt((order + 0.5) / n), GOLDEN_ANGLE * order)


def _polar(radii: Array, angles: Array) -> Array:
    places: Array = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return places
