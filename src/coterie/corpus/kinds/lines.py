"""Lines of text, decoded, of files that hold a record a line."""

from collections.abc import Iterator
from typing import IO

from coterie.corpus.encodings import decoded_lines, looks_binary
from coterie.corpus.limits import BLOCK_BYTES, Limits
from coterie.corpus.notes import ReadingNotes
from coterie.errors import UnreadableError


def text_lines(
    name: str, stream: IO[bytes], notes: ReadingNotes, limits: Limits
) -> Iterator[str]:
    """Yield the lines of a stream of text."""
    start = stream.read(BLOCK_BYTES)
    if looks_binary(start):
        raise UnreadableError(name, "binary, not text")
    return decoded_lines(start, stream, notes, name, limits)
