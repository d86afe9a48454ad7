"""Web pages, a page a document."""

from collections.abc import Iterator

from coterie.corpus.documents import Document
from coterie.corpus.encodings import looks_binary
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.corpus.markup import decode_html, looks_like_html, visible_text
from coterie.errors import UnreadableError


def _documents(file: OpenFile) -> Iterator[Document]:
    if looks_binary(file.sample()):
        raise UnreadableError(file.path, "binary, not text")
    page = decode_html(file.whole())
    file.notes.decoded(page.encoding, page.replaced)
    yield file.document(*visible_text(page.text))


KIND = Kind("HTML", (".html", ".htm", ".xhtml"), _documents, looks_like_html)
