r"""Which words tell a cluster: frequent in it, and more frequent in it than elsewhere.

A word's weight is :math:`p(w \mid k) \log \frac{p(w \mid k)}{p(w)}`, its term in the
Kullback-Leibler divergence of the cluster from the corpus. The lift alone would list rare
accidents, the probability alone the words every cluster shares; their product shows what a
reader needs. :math:`p(w)` is the word's share of all running words of the corpus.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.base import shares
from coterie.errors import InputError
from coterie.report.assignments import Assignments, Clustering
from coterie.report.wording import encodable
from coterie.types import Array, Counts, Labels, Strings

if TYPE_CHECKING:
    from coterie.corpus import Corpus

LEAST_LOG_LIFT = float(np.log(1e-3))


@dataclass(frozen=True)
class WordWeight:
    """A word of a cluster: p(w|k), p(w|k) / p(w), and the weight words are ranked by.

    `mark` says why a word may tell little, see `coterie.report.boilerplate`; mostly it is "".
    """

    word: str
    probability: float
    lift: float
    weight: float
    mark: str = ""


@dataclass(frozen=True, eq=False)
class WordProfile:
    """Word probabilities of every cluster (rows) beside those of the whole corpus."""

    words: Strings
    clusters: Array
    corpus: Array

    def log_lift(self, index: int) -> Array:
        """Log of p(w|k) / p(w); 0 for words the corpus never uses, bounded below.

        The bound makes an impossible word cost as much as one a thousand times rarer.
        """
        ratio = np.ones_like(self.corpus)
        np.divide(self.clusters[index], self.corpus, out=ratio, where=self.corpus > 0)
        with np.errstate(divide="ignore"):
            bounded: Array = np.maximum(np.log(ratio), LEAST_LOG_LIFT)
        return bounded

    def weights(self, index: int) -> Array:
        """Weight of every word in the cluster the model calls `index`."""
        weights: Array = self.clusters[index] * self.log_lift(index)
        return weights

    def ranked(self, index: int, n_words: int) -> Labels:
        """Columns of the words that tell the cluster, first the strongest.

        Words less frequent in the cluster than elsewhere never tell it; a single cluster,
        which has no elsewhere, is told by its most frequent words.
        """
        alone = len(self.clusters) == 1
        ranking = self.clusters[index] if alone else self.weights(index)
        order: Labels = np.argsort(-ranking, kind="stable")[:n_words]
        telling: Labels = order[ranking[order] > 0]
        return telling

    def top(self, index: int, n_words: int) -> tuple[WordWeight, ...]:
        """Describe the words that tell the cluster, first the strongest."""
        columns = self.ranked(index, n_words)
        lifts = np.exp(self.log_lift(index)[columns])
        weights = self.weights(index)[columns]
        probabilities = self.clusters[index][columns]
        return tuple(
            WordWeight(encodable(str(self.words[column])), float(p), float(lift), float(weight))
            for column, p, lift, weight in zip(
                columns, probabilities, lifts, weights, strict=True
            )
        )


@dataclass(frozen=True, eq=False)
class ViewProfile:
    """The words of one view: its name, empty where there is only one, counts and profile."""

    name: str
    counts: Counts
    words: WordProfile


def read_words(
    model: Clustering, corpus: "Corpus", assignments: Assignments
) -> tuple[ViewProfile, ...]:
    """Take p(w|k) from the model, or count it in the documents where the model has none.

    A model of several views has words in each view, any other in the first.
    """
    name = type(model).__name__
    several = getattr(model, "view_components_", None)
    if not several:
        own = getattr(model, "components_", None)
        profile = _profile(name, corpus.words, corpus.counts, own, assignments)
        return (ViewProfile("", corpus.counts, profile),)
    found = []
    for view, components in several.items():
        counts, words = corpus.views[view].counts, corpus.views[view].vocabulary.words
        profile = _profile(name, words, counts, components, assignments)
        found.append(ViewProfile(view, counts, profile))
    return tuple(found)


def _profile(
    model: str, words: Strings, counts: Counts, components: Any, assignments: Assignments
) -> WordProfile:
    totals = np.asarray(counts.sum(axis=0, dtype=np.float64)).ravel()
    if components is None:
        components = np.asarray(counts.T @ assignments.memberships).T
    components = np.asarray(components, dtype=np.float64)
    _check_components(components, (assignments.n_clusters, len(totals)), model)
    return WordProfile(
        np.asarray(words, dtype=object), shares(components), shares(totals[np.newaxis])[0]
    )


def counts_by_cluster(counts: Counts, assignments: Assignments) -> Counts:
    """Count each word in the documents of each cluster, by the model's own indices."""
    import scipy.sparse as sp

    n_documents = len(assignments.labels)
    belongs = sp.csr_array(
        (np.ones(n_documents), (assignments.labels, np.arange(n_documents))),
        shape=(assignments.n_clusters, n_documents),
    )
    return sp.csr_array(belongs @ counts)


def _check_components(components: Array, shape: tuple[int, int], name: str) -> None:
    if components.shape != shape:
        raise InputError(
            f"components_ of {name}: expected shape {shape}, a row a cluster and a column a "
            f"word of the corpus, got {components.shape}"
        )
    bad = np.flatnonzero(~(np.isfinite(components) & (components >= 0)).all(axis=1))
    if len(bad):
        raise InputError(
            f"components_ of {name}, row {bad[0]}: expected probabilities, "
            "got a negative or non-finite number"
        )
