"""Words that tell a cluster for a poor reason: a repeated text, or a handful of documents.

Signatures, headers, addresses and disclaimers are the same words each time. In the documents
of a cluster such words come together: of the documents that have one of two such words, most
have both, and as often. Where this holds for three words or more, they are a *block*. Two
words say little: "Monte Carlo" is no signature. Words of a subject come together too, but one
document says one of them more often, and the next another.

A word of which most occurrences are in very *few* of the documents tells of these, not of the
cluster.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from coterie.report.duplicates import equal_rows, first_of_each
from coterie.report.wording import encodable
from coterie.report.words import WordWeight
from coterie.types import Array, Counts, Labels, Strings

BLOCK = "block"
FEW = "few"
N_LOOKED_AT = 50
LEAST_WORDS = 3
LEAST_DOCUMENTS = 10
TOGETHER = 0.8
AS_OFTEN = 0.75
EQUALLY_OFTEN = 0.98  # counts that never vary have no correlation, but this cosine
FEW_SHARE = 0.005
Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Block:
    """Words of a cluster that come together, the strongest first, and in how many documents."""

    words: tuple[str, ...]
    n_documents: int


def marked_words(
    words: tuple[WordWeight, ...], columns: Labels, counts: Counts, vocabulary: Strings
) -> tuple[tuple[WordWeight, ...], tuple[Block, ...]]:
    """Mark those of the strongest words of some documents that tell them for a poor reason.

    `columns` are those of the words and of the next strongest ones, `counts` the rows of the
    documents; for blocks those with equal counts are looked at once, since all words of a
    copy come together. Gives the words, and all blocks.
    """
    used = sp.csr_array(counts[:, columns])
    blocks = blocks_of(used[first_of_each(equal_rows(sp.csr_array(counts)))])
    few = carriers(used) < FEW_SHARE * counts.shape[0]
    inside = {int(place) for block in blocks for place in block}
    marked = tuple(
        replace(word, mark=BLOCK if place in inside else FEW if few[place] else "")
        for place, word in enumerate(words)
    )
    return marked, tuple(_described(block, used, vocabulary[columns]) for block in blocks)


def blocks_of(counts: Counts) -> list[Labels]:
    """Columns that come together in the rows, each block in ascending order.

    To three that are as often in a row come others that are in the same rows as two of them.

    Examples
    --------
    >>> signed = np.array([[1, 1, 1, 3], [0, 0, 0, 1], [1, 1, 1, 0], [0, 0, 0, 2]] * 5)
    >>> blocks_of(sp.csr_array(signed))
    [array([0, 1, 2])]
    """
    from scipy.sparse.csgraph import connected_components

    if not counts.nnz:
        return []
    present = presence(counts)
    together = shared_documents(present) >= TOGETHER
    n_documents = np.bincount(counts.indices, minlength=counts.shape[1])
    together[n_documents < LEAST_DOCUMENTS] = False
    np.fill_diagonal(together, False)
    _, numbers = connected_components(together & same_counts(counts), directed=False)
    blocks: list[Labels] = []
    for number in np.flatnonzero(np.bincount(numbers) >= LEAST_WORDS):
        core = numbers == number
        joins = core | ((together & same_counts(present))[:, core].sum(axis=1) >= 2)
        blocks.append(np.flatnonzero(joins))
    return blocks


def carriers(counts: Counts) -> Array:
    r"""In how many rows columns are, in effect: :math:`(\sum_d n_d)^2 / \sum_d n_d^2`.

    Examples
    --------
    >>> carriers(sp.csr_array([[2, 90], [2, 0], [2, 10]]))
    array([3.        , 1.2195122])
    """
    values = sp.csr_array(counts, dtype=np.float64)
    squares = values.multiply(values).sum(axis=0)
    effective: Array = values.sum(axis=0) ** 2 / np.maximum(squares, 1e-300)
    return effective


def presence(counts: Counts) -> Counts:
    """One wherever a row has a column."""
    return sp.csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), counts.shape)


def shared_documents(present: Counts) -> Array:
    """Of the rows with either of two columns, the share that has both.

    Examples
    --------
    >>> shared_documents(sp.csr_array([[1.0, 1.0], [1.0, 0.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    both: Array = (present.T @ present).toarray()
    own = both.diagonal()
    either = own[:, np.newaxis] + own - both
    return np.divide(both, either, out=np.zeros_like(both), where=either > 0)


def same_counts(counts: Counts) -> Mask:
    """Whether two columns go up and down together, or never do; a table of truth values."""
    values = sp.csr_array(counts, dtype=np.float64)
    products = (values.T @ values).toarray()
    n_rows, sums = values.shape[0], values.sum(axis=0)
    covariance = products / n_rows - np.outer(sums, sums) / n_rows**2
    alike: Mask = (_ratio(covariance) >= AS_OFTEN) | (_ratio(products) >= EQUALLY_OFTEN)
    return alike


def _ratio(products: Array) -> Array:
    """Products over the lengths of both: correlations of covariances, cosines of products."""
    lengths = np.sqrt(np.maximum(products.diagonal(), 0))
    scale = np.outer(lengths, lengths)
    ratio: Array = np.divide(products, scale, out=np.zeros_like(scale), where=scale > 1e-12)
    return ratio


def _described(block: Labels, used: Counts, words: Strings) -> Block:
    """A block as words, and the documents that have at least half of them."""
    present = np.diff(sp.csr_array(used[:, block]).indptr)
    spelt = tuple(encodable(str(words[place])) for place in block)
    return Block(spelt, int((2 * present >= len(block)).sum()))
