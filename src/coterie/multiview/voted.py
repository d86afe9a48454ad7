"""Multi-view clustering by votes (paper 003, section 2: voted-PLSA)."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie import engine
from coterie.errors import InputError
from coterie.multiview.estimator import ViewsEstimator
from coterie.multiview.single import FirstStage, check_base
from coterie.multiview.views import Views
from coterie.multiview.voting import NO_VOTE, preassign, signatures


@dataclass(eq=False, repr=False)
class VotedPLSA(ViewsEstimator):
    r"""Views vote; where they agree clusters are settled, and PLSA on all views does the rest.

    *Stage I.* A model of each view on its own gives every document a topic in each of its V
    views: its voting pattern.

    *Stage II.* The C patterns shared by most documents are the signatures of C clusters.
    Documents with at least V - 1 votes in common with a signature are pre-assigned to its
    cluster. PLSA on the concatenated views starts from the words of these documents;
    :math:`p(c \mid d)` is one for the cluster of a pre-assigned document and stays so, that
    of the others is estimated.

    A document that lacks views is judged by the votes it has: all but one of them must be in
    common with the signature, and at least two where there are three views or more. One that
    does not agree with any signature is placed by the words (and vectors) it has. Where fewer
    than C patterns exist, the clusters left over start from random words.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters C.
    base : "plsa", "mm", "lda", "ext-plsa" or estimator, default="plsa"
        Model of each view of words. One given by name has this model's `max_iter`, `tol` and
        `n_init`; an estimator keeps its own. Vectors have a `VonMisesFisherMixture`.
    n_view_clusters : int, optional
        Topics of each of these models; None is `n_clusters`.
    agreement : float, optional
        Share of a document's votes that must be in common with a signature; None asks for
        all but one, as the paper does.
    vectors, vector_weight, max_iter, tol, random_state
        See `ViewsEstimator`.
    n_init : int, default=1
        Restarts of each model of a single view, the best being kept. The second stage has
        nothing random to restart.

    Attributes
    ----------
    patterns_ : ndarray of shape (n_documents, V)
        Topic of each document in each view, -1 where it lacks the view.
    signatures_ : ndarray of shape (at most n_clusters, V)
        Patterns of the clusters, the most frequent first.
    preassigned_ : ndarray of shape (n_documents,)
        Cluster of each pre-assigned document, else -1.
    votes_ : ndarray of shape (n_clusters, V + 1)
        Documents pre-assigned to each cluster, by the number of votes in common.
    n_preassigned_ : int
        How many in all.
    views_converged_ : list of bool
        Whether the model of each view stopped by `tol`; `converged_` is of the second stage.
    memberships_, labels_, components_, view_components_, weights_, history_
        See `ViewsEstimator`. New documents have no votes: they are folded in.

    References
    ----------
    .. [1] Y.-M. Kim, M.-R. Amini, C. Goutte, P. Gallinari. Multi-view clustering of
       multilingual documents. SIGIR 2010.

    Examples
    --------
    >>> en = [[4, 0, 1], [3, 0, 0], [0, 5, 0], [0, 3, 1]]
    >>> de = [[0, 2], [0, 3], [4, 0], [0, 0]]
    >>> model = VotedPLSA(2, random_state=0).fit({"en": en, "de": de})
    >>> labels = model.labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    >>> model.n_preassigned_, model.votes_.sum(axis=0)
    (4, array([0, 1, 3]))
    """

    _least_views: ClassVar[int] = 2

    n_clusters: int = 10
    base: Any = "plsa"
    _: KW_ONLY
    n_view_clusters: int | None = None
    agreement: float | None = None

    def check_views(self, views: Views) -> None:
        """Refuse views and parameters that do not fit together."""
        super().check_views(views)
        check_base(self.base)
        if self.n_view_clusters is not None:
            self._check_number("n_view_clusters", Integral, 1)
        if self.agreement is not None and not 0 < self.agreement <= 1:
            raise InputError(f"agreement={self.agreement!r}: expected a share above 0, up to 1")

    def learn(self, views: Views) -> None:
        """Both stages."""
        V = len(views.names)
        *seeds, last = self.seeds(V + 1)
        loop = {"max_iter": self.max_iter, "tol": self.tol, "n_init": self.n_init}
        stage = FirstStage(self.base, self.n_view_clusters or self.n_clusters, loop, V + 1)
        fitted = stage.fit(views, seeds)

        self.patterns_ = np.column_stack([single.labels for single in fitted])
        self.signatures_ = signatures(self.patterns_, self.n_clusters)
        self.preassigned_, in_common = preassign(
            self.patterns_, self.signatures_, self.agreement
        )
        agreed = self.preassigned_ != NO_VOTE
        self.votes_ = np.zeros((self.n_clusters, V + 1), dtype=np.int64)
        np.add.at(self.votes_, (self.preassigned_[agreed], in_common[agreed]), 1)
        self.n_preassigned_ = int(agreed.sum())

        second = self.joint(views, fixed=self.preassigned_, random_state=last)
        with fitting.part(V, V + 1, stage.stop):
            self.take(second.fit(views.words))
        self.views_converged_ = stage.converged
        self.interrupted_ = self.interrupted_ or stage.interrupted
