"""What people change in a clustering, as a list of edits on top of an unchanged model.

A cluster keeps its number as long as it lives. A merged cluster has the smallest number of its
parts; the largest part of a split one keeps the number, the others get new ones. The documents
of a dropped cluster are set aside: they have the number 0. So an edit never changes what the
other numbers mean, and undoing is leaving out the last edit.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coterie.errors import InputError
from coterie.types import Array, Labels

if TYPE_CHECKING:
    from coterie.corpus import Corpus

SET_ASIDE = 0
DROPPED = "(dropped)"
LONGEST_NAME = 200
SHOWN = 20
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Numbers:
    """The numbers in use after some edits: living clusters, dropped ones, and given names."""

    alive: tuple[int, ...]
    dropped: frozenset[int] = frozenset()
    names: Mapping[int, str] = field(default_factory=dict)
    highest: int = 0

    @property
    def gone(self) -> tuple[int, ...]:
        """Labels of the clusters that were merged into others, or dropped."""
        return tuple(label for label in range(self.highest) if label + 1 not in self.alive)

    def require(self, numbers: Iterable[int]) -> None:
        """Refuse a number that no living cluster has."""
        for number in numbers:
            if number not in self.alive:
                listed = ", ".join(map(str, sorted(self.alive)[:SHOWN]))
                more = ", ..." if len(self.alive) > SHOWN else ""
                raise InputError(f"cluster {number}: no such cluster; there are {listed}{more}")

    def without(self, numbers: Iterable[int]) -> "Numbers":
        """The numbers and names of all other clusters."""
        gone = set(numbers)
        return replace(
            self,
            alive=tuple(number for number in self.alive if number not in gone),
            names={number: name for number, name in self.names.items() if number not in gone},
        )


class Documents(NamedTuple):
    """Memberships and labels of documents; column and label are the number minus one.

    `positions` finds documents by their ids; new documents have none, so that no move concerns
    them.
    """

    memberships: Array
    labels: Labels
    corpus: "Corpus"
    positions: Mapping[str, int] = {}


class Rows(NamedTuple):
    """A table with a row a cluster, and the weight of each.

    `parts` gives the rows of the model of a split cluster; without it they are copies.
    """

    values: Array
    weights: Array
    parts: Callable[[Any], Array] | None = None


class Edit:
    """One change; an edit of numbers or names alone changes no document."""

    def numbers(self, before: Numbers) -> Numbers:
        """The numbers after this edit, which is checked."""
        raise NotImplementedError

    def documents(self, before: Documents) -> Documents:
        """The documents after this edit."""
        return before

    def rows(self, before: Rows) -> Rows:
        """A table of clusters after this edit."""
        return before


@dataclass(frozen=True)
class Rename(Edit):
    """Names by the numbers of clusters; an empty one gives the automatic name back."""

    names: Mapping[int, str]

    def numbers(self, before: Numbers) -> Numbers:
        """The names given are those from now on."""
        before.require(self.names)
        names = {**before.names, **self.names}
        return replace(before, names={n: name for n, name in names.items() if name})


@dataclass(frozen=True)
class Merge(Edit):
    """Clusters that are one from now on, under the smallest of their numbers."""

    clusters: tuple[int, ...]

    def numbers(self, before: Numbers) -> Numbers:
        """The smallest number stays, with the first name that a person gave."""
        before.require(self.clusters)
        if len(set(self.clusters)) < 2:
            raise InputError("merge: only one cluster, expected at least two numbers")
        first, *others = sorted(self.clusters)
        named = [before.names[n] for n in (first, *others) if n in before.names]
        after = before.without(others)
        return replace(after, names={**after.names, first: named[0]}) if named else after

    def documents(self, before: Documents) -> Documents:
        """Probabilities add up; no other document changes its cluster, however near it is."""
        first, *others = (number - 1 for number in sorted(self.clusters))
        memberships, labels = before.memberships.copy(), before.labels.copy()
        memberships[:, first] += memberships[:, others].sum(axis=1)
        memberships[:, others] = 0.0
        labels[np.isin(labels, others)] = first
        return before._replace(memberships=memberships, labels=labels)

    def rows(self, before: Rows) -> Rows:
        """The average by weight."""
        first, *others = (number - 1 for number in sorted(self.clusters))
        chosen, weights = [first, *others], before.weights.copy()
        values, total = before.values.copy(), max(weights[chosen].sum(), TINY)
        values[first] = weights[chosen] @ values[chosen] / total
        weights[first] = weights[chosen].sum()
        values[others], weights[others] = 0.0, 0.0
        return before._replace(values=values, weights=weights)


@dataclass(frozen=True, eq=False)
class Split(Edit):
    """A cluster whose documents a model of their own divides; `parts` are the numbers."""

    cluster: int
    parts: tuple[int, ...]
    model: Any

    def numbers(self, before: Numbers) -> Numbers:
        """The first part keeps the number, the others have new ones; all lose given names."""
        before.require([self.cluster])
        n_new = len(self.parts) - 1
        new = tuple(range(before.highest + 1, before.highest + 1 + n_new))
        if self.parts != (self.cluster, *new) or not new:
            raise InputError(f"split of {self.cluster}: parts {list(self.parts)}")
        names = {n: name for n, name in before.names.items() if n != self.cluster}
        return replace(before, alive=(*before.alive, *new), names=names, highest=new[-1])

    def documents(self, before: Documents) -> Documents:
        """The parts share the probability of the cluster as their model says."""
        shares = np.asarray(self.model.predict_proba(before.corpus))
        whole, columns = self.cluster - 1, np.array(self.parts) - 1
        new = np.zeros((len(before.labels), len(self.parts) - 1))
        memberships = np.hstack([before.memberships, new])
        memberships[:, columns] = before.memberships[:, [whole]] * shares
        labels, inside = before.labels.copy(), before.labels == whole
        labels[inside] = columns[shares[inside].argmax(axis=1)]
        return before._replace(memberships=memberships, labels=labels)

    def rows(self, before: Rows) -> Rows:
        """Rows of the model of the parts, or copies."""
        whole, n_parts = self.cluster - 1, len(self.parts)
        own = before.values[[whole] * n_parts] if before.parts is None else np.asarray(
            before.parts(self.model), dtype=np.float64
        )  # fmt: skip
        masses = np.asarray(self.model.memberships_).sum(axis=0, dtype=np.float64)
        weights = before.weights[whole] * masses / max(masses.sum(), TINY)
        after = before._replace(
            values=np.vstack([before.values, own[1:]]),
            weights=np.append(before.weights, weights[1:]),
        )
        after.values[whole], after.weights[whole] = own[0], weights[0]
        return after


@dataclass(frozen=True)
class Move(Edit):
    """Documents that belong to a cluster because a person says so."""

    ids: tuple[str, ...]
    cluster: int

    def numbers(self, before: Numbers) -> Numbers:
        """The numbers stay."""
        before.require([self.cluster])
        return before

    def documents(self, before: Documents) -> Documents:
        """The documents are in their new cluster for certain."""
        moved = [before.positions[each] for each in self.ids if each in before.positions]
        memberships, labels = before.memberships.copy(), before.labels.copy()
        memberships[moved] = 0.0
        memberships[moved, self.cluster - 1] = 1.0
        labels[moved] = self.cluster - 1
        return before._replace(memberships=memberships, labels=labels)


@dataclass(frozen=True)
class Drop(Edit):
    """Clusters whose documents are set aside."""

    clusters: tuple[int, ...]

    def numbers(self, before: Numbers) -> Numbers:
        """The numbers live no more."""
        before.require(self.clusters)
        after = before.without(self.clusters)
        if not after.alive:
            raise InputError("drop: these are all clusters; expected to keep one")
        return replace(after, dropped=before.dropped | frozenset(self.clusters))


def numbers_after(edits: Sequence[Edit], n_clusters: int) -> Numbers:
    """The numbers of so many clusters after some edits.

    Examples
    --------
    >>> numbers_after([Merge((2, 3)), Rename({2: "Tea"}), Drop((1,))], 4)
    Numbers(alive=(2, 4), dropped=frozenset({1}), names={2: 'Tea'}, highest=4)
    """
    numbers = Numbers(tuple(range(1, n_clusters + 1)), highest=n_clusters)
    for edit in edits:
        numbers = edit.numbers(numbers)
    return numbers


def documents_after(edits: Sequence[Edit], documents: Documents) -> Documents:
    """Documents, those of the fit or new ones, after some edits."""
    for edit in edits:
        documents = edit.documents(documents)
    return documents


def rows_after(
    edits: Sequence[Edit],
    values: Any,
    weights: Array,
    parts: Callable[[Any], Array] | None = None,
) -> Array:
    """A table with a row a cluster after some edits; `weights` are those before.

    Examples
    --------
    >>> rows_after([Merge((1, 2))], [[1.0, 0], [0, 1], [1, 1]], np.array([3.0, 1, 1]))
    array([[0.75, 0.25],
           [0.  , 0.  ],
           [1.  , 1.  ]])
    """
    rows = Rows(np.asarray(values, dtype=np.float64), weights, parts)
    for edit in edits:
        rows = edit.rows(rows)
    return rows.values


def checked_names(names: Mapping[Any, Any]) -> dict[int, str]:
    """Names that people give, each one line of text; an empty one is the automatic name."""
    checked = {}
    for number, name in names.items():
        if not isinstance(name, str):
            kind = type(name).__name__
            raise InputError(f"name of cluster {number}: expected a text, got {kind}")
        line = " ".join(name.split())
        if len(line) > LONGEST_NAME:
            raise InputError(
                f"name of cluster {number}: {len(line)} characters; expected at most "
                f"{LONGEST_NAME}"
            )
        checked[int(number)] = line
    return checked
