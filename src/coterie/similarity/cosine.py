"""The cosine of documents, as they are or on their main axes (Grimal and Bisson, 2011)."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from coterie import starts
from coterie.base import seeds_from
from coterie.kernels.dense import one_thread
from coterie.memory import Size
from coterie.schema import Field, Numbers
from coterie.similarity.base import Measured, SparseSimilarityEstimator, measure_once
from coterie.similarity.products import Rule, similarities, similarities_of_new_rows
from coterie.types import Array, Counts, Labels


@dataclass(eq=False, repr=False)
class Cosine(SparseSimilarityEstimator):
    r"""Documents are alike that share words: the cosine of their counts.

    :math:`s_{ij} = \sum_w m_{iw} m_{jw} / (\|m_i\|\, \|m_j\|)`, which is one iteration of
    `ChiSim` with `exponent=1` and no pruning.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    distance, n_neighbors
        See `SimilarityEstimator` and `SparseSimilarityEstimator`.

    Attributes
    ----------
    document_similarity_, tree_, labels_, memberships_, components_, weights_, word_labels_
        See `SimilarityEstimator`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> Cosine(2).fit(X).labels_
    array([0, 0, 1, 1])
    """

    def _measure(self, X: Counts) -> Measured:
        """Products of documents of length one."""
        rule = Rule(diagonal=1.0, n_neighbors=self.n_neighbors)
        return measure_once(lambda: similarities(unit_documents(X), None, rule))

    def _similarities_of_new(self, X: Counts) -> Array:
        """Cosines of new documents with the old."""
        rows = unit_documents(self.training_counts_)
        return similarities_of_new_rows(unit_documents(X), rows, None)


@dataclass(eq=False, repr=False)
class LSA(SparseSimilarityEstimator):
    """Latent semantic analysis: the cosine of documents on their main axes.

    Documents are projected on the first right singular vectors of the counts (Deerwester and
    others, 1990); similarities are cosines there, and may be below zero.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    rank : int, default=100
        Number of axes; as many as there are where there are fewer.
    scaled : bool, default=True
        Find the axes of documents scaled to length one, else of the counts as they are, where
        long documents weigh more.
    random_state : int, RandomState or None, default=None
        Seed of the randomised decomposition.
    distance, n_neighbors
        See `SimilarityEstimator` and `SparseSimilarityEstimator`.

    Attributes
    ----------
    projection_ : ndarray of shape (rank, n_words)
        The axes.
    document_similarity_, tree_, labels_, memberships_, components_, weights_, word_labels_
        See `SimilarityEstimator`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> LSA(2, rank=2, random_state=0).fit(X).labels_
    array([0, 0, 1, 1])
    """

    _schema: ClassVar[dict[str, Field]] = {
        **SparseSimilarityEstimator._schema,
        "projection_": Numbers("r m"),
    }

    rank: int = 100
    scaled: bool = True
    _: KW_ONLY
    random_state: Any = None

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        self._check_number("rank", Integral, 1)

    def _needed_bytes(self, size: Size) -> int:
        """The documents on the axes besides."""
        return super()._needed_bytes(size) + 3 * 4 * size.n_documents * self.rank

    def _measure(self, X: Counts) -> Measured:
        """Cosines on the axes."""
        return measure_once(lambda: self._cosines(X))

    def _similarities_of_new(self, X: Counts) -> Array:
        """Cosines of new documents with the old, on the axes."""
        cosines: Array = self._on_axes(self.training_counts_) @ self._on_axes(X).T
        return cosines

    def _publish(self, X: Counts, measured: Measured, filled: Labels, used: Labels) -> None:
        """Set the fitted attributes; words that are not in use are on no axis."""
        super()._publish(X, measured, filled, used)
        axes: Array = vars(self)["projection_"]
        self.projection_ = np.zeros((len(axes), X.shape[1]), axes.dtype)
        self.projection_[:, used] = axes

    def _cosines(self, X: Counts) -> tuple[Any, float]:
        from sklearn.decomposition import TruncatedSVD

        (seed,) = seeds_from(self.random_state, 1)
        weighted = unit_documents(X) if self.scaled else X.astype(np.float32)
        with starts.one_at_a_time, one_thread():
            svd = TruncatedSVD(min(self.rank, *X.shape), random_state=seed).fit(weighted)
        self.projection_ = svd.components_
        rule = Rule(diagonal=1.0, n_neighbors=self.n_neighbors)
        return similarities(sp.csr_array(self._on_axes(X)), None, rule)

    def _on_axes(self, X: Counts) -> Array:
        """Points of length one on the axes; those that are zero but for rounding stay so."""
        from sklearn.preprocessing import normalize

        points: Array = normalize(unit_documents(X) @ self.projection_.T)
        return points.astype(np.float32)


def unit_documents(X: Counts) -> Counts:
    """Documents scaled to length one, in single precision.

    Examples
    --------
    >>> unit_documents(sp.csr_array([[3.0, 4.0]])).toarray()
    array([[0.6, 0.8]], dtype=float32)
    """
    from sklearn.preprocessing import normalize

    return sp.csr_array(normalize(X.astype(np.float64)), dtype=np.float32)
