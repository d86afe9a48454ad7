"""A mixture with a nearest-neighbour term."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from coterie.arrays import unit_rows
from coterie.automatic.axes import on_axes
from coterie.automatic.neighbours import links
from coterie.engine import Shared
from coterie.kernels import pad
from coterie.models.clusters import log
from coterie.models.mixture import MultinomialMixture
from coterie.schema import Field, Numbers
from coterie.starts import uniform_where_empty
from coterie.types import Array, Counts, Ops

LEAST = 1e-9  # share that stands for none
SUREST = 0.999  # largest share of neighbours in one cluster that is taken as evidence
VECTOR_WEIGHT = 4.0  # of neighbours by vectors, beside equally good ones by words
MOST_TRUST = 1.5  # largest ratio of log-odds by vectors to those by words


@dataclass(frozen=True)
class Neighbourhood:
    """The fitted documents among which nearest neighbours are searched.

    `axes` are words by axes. `documents`, on the axes, and `vectors` have a row of length one
    for each fitted document. `strengths` are the weights of neighbours by words and by vectors.
    """

    axes: Array
    documents: Array
    vectors: Array | None
    n_neighbors: int
    strengths: tuple[float, ...] = (1.0, 1.0)

    def links(self, weights: Counts, vectors: Array | None = None) -> list[Counts]:
        """Shares of the nearest fitted documents, by words and by vectors.

        Vectors are of length one.
        """
        n = self.n_neighbors + 1
        rows = unit_rows(on_axes(weights, self.axes))
        by_words = links(rows, self.documents, n)
        if self.vectors is None:
            return [by_words]
        if vectors is None:
            return [by_words, Counts((len(rows), len(self.vectors)))]
        return [by_words, links(vectors, self.vectors, n)]

    def weighted(self, by_kind: list[Counts], memberships: Array) -> Self:
        """The same with strengths that suit how often neighbours share a cluster.

        Vectors whose neighbours share it less often than those by words weigh less.
        """
        by_words, *others = (log_odds(each, memberships) for each in by_kind)
        by_vectors = others[0] if others else 0.0
        trust = min(by_vectors / max(by_words, LEAST), MOST_TRUST)
        return replace(self, strengths=(by_words, VECTOR_WEIGHT * trust**2 * by_vectors))

    def beside(self, weights: Counts, by_kind: list[Counts]) -> Counts:
        """Weighted words, then links times their strengths."""
        scaled = [
            strength * each for each, strength in zip(by_kind, self.strengths, strict=False)
        ]
        joined = Counts(sp.hstack([weights, *scaled], format="csr", dtype=weights.dtype))
        joined.eliminate_zeros()
        return joined


def log_odds(links: Counts, memberships: Array) -> float:
    """Log-odds that a neighbour is in the same cluster, rather than in another.

    The part of a document in what pulls it is left out.
    """
    n_clusters = memberships.shape[1]
    totals = np.bincount(links.indices, links.data, minlength=links.shape[1])
    data = links.data / totals[links.indices]
    shares = Counts((data, links.indices, links.indptr), shape=links.shape)
    itself = links.multiply(shares).sum(axis=1, dtype=np.float64)
    others = float(np.sum(links.sum(axis=1, dtype=np.float64) - itself))
    if n_clusters == 1 or others <= LEAST:
        return 0.0
    together = np.sum((shares @ (links.T @ memberships)) * memberships, dtype=np.float64)
    alone = np.sum(itself * np.sum(memberships**2, axis=1), dtype=np.float64)
    same = min(float(together - alone) / others, SUREST)
    return max(0.0, float(np.log(max(same, LEAST) * (n_clusters - 1) / (1 - same))))


@dataclass(eq=False, repr=False)
class NeighbourMixture(MultinomialMixture):
    r"""A mixture of multinomials with a nearest-neighbour term.

    The last `n_links` columns are links :math:`a_{dj}`: how near a document *d* is to the
    fitted document *j*. The pull :math:`e_{jk}` is how much more often documents linked to *j*
    are in cluster *k* than all documents are. It is evidence beside that of the words:

    .. math::
        P(T_d = k) &\propto \alpha_k \textstyle\prod_w \beta_{wk}^{C_d(w)}
                       \exp \textstyle\sum_j a_{dj} e_{jk}                          && (E) \\
        e_{jk}     &= \frac{\sum_d a_{dj} P(T_d = k)}{\sum_d a_{dj}}
                     - \frac{\sum_{dj} a_{dj} P(T_d = k)}{\sum_{dj} a_{dj}}         && (M)

    Without the mean, large clusters would attract all documents. Both steps climb the
    likelihood of words and links less :math:`\frac12 \sum_{jk} e_{jk}^2 \sum_d a_{dj}`, of
    which (M) is the maximum among pulls whose mean over all links is zero.
    """

    _schema: ClassVar[dict[str, Field]] = {
        **MultinomialMixture._schema,
        "pull_": Numbers("* K"),
    }

    n_links: int = 1

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Memberships to begin from, and the M-step they imply."""
        q = self._start_memberships(X, rng)
        sums, totals = X.T @ q, np.asarray(X.sum(axis=0, dtype=np.float64))
        of_words = self._of_words()
        shared = of_words._start_words(q, sums[: -self.n_links], totals[: -self.n_links])
        totals = totals[-self.n_links :, None]
        return q, self._joined(shared, sums[-self.n_links :], totals)

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Words as in the mixture; the pull of each fitted document."""
        n_k, sums = statistics
        of_words = self._of_words()._m_step(shared[:-1], n_k, sums[: -self.n_links])
        return self._joined(of_words, sums[-self.n_links :], shared[-1])

    def _log_prior(self, shared: Shared) -> float:
        """That of the words, less half the squares of the pulls."""
        evidence, totals = shared[1], shared[-1]
        pull = evidence[-self.n_links :, : self.n_clusters].astype(np.float64)
        of_words = (shared[0], evidence[: -self.n_links], *shared[2:-1])
        prior = self._of_words()._log_prior(of_words)
        return prior - 0.5 * float(np.sum(totals * pull**2))

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """Posterior under the fitted words and pulls."""
        of_words = log(self.components_.T)
        of_words[~self.components_.any(axis=0)] = 0  # a word no cluster has tells nothing
        evidence = pad(np.vstack([of_words, self.pull_]), X.dtype)
        q, _, _, objective = ops.cluster_posteriors(X, self._log_shares(), evidence, False)
        return uniform_where_empty(q[:, : len(self.components_)], X), objective

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:  # noqa: ARG002
        """Words and pulls apart, and the posteriors they give together."""
        log_alpha, evidence = shared[:2]
        K = self.n_clusters
        self.weights_ = np.exp(log_alpha[:K])
        self.components_ = np.ascontiguousarray(np.exp(evidence[: -self.n_links, :K]).T)
        self.pull_ = np.ascontiguousarray(evidence[-self.n_links :, :K])
        self.memberships_, _ = self._assign_all(X)
        self.labels_ = self.memberships_.argmax(axis=1)

    def _of_words(self) -> MultinomialMixture:
        names = MultinomialMixture().get_params()
        return MultinomialMixture(**{name: getattr(self, name) for name in names})

    def _joined(self, of_words: Shared, sums: Array, totals: Array) -> Shared:
        log_alpha, log_beta, *others = of_words
        mean = sums.sum(axis=0, dtype=np.float64) / max(totals.sum(), LEAST)
        pull = sums / np.maximum(totals, LEAST) - (totals > 0) * mean
        evidence = np.vstack([log_beta, pull.astype(log_beta.dtype)])
        return log_alpha, evidence, *others, totals


def posteriors_of(
    model: Any, neighbourhood: Neighbourhood | None, weights: Counts, vectors: Array | None
) -> Array:
    """Posteriors of documents by words and by nearest neighbours, each document on its own."""
    X = weights
    if neighbourhood is not None:
        X = neighbourhood.beside(weights, neighbourhood.links(weights, vectors))
    posteriors: Array = model._assign_all(X)[0]
    return posteriors
