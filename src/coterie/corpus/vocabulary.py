"""The words of a corpus, and how to count them in new texts."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from coterie.corpus import languages
from coterie.corpus.counting import Integers, Tally
from coterie.corpus.scripts import UNSPACED, Neighbours
from coterie.corpus.storing import IN_MEMORY, Storage
from coterie.corpus.text import DEFAULT_OPTIONS, Analyser, TextOptions, resolved, tokenizer
from coterie.errors import InputError
from coterie.schema import Field, Is, Items, Record, Values
from coterie.types import Counts, Strings

BUFFERED_DOCUMENTS = 300
AS_THEY_STAND = TextOptions(
    language=languages.UNDETERMINED, stop_words="none", digits="keep", min_df=1, min_length=1
)
"""Options that count the words of a matrix made elsewhere: whole words, none left out."""
VALUES: dict[str, Field] = {
    "words": Items(Is(str)),
    "options": Values(Field()),
    "remarks": Items(Is(str)),
    "joined": Values(Is(str), optional=True),  # not in folders saved before there were any
}


class Vocabulary:
    """Words, and the options that find them in text.

    Learned words are in alphabetical order; those of a matrix stay in the order of its columns.

    Attributes
    ----------
    words : ndarray of str objects
    options : TextOptions
        As used: language, stop words of a file and `min_df` are filled in.
    remarks : tuple of str
        What was guessed or could not be had, in sentences.
    joined : dict
        Words of scripts without spaces, longer than a pair of characters, and the pair that is
        counted for each.

    Examples
    --------
    >>> texts = ["A cat sat.", "The cat and the dog sat in 1999."]
    >>> vocabulary, counts = Vocabulary.learn(texts, TextOptions(language="en"))
    >>> vocabulary.words
    array(['#', 'cat', 'dog', 'sat'], dtype=object)
    >>> vocabulary.count(["Dog, dog and cat; bird."]).toarray()
    array([[0., 1., 2., 0.]], dtype=float32)
    """

    def __init__(
        self,
        words: Iterable[str],
        options: TextOptions,
        remarks: Iterable[str] = (),
        joined: Mapping[str, str] | None = None,
    ) -> None:
        self.words: Strings = np.array(list(words), dtype=object)
        self.options = options
        self.remarks = tuple(remarks)
        self.joined = dict(joined or {})

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words, language={self.options.language!r})"

    @classmethod
    def learn(
        cls, texts: Iterable[str], options: TextOptions = DEFAULT_OPTIONS
    ) -> tuple["Vocabulary", Counts]:
        """Find the words of texts and count them, in one pass."""
        if isinstance(texts, str):
            raise InputError("texts: expected several texts, got one string")
        return Learner(options).learn(texts)

    def count(self, texts: Iterable[str]) -> Counts:
        """Count the words of this vocabulary, and no others, in texts."""
        recounter = Recounter(self)
        for text in texts:
            recounter.add(text)
        return recounter.finish()[1]

    def positions(self) -> dict[str, int]:
        """The column of each token that is counted; of joined pairs one is."""
        return {self.joined.get(word, word): at for at, word in enumerate(self.words)}

    def select(self, columns: Integers) -> "Vocabulary":
        """Return the vocabulary of some columns."""
        words = self.words[columns]
        joined = {word: self.joined[word] for word in words if word in self.joined}
        return Vocabulary(words, self.options, self.remarks, joined)

    def to_values(self) -> dict[str, Any]:
        """Return the vocabulary as plain values."""
        return {
            "words": self.words.tolist(),
            "options": self.options.to_values(),
            "remarks": list(self.remarks),
            "joined": self.joined,
        }

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> "Vocabulary":
        """Return the vocabulary that `to_values` wrote."""
        Record(VALUES).check("vocabulary", values, {})
        if len(set(values["words"])) < len(values["words"]):
            raise InputError("vocabulary: the same word twice")
        options = TextOptions.from_values(values["options"])
        joined = values.get("joined", {})
        if not joined.keys() <= set(values["words"]):
            raise InputError("vocabulary: characters joined to a word that is none of it")
        return cls(values["words"], options, values["remarks"], joined)


class Recounter:
    """Counts the words of a known vocabulary in texts that come one by one."""

    def __init__(self, vocabulary: Vocabulary, storage: Storage = IN_MEMORY) -> None:
        _refuse_columns_that_are_no_words(vocabulary)
        self._vocabulary = vocabulary
        self._tally = Tally(Analyser(vocabulary.options), storage)

    def add(self, text: str) -> None:
        """Count a text."""
        self._tally.add(text)

    def finish(self) -> tuple[Vocabulary, Counts]:
        """Return the vocabulary as it was, and the counts of its words."""
        tallied = self._tally.finish()
        position = self._vocabulary.positions()
        names = tallied.names(np.arange(len(tallied)))
        positions = np.array([position.get(name, -1) for name in names], dtype=np.int64)
        columns = np.flatnonzero(positions >= 0)
        counts = tallied.arranged(columns, positions[columns], len(self._vocabulary))
        return self._vocabulary, counts


def _refuse_columns_that_are_no_words(vocabulary: Vocabulary) -> None:
    """Refuse words of a matrix made elsewhere that are not single words in lower case."""
    if vocabulary.options != AS_THEY_STAND:
        return
    tokens = Analyser(AS_THEY_STAND).tokens
    for column, word in enumerate(vocabulary.words):
        if tokens(word) != [word]:
            raise InputError(
                f"texts cannot be counted: {word[:40]!r} (column {column}), a word of the "
                "matrix the corpus was made from, is not one word in lower case; count texts "
                "with what made the matrix"
            )


class Observed:
    """What is learned of documents besides their words: languages, characters side by side."""

    def __init__(self, options: TextOptions) -> None:
        self.languages: list[str] = []
        self.neighbours = Neighbours()
        self._finds_pairs = options.pattern is None and options.ngrams == 1

    def add(self, text: str, language: str) -> None:
        """Take a document, whose language was identified."""
        self.languages.append(sys.intern(language))
        if self._finds_pairs and UNSPACED.search(text) is not None:
            self.neighbours.add(tokenizer()(text))

    def merge(self, other: "Observed") -> None:
        """Take what was observed of the documents that follow."""
        self.languages.extend(other.languages)
        self.neighbours.merge(other.neighbours)


class Learner:
    """Learns a vocabulary from texts that come one by one.

    While the language is unknown the first texts wait; it is then identified from them.

    Examples
    --------
    >>> learner = Learner(TextOptions(language="en"))
    >>> learner.add("one fish two fish")
    >>> vocabulary, counts = learner.finish()
    >>> dict(zip(vocabulary.words, counts.toarray()[0].tolist()))
    {'fish': 2.0, 'two': 1.0}
    """

    def __init__(self, options: TextOptions, storage: Storage = IN_MEMORY) -> None:
        self._options = options
        self._storage = storage
        self._remarks: list[str] = []
        self._waiting: list[str] = []
        self._tally: Tally | None = None
        self._n_documents = 0
        self._guess: languages.Guess | None = None
        self._observed = Observed(options)
        if options.language is not None:
            self.start([])

    def learn(self, texts: Iterable[str]) -> tuple[Vocabulary, Counts]:
        """Return the vocabulary of texts and their counts."""
        if isinstance(texts, Sequence) and len(texts):
            self.start(texts)
        for text in texts:
            self.add(text)
        return self.finish()

    def start(self, sample: Sequence[str]) -> None:
        """Settle the language, from a sample of texts where the options name none."""
        if self._tally is not None:
            return
        options = self._options
        if options.language is None:
            guess = languages.identify(sample)
            main = self._usable(guess.language)
            others = [code for code in guess.often() if languages.is_known(code)]
            among = dict.fromkeys([main, *others])
            options = self._options = replace(options, language=main, among=tuple(among))
            self._guess = guess
        self._analyser = analyser = Analyser(options)
        self._tally = Tally(analyser, self._storage)
        for text in self._waiting:
            self._count(text)
        self._waiting.clear()

    def _usable(self, language: str) -> str:
        if languages.is_known(language):
            return language
        self._remarks.append(f"no stop words: there is no list for language '{language}'")
        return languages.UNDETERMINED

    def add(self, text: str) -> None:
        """Count a text."""
        self._n_documents += 1
        if self._tally is not None:
            self._count(text)
            return
        self._waiting.append(text)
        if len(self._waiting) == BUFFERED_DOCUMENTS:
            self.start(self._waiting)

    def _count(self, text: str) -> None:
        assert self._tally is not None
        self._tally.add(text)
        self._observed.add(text, self._analyser.language)

    def merge(self, observed: "Observed") -> None:
        """Take what was observed of documents that were counted elsewhere, in their order."""
        self._observed.merge(observed)

    def languages_of_documents(self) -> list[str] | None:
        """The language of each document, where they are in several that are not rare."""
        codes = self._observed.languages
        several = self._guess is not None and len(languages.frequent(Counter(codes))) > 1
        return codes if several else None

    def _remarks_on_languages(self) -> list[str]:
        if self._guess is None:
            return self._analyser.remarks
        codes = Counter(self._observed.languages)
        votes = dict(codes.most_common()) if self._guess.votes else {}
        guess = languages.Guess(self._options.language or languages.UNDETERMINED, votes)
        return [guess.remark(), *self._analyser.remarks]

    def finish(self) -> tuple[Vocabulary, Counts]:
        """Return the words that are in enough documents, and their counts."""
        if not self._n_documents:
            raise InputError("texts: none; expected at least one document")
        self.start(self._waiting)
        assert self._tally is not None
        n_words = self._tally.n_words
        tallied = self._tally.finish()
        columns, vocabulary = self.chosen(tallied, self._n_documents, n_words)
        return vocabulary, tallied.arranged(columns, np.arange(len(columns)), len(columns))

    @property
    def settled(self) -> TextOptions | None:
        """The options with the language in them, once that is known."""
        return None if self._tally is None else self._options

    def chosen(
        self, tallied: "Frequencies", n_documents: int, n_words: int
    ) -> tuple[Integers, Vocabulary]:
        """Columns of the words that are in enough documents, in alphabetical order."""
        language = self._options.language or languages.UNDETERMINED
        options = resolved(self._options, language, n_documents)
        columns = _chosen(tallied, options, n_documents)
        if not len(columns):
            raise InputError(
                f"no word is left: {n_documents} documents, {n_words} distinct words "
                "before stop words are left out, "
                f"min_df={options.min_df}, max_df={options.max_df}"
            )
        names = tallied.names(columns)
        order = _alphabetical(names)
        tokens = [names[at] for at in order]
        words, staying = self._observed.neighbours.joined(tokens)
        joined = {
            word: tokens[at]
            for word, at in zip(words, staying, strict=True)
            if word != tokens[at]
        }
        remarks = [*self._remarks, *self._remarks_on_languages()]
        return columns[order][staying], Vocabulary(words, options, remarks, joined)


class Frequencies(Protocol):
    """How often terms occur, by column: what words are chosen by."""

    def names(self, columns: Integers) -> list[str]:
        """Return the words of some columns."""

    def document_frequencies(self) -> Integers:
        """Return in how many documents each column occurs."""

    def token_frequencies(self) -> Integers:
        """Return how often each column occurs in all."""


def _chosen(tallied: Frequencies, options: TextOptions, n_documents: int) -> Integers:
    documents = tallied.document_frequencies()
    least = _as_documents(options.min_df or 1, n_documents)
    most = _as_documents(options.max_df, n_documents)
    if most < least:
        raise InputError(
            f"max_df={options.max_df} is fewer documents than min_df={options.min_df}"
        )
    columns = np.flatnonzero((documents >= max(least, 1)) & (documents <= most))
    if options.max_words is None or len(columns) <= options.max_words:
        return columns
    columns = columns[_alphabetical(tallied.names(columns))]
    order = np.argsort(-tallied.token_frequencies()[columns], kind="stable")
    return np.asarray(columns[order[: options.max_words]])


def _alphabetical(names: list[str]) -> list[int]:
    return sorted(range(len(names)), key=names.__getitem__)


def _as_documents(frequency: int | float, n_documents: int) -> int | float:
    return frequency if isinstance(frequency, int) else frequency * n_documents
