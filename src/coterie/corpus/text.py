"""How text becomes words: what a word is, and which words are dropped or merged."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from coterie.corpus import languages
from coterie.errors import InputError
from coterie.schema import check_parameters

NUMBER = "#"
"""The one word that numbers become where `digits="one"`."""

STOP_LISTS = ("auto", "short", "long", "none")
DIGITS = ("one", "keep", "drop")
LARGEST_STOP_LIST = 16 << 20  # bytes
SOFT_HYPHEN = "\u00ad"

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
        ISO 639-1 code; None identifies it.
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

    def __post_init__(self) -> None:
        if not isinstance(self.stop_words, str):
            object.__setattr__(self, "stop_words", tuple(self.stop_words))
        if self.language is not None:
            languages.check_language(self.language)
        if self.digits not in DIGITS:
            raise InputError(f"digits: expected one, keep or drop, got {self.digits!r}")
        _check_at_least_one("ngrams", self.ngrams)
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
        if isinstance(stop_words, list):  # as JSON has tuples
            values = values | {"stop_words": tuple(stop_words)}
        check_parameters(cls, values)
        if isinstance(stop_words, str) and stop_words not in STOP_LISTS:
            raise InputError(f"stop_words: {stop_words[:40]!r}, expected words or {STOP_LISTS}")
        return cls(**values)


def _check_at_least_one(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"{name}: expected an integer of at least 1, got {value!r}")


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
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", text)


def _find_words(text: str) -> list[str]:
    return _built_in().findall(_normal(text).replace("_", " ").replace(SOFT_HYPHEN, ""))


@cache
def _built_in() -> re.Pattern[str]:
    codes = [*range(0x300, 0x20000), *range(0xE0100, 0xE01F0)]
    marks = "".join(chr(c) for c in codes if unicodedata.category(chr(c))[0] == "M")
    return re.compile(rf"[\w{marks}]+")


class Analyser:
    """Splits text into words, and says what each distinct word counts as.

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
        self.remarks: list[str] = []
        self.tokens = tokenizer(options.pattern)
        self._shortest = RUNS_OF_WORD_CHARACTERS.get(options.pattern or "", 1)
        self._min_length = max(options.min_length, self._shortest)
        self._stop_words = self._read_stop_words()
        self._stem = languages.stemmer(options.language or "en") if options.stem else None

    def terms(self, words: Sequence[str]) -> list[str | None]:
        """Return what each word counts as: itself, its stem, a number, or None if dropped."""
        terms: list[str | None] = list(self._stem(words) if self._stem else words)
        keep_numbers = self.options.digits == "keep"
        number = NUMBER if self.options.digits == "one" else None
        for position, word in enumerate(words):
            if word.isdigit() and not keep_numbers:
                terms[position] = number if len(word) >= self._shortest else None
            elif len(word) < self._min_length or word in self._stop_words:
                terms[position] = None
        return terms

    def _read_stop_words(self) -> frozenset[str]:
        stop_words = self.options.stop_words
        if not isinstance(stop_words, str):
            words: Iterable[str] = stop_words
        elif stop_words in STOP_LISTS:
            words = self._listed_stop_words(stop_words)
        else:
            words = _words_of_file(stop_words)
        return frozenset(token for word in words for token in self.tokens(word))

    def _listed_stop_words(self, size: str) -> Iterable[str]:
        language = self.options.language or languages.UNDETERMINED
        if size == "none" or language == languages.UNDETERMINED:
            return ()
        if language in languages.UNSPACED:
            self.remarks.append(
                f"language '{language}' puts no spaces between words: what stands between "
                "punctuation marks is counted as one word"
            )
        words = languages.stop_list(language, size)
        if words is None and size != "auto":
            raise InputError(
                f"stop_words: there is no list for language '{language}'; give 'none', "
                "the words, or a file with a word a line"
            )
        if words is None:
            self.remarks.append(f"no stop words: there is no list for language '{language}'")
        return words or ()


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
