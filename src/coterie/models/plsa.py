"""Probabilistic latent semantic analysis (Hofmann, 1999; Pessiot et al., section 2.3)."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from coterie.arrays import each_rows, normalize_columns
from coterie.engine import Shared
from coterie.kernels import pad
from coterie.models.topics import TopicModel
from coterie.types import Array, Counts


@dataclass(eq=False, repr=False)
class PLSA(TopicModel):
    r"""Topics as word distributions, documents as mixtures of topics.

    Each word of document *d* picks a topic *z* from :math:`\theta_d`, then itself from
    :math:`\phi_z`, so that :math:`p(w, d) = p(d) \sum_z \theta_{dz} \phi_{zw}` (eq. 3 of
    [1]_). The likelihood :math:`\sum_{dw} n(d, w) \log p(w \mid d)` (eq. 4; its part in
    :math:`p(d)` is constant) is maximised by EM:

    .. math::
        p(z \mid d, w) &\propto \theta_{dz}\, \phi_{zw}                       && (E) \\
        \theta_{dz}    &\propto \textstyle\sum_w n(d, w)\, p(z \mid d, w)     && (M) \\
        \phi_{zw}      &\propto \theta_\beta - 1
                                + \textstyle\sum_d n(d, w)\, p(z \mid d, w)   && (M)

    A document belongs to its heaviest topic; a word to :math:`\arg\max_z \phi_{zw}
    \sum_d p(d)\, \theta_{dz}` (eq. 5). New documents are folded in: their mixes are
    fitted with the topics held fixed, each document on its own.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of topics, which are also the clusters of documents.
    word_prior : float, default=1.0
        Dirichlet prior of the topics' words. At 1 this is maximum likelihood, as in the
        paper; above 1, no word is impossible, which new documents with words unseen in
        training need for a finite perplexity.
    init : "random", "dirichlet", "kmeans", Dirichlet or array, default="random"
        Start from mixes and topics drawn at random; from mixes close to equality, the topics
        following from them; from k-means on tf-idf weights; or from given memberships
        (n_documents by n_clusters) or labels (one a document). A tenth of every mix but a
        random one is spread evenly, so that all can still move.
    max_iter, tol, n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_documents, n_clusters)
        :math:`\theta`, the topic mix of each document.
    components_ : ndarray of shape (n_clusters, n_words)
        :math:`\phi`, the word distribution of each topic.
    weights_ : ndarray of shape (n_clusters,)
        :math:`p(z) = \sum_d p(d)\, \theta_{dz}`.
    labels_, word_labels_, history_, n_iter_, converged_, interrupted_
        See `EMEstimator`.

    References
    ----------
    .. [1] Pessiot et al. in docs/bibliography.md.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> model = PLSA(2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 1, 1])
    >>> model.predict([[1, 0, 0, 0]])
    array([0])
    """

    n_clusters: int = 10
    word_prior: float = 1.0
    init: Any = "random"

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        self._check_number("word_prior", Real, 1)

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Random mixes and topics, or those that given memberships imply."""
        theta = self._start_mixes(X, rng)
        return theta, self._m_step((), self._start_words(X, theta, rng))

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:  # noqa: ARG002
        """Topics from the expected counts of words."""
        (n_wz,) = statistics
        return (normalize_columns(n_wz, self.n_clusters, self.word_prior - 1),)

    def _fitted_stream(self) -> tuple[Shared, tuple[Array, ...]]:
        """Topics as they are, and words by topic."""
        return (pad(self.components_.T),), (self._words_by_component(),)

    def _distributions(self, shared: Shared) -> tuple[Array, ...] | None:
        """Words of the topics."""
        return shared

    def _from_distributions(self, *columns: Array) -> Shared:
        """Topics from words of topics."""
        return (normalize_columns(columns[0], self.n_clusters),)

    def _log_prior(self, shared: Shared) -> float:
        """Log-density of the topics under their Dirichlet prior, up to a constant."""
        if self.word_prior == 1:
            return 0.0
        logs = each_rows(
            lambda phi: np.log(phi[:, : self.n_clusters]).sum(dtype=np.float64), shared[0]
        )
        return float((self.word_prior - 1) * sum(logs))
