"""Texts in the page as far as there is room, and the words of what was cut off.

A search looks through the texts that are shown, and for the rest of a text in a list of its
words, so that it finds what a whole text holds.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from coterie.corpus import Vocabulary
from coterie.corpus.vocabulary import AS_THEY_STAND
from coterie.findings.texts import CONTROLS, encodable
from coterie.report.packing import postings, zipped
from coterie.report.wording import counted, thousands

LENGTHS = (
    100_000,
    30_000,
    10_000,
    5_000,
    3_000,
    2_000,
    1_500,
    1_200,
    900,
    700,
    500,
    300,
    150,
    0,
)
SEARCHED = 200_000  # characters of a text whose words are searched
GROWTH = 0.6  # exponent by which the number of distinct words grows with that of texts
N_TRIED = 1000  # texts compressed to estimate how much room all need
BYTES_OF_POSTING = 1.1  # compressed
DROPPED = {code: None for code in CONTROLS if code not in (9, 10)} | {0xFEFF: None}


class PackedTexts(NamedTuple):
    """Parts of a payload, which texts are whole, and sentences on what was left out."""

    parts: dict[str, bytes]
    whole: list[int]
    notes: list[str]


def pack_texts(texts: Sequence[str], room: int) -> PackedTexts:
    """Shorten texts so that, with the words of the rest, they need so many bytes compressed.

    Examples
    --------
    >>> packed = pack_texts(["green tea", "dark rum"], 1000)
    >>> packed.parts["texts"], packed.whole
    (b'green tea\\x00dark rum\\x00', [1, 1])
    """
    clean = [encodable(text).replace("\r\n", "\n").translate(DROPPED).strip() for text in texts]
    length = _length(clean, room)
    cut = [_cut(text, length) for text in clean]
    whole = [int(len(short) == len(text)) for short, text in zip(cut, clean, strict=True)]
    parts = {"texts": "".join(f"{text}\0" for text in cut).encode()}
    notes: list[str] = []
    if not all(whole):
        rests = [text[len(short) : SEARCHED] for short, text in zip(cut, clean, strict=True)]
        left = max(0, room - len(zipped(parts["texts"])))
        words, most = _rest_words(rests, left)
        parts |= words
        notes.append(_note(length, sum(whole), most))
    return PackedTexts(parts, whole, notes)


def _note(length: int, n_whole: int, most: int | None) -> str:
    shown = (
        f"{'Texts' if n_whole else 'The texts'} are shown up to {thousands(length)} characters"
    )
    searched = "the search finds the words of all of a text"
    if most is not None:
        searched = (
            "in the rest of a text the search finds words that are in at most "
            f"{counted(most, 'document')}"
        )
    return f"{shown}; {searched if most != 0 else 'the rest of a text is not searched'}."


def _length(texts: Sequence[str], room: int) -> int:
    """The longest length at which texts and the words of the rest have room, estimated."""
    tried = texts[:: max(1, len(texts) // N_TRIED)]
    longest = max((len(text) for text in texts), default=0)
    for length in (max(longest, 1), *LENGTHS):
        if _needed(tried, length, len(texts) / max(len(tried), 1)) <= room:
            return length
    return 0


def _needed(tried: Sequence[str], length: int, times: float) -> float:
    """Bytes that so many times some texts need, cut to a length, with words of the rest."""
    sample = "\0".join(text[:length] for text in tried).encode()
    rests = [set(text[length:SEARCHED].lower().split()) for text in tried]
    n_words = len(set().union(*rests)) * times**GROWTH
    n_postings = times * sum(map(len, rests))
    return float(len(zipped(sample)) * times + BYTES_OF_POSTING * n_postings + 4 * n_words)


def _cut(text: str, length: int) -> str:
    """The beginning of a text, up to the end of a word."""
    if len(text) <= length:
        return text
    end = length
    while end > 0 and text[end].isalnum() and text[end - 1].isalnum():
        end -= 1
    return text[: end or length]


def _rest_words(rests: Sequence[str], room: int) -> tuple[dict[str, bytes], int | None]:
    """The words of texts and the documents of each; the most frequent go where too many."""
    vocabulary, counts = Vocabulary.learn(rests, AS_THEY_STAND)
    columns, words = sp.csc_array(counts), vocabulary.words
    frequencies = np.diff(columns.indptr)
    most = max(0, room - len(zipped(_lines(words)))) / BYTES_OF_POSTING
    limit = None
    if columns.nnz > most:
        by_frequency = np.sort(frequencies)
        n_kept = int(np.searchsorted(np.cumsum(by_frequency), most, side="right"))
        limit = int(by_frequency[n_kept]) - 1
        kept = np.flatnonzero(frequencies <= limit)
        columns, words = columns[:, kept], words[kept]
    parts = {"rest_words": _lines(words), "rest_postings": postings(columns, with_counts=False)}
    return parts, limit


def _lines(words: Iterable[str]) -> bytes:
    return "".join(f"{encodable(word)}\n" for word in words).encode()
