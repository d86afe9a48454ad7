"""Mixture of multinomials (paper 000, section 2.2; paper 002, section 2)."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from coterie.engine import Shared
from coterie.errors import InputError
from coterie.kernels import normalize_columns
from coterie.models.clusters import ClusterModel, log
from coterie.types import Array, Counts


@dataclass(eq=False, repr=False)
class MultinomialMixture(ClusterModel):
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

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    theta_alpha : float, default=1.0
        Dirichlet prior of the clusters' shares; 1 is none.
    theta_beta : float, default=1.1
        Dirichlet prior of the clusters' words; 1 is none, and then a cluster excludes every
        document with a word it never saw.
    hard : bool, default=False
        Assign documents wholly (CEM) rather than by probability (EM).
    init : "dirichlet", "random", "kmeans" or array, default="dirichlet"
        Start from memberships drawn from a Dirichlet distribution around equal
        probability, from a random partition, from k-means on tf-idf weights, or from given
        memberships (n_documents by n_clusters) or labels (one a document).
    concentration : float, default=1.0
        Parameter of that Dirichlet distribution: 1 draws memberships from anywhere, 100
        very close to equality, as in the paper.
    max_iter, tol, n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_documents, n_clusters)
        Posterior probabilities of the clusters; equal to `predict_proba` of the same counts.
    components_ : ndarray of shape (n_clusters, n_words)
        :math:`\beta`, the word distribution of each cluster.
    weights_ : ndarray of shape (n_clusters,)
        :math:`\alpha`, the share of each cluster.
    labels_, column_labels_, history_, n_iter_, converged_, interrupted_
        See `EMEstimator`.

    References
    ----------
    .. [1] L. Rigouste, O. Cappé, F. Yvon. Inference for probabilistic unsupervised text
       clustering.
    .. [2] J.-F. Pessiot, Y.-M. Kim, M. R. Amini, P. Gallinari. Improving document
       clustering in a learned concept space.

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
    theta_alpha: float = 1.0
    theta_beta: float = 1.1
    hard: bool = False
    init: Any = "dirichlet"
    concentration: float = 1.0

    def check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super().check_parameters(X)
        self._check_number("theta_alpha", Real, 1)
        self._check_number("theta_beta", Real, 1)
        if not isinstance(self.hard, bool | np.bool_):
            raise InputError(f"hard={self.hard!r}: expected True or False")

    def assigns_wholly(self) -> bool:
        """CEM does, EM does not."""
        return self.hard

    def start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Memberships to begin from, and the M-step they imply."""
        q = self.start_memberships(X, rng)
        return q, self.m_step((), q.sum(axis=0, dtype=np.float64), X.T @ q)

    def m_step(self, shared: Shared, *statistics: Array) -> Shared:  # noqa: ARG002
        """Eqs. 3 and 4, kept as logarithms."""
        n_k, n_wk = statistics
        n_k[: self.n_clusters] += self.theta_alpha - 1
        n_wk[:, : self.n_clusters] += self.theta_beta - 1
        return log(n_k / n_k.sum()), log(normalize_columns(n_wk, self.n_clusters))

    def log_prior(self, shared: Shared) -> float:
        """Log-density of the parameters under their Dirichlet priors, up to a constant."""
        prior = 0.0
        for theta, logs in zip((self.theta_alpha, self.theta_beta), shared, strict=True):
            if theta > 1:
                prior += (theta - 1) * float(logs[..., : self.n_clusters].sum(dtype=np.float64))
        return prior
