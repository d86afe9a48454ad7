"""Documents lean to the clusters of those they are near to."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from coterie import engine, executors
from coterie.automatic.axes import on_axes
from coterie.automatic.neighbours import links
from coterie.arrays import unit_rows
from coterie.engine import Shared
from coterie.kernels import pad
from coterie.models.clusters import log
from coterie.models.mixture import MultinomialMixture
from coterie.starts import uniform_where_empty
from coterie.types import Array, Counts, Ops

LEAST = 1e-9  # share that stands for none
SUREST = 0.999  # share of neighbours in one cluster that is never taken to be exceeded
VECTORS_COUNT = 4.0  # times as much as neighbours by words that are as often in one cluster
MOST_TRUST = 1.5  # times the odds of words that those of vectors are taken to have at most


@dataclass(frozen=True)
class Near:
    """Fitted documents that others may be near to, by words and, where given, by vectors.

    `axes` are words by axes; `on_axes` and `vectors` have a row of length one for each of the
    fitted documents; `strengths` say what being near to them counts for.
    """

    axes: Array
    on_axes: Array
    vectors: Array | None
    n_neighbors: int
    strengths: tuple[float, ...] = (1.0, 1.0)

    def links(self, weights: Counts, vectors: Array | None = None) -> list[Counts]:
        """Shares of the fitted documents that are nearest, by words and by vectors.

        Vectors are of length one.
        """
        n = self.n_neighbors + 1
        rows = unit_rows(on_axes(weights, self.axes))
        found = [links(rows, self.on_axes, n)]
        if self.vectors is None:
            return found
        if vectors is None:
            return [*found, Counts((len(rows), len(self.vectors)))]
        return [*found, links(vectors, self.vectors, n)]

    def measured(self, found: list[Counts], memberships: Array) -> Self:
        """The same with strengths that suit how far neighbours are in the same clusters.

        Vectors whose neighbours are so less often than those by words are trusted less.
        """
        by_words, *others = (odds_of(each, memberships) for each in found)
        by_vectors = others[0] if others else 0.0
        trust = min(by_vectors / max(by_words, LEAST), MOST_TRUST)
        return replace(self, strengths=(by_words, VECTORS_COUNT * trust**2 * by_vectors))

    def beside(self, weights: Counts, found: list[Counts]) -> Counts:
        """Weighted words, then links times their strengths."""
        scaled = [
            strength * each for each, strength in zip(found, self.strengths, strict=False)
        ]
        return Counts(sp.hstack([weights, *scaled], format="csr", dtype=weights.dtype))


def odds_of(found: Counts, memberships: Array) -> float:
    """Logarithm of the odds that a neighbour is in the same cluster, rather than another.

    A document's own part in what those near its neighbours lean to is left out.
    """
    n_clusters = memberships.shape[1]
    totals = np.bincount(found.indices, found.data, minlength=found.shape[1])
    data = found.data / totals[found.indices]
    shares = Counts((data, found.indices, found.indptr), shape=found.shape)
    own = found.multiply(shares).sum(axis=1, dtype=np.float64)
    others = float(np.sum(found.sum(axis=1, dtype=np.float64) - own))
    if n_clusters == 1 or others <= LEAST:
        return 0.0
    together = np.sum((shares @ (found.T @ memberships)) * memberships, dtype=np.float64)
    alone = np.sum(own * np.sum(memberships**2, axis=1), dtype=np.float64)
    same = min(float(together - alone) / others, SUREST)
    return max(0.0, float(np.log(max(same, LEAST) * (n_clusters - 1) / (1 - same))))


@dataclass(eq=False, repr=False)
class LinkedMixture(MultinomialMixture):
    r"""A mixture in which documents lean to the clusters of those they are near to.

    The last `n_links` columns say how near a document is to each of some documents:
    :math:`a_{dj}`. How much more documents near *j* are in cluster *k* than documents are in
    the mean, :math:`e_{jk}`, is evidence beside that of the words:

    .. math::
        P(T_d = k) &\propto \alpha_k \textstyle\prod_w \beta_{wk}^{C_d(w)}
                       \exp \textstyle\sum_j a_{dj} e_{jk}                          && (E) \\
        e_{jk}     &= \frac{\sum_d a_{dj} P(T_d = k)}{\sum_d a_{dj}}
                     - \frac{\sum_{dj} a_{dj} P(T_d = k)}{\sum_{dj} a_{dj}}         && (M)

    Without the mean, large clusters would draw in all documents. Both steps climb the
    likelihood of words and links less :math:`\frac12 \sum_{jk} e_{jk}^2 \sum_d a_{dj}`, of
    which (M) is the maximum among leanings whose mean over all links is zero.
    """

    n_links: int = 1

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Memberships to begin from, and the M-step they imply."""
        words, near = X[:, : -self.n_links], X[:, -self.n_links :]
        q, shared = self._of_words()._start(words, rng)
        totals = np.asarray(near.sum(axis=0, dtype=np.float64))[:, None]
        return q, self._joined(shared, near.T @ q, totals)

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Words as before; memberships of the documents near to each, less the mean."""
        n_k, sums = statistics
        words = np.ascontiguousarray(sums[: -self.n_links])
        of_words = self._of_words()._m_step(shared[:-1], n_k, words)
        return self._joined(of_words, sums[-self.n_links :], shared[-1])

    def _log_prior(self, shared: Shared) -> float:
        """That of the words, less half the squares of the leanings."""
        evidence, totals = shared[1], shared[-1]
        leaning = evidence[-self.n_links :, : self.n_clusters].astype(np.float64)
        of_words = (shared[0], evidence[: -self.n_links], *shared[2:-1])
        prior = self._of_words()._log_prior(of_words)
        return prior - 0.5 * float(np.sum(totals * leaning**2))

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """Posterior under the fitted words and leanings."""
        of_words = log(self.components_.T)
        of_words[~self.components_.any(axis=0)] = 0  # a word no cluster has tells nothing
        evidence = pad(np.vstack([of_words, self.leaning_]), X.dtype)
        q, _, _, objective = ops.cluster_posteriors(X, self.log_shares(), evidence, False)
        return uniform_where_empty(q[:, : len(self.components_)], X), objective

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:  # noqa: ARG002
        """Words and leanings apart, and the posteriors they give together."""
        log_alpha, evidence = shared[:2]
        K = self.n_clusters
        self.weights_ = np.exp(log_alpha[:K])
        self.components_ = np.ascontiguousarray(np.exp(evidence[: -self.n_links, :K]).T)
        self.leaning_ = np.ascontiguousarray(evidence[-self.n_links :, :K])
        self.memberships_, _ = self._assign_all(X)
        self.labels_ = self.memberships_.argmax(axis=1)

    def _of_words(self) -> MultinomialMixture:
        names = MultinomialMixture().get_params()
        return MultinomialMixture(**{name: getattr(self, name) for name in names})

    def _joined(self, of_words: Shared, sums: Array, totals: Array) -> Shared:
        log_alpha, log_beta, *others = of_words
        mean = sums.sum(axis=0, dtype=np.float64) / max(totals.sum(), LEAST)
        leaning = sums / np.maximum(totals, LEAST) - (totals > 0) * mean
        evidence = np.vstack([log_beta, leaning.astype(log_beta.dtype)])
        return log_alpha, evidence, *others, totals


def place(model: Any, near: Near | None, weights: Counts, vectors: Array | None) -> Array:
    """Posteriors of documents, each by itself, by words and by those they are near to."""
    X = weights if near is None else near.beside(weights, near.links(weights, vectors))
    placed = engine.each_shard(model._assign, X, executors.current())
    posteriors: Array = np.concatenate([q for q, _ in placed])
    return posteriors
