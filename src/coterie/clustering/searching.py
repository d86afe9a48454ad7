"""Where a word or phrase occurs in the documents."""

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coterie.errors import InputError
from coterie.findings.texts import printable

if TYPE_CHECKING:
    from coterie.corpus import Corpus

AROUND = 80  # characters shown on either side of a hit


class Hit(NamedTuple):
    """A document that holds the phrase: its position, how often, and the first place."""

    position: int
    n_times: int
    excerpt: str


def hits(corpus: "Corpus", phrase: str) -> list[Hit]:
    """The documents in which a phrase occurs, most often first.

    Examples
    --------
    >>> from coterie.corpus import Corpus
    >>> corpus = Corpus.from_texts(["Green tea, black tea", "dark rum", "steamed milk"])
    >>> hits(corpus, "tea")
    [Hit(position=0, n_times=2, excerpt='Green tea, black tea')]
    """
    words = phrase.split() if isinstance(phrase, str) else []
    if not words:
        raise InputError(f"find: {phrase!r}; expected a word or phrase")
    try:
        texts = corpus.texts(slice(None))
    except (InputError, OSError):
        found = _counted(corpus, " ".join(words).lower())
    else:
        found = _searched(texts, words)
    return sorted(found, key=lambda hit: (-hit.n_times, hit.position))


def _searched(texts: list[str], words: list[str]) -> list[Hit]:
    spaced = r"\s+".join(map(re.escape, words))
    pattern = re.compile(rf"(?<!\w){spaced}(?!\w)", re.IGNORECASE)
    found = []
    for position, text in enumerate(texts):
        matches = list(pattern.finditer(text))
        if matches:
            found.append(Hit(position, len(matches), _excerpt(text, *matches[0].span())))
    return found


def _excerpt(text: str, start: int, end: int) -> str:
    left, right = max(0, start - AROUND), min(len(text), end + AROUND)
    before = "…" if left else ""
    after = "…" if right < len(text) else ""
    return before + printable(text[left:right]) + after


def _counted(corpus: "Corpus", word: str) -> list[Hit]:
    """The documents of a counted word; a corpus without texts knows nothing else."""
    places = np.flatnonzero(corpus.words == word)
    if not len(places):
        return []
    column = corpus.counts[:, [int(places[0])]].tocoo()
    pairs = zip(column.coords[0].tolist(), column.data.tolist(), strict=True)
    return [Hit(position, round(count), "") for position, count in pairs]
