"""XML: the text between the tags, a file a document."""

import html
import re
from collections.abc import Iterator

from coterie.corpus.documents import Document
from coterie.corpus.encodings import decode, looks_binary
from coterie.corpus.kinds import pages
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.errors import UnreadableError

DECLARED = re.compile(
    rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"'](?!(?i:utf-?(?:16|32)))([A-Za-z0-9_.:-]+)"
)
LONG_NUMBER = re.compile(r"&#([0-9]{8,}+)")
TITLE = re.compile(r"<title\b[^<>]*>([^<>]{1,500})</title>", re.IGNORECASE)
PAGE = re.compile(rb"<(?:!doctype\s+)?html\b", re.IGNORECASE)
ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
KEPT = "<![CDATA["


def text_of(source: str) -> str:
    """Return what stands between the tags of XML, a line a line.

    Nothing is expanded but characters, so that no entity can make a text long.

    Examples
    --------
    >>> text_of("<?xml version='1.0'?><a><!-- b -->Tea &amp; <i>rum</i><![CDATA[ <3 ]]></a>")
    'Tea & rum <3'
    """
    texts, at = [], 0
    while (tag := source.find("<", at)) >= 0:
        texts.append(_unescaped(source[at:tag]))
        start, end = next(
            (each for each in ENDS.items() if source.startswith(each[0], tag)), ("<", ">")
        )
        if source.startswith("<!DOCTYPE", tag) and "[" in source[tag : source.find(">", tag)]:
            end = "]>"
        close = source.find(end, tag + len(start))
        texts.append(source[tag + len(start) : close] if start == KEPT and close >= 0 else " ")
        at = close + len(end) if close >= 0 else len(source)
    texts.append(_unescaped(source[at:]))
    lines = (" ".join(line.split()) for line in "".join(texts).split("\n"))
    return "\n".join(line for line in lines if line)


def _unescaped(text: str) -> str:
    """Characters for their names and numbers; numbers too long for Python are cut before."""
    short = LONG_NUMBER.sub(lambda number: "&#" + (number[1].lstrip("0")[:8] or "0"), text)
    return html.unescape(short)


def _documents(file: OpenFile) -> Iterator[Document]:
    sample = file.sample()
    if PAGE.search(sample):
        yield from pages.KIND.read(file)
        return
    if looks_binary(sample):
        raise UnreadableError(file.path, "binary, not text")
    data = file.whole()
    declared = DECLARED.search(data[:300])
    decoded = decode(data, declared[1].decode("ascii") if declared else None)
    file.notes.decoded(decoded.encoding, decoded.replaced)
    title = TITLE.search(decoded.text)
    yield file.document(
        text_of(decoded.text), " ".join(html.unescape(title[1]).split()) if title else ""
    )


KIND = Kind("XML", (".xml",), _documents)
