"""Do the samplers draw from the posterior they are meant to draw from?

Geweke's (2004) joint distribution test draws parameters given data and data given parameters
in turn: if and only if the sampler leaves the posterior unchanged, what comes out is
distributed as what is drawn from the prior forwards. Simulation-based calibration draws a truth
and its data: the truth then ranks anywhere among draws from the posterior with the same
probability. Seconds in each run of the tests, longer in `make soak`.
"""

import numpy as np
import pytest
from scipy.stats import chisquare

from coterie.kernels.gibbs import ldcc_sweep
from coterie.models.dirichlet import Tables, _table, _total
from coterie.models.gibbs import Draw, draw_clusters, draw_parameters, posteriors
from coterie.types import Counts

N_BATCHES = 50
N_RANKS = 10


class Mixture:
    """The multinomial mixture; its last document is empty and must not count."""

    K, W, lengths = 3, 4, (3, 2, 4, 3, 0)
    cluster_prior, word_prior, thinning = 1.5, 0.8, 4

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def from_prior(self):
        alpha = self.rng.dirichlet([self.cluster_prior] * self.K)
        beta = self.rng.dirichlet([self.word_prior] * self.W, size=self.K).T
        return self.with_data(alpha, beta)

    def with_data(self, alpha, beta):
        """Data drawn given the parameters."""
        labels = draw_clusters(np.tile(alpha, (len(self.lengths), 1)), self.rng)
        rows = [
            self.rng.multinomial(n, beta[:, t] / beta[:, t].sum())
            for n, t in zip(self.lengths, labels, strict=True)
        ]
        return Counts(np.array(rows, dtype=np.float64)), Draw(labels, alpha, beta)

    def sweep(self, state):
        """One sweep of the sampler: clusters, then parameters."""
        X, draw = state
        labels = draw_clusters(posteriors(X, draw)[0], self.rng)
        priors = self.cluster_prior, self.word_prior
        return X, draw_parameters(X, labels, self.K, *priors, self.rng)

    def with_new_data(self, state):
        return self.with_data(state[1].alpha, state[1].beta)

    def statistics(self, state):
        _, alpha, beta = state[1]
        plain = np.concatenate([alpha[:2], beta[:3, :2].ravel()])
        products = alpha[0] * beta[0, 0], beta[0, 0] * beta[0, 1], beta[1, 0] * beta[2, 1]
        return np.array([*plain, *plain**2, *products, beta[3, 2]])

    def invariant(self, state):
        """Statistics that do not depend on the numbers of clusters."""
        _, alpha, beta = state[1]
        return np.array([alpha @ alpha, alpha @ (beta**2).sum(axis=0), alpha @ beta[0] ** 2])


class CoClusters:
    """Latent Dirichlet co-clustering; a segment is empty and must not count."""

    K, L, m = 2, 3, 4
    document = np.array([0, 0, 1, 1, 1])
    first = np.array([0, 3, 6, 6, 9, 13])
    priors, thinning = (0.9, 0.7, 0.6), 3

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.state = self.rng.integers(2**64, size=1, dtype=np.uint64)
        self.segment = np.repeat(np.arange(5), np.diff(self.first))

    def from_prior(self):
        alpha, beta, gamma = self.priors
        y = self.urn(self.document, self.K, alpha)
        z = self.urn(y[self.segment], self.L, beta)
        return y, z, self.urn(z, self.m, gamma)

    def urn(self, rows, n_values, prior):
        """Draws from a Dirichlet-multinomial for each row, one after the other."""
        counts, drawn = np.full((rows.max() + 1, n_values), prior), []
        for row, point in zip(rows, self.rng.random(len(rows)), strict=True):
            ends = counts[row].cumsum()
            drawn.append(min(int(np.searchsorted(ends, point * ends[-1])), n_values - 1))
            counts[row, drawn[-1]] += 1
        return np.array(drawn, dtype=np.int32)

    def sweep(self, state):
        y, z, words = state[0].copy(), state[1].copy(), state[2]
        tables = self.tables(y, z, words)
        posterior = np.zeros((5, self.K))
        segments = self.first, self.document, y
        ldcc_sweep(segments, (words, z), tables, self.priors, posterior, self.state)
        return y, z, words

    def with_new_data(self, state):
        y, z, _ = state
        return y, z, self.urn(z, self.m, self.priors[2])

    def tables(self, y, z, words):
        filled = np.diff(self.first) > 0
        n_dt = _table(self.document[filled], y[filled], (2, self.K))
        n_tz = _table(y[self.segment], z, (self.K, self.L))
        n_wz = _table(words, z, (self.m, self.L))
        return Tables(n_dt, n_tz, _total(n_tz, 1), n_wz, _total(n_wz, 0))

    def statistics(self, state):
        y, z, words = state
        n_dt, n_tz, n_t, n_wz, n_z = (each.astype(float) for each in self.tables(*state))
        squares = [(n**2).sum() for n in (n_dt, n_tz, n_t, n_wz, n_z)]
        counts = n_dt[0, 0], n_tz[0, 0], n_tz[1, 2], n_t[0], n_z[0], n_z[1], n_wz[2, 1]
        alike = y[0] == y[1], y[0] == y[3], z[0] == z[1], z[0] == z[12], z[0] == y[0]
        equal = words[0] == words[1], words[0] == words[12], words[3] == z[3]
        return np.array([*squares, *counts, *alike, *equal], dtype=float)

    def invariant(self, state):
        n_dt, n_tz, n_t, n_wz, _ = (each.astype(float) for each in self.tables(*state))
        return np.array([(n_dt**2).sum() + n_t @ n_t / 10, (n_tz**2).sum(), (n_wz**2).sum()])


def largest_z(story, n_sweeps, n_prior):
    """Distance of the chain's means from the prior's, in standard errors: the largest of 20."""
    prior = np.array([story.statistics(story.from_prior()) for _ in range(n_prior)])
    assert prior.shape[1] == 20
    state, chain = story.from_prior(), []
    for _ in range(n_sweeps):
        state = story.with_new_data(story.sweep(state))
        chain.append(story.statistics(state))
    chain = np.array(chain)
    batches = chain.reshape(N_BATCHES, -1, 20).mean(axis=1)
    errors = np.sqrt(batches.var(axis=0, ddof=1) / N_BATCHES + prior.var(axis=0) / n_prior)
    return np.abs((chain.mean(axis=0) - prior.mean(axis=0)) / errors).max()


def least_p(story, n_truths):
    """The least p-value that ranks of truths among draws are uniform, of three statistics."""
    ranks = np.zeros((3, N_RANKS))
    for _ in range(n_truths):
        state = story.from_prior()
        truth, draws = story.invariant(state), []
        for number in range(4 * story.thinning + (N_RANKS - 1) * story.thinning):
            state = story.sweep(state)
            if number >= 4 * story.thinning and number % story.thinning == 0:
                draws.append(story.invariant(state))
        noise = story.rng.random((N_RANKS, 3)) * 1e-9  # of equal values, any may come first
        below = (np.array(draws) + noise[1:] < truth + noise[0]).sum(axis=0)
        ranks[np.arange(3), below] += 1
    return min(chisquare(each).pvalue for each in ranks)


STORIES = pytest.mark.parametrize("story", [Mixture, CoClusters])


@STORIES
def test_joint_distribution(story):
    assert largest_z(story(0), 3_000, 3_000) < 4


@STORIES
def test_ranks_of_the_truth(story):
    assert least_p(story(0), 150) > 0.001


@pytest.mark.soak
@STORIES
@pytest.mark.parametrize("seed", range(1, 5))
def test_joint_distribution_at_length(story, seed):
    z = largest_z(story(seed), 50_000, 50_000)
    print(f"{story.__name__}: the largest of 20 distances is {z:.2f} standard errors")
    assert z < 4


@pytest.mark.soak
@STORIES
def test_ranks_of_the_truth_at_length(story):
    p = least_p(story(1), 4_000)
    print(f"{story.__name__}: the least p-value of three rank histograms is {p:.3f}")
    assert p > 0.001
