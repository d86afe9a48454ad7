"""Documents cut into segments: paragraphs, sentences, or windows of so many words."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from coterie.corpus.corpus import Corpus
from coterie.errors import InputError
from coterie.types import Counts, Labels

DOCUMENTS_AT_ONCE = 10_000
BLANK_LINES = re.compile(r"\n\s*\n|\r\s*\r")
END, CLOSING, OPENING = ".!?…", "\"'”’»)\\]", "\"'“‘«(\\[¿¡"
POSSIBLE_END = re.compile(  # begins only where such signs do, as there may be very many
    rf"(?<![{END}{CLOSING}])(?=[{CLOSING}]*+[{END}])[{END}{CLOSING}]++\s++(?=[{OPENING}]*+(\w))"
)


def segment_counts(corpus: Corpus, by: str | int = "paragraph") -> tuple[Counts, Labels]:
    """Count the words of each segment of a corpus, and say which document it is of.

    Segments are cut at blank lines (`"paragraph"`), after a full stop, question or exclamation
    mark that a capital follows (`"sentence"`), or after every `by` words. They keep the
    order of the text, and add up to the counts of their documents, except that n-grams
    across a cut are lost. A document without text has one empty segment.

    Examples
    --------
    >>> from coterie.corpus import TextOptions
    >>> texts = ["Cats purr.\\n\\nDogs bark. They play.", "", "Dogs play."]
    >>> corpus = Corpus.from_texts(texts, options=TextOptions(language="en"))
    >>> counts, documents = segment_counts(corpus)
    >>> corpus.words, counts.toarray().astype(int).tolist()
    (array(['bark', 'cats', 'dogs', 'play', 'purr'], dtype=object),
     [[0, 1, 0, 0, 1], [1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [0, 0, 1, 1, 0]])
    >>> documents
    array([0, 0, 1, 2])
    """
    check_segments(by)
    if len(corpus.views) > 1:
        raise InputError(
            f"segments: expected a corpus of one view, got {', '.join(corpus.views)}, "
            "whose texts are joined"
        )
    documents: list[int] = []
    counts = corpus.vocabulary.count(_all_segments(corpus, by, documents))
    return counts, np.array(documents, dtype=np.int64)


def check_segments(by: Any) -> None:
    """Refuse what `segment_counts` cannot cut texts by."""
    if isinstance(by, str) and by in ("paragraph", "sentence"):
        return
    if isinstance(by, bool) or not isinstance(by, int | np.integer) or by < 1:
        raise InputError(
            f"segments={by!r}: expected 'paragraph', 'sentence' or a number of words"
        )


def cut_text(text: str, by: str | int) -> list[str]:
    """Cut one text into segments; blank ones are left out, unless the text is blank.

    Examples
    --------
    >>> cut_text("Is it e.g. a cat? No! It is.", "sentence")
    ['Is it e.g. a cat? ', 'No! ', 'It is.']
    >>> cut_text("one two three", 2), cut_text(" ", "paragraph")
    (['one two', 'three'], [''])
    """
    if by == "paragraph":
        parts = BLANK_LINES.split(text)
    elif by == "sentence":
        parts = _sentences(text)
    else:
        words, step = text.split(), int(by)
        parts = [" ".join(words[at : at + step]) for at in range(0, len(words), step)]
    return [part for part in parts if part and not part.isspace()] or [""]


def _sentences(text: str) -> list[str]:
    ends = [match.end() for match in POSSIBLE_END.finditer(text) if match[1].isupper()]
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]


def _all_segments(corpus: Corpus, by: str | int, documents: list[int]) -> Iterator[str]:
    """The segments of all texts; the document of each goes into `documents`."""
    for first in range(0, len(corpus), DOCUMENTS_AT_ONCE):
        texts = corpus.texts(slice(first, first + DOCUMENTS_AT_ONCE))
        for document, text in enumerate(texts, first):
            for segment in cut_text(text, by):
                documents.append(document)
                yield segment
