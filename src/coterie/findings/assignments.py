"""Which cluster each document is assigned to; the number of a cluster is its label plus one."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import eq
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, overload

import numpy as np

from coterie.errors import InputError
from coterie.findings.texts import encodable
from coterie.types import Array, Labels

if TYPE_CHECKING:
    from coterie.corpus import Corpus

LIKELY = 0.5  # probability below which a document is doubtful
CLOSE = 0.2  # margin over the second choice below which it is
LEAST_MASS = 1e-6
BLOCK_ROWS = 1 << 16


class FittedModel(Protocol):
    """What a fitted model must offer to be summarized.

    Also used where present: `components_` (else the words of a cluster are counted in its
    documents), `history_`, `n_iter_`, `converged_` and `get_params()`.
    """

    memberships_: Any
    labels_: Any


class DocumentRow(NamedTuple):
    """One document, its cluster and its second choice; a single cluster leaves no second."""

    id: str
    title: str
    label: str | None
    cluster: int
    probability: float
    second: int | None
    second_probability: float | None

    @property
    def margin(self) -> float:
        """Difference between the probabilities of the first and the second choice."""
        return self.probability - (self.second_probability or 0.0)


@dataclass(frozen=True, eq=False)
class Assignments:
    """Checked memberships and labels of all documents."""

    memberships: Array
    labels: Labels
    gone: tuple[int, ...] = ()
    """Labels of clusters that were merged into others, or dropped."""

    @property
    def n_clusters(self) -> int:
        """Number of clusters, empty ones and those that are gone included."""
        return int(self.memberships.shape[1])

    @property
    def has_second(self) -> bool:
        """Whether there is a second cluster to choose."""
        return self.n_clusters - len(self.gone) > 1

    @cached_property
    def sizes(self) -> Labels:
        """Number of documents of each cluster."""
        return np.bincount(self.labels, minlength=self.n_clusters)

    @property
    def probabilities(self) -> Array:
        """Probability of each document's cluster."""
        return self.memberships[np.arange(len(self.labels)), self.labels]

    def is_empty(self, label: int) -> bool:
        """Whether a cluster has neither documents nor a part in any."""
        mass = float(self.memberships[:, label].sum(dtype=np.float64))
        return not self.sizes[label] and mass <= LEAST_MASS

    def members(self, label: int) -> Labels:
        """Positions of the documents of a cluster."""
        return np.flatnonzero(self.labels == label)

    @cached_property
    def second_choices(self) -> tuple[Labels, Array]:
        """Label of the most probable other cluster of each document, and its probability."""
        seconds = np.empty(len(self.labels), dtype=np.intp)
        for start in range(0, len(seconds), BLOCK_ROWS):
            block = slice(start, start + BLOCK_ROWS)
            others = self.memberships[block].copy()
            others[np.arange(len(others)), self.labels[block]] = -1.0
            others[:, self.gone] = -1.0
            seconds[block] = others.argmax(axis=1)
        return seconds, self.memberships[np.arange(len(seconds)), seconds]


@dataclass(frozen=True, eq=False)
class DocumentRows(Sequence[DocumentRow]):
    """The rows of all documents, made when they are asked for.

    Documents `aside`, where there are some, are of dropped clusters: number 0, no choice.

    Examples
    --------
    >>> from coterie.corpus import Corpus
    >>> corpus = Corpus.from_texts(["green tea", "dark rum"], ids=["a", "b"])
    >>> rows = DocumentRows(Assignments(np.eye(2), np.array([0, 1])), corpus)
    >>> len(rows), rows[1].cluster, [row.id for row in rows]
    (2, 2, ['a', 'b'])
    """

    assignments: Assignments
    corpus: "Corpus"
    aside: Any = None

    def __len__(self) -> int:
        return len(self.assignments.labels)

    @overload
    def __getitem__(self, at: int) -> DocumentRow: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[DocumentRow, ...]: ...
    def __getitem__(self, at: int | slice) -> Any:
        chosen = range(len(self))[at]
        if isinstance(chosen, range):
            return self.some(np.array(chosen, dtype=np.intp))
        return self.some(np.array([chosen]))[0]

    def __iter__(self) -> Iterator[DocumentRow]:
        for start in range(0, len(self), BLOCK_ROWS):
            yield from self[start : start + BLOCK_ROWS]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != len(self):
            return False
        return all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def some(self, positions: Labels) -> tuple[DocumentRow, ...]:
        """The rows of some documents."""
        values = {name: each[positions].tolist() for name, each in self._choices.items()}
        names = positions.tolist()
        columns = zip(
            [encodable(self.corpus.ids[at]) for at in names],
            [encodable(self.corpus.titles[at]) for at in names],
            self.classes(names),
            values["cluster"],
            values["probability"],
            [number or None for number in values["second"]],
            [None if math.isnan(p) else p for p in values["second_probability"]],
            strict=True,
        )
        return tuple(DocumentRow(*row) for row in columns)

    def ids(self) -> Iterator[str]:
        """The ids of all documents."""
        return map(encodable, self.corpus.ids)

    def classes(self, positions: Sequence[int]) -> list[str | None]:
        """Known classes of some documents as text; None for each without labels."""
        labels = self.corpus.labels
        if labels is None:
            return [None] * len(positions)
        chosen = labels[np.asarray(positions, dtype=np.intp)]
        return ["" if label is None else encodable(str(label)) for label in chosen]

    @cached_property
    def _choices(self) -> dict[str, Any]:
        return self.choices()

    def choices(self) -> dict[str, Any]:
        """Number and probability of the first and second choice, 0 and no number for none."""
        found = self.assignments
        seconds: Labels = np.zeros(len(self), dtype=np.intp)
        probabilities = found.probabilities.astype(np.float64)
        of_second = np.full(len(self), np.nan)
        if found.has_second:
            seconds, of_second = found.second_choices
            seconds, of_second = seconds + 1, of_second.astype(np.float64)
        numbers = found.labels + 1
        if self.aside is not None:
            numbers, seconds = (
                np.where(self.aside, 0, numbers),
                np.where(self.aside, 0, seconds),
            )
            probabilities = np.where(self.aside, np.nan, probabilities)
            of_second = np.where(self.aside, np.nan, of_second)
        return {
            "cluster": numbers,
            "probability": probabilities,
            "second": seconds,
            "second_probability": of_second,
        }


def read_assignments(model: FittedModel, corpus: "Corpus") -> Assignments:
    """Take memberships and labels from a fitted model, and check them."""
    name = type(model).__name__
    if not hasattr(model, "memberships_") or not hasattr(model, "labels_"):
        raise InputError(f"{name}: expected a fitted model with memberships_ and labels_")
    memberships = _checked_memberships(name, np.asarray(model.memberships_), len(corpus))
    return Assignments(memberships, _checked_labels(name, model.labels_, memberships.shape))


def assign_documents(model: Any, corpus: "Corpus") -> DocumentRows:
    """Assign documents, counted with the model's vocabulary, to the model's clusters."""
    memberships = read_memberships(model, corpus)
    return document_rows(Assignments(memberships, memberships.argmax(axis=1)), corpus)


def read_memberships(model: Any, corpus: "Corpus") -> Array:
    """Memberships of new documents, counted with the model's vocabulary, checked."""
    memberships = np.asarray(model.predict_proba(corpus))
    return _checked_memberships(type(model).__name__, memberships, len(corpus))


def document_rows(assignments: Assignments, corpus: "Corpus") -> DocumentRows:
    """List the documents with their first and second choice.

    Examples
    --------
    >>> from coterie.corpus import Corpus, TextOptions
    >>> texts = ["green tea", "dark rum", "black tea"]
    >>> english = TextOptions(language="en")
    >>> corpus = Corpus.from_texts(texts, ids=["a", "b", "c"], options=english)
    >>> memberships = np.array([[0.8, 0.2], [0.0, 1.0], [0.7, 0.3]])
    >>> for row in document_rows(Assignments(memberships, np.array([0, 1, 0])), corpus):
    ...     print(row.id, row.cluster, row.probability, row.second, row.second_probability)
    a 1 0.8 2 0.2
    b 2 1.0 1 0.0
    c 1 0.7 2 0.3
    """
    return DocumentRows(assignments, corpus)


def _checked_memberships(name: str, memberships: Array, n_documents: int) -> Array:
    if n_documents == 0:
        raise InputError("corpus: expected documents, got none")
    if memberships.ndim != 2 or memberships.shape[0] != n_documents or not memberships.size:
        raise InputError(
            f"memberships_ of {name}: expected a row for each of the {n_documents} documents "
            f"and a column a cluster, got shape {memberships.shape}"
        )
    bad = np.flatnonzero(~np.isfinite(memberships).all(axis=1))
    if len(bad):
        raise InputError(
            f"memberships_ of {name}, row {bad[0]}: expected finite numbers, "
            f"got {memberships[bad[0]].tolist()}"
        )
    return memberships


def _checked_labels(name: str, values: Any, shape: tuple[int, ...]) -> Labels:
    n_documents, n_clusters = shape
    labels = np.asarray(values)
    if labels.shape != (n_documents,) or labels.dtype.kind not in "iu":
        raise InputError(
            f"labels_ of {name}: expected {n_documents} whole numbers, "
            f"got shape {labels.shape} of {labels.dtype}"
        )
    bad = np.flatnonzero((labels < 0) | (labels >= n_clusters))
    if len(bad):
        raise InputError(
            f"labels_ of {name}, row {bad[0]}: expected a number from 0 to {n_clusters - 1}, "
            f"got {labels[bad[0]]}"
        )
    return labels


def doubtful_positions(assignments: Assignments) -> Labels:
    """Documents whose cluster has less than half of their probability.

    Or whose second choice comes within 0.2 of the first. Those nearest to a second cluster
    come first.
    """
    if not assignments.has_second:
        return np.empty(0, dtype=np.intp)
    first = assignments.probabilities
    margins = first - assignments.second_choices[1]
    doubtful = np.flatnonzero((first < LIKELY) | (margins < CLOSE))
    positions: Labels = doubtful[np.argsort(margins[doubtful], kind="stable")]
    return positions
