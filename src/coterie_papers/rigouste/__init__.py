"""Figures of Rigouste, Cappé and Yvon."""

from collections.abc import Callable
from functools import partial

from coterie_papers.cells import Results
from coterie_papers.items import Item, Scope, Sheet
from coterie_papers.rigouste import figures
from coterie_papers.rigouste.setup import plan

_TITLES: dict[str, tuple[str, str, Callable[[Scope, Results], Sheet]]] = {
    "rigouste-figure1": ("EM from two starts", "section 4", figures.present_figure1),
    "rigouste-figure2": ("EM from many Dirichlet starts", "section 4", figures.present_figure2),
    "rigouste-figure3": ("hierarchical clustering", "section 5", figures.present_figure3),
    "rigouste-figure4": ("a vocabulary of 500 words", "section 6", figures.present_figure4),
    "rigouste-figure5": (
        "mutual information by vocabulary size",
        "section 6",
        figures.present_figure5,
    ),
    "rigouste-figure6": ("incremental vocabulary", "section 7", figures.present_figure6),
    "rigouste-figure7": ("Gibbs sampling", "section 8", figures.present_figure7),
}
ITEMS = tuple(
    Item(name, title, f"Figure {name[-1]}, {section}", ("20newsgroups",), partial(plan, name),
         present, {"rcv1-v2": ("20newsgroups",)})
    for name, (title, section, present) in _TITLES.items()
)  # fmt: skip
