"""Words and vectors of documents in one mixture."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.automatic.spherical import directions
from coterie.engine import Shared
from coterie.kernels import pad
from coterie.models.clusters import log
from coterie.models.mixture import MultinomialMixture
from coterie.models.von_mises import as_rows
from coterie.starts import uniform_where_empty
from coterie.types import Array, Counts, Ops


def side_by_side(weights: Counts, vectors: Array, kappa: float) -> Counts:
    """Weighted words, then the vectors, of length one, times `kappa`."""
    scaled = as_rows((kappa * directions(vectors)).astype(weights.dtype))
    joined = sp.hstack([weights, scaled], format="csr")
    return Counts(joined)


@dataclass(eq=False, repr=False)
class WordsAndVectors(MultinomialMixture):
    r"""A mixture whose clusters have words and a direction.

    The last `n_dimensions` columns are a vector of length one times :math:`\kappa`. To the
    evidence of the words, cluster *k* with direction :math:`\mu_k` adds
    :math:`\kappa \mu_k^\top x`, a von Mises-Fisher distribution of given concentration: for
    the E-step, columns like others, whose "logarithms of probabilities" are the directions.
    """

    n_dimensions: int = 1

    def start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Memberships to begin from, and the M-step they imply."""
        n_words = X.shape[1] - self.n_dimensions
        q, words = self._of_words().start(X[:, :n_words], rng)
        return q, self._joined(words, X[:, n_words:].T @ q)

    def m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Words as before; directions of the clusters' mean vectors."""
        n_k, sums = statistics
        n_words = len(sums) - self.n_dimensions
        words = self._of_words().m_step(shared, n_k, np.ascontiguousarray(sums[:n_words]))
        return self._joined(words, sums[n_words:])

    def place(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """Posterior under the fitted words and directions."""
        evidence = np.vstack([log(self.components_.T), self.directions_.T])
        q, _, _, objective = ops.cluster_posteriors(
            X, self.log_shares(), pad(evidence, X.dtype), False
        )
        return uniform_where_empty(q[:, : len(self.components_)], X), objective

    def publish(self, X: Counts, rows: Array, shared: Shared) -> None:  # noqa: ARG002
        """Words and directions apart, and the posteriors they give together."""
        log_alpha, evidence = shared[:2]
        n_words, K = len(evidence) - self.n_dimensions, self.n_clusters
        self.weights_ = np.exp(log_alpha[:K])
        self.components_ = np.ascontiguousarray(np.exp(evidence[:n_words, :K]).T)
        self.directions_ = np.ascontiguousarray(evidence[n_words:, :K].T)
        self.memberships_, _ = self._place(X)
        self.labels_ = self.memberships_.argmax(axis=1)

    def _of_words(self) -> MultinomialMixture:
        names = MultinomialMixture().get_params()
        return MultinomialMixture(**{name: getattr(self, name) for name in names})

    def _joined(self, words: Shared, sums: Array) -> Shared:
        log_alpha, log_beta, *others = words
        mu = directions(np.asarray(sums).T).T.astype(log_beta.dtype)
        return log_alpha, np.vstack([log_beta, mu]), *others

    def _check_counts(self, X: Any, *, reset: bool) -> Counts:  # noqa: ARG002
        """Vectors may be below zero: what comes here was checked in its parts."""
        self.n_features_in_ = X.shape[1]
        return X
