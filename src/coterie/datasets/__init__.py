"""Collections to try Coterie on."""

from coterie.datasets.demo import DemoDocument, demo_documents, load_demo
from coterie.datasets.multiview import (
    load_debian,
    load_reuters_600,
    load_reuters_multilingual,
)
from coterie.datasets.newsgroups import load_newsgroups
from coterie.datasets.rcv import load_rcv1, load_rcv2_french
from coterie.datasets.recipes import PAPER_000
from coterie.datasets.reuters import load_reuters
from coterie.datasets.samples import PAPER_001, load_sample
from coterie.datasets.webkb import load_webkb

__all__ = [
    "PAPER_000",
    "PAPER_001",
    "DemoDocument",
    "demo_documents",
    "load_debian",
    "load_demo",
    "load_newsgroups",
    "load_rcv1",
    "load_rcv2_french",
    "load_reuters",
    "load_reuters_600",
    "load_reuters_multilingual",
    "load_sample",
    "load_webkb",
]
