"""The second stage by another model than PLSA (Kim et al., 2010, end of section 2.2).

Where the model is one of EM with memberships as its rows, `Constrained` holds the clusters of
pre-assigned documents fixed in every iteration. Any other model starts from the votes.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from coterie import engine, executors, starts
from coterie.base import Clusterer, EMEstimator
from coterie.engine import Expected, Shared
from coterie.errors import InputError
from coterie.kernels import pad
from coterie.models.ext_plsa import ExtPLSA
from coterie.models.mixture import MultinomialMixture
from coterie.models.topics import TopicModel
from coterie.models.two_plsa import TwoPLSA
from coterie.multiview.first_stage import fit_inside
from coterie.multiview.joint import known_memberships, known_words
from coterie.types import Array, Counts, Labels, Ops

PLSA_OF_ALL = "plsa"
SECONDS: dict[str, Any] = {
    "mm": MultinomialMixture,
    "ext-plsa": ExtPLSA,
    "2plsa": TwoPLSA,
}


def check_second(second: Any) -> None:
    """Refuse what cannot be the second stage."""
    if isinstance(second, str) and second in (PLSA_OF_ALL, *SECONDS):
        return
    starts = isinstance(second, Clusterer) and "init" in second.get_params(deep=False)
    if not starts or not get_tags(second).input_tags.positive_only:
        names = ", ".join(repr(name) for name in (PLSA_OF_ALL, *SECONDS))
        raise InputError(
            f"base: {second!r} as the second stage cannot start from votes; expected {names} "
            "or an estimator of Coterie that takes counts and has the parameter init"
        )


def fitted_second(
    second: Any, X: Counts, preassigned: Labels, seed: int, **settings: Any
) -> Any:
    """A model of the words of all views, fitted with or from the pre-assigned documents."""
    model = SECONDS[second]() if isinstance(second, str) else clone(second)
    settings |= {"n_init": 1, "random_state": seed}
    known = model.get_params(deep=False)
    model.set_params(**{name: value for name, value in settings.items() if name in known})
    if isinstance(model, TopicModel | MultinomialMixture):
        X = model._read(X)
        model._check_parameters(X)
        _fit_constrained(model, X, preassigned, seed)
        return model
    usual = model.init
    fit_inside(model.set_params(init=_nearest(X, preassigned, model.n_clusters, seed)), X)
    return model.set_params(init=usual)


def _nearest(X: Counts, preassigned: Labels, n_clusters: int, seed: int) -> Labels:
    """The votes; of other documents, the cluster whose words make theirs most probable."""
    words = known_words(X, preassigned, n_clusters, np.random.default_rng(seed))
    log_words = np.log(np.maximum(words, np.finfo(np.float64).tiny) / words.sum(axis=0))
    return np.where(preassigned >= 0, preassigned, (X @ log_words).argmax(axis=1))


def fit_steered(model: EMEstimator, X: Counts, start: Array, fixed: Labels) -> None:
    """Fit a mixture or a topic model from given memberships, some documents held fixed."""
    known = np.flatnonzero(fixed >= 0)
    start = starts.given(start, *start.shape)
    start[known] = np.eye(start.shape[1])[fixed[known]]
    _run(Steered(clone(model), fixed, start), model, X, 0)


def _fit_constrained(model: EMEstimator, X: Counts, fixed: Labels, seed: int) -> None:
    _run(Constrained(clone(model), fixed), model, X, seed)


def _run(constrained: "Constrained", model: EMEstimator, X: Counts, seed: int) -> None:
    run = engine.fit(
        constrained,
        X,
        executors.current(),
        [seed],
        engine.Stopping(model.max_iter, model.tol),
        lambda: model._identity(X),
    )
    model.history_ = np.array(run.history)
    model.n_iter_ = len(run.history)
    model.converged_ = run.converged
    model._publish(X, run.rows[:, :-1], run.shared)


@dataclass(frozen=True)
class Constrained:
    r"""A model in which :math:`p(c \mid d)` of some documents is one and stays so.

    Rows are the model's, with the fixed cluster of each document (-1 for none) as a last
    column. Of a mixture, the likelihood of a fixed document is that of it and its cluster.
    """

    model: TopicModel | MultinomialMixture
    fixed: Labels

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """The fixed memberships, equal ones of the others, and words of fixed documents."""
        size = self.model.n_clusters
        q = known_memberships(self.fixed, size)
        words = pad(known_words(X, self.fixed, size, rng), X.dtype)
        _, shared = clone(self.model).set_params(init=q)._start(X, rng)
        rows = np.column_stack([pad(q, X.dtype), self.fixed.astype(X.dtype)])
        if isinstance(self.model, TopicModel):
            return rows, self.model._m_step(shared, words)
        return rows, self.model._m_step(shared, pad(q.sum(axis=0)[None])[0], words)

    def _runs_on_gpu(self) -> bool:
        """Fixed memberships are put in place by NumPy."""
        return False

    def _visible(self, shared: Shared) -> Shared:
        return self.model._visible(shared)

    def _e_step(self, X: Counts, rows: Any, shared: Any, ops: Ops) -> Expected:
        """New memberships, but for those that are fixed."""
        fixed = rows[:, -1].astype(np.intp)
        known = np.flatnonzero(fixed >= 0)
        before = np.ascontiguousarray(rows[:, :-1])
        if isinstance(self.model, TopicModel):
            expected = self.model._e_step(X, before, shared, ops)
            expected.rows[known] = before[known]
            return expected._replace(rows=np.column_stack([expected.rows, rows[:, -1]]))
        log_alpha, log_beta = shared
        q, _, _, objective = ops.cluster_posteriors(
            X, log_alpha, log_beta, self.model._assigns_wholly()
        )
        q[known] = before[known]
        joint = log_alpha + X[known] @ log_beta
        objective[known] = joint[np.arange(len(known)), fixed[known]]
        statistics = q.sum(axis=0, dtype=np.float64), X.T @ q
        return Expected(np.column_stack([q, rows[:, -1]]), statistics, float(objective.sum()))

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        return self.model._m_step(shared, *statistics)

    _moves_rows: ClassVar[bool] = False

    def _distributions(self, shared: Shared) -> tuple[Array, ...] | None:  # noqa: ARG002
        """EM is not accelerated."""
        return None

    def _from_distributions(self, *columns: Array) -> Shared:
        raise NotImplementedError

    def _log_prior(self, shared: Shared) -> float:
        return self.model._log_prior(shared)


@dataclass(frozen=True)
class Steered(Constrained):
    """The same, begun from memberships of all documents."""

    start: Array

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """The memberships given, and the M-step they imply."""
        _, shared = clone(self.model).set_params(init=self.start)._start(X, rng)
        rows = pad(self.start, X.dtype)
        return np.column_stack([rows, self.fixed.astype(X.dtype)]), shared
