"""The same documents in several views, each with other words."""

import numpy as np
import pytest
import scipy.sparse as sp


def parallel(n_documents=60, n_clusters=3, widths=(40, 30, 20), length=30, seed=0, purity=0.8):
    """Counts by view and the clusters of the documents."""
    rng = np.random.default_rng(seed)
    documents = rng.integers(n_clusters, size=n_documents)
    views = []
    for width in widths:
        theirs = np.arange(width)[None] % n_clusters == np.arange(n_clusters)[:, None]
        p = purity * theirs / theirs.sum(axis=1, keepdims=True) + (1 - purity) / width
        counts = [rng.multinomial(length + rng.integers(10), p[k]) for k in documents]
        views.append(sp.csr_array(np.array(counts, dtype=np.float64)))
    return views, documents


def directed(documents, width=8, spread=0.3, seed=0):
    """Vectors around a direction for each cluster, of any length."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(documents.max() + 1, width))
    noisy = centres[documents] + spread * rng.normal(size=(len(documents), width))
    return noisy * rng.uniform(0.5, 4, size=(len(documents), 1))


@pytest.fixture
def planted():
    return parallel()


@pytest.fixture
def views(planted):
    return dict(zip(("en", "de", "fr"), planted[0], strict=True))


@pytest.fixture
def vectors(planted):
    return directed(planted[1])


@pytest.fixture
def make_views():
    return parallel


@pytest.fixture
def make_vectors():
    return directed
