"""
Coarser and finer
=================

Two clusters are merged whose words lose least by sharing one distribution, then two more, until
one is left. The tree shows the order; ``result.at(5)`` is the result with five clusters.
"""

import coterie
from coterie.demo import load_demo

result = coterie.cluster(load_demo(), 12, "mm", progress=False)
result.plot.tree()

# %%
# Five clusters in place of twelve. The result itself stays as it is.
print(result.at(5).clusters[["number", "name", "size"]].to_string(index=False))
