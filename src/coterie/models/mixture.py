"""Mixture of multinomials (Rigouste, Cappé and Yvon; Pessiot et al., section 2.2)."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from coterie.arrays import (
    each_rows,
    normalize_columns,
    with_background,
    without_background,
)
from coterie.base import words_by_cluster
from coterie.engine import Shared
from coterie.errors import InputError
from coterie.kernels import pad
from coterie.memory import Size
from coterie.models.clusters import ClusterModel, log, log_of_table
from coterie.models.online import OnlineEM, empty_rows
from coterie.models.topics import weighted
from coterie.types import Array, Counts, Ops

BACKGROUND_PRIOR = 0.05  # of the words of the collection, beside those the background explains


@dataclass(eq=False, repr=False)
class MultinomialMixture(OnlineEM, ClusterModel):
    r"""Every document belongs to one cluster, every cluster has its own words.

    A document draws a cluster *t* with probability :math:`\alpha_t`, then all its words
    from :math:`\beta_{\cdot t}`:

    .. math:: p(d) = \sum_t \alpha_t \prod_w \beta_{wt}^{C_d(w)}

    (eq. 1 of [1]_ without the multinomial coefficient, which no parameter touches).
    With Dirichlet priors :math:`\theta_\alpha, \theta_\beta`, EM climbs to a maximum of
    the posterior (eqs. 2 to 4):

    .. math::
        P(T_d = t)   &\propto \alpha_t \textstyle\prod_w \beta_{wt}^{C_d(w)}      && (E) \\
        \alpha_t     &\propto \theta_\alpha - 1 + \textstyle\sum_d P(T_d = t)     && (M) \\
        \beta_{wt}   &\propto \theta_\beta - 1
                              + \textstyle\sum_d C_d(w)\, P(T_d = t)              && (M)

    With `hard=True` each document goes whole to its most probable cluster before the
    M-step (classification EM, Algorithm 1 of [2]_) and the objective is the likelihood of
    documents and assignments together. On the transposed counts this clusters words.

    With a `background` of :math:`\lambda` above zero, each occurrence of a word comes from the
    cluster with probability :math:`1-\lambda` and else from the background, words that all
    clusters share. Clusters then need not explain words that all have:

    .. math::
        \beta_{wt} &= (1-\lambda)\, \phi_{wt} + \lambda\, \gamma_w \\
        \phi_{wt}  &\propto \theta_\beta - 1 + \textstyle\sum_d C_d(w)\, P(T_d = t)\,
                     \frac{(1-\lambda)\, \phi_{wt}}{\beta_{wt}}                 && (M) \\
        \gamma_w   &\propto s \textstyle\sum_d C_d(w)
                     + \textstyle\sum_{dt} C_d(w)\, P(T_d = t)\,
                     \frac{\lambda\, \gamma_w}{\beta_{wt}}                      && (M)

    where the fractions, of the parameters before the step, are the probabilities that an
    occurrence is the cluster's own, and the background's; the priors are then those of
    :math:`\phi`. EM begins with the words of the whole collection as background. It learns how
    salient each word is, as Law et al. [3]_ do for features: a word that sets clusters apart
    leaves the background. A small prior of the collection's words, *s* = 0.05, keeps every
    word possible in every cluster.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    cluster_prior : float, default=1.0
        Dirichlet prior of the clusters' shares; 1 is none.
    word_prior : float, default=1.1
        Dirichlet prior of the clusters' words; 1 is none, and then a cluster excludes every
        document with a word it never saw.
    hard : bool, default=False
        Assign documents wholly (CEM) rather than by probability (EM).
    init : "dirichlet", "random", "kmeans", Dirichlet or array, default="dirichlet"
        Start from memberships drawn from a Dirichlet distribution around equal
        probability, from a random partition, from k-means on tf-idf weights, or from given
        memberships (n_documents by n_clusters) or labels (one a document).
    background : float, default=0.0
        Share :math:`\lambda` of the words that come from the background; 0 is the papers'
        model.
    max_iter, tol, n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_documents, n_clusters)
        Posterior probabilities of the clusters; equal to `predict_proba` of the same counts.
    components_ : ndarray of shape (n_clusters, n_words)
        :math:`\beta`, the word distribution of each cluster, background included.
    weights_ : ndarray of shape (n_clusters,)
        :math:`\alpha`, the share of each cluster.
    labels_, word_labels_, history_, n_iter_, converged_, interrupted_
        See `EMEstimator`. Words are clustered by :math:`\phi`.

    References
    ----------
    .. [1] Rigouste, Cappé and Yvon in docs/bibliography.md.
    .. [2] Pessiot et al. in docs/bibliography.md.
    .. [3] Law, Figueiredo and Jain (2004) in docs/bibliography.md.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> model = MultinomialMixture(2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 1, 1])
    >>> model.predict([[1, 0, 0, 0]])
    array([0])
    """

    n_clusters: int = 10
    cluster_prior: float = 1.0
    word_prior: float = 1.1
    hard: bool = False
    init: Any = "dirichlet"
    background: float = 0.0

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        self._check_number("cluster_prior", Real, 1)
        self._check_number("word_prior", Real, 1)
        self._check_number("background", Real, 0)
        if self.background >= 1:
            raise InputError(f"background={self.background!r}: expected a share below 1")
        if not isinstance(self.hard, bool | np.bool_):
            raise InputError(f"hard={self.hard!r}: expected True or False")

    def _stage_bytes(self, size: Size) -> dict[str, int]:
        """With a background, the words of the clusters alone too, and the share they have."""
        stages = super()._stage_bytes(size)
        if self.background:
            stages["iterations"] += 5 * size.padded(size.n_words, self.n_clusters)
        return stages

    def _assigns_wholly(self) -> bool:
        """CEM does, EM does not."""
        return self.hard

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Memberships to begin from, and the M-step they imply."""
        q = self._start_memberships(X, rng)
        counted = q if self._sample_weight is None else q * self._sample_weight[:, None]
        totals = None
        if self.background:
            totals = weighted(X, self._sample_weight).sum(axis=0, dtype=np.float64)
        shared = self._start_words(counted, (X.T @ counted).astype(X.dtype), totals)
        return self._with_weights(q), shared

    def _start_words(self, counted: Array, n_wk: Array, totals: Array | None) -> Shared:
        """The M-step that memberships imply; `totals` are the words of the collection."""
        n_k = counted.sum(axis=0, dtype=np.float64)
        if not self.background:
            return self._m_step((), n_k, n_wk)
        assert totals is not None
        shares = _shares(totals[:, None], n_wk.dtype)
        phi = normalize_columns(n_wk.copy(), self.n_clusters)
        prior = BACKGROUND_PRIOR * totals[:, None]
        return self._m_step((None, None, phi, shares, prior), n_k, n_wk)

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Eqs. 3 and 4, words and shares of clusters kept as logarithms."""
        n_k, n_wk = statistics
        n_k[: self.n_clusters] += self.cluster_prior - 1
        if self.background:
            phi, gamma, prior = shared[2:]
            taken = without_background(n_wk, phi, gamma, self.background)
            gamma = _shares(prior + taken, n_wk.dtype)
        log_alpha = log(n_k / n_k.sum())
        phi = normalize_columns(n_wk, self.n_clusters, self.word_prior - 1)
        if not self.background:
            return log_alpha, log_of_table(phi)
        beta = with_background(phi, gamma, self.background)
        return log_alpha, log_of_table(beta), phi, gamma, prior

    def _folded(self, X: Counts, shared: Shared, ops: Ops) -> Array:  # noqa: ARG002
        """E-steps find the memberships of documents anew."""
        return empty_rows(X, self.n_clusters)

    def _before_step(self, shared: Shared, words: Array) -> Shared:
        """With a background, its prior are the words of all documents so far."""
        if not self.background:
            return shared
        totals = words.sum(axis=1, dtype=np.float64, keepdims=True)
        return (*shared[:4], BACKGROUND_PRIOR * totals)

    def _fitted_stream(self) -> tuple[Shared, tuple[Array, ...]]:
        """Shares and words of the clusters as they are; documents count alike long."""
        words = pad((self.components_ * self.weights_[:, None]).T, self.components_.dtype)
        statistics = pad(self.weights_[None])[0], words
        shared = self._log_shares(), log(pad(self.components_.T))
        if not self.background:
            return shared, statistics
        totals = words.sum(axis=1, dtype=np.float64, keepdims=True)
        gamma = _shares(totals, words.dtype)
        own = pad(self.components_.T) - self.background * gamma
        phi = normalize_columns(np.maximum(own, 0), self.n_clusters)
        return (*shared, phi, gamma, BACKGROUND_PRIOR * totals), statistics

    def _distributions(self, shared: Shared) -> tuple[Array, ...] | None:
        """Shares and words of the clusters; CEM jumps anyway."""
        if self.background or self.hard:
            return None
        return np.exp(shared[0])[:, None], np.exp(shared[1])

    def _from_distributions(self, *columns: Array) -> Shared:
        """Logarithms of shares and of words."""
        shares, words = columns
        log_alpha = log(normalize_columns(shares, 1)[:, 0])
        return log_alpha, log_of_table(normalize_columns(words, self.n_clusters))

    def _log_prior(self, shared: Shared) -> float:
        """Log-density of the parameters under their Dirichlet priors, up to a constant."""
        words = log(shared[2]) if self.background and self.word_prior > 1 else shared[1]
        prior = 0.0
        for theta, logs in ((self.cluster_prior, shared[0]), (self.word_prior, words)):
            if theta > 1:
                of_rows = each_rows(
                    lambda rows: rows[..., : self.n_clusters].sum(dtype=np.float64), logs
                )
                prior += (theta - 1) * float(sum(of_rows))
        if self.background:
            gamma, counted = shared[3:]
            prior += float((counted * log(gamma.astype(np.float64))).sum())
        return prior

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:
        """Parameters without padding; words belong to clusters by what is the clusters' own."""
        super()._publish(X, rows, shared)
        if self.background:
            own = shared[2][:, : self.n_clusters].T
            self.word_labels_ = words_by_cluster(X, self.memberships_, own)

    def _runs_on_gpu(self) -> bool:
        """Without weights of documents, both steps take arrays of any kind."""
        return self._sample_weight is None


def _shares(counts: Array, dtype: Any) -> Array:
    """Counts as a distribution, uniform where all are zero."""
    total = counts.sum()
    shares: Array = counts / total if total > 0 else counts + 1 / len(counts)
    return shares.astype(dtype)
