"""What the PLSA family shares: documents are mixes, each component has its words."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coterie import fitting, starts
from coterie.arrays import row_sums
from coterie.base import TakesSampleWeight
from coterie.engine import Expected, Shared
from coterie.kernels import pad
from coterie.memory import Size
from coterie.models.online import OnlineEM
from coterie.types import Array, Counts, Ops

FOLD_IN_ITERATIONS = 500
FOLD_IN_TOLERANCE = 1e-5
BATCH_ITERATIONS = 30  # of the mixes of a batch, which are forgotten after it
BATCH_TOLERANCE = 1e-3
EVEN_SHARE = 0.1  # mixed into given memberships: EM never moves a share that is zero


@dataclass(eq=False, repr=False)
class TopicModel(OnlineEM, TakesSampleWeight):
    """Base of models in which p(w | d) is a mix of K word distributions.

    However a model builds these, one E-step over the counts serves it: the first shared
    parameter holds them, one row a word, and all that E-steps see is that one.
    """

    _spread: ClassVar[float] = 0.1
    _moves_rows: ClassVar[bool] = True

    def _fit(self, X: Counts) -> None:
        super()._fit(weighted(X, self._sample_weight))

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        starts.check_init(self.init)

    def _stage_bytes(self, size: Size) -> dict[str, int]:
        """Mixes, tables of words by component, and copies in double precision."""
        n, m, K = size.n_documents, size.n_words, self.n_clusters
        theta, phi = size.padded(n, K), size.padded(m, K)
        n_rows, more = (11, 7) if fitting.is_accelerated() else (3, 0)
        return {
            "start": 2 * starts.held_bytes(self._first(), n, K) + theta,
            "iterations": n_rows * theta + (2 * (size.at_work + 1 + size.n_sums) + more) * phi,
            "memberships": 3 * theta + 2 * phi + size.doubles(n, K),
            "words": 3 * theta + 2 * phi + 2 * size.doubles(m, K),
            "new documents": 3 * theta + (size.at_work + 1) * phi,
        }

    def _start_mixes(self, X: Counts, rng: np.random.Generator) -> Array:
        """Mixes of the documents to begin from; equal shares where there are no words."""

        def finish(theta: Array, is_empty: Array) -> None:
            if not self._is_random():
                theta *= 1 - EVEN_SHARE
                theta += EVEN_SHARE / self.n_clusters
            theta[is_empty] = 1 / self.n_clusters

        return starts.padded_memberships(self._first(), X, self.n_clusters, rng, finish)

    def _start_words(self, X: Counts, theta: Array, rng: np.random.Generator) -> Array:
        """Weights of words by component to begin from: random, or following the mixes."""
        if self._is_random():
            return pad(rng.standard_exponential((X.shape[1], self.n_clusters)), X.dtype)
        follow: Array = X.T @ theta
        return follow

    def _is_random(self) -> bool:
        return isinstance(self.init, str) and self.init == "random"

    def _first(self) -> Any:
        """What mixes begin from: by "random", draws from anywhere."""
        return starts.Dirichlet() if self._is_random() else self.init

    def _visible(self, shared: Shared) -> Shared:
        """E-steps see the word distributions of the components only."""
        return shared[:1]

    def _e_step(self, X: Counts, theta: Any, shared: Any, ops: Ops) -> Expected:
        """New mixes of the documents, and the expected counts of words by component."""
        (phi,) = shared
        theta, n_wz, log_likelihood = ops.topic_counts(X, theta, phi)
        return Expected(theta, (n_wz,), log_likelihood)

    def _folded(self, X: Counts, shared: Shared, ops: Ops) -> Array:
        """Mixes of a batch, near enough for its statistics."""
        theta: Array
        theta, _ = ops.fold_in(X, shared[0], self.n_clusters, BATCH_ITERATIONS, BATCH_TOLERANCE)
        return theta

    def _publish_stream(self, X: Counts) -> None:
        """Shares of the components are those of all batches."""
        super()._publish_stream(X)
        shares = self._stream.shares[0][:, : self.n_clusters].sum(axis=0, dtype=np.float64)
        self.weights_ = shares / shares.sum()

    def _words_by_component(self) -> Array:
        """Shares of words and components together, as E-steps count them."""
        return pad((self.components_ * self.weights_[:, None]).T, self.components_.dtype)

    def _runs_on_gpu(self) -> bool:
        """Both steps of PLSA and its kin speak to kernels, or to arrays of any kind."""
        return True

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """Fold documents in: their mixes under fixed components."""
        phi = pad(self.components_.T, self.components_.dtype)
        theta, log_likelihood = ops.fold_in(
            X.astype(phi.dtype, copy=False),
            phi,
            len(self.components_),
            FOLD_IN_ITERATIONS,
            FOLD_IN_TOLERANCE,
        )
        return theta[:, : len(self.components_)], log_likelihood

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:
        """Cut the padding off, and apply the Bayes rule to documents and words."""
        size = self.n_clusters
        self.memberships_ = np.ascontiguousarray(rows[:, :size])
        self.labels_ = self.memberships_.argmax(axis=1)
        self.components_ = np.ascontiguousarray(shared[0][:, :size].T)
        lengths = row_sums(X)
        self.weights_ = lengths @ self.memberships_.astype(np.float64) / lengths.sum()
        self.word_labels_ = (self.components_ * self.weights_[:, None]).argmax(axis=0)


def weighted(X: Counts, sample_weight: Array | None) -> Counts:
    """Counts times the weights of their documents, which is all that weights do to mixes."""
    if sample_weight is None:
        return X
    scaled = Counts(X.multiply(sample_weight.astype(X.dtype)[:, None]))
    scaled.eliminate_zeros()
    return scaled
