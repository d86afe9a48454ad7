"""What estimators of several views share: reading them, new documents, results by view."""

from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie import executors
from coterie.base import Clusterer, diagonal
from coterie.corpus import Corpus, Vocabulary
from coterie.errors import InputError
from coterie.memory import Size
from coterie.models.plsa import PLSA
from coterie.multiview.joint import JointPLSA
from coterie.multiview.views import (
    Layout,
    Views,
    by_view,
    check_layout,
    read_like,
    read_views,
    refuse_other_words,
)
from coterie.schema import Field, Is, Items, Number, Numbers, Shares, Sizes, Values, Whole
from coterie.types import Array, Labels


@dataclass(eq=False, repr=False)
class ViewsEstimator(Clusterer):
    """Base of models of several views; a subclass writes `_learn` and `_assign_all`.

    `X` is a list or mapping of matrices, a view each and a row a document, or a Corpus of
    several views. A row without words, or a vector of zeros, is a document without the view.
    New documents come in the same views; of a mapping any may be left out.

    Parameters
    ----------
    vectors : sequence of str or int, default=()
        Names, or numbers from 0, of views that are vectors and not counts; for a Corpus, which
        knows them, nothing.
    max_iter, tol, n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    components_ : ndarray of shape (n_clusters, n_words)
        Word distribution of each cluster over the words of all views side by side.
    view_components_ : dict of ndarrays
        The same for each view of words, each row summing to one, or to zero where a cluster
        has no words of the view.
    view_names_ : list of str
        Views of words, then of vectors.
    vocabulary_ : dict of Vocabulary or None
        How to count words of new texts, where the model was fitted to a Corpus.
    memberships_, labels_, weights_, word_labels_, history_, n_iter_, converged_, interrupted_
        See `EMEstimator`.
    """

    _least_views: ClassVar[int] = 1
    _schema: ClassVar[dict[str, Field]] = {
        **Clusterer._schema,
        "n_features_in_": Whole(1),
        "vocabulary_": Values(Is(Vocabulary), optional=True),
        "word_views_": Values(Whole(1)),
        "vector_views_": Values(Whole(1)),
        "view_names_": Items(Is(str), "V"),
        "view_components_": Values(Shares("K *")),
    }
    del _schema["feature_names_in_"]

    _: KW_ONLY
    vectors: Any = ()
    max_iter: int = 200
    tol: float = 1e-5
    n_init: int = 1
    random_state: int | np.random.RandomState | None = None

    def _read(self, X: Any) -> Any:
        """Views to fit to; how their words were counted is remembered as `vocabulary_`."""
        views = read_views(X, self.vectors)
        self.__dict__.pop("vocabulary_", None)  # of an earlier fit
        if isinstance(X, Corpus):
            self.vocabulary_ = {name: view.vocabulary for name, view in X.views.items()}
        self.word_views_, self.vector_views_ = views.layout.words, views.layout.vectors
        self.view_names_ = views.names
        self.n_features_in_ = sum((self.word_views_ | self.vector_views_).values())
        return views

    def _read_new(self, X: Any) -> Any:
        """Views of new documents, by the words of the fit."""
        check_is_fitted(self)
        if isinstance(X, Corpus) and self.vocabulary_ is not None:
            refuse_other_words(X, self.vocabulary_)
        return read_like(X, Layout(dict(self.word_views_), dict(self.vector_views_)))

    def _fit(self, views: Any) -> None:
        self._learn(views)
        self.view_components_ = by_view(self.components_, self.word_views_)

    def _learn(self, views: Views) -> None:
        """Set the fitted attributes but those by view."""
        raise NotImplementedError

    def _size(self, views: Any) -> Size:
        """That of the words of all views, with that of each view."""
        n_threads = executors.current().n_threads
        words = (Size.of(counts, n_threads) for counts in views.counts.values())
        vectors = (
            Size(len(x), x.shape[1], x.size, x.dtype.itemsize, n_threads)
            for x in views.vectors.values()
        )
        parts = (*words, *vectors)
        return Size.of(views.words, n_threads, n_dimensions=sum(views.widths), views=parts)

    def _bytes_of_joint(self, size: Size) -> int:
        """The views, their words side by side, and what PLSA of all of them adds."""
        n, K, width = size.n_documents, self.n_clusters, size.n_dimensions
        fitted = replace(size, itemsize=8) if width else size  # see `JointPLSA._fit`
        held = 2 * size.data + max(PLSA(K)._stage_bytes(fitted).values())
        held += fitted.data if fitted != size else 0
        at_work = size.at_work / size.n_shards
        mixes = int(at_work * fitted.padded(n, K))  # a copy, without the vectors beside them
        vectors = 3 * fitted.numbers(n, width) + int(at_work * size.doubles(n, width + 5 * K))
        return held + mixes + (vectors if width else 0)

    def _order_clusters(self, order: Labels) -> None:
        super()._order_clusters(order)
        self.view_components_ = by_view(self.components_, self.word_views_)

    def _check_fitted(self, sizes: Sizes) -> None:
        check_layout(self, sizes["m"])
        widths = self.word_views_ | self.vector_views_
        if not self.word_views_ or self.view_names_ != list(widths):
            raise InputError(f"view_names_: {self.view_names_}, expected {list(widths)}")
        if self.n_features_in_ != sum(widths.values()):
            expected = f"{sum(widths.values())}, the columns of all views"
            raise InputError(f"n_features_in_: {self.n_features_in_}, expected {expected}")
        super()._check_fitted(sizes)

    def _counts_like(self, sizes: Sizes) -> Any:
        n = sizes["n"]
        words = {name: diagonal(n, width) for name, width in self.word_views_.items()}
        return Views(words, {name: np.ones((n, 1)) for name in self.vector_views_})

    def _check_parameters(self, views: Any) -> None:
        if len(views.names) < self._least_views:
            (name,) = views.names
            raise InputError(
                f"views: '{name}' only, {type(self).__name__} needs at least two to vote; "
                "PLSA takes one"
            )
        super()._check_parameters(views.words)
        self._check_number("max_iter", Integral, 1)
        self._check_number("n_init", Integral, 1)
        self._check_number("tol", Real, 0)

    def _likelihood_and_length(self, X: Any) -> tuple[float, float]:
        views = self._read_new(X)
        if not views.words.nnz:
            raise InputError(f"no counts: all {views.words.shape[0]} documents are empty")
        return float(self._assign_all(views)[1].sum()), float(views.words.sum(dtype=np.float64))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True
        tags.input_tags.two_d_array = False  # scikit-learn's checks feed one matrix
        return tags


@dataclass(eq=False, repr=False)
class JointEstimator(ViewsEstimator):
    """Base of models that end in PLSA on all views at once.

    Parameters
    ----------
    vector_weight : float, optional
        How many words a vector counts for; None is the mean length of a view of words.

    Attributes
    ----------
    directions_, concentrations_ : ndarrays
        Mean directions of the vectors of each cluster, side by side, and the concentration of
        each view of vectors, where there are any.
    vector_weight_ : float
        How many words a vector counts for.
    """

    _schema: ClassVar[dict[str, Field]] = {
        **ViewsEstimator._schema,
        "directions_": Numbers("K w", optional=True),
        "concentrations_": Numbers("*", np.nextafter(0, 1), optional=True),
        "vector_weight_": Number(0),
    }

    _: KW_ONLY
    vector_weight: float | None = None

    def _check_fitted(self, sizes: Sizes) -> None:
        super()._check_fitted(sizes)
        views = self.vector_views_
        found = sizes.get("w", 0), len(getattr(self, "concentrations_", ()))
        if found != (sum(views.values()), len(views)):
            raise InputError(
                f"directions_, concentrations_: {found[0]} columns and {found[1]} numbers, "
                f"expected {sum(views.values())} and {len(views)}, as the views of vectors have"
            )

    def _check_parameters(self, views: Any) -> None:
        super()._check_parameters(views)
        if self.vector_weight is None:
            return
        self._check_number("vector_weight", Real, np.nextafter(0, 1))
        if not views.vectors:
            raise InputError(
                f"vector_weight={self.vector_weight}: there is no view of vectors; leave it "
                "out, or name the view with vectors="
            )

    def _needed_bytes(self, size: Size) -> int:
        """Those of PLSA on all views."""
        return self._bytes_of_joint(size)

    def _fit_joint(self, views: Views, **settings: Any) -> None:
        """Fit a model of all views at once and publish its results."""
        weight = self.vector_weight
        if weight is None:
            n_present = max(int(views.present[:, : len(views.counts)].sum()), 1)
            weight = float(views.words.sum(dtype=np.float64)) / n_present
        joint = JointPLSA(
            self.n_clusters,
            vectors=views.stacked,
            widths=views.widths,
            vector_weight=float(weight),
            max_iter=self.max_iter,
            tol=self.tol,
            **settings,
        )
        joint._fit(views.words)
        for name in ("memberships_", "weights_", "components_", "word_labels_"):
            setattr(self, name, getattr(joint, name))
        for name in ("history_", "n_iter_", "converged_"):
            setattr(self, name, getattr(joint, name))
        for name in ("directions_", "concentrations_"):
            self.__dict__.pop(name, None)  # of an earlier fit
            if hasattr(joint, name):
                setattr(self, name, getattr(joint, name))
        self.vector_weight_ = joint.vector_weight

    def _assign_all(self, views: Any) -> tuple[Array, Array]:
        """Fold documents in by all views they have."""
        joint = JointPLSA(
            self.n_clusters, widths=views.widths, vector_weight=self.vector_weight_
        )
        joint.components_ = self.components_
        if views.stacked is None:
            return joint._assign_all(views.words)
        joint.directions_, joint.concentrations_ = self.directions_, self.concentrations_
        return joint._assign_with_vectors(views.words, views.stacked, executors.current().ops)
