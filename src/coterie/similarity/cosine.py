"""The cosine of documents, as they are or on their main axes (paper 001, section 4)."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from coterie import starts
from coterie.kernels.dense import one_thread
from coterie.similarity.base import Measured, SimilarityEstimator, once
from coterie.similarity.products import Rule, compare, similarities
from coterie.types import Array, Counts, Labels


@dataclass(eq=False, repr=False)
class Cosine(SimilarityEstimator):
    r"""Documents are alike that share words: the cosine of their counts.

    :math:`s_{ij} = \sum_w m_{iw} m_{jw} / (\|m_i\|\, \|m_j\|)`, which is one iteration of
    `ChiSim` with the pseudo-norm, *k* = 1 and no pruning.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    distance, n_neighbors, memory_limit
        See `SimilarityEstimator`.

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

    n_clusters: int = 10

    def measure(self, X: Counts) -> Measured:
        """Products of documents of length one."""
        rule = Rule(diagonal=1.0, keep=self.n_neighbors)
        return once(lambda: similarities(of_length_one(X), None, rule))

    def compare(self, X: Counts) -> Array:
        """Cosines of new documents with the old."""
        return compare(of_length_one(X), of_length_one(self.training_counts_), None)


@dataclass(eq=False, repr=False)
class LSA(SimilarityEstimator):
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
    distance, n_neighbors, memory_limit
        See `SimilarityEstimator`.

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

    n_clusters: int = 10
    rank: int = 100
    scaled: bool = True
    _: KW_ONLY
    random_state: Any = None

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        self._check_number("rank", Integral, 1)

    def measure(self, X: Counts) -> Measured:
        """Cosines on the axes."""
        return once(lambda: self._cosines(X))

    def compare(self, X: Counts) -> Array:
        """Cosines of new documents with the old, on the axes."""
        cosines: Array = self._on_axes(self.training_counts_) @ self._on_axes(X).T
        return cosines

    def _publish(self, X: Counts, measured: Measured, filled: Labels, used: Labels) -> None:
        """Set the fitted attributes; words that are not in use are on no axis."""
        super()._publish(X, measured, filled, used)
        found = vars(self)["projection_"]
        self.projection_ = np.zeros((len(found), X.shape[1]), found.dtype)
        self.projection_[:, used] = found

    def _cosines(self, X: Counts) -> tuple[Any, float]:
        from sklearn.decomposition import TruncatedSVD

        seed = check_random_state(self.random_state).randint(2**31)
        weighted = of_length_one(X) if self.scaled else X.astype(np.float32)
        with starts.one_at_a_time, one_thread():
            svd = TruncatedSVD(min(self.rank, *X.shape), random_state=seed).fit(weighted)
        self.projection_ = svd.components_
        rule = Rule(diagonal=1.0, keep=self.n_neighbors)
        return similarities(sp.csr_array(self._on_axes(X)), None, rule)

    def _on_axes(self, X: Counts) -> Array:
        from sklearn.preprocessing import normalize

        placed: Array = normalize(of_length_one(X) @ self.projection_.T).astype(np.float32)
        return placed


def of_length_one(X: Counts) -> Counts:
    """Documents scaled to length one, in single precision.

    Examples
    --------
    >>> of_length_one(sp.csr_array([[3.0, 4.0]])).toarray()
    array([[0.6, 0.8]], dtype=float32)
    """
    from sklearn.preprocessing import normalize

    return sp.csr_array(normalize(X.astype(np.float64)), dtype=np.float32)
