"""Tables and figure of Wang."""

from coterie_papers.items import Item
from coterie_papers.wang import table2, tables

ITEMS = (
    Item("wang-table1", "words of five topics", "Table 1, section 5.2", ("20newsgroups",),
         tables.plan_table1, tables.present_table1),
    Item("wang-table2", "pairs of documents put together", "Table 2, section 5.3",
         ("20newsgroups",), table2.plan_table2, table2.present_table2,
         {"wikipedia-xml": ("20newsgroups",)}),
    Item("wang-figure1", "the matrix before and after co-clustering", "Figure 1, section 5.3",
         ("20newsgroups",), tables.plan_figure1, tables.present_figure1),
)  # fmt: skip
