"""Ward's agglomeration from the distances of all pairs, condensed as scipy has them.

Distances and nearest neighbours are found row by row, so that threads can share the rows out.
"""

import numpy as np

from coterie.kernels import prefetch
from coterie.kernels.compiled import njit

AHEAD = 64  # clusters between asking for a distance and using it
GROUP = 64  # clusters of which the least bound is known


@njit(nogil=True)
def pair_distances(S, squares, rooted, condensed, first, last):
    """Distances of rows `first` to `last` to later ones, from dense similarities.

    They are 1 - s, or with `rooted` the root of the sum of both `squares` less twice s. What
    would be below zero is zero.
    """
    n = len(S)
    at = _line(n, first) + first + 1
    for i in range(first, last):
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


@njit(nogil=True)
def square_and_bound(condensed, nearest, bound, first, last):
    """Square distances of rows `first` to `last`, and find the nearest later one of each.

    Examples
    --------
    >>> condensed, nearest, bound = np.array([3.0, 2, 4]), np.zeros(3, int), np.full(3, np.inf)
    >>> square_and_bound(condensed, nearest, bound, 0, 2)
    >>> condensed, nearest, bound
    (array([ 9.,  4., 16.]), array([2, 2, 0]), array([ 4., 16., inf]))
    """
    n = len(bound)
    at = _line(n, first) + first + 1
    for i in range(first, last):
        nearest[i], bound[i] = i + 1, np.inf
        for j in range(i + 1, n):
            squared = condensed[at] * condensed[at]
            condensed[at] = squared
            if squared < bound[i]:
                nearest[i], bound[i] = j, squared
            at += 1


@njit(nogil=True)
def ward_merges(squared, nearest, bound):
    """Merges of Ward's agglomeration, lowest first, from condensed squared distances.

    `nearest` and `bound` are the nearest later neighbour of each row and its squared distance,
    infinite for the last one; all three are overwritten. The neighbours are kept as lower
    bounds and found again only when they may be next, so that equal distances, of which there
    are many where documents share no word, cost nothing and never mislead.
    """
    n = len(bound)
    merges = np.empty((n - 1, 4))
    names, sizes = np.arange(n), np.ones(n)
    left, n_left = np.arange(n), n  # clusters that are not part of another one, in order
    lines = np.array([_line(n, i) for i in range(n)])
    least = np.empty(-(-n // GROUP))
    for i in range(0, n, GROUP):
        _renew(least, bound, i)
    for step in range(n - 1):
        i = _lowest(least, bound)
        while sizes[nearest[i]] == 0 or squared[lines[i] + nearest[i]] != bound[i]:
            later = left[np.searchsorted(left[:n_left], i, side="right") : n_left]
            nearest[i], bound[i] = _nearest_of(squared, lines[i], later, i + 1)
            _renew(least, bound, i)
            i = _lowest(least, bound)
        j = nearest[i]
        merges[step, 0] = min(names[i], names[j])
        merges[step, 1] = max(names[i], names[j])
        merges[step, 2] = np.sqrt(bound[i])
        merges[step, 3] = sizes[i] + sizes[j]
        gone = np.searchsorted(left[:n_left], i)
        left[gone : n_left - 1] = left[gone + 1 : n_left].copy()
        n_left -= 1
        _join(squared, lines, left[:n_left], sizes, i, j, nearest, bound, least)
        names[j] = n + step
    return merges


@njit(nogil=True, inline="always")
def _line(n, i):
    """Where the distance of i and j > i stands, less j."""
    return n * i - i * (i + 1) // 2 - i - 1


@njit(nogil=True)
def _renew(least, bound, i):
    """The least bound of the group of i."""
    group = i // GROUP
    lowest = np.inf
    for k in range(group * GROUP, min(group * GROUP + GROUP, len(bound))):
        lowest = min(lowest, bound[k])
    least[group] = lowest


@njit(nogil=True)
def _lowest(least, bound):
    """The first cluster with the least bound of all."""
    start = np.argmin(least) * GROUP
    return start + np.argmin(bound[start : start + GROUP])


@njit(nogil=True)
def _nearest_of(squared, line, later, first):
    best, nearest = np.inf, first
    for j in later:
        if squared[line + j] < best:
            best, nearest = squared[line + j], j
    return nearest, best


@njit(nogil=True)
def _join(squared, lines, left, sizes, i, j, nearest, bound, least):
    """Put cluster i into j > i, which may then be the nearest of others."""
    height, line_i, line_j = bound[i], lines[i], lines[j]
    of_i, of_j = sizes[i], sizes[j]
    asked = squared.reshape(1, len(squared))
    place = np.searchsorted(left, j)
    for number in range(place):
        if number + AHEAD < place:  # distances of one cluster to those before it are apart
            k = left[number + AHEAD]
            prefetch.fetch(asked, 0, lines[k] + j)
            if k < i:
                prefetch.fetch(asked, 0, lines[k] + i)
        k = left[number]
        to_i = squared[lines[k] + i] if k < i else squared[line_i + k]
        at = lines[k] + j
        squared[at] = _joined(to_i, squared[at], of_i, of_j, sizes[k], height)
        if squared[at] < bound[k]:
            nearest[k], bound[k] = j, squared[at]
            least[k // GROUP] = min(least[k // GROUP], squared[at])
    nearest[j], bound[j] = j + 1, np.inf
    for k in left[place + 1 :]:
        at = line_j + k
        squared[at] = _joined(squared[line_i + k], squared[at], of_i, of_j, sizes[k], height)
        if squared[at] < bound[j]:
            nearest[j], bound[j] = k, squared[at]
    _renew(least, bound, j)
    bound[i], sizes[i], sizes[j] = np.inf, 0, of_i + of_j
    _renew(least, bound, i)


@njit(nogil=True, inline="always")
def _joined(to_i, to_j, of_i, of_j, size, height):
    """The squared distance to both together (Lance and Williams)."""
    grown = (of_i + size) * to_i + (of_j + size) * to_j
    return max((grown - size * height) / (of_i + of_j + size), height)
