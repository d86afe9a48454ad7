"""Web pages, a page a document."""

from collections.abc import Iterator

from coterie.corpus.documents import Document
from coterie.corpus.encodings import looks_binary
from coterie.corpus.kinds.opened import Kind, OpenFile, date_of
from coterie.corpus.markup import decode_html, looks_like_html, main_text
from coterie.errors import UnreadableError


def _documents(file: OpenFile) -> Iterator[Document]:
    if looks_binary(file.sample()):
        raise UnreadableError(file.path, "binary, not text")
    page = decode_html(file.whole())
    file.notes.decoded(page.encoding, page.replaced)
    text, title, said = main_text(page.text)
    date = date_of(said)
    yield file.document(text, title, {"date": date} if date else None)


KIND = Kind("HTML", (".html", ".htm", ".xhtml"), _documents, looks_like_html)
