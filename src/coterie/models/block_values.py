"""Non-negative block value decomposition (Long, Zhang and Yu, 2005)."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie import starts
from coterie.arrays import distributions, row_shares
from coterie.base import WORD_CLUSTERS, EMEstimator, bytes_of_mixes, log_likelihood_of_mixes
from coterie.engine import Expected, Shared
from coterie.errors import check_choice
from coterie.kernels.dense import one_blas_thread
from coterie.memory import Size
from coterie.schema import Field
from coterie.types import Array, Counts, Ops

WEIGHTINGS = ("length", "share", "counts")
EVEN_SHARE = 0.1  # mixed into given memberships: the updates never move what is zero
PLACING_STEPS = 200
NOTHING = 1e-300  # added to denominators, which are zero only where numerators are


@dataclass(eq=False, repr=False)
class BVD(EMEstimator):
    r"""Clusters of documents, clusters of words, and the values of the blocks they make.

    Documents *A* are taken apart into non-negative factors :math:`A \approx R\, B\, C`: the
    documents' coefficients, the block values, the words' coefficients. Three updates [1]_

    .. math::
        R \leftarrow R \circ \frac{A C^T B^T}{R B C C^T B^T}, \quad
        B \leftarrow B \circ \frac{R^T A C^T}{R^T R B C C^T}, \quad
        C \leftarrow C \circ \frac{B^T R^T A}{B^T R^T R B C},

    one after the other, never raise :math:`\|A - R B C\|^2`, whose negative is the objective.
    The product :math:`R B C` is never formed. A document belongs to its largest coefficient,
    once the rows of :math:`B C` are scaled to sum to one and *R* to match. Of new documents *R*
    is found by the first update.

    The factors are no probabilities. The word distributions of the clusters are the shares of
    words in their documents.

    Parameters
    ----------
    n_clusters, n_word_clusters : int, default=10, 20
        Number of document clusters, K, and of word clusters, L.
    weighting : "length", "share" or "counts", default="length"
        Scale documents to length one, to sum to one, or take counts as they are.
    init : "random", "dirichlet", "kmeans", Dirichlet or array, default="random"
        Start of the documents' coefficients, as memberships; those of words start at random,
        and follow the documents' where these are given.
    max_iter, tol, n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_documents, n_clusters)
        Coefficients of the documents, scaled to sum to one.
    cluster_word_clusters_ : ndarray of shape (n_clusters, n_word_clusters)
        *B*, for rows of *C* that sum to one.
    word_components_ : ndarray of shape (n_word_clusters, n_words)
        *C*, rows scaled to sum to one.
    word_labels_ : ndarray of shape (n_words,)
        The word cluster of each word, by its largest coefficient.
    labels_, components_, weights_, history_, n_iter_, converged_, interrupted_
        See `EMEstimator`.

    References
    ----------
    .. [1] B. Long, Z. Zhang, P. S. Yu. Co-clustering by block value decomposition.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> model = BVD(2, 2, random_state=0).fit(X)
    >>> model.labels_, model.word_labels_
    (array([1, 1, 0, 0]), array([1, 1, 0, 0]))
    """

    _schema: ClassVar[dict[str, Field]] = {
        **EMEstimator._schema,
        **WORD_CLUSTERS,
    }

    n_clusters: int = 10
    n_word_clusters: int = 20
    weighting: str = "length"
    init: Any = "random"
    _: KW_ONLY
    max_iter: int = 1000

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        self._check_number("n_word_clusters", Integral, 1)
        check_choice("weighting", self.weighting, WEIGHTINGS)
        starts.check_init(self.init)

    def _stage_bytes(self, size: Size) -> dict[str, int]:
        """All factors are in double precision."""
        n, m, K, L = size.n_documents, size.n_words, self.n_clusters, self.n_word_clusters
        R, H, C = size.doubles(n, K), size.doubles(m, K), size.doubles(m, L)
        at_work = size.at_work / size.n_shards
        likelihood = bytes_of_mixes(size, K, size.itemsize, size.at_work)
        return {
            "iterations": 3 * R + int(4 * at_work * R) + (size.at_work + 2) * H + 2 * C,
            "M-step": 3 * R + 2 * H + 5 * C,
            "memberships": 5 * R + H + 2 * C,
            "new documents": R + 2 * C + (size.at_work + 1) * H + likelihood,
        }

    def _kept_bytes(self, size: Size) -> int:
        n, m = size.n_documents, size.n_words
        return size.doubles(n, self.n_clusters) + size.doubles(m, self.n_word_clusters)

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Random coefficients of the scale of the data."""
        q = starts.memberships(self.init, X, self.n_clusters, rng)
        q = (1 - EVEN_SHARE) * q + EVEN_SHARE / self.n_clusters
        scale = scales(X, self.weighting)
        R = q * (scale * X.sum(axis=1, dtype=np.float64))[:, None]
        B = rng.dirichlet(np.ones(self.n_word_clusters), size=self.n_clusters)
        C = rng.standard_exponential((X.shape[1], self.n_word_clusters))
        with one_blas_thread():
            C *= (X.T @ (scale[:, None] * q)) @ B
        return R, (B, C / np.maximum(C.sum(axis=0), NOTHING))

    def _visible(self, shared: Shared) -> Shared:
        """E-steps see the words of the document clusters, and their products."""
        B, C = shared
        with one_blas_thread():
            H = C @ B.T
            return H, H.T @ H

    def _e_step(self, X: Counts, R: Any, shared: Any, ops: Ops) -> Expected:  # noqa: ARG002
        """Update R; the error comes from the products, by expanding the square."""
        H, G = shared
        scale = scales(X, self.weighting)
        AH = scale[:, None] * (X @ H)
        with one_blas_thread():
            RG = R @ G
        squares = scale**2 @ X.multiply(X).sum(axis=1, dtype=np.float64)
        error = squares - 2 * np.sum(R * AH) + np.sum(R * RG)
        R = R * (AH / (RG + NOTHING))
        with one_blas_thread():
            statistics = X.T @ (scale[:, None] * R), R.T @ R
        return Expected(R, statistics, -float(error))

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Update B, then C with the new B."""
        B, C = shared
        AR, RR = statistics
        with one_blas_thread():
            B = B * ((AR.T @ C) / (RR @ B @ (C.T @ C) + NOTHING))
            C = C * ((AR @ B) / (C @ (B.T @ RR @ B) + NOTHING))
        return B, C

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:  # noqa: ARG002
        """Coefficients of new documents, those of words and blocks being fixed."""
        H = self.word_components_.T.astype(np.float64) @ self.cluster_word_clusters_.T
        with one_blas_thread():
            G = H.T @ H
        AH = scales(X, self.weighting)[:, None] * (X @ H)
        R = np.ones_like(AH)
        for _ in range(PLACING_STEPS):
            R *= AH / (_row_by_row(R, G) + NOTHING)
        memberships = self._memberships(X, R, H).astype(self.components_.dtype)
        return memberships, log_likelihood_of_mixes(X, memberships, self.components_)

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:
        """Factors on their natural scales, and what documents and words belong to."""
        B, C = shared
        totals = C.sum(axis=0)
        self.cluster_word_clusters_ = row_shares(B * totals)
        self.word_components_ = np.ascontiguousarray((C / np.maximum(totals, NOTHING)).T)
        self.word_labels_ = (C / np.maximum(totals, NOTHING)).argmax(axis=1)
        with one_blas_thread():
            q = self._memberships(X, rows, C @ B.T).astype(X.dtype)
        self.memberships_ = q
        self.labels_ = q.argmax(axis=1)
        self.weights_ = q[np.diff(X.indptr) > 0].mean(axis=0, dtype=np.float64)
        self.components_ = distributions((X.T @ q).T)

    def _memberships(self, X: Counts, R: Array, H: Array) -> Array:
        mass = R * H.sum(axis=0)
        even = np.full_like(mass, 1 / self.n_clusters)
        totals = mass.sum(axis=1, keepdims=True)
        shares = np.divide(mass, totals, out=even, where=totals > 0)
        return starts.uniform_where_empty(shares, X)


def scales(X: Counts, weighting: str) -> Array:
    """What each document is multiplied with: one over its length or sum, or one.

    Examples
    --------
    >>> scales(Counts(np.array([[3.0, 4.0], [0.0, 0.0]])), "length")
    array([0.2, 0. ])
    """
    if weighting == "counts":
        return np.ones(X.shape[0])
    if weighting == "length":
        sizes = np.sqrt(X.multiply(X).sum(axis=1, dtype=np.float64))
    else:
        sizes = X.sum(axis=1, dtype=np.float64)
    inverse: Array = np.divide(1, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    return inverse


def _row_by_row(R: Array, G: Array) -> Array:
    """The product of R and G, each row computed alike however many there are."""
    product: Array = R[:, :1] * G[0]
    for k in range(1, len(G)):
        product += R[:, k : k + 1] * G[k]
    return product
