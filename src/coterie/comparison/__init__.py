"""Several methods on one corpus, over several seeds, in a table."""

from coterie.comparison.runs import compare
from coterie.comparison.table import Cell, ComparisonTable, Run

__all__ = ["Cell", "ComparisonTable", "Run", "compare"]
