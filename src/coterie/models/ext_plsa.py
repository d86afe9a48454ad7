"""PLSA with a second latent variable, for words (Pessiot et al., section 2.5)."""

from dataclasses import dataclass
from functools import reduce
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie import executors
from coterie.arrays import row_shares
from coterie.engine import Shared
from coterie.kernels import mix_topics, pad, quotient, sum_words
from coterie.memory import Size
from coterie.models.topics import TopicModel
from coterie.schema import Distributions, Field, Shares, Wholes
from coterie.types import Array, Counts

LEAST = 1e-6  # factor of a word in a stream, of which the largest is one
STEPS = 4096  # mean of the weights at the start: whole numbers, half the memory to go through


@dataclass(eq=False, repr=False)
class ExtPLSA(TopicModel):
    r"""Document clusters and word topics in one model: a word needs one of each.

    Each word of document *d* picks a document cluster :math:`\alpha` from
    :math:`p(\alpha \mid d)` and a word topic :math:`\beta` from :math:`p(\beta)`, then itself
    from :math:`p(w \mid \alpha, \beta)` (eq. 9 of [1]_). EM repeats eqs. 10 to 13:

    .. math::
        p(\alpha, \beta \mid d, w) &\propto p(\alpha \mid d)\, p(\beta)\,
                                            p(w \mid \alpha, \beta)           && (10) \\
        p(\alpha \mid d)           &\propto \textstyle\sum_{w \beta} n(d, w)\,
                                            p(\alpha, \beta \mid d, w)        && (11) \\
        p(\beta)                   &\propto \textstyle\sum_{d w \alpha} n(d, w)\,
                                            p(\alpha, \beta \mid d, w)        && (12) \\
        p(w \mid \alpha, \beta)    &\propto \textstyle\sum_d n(d, w)\,
                                            p(\alpha, \beta \mid d, w)        && (13)

    The likelihood depends on :math:`p(\beta)` and :math:`p(w \mid \alpha, \beta)` only through
    :math:`G_{\alpha w} = \sum_\beta p(\beta)\, p(w \mid \alpha, \beta)`, and every G can be
    reached: with K clusters the attainable likelihood is that of PLSA with K topics. What
    differs is the path EM takes to it.

    The same remark makes it cheap. Given a word and its cluster, the topic does not depend
    on the document, so a sweep over the counts is one PLSA sweep with G, which gives
    :math:`S_{\alpha w} = \sum_d n(d, w)\, p(\alpha \mid d, w)`. And eq. 13 multiplies
    :math:`p(w \mid \alpha, \beta)` by :math:`S_{\alpha w} / G_{\alpha w}`, which does not
    depend on :math:`\beta`: after any number of iterations it is the start times a factor
    :math:`h_{\alpha w}`, normalised. The start is never changed, only *h* is.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of document clusters, K.
    n_word_clusters : int, default=20
        Number of word topics, L.
    init
        See `PLSA`; the start of :math:`p(w \mid \alpha, \beta)` is random around the words
        of its cluster.
    max_iter, tol, n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_documents, n_clusters)
        :math:`p(\alpha \mid d)`.
    components_ : ndarray of shape (n_clusters, n_words)
        G, the word distribution of each document cluster.
    word_cluster_weights_ : ndarray of shape (n_word_clusters,)
        :math:`p(\beta)`.
    word_components_ : ndarray of shape (n_word_clusters, n_words)
        :math:`p(w \mid \beta)`, the word distribution of each word topic.
    word_labels_ : ndarray of shape (n_words,)
        The word topic of each word, by the Bayes rule.
    labels_, weights_, history_, n_iter_, converged_, interrupted_
        See `EMEstimator`.

    References
    ----------
    .. [1] Pessiot et al. in docs/bibliography.md.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> ExtPLSA(2, 3, random_state=0).fit(X).labels_
    array([0, 0, 1, 1])
    """

    _schema: ClassVar[dict[str, Field]] = {
        **TopicModel._schema,
        "word_components_": Shares("L m"),
        "word_cluster_weights_": Distributions("L"),
        "word_labels_": Wholes("m", ("L",)),
    }

    n_clusters: int = 10
    n_word_clusters: int = 20
    init: Any = "random"

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        self._check_number("n_word_clusters", Integral, 1)

    def _stage_bytes(self, size: Size) -> dict[str, int]:
        """The start is drawn in single precision and kept as whole numbers of two bytes."""
        m, K, L = size.n_words, self.n_clusters, self.n_word_clusters
        first, tables = 2 * m * K * L, size.padded(m, K)
        stages = {
            name: held + first + 4 * tables for name, held in super()._stage_bytes(size).items()
        }
        drawn = 3 * 4 * m * K * L
        return stages | {"start": drawn + size.padded(size.n_documents, K) + 2 * tables}

    def _kept_bytes(self, size: Size) -> int:
        first = 2 * size.n_words * self.n_clusters * self.n_word_clusters
        return super()._kept_bytes(size) + first

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Random mixes, topics and words, or those around given memberships."""
        theta = self._start_mixes(X, rng)
        h = self._start_words(X, theta, rng)[:, : self.n_clusters]
        shape = (X.shape[1], self.n_clusters, self.n_word_clusters)
        drawn = rng.standard_exponential(shape, dtype=np.float32)
        first: Any = np.clip(drawn * STEPS, 1, 2**16 - 1).astype(np.uint16)
        p_beta = rng.dirichlet(np.ones(self.n_word_clusters))
        return theta, self._shared(np.ascontiguousarray(h), first, p_beta)

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Eqs. 12 and 13 from the counts by cluster, without a table of pairs by word."""
        G, h, first, p_beta, scale = shared
        G, S = G[:, : self.n_clusters], statistics[0][:, : self.n_clusters]
        h = h * quotient(S, G)
        h /= np.maximum(h.max(axis=0), np.finfo(h.dtype).tiny)
        totals = self._totals(h, first)
        n_beta = _by_cluster(S) @ row_shares(p_beta * scale * totals)
        return self._shared(h, first, n_beta / n_beta.sum(), totals)

    def _before_step(self, shared: Shared, words: Array) -> Shared:  # noqa: ARG002
        """Words that no batch had before have no factor yet: a small one, which moves."""
        _, h, first, p_beta, _ = shared
        if h.min() >= LEAST:
            return shared
        return self._shared(np.maximum(h, h.dtype.type(LEAST)), first, p_beta)

    def _fitted_stream(self) -> tuple[Shared, tuple[Array, ...]]:
        """Words of the clusters as they are, with the same word topics in all of them."""
        by_word = self.word_components_.T
        mean = np.maximum(by_word.mean(axis=1, keepdims=True), np.finfo(by_word.dtype).tiny)
        drawn = np.clip(STEPS * by_word / mean, 1, 2**16 - 1).astype(np.uint16)
        shape = (len(drawn), self.n_clusters, self.n_word_clusters)
        first: Any = np.ascontiguousarray(np.broadcast_to(drawn[:, None], shape))
        h = self.components_.T / (drawn @ self.word_cluster_weights_)[:, None]
        h = (h / h.max(axis=0)).astype(self.components_.dtype)
        shared = self._shared(h, first, self.word_cluster_weights_)
        return shared, (self._words_by_component(),)

    def _pairs(self, shared: Shared) -> Array:
        r""":math:`p(w \mid \alpha, \beta)`, words by clusters by topics."""
        _, h, first, _, scale = shared
        table: Array = h[:, :, None] * first * scale
        return table

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:
        """Documents as in PLSA; word topics averaged over the clusters."""
        super()._publish(X, rows, shared)
        _, h, first, p_beta, scale = shared
        self.word_cluster_weights_ = p_beta
        weights = (scale * self.weights_[:, None]).astype(h.dtype)
        self.word_components_ = np.einsum("wa,wab,ab->bw", h, first, weights, optimize=False)
        self.word_labels_ = (self.word_components_ * p_beta[:, None]).argmax(axis=0)

    def _word_cluster_shares(self) -> Array:
        shares: Array = self.word_cluster_weights_
        return shares

    def _shared(
        self, h: Array, first: Array, p_beta: Array, totals: Array | None = None
    ) -> Shared:
        """G and all it is made of; `scale` makes each p(w | cluster, topic) sum to one."""
        if totals is None:
            totals = self._totals(h, first)
        scale = quotient(np.ones_like(totals), totals)
        mixed = (p_beta * scale).astype(h.dtype)
        parts = executors.each_block(lambda a, b: mix_topics(first[a:b], mixed), len(first))
        return pad(h * np.concatenate(parts)), h, first, p_beta, scale

    def _totals(self, h: Array, first: Array) -> Array:
        parts = executors.each_block(lambda a, b: sum_words(first[a:b], h[a:b]), len(first))
        totals: Array = reduce(np.add, parts)
        return totals


def _by_cluster(S: Array) -> Array:
    totals: Array = S.sum(axis=0, dtype=np.float64)
    return totals
