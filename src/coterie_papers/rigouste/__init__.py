"""Figures of Rigouste, Cappé and Yvon, and what section 4 says of their measure."""

from collections.abc import Callable
from functools import partial

from coterie_papers.cells import Results
from coterie_papers.items import Item, Scope, Sheet
from coterie_papers.rigouste import figure6, figures, quality
from coterie_papers.rigouste.setup import plan

_GROUPS, _BOTH = ("20newsgroups",), ("20newsgroups", "reuters-21578")


def _item(
    name: str,
    title: str,
    where: str,
    present: Callable[[Scope, Results], Sheet],
    needs: tuple[str, ...] = _GROUPS,
) -> Item:
    return Item(name, title, where, needs, partial(plan, name), present, {"rcv1-v2": needs})


ITEMS = (
    _item("rigouste-section4", "what perturbed classes cost", "text of section 4",
          quality.present_section4),
    _item("rigouste-figure1", "EM from two starts", "Figure 1, section 4",
          figures.present_figure1),
    _item("rigouste-figure2", "EM from many Dirichlet starts", "Figure 2, section 4",
          figures.present_figure2),
    _item("rigouste-figure3", "hierarchical clustering", "Figure 3, section 5",
          figures.present_figure3),
    _item("rigouste-figure4", "a vocabulary of 500 words", "Figure 4, section 6",
          figures.present_figure4),
    _item("rigouste-figure5", "mutual information by vocabulary size", "Figure 5, section 6",
          figures.present_figure5),
    _item("rigouste-figure6", "incremental vocabulary", "Figure 6, section 7",
          figure6.present_figure6, _BOTH),
    _item("rigouste-figure7", "Gibbs sampling", "Figure 7, section 8", figures.present_figure7),
)  # fmt: skip
