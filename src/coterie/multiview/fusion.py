"""Late fusion of single-view models (Bruno and Marchand-Maillet, SIGIR 2009: Fusion-LM)."""

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from coterie import fitting
from coterie.arrays import distributions, row_shares
from coterie.base import seeds_from, words_by_cluster
from coterie.errors import InputError
from coterie.memory import Size
from coterie.models.plsa import PLSA
from coterie.multiview.first_stage import FirstStage, fit_inside
from coterie.multiview.views import Views
from coterie.schema import Estimator, Field, Items, Numbers, Sizes
from coterie.types import Array, Counts, Labels


@dataclass(eq=False, repr=False)
class FusionLM(FirstStage):
    r"""PLSA on the memberships of each document in models of the single views.

    Models of the single views give :math:`p_v(z \mid d)`. PLSA is fitted to these, K clusters
    of V views side by side, as it would be to words. With `relation=True` it is fitted to the
    relation between documents instead,

    .. math:: R(d, d') = \sum_v \sum_z p_v(d \mid z)\, p_v(d' \mid z)\, p_v(z),

    a matrix of documents by documents, all equally probable. The method is derived from its
    description; the original article was not at hand.

    New documents are assigned by the models of the single views, then folded in by their
    memberships in these. The memberships of the documents fitted are those of new ones.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    base : "plsa", "mm", "lda", "ext-plsa" or estimator, default="plsa"
        Model of each view of words, as in `VotedPLSA`. An estimator without `predict` assigns
        no new documents.
    n_view_clusters : int, optional
        Clusters of each of these models; None is `n_clusters`.
    relation : bool, default=False
        Whether to fit the relation between documents, whose size is their number squared.
    vectors, max_iter, tol, n_init, random_state
        See `ViewsEstimator`. Vectors count by the memberships of their model.

    Attributes
    ----------
    view_models_ : list of estimators
        The models of the single views.
    views_converged_ : list of bool
        Whether each of them stopped by `tol`; `converged_` is of the second model.
    fused_ : PLSA
        The model of their memberships.
    document_shares_ : list of ndarrays
        :math:`p_v(d \mid z)` of each view, clusters by documents, where `relation` is True.
    components_, view_components_ : ndarray, dict of ndarrays
        Words of the documents of each cluster.
    memberships_, labels_, weights_, history_
        See `ViewsEstimator`. Likelihoods, `score` and `perplexity` are those of `fused_`.

    Examples
    --------
    >>> en = [[4, 0, 1], [3, 0, 0], [0, 5, 0], [0, 3, 1]]
    >>> de = [[0, 2], [0, 3], [4, 0], [0, 0]]
    >>> labels = FusionLM(2, random_state=0).fit([en, de]).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    _schema: ClassVar[dict[str, Field]] = {
        **FirstStage._schema,
        "fused_": Estimator(PLSA, {"n": "n", "K": "K", "m": "c"}),
        "document_shares_": Items(Numbers("* n", 0)),
    }

    n_clusters: int = 10
    base: Any = "plsa"
    _: KW_ONLY
    n_view_clusters: int | None = None
    relation: bool = False

    def _check_fitted(self, sizes: Sizes) -> None:
        super()._check_fitted(sizes)
        rows = [model.memberships_.shape[1] for model in self.view_models_]
        shares = [len(each) for each in self.document_shares_]
        if shares != (rows if self.relation else []):
            raise InputError(f"document_shares_: rows {shares}, expected those of view_models_")
        expected = sizes["n"] if self.relation else sum(rows)
        if sizes["c"] != expected:
            raise InputError(f"fused_: {sizes['c']} columns, expected {expected}")

    def _check_parameters(self, views: Any) -> None:
        super()._check_parameters(views)
        if not isinstance(self.relation, bool | np.bool_):
            raise InputError(f"relation={self.relation!r}: expected True or False")

    def _needed_bytes(self, size: Size) -> int:
        """The first stage, or PLSA on memberships, in place of words, and what they are of."""
        n, K = size.n_documents, self.n_view_clusters or self.n_clusters
        width = n if self.relation else len(size.views) * K
        n_nonzero = n * (n if self.relation else width)
        fused = replace(size, n_words=width, n_nonzero=n_nonzero, n_dimensions=0)
        to_sparse = 5 * size.doubles(n, width)  # dense, positions and values
        assigning = to_sparse + 4 * size.numbers(n, self.n_clusters)
        second = max(PLSA(self.n_clusters)._needed_bytes(fused), assigning)
        words = 3 * size.numbers(size.n_words, self.n_clusters)
        held = 2 * size.data + self._bytes_of_results(size) + words
        return max(self._bytes_of_first_stage(size), held + second)

    def _learn(self, views: Views) -> None:
        """The models of the single views, then that of their memberships."""
        n_views = len(views.names)
        *seeds, last = seeds_from(self.random_state, n_views + 1)
        view_memberships = self._fit_view_models(views, seeds)
        self.document_shares_ = []
        if self.relation:
            self.document_shares_ = [row_shares(q.T) for q in view_memberships]
        loop: dict[str, Any] = {"max_iter": self.max_iter, "tol": self.tol}
        fused = PLSA(self.n_clusters, n_init=self.n_init, random_state=last, **loop)
        with fitting.part(n_views, n_views + 1, "Fitting all views"):
            counts = self._fused_counts(view_memberships).astype(views.words.dtype)
            fit_inside(fused, counts)
        self.fused_ = fused
        for name in ("history_", "n_iter_", "converged_"):
            setattr(self, name, getattr(fused, name))
        self.memberships_ = fused.memberships_
        self.weights_ = self.memberships_.mean(axis=0)
        words = (views.words.T @ self.memberships_).T
        self.components_ = distributions(words.astype(np.float64)).astype(words.dtype)
        self.word_labels_ = words_by_cluster(views.words, self.memberships_, self.components_)

    def _assign_all(self, views: Any) -> tuple[Array, Array]:
        """Memberships in the single views, then the mix they make."""
        return self.fused_._assign_all(self._fused_counts(self._view_memberships(views)))

    def _assign_fitted(self, views: Any) -> None:
        if self._can_assign():
            super()._assign_fitted(views)
        self.fused_.memberships_, self.fused_.labels_ = self.memberships_, self.labels_

    def _order_clusters(self, order: Labels) -> None:
        super()._order_clusters(order)
        self.fused_._order_clusters(order)

    def _likelihood_and_length(self, X: Any) -> tuple[float, float]:
        view_memberships = self._view_memberships(self._read_new(X))
        return self.fused_._likelihood_and_length(self._fused_counts(view_memberships))

    def _fused_counts(self, view_memberships: list[Array]) -> Counts:
        """What the second model is fitted to; the scale of a row does not change its mix."""
        if not self.relation:
            return sp.csr_array(np.hstack(view_memberships))
        pairs = zip(view_memberships, self.document_shares_, strict=True)
        return sp.csr_array(sum(q @ shares for q, shares in pairs))
