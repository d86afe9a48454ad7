"""The likelihood of Gibbs draws beside that of the parameters estimated from their themes."""

import time

import numpy as np

from coterie import starts
from coterie.models.gibbs import draw_clusters, draw_parameters, posteriors
from coterie.models.mixture import MultinomialMixture
from coterie_papers.cells import Cell, Scores
from coterie_papers.rigouste import curves


def ends(cell: Cell) -> Scores:
    """The last draw of a chain: its likelihood, and that after one M-step from its themes."""
    train, _ = curves.folds(cell)
    X, K = train.counts, train.n_classes
    rng = np.random.default_rng(cell.seed)
    prior = MultinomialMixture(K)
    started = time.process_time()
    labels = draw_clusters(starts.dirichlet(X.shape[0], K, curves.CLOSE_TO_EQUAL, rng), rng)
    likelihood = -np.inf
    for _ in range(cell.setting("sweeps")):
        draw = draw_parameters(X, labels, K, prior.cluster_prior, prior.word_prior, rng)
        posterior, likelihood = posteriors(X, draw)
        labels = draw_clusters(posterior, rng)
    estimated = MultinomialMixture(K, init=labels, max_iter=1).fit(X)
    return {
        "drawn": likelihood,
        "estimated": estimated.log_likelihood(X),
        "seconds": time.process_time() - started,
    }
