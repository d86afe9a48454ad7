"""Inner loops. `reference` is the specification, `cpu` is what runs; same names, same answers.

Kernels work on padded arrays: the number of topics is rounded up to a multiple of `LANES`
and the extra columns hold zeros, so that the loop over topics has no scalar remainder.
"""

from typing import Any

import numpy as np

from coterie.types import Array

LANES = 8


def pad(columns: Array, dtype: Any = None) -> Array:
    """Copy a matrix of K columns into one of the next multiple of `LANES`, zeros added.

    Examples
    --------
    >>> pad(np.ones((2, 3))).shape
    (2, 8)
    """
    n_rows, n_columns = columns.shape
    padded = np.zeros((n_rows, -(-n_columns // LANES) * LANES), dtype or columns.dtype)
    padded[:, :n_columns] = columns
    return padded


def stretched(before: Array, after: Array, power: float, n_columns: int) -> Array:
    """Distributions in columns, moved from `before` through `after` and further.

    A power of one gives `after`; ratios of probabilities are raised to it. What is zero stays.

    Examples
    --------
    >>> stretched(np.array([[0.5], [0.5]]), np.array([[0.6], [0.4]]), 2.0, 1).round(3)
    array([[0.692],
           [0.308]])
    """
    ratio = np.ones_like(after)
    np.divide(after, before, out=ratio, where=before > 0)
    ratio **= after.dtype.type(power - 1)
    return normalize_columns(after * ratio, n_columns)


def normalize_columns(counts: Array, n_columns: int) -> Array:
    """Turn columns of counts into probabilities, in place: the M-step of words by cluster.

    A column of zeros becomes uniform, unless it is padding, after the first `n_columns`.

    Examples
    --------
    >>> normalize_columns(np.array([[1.0, 0.0, 0.0], [3.0, 0.0, 0.0]]), 2)
    array([[0.25, 0.5 , 0.  ],
           [0.75, 0.5 , 0.  ]])
    """
    from coterie.kernels import cpu

    normalized: Array = cpu.normalize_columns(counts, n_columns)
    return normalized
