"""Which cluster each document belongs to, with clusters numbered from the largest, 1."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from coterie.errors import InputError
from coterie.report.wording import encodable
from coterie.types import Array, Labels

if TYPE_CHECKING:
    from coterie.corpus import Corpus

BLOCK_ROWS = 1 << 16


class Clustering(Protocol):
    """What a fitted model must offer to be reported on.

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
        """How much more probable the first choice is than the second."""
        return self.probability - (self.second_probability or 0.0)


@dataclass(frozen=True, eq=False)
class Assignments:
    """Checked memberships and labels; `order` holds the model's indices, largest first."""

    memberships: Array
    labels: Labels
    sizes: Labels
    order: Labels
    numbers: Labels

    @property
    def n_clusters(self) -> int:
        """Number of clusters, empty ones included."""
        return len(self.order)

    @property
    def probabilities(self) -> Array:
        """Probability of each document's own cluster."""
        return self.memberships[np.arange(len(self.labels)), self.labels]

    def members(self, index: int) -> Labels:
        """Positions of the documents of the cluster the model calls `index`."""
        return np.flatnonzero(self.labels == index)

    def second_choices(self) -> tuple[Labels, Array]:
        """Most probable cluster of each document besides its own, and its probability."""
        seconds = np.empty(len(self.labels), dtype=np.intp)
        for start in range(0, len(seconds), BLOCK_ROWS):
            block = slice(start, start + BLOCK_ROWS)
            others = self.memberships[block].copy()
            others[np.arange(len(others)), self.labels[block]] = -1.0
            seconds[block] = others.argmax(axis=1)
        return seconds, self.memberships[np.arange(len(seconds)), seconds]


def read_assignments(
    model: Clustering, corpus: "Corpus", order: npt.ArrayLike | None = None
) -> Assignments:
    """Check what the model says of the documents and number its clusters by size.

    Clusters that were numbered before keep their numbers by the `order` of then.
    """
    memberships = _checked_memberships(model, len(corpus))
    labels = _checked_labels(model, memberships)
    sizes = np.bincount(labels, minlength=memberships.shape[1])
    order = np.argsort(-sizes, kind="stable") if order is None else np.asarray(order)
    numbers = np.empty_like(order)
    numbers[order] = np.arange(1, len(order) + 1)
    return Assignments(memberships, labels, sizes, order, numbers)


def document_rows(
    model: Clustering,
    corpus: "Corpus",
    positions: npt.ArrayLike | None = None,
    order: npt.ArrayLike | None = None,
) -> list[DocumentRow]:
    """List the documents, or those at `positions`, with their first and second cluster.

    `order` holds the model's indices of clusters 1, 2, ...; by default the largest is 1.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from coterie.corpus import Corpus, TextOptions
    >>> english = TextOptions(language="en")
    >>> texts = ["green tea", "dark rum", "black tea"]
    >>> corpus = Corpus.from_texts(texts, ids=["a", "b", "c"], options=english)
    >>> model = SimpleNamespace(
    ...     memberships_=np.array([[0.2, 0.8], [1.0, 0.0], [0.3, 0.7]]),
    ...     labels_=np.array([1, 0, 1]),
    ... )
    >>> for row in document_rows(model, corpus):
    ...     print(row.id, row.cluster, row.probability, row.second, row.second_probability)
    a 1 0.8 2 0.2
    b 2 1.0 1 0.0
    c 1 0.7 2 0.3
    """
    assignments = read_assignments(model, corpus, order)
    if positions is None:
        positions = np.arange(len(corpus))
    return rows_at(assignments, corpus, np.asarray(positions, dtype=np.intp))


def rows_at(assignments: Assignments, corpus: "Corpus", positions: Labels) -> list[DocumentRow]:
    """Describe the documents at `positions`, in that order."""
    first = assignments.numbers[assignments.labels[positions]].tolist()
    probabilities = assignments.probabilities[positions].tolist()
    seconds: list[Any] = [None] * len(positions)
    second_probabilities: list[Any] = [None] * len(positions)
    if assignments.n_clusters > 1:
        indices, values = assignments.second_choices()
        seconds = assignments.numbers[indices[positions]].tolist()
        second_probabilities = values[positions].tolist()
    columns = zip(
        (encodable(corpus.ids[p]) for p in positions),
        (encodable(corpus.titles[p]) for p in positions),
        (label_at(corpus, p) for p in positions),
        first,
        probabilities,
        seconds,
        second_probabilities,
        strict=True,
    )
    return [DocumentRow(*row) for row in columns]


def label_at(corpus: "Corpus", position: int) -> str | None:
    """Give the label of a document as text; None in a corpus without labels."""
    if corpus.labels is None:
        return None
    label = corpus.labels[position]
    return "" if label is None else encodable(str(label))


def _checked_memberships(model: Clustering, n_documents: int) -> Array:
    name = type(model).__name__
    if not hasattr(model, "memberships_") or not hasattr(model, "labels_"):
        raise InputError(f"{name}: expected a fitted model with memberships_ and labels_")
    if n_documents == 0:
        raise InputError("corpus: expected documents to report on, got none")
    memberships = np.asarray(model.memberships_)
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


def _checked_labels(model: Clustering, memberships: Array) -> Labels:
    name = type(model).__name__
    n_documents, n_clusters = memberships.shape
    labels = np.asarray(model.labels_)
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
