"""What every kernel must compute, in dense NumPy, written to be read. The tests' oracle."""

import numpy as np

IMPOSSIBLE = -1e30  # stands for log 0 where a sum of logarithms must stay finite


def topic_counts(X, theta, phi):
    """One PLSA sweep: new topic mixes, expected counts of words by topic, log-likelihood.

    `theta` is p(topic | document), n by K; `phi` is p(word | topic), one row a word, m by K.
    An empty document keeps its row. A word that no topic gives is left out of the counts and
    makes the log-likelihood minus infinity.
    """
    x = X.toarray()
    p_dwz = theta[:, None, :] * phi[None]
    p_dw = p_dwz.sum(axis=2)
    posterior = np.divide(p_dwz, p_dw[:, :, None], out=np.zeros_like(p_dwz), where=p_dwz > 0)
    n_dwz = x[:, :, None] * posterior
    n_dz, n_wz = n_dwz.sum(axis=1), n_dwz.sum(axis=0)
    total = n_dz.sum(axis=1, keepdims=True)
    new_theta = np.divide(n_dz, total, out=theta.copy(), where=total > 0)
    with np.errstate(divide="ignore"):
        log_likelihood = np.sum(x[x > 0] * np.log(p_dw[x > 0]))
    return new_theta, n_wz, log_likelihood


def fold_in(X, phi, n_topics, max_iter, tol):
    """Topic mixes of new documents, topics held fixed, and each document's log-likelihood.

    Every document starts from the uniform mix and stops by itself, when no share moves by
    more than `tol`: its answer does not depend on its neighbours. Words that no topic gives
    say nothing of the mix.
    """
    theta = np.zeros((X.shape[0], phi.shape[1]), phi.dtype)
    theta[:, :n_topics] = 1 / n_topics
    log_likelihood = np.zeros(X.shape[0])
    for d in range(X.shape[0]):
        row = X[[d]]
        for _ in range(max_iter):
            new, _, _ = topic_counts(row, theta[[d]], phi)
            moved = np.abs(new[0] - theta[d]).max()
            theta[d] = new[0]
            if moved <= tol:
                break
        log_likelihood[d] = topic_counts(row, theta[[d]], phi)[2]
    return theta, log_likelihood


def cluster_posteriors(X, log_alpha, log_beta, hard):
    """One mixture sweep: posteriors, documents and words by cluster, each document's objective.

    `log_alpha` holds log p(cluster), `log_beta` log p(word | cluster), one row a word. The
    objective of a document is log p(document), or with `hard` the largest log p(document,
    cluster), its posterior then being one for that cluster (the first of equals). A document
    without words adds nothing: its posterior and its objective are zero.
    """
    joint = X.toarray().astype(float) @ log_beta + log_alpha
    top = joint.max(axis=1)
    if hard:
        posterior = np.eye(len(log_alpha))[joint.argmax(axis=1)]
        objective = top
    else:
        odds = np.exp(joint - top[:, None])
        posterior = odds / odds.sum(axis=1, keepdims=True)
        objective = top + np.log(odds.sum(axis=1))
    empty = np.diff(X.indptr) == 0
    posterior[empty], objective[empty] = 0, 0
    return posterior, posterior.sum(axis=0), X.toarray().T @ posterior, objective


def normalize_columns(counts, n_columns):
    """The first columns as probabilities; one of zeros becomes uniform; the rest stay zero."""
    totals = counts.sum(axis=0, dtype=np.float64)
    probabilities = counts / np.where(totals > 0, totals, 1)
    probabilities[:, :n_columns][:, totals[:n_columns] == 0] = 1 / len(counts)
    return probabilities


def mix_topics(table, weights):
    """Sum a table of words by clusters by topics over topics, weighted by cluster and topic."""
    return np.einsum("wab,ab->wa", table, weights)


def sum_words(table, weights):
    """Sum a table of words by clusters by topics over words, weighted by word and cluster."""
    return np.einsum("wab,wa->ab", table, weights, dtype=np.float64)


def largest_products(rows, others, products, least, n):
    """The `n` largest products of each row with others, largest first, of equals the first.

    `products` are nearly those: a pair below the `least` of its row is left out.
    """
    exact = np.array([[float(np.dot(row, other)) for other in others] for row in rows])
    exact = np.where(products >= least[:, None], exact, -np.inf)
    chosen = np.argsort(-exact, axis=1, kind="stable")[:, :n]
    return chosen, np.take_along_axis(exact, chosen, axis=1)
