"""
Which documents are in doubt?
=============================

Every document has a probability. Those that may well belong to another cluster are doubtful,
and their second choice is named, so that a person can decide them first.
"""

import matplotlib.pyplot as plt

import coterie
from coterie.demo import load_demo

result = coterie.cluster(load_demo(), 12, "plsa", n_init=1, max_iter=1000, progress=False)

fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.hist(result.documents["probability"], bins=40)
ax.set(xlabel="probability of the cluster of a document", ylabel="documents")

# %%
# The documents closest to a second cluster.
print(
    result.doubtful[["title", "name", "probability", "second_name"]]
    .head(5)
    .to_string(index=False)
)
