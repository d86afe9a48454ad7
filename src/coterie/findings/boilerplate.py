"""Distinctive words that mislead: boilerplate, and words of a handful of documents.

Signatures, headers, addresses and disclaimers are the same words each time. In the documents
of a cluster such words come together: of the documents that have one of two such words, most
have both, and equally often. Three or more such words are a *block*. Two are not enough:
"Monte Carlo" is no signature. Words of a subject come together too, but one document uses one
of them more often, and the next another.

A word is marked as being in *few* documents if most of its occurrences are in so few of them
that it describes these and not the cluster.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from coterie.findings.duplicates import equal_rows, first_of_each
from coterie.findings.texts import encodable
from coterie.findings.words import WordWeight
from coterie.types import Array, Counts, Labels, Strings

BLOCK = "block"
FEW = "few"
N_COMPARED = 50
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
    """Mark the misleading ones among the strongest words of some documents; list all blocks.

    `columns` are those of the words and of the next strongest ones, `counts` the rows of the
    documents. Documents with equal counts are compared once, since all words of a copy come
    together.
    """
    used = sp.csr_array(counts[:, columns])
    blocks = find_blocks(used[first_of_each(equal_rows(sp.csr_array(counts)))])
    few = effective_documents(used) < FEW_SHARE * counts.shape[0]
    in_blocks = {int(rank) for block in blocks for rank in block}
    marked = tuple(
        replace(word, mark=BLOCK if rank in in_blocks else FEW if few[rank] else "")
        for rank, word in enumerate(words)
    )
    return marked, tuple(_described(block, used, vocabulary[columns]) for block in blocks)


def find_blocks(counts: Counts) -> list[Labels]:
    """Columns that come together in the rows, each block in ascending order.

    A block starts from three columns with equal counts; a column in the same rows as two of
    them joins it.

    Examples
    --------
    >>> signed = np.array([[1, 1, 1, 3], [0, 0, 0, 1], [1, 1, 1, 0], [0, 0, 0, 2]] * 5)
    >>> find_blocks(sp.csr_array(signed))
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


def effective_documents(counts: Counts) -> Array:
    r"""Effective number of rows that use each column: :math:`(\sum_d n_d)^2 / \sum_d n_d^2`.

    Examples
    --------
    >>> effective_documents(sp.csr_array([[2, 90], [2, 0], [2, 10]]))
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
    """Jaccard index of columns: of the rows with either of two, the share that has both.

    Examples
    --------
    >>> shared_documents(sp.csr_array([[1.0, 1.0], [1.0, 0.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    both: Array = (present.T @ present).toarray()
    n_rows = both.diagonal()
    either = n_rows[:, np.newaxis] + n_rows - both
    return np.divide(both, either, out=np.zeros_like(both), where=either > 0)


def same_counts(counts: Counts) -> Mask:
    """Whether the counts of two columns are correlated, or nearly proportional."""
    values = sp.csr_array(counts, dtype=np.float64)
    products = (values.T @ values).toarray()
    n_rows, sums = values.shape[0], values.sum(axis=0)
    covariance = products / n_rows - np.outer(sums, sums) / n_rows**2
    alike: Mask = _over_lengths(covariance) >= AS_OFTEN
    alike |= _over_lengths(products) >= EQUALLY_OFTEN
    return alike


def _over_lengths(products: Array) -> Array:
    """Products over the lengths of both: correlations of covariances, cosines of products."""
    lengths = np.sqrt(np.maximum(products.diagonal(), 0))
    scale = np.outer(lengths, lengths)
    ratios: Array = np.divide(products, scale, out=np.zeros_like(scale), where=scale > 1e-12)
    return ratios


def _described(block: Labels, used: Counts, words: Strings) -> Block:
    """A block as words, and the documents that have at least half of them."""
    present = np.diff(sp.csr_array(used[:, block]).indptr)
    spelt = tuple(encodable(str(words[rank])) for rank in block)
    return Block(spelt, int((2 * present >= len(block)).sum()))
