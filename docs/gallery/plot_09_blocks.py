"""
Clusters of documents and of words
==================================

Co-clustering puts documents and words in an order in which the table of counts falls into
blocks: each block is a cluster of documents and one of words.
"""

import matplotlib.pyplot as plt
import numpy as np

import coterie

rng = np.random.default_rng(0)
rate = np.kron(
    [[1.2, 0.1, 0.1, 0.5], [0.1, 1.2, 0.1, 0.1], [0.1, 0.1, 1.2, 0.5]], np.ones((40, 25))
)
counts = rng.poisson(rate)
counts = counts[rng.permutation(120)][:, rng.permutation(100)]

model = coterie.ITCC(3, 4, n_init=10, random_state=0).fit(counts)

fig, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained", sharex=True, sharey=True)
axes[0].imshow(counts > 0, cmap="Greys", aspect="auto", interpolation="none")
axes[0].set(title="as they came", xlabel="words", ylabel="documents")
ordered = counts[np.argsort(model.labels_)][:, np.argsort(model.word_labels_)]
axes[1].imshow(ordered > 0, cmap="Greys", aspect="auto", interpolation="none")
axes[1].set(title="in the order of the clusters", xlabel="words")
