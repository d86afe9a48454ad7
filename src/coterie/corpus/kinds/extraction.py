"""Text out of PDF, office and book files, in a process of its own that may be killed.

Run as a file, it imports nothing of this package: requests come on standard input, a line of
JSON and then the bytes of the file, and answers go to standard output as a line of JSON. Pages,
macros, links and fonts can do nothing but give text.
"""

import io
import json
import posixpath
import re
import sys
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

PARAGRAPHS = {"p", "h", "tr", "br", "line-break", "li", "div", "title"} | {
    f"h{n}" for n in range(1, 7)
}
SPACES = {"tab", "s", "td", "tc", "table-cell"}
LEFT_OUT = {"delText", "instrText", "script", "style", "annotation", "tracked-changes", "head"}
BROKEN_WORD = re.compile(r"[\u00ad\x02\ufffe]\s*|(?<=[^\W\d_])-\r?\n(?=[a-zß-ÿ])")
PDF_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?")
OLD_OFFICE = b"\xd0\xcf\x11\xe0"
MANY_MEMBERS = 100_000
Answer = dict[str, Any]


class RefusedError(Exception):
    """A file that cannot be read, with the reason for a person."""


class Package:
    """A zip archive of parts, of which only so many bytes are expanded."""

    def __init__(self, data: bytes, most: int) -> None:
        if data.startswith(OLD_OFFICE):
            raise RefusedError("protected by a password, or of an old format")
        self._archive = zipfile.ZipFile(io.BytesIO(data))
        if len(self._archive.infolist()) > MANY_MEMBERS:
            raise RefusedError("too many parts")
        self.names = self._archive.namelist()
        self._left = most

    def read(self, name: str) -> bytes:
        """The bytes of a part."""
        info = self._archive.getinfo(name)
        if info.flag_bits & 1:
            raise RefusedError("protected by a password")
        with self._archive.open(info) as part:
            content = part.read(self._left + 1)
        self._left -= len(content)
        if self._left < 0:
            raise RefusedError("expands to more than the limits document and ratio allow")
        return content

    def parsed(self, name: str) -> ElementTree.Element:
        """The XML of a part; entities, by which texts grow, are refused."""
        content = self.read(name)
        if _has_entities(content):
            raise RefusedError("XML with entities of its own")
        return ElementTree.fromstring(content)

    def numbered(self, pattern: str) -> list[str]:
        """Parts of a name with a number, in the order of the numbers."""
        found = [(int(m[1]), name) for name in self.names if (m := re.fullmatch(pattern, name))]
        return [name for _, name in sorted(found)]


def _has_entities(content: bytes) -> bool:
    """Tell whether XML, of one byte a character or of two, has entities of its own."""
    return b"<!ENTITY" in content.replace(b"\0", b"")


def _local(element: ElementTree.Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _walked(root: ElementTree.Element) -> Iterator[str]:
    """Texts of an element in order, without recursion, which deep documents would exhaust."""
    waiting: list[ElementTree.Element | str] = [root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
            continue
        name = _local(item)
        after = "\n" if name in PARAGRAPHS else "\t" if name in SPACES else ""
        following = after + (item.tail or "")
        if following:
            waiting.append(following)
        if name in LEFT_OUT:
            continue
        waiting.extend(reversed(item))
        if item.text:
            yield item.text


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.replace("\r", "\n").split("\n"))
    return "\n".join(line for line in lines if line)


def _text(root: ElementTree.Element) -> str:
    return _tidy("".join(_walked(root)))


def _metadata(package: Package, name: str) -> Answer:
    """Title, author and date, in the words of the Dublin Core."""
    if name not in package.names:
        return {}
    found: dict[str, str] = {}
    for element in package.parsed(name).iter():
        if (value := (element.text or "").strip()) and _local(element) not in found:
            found[_local(element)] = value
    date = found.get("created") or found.get("creation-date") or found.get("date")
    author = found.get("creator") or found.get("initial-creator")
    return {"title": found.get("title", ""), "author": author, "date": date}


def _word(data: bytes, most: int) -> Answer:
    package = Package(data, most)
    parts = [name for name in package.names if re.fullmatch(r"word/document\d*\.xml", name)]
    if not parts:
        raise RefusedError("not a Word document")
    notes = ("word/footnotes.xml", "word/endnotes.xml")
    parts = [parts[0], *(name for name in notes if name in package.names)]
    text = "\n".join(_text(package.parsed(name)) for name in parts)
    return {"text": text, **_metadata(package, "docProps/core.xml")}


def _slides(data: bytes, most: int) -> Answer:
    package = Package(data, most)
    parts = package.numbered(r"ppt/slides/slide(\d+)\.xml")
    parts += package.numbered(r"ppt/notesSlides/notesSlide(\d+)\.xml")
    if "ppt/presentation.xml" not in package.names:
        raise RefusedError("not a PowerPoint document")
    text = "\n".join(_text(package.parsed(name)) for name in parts)
    return {"text": text, **_metadata(package, "docProps/core.xml")}


def _open_document(data: bytes, most: int) -> Answer:
    package = Package(data, most)
    if "content.xml" not in package.names:
        raise RefusedError("not an OpenDocument file")
    encrypted = "META-INF/manifest.xml" in package.names and (
        b"encryption-data" in package.read("META-INF/manifest.xml")
    )
    if encrypted:
        raise RefusedError("protected by a password")
    root = package.parsed("content.xml")
    body = next((each for each in root.iter() if _local(each) == "body"), root)
    return {"text": _text(body), **_metadata(package, "meta.xml")}


def _book(data: bytes, most: int) -> Answer:
    package = Package(data, most)
    if "META-INF/encryption.xml" in package.names and (
        b"EncryptedKey" in package.read("META-INF/encryption.xml")
    ):
        raise RefusedError("protected against copying")
    container = package.parsed("META-INF/container.xml")
    outline = next(e.get("full-path", "") for e in container.iter() if _local(e) == "rootfile")
    root = package.parsed(outline)
    hrefs = {e.get("id"): e.get("href", "") for e in root.iter() if _local(e) == "item"}
    spine = [hrefs.get(e.get("idref"), "") for e in root.iter() if _local(e) == "itemref"]
    folder = posixpath.dirname(outline)
    names = [posixpath.normpath(posixpath.join(folder, unquote(each))) for each in spine]
    there = [name for name in names if name in package.names]
    text = "\n".join(_chapter(package, name) for name in there)
    lost = "with chapters missing" if len(there) < len(names) else ""
    return {"text": text, "lost": lost, **_metadata(package, outline)}


def _chapter(package: Package, name: str) -> str:
    content = package.read(name)
    try:
        if not _has_entities(content):
            return _text(ElementTree.fromstring(re.sub(rb"<!DOCTYPE[^>\[]*>", b"", content)))
    except ElementTree.ParseError:
        pass
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(content.decode("utf-8", "replace"))
    return _tidy(page.body.text(separator="\n")) if page.body is not None else ""


def _pdf(data: bytes, most: int) -> Answer:
    import pypdfium2

    try:
        file = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        reason = "protected by a password" if "password" in str(error).lower() else "damaged"
        raise RefusedError(reason) from error
    texts, size, lost = [], 0, ""
    for number in range(len(file)):
        try:
            text = file[number].get_textpage().get_text_range()
        except pypdfium2.PdfiumError:
            lost = "with damaged pages"
            continue
        texts.append(BROKEN_WORD.sub("", text))
        size += len(text)
        if size > most:
            raise RefusedError("more text than the limit document allows")
    if not any(map(str.strip, texts)):
        raise RefusedError("a scanned PDF, without text (recognise its text first, by OCR)")
    if 2 * sum(not text.strip() for text in texts) > len(texts):
        lost = lost or "mostly without text"
    facts = file.get_metadata_dict()
    date = PDF_DATE.match(facts.get("CreationDate", ""))
    moment = [int(part or default) for part, default in zip(date.groups(), (1, 1, 1, 0, 0, 0),
              strict=True)] if date else None  # fmt: skip
    return {
        "text": "\n".join(map(_tidy, texts)),
        "lost": lost,
        "title": facts.get("Title", ""),
        "author": facts.get("Author") or None,
        "moment": moment,
    }


def _rich_text(data: bytes, _most: int) -> Answer:
    from striprtf import striprtf

    if not data.lstrip().startswith(b"{\\rtf"):
        raise RefusedError("not RTF")
    source = data.decode("latin-1")
    title = re.search(r"\\title ([^{}\\]{1,200})", source)
    convert: Any = striprtf.rtf_to_text
    text = str(convert(source, errors="replace"))
    return {"text": _tidy(text), "title": title[1].strip() if title else ""}


def _workbook(data: bytes, most: int) -> Answer:
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = {}
        for name in book.sheet_names:
            rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
            sheets[name] = [[_cell(cell) for cell in row] for row in rows]
            most -= sum(len(cell) for row in sheets[name] for cell in row)
            if most < 0:
                raise RefusedError("more text than the limit document allows")
    except PasswordError as error:
        raise RefusedError("protected by a password") from error
    except CalamineError as error:
        raise RefusedError(f"damaged ({str(error).partition(chr(10))[0][:80]})") from error
    return {"sheets": sheets}


def _cell(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


KINDS = {
    "docx": _word, "pptx": _slides, "odt": _open_document, "epub": _book, "pdf": _pdf,
    "rtf": _rich_text, "workbook": _workbook,
}  # fmt: skip


def extracted(kind: str, data: bytes, most: int) -> Answer:
    """What a file holds, or the reason why nothing could be read."""
    try:
        return KINDS[kind](data, most)
    except RefusedError as error:
        return {"refused": str(error)}
    except ImportError:
        return {"missing": True}
    except MemoryError:
        return {"refused": "needs more memory than a file may have"}
    except Exception as error:  # libraries raise whatever a hostile file makes them raise
        reason = str(error).partition("\n")[0][:80]
        return {"refused": f"damaged ({reason or type(error).__name__})"}


def _limit_memory(n_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows, where only time is limited
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = n_bytes if hard == resource.RLIM_INFINITY else min(n_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Answer requests until there are no more."""
    _limit_memory(int(sys.argv[1]))
    sys.setrecursionlimit(5000)
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no answer
    while line := sys.stdin.buffer.readline():
        request = json.loads(line)
        data = sys.stdin.buffer.read(request["size"])
        answer = extracted(request["kind"], data, request["most"])
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
