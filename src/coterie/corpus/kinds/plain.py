"""Plain text, a file a document."""

from collections.abc import Iterator

from coterie.corpus.documents import Document
from coterie.corpus.encodings import decode, looks_binary
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.errors import UnreadableError

OLD = {".doc": ".docx", ".ppt": ".pptx", ".wpd": ".docx"}


def _documents(file: OpenFile) -> Iterator[Document]:
    if looks_binary(file.sample()):
        newer = OLD.get(file.suffix)
        old = f"of an old format (save it as {newer} first)"
        raise UnreadableError(file.path, old if newer else "binary, not text")
    decoded = decode(file.whole())
    file.notes.decoded(decoded.encoding, decoded.replaced)
    yield file.document(decoded.text)


KIND = Kind("plain text", (".txt", ".md"), _documents)
