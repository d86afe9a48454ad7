"""Classical similarities of documents, generalised by similarities of their words."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.corpus import Corpus
from coterie.corpus.inputs import checked_counts
from coterie.errors import InputError, check_choice
from coterie.similarity.products import UNCHANGED, all_products, finish_products, row_blocks
from coterie.similarity.semidefinite import ROUNDING, checked_similarity
from coterie.types import Array

MEASURES = ("cosine", "dice", "jaccard")


def generalised(X: Any, word_similarity: Any, measure: str = "cosine") -> Array:
    r"""Similarities of documents by the cosine, Dice or Jaccard through those of words.

    With :math:`\langle i, j \rangle = m_i A m_j^T` for documents *m* and similarities of words
    *A* (eq. 5 of [1]_ with *k* = 1) they are

    .. math::
        \frac{\langle i, j \rangle}{\sqrt{\langle i, i \rangle \langle j, j \rangle}}, \qquad
        \frac{2 \langle i, j \rangle}{\langle i, i \rangle + \langle j, j \rangle}, \qquad
        \frac{\langle i, j \rangle}
        {\langle i, i \rangle + \langle j, j \rangle - \langle i, j \rangle}.

    The identity for *A* gives the classical measures. The paper writes sums of counts for
    :math:`\langle i, i \rangle` in Dice and Jaccard, which is the same for that *A* and counts
    of zero and one; with the products, every document is similar to itself by one.

    Parameters
    ----------
    X : array, sparse array or Corpus of shape (n_documents, n_words)
        Counts of words.
    word_similarity : ndarray or sparse array of shape (n_words, n_words)
        *A*, symmetric. With a positive semi-definite one no similarity is above one.
    measure : "cosine", "dice" or "jaccard", default="cosine"
        Which of the three.

    Returns
    -------
    ndarray of shape (n_documents, n_documents), float32
        Similarities; documents without words are similar to themselves only.

    References
    ----------
    .. [1] Grimal and Bisson (2011) in docs/bibliography.md.

    Examples
    --------
    >>> generalised([[1, 1, 0], [0, 1, 1]], np.eye(3), "jaccard").round(2)
    array([[1.  , 0.33],
           [0.33, 1.  ]], dtype=float32)
    >>> generalised([[1, 0], [0, 1]], [[1.0, 0.5], [0.5, 1.0]], "dice")
    array([[1. , 0.5],
           [0.5, 1. ]], dtype=float32)
    """
    check_choice("measure", measure, MEASURES)
    A = checked_counts(X.counts if isinstance(X, Corpus) else X).astype(np.float32)
    S = checked_similarity("word_similarity", word_similarity).astype(np.float32)
    if S.shape[0] != A.shape[1]:
        raise InputError(f"word_similarity: {S.shape[0]} words; expected {A.shape[1]} as in X")
    products = all_products(A, S if sp.issparse(S) else np.ascontiguousarray(S))
    finish_products(products, UNCHANGED)
    squares = _squares(products)
    for first, last in row_blocks(len(products)):
        part, own = products[first:last], squares[first:last, None]
        scale = _scale(part, own, squares, measure)
        if np.any((scale <= 0) & (own > 0) & (squares > 0)):
            raise _not_semidefinite("two documents have no Jaccard similarity")
        products[first:last] = np.divide(part, scale, out=np.zeros_like(part), where=scale > 0)
    np.fill_diagonal(products, 1)
    return products


def _scale(products: Array, own: Array, others: Array, measure: str) -> Array:
    """What products of documents are divided by."""
    if measure == "cosine":
        return np.sqrt(own) * np.sqrt(others)
    return (own + others) / 2 if measure == "dice" else own + others - products


def _squares(products: Array) -> Array:
    """Products of documents with themselves, none below zero."""
    squares = products.diagonal().copy()
    if squares.min() < -ROUNDING * np.abs(squares).max():
        raise _not_semidefinite("a document has a product below zero with itself")
    return np.maximum(squares, 0)


def _not_semidefinite(why: str) -> InputError:
    return InputError(f"word_similarity: {why}; expected a positive semi-definite matrix")
