"""Inner loops of the search for rows alike: weights are taken from counts as they are needed.

A row is a document: its counts, times `rarity` of each word after a logarithm, over `norms`.
"""

import numpy as np

from coterie.kernels.compiled import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
OTHER = np.uint64(0xC2B2AE3D27D4EB4F)
ROUNDING = 1e-5  # of sums in single precision


@njit(nogil=True)
def row_hashes(indptr, indices, bits, hashes):
    """Two numbers for each row, equal for rows with equal counts, whose bits are given."""
    for d in range(len(indptr) - 1):
        one, two = GOLDEN, OTHER
        for j in range(indptr[d], indptr[d + 1]):
            item = (np.uint64(indices[j]) << np.uint64(32)) ^ np.uint64(bits[j])
            one = (one ^ item) * OTHER
            one ^= one >> np.uint64(29)
            two = (two + item) * GOLDEN
            two ^= two >> np.uint64(31)
        hashes[d, 0], hashes[d, 1] = one, two


@njit(nogil=True)
def rows_equal(indptr, indices, data, a, b):
    """Tell whether two rows have equal counts."""
    first, second = indptr[a], indptr[b]
    length = indptr[a + 1] - first
    if indptr[b + 1] - second != length:
        return False
    for j in range(length):
        if indices[first + j] != indices[second + j] or data[first + j] != data[second + j]:
            return False
    return True


@njit(nogil=True)
def row_norms(indptr, indices, data, rarity, norms):
    """Lengths of the weighted rows."""
    for d in range(len(indptr) - 1):
        total = 0.0
        for j in range(indptr[d], indptr[d + 1]):
            weight = np.log1p(np.float64(data[j])) * rarity[indices[j]]
            total += weight * weight
        norms[d] = np.sqrt(total)


@njit(nogil=True)
def least_product(part, limit):
    """Least product of rare parts that allows a cosine of the limit, by the length of one."""
    angle = np.arccos(min(part, 1.0)) + np.arccos(limit)
    return part * np.cos(angle) if angle < np.pi / 2 else 0.0


@njit(nogil=True)
def rare_part(first, last, indices, data, rarity, rank, norm, limit, words, values):
    """The rarest words of a row, rarest first, as few as make two shared words necessary."""
    n = last - first
    for j in range(n):
        words[j] = rank[indices[first + j]]
    order = np.argsort(words[:n])
    gap = np.sqrt(2 * (1 - limit))
    squares, largest = 0.0, 0.0
    for i in range(n):
        j = first + order[i]
        value = np.log1p(np.float64(data[j])) * rarity[indices[j]] / norm
        values[i] = value
        squares += value * value
        largest = max(largest, value)
        if largest * (largest + gap) < least_product(np.sqrt(squares), limit):
            words[: i + 1] = words[:n][order[: i + 1]]
            return i + 1
    words[:n] = words[:n][order]
    return n


@njit(nogil=True)
def rare_parts(indptr, indices, data, rarity, rank, norms, rows, limit, ends, words, values):
    """Rare parts of some rows, one after the other; `ends` gets where each ends."""
    end = 0
    for i in range(len(rows)):
        d = rows[i]
        first, last = indptr[d], indptr[d + 1]
        if norms[d] > 0:
            end += rare_part(
                first, last, indices, data, rarity, rank, norms[d], limit,
                words[end:], values[end:],
            )  # fmt: skip
        ends[i] = end
    return end


@njit(nogil=True)
def count_keys(starts, words, values, n_words, singles, least, sizes):
    """Number of keys that fall in each of several parts."""
    n_parts = np.uint64(len(sizes))
    for d in range(len(starts) - 1):
        for i in range(starts[d], starts[d + 1]):
            first = np.uint64(words[i])
            if singles or values[i] >= least:
                key = first * n_words + first
                sizes[(key * GOLDEN >> np.uint64(32)) % n_parts] += 1
            if not singles:
                for j in range(i + 1, starts[d + 1]):
                    key = first * n_words + np.uint64(words[j])
                    sizes[(key * GOLDEN >> np.uint64(32)) % n_parts] += 1


@njit(nogil=True)
def keys_of_part(starts, words, values, n_words, singles, least, part, n_parts, keys, owners):
    """Keys of all rows that fall in one of several parts, and the rows that have them."""
    end = 0
    for d in range(len(starts) - 1):
        for i in range(starts[d], starts[d + 1]):
            first = np.uint64(words[i])
            if singles or values[i] >= least:
                key = first * n_words + first
                if (key * GOLDEN >> np.uint64(32)) % n_parts == part:
                    keys[end], owners[end] = key, d
                    end += 1
            if not singles:
                for j in range(i + 1, starts[d + 1]):
                    key = first * n_words + np.uint64(words[j])
                    if (key * GOLDEN >> np.uint64(32)) % n_parts == part:
                        keys[end], owners[end] = key, d
                        end += 1
    return end


@njit(nogil=True)
def find(parents, a):
    """The group of a row."""
    while parents[a] != a:
        parents[a] = parents[parents[a]]
        a = parents[a]
    return a


@njit(nogil=True)
def cosine(indptr, indices, data, rarity, norms, a, b):
    """Cosine of two weighted rows."""
    if norms[a] == 0 or norms[b] == 0:
        return 0.0
    i, j, total = indptr[a], indptr[b], 0.0
    while i < indptr[a + 1] and j < indptr[b + 1]:
        if indices[i] == indices[j]:
            weight = rarity[indices[i]]
            total += (
                np.log1p(np.float64(data[i])) * np.log1p(np.float64(data[j])) * weight * weight
            )
            i += 1
            j += 1
        elif indices[i] < indices[j]:
            i += 1
        else:
            j += 1
    return total / (norms[a] * norms[b])


@njit(nogil=True)
def _may_be_alike(starts, words, values, lengths, a, b, limit):
    """Whether what two rare parts share allows a cosine of the limit."""
    i, j, product = starts[a], starts[b], 0.0
    while i < starts[a + 1] and j < starts[b + 1]:
        if words[i] == words[j]:
            product += values[i] * values[j]
            i += 1
            j += 1
        elif words[i] < words[j]:
            i += 1
        else:
            j += 1
    least = min(least_product(lengths[a], limit), least_product(lengths[b], limit))
    return product >= least - ROUNDING


@njit(nogil=True)
def link_alike(
    bounds, owners, starts, words, values, lengths, rows,
    indptr, indices, data, rarity, norms, limit, parents, most,
):  # fmt: skip
    """Join the groups of rows alike among those that share a key; False after too many pairs.

    Rows of a key are from one of `bounds` to the next. Neighbours are compared first: where
    that joins all of them, no other pair is left.
    """
    n_pairs = 0
    for g in range(len(bounds) - 1):
        first, last = bounds[g], bounds[g + 1]
        for step in range(2):
            all_joined = True
            for i in range(first, last):
                end = min(i + 2, last) if step == 0 else last
                for j in range(i + 1, end):
                    a, b = owners[i], owners[j]
                    n_pairs += 1
                    if find(parents, a) == find(parents, b):
                        continue
                    if _may_be_alike(starts, words, values, lengths, a, b, limit) and (
                        cosine(indptr, indices, data, rarity, norms, rows[a], rows[b]) >= limit
                    ):
                        one, other = find(parents, a), find(parents, b)
                        parents[max(one, other)] = min(one, other)
                    else:
                        all_joined = False
            if all_joined:
                break
            if n_pairs > most:
                return -1
    return n_pairs
