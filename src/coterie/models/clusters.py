"""What mixtures share: a document belongs to one cluster, each cluster has its words."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie import starts
from coterie.arrays import each_rows
from coterie.base import Clusterer, TakesSampleWeight, words_by_cluster
from coterie.engine import Expected, Shared
from coterie.kernels import is_on_gpu, pad
from coterie.memory import Size
from coterie.types import Array, Counts, Ops

IMPOSSIBLE = -1e30  # stands for log 0, so that zero counts of impossible words stay harmless


class OneClusterEach(Clusterer):
    """A model with `weights_` and `components_` of which a document belongs to one."""

    def _log_shares(self) -> Array:
        """Logarithms of the clusters' shares, padded."""
        return log(pad(self.weights_[None])[0])

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """Posterior of each document under the fitted parameters."""
        log_alpha, log_beta = self._log_shares(), log(pad(self.components_.T))
        impossible = ~self.components_.any(axis=0)
        log_beta[impossible] = 0  # a word no cluster has does not tell them apart
        X = X.astype(log_beta.dtype, copy=False)
        q, _, _, log_likelihood = ops.cluster_posteriors(X, log_alpha, log_beta, False)
        log_likelihood[X @ impossible.astype(X.dtype) > 0] = -np.inf
        log_likelihood[log_likelihood < IMPOSSIBLE * 1e-10] = -np.inf
        return starts.uniform_where_empty(q[:, : len(self.components_)], X), log_likelihood


@dataclass(eq=False, repr=False)
class ClusterModel(OneClusterEach, TakesSampleWeight):
    """Base of models in which all words of a document come from one cluster.

    The first two shared parameters are the logarithms of the clusters' shares and of their
    word distributions, one row a word; E-steps see these two. Rows are the memberships and,
    where documents have weights, a last column of these.
    """

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        starts.check_init(self.init)

    def _stage_bytes(self, size: Size) -> dict[str, int]:
        """Memberships, tables of words by cluster, and copies in double precision."""
        n, m, K = size.n_documents, size.n_words, self.n_clusters
        q, beta = size.padded(n, K), size.padded(m, K)
        return {
            "start": size.data + starts.held_bytes(self.init, n, K) + q + 2 * beta,
            "iterations": 3 * q + (size.at_work + 2 + size.n_sums) * beta,
            "memberships": 4 * q + 2 * (size.at_work + 1) * beta,
            "words": 3 * q + 2 * beta + max(size.doubles(n, K), 2 * size.doubles(m, K)),
        }

    def _assigns_wholly(self) -> bool:
        """Tell whether E-steps give each document wholly to its best cluster."""
        raise NotImplementedError

    def _start_memberships(self, X: Counts, rng: np.random.Generator) -> Array:
        """Memberships of the documents to begin from."""

        def finish(q: Array, is_empty: Array) -> None:
            q[is_empty] = 0  # an empty document adds nothing

        return starts.padded_memberships(self.init, X, self.n_clusters, rng, finish)

    def _with_weights(self, q: Array) -> Array:
        """Memberships with the weights of the documents beside them, where there are any."""
        weights = self._sample_weight
        return q if weights is None else np.column_stack([q, weights.astype(q.dtype)])

    def _visible(self, shared: Shared) -> Shared:
        """E-steps see shares and words of the clusters only."""
        return shared[:2]

    def _e_step(self, X: Counts, rows: Any, shared: Any, ops: Ops) -> Expected:
        """Posterior of each document, and documents and words by cluster."""
        log_alpha, log_beta = shared
        hard = self._assigns_wholly()
        q, n_k, n_wk, objective = ops.cluster_posteriors(X, log_alpha, log_beta, hard)
        weights = rows[:, q.shape[1] :]
        if not weights.size:
            return Expected(q, (n_k, n_wk), float(objective.sum()))
        counted = q * weights
        statistics = counted.sum(axis=0, dtype=np.float64), X.T @ counted
        objective *= weights[:, 0]
        return Expected(np.hstack([q, weights]), statistics, float(objective.sum()))

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:  # noqa: ARG002
        """Parameters without padding, and the posteriors they give."""
        log_alpha, log_beta = shared[:2]
        self.weights_ = np.exp(log_alpha[: self.n_clusters])
        self.components_ = np.ascontiguousarray(np.exp(log_beta[:, : self.n_clusters]).T)
        self.memberships_, _ = self._assign_all(X)
        self.labels_ = self.memberships_.argmax(axis=1)
        self.word_labels_ = words_by_cluster(X, self.memberships_, self.components_)


def log(probabilities: Array) -> Array:
    """Logarithms in which zero gives `IMPOSSIBLE`."""
    if is_on_gpu(probabilities):  # whose logarithms are of all numbers
        above = probabilities > 0
        logs: Array = np.where(above, np.log(np.where(above, probabilities, 1)), IMPOSSIBLE)
        return logs.astype(probabilities.dtype, copy=False)
    return _into_logs(probabilities.copy())


def log_of_table(probabilities: Array) -> Array:
    """The same in the memory of a table, by threads where that is large."""
    if is_on_gpu(probabilities):
        return log(probabilities)
    each_rows(_into_logs, probabilities)
    return probabilities


def _into_logs(probabilities: Array) -> Array:
    with np.errstate(divide="ignore"):
        np.log(probabilities, out=probabilities)
    least = probabilities.dtype.type(IMPOSSIBLE)
    return np.maximum(probabilities, least, out=probabilities)
