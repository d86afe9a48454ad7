"""What a clustering found, as plain data, tables, a page and a terminal listing."""

from coterie.report.assignments import DocumentRow, document_rows
from coterie.report.clusters import Cluster, TypicalDocument
from coterie.report.html import render
from coterie.report.summary import Summary, summarize
from coterie.report.tables import write_clusters, write_documents, write_terms
from coterie.report.words import WordWeight

__all__ = [
    "Cluster",
    "DocumentRow",
    "Summary",
    "TypicalDocument",
    "WordWeight",
    "document_rows",
    "render",
    "summarize",
    "write_clusters",
    "write_documents",
    "write_terms",
]
