"""Sparse counts laid out for a GPU: blocks of documents, and in each its words in segments.

A sweep reads the tables of topics at random, so documents are cut into blocks whose part of
the table stays in the cache of the GPU. Within a block, the non-zeros are known in two orders:
by document, as they come, and by word. The words' non-zeros are cut into segments of equal
work. Nothing here knows of a GPU: `xp` is NumPy or CuPy.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

SEGMENT = 256  # most non-zeros of a word that one group of lanes adds
LONG = 4096  # non-zeros above which a document has a block of threads of its own
TABLE_BYTES = 2**25  # of the documents' rows in a block, which the cache of a GPU then holds
RATIO_BYTES = 25 * 2**20  # of the ratios of a block, so that what is written stays there too


@dataclass(frozen=True)
class Segments:
    """Runs of non-zeros of one word in a block, in word order, the longest first.

    A word with one segment has the target -1. The segments of others have a row of partial sums
    each, from `firsts` on, `counts` of them, for each of the `shared_words`.
    """

    starts: Any
    lengths: Any
    words: Any
    targets: Any
    shared_words: Any
    firsts: Any
    counts: Any
    n_partials: int


@dataclass(frozen=True)
class Block:
    """Some documents: numbers of their non-zeros, and the documents, longest first."""

    start: int
    end: int
    order: Any
    n_long: int


@dataclass(frozen=True)
class ByWord:
    """The non-zeros of a block in word order: their documents, and the segments."""

    documents: Any
    segments: Segments


def n_blocks(n_documents: int, n_nonzeros: int, row_bytes: int) -> int:
    """Into how many blocks documents are cut whose rows in a table have so many bytes.

    Examples
    --------
    >>> n_blocks(1_000_000, 100_000_000, 512), n_blocks(1_000_000, 10_000_000, 512)
    (16, 16)
    """
    by_table = -(-n_documents * row_bytes // TABLE_BYTES)
    by_ratios = -(-n_nonzeros * 4 // RATIO_BYTES)
    return max(1, min(n_documents, max(by_table, by_ratios)))


def document_blocks(xp: Any, indptr: Any, number: int) -> list[Block]:
    """Blocks of as many documents each."""
    n = len(indptr) - 1
    lengths = indptr[1:] - indptr[:-1]
    blocks = []
    for first, last in pairwise([round(n * i / number) for i in range(number + 1)]):
        inside = lengths[first:last]
        order = (first + xp.argsort(-inside, kind="stable")).astype(xp.int32)
        n_long = int((inside > LONG).sum())
        blocks.append(Block(int(indptr[first]), int(indptr[last]), order, n_long))
    return blocks


def by_word(xp: Any, indptr: Any, indices: Any, block: Block) -> tuple[ByWord, Any]:
    """The non-zeros of a block in the order of their words, and the place each takes in it."""
    numbers = xp.arange(block.start, block.end)
    words = indices[block.start : block.end]
    order = xp.argsort(words, kind="stable")
    documents = (xp.searchsorted(indptr, numbers, side="right") - 1).astype(xp.int32)[order]
    places = xp.empty(len(order), xp.int32)
    places[order] = xp.arange(len(order), dtype=xp.int32)
    return ByWord(documents, segments_of(xp, words[order])), places


def segments_of(xp: Any, words: Any) -> Segments:
    """Segments of words that are in order."""
    n = len(words)
    is_first = xp.ones(n, bool)
    is_first[1:] = words[1:] != words[:-1]
    heads = xp.flatnonzero(is_first)
    ends = xp.append(heads[1:], xp.full(1, n, heads.dtype)) if n else heads
    n_parts = -(-(ends - heads) // SEGMENT)
    parts_before = xp.cumsum(n_parts) - n_parts
    total = int(n_parts.sum())
    owner = xp.searchsorted(parts_before, xp.arange(total), side="right") - 1
    starts = heads[owner] + SEGMENT * (xp.arange(total) - parts_before[owner])
    lengths = xp.minimum(SEGMENT, ends[owner] - starts)
    is_shared = n_parts > 1
    shares = is_shared[owner]
    targets = xp.where(shares, xp.cumsum(shares) - 1, -1)
    counts = n_parts[is_shared]
    longest_first = xp.argsort(-lengths, kind="stable")
    in_order = [
        array[longest_first].astype(xp.int32)
        for array in (starts, lengths, words[heads][owner], targets)
    ]
    firsts = xp.cumsum(counts) - counts
    shared = [array.astype(xp.int32) for array in (words[heads][is_shared], firsts, counts)]
    arrays: Any = (*in_order, *shared, int(counts.sum()))
    return Segments(*arrays)
