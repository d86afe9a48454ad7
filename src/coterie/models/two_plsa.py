"""Soft co-clustering by two layers of PLSA (Wang)."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie.arrays import normalize_columns
from coterie.base import WORD_CLUSTERS
from coterie.engine import Shared
from coterie.kernels import pad, quotient, spare
from coterie.kernels.dense import one_blas_thread
from coterie.memory import Size
from coterie.models.online import UNSEEN
from coterie.models.topics import TopicModel
from coterie.schema import Field
from coterie.types import Array, Counts


@dataclass(eq=False, repr=False)
class TwoPLSA(TopicModel):
    r"""Soft clusters of documents, soft clusters of words, and a table that links them.

    Each word of document *d* picks a document cluster *s*, from it a word cluster *z*, and
    from that itself (eq. 1 of [1]_): :math:`p(w \mid d) = \sum_{zs} p(w \mid z)\,
    p(z \mid s)\, p(s \mid d)`, in matrices :math:`P = S\,T\,W`. With :math:`R = N / P` at
    the counts that are not zero, the E- and M-step (eqs. 2 and 3) are

    .. math::
        S \propto S \circ R (T W)^\top, \qquad T \propto T \circ S^\top R W^\top, \qquad
        W \propto W \circ (S T)^\top R,

    all from the old parameters. A PLSA sweep with :math:`B = T W` gives the first and
    :math:`S^\top R`, from which the others follow without another look at the counts.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of document clusters, K.
    n_word_clusters : int, default=20
        Number of word clusters, L.
    init
        See `PLSA`; memberships are of the document clusters.
    max_iter, tol, n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_documents, n_clusters)
        :math:`p(s \mid d)`.
    cluster_word_clusters_ : ndarray of shape (n_clusters, n_word_clusters)
        :math:`p(z \mid s)`, which word clusters a document cluster speaks with.
    word_components_ : ndarray of shape (n_word_clusters, n_words)
        :math:`p(w \mid z)`.
    components_ : ndarray of shape (n_clusters, n_words)
        :math:`p(w \mid s) = \sum_z p(w \mid z)\, p(z \mid s)`.
    word_labels_ : ndarray of shape (n_words,)
        The word cluster of each word, by the Bayes rule.
    labels_, weights_, history_, n_iter_, converged_, interrupted_
        See `EMEstimator`.

    References
    ----------
    .. [1] Wang in docs/bibliography.md.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> model = TwoPLSA(2, 2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 1, 1])
    >>> model.cluster_word_clusters_.shape, model.word_labels_.shape
    ((2, 2), (4,))
    """

    _schema: ClassVar[dict[str, Field]] = {
        **TopicModel._schema,
        **WORD_CLUSTERS,
    }

    n_clusters: int = 10
    n_word_clusters: int = 20
    init: Any = "random"

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        self._check_number("n_word_clusters", Integral, 1)

    def _stage_bytes(self, size: Size) -> dict[str, int]:
        """Words by both kinds of clusters: of the start, before and after an M-step."""
        n, m = size.n_documents, size.n_words
        S, B = size.padded(n, self.n_clusters), size.padded(m, self.n_clusters)
        W = size.numbers(m, self.n_word_clusters)
        stages = {name: held + W for name, held in super()._stage_bytes(size).items()}
        stages["iterations"] += W + B
        return stages | {"M-step": 3 * S + 6 * B + 3 * W}

    def _kept_bytes(self, size: Size) -> int:
        return super()._kept_bytes(size) + size.numbers(size.n_words, self.n_word_clusters)

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Random mixes, links and words; given memberships lend the words theirs."""
        S = self._start_mixes(X, rng)
        T = rng.dirichlet(np.ones(self.n_word_clusters), size=self.n_clusters)
        by_cluster = self._start_words(X, S, rng)[:, : self.n_clusters]
        noise = rng.standard_exponential((X.shape[1], self.n_word_clusters))
        with one_blas_thread():
            W = (by_cluster @ T.astype(X.dtype)) * noise.astype(X.dtype)
        return S, _product(T.astype(X.dtype), normalize_columns(W, W.shape[1]))

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Links and words from the expected counts of words by document cluster."""
        spare.forget()
        B, T, W = shared
        n_ws, B = statistics[0][:, : self.n_clusters], B[:, : self.n_clusters]
        ratio = quotient(n_ws, B)
        with one_blas_thread():
            T, W = T * (ratio.T @ W), W * (ratio @ T)
        return _product(
            normalize_columns(T.T.copy(), len(T)).T, normalize_columns(W, W.shape[1])
        )

    def _distributions(self, shared: Shared) -> tuple[Array, ...] | None:
        """Links, and words of the word clusters."""
        _, T, W = shared
        return np.ascontiguousarray(T.T), W

    def _from_distributions(self, *columns: Array) -> Shared:
        """Links and words of the word clusters, and what they give together."""
        links, words = (normalize_columns(each, each.shape[1]) for each in columns)
        return _product(links.T, words)

    def _before_step(self, shared: Shared, words: Array) -> Shared:  # noqa: ARG002
        """Words that a word cluster has not had yet, or too seldom: a little of each."""
        _, T, W = shared
        least = (UNSEEN * W.mean(axis=0)).astype(W.dtype)
        if np.all(least <= W):
            return shared
        return _product(T, normalize_columns(np.maximum(W, least), W.shape[1]))

    def _fitted_stream(self) -> tuple[Shared, tuple[Array, ...]]:
        """Links and words of the word clusters as they are, and words by document cluster."""
        W = np.ascontiguousarray(self.word_components_.T)
        return _product(self.cluster_word_clusters_, W), (self._words_by_component(),)

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:
        """Documents as in PLSA; words by their own clusters."""
        super()._publish(X, rows, shared)
        _, T, W = shared
        self.cluster_word_clusters_ = np.ascontiguousarray(T)
        self.word_components_ = np.ascontiguousarray(W.T)
        self.word_labels_ = (W * (self.weights_ @ T)).argmax(axis=1)


def _product(T: Array, W: Array) -> Shared:
    """Words of the document clusters, links, words of the word clusters."""
    with one_blas_thread():
        return pad(W @ T.T), T, W
