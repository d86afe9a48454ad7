"""The sigmoid commute-time kernel of documents (Yen, Fouss, Decaestecker and others, 2009)."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.kernels.dense import one_blas_thread
from coterie.memory import Size
from coterie.similarity.base import Measured, SimilarityEstimator, measure_once
from coterie.types import Array, Counts, Labels


@dataclass(eq=False, repr=False)
class CTK(SimilarityEstimator):
    r"""Documents are alike between which a random walk over words commutes quickly.

    Counts link documents to words. The kernel is the documents' block of the pseudo-inverse
    :math:`L^+` of the Laplacian of that graph, put through a sigmoid,
    :math:`s_{ij} = 1 / (1 + \exp(-a\, l^+_{ij} / \sigma))`, :math:`\sigma` being the standard
    deviation of the entries of the block. Between parts of the graph that nothing links a walk
    takes for ever: *s* = 0, the limit for links ever weaker; each part has a kernel of its own,
    and :math:`\sigma` is taken within parts.

    A new document takes the similarities of the documents that share its words, as a walk of
    two steps from it would reach them; it does not change the graph.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    steepness : float, default=7.0
        Steepness *a* of the sigmoid.
    distance
        See `SimilarityEstimator`.

    Attributes
    ----------
    document_similarity_, tree_, labels_, memberships_, components_, weights_, word_labels_
        See `SimilarityEstimator`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 1], [0, 1, 2, 5], [0, 0, 3, 3]]
    >>> CTK(2).fit(X).labels_
    array([0, 0, 1, 1])
    """

    steepness: float = 7.0

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        self._check_number("steepness", Real, np.nextafter(0, 1))

    def _needed_bytes(self, size: Size) -> int:
        """Documents by documents in double precision: the Laplacian, the means within parts.

        Then its inverse, and what is subtracted to centre it: a matrix and two at work.
        """
        n = size.n_documents
        return 5 * size.data + 6 * size.doubles(n, n) + n * n

    def _measure(self, X: Counts) -> Measured:
        """The kernel through the sigmoid."""
        return measure_once(lambda: self._kernel(X))

    def _similarities_of_new(self, X: Counts) -> Array:
        """Similarities of the documents that share words, weighed by the walk."""
        A = self.training_counts_.astype(np.float64)
        walk = _by_row_sums(_by_row_sums(X.astype(np.float64)) @ _by_row_sums(A.T.tocsr()))
        reached: Array = (walk @ self.document_similarity_).T
        return reached

    def _kernel(self, X: Counts) -> tuple[Array, float]:
        parts, n_words = connected_parts(X)
        with one_blas_thread():
            kernel = commute_time_kernel(X, parts, n_words)
        linked = parts[:, None] == parts
        spread = kernel.std(where=linked)
        kernel *= -self.steepness / (spread if spread > 0 else 1.0)
        np.exp(np.minimum(kernel, 700, out=kernel), out=kernel)
        kernel += 1
        similarity = np.divide(linked, kernel, out=kernel).astype(np.float32)
        n = len(similarity)
        total = float(similarity.sum(dtype=np.float64) - np.trace(similarity, dtype=np.float64))
        return similarity, total / max(n * (n - 1), 1)


def commute_time_kernel(X: Counts, parts: Labels, n_words: Labels) -> Array:
    r"""The documents' block of the pseudo-inverse of the Laplacian of documents and words.

    With :math:`D_1, D_2` the sums of documents and words, the Schur complement
    :math:`S = D_1 - A D_2^{-1} A^T` is the Laplacian of the documents alone;
    :math:`G = (S + E)^{-1} - E`, *E* averaging over each connected part, is its pseudo-inverse
    and the documents' block of a generalised inverse of the whole. Centred on every part, that
    gives :math:`L^+`: with :math:`w = A D_2^{-1} e` and :math:`u = G w`, rows of the whole
    inverse sum to *u* over a part, and all of it to :math:`e^T D_2^{-1} e + w^T u`. Only a
    system of the size of the documents is solved. `parts` and `n_words` are as
    `connected_parts` finds them.

    Examples
    --------
    >>> X = sp.csr_array([[1.0, 0.0], [1.0, 1.0]])
    >>> commute_time_kernel(X, *connected_parts(X)).round(3)
    array([[ 0.875, -0.375],
           [-0.375,  0.375]])
    """
    from scipy.linalg import inv

    A = X.astype(np.float64)
    documents, words = A.sum(axis=1), A.sum(axis=0)
    inverse = np.divide(1, words, out=np.zeros_like(words), where=words > 0)
    reduced = -(A @ sp.diags_array(inverse).tocsr() @ A.T).toarray()
    np.fill_diagonal(reduced, reduced.diagonal() + documents)
    n_documents = np.bincount(parts)
    same = parts[:, None] == parts
    within = same / n_documents[parts]
    reduced += within
    G = inv(reduced, overwrite_a=True, check_finite=False)
    G -= within
    w = A @ inverse
    u = G @ w
    sizes = n_documents + n_words
    total = np.bincount(parts, A @ inverse**2 + w * u)
    means = (u / sizes[parts])[:, None] + u / sizes[parts]
    centred: Array = G - same * (means - (total / sizes**2)[parts])
    return centred


def connected_parts(A: Any) -> tuple[Labels, Labels]:
    """The connected part each document is in, and how many words each part has.

    Examples
    --------
    >>> connected_parts(sp.csr_array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    (array([0, 1]), array([2, 1]))
    """
    from scipy.sparse.csgraph import connected_components

    n = A.shape[0]
    graph = sp.block_array([[None, A], [A.T, None]], format="csr")
    _, labels = connected_components(graph, directed=False)
    names, documents = np.unique(labels[:n], return_inverse=True)
    words = np.searchsorted(names, labels[n:])
    known = np.isin(labels[n:], names)
    return documents, np.bincount(words[known], minlength=len(names))


def _by_row_sums(M: Counts) -> Counts:
    sums = M.sum(axis=1)
    inverse = np.divide(1, sums, out=np.zeros_like(sums), where=sums > 0)
    return sp.diags_array(inverse).tocsr() @ M
