"""Pictures of a result."""

import matplotlib

matplotlib.use("Agg")

import coterie

texts = [
    "bread butter flour oven",
    "butter oven bread salt",
    "moon orbit star",
    "star moon comet",
]
result = coterie.cluster(texts * 5, n_clusters=2, method="mm")
result.plot.sizes().figure.savefig("sizes.png")
