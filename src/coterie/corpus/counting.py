"""Counting: from texts to a sparse matrix, one document a row, in bounded memory."""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from coterie.corpus.storing import IN_MEMORY, Storage
from coterie.corpus.text import Analyser
from coterie.types import Counts

CHUNK_TOKENS = 1_000_000
Integers = npt.NDArray[np.integer[Any]]


@dataclass
class _Chunk:
    """Counts of some documents; its column *j* is column `columns[j]` of the whole."""

    lengths: Integers
    indices: Integers
    data: npt.NDArray[Any]
    columns: Integers | None = None
    grams: Integers = field(default_factory=lambda: np.empty((0, 1), dtype=np.int32))

    def positions(self, position_of: Integers) -> Integers:
        """Return the position of each count, from that of every column of the whole."""
        mine = position_of if self.columns is None else position_of[self.columns]
        positions: Integers = mine[self.indices]
        return positions


class Tallied:
    """Counts of every distinct term, and of runs of them where these were asked for.

    A row of `grams` holds the numbers of the terms of a column, padded with -1.
    """

    def __init__(
        self,
        chunks: list[_Chunk],
        grams: Integers,
        terms: list[str],
        storage: Storage = IN_MEMORY,
    ) -> None:
        self._chunks = chunks
        self._storage = storage
        self._grams = grams
        self._terms = terms

    def __len__(self) -> int:
        return len(self._grams)

    def names(self, columns: Integers) -> list[str]:
        """Return the words of some columns."""
        terms = self._terms
        return [
            " ".join([terms[number] for number in gram if number >= 0])
            for gram in self._grams[columns].tolist()
        ]

    def document_frequencies(self) -> Integers:
        """Return in how many documents each column occurs."""
        return self._summed(weighted=False).astype(np.int64)

    def token_frequencies(self) -> Integers:
        """Return how often each column occurs in all."""
        return self._summed(weighted=True).astype(np.int64)

    def _summed(self, weighted: bool) -> npt.NDArray[Any]:
        totals = np.zeros(len(self))
        for chunk in self._chunks:
            columns = slice(None) if chunk.columns is None else chunk.columns
            width = len(self) if chunk.columns is None else len(chunk.columns)
            weights = chunk.data if weighted else None
            totals[columns] += np.bincount(chunk.indices, weights, minlength=width)
        return totals

    def arranged(self, columns: Integers, positions: Integers, width: int) -> Counts:
        """Return a matrix of `width` columns with `columns` at `positions`.

        The tally is used up: each part is let go as soon as it has been copied.
        """
        position_of = np.full(len(self), -1, dtype=np.int32)
        position_of[columns] = positions
        size = int(self.document_frequencies()[columns].sum())
        kind = np.int32 if size < 2**31 else np.int64
        data = self._storage.empty(size, np.float32)
        indices = self._storage.empty(size, kind)
        lengths = []
        end = 0
        self._chunks.reverse()
        while self._chunks:
            chunk = self._chunks.pop()
            entries = chunk.positions(position_of)
            chosen = entries >= 0
            lengths.append(np.diff(_running(chosen)[_running(chunk.lengths)]))
            start, end = end, end + int(np.count_nonzero(chosen))
            parts = (
                chunk.data[chosen].astype(np.float32),
                entries[chosen],
                _running(lengths[-1]),
            )
            rows = sp.csr_array(parts, shape=(len(lengths[-1]), width))
            rows.sort_indices()
            indices[start:end], data[start:end] = rows.indices, rows.data
            self._storage.freed(chunk.indices, chunk.data)
        indptr = _running(np.concatenate([*lengths, np.empty(0, dtype=np.int64)]))
        parts = (data, indices, indptr.astype(indices.dtype))
        counts = sp.csr_array(parts, shape=(len(indptr) - 1, width))
        counts.has_sorted_indices = counts.has_canonical_format = True
        return counts


class Tally:
    """Counts terms as texts come in; only counts and distinct words stay in memory.

    Tokens become integers by one dictionary look-up each; what a word counts as (its stem,
    a number, nothing) is asked once per distinct word.

    Examples
    --------
    >>> from coterie.corpus.text import TextOptions
    >>> tally = Tally(Analyser(TextOptions(language="en", ngrams=2)))
    >>> tally.add("the cat and the other cat")
    >>> tallied = tally.finish()
    >>> both = np.arange(2)
    >>> tallied.names(both), tallied.arranged(both, both, 2).toarray()
    (['cat', 'cat cat'], array([[2., 1.]], dtype=float32))
    """

    def __init__(self, analyser: Analyser, storage: Storage = IN_MEMORY) -> None:
        self._analyser = analyser
        self._storage = storage
        self._tokens = analyser.tokens
        self._longest = analyser.options.ngrams
        self._words: defaultdict[str, int] = defaultdict()
        self._words.default_factory = self._words.__len__
        self._terms: defaultdict[str, int] = defaultdict()
        self._terms.default_factory = self._terms.__len__
        self._term_of_word: Integers = np.empty(0, dtype=np.int32)
        self._documents: list[Integers] = []
        self._buffered = 0
        self._chunks: list[_Chunk] = []

    @property
    def n_words(self) -> int:
        """How many distinct words were met, before any was dropped or merged."""
        return len(self._words)

    def add(self, text: str) -> None:
        """Count a document."""
        tokens = self._tokens(text)
        ids = np.fromiter(map(self._words.__getitem__, tokens), np.int32, len(tokens))
        self._documents.append(ids)
        self._buffered += len(ids)
        if self._buffered >= CHUNK_TOKENS:
            self._flush()

    def finish(self) -> Tallied:
        """Return the counts of all documents."""
        if self._documents:
            self._flush()
        self._words.clear()
        grams: Integers = np.arange(len(self._terms), dtype=np.int32)[:, None]
        if self._longest > 1:
            grams = self._number_grams()
        return Tallied(self._chunks, grams, list(self._terms), self._storage)

    def _number_grams(self) -> Integers:
        local = [chunk.grams for chunk in self._chunks]
        if not local:
            return np.empty((0, self._longest), dtype=np.int32)
        distinct, numbers = _distinct(np.concatenate(local))
        ends = np.cumsum([len(grams) for grams in local])[:-1]
        for chunk, columns in zip(self._chunks, np.split(numbers, ends), strict=True):
            chunk.columns = columns
        return distinct

    def _flush(self) -> None:
        lengths = np.fromiter(map(len, self._documents), np.int64, len(self._documents))
        words = np.concatenate(self._documents)
        self._documents.clear()
        self._buffered = 0
        self._resolve_new_words()
        terms = self._term_of_word[words]
        counted = terms >= 0
        indptr = _running(counted)[_running(lengths)]
        terms = terms[counted]
        if self._longest > 1:
            chunk = _with_grams(terms, indptr, self._longest)
        else:
            chunk = _without_repeats(terms, indptr, len(self._terms))
        chunk.indices = self._storage.kept(chunk.indices)
        chunk.data = self._storage.kept(chunk.data)
        self._chunks.append(chunk)

    def _resolve_new_words(self) -> None:
        n_new = len(self._words) - len(self._term_of_word)
        words = list(islice(reversed(self._words), n_new))[::-1]
        terms = self._analyser.terms(words)
        ids = [-1 if term is None else self._terms[term] for term in terms]
        self._term_of_word = np.append(self._term_of_word, np.array(ids, dtype=np.int32))


def _with_grams(terms: Integers, indptr: Integers, longest: int) -> _Chunk:
    """Count terms and all runs of up to `longest` of them that lie within a document."""
    n_terms = len(terms)
    document = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    grams, documents = [], []
    for length in range(1, longest + 1):
        starts = max(n_terms - length + 1, 0)
        within = document[:starts] == document[n_terms - starts :]
        rows = np.full((int(within.sum()), longest), -1, dtype=np.int32)
        for offset in range(length):
            rows[:, offset] = terms[offset : offset + starts][within]
        grams.append(rows)
        documents.append(document[:starts][within])
    distinct, items = _distinct(np.concatenate(grams))
    owner = np.concatenate(documents)
    order = np.argsort(owner, kind="stable")
    n_items = np.bincount(owner, minlength=len(indptr) - 1)
    chunk = _without_repeats(items[order], _running(n_items), len(distinct))
    chunk.grams = distinct
    return chunk


def _distinct(grams: Integers) -> tuple[Integers, Integers]:
    """Return the distinct rows, and for each row which of them it is.

    Two columns at a time are packed into one number, which is exact for any vocabulary.
    """
    packed = grams[:, 0].astype(np.int64) + 1
    for position, column in enumerate(grams.T[1:]):
        if position:
            packed = np.unique(packed, return_inverse=True)[1]
        packed = (packed << 32) | (column.astype(np.int64) + 1)
    _, first, numbers = np.unique(packed, return_index=True, return_inverse=True)
    return grams[first], numbers


def _without_repeats(items: Integers, indptr: Integers, width: int) -> _Chunk:
    """Count equal items of a row; the product with the identity does it without sorting."""
    ones = np.ones(len(items), dtype=np.float32)
    parts = (ones, items.astype(np.int32, copy=False), indptr.astype(np.int32))
    repeated = sp.csr_array(parts, shape=(len(indptr) - 1, width))
    counts = repeated @ sp.eye_array(width, format="csr", dtype=np.float32)
    smallest = np.min_scalar_type(int(counts.data.max(initial=0)))
    return _Chunk(
        np.diff(counts.indptr), counts.indices.astype(np.int32), counts.data.astype(smallest)
    )


def _running(lengths: npt.NDArray[Any]) -> Integers:
    total = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=total[1:])
    return total
