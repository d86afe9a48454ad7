"""The usual methods, by scikit-learn, to compare with (paper 000, section 3).

Each learns with scikit-learn and then keeps arrays only, which are all that placing new
documents takes. Their learning runs on one thread, since more would add in any order.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import psi
from sklearn.exceptions import ConvergenceWarning

from coterie import engine, executors, fitting, starts
from coterie.arrays import distributions
from coterie.base import Clusterer, log_likelihood_of_mixes, seeds_from, words_by_cluster
from coterie.errors import InputError, check_choice
from coterie.kernels.dense import one_thread
from coterie.types import Array, Counts, Labels, Ops

WEIGHTINGS = ("tfidf", "counts")
ONLINE = 20_000  # documents, above which LDA learns from a part of them at a time
LOOK_EVERY = 10  # iterations of LDA between two looks at its perplexity


class Learned(NamedTuple):
    """What one restart learned: fitted attributes by name, and how good it is."""

    arrays: dict[str, Any]
    objective: float
    n_iter: int
    converged: bool


@dataclass(eq=False, repr=False)
class Baseline(Clusterer):
    """Base of the methods of scikit-learn: what they publish, in the words of this library.

    A subclass writes `learn` for one restart and `assign` for documents. Where it learns no
    word distributions, those of a cluster are the shares of words in its documents, so that
    a new document with a word its cluster never had has likelihood zero.

    Parameters
    ----------
    max_iter, n_init, random_state
        See `EMEstimator`.
    tol : float
        As the method of scikit-learn understands it.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_documents, K)
        One for the cluster of the document, or its shares; equal for empty documents, which
        nothing is learned from.
    weights_ : ndarray of shape (K,)
        Mean membership of the documents that are not empty.
    history_ : ndarray of shape (1,)
        The objective of the restart that was kept, higher being better.
    labels_, components_, word_labels_, n_iter_, converged_, interrupted_, vocabulary_
        See `EMEstimator`. A fit that is interrupted keeps nothing.
    """

    _: KW_ONLY
    max_iter: int = 200
    tol: float = 1e-5
    n_init: int = 1
    random_state: int | np.random.RandomState | None = None

    def _fit(self, X: Counts) -> None:
        seeds = seeds_from(self.random_state, self.n_init)
        filled = X[np.diff(X.indptr) > 0]
        with _one_thread(), fitting.undivided():
            restarts = [self._learn(filled, seed, i) for i, seed in enumerate(seeds)]
            best = max(restarts, key=lambda learned: learned.objective)
            self._publish(X, best.arrays)
        self.history_ = np.array([best.objective])
        self.n_iter_ = best.n_iter
        self.converged_ = best.converged

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        for name in ("max_iter", "n_init"):
            self._check_number(name, Integral, 1)
        self._check_number("tol", Real, 0)
        n_filled = np.count_nonzero(np.diff(X.indptr))
        if self.n_clusters > n_filled:
            raise InputError(
                f"n_clusters={self.n_clusters}: larger than the number of documents with "
                f"words, {n_filled}"
            )

    def _learn(self, X: Counts, seed: int, restart: int) -> Learned:
        """One restart, on documents that are not empty."""
        raise NotImplementedError

    def _weigh_clusters(self, X: Counts) -> Array:
        """Weights of the clusters in each document, from the fitted attributes."""
        raise NotImplementedError

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:  # noqa: ARG002
        """Memberships, and log-likelihoods under the mixes of word distributions they make."""
        memberships = self._memberships(X)
        return memberships, log_likelihood_of_mixes(X, memberships, self.components_)

    def _training_memberships(self, X: Counts) -> Array:
        """Those of any documents, unless the method knows better."""
        return np.concatenate([self._memberships(piece) for piece in engine.shards(X)])

    def _publish(self, X: Counts, arrays: dict[str, Any]) -> None:
        for name, array in arrays.items():
            setattr(self, name, array)
        q = self.memberships_ = self._training_memberships(X).astype(X.dtype)
        self.labels_ = q.argmax(axis=1)
        if "components_" not in arrays:
            self.components_ = distributions((X.T @ q).T)
        self.weights_ = q[np.diff(X.indptr) > 0].mean(axis=0, dtype=np.float64)
        if "word_labels_" not in arrays:
            self.word_labels_ = words_by_cluster(X, q, self.components_)

    def _memberships(self, X: Counts) -> Array:
        weights = self._weigh_clusters(X)
        totals = weights.sum(axis=1, keepdims=True)
        even = np.full_like(weights, 1 / weights.shape[1])
        shares = np.divide(weights, totals, out=even, where=totals > 0)
        return starts.uniform_where_empty(shares, X)

    def _assign_all(self, X: Counts) -> tuple[Array, Array]:
        with _one_thread():
            parts = [self._assign(piece, executors.current().ops) for piece in engine.shards(X)]
        memberships, log_likelihood = zip(*parts, strict=True)
        together = np.concatenate(memberships).astype(self.components_.dtype)
        return together, np.concatenate(log_likelihood)


@dataclass(eq=False, repr=False)
class KMeansBaseline(Baseline):
    """k-means: documents are points, clusters are the points around a centre.

    A document, new or not, goes to the nearest centre. The objective is minus the inertia.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    weighting : "tfidf" or "counts", default="tfidf"
        Weigh words by tf-idf and scale documents to length one, or take counts as they are.
    max_iter, tol, n_init, random_state
        See `Baseline`.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_words)
        Means of the weighted documents of each cluster.
    idf_ : ndarray of shape (n_words,) or None
        Weights of the words; None where counts are taken as they are.
    memberships_, labels_, components_, weights_, word_labels_, history_, n_iter_
        See `Baseline`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> KMeansBaseline(2, random_state=0).fit(X).labels_
    array([0, 0, 1, 1])
    """

    n_clusters: int = 10
    weighting: str = "tfidf"

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        check_choice("weighting", self.weighting, WEIGHTINGS)

    def _learn(self, X: Counts, seed: int, restart: int) -> Learned:  # noqa: ARG002
        """Centres from a k-means++ start."""
        idf = _idf(X, self.weighting)
        found = _kmeans(self, _weigh(X, idf), seed)
        return _learned(self, found, idf_=idf, cluster_centers_=found.cluster_centers_)

    def _weigh_clusters(self, X: Counts) -> Array:
        """The nearest centre."""
        return _nearest(_weigh(X, self.idf_), self.cluster_centers_)


@dataclass(eq=False, repr=False)
class LSABaseline(Baseline):
    """Latent semantic analysis: k-means on the main axes of the documents.

    Documents weighted by tf-idf are projected on the first singular vectors and scaled to
    length one; each goes to the nearest centre there. The objective is minus the inertia.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    rank : int, default=100
        Number of axes; as many as there are where there are fewer.
    max_iter, tol, n_init, random_state
        See `Baseline`.

    Attributes
    ----------
    projection_ : ndarray of shape (rank, n_words)
        The axes.
    cluster_centers_ : ndarray of shape (n_clusters, rank)
        Centres on these axes.
    idf_ : ndarray of shape (n_words,)
        Weights of the words.
    memberships_, labels_, components_, weights_, word_labels_, history_, n_iter_
        See `Baseline`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> LSABaseline(2, rank=2, random_state=0).fit(X).labels_
    array([0, 0, 1, 1])
    """

    n_clusters: int = 10
    rank: int = 100

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        self._check_number("rank", Integral, 1)

    def _learn(self, X: Counts, seed: int, restart: int) -> Learned:  # noqa: ARG002
        """Axes by a randomised decomposition, then centres on them."""
        from sklearn.decomposition import TruncatedSVD

        idf = _idf(X, "tfidf")
        weighted = _weigh(X, idf)
        svd = TruncatedSVD(min(self.rank, *X.shape), random_state=seed).fit(weighted)
        found = _kmeans(self, _project(weighted, svd.components_), seed)
        arrays = {"projection_": svd.components_, "cluster_centers_": found.cluster_centers_}
        return _learned(self, found, idf_=idf, **arrays)

    def _weigh_clusters(self, X: Counts) -> Array:
        """The nearest centre on the axes."""
        return _nearest(_project(_weigh(X, self.idf_), self.projection_), self.cluster_centers_)


@dataclass(eq=False, repr=False)
class NMFBaseline(Baseline):
    r"""Non-negative factors of the weighted counts, closest by the Frobenius norm.

    :math:`X \approx W H`. With the rows of *H* scaled to sum to one and *W* to match, a
    document belongs to its largest coefficient; new documents get theirs with *H* held fixed.
    The first restart begins from NNDSVDa, the others at random; the objective is minus the
    norm of the error. This is no model of probabilities: a document may hold a word that none
    of its factors does, and then its likelihood is zero.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of factors, which are also the clusters.
    weighting : "tfidf" or "counts", default="tfidf"
        See `KMeansBaseline`.
    max_iter, tol, n_init, random_state
        See `Baseline`.

    Attributes
    ----------
    factors_ : ndarray of shape (n_clusters, n_words)
        *H*.
    components_ : ndarray of shape (n_clusters, n_words)
        *H* with rows scaled to sum to one.
    idf_ : ndarray of shape (n_words,) or None
        See `KMeansBaseline`.
    memberships_, labels_, weights_, word_labels_, history_, n_iter_
        See `Baseline`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> NMFBaseline(2, random_state=0).fit(X).labels_
    array([0, 0, 1, 1])
    """

    n_clusters: int = 10
    weighting: str = "tfidf"
    _: KW_ONLY
    max_iter: int = 400
    tol: float = 1e-4

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        check_choice("weighting", self.weighting, WEIGHTINGS)

    def _learn(self, X: Counts, seed: int, restart: int) -> Learned:
        """Both factors by coordinate descent."""
        from sklearn.decomposition import NMF

        idf = _idf(X, self.weighting)
        init = "random" if restart or self.n_clusters > min(X.shape) else "nndsvda"
        model = NMF(
            self.n_clusters,
            init=init,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=seed,
        ).fit(_weigh(X, idf))
        H = model.components_
        arrays = {"idf_": idf, "factors_": H, "components_": distributions(H)}
        converged = model.n_iter_ < self.max_iter
        return Learned(arrays, -float(model.reconstruction_err_), model.n_iter_, converged)

    def _weigh_clusters(self, X: Counts) -> Array:
        """Coefficients with the factors held fixed, in words."""
        from sklearn.decomposition import non_negative_factorization

        weighted = _weigh(X, self.idf_).astype(self.factors_.dtype, copy=False)
        W, _, _ = non_negative_factorization(
            weighted, H=self.factors_, update_H=False, tol=1e-8, max_iter=1000
        )
        coefficients: Array = W * self.factors_.sum(axis=1)
        return coefficients


@dataclass(eq=False, repr=False)
class LDABaseline(Baseline):
    """Latent Dirichlet allocation, by variational inference.

    Above 20 000 documents it learns from a part of them at a time. It stops when the
    perplexity, looked at every ten iterations, moves by less than `tol` times the number of
    words. The objective is minus the perplexity, by the variational bound.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of topics, which are also the clusters.
    max_iter, tol, n_init, random_state
        See `Baseline`.

    Attributes
    ----------
    pseudo_counts_ : ndarray of shape (n_clusters, n_words)
        Parameters of the Dirichlet distributions of the topics' words.
    components_ : ndarray of shape (n_clusters, n_words)
        Their means.
    memberships_, labels_, weights_, word_labels_, history_, n_iter_
        See `Baseline`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> LDABaseline(2, random_state=0).fit(X).labels_
    array([0, 0, 1, 1])
    """

    n_clusters: int = 10
    _: KW_ONLY
    max_iter: int = 100
    tol: float = 1e-4

    def _learn(self, X: Counts, seed: int, restart: int) -> Learned:  # noqa: ARG002
        """Topics from a random start."""
        model = self._model(
            learning_method="batch" if X.shape[0] <= ONLINE else "online",
            batch_size=1024,
            max_iter=self.max_iter,
            evaluate_every=LOOK_EVERY,
            perp_tol=self.tol * X.shape[1],
            random_state=seed,
        ).fit(X)
        counts = model.components_
        arrays = {"pseudo_counts_": counts, "components_": distributions(counts)}
        converged = model.n_iter_ < self.max_iter
        return Learned(arrays, -float(model.bound_), model.n_iter_, converged)

    def _weigh_clusters(self, X: Counts) -> Array:
        """Expected topic mixes."""
        counts = self.pseudo_counts_
        model = self._model()
        model.components_ = counts
        model.exp_dirichlet_component_ = np.exp(psi(counts) - psi(counts.sum(1))[:, None])
        model.doc_topic_prior_ = 1 / self.n_clusters
        model.n_features_in_ = counts.shape[1]
        mixes: Array = model.transform(X.astype(counts.dtype, copy=False))
        return mixes

    def _model(self, **options: Any) -> Any:
        from sklearn.decomposition import LatentDirichletAllocation

        return LatentDirichletAllocation(self.n_clusters, **options)


@dataclass(eq=False, repr=False)
class SpectralBaseline(Baseline):
    r"""Spectral co-clustering: documents and words cut into the same clusters.

    The graph that links documents to words by counts is cut where it is thin (Dhillon,
    2001). New documents go to the cluster with the nearest mean of tf-idf weighted training
    documents, which need not be where the cut would have put them. The objective is minus
    the normalised cut :math:`\sum_k cut_k / volume_k`.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    n_init, random_state
        See `Baseline`; `max_iter` and `tol` have no effect.

    Attributes
    ----------
    word_labels_ : ndarray of shape (n_words,)
        The cluster of each word; -1 for words of no training document.
    cluster_centers_ : ndarray of shape (n_clusters, n_words)
        Means of the weighted documents of each cluster.
    idf_ : ndarray of shape (n_words,)
        Weights of the words.
    memberships_, labels_, components_, weights_, history_
        See `Baseline`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 1], [0, 1, 2, 5], [0, 0, 3, 3]]
    >>> model = SpectralBaseline(2, random_state=0).fit(X)
    >>> model.labels_, model.word_labels_
    (array([1, 1, 0, 0]), array([1, 1, 0, 0]))
    """

    n_clusters: int = 10

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        n_used = len(np.unique(X.indices))
        if self.n_clusters > 1 and n_used < 2:
            raise InputError(f"n_features={n_used}: spectral co-clustering needs two words")

    def _learn(self, X: Counts, seed: int, restart: int) -> Learned:  # noqa: ARG002
        """Documents and words by k-means in the space of the first singular vectors."""
        used = np.unique(X.indices)
        rows, found = self._cut(X[:, used], seed)
        columns = np.full(X.shape[1], -1)
        columns[used] = found
        idf = _idf(X, "tfidf")
        hot = sp.csr_array(np.eye(self.n_clusters, dtype=X.dtype)[rows])
        sizes = np.maximum(hot.sum(axis=0), 1)[:, None]
        arrays = {
            "word_labels_": columns,
            "row_labels_": rows,
            "idf_": idf,
            "cluster_centers_": (hot.T @ _weigh(X, idf)).toarray() / sizes,
        }
        cut = _normalised_cut((hot.T @ X[:, used]).toarray(), found)
        return Learned(arrays, -cut, 1, converged=True)

    def _weigh_clusters(self, X: Counts) -> Array:
        """The nearest mean."""
        return _nearest(_weigh(X, self.idf_), self.cluster_centers_)

    def _training_memberships(self, X: Counts) -> Array:
        """Where the cut put the documents."""
        q = np.full((X.shape[0], self.n_clusters), 1 / self.n_clusters)
        q[np.diff(X.indptr) > 0] = np.eye(self.n_clusters)[self.row_labels_]
        return q

    def _cut(self, X: Counts, seed: int) -> tuple[Labels, Labels]:
        from sklearn.cluster import SpectralCoclustering

        if self.n_clusters == 1:
            return np.zeros(X.shape[0], int), np.zeros(X.shape[1], int)
        found = SpectralCoclustering(self.n_clusters, n_init=1, random_state=seed).fit(X)
        return found.row_labels_, found.column_labels_


@contextmanager
def _one_thread() -> Iterator[None]:
    """No other limit set meanwhile, no complaint of scikit-learn's that fits repeat."""
    with starts.one_at_a_time, warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def _idf(X: Counts, weighting: str) -> Array | None:
    from sklearn.feature_extraction.text import TfidfTransformer

    return None if weighting == "counts" else TfidfTransformer().fit(X).idf_


def _weigh(X: Counts, idf: Array | None) -> Counts:
    """Counts as they are, or by tf-idf with rows of length one."""
    from sklearn.preprocessing import normalize

    return X if idf is None else normalize(X @ sp.diags_array(idf).tocsr())


def _project(X: Counts, axes: Array) -> Array:
    from sklearn.preprocessing import normalize

    projected: Array = normalize(X @ axes.T)
    return projected


def _kmeans(model: Any, points: Any, seed: int) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(
        model.n_clusters, n_init=1, max_iter=model.max_iter, tol=model.tol, random_state=seed
    ).fit(points)


def _learned(model: Any, found: Any, **arrays: Any) -> Learned:
    converged = found.n_iter_ < model.max_iter
    return Learned(arrays, -float(found.inertia_), found.n_iter_, converged)


def _nearest(points: Any, centres: Array) -> Array:
    """One for the nearest centre of each point."""
    nearness = points @ centres.T - (centres**2).sum(axis=1) / 2
    nearest: Array = np.eye(len(centres))[nearness.argmax(axis=1)]
    return nearest


def _normalised_cut(blocks: Array, columns: Labels) -> float:
    """From counts of words by cluster of documents, and the clusters of the words."""
    n_clusters = len(blocks)
    cells = blocks @ np.eye(n_clusters)[columns]
    volumes = cells.sum(axis=0) + cells.sum(axis=1)
    return float(np.sum(1 - 2 * np.diag(cells) / np.maximum(volumes, 1)))
