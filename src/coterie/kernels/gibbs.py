"""Gibbs sampling on the CPU: sequential numba loops that release the GIL.

Random numbers come from a state that the caller owns, so chains repeat whatever else draws.
No sum is reordered: the draws would follow the width of the processor's registers.
"""

from math import lgamma, log

import numpy as np

from coterie.kernels.compiled import njit

FEW = 16  # factors of a rising factorial up to which multiplying them is cheaper
LARGE, SMALL = 1e150, 1e-150  # products outside are moved into a logarithm


def ldcc_sweep(segments, tokens, counts, priors, posterior, state):
    """Draw anew the document topic of every segment and the word topic of every token.

    `segments` holds where tokens of each segment begin (and the last ends), its document and
    its document topic y; `tokens` the word and the word topic z of each; `counts` segments by
    (document, y), tokens by (y, z) and by y, tokens by (word, z) and by z. Topics and counts
    change in place. Row s of `posterior` becomes the distribution that y of segment s was
    drawn from; segments without tokens are passed over. `state` is one unsigned 64-bit number.
    """
    first, document, y = segments
    word, z = tokens
    _sweep(first, document, y, word, z, tuple(counts), priors, posterior, state)


def uniform(state):
    """The next random number in [0, 1) (splitmix64), as `ldcc_sweep` draws it.

    Examples
    --------
    >>> state = np.array([1], dtype=np.uint64)
    >>> round(uniform(state), 6), round(uniform(state), 6)
    (0.566562, 0.745782)
    """
    return _uniform(state)


@njit(nogil=True)
def _sweep(first, document, y, word, z, counts, priors, posterior, state):
    n_dt, n_tz, n_t, n_wz, n_z = counts
    alpha, beta, gamma = priors
    n_segments = len(document)
    per_topic = np.zeros(n_tz.shape[1], np.int64)
    weights = np.empty(n_tz.shape[1])
    ratio = np.empty(n_tz.shape[1])
    for s in range(n_segments):
        start, end = first[s], first[s + 1]
        if start == end:
            continue
        per_topic[:] = 0
        for i in range(start, end):
            per_topic[z[i]] += 1
        d, old = document[s], y[s]
        n_dt[d, old] -= 1
        n_t[old] -= end - start
        n_tz[old] -= per_topic
        _posterior_of_y(n_dt[d], per_topic, end - start, n_tz, n_t, alpha, beta, posterior[s])
        t = _draw(posterior[s], 1.0, state)
        y[s] = t
        n_dt[d, t] += 1
        n_t[t] += end - start
        n_tz[t] += per_topic
        _draw_z(
            word[start:end],
            z[start:end],
            n_tz[t],
            n_wz,
            n_z,
            beta,
            gamma,
            ratio,
            weights,
            state,
        )


@njit(nogil=True)
def _posterior_of_y(n_dt, per_topic, length, n_tz, n_t, alpha, beta, posterior):
    """Distribution of one segment's y, its own tokens and itself being out of all counts."""
    n_topics, n_word_clusters = n_tz.shape
    for t in range(n_topics):
        logs, product = 0.0, n_dt[t] + alpha
        for k in range(n_word_clusters):
            if per_topic[k] > 0:
                more, factor = _rising(n_tz[t, k] + beta, per_topic[k])
                logs += more
                product *= factor
                if product > LARGE or product < SMALL:
                    logs += log(product)
                    product = 1.0
        less, divisor = _rising(n_t[t] + n_word_clusters * beta, length)
        posterior[t] = logs - less + log(product / divisor)
    top = posterior.max()
    for t in range(n_topics):
        posterior[t] = np.exp(posterior[t] - top)
    posterior /= posterior.sum()


@njit(nogil=True)
def _rising(x, n):
    """Factorial x (x + 1) ... (x + n - 1) as a logarithm and a factor, one of them trivial."""
    if n > FEW:
        return lgamma(x + n) - lgamma(x), 1.0
    product = x
    for i in range(1, n):
        product *= x + i
    return 0.0, product


@njit(nogil=True)
def _draw_z(word, z, n_tz, n_wz, n_z, beta, gamma, ratio, weights, state):
    """New word topics of one segment's tokens; `n_tz` is the row of its document topic."""
    n_words, n_word_clusters = n_wz.shape
    all_gamma = n_words * gamma
    for k in range(n_word_clusters):
        ratio[k] = (n_tz[k] + beta) / (n_z[k] + all_gamma)
    for i in range(len(word)):
        w, k = word[i], z[i]
        n_tz[k] -= 1
        n_wz[w, k] -= 1
        n_z[k] -= 1
        ratio[k] = (n_tz[k] + beta) / (n_z[k] + all_gamma)
        total = 0.0
        for k in range(n_word_clusters):
            weights[k] = ratio[k] * (n_wz[w, k] + gamma)
        for k in range(n_word_clusters):
            total += weights[k]
        k = _draw(weights, total, state)
        z[i] = k
        n_tz[k] += 1
        n_wz[w, k] += 1
        n_z[k] += 1
        ratio[k] = (n_tz[k] + beta) / (n_z[k] + all_gamma)


@njit(nogil=True)
def _draw(weights, total, state):
    """Position drawn with probability in proportion to `weights`, whose sum is `total`."""
    left = _uniform(state) * total
    last = len(weights) - 1
    for k in range(last):
        left -= weights[k]
        if left < 0:
            return k
    return last


@njit(nogil=True)
def _uniform(state):
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    x = state[0]
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    return (x >> np.uint64(11)) * (1.0 / 9007199254740992.0)
