"""
Documents that mix themes
=========================

PLSA gives a document shares of several topics. Here every text takes words from two themes,
from one alone on the left to the other alone on the right.
"""

import random

import matplotlib.pyplot as plt
import numpy as np

import coterie

draw = random.Random(0)
SEA = "wave ship harbour sail tide coast anchor island".split()
KITCHEN = "oven bread butter flour dough spoon sugar kitchen".split()
shares = np.linspace(0, 1, 41)
texts = [
    " ".join(draw.choices(KITCHEN if draw.random() < share else SEA, k=1)[0] for _ in range(80))
    for share in shares
]
model = coterie.PLSA(2, n_init=5, random_state=0).fit(texts)
kitchen = model.memberships_[-1].argmax()

fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.plot(shares, shares, linestyle=":", color="grey", label="drawn")
ax.plot(shares, model.memberships_[:, kitchen], ".", label="fitted")
ax.set(xlabel="share of words from the kitchen", ylabel="share of the topic")
ax.legend()
