"""Synthetic documents of known clusters, as many as wanted, in blocks of bounded memory.

Words are as frequent as in natural language (Zipf and Mandelbrot). A share of the words of a
document comes from the whole collection, the others from its cluster, in which every word is
more or less frequent than elsewhere by a factor drawn once. A block of documents depends on the
seed and its number alone, so that a collection of twice the size begins with the smaller one.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coterie.corpus.storing import IN_MEMORY, Storage
from coterie.types import Array, Counts, Labels

BLOCK = 10_000  # documents
SHIFT = 2.7  # of Mandelbrot: the first words are not as frequent as Zipf has them
SPREAD = 1.5  # standard deviation of the logarithm of the factor of a word in a cluster
OF_CLUSTER = 0.4  # share of a document's words that come from its cluster
LEAST_LENGTH = 5
CONSONANTS, VOWELS = "bdfghklmnprstvwz", "aeiou"
TABLE = 1 << 20  # steps in which words are drawn


class Block(NamedTuple):
    """Some documents: their counts and their clusters."""

    counts: Counts
    labels: Labels


@dataclass(frozen=True)
class Synthetic:
    """A collection of synthetic documents.

    Parameters
    ----------
    n_documents : int
    n_clusters : int, default=20
    n_words : int, default=30_000
        Size of the vocabulary.
    length : float, default=60
        Mean number of words of a document.
    seed : int, default=0

    Examples
    --------
    >>> collection = Synthetic(25, n_clusters=2, n_words=200, length=12)
    >>> block = next(collection.blocks())
    >>> block.counts.shape, sorted(set(block.labels.tolist()))
    ((25, 200), [0, 1])
    >>> bool(10 < block.counts.sum() / 25 < 14)
    True
    """

    n_documents: int
    n_clusters: int = 20
    n_words: int = 30_000
    length: float = 60
    seed: int = 0

    @cached_property
    def words(self) -> list[str]:
        """The words, the most frequent first: syllables that spell their number."""
        syllables = [a + b for a in CONSONANTS for b in VOWELS]
        n = len(syllables)

        def spelt(number: int) -> str:
            parts = [syllables[number % n]]
            while number >= n:
                number = number // n - 1
                parts.append(syllables[number % n])
            return "".join(parts)

        return [spelt(number + n) for number in range(self.n_words)]  # two syllables at least

    def blocks(self) -> Iterator[Block]:
        """The documents as counts, a block at a time."""
        for labels, lengths, tokens in self._drawn():
            ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
            ones = np.ones(len(tokens), dtype=np.float32)
            shape = len(labels), self.n_words
            counts = Counts((ones, tokens, ends), shape=shape)
            counts.sum_duplicates()
            yield Block(counts, labels)

    def counts(self, storage: Storage = IN_MEMORY) -> Block:
        """All documents as counts, on disk where the storage has no memory for them."""
        n_tokens = self.n_documents * self.length
        most = int(n_tokens + 10 * np.sqrt(n_tokens) + LEAST_LENGTH * self.n_documents)
        data, indices = storage.empty(most, np.float32), storage.empty(most, np.int32)
        lengths, labels, end = [np.zeros(1, dtype=np.int64)], [], 0
        for block in self.blocks():
            start, end = end, end + block.counts.nnz
            data[start:end], indices[start:end] = block.counts.data, block.counts.indices
            lengths.append(np.diff(block.counts.indptr))
            labels.append(block.labels)
        counts = Counts((self.n_documents, self.n_words), dtype=np.float32)
        counts.data, counts.indices = data[:end], indices[:end]
        counts.indptr = np.cumsum(np.concatenate(lengths)).astype(np.int32)
        return Block(counts, np.concatenate(labels))

    def write_jsonl(self, path: str | os.PathLike[str]) -> None:
        """Write the documents as JSON lines: "id", "text", and the cluster as "label"."""
        words = np.array(self.words, dtype=object)
        number = 0
        with Path(path).open("w", encoding="ascii") as file:
            for labels, lengths, tokens in self._drawn():
                ends = np.cumsum(lengths)
                spelt = words[tokens]
                for label, start, end in zip(labels, ends - lengths, ends, strict=True):
                    text = " ".join(spelt[start:end])
                    row = {"id": f"d{number}", "text": text, "label": f"c{label}"}
                    file.write(json.dumps(row) + "\n")
                    number += 1

    def _drawn(self) -> Iterator[tuple[Labels, Labels, Labels]]:
        """Clusters and lengths of documents, and their words one after the other."""
        for number, first in enumerate(range(0, self.n_documents, BLOCK)):
            n = min(BLOCK, self.n_documents - first)
            rng = np.random.default_rng([self.seed, number])
            labels = rng.choice(self.n_clusters, BLOCK, p=self._shares)[:n]
            lengths = np.maximum(rng.poisson(self.length, BLOCK), LEAST_LENGTH)[:n]
            owners = np.repeat(labels, lengths)
            general = rng.random(len(owners)) >= OF_CLUSTER
            owners[general] = self.n_clusters
            steps = rng.integers(TABLE, size=len(owners))
            yield labels, lengths, self._table[owners, steps]

    @cached_property
    def _shares(self) -> Array:
        """Shares of the clusters: the largest is about four times the smallest."""
        shares = np.linspace(2.0, 0.5, self.n_clusters)
        of_all: Array = shares / shares.sum()
        return of_all

    @cached_property
    def _table(self) -> Labels:
        """For each cluster, then for all of them, the word of each step."""
        rng = np.random.default_rng([self.seed, 1 << 40])
        general = 1 / (np.arange(self.n_words) + SHIFT)
        factors = np.exp(SPREAD * rng.standard_normal((self.n_clusters, self.n_words)))
        rows = np.vstack([general * factors, general])
        ends = np.cumsum(rows, axis=1)
        steps = (np.arange(TABLE) + 0.5) / TABLE
        words: Labels = np.stack(
            [np.searchsorted(row / row[-1], steps).astype(np.int32) for row in ends]
        )
        return words
