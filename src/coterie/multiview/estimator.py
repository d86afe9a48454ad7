"""What estimators of several views share: reading them, placing new documents, results."""

import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from coterie import executors
from coterie.base import EMEstimator
from coterie.corpus import Corpus
from coterie.errors import InputError
from coterie.multiview.joint import JointPLSA
from coterie.multiview.views import (
    Layout,
    Views,
    by_view,
    read_like,
    read_views,
    refuse_other_words,
)
from coterie.types import Array


@dataclass(eq=False, repr=False)
class ViewsEstimator(EMEstimator):
    """Base of models of several views; a subclass writes `learn`.

    `X` is a list or mapping of matrices, a view each and a row a document, or a Corpus of
    several views. A row without words, or a vector of zeros, is a document the view lacks.
    New documents come in the same views; of a mapping any may be left out.

    Parameters
    ----------
    vectors : sequence of str or int, default=()
        Names, or numbers from 0, of views that are vectors and not counts; those of a Corpus
        are known.
    vector_weight : float, optional
        How many words a vector counts for; None is the mean length of a view of words.
    max_iter, tol, n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    components_ : ndarray of shape (n_clusters, n_words)
        Word distribution of each cluster over the words of all views side by side.
    view_components_ : dict of ndarrays
        The same for each view of words, each row summing to one, or to zero where a cluster
        has no words of the view.
    directions_, concentrations_ : ndarrays or None
        Mean directions of the vectors of each cluster, side by side, and their concentrations.
    view_names_ : list of str
        Views of words, then of vectors.
    vocabulary_ : dict of Vocabulary or None
        How to count words of new texts, where the model was fitted to a Corpus.
    memberships_, labels_, weights_, word_labels_, history_, n_iter_, converged_, interrupted_
        See `EMEstimator`.
    """

    _least_views: ClassVar[int] = 1

    _: KW_ONLY
    vectors: Any = ()
    vector_weight: float | None = None

    def fit(self, X: Any, y: None = None) -> Self:  # noqa: ARG002
        """Fit the model to several views of the same documents."""
        views = read_views(X, self.vectors)
        self.check_views(views)
        self.vocabulary_ = None
        if isinstance(X, Corpus):
            self.vocabulary_ = {name: view.vocabulary for name, view in X.views.items()}
        layout = views.layout
        self.word_views_, self.vector_views_ = layout.words, layout.vectors
        self.view_names_ = views.names
        self.n_features_in_ = sum(layout.words.values()) + sum(layout.vectors.values())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.learn(views)
        self.view_components_ = by_view(self.components_, views.layout.words)
        if not self.converged_ and not self.interrupted_:
            message = f"{type(self).__name__} did not converge in max_iter={self.max_iter}"
            warnings.warn(f"{message}; raise it or tol", ConvergenceWarning, stacklevel=2)
        return self

    def learn(self, views: Views) -> None:
        """Set the results from the views."""
        raise NotImplementedError

    def check_views(self, views: Views) -> None:
        """Refuse views and parameters that do not fit together."""
        if len(views.names) < self._least_views:
            (name,) = views.names
            raise InputError(
                f"views: '{name}' only, {type(self).__name__} needs at least two to vote; "
                "PLSA takes one"
            )
        self._check_parameters(views.words)
        if self.vector_weight is not None:
            self._check_number("vector_weight", Real, np.nextafter(0, 1))

    def joint(self, views: Views, **others: Any) -> JointPLSA:
        """An unfitted model of all views at once."""
        weight = self.vector_weight
        if weight is None:
            n_present = max(int(views.present[:, : len(views.counts)].sum()), 1)
            weight = float(views.words.sum(dtype=np.float64)) / n_present
        settings = {"max_iter": self.max_iter, "tol": self.tol, **others}
        return JointPLSA(
            self.n_clusters,
            vectors=views.stacked,
            widths=views.widths,
            vector_weight=float(weight),
            **settings,
        )

    def seeds(self, n: int) -> list[int]:
        """As many seeds, from `random_state`."""
        drawn = check_random_state(self.random_state).randint(2**31, size=n)
        return [int(seed) for seed in drawn]

    def take(self, joint: JointPLSA) -> None:
        """Publish what a fitted model of all views found."""
        for name in ("memberships_", "labels_", "weights_", "components_", "word_labels_"):
            setattr(self, name, getattr(joint, name))
        for name in ("history_", "n_iter_", "converged_", "interrupted_"):
            setattr(self, name, getattr(joint, name))
        self.directions_ = getattr(joint, "directions_", None)
        self.concentrations_ = getattr(joint, "concentrations_", None)
        self.vector_weight_ = joint.vector_weight

    def place_views(self, views: Views) -> tuple[Array, Array]:
        """Fold documents in by all views they have."""
        model = JointPLSA(
            self.n_clusters, widths=views.widths, vector_weight=self.vector_weight_
        )
        model.components_ = self.components_
        if views.stacked is None:
            return model._assign_all(views.words)
        model.directions_, model.concentrations_ = self.directions_, self.concentrations_
        return model.place_with_vectors(views.words, views.stacked, executors.current().ops)

    def _placed(self, X: Any) -> tuple[Array, Array]:
        check_is_fitted(self)
        return self.place_views(self._new_views(X))

    def _likelihood_and_length(self, X: Any) -> tuple[float, float]:
        check_is_fitted(self)
        views = self._new_views(X)
        if not views.words.nnz:
            raise InputError(f"no counts: all {views.words.shape[0]} documents are empty")
        return float(self.place_views(views)[1].sum()), float(views.words.sum(dtype=np.float64))

    def _new_views(self, X: Any) -> Views:
        if isinstance(X, Corpus) and self.vocabulary_ is not None:
            refuse_other_words(X, self.vocabulary_)
        return read_like(X, Layout(dict(self.word_views_), dict(self.vector_views_)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True  # a list of matrices is not what its checks feed
        return tags
