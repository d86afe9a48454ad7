"""
The words of a cluster
======================

Bars show how probable a word is in the cluster, and how many times as probable as in the whole
collection (its lift). Words with a high lift set a cluster apart; those with a high probability
alone may be frequent everywhere.
"""

import coterie
from coterie.demo import load_demo

result = coterie.cluster(load_demo(), 12, "mm", progress=False)
result.plot.words(3)

# %%
# The same as a table.
print(result.words(3).head(8).to_string(index=False))
