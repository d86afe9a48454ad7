"""The first stage: a model of each view on its own (Kim et al., 2010, section 2.1)."""

import warnings
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from coterie import fitting
from coterie.base import Clusterer
from coterie.errors import InputError
from coterie.memory import Size
from coterie.models.baselines import LDABaseline
from coterie.models.ext_plsa import ExtPLSA
from coterie.models.mixture import MultinomialMixture
from coterie.models.plsa import PLSA
from coterie.models.von_mises import VonMisesFisherMixture
from coterie.multiview.estimator import ViewsEstimator
from coterie.multiview.views import Views
from coterie.schema import Estimator, Field, Is, Items, Sizes
from coterie.types import Array

BASES: dict[str, Any] = {
    "plsa": PLSA,
    "mm": MultinomialMixture,
    "lda": lambda n_init, **_: LDABaseline(n_init=n_init),  # iterates in other units
    "ext-plsa": ExtPLSA,
}
SIZES = ("n_clusters", "n_components")  # scikit-learn's mixtures have the second


class FirstStage(ViewsEstimator):
    """Base of models of several views that fit one model to each of them first.

    Attributes
    ----------
    view_models_ : list of estimators
        The models of the single views.
    views_converged_ : list of bool
        Whether each of them stopped by `tol`.
    """

    _schema: ClassVar[dict[str, Field]] = {
        **ViewsEstimator._schema,
        "view_models_": Items(Estimator(Clusterer, {"n": "n"}), "V"),
        "views_converged_": Items(Is(bool), "V"),
    }

    base: Any
    n_view_clusters: int | None

    def _first(self) -> Any:
        """The model of each view: its name, or an estimator."""
        return self.base

    def _check_fitted(self, sizes: Sizes) -> None:
        super()._check_fitted(sizes)
        widths = self.word_views_ | self.vector_views_
        for (name, width), model in zip(widths.items(), self.view_models_, strict=True):
            of_vectors = isinstance(model, VonMisesFisherMixture)
            if model.n_features_in_ != width or of_vectors != (name in self.vector_views_):
                raise InputError(
                    f"view_models_: {type(model).__name__} of {model.n_features_in_} columns, "
                    f"expected a model of the {width} columns of view '{name}'"
                )

    def _check_parameters(self, views: Any) -> None:
        super()._check_parameters(views)
        if self.n_view_clusters is not None:
            self._check_number("n_view_clusters", Integral, 1)
        first = self._first()
        if isinstance(first, str) and first in BASES:
            return
        if isinstance(first, str | type) or not hasattr(first, "fit_predict"):
            names = ", ".join(repr(name) for name in BASES)
            raise InputError(f"base={first!r}: expected {names} or an estimator that clusters")
        name, parameters = type(first).__name__, first.get_params(deep=False)
        if self.n_view_clusters is not None and not set(SIZES) & set(parameters):
            raise InputError(
                f"n_view_clusters={self.n_view_clusters}: {name} has no such parameter"
            )

    def _bytes_of_first_stage(self, size: Size) -> int:
        """The largest fit of a view, and the results of all views."""
        n_words = len(size.views) - bool(size.n_dimensions)
        fits = [0]
        for number, view in enumerate(size.views):
            model = self._view_model(number >= n_words, 0)
            if isinstance(model, Clusterer):
                fits.append(model._needed_bytes(view) - view.data)
        return size.data + max(fits) + self._bytes_of_results(size)

    def _bytes_of_results(self, size: Size) -> int:
        """Models of the views, and memberships of the documents, in double precision too."""
        n, K = size.n_documents, self.n_view_clusters or self._most_clusters
        memberships = len(size.views) * (size.numbers(n, K) + size.doubles(n, K))
        return memberships + sum(view.numbers(view.n_words, K) for view in size.views)

    def _fit_view_models(self, views: Views, seeds: list[int]) -> list[Array]:
        """Fit the models and return the memberships of the documents in each view."""
        self.view_models_: list[Any] = []
        self.views_converged_: list[bool] = []
        memberships = []
        for number, (name, X) in enumerate(views.matrices.items()):
            model = self._view_model(name in views.vectors, seeds[number])
            with fitting.part(number, len(views.names) + 1, f"Fitting view '{name}'"):
                try:
                    fit_inside(model, X)
                except InputError as error:
                    raise InputError(f"view '{name}': {error}") from error
            self.view_models_.append(model)
            self.views_converged_.append(bool(getattr(model, "converged_", True)))
            memberships.append(_fitted_memberships(model, X))
        return _where_present(memberships, views)

    def _view_memberships(self, views: Views) -> list[Array]:
        """Memberships of new documents in each view; zero where they lack it."""
        pairs = zip(self.view_models_, views.matrices.values(), strict=True)
        return _where_present([_memberships(model, X) for model, X in pairs], views)

    def _can_assign(self) -> bool:
        """Whether all models of single views assign new documents."""
        return all(hasattr(model, "predict") for model in self.view_models_)

    def _view_model(self, of_vectors: bool, seed: int) -> Any:
        """An unfitted model of a view."""
        loop: dict[str, Any] = {
            "max_iter": self.max_iter,
            "tol": self.tol,
            "n_init": self.n_init,
        }
        if of_vectors:
            model = VonMisesFisherMixture(**loop)
        elif isinstance(self._first(), str):
            model = BASES[self._first()](**loop)
        else:
            model = clone(self._first())
        settings = dict.fromkeys(SIZES, self.n_view_clusters or self.n_clusters)
        settings["random_state"] = seed
        if self.n_init > 1:
            settings["n_init"] = self.n_init
        known = model.get_params(deep=False)
        return model.set_params(**{name: settings[name] for name in settings if name in known})


def fit_inside(model: Any, X: Any) -> None:
    """Fit a model within another fit, its documents assigned as new ones would be.

    A model of another library is fitted as it does that itself.
    """
    if isinstance(model, Clusterer):
        counts = model._read(X)
        model._check_parameters(counts)
        model._fit(counts)
        model._assign_fitted(counts)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)


def _fitted_memberships(model: Any, X: Any) -> Array:
    """Memberships of the documents of the fit: as new ones, where the model can predict."""
    if isinstance(model, Clusterer):
        return np.asarray(model.memberships_, dtype=np.float64)
    return (
        _memberships(model, X) if hasattr(model, "predict") else _wholly(model, model.labels_)
    )


def _memberships(model: Any, X: Any) -> Array:
    """Memberships of new documents: shares, or else one for the predicted cluster."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    if not hasattr(model, "predict"):
        raise InputError(
            f"base: {type(model).__name__} has no predict, so new documents cannot be assigned"
        )
    return _wholly(model, model.predict(X))


def _wholly(model: Any, labels: Any) -> Array:
    """One for the cluster of each document; nothing for -1, which stands for none."""
    labels = np.asarray(labels)
    memberships: Array = np.eye(max(int(np.max(model.labels_)) + 1, 1))[labels]
    memberships[labels < 0] = 0
    return memberships


def _where_present(memberships: list[Array], views: Views) -> list[Array]:
    present = views.present.T[:, :, None]
    return [np.where(has, q, 0) for has, q in zip(present, memberships, strict=True)]
