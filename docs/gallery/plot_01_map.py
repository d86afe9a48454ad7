"""
A map of the clusters
=====================

Each document is a point and each cluster a disc, whose area is its number of documents.
Clusters with similar words are close to each other; a document in doubt lies on the way to its
second choice.
"""

import coterie
from coterie.demo import load_demo

result = coterie.cluster(load_demo(), 12, "mm", progress=False)
result.plot.map()

# %%
# The table behind it. Numbers are stable: the largest cluster is 1.
print(result.clusters[["number", "name", "size"]].to_string(index=False))
