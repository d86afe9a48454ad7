"""What a clustering says of its documents and words, computed once, as plain data."""

from coterie.findings.assignments import DocumentRow, assign_documents
from coterie.findings.clusters import Cluster, TypicalDocument
from coterie.findings.summary import Summary, summarize
from coterie.findings.words import TermRow, WordWeight

__all__ = [
    "Cluster",
    "DocumentRow",
    "Summary",
    "TermRow",
    "TypicalDocument",
    "WordWeight",
    "assign_documents",
    "summarize",
]
