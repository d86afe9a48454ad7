"""Two clusterings of the same documents side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.clustering.tables import frame
from coterie.errors import InputError
from coterie.evaluation import ari, contingency, nmi
from coterie.findings.edits import DROPPED, SET_ASIDE
from coterie.report.wording import counted, percent, thousands

if TYPE_CHECKING:
    from coterie.clustering.result import Clustering


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """How two clusterings of the same documents agree.

    `matching` pairs the clusters one to one, so that as many documents as possible are in the
    same pair in both; clusters that are left over match none. `moved` is the table of the
    other documents, `contingency` that of all pairs of clusters, here and there, that share
    documents. `agreement` holds the share of documents that stayed, the adjusted Rand index
    (`ari`), normalised mutual information (`nmi`) and the same corrected for chance (`ami`).
    Documents that are set aside are a cluster of their own, 0. `only_here` and `only_there`
    count the documents of one clustering that the other does not have.
    """

    matching: dict[int, int]
    agreement: dict[str, float]
    n_documents: int
    n_moved: int
    only_here: int
    only_there: int
    moved: Any
    contingency: Any

    def __repr__(self) -> str:
        stayed = (
            f"{percent(self.agreement['stayed'])} of {counted(self.n_documents, 'document')}"
        )
        moved = f"{thousands(self.n_moved)} moved"
        alone = self.only_here + self.only_there
        rest = f"; {counted(alone, 'document')} in one of the two only" if alone else ""
        return (
            f"{stayed} stayed in their cluster, {moved} (ARI {self.agreement['ari']:.2f}){rest}"
        )

    def _repr_html_(self) -> str:
        table = getattr(self.moved, "_repr_html_", lambda: "")()
        return f"<p>{escape(repr(self))}.</p>{table}"


def compare(one: "Clustering", other: "Clustering") -> Comparison:
    """Compare two clusterings, documents matched by their ids.

    Examples
    --------
    >>> import coterie
    >>> texts = ["green tea", "black tea", "tea leaves", "cup of tea", "dark rum", "white rum"]
    >>> result = coterie.cluster(texts, 2, progress=False)
    >>> compare(result, result.copy().move("1", 2))
    83 % of 6 documents stayed in their cluster, 1 moved (ARI 0.32)
    """
    ids = [name for name in one.corpus.ids if name in other._places]
    if not ids:
        raise InputError("compare: no document of one clustering has an id of the other")
    here = one.labels[[one._places[name] for name in ids]]
    there = other.labels[[other._places[name] for name in ids]]
    matching = _matching(here, there)
    expected = [matching.get(number) for number in here.tolist()]
    moved = [i for i, number in enumerate(there.tolist()) if expected[i] != number]
    return Comparison(
        matching=matching,
        agreement={
            "stayed": 1 - len(moved) / len(ids),
            "ari": ari(here, there),
            "nmi": nmi(here, there),
            "ami": _ami(here, there),
        },
        n_documents=len(ids),
        n_moved=len(moved),
        only_here=len(one.corpus) - len(ids),
        only_there=len(other.corpus) - len(ids),
        moved=_moved(one, other, [ids[i] for i in moved]),
        contingency=_pairs(one, other, here, there),
    )


def _matching(here: Any, there: Any) -> dict[int, int]:
    """The one-to-one pairs of clusters that share the most documents; none that share none."""
    from scipy.optimize import linear_sum_assignment

    table = contingency(here, there)
    rows, columns = linear_sum_assignment(table.counts, maximize=True)
    return {
        int(table.classes[row]): int(table.clusters[column])
        for row, column in zip(rows, columns, strict=True)
        if table.counts[row, column]
    }


def _ami(here: Any, there: Any) -> float:
    from sklearn.metrics import adjusted_mutual_info_score

    return float(adjusted_mutual_info_score(here, there))


def _moved(one: "Clustering", other: "Clustering", ids: Sequence[str]) -> Any:
    import pyarrow as pa

    positions = [one._places[name] for name in ids]
    here = one.labels[positions].tolist()
    there = other.labels[[other._places[name] for name in ids]].tolist()
    texts = {
        "id": ids,
        "title": [one.corpus.titles[position] for position in positions],
        "name": _names(one, here),
        "other_name": _names(other, there),
    }
    columns = {name: pa.array(values, pa.string()) for name, values in texts.items()}
    columns |= {"cluster": pa.array(here, pa.int32()), "other": pa.array(there, pa.int32())}
    order = ("id", "title", "cluster", "name", "other", "other_name")
    return frame(pa.table({name: columns[name] for name in order}), one._library())


def _pairs(one: "Clustering", other: "Clustering", here: Any, there: Any) -> Any:
    pairs, counts = np.unique(np.column_stack([here, there]), axis=0, return_counts=True)
    first, second = pairs.T.tolist()
    columns = {
        "cluster": first,
        "name": _names(one, first),
        "other": second,
        "other_name": _names(other, second),
        "documents": counts.tolist(),
    }
    return frame(columns, one._library())


def _names(result: "Clustering", numbers: Sequence[int]) -> list[str]:
    names = result.names | {SET_ASIDE: DROPPED}
    return [names[number] for number in numbers]
