"""Multi-view clustering by votes (Kim et al., 2010, section 2: voted-PLSA)."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from coterie import fitting
from coterie.base import Clusterer, seeds_from, words_by_cluster
from coterie.errors import InputError
from coterie.memory import Size
from coterie.multiview.estimator import JointEstimator
from coterie.multiview.first_stage import FirstStage
from coterie.multiview.second_stage import PLSA_OF_ALL, check_second, fitted_second
from coterie.multiview.views import Views
from coterie.multiview.voting import NO_VOTE, preassign, signatures, voting_patterns
from coterie.schema import Estimator, Field, Number, Sizes, Whole, Wholes
from coterie.types import Array, Labels


@dataclass(eq=False, repr=False)
class VotedPLSA(FirstStage, JointEstimator):
    r"""Views vote; PLSA on all views assigns the documents whose views disagree.

    *Stage I.* A model of each view on its own gives every document a cluster in each of its V
    views: its voting pattern.

    *Stage II.* The patterns of the C largest groups of documents with similar patterns are the
    signatures of C clusters. Documents with at least V - 1 votes in common with a signature are
    in its group; one group after the other is chosen, each the largest of documents that are in
    none before. They are pre-assigned to the cluster. PLSA on the concatenated views starts
    from the words of these documents; :math:`p(c \mid d)` is one for the cluster of a
    pre-assigned document and stays so, that of the others is estimated. Another generative
    model may take the place of PLSA there. Of two views, a group has both votes in common.

    A document that lacks views is judged by the votes it has: all but one of them must be in
    common with the signature, and at least two where there are three views or more. Where
    fewer than C patterns exist, the remaining clusters start from random words.

    New documents vote too: the models of the single views give their patterns, those who agree
    with a signature belong to its cluster, the others are folded in by the views they have.
    Patterns of all documents, also of those fitted, are those of new ones. Where `base` is an
    estimator of another library without `predict`, new documents have no votes and are all
    folded in, so that `predict` may differ from `labels_`.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters C.
    base : "plsa", "mm", "lda", "ext-plsa", estimator or pair, default="plsa"
        Model of each view of words. A name takes `max_iter`, `tol` and `n_init` from here; an
        estimator takes only an `n_init` above 1. The model of vectors is a
        `VonMisesFisherMixture`.

        A pair, as `("plsa", "mm")`, has the model of stage II second: "plsa", "mm",
        "ext-plsa", "2plsa" or an estimator, whose `n_clusters`, `max_iter`, `tol` and
        `random_state` are those from here. `PLSA`, `ExtPLSA`, `TwoPLSA` and
        `MultinomialMixture` keep :math:`p(c \mid d)` of pre-assigned documents fixed in every
        iteration. Other estimators that take counts and have `init` start from the votes,
        each other document from the cluster whose words make its own most probable;
        pre-assigned documents have their cluster again at the end. Vectors join "plsa" alone.
    n_view_clusters : int, optional
        Clusters of each of these models; None is `n_clusters`.
    agreement : float, optional
        Share of a document's votes that must be in common with a signature; None asks for
        all but one, as [1]_ does.
    vectors, max_iter, tol, random_state
        See `ViewsEstimator`.
    vector_weight : float, optional
        How many words a vector counts for in stage II; None is the mean length of a view of
        words. Only where there are vectors.
    n_init : int, default=1
        Restarts of each model of a single view, of which the best is used. The second stage
        has one start, whatever its own `n_init`.

    Attributes
    ----------
    view_models_ : list of estimators
        The models of the single views.
    patterns_ : ndarray of shape (n_documents, V)
        Cluster of each document in each view, -1 where it lacks the view.
    signatures_ : ndarray of shape (n_clusters, V)
        Pattern of each cluster; -1 in all views where there were fewer patterns than clusters.
    signature_ranks_ : ndarray of shape (n_clusters,)
        Rank of each signature by the size of its group, from 0; the lower one decides where a
        document agrees equally with several.
    preassigned_ : ndarray of shape (n_documents,)
        Cluster of each pre-assigned document, else -1.
    votes_ : ndarray of shape (n_clusters, V + 1)
        Documents pre-assigned to each cluster, by the number of votes in common.
    n_preassigned_ : int
        Number of pre-assigned documents.
    second_stage_ : estimator
        The model of all views, by which documents are assigned that did not agree, where it
        is another than "plsa".
    views_converged_ : list of bool
        Whether the model of each view stopped by `tol`; `converged_` is of the second stage.
    memberships_, labels_, components_, view_components_, weights_, history_
        See `ViewsEstimator`. Likelihoods, `score` and `perplexity` are those of documents
        folded in, votes apart.
    directions_, concentrations_, vector_weight_
        See `JointEstimator`.

    References
    ----------
    .. [1] Kim et al. (2010) in docs/bibliography.md.

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
    >>> mixture = VotedPLSA(2, ("plsa", "mm"), random_state=0).fit({"en": en, "de": de})
    >>> bool((mixture.labels_ == labels).all()), mixture.second_stage_
    (True, MultinomialMixture(n_clusters=2, random_state=...))
    """

    _least_views: ClassVar[int] = 2
    _schema: ClassVar[dict[str, Field]] = {
        **JointEstimator._schema,
        **FirstStage._schema,
        "patterns_": Wholes("n V", low=-1),
        "signatures_": Wholes("K V", low=-1),
        "signature_ranks_": Wholes("K", ("K",)),
        "preassigned_": Wholes("n", ("K",), low=-1),
        "n_preassigned_": Whole(),
        "votes_": Wholes("K V+1"),
        "vector_weight_": Number(0, when=lambda self: self._second() == PLSA_OF_ALL),
        "second_stage_": Estimator(
            Clusterer, {"n": "n", "K": "K"}, when=lambda self: self._second() != PLSA_OF_ALL
        ),
    }

    n_clusters: int = 10
    base: Any = "plsa"
    _: KW_ONLY
    n_view_clusters: int | None = None
    agreement: float | None = None

    def _check_fitted(self, sizes: Sizes) -> None:
        super()._check_fitted(sizes)
        second: Any = getattr(self, "second_stage_", self)
        found = second.n_features_in_
        if found != self.n_features_in_:
            raise InputError(
                f"second_stage_: of {found} words, expected {self.n_features_in_}, as all views"
            )

    def _first(self) -> Any:
        return self.base[0] if isinstance(self.base, tuple) else self.base

    def _second(self) -> Any:
        """The model of all views: its name, or an estimator."""
        return self.base[1] if isinstance(self.base, tuple) else PLSA_OF_ALL

    def _check_parameters(self, views: Any) -> None:
        if isinstance(self.base, tuple) and len(self.base) != 2:
            raise InputError(
                f"base={self.base!r}: expected a model of each view, or a pair of it and the "
                "model of all views"
            )
        super()._check_parameters(views)
        share: Any = self.agreement
        if share is not None and not (isinstance(share, float | int) and 0 < share <= 1):
            raise InputError(f"agreement={share!r}: expected a share above 0, up to 1")
        check_second(self._second())
        if views.vectors and self._second() != PLSA_OF_ALL:
            raise InputError(
                f"base={self.base!r}: views of vectors need 'plsa' as the second stage"
            )
        first = self._first()
        restarts = isinstance(first, str) or hasattr(first, "n_init") or views.vectors
        if self.n_init > 1 and not restarts:
            name = type(first).__name__
            raise InputError(f"n_init={self.n_init}: {name} has no restarts; leave it at 1")

    def _needed_bytes(self, size: Size) -> int:
        """The larger stage, the models of the views being held in the second."""
        K, n_views = self.n_view_clusters or self.n_clusters, len(size.views)
        models = n_views * size.numbers(size.n_documents, K) + size.numbers(size.n_words, K)
        second = self._bytes_of_joint(size) + models
        return max(self._bytes_of_first_stage(size), second)

    def _learn(self, views: Views) -> None:
        """Both stages."""
        n_views = len(views.names)
        *seeds, last = seeds_from(self.random_state, n_views + 1)
        self.patterns_ = voting_patterns(self._fit_view_models(views, seeds))
        frequent = signatures(self.patterns_, self.n_clusters, self.agreement)
        self.signatures_ = np.full((self.n_clusters, n_views), NO_VOTE)
        self.signatures_[: len(frequent)] = frequent
        self.signature_ranks_ = np.arange(self.n_clusters)
        self.preassigned_, n_common = self._preassign(self.patterns_)
        agreed = self.preassigned_ != NO_VOTE
        self.n_preassigned_ = int(agreed.sum())
        self.votes_ = np.zeros((self.n_clusters, n_views + 1), dtype=np.int64)
        np.add.at(self.votes_, (self.preassigned_[agreed], n_common[agreed]), 1)
        with fitting.part(n_views, n_views + 1, "Fitting all views"):
            self._fit_second(views, last)

    def _fit_second(self, views: Views, seed: int) -> None:
        """PLSA on all views with its vectors, or another model on their words."""
        self.__dict__.pop("second_stage_", None)  # of an earlier fit
        if self._second() == PLSA_OF_ALL:
            self._fit_joint(views, fixed=self.preassigned_, random_state=seed)
            return
        model = fitted_second(
            self._second(), views.words, self.preassigned_, seed,
            n_clusters=self.n_clusters, max_iter=self.max_iter, tol=self.tol,
        )  # fmt: skip
        self.second_stage_ = model
        for name in ("memberships_", "weights_", "components_"):
            setattr(self, name, getattr(model, name))
        for name in ("history_", "n_iter_", "converged_"):
            setattr(self, name, getattr(model, name))
        self.word_labels_ = words_by_cluster(views.words, self.memberships_, self.components_)

    def _preassign(self, patterns: Labels) -> tuple[Labels, Labels]:
        """Clusters by the votes, -1 where too few agree, and the votes in common."""
        order = np.argsort(self.signature_ranks_)
        ranks, n_common = preassign(patterns, self.signatures_[order], self.agreement)
        return np.where(ranks == NO_VOTE, NO_VOTE, order[ranks]), n_common

    def _assign_all(self, views: Any) -> tuple[Array, Array]:
        """Documents whose views agree by their votes, the others folded in."""
        if not self._can_assign():
            return self._by_second(views)
        patterns = voting_patterns(self._view_memberships(views))
        return self._assign_with(views, self._preassign(patterns)[0])

    def _assign_fitted(self, views: Any) -> None:
        self.memberships_, _ = self._assign_with(views, self.preassigned_)
        self.labels_ = self.memberships_.argmax(axis=1)

    def _assign_with(self, views: Views, preassigned: Labels) -> tuple[Array, Array]:
        memberships, log_likelihoods = self._by_second(views)
        agreed = preassigned != NO_VOTE
        memberships[agreed] = np.eye(self.n_clusters)[preassigned[agreed]]
        return memberships, log_likelihoods

    def _by_second(self, views: Views) -> tuple[Array, Array]:
        """Memberships by the second stage alone."""
        if self._second() == PLSA_OF_ALL:
            return super()._assign_all(views)
        memberships, log_likelihoods = self.second_stage_._assign_all(views.words)
        return memberships, log_likelihoods

    def _order_clusters(self, order: Labels) -> None:
        super()._order_clusters(order)
        if self._second() != PLSA_OF_ALL:
            self.second_stage_._order_clusters(order)
        agreed = self.preassigned_ != NO_VOTE
        rank = np.argsort(order)
        self.preassigned_ = np.where(agreed, rank[self.preassigned_], NO_VOTE)
