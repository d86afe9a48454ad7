"""Numbers as bytes: variable-length integers, lists of documents, arrays one after another."""

import gzip
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

TYPES = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "i32": "<i4", "f32": "<f4"}
Arrays = dict[str, tuple[str, Any]]
"""Types, by the names above, and values of arrays, by name."""


def zipped(part: bytes) -> bytes:
    """Compress bytes; the same bytes give the same result."""
    return gzip.compress(part, 6, mtime=0)


def laid_out(arrays: Mapping[str, tuple[str, Any]]) -> tuple[dict[str, Any], bytes]:
    """Where each array lies, and all of them one after the other, at multiples of 8 bytes.

    Examples
    --------
    >>> laid_out({"a": ("u16", [1, 2]), "b": ("u8", [7])})[0]["b"]
    {'type': 'u8', 'start': 8, 'length': 1}
    """
    directory, pieces, start = {}, [], 0
    for name, (kind, values) in arrays.items():
        data = np.asarray(values).astype(TYPES[kind]).tobytes()
        directory[name] = {"type": kind, "start": start, "length": int(np.size(values))}
        pieces += [data, bytes(-len(data) % 8)]
        start += len(data) + -len(data) % 8
    return directory, b"".join(pieces)


def postings(counts: Any, *, with_counts: bool) -> bytes:
    """Encode the documents (rows) of each word (column), and the counts where wanted.

    Examples
    --------
    >>> list(postings(np.array([[1, 0], [2, 3]]), with_counts=True))
    [2, 1, 1, 1, 2, 1, 2, 3]
    """
    matrix = sp.csc_array(counts)
    matrix.sort_indices()
    ends = matrix.indptr.astype(np.int64)
    lengths, rows = np.diff(ends), matrix.indices.astype(np.int64)
    gaps = np.diff(rows, prepend=-1)
    first = ends[:-1][lengths > 0]
    gaps[first] = rows[first] + 1
    width = 2 if with_counts else 1
    stream = np.empty(len(lengths) + width * len(rows), dtype=np.int64)
    stream[np.arange(len(lengths)) + width * ends[:-1]] = lengths
    entries = width * np.arange(len(rows)) + np.repeat(np.arange(len(lengths)), lengths) + 1
    stream[entries] = gaps
    if with_counts:
        stream[entries + 1] = np.maximum(np.round(matrix.data), 1).astype(np.int64)
    return varints(stream)


def varints(numbers: Any) -> bytes:
    """Encode whole numbers, 7 bits a byte, the lowest first.

    Examples
    --------
    >>> list(varints(np.array([0, 127, 128])))
    [0, 127, 128, 1]
    """
    values = np.asarray(numbers, dtype=np.uint64)
    if not values.size:
        return b""
    n_bytes = np.ones(values.shape, dtype=np.int64)
    for bits in range(7, 64, 7):
        more = values >= np.uint64(1) << np.uint64(bits)
        if not more.any():
            break
        n_bytes += more
    starts = np.cumsum(n_bytes) - n_bytes
    encoded = np.zeros(int(n_bytes.sum()), dtype=np.uint8)
    for at in range(int(n_bytes.max())):
        mine = np.flatnonzero(n_bytes > at)
        seven = (values[mine] >> np.uint64(7 * at)) & np.uint64(127)
        last = n_bytes[mine] == at + 1
        encoded[starts[mine] + at] = seven + np.where(last, 0, 128).astype(np.uint64)
    return encoded.tobytes()
