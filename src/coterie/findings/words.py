r"""Distinctive words of a cluster: frequent in it, and more frequent in it than elsewhere.

The weight of a word is :math:`p(w \mid k) \log \frac{p(w \mid k)}{p(w)}`, its term in the
Kullback-Leibler divergence of the cluster from the corpus. Lift alone would rank rare
accidents first, probability alone the words that all clusters share; their product ranks what
a reader needs. :math:`p(w)` is the word's share of all tokens of the corpus.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.arrays import row_shares, word_sums
from coterie.errors import InputError
from coterie.findings.assignments import Assignments, FittedModel
from coterie.findings.edits import Edit, Split, rows_after
from coterie.findings.texts import encodable
from coterie.types import Array, Counts, Labels, Strings

if TYPE_CHECKING:
    from coterie.corpus import Corpus

LEAST_LOG_LIFT = float(np.log(1e-3))


@dataclass(frozen=True)
class WordWeight:
    """A word of a cluster: p(w|k), p(w|k) / p(w), and the weight that ranks words.

    `mark` says why a word may be misleading, see `coterie.findings.boilerplate`; mostly "".
    """

    word: str
    probability: float
    lift: float
    weight: float
    mark: str = ""


@dataclass(frozen=True)
class TermRow:
    """One distinctive word of a cluster in one view; `count` is over the cluster's documents.

    `view` is empty where there is only one.
    """

    view: str
    cluster: int
    rank: int
    word: str
    probability: float
    lift: float
    weight: float
    count: float
    mark: str


@dataclass(frozen=True, eq=False)
class WordProfile:
    """Word probabilities of every cluster (rows) beside those of the whole corpus."""

    words: Strings
    clusters: Array
    corpus: Array

    def log_lift(self, label: int) -> Array:
        """Log of p(w|k) / p(w); 0 for words that the corpus never uses, bounded below.

        The bound makes an impossible word cost as much as one a thousand times rarer.
        """
        ratio = np.ones_like(self.corpus)
        np.divide(self.clusters[label], self.corpus, out=ratio, where=self.corpus > 0)
        with np.errstate(divide="ignore"):
            bounded: Array = np.maximum(np.log(ratio), LEAST_LOG_LIFT)
        return bounded

    def weights(self, label: int) -> Array:
        """Weight of every word in a cluster."""
        weights: Array = self.clusters[label] * self.log_lift(label)
        return weights

    def ranked(self, label: int, n_words: int) -> Labels:
        """Columns of the distinctive words of a cluster, the strongest first.

        Words that are less frequent in the cluster than elsewhere are left out. A single
        cluster has no elsewhere, so that its most frequent words are taken.
        """
        alone = len(self.clusters) == 1
        ranking = self.clusters[label] if alone else self.weights(label)
        order: Labels = np.argsort(-ranking, kind="stable")[:n_words]
        distinctive: Labels = order[ranking[order] > 0]
        return distinctive

    def described(self, label: int, columns: Labels) -> tuple[WordWeight, ...]:
        """Describe the words in some columns, in that order."""
        lifts = np.exp(self.log_lift(label)[columns])
        weights = self.weights(label)[columns]
        probabilities = self.clusters[label][columns]
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


def view_counts(model: FittedModel, corpus: "Corpus") -> tuple[Counts, ...]:
    """Counts of the views that a model has words in: several, or the first."""
    several = getattr(model, "view_components_", None)
    return tuple(corpus.views[view].counts for view in several) if several else (corpus.counts,)


def read_words(
    model: FittedModel,
    corpus: "Corpus",
    assignments: Assignments,
    edits: Sequence[Edit] = (),
    masses: Array | None = None,
) -> tuple[ViewProfile, ...]:
    """Take p(w|k) from the model, or count it in the documents where the model has none.

    A model of several views has words in each view, any other in the first. `masses` are
    those of the clusters before the edits.
    """
    name = type(model).__name__
    several = getattr(model, "view_components_", None)
    if not several:
        components = _edited(getattr(model, "components_", None), edits, masses, _components)
        profile = _profile(name, corpus.words, corpus.counts, components, assignments)
        return (ViewProfile("", corpus.counts, profile),)
    profiles = []
    for view, components in several.items():
        counts, words = corpus.views[view].counts, corpus.views[view].vocabulary.words
        components = _edited(components, edits, masses, partial(_components, view=view))
        profile = _profile(name, words, counts, components, assignments)
        profiles.append(ViewProfile(view, counts, profile))
    return tuple(profiles)


def _components(model: Any, view: str = "") -> Any:
    """Word probabilities of a fitted model, in one of several views; None without them."""
    if view:
        return getattr(model, "view_components_", {}).get(view)
    return getattr(model, "components_", None)


def _edited(
    rows: Any, edits: Sequence[Edit], masses: Array | None, parts: Callable[[Any], Any]
) -> Any:
    """Word probabilities after edits; None where a model does not tell them."""
    splits = [edit.model for edit in edits if isinstance(edit, Split)]
    if masses is None or rows is None or any(parts(model) is None for model in splits):
        return rows if not edits else None
    return rows_after(edits, rows, masses, parts)


def word_shares(counts: Counts) -> Array:
    """Share of each word among all tokens of some documents; zeros where they have none."""
    row: Array = row_shares(word_sums(counts)[np.newaxis])[0]
    return row


def _profile(
    model: str, words: Strings, counts: Counts, components: Any, assignments: Assignments
) -> WordProfile:
    if components is None:
        components = np.asarray(counts.T @ assignments.memberships).T
    components = np.asarray(components, dtype=np.float64)
    _check_components(components, (assignments.n_clusters, counts.shape[1]), model)
    return WordProfile(
        np.asarray(words, dtype=object), row_shares(components), word_shares(counts)
    )


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
