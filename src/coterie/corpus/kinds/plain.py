"""Plain text, a file a document."""

from collections.abc import Iterator

from coterie.corpus.documents import Document
from coterie.corpus.encodings import decode, looks_binary
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.errors import UnreadableError

OLD = "of an old format (save it as {} first)"
OUTLOOK = "a file of Outlook (save it as .eml or .mbox first)"
ADVICE = {
    ".doc": OLD.format(".docx"), ".ppt": OLD.format(".pptx"), ".wpd": OLD.format(".docx"),
    ".msg": OUTLOOK, ".pst": OUTLOOK, ".ost": OUTLOOK,
}  # fmt: skip


def _documents(file: OpenFile) -> Iterator[Document]:
    if looks_binary(file.sample()):
        raise UnreadableError(file.path, ADVICE.get(file.suffix, "binary, not text"))
    decoded = decode(file.whole())
    file.notes.decoded(decoded.encoding, decoded.replaced)
    yield file.document(decoded.text)


KIND = Kind("plain text", (".txt", ".md"), _documents)
