"""Documents of several views, and vectors of the documents."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from coterie.arrays import unit_rows
from coterie.base import Clusterer
from coterie.corpus import Corpus
from coterie.corpus.vectors import checked_vectors
from coterie.errors import InputError
from coterie.multiview.views import Layout, read_like, read_views, refuse_other_words
from coterie.types import Array, Counts, Labels

VECTORS = "embeddings"


class TakesVectors(Clusterer):
    """A clusterer that takes views of words side by side, and vectors of the documents.

    A subclass writes `_memberships`. During a fit, `_vectors` are the vectors of all views.
    """

    _vectors: Any = None

    def fit(self, X: Any, y: None = None, vectors: Any = None) -> Self:  # noqa: ARG002
        """Fit to texts, a Corpus, counts of words, or counts of several views by name.

        Several views are taken side by side. `vectors` has a row for each document, as
        embeddings of the texts.
        """
        counts = self._read(X)
        by_view = _vectors_of(X, vectors, counts.shape[0])
        self.vector_views_ = {name: each.shape[1] for name, each in by_view.items()}
        self._vectors = _side_by_side(list(by_view.values()))  # for the time of the fit
        try:
            return self._fit_to(counts)
        finally:
            del self._vectors

    def _read(self, X: Any) -> Counts:
        counts = super()._read(X)
        if isinstance(X, Corpus) and len(X.views) > 1:
            self.vocabulary_ = {name: view.vocabulary for name, view in X.views.items()}
        return counts

    def _count(self, texts: Any) -> Any:
        if isinstance(self.vocabulary_, Mapping):
            raise InputError(
                "X: texts, but AutoClustering was fitted to several views; pass counts by view"
            )
        return super()._count(texts)

    def _check_counts(self, X: Any, *, reset: bool) -> Counts:
        """Counts of documents, those of several views side by side."""
        if reset:
            views = read_views(_words_of(X)) if _has_views(X) else None
            self.word_views_ = views.layout.words if views else {}
            return super()._check_counts(views.words if views else X, reset=True)
        if _by_name(X) and not self.word_views_:
            raise InputError("X: several views, expected one matrix as the model was fitted to")
        if self.word_views_ and (isinstance(X, Corpus) or _by_name(X)):
            if isinstance(X, Corpus) and self.vocabulary_ is not None:
                refuse_other_words(X, self.vocabulary_)
            X = read_like(_words_of(X), Layout(dict(self.word_views_), {})).words
        return super()._check_counts(X, reset=False)

    def predict(self, X: Any, vectors: Any = None) -> Labels:
        """The most probable cluster of each document."""
        labels: Labels = self.predict_proba(X, vectors).argmax(axis=1)
        return labels

    def predict_proba(self, X: Any, vectors: Any = None) -> Array:
        """Probability of each cluster for each document, each document on its own.

        Documents without vectors are assigned by their words.
        """
        counts = self._read_new(X)
        return self._memberships(counts, self._new_vectors(X, vectors, counts.shape[0]))

    def transform(self, X: Any, vectors: Any = None) -> Array:
        """Same as `predict_proba`: documents described by their clusters."""
        return self.predict_proba(X, vectors)

    def _memberships(self, X: Counts, vectors: Array | None) -> Array:
        """Memberships of new documents, with vectors or without."""
        raise NotImplementedError

    def _new_vectors(self, X: Any, vectors: Any, n_documents: int) -> Array | None:
        """Vectors of the views the model has, zeros for a view without; None where all are."""
        by_view = _vectors_of(X, vectors, n_documents)
        if vectors is not None and len(self.vector_views_) == 1:  # which it is then of
            by_view = dict(zip(self.vector_views_, by_view.values(), strict=True))
        known = {name: each for name, each in by_view.items() if name in self.vector_views_}
        for name, each in known.items():
            width = self.vector_views_[name]
            if each.shape[1] != width:
                raise InputError(f"vectors: {each.shape[1]} columns, expected {width}")
        if not known:
            return None
        return _side_by_side(
            [
                known.get(name, np.zeros((n_documents, width)))
                for name, width in self.vector_views_.items()
            ]
        )


def _has_views(X: Any) -> bool:
    return _by_name(X) or (isinstance(X, Corpus) and len(X.views) > 1)


def _by_name(X: Any) -> bool:
    """Whether X has views by name; a sparse matrix may be a dictionary of its entries."""
    return isinstance(X, Mapping) and not sp.issparse(X)


def _words_of(X: Any) -> Any:
    """Views of words by name."""
    return {name: view.counts for name, view in X.views.items()} if isinstance(X, Corpus) else X


def _vectors_of(X: Any, vectors: Any, n_documents: int) -> dict[str, Array]:
    """The vectors passed, or those of a corpus, by view."""
    if vectors is not None:
        by_name = {VECTORS: vectors}
    else:
        by_name = dict(X.vectors) if isinstance(X, Corpus) else {}
    return {
        name: checked_vectors("vectors", each, n_documents) for name, each in by_name.items()
    }


def _side_by_side(views: list[Array]) -> Array | None:
    """Vectors of several views as one of length one, each view counting the same."""
    rows = [unit_rows(each) for each in views]
    if len(rows) < 2:
        return rows[0] if rows else None
    return unit_rows(np.hstack(rows))
