"""Initialisation: memberships of documents before a fit (Rigouste, Cappé and Yvon)."""

import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from coterie.errors import InputError
from coterie.kernels import LANES
from coterie.kernels.dense import one_thread
from coterie.types import Array, Counts, Labels

SAMPLE = 5000
BLOCK = 1 << 15  # documents whose memberships are drawn together
one_at_a_time = threading.Lock()  # for filters of warnings, which are the whole process's
NAMES = ("dirichlet", "random", "kmeans")


@dataclass(frozen=True)
class Dirichlet:
    """Initial memberships drawn from a symmetric Dirichlet distribution, one draw a document.

    Given as `init` of a model. A concentration of 1, which `init="dirichlet"` stands for, draws
    memberships from anywhere; 100 draws them very close to equality.

    Examples
    --------
    >>> from coterie import MultinomialMixture
    >>> MultinomialMixture(2, init=Dirichlet(100))
    MultinomialMixture(init=Dirichlet(concentration=100), n_clusters=2)
    """

    concentration: float = 1.0

    def __post_init__(self) -> None:
        value: Any = self.concentration
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not 0 < value < np.inf:
            raise InputError(f"concentration={value!r}: expected a finite number above zero")


def memberships(init: Any, X: Counts, n_clusters: int, rng: np.random.Generator) -> Array:
    """Memberships to begin from, by the name of a start or as given."""
    n_documents = X.shape[0]
    if drawn := _drawn(init):
        return dirichlet(n_documents, n_clusters, drawn.concentration, rng)
    if not isinstance(init, str):
        return given(init, n_documents, n_clusters)
    if init == "kmeans":
        return given(kmeans(X, n_clusters, rng), n_documents, n_clusters)
    return given(rng.integers(n_clusters, size=n_documents), n_documents, n_clusters)


def padded_memberships(
    init: Any,
    X: Counts,
    n_clusters: int,
    rng: np.random.Generator,
    finish: Callable[[Array, Array], None],
) -> Array:
    """Memberships as kernels take them: in the precision of X, columns filled up with zeros.

    `finish` changes blocks of rows, with what says which documents have no words, before they
    are rounded. Draws are made in these blocks too, so that no other array has all rows.

    Examples
    --------
    >>> def finish(q, is_empty):
    ...     q[is_empty] = 0
    >>> X = Counts(np.array([[1, 2], [0, 0], [0, 1]], np.float32))
    >>> padded_memberships([1, 0, 0], X, 2, np.random.default_rng(0), finish)[:, :3]
    array([[0., 1., 0.],
           [0., 0., 0.],
           [1., 0., 0.]], dtype=float32)
    """
    of_rows: Callable[[slice], Array]
    if drawn := _drawn(init):
        draw = partial(dirichlet, concentration=drawn.concentration, rng=rng)
        of_rows = lambda part: draw(part.stop - part.start, n_clusters)  # noqa: E731
    else:
        of_rows = memberships(init, X, n_clusters, rng).__getitem__
    rows = np.zeros((X.shape[0], -(-n_clusters // LANES) * LANES), X.dtype)
    for first in range(0, len(rows), BLOCK):
        part = slice(first, min(first + BLOCK, len(rows)))
        q = of_rows(part)
        finish(q, np.diff(X.indptr[first : part.stop + 1]) == 0)
        rows[part, :n_clusters] = q
    return rows


def held_bytes(init: Any, n_documents: int, n_clusters: int) -> int:
    """Bytes of an array in double precision from which padded memberships are made."""
    return 8 * min(n_documents, BLOCK if _drawn(init) else n_documents) * n_clusters


def _drawn(init: Any) -> Dirichlet | None:
    """The distribution that a start draws from, if it does."""
    if isinstance(init, str) and init == "dirichlet":
        return Dirichlet()
    return init if isinstance(init, Dirichlet) else None


def check_init(init: Any) -> None:
    """Refuse the name of a start that there is not."""
    if isinstance(init, str) and init not in NAMES:
        expected = ", ".join(repr(name) for name in NAMES)
        raise InputError(f"init={init!r}: expected {expected}, memberships or labels")


def dirichlet(
    n_documents: int, n_clusters: int, concentration: float, rng: np.random.Generator
) -> Array:
    """Memberships drawn near equal probability: the nearer, the higher the concentration.

    Examples
    --------
    >>> q = dirichlet(4, 3, 100.0, np.random.default_rng(0))
    >>> q.shape, bool(abs(q - 1 / 3).max() < 0.2)
    ((4, 3), True)
    """
    return rng.dirichlet(np.full(n_clusters, concentration), size=n_documents)


def kmeans(X: Counts, n_clusters: int, rng: np.random.Generator) -> Labels:
    """Labels by k-means on documents weighted by tf-idf and scaled to length one.

    Centres are found on a sample of at least `SAMPLE` documents, which is as good a start.

    Examples
    --------
    >>> X = Counts(np.array([[4, 2, 0, 1], [3, 3, 0, 1], [0, 0, 2, 1], [0, 0, 3, 1]]))
    >>> labels = kmeans(X, 2, np.random.default_rng(0))
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    from sklearn.feature_extraction.text import TfidfTransformer

    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    return kmeans_labels(weighted, n_clusters, rng)


def kmeans_labels(points: Any, n_clusters: int, rng: np.random.Generator) -> Labels:
    """Labels by k-means on points, a row each, sparse or dense."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    sample = rng.permutation(points.shape[0])[: max(SAMPLE, 50 * n_clusters)]
    seed = int(rng.integers(2**31))
    with one_at_a_time, warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer documents than clusters
        found = KMeans(n_clusters, n_init=1, max_iter=20, random_state=seed)
        labels: Labels = found.fit(points[sample]).predict(points)
    return labels


def given(init: Any, n_documents: int, n_clusters: int) -> Array:
    """Memberships from a matrix of them, or from labels 0 to K - 1, one a document.

    Examples
    --------
    >>> given([1, 0], 2, 2)
    array([[0., 1.],
           [1., 0.]])
    """
    array = np.asarray(init)
    if array.ndim == 1:
        return _one_hot(array, n_documents, n_clusters)
    if array.shape != (n_documents, n_clusters):
        raise InputError(
            f"init has shape {array.shape}: expected memberships of shape "
            f"({n_documents}, {n_clusters}), or a label per document"
        )
    memberships = array.astype(np.float64)
    totals = memberships.sum(axis=1, keepdims=True)
    if not np.all(np.isfinite(memberships)) or memberships.min() < 0 or totals.min() <= 0:
        raise InputError("init: expected memberships of zero or more, not all zero in a row")
    normalized: Array = memberships / totals
    return normalized


def uniform_where_empty(memberships: Array, X: Counts) -> Array:
    """Memberships with equal shares for documents without words, which never get others."""
    memberships = memberships.copy()
    memberships[np.diff(X.indptr) == 0] = 1 / memberships.shape[1]
    return memberships


def _one_hot(labels: Any, n_documents: int, n_clusters: int) -> Array:
    if len(labels) != n_documents or not np.issubdtype(labels.dtype, np.integer):
        raise InputError(
            f"init: expected {n_documents} whole numbers, one a document; "
            f"got {len(labels)} of type {labels.dtype}"
        )
    if n_documents and not 0 <= labels.min() <= labels.max() < n_clusters:
        raise InputError(
            f"init: labels run from {labels.min()} to {labels.max()}, "
            f"expected 0 to {n_clusters - 1}"
        )
    rows: Array = np.eye(n_clusters)[labels]
    return rows
