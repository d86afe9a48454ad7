"""What methods share that measure similarities of documents and cut a tree of them."""

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from coterie import engine, fitting, starts
from coterie.arrays import distributions, document_frequencies, first_equal_rows
from coterie.base import Clusterer, log_likelihood_of_mixes, words_by_cluster
from coterie.errors import InputError, check_choice
from coterie.kernels import on_host
from coterie.kernels.dense import one_blas_thread
from coterie.memory import Size
from coterie.schema import Either, Field, Linkage, Numbers, Sparse, Whole
from coterie.similarity import trees
from coterie.similarity.products import Rule, row_blocks, similarities
from coterie.types import Array, Counts, Labels, Ops

FEW_NEIGHBORS = 100  # what is suggested where all do not fit in memory


class Measured(NamedTuple):
    """Similarities of documents, and of words where a measure has them.

    `trace` is the mean similarity of two documents after each iteration; `trees` are Ward's, of
    the documents and, where they have one, of the words.
    """

    rows: Any
    columns: Any
    trace: list[float]
    trees: tuple[Array, ...] = ()


@dataclass(eq=False, repr=False)
class SimilarityEstimator(Clusterer):
    """Base of methods that measure how alike documents are and cut Ward's tree of them.

    A subclass writes `_measure` for the documents that are clustered, `_similarities_of_new`
    for new ones and `_needed_bytes` for the memory that takes.

    Equal documents, with the same counts of the same words, are always in one cluster, that of
    the first of them. So a new document that equals one of the fit goes to its cluster. All
    others go to the cluster whose documents are most similar to them on average, which need
    not be where the tree would have put them.

    A document without words is like no other. It takes no part in the clusters: it joins the
    tree last, at the height of the root, its memberships are equal and its label is 0, that of
    the largest cluster.

    Parameters
    ----------
    distance : "one-minus", "sqrt" or "kernel", default="one-minus"
        What Ward's method takes for the distance of two documents; see `trees.distances`.

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
    memberships_ : ndarray of shape (n_documents, n_clusters)
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

    _schema: ClassVar[dict[str, Field]] = {
        **Clusterer._schema,
        "training_counts_": Sparse("n m"),
        "n_empty_": Whole(),
        "tree_": Linkage("n"),
        "document_similarity_": Either((Sparse("n n", -np.inf), Numbers("n n"))),
    }

    n_clusters: int = 10
    _: KW_ONLY
    distance: str = "one-minus"

    def _fit(self, X: Counts) -> None:
        self.training_counts_ = X
        filled, used = (
            np.flatnonzero(np.diff(X.indptr)),
            np.flatnonzero(document_frequencies(X)),
        )
        self.n_empty_ = X.shape[0] - len(filled)
        core = X if (len(filled), len(used)) == X.shape else X[filled][:, used]
        measured = self._measure(core)
        self.history_ = np.array(measured.trace)
        self.n_iter_ = len(measured.trace)
        self.converged_ = not fitting.stopped()
        of = (measured.rows, measured.columns)[: 1 + self._has_tree_of_words(len(used))]
        grown = trees.grow(of, self.distance)
        self._publish(X, measured._replace(trees=tuple(grown)), filled, used)

    def _has_tree_of_words(self, n_words: int) -> bool:  # noqa: ARG002
        """Tell whether so many words have a tree besides that of the documents."""
        return False

    def _assign_fitted(self, X: Counts) -> None:
        """Documents of the fit have the clusters of the tree already."""

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        n_filled = np.count_nonzero(np.diff(X.indptr))
        if self.n_clusters > n_filled:
            raise InputError(
                f"n_clusters={self.n_clusters}: larger than the number of documents with "
                f"words, {n_filled}"
            )
        check_choice("distance", self.distance, trees.DISTANCES)

    def _size(self, X: Any) -> Size:
        n_filled, n_used = (
            np.count_nonzero(np.diff(X.indptr)),
            np.count_nonzero(document_frequencies(X)),
        )
        return replace(super()._size(X), is_full=(n_filled, n_used) == X.shape)

    def _needed_bytes(self, size: Size) -> int:
        """The most that a fit holds at a time: by default, similarities and their tree."""
        n = size.n_documents
        return 3 * size.data + self._matrix_bytes(n) + self._more_bytes(n, size)

    def _matrix_bytes(self, n: int) -> int:
        """One matrix of similarities of n documents or words."""
        return 4 * n * n

    def _more_bytes(self, n: int, size: Size) -> int:
        """The tree of n documents or words; or, if some are empty, similarities among all."""
        tree = trees.BYTES_PER_PAIR * n * n // 2
        return tree if size.is_full else max(tree, self._matrix_bytes(n))

    def _measure(self, X: Counts) -> Measured:
        """Similarities, dense or sparse, of documents that all have words, words all in use."""
        raise NotImplementedError

    def _similarities_of_new(self, X: Counts) -> Array:
        """Similarities of a few new documents, in columns, with each training document."""
        raise NotImplementedError

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:  # noqa: ARG002
        """Clusters of equal documents of the fit, else the most similar on average."""
        dtype = self.components_.dtype
        memberships = np.full((X.shape[0], self.n_clusters), 1 / self.n_clusters, dtype)
        equal = first_equal_rows(X, self.training_counts_)
        memberships[equal >= 0] = self.memberships_[equal[equal >= 0]]
        new = np.flatnonzero((equal < 0) & (np.diff(X.indptr) > 0))
        for first, last in row_blocks(len(new)):
            rows = new[first:last]
            means, known = self._mean_similarities(X[rows])
            memberships[rows[known]] = np.eye(self.n_clusters)[means[known].argmax(axis=1)]
        return memberships, log_likelihood_of_mixes(X, memberships, self.components_)

    def _mean_similarities(self, X: Counts) -> tuple[Array, Any]:
        """Means over the documents of each cluster, and which of the new are like any."""
        filled = np.flatnonzero(np.diff(self.training_counts_.indptr))
        labels = self.labels_[filled]
        sizes = np.bincount(labels, minlength=self.n_clusters)
        members = sp.csr_array(
            (np.ones(len(filled), np.float32), (labels, filled)),
            (self.n_clusters, len(self.labels_)),
        )
        with one_blas_thread():
            similar = self._similarities_of_new(X.astype(np.float32))
        means = (members @ similar).T / np.maximum(sizes, 1)
        known = means.any(axis=1)
        means[:, sizes == 0] = -np.inf
        return means, known

    def similar_documents(self, document: int, n: int = 10) -> list[tuple[int, float]]:
        """The documents most like one of those clustered, with their similarities.

        Examples
        --------
        >>> from coterie import Cosine
        >>> Cosine(2).fit([[3, 4, 0], [4, 3, 0], [0, 0, 5]]).similar_documents(0, 1)
        [(1, 0.96)]
        """
        return most_similar(self.document_similarity_, document, n)

    def _publish(self, X: Counts, measured: Measured, filled: Labels, used: Labels) -> None:
        """Set the fitted attributes, those of documents without words included."""
        tree = measured.trees[0]
        self.tree_ = trees.with_late_leaves(tree, filled, X.shape[0])
        documents = X[filled]
        labels = trees.cut(tree, self.n_clusters)[first_equal_rows(documents, documents)]
        self.labels_ = np.zeros(X.shape[0], np.int64)
        self.labels_[filled] = trees.largest_first(labels)
        hot = np.eye(self.n_clusters, dtype=X.dtype)[self.labels_]
        q = self.memberships_ = starts.uniform_where_empty(hot, X)
        self.components_ = distributions((X.T @ q).T)
        self.weights_ = q[filled].mean(axis=0, dtype=np.float64)
        self.word_labels_ = words_by_cluster(X, q, self.components_)
        self.document_similarity_ = among_all(measured.rows, filled, X.shape[0])
        if measured.columns is not None:
            self.word_similarity_ = among_all(measured.columns, used, X.shape[1])


@dataclass(eq=False, repr=False)
class SparseSimilarityEstimator(SimilarityEstimator):
    """Base of measures of which the largest similarities of each document can be kept alone.

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Keep this many of the largest similarities of each document (and of each word) only;
        then matrices are sparse. None keeps all: similarities are exact.
    """

    _: KW_ONLY
    n_neighbors: int | None = None

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        if self.n_neighbors is not None:
            self._check_number("n_neighbors", Integral, 1)

    def _leaner(self) -> Iterator[tuple[str, Self]]:
        if self.n_neighbors is None:
            yield f"n_neighbors={FEW_NEIGHBORS}", self._changed(n_neighbors=FEW_NEIGHBORS)

    def _changed(self, **parameters: Any) -> Self:
        """The same with other parameters."""
        other = copy(self)
        for name, value in parameters.items():
            setattr(other, name, value)
        return other

    def _matrix_bytes(self, n: int) -> int:
        return 4 * n * min(n, n if self.n_neighbors is None else 6 * self.n_neighbors)

    def _bytes_of_both(self, size: Size) -> int:
        """Both matrices before and after an iteration, or both and a tree."""
        n, m = size.n_documents, size.n_words
        both = self._matrix_bytes(n) + self._matrix_bytes(m)
        before = both
        if not size.is_full:  # those of all words besides those in use
            both += self._matrix_bytes(m)
        return 3 * size.data + max(both + self._more_bytes(n, size), 2 * before)


def among_all(similarity: Any, positions: Labels, n: int) -> Any:
    """Similarities of those at `positions` among n, the others like themselves only.

    Examples
    --------
    >>> among_all(np.array([[1, 0.5], [0.5, 1]], np.float32), np.array([0, 2]), 3)
    array([[1. , 0. , 0.5],
           [0. , 1. , 0. ],
           [0.5, 0. , 1. ]], dtype=float32)
    """
    if len(positions) == n:
        return similarity
    if not sp.issparse(similarity):
        whole = np.eye(n, dtype=similarity.dtype)
        whole[np.ix_(positions, positions)] = similarity
        return whole
    entries = similarity.tocoo()
    others = np.setdiff1d(np.arange(n), positions)
    rows, columns = (np.concatenate([positions[each], others]) for each in entries.coords)
    values = np.concatenate([entries.data, np.ones(len(others), entries.dtype)])
    return sp.coo_array((values, (rows, columns)), shape=(n, n)).tocsr()


def measure_once(measure: Callable[[], tuple[Any, float]]) -> Measured:
    """Similarities that take one iteration, watched as those that take several."""
    similarity = None

    def step() -> float:
        nonlocal similarity
        similarity, mean = measure()
        return mean

    trace = engine.chain(step, 1)
    return Measured(on_host(similarity), None, trace)


def alternate(rows: Counts, columns: Counts, rule: Rule, max_iter: int) -> Measured:
    """Similarities of rows and of columns, each from the other of the iteration before.

    Both begin as identities.
    """
    SR, SC = None, None

    def step() -> float:
        nonlocal SR, SC
        new_rows, mean = similarities(rows, SC, rule)
        new_columns, _ = similarities(columns, SR, rule)
        SR, SC = new_rows, new_columns
        return mean

    trace = engine.chain(step, max_iter)
    return Measured(on_host(SR), on_host(SC), trace)


def most_similar(similarity: Any, index: int, n: int) -> list[tuple[int, float]]:
    """Indices of the n largest entries of a row besides the diagonal, with their values."""
    row = similarity[[index]].toarray()[0] if sp.issparse(similarity) else similarity[index]
    order = np.argsort(-row, kind="stable")
    order = order[order != index][:n]
    return [(int(i), round(float(row[i]), 6)) for i in order]
