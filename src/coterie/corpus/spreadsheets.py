"""Cells of CSV files that a spreadsheet would run as formulas, made safe and read back.

A cell that begins with one of the signs below, or with apostrophes before it, gets one more
apostrophe, which spreadsheets take for "this is text". Reading takes it away again.
"""

import re
from collections.abc import Sequence

FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
DOCUMENTS = (
    "id", "title", "label", "cluster", "name", "probability",
    "second", "second_name", "second_probability",
)  # fmt: skip
"""Last columns of a table of documents, in whose text cells the apostrophe is taken away."""


def safe_cell(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run.

    Examples
    --------
    >>> [safe_cell(each) for each in ("=1+1", "tea", "'=1+1", "'tis")]
    ["'=1+1", 'tea', "''=1+1", "'tis"]
    """
    return f"'{text}" if FORMULA.match(text) else text


def original_cell(cell: str) -> str:
    """Undo `safe_cell`.

    Examples
    --------
    >>> [original_cell(each) for each in ("'=1+1", "tea", "''=1+1", "'tis")]
    ['=1+1', 'tea', "'=1+1", "'tis"]
    """
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def is_table_of_documents(header: Sequence[str]) -> bool:
    """Tell whether a CSV file ends in the columns of `documents.csv`, with labels or not."""
    unlabelled = [name for name in DOCUMENTS if name != "label"]
    return any([*header[-len(last) :]] == last for last in ([*DOCUMENTS], unlabelled))
