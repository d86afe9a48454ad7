"""Tables and figures of Grimal and Bisson (2011)."""

from coterie_papers.grimal import table2, table3, tables
from coterie_papers.items import Item

NEEDS = ("20newsgroups",)
ITEMS = (
    Item("grimal-table1", "the six samples", "Table 1, section 4.1", NEEDS, tables.plan_table1,
         tables.present_table1),
    Item("grimal-table2", "words chosen by mutual information", "Table 2, sections 3.1 and 4.2",
         NEEDS, table2.plan, table2.present),
    Item("grimal-table3", "words chosen by k-medoids", "Table 3, section 5.2", NEEDS,
         table3.plan, table3.present),
    Item("grimal-figure2", "precision by pruning and exponent", "Figure 2, section 5.2", NEEDS,
         tables.plan_figure2, tables.present_figure2),
)  # fmt: skip
