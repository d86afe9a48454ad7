"""The usual methods, by scikit-learn, to compare with.

Each is fitted by scikit-learn. Then only arrays are kept, which are all that new documents
need. Fits run on one thread, since several would add numbers in any order.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import psi
from sklearn.exceptions import ConvergenceWarning

from coterie import engine, executors, fitting, starts
from coterie.arrays import distributions, document_frequencies, first_equal_rows
from coterie.base import (
    Clusterer,
    bytes_of_mixes,
    log_likelihood_of_mixes,
    seeds_from,
    words_by_cluster,
)
from coterie.errors import InputError, check_choice
from coterie.kernels.dense import one_thread
from coterie.memory import Size
from coterie.schema import Field, Numbers, Sizes, Sparse
from coterie.types import Array, Counts, Labels, Ops

WEIGHTINGS = ("tfidf", "counts")
ONLINE = 20_000  # documents, above which LDA learns from a part of them at a time
EVALUATE_EVERY = 10  # iterations of LDA between two evaluations of its perplexity


class Learned(NamedTuple):
    """What one restart learned: fitted attributes by name, and how good it is."""

    arrays: dict[str, Any]
    objective: float
    n_iter: int
    converged: bool


class Baseline(Clusterer):
    """Base of the methods of scikit-learn: what they publish, in the words of this library.

    A subclass writes `_learn` for one restart and `_weigh_clusters` for documents. Where it
    learns no word distributions, those of a cluster are the shares of words in its documents,
    so that a new document with a word its cluster never had has likelihood zero.

    scikit-learn cannot stop between two iterations: Ctrl-C ends a fit at once, without a
    result. Watchers learn of each restart.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_documents, n_clusters)
        One for the cluster of the document, or its shares; equal for documents without words,
        which nothing is learned from.
    weights_ : ndarray of shape (n_clusters,)
        Mean membership of the documents with words.
    history_ : ndarray of shape (1,)
        The objective of the best restart, higher being better.
    labels_, components_, word_labels_, n_iter_, converged_, interrupted_, vocabulary_
        See `EMEstimator`.
    """

    n_clusters: int
    n_init: int
    random_state: Any

    def _fit(self, X: Counts) -> None:
        filled = X[np.diff(X.indptr) > 0]
        restarts: list[Learned] = []
        with _one_thread(), fitting.undivided():
            for number, seed in enumerate(seeds_from(self.random_state, self.n_init)):
                if number and fitting.stopped():
                    break
                with fitting.part(number, self.n_init):
                    restarts.append(self._learn(filled, seed, number))
                    fitting.report(1, 1, restarts[-1].objective)
            best = max(restarts, key=lambda learned: learned.objective)
            self._publish(X, best.arrays)
        self.history_ = np.array([best.objective])
        self.n_iter_ = best.n_iter
        self.converged_ = best.converged

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        self._check_number("n_init", Integral, 1)
        n_filled = np.count_nonzero(np.diff(X.indptr))
        if self.n_clusters > n_filled:
            raise InputError(
                f"n_clusters={self.n_clusters}: larger than the number of documents with "
                f"words, {n_filled}"
            )

    def _needed_bytes(self, size: Size) -> int:
        """The documents that are not empty, what is learned, memberships and likelihoods."""
        n, K = size.n_documents, self.n_clusters
        words, item = self._published_bytes(size), self._membership_bytes(size)
        likelihood = bytes_of_mixes(size, K, item)
        assigning = item * n * K + size.numbers(n, K) + likelihood
        return 2 * size.data + words + max(self._learning_bytes(size), assigning)

    def _learning_bytes(self, size: Size) -> int:
        """What one restart holds besides."""
        raise NotImplementedError

    def _membership_bytes(self, size: Size) -> int:  # noqa: ARG002
        """Bytes of one membership: ones and zeros are in double precision."""
        return 8

    def _published_bytes(self, size: Size) -> int:
        """Tables of words by cluster."""
        return 2 * size.numbers(size.n_words, self.n_clusters)

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
        """By default, those of any documents."""
        return np.concatenate([self._memberships(shard) for shard in engine.shards(X)])

    def _publish(self, X: Counts, arrays: dict[str, Any]) -> None:
        for name, array in arrays.items():
            self.__dict__.pop(name, None)  # an earlier fit may have had it
            if array is not None:
                setattr(self, name, array)
        q = self.memberships_ = self._training_memberships(X).astype(X.dtype)
        self.labels_ = q.argmax(axis=1)
        if "components_" not in arrays:
            self.components_ = distributions((X.T @ q).T)
        self.weights_ = q[np.diff(X.indptr) > 0].mean(axis=0, dtype=np.float64)
        if "word_labels_" not in arrays:
            self.word_labels_ = words_by_cluster(X, q, self.components_)

    def _memberships(self, X: Counts) -> Array:
        return starts.uniform_where_empty(distributions(self._weigh_clusters(X)), X)

    def _assign_all(self, X: Counts) -> tuple[Array, Array]:
        ops = executors.current().ops
        with _one_thread():
            results = [self._assign(shard, ops) for shard in engine.shards(X)]
        memberships, log_likelihood = zip(*results, strict=True)
        together = np.concatenate(memberships).astype(self.components_.dtype)
        return together, np.concatenate(log_likelihood)


@dataclass(eq=False, repr=False)
class IterativeBaseline(Baseline):
    """Base of the methods of scikit-learn that iterate.

    Parameters
    ----------
    n_init : int, default=1
        Number of restarts, each with its own seed; the one with the best objective is kept.
    max_iter : int
        Most iterations of a restart.
    tol : float
        When a restart stops, as the method of scikit-learn understands it.
    random_state : int, RandomState or None, default=None
        Seed of the restarts.
    """

    n_clusters: int = 10
    _: KW_ONLY
    n_init: int = 1
    max_iter: int = 200
    tol: float = 1e-5
    random_state: int | np.random.RandomState | None = None

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        self._check_number("max_iter", Integral, 1)
        self._check_number("tol", Real, 0)


def _takes_idf(model: Any) -> bool:
    return bool(model.weighting == "tfidf")


@dataclass(eq=False, repr=False)
class KMeansBaseline(IterativeBaseline):
    """k-means: documents are points, clusters are the points around a centre.

    A document, new or not, goes to the nearest centre. The objective is minus the inertia.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    weighting : "tfidf" or "counts", default="tfidf"
        Weigh words by tf-idf and scale documents to length one, or take counts as they are.
    n_init, max_iter, tol, random_state
        See `IterativeBaseline`.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_words)
        Means of the weighted documents of each cluster.
    idf_ : ndarray of shape (n_words,)
        Weights of the words; absent where counts are taken as they are.
    memberships_, labels_, components_, weights_, word_labels_, history_, n_iter_
        See `Baseline`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> KMeansBaseline(2, random_state=0).fit(X).labels_
    array([0, 0, 1, 1])
    """

    _schema: ClassVar[dict[str, Field]] = {
        **IterativeBaseline._schema,
        "cluster_centers_": Numbers("K m"),
        "idf_": Numbers("m", when=_takes_idf),
    }

    weighting: str = "tfidf"

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        check_choice("weighting", self.weighting, WEIGHTINGS)

    def _learning_bytes(self, size: Size) -> int:
        """Weighted counts and a copy; centres before and after."""
        return 2 * size.data + 3 * size.numbers(size.n_words, self.n_clusters)

    def _learn(self, X: Counts, seed: int, restart: int) -> Learned:  # noqa: ARG002
        """Centres from a k-means++ start."""
        idf = _idf(X, self.weighting)
        return _kmeans(self, _weigh(X, idf), seed, idf_=idf)

    def _weigh_clusters(self, X: Counts) -> Array:
        """The nearest centre."""
        points = _weigh(X, getattr(self, "idf_", None))
        return _nearest_centre(points, self.cluster_centers_)


@dataclass(eq=False, repr=False)
class LSABaseline(IterativeBaseline):
    """Latent semantic analysis: k-means on the main axes of the documents.

    Documents weighted by tf-idf are projected on the first singular vectors and scaled to
    length one; each goes to the nearest centre there. The objective is minus the inertia.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    rank : int, default=100
        Number of axes; as many as there are where there are fewer.
    n_init, max_iter, tol, random_state
        See `IterativeBaseline`.

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

    _schema: ClassVar[dict[str, Field]] = {
        **IterativeBaseline._schema,
        "projection_": Numbers("r m"),
        "cluster_centers_": Numbers("K r"),
        "idf_": Numbers("m"),
    }

    rank: int = 100

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        self._check_number("rank", Integral, 1)

    def _learning_bytes(self, size: Size) -> int:
        """Weighted counts, random directions and documents on them, and their products."""
        width = min(self.rank + 10, size.n_documents, size.n_words)
        directions = size.numbers(size.n_documents + size.n_words, width)
        return 2 * size.data + 3 * directions

    def _published_bytes(self, size: Size) -> int:
        axes = size.numbers(size.n_words, self.rank)
        return size.numbers(size.n_words, self.n_clusters) + axes

    def _learn(self, X: Counts, seed: int, restart: int) -> Learned:  # noqa: ARG002
        """Axes by a randomised decomposition, then centres on them."""
        from sklearn.decomposition import TruncatedSVD

        idf = _idf(X, "tfidf")
        weighted = _weigh(X, idf)
        svd = TruncatedSVD(min(self.rank, *X.shape), random_state=seed).fit(weighted)
        axes = np.ascontiguousarray(svd.components_)
        return _kmeans(self, _project(weighted, axes), seed, idf_=idf, projection_=axes)

    def _weigh_clusters(self, X: Counts) -> Array:
        """The nearest centre on the axes."""
        points = _project(_weigh(X, self.idf_), self.projection_)
        return _nearest_centre(points, self.cluster_centers_)


@dataclass(eq=False, repr=False)
class NMFBaseline(IterativeBaseline):
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
    n_init, max_iter, tol, random_state
        See `IterativeBaseline`.

    Attributes
    ----------
    factors_ : ndarray of shape (n_clusters, n_words)
        *H*.
    components_ : ndarray of shape (n_clusters, n_words)
        *H* with rows scaled to sum to one.
    idf_ : ndarray of shape (n_words,)
        See `KMeansBaseline`.
    memberships_, labels_, weights_, word_labels_, history_, n_iter_
        See `Baseline`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> NMFBaseline(2, random_state=0).fit(X).labels_
    array([0, 0, 1, 1])
    """

    _schema: ClassVar[dict[str, Field]] = {
        **IterativeBaseline._schema,
        "factors_": Numbers("K m", 0),
        "idf_": Numbers("m", when=_takes_idf),
    }

    weighting: str = "tfidf"
    _: KW_ONLY
    max_iter: int = 400
    tol: float = 1e-4

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        check_choice("weighting", self.weighting, WEIGHTINGS)

    def _check_fitted(self, sizes: Sizes) -> None:
        super()._check_fitted(sizes)
        if not np.any(self.factors_):
            raise InputError("factors_: all zero, expected numbers above zero among them")

    def _learning_bytes(self, size: Size) -> int:
        """Weighted counts and a copy; both factors, their start, and products with counts."""
        factors = size.numbers(size.n_documents + size.n_words, self.n_clusters)
        return 2 * size.data + 4 * factors

    def _membership_bytes(self, size: Size) -> int:
        return size.itemsize

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

        weighted = _weigh(X, getattr(self, "idf_", None))
        weighted = weighted.astype(self.factors_.dtype, copy=False)
        W, _, _ = non_negative_factorization(
            weighted, H=self.factors_, update_H=False, tol=1e-8, max_iter=1000
        )
        coefficients: Array = W * self.factors_.sum(axis=1)
        return coefficients


@dataclass(eq=False, repr=False)
class LDABaseline(IterativeBaseline):
    """Latent Dirichlet allocation, by variational inference.

    Above 20 000 documents it learns from a part of them at a time. It stops when the
    perplexity, evaluated every ten iterations, changes by less than `tol` times the number of
    words. The objective is minus the perplexity, by the variational bound.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of topics, which are also the clusters.
    n_init, max_iter, tol, random_state
        See `IterativeBaseline`.

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

    _schema: ClassVar[dict[str, Field]] = {
        **IterativeBaseline._schema,
        "pseudo_counts_": Numbers("K m", np.nextafter(0, 1)),
    }

    _: KW_ONLY
    max_iter: int = 100
    tol: float = 1e-4

    def _learning_bytes(self, size: Size) -> int:
        """Parameters of topics with their expectations, and mixes of the documents."""
        mixes = size.numbers(size.n_documents, self.n_clusters)
        return size.data + 4 * mixes + 5 * size.numbers(size.n_words, self.n_clusters)

    def _membership_bytes(self, size: Size) -> int:
        return size.itemsize

    def _learn(self, X: Counts, seed: int, restart: int) -> Learned:  # noqa: ARG002
        """Topics from a random start."""
        model = self._model(
            learning_method="batch" if X.shape[0] <= ONLINE else "online",
            batch_size=1024,
            max_iter=self.max_iter,
            evaluate_every=EVALUATE_EVERY,
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
    2001). Documents of the fit have the clusters of the cut, equal documents that of the first
    of them. A new document that equals one of the fit goes to its cluster; all others go to
    the cluster with the nearest mean of the tf-idf weighted documents, which need not be where
    the cut would have put them. The objective is minus the normalised cut
    :math:`\sum_k cut_k / volume_k`.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    n_init : int, default=1
        Number of restarts of the k-means inside, each with its own seed.
    random_state : int, RandomState or None, default=None
        Seed of the restarts.

    Attributes
    ----------
    word_labels_ : ndarray of shape (n_words,)
        The cluster of each word; -1 for words of no training document.
    cluster_centers_ : ndarray of shape (n_clusters, n_words)
        Means of the weighted documents of each cluster.
    idf_ : ndarray of shape (n_words,)
        Weights of the words.
    training_counts_ : sparse array of shape (n_documents, n_words)
        The documents of the fit.
    memberships_, labels_, components_, weights_, history_
        See `Baseline`.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 1], [0, 1, 2, 5], [0, 0, 3, 3]]
    >>> model = SpectralBaseline(2, random_state=0).fit(X)
    >>> model.labels_, model.word_labels_
    (array([1, 1, 0, 0]), array([1, 1, 0, 0]))
    """

    _schema: ClassVar[dict[str, Field]] = {
        **Baseline._schema,
        "cluster_centers_": Numbers("K m"),
        "idf_": Numbers("m"),
        "training_counts_": Sparse("n m"),
    }

    n_clusters: int = 10
    _: KW_ONLY
    n_init: int = 1
    random_state: int | np.random.RandomState | None = None

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        n_used = np.count_nonzero(document_frequencies(X))
        if self.n_clusters > 1 and n_used < 2:
            raise InputError(f"n_features={n_used}: spectral co-clustering needs two words")

    def _learning_bytes(self, size: Size) -> int:
        """Scaled counts, and singular vectors of documents and words."""
        n_vectors = 1 + max(1, (self.n_clusters - 1).bit_length())
        vectors = size.doubles(size.n_documents + size.n_words, n_vectors)
        return 3 * size.data + 4 * vectors + size.doubles(size.n_words, self.n_clusters)

    def _learn(self, X: Counts, seed: int, restart: int) -> Learned:  # noqa: ARG002
        """Documents and words by k-means in the space of the first singular vectors."""
        used = np.flatnonzero(document_frequencies(X))
        documents, words = self._cut(X[:, used], seed)
        documents = documents[first_equal_rows(X, X)]
        word_labels = np.full(X.shape[1], -1)
        word_labels[used] = words
        idf = _idf(X, "tfidf")
        hot = sp.csr_array(np.eye(self.n_clusters, dtype=X.dtype)[documents])
        sizes = np.maximum(hot.sum(axis=0), 1)[:, None]
        arrays = {
            "labels_": documents,
            "word_labels_": word_labels,
            "idf_": idf,
            "cluster_centers_": (hot.T @ _weigh(X, idf)).toarray() / sizes,
        }
        cut = _normalised_cut((hot.T @ X[:, used]).toarray(), words)
        return Learned(arrays, -cut, 1, converged=True)

    def _weigh_clusters(self, X: Counts) -> Array:
        """The nearest mean."""
        return _nearest_centre(_weigh(X, self.idf_), self.cluster_centers_)

    def _training_memberships(self, X: Counts) -> Array:
        """Those of the cut."""
        self.training_counts_ = X
        q = np.full((X.shape[0], self.n_clusters), 1 / self.n_clusters)
        q[np.diff(X.indptr) > 0] = np.eye(self.n_clusters)[self.labels_]
        return q

    def _memberships(self, X: Counts) -> Array:
        """Those of equal documents of the fit, else by the nearest mean."""
        memberships = super()._memberships(X)
        equal = first_equal_rows(X, self.training_counts_)
        memberships[equal >= 0] = self.memberships_[equal[equal >= 0]]
        return memberships

    def _cut(self, X: Counts, seed: int) -> tuple[Labels, Labels]:
        from sklearn.cluster import SpectralCoclustering

        if self.n_clusters == 1:
            return np.zeros(X.shape[0], int), np.zeros(X.shape[1], int)
        fitted = SpectralCoclustering(self.n_clusters, n_init=1, random_state=seed).fit(X)
        return fitted.row_labels_, fitted.column_labels_


@contextmanager
def _one_thread() -> Iterator[None]:
    """One thread at a time, without scikit-learn's warnings, which fits give themselves."""
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
    """Points of length one on the axes; those that are zero but for rounding stay so."""
    from sklearn.preprocessing import normalize

    points: Array = normalize(X @ axes.T)
    return points


def _kmeans(model: Any, points: Any, seed: int, **arrays: Any) -> Learned:
    from sklearn.cluster import KMeans

    fitted = KMeans(
        model.n_clusters, n_init=1, max_iter=model.max_iter, tol=model.tol, random_state=seed
    ).fit(points)
    arrays["cluster_centers_"] = fitted.cluster_centers_
    converged = fitted.n_iter_ < model.max_iter
    return Learned(arrays, -float(fitted.inertia_), fitted.n_iter_, converged)


def _nearest_centre(points: Any, centres: Array) -> Array:
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
