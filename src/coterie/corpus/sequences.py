"""The words of documents in their order."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coterie.corpus.counting import Integers
from coterie.corpus.text import Analyser
from coterie.corpus.vocabulary import Vocabulary
from coterie.types import Strings

if TYPE_CHECKING:
    from coterie.corpus.corpus import Corpus

DROPPED, RARE = -2, -1


class Sequences(NamedTuple):
    """Words of all documents, one after the other, as columns of `words`.

    Document *d* has `columns[ends[d - 1] : ends[d]]`; -1 stands for a word that is none of
    `words`.
    """

    words: Strings
    columns: Integers
    ends: Integers


def sequences_of_tokens(documents: Iterable[Iterable[str]]) -> Sequences:
    """The words of documents that are lists of words already.

    Examples
    --------
    >>> sequences_of_tokens([["hot", "tea"], ["tea", "time"]]).columns
    array([0, 1, 1, 2], dtype=int32)
    """
    listed = [list(each) for each in documents]
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    lengths = [len(each) for each in listed]
    every = chain.from_iterable(listed)
    columns = np.fromiter(map(numbers.__getitem__, every), np.int32, sum(lengths))
    return Sequences(np.array(list(numbers), object), columns, np.cumsum(lengths, dtype=int))


def sequences_of_texts(texts: Iterable[str], vocabulary: Vocabulary) -> Sequences:
    """The words of texts that a vocabulary counts: stop words are left out, rare words are -1.

    Examples
    --------
    >>> from coterie.corpus import Corpus, TextOptions
    >>> options = TextOptions(language="en", min_df=2)
    >>> texts = ["The cat and the dog sat.", "A dog sat on a mat."]
    >>> corpus = Corpus.from_texts(texts, options=options)
    >>> corpus.words, sequences_of_texts(texts, corpus.vocabulary).columns
    (array(['dog', 'sat'], dtype=object), array([-1,  0,  1,  0,  1, -1], dtype=int32))
    """
    analyser = Analyser(vocabulary.options)
    split = sequences_of_tokens(map(analyser.tokens, texts))
    position = vocabulary.positions()
    terms = analyser.terms(split.words.tolist())
    column_of = np.array(
        [DROPPED if term is None else position.get(term, RARE) for term in terms], np.int32
    )
    columns = column_of[split.columns] if len(terms) else split.columns
    counted = columns != DROPPED
    ends = np.concatenate([[0], np.cumsum(counted)])[split.ends]
    return Sequences(vocabulary.words, columns[counted], ends)


def sequences_of(corpus: "Corpus") -> Sequences | None:
    """The words of a corpus in order; None where its counts do not come from words in order.

    That is a corpus made from counts, of several views, or with sequences of words counted.
    """
    ordered = len(corpus.views) == 1 and corpus.vocabulary.options.ngrams == 1
    if not ordered or not corpus.has_texts:
        return None
    return sequences_of_texts(corpus.texts(slice(None)), corpus.vocabulary)
