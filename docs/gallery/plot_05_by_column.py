"""
Clusters by a column
====================

Which shop gets which complaints? A row is a value of the column, a field the share of a cluster
in it, in percent.
"""

import random

import pandas as pd

import coterie

draw = random.Random(1)
THEMES = [
    "late delivery parcel courier waited days".split(),
    "broken cracked scratched damaged return".split(),
    "rude staff queue counter shouted service".split(),
]
SHOPS = {"Online": (8, 3, 1), "Station": (1, 2, 9), "Mall": (1, 6, 5)}
rows = [
    {"review": " ".join(draw.choices(draw.choices(THEMES, share)[0], k=5)), "shop": shop}
    for shop, share in SHOPS.items()
    for _ in range(60)
]

result = coterie.cluster(pd.DataFrame(rows), 3, "mm", text="review", progress=False)
result.plot.by("shop")
