"""Inner loops. `reference` is the specification, `cpu` and `gpu` are what runs: same answers.

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
    shape = n_rows, -(-n_columns // LANES) * LANES
    padded: Array = np.zeros_like(columns, dtype or columns.dtype, order="C", shape=shape)
    padded[:, :n_columns] = columns
    return padded


def mix_topics(table: Array, weights: Array) -> Array:
    """See `reference.mix_topics`."""
    mixed: Array = kernels_of(table).mix_topics(table, weights)
    return mixed


def sum_words(table: Array, weights: Array) -> Array:
    """See `reference.sum_words`."""
    totals: Array = kernels_of(table).sum_words(table, weights)
    return totals


def quotient(numbers: Array, divisors: Array) -> Array:
    """Numbers over divisors, and zero where a divisor is not above zero, wherever they are.

    Examples
    --------
    >>> quotient(np.array([[3.0, 4.0]]), np.array([[2.0, 0.0]]))
    array([[1.5, 0. ]])
    """
    divided: Array
    if is_on_gpu(divisors):
        above = divisors > 0
        divided = np.where(above, numbers / np.where(above, divisors, 1), 0)
        return divided
    divided = np.divide(numbers, divisors, out=np.zeros_like(numbers), where=divisors > 0)
    return divided


def is_on_gpu(array: Any) -> bool:
    """Tell whether an array is one of CuPy's."""
    return hasattr(array, "__cuda_array_interface__")


def on_host(array: Any) -> Any:
    """An array as NumPy, wherever it is.

    Examples
    --------
    >>> on_host(np.ones(2))
    array([1., 1.])
    """
    return array.get() if is_on_gpu(array) else array


def kernels_of(array: Any) -> Any:
    """The kernels for an array, by where it is."""
    if is_on_gpu(array):
        from coterie.kernels import gpu

        return gpu.kernels()
    from coterie.kernels import cpu

    return cpu
