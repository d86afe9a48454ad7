"""Documents by words as a picture: as they came, and in the order of their clusters."""

from typing import Any

import numpy as np

from coterie.arrays import row_blocks
from coterie.report.packing import Arrays
from coterie.types import Counts, Labels

ROWS, COLUMNS = 120, 180


def block_pictures(
    counts: Counts, labels: Labels, word_labels: Labels
) -> tuple[dict[str, Any], Arrays]:
    """The two pictures, a byte a cell, and where clusters end in the second.

    A cell is as dark as many of its documents have one of its words, on a scale of roots.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> counts = sp.csr_array([[1, 0], [0, 1], [1, 0]])
    >>> shape, pictures = block_pictures(counts, np.array([0, 1, 0]), np.array([1, 0]))
    >>> shape["row_ends"], shape["column_ends"]
    ([2, 3], [1, 2])
    >>> pictures["after"][1].reshape(3, 2)
    array([[  0, 255],
           [  0, 255],
           [255,   0]], dtype=uint8)
    """
    labels, word_labels = np.asarray(labels), np.asarray(word_labels)
    by_cluster = np.argsort(labels, kind="stable"), np.argsort(word_labels, kind="stable")
    shape = min(ROWS, counts.shape[0]), min(COLUMNS, counts.shape[1])
    before = _cells(counts, np.arange(counts.shape[0]), np.arange(counts.shape[1]), shape)
    after = _cells(counts, *by_cluster, shape)
    most = max(float(before.max(initial=0)), float(after.max(initial=0)), 1e-12)
    head = {
        "rows": shape[0],
        "columns": shape[1],
        "row_ends": _ends(labels, shape[0]),
        "column_ends": _ends(word_labels, shape[1]),
    }
    pictures: Arrays = {
        name: ("u8", np.round(255 * np.sqrt(cells / most)).astype(np.uint8).ravel())
        for name, cells in (("before", before), ("after", after))
    }
    return head, pictures


def _cells(counts: Counts, rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """Share of the entries of each cell that are not zero."""
    of_row, of_column = (
        np.argsort(order) * cells // len(order)
        for order, cells in zip((rows, columns), shape, strict=True)
    )
    found = np.zeros(shape[0] * shape[1], dtype=np.int64)
    for at, block in row_blocks(counts):
        row = np.repeat(of_row[at], np.diff(block.indptr))
        found += np.bincount(row * shape[1] + of_column[block.indices], minlength=len(found))
    return found.reshape(shape) / np.outer(
        _sizes(len(rows), shape[0]), _sizes(len(columns), shape[1])
    )


def _sizes(n: int, cells: int) -> Any:
    """How many of n lie in each cell."""
    return np.bincount(np.arange(n) * cells // max(n, 1), minlength=cells)


def _ends(labels: Labels, cells: int) -> list[float]:
    """Where each cluster ends, in cells."""
    ends = np.cumsum(np.bincount(labels)) * cells / max(len(labels), 1)
    return [round(float(end), 3) if end % 1 else int(end) for end in ends]
