"""Large numbers of each row, in one pass over them."""

from typing import Any

import numpy as np

from coterie.kernels.compiled import njit
from coterie.types import Array


def nth_largest(values: Array, n: int) -> Array:
    """The n-th largest value of each row.

    Examples
    --------
    >>> nth_largest(np.array([[3.0, 1.0, 3.0, 2.0]]), 3)
    array([2.])
    """
    found = np.empty(len(values), dtype=values.dtype)
    compiled: Any = _nth_largest
    compiled(values, n, found)
    return found


@njit(nogil=True)
def _nth_largest(values, n, found):
    largest = np.empty(n, values.dtype)
    for row in range(len(values)):
        largest[:] = -np.inf
        least = largest[n - 1]
        for value in values[row]:
            if value > least:
                place = n - 1
                while place > 0 and largest[place - 1] < value:
                    largest[place] = largest[place - 1]
                    place -= 1
                largest[place] = value
                least = largest[n - 1]
        found[row] = least
