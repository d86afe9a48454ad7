"""CPU kernels: sequential numba loops that release the GIL.

No kernel is parallel. Shards of rows run in parallel (see `coterie.executors`), so a kernel
never races and its sums have one order. No posterior is ever stored per non-zero.
"""

import numpy as np
from numba import njit

REORDER = {"reassoc", "contract", "nsz", "arcp"}  # lets sums use SIMD; NaN and infinity stay


def topic_counts(X, theta, phi):
    """Equivalent to `reference.topic_counts`, in 6 · nnz · K operations."""
    new_theta = np.empty_like(theta)
    both = np.empty((phi.shape[0], 2 * phi.shape[1]), phi.dtype)
    log_likelihood = _topic_counts(X.indptr, X.indices, X.data, theta, phi, new_theta, both)
    return new_theta, both[:, phi.shape[1] :], log_likelihood


def fold_in(X, phi, n_topics, max_iter, tol):
    """Equivalent to `reference.fold_in`; the words of one document are read once."""
    theta = np.empty((X.shape[0], phi.shape[1]), phi.dtype)
    log_likelihood = np.empty(X.shape[0])
    _fold_in(X.indptr, X.indices, X.data, phi, n_topics, max_iter, tol, theta, log_likelihood)
    return theta, log_likelihood


def cluster_posteriors(X, log_alpha, log_beta, hard):
    """Equivalent to `reference.cluster_posteriors`, in 4 · nnz · K operations."""
    posterior = np.empty((X.shape[0], len(log_alpha)), log_beta.dtype)
    n_wk = np.zeros_like(log_beta)
    objective = np.empty(X.shape[0])
    _cluster_posteriors(
        X.indptr, X.indices, X.data, log_alpha, log_beta, hard, posterior, n_wk, objective
    )
    return posterior, posterior.sum(axis=0, dtype=np.float64), n_wk, objective


def normalize_columns(counts, n_columns):
    """Equivalent to `reference.normalize_columns`, in place."""
    _normalize_columns(counts, n_columns)
    return counts


def mix_topics(table, weights):
    """Equivalent to `reference.mix_topics`."""
    return _mix_topics(table, weights)


def sum_words(table, weights):
    """Equivalent to `reference.sum_words`."""
    return _sum_words(table, weights)


@njit(nogil=True, cache=True, fastmath=REORDER)
def _mix_topics(table, weights):
    n_words, n_clusters, n_topics = table.shape
    mixed = np.empty((n_words, n_clusters), table.dtype)
    for w in range(n_words):
        for a in range(n_clusters):
            total = table.dtype.type(0)
            for b in range(n_topics):
                total += table[w, a, b] * weights[a, b]
            mixed[w, a] = total
    return mixed


@njit(nogil=True, cache=True, fastmath=REORDER)
def _sum_words(table, weights):
    n_words, n_clusters, n_topics = table.shape
    totals = np.zeros((n_clusters, n_topics))
    part = np.zeros((n_clusters, n_topics), table.dtype)
    for w in range(n_words):
        for a in range(n_clusters):
            h = weights[w, a]
            if h != 0:
                for b in range(n_topics):
                    part[a, b] += h * table[w, a, b]
        if w % 256 == 255:  # few enough terms for single precision
            totals += part
            part[:] = 0
    return totals + part


@njit(nogil=True, cache=True)
def _normalize_columns(counts, n_columns):
    n_rows, width = counts.shape
    totals = np.zeros(width)
    for w in range(n_rows):
        for z in range(width):
            totals[z] += counts[w, z]
    divisor = totals.copy()
    divisor[totals == 0] = 1
    for w in range(n_rows):
        for z in range(width):
            counts[w, z] /= divisor[z]
    for z in range(n_columns):
        if totals[z] == 0:
            counts[:, z] = 1 / n_rows


@njit(nogil=True, cache=True, fastmath=REORDER)
def _topic_counts(indptr, indices, data, theta, phi, new_theta, both):
    n_words, n_topics = phi.shape
    zero = theta.dtype.type(0)
    for w in range(n_words):  # phi and its gain side by side: one miss of the cache brings both
        for z in range(n_topics):
            both[w, z] = phi[w, z]
            both[w, n_topics + z] = zero
    mix = np.empty(n_topics, theta.dtype)
    gained = np.empty(n_topics, theta.dtype)
    log_likelihood, product = 0.0, 1.0
    for d in range(len(indptr) - 1):
        for z in range(n_topics):
            mix[z] = theta[d, z]
            gained[z] = zero
        for j in range(indptr[d], indptr[d + 1]):
            w, x = indices[j], data[j]
            p_w = zero
            for z in range(n_topics):
                p_w += mix[z] * both[w, z]
            if x == 1 and p_w > 1e-40:  # most counts: one logarithm for many of them
                product *= p_w
                if product < 1e-200:
                    log_likelihood += np.log(product)
                    product = 1.0
            else:
                log_likelihood += x * np.log(p_w)
            if p_w > zero:
                ratio = x / p_w
                for z in range(n_topics):
                    gained[z] += ratio * both[w, z]
                for z in range(n_topics):
                    both[w, n_topics + z] += ratio * mix[z]
        _multiply_and_normalize(mix, gained, new_theta[d])
    for w in range(n_words):
        for z in range(n_topics):
            both[w, n_topics + z] *= both[w, z]
    return log_likelihood + np.log(product)


@njit(nogil=True, cache=True, fastmath=REORDER, inline="always")
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


@njit(nogil=True, cache=True, fastmath=REORDER)
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


@njit(nogil=True, cache=True, fastmath=REORDER)
def _cluster_posteriors(
    indptr, indices, data, log_alpha, log_beta, hard, posterior, n_wk, objective
):
    n_clusters = len(log_alpha)
    joint = np.empty(n_clusters)
    for d in range(len(indptr) - 1):
        if indptr[d] == indptr[d + 1]:
            posterior[d] = 0
            objective[d] = 0
            continue
        for k in range(n_clusters):
            joint[k] = log_alpha[k]
        for j in range(indptr[d], indptr[d + 1]):
            w, x = indices[j], np.float64(data[j])
            for k in range(n_clusters):
                joint[k] += x * log_beta[w, k]
        best = np.argmax(joint)
        top = joint[best]
        total = 0.0
        for k in range(n_clusters):
            joint[k] = np.exp(joint[k] - top) if not hard else 1.0 if k == best else 0.0
            total += joint[k]
        objective[d] = top + np.log(total)
        for k in range(n_clusters):
            posterior[d, k] = joint[k] / total
        for j in range(indptr[d], indptr[d + 1]):
            w, x = indices[j], data[j]
            for k in range(n_clusters):
                n_wk[w, k] += x * posterior[d, k]
