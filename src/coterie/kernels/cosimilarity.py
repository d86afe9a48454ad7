"""Products of a sparse matrix with a dense one, by sums or by maxima, and order statistics.

Every entry of a product is made in one order, whatever the threads and the blocks: loops run
over the columns of a row, which is where SIMD is, and no sum is reordered.
"""

import numpy as np

from coterie.kernels.compiled import njit

BINS = 1 << 16


def multiply(X, rows, S, out, corner=(0, 0), largest=False):
    """Rows `first` to `last` of the sparse X times S, added to `out` from its `corner` on.

    S is dense or sparse; of a dense S all columns are taken. With `largest`, the largest of the
    products takes the place of their sum; numbers are of zero or more.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> X = sp.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]], np.float32))
    >>> out = np.zeros((1, 2), np.float32)
    >>> multiply(X, (0, 1), np.array([[1.0, 0.0], [1.0, 1.0]], np.float32), out)
    >>> out
    array([[3., 2.]], dtype=float32)
    """
    if isinstance(S, np.ndarray):
        kernel = _largest if largest else _sum
        kernel(X.indptr, X.indices, X.data, *rows, S, out, *corner)
    else:
        sparse = S.indptr, S.indices, S.data
        _scatter(X.indptr, X.indices, X.data, *rows, *sparse, out, *corner, largest)


@njit(nogil=True)
def _sum(indptr, indices, data, first, last, S, out, top, left):
    width = S.shape[1]
    for i in range(first, last):
        row = out[top + i - first, left : left + width]
        at, end = indptr[i], indptr[i + 1]
        while at + 4 <= end:
            a, b, c, d = data[at], data[at + 1], data[at + 2], data[at + 3]
            s, t = S[indices[at]], S[indices[at + 1]]
            u, v = S[indices[at + 2]], S[indices[at + 3]]
            for j in range(width):
                row[j] += (a * s[j] + b * t[j]) + (c * u[j] + d * v[j])
            at += 4
        for each in range(at, end):
            a, s = data[each], S[indices[each]]
            for j in range(width):
                row[j] += a * s[j]


@njit(nogil=True)
def _largest(indptr, indices, data, first, last, S, out, top, left):
    width = S.shape[1]
    for i in range(first, last):
        row = out[top + i - first, left : left + width]
        for each in range(indptr[i], indptr[i + 1]):
            a, s = data[each], S[indices[each]]
            for j in range(width):
                row[j] = max(row[j], a * s[j])


@njit(nogil=True)
def _scatter(
    indptr, indices, data, first, last, S_indptr, S_indices, S_data, out, top, left, largest
):
    for i in range(first, last):
        row = out[top + i - first]
        for each in range(indptr[i], indptr[i + 1]):
            a, line = data[each], indices[each]
            for at in range(S_indptr[line], S_indptr[line + 1]):
                j, product = left + S_indices[at], a * S_data[at]
                row[j] = max(row[j], product) if largest else row[j] + product


@njit(nogil=True)
def mirror(S, first, last):
    """Copy rows `first` to `last` left of the diagonal to the columns above it.

    Examples
    --------
    >>> S = np.array([[1.0, 0.0], [5.0, 1.0]], np.float32)
    >>> mirror(S, 0, 2)
    >>> S
    array([[1., 5.],
           [5., 1.]], dtype=float32)
    """
    tile = 64
    for top in range(first, last, tile):
        bottom = min(top + tile, last)
        for left in range(0, bottom, tile):
            for i in range(top, bottom):
                for j in range(left, min(left + tile, i)):
                    S[j, i] = S[i, j]


@njit(nogil=True)
def _histogram(bits, first, last, prefix, counts):
    """How often each upper half (prefix below 0) or lower half occurs left of the diagonal."""
    for i in range(first, last):
        for j in range(i):
            if prefix < 0:
                counts[bits[i, j] >> 16] += 1
            elif bits[i, j] >> 16 == prefix:
                counts[bits[i, j] & 0xFFFF] += 1


def count_halves(S, rows, prefix):
    """Counts of the halves of numbers left of the diagonal, in the order of their values.

    A float32 of zero or more is ordered as its bits are: the upper 16 first (`prefix` -1),
    then the lower 16 of those with the upper half `prefix`.

    Examples
    --------
    >>> S = np.array([[1.0, 0.0], [1.0, 1.0]], np.float32)
    >>> np.flatnonzero(count_halves(S, (0, 2), -1)) == np.float32(1).view(np.uint32) >> 16
    array([ True])
    """
    counts = np.zeros(BINS, np.int64)
    _histogram(S.view(np.uint32), *rows, prefix, counts)
    return counts
