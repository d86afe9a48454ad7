"""Tables and figures of Grimal and Bisson (2011)."""

from functools import partial

from coterie_papers.grimal import tables
from coterie_papers.grimal.samples import MEDOIDS, MUTUAL_INFORMATION
from coterie_papers.items import Item

NEEDS = ("20newsgroups",)
ITEMS = (
    Item("grimal-table1", "the six samples", "Table 1, section 4.1", NEEDS, tables.plan_table1,
         tables.present_table1),
    Item("grimal-table2", "words chosen by mutual information", "Table 2, section 4.2", NEEDS,
         partial(tables.plan_selected, MUTUAL_INFORMATION),
         partial(tables.present_selected, MUTUAL_INFORMATION)),
    Item("grimal-table3", "words chosen by k-medoids", "Table 3, section 5.2", NEEDS,
         partial(tables.plan_selected, MEDOIDS), partial(tables.present_selected, MEDOIDS)),
    Item("grimal-figure2", "precision by pruning and exponent", "Figure 2, section 5.2", NEEDS,
         tables.plan_figure2, tables.present_figure2),
)  # fmt: skip
