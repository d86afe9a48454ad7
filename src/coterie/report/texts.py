"""Texts in the page as far as there is room, and the words of what was cut off.

A search looks through the texts that are shown, and for the rest of a text in a list of its
words, so that it finds what a whole text holds.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from coterie.corpus import Vocabulary
from coterie.corpus.vocabulary import AS_THEY_STAND
from coterie.findings.texts import CONTROLS, encodable
from coterie.report.packing import postings, zipped
from coterie.report.wording import thousands

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
FOR_TEXTS = 0.7  # of the room, where words of the rest are needed
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
        words, most = _rest_words(rests, int(left / BYTES_OF_POSTING))
        parts |= words
        notes.append(_note(length, sum(whole), most))
    return PackedTexts(parts, whole, notes)


def _note(length: int, n_whole: int, most: int | None) -> str:
    shown = f"Texts are shown up to {thousands(length)} characters"
    shown = shown if n_whole else shown.replace("Texts are", "The texts are")
    searched = "the search finds the words of all of a text"
    if most is not None:
        searched = (
            "in the rest of a text the search finds words that are in at most "
            f"{thousands(most)} documents"
        )
    return f"{shown}; {searched}."


def _length(texts: Sequence[str], room: int) -> int:
    """The longest length at which all texts have room, estimated from some of them."""
    tried = texts[:: max(1, len(texts) // N_TRIED)]
    lengths = np.array([len(text) for text in texts])
    for length in (max(lengths.max(initial=0), 1), *LENGTHS):
        sample = "\0".join(text[:length] for text in tried).encode()
        needed = len(zipped(sample)) * len(texts) / max(len(tried), 1)
        if needed <= (room if (lengths <= length).all() else FOR_TEXTS * room):
            return int(length)
    return 0


def _cut(text: str, length: int) -> str:
    """The beginning of a text, up to the end of a word."""
    if len(text) <= length:
        return text
    end = length
    while end > 0 and text[end].isalnum() and text[end - 1].isalnum():
        end -= 1
    return text[: end or length]


def _rest_words(rests: Sequence[str], most: int) -> tuple[dict[str, bytes], int | None]:
    """The words of texts and the documents of each; the most frequent go where too many."""
    vocabulary, counts = Vocabulary.learn(rests, AS_THEY_STAND)
    columns = sp.csc_array(counts)
    frequencies = np.diff(columns.indptr)
    limit = None
    if columns.nnz > most:
        by_frequency = np.sort(frequencies)
        kept = int(np.searchsorted(np.cumsum(by_frequency), most, side="right"))
        limit = int(by_frequency[kept]) - 1
        columns = columns[:, np.flatnonzero(frequencies <= limit)]
        vocabulary = vocabulary.select(np.flatnonzero(frequencies <= limit))
    words: list[Any] = vocabulary.words.tolist()
    parts = {
        "rest_words": "".join(f"{encodable(word)}\n" for word in words).encode(),
        "rest_postings": postings(columns, with_counts=False),
    }
    return parts, limit
