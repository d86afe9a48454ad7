"""Documents in, counts of words out: reading, counting, and the corpus they make."""

from coterie.corpus.building import View
from coterie.corpus.corpus import Corpus, corpus_of_texts, read
from coterie.corpus.documents import Document
from coterie.corpus.frames import corpus_from_frame, is_frame
from coterie.corpus.inputs import is_texts, refuse_positions_outside, refuse_strings
from coterie.corpus.limits import Limits
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.sequences import Sequences, sequences_of, sequences_of_tokens
from coterie.corpus.text import TextOptions
from coterie.corpus.vocabulary import Vocabulary

__all__ = [
    "Corpus",
    "Document",
    "Limits",
    "ReadingNotes",
    "Sequences",
    "TextOptions",
    "View",
    "Vocabulary",
    "corpus_from_frame",
    "corpus_of_texts",
    "is_frame",
    "is_texts",
    "read",
    "refuse_positions_outside",
    "refuse_strings",
    "sequences_of",
    "sequences_of_tokens",
]
