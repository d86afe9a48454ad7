"""Words chosen by their medoids."""

import numpy as np

import coterie

counts = np.random.default_rng(0).poisson(1.0, (30, 20))
assert coterie.MedoidWords(5).fit_transform(counts).shape == (30, 5)
