r"""The second stage: PLSA on all views at once, where some documents' clusters are known.

Words of all views are concatenated. A document's vectors, where it has any, are drawn from
the same mix: a cluster from :math:`\theta_d`, then the vector from a von Mises-Fisher
distribution around the cluster's direction; such a draw counts :math:`\lambda` times, as
many words would. The likelihood is

.. math::
    \sum_{dw} n(d, w) \log \sum_z \theta_{dz} \phi_{zw}
    + \lambda \sum_{dv} \log
      \sum_z \theta_{dz}\, c(\kappa_v)\, e^{\kappa_v \mu_{vz}^\top x_{dv}}

and EM, with :math:`r_{dvz} \propto \theta_{dz}\, e^{\kappa_v \mu_{vz}^\top x_{dv}}`, sets
:math:`\theta_{dz} \propto \sum_w n(d, w)\, p(z \mid d, w) + \lambda \sum_v r_{dvz}` and the
directions as `VonMisesFisherMixture` does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie.base import log_likelihood_of_mixes
from coterie.engine import Expected, Shared
from coterie.kernels import pad
from coterie.models.clusters import log
from coterie.models.plsa import PLSA
from coterie.models.topics import FOLD_IN_ITERATIONS, FOLD_IN_TOLERANCE
from coterie.models.von_mises import (
    concentration_of,
    directions_of,
    has_vector,
    log_density,
    summed,
)
from coterie.types import Array, Counts, Labels, Ops

COLLECTION_SHARE = 0.1  # of the words' start: a word of no known document is not impossible


@dataclass(eq=False, repr=False)
class JointPLSA(PLSA):
    """PLSA in which some mixes are fixed, and documents may have vectors beside the words.

    Parameters
    ----------
    fixed : array of int, optional
        Cluster of each document that has one, -1 for the others, whose mixes start equal.
        Words and directions start from the former.
    vectors : array of shape (n_documents, sum of widths), optional
        Vectors of length one, or zero where missing, of all their views side by side.
    widths : tuple of int
        Numbers of dimensions of these views.
    vector_weight : float
        How many words a vector counts for.
    """

    fixed: Any = None
    vectors: Any = None
    widths: tuple[int, ...] = ()
    vector_weight: float = 1.0

    def _fit(self, X: Counts) -> None:
        """With vectors in double precision, whatever that of the counts.

        Log-densities of vectors are above zero where log-probabilities of words are below: of
        a sum that is near zero, single precision does not tell whether it grows.
        """
        super()._fit(X if self.vectors is None else X.astype(np.float64, copy=False))
        self.memberships_ = self.memberships_.astype(X.dtype, copy=False)
        self.components_ = self.components_.astype(X.dtype, copy=False)

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """Mixes and words as in PLSA, or from the documents whose clusters are known."""
        if self.fixed is None:
            theta, (phi,) = super()._start(X, rng)
        else:
            fixed = np.asarray(self.fixed)
            theta = pad(known_memberships(fixed, self.n_clusters), X.dtype)
            (phi,) = self._m_step((), pad(known_words(X, fixed, self.n_clusters, rng), X.dtype))
        if self.vectors is None:
            return theta, (phi,)
        x = np.asarray(self.vectors, dtype=theta.dtype)
        known = slice(None) if self.fixed is None else np.asarray(self.fixed) >= 0
        weights = self.vector_weight * theta[known, : self.n_clusters].astype(np.float64)
        sums = summed(weights, x[known])
        before = np.zeros_like(sums)
        n_present = [self.vector_weight * has[known].sum() for has, _ in self._views_of(x)]
        return np.hstack([theta, x]), (phi, *self._clusters(sums, np.array(n_present), before))

    def _visible(self, shared: Shared) -> Shared:
        """E-steps see words and directions."""
        return shared

    def _runs_on_gpu(self) -> bool:
        """Fixed mixes and vectors are NumPy's."""
        return False

    def _e_step(self, X: Counts, rows: Any, shared: Any, ops: Ops) -> Expected:
        """New mixes, but for those that are wholly one cluster's, which EM cannot move."""
        width = shared[0].shape[1]
        theta = np.ascontiguousarray(rows[:, :width])
        mixes, n_wz, objective = ops.topic_counts(X, theta, shared[0])
        statistics: Shared = (n_wz,)
        x = rows[:, width:]
        if self.vectors is not None:
            gained, log_likelihood, *statistics_of_vectors = self._vector_step(
                theta, x, *shared[1:]
            )
            statistics = (n_wz, *statistics_of_vectors)
            objective += log_likelihood.sum()
            mixes = self._mixed(X, mixes, gained)
        settled = np.count_nonzero(theta, axis=1) == 1
        mixes[settled] = theta[settled]
        moved = np.hstack([mixes, x]) if self.vectors is not None else mixes
        return Expected(moved, statistics, float(objective))

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """Words as in PLSA, then directions and concentrations."""
        phi = super()._m_step(shared, *statistics[:1])
        if len(statistics) == 1:
            return phi
        _, sums, n_present = statistics
        return (*phi, *self._clusters(sums, n_present, shared[1]))

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:
        """What PLSA publishes, and the directions with their concentrations."""
        super()._publish(X, rows, shared)
        if self.vectors is not None:
            self.directions_, self.concentrations_ = shared[1], shared[2]

    def _assign_with_vectors(self, X: Counts, x: Array, ops: Ops) -> tuple[Array, Array]:
        """Fold documents in by words and vectors, each until it does not change."""
        phi = pad(self.components_.T, self.components_.dtype)
        X = X.astype(phi.dtype, copy=False)
        size = len(self.components_)
        theta = pad(np.full((X.shape[0], size), 1 / size), phi.dtype)
        moving = np.arange(X.shape[0])
        for _ in range(FOLD_IN_ITERATIONS):
            rows, now = X[moving], theta[moving]
            mixes = ops.topic_counts(rows, now, phi)[0]
            gained, *_ = self._vector_step(
                now, x[moving], self.directions_, self.concentrations_
            )
            theta[moving] = self._mixed(rows, mixes, gained)
            moved = np.abs(theta[moving] - now).max(axis=1)
            moving = moving[moved > FOLD_IN_TOLERANCE]
            if not len(moving):
                break
        of_vectors = self._vector_step(theta, x, self.directions_, self.concentrations_)[1]
        memberships = theta[:, :size]
        of_words = log_likelihood_of_mixes(X, memberships, self.components_)
        return memberships, of_words + of_vectors

    def _views_of(self, x: Array) -> Iterator[tuple[npt.NDArray[np.bool_], slice]]:
        """Which documents have each view of vectors, and the columns it takes."""
        for columns in self._columns():
            yield has_vector(x[:, columns]), columns

    def _columns(self) -> list[slice]:
        ends = np.cumsum(self.widths).tolist()
        return [slice(end - width, end) for end, width in zip(ends, self.widths, strict=True)]

    def _vector_step(
        self, theta: Array, x: Array, directions: Array, kappas: Array
    ) -> tuple[Array, Array, Array, Array]:
        """Shares the vectors add to mixes, their log-likelihood, their sums and numbers."""
        log_mixes = log(theta[:, : self.n_clusters].astype(np.float64))
        gained = np.zeros_like(log_mixes)
        log_likelihood = np.zeros(len(x))
        sums, n_present = np.zeros((self.n_clusters, x.shape[1])), np.zeros(len(self.widths))
        for view, (has, columns) in enumerate(self._views_of(x)):
            density = log_density(x[:, columns], directions[:, columns], kappas[view])
            joint = log_mixes + density
            top = joint.max(axis=1, keepdims=True)
            odds = np.exp(joint - top)
            total = odds.sum(axis=1, keepdims=True)
            r = np.where(has[:, None], self.vector_weight * odds / total, 0)
            part = self.vector_weight * (np.log(total) + top)[:, 0]
            log_likelihood += np.where(has, part, 0)
            gained += r
            sums[:, columns] = summed(r, x[:, columns])
            n_present[view] = self.vector_weight * has.sum()
        return gained, log_likelihood, sums, n_present

    def _mixed(self, X: Counts, mixes: Array, gained: Array) -> Array:
        lengths = np.asarray(X.sum(axis=1, dtype=np.float64))[:, None]
        expected = lengths * mixes[:, : self.n_clusters] + gained
        totals = expected.sum(axis=1, keepdims=True)
        old = mixes[:, : self.n_clusters].astype(np.float64)
        new = np.divide(expected, totals, out=old, where=totals > 0)
        return pad(new, mixes.dtype)

    def _clusters(self, sums: Array, n_present: Array, before: Array) -> tuple[Array, Array]:
        directions = np.zeros_like(sums)
        kappas = np.ones(len(self.widths))
        for view, columns in enumerate(self._columns()):
            directions[:, columns] = directions_of(sums[:, columns], before[:, columns])
            kappas[view] = concentration_of(sums[:, columns], n_present[view])
        return directions, kappas


def known_memberships(fixed: Labels, n_clusters: int) -> Array:
    """One for the cluster of each document that has one, equal shares for the others (-1).

    Examples
    --------
    >>> known_memberships(np.array([1, -1]), 2)
    array([[0. , 1. ],
           [0.5, 0.5]])
    """
    memberships = np.full((len(fixed), n_clusters), 1 / n_clusters)
    known = fixed >= 0
    memberships[known] = np.eye(n_clusters)[fixed[known]]
    return memberships


def known_words(
    X: Counts, fixed: Labels, n_clusters: int, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Words (rows) of the documents of each cluster, and a share of the collection's.

    A cluster without documents has the collection's words with random weights.
    """
    known = fixed >= 0
    words = np.asarray(X[known].T @ np.eye(n_clusters)[fixed[known]], dtype=np.float64)
    totals = X.sum(axis=0, dtype=np.float64)
    without = words.sum(axis=0) == 0
    noise = rng.standard_exponential((X.shape[1], int(without.sum())))
    words[:, without] = totals[:, None] * noise
    share = COLLECTION_SHARE / n_clusters * words.sum() / totals.sum()
    words += share * totals[:, None]
    return words
