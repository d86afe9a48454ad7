"""Tables and figures of Pessiot, Kim, Amini and Gallinari."""

from coterie_papers.items import Item
from coterie_papers.pessiot import figures, scores, times, words
from coterie_papers.pessiot.setup import LEVEL, NEEDS

FRENCH = {"rcv2-french": ("reuters-multiview-600",)}
ITEMS = (
    Item("pessiot-table1", "proportions of the classes", "Table 1, section 3.1", NEEDS,
         words.plan_table1, words.present_table1, FRENCH),
    Item("pessiot-table2", "clusters of terms found by CEM", "Table 2, section 3.3",
         ("20newsgroups", "webkb"), words.plan_table2, words.present_table2),
    Item("pessiot-table3", "precision and recall of each class", "Table 3, section 3.3", NEEDS,
         scores.plan_table3, scores.present_table3, FRENCH, LEVEL),
    Item("pessiot-table4", "complexity and execution time", "Table 4, section 3.3", NEEDS,
         times.plan_table4, times.present_table4, FRENCH),
    Item("pessiot-table5", "every algorithm on every collection", "Table 5, section 3.3", NEEDS,
         scores.plan_table5, scores.present_table5, FRENCH, LEVEL),
    Item("pessiot-figure2", "MM in concept spaces of several sizes", "Figure 2, section 3.3",
         NEEDS, figures.plan_figure2, figures.present_figure2, FRENCH, LEVEL),
    Item("pessiot-figure3", "Ext-PLSA by number of topics", "Figure 3, section 3.3", NEEDS,
         figures.plan_figure3, figures.present_figure3, FRENCH, LEVEL),
)  # fmt: skip
