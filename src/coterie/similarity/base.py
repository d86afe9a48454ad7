"""What methods share that measure similarities of documents and cut a tree of them."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from coterie import engine, starts
from coterie.arrays import distributions
from coterie.base import (
    Clusterer,
    log_likelihood_of_mixes,
    words_by_cluster,
)
from coterie.corpus import Corpus
from coterie.errors import InputError, check_choice
from coterie.kernels.dense import one_blas_thread
from coterie.similarity import trees
from coterie.similarity.memory import refuse_too_large
from coterie.similarity.products import Rule, blocks, similarities
from coterie.types import Array, Counts, Labels, Ops


class Measured(NamedTuple):
    """Similarities of documents, and of words where a measure has them.

    `trace` is the mean of those of documents after each iteration; `interrupted` tells whether
    Ctrl-C ended them early.
    """

    rows: Any
    columns: Any
    trace: list[float]
    interrupted: bool


@dataclass(eq=False, repr=False)
class SimilarityEstimator(Clusterer):
    """Base of methods that measure how alike documents are and cut Ward's tree of them.

    A subclass writes `measure` for the documents that are clustered, `compare` for new ones and
    `needed_bytes` for the memory that takes.

    A document without words is like no other. It takes no part in the clusters: it joins the
    tree last, at the height of the root, its memberships are equal and its label is 0, that of
    the largest cluster.

    Parameters
    ----------
    distance : "one-minus", "sqrt" or "kernel", default="one-minus"
        What Ward's method takes for the distance of two documents; see `trees.distances`.
    memory_limit : float or None, default=None
        Most memory to take, in GiB; None is four fifths of what the machine has free.
    n_neighbors : int or None, default=None
        Keep this many of the largest similarities of each document (and of each word) only;
        then matrices are sparse. None keeps all: similarities are exact.

    Attributes
    ----------
    document_similarity_ : ndarray or sparse array of shape (n_documents, n_documents), float32
        How alike documents are; those without words are like themselves only.
    tree_ : ndarray of shape (n_documents - 1, 4)
        Merges as scipy's `linkage` writes them, for pictures.
    n_empty_ : int
        Number of documents without words.
    training_counts_ : sparse array of shape (n_documents, n_words)
        The documents that new ones are compared with.
    memberships_ : ndarray of shape (n_documents, K)
        One for the cluster of the document; equal for those without words.
    labels_ : ndarray of shape (n_documents,)
        Clusters of the documents, the largest first.
    components_, weights_, word_labels_ : ndarrays
        Shares of words in the documents of each cluster, shares of the clusters, and the
        cluster each word belongs to by the Bayes rule.
    history_, n_iter_ : ndarray, int
        Mean similarity of two documents after each iteration, and number of iterations.
    converged_, interrupted_, vocabulary_
        See `EMEstimator`; a fit that ran to its end counts as converged.
    """

    _: KW_ONLY
    distance: str = "one-minus"
    memory_limit: float | None = None
    n_neighbors: int | None = None

    def fit(self, X: Any, y: None = None) -> Self:  # noqa: ARG002
        """Measure and cluster documents, a row each: a sparse or dense matrix, or a Corpus."""
        vocabulary = X.vocabulary if isinstance(X, Corpus) else None
        X = self._check_counts(X, reset=True)
        self._check_parameters(X)
        self.refuse_too_large(X)
        self.training_counts_ = X
        self.vocabulary_ = vocabulary
        filled, used = np.flatnonzero(np.diff(X.indptr)), np.unique(X.indices)
        self.n_empty_ = X.shape[0] - len(filled)
        core = X if (len(filled), len(used)) == X.shape else X[filled][:, used]
        measured = self.measure(core)
        self.history_ = np.array(measured.trace)
        self.n_iter_ = len(measured.trace)
        self.interrupted_ = measured.interrupted
        self.converged_ = not measured.interrupted
        self._publish(X, measured, filled, used)
        return self

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        n_filled = np.count_nonzero(np.diff(X.indptr))
        if self.n_clusters > n_filled:
            raise InputError(
                f"n_clusters={self.n_clusters}: larger than the number of documents with "
                f"words, {n_filled}"
            )
        check_choice("distance", self.distance, trees.DISTANCES)
        if self.memory_limit is not None:
            self._check_number("memory_limit", Real, 0)
        if self.n_neighbors is not None:
            self._check_number("n_neighbors", Integral, 1)

    def refuse_too_large(self, X: Counts) -> None:
        """Refuse what would not fit in memory, before any is taken."""
        n, m = X.shape
        size = f"{n:,} documents x {m:,} words"
        way_on = "n_neighbors=N keeps the N largest of each row only, or cluster a sample"
        if self.n_neighbors is not None:
            way_on = "most of it for the tree of all pairs of documents: cluster a sample"
        refuse_too_large(self.needed_bytes(n, m), self.memory_limit, size, way_on)

    def needed_bytes(self, n_documents: int, n_words: int) -> int:  # noqa: ARG002
        """The most memory a fit holds at a time: by default, similarities and their tree."""
        tree = trees.BYTES_PER_PAIR * n_documents**2 // 2
        return tree + self._matrix_bytes(n_documents)

    def measure(self, X: Counts) -> Measured:
        """Similarities, dense or sparse, of documents that all have words, words all in use."""
        raise NotImplementedError

    def compare(self, X: Counts) -> Array:
        """Similarities of a few new documents, in columns, with each training document."""
        raise NotImplementedError

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:  # noqa: ARG002
        """The cluster whose documents are most similar on average, and log-likelihoods."""
        dtype = self.components_.dtype
        memberships = np.full((X.shape[0], self.n_clusters), 1 / self.n_clusters, dtype)
        filled = np.flatnonzero(np.diff(self.training_counts_.indptr))
        sizes = np.bincount(self.labels_[filled], minlength=self.n_clusters)
        ones = np.ones(len(filled), np.float32)
        members = sp.csr_array(
            (ones, (self.labels_[filled], filled)), (self.n_clusters, len(self.labels_))
        )
        for first, last in blocks(X.shape[0]):
            with one_blas_thread():
                similar = self.compare(X[first:last].astype(np.float32))
            means = (members @ similar).T / sizes
            known = means.any(axis=1) & (np.diff(X.indptr[first : last + 1]) > 0)
            nearest = np.eye(self.n_clusters)[means.argmax(axis=1)]
            memberships[first:last][known] = nearest[known]
        return memberships, log_likelihood_of_mixes(X, memberships, self.components_)

    def similar_documents(self, document: int, n: int = 10) -> list[tuple[int, float]]:
        """The documents most like one of those clustered, with their similarities.

        Examples
        --------
        >>> from coterie import Cosine
        >>> Cosine(2).fit([[3, 4, 0], [4, 3, 0], [0, 0, 5]]).similar_documents(0, 1)
        [(1, 0.96)]
        """
        return nearest(self.document_similarity_, document, n)

    def _bytes_of_both(self, n_documents: int, n_words: int) -> int:
        """Both matrices before and after an iteration, or both and the documents' tree."""
        both = self._matrix_bytes(n_documents) + self._matrix_bytes(n_words)
        return both + max(both, trees.BYTES_PER_PAIR * n_documents**2 // 2)

    def _matrix_bytes(self, n: int) -> int:
        """One matrix of similarities of n documents or words."""
        return 4 * n * min(n, n if self.n_neighbors is None else 6 * self.n_neighbors)

    def _publish(self, X: Counts, measured: Measured, filled: Labels, used: Labels) -> None:
        """Set the fitted attributes, those of documents without words included."""
        tree = trees.ward(measured.rows, self.distance)
        self.tree_ = trees.with_late_leaves(tree, filled, X.shape[0])
        labels = np.zeros(X.shape[0], np.int64)
        labels[filled] = trees.cut(tree, self.n_clusters)
        self.labels_: Labels = labels
        hot = np.eye(self.n_clusters, dtype=X.dtype)[labels]
        q = self.memberships_ = starts.uniform_where_empty(hot, X)
        self.components_ = distributions((X.T @ q).T)
        self.weights_ = q[filled].mean(axis=0, dtype=np.float64)
        self.word_labels_ = words_by_cluster(X, q, self.components_)
        self.document_similarity_ = among_all(measured.rows, filled, X.shape[0])
        if measured.columns is not None:
            self.word_similarity_ = among_all(measured.columns, used, X.shape[1])


def among_all(similarity: Any, places: Labels, n: int) -> Any:
    """Similarities of those at `places` among n, the others like themselves only.

    Examples
    --------
    >>> among_all(np.array([[1, 0.5], [0.5, 1]], np.float32), np.array([0, 2]), 3)
    array([[1. , 0. , 0.5],
           [0. , 1. , 0. ],
           [0.5, 0. , 1. ]], dtype=float32)
    """
    if len(places) == n:
        return similarity
    if not sp.issparse(similarity):
        whole = np.eye(n, dtype=similarity.dtype)
        whole[np.ix_(places, places)] = similarity
        return whole
    entries = similarity.tocoo()
    others = np.setdiff1d(np.arange(n), places)
    rows, columns = (np.concatenate([places[each], others]) for each in entries.coords)
    values = np.concatenate([entries.data, np.ones(len(others), entries.dtype)])
    return sp.coo_array((values, (rows, columns)), shape=(n, n)).tocsr()


def once(measure: Callable[[], tuple[Any, float]]) -> Measured:
    """What takes one step, watched as others are that take several."""
    found = []

    def step() -> float:
        similarity, mean = measure()
        found.append(similarity)
        return mean

    trace, interrupted = engine.chain(step, 1)
    return Measured(found[0], None, trace, interrupted)


def alternate(rows: Counts, columns: Counts, rule: Rule, n_iter: int) -> Measured:
    """Similarities of rows and of columns, each from the other of the iteration before.

    Both begin as identities. An iteration that Ctrl-C ends is left out whole.
    """
    SR, SC = None, None

    def step() -> float:
        nonlocal SR, SC
        new_rows, mean = similarities(rows, SC, rule)
        new_columns, _ = similarities(columns, SR, rule)
        SR, SC = new_rows, new_columns
        return mean

    trace, interrupted = engine.chain(step, n_iter)
    return Measured(SR, SC, trace, interrupted)


def nearest(similarity: Any, index: int, n: int) -> list[tuple[int, float]]:
    """Indices of the n largest entries of a row besides the diagonal, with their values."""
    row = similarity[[index]].toarray()[0] if sp.issparse(similarity) else similarity[index]
    order = np.argsort(-row, kind="stable")
    order = order[order != index][:n]
    return [(int(i), round(float(row[i]), 6)) for i in order]
