"""New documents added to a clustering, and what they change: growth, drift, splits."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie import schema
from coterie.clustering.result import Clustering
from coterie.corpus import Corpus, View
from coterie.corpus.documents import UniqueNames
from coterie.corpus.origins import InMemory
from coterie.errors import InputError
from coterie.inference.strategy import Strategy
from coterie.models.mixture import MultinomialMixture
from coterie.types import Array, Counts, Labels

GREW = 3.0  # standard errors by which the share among new documents is above that before
MORE = 1.2  # and how many times as large it is at least
N_DRAWS = 20  # draws of old documents, for how far they differ among themselves
DRIFTED = 4.0  # standard deviations of these draws
FEWEST = 10  # new documents of a cluster from which on something is said of it
APART = 0.5  # correlation of being new with being in one part of two
N_WORDS = 5
MOST = 3000  # documents of a cluster that are divided


@dataclass(frozen=True)
class Change:
    """What new documents changed in a cluster.

    `before` and `new` are numbers of documents; `rising` are words that the new ones use more.
    """

    number: int
    name: str
    before: int
    new: int
    grew: bool
    drifted: bool
    wants_split: bool
    rising: tuple[str, ...] = ()

    def sentence(self) -> str:
        """The change in words, or nothing where there is none to speak of.

        Examples
        --------
        >>> Change(3, "Tea", 90, 40, True, False, False).sentence()
        '3 · Tea grew: 40 new documents beside 90.'
        """
        told = []
        if self.grew:
            told.append(f"grew: {self.new:,} new documents beside {self.before:,}")
        if self.drifted:
            told.append(f"drifted: new documents speak of {', '.join(self.rising)}")
        if self.wants_split:
            told.append(f"wants a split: new documents stand apart (split {self.number})")
        return f"{self.number} · {self.name} {'; '.join(told)}." if told else ""


@dataclass(frozen=True)
class Update:
    """A clustering with new documents in it, and what they changed."""

    result: Clustering
    changes: tuple[Change, ...]
    learned: bool
    """Whether the clusters learned from the new documents, or they were only assigned."""


def update(result: Clustering, source: Any, **reading: Any) -> Update:
    """Add documents to a clustering; it stays as it was, and a new one is made.

    Models of online EM (the mixture and the PLSA family) learn from the new documents; with
    others, new documents are assigned and clusters stay as they are. Clusters keep their
    numbers, names and edits. Words that the first documents did not have are not counted.

    Examples
    --------
    >>> import coterie
    >>> texts = ["green tea", "black tea", "tea leaves", "dark rum", "white rum", "rum punch"]
    >>> result = coterie.cluster(texts, 2, "mm", progress=False)
    >>> updated = update(result, ["rum and sugar", "dark rum", "a cup of tea"])
    >>> sum(change.before for change in updated.changes), len(updated.result.documents)
    (6, 9)
    """
    old = result.corpus
    if len(old.views) > 1 or old.vectors:
        raise InputError(
            "update: the documents have several views or embeddings; cluster all of them again"
        )
    new = result._assigner.counted(source, **reading)
    if not new.counts.nnz:
        raise InputError("update: no new document has a word of the clusters")
    both = _joined(old, new)
    model, learned = _extended(result.model, new, both)
    after = Clustering(
        model, both, about=result.about, edits=result.edits, parent=result.parent
    )
    after.folder, after.run = result.folder, result.run
    return Update(after, tuple(_changes(after, len(old))), learned)


def _joined(old: Corpus, new: Corpus) -> Corpus:
    """All documents, the old ones first; a new one with the id of another gets a number."""
    names = UniqueNames()
    counts = sp.vstack([old.counts, new.counts], format="csr")
    labels = None
    if old.labels is not None and new.labels is not None:
        labels = [*old.labels, *new.labels]
    has_texts = old.has_texts and new.has_texts
    texts = [*old.texts(slice(None)), *new.texts(slice(None))] if has_texts else []
    return Corpus(
        {next(iter(old.views)): View(counts, old.vocabulary)},
        [names.of(each) for each in (*old.ids, *new.ids)],
        labels=labels,
        titles=[*old.titles, *new.titles],
        origin=InMemory({next(iter(old.views)): texts}) if has_texts else None,
        columns=_joined_columns(old, new),
    )


def _joined_columns(old: Corpus, new: Corpus) -> Any:
    """Columns of both, null where one has none; a column of another type becomes text."""
    import pyarrow as pa

    tables = []
    for corpus in (old, new):
        table = corpus.columns
        tables.append(pa.table({"": pa.nulls(len(corpus))}) if table is None else table)
    if all(corpus.columns is None for corpus in (old, new)):
        return None
    try:
        joined = pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        texts = [
            pa.table({name: [_text(each) for each in table[name].to_pylist()]
                      for name in table.column_names})
            for table in tables
        ]  # fmt: skip
        joined = pa.concat_tables(texts, promote_options="permissive")
    return joined.drop_columns([""]) if "" in joined.column_names else joined


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _extended(fitted: Any, new: Corpus, both: Corpus) -> tuple[Any, bool]:
    """A model of all documents, and whether it learned from the new ones."""
    model = copy(fitted)
    if hasattr(model, "partial_fit"):
        model.partial_fit(new)
        model._assign_fitted(model._read_new(both))
        for name in ("history_", "converged_", "n_iter_"):
            setattr(model, name, getattr(fitted, name))
        return model, True
    memberships = np.asarray(model.predict_proba(new), dtype=fitted.memberships_.dtype)
    model = _with_rows(fitted, memberships)
    try:
        schema.check(model)  # what else there is for each document would not fit
    except InputError as error:
        raise InputError(
            f"update: {type(model).__name__} cannot take documents after its fit; cluster all "
            "of them again"
        ) from error
    return model, False


def _with_rows(fitted: Any, memberships: Array) -> Any:
    """A model with more documents in its clusters, also the model that a strategy fitted."""
    model = copy(fitted)
    labels = memberships.argmax(axis=1)
    if hasattr(fitted, "leaves_"):
        model.leaves_ = np.append(fitted.leaves_, _leaves(fitted, labels))
    model.memberships_ = np.vstack([fitted.memberships_, memberships])
    model.labels_ = np.append(fitted.labels_, labels)
    if isinstance(fitted, Strategy):
        model.estimator_ = _with_rows(fitted.estimator_, memberships)
    return model


def _leaves(fitted: Any, labels: Labels) -> Labels:
    """The leaf of the tree that most documents of each cluster are at."""
    most = {
        label: np.bincount(fitted.leaves_[fitted.labels_ == label]).argmax()
        for label in np.unique(labels)
        if np.any(fitted.labels_ == label)
    }
    return np.array([most.get(label, label) for label in labels], dtype=fitted.leaves_.dtype)


def _changes(after: Clustering, n_old: int) -> Sequence[Change]:
    """What changed in each cluster, the largest first."""
    labels, counts = np.asarray(after.labels), after.corpus.counts
    is_new = np.arange(len(labels)) >= n_old
    n_new = int(is_new.sum())
    changes = []
    for number, name in after.names.items():
        inside = labels == number
        before, added = int((inside & ~is_new).sum()), int((inside & is_new).sum())
        rows = np.flatnonzero(inside)
        drifted, rising = _drift(counts[rows], is_new[rows], after.corpus.words)
        changes.append(Change(
            number, name, before, added,
            grew=_has_grown(before, n_old, added, n_new),
            drifted=drifted,
            wants_split=_stands_apart(counts[rows], is_new[rows]),
            rising=rising,
        ))  # fmt: skip
    return changes


def _has_grown(before: int, n_old: int, added: int, n_new: int) -> bool:
    """Tell whether a cluster's share of new documents is clearly above that of old ones."""
    share = (before + 0.5) / (n_old + 1)
    error = np.sqrt(share * (1 - share) / n_new)
    rate = added / n_new
    return bool(added >= FEWEST and rate > share + GREW * error and rate > MORE * share)


def _drift(X: Counts, is_new: Any, words: Any) -> tuple[bool, tuple[str, ...]]:
    """Tell whether new documents use other words than as many old ones would by chance."""
    n_new, n_old = int(is_new.sum()), int((~is_new).sum())
    if n_new < FEWEST or n_old < 2 * FEWEST:
        return False, ()
    old, new = X[~is_new], X[is_new]
    distance = _divergence(_shares(old), _shares(new))
    rng = np.random.default_rng(0)
    n_drawn = min(n_new, n_old // 2)
    by_chance = []
    for _ in range(N_DRAWS):
        order = rng.permutation(n_old)
        by_chance.append(
            _divergence(_shares(old[order[n_drawn:]]), _shares(old[order[:n_drawn]]))
        )
    limit = np.mean(by_chance) + DRIFTED * np.std(by_chance)
    gain = _shares(new) - _shares(old)
    return bool(distance > limit), tuple(words[np.argsort(-gain, kind="stable")[:N_WORDS]])


def _shares(X: Counts) -> Any:
    totals = X.sum(axis=0, dtype=np.float64)
    return totals / max(totals.sum(), 1.0)


def _divergence(p: Any, q: Any) -> float:
    """Jensen-Shannon divergence of two distributions."""
    mean = (p + q) / 2

    def towards(x: Any) -> float:
        used = x > 0
        return float(np.sum(x[used] * np.log(x[used] / mean[used])))

    return (towards(p) + towards(q)) / 2


def _stands_apart(X: Counts, is_new: Any) -> bool:
    """Tell whether new and old documents are what a division into two parts finds."""
    n_new = int(is_new.sum())
    if min(n_new, len(is_new) - n_new) < FEWEST or not X.nnz:
        return False
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(len(is_new))[:MOST])
    part = MultinomialMixture(2, init="kmeans", max_iter=50, tol=1e-4, random_state=0)
    part._fit(part._read(X[rows]))
    labels = part.memberships_.argmax(axis=1)
    if len(np.unique(labels)) < 2 or len(np.unique(is_new[rows])) < 2:
        return False
    return bool(abs(np.corrcoef(labels, is_new[rows])[0, 1]) >= APART)
