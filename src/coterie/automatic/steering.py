"""The default clustering fitted again from memberships that a person corrected."""

from copy import copy
from typing import Any

import numpy as np

from coterie import fitting
from coterie.automatic.calibration import no_calibration
from coterie.automatic.estimator import PULL, TOL, AutoClustering
from coterie.automatic.neighbour_mixture import Neighbourhood, NeighbourMixture
from coterie.automatic.search import LAST_ITER, LAST_TOL
from coterie.automatic.tree import build_tree
from coterie.models.mixture import MultinomialMixture
from coterie.multiview.second_stage import fit_steered
from coterie.types import Array, Counts, Labels


def steered(model: AutoClustering, corpus: Any, start: Array, fixed: Labels) -> AutoClustering:
    """The same clustering refined again, from given memberships, some documents fixed.

    It is the last stage of the fit: the mixture with a nearest-neighbour term, so that
    neighbours of a fixed document are pulled towards its cluster. `fixed` is the cluster of
    each document, -1 for those that may change. Probabilities are calibrated as before where
    the number of clusters is the same, else they are those of the mixture.
    """
    X = model._read_new(corpus)
    vectors = model._new_vectors(corpus, None, X.shape[0])
    filled = np.flatnonzero(np.diff(X.indptr) > 0)
    weights = model._weighted(X[filled])
    mixture, fitted_to = _mixture(model, weights, None if vectors is None else vectors[filled])
    mixture.set_params(n_clusters=start.shape[1])
    with fitting.session() as session, fitting.part(0, 1, "Refining"):
        fit_steered(mixture, fitted_to, start[filled], fixed[filled])
    other = copy(model)
    _take(other, mixture)
    other._vectors = vectors
    try:
        other._publish(X, filled, mixture.memberships_)
    finally:
        del other._vectors
    members = [np.flatnonzero(other.labels_[filled] == k) for k in range(other.n_clusters_)]
    _, other.tree_ = build_tree(weights, other.labels_[filled], members, {})
    other.leaves_ = other.labels_.copy()
    other._order_by_size()
    other.interrupted_ = session.stopped
    return other


def _mixture(
    model: AutoClustering, weights: Counts, vectors: Array | None
) -> tuple[MultinomialMixture, Counts]:
    """The unfitted mixture of the last stage, and what it is fitted to."""
    settings: dict[str, Any] = {
        "cluster_prior": 2.0, "word_prior": 1.0, "background": model.background,
        "max_iter": LAST_ITER * model.max_iter, "tol": LAST_TOL * TOL, "random_state": 0,
    }  # fmt: skip
    if not model.neighbors_:
        return MultinomialMixture(**settings), weights
    known = {name: each for name, each in model.neighbors_.items() if name != PULL}
    neighbourhood = Neighbourhood(**known)
    fitted_to = neighbourhood.beside(weights, neighbourhood.links(weights, vectors))
    n_links = fitted_to.shape[1] - weights.shape[1]
    return NeighbourMixture(**settings, n_links=n_links), fitted_to


def _take(other: AutoClustering, mixture: Any) -> None:
    """Let a copy of the clustering have what the mixture found."""
    same = mixture.n_clusters == other.n_clusters_
    other.n_clusters = other.n_clusters_ = mixture.n_clusters
    for name in ("weights_", "history_", "n_iter_", "converged_"):
        setattr(other, name, getattr(mixture, name))
    other.word_probabilities_ = mixture.components_
    if other.neighbors_:
        other.neighbors_ = other.neighbors_ | {PULL: mixture.pull_}
    other.candidates_ = {"name": [], "objective": [], "agreement": []}
    other.n_clusters_curve_, other.n_clusters_offered_ = {}, {}
    if not same:
        other.stability_, other.calibration_ = no_calibration(other.n_clusters_)
