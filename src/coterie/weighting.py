"""Weights of words that take the part of counts in the automatic method."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from coterie.arrays import document_frequencies
from coterie.base import TakesCounts
from coterie.schema import Field, Number, Numbers, Sizes
from coterie.types import Counts

BLOCK = 1 << 22  # counts that are weighted together, where all are summed


@dataclass(eq=False, repr=False)
class WordWeights(OneToOneFeatureMixin, TransformerMixin, TakesCounts):
    r"""A word weighs less each time it is repeated, and the less the more documents have it.

    A word that occurs *n* times in a document, and in *df* of the *N* documents, weighs

    .. math:: T \log(1 + n) \log((N + 1) / df)^e.

    A word of one document says nothing on which documents belong together and, by `min_df`,
    weighs nothing, unless there are no others.

    Models of counts take such weights for counts. Words of a text are not independent: a
    document of 100 words does not speak a hundred times as firmly as its first. `scale`, *T*,
    says by how much its evidence is tempered. With it a likelihood is no longer that of a
    multinomial, only a score of the same form, whose posteriors are softer.

    Parameters
    ----------
    scale : float, default=0.1
        *T*.
    least_length : float, default=5.0
        Where a mean document would weigh less than this in all, *T* is raised until it does:
        short documents, or few words that almost all documents have, must still
        be enough to separate clusters. 0 leaves *T* as it is.
    min_df : int, default=2
        Words of fewer documents weigh nothing.
    exponent : float, default=1.0
        *e*; with 0, rare words weigh no more than others.

    Attributes
    ----------
    word_weights_ : ndarray of shape (n_words,)
        :math:`T \log((N + 1) / df)^e`; 0 for words of fewer documents than `min_df`.
    scale_ : float
        *T*, as raised.

    Examples
    --------
    >>> weights = WordWeights(least_length=0).fit([[3, 1, 0], [2, 1, 0], [0, 1, 5]])
    >>> weights.transform([[3, 1, 1]]).toarray().round(3)
    array([[0.096, 0.02 , 0.   ]])
    """

    _schema: ClassVar[dict[str, Field]] = {
        **TakesCounts._schema,
        "scale_": Number(np.nextafter(0, 1)),
        "word_weights_": Numbers("m", 0),
    }

    _: KW_ONLY
    scale: float = 0.1
    least_length: float = 5.0
    min_df: int = 2
    exponent: float = 1.0

    def fit(self, X: Any, y: None = None) -> Self:  # noqa: ARG002
        """Learn in how many documents words are, from counts, a row a document, or a Corpus."""
        self._check_parameters()
        X = self._read(X)
        self._check_memory(X)
        n_filled = np.count_nonzero(np.diff(X.indptr))
        df = document_frequencies(X)
        frequent = df >= self.min_df if np.any(df >= self.min_df) else df > 0
        rarity = np.log((n_filled + 1) / np.maximum(df, 1)) ** self.exponent * frequent
        mean_length = 0.0
        for start in range(0, X.nnz, BLOCK):
            block = slice(start, start + BLOCK)
            logs = np.log1p(X.data[block].astype(np.float64))
            mean_length += float(logs @ rarity[X.indices[block]])
        mean_length /= max(int(n_filled), 1)
        self.scale_ = float(self.scale)
        if mean_length > 0:
            self.scale_ = max(self.scale_, self.least_length / mean_length)
        self.word_weights_ = self.scale_ * rarity
        return self

    def _check_parameters(self) -> None:
        self._check_number("scale", Real, np.nextafter(0, 1))
        self._check_number("least_length", Real, 0)
        self._check_number("min_df", Integral, 1)
        self._check_number("exponent", Real, 0)

    def _check_fitted(self, sizes: Sizes) -> None:  # noqa: ARG002
        self._check_parameters()

    def transform(self, X: Any) -> Counts:
        """Weights of the words of documents, each by itself."""
        X = self._read_new(X)
        data = np.log1p(X.data) * self.word_weights_.astype(X.dtype)[X.indices]
        weighted = Counts((data, X.indices, X.indptr), shape=X.shape, copy=not np.all(data))
        weighted.eliminate_zeros()
        return weighted
