"""What every external measure starts from: checked labels, memberships, contingency tables."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt
from sklearn.metrics.cluster import contingency_matrix

from coterie.errors import InputError
from coterie.types import Array

LabelsLike: TypeAlias = Iterable[Hashable]
Codes: TypeAlias = npt.NDArray[np.int64]

ROW_SUM_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class Contingency:
    """How many documents of each class (row) each cluster (column) holds."""

    counts: npt.NDArray[np.int64]
    classes: tuple[Hashable, ...]
    clusters: tuple[Hashable, ...]

    def as_dict(self) -> dict[str, Any]:
        """Give the table as plain values, ready for JSON."""
        return {
            "counts": self.counts.tolist(),
            "classes": [plain_name(name) for name in self.classes],
            "clusters": [plain_name(name) for name in self.clusters],
        }


def contingency(true: LabelsLike, predicted: LabelsLike) -> Contingency:
    """Count the documents each class shares with each cluster, names in sorted order.

    Examples
    --------
    >>> table = contingency(["tea", "tea", "rum"], [0, 1, 1])
    >>> table.classes, table.clusters
    (('rum', 'tea'), (0, 1))
    >>> table.counts
    array([[0, 1],
           [1, 1]])
    """
    class_codes, classes = encode(true, "true")
    cluster_codes, clusters = encode(predicted, "predicted")
    check_same_length(len(class_codes), len(cluster_codes), "predicted")
    return Contingency(contingency_matrix(class_codes, cluster_codes), classes, clusters)


def encode_both(true: LabelsLike, predicted: LabelsLike) -> tuple[Codes, Codes]:
    """Number the classes and the clusters of documents, which must be as many.

    Examples
    --------
    >>> encode_both(["tea", "rum"], [0, 1])
    (array([1, 0]), array([0, 1]))
    """
    class_codes, _ = encode(true, "true")
    cluster_codes, _ = encode(predicted, "predicted")
    check_same_length(len(class_codes), len(cluster_codes), "predicted")
    return class_codes, cluster_codes


def encode(labels: LabelsLike, parameter: str) -> tuple[Codes, tuple[Hashable, ...]]:
    """Number the distinct labels in sorted order, and give their names in that order.

    Examples
    --------
    >>> encode(["tea", "rum", "tea"], "true")
    (array([1, 0, 1]), ('rum', 'tea'))
    """
    if _are_numbers(labels):
        numbers, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.int64), tuple(numbers.tolist())
    values = _checked_values(labels, parameter)
    names = _sorted_names(set(values))
    position = {name: code for code, name in enumerate(names)}
    return np.array([position[value] for value in values], dtype=np.int64), tuple(names)


def check_memberships(memberships: npt.ArrayLike, parameter: str) -> Array:
    """Return memberships as an array of floats, or say what is wrong with them.

    Examples
    --------
    >>> check_memberships([[0.5, 0.6]], "memberships")
    Traceback (most recent call last):
    coterie.errors.InputError: memberships: row 0 sums to 1.1, expected 1
    """
    try:
        rows: Array = np.asarray(memberships, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{parameter}: expected an array of numbers, {error}") from error
    if rows.ndim != 2 or 0 in rows.shape:
        raise InputError(
            f"{parameter}: expected a row a document and a column a cluster, "
            f"got an array of shape {rows.shape}"
        )
    wrong = ~(np.isfinite(rows) & (rows >= 0)).all(axis=1)
    if wrong.any():
        raise InputError(
            f"{parameter}: row {wrong.argmax()} holds a negative, infinite or missing number, "
            "expected probabilities"
        )
    sums = rows.sum(axis=1)
    off = abs(sums - 1) > ROW_SUM_TOLERANCE
    if off.any():
        row = off.argmax()
        raise InputError(f"{parameter}: row {row} sums to {sums[row]:g}, expected 1")
    return rows


def check_same_length(expected: int, length: int, parameter: str) -> None:
    """Refuse clusters of more or fewer documents than the classes.

    Examples
    --------
    >>> check_same_length(3, 2, "predicted")
    Traceback (most recent call last):
    coterie.errors.InputError: predicted: expected 3 documents as in true, got 2
    """
    if expected != length:
        raise InputError(f"{parameter}: expected {expected} documents as in true, got {length}")


def plain_name(name: Hashable) -> str | int | float:
    """Give a label itself where JSON can hold it, else its text.

    Examples
    --------
    >>> plain_name(3), plain_name("tea"), plain_name(("tea", 3))
    (3, 'tea', "('tea', 3)")
    """
    return name if isinstance(name, str | int | float) else str(name)


def _are_numbers(labels: LabelsLike) -> TypeGuard[npt.NDArray[np.integer[Any]]]:
    """Whether labels are whole numbers in an array, of which none need be checked."""
    return (
        isinstance(labels, np.ndarray)
        and labels.ndim == 1
        and labels.size > 0
        and labels.dtype.kind in "iu"
    )


def _checked_values(labels: LabelsLike, parameter: str) -> list[Hashable]:
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise InputError(f"{parameter}: expected a label a document, got {labels!r}")
    if isinstance(labels, np.ndarray) and labels.ndim != 1:
        raise InputError(
            f"{parameter}: expected a label a document, got an array of shape {labels.shape}"
        )
    values = [value.item() if isinstance(value, np.generic) else value for value in labels]
    if not values:
        raise InputError(f"{parameter}: expected at least one label, got none")
    for row, value in enumerate(values):
        if not isinstance(value, Hashable):
            raise InputError(f"{parameter}: row {row} is {value!r}, expected a single label")
        if value is None or value != value:
            raise InputError(f"{parameter}: row {row} is missing ({value!r}), expected a label")
    return values


def _sorted_names(names: set[Hashable]) -> list[Hashable]:
    try:
        return sorted(names)  # type: ignore[type-var]
    except TypeError:
        return sorted(names, key=lambda name: (type(name).__name__, repr(name)))
