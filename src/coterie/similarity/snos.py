"""SNOS: similarities in a space whose axes are not orthogonal (Liu and others, 2004)."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from coterie.errors import InputError, check_choice
from coterie.memory import Size
from coterie.schema import Either, Field, Number, Numbers, Sparse
from coterie.similarity.base import Measured, SparseSimilarityEstimator, alternate
from coterie.similarity.products import Rule, similarities_of_new_rows
from coterie.types import Array, Counts

SCALES = ("whole", "lengths")


@dataclass(eq=False, repr=False)
class SNOS(SparseSimilarityEstimator):
    r"""Similarities of documents *S* and words *T*, each from the other, ones on the diagonal.

    .. math:: S = \lambda A T A^T, \qquad T = \lambda B^T S B \qquad \text{off the diagonal,}

    `max_iter` times from identities, as Grimal and Bisson (2011) compare with it. The article
    was not at hand: *A* and *B* are chosen so that entries stay within 0 and 1. With
    `scale="whole"` they are the counts divided by the largest sum of a document, and by that
    of a word; long documents are then alike and short ones like nobody. With `scale="lengths"`
    each document and each word is divided by its sum, which is `ChiSim` with `norm="l1"` and
    ones on the diagonal.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    weight : float, default=0.9
        :math:`\lambda`, above 0 and at most 1.
    max_iter : int, default=4
        Number of iterations.
    scale : "whole" or "lengths", default="whole"
        What counts are divided by.
    distance, n_neighbors
        See `SimilarityEstimator` and `SparseSimilarityEstimator`.

    Attributes
    ----------
    word_similarity_ : ndarray or sparse array of shape (n_words, n_words), float32
        *T*.
    document_similarity_, tree_, labels_, memberships_, components_, weights_, word_labels_
        See `SimilarityEstimator`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> SNOS(2).fit(X).labels_
    array([0, 0, 1, 1])
    """

    _schema: ClassVar[dict[str, Field]] = {
        **SparseSimilarityEstimator._schema,
        "word_similarity_": Either((Sparse("m m", -np.inf), Numbers("m m"))),
        "largest_length_": Number(np.nextafter(0, 1)),
    }

    weight: float = 0.9
    max_iter: int = 4
    scale: str = "whole"

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        self._check_number("max_iter", Integral, 1)
        self._check_number("weight", Real, np.nextafter(0, 1))
        if self.weight > 1:
            raise InputError(f"weight={self.weight!r}: expected a number of at most 1")
        check_choice("scale", self.scale, SCALES)

    def _needed_bytes(self, size: Size) -> int:
        """Documents and words have a matrix each."""
        return self._bytes_of_both(size)

    def _measure(self, X: Counts) -> Measured:
        """Both matrices, `max_iter` times each from the other."""
        self.largest_length_ = float(X.sum(axis=1, dtype=np.float64).max())
        words = X.T.tocsr()
        rows = self._scaled(X, self.largest_length_)
        columns = self._scaled(words, float(words.sum(axis=1, dtype=np.float64).max()))
        rule = Rule(diagonal=1.0, n_neighbors=self.n_neighbors)
        return alternate(rows, columns, rule, self.max_iter)

    def _similarities_of_new(self, X: Counts) -> Array:
        """Similarities of new documents with the old through the final ones of words."""
        new, old = (self._scaled(M, self.largest_length_) for M in (X, self.training_counts_))
        return similarities_of_new_rows(new, old, self.word_similarity_)

    def _scaled(self, M: Counts, largest: float) -> Counts:
        totals = np.full(M.shape[0], largest)
        if self.scale == "lengths":
            totals = M.sum(axis=1, dtype=np.float64)
        data = np.sqrt(self.weight) * M.data / np.repeat(totals, np.diff(M.indptr))
        return sp.csr_array((data.astype(np.float32), M.indices, M.indptr), shape=M.shape)
