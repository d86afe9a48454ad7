"""Relation summary network of documents and words (Long, Wu, Zhang and Yu, 2006)."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie import starts
from coterie.base import WORD_CLUSTERS, EMEstimator, bytes_of_mixes, log_likelihood_of_mixes
from coterie.engine import Expected, Shared
from coterie.errors import InputError, check_choice
from coterie.kernels.dense import one_blas_thread
from coterie.memory import Size
from coterie.models.block_values import WEIGHTINGS, scales
from coterie.models.information import block_words, blocks, conditional, within_cluster
from coterie.models.summary_forms import DIVERGENCES, Form, SpectralForm, SummaryForm
from coterie.schema import Either, Field, Numbers, Row, Sizes, Wholes
from coterie.types import Array, Counts, Labels, Ops

FORMS = ("spectral", "summary")


BLOCKS = Row((Numbers("K L", 0), Wholes("m", ("L",)), Numbers("L", 0)))
AXES = Row((Numbers("m r"), Numbers("* r")))


@dataclass(eq=False, repr=False)
class RSN(EMEstimator):
    r"""Hard clusters of documents and of words, and a small network that sums them up.

    `form="summary"` puts one value in place of each block that a cluster of documents and one
    of words make in the scaled counts *A*: its mean *B*, the best for every Bregman divergence.
    Documents and words go in turn to the nearest row and column of blocks,

    .. math::
        \hat d = \arg\min_k \textstyle\sum_w D(a_{dw}, b_{k \hat w}), \qquad
        \hat w = \arg\min_l \textstyle\sum_d D(a_{dw}, b_{\hat d l}),

    with :math:`D(a, b) = (a - b)^2` or :math:`a \log(a / b) - a + b`. The objective is minus
    the sum of the divergences, and never falls. A cluster that has lost all documents or words
    takes the mean of all, so that it can fill again.

    `form="spectral"` lets memberships :math:`C_1, C_2` be any orthonormal matrices and
    maximises :math:`tr(C_1^T A\, C_2\, C_2^T A^T C_1)`, each in turn; then documents are the
    points of the rows of :math:`C_1` scaled to length one, words those of :math:`C_2`, both
    clustered by k-means. Memberships of rank higher than the smaller of the two numbers of
    clusters add nothing. The maximum is reached from any start, and k-means begins from points
    chosen one after the other, each the farthest from the space of those before: no chance is
    involved beyond rounding.

    The articles were not at hand: these are the two forms the name is used for, and Grimal
    and Bisson (2011) cite the one on spectral clustering.

    Parameters
    ----------
    n_clusters, n_word_clusters : int, default=10, 20
        Number of document clusters, K, and of word clusters, L.
    form : "spectral" or "summary", default="spectral"
        See above.
    divergence : "squared" or "information", default="squared"
        Of the summary; the spectral form has none.
    weighting : "length", "share" or "counts", default="length"
        Scale documents to length one, to sum to one, or take counts as they are.
    init : "random", "dirichlet", "kmeans", Dirichlet or array, default="random"
        Start of the document clusters, as in `ITCC`; word clusters start from a random
        partition.
    max_iter, tol, n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    labels_, word_labels_ : ndarrays of shape (n_documents,) and (n_words,)
        Clusters of documents and of words.
    cluster_word_clusters_ : ndarray of shape (n_clusters, n_word_clusters)
        Shares of the word clusters in the counts of each cluster.
    word_components_ : ndarray of shape (n_word_clusters, n_words)
        Shares of the words in each word cluster.
    components_ : ndarray of shape (n_clusters, n_words)
        Word distributions, of the form of `ITCC`.
    network_ : list of ndarrays
        *B* and the number of words in each word cluster; or the axes that documents are
        projected on and the centres of the clusters there.
    memberships_, weights_, history_, n_iter_, converged_, interrupted_
        See `EMEstimator`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3], [0, 0, 1, 1]]
    >>> model = RSN(2, 2).fit(X)
    >>> model.labels_, model.word_labels_
    (array([1, 1, 0, 0, 0]), array([0, 0, 1, 1]))
    """

    _schema: ClassVar[dict[str, Field]] = {
        **EMEstimator._schema,
        **WORD_CLUSTERS,
        "network_": Either((BLOCKS, AXES)),
    }

    n_clusters: int = 10
    n_word_clusters: int = 20
    form: str = "spectral"
    divergence: str = "squared"
    weighting: str = "length"
    init: Any = "random"

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        self._check_number("n_word_clusters", Integral, 1)
        check_choice("form", self.form, FORMS)
        check_choice("divergence", self.divergence, DIVERGENCES)
        if self.form == "spectral" and self.divergence != DIVERGENCES[0]:
            raise InputError(
                f"divergence={self.divergence!r}: expected {DIVERGENCES[0]!r} with "
                "form='spectral'"
            )
        check_choice("weighting", self.weighting, WEIGHTINGS)
        starts.check_init(self.init)

    def _check_fitted(self, sizes: Sizes) -> None:
        super()._check_fitted(sizes)
        n_blocks = 3 if self.form == "summary" else 2
        if len(self.network_) != n_blocks:
            raise InputError(
                f"network_: {len(self.network_)} arrays, expected {n_blocks} of form "
                f"{self.form!r}"
            )
        if not 1 <= len(self.network_[-1]) <= max(sizes["K"], sizes["L"]):
            raise InputError(
                f"network_: {len(self.network_[-1])} centres, expected at most {sizes['K']}"
            )

    def _stage_bytes(self, size: Size) -> dict[str, int]:
        """Memberships or points in double precision, as those of k-means."""
        n, m, K, L = size.n_documents, size.n_words, self.n_clusters, self.n_word_clusters
        r = K if self.form == "summary" else min(K, L)
        rows, words = size.doubles(n, r), size.doubles(m, r)
        likelihood = bytes_of_mixes(size, K, size.itemsize, size.at_work)
        stages = {
            "iterations": 4 * rows + (size.at_work + 3) * words + size.doubles(m, L),
            "clusters": 5 * rows + 3 * size.doubles(n, K) + 3 * words,
            "words": 2 * rows + 3 * size.doubles(m, K) + size.padded(m, L),
            "new documents": size.doubles(n, K) + 2 * words + size.padded(m, L) + likelihood,
        }
        for n_points, n_centres in ((n, K), (m, L)):
            if n_centres > r:  # centres that lie far apart, all points from all of them
                gaps = size.doubles(n_points, n_centres - 1, r)
                stages[f"centres of {n_points}"] = 5 * rows + 3 * words + gaps
        return stages

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """A partition of the documents, and one of the words or axes that follow it."""
        q = starts.memberships(self.init, X, self.n_clusters, rng)
        if self.form == "summary":
            q = np.eye(self.n_clusters)[q.argmax(axis=1)]
        q[np.diff(X.indptr) == 0] = 0
        scale = scales(X, self.weighting)
        return q, self._form.start(q, X.T @ (scale[:, None] * q), rng)

    def _visible(self, shared: Shared) -> Shared:
        """E-steps see all."""
        return shared

    def _e_step(self, X: Counts, rows: Any, shared: Any, ops: Ops) -> Expected:  # noqa: ARG002
        """Documents to their clusters, or on the axes."""
        scale = scales(X, self.weighting)
        rows, objective = self._form.rows(X, scale, shared)
        with one_blas_thread():
            statistics = rows.sum(axis=0), X.T @ (scale[:, None] * rows)
        return Expected(rows, statistics, objective)

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Words to their clusters, or the axes."""
        return self._form.words(shared, *statistics)

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:  # noqa: ARG002
        """The nearest cluster of each document."""
        labels = self._form.assign(X, scales(X, self.weighting), *self.network_)
        q = self._one_hot(X, labels).astype(self.components_.dtype)
        return q, log_likelihood_of_mixes(X, q, self.components_)

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:
        """Labels, and the table of blocks."""
        scale, L = scales(X, self.weighting), self.n_word_clusters
        self.network_, self.word_labels_ = self._form.network(X, scale, rows, shared)
        self.labels_ = self._form.assign(X, scale, *self.network_)
        q = self.memberships_ = self._one_hot(X, self.labels_).astype(X.dtype)
        self.labels_ = q.argmax(axis=1)
        self.weights_ = q[np.diff(X.indptr) > 0].mean(axis=0, dtype=np.float64)
        n_wk = X.T @ q.astype(np.float64)
        self.cluster_word_clusters_ = conditional(blocks(n_wk, self.word_labels_, L))
        words = block_words(n_wk, self.word_labels_, L).T
        self.components_ = np.ascontiguousarray(words, dtype=X.dtype)
        within = np.zeros((L, X.shape[1]), X.dtype)
        shares = within_cluster(n_wk.sum(axis=1), self.word_labels_, L)
        within[self.word_labels_, np.arange(X.shape[1])] = shares
        self.word_components_ = within

    def _order_clusters(self, order: Labels) -> None:
        super()._order_clusters(order)
        side = 0 if self.form == "summary" else 1  # block means, or centres: a row a cluster
        rows = self.network_[side]
        self.network_[side] = rows[order[: len(rows)]]

    def _order_word_clusters(self, order: Labels) -> None:
        super()._order_word_clusters(order)
        if self.form == "summary":
            means, _, widths = self.network_
            network: list[Any] = [means[:, order], self.word_labels_, widths[order]]
            self.network_ = network

    @property
    def _form(self) -> Form:
        if self.form == "summary":
            return SummaryForm(self.n_clusters, self.n_word_clusters, self.divergence)
        return SpectralForm(self.n_clusters, self.n_word_clusters)

    def _one_hot(self, X: Counts, labels: Labels) -> Array:
        return starts.uniform_where_empty(np.eye(self.n_clusters)[labels], X)
