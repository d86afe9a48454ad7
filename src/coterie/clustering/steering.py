"""A clustering fitted again from what people decided."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie import fitting
from coterie.automatic import AutoClustering
from coterie.automatic.steering import steered
from coterie.findings.edits import Edit, Move, Rename
from coterie.models.mixture import MultinomialMixture
from coterie.models.topics import TopicModel
from coterie.multiview.second_stage import fit_steered
from coterie.report.wording import counted
from coterie.types import Array, Labels

if TYPE_CHECKING:
    from coterie.clustering.result import Clustering

BACKGROUND = 0.25  # share of words of the whole collection, as in the default method


def refit(result: "Clustering") -> "Clustering":
    """Fit again from the clusters as edited; documents that were moved keep theirs.

    Methods of mixtures and topics, and the default, are fitted again by their own model. For
    any other, the model is a mixture of multinomials.

    Examples
    --------
    >>> import coterie
    >>> texts = ["green tea", "black tea", "tea leaves", "dark rum", "white rum", "tea rum"]
    >>> result = coterie.cluster(texts, 2, progress=False).rename({1: "Drinks"})
    >>> again = refit(result.move("6", 2))
    >>> int(again.labels[5]) == int(again.labels[0]), "Drinks" in again.names.values()
    (True, True)
    """
    from coterie.clustering.result import Clustering

    started = time.perf_counter()
    found = result._found
    columns = np.array(result.numbers) - 1
    start = np.asarray(found.assignments.memberships[:, columns], dtype=np.float64)
    start[start.sum(axis=1) <= 0] = 1.0
    fixed, decided = _fixed(result, columns)
    model, order = _fitted(result.model, found.corpus, start, fixed)
    settings = replace(result.about.settings, n_clusters=len(columns))
    note = f"{counted(len(decided), 'document')} kept the cluster that was decided"
    about = replace(
        result.about, settings=settings, seconds=time.perf_counter() - started, notes=(note,)
    )
    numbers = {number: 1 + order.index(at) for at, number in enumerate(result.numbers)}
    edits = _carried(result, numbers, decided)
    return Clustering(model, found.corpus, about=about, edits=edits, parent=result.parent)


def _fixed(result: "Clustering", columns: Labels) -> tuple[Labels, dict[str, int]]:
    """The cluster of each document that was moved, as a column, -1 of others; and by id."""
    found = result._found
    place = {name: at for at, name in enumerate(found.corpus.ids)}
    labels = np.searchsorted(columns, found.assignments.labels)
    fixed = np.full(len(found.corpus), -1, dtype=np.intp)
    moved = [name for edit in result.edits if isinstance(edit, Move) for name in edit.ids]
    decided = {name: place[name] for name in dict.fromkeys(moved) if name in place}
    for at in decided.values():
        fixed[at] = labels[at]
    numbers = {name: int(columns[fixed[at]]) + 1 for name, at in decided.items()}
    return fixed, numbers


def _fitted(model: Any, corpus: Any, start: Array, fixed: Labels) -> tuple[Any, list[int]]:
    """The model fitted again, and which column of the start each of its clusters was."""
    if isinstance(model, AutoClustering):
        again: Any = steered(model, corpus, start, fixed)
        return again, _order(again.labels_, start, fixed)
    again = _own_model(model, start.shape[1])
    X = again._read(corpus)
    again._check_parameters(X)
    with fitting.session() as session:
        fit_steered(again, X, start, fixed)
        again._order_by_size()
        for _ in range(start.shape[1]):
            again._assign_fitted(X)
            if not again._order_by_size():
                break
        again.interrupted_ = session.stopped
    return again, _order(again.labels_, start, fixed)


def _own_model(model: Any, n_clusters: int) -> Any:
    """The same model unfitted where it can be steered, else a mixture."""
    from sklearn.base import clone

    if isinstance(model, TopicModel | MultinomialMixture):
        init = "dirichlet" if not isinstance(model.init, str) else model.init
        return clone(model).set_params(n_clusters=n_clusters, n_init=1, init=init)
    return MultinomialMixture(n_clusters, background=BACKGROUND, random_state=0)


def _order(labels: Labels, start: Array, fixed: Labels) -> list[int]:
    """The column of the start that each new cluster shares the most documents with."""
    from scipy.optimize import linear_sum_assignment

    n_clusters = start.shape[1]
    before = np.where(fixed >= 0, fixed, start.argmax(axis=1))
    together = np.zeros((n_clusters, n_clusters))
    np.add.at(together, (labels, before), 1.0)
    _, columns = linear_sum_assignment(together, maximize=True)
    return [int(column) for column in columns]


def _carried(
    result: "Clustering", numbers: dict[int, int], decided: dict[str, int]
) -> list[Edit]:
    """Names that were given, and documents that were moved, under the new numbers."""
    given = {numbers[n]: name for n, name in result._numbers.names.items()}
    groups: dict[int, list[str]] = {}
    for name, number in decided.items():
        groups.setdefault(numbers[number], []).append(name)
    moves: list[Edit] = [Move(tuple(ids), number) for number, ids in sorted(groups.items())]
    return [*moves, Rename(given)] if given else moves
