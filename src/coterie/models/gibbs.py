"""The multinomial mixture by Gibbs sampling (Rigouste, Cappé and Yvon, section 8)."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from coterie import engine, executors, starts
from coterie.base import seeds_from, words_by_cluster
from coterie.errors import InputError
from coterie.kernels import pad
from coterie.memory import Size
from coterie.models.clusters import OneClusterEach, log
from coterie.types import Array, Counts, Labels


class Draw(NamedTuple):
    """One state of the chain: clusters of documents, shares and words of clusters."""

    labels: Labels
    alpha: Array
    beta: Array


@dataclass(eq=False, repr=False)
class GibbsMixture(OneClusterEach):
    r"""The mixture of `MultinomialMixture`, drawn from its posterior instead of maximised.

    Each sweep draws a cluster for every document from its posterior probabilities (eq. 2 of
    [1]_), all documents at once, then the parameters given these:

    .. math::
        \alpha \sim Dir(\theta_\alpha + n_t), \qquad
        \beta_{\cdot t} \sim Dir(\theta_\beta + n_{wt}).

    Parameters and memberships are averaged over the second half of the chain. As the paper
    reports, a chain seldom leaves the mode it fell into, so the average keeps its meaning;
    the trace of the likelihood shows it.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    cluster_prior, word_prior : float, default=1.0, 1.1
        Dirichlet priors of the clusters' shares and words; any positive number.
    max_iter : int, default=500
        Number of sweeps.
    burn_in : float, default=0.5
        Share of the chain left out of the averages.
    init : "dirichlet", "random", "kmeans", Dirichlet or array, default="dirichlet"
        Start, as in `MultinomialMixture`; clusters are drawn from it.
    random_state : int, RandomState or None, default=None
        Seed of the chain.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_documents, n_clusters)
        Averaged posterior probabilities.
    components_, weights_ : ndarrays
        Averaged words and shares of the clusters.
    history_ : ndarray of shape (max_iter,)
        Log-likelihood of the documents at each sweep.
    labels_, word_labels_, n_iter_, converged_, interrupted_, vocabulary_
        See `EMEstimator`; a chain counts as converged when it ran to its end.

    References
    ----------
    .. [1] Rigouste, Cappé and Yvon in docs/bibliography.md.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> labels = GibbsMixture(2, word_prior=0.1, max_iter=50, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    n_clusters: int = 10
    cluster_prior: float = 1.0
    word_prior: float = 1.1
    max_iter: int = 500
    burn_in: float = 0.5
    init: Any = "dirichlet"
    _: KW_ONLY
    random_state: Any = None

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be used on these counts."""
        super()._check_parameters(X)
        self._check_number("max_iter", Integral, 1)
        for name in ("cluster_prior", "word_prior"):
            self._check_number(name, Real, np.nextafter(0, 1))
        self._check_number("burn_in", Real, 0)
        if self.burn_in >= 1:
            raise InputError(f"burn_in={self.burn_in!r}: expected a share from 0 to below 1")
        starts.check_init(self.init)

    def _needed_bytes(self, size: Size) -> int:
        """Sums of memberships and words, the draws before, and those at work."""
        n, m, K = size.n_documents, size.n_words, self.n_clusters
        sums = size.doubles(n + m, K)
        posteriors = 2 * size.doubles(n, K) + 2 * size.padded(n, K)
        log_beta = size.doubles(m, K) + (size.at_work + 2) * size.padded(m, K)
        parameters = size.doubles(n, K) + 4 * size.doubles(m, K)
        return size.data + sums + max(posteriors + log_beta, parameters)

    def _fit(self, X: Counts) -> None:
        (seed,) = seeds_from(self.random_state, 1)
        chain = _Chain(self, X, np.random.default_rng(seed))
        trace = engine.chain(chain.step, self.max_iter)
        self.history_ = np.array(trace)
        self.n_iter_ = len(trace)
        self.converged_ = True
        self.weights_, self.components_, self.memberships_ = chain.averages()
        self.word_labels_ = words_by_cluster(X, self.memberships_, self.components_)


class _Chain:
    """The chain as it stands, and the sums its averages are made of."""

    def __init__(self, model: GibbsMixture, X: Counts, rng: np.random.Generator) -> None:
        self.model, self.X, self.rng = model, X, rng
        K = model.n_clusters
        q = starts.memberships(model.init, X, K, rng)
        labels = draw_clusters(q, rng)
        self.draw = draw_parameters(X, labels, K, model.cluster_prior, model.word_prior, rng)
        self.n_done = self.n_summed = 0
        self._restart_sums()

    def step(self) -> float:
        model = self.model
        posterior, objective = posteriors(self.X, self.draw)
        labels = draw_clusters(posterior, self.rng)
        self.n_done += 1
        if self.n_done - 1 <= int(model.burn_in * model.max_iter):
            self._restart_sums()
        self.n_summed += 1
        for total, part in zip(self.sums, (*self.draw[1:], posterior), strict=True):
            total += part
        self.draw = draw_parameters(
            self.X, labels, model.n_clusters, model.cluster_prior, model.word_prior, self.rng
        )
        return objective

    def averages(self) -> tuple[Array, Array, Array]:
        alpha, beta, q = (total / self.n_summed for total in self.sums)
        dtype = self.X.dtype
        return alpha, np.ascontiguousarray(beta.T).astype(dtype), q.astype(dtype)

    def _restart_sums(self) -> None:
        K = self.model.n_clusters
        shapes = (K,), (self.X.shape[1], K), (self.X.shape[0], K)
        self.sums = [np.zeros(shape) for shape in shapes]
        self.n_summed = 0


def posteriors(X: Counts, draw: Draw) -> tuple[Array, float]:
    """Eq. 2 for every document, and the log-likelihood of all."""
    log_alpha = log(pad(draw.alpha[None])[0])
    log_beta = log(pad(draw.beta)).astype(X.dtype, copy=False)
    parts = engine.each_shard(
        lambda rows, ops: ops.cluster_posteriors(rows, log_alpha, log_beta, False)[::3],
        X,
        executors.current(),
    )
    q, objective = (np.concatenate(part) for part in zip(*parts, strict=True))
    K = len(draw.alpha)
    return starts.uniform_where_empty(q[:, :K].astype(np.float64), X), float(objective.sum())


def draw_clusters(memberships: Array, rng: np.random.Generator) -> Labels:
    """A cluster for each document, by the probabilities in its row."""
    bounds = np.cumsum(memberships, axis=1)
    points = rng.random(len(bounds)) * bounds[:, -1]
    below = (bounds <= points[:, None]).sum(axis=1)
    labels: Labels = np.minimum(below, memberships.shape[1] - 1)
    return labels


def draw_parameters(
    X: Counts,
    labels: Labels,
    n_clusters: int,
    cluster_prior: float,
    word_prior: float,
    rng: np.random.Generator,
) -> Draw:
    """Shares and words of the clusters, given the cluster of each document with words."""
    used = np.diff(X.indptr) > 0
    n_t = np.bincount(labels[used], minlength=n_clusters)
    n_wt = X.T @ np.eye(n_clusters)[labels]
    alpha = rng.dirichlet(cluster_prior + n_t)
    beta = np.maximum(rng.standard_gamma(word_prior + n_wt), 1e-300)
    return Draw(labels, alpha, beta / beta.sum(axis=0))
