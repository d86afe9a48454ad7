"""Whether similarities are inner products, and the nearest ones that are.

A matrix of inner products has no eigenvalue below zero: it is positive semi-definite. Section
3.1 of Grimal and Bisson (2011) says that similarities of chi-Sim need not be.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from coterie.errors import InputError
from coterie.kernels.cosimilarity import mirror
from coterie.kernels.dense import one_blas_thread
from coterie.types import Array

BYTES_PER_ENTRY = 16  # a copy and its eigenvectors in float64
BLOCK = 256  # rows at a time
FEW = 1000  # rows up to which all eigenvalues are computed
ROUNDING = 1e-5  # of similarities in single precision


class Diagnosis(NamedTuple):
    """What keeps similarities from being cosines: see `diagnose`."""

    smallest_eigenvalue: float
    n_above_one: int
    largest: float


def diagnose(similarity: Any) -> Diagnosis:
    """Smallest eigenvalue, number of pairs above one and largest entry of a similarity matrix.

    Similarities that are cosines in some space have no eigenvalue below zero and no entry above
    one, up to rounding. Pairs count as above one from 1.00001 on; a document and itself are a
    pair too. Above 1000 rows the eigenvalue comes from a Lanczos iteration, which is fast and
    right to about a millionth of the largest sum of a row.

    Parameters
    ----------
    similarity : ndarray or sparse array of shape (n, n)
        Such as `document_similarity_` or `word_similarity_`, symmetric.

    Returns
    -------
    Diagnosis
        `smallest_eigenvalue`, `n_above_one`, `largest`.

    Examples
    --------
    Orange is like red and like banana, which are not alike (Grimal and Bisson, section 3.1).

    >>> words = diagnose([[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    >>> round(words.smallest_eigenvalue, 3), words.n_above_one, words.largest
    (-0.414, 0, 1.0)
    """
    S = checked_similarity("similarity", similarity)
    above = S > 1 + ROUNDING
    n_above = (int(above.sum()) + int(above.diagonal().sum())) // 2
    return Diagnosis(_smallest_eigenvalue(S), n_above, float(S.max()))


def checked_similarity(name: str, similarity: Any) -> Any:
    """A symmetric matrix of finite numbers, dense or in sparse rows; others are refused.

    Examples
    --------
    >>> checked_similarity("similarity", [[1.0, 0.5]])
    Traceback (most recent call last):
    coterie.errors.InputError: similarity: shape (1, 2); expected a square matrix
    """
    try:
        S = sp.csr_array(similarity) if sp.issparse(similarity) else np.asarray(similarity)
        S = S if np.issubdtype(S.dtype, np.floating) else S.astype(np.float64)
    except (TypeError, ValueError) as error:
        kind = type(similarity).__name__
        raise InputError(f"{name}: a {kind}; expected a square matrix of numbers") from error
    if S.ndim != 2 or S.shape[0] != S.shape[1] or not S.shape[0]:
        raise InputError(f"{name}: shape {S.shape}; expected a square matrix")
    if not np.all(np.isfinite(S.data if sp.issparse(S) else S)):
        raise InputError(f"{name}: NaN or infinity; expected finite numbers")
    if abs(S - S.T).max() > ROUNDING * abs(S).max():
        raise InputError(f"{name}: not symmetric; expected equal numbers for a pair both ways")
    return S


def _smallest_eigenvalue(S: Any) -> float:
    from scipy.linalg import eigvalsh
    from scipy.sparse.linalg import LinearOperator, eigsh

    n = S.shape[0]
    with one_blas_thread():
        if n <= FEW:
            whole = (S.toarray() if sp.issparse(S) else S).astype(np.float64)
            return float(eigvalsh(whole, subset_by_index=[0, 0])[0])
        # The largest eigenvalue of bound - S, none of which is zero: tol is relative to it.
        bound = 2 * float(abs(S).sum(axis=1).max()) or 1.0
        flipped = LinearOperator(
            (n, n), matvec=lambda v: bound * v - S @ v.astype(S.dtype), dtype=np.float64
        )
        start = np.random.default_rng(0).standard_normal(n)
        (largest,) = eigsh(
            flipped, 1, which="LA", v0=start, tol=1e-6, return_eigenvectors=False
        )
    return bound - float(largest)


def make_semidefinite(similarity: Array) -> None:
    """Project a symmetric float32 matrix on the positive semi-definite ones, in place.

    Negative eigenvalues become zero, which gives the nearest such matrix but raises its
    diagonal. Rows and columns are then scaled to the diagonal from before: with ones there, no
    entry is above one. A matrix without negative eigenvalues, but for rounding, stays.

    Examples
    --------
    >>> S = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 1]], np.float32)
    >>> make_semidefinite(S)
    >>> S.round(2)
    array([[1.  , 0.74, 0.74],
           [0.74, 1.  , 0.09],
           [0.74, 0.09, 1.  ]], dtype=float32)
    """
    n = len(similarity)
    with one_blas_thread():
        values, vectors = _negative_eigenvectors(similarity)
        if not len(values):
            return
        diagonal = similarity.diagonal().copy()
        raised = diagonal - vectors**2 @ values
        scale = np.sqrt(np.divide(diagonal, raised, out=np.zeros(n), where=raised > 0))
        for first in range(0, n, BLOCK):
            rows, left = slice(first, first + BLOCK), slice(first + BLOCK)
            part = similarity[rows, left] - (vectors[rows] * values) @ vectors[left].T
            similarity[rows, left] = scale[rows, None] * part * scale[left]
    mirror(similarity, 0, n)
    np.fill_diagonal(similarity, diagonal)


def _negative_eigenvectors(similarity: Array) -> tuple[Array, Array]:
    """Eigenvalues below zero by more than rounding, and their vectors in columns."""
    from scipy.linalg import eigh

    bound = np.abs(similarity).sum(axis=1, dtype=np.float64).max()
    limit = -np.finfo(np.float32).eps * bound
    copy = similarity.astype(np.float64, order="F")
    values, vectors = eigh(
        copy, overwrite_a=True, driver="evr", subset_by_value=(-np.inf, limit)
    )
    return values, vectors
