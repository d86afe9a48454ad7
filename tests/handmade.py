"""A small fitted clustering and its corpus, made by hand so that every number is known."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

WORDS = ["goal", "ice", "moon", "orbit", "said", "team"]
TEXTS = [
    "Moon base\n\norbit moon orbit said",
    "Season opener\n\nteam goal ice team said",
    "Overtime\n\nteam goal goal",
    "",
    "Between\n\nteam orbit said",
    "Short\n\nteam",
]


class StandInCorpus:
    """What a summary asks of a corpus, from texts whose first line is the title."""

    def __init__(self, texts=TEXTS, words=WORDS, labels=None, ids=None, titles=None):
        bodies = [text.partition("\n\n")[2].split() for text in texts]
        table = [[body.count(word) for word in words] for body in bodies]
        self.counts = sp.csr_array(np.array(table, dtype=np.float32))
        self.words = np.array(words, dtype=object)
        self.ids = ids or [f"doc-{position}" for position in range(len(texts))]
        self.labels = None if labels is None else np.array(labels, dtype=object)
        self.titles = titles or [text.partition("\n")[0] for text in texts]
        self.notes = SimpleNamespace(lines=lambda: ["6 documents read."])
        self.asked = []
        self._texts = texts

    def __len__(self):
        return len(self.ids)

    def with_texts(self):
        return self

    def texts(self, positions):
        self.asked.append(list(positions))
        return [self._texts[position] for position in positions]


class HandMade:
    """A fitted model: 0 is hockey, 1 is space, 2 is empty."""

    def __init__(self):
        self.memberships_ = np.array(
            [
                [0.0, 1.0, 0.0],
                [1.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [0.6, 0.4, 0.0],
                [0.55, 0.45, 0.0],
                [0.99, 0.01, 0.0],
            ]
        )
        self.labels_ = np.array([1, 0, 0, 0, 0, 0])
        self.components_ = np.array(
            [
                [0.3, 0.1, 0.0, 0.05, 0.15, 0.4],
                [0.0, 0.0, 0.25, 0.5, 0.25, 0.0],
                [1 / 6] * 6,
            ]
        )
        self.history_ = np.array([-np.inf, -30.0, -20.0, -19.5])
        self.n_iter_ = 4
        self.converged_ = True

    def get_params(self):
        return {
            "n_clusters": 3,
            "tol": np.float64(1e-4),
            "alpha": np.inf,
            "init": np.eye(2),
            "random_state": 7,
        }


@pytest.fixture
def model():
    return HandMade()


@pytest.fixture
def corpus():
    return StandInCorpus()


@pytest.fixture
def labelled():
    return StandInCorpus(labels=["space", "hockey", "hockey", "", "space", "hockey"])


@pytest.fixture
def make_corpus():
    return StandInCorpus
