"""The largest numbers of each row, in one pass over them."""

from typing import Any

import numpy as np
from numba import njit

from coterie.types import Array, Labels


def largest_columns(values: Array, n: int) -> Labels:
    """Columns of the `n` largest values of each row, largest first, of equals the first.

    Examples
    --------
    >>> largest_columns(np.array([[3.0, 1.0, 3.0, 2.0]]), 3)
    array([[0, 2, 3]])
    """
    columns = np.empty((len(values), n), dtype=np.int64)
    largest: Any = _largest_columns
    largest(values, columns)
    return columns


@njit(nogil=True, cache=True)
def _largest_columns(values, columns):
    n = columns.shape[1]
    if n == 0:
        return
    for row in range(len(values)):
        found, of_row = columns[row], values[row]
        n_found = 0
        least = of_row[0]
        for column in range(len(of_row)):
            value = of_row[column]
            if n_found == n:
                if value <= least:
                    continue
                n_found -= 1
            place = n_found
            while place > 0 and of_row[found[place - 1]] < value:
                found[place] = found[place - 1]
                place -= 1
            found[place] = column
            n_found += 1
            least = of_row[found[n_found - 1]]
