"""Automatic clustering: nothing needs to be chosen."""

import warnings
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie import fitting
from coterie.arrays import distributions
from coterie.automatic import large, stages
from coterie.automatic.calibration import calibrated, no_calibration
from coterie.automatic.candidates import SAVED, Effort
from coterie.automatic.inputs import TakesVectors
from coterie.automatic.large import Everything, refined_on_all, sampled, tree_of_all
from coterie.automatic.neighbour_mixture import Neighbourhood, NeighbourMixture, posteriors_of
from coterie.automatic.number import AUTO, GRID, number_bytes, offers
from coterie.automatic.search import Search, search_bytes
from coterie.automatic.stages import Stages
from coterie.automatic.tree import Tree, labels_at
from coterie.automatic.weights import learned_weights
from coterie.base import Clusterer, EMEstimator, digest, seeds_from, words_by_cluster
from coterie.corpus import Vocabulary
from coterie.errors import InputError, InterruptedWarning
from coterie.kernels.sums import word_sums
from coterie.memory import Size, TooLargeError
from coterie.models.mixture import MultinomialMixture
from coterie.multiview.views import by_view, check_layout
from coterie.schema import (
    Distributions,
    Either,
    Estimator,
    Field,
    Is,
    Items,
    Linkage,
    Number,
    Numbers,
    Record,
    Shares,
    Sizes,
    Values,
    Whole,
    Wholes,
)
from coterie.types import ASKED, Array, Counts, Labels, Ops
from coterie.weighting import WordWeights

TOL = 1e-5  # relative gain at which the fit of a candidate stops
PULL = "pull"
COLUMN = Items(Number(finite=False))
NEIGHBORS: dict[str, Field] = {
    "axes": Numbers("m r"),
    "documents": Numbers("f r"),
    "vectors": Either((Is(type(None)), Numbers("f w"))),
    "n_neighbors": Whole(),
    "strengths": Items(Number(), "2", tuple),
    PULL: Numbers("g K"),
}


@dataclass(eq=False, repr=False)
class AutoClustering(TakesVectors):
    r"""A consensus of many clusterings, and the number of clusters.

    Words weigh the more the more alike the documents are that share them. Rare words weigh
    more, unless documents are short, of fewer than 15 different words on average. The model
    is a mixture of multinomials in which a share of all words comes from a background that
    clusters share (`MultinomialMixture.background`). Candidates come from an incremental
    vocabulary with several first sizes, and from k-means on the axes of latent semantic
    analysis; where documents are short, also on means of word vectors learned from the
    collection. Their consensus clusters documents that have similar memberships in all
    candidates, or, where independent starts found the likeliest clusters again, in these. A
    mixture with a nearest-neighbour term refines it: documents are pulled towards the clusters
    of their neighbours. Small collections get more candidates than large ones.

    The result does not depend on the order of the documents.

    Parameters
    ----------
    n_clusters : int, "auto", "few" or "many", default="auto"
        Number of clusters; "auto" estimates it, see `n_clusters_curve_`, "few" and "many" take
        the smallest and the largest of `n_clusters_offered_`. Clusters that no document is in
        are dropped then.
    background : float, default=0.25
        Share of words that come from the background, which all clusters share.
    scale : float, default=0.1
        *T*, by which the evidence of words is tempered; that of several views is divided by
        their number.
    growths : sequence of pairs of int, default=((300, 5), (500, 5), (1000, 4), (2000, 3))
        First size and number of steps of each incremental vocabulary; three candidates each,
        or up to six where there is little to compute.
    ranks : sequence of int, default=(20, 50, 100)
        Numbers of axes on which k-means is run; three candidates each, or up to six times as
        many.
    n_votes : int, default=192
        Number of k-means of which the best is the consensus; fewer where documents and
        clusters are very many. With 0, the most likely candidate is refined instead.
    calibrated : bool, default=True
        Whether probabilities are calibrated to how often documents stay in their cluster.
    n_neighbors : int, default=20
        Number of nearest neighbours that pull a document, by words and, where documents have
        vectors, by vectors; fewer where clusters are small, 0 for none.
    max_iter : int, default=60
        Most iterations of a candidate; the result has up to five times as many.
    random_state : int, RandomState or None, default=None
        Seed of all draws. The same seed gives the same bits on any number of threads.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters.
    n_clusters_curve_ : dict of lists
        The numbers tried, "n_clusters", and the "modularity", "agreement" between methods and
        "stability" of each; empty where the number is a parameter.
    n_clusters_offered_ : dict of lists
        The numbers that stand out, "n_clusters", the one that "auto" chooses among them, with
        their "score" and the measures of the curve; empty where the number is a parameter.
    labels_ : ndarray of shape (n_documents,)
        The most probable cluster of each document; clusters are ordered by size, largest first.
    memberships_ : ndarray of shape (n_documents, n_clusters_)
        Calibrated probabilities: of the documents at 0.8, about 80 in 100 stay in their cluster
        when clusters are learned from part of the documents.
    calibration_ : dict of lists
        By ranges of probability, the mean "predicted" and "observed" probability and the number
        "n" of documents.
    stability_ : ndarray of shape (n_clusters_ + 2,)
        Coefficients of the calibration: the stability of each cluster, and the slopes of margin
        and length; not a number where probabilities are not calibrated.
    components_ : ndarray of shape (n_clusters_, n_words)
        Shares of words, plainly counted, in the documents of each cluster.
    word_probabilities_ : ndarray of shape (n_clusters_, n_words)
        Distribution of weighted words of each cluster, by which documents are assigned.
    candidates_ : dict of lists
        "name", "objective" and "agreement", the adjusted Rand index with the result, of each.
    tree_ : ndarray of shape (n_leaves - 1, 4)
        Dendrogram of the clusters and their halves, as SciPy's linkage: two nodes, the
        likelihood lost, documents with words. The first leaves are the clusters. See
        `labels_at`.
    leaves_ : ndarray of shape (n_documents,)
        The leaf of the tree each document is in.
    view_components_ : dict of ndarrays
        The same as `components_` for each view, each row summing to one, or to zero where no
        document of the cluster has the view; their words are side by side in `components_`.
        Empty where there is one view.
    weighting_ : WordWeights
        The weights of words; their `word_weights_` are those by coherence.
    neighbors_ : dict
        Fitted "documents" on the main "axes" of words and their "vectors", among which
        neighbours are searched, the "strengths" of neighbours by words and by vectors, and the
        "pull" of each fitted document towards each cluster; empty without neighbours.
    weights_, word_labels_, history_, n_iter_, converged_, interrupted_, vocabulary_
        See `EMEstimator`. Likelihoods are those of the weighted words: scores of the
        form of a likelihood, to compare models of the same weights by. `history_` includes
        the nearest-neighbour term; only its steps can be compared.

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

    _schema: ClassVar[dict[str, Field]] = {
        **Clusterer._schema,
        "vocabulary_": Either((Is(Vocabulary, "m"), Values(Is(Vocabulary))), optional=True),
        "word_views_": Values(Whole(1)),
        "vector_views_": Values(Whole(1)),
        "view_components_": Values(Shares("K *")),
        "n_clusters_": Whole(1, "K"),
        "n_clusters_curve_": Values(COLUMN),
        "n_clusters_offered_": Values(COLUMN, optional=True),
        "word_probabilities_": Distributions("K m"),
        "weighting_": Estimator(WordWeights, {"m": "m"}),
        "neighbors_": Record(NEIGHBORS, empty=True),
        "candidates_": Record(
            {"name": Items(Is(str)), "objective": COLUMN, "agreement": COLUMN}
        ),
        "stability_": Numbers("K+2", finite=False),
        "calibration_": Record(
            dict.fromkeys(("predicted", "observed", "n"), COLUMN), empty=True
        ),
        "tree_": Linkage("leaves"),
        "leaves_": Wholes("n", ("leaves",)),
    }

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
    random_state: int | np.random.RandomState | None = None

    def _check_fitted(self, sizes: Sizes) -> None:
        super()._check_fitted(sizes)
        check_layout(self, sizes["m"])
        missing = np.isnan(self.stability_)
        if not missing.all() and not np.isfinite(self.stability_).all():
            raise InputError("stability_: expected finite numbers, or none at all")
        if sizes["leaves"] < sizes["K"]:
            raise InputError(f"tree_: {sizes['leaves']} leaves for {sizes['K']} clusters")
        if self.neighbors_:
            self._check_neighbors(sizes)

    def _check_neighbors(self, sizes: Sizes) -> None:
        n_fitted, has_vectors = sizes["f"], self.neighbors_["vectors"] is not None
        n_pulling, width = n_fitted * (1 + has_vectors), sum(self.vector_views_.values())
        if sizes["g"] != n_pulling:
            raise InputError(f"neighbors_: pull of {sizes['g']}, expected {n_pulling} rows")
        if has_vectors and sizes["w"] != width:
            raise InputError(f"neighbors_: vectors of {sizes['w']}, expected {width} numbers")

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        if self._is_estimated:
            if self.n_clusters not in ASKED:
                raise InputError(
                    f"n_clusters={self.n_clusters!r}: expected 'auto', 'few', 'many' or a "
                    "whole number"
                )
        else:
            super()._check_parameters(X)
        n_filled = int(np.count_nonzero(np.diff(X.indptr)))
        if not n_filled:
            raise InputError(f"no counts: all {X.shape[0]} documents are empty")
        if not self._is_estimated and self.n_clusters > n_filled:
            raise InputError(
                f"n_clusters={self.n_clusters}: larger than the number of documents with "
                f"words, {n_filled}"
            )
        for name, kind, least in (
            ("n_votes", Integral, 0), ("max_iter", Integral, 1), ("n_neighbors", Integral, 0),
            ("scale", Real, np.nextafter(0, 1)), ("background", Real, 0),
        ):  # fmt: skip
            self._check_number(name, kind, least)
        if self.background >= 1:
            raise InputError(f"background={self.background!r}: expected a share below 1")
        self._check_candidates()

    @property
    def _is_estimated(self) -> bool:
        return isinstance(self.n_clusters, str)

    @property
    def _most_clusters(self) -> int:
        return max(GRID) if self._is_estimated else int(self.n_clusters)

    def _described(self, size: Size) -> str:
        how_many = " into up to " if self._is_estimated else " into "
        return super()._described(size).replace(" into ", how_many)

    def _size(self, X: Any) -> Size:
        n_dimensions = 0 if self._vectors is None else self._vectors.shape[1]
        return replace(super()._size(X), n_dimensions=n_dimensions)

    def _needed_bytes(self, size: Size) -> int:
        """Those of the search, for the largest number of clusters where it is estimated."""
        n_clusters = max(1, min(self._most_clusters, size.n_documents))
        if size.n_documents > large.SAMPLE:
            return large.needed_bytes(size, n_clusters, self._effort())
        weights, effort = replace(size, itemsize=4), self._effort()
        search = search_bytes(weights, n_clusters, effort.adapted(weights, n_clusters))
        if self.calibrated:
            search = max(search, stages.calibration_bytes(weights, n_clusters, effort))
        counts = 2 * size.data  # as they are, and in another order
        results = size.doubles(size.n_documents, 3 * n_clusters)
        return counts + search + results

    def _effort(self) -> Effort:
        """How many candidates are compared."""
        return Effort(
            tuple((int(size), int(n_steps)) for size, n_steps in self.growths),
            ranks=tuple(self.ranks), n_votes=self.n_votes, n_neighbors=int(self.n_neighbors),
        )  # fmt: skip

    def _check_candidates(self) -> None:
        whole, several = int | np.integer, tuple | list | np.ndarray

        def is_size(value: Any) -> bool:
            return isinstance(value, whole) and not isinstance(value, bool) and value > 0

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
        """Labels of the fitted documents in fewer clusters, or more, largest first.

        They are those of a level of the tree: `labels_at(n_clusters_)` equals `labels_`.
        """
        check_is_fitted(self)
        n_leaves = len(self.tree_) + 1
        if not isinstance(n_clusters, int | np.integer) or not 1 <= n_clusters <= n_leaves:
            raise InputError(
                f"n_clusters={n_clusters!r}: expected a whole number from 1 to {n_leaves}"
            )
        return labels_at(Tree(self.leaves_, self.tree_), int(n_clusters))

    def _fit(self, X: Counts) -> None:
        state = fitting.state(lambda: self._identity(X))
        vectors = self._vectors
        filled = sampled(X, vectors)
        if len(filled) < np.count_nonzero(np.diff(X.indptr)):
            self._fit_large(X, filled, state)
            return
        steps = self._stages(X[filled], None if vectors is None else vectors[filled], state)
        n_clusters = self._found_number(steps)
        model, search = steps.clusters(n_clusters)
        model = steps.by_size(model, search, X.shape[0], drop_empty=self._is_estimated)
        self.n_clusters_ = len(model.weights_)
        self._take(model, search, steps.agreement(model.labels_, search))
        self.stability_, self.calibration_ = no_calibration(self.n_clusters_)
        if self.calibrated:
            self.stability_, self.calibration_ = steps.calibration(model.memberships_)
        self._publish(X, filled, model.memberships_)
        leaves, self.tree_ = steps.tree(self.labels_[filled], self.n_clusters_)
        self.leaves_ = self.labels_.copy()  # the first leaf of a cluster has its number
        has_words = np.diff(steps.weights.indptr) > 0
        self.leaves_[filled[has_words]] = leaves[has_words]
        state.end()

    def _fit_large(self, X: Counts, rows: Labels, state: fitting.State) -> None:
        """Candidates are compared on some rows; the result is refined on all."""
        vectors = self._vectors
        steps = self._stages(X[rows], None if vectors is None else vectors[rows], state, X)
        n_clusters = self._found_number(steps)
        model, search = steps.clusters(n_clusters)
        everything = Everything(X, self.weighting_, vectors)
        with steps.part(stages.ALL):
            joined = everything.joined(search.neighbourhood)
            model = refined_on_all(model, search, joined)
        has_words = np.diff(joined.indptr) > 0
        model = stages.ordered_by_size(
            model, has_words, X.shape[0], drop_empty=self._is_estimated
        )
        posteriors, _ = model._assign_all(joined)
        del joined
        self.n_clusters_ = len(model.weights_)
        of_sample = posteriors[rows]
        self._take(model, search, steps.agreement(of_sample.argmax(axis=1), search))
        self.stability_, self.calibration_ = no_calibration(self.n_clusters_)
        if self.calibrated:
            self.stability_, self.calibration_ = steps.calibration(of_sample)
        for block, weights, of_block in everything.blocks():
            part = self._probabilities(posteriors[block], weights, of_block)
            posteriors[block] = part
        self._describe(X, posteriors.astype(X.dtype, copy=False))
        halves = steps.half_models(self.labels_[rows], self.n_clusters_)
        self.leaves_, self.tree_ = tree_of_all(
            everything, self.labels_, self.n_clusters_, halves
        )
        state.end()

    def _found_number(self, steps: Stages) -> int:
        n_clusters, self.n_clusters_curve_ = steps.number(self.n_clusters)
        self.n_clusters_offered_ = offers(self.n_clusters_curve_)
        return n_clusters

    def _identity(self, X: Counts) -> dict[str, Any]:
        vectors = self._vectors
        of_vectors = None if vectors is None else [*vectors.shape, digest(vectors)]
        return super()._identity(X) | {"vectors": of_vectors}

    def _stages(
        self,
        X: Counts,
        vectors: Array | None,
        state: fitting.State,
        everything: Counts | None = None,
    ) -> Stages:
        """The stages of a fit to documents, which may be a sample of all."""
        state.check(SAVED, dict.fromkeys(state.arrays, Field()))
        if state.values.get("number", [1])[0] > X.shape[0]:
            state.refuse(f"{state.values['number'][0]} clusters of {X.shape[0]} documents")
        state.values.setdefault("seed", seeds_from(self.random_state, 1)[0])
        n_views = max(1, len(self.word_views_))  # which say the same once more
        seed, scale = int(state.values["seed"]), self.scale / n_views
        learn = partial(learned_weights, scale=scale, seed=seed)
        self.weighting_ = learn(X if everything is None else everything, X)
        model = MultinomialMixture(
            cluster_prior=2.0, word_prior=1.0, background=self.background,
            max_iter=self.max_iter, tol=TOL, random_state=0,
        )  # fmt: skip
        wanted = {
            stages.NUMBER: self._is_estimated, stages.CLUSTERS: True,
            stages.ALL: everything is not None,
            stages.STABILITY: self.calibrated, stages.LEVELS: True,
        }  # fmt: skip
        parts = tuple(name for name, is_wanted in wanted.items() if is_wanted)

        def weighted_by(rows: Labels) -> Counts:
            return learn(X[rows], X[rows]).transform(X.astype(np.float32))

        frequencies = X.sum(axis=0, dtype=np.float64)
        return Stages(
            model, self._weighted(X), frequencies, self._effort(), state, parts, weighted_by,
            vectors,
        )  # fmt: skip

    def _take(self, model: EMEstimator, search: Search, agreement: list[float]) -> None:
        for name in ("weights_", "history_", "n_iter_", "converged_"):
            setattr(self, name, getattr(model, name))
        self.word_probabilities_ = model.components_
        self.neighbors_ = {}
        if search.neighbourhood is not None:
            self.neighbors_ = vars(search.neighbourhood) | {PULL: model.pull_}
        self.candidates_ = {
            "name": [each.name for each in search.candidates],
            "objective": [each.objective for each in search.candidates],
            "agreement": agreement,
        }

    def _publish(self, X: Counts, filled: Labels, of_filled: Array) -> None:
        """Memberships of all documents, and words of their clusters."""
        weights, vectors = self._weighted(X), self._vectors
        empty = np.diff(X.indptr) == 0
        posteriors = np.empty((len(empty), self.n_clusters_), of_filled.dtype)
        posteriors[filled] = of_filled
        if empty.any():
            of_empty = None if vectors is None else vectors[empty]
            posteriors[empty] = self._posteriors(weights[empty], of_empty)
        probabilities = self._probabilities(posteriors, weights, vectors)
        self._describe(X, probabilities.astype(X.dtype))

    def _describe(self, X: Counts, memberships: Array) -> None:
        """Take memberships of all documents, and the words that follow from them."""
        self.memberships_ = memberships
        self.labels_ = self.memberships_.argmax(axis=1)
        hard = np.eye(self.n_clusters_)[self.labels_]
        without = ~hard.any(axis=0)  # a cluster no document is in has words by probabilities
        hard[:, without] = self.memberships_[:, without]
        self.components_ = distributions(word_sums(X, hard).T).astype(X.dtype)
        self.word_labels_ = words_by_cluster(X, hard, self.components_)
        self.view_components_ = by_view(self.components_, self.word_views_)

    def _assign_fitted(self, X: Counts) -> None:
        """`_publish` has assigned them as new ones."""

    def _order_clusters(self, order: Labels) -> None:
        labels = self.labels_
        super()._order_clusters(order)
        self.leaves_, self.tree_ = Tree(self.leaves_, self.tree_).ordered(order)
        moved = order[self.labels_] != labels  # documents that belong to several alike
        self.leaves_[moved] = self.labels_[moved]
        self.stability_ = np.append(self.stability_[order], self.stability_[len(order) :])
        if self.neighbors_:
            self.neighbors_[PULL] = np.ascontiguousarray(self.neighbors_[PULL][:, order])
        self.view_components_ = by_view(self.components_, self.word_views_)

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """Posteriors and log-likelihoods by the weighted words alone."""
        model: Any = self._model(MultinomialMixture())
        memberships, log_likelihoods = model._assign(self._weighted(X), ops)
        return memberships, log_likelihoods

    def _memberships(self, X: Counts, vectors: Array | None) -> Array:
        parts = []
        for _, weights, of_block in Everything(X, self.weighting_, vectors).blocks():
            posteriors = self._posteriors(weights, of_block)
            parts.append(self._probabilities(posteriors, weights, of_block).astype(X.dtype))
        return np.concatenate(parts)

    def _weighted(self, X: Counts) -> Counts:
        return self.weighting_.transform(X.astype(np.float32))

    def _posteriors(self, weights: Counts, vectors: Array | None) -> Array:
        if not self.neighbors_:
            return posteriors_of(self._model(MultinomialMixture()), None, weights, vectors)
        model = self._model(NeighbourMixture())
        model.pull_ = self.neighbors_[PULL]
        known = {name: each for name, each in self.neighbors_.items() if name != PULL}
        return posteriors_of(model, Neighbourhood(**known), weights, vectors)

    def _probabilities(self, posteriors: Array, weights: Counts, vectors: Any) -> Array:
        """Calibrated probabilities.

        Without weighted words, they are the posteriors by vectors, else the clusters' shares.
        """
        probabilities = calibrated(posteriors, weights, self.stability_)
        wordless = np.diff(weights.indptr) == 0
        by_vectors = vectors is not None and self.neighbors_.get("vectors") is not None
        probabilities[wordless] = posteriors[wordless] if by_vectors else self.weights_
        return probabilities

    def _model(self, model: Any) -> Any:
        model.weights_, model.components_ = self.weights_, self.word_probabilities_
        return model

    def _likelihood_and_length(self, X: Any) -> tuple[float, float]:
        counts = self._read_new(X)
        if not counts.nnz:
            raise InputError(f"no counts: all {counts.shape[0]} documents are empty")
        length = self.weighting_.transform(counts).sum(dtype=np.float64)
        if not length:
            raise InputError("no counts: none of the words of the documents has a weight")
        return float(self._assign_all(counts)[1].sum()), float(length)


def number_of_clusters(
    X: Any, wanted: str = AUTO, *, random_state: Any = None
) -> tuple[int, dict[str, list[float]]]:
    """Estimate the number of clusters as `AutoClustering` does, and return the curve too.

    `wanted` is "auto", "few" or "many", as its `n_clusters`. Several views are taken side by
    side. Ctrl-C ends the estimate with a warning.

    Examples
    --------
    >>> counts = np.random.default_rng(0).integers(1, 5, (30, 12))
    >>> X = np.kron(np.eye(3), np.ones((10, 4))) * counts
    >>> number_of_clusters(X, random_state=0)[0]
    3
    """
    settings = AutoClustering(wanted, random_state=random_state)
    counts = settings._read(X)
    settings._check_parameters(counts)
    _refuse_too_large(settings._size(counts))
    with fitting.session() as session:
        no_state = fitting.State(None, dict)
        steps = settings._stages(counts[sampled(counts)], None, no_state)
        steps.parts = (stages.NUMBER,)
        estimate = steps.number(wanted)
    if session.stopped:
        message = (
            "stopped by Ctrl-C while estimating the number of clusters; the best so far is"
        )
        warnings.warn(f"{message} {estimate[0]}", InterruptedWarning, stacklevel=2)
    return estimate


def _refuse_too_large(size: Size) -> None:
    """Refuse to estimate the number of clusters where that needs too much memory."""
    needed, allowed = number_bytes(size), fitting.allowed_bytes()
    if fitting.is_too_large(needed):
        what = f"estimating the number of clusters of {size.n_documents:,} documents"
        raise TooLargeError(what, size, needed, allowed, ["a number given beforehand (-k)"])
