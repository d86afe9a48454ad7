"""CPU kernels: sequential numba loops that release the GIL.

No kernel is parallel. Shards of rows run in parallel (see `coterie.executors`), so a kernel
never races and its sums have one order. No posterior is ever stored per non-zero.
"""

from itertools import pairwise

import numpy as np

from coterie.kernels import columns, lanes, prefetch, spare
from coterie.kernels.compiled import njit

REORDER = {"reassoc", "contract", "nsz", "arcp"}  # lets sums use SIMD; NaN and infinity stay
BLOCK = 2**16  # non-zeros whose logarithms are taken together
NEGLIGIBLE = 64  # posteriors below the precision over this are zero
LARGE = 8  # times the cache: from there on, clusters wait longer for words than asking takes
DEGREE = 10  # of the polynomial of an exponential, to within rounding of one
FEW = 8  # clusters are added one by one where they are so many times fewer than all


def topic_counts(X, theta, phi):
    """Equivalent to `reference.topic_counts`, in 6 · nnz · K operations."""
    new_theta = spare.empty(theta.shape, theta.dtype)
    both = _side_by_side(phi)
    cuts = _block_cuts(X.indptr)
    p = np.empty(np.diff(X.indptr[cuts]).max(), theta.dtype)
    log_likelihood = 0.0
    for first, last in pairwise(cuts):  # a block at a time, so that logarithms use SIMD
        inside = slice(X.indptr[first], X.indptr[last])
        rows, logs = slice(first, last), p[: inside.stop - inside.start]
        indptr, x = X.indptr[first : last + 1] - inside.start, X.data[inside]
        words, mixes = X.indices[inside], (theta[rows], new_theta[rows])
        _topic_counts(indptr, words, x, *mixes, both, logs, prefetch.distance(both))
        with np.errstate(divide="ignore"):
            np.log(logs, out=logs)
        log_likelihood += _weighted_sum(x, logs)
    return new_theta, _multiply_halves(both), log_likelihood


def _block_cuts(indptr):
    starts = np.searchsorted(indptr, np.arange(0, indptr[-1], BLOCK), side="right") - 1
    return np.unique([0, *starts, len(indptr) - 1])


def _side_by_side(phi):
    """`phi` with room for its gain beside it: one miss of the cache brings both."""
    n_words, n_topics = phi.shape
    both = spare.empty((n_words, 2 * n_topics), phi.dtype)
    _lay_out(phi, both)
    return both


def fold_in(X, phi, n_topics, max_iter, tol):
    """Equivalent to `reference.fold_in`; the words of one document are read once."""
    theta = np.empty((X.shape[0], phi.shape[1]), phi.dtype)
    log_likelihood = np.empty(X.shape[0])
    _fold_in(X.indptr, X.indices, X.data, phi, n_topics, max_iter, tol, theta, log_likelihood)
    return theta, log_likelihood


def cluster_posteriors(X, log_alpha, log_beta, hard):
    """Equivalent to `reference.cluster_posteriors`, in at most 4 · nnz · K operations.

    Posteriors below the precision of the numbers are zero. Words are read by one pass and
    added by another, so that each has the cache to its table alone.
    """
    posterior = spare.empty((X.shape[0], len(log_alpha)), log_beta.dtype)
    n_wk = spare.zeros(log_beta.shape, log_beta.dtype)
    n_k, objective = np.zeros(len(log_alpha)), np.empty(X.shape[0])
    least = np.log(np.finfo(log_beta.dtype).eps / NEGLIGIBLE)
    ahead = prefetch.distance(log_beta, LARGE)
    words, x, log_beta = map(np.ascontiguousarray, (X.indices, X.data, log_beta))
    _cluster_posteriors(
        X.indptr, words, x, log_alpha, log_beta, hard, least, posterior, n_k, objective, ahead
    )
    _words_of_clusters(X.indptr, words, x, posterior, n_wk, ahead)
    return posterior, n_k, n_wk, objective


def normalize_columns(counts, n_columns):
    """Equivalent to `reference.normalize_columns`, in position."""
    totals = columns.column_totals(counts, n_columns)
    columns.divide_columns(counts, totals, n_columns, len(counts))
    return counts


def mix_topics(table, weights):
    """Equivalent to `reference.mix_topics`."""
    return _mix_topics(table, weights)


def sum_words(table, weights):
    """Equivalent to `reference.sum_words`."""
    return _sum_words(table, weights)


def largest_products(rows, others, products, least, n):
    """Equivalent to `reference.largest_products`; each product is summed in one order."""
    chosen = np.empty((len(rows), n), np.int64)
    values = np.empty((len(rows), n), rows.dtype)
    _largest_products(rows, others, products, least, chosen, values)
    return chosen, values


@njit(nogil=True)
def _largest_products(rows, others, products, least, chosen, values):
    n = chosen.shape[1]
    for d in range(len(rows)):
        largest = np.full(n, -np.inf)
        for j in range(len(others)):
            if not products[d, j] >= least[d]:
                continue
            value = 0.0
            for i in range(rows.shape[1]):
                value += np.float64(rows[d, i]) * np.float64(others[j, i])
            position = n
            while position > 0 and largest[position - 1] < value:
                position -= 1
            if position < n:
                for later in range(n - 1, position, -1):
                    largest[later] = largest[later - 1]
                    chosen[d, later] = chosen[d, later - 1]
                largest[position] = value
                chosen[d, position] = j
        values[d] = largest


@njit(nogil=True, fastmath=REORDER)
def _mix_topics(table, weights):
    n_words, n_clusters, n_topics = table.shape
    mixed = np.empty((n_words, n_clusters), weights.dtype)
    for w in range(n_words):
        for a in range(n_clusters):
            total = weights.dtype.type(0)
            for b in range(n_topics):
                total += weights.dtype.type(table[w, a, b]) * weights[a, b]
            mixed[w, a] = total
    return mixed


@njit(nogil=True, fastmath=REORDER)
def _sum_words(table, weights):
    n_words, n_clusters, n_topics = table.shape
    totals = np.zeros((n_clusters, n_topics))
    part = np.zeros((n_clusters, n_topics), weights.dtype)
    for w in range(n_words):
        for a in range(n_clusters):
            h = weights[w, a]
            if h != 0:
                for b in range(n_topics):
                    part[a, b] += h * weights.dtype.type(table[w, a, b])
        if w % 256 == 255:  # few enough terms for single precision
            totals += part
            part[:] = 0
    return totals + part


@njit(nogil=True)
def _lay_out(phi, both):
    n_words, n_topics = phi.shape
    for w in range(n_words):
        for z in range(n_topics):
            both[w, z] = phi[w, z]
        for z in range(n_topics):
            both[w, n_topics + z] = 0


@njit(nogil=True)
def _multiply_halves(both):
    """Products of the halves, one row after the other at the beginning of the same memory."""
    n_words, n_topics = both.shape[0], both.shape[1] // 2
    products = both.reshape(2 * n_words, n_topics)[:n_words]
    row = np.empty(n_topics, both.dtype)
    for w in range(n_words):
        for z in range(n_topics):
            row[z] = both[w, z] * both[w, n_topics + z]
        for z in range(n_topics):
            products[w, z] = row[z]
    return products


@njit(nogil=True, fastmath=REORDER)
def _weighted_sum(x, logs):
    total = 0.0
    for j in range(len(x)):
        total += np.float64(x[j]) * logs[j]
    return total


@njit(nogil=True, fastmath=REORDER)
def _topic_counts(indptr, indices, data, theta, new_theta, both, p, ahead):
    n_topics = theta.shape[1]
    last, line = len(indices) - 1, spare.LINE // both.itemsize
    zero = theta.dtype.type(0)
    mix = np.empty(n_topics, theta.dtype)
    gained = np.empty(n_topics, theta.dtype)
    for d in range(len(indptr) - 1):
        for z in range(n_topics):
            mix[z] = theta[d, z]
            gained[z] = zero
        for j in range(indptr[d], indptr[d + 1]):
            w = indices[j]
            if ahead:
                coming = indices[min(j + ahead, last)]
                for z in range(0, 2 * n_topics, line):
                    prefetch.fetch(both, coming, z)
            p_w = zero
            for z in range(n_topics):
                p_w += mix[z] * both[w, z]
            p[j] = p_w
            if p_w > zero:
                ratio = data[j] / p_w
                for z in range(n_topics):
                    gained[z] += ratio * both[w, z]
                for z in range(n_topics):
                    both[w, n_topics + z] += ratio * mix[z]
        _multiply_and_normalize(mix, gained, new_theta[d])


@njit(nogil=True, fastmath=REORDER, inline="always")
def _multiply_and_normalize(mix, gained, out):
    """Set `out` to the normalised product, or to `mix` where the product is zero."""
    total = mix.dtype.type(0)
    for z in range(len(mix)):
        total += mix[z] * gained[z]
    if total > 0:
        for z in range(len(mix)):
            out[z] = mix[z] * gained[z] / total
    else:
        for z in range(len(mix)):
            out[z] = mix[z]


@njit(nogil=True, fastmath=REORDER)
def _fold_in(indptr, indices, data, phi, n_topics, max_iter, tol, theta, log_likelihood):
    width = phi.shape[1]
    zero = phi.dtype.type(0)
    mix = np.empty(width, phi.dtype)
    gained = np.empty(width, phi.dtype)
    new = np.empty(width, phi.dtype)
    for d in range(len(indptr) - 1):
        first, last = indptr[d], indptr[d + 1]
        words = phi[indices[first:last]]
        mix[:] = zero
        mix[:n_topics] = 1 / n_topics
        for _ in range(max_iter):
            gained[:] = zero
            for j in range(last - first):
                p_w = zero
                for z in range(width):
                    p_w += mix[z] * words[j, z]
                if p_w > zero:
                    ratio = data[first + j] / p_w
                    for z in range(width):
                        gained[z] += ratio * words[j, z]
            _multiply_and_normalize(mix, gained, new)
            moved = zero
            for z in range(width):
                moved = max(moved, abs(new[z] - mix[z]))
                mix[z] = new[z]
            if moved <= tol:
                break
        total = 0.0
        for j in range(last - first):
            p_w = zero
            for z in range(width):
                p_w += mix[z] * words[j, z]
            total += data[first + j] * np.log(p_w)
        log_likelihood[d] = total
        theta[d] = mix


@njit(nogil=True, fastmath=REORDER)
def _cluster_posteriors(
    indptr, indices, data, log_alpha, log_beta, hard, least, posterior, totals, objective, ahead
):
    n_clusters = len(log_alpha)
    joint = np.empty(n_clusters)
    for d in range(len(indptr) - 1):
        first, last = indptr[d], indptr[d + 1]
        if first == last:
            posterior[d], objective[d] = 0, 0
            continue
        for k in range(n_clusters):
            joint[k] = log_alpha[k]
        lanes.add_rows(joint, log_beta, indices, data, first, last, ahead)
        top = joint[0]
        for k in range(1, n_clusters):
            if joint[k] > top:
                top = joint[k]
        if hard:
            best = np.argmax(joint)
            for k in range(n_clusters):
                joint[k] = k == best
            total = 1.0
        else:
            total = 0.0
            for k in range(n_clusters):
                below = joint[k] - top
                joint[k] = 0.0 if below < least else _exp(below)
                total += joint[k]
        objective[d] = top + np.log(total)
        share = 1 / total
        for k in range(n_clusters):
            p = joint[k] * share
            posterior[d, k] = p
            totals[k] += p


@njit(nogil=True, fastmath=REORDER)
def _exp(x):
    """The exponential of a number that is not far below zero, without a call or a branch.

    A polynomial gives that of a 64th of it, which is then squared six times.
    """
    y, p = x / 64, 1.0
    for n in range(DEGREE, 0, -1):
        p = 1 + y * p / n
    for _ in range(6):
        p *= p
    return p


@njit(nogil=True, fastmath=REORDER)
def _words_of_clusters(indptr, indices, data, posterior, n_wk, ahead):
    """Add the words of documents to the clusters they are in."""
    n_clusters, end, line = posterior.shape[1], len(indices), spare.LINE // n_wk.itemsize
    q = np.empty(n_clusters, posterior.dtype)
    chosen = np.empty(n_clusters, np.int64)
    for d in range(len(indptr) - 1):
        n_chosen = 0
        for k in range(n_clusters):
            q[k] = posterior[d, k]
            if q[k] > 0:
                chosen[n_chosen] = k
                n_chosen += 1
        few = FEW * n_chosen <= n_clusters
        for j in range(indptr[d], indptr[d + 1]):
            w, x = indices[j], data[j]
            if ahead:
                coming = indices[min(j + ahead, end - 1)]
                for k in range(0, n_clusters, line):
                    prefetch.fetch(n_wk, coming, k)
            if few:
                for i in range(n_chosen):
                    n_wk[w, chosen[i]] += x * q[chosen[i]]
            else:
                for k in range(n_clusters):
                    n_wk[w, k] += x * q[k]
