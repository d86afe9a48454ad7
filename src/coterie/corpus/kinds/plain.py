"""Plain text, a file a document."""

from collections.abc import Iterator

from coterie.corpus.documents import Document
from coterie.corpus.encodings import decode, looks_binary
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.errors import UnreadableError

TO_CONVERT = (".pdf", ".doc", ".docx", ".odt", ".epub")


def _documents(file: OpenFile) -> Iterator[Document]:
    if looks_binary(file.sample()):
        format = file.suffix[1:].upper() + ", to be converted to text first"
        reason = format if file.suffix in TO_CONVERT else "binary, not text"
        raise UnreadableError(file.path, reason)
    decoded = decode(file.whole())
    file.notes.decoded(decoded.encoding, decoded.replaced)
    yield file.document(decoded.text)


KIND = Kind("plain text", (".txt", ".md"), _documents)
