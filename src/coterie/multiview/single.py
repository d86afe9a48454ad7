"""The first stage: a model of each view on its own (paper 003, section 2.1)."""

import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from coterie import engine
from coterie.errors import InputError, InterruptedWarning
from coterie.models.baselines import LDABaseline
from coterie.models.ext_plsa import ExtPLSA
from coterie.models.mixture import MultinomialMixture
from coterie.models.plsa import PLSA
from coterie.models.von_mises import VonMisesFisherMixture
from coterie.multiview.views import Views
from coterie.types import Array, Labels

BASES: dict[str, Any] = {
    "plsa": PLSA,
    "mm": MultinomialMixture,
    "lda": lambda n_init, **_: LDABaseline(n_init=n_init),  # its steps are another's
    "ext-plsa": ExtPLSA,
}


@dataclass(frozen=True)
class Single:
    """A model fitted to one view; documents the view lacks have no cluster and no shares."""

    model: Any
    memberships: Array
    labels: Labels


@dataclass
class FirstStage:
    """How the views are fitted one by one, and whether Ctrl-C ended it."""

    base: Any
    n_view_clusters: int
    loop: dict[str, Any]
    n_parts: int

    def __post_init__(self) -> None:
        self.stop = threading.Event()
        self.converged: list[bool] = []

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended a fit; those after it end after one step."""
        return self.stop.is_set()

    def fit(self, views: Views, seeds: Sequence[int]) -> list[Single]:
        """A model of each view, in order; views of vectors have a model of their own."""
        parts: dict[str, Any] = {**views.counts, **views.vectors}
        found = []
        for number, (name, X) in enumerate(parts.items()):
            base = self.base if name in views.counts else VonMisesFisherMixture(**self.loop)
            model = self.model(base, seeds[number])
            with fitting.part(number, self.n_parts, self.stop), warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                warnings.simplefilter("ignore", InterruptedWarning)
                try:
                    model.fit(X)
                except InputError as error:
                    raise InputError(f"view '{name}': {error}") from error
            self.converged.append(bool(getattr(model, "converged_", True)))
            if getattr(model, "interrupted_", False):
                self.stop.set()
            found.append(_single(model, views.present[:, number]))
        return found

    def model(self, base: Any, seed: int) -> Any:
        """An unfitted model; one given by name has the loop's settings, any other its own."""
        model = BASES[base](**self.loop) if isinstance(base, str) else clone(base)
        settable = model.get_params(deep=False)
        size = next((name for name in ("n_clusters", "n_components") if name in settable), None)
        if size is not None:  # scikit-learn's mixtures say n_components
            model.set_params(**{size: self.n_view_clusters})
        if "random_state" in settable:
            model.set_params(random_state=seed)
        return model


def check_base(base: Any) -> None:
    """Refuse what is neither the name of a model nor a clusterer."""
    known = isinstance(base, str) and base in BASES
    if not known and (isinstance(base, str) or not hasattr(base, "fit_predict")):
        names = ", ".join(repr(name) for name in BASES)
        raise InputError(f"base={base!r}: expected {names} or an estimator that clusters")


def memberships_of(model: Any, X: Any = None) -> Array:
    """Shares of the clusters, of the documents fitted or of new ones; else ones by label."""
    if X is None and hasattr(model, "memberships_"):
        return np.asarray(model.memberships_, dtype=np.float64)
    if X is not None and hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    labels = np.asarray(model.labels_ if X is None else model.predict(X))
    ones: Array = np.eye(int(np.max(model.labels_)) + 1)[labels]
    return ones


def _single(model: Any, present: Any) -> Single:
    memberships = memberships_of(model)
    memberships[~present] = 0
    labels = np.where(present, np.asarray(model.labels_), -1)
    return Single(model, memberships, labels)
