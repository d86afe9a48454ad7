"""Words that stand for others, by k-medoids (Grimal and Bisson, 2011, section 5.1)."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from coterie.errors import InputError
from coterie.memory import Size
from coterie.schema import Field, Number, Whole
from coterie.selection.base import WordSelector
from coterie.types import Array, Counts, Labels

BLOCK = 512  # rows of distances computed at a time


@dataclass(eq=False, repr=False)
class MedoidWords(WordSelector):
    """Words that stand for others: medoids of clusters of words, no classes being known.

    A word is the vector of its counts in the documents; distances are Euclidean. Frequent
    words lie far from all others, so that most of them become medoids, and of the rare ones a
    few. FasterPAM finds them (Schubert and Rousseeuw, 2021), from a random start. The distances
    of all pairs are held in memory, 4 bytes each. Needs the package `kmedoids`.

    Parameters
    ----------
    n_words, min_df
        See `WordSelector`.
    max_iter : int, default=100
        Most passes over the words.
    random_state : int, RandomState or None, default=None
        Seed of the start.

    Attributes
    ----------
    loss_ : float
        Sum of the distances of all words to their medoids.
    n_iter_ : int
        Number of passes over the words.
    support_, n_empty_, vocabulary_
        See `WordSelector`.

    Examples
    --------
    >>> X = [[9, 0, 1, 1], [8, 1, 1, 0], [0, 9, 0, 1]]
    >>> MedoidWords(3, random_state=0).fit(X).get_support(indices=True)
    array([0, 1, 2])
    """

    _schema: ClassVar[dict[str, Field]] = {
        **WordSelector._schema,
        "loss_": Number(),
        "n_iter_": Whole(),
    }

    max_iter: int = 100
    random_state: int | np.random.RandomState | None = None

    def _check_parameters(self) -> None:
        """Refuse impossible parameters."""
        super()._check_parameters()
        self._check_number("max_iter", Integral, 1)

    def _needed_bytes(self, size: Size) -> int:
        """The distances of all pairs of words, and rows of them at work."""
        m = size.n_words
        return 4 * size.data + 4 * m * m + 4 * size.doubles(min(BLOCK, m), m)

    def _choose(self, X: Counts, frequent: Labels, classes: Labels | None) -> Labels:  # noqa: ARG002
        """The medoids."""
        if len(frequent) <= self.n_words:
            self.loss_, self.n_iter_ = 0.0, 1
            return frequent
        seed = check_random_state(self.random_state).randint(2**31)
        result = _kmedoids().fasterpam(
            euclidean_distances(X[:, frequent].T.tocsr()),
            self.n_words,
            max_iter=self.max_iter,
            random_state=seed,
            n_cpu=1,  # more would add in any order
        )
        self.loss_, self.n_iter_ = float(result.loss), int(result.n_iter)
        medoids: Labels = frequent[result.medoids]
        return medoids


def euclidean_distances(points: Counts) -> Array:
    """Distances between all rows of a sparse matrix, in single precision.

    Examples
    --------
    >>> euclidean_distances(Counts(np.array([[3.0, 0.0], [0.0, 4.0]])))
    array([[0., 5.],
           [5., 0.]], dtype=float32)
    """
    points = points.astype(np.float64)
    squares = points.multiply(points).sum(axis=1)
    distances = np.empty((points.shape[0],) * 2, dtype=np.float32)
    turned = points.T.tocsr()
    for first in range(0, len(distances), BLOCK):
        block = slice(first, first + BLOCK)
        products = (points[block] @ turned).toarray()
        gaps = squares[block, None] + squares - 2 * products
        np.sqrt(np.maximum(gaps, 0), out=distances[block], casting="same_kind")
    return distances


def _kmedoids() -> Any:
    try:
        import kmedoids
    except ImportError as error:
        raise InputError(
            "MedoidWords: needs the package kmedoids, which is not installed; "
            "pip install 'coterie[selection]'"
        ) from error
    return kmedoids
