"""
Words that are alike
====================

*sea* and *ocean* never occur in one text here. Chi-Sim makes them similar all the same, since
both occur with *waves*: words are alike that are in documents that are alike.
"""

import matplotlib.pyplot as plt
import numpy as np

import coterie

texts = [
    "sea waves", "sea waves wind", "ocean waves", "ocean wind waves", "sea wind",
    "bread butter", "toast butter", "bread jam butter", "toast jam",
]  # fmt: skip
corpus = coterie.Corpus.from_texts(texts, options=coterie.TextOptions(language="en"))
model = coterie.ChiSim(2).fit(corpus)
print("like sea:", [word for word, _ in model.similar_words("sea", 3)])

order = np.argsort(model.word_labels_, kind="stable")
fig, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
image = ax.imshow(model.word_similarity_[np.ix_(order, order)], cmap="viridis", vmin=0, vmax=1)
ax.set_xticks(range(len(order)), corpus.words[order], rotation=60)
ax.set_yticks(range(len(order)), corpus.words[order])
fig.colorbar(image, label="similarity")
