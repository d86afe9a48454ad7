"""
Methods compared
================

``coterie.compare`` fits each method for several seeds and gives a table of measures. Here are
five quick methods on the built-in corpus, whose twelve packages are known.
"""

import matplotlib.pyplot as plt

from coterie.demo import load_demo
from coterie.evaluation import nmi
from coterie.methods import method

corpus = load_demo()
names = ["mm", "mm-incremental", "itcc", "lsa-kmeans", "kmeans"]
scores = {
    name: [
        nmi(corpus.labels, method(name).make(12, seed=seed).fit(corpus.counts).labels_)
        for seed in range(3)
    ]
    for name in names
}

fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
for row, name in enumerate(names):
    ax.plot(scores[name], [row] * 3, "o", alpha=0.7)
ax.set_yticks(range(len(names)), names)
ax.invert_yaxis()
ax.set(xlabel="NMI with the packages, one point a seed", xlim=(0.4, 0.9))
ax.grid(axis="x", alpha=0.3)
