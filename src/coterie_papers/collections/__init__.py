"""The collections of the papers and their substitutes."""

from coterie_papers.collections.multiview import (
    load_debian,
    load_reuters_600,
    load_reuters_multilingual,
)
from coterie_papers.collections.newsgroups import load_newsgroups
from coterie_papers.collections.rcv import load_rcv1, load_rcv2_french
from coterie_papers.collections.recipes import PESSIOT
from coterie_papers.collections.reuters import load_reuters
from coterie_papers.collections.samples import GRIMAL, load_sample
from coterie_papers.collections.webkb import load_webkb

__all__ = [
    "GRIMAL",
    "PESSIOT",
    "load_debian",
    "load_newsgroups",
    "load_rcv1",
    "load_rcv2_french",
    "load_reuters",
    "load_reuters_600",
    "load_reuters_multilingual",
    "load_sample",
    "load_webkb",
]
