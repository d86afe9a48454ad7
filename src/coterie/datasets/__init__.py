"""Collections to try Coterie on."""

from coterie.datasets.demo import DemoDocument, demo_documents, load_demo
from coterie.datasets.newsgroups import load_newsgroups
from coterie.datasets.recipes import PAPER_000
from coterie.datasets.reuters import load_reuters
from coterie.datasets.webkb import load_webkb

__all__ = [
    "PAPER_000",
    "DemoDocument",
    "demo_documents",
    "load_demo",
    "load_newsgroups",
    "load_reuters",
    "load_webkb",
]
