"""Clustering with nothing to choose."""

import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from coterie import engine
from coterie.automatic import number, tree
from coterie.automatic.calibration import calibrated
from coterie.automatic.candidates import Effort
from coterie.automatic.keeping import Kept
from coterie.automatic.linked import LinkedMixture, Near, place
from coterie.automatic.search import Search
from coterie.arrays import unit_rows
from coterie.automatic.stages import Stages
from coterie.arrays import distributions
from coterie.base import Clusterer, EMEstimator, words_by_cluster
from coterie.corpus import Corpus
from coterie.corpus.vectors import checked_vectors
from coterie.errors import InputError, InterruptedWarning
from coterie.models.mixture import MultinomialMixture
from coterie.multiview.views import Layout, by_view, read_like, read_views, refuse_other_words
from coterie.types import Array, Counts, Labels, Ops
from coterie.weighting import WordWeights

VECTORS = "embeddings"


@dataclass(eq=False, repr=False)
class AutoClustering(Clusterer):
    r"""Clusters, and how many, without a choice to make.

    Words weigh :math:`T \log(1+n) \log((N+1)/df)` (`WordWeights`), and the model is a mixture
    in which a share of all words comes from the whole collection
    (`MultinomialMixture.background`). Candidates come from a vocabulary that grows in
    several ways, and from k-means on the axes of latent semantic analysis. Documents that
    the candidates see alike are clustered together, and the mixture refines what they agree
    on, documents leaning to the clusters of their neighbours. Small collections get more
    candidates than large ones.

    Documents are put in an order of their own first: the answer does not depend on theirs.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters; "auto" looks for it, see `n_clusters_curve_`, and leaves out those that no
        document is in.
    background : float, default=0.25
        Share of words that come from the whole collection.
    scale : float, default=0.1
        *T*, by which the evidence of words is tempered.
    growths : sequence of pairs of int, default=((300, 5), (500, 5), (1000, 4), (2000, 3))
        First size of the vocabulary and number of steps, of each growth; six candidates each,
        or up to three times as many where documents are few.
    ranks : sequence of int, default=(20, 50, 100)
        Numbers of axes that k-means looks at; four candidates each, or up to nine times as
        many.
    n_votes : int, default=192
        How often documents that candidates see alike are clustered, to keep the best; fewer
        where documents and clusters are very many. 0 takes the most likely candidate instead.
    calibrated : bool, default=True
        Whether probabilities are made to say how steady the clusters of documents are.
    n_neighbors : int, default=20
        How many neighbours of a document have a say, by words and, where documents have
        vectors, by vectors; fewer where clusters are small, 0 for none.
    max_iter, tol, random_state
        See `EMEstimator`.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters.
    n_clusters_curve_ : dict of lists
        What was seen at each number of clusters that was tried; empty where it was given.
    memberships_ : ndarray of shape (n_documents, n_clusters_)
        Probabilities; of the documents at 0.8, about 80 in 100 go to the same cluster again
        when clusters are looked for in a part of all documents.
    calibration_ : dict of lists
        By ranges of probability, what was "said" and what was "seen", and the number *n* of
        documents.
    components_ : ndarray of shape (n_clusters_, n_words)
        Shares of words, plainly counted, in the documents of each cluster.
    stability_ : ndarray of shape (n_clusters_ + 2,) or None
        How steady each cluster is, and the slopes of margin and length.
    word_probabilities_ : ndarray of shape (n_clusters_, n_words)
        Weighted words of each cluster, by which documents are placed.
    candidates_ : dict of lists
        "name", "objective" and "agreement", the adjusted Rand index with the answer, of each.
    tree_ : ndarray of shape (n_leaves - 1, 4)
        Clusters merged up to one, and halved: two nodes, the likelihood lost, documents, as
        in SciPy's linkage; documents are those with words. See `labels_at`.
    leaves_ : ndarray of shape (n_documents,)
        The leaf of the tree each document is in.
    view_components_ : dict of ndarrays
        The same as `components_` for each view given by name, each row summing to one, or
        to zero where no document of the cluster has the view; their words are side by side in
        `components_`. Empty where no views were given.
    weighting_ : WordWeights
        How words weigh.
    neighbors_ : dict
        Fitted documents that others may be near to, on the main "axes" of words and by
        "vectors", what being near to them counts for, and how far those near to each of them
        are "leaning" to each cluster; empty where neighbours have no say.
    labels_, weights_, word_labels_, history_, n_iter_, converged_, interrupted_, vocabulary_
        See `EMEstimator`. Likelihoods are those of the weighted words: scores of the
        form of a likelihood, to compare models of the same weights by. `history_` also has
        what neighbours add; it compares nothing but its own steps.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> model = AutoClustering(2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True
    >>> bool(model.predict([[1, 0, 0, 0]])[0] == model.labels_[0])
    True
    >>> model.labels_at(1)
    array([0, 0, 0, 0])
    """

    n_clusters: Any = "auto"
    _: KW_ONLY
    background: float = 0.25
    scale: float = 0.1
    growths: Any = ((300, 5), (500, 5), (1000, 4), (2000, 3))
    ranks: Any = (20, 50, 100)
    n_votes: int = 192
    calibrated: bool = True
    n_neighbors: int = 20
    max_iter: int = 60
    tol: float = 1e-5
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: Any, y: None = None, vectors: Any = None) -> Self:  # noqa: ARG002
        """Fit to counts, a row a document, to a Corpus, or to counts of several views by name.

        Several views are taken side by side. Vectors of the documents may come with them.
        """
        vocabulary = _vocabulary_of(X)
        counts = self._check_counts(X, reset=True)
        self._check_parameters(counts)
        given = _vectors_of(X, vectors, counts.shape[0])
        self.vector_views_ = {name: each.shape[1] for name, each in given.items()}
        vectors = _side_by_side(list(given.values()))
        kept = self._kept(counts, engine.current_checkpoint())
        self.vocabulary_ = vocabulary
        self.interrupted_ = False
        filled = _in_own_order(counts, vectors)
        found = self._learn(counts[filled], None if vectors is None else vectors[filled], kept)
        self._publish(counts, filled, vectors, found)
        if not self.interrupted_:
            kept.end()
        if self.interrupted_:
            message = "stopped by Ctrl-C; the search goes no further, the best so far is kept"
            warnings.warn(message, InterruptedWarning, stacklevel=2)
        return self

    def _check_counts(self, X: Any, *, reset: bool) -> Counts:
        """Counts of documents, those of several views side by side."""
        if reset:
            views = read_views(_words_of(X)) if _has_views(X) else None
            self.word_views_ = views.layout.words if views else {}
            return super()._check_counts(views.words if views else X, reset=True)
        known = getattr(self, "word_views_", {})  # models saved before views were taken
        if isinstance(X, Mapping) and not known:
            raise InputError("X: several views, expected one matrix as the model was fitted to")
        if known and isinstance(X, Corpus | Mapping):
            if isinstance(X, Corpus) and self.vocabulary_ is not None:
                refuse_other_words(X, self.vocabulary_)
            X = read_like(_words_of(X), Layout(dict(known), {})).words
        return super()._check_counts(X, reset=False)

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        if isinstance(self.n_clusters, str):
            if self.n_clusters != number.AUTO:
                raise InputError(
                    f"n_clusters={self.n_clusters!r}: expected 'auto' or a whole number"
                )
        else:
            super()._check_parameters(X)
        n_filled = int(np.count_nonzero(np.diff(X.indptr)))
        if not n_filled:
            raise InputError(f"no counts: all {X.shape[0]} documents are empty")
        if not isinstance(self.n_clusters, str) and self.n_clusters > n_filled:
            raise InputError(
                f"n_clusters={self.n_clusters}: larger than the number of documents with "
                f"words, {n_filled}"
            )
        for name, kind, least in (
            ("n_votes", Integral, 0), ("max_iter", Integral, 1), ("tol", Real, 0),
            ("n_neighbors", Integral, 0), ("scale", Real, np.nextafter(0, 1)),
            ("background", Real, 0),
        ):  # fmt: skip
            self._check_number(name, kind, least)
        if self.background >= 1:
            raise InputError(f"background={self.background!r}: expected a share below 1")
        self._check_candidates()

    def _check_candidates(self) -> None:
        whole, several = int | np.integer, tuple | list | np.ndarray

        def is_size(given: Any) -> bool:
            return isinstance(given, whole) and not isinstance(given, bool) and given > 0

        if not isinstance(self.growths, several) or not all(
            isinstance(pair, several) and len(pair) == 2 and all(map(is_size, pair))
            for pair in self.growths
        ):
            raise InputError(
                f"growths={self.growths!r}: expected pairs of whole numbers of at least 1"
            )
        if not isinstance(self.ranks, several) or not all(map(is_size, self.ranks)):
            raise InputError(f"ranks={self.ranks!r}: expected whole numbers of at least 1")
        if not len(self.growths) and not len(self.ranks):
            raise InputError("growths and ranks: both empty, expected candidates from one")
        if not isinstance(self.calibrated, bool | np.bool_):
            raise InputError(f"calibrated={self.calibrated!r}: expected True or False")

    def labels_at(self, n_clusters: Any) -> Labels:
        """Labels of the fitted documents in fewer clusters, or more, by the tree."""
        check_is_fitted(self)
        n_leaves = len(self.tree_) + 1
        if not isinstance(n_clusters, int | np.integer) or not 1 <= n_clusters <= n_leaves:
            raise InputError(
                f"n_clusters={n_clusters!r}: expected a whole number from 1 to {n_leaves}"
            )
        return tree.labels_at(tree.Tree(self.leaves_, self.tree_), int(n_clusters))

    def predict(self, X: Any, vectors: Any = None) -> Labels:
        """The most probable cluster of each document."""
        labels: Labels = self.predict_proba(X, vectors).argmax(axis=1)
        return labels

    def predict_proba(self, X: Any, vectors: Any = None) -> Array:
        """Probability of each cluster for each document, each placed on its own."""
        check_is_fitted(self)
        counts = self._check_counts(X, reset=False)
        return self._placed_with(counts, self._new_vectors(X, vectors, counts.shape[0]))

    def _new_vectors(self, X: Any, vectors: Any, n_documents: int) -> Array | None:
        """Vectors of the views the model has, zeros for one not given; None where none is."""
        given = _vectors_of(X, vectors, n_documents)
        if vectors is not None and len(self.vector_views_) == 1:  # which it is then of
            given = dict(zip(self.vector_views_, given.values(), strict=True))
        known = {name: each for name, each in given.items() if name in self.vector_views_}
        for name, each in known.items():
            width = self.vector_views_[name]
            if each.shape[1] != width:
                raise InputError(f"vectors: {each.shape[1]} columns, expected {width}")
        if not known:
            return None
        return _side_by_side(
            [
                known.get(name, np.zeros((n_documents, width)))
                for name, width in self.vector_views_.items()
            ]
        )

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """Posteriors and log-likelihoods of the weighted words, neighbours apart."""
        weights = self.weighting_.transform(X.astype(np.float32))
        placed: tuple[Array, Array] = self._placer(MultinomialMixture()).place(weights, ops)
        return placed

    def _learn(self, counts: Counts, vectors: Array | None, kept: Kept) -> Array:
        """All that is learned from documents with words, in their own order: posteriors too."""
        stages = self._stages(counts, vectors, kept)
        self.n_clusters_, self.n_clusters_curve_ = stages.number(self.n_clusters)
        found, search = stages.clusters(self.n_clusters_)
        if self.n_clusters == number.AUTO:
            found = stages.without_empty(found, search)
            self.n_clusters_ = found.memberships_.shape[1]
        self._take(found, search, stages.agreement(found, search))
        self.stability_, self.calibration_ = stages.calibration(found, self.calibrated)
        self.leaves_, self.tree_ = stages.tree(found)
        self.interrupted_ = stages.interrupted
        posteriors: Array = found.memberships_
        return posteriors

    def _stages(self, counts: Counts, vectors: Array | None, kept: Kept) -> Stages:
        self.weighting_ = WordWeights(scale=self.scale).fit(counts)
        weights = self.weighting_.transform(counts.astype(np.float32))
        model = MultinomialMixture(
            cluster_prior=2.0, word_prior=1.0, background=self.background,
            max_iter=self.max_iter, tol=self.tol, random_state=0,
        )  # fmt: skip
        frequencies = counts.sum(axis=0, dtype=np.float64)
        return Stages(model, weights, frequencies, kept, self._effort(), vectors)

    def _kept(self, counts: Counts, checkpoint: Any) -> Kept:
        seed = int(check_random_state(self.random_state).randint(2**31))
        return Kept(checkpoint, self._identity(counts) if checkpoint else {}, seed)

    def _effort(self) -> Effort:
        growths = tuple((int(size), int(n_steps)) for size, n_steps in self.growths)
        return Effort(
            growths, ranks=tuple(self.ranks), n_votes=self.n_votes,
            n_neighbors=int(self.n_neighbors),
        )  # fmt: skip

    def _take(self, model: EMEstimator, search: Search, agreement: list[float]) -> None:
        for name in ("weights_", "history_", "n_iter_", "converged_"):
            setattr(self, name, getattr(model, name))
        self.word_probabilities_ = model.components_
        near = search.near
        self.neighbors_ = vars(near) | {"leaning": model.leaning_} if near else {}
        self.candidates_ = {
            "name": [each.name for each in search.candidates],
            "objective": [each.objective for each in search.candidates],
            "agreement": agreement,
        }

    def _publish(
        self, counts: Counts, filled: Labels, vectors: Array | None, found: Array
    ) -> None:
        weights = self.weighting_.transform(counts.astype(np.float32))
        empty = np.diff(counts.indptr) == 0
        posteriors = np.empty((len(empty), found.shape[1]), found.dtype)
        posteriors[filled] = found
        if empty.any():
            of_empty = None if vectors is None else vectors[empty]
            posteriors[empty] = self._posteriors(weights[empty], of_empty)
        self.memberships_ = self._said(posteriors, weights, vectors).astype(counts.dtype)
        self.labels_ = self.memberships_.argmax(axis=1)
        leaves = self.labels_.copy()  # the first leaf of a cluster has its number
        leaves[filled] = self.leaves_
        silent = np.diff(weights.indptr) == 0
        leaves[silent] = self.labels_[silent]
        self.leaves_ = leaves
        hard = np.eye(self.n_clusters_)[self.labels_]
        without = ~hard.any(axis=0)  # a cluster no document is in has words by probabilities
        hard[:, without] = self.memberships_[:, without]
        self.components_ = distributions((counts.T @ hard).T).astype(counts.dtype)
        self.word_labels_ = words_by_cluster(counts, hard, self.components_)
        self.view_components_ = by_view(self.components_, self.word_views_)

    def _placed_with(self, counts: Counts, vectors: Array | None) -> Array:
        """Probabilities of documents, with vectors or without."""
        weights = self.weighting_.transform(counts.astype(np.float32))
        said = self._said(self._posteriors(weights, vectors), weights, vectors)
        return said.astype(counts.dtype)

    def _posteriors(self, weights: Counts, vectors: Array | None) -> Array:
        near, model = self._near(), self._placer(MultinomialMixture())
        if near is not None:
            model = self._placer(LinkedMixture())
            model.leaning_ = self.neighbors_["leaning"]
        return place(model, near, weights, vectors)

    def _said(self, posteriors: Array, weights: Counts, vectors: Array | None) -> Array:
        """Calibrated probabilities.

        Where no word tells anything, they are what vectors say, else the clusters' shares.
        """
        said = calibrated(posteriors, weights, self.stability_)
        near, silent = self._near(), np.diff(weights.indptr) == 0
        by_vectors = near is not None and near.vectors is not None and vectors is not None
        said[silent] = posteriors[silent] if by_vectors else self.weights_
        return said

    def _near(self) -> Near | None:
        known = {name: each for name, each in self.neighbors_.items() if name != "leaning"}
        return Near(**known) if known else None

    def _placer(self, model: Any) -> Any:
        model.weights_, model.components_ = self.weights_, self.word_probabilities_
        return model

    def _likelihood_and_length(self, X: Any) -> tuple[float, float]:
        check_is_fitted(self)
        counts = self._check_counts(X, reset=False)
        if not counts.nnz:
            raise InputError(f"no counts: all {counts.shape[0]} documents are empty")
        weights = self.weighting_.transform(counts)
        return float(self._assign_all(counts)[1].sum()), float(weights.sum(dtype=np.float64))


def number_of_clusters(
    X: Any, *, random_state: Any = None
) -> tuple[int, dict[str, list[float]]]:
    """How many clusters `AutoClustering` looks for in documents, and the curve it is read from.

    All views of a corpus are looked at side by side. Ctrl-C ends the look with a warning.

    Examples
    --------
    >>> counts = np.random.default_rng(0).integers(1, 5, (30, 12))
    >>> X = np.kron(np.eye(3), np.ones((10, 4))) * counts
    >>> number_of_clusters(X, random_state=0)[0]
    3
    """
    settings = AutoClustering(random_state=random_state)
    counts = settings._check_counts(X, reset=True)
    settings._check_parameters(counts)
    stages = settings._stages(counts[_in_own_order(counts)], None, settings._kept(counts, None))
    found = stages.number(number.AUTO)
    if stages.interrupted:
        message = f"stopped by Ctrl-C in the look for the number of clusters; {found[0]} it is"
        warnings.warn(message, InterruptedWarning, stacklevel=2)
    return found


def _has_views(X: Any) -> bool:
    return isinstance(X, Mapping) or (isinstance(X, Corpus) and len(X.views) > 1)


def _words_of(X: Any) -> Any:
    """Views of words by name."""
    return {name: view.counts for name, view in X.views.items()} if isinstance(X, Corpus) else X


def _vocabulary_of(X: Any) -> Any:
    """How to count words of new texts, by view where there are several."""
    if isinstance(X, Corpus) and len(X.views) > 1:
        return {name: view.vocabulary for name, view in X.views.items()}
    return X.vocabulary if isinstance(X, Corpus) else None


def _vectors_of(X: Any, vectors: Any, n_documents: int) -> dict[str, Array]:
    """The vectors given, or those of a corpus, by view."""
    if vectors is not None:
        given = {VECTORS: vectors}
    else:
        given = dict(X.vectors) if isinstance(X, Corpus) else {}
    return {name: checked_vectors("vectors", each, n_documents) for name, each in given.items()}


def _side_by_side(views: list[Array]) -> Array | None:
    """Vectors of several views as one of length one, each view counting the same."""
    rows = [unit_rows(each) for each in views]
    if len(rows) < 2:
        return rows[0] if rows else None
    return unit_rows(np.hstack(rows))


def _in_own_order(counts: Counts, vectors: Array | None = None) -> Labels:
    """Documents with words, in an order that only their words and vectors decide."""
    rng = np.random.default_rng(0)
    first, second = (counts @ rng.random((counts.shape[1], 2))).T
    last = np.zeros(len(first))
    if vectors is not None:
        last = np.einsum("ij,j->i", vectors, rng.random(vectors.shape[1]))
    order = np.lexsort((last, second, first))
    filled: Labels = order[np.diff(counts.indptr)[order] > 0]
    return filled
