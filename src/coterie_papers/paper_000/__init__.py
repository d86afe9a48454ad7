"""Paper 000: Pessiot, Kim, Amini, Gallinari, Improving document clustering in a learned concept
space."""

from coterie_papers.items import Item
from coterie_papers.paper_000 import figures, scores, times, words
from coterie_papers.paper_000.setup import LEVEL, NEEDS

FRENCH = {"rcv2-french": ("reuters-multiview-600",)}
ITEMS = (
    Item("000-table1", "proportions of the classes", "Table 1, section 3.1", NEEDS,
         words.plan_table1, words.present_table1, FRENCH),
    Item("000-table2", "clusters of terms found by CEM", "Table 2, section 3.3",
         ("20newsgroups", "webkb"), words.plan_table2, words.present_table2),
    Item("000-table3", "precision and recall of each class", "Table 3, section 3.3", NEEDS,
         scores.plan_table3, scores.present_table3, FRENCH, LEVEL),
    Item("000-table4", "complexity and execution time", "Table 4, section 3.3", NEEDS,
         times.plan_table4, times.present_table4, FRENCH),
    Item("000-table5", "every algorithm on every collection", "Table 5, section 3.3", NEEDS,
         scores.plan_table5, scores.present_table5, FRENCH, LEVEL),
    Item("000-figure2", "MM in concept spaces of several sizes", "Figure 2, section 3.3", NEEDS,
         figures.plan_figure2, figures.present_figure2, FRENCH, LEVEL),
    Item("000-figure3", "Ext-PLSA by number of topics", "Figure 3, section 3.3", NEEDS,
         figures.plan_figure3, figures.present_figure3, FRENCH, LEVEL),
)  # fmt: skip
