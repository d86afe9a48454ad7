"""What all selectors of words share, and the simplest of them."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from coterie.base import TakesCounts
from coterie.corpus import Corpus, is_texts
from coterie.errors import InputError
from coterie.memory import Size
from coterie.schema import Field, Flags, Sizes, Whole
from coterie.types import Array, Counts, Labels

TIES = 9  # decimals beyond which scores count as equal


@dataclass(eq=False, repr=False)
class WordSelector(SelectorMixin, TakesCounts):
    """Base of what chooses words; a subclass writes `_choose`.

    Words of fewer than `min_df` documents are dropped first. Where fewer than `n_words` are
    left, all of them stay. Documents stay, also those left without any word: `n_empty_` says
    how many. Given a Corpus, `transform` returns a Corpus.

    Parameters
    ----------
    n_words : int, default=2000
        How many words to choose.
    min_df : int, default=2
        Least number of documents a word must be in.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_words_before,)
        Which words were chosen; `get_support(indices=True)` gives their columns.
    n_empty_ : int
        Documents of the fit without any word chosen.
    vocabulary_ : Vocabulary or None
        All words the choice was made from, where it was made from a Corpus.
    """

    _schema: ClassVar[dict[str, Field]] = {
        **TakesCounts._schema,
        "support_": Flags("m"),
        "n_empty_": Whole(),
    }

    n_words: int = 2000
    min_df: int = 2

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose words by counts, a row a document: a sparse or dense matrix, or a Corpus."""
        labels = X.labels if y is None and isinstance(X, Corpus) else y
        X = self._read(X)
        self._check_parameters()
        self._check_memory(X)
        classes = self._classes_of(X.shape[0], labels)
        frequent = np.flatnonzero(document_frequencies(X) >= self.min_df)
        if not len(frequent):
            raise InputError(
                f"min_df={self.min_df}: no word is in so many of the documents "
                f"(n_samples={X.shape[0]})"
            )
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[self._choose(X, frequent, classes)] = True
        self.n_empty_ = int(np.count_nonzero(X @ self.support_.astype(X.dtype) == 0))
        return self

    def transform(self, X: Any) -> Any:
        """Documents with the chosen words only: a matrix, or a Corpus for a Corpus."""
        counts = self._read_new(X)
        if isinstance(X, Corpus):
            return X.select_words(self.get_support(indices=True))
        return super().transform(counts if is_texts(X) else X)

    def _needed_bytes(self, size: Size) -> int:
        """The data, and flags and orders of their size."""
        return 2 * size.data

    def _check_fitted(self, sizes: Sizes) -> None:  # noqa: ARG002
        self._check_parameters()

    def _check_parameters(self) -> None:
        """Refuse impossible parameters."""
        self._check_number("n_words", Integral, 1)
        self._check_number("min_df", Integral, 1)

    def _classes_of(self, n_documents: int, labels: Any) -> Labels | None:  # noqa: ARG002
        """The class of each document, where the choice needs them."""
        return None

    def _choose(self, X: Counts, frequent: Labels, classes: Labels | None) -> Labels:
        """Columns of the words to keep, of those of the words that are frequent enough."""
        raise NotImplementedError

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_


@dataclass(eq=False, repr=False)
class MostFrequent(WordSelector):
    """The words that occur most often.

    Parameters
    ----------
    n_words, min_df
        See `WordSelector`.

    Examples
    --------
    >>> MostFrequent(1).fit([[3, 0, 9], [2, 4, 0], [2, 5, 0]]).get_support(indices=True)
    array([1])
    """

    def _choose(self, X: Counts, frequent: Labels, classes: Labels | None) -> Labels:  # noqa: ARG002
        """The largest totals."""
        return highest_scoring(X.sum(axis=0, dtype=np.float64), X, frequent, self.n_words)


def document_frequencies(X: Counts) -> Labels:
    """Number of documents each word is in.

    Examples
    --------
    >>> document_frequencies(Counts(np.array([[2, 0], [1, 1]])))
    array([2, 1])
    """
    frequencies: Labels = np.bincount(X.indices, minlength=X.shape[1])
    return frequencies


def highest_scoring(scores: Array, X: Counts, allowed: Labels, n_words: int) -> Labels:
    """The allowed columns with the highest scores; of equals, those of most documents."""
    order = np.lexsort((-document_frequencies(X)[allowed], -scores[allowed].round(TIES)))
    columns: Labels = allowed[order[:n_words]]
    return columns
