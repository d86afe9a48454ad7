"""Measures of a clustering that need no labels, as research on topics uses them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import clone

from coterie.corpus import sequences_of
from coterie.evaluation import (
    c_v_coherence,
    cosine_silhouette,
    npmi_coherence,
    stability,
    word_diversity,
)
from coterie.findings.assignments import FittedModel
from coterie.findings.edits import Edit
from coterie.findings.summary import Found, find
from coterie.fitting import part, session

if TYPE_CHECKING:
    from coterie.corpus import Corpus
    from coterie.types import Labels

N_WORDS = 10


@dataclass(frozen=True)
class InternalScores:
    """Coherence, diversity, silhouette and stability of a clustering.

    `npmi`, `c_v` and `diversity` are of the most probable words of each cluster, coherence as
    the mean over clusters. `stability` is the mean ARI with clusterings of 80 % of the
    documents. None stands for what cannot be computed, such as the silhouette of one cluster.
    """

    npmi: float | None
    c_v: float | None
    diversity: float | None
    silhouette: float | None
    stability: float | None = None


class InternalMeasures:
    """Measures of clusterings of one corpus; its texts are read once.

    Examples
    --------
    >>> from coterie import Corpus, MultinomialMixture
    >>> corpus = Corpus.from_texts(["hot tea", "green tea", "dark rum", "rum punch", "hot rum"])
    >>> model = MultinomialMixture(2, n_init=5, random_state=0).fit(corpus)
    >>> scores = InternalMeasures(corpus, n_words=2).of(model)
    >>> scores.diversity, scores.silhouette > 0, scores.stability
    (1.0, True, None)
    """

    def __init__(self, corpus: "Corpus", *, n_words: int = N_WORDS) -> None:
        from sklearn.feature_extraction.text import TfidfTransformer

        self._corpus = corpus
        self._n_words = n_words
        self._texts = sequences_of(corpus) or corpus
        self._weights = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.counts)

    def of(self, model: FittedModel, edits: Sequence[Edit] = ()) -> InternalScores:
        """All measures but stability, of a model fitted to the corpus, after some edits."""
        found = find(model, self._corpus, edits)
        labels, weights = found.assignments.labels, self._weights[found.positions]
        topics = self._topics(found)
        separate = len(np.unique(labels)) > 1
        return InternalScores(
            npmi=float(npmi_coherence(topics, self._texts).mean()) if topics else None,
            c_v=float(c_v_coherence(topics, self._texts).mean()) if topics else None,
            diversity=word_diversity(topics) if topics else None,
            silhouette=cosine_silhouette(weights, labels) if separate else None,
        )

    def _topics(self, found: Found) -> list[list[str]]:
        """The most probable words of each cluster that has at least two, of the first view."""
        profile = found.views[0].words
        topics = []
        for number in found.numbers.alive:
            row = profile.clusters[number - 1]
            order = np.argsort(-row, kind="stable")[: self._n_words]
            topics.append(profile.words[order[row[order] > 0]].tolist())
        return [topic for topic in topics if len(topic) > 1]


def internal_scores(
    model: Any,
    corpus: "Corpus",
    *,
    n_resamples: int = 0,
    random_state: int = 0,
    edits: Sequence[Edit] = (),
) -> InternalScores:
    """All measures of a model fitted to a corpus; with resamples, its stability too.

    Stability is that of the model, before edits.

    Stability needs that many fits to 80 % of the documents; Ctrl-C leaves it out.

    Examples
    --------
    >>> from coterie import Corpus, MultinomialMixture
    >>> corpus = Corpus.from_texts(["hot tea", "green tea", "dark rum", "rum punch", "hot rum"])
    >>> model = MultinomialMixture(2, n_init=5, random_state=0).fit(corpus)
    >>> scores = internal_scores(model, corpus, n_resamples=2)
    >>> -1 <= scores.stability <= 1
    True
    """
    scores = InternalMeasures(corpus).of(model, edits)
    if not n_resamples:
        return scores
    numbers = iter(range(n_resamples))

    def refit(rows: "Labels") -> "Labels":
        with part(next(numbers), n_resamples, "Clustering parts of the documents"):
            labels: Labels = clone(model).fit(corpus[rows]).labels_
        return labels

    with session() as current:
        found = stability(
            model.labels_, refit, n_resamples=n_resamples, random_state=random_state
        )
    return scores if current.stopped else replace(scores, stability=float(found.mean()))
