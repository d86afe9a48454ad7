"""Words distinctive of the classes of documents (Yang and Pedersen, 1997)."""

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from coterie.errors import InputError
from coterie.evaluation.labels import encode
from coterie.memory import Size
from coterie.schema import Field, Numbers
from coterie.selection.base import WordSelector, highest_scoring
from coterie.types import Array, Counts, Labels


@dataclass(eq=False, repr=False)
class SupervisedSelector(WordSelector):
    """Base of selectors that score words by the classes of the documents they are in.

    `fit` takes the classes as `y`, or as the labels of a Corpus. A subclass writes
    `_word_scores`. Of words with equal scores, those of more documents are chosen, and of these
    the first.

    Attributes
    ----------
    scores_ : ndarray of shape (n_words_before,)
        Score of each word, whether or not it is in enough documents.
    support_, n_empty_, vocabulary_
        See `WordSelector`.
    """

    _schema: ClassVar[dict[str, Field]] = {
        **WordSelector._schema,
        "scores_": Numbers("m", finite=False),
    }

    def _classes_of(self, n_documents: int, labels: Any) -> Labels | None:
        """Numbers for the classes, one a document."""
        if labels is None:
            name = type(self).__name__
            raise InputError(f"{name} requires y to be passed, but the target y is None")
        classes, _ = encode(np.asarray(labels) if hasattr(labels, "__array__") else labels, "y")
        if len(classes) != n_documents:
            raise InputError(
                f"y: expected {n_documents} labels, one a document; got {len(classes)}"
            )
        return classes

    def _choose(self, X: Counts, frequent: Labels, classes: Labels | None) -> Labels:
        """The words with the highest scores."""
        self.scores_ = self._word_scores(*_documents_by_class(X, classes))
        return highest_scoring(self.scores_, X, frequent, self.n_words)

    def _needed_bytes(self, size: Size) -> int:
        """Which words documents have, in double precision, besides."""
        return super()._needed_bytes(size) + 2 * size.doubles(size.n_nonzero)

    def _word_scores(self, with_word: Array, sizes: Array) -> Array:
        """Score of each word, from the documents by word and class, and by class."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


@dataclass(eq=False, repr=False)
class SupervisedMutualInformation(SupervisedSelector):
    r"""The words that point most clearly to some class (Yang and Pedersen, 1997).

    The score of a word *t* is the largest over classes *c* of

    .. math:: I(t, c) = \log \frac{P(t, c)}{P(t)\, P(c)} = \log \frac{P(c \mid t)}{P(c)},

    probabilities being shares of documents. All words of one class only have the same score,
    the highest, however rare they are; with `smoothing` above zero, frequent ones come first.

    Parameters
    ----------
    n_words, min_df
        See `WordSelector`.
    smoothing : float, default=0.0
        Documents with the word that every class is thought to have besides those it has (if
        classes differ in size, in proportion). Zero is the article's formula.

    Attributes
    ----------
    scores_, support_, n_empty_, vocabulary_
        See `SupervisedSelector`.

    Examples
    --------
    >>> X = [[1, 1, 1, 0], [2, 1, 1, 0], [0, 3, 1, 1], [0, 1, 1, 0]]
    >>> selector = SupervisedMutualInformation(1).fit(X, ["tea", "tea", "rum", "rum"])
    >>> selector.get_support(indices=True), selector.scores_.round(2)
    (array([0]), array([0.69, 0.  , 0.  , 0.69]))
    """

    smoothing: float = 0.0

    def _check_parameters(self) -> None:
        """Refuse impossible parameters."""
        super()._check_parameters()
        self._check_number("smoothing", Real, 0)

    def _word_scores(self, with_word: Array, sizes: Array) -> Array:
        """The largest pointwise information."""
        shares = sizes / sizes.sum()
        more = self.smoothing * len(sizes)
        totals = with_word.sum(axis=1, keepdims=True) + more
        ratio = (with_word + more * shares) / np.where(totals > 0, totals, 1) / shares
        with np.errstate(divide="ignore"):
            largest: Array = np.log(ratio.max(axis=1))
        return largest


@dataclass(eq=False, repr=False)
class InformationGain(SupervisedSelector):
    r"""The words whose presence or absence is most informative (Yang and Pedersen, 1997).

    The score is the mutual information of a word's presence and the class,

    .. math:: G(t) = \sum_c P(t, c) \log \frac{P(t, c)}{P(t)\, P(c)} +
        \sum_c P(\bar t, c) \log \frac{P(\bar t, c)}{P(\bar t)\, P(c)}.

    Parameters
    ----------
    n_words, min_df
        See `WordSelector`.

    Attributes
    ----------
    scores_, support_, n_empty_, vocabulary_
        See `SupervisedSelector`.

    Examples
    --------
    >>> X = [[1, 1, 1, 0], [2, 1, 1, 0], [0, 3, 1, 1], [0, 1, 1, 0]]
    >>> selector = InformationGain(1).fit(X, ["tea", "tea", "rum", "rum"])
    >>> selector.get_support(indices=True), selector.scores_.round(2)
    (array([0]), array([0.69, 0.  , 0.  , 0.22]))
    """

    def _word_scores(self, with_word: Array, sizes: Array) -> Array:
        """Information of presence and of absence together."""
        return _information(with_word, sizes) + _information(sizes - with_word, sizes)


def _documents_by_class(X: Counts, classes: Any) -> tuple[Array, Array]:
    """Documents with each word in each class, and all documents of each class."""
    hot = np.eye(classes.max() + 1)[classes]
    present = Counts((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)
    return present.T @ hot, hot.sum(axis=0)


def _information(documents: Array, sizes: Array) -> Array:
    """Sum over classes of P(t, c) log P(t, c) / P(t) P(c)."""
    joint = documents / sizes.sum()
    expected = joint.sum(axis=1, keepdims=True) * (sizes / sizes.sum())
    ratio = np.divide(joint, expected, out=np.ones_like(joint), where=joint > 0)
    information: Array = (joint * np.log(ratio)).sum(axis=1)
    return information
