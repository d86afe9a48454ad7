"""Columns of counts made probabilities, in two steps over blocks of rows."""

import numpy as np

from coterie.kernels.compiled import njit


@njit(nogil=True)
def column_totals(counts, n_columns, prior=0.0):
    """Sums of columns, after a prior was added to all numbers of the first of them."""
    n_rows, width = counts.shape
    totals = np.zeros(width)
    if prior > 0:
        for w in range(n_rows):
            for z in range(n_columns):
                counts[w, z] += prior
    for w in range(n_rows):
        for z in range(width):
            totals[z] += counts[w, z]
    return totals


@njit(nogil=True)
def divide_columns(counts, totals, n_columns, n_words):
    """Some rows over the totals of all; 1 / `n_words` in columns without a count."""
    n_rows, width = counts.shape
    divisor = totals.copy()
    divisor[totals == 0] = 1
    share = 1 / divisor
    if np.all(np.isfinite(share)):  # a division takes longer than twenty multiplications
        for w in range(n_rows):
            for z in range(width):
                counts[w, z] *= share[z]
    else:
        for w in range(n_rows):
            for z in range(width):
                counts[w, z] /= divisor[z]
    for z in range(n_columns):
        if totals[z] == 0:
            counts[:, z] = 1 / n_words
