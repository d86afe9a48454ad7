"""Documents that have the words of a query, as the page of a result searches.

A word of a query is found at the beginning of a word: "chess" finds "chessboard". Case and
accents do not matter. In scripts without spaces it is found anywhere.
"""

import re
import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from coterie.clustering.tables import texts_of
from coterie.corpus.text import without_many_marks

if TYPE_CHECKING:
    from coterie.corpus import Corpus

WORDS = re.compile(r"[^\W_]+")
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
BETWEEN = "\0"


def folded(text: str) -> str:
    """A text in lower case without accents.

    Examples
    --------
    >>> folded("Éclair")
    'eclair'
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", without_many_marks(text))
    return "".join(each for each in decomposed if not unicodedata.combining(each)).lower()


class FoldedTexts:
    """Titles, ids and texts of a corpus, to search in."""

    def __init__(self, corpus: "Corpus") -> None:
        self.corpus = corpus
        texts = texts_of(corpus, slice(None)) or [""] * len(corpus)
        pieces = [
            folded(f"{title}\n{name}\n{text}").replace(BETWEEN, " ")
            for title, name, text in zip(corpus.titles, corpus.ids, texts, strict=True)
        ]
        self._all = BETWEEN.join(pieces)
        self._ends = np.cumsum([len(piece) + 1 for piece in pieces])

    def find(self, query: str) -> list[int]:
        """Positions of the documents that have all words of a query.

        Examples
        --------
        >>> from coterie.corpus import Corpus
        >>> texts = FoldedTexts(Corpus.from_texts(["Chessboards", "dark rum", "a duchess"]))
        >>> texts.find("chess"), texts.find("rum chess")
        ([0], [])
        """
        words = set(WORDS.findall(folded(query)))
        if not words:
            return []
        found = set.intersection(*(self._having(word) for word in words))
        return sorted(found)

    def _having(self, word: str) -> set[int]:
        places = [match.start() for match in re.finditer(re.escape(word), self._all)]
        if not UNSPACED.search(word):
            places = [at for at in places if not at or not self._all[at - 1].isalnum()]
        positions: list[int] = np.searchsorted(self._ends, places, side="right").tolist()
        return set(positions)
