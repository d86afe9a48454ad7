"""
How many clusters?
==================

The default estimates the number of clusters from three measures: are clusters separated, do
different methods find the same ones, and would other documents give them? Others that stand out
are offered beside the one that is chosen.
"""

import matplotlib.pyplot as plt
import numpy as np

import coterie

rng = np.random.default_rng(0)
everywhere = rng.dirichlet(np.full(300, 0.5))  # words that all documents have
themes = rng.dirichlet(np.full(300, 0.05), size=6)
counts = np.array([rng.multinomial(40, (themes[i % 6] + everywhere) / 2) for i in range(240)])
model = coterie.AutoClustering("auto", calibrated=False, random_state=0).fit(counts)

curve = model.n_clusters_curve_
fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for measure in ("modularity", "agreement", "stability"):
    ax.plot(curve["n_clusters"], curve[measure], marker="o", markersize=3, label=measure)
ax.axvline(model.n_clusters_, linestyle=":", color="grey")
ax.set(
    xlabel="number of clusters", title=f"{model.n_clusters_} clusters are chosen; 6 were drawn"
)
ax.legend()

# %%
# The numbers that are offered, which ``n_clusters="few"`` and ``"many"`` choose from.
print(model.n_clusters_offered_["n_clusters"])
