"""Products of a sparse matrix with a dense one, by sums or by maxima, and order statistics.

Every entry of a product is made in one order, whatever the threads and the blocks: loops run
over the columns of a row, which is where SIMD is, and no sum is reordered.
"""

import numpy as np
from numba import njit

from coterie.kernels import prefetch

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


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
def _largest(indptr, indices, data, first, last, S, out, top, left):
    width = S.shape[1]
    for i in range(first, last):
        row = out[top + i - first, left : left + width]
        for each in range(indptr[i], indptr[i + 1]):
            a, s = data[each], S[indices[each]]
            for j in range(width):
                row[j] = max(row[j], a * s[j])


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
def pair_distances(S, squares, rooted, condensed):
    """Distances of all pairs, condensed, from dense similarities.

    They are 1 - s, or with `rooted` the root of the sum of both `squares` less twice s. What
    would be below zero is zero.
    """
    at = 0
    for i in range(len(S) - 1):
        row, others = S[i, i + 1 :], squares[i + 1 :]
        part = condensed[at : at + len(row)]
        if rooted:
            for j in range(len(row)):
                most = squares[i] + others[j]
                part[j] = np.sqrt(max(most - 2.0 * np.float64(row[j]), 0.0))
        else:
            for j in range(len(row)):
                part[j] = max(1.0 - np.float64(row[j]), 0.0)
        at += len(row)


@njit(nogil=True, cache=True)
def ward_merges(squared):
    """Merges of Ward's agglomeration, lowest first, from condensed squared distances.

    `squared` is overwritten. The nearest later neighbour of each cluster is kept as a lower
    bound and found again only when it may be next, so that equal distances, of which there
    are many where documents share no word, cost nothing and never mislead.
    """
    n = int((1 + np.sqrt(1 + 8 * len(squared))) / 2)
    merges = np.empty((n - 1, 4))
    names, sizes = np.arange(n), np.ones(n)
    left, n_left = np.arange(n), n  # clusters that are not part of another one, in order
    nearest, bound = np.zeros(n, np.int64), np.full(n, np.inf)
    for i in range(n - 1):
        nearest[i], bound[i] = _nearest_later(squared, left, n_left, n, i)
    for step in range(n - 1):
        i = np.argmin(bound)
        while sizes[nearest[i]] == 0 or squared[_pair(n, i, nearest[i])] != bound[i]:
            nearest[i], bound[i] = _nearest_later(squared, left, n_left, n, i)
            i = np.argmin(bound)
        j = nearest[i]
        merges[step, 0] = min(names[i], names[j])
        merges[step, 1] = max(names[i], names[j])
        merges[step, 2] = np.sqrt(bound[i])
        merges[step, 3] = sizes[i] + sizes[j]
        gone = np.searchsorted(left[:n_left], i)
        left[gone : n_left - 1] = left[gone + 1 : n_left].copy()
        n_left -= 1
        _join(squared, left, n_left, sizes, n, i, j, nearest, bound)
        names[j] = n + step
        bound[i] = np.inf
        if j < n - 1:
            nearest[j], bound[j] = _nearest_later(squared, left, n_left, n, j)
    return merges


@njit(nogil=True, cache=True, inline="always")
def _pair(n, i, j):
    """Where the distance of i and j > i stands."""
    return n * i - i * (i + 1) // 2 + j - i - 1


@njit(nogil=True, cache=True)
def _nearest_later(squared, left, n_left, n, i):
    best, nearest = np.inf, i + 1
    start = _pair(n, i, i + 1) - i - 1
    for at in range(np.searchsorted(left[:n_left], i, side="right"), n_left):
        j = left[at]
        if squared[start + j] < best:
            best, nearest = squared[start + j], j
    return nearest, best


@njit(nogil=True, cache=True)
def _join(squared, left, n_left, sizes, n, i, j, nearest, bound):
    """Put cluster i into j (Lance and Williams), which may then be the nearest of others."""
    height = bound[i]
    line = squared.reshape(1, len(squared))
    for number in range(n_left):
        k = left[min(number + prefetch.AHEAD, n_left - 1)]
        if k < j:  # further on, distances of one cluster stand side by side
            prefetch.fetch(line, 0, _pair(n, k, j))
            if k < i:
                prefetch.fetch(line, 0, _pair(n, k, i))
        k = left[number]
        if k != j:
            at = _pair(n, min(j, k), max(j, k))
            to_i = squared[_pair(n, min(i, k), max(i, k))]
            whole = sizes[i] + sizes[j] + sizes[k]
            grown = (sizes[i] + sizes[k]) * to_i + (sizes[j] + sizes[k]) * squared[at]
            squared[at] = max((grown - sizes[k] * height) / whole, height)
            if k < j and squared[at] < bound[k]:
                nearest[k], bound[k] = j, squared[at]
    sizes[j] += sizes[i]
    sizes[i] = 0
