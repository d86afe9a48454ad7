"""How text becomes words: what a word is, and which words are dropped or merged."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from coterie.corpus import languages, scripts
from coterie.errors import InputError
from coterie.schema import check_parameters

NUMBER = "#"
"""The one word that numbers become where `digits="one"`."""

STOP_LISTS = ("auto", "short", "long", "none")
DIGITS = ("one", "keep", "drop")
LARGEST_STOP_LIST = 16 << 20  # bytes
MOST_NGRAMS = 100  # words in a run; each word of a text takes memory for so many
SOFT_HYPHEN = "\u00ad"
MANY_MARKS = 100  # on one letter
MARK = "\x1f"  # between a language and a word of it

RUNS_OF_WORD_CHARACTERS = {
    flag + pattern: least
    for flag in ("", "(?u)")
    for pattern, least in ((r"\w+", 1), (r"\b\w+\b", 1), (r"\w\w+", 2), (r"\b\w\w+\b", 2))
}
"""Patterns whose matches, in ASCII text, are what separators leave between them."""


@dataclass(frozen=True)
class TextOptions:
    """How text becomes words.

    Parameters
    ----------
    language : str, optional
        ISO 639-1 code; None identifies that of each document.
    stop_words : str or tuple of str, default="auto"
        "auto" (a short list for English, the usual one of any other language that has one),
        "short", "long", "none", the path of a file with a word a line, or the words.
    stem : bool, default=False
        Cut words to their stems, by the Snowball rules of the language.
    digits : {"one", "keep", "drop"}, default="one"
        Words made of digits only become one word, stay, or go.
    min_df, max_df : int or float
        Least and greatest number (int) or share (float) of documents a word may be in.
        `min_df=None` is 3, but 2 below 200 documents and 1 below 20.
    max_words : int, optional
        Keep only this many words, the most frequent.
    ngrams : int, default=1
        2 also counts pairs of adjacent words, joined by a space; 3 also runs of three; ...
    min_length : int, default=2
        Shorter words are dropped.
    pattern : str, optional
        Regular expression of a word, instead of letters, digits and combining marks.
    among : tuple of str
        Languages that were identified, the most frequent first; the language of each document
        is identified then. Empty where `language` is that of all documents.

    Examples
    --------
    >>> TextOptions(language="fr", stem=True).digits
    'one'
    >>> TextOptions(digits="two")
    Traceback (most recent call last):
    coterie.errors.InputError: digits: expected one, keep or drop, got 'two'
    """

    language: str | None = None
    stop_words: str | tuple[str, ...] = "auto"
    stem: bool = False
    digits: str = "one"
    min_df: int | float | None = None
    max_df: int | float = 1.0
    max_words: int | None = None
    ngrams: int = 1
    min_length: int = 2
    pattern: str | None = None
    among: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.stop_words, str):
            object.__setattr__(self, "stop_words", tuple(self.stop_words))
        object.__setattr__(self, "among", tuple(self.among))
        for code in self.among:
            languages.check_language(code)
        if self.language is not None:
            languages.check_language(self.language)
        if self.digits not in DIGITS:
            raise InputError(f"digits: expected one, keep or drop, got {self.digits!r}")
        _check_at_least_one("ngrams", self.ngrams, MOST_NGRAMS)
        _check_at_least_one("min_length", self.min_length)
        if self.max_words is not None:
            _check_at_least_one("max_words", self.max_words)
        if self.min_df is not None:
            _check_frequency("min_df", self.min_df)
        _check_frequency("max_df", self.max_df)
        if self.pattern is not None:
            _compiled(self.pattern)

    def to_values(self) -> dict[str, Any]:
        """Return the options as plain values."""
        return asdict(self)

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> "TextOptions":
        """Return the options that `to_values` wrote; no file of stop words is among them."""
        stop_words = values.get("stop_words")
        for name in ("stop_words", "among"):
            if isinstance(values.get(name), list):  # as JSON has tuples
                values = values | {name: tuple(values[name])}
        check_parameters(cls, values)
        if isinstance(stop_words, str) and stop_words not in STOP_LISTS:
            raise InputError(f"stop_words: {stop_words[:40]!r}, expected words or {STOP_LISTS}")
        return cls(**values)


def _check_at_least_one(name: str, value: object, most: float = math.inf) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"{name}: expected an integer of at least 1, got {value!r}")
    if value > most:
        raise InputError(f"{name}: {value}, expected at most {most}")


def _check_frequency(name: str, value: object) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if not whole and not (isinstance(value, float) and 0 <= value <= 1):
        raise InputError(
            f"{name}: expected a number of documents (an integer of at least 1) or a share "
            f"of them (a float from 0.0 to 1.0), got {value!r}"
        )


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(
            f"pattern: {pattern!r} is not a regular expression ({error})"
        ) from error
    if compiled.groups > 1:
        raise InputError(f"pattern: expected at most one group, {pattern!r} has several")
    return compiled


DEFAULT_OPTIONS = TextOptions()


@cache
def tokenizer(pattern: str | None = None) -> Callable[[str], list[str]]:
    """Return the function that splits text into lower case words.

    Of a pattern in `RUNS_OF_WORD_CHARACTERS` words too short for it are also returned: whoever
    asks what distinct words count as drops them at less cost.

    Examples
    --------
    >>> tokenizer()("Don't split हिन्दी, nor naïve_words!")
    ['don', 't', 'split', 'हिन्दी', 'nor', 'naïve', 'words']
    """
    if pattern is None:
        return _quick_on_ascii("", _find_words)
    find_all = _compiled(pattern).findall

    def find(text: str) -> list[str]:
        return find_all(_normal(text))

    return _quick_on_ascii("_", find) if pattern in RUNS_OF_WORD_CHARACTERS else find


def _quick_on_ascii(also: str, find: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    letters = {ord(sign): ord(sign.lower()) for sign in map(chr, range(128)) if sign.isalnum()}
    letters |= {ord(sign): ord(sign) for sign in also}
    table = bytes(letters.get(code, ord(" ")) for code in range(256))

    def tokens(text: str) -> list[str]:
        if text.isascii():
            return text.encode("ascii").translate(table).decode("ascii").split()
        return find(text)

    return tokens


def _normal(text: str) -> str:
    text = text.lower()
    if text.isascii():
        return text
    text = without_many_marks(text)
    return (
        text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)
    )


def without_many_marks(text: str) -> str:
    """A text without long runs of marks, as to order a run takes the square of its length.

    Signs are looked at here and there, where three of every long run are.
    """
    samples = (text[MANY_MARKS * third // 3 :: MANY_MARKS] for third in range(3))
    if any(all(map(_is_mark, signs)) for signs in zip(*samples, strict=False)):
        return _many_marks().sub("", text)
    return text


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign)[0] == "M"


def _find_words(text: str) -> list[str]:
    found = _built_in().findall(_normal(text).replace("_", " ").replace(SOFT_HYPHEN, ""))
    if scripts.UNSPACED.search(text) is None:
        return found
    return [part for word in found for part in scripts.split(word)]


@cache
def _built_in() -> re.Pattern[str]:
    return re.compile(rf"[\w{_marks()}]+")


@cache
def _many_marks() -> re.Pattern[str]:
    return re.compile(f"[{_marks()}]{{{MANY_MARKS},}}+")


@cache
def _marks() -> str:
    codes = [*range(0x300, 0x20000), *range(0xE0100, 0xE01F0)]
    return "".join(filter(_is_mark, map(chr, codes)))


class _Dictionary:
    """What the words of one language count as: themselves, stems, a number, or nothing."""

    def __init__(self, options: TextOptions, language: str, *, required: bool) -> None:
        self._options = options
        self._language = language
        self.remarks: list[str] = []
        self._split = tokenizer(options.pattern)
        self._shortest = RUNS_OF_WORD_CHARACTERS.get(options.pattern or "", 1)
        self._min_length = max(options.min_length, self._shortest)
        self._stop_words = self._read_stop_words(required)
        self._stem = languages.stemmer(language) if options.stem and required else None
        if options.stem and not required:
            self._stem = languages.stemmer_or_none(language)
        listed = isinstance(options.stop_words, str) and options.stop_words != "none"
        self._drops_hiragana = listed and language == "ja"

    def terms(self, words: Sequence[str]) -> list[str | None]:
        terms: list[str | None] = list(self._stem(words) if self._stem else words)
        keep_numbers = self._options.digits == "keep"
        number = NUMBER if self._options.digits == "one" else None
        for position, word in enumerate(words):
            if word.isdigit() and not keep_numbers:
                terms[position] = number if len(word) >= self._shortest else None
            elif len(word) < self._min_length or self._is_stop_word(word):
                terms[position] = None
        return terms

    def _is_stop_word(self, word: str) -> bool:
        if word in self._stop_words:
            return True
        return self._drops_hiragana and scripts.ONLY_HIRAGANA.fullmatch(word) is not None

    def _read_stop_words(self, required: bool) -> frozenset[str]:
        stop_words = self._options.stop_words
        if not isinstance(stop_words, str):
            words: Iterable[str] = stop_words
        elif stop_words in STOP_LISTS:
            words = self._listed_stop_words(stop_words, required)
        else:
            words = _words_of_file(stop_words)
        return frozenset(token for word in words for token in self._split(word))

    def _listed_stop_words(self, size: str, required: bool) -> Iterable[str]:
        language = self._language
        if size == "none" or language == languages.UNDETERMINED:
            return ()
        if language in languages.UNSPACED:
            self.remarks.append(
                f"language '{language}' puts no spaces between words: pairs of characters "
                "are counted, and pairs that always come together are one word"
            )
        words = languages.stop_list(language, size)
        if words is None and size != "auto" and required:
            raise InputError(
                f"stop_words: there is no list for language '{language}'; give 'none', "
                "the words, or a file with a word a line"
            )
        if words is None:
            self.remarks.append(f"no stop words: there is no list for language '{language}'")
        return words or ()


class Analyser:
    """Splits text into words, and says what each distinct word counts as.

    Words of a document in another language than the main one are marked with it, so that its
    own stop words and stems are used.

    Examples
    --------
    >>> analyser = Analyser(TextOptions(language="en", stem=True))
    >>> analyser.tokens("The 2 cats of 1984")
    ['the', '2', 'cats', 'of', '1984']
    >>> analyser.terms(["the", "2", "cats", "of", "1984"])
    [None, '#', 'cat', None, '#']
    """

    def __init__(self, options: TextOptions) -> None:
        self.options = options
        self.language = options.language or languages.UNDETERMINED
        """The language of the text that was split last."""
        self._main = self.language
        self._split = tokenizer(options.pattern)
        self._dictionaries = {self._main: _Dictionary(options, self._main, required=True)}
        self.remarks = self._dictionaries[self._main].remarks
        self._identifier = languages.Identifier(options.among) if options.among else None
        self.tokens = self._split if self._identifier is None else self._tokens_by_language

    def _tokens_by_language(self, text: str) -> list[str]:
        assert self._identifier is not None
        words = self._split(text)
        self.language = code = self._identifier.language_of(text, words)
        return words if code == self._main else [code + MARK + word for word in words]

    def terms(self, words: Sequence[str]) -> list[str | None]:
        """Return what each word counts as: itself, its stem, a number, or None if dropped."""
        if self._identifier is None:
            return self._dictionaries[self._main].terms(words)
        positions: dict[str, list[int]] = {}
        for position, word in enumerate(words):
            code, mark, _ = word.partition(MARK)
            positions.setdefault(code if mark else self._main, []).append(position)
        terms: list[str | None] = [None] * len(words)
        for code, there in positions.items():
            if code not in self._dictionaries:
                dictionary = _Dictionary(self.options, code, required=False)
                self._dictionaries[code] = dictionary
            own = [words[position].rpartition(MARK)[2] for position in there]
            for position, term in zip(there, self._dictionaries[code].terms(own), strict=True):
                terms[position] = term
        return terms


def _words_of_file(path: str) -> list[str]:
    try:
        if not Path(path).is_file() or Path(path).stat().st_size > LARGEST_STOP_LIST:
            raise OSError("not a regular file, or a large one")
        return Path(path).read_text(encoding="utf-8-sig").split()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InputError(
            f"stop_words: expected auto, short, long, none, or a readable file of words "
            f"of at most {LARGEST_STOP_LIST >> 20} MB, got {path!r}"
        ) from error


def resolved(options: TextOptions, language: str, n_documents: int) -> TextOptions:
    """Fill in what was left open, so that new texts are counted the same way."""
    stop_words = options.stop_words
    if isinstance(stop_words, str) and stop_words not in STOP_LISTS:
        stop_words = tuple(_words_of_file(stop_words))
    min_df = options.min_df
    if min_df is None:
        min_df = 1 if n_documents < 20 else 2 if n_documents < 200 else 3
    return replace(options, language=language, stop_words=stop_words, min_df=min_df)
