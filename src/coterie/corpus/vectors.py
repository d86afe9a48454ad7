"""Vectors that describe documents, as embeddings do: a row each, zeros for none."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import numpy as np

from coterie.errors import InputError
from coterie.persistence import read_array
from coterie.types import Array


def read_vectors(path: str | os.PathLike[str]) -> Array:
    """Read a matrix of numbers that `numpy.save` wrote, a document a row.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "embeddings.npy"
    >>> np.save(file, np.ones((2, 3)))
    >>> read_vectors(file).shape
    (2, 3)
    """
    if not Path(path).is_file():
        raise InputError(f"{path}: no such file of vectors")
    if is_zipfile(path):  # as numpy.savez writes
        raise InputError(f"{path}: several arrays, expected a .npy file of one")
    try:
        vectors = read_array(Path(path))
    except (InputError, OSError) as error:
        raise InputError(f"{path}: not a .npy file of numbers, as numpy.save writes") from error
    return checked_vectors(str(path), vectors, len(vectors) if vectors.ndim else 0)


def checked_vectors(name: str, vectors: Any, n_documents: int) -> Array:
    """Refuse what is not a vector of finite numbers for each document."""
    x = np.asarray(vectors)
    if x.ndim != 2 or not x.shape[1] or x.dtype.kind not in "fiu":
        raise InputError(
            f"{name}: expected a matrix of numbers, a document a row, "
            f"got shape {x.shape} of {x.dtype}"
        )
    if len(x) != n_documents:
        raise InputError(f"{name}: {len(x)} rows, but there are {n_documents} documents")
    x = x if x.dtype in (np.float32, np.float64) else x.astype(np.float32)
    rows, columns = np.nonzero(~np.isfinite(x))
    if len(rows):
        raise InputError(
            f"{name}: row {rows[0] + 1}, column {columns[0] + 1}: expected a finite number, "
            f"got {x[rows[0], columns[0]]}"
        )
    checked: Array = x
    return checked


class Gatherer:
    """Collects the vectors of documents that come one by one.

    Examples
    --------
    >>> gatherer = Gatherer("photo")
    >>> gatherer.add("a", [1.0, 2.0])
    >>> gatherer.add("b", None)
    >>> gatherer.finish()
    array([[1., 2.],
           [0., 0.]], dtype=float32)
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._rows: list[Array | None] = []
        self._width: int | None = None

    def add(self, document: str, vector: Sequence[float] | None) -> None:
        """Take the vector of a document, or None where it has none."""
        row = None if not vector else self._row(document, vector)
        if row is not None and self._width not in (None, len(row)):
            raise InputError(
                f"view '{self._name}': the vector of document '{document}' has {len(row)} "
                f"numbers, those before it {self._width}"
            )
        self._width = self._width if row is None else len(row)
        self._rows.append(row)

    def _row(self, document: str, vector: Sequence[float]) -> Array:
        try:
            with np.errstate(over="raise"):
                return np.array(vector, dtype=np.float32)
        except ArithmeticError as error:
            raise InputError(
                f"view '{self._name}': the vector of document '{document}' holds a number that "
                "is too large for 32 bits"
            ) from error

    def finish(self) -> Array:
        """The vectors of all documents, zeros where one has none."""
        if self._width is None:
            raise InputError(f"view '{self._name}': empty, no document has a vector")
        x = np.zeros((len(self._rows), self._width), dtype=np.float32)
        for position, row in enumerate(self._rows):
            if row is not None:
                x[position] = row
        return checked_vectors(f"view '{self._name}'", x, len(x))
