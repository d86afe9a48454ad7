"""Texts and matrices from elsewhere: what they are, and what is wrong with them."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.errors import InputError
from coterie.types import Counts

LONGEST_SHOWN = 40  # characters of a value shown in an error
EXPECTED = "expected texts, all strings, or a matrix of counts"
MAY_HOLD_STRINGS = "OUST"  # kinds of arrays: objects, strings of fixed and of any length, bytes


def is_texts(X: Any) -> bool:
    """Tell whether X is a list, tuple, array or column with strings in it, in one dimension.

    One string is enough: `checked_texts` names the first entry that is none.

    Examples
    --------
    >>> is_texts(["green tea", "dark rum"]), is_texts([[2, 0], [0, 1]]), is_texts([1, 2])
    (True, False, False)
    """
    entries = _entries(X)
    return entries is not None and any(isinstance(entry, str) for entry in entries)


def checked_texts(X: Any) -> list[str]:
    """Return the entries of a list, tuple, array or column, all of them strings.

    Examples
    --------
    >>> checked_texts(["green tea", 7])
    Traceback (most recent call last):
    coterie.errors.InputError: X: row 1 holds 7 (int); expected texts, all strings, or a matrix
    of counts
    """
    entries = _entries(X)
    if entries is None:
        refuse_strings(X)
        raise InputError(f"X: {_shown(X)}; {EXPECTED}")
    for row, entry in enumerate(entries):
        if not isinstance(entry, str):
            raise InputError(f"X: row {row} holds {_shown(entry)}; {EXPECTED}")
    return [str(entry) for entry in entries]


def refuse_strings(X: Any) -> None:
    """Refuse a matrix or data frame with strings in it, and name the first of them.

    Examples
    --------
    >>> refuse_strings([[2, 0], [1, "green tea"]])
    Traceback (most recent call last):
    coterie.errors.InputError: X: row 1, column 1 holds 'green tea' (str); expected texts, all
    strings, or a matrix of counts
    """
    if isinstance(X, str | bytes):
        raise InputError(f"X: one text, {_shown(X)}; expected several, in a list")
    for (row, column), value in _possible_strings(X):
        if isinstance(value, str | bytes):
            names = list(getattr(X, "columns", ()))
            column = repr(names[column]) if names else column
            where = f"row {row}, column {column}"
            raise InputError(f"X: {where} holds {_shown(value)}; {EXPECTED}")


def refuse_positions_outside(X: Any) -> None:
    """Refuse a sparse matrix that names rows or columns it does not have.

    Examples
    --------
    >>> X = sp.csr_array([[2.0, 0.0], [1.0, 3.0]])
    >>> X.indices[0] = 7
    >>> refuse_positions_outside(X)
    Traceback (most recent call last):
    coterie.errors.InputError: X: a damaged sparse matrix (indices must be < 2); make it again
    """
    if sp.issparse(X) and hasattr(X, "check_format"):
        try:
            X.check_format(full_check=True)
        except ValueError as error:
            what = str(error).rstrip(".")
            raise InputError(f"X: a damaged sparse matrix ({what}); make it again") from error


def checked_counts(X: Any) -> Counts:
    """Return a matrix of counts in one form: sparse, each position once, no zeros stored.

    Counts stay 32 bits wide where that loses nothing.

    Examples
    --------
    >>> checked_counts([[2, 0], [1, -1]])
    Traceback (most recent call last):
    coterie.errors.InputError: X: row 1, column 1 holds -1; expected counts of zero or more
    """
    refuse_strings(X)
    refuse_positions_outside(X)
    try:
        dense = X if sp.issparse(X) else np.atleast_1d(np.asarray(X, dtype=np.float64))
        if dense.ndim == 2:
            dense = sp.csr_array(dense).astype(np.float64)
    except (TypeError, ValueError) as error:
        kind = type(X).__name__
        raise InputError(
            f"X: a {kind}; expected a matrix of numbers, rows of one length"
        ) from error
    if dense.ndim != 2 or 0 in dense.shape:
        raise InputError(
            f"X: shape {np.shape(X)}; expected a matrix, a row a document and a column a word"
        )
    counts: Counts = dense
    counts.sum_duplicates()
    wrong = np.flatnonzero(~(np.isfinite(counts.data) & (counts.data >= 0)))
    if len(wrong):
        row = np.searchsorted(counts.indptr, wrong[0], side="right") - 1
        where = f"row {row}, column {counts.indices[wrong[0]]}"
        value = counts.data[wrong[0]]
        raise InputError(f"X: {where} holds {value:g}; expected counts of zero or more")
    counts.eliminate_zeros()
    single = counts.astype(np.float32)
    return single if np.array_equal(single.data, counts.data) else counts


def checked_words(words: Any, n_columns: int) -> list[str]:
    """Return the words of a matrix, one a column, all different.

    Examples
    --------
    >>> checked_words(["tea", "rum", "tea"], 3)
    Traceback (most recent call last):
    coterie.errors.InputError: words: 'tea' stands for columns 0 and 2; expected each word once
    """
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InputError(f"words: {_shown(words)}; expected a list of them, one a column of X")
    names = list(words)
    if len(names) != n_columns:
        raise InputError(
            f"words: {len(names)} for {n_columns} columns of X; expected one a column"
        )
    positions: dict[str, int] = {}
    for column, word in enumerate(names):
        if not isinstance(word, str):
            raise InputError(f"words: column {column} holds {_shown(word)}; expected a string")
        if word in positions:
            raise InputError(
                f"words: {_cut(word)} stands for columns {positions[word]} and {column}; "
                "expected each word once"
            )
        positions[word] = column
    return [str(word) for word in names]


def _entries(X: Any) -> Sequence[Any] | None:
    """The entries of a list, tuple, array or column; None of what has not one dimension."""
    if isinstance(X, list | tuple):
        return X
    if len(getattr(X, "shape", ())) != 1 or sp.issparse(X):
        return None
    values = np.asarray(X)
    return values.tolist() if values.dtype.kind in MAY_HOLD_STRINGS else None


def _possible_strings(X: Any) -> Iterable[tuple[Any, Any]]:
    """Positions and entries of what may be a matrix with strings in it; nothing of another."""
    if sp.issparse(X) or len(getattr(X, "shape", (0, 0))) != 2:
        return ()
    try:
        kind = np.asarray(X).dtype.kind
        values = np.asarray(X, dtype=object) if kind in MAY_HOLD_STRINGS else None
    except ValueError:  # rows of different lengths
        return ()
    return () if values is None or values.ndim != 2 else np.ndenumerate(values)


def _shown(value: Any) -> str:
    return f"{_cut(value)} ({type(value).__name__})"


def _cut(value: Any) -> str:
    """A value as Python writes it, never all of a long one."""
    if isinstance(value, str | bytes):
        return repr(value if len(value) <= LONGEST_SHOWN else value[:LONGEST_SHOWN]) + (
            "..." if len(value) > LONGEST_SHOWN else ""
        )
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."
