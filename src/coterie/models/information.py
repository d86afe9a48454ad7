"""Information-theoretic co-clustering (Dhillon, Mallela and Modha, 2003; papers 001, 004)."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie import starts
from coterie.base import WORD_CLUSTERS, Clusterer
from coterie.engine import Shared
from coterie.kernels import pad
from coterie.kernels.dense import one_blas_thread
from coterie.memory import Size
from coterie.models.clusters import IMPOSSIBLE, ClusterModel, log
from coterie.models.topics import weighted
from coterie.schema import Field, Number
from coterie.types import Array, Counts, Labels, Ops


@dataclass(eq=False, repr=False)
class ITCC(ClusterModel):
    r"""Hard clusters of documents and of words that keep the most mutual information.

    With :math:`p(d, w)` the counts divided by their sum, clusters :math:`\hat d, \hat w` lose
    the information :math:`I(D; W) - I(\hat D; \hat W) = KL(p \,\|\, q)`, where
    :math:`q(d, w) = p(\hat d, \hat w)\, p(d \mid \hat d)\, p(w \mid \hat w)` (eqs. 4 to 6 of
    [1]_). Documents and words are re-assigned in turn, each to its best cluster,

    .. math::
        \hat d = \arg\max_k \textstyle\sum_w n(d, w) \log p(\hat w \mid k), \qquad
        \hat w = \arg\max_l \textstyle\sum_k n(k, w) \log p(k \mid l),

    which never raises the loss. The objective is :math:`\sum_{dw} n(d, w) \log
    p(w \mid \hat w)\, p(\hat w \mid \hat d)`: up to a constant, minus the loss times the number
    of words, and the likelihood of `TwoPLSA` with hard clusters (section 4 of [1]_).

    A cluster that has lost all its documents or words takes the distribution of the whole
    collection, so that it can fill again.

    Parameters
    ----------
    n_clusters, n_word_clusters : int, default=10, 20
        Number of document clusters, K, and of word clusters, L.
    init : "random", "dirichlet", "kmeans", Dirichlet or array, default="random"
        Start of the document clusters, as in `MultinomialMixture`, made hard; the word
        clusters start from a random partition.
    max_iter, tol, n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    labels_, word_labels_ : ndarrays of shape (n_documents,) and (n_words,)
        Clusters of documents and of words.
    cluster_word_clusters_ : ndarray of shape (n_clusters, n_word_clusters)
        :math:`p(\hat w \mid \hat d)`.
    word_components_ : ndarray of shape (n_word_clusters, n_words)
        :math:`p(w \mid \hat w)`.
    loss_ : float
        Mutual information lost, in nats.
    components_ : ndarray of shape (n_clusters, n_words)
        :math:`p(w \mid \hat w)\, p(\hat w \mid \hat d)`.
    memberships_, weights_, history_, n_iter_, converged_, interrupted_
        See `EMEstimator`.

    References
    ----------
    .. [1] Wang in docs/bibliography.md.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> model = ITCC(2, 2, random_state=0, n_init=5).fit(X)
    >>> model.labels_, model.word_labels_
    (array([1, 1, 0, 0]), array([1, 1, 0, 0]))
    """

    _schema: ClassVar[dict[str, Field]] = {
        **ClusterModel._schema,
        **WORD_CLUSTERS,
        "loss_": Number(),
    }

    n_clusters: int = 10
    n_word_clusters: int = 20
    init: Any = "random"

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        self._check_number("n_word_clusters", Integral, 1)

    def _stage_bytes(self, size: Size) -> dict[str, int]:
        """Words are re-assigned by tables in double precision; the loss takes all counts."""
        n, m, K, L = size.n_documents, size.n_words, self.n_clusters, self.n_word_clusters
        q, beta = size.padded(n, K), size.padded(m, K)
        of_each_count = 5 * size.doubles(size.n_nonzero)
        return super()._stage_bytes(size) | {
            "M-step": 3 * q + 3 * beta + 4 * size.doubles(m, K) + size.doubles(m, L),
            "loss": 3 * q + size.doubles(n, K) + size.doubles(m, K) + 2 * beta + of_each_count,
        }

    def _fit(self, X: Counts) -> None:
        super()._fit(weighted(X, self._sample_weight))

    def _assign_fitted(self, X: Counts) -> None:
        """`_publish` has assigned documents by their weights, of which new ones have none."""
        Clusterer._assign_fitted(self, X)

    def _assigns_wholly(self) -> bool:
        """Clusters are hard."""
        return True

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """A partition of the documents and one of the words."""
        q = self._start_memberships(X, rng)[:, : self.n_clusters]
        q = np.eye(self.n_clusters)[q.argmax(axis=1)]
        columns = rng.integers(self.n_word_clusters, size=X.shape[1])
        return pad(q, X.dtype), self._shared(X.T @ q, columns, X.dtype)

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Each word to its best cluster, then the table of blocks."""
        columns: Labels = shared[2]
        n_wk = statistics[1][:, : self.n_clusters].astype(np.float64)
        by_word_cluster = conditional(blocks(n_wk, columns, self.n_word_clusters).T)
        with one_blas_thread():
            score = n_wk @ log(by_word_cluster).T
        used = n_wk.any(axis=1)
        columns = np.where(used, score.argmax(axis=1), columns)
        return self._shared(n_wk, columns, statistics[1].dtype)

    def _log_shares(self) -> Array:
        """No cluster is likelier than another beforehand."""
        return np.where(pad(np.ones((1, self.n_clusters)))[0] > 0, 0.0, IMPOSSIBLE)

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """The best cluster of each document, all being equally likely beforehand."""
        q, log_likelihood = super()._assign(X, ops)
        hard = np.eye(len(self.components_), dtype=q.dtype)[q.argmax(axis=1)]
        return starts.uniform_where_empty(hard, X), log_likelihood

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:
        """Labels, the table of blocks, and what was lost."""
        super()._publish(X, rows, shared)
        self.word_labels_ = shared[2]
        used = np.diff(X.indptr) > 0
        weights = None if self._sample_weight is None else self._sample_weight[used]
        q = self.memberships_[used].astype(np.float64)
        self.weights_ = np.average(q, axis=0, weights=weights)
        n_wk = (X.T @ self.memberships_).astype(np.float64)
        cells = blocks(n_wk, self.word_labels_, self.n_word_clusters)
        self.cluster_word_clusters_ = conditional(cells)
        within = np.zeros((self.n_word_clusters, X.shape[1]), self.components_.dtype)
        shares = within_cluster(n_wk.sum(axis=1), self.word_labels_, self.n_word_clusters)
        within[self.word_labels_, np.arange(X.shape[1])] = shares
        self.word_components_ = within
        self.loss_ = mutual_information(X.tocoo()) - mutual_information(cells)

    def _shared(self, n_wk: Array, columns: Labels, dtype: Any) -> Shared:
        """Equal shares, p(w | word cluster) p(word cluster | document cluster), labels."""
        beta = pad(block_words(n_wk.astype(np.float64), columns, self.n_word_clusters), dtype)
        return self._log_shares(), log(beta), columns


def blocks(n_wk: Array, columns: Labels, n_word_clusters: int) -> Array:
    """Counts by document cluster and word cluster, from counts by word and document cluster.

    Examples
    --------
    >>> blocks(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0, 1, 0]), 2)
    array([[6., 3.],
           [8., 4.]])
    """
    return np.array([np.bincount(columns, n_w, n_word_clusters) for n_w in n_wk.T])


def within_cluster(n_w: Array, columns: Labels, n_word_clusters: int) -> Array:
    """The share of each word in its cluster; zero for words that do not occur."""
    n_l = np.bincount(columns, n_w, n_word_clusters)
    shares: Array = np.divide(n_w, n_l[columns], out=np.zeros_like(n_w), where=n_w > 0)
    return shares


def block_words(n_wk: Array, columns: Labels, n_word_clusters: int) -> Array:
    """p(w | word cluster) p(word cluster | document cluster), one row a word."""
    within = within_cluster(n_wk.sum(axis=1), columns, n_word_clusters)
    across = conditional(blocks(n_wk, columns, n_word_clusters))
    words: Array = within[:, None] * across[:, columns].T
    return words


def conditional(cells: Array) -> Array:
    """Rows of counts as distributions; an empty row takes that of all rows together."""
    totals = cells.sum(axis=1, keepdims=True)
    whole = np.broadcast_to(cells.sum(axis=0) / cells.sum(), cells.shape)
    shares: Array = np.divide(cells, totals, out=whole.copy(), where=totals > 0)
    return shares


def mutual_information(joint: Any) -> float:
    """Mutual information of rows and columns of a table of counts, in nats.

    Examples
    --------
    >>> round(mutual_information(np.eye(2)), 4), mutual_information(np.ones((2, 2)))
    (0.6931, 0.0)
    """
    rows, columns = joint.nonzero()
    p = np.asarray(joint[rows, columns] if isinstance(joint, np.ndarray) else joint.data)
    p = p.astype(np.float64) / p.sum(dtype=np.float64)
    p_row, p_column = np.bincount(rows, p), np.bincount(columns, p)
    return float(np.sum(p * np.log(p / (p_row[rows] * p_column[columns]))))
