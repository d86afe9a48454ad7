"""Tables and open questions of Kim, Amini, Goutte and Gallinari (2010)."""

from coterie_papers.items import Item
from coterie_papers.kim import patterns, tables

NEEDS = ("reuters-multiview-600", "debian")
WHOLE = {"reuters-multilingual": NEEDS}
ITEMS = (
    Item("kim-table1", "documents the views agree on", "Table 1, page 2", NEEDS,
         tables.plan_table1, tables.present_table1, WHOLE),
    Item("kim-table2", "votes, concatenation and fusion", "Table 2, page 2", NEEDS,
         tables.plan_table2, tables.present_table2, WHOLE),
    Item("kim-section4", "length of the voting pattern and number of topics",
         "Section 4, page 2", NEEDS, patterns.plan, patterns.present, WHOLE, runs=3),
)  # fmt: skip
