"""Late fusion of single-view models (Bruno and Marchand-Maillet, SIGIR 2009: Fusion-LM)."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from coterie import engine
from coterie.arrays import distributions
from coterie.base import words_by_cluster
from coterie.models.plsa import PLSA
from coterie.multiview.estimator import ViewsEstimator
from coterie.multiview.single import FirstStage, check_base, memberships_of
from coterie.multiview.views import Views
from coterie.types import Array, Counts


@dataclass(eq=False, repr=False)
class FusionLM(ViewsEstimator):
    r"""PLSA on what the models of the single views say of each document.

    Models of the single views give :math:`p_v(z \mid d)`. PLSA is fitted to these, K topics of
    V views side by side, as it would be to words. With `relation=True` it is fitted to the
    relation between documents instead,

    .. math:: R(d, d') = \sum_v \sum_z p_v(d \mid z)\, p_v(d' \mid z)\, p_v(z),

    a matrix of documents by documents, all equally probable. The method is derived from its
    description; the original article was not at hand.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    base, n_view_clusters
        Models of the single views, as in `VotedPLSA`.
    relation : bool, default=False
        Whether to fit the relation between documents, whose size is their number squared.
    vectors, max_iter, tol, n_init, random_state
        See `ViewsEstimator`; vectors enter by their model's memberships, so that
        `vector_weight` means nothing here.

    Attributes
    ----------
    view_models_ : list of estimators
        The models of the single views.
    views_converged_ : list of bool
        Whether each of them stopped by `tol`; `converged_` is of the second model.
    fused_ : PLSA
        The model of their memberships.
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

    n_clusters: int = 10
    base: Any = "plsa"
    _: KW_ONLY
    n_view_clusters: int | None = None
    relation: bool = False

    def check_views(self, views: Views) -> None:
        """Refuse views and parameters that do not fit together."""
        super().check_views(views)
        check_base(self.base)
        if self.n_view_clusters is not None:
            self._check_number("n_view_clusters", Integral, 1)

    def learn(self, views: Views) -> None:
        """The single views, then the model of their memberships."""
        V = len(views.names)
        *seeds, last = self.seeds(V + 1)
        loop: dict[str, Any] = {
            "max_iter": self.max_iter,
            "tol": self.tol,
            "n_init": self.n_init,
        }
        stage = FirstStage(self.base, self.n_view_clusters or self.n_clusters, loop, V + 1)
        fitted = stage.fit(views, seeds)
        self.view_models_ = [single.model for single in fitted]
        shares = [single.memberships for single in fitted]
        self.anchors_ = [p / np.maximum(p.sum(axis=0), 1e-300) for p in shares]
        if not self.relation:
            self.anchors_ = []
        fused = PLSA(self.n_clusters, random_state=last, **loop)
        with fitting.part(V, V + 1, stage.stop):
            self.fused_ = fused.fit(self._related(shares))
        self._publish(views, stage)

    def place_views(self, views: Views) -> tuple[Array, Array]:
        """Memberships in the single views, then the mix they make; likelihood is theirs."""
        return self.fused_._assign_all(self._seen(views))

    def _likelihood_and_length(self, X: Any) -> tuple[float, float]:
        check_is_fitted(self)
        return self.fused_._likelihood_and_length(self._seen(self._new_views(X)))

    def _seen(self, views: Views) -> Counts:
        parts: list[Any] = [*views.counts.values(), *views.vectors.values()]
        shares = [
            memberships_of(model, X) for model, X in zip(self.view_models_, parts, strict=True)
        ]
        for number, share in enumerate(shares):
            share[~views.present[:, number]] = 0
        return self._related(shares)

    def _related(self, shares: list[Array]) -> Counts:
        """What the second model sees; scaling a document's row changes nothing to its mix."""
        if not self.relation:
            return sp.csr_array(np.hstack(shares))
        pairs = zip(shares, self.anchors_, strict=True)
        return sp.csr_array(sum(share @ anchor.T for share, anchor in pairs))

    def _publish(self, views: Views, stage: FirstStage) -> None:
        fused = self.fused_
        for name in ("memberships_", "labels_", "history_", "n_iter_"):
            setattr(self, name, getattr(fused, name))
        self.converged_ = fused.converged_
        self.views_converged_ = stage.converged
        self.interrupted_ = fused.interrupted_ or stage.interrupted
        self.weights_ = self.memberships_.mean(axis=0)
        words = (views.words.T @ self.memberships_).T
        self.components_ = distributions(words.astype(np.float64))
        self.word_labels_ = words_by_cluster(views.words, self.memberships_, self.components_)
