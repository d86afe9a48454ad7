"""Mixture of von Mises-Fisher distributions (Banerjee, Dhillon, Ghosh, Sra, JMLR 2005)."""

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import validate_data

from coterie import starts
from coterie.base import TakesSampleWeight
from coterie.corpus import Corpus, is_texts, refuse_positions_outside, refuse_strings
from coterie.engine import Expected, Shared
from coterie.errors import InputError
from coterie.kernels.dense import one_blas_thread
from coterie.memory import Size
from coterie.models.clusters import log
from coterie.schema import Field, Number, Numbers, Sizes
from coterie.types import Array, Counts, Ops

LEAST_KAPPA, LARGEST_KAPPA = 1e-6, 1e5
UNDERFLOW = 1e-280  # below this scaled Bessel functions have lost their digits


ROUNDING = 1e-3


@dataclass(eq=False, repr=False)
class VonMisesFisherMixture(TakesSampleWeight):
    r"""Clusters of directions: vectors, such as embeddings of sentences, whatever their length.

    Vectors are scaled to length one. Cluster *k* has a share :math:`\alpha_k` and a mean
    direction :math:`\mu_k`; one concentration :math:`\kappa` serves all clusters, so that a
    cluster of few vectors cannot shrink to a point:

    .. math::
        p(x) &= \sum_k \alpha_k\, c_D(\kappa)\, e^{\kappa \mu_k^\top x} \\
        q_{dk} &\propto \alpha_k\, e^{\kappa \mu_k^\top x_d}                       && (E) \\
        \alpha_k &\propto \textstyle\sum_d q_{dk}, \quad
        \mu_k \propto s_k = \textstyle\sum_d q_{dk} x_d                          && (M) \\
        A_D(\kappa) &= \textstyle\sum_k \lVert s_k \rVert / n                      && (M)

    where :math:`A_D = I_{D/2} / I_{D/2-1}` is inverted exactly. A vector of zeros says
    nothing: it adds nothing to the model and its memberships are equal.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    concentration : float, optional
        :math:`\kappa`, shared by all clusters; None estimates it.
    init : "kmeans", "random", "dirichlet", Dirichlet or array, default="kmeans"
        Start from k-means on the scaled vectors, from a random partition, from memberships
        near equality, or from given memberships or labels.
    max_iter, tol, n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    components_ : ndarray of shape (n_clusters, n_dimensions)
        Mean directions.
    concentration_ : float
        Concentration around them.
    memberships_, labels_, weights_, history_, n_iter_, converged_, interrupted_
        See `EMEstimator`. Likelihoods are densities on the sphere; `score` is a vector's mean.

    Examples
    --------
    >>> X = [[1, 0.1], [5, -0.2], [-1, 0.1], [-2, -0.3]]
    >>> model = VonMisesFisherMixture(2, random_state=0).fit(X)
    >>> labels = model.predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    _schema: ClassVar[dict[str, Field]] = {
        **TakesSampleWeight._schema,
        "components_": Numbers("K m", -1 - ROUNDING, 1 + ROUNDING),
        "concentration_": Number(np.nextafter(0, 1)),
    }
    del _schema["word_labels_"], _schema["vocabulary_"]

    n_clusters: int = 10
    concentration: float | None = None
    init: Any = "kmeans"

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these vectors."""
        super()._check_parameters(X)
        starts.check_init(self.init)
        if self.concentration is not None:
            self._check_number("concentration", Real, LEAST_KAPPA)
        n_present = int(np.count_nonzero(has_vector(dense(X))))
        if self.n_clusters > n_present:
            raise InputError(
                f"n_clusters={self.n_clusters}: larger than the number of vectors that are "
                f"not zero, {n_present}"
            )

    def _needed_bytes(self, size: Size) -> int:
        """The vectors as they are given, besides those of length one."""
        return super()._needed_bytes(size) + size.numbers(size.n_documents, size.n_words)

    def _stage_bytes(self, size: Size) -> dict[str, int]:
        """Vectors in double precision, shard by shard, and memberships."""
        n, width, K = size.n_documents, size.n_words, self.n_clusters
        at_work = size.at_work / size.n_shards
        of_shards = int(at_work * size.doubles(n, width + 5 * K))
        sample = size.numbers(min(n, max(starts.SAMPLE, 50 * K)), width)
        return {
            "start": 3 * size.doubles(n, K) + size.doubles(n, width) + sample,
            "iterations": of_shards + (size.at_work + 2) * size.doubles(K, width),
            "new documents": of_shards + 3 * size.numbers(n, K),
        }

    def _counts_like(self, sizes: Sizes) -> Counts:
        return as_rows(np.ones((sizes["n"], 1)))

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Memberships to begin from, and the clusters that follow from them."""
        x = dense(X)
        present = has_vector(x)
        if isinstance(self.init, str) and self.init == "kmeans":
            labels = np.zeros(len(x), dtype=np.int64)
            labels[present] = starts.kmeans_labels(x[present], self.n_clusters, rng)
            q = starts.given(labels, len(x), self.n_clusters)
        else:
            q = starts.memberships(self.init, X, self.n_clusters, rng)
        q[~present] = 0
        before = (np.zeros(self.n_clusters), np.zeros((self.n_clusters, X.shape[1])), 1.0)
        weights = np.ones(len(x)) if self._sample_weight is None else self._sample_weight
        counted = q * weights[:, None]
        shared = self._m_step(before, counted.sum(axis=0), summed(counted, x))
        return weights[:, None].astype(X.dtype), shared

    def _e_step(self, X: Counts, rows: Any, shared: Any, ops: Ops) -> Expected:  # noqa: ARG002
        """Posterior of each vector; vectors by cluster and their sums, by their weights."""
        x = dense(X)
        q, log_likelihood = self._posteriors(x, *shared)
        counted = q * rows
        statistics = counted.sum(axis=0), summed(counted, x)
        return Expected(rows, statistics, float((log_likelihood * rows[:, 0]).sum()))

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Shares, directions and concentration."""
        n_k, sums = statistics
        kappa = self.concentration or concentration_of(sums, n_k.sum())
        return log(n_k / n_k.sum()), directions_of(sums, shared[1]), np.float64(kappa)

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:  # noqa: ARG002
        """Posterior of each vector under the fitted parameters, and its log-density."""
        x = dense(X)
        shared = log(self.weights_), self.components_, self.concentration_
        q, log_likelihood = self._posteriors(x, *shared)
        q[~has_vector(x)] = 1 / len(self.components_)
        return q.astype(x.dtype), log_likelihood

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:  # noqa: ARG002
        """Parameters, and the posteriors they give."""
        log_alpha, directions, kappa = shared
        self.weights_ = np.exp(log_alpha)
        self.components_ = directions.astype(X.dtype)
        self.concentration_ = float(kappa)
        self._assign_fitted(X)

    def _posteriors(
        self, x: Array, log_alpha: Array, directions: Array, kappa: float
    ) -> tuple[Array, Array]:
        joint = log_alpha + log_density(x, directions, kappa)
        top = joint.max(axis=1, keepdims=True)
        odds = np.exp(joint - top)
        totals = odds.sum(axis=1, keepdims=True)
        present = has_vector(x)
        log_likelihood: Array = np.where(present, (top + np.log(totals))[:, 0], 0.0)
        return np.where(present[:, None], odds / totals, 0.0), log_likelihood

    def _likelihood_and_length(self, X: Any) -> tuple[float, float]:
        vectors = self._check_counts(X, reset=False)
        n_present = np.count_nonzero(has_vector(dense(vectors)))
        return float(self._assign_all(vectors)[1].sum()), max(float(n_present), 1.0)

    def _read(self, X: Any) -> Counts:
        return self._check_counts(X, reset=True)

    def _check_counts(self, X: Any, *, reset: bool) -> Counts:
        x = X
        if is_texts(X):
            raise InputError(
                f"X: texts, but {type(self).__name__} clusters vectors, a row of numbers a "
                "document; compute them first, as by a sentence model"
            )
        if isinstance(X, Corpus):
            if len(X.vectors) != 1:
                raise InputError(f"corpus: expected one view of vectors, got {len(X.vectors)}")
            (x,) = X.vectors.values()
        refuse_strings(x)
        refuse_positions_outside(x)
        x = validate_data(
            self, x, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        return as_rows(unit(x, f"Input X of {type(self).__name__}"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.positive_only = False
        return tags


def unit(x: Array, name: str) -> Array:
    """Vectors scaled to length one, those of zeros as they are; a bad number is named.

    Examples
    --------
    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]]), "X")
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    bad = np.argwhere(~np.isfinite(x))
    if len(bad):
        row, column = bad[0]
        kind = "NaN" if np.isnan(x[row, column]) else "infinity"
        raise InputError(
            f"{name} contains {kind}: row {row}, column {column}, expected finite numbers"
        )
    largest = np.abs(x).max(axis=1, keepdims=True, initial=0)
    x = np.ascontiguousarray(x / np.where(largest > 0, largest, 1))  # no infinite squares
    lengths = np.linalg.norm(x, axis=1, keepdims=True)
    scaled: Array = x / np.where(lengths > 0, lengths, 1)
    return scaled


def as_rows(x: Array) -> Counts:
    """A dense matrix in the form the loop cuts into shards: every entry is stored."""
    n, width = x.shape
    index = np.int32 if x.size < 2**31 else np.int64
    indices = np.tile(np.arange(width, dtype=index), n)
    return Counts(
        (np.ascontiguousarray(x).ravel(), indices, np.arange(n + 1, dtype=index) * width),
        shape=x.shape,
    )


def dense(X: Counts) -> Array:
    """The matrix that `as_rows` stored, or a shard of it, without a copy."""
    x: Array = X.data.reshape(X.shape)
    return x


def has_vector(x: Array) -> npt.NDArray[np.bool_]:
    """Which rows are not all zeros."""
    present: npt.NDArray[np.bool_] = (x != 0).any(axis=1)
    return present


def summed(q: Array, x: Array) -> Array:
    """Sum of the vectors of each cluster, weighted by membership."""
    with one_blas_thread():
        sums: Array = q.T.astype(np.float64) @ x.astype(np.float64)
    return sums


def directions_of(sums: Array, before: Array) -> Array:
    """Sums scaled to length one; a cluster without vectors keeps its direction."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    directions: Array = np.where(
        lengths > 0, sums / np.where(lengths > 0, lengths, 1), np.asarray(before)
    )
    return directions


def log_density(x: Array, directions: Array, kappa: float) -> Array:
    """Log-density of each vector around each direction."""
    with one_blas_thread():
        cosines = x.astype(np.float64) @ directions.T.astype(np.float64)
    density: Array = kappa * cosines + log_normaliser(float(kappa), x.shape[1])
    return density


def concentration_of(sums: Array, n_vectors: float) -> float:
    r"""The likeliest concentration: that for which :math:`A_D(\kappa)` is the mean length.

    Examples
    --------
    >>> kappa = concentration_of(np.array([[0.0, 0.0, 3.0]]), 4)
    >>> bool(np.isclose(1 / np.tanh(kappa) - 1 / kappa, 0.75))  # A in three dimensions
    True
    """
    from scipy.optimize import brentq

    width = sums.shape[1]
    mean_length = float(np.linalg.norm(sums, axis=1).sum() / max(n_vectors, 1e-300))

    def excess(kappa: float) -> float:
        return mean_length_at(kappa, width) - mean_length

    if excess(LARGEST_KAPPA) <= 0:
        return LARGEST_KAPPA
    if excess(LEAST_KAPPA) >= 0:
        return LEAST_KAPPA
    return float(brentq(excess, LEAST_KAPPA, LARGEST_KAPPA, xtol=1e-12, rtol=1e-14))


def mean_length_at(kappa: float, width: int) -> float:
    r""":math:`A_D(\kappa)`, how long the mean of vectors of this concentration is.

    Examples
    --------
    >>> bool(np.isclose(mean_length_at(2.0, 3), 1 / np.tanh(2) - 1 / 2))
    True
    """
    from scipy.special import ive

    order = width / 2 - 1
    below = float(ive(order, kappa))
    if below > UNDERFLOW:
        return float(ive(order + 1, kappa)) / below
    ratio = 0.0  # Gauss's continued fraction, from its end: quick where kappa is below width
    for term in range(200, -1, -1):
        ratio = 1 / ((width + 2 * term) / kappa + ratio)
    return ratio


def log_normaliser(kappa: float, width: int) -> float:
    r"""Log of :math:`c_D(\kappa) = \kappa^\nu / ((2\pi)^{\nu+1} I_\nu(\kappa))`, ν = D/2 - 1.

    Examples
    --------
    >>> bool(np.isclose(log_normaliser(2.0, 3), np.log(2.0 / (4 * np.pi * np.sinh(2.0)))))
    True
    """
    order = width / 2 - 1
    log_two_pi = np.log(2 * np.pi)
    return float(order * np.log(kappa) - (order + 1) * log_two_pi - log_bessel(order, kappa))


def log_bessel(order: float, z: float) -> float:
    r"""Log of the modified Bessel function :math:`I_\nu(z)`; where tiny, Debye's expansion."""
    from scipy.special import ive

    scaled = float(ive(order, z))
    if scaled > UNDERFLOW:
        return float(np.log(scaled)) + z
    t = 1 / np.sqrt(1 + (z / order) ** 2)
    eta = 1 / t + np.log(z / order / (1 + 1 / t))
    u = (
        1.0,
        (3 * t - 5 * t**3) / 24,
        (81 * t**2 - 462 * t**4 + 385 * t**6) / 1152,
        (30375 * t**3 - 369603 * t**5 + 765765 * t**7 - 425425 * t**9) / 414720,
    )
    series = sum(term / order**power for power, term in enumerate(u))
    return float(order * eta + 0.5 * np.log(t / (2 * np.pi * order)) + np.log(series))
