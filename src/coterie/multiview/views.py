"""The views of documents, checked: the same documents in each, as counts or as vectors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from coterie.arrays import row_shares
from coterie.corpus import Corpus, is_texts, refuse_positions_outside
from coterie.errors import InputError
from coterie.models.plsa import PLSA
from coterie.models.von_mises import has_vector, unit
from coterie.types import Array, Counts

FROM_TEXTS = "Corpus.from_texts makes a corpus of several views of texts, a list for each"


@dataclass(frozen=True)
class Layout:
    """Names of the views and their numbers of columns, views of words first."""

    words: dict[str, int]
    vectors: dict[str, int]


@dataclass(frozen=True)
class Views:
    """Documents as counts of words and as vectors of length one, each view by its name.

    A document that a view has no words of, or a vector of zeros, is missing in that view.
    """

    counts: dict[str, Counts]
    vectors: dict[str, Array]

    @property
    def layout(self) -> Layout:
        """What new documents must look like."""
        return Layout(
            {name: counts.shape[1] for name, counts in self.counts.items()},
            {name: x.shape[1] for name, x in self.vectors.items()},
        )

    @property
    def names(self) -> list[str]:
        """All views, those of words first."""
        return [*self.counts, *self.vectors]

    @property
    def matrices(self) -> dict[str, Any]:
        """The matrices of all views, in the order of their names."""
        return {**self.counts, **self.vectors}

    @cached_property
    def words(self) -> Counts:
        """The views of words side by side."""
        return sp.csr_array(sp.hstack(list(self.counts.values()), format="csr"))

    @cached_property
    def stacked(self) -> Array | None:
        """The vectors of all their views side by side, or None where there are none."""
        return np.hstack(list(self.vectors.values())) if self.vectors else None

    @property
    def widths(self) -> tuple[int, ...]:
        """Numbers of dimensions of the vectors."""
        return tuple(x.shape[1] for x in self.vectors.values())

    @cached_property
    def present(self) -> npt.NDArray[np.bool_]:
        """Which views (columns) each document (row) has."""
        has_words = [np.diff(counts.indptr) > 0 for counts in self.counts.values()]
        has_vectors = [has_vector(x) for x in self.vectors.values()]
        return np.column_stack([*has_words, *has_vectors])


def read_views(X: Any, vectors: Sequence[str | int] = ()) -> Views:
    """Check a Corpus, a mapping or a list of matrices; `vectors` says which are no counts.

    Examples
    --------
    >>> matrices = {"en": [[1, 0], [0, 2]], "photo": [[0.0, -2.0], [3.0, 0.0]]}
    >>> views = read_views(matrices, ["photo"])
    >>> views.names, views.vectors["photo"].tolist()
    (['en', 'photo'], [[0.0, -1.0], [1.0, 0.0]])
    """
    if isinstance(vectors, str):
        raise InputError(f"vectors={vectors!r}: expected a list of names")
    if isinstance(X, Corpus):
        if len(vectors):
            raise InputError("vectors: expected nothing for a Corpus, which knows its vectors")
        return _checked({name: view.counts for name, view in X.views.items()}, X.vectors)
    matrices = _by_name(X)
    dense = {_name_of(view, matrices) for view in vectors}
    return _checked(
        {name: matrix for name, matrix in matrices.items() if name not in dense},
        {name: matrix for name, matrix in matrices.items() if name in dense},
    )


def read_like(X: Any, layout: Layout) -> Views:
    """Check the views of new documents; one that is left out is missing in all of them."""
    expected = layout.words | layout.vectors
    if isinstance(X, Corpus):
        matrices = {name: view.counts for name, view in X.views.items()} | X.vectors
    else:
        matrices = _by_name(X, list(expected))
    for name in matrices:
        if name not in expected:
            raise InputError(f"view '{name}': not known; there are {', '.join(expected)}")
    views = _checked(
        {name: matrices[name] for name in layout.words if name in matrices},
        {name: matrices[name] for name in layout.vectors if name in matrices},
        fitted=True,
    )
    n_documents = len(views.present)
    for name, matrix in views.matrices.items():
        if matrix.shape[1] != expected[name]:
            raise InputError(
                f"view '{name}': {matrix.shape[1]} columns, expected {expected[name]}"
            )
    dtype = next((counts.dtype for counts in views.counts.values()), np.dtype(np.float64))
    return Views(
        {
            name: views.counts.get(name, Counts((n_documents, width), dtype=dtype))
            for name, width in layout.words.items()
        },
        {
            name: views.vectors.get(name, np.zeros((n_documents, width)))
            for name, width in layout.vectors.items()
        },
    )


def check_layout(fitted: Any, n_words: int) -> None:
    """Refuse a fitted model of views whose attributes by view do not go together."""
    words, vectors = fitted.word_views_, fitted.vector_views_
    if words.keys() & vectors.keys():
        raise InputError("word_views_, vector_views_: the same view in both")
    if words and sum(words.values()) != n_words:
        raise InputError(f"word_views_: {sum(words.values())} words, expected {n_words}")
    shapes = {name: part.shape[1] for name, part in fitted.view_components_.items()}
    if shapes != words:
        raise InputError(f"view_components_: columns {shapes}, expected {words}")
    if isinstance(fitted.vocabulary_, Mapping):
        sizes = {name: len(each) for name, each in fitted.vocabulary_.items()}
        if sizes != words:
            raise InputError(f"vocabulary_: numbers of words {sizes}, expected {words}")


def refuse_other_words(corpus: Corpus, vocabularies: Mapping[str, Any]) -> None:
    """Refuse a corpus whose views have other words than those of the same name."""
    for name, view in corpus.views.items():
        known = vocabularies.get(name)
        if known is not None and not np.array_equal(known.words, view.vocabulary.words):
            raise InputError(
                f"view '{name}': the corpus has other words than the {len(known)} the "
                f"model was fitted to; count its texts with vocabulary_['{name}'].count"
            )


def _by_name(X: Any, names: Sequence[str] | None = None) -> dict[str, Any]:
    if isinstance(X, str) or is_texts(X):
        raise InputError(f"X: texts; {FROM_TEXTS}")
    if isinstance(X, Mapping):
        matrices = {str(name): matrix for name, matrix in X.items()}
    elif isinstance(X, list | tuple):
        if names is not None and len(X) != len(names):
            raise InputError(f"views: {len(X)}, expected {len(names)}: {', '.join(names)}")
        matrices = dict(zip(names or [f"view {i}" for i in range(len(X))], X, strict=True))
    else:
        kind = type(X).__name__
        raise InputError(f"X: expected a list or mapping of matrices or a Corpus, got {kind}")
    if not matrices:
        raise InputError("views: expected at least one, got none")
    for name, matrix in matrices.items():
        if isinstance(matrix, str) or is_texts(matrix):
            raise InputError(f"view '{name}': texts; {FROM_TEXTS}")
    return matrices


def _name_of(view: str | int, matrices: Mapping[str, Any]) -> str:
    names = list(matrices)
    if isinstance(view, int) and 0 <= view < len(names):
        return names[view]
    if view not in matrices:
        raise InputError(f"vectors: no view {view!r}; there are {', '.join(names)}")
    return str(view)


def _checked(
    counts: Mapping[str, Any], vectors: Mapping[str, Any], *, fitted: bool = False
) -> Views:
    words = {name: _counts(name, matrix, fitted) for name, matrix in counts.items()}
    dense = {name: _vectors(name, matrix, fitted) for name, matrix in vectors.items()}
    lengths = {name: matrix.shape[0] for name, matrix in (words | dense).items()}
    if len(set(lengths.values())) > 1:
        numbers = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"views: different numbers of documents ({numbers})")
    if not words and not fitted:
        raise InputError("views: vectors only, expected at least one view of words")
    return Views(words, dense)


def by_view(components: Array, widths: Mapping[str, int]) -> dict[str, Array]:
    """Words of clusters, those of all views side by side, as shares of each view's words.

    A row is zero where a cluster has no words of a view.

    Examples
    --------
    >>> by_view(np.array([[0.2, 0.2, 0.6], [0.0, 0.0, 1.0]]), {"en": 2, "de": 1})["en"]
    array([[0.5, 0.5],
           [0. , 0. ]])
    """
    ends = np.cumsum(list(widths.values()), dtype=np.intp)
    parts = np.split(components, ends[:-1], axis=1)
    return {
        name: row_shares(part.astype(np.float64))
        for name, part in zip(widths, parts, strict=False)
    }


def _counts(name: str, matrix: Any, fitted: bool) -> Counts:
    try:
        counts = PLSA()._check_counts(matrix, reset=True)
    except (ValueError, TypeError) as error:
        hint = "; vectors= names views that are vectors" if "Negative" in str(error) else ""
        raise InputError(f"view '{name}': {_first_line(error)}{hint}") from error
    if not counts.nnz and not fitted:
        raise InputError(
            f"view '{name}': empty, none of its {counts.shape[0]} documents has words"
        )
    return counts


def _vectors(name: str, matrix: Any, fitted: bool) -> Array:
    try:
        refuse_positions_outside(matrix)
        x = matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix)
        x = x if x.dtype in (np.float32, np.float64) else x.astype(np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(f"view '{name}': not numbers ({_first_line(error)})") from error
    if x.ndim != 2 or not x.shape[1]:
        raise InputError(f"view '{name}': expected a vector a row, got shape {x.shape}")
    if not x.any() and not fitted:
        raise InputError(f"view '{name}': empty, all {len(x)} vectors are zero")
    return unit(x, f"view '{name}'")


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
