"""Which cluster each document is assigned to; the number of a cluster is its label plus one."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from coterie.errors import InputError
from coterie.findings.texts import encodable
from coterie.types import Array, Labels

if TYPE_CHECKING:
    from coterie.corpus import Corpus

LIKELY = 0.5  # probability below which a document is doubtful
CLOSE = 0.2  # margin over the second choice below which it is
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


def read_assignments(model: FittedModel, corpus: "Corpus") -> Assignments:
    """Take memberships and labels from a fitted model, and check them."""
    name = type(model).__name__
    if not hasattr(model, "memberships_") or not hasattr(model, "labels_"):
        raise InputError(f"{name}: expected a fitted model with memberships_ and labels_")
    memberships = _checked_memberships(name, np.asarray(model.memberships_), len(corpus))
    return Assignments(memberships, _checked_labels(name, model.labels_, memberships.shape))


def assign_documents(model: Any, corpus: "Corpus") -> tuple[DocumentRow, ...]:
    """Assign documents, counted with the model's vocabulary, to the model's clusters."""
    memberships = read_memberships(model, corpus)
    return document_rows(Assignments(memberships, memberships.argmax(axis=1)), corpus)


def read_memberships(model: Any, corpus: "Corpus") -> Array:
    """Memberships of new documents, counted with the model's vocabulary, checked."""
    memberships = np.asarray(model.predict_proba(corpus))
    return _checked_memberships(type(model).__name__, memberships, len(corpus))


def document_rows(assignments: Assignments, corpus: "Corpus") -> tuple[DocumentRow, ...]:
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
    n_documents = len(assignments.labels)
    seconds: list[Any] = [None] * n_documents
    second_probabilities: list[Any] = [None] * n_documents
    if assignments.has_second:
        labels, probabilities = assignments.second_choices
        seconds, second_probabilities = (labels + 1).tolist(), probabilities.tolist()
    columns = zip(
        map(encodable, corpus.ids),
        map(encodable, corpus.titles),
        _known_classes(corpus),
        (assignments.labels + 1).tolist(),
        assignments.probabilities.tolist(),
        seconds,
        second_probabilities,
        strict=True,
    )
    return tuple(DocumentRow(*row) for row in columns)


def _known_classes(corpus: "Corpus") -> list[str | None]:
    """Labels of the documents as text; None for each in a corpus without labels."""
    if corpus.labels is None:
        return [None] * len(corpus)
    return ["" if label is None else encodable(str(label)) for label in corpus.labels]


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
