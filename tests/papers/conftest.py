"""Small planted corpora in place of the real ones."""

import numpy as np
import pytest

from coterie_papers import corpora
from coterie_papers.cells import Store
from coterie_papers.corpora import Data
from planted import plant


def planted_data(n_documents=120, n_words=60, n_clusters=4, seed=0):
    X, labels, _ = plant(n_documents, n_words, n_clusters, length=30, seed=seed)
    return Data(X, np.array([f"class {label}" for label in labels], dtype=object))


@pytest.fixture
def planted(monkeypatch):
    """Every corpus is a planted one."""
    loaders = dict.fromkeys(corpora.LOADERS, planted_data)
    monkeypatch.setattr(corpora, "LOADERS", loaders)
    corpora._whole.cache_clear()
    corpora._sampled.cache_clear()
    yield planted_data()
    corpora._whole.cache_clear()
    corpora._sampled.cache_clear()


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cells")
