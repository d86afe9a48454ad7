"""The summary of a clustering shown: as tables, as a page, and in the terminal."""

from coterie.report.html import render
from coterie.report.results import write_results
from coterie.report.tables import write_clusters, write_csv, write_parquet, write_terms

__all__ = [
    "render",
    "write_clusters",
    "write_csv",
    "write_parquet",
    "write_results",
    "write_terms",
]
