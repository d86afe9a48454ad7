"""PDF, office and book files give text and facts, or a reason; none can hang or crash us."""

import io
import random
import sys
import threading
import zipfile

import pytest

from coterie.corpus.kinds import extraction, office
from coterie.corpus.limits import Limits
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.readers import documents
from coterie.corpus.tables import Columns
from coterie.errors import InputError

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
CORE = (
    '<cp:coreProperties xmlns:cp="c" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Tea</dc:title>'
    "<dc:creator>Ann</dc:creator><dcterms:created>2020-05-01T10:00:00Z</dcterms:created>"
    "</cp:coreProperties>"
)


def package(**parts):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return stream.getvalue()


def word(body, core=CORE):
    document = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    return package(**{"word/document.xml": document, "docProps/core.xml": core})


def pdf(text, title="Tea"):
    """A PDF of one page, its table of positions left to the reader to repair."""
    content = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET" if text else ""
    return (
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R"
        "/Resources<</Font<</F1 5 0 R>>>>>>endobj\n"
        f"4 0 obj<</Length {len(content)}>>stream\n{content}\nendstream endobj\n"
        "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
        f"6 0 obj<</Title({title})/Author(Ann)/CreationDate(D:20200501100000Z)>>endobj\n"
        "trailer<</Root 1 0 R/Info 6 0 R>>\n%%EOF\n"
    ).encode()


SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    '<row><c t="inlineStr"><is><t>body</t></is></c><c t="inlineStr"><is><t>stars</t></is></c>'
    '</row><row><c t="inlineStr"><is><t>Green tea.</t></is></c><c><v>5</v></c></row>'
    "</sheetData></worksheet>"
)


def workbook(*sheets):
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    package_relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    listed = "".join(
        f'<sheet name="{name}" sheetId="{at}" r:id="r{at}"/>' for at, name in enumerate(sheets)
    )
    targets = "".join(
        f'<Relationship Id="r{at}" Type="{relations}/worksheet" Target="worksheets/s{at}.xml"/>'
        for at in range(len(sheets))
    )
    book = (
        f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets>{listed}</sheets></workbook>'
    )
    parts = {
        "[Content_Types].xml": '<Types xmlns="t"/>',
        "_rels/.rels": (
            f'<Relationships xmlns="{package_relations}"><Relationship Id="b" '
            f'Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
        ),
        "xl/workbook.xml": book,
        "xl/_rels/workbook.xml.rels": (
            f'<Relationships xmlns="{package_relations}">{targets}</Relationships>'
        ),
    }
    parts |= {f"xl/worksheets/s{at}.xml": SHEET for at in range(len(sheets))}
    return package(**parts)


PARAGRAPHS = "<w:p><w:r><w:t>Green tea.</w:t></w:r></w:p>"
SLIDE = '<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:sld>'
CONTENT = (
    '<office:document-content xmlns:office="o" xmlns:text="t"><office:body><text:h>Tea</text:h>'
    "<text:p>Green<text:s/>tea.</text:p></office:body></office:document-content>"
)
OUTLINE = (
    '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Tea</dc:title>'
    "<dc:creator>Ann</dc:creator><dc:date>2020-05-01</dc:date></metadata><manifest>"
    '<item id="b" href="b.xhtml"/><item id="a" href="a.xhtml"/></manifest>'
    '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
)
FILES = {
    "a.docx": (word(PARAGRAPHS), "Green tea."),
    "a.pdf": (pdf("Green tea."), "Green tea."),
    "a.pptx": (
        package(**{
            "ppt/presentation.xml": "<p/>",
            "ppt/slides/slide10.xml": SLIDE.format("last"),
            "ppt/slides/slide2.xml": SLIDE.format("Green tea."),
            "docProps/core.xml": CORE,
        }),
        "Green tea.\nlast",
    ),
    "a.odt": (package(**{"content.xml": CONTENT, "meta.xml": CORE}), "Tea\nGreen tea."),
    "a.epub": (
        package(**{
            "META-INF/container.xml": '<c><rootfile full-path="o/c.opf"/></c>',
            "o/c.opf": OUTLINE,
            "o/a.xhtml": "<!DOCTYPE html><html><head><title>x</title></head><p>One</p></html>",
            "o/b.xhtml": "<html><p>Two &nbsp; <br>",
        }),
        "One\nTwo",
    ),
    "a.rtf": (rb"{\rtf1{\info{\title Tea}}Green \'e9t\'e9\par tea.}", "Green été\ntea."),
}  # fmt: skip


def write(path, data):
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", FILES)
def test_text_title_author_and_date_are_read(tmp_path, name):
    data, text = FILES[name]
    [found] = documents(write(tmp_path / name, data))
    assert (found.text, found.title) == (text, "Tea")
    if name != "a.rtf":
        assert found.columns["author"] == "Ann"
        assert found.columns["date"].isoformat()[:10] == "2020-05-01"


def test_rows_of_a_workbook_are_documents(tmp_path):
    path, notes = write(tmp_path / "a.xlsx", workbook("One", "Two")), ReadingNotes()
    [found] = documents(path, notes=notes)
    assert (found.text, dict(found.columns)) == ("Green tea.", {"stars": "5"})
    assert any("sheet 'One'" in guess for guess in notes.guesses)
    [found] = documents(path, Columns(table="Two"))
    with pytest.raises(InputError, match=r"no sheet 'Three'. Sheets: One, Two"):
        list(documents(path, Columns(table="Three")))


def pages(*several):
    """A PDF of three pages: the first with text, then one or two with the entries given."""
    kids = "[3 0 R 6 0 R 7 0 R]/Count 3"
    more = "".join(
        f"{number} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]{entries}>>endobj\n"
        for number, entries in enumerate(several, start=6)
    )
    data = pdf("Green tea.").replace(b"[3 0 R]/Count 1", kids.encode())
    data = data.replace(b"6 0 obj", b"8 0 obj").replace(b"/Info 6", b"/Info 8")
    return data.replace(b"trailer", more.encode() + b"trailer")


WITH_TEXT = "/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>"
CHAPTERS = package(
    **{
        "META-INF/container.xml": "<a><rootfile full-path='o.opf'/></a>",
        "o.opf": "<p><item id='a' href='a.x'/><item id='b' href='b.x'/>"
        "<itemref idref='a'/><itemref idref='b'/></p>",
        "a.x": "<p>Green tea.</p>",
    }
)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", pages(WITH_TEXT, WITH_TEXT), None),
        ("a.pdf", pages(WITH_TEXT, ""), None),
        ("a.pdf", pages("", ""), "mostly without text"),
        ("a.pdf", pages(WITH_TEXT), "with damaged pages"),  # the third is not there
        ("a.epub", CHAPTERS, "with chapters missing"),
    ],
    ids=["whole", "one blank", "two blank", "damaged", "book"],
)
def test_what_is_read_in_part_is_noted(tmp_path, name, data, reason):
    notes = ReadingNotes()
    [found] = documents(write(tmp_path / name, data), notes=notes)
    assert found.text.startswith("Green tea.")
    assert dict(notes.partial) == ({reason: 1} if reason else {})


def test_bytes_of_no_letter_are_replaced_and_counted(tmp_path):
    notes, data = ReadingNotes(), b"{\\rtf1\\ansi\\ansicpg1252 green\\'81 tea}"
    [found] = documents(write(tmp_path / "a.rtf", data), notes=notes)
    assert (found.text, notes.replaced) == ("green\ufffd tea", 1)


def test_word_may_number_its_document(tmp_path):
    data = package(**{"word/document2.xml": "<d><p>Green tea.</p></d>"})
    [found] = documents(write(tmp_path / "a.docx", data))
    assert found.text == "Green tea."


def test_what_cannot_be_read_is_said_with_the_reason(tmp_path):
    bomb = word(PARAGRAPHS * 10_000_00)
    laughs = '<!DOCTYPE x [<!ENTITY a "ha">]><x>&a;</x>'
    files = {
        "1.pdf": (pdf(""), "a scanned PDF"),
        "2.pdf": (b"%PDF-1.4 nothing", "damaged"),
        "3.docx": (b"\xd0\xcf\x11\xe0 old", "protected by a password"),
        "4.docx": (package(other="x"), "not a Word document"),
        "5.docx": (package(**{"word/document.xml": laughs}), "entities"),
        "6.docx": (bomb, "expands to more"),
        "7.rtf": (b"plain", "not RTF"),
        "8.doc": (b"\xd0\xcf\x11\xe0 old", "save it as .docx"),
        "5a.docx": (
            package(**{"word/document.xml": f"<!--{' ' * 5000}-->{laughs}"}),
            "entities",
        ),
        "5b.docx": (package(**{"word/document.xml": laughs.encode("utf-16")}), "entities"),
        "9.xlsx": (b"PK\x03\x04", "damaged"),
    }
    for name, (data, _) in files.items():
        write(tmp_path / name, data)
    write(tmp_path / "a.txt", b"words")
    notes = ReadingNotes()
    limits = Limits(document=1 << 20)
    assert [each.id for each in documents(tmp_path, notes=notes, limits=limits)] == ["a.txt"]
    for name, (_, reason) in files.items():
        said = [each for each in notes.skipped if reason in each]
        assert any(name in notes.examples[each] for each in said), (name, notes.examples)


def test_a_file_that_takes_too_long_or_crashes_is_skipped_and_the_next_is_read():
    reader = office._Reader()
    try:
        assert "seconds" in reader.ask("pdf", FILES["a.pdf"][0], 10**6, 1e-9)["refused"]
        answer = reader.ask("pdf", FILES["a.pdf"][0], 10**6, 60)
        assert answer["text"] == "Green tea."
        reader._process.kill()
        reader._process.wait()
        assert reader.ask("rtf", FILES["a.rtf"][0], 10**6, 60)["title"] == "Tea"
    finally:
        reader.close()


def test_without_the_extra_the_message_names_it(tmp_path, monkeypatch):
    for name in ("pypdfium2", "striprtf"):
        monkeypatch.setitem(sys.modules, name, None)
    assert extraction.extracted("pdf", FILES["a.pdf"][0], 10**6) == {"missing": True}
    monkeypatch.setattr(office.READER, "ask", lambda *_: {"missing": True})
    with pytest.raises(InputError, match=r"PDF \(install coterie\[documents\] to read it\)"):
        list(documents(write(tmp_path / "a.pdf", FILES["a.pdf"][0])))


def damaged(data, rng):
    at = rng.randrange(len(data))
    if rng.random() < 0.3:
        return data[:at]
    changed = bytearray(data)
    for _ in range(rng.choice([1, 10, 100])):
        changed[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(changed[:at] + changed[at + rng.randrange(200) :])


def check_damaged(folder, number):
    every = FILES | {"a.xlsx": (workbook("One"), "")}
    for name, (data, _) in every.items():
        rng = random.Random(name)
        for _ in range(number):
            path = write(folder / name, damaged(data, rng))
            assert outcome(path)


def outcome(path):
    """The documents of a file, or the reason why there are none."""
    try:
        return list(documents(path, limits=Limits(seconds=20)))
    except InputError as error:
        return str(error).partition(": ")[2]


def test_damaged_files_give_text_or_a_reason(tmp_path):
    check_damaged(tmp_path, 10)


@pytest.mark.soak
def test_200_damaged_variants_of_each_kind_give_text_or_a_reason(tmp_path):
    check_damaged(tmp_path, 200)


def test_entities_of_a_chapter_do_not_grow(tmp_path):
    parts = {
        "META-INF/container.xml": "<a><rootfile full-path='o.opf'/></a>",
        "o.opf": "<a><item id='1' href='1.xhtml'/><itemref idref='1'/></a>",
        "1.xhtml": '<!DOCTYPE x [<!ENTITY a "ha">]><html><p>Tea &a;&a;</p></html>',
    }
    write(tmp_path / "a.epub", package(**parts))
    [found] = documents(tmp_path / "a.epub")
    assert found.text.endswith("Tea &a;&a;")


def test_any_number_of_seconds_may_be_allowed(tmp_path, monkeypatch):
    class Timer(threading.Timer):
        def __init__(self, interval, *arguments):
            assert interval <= threading.TIMEOUT_MAX
            super().__init__(interval, *arguments)

    monkeypatch.setattr(threading, "Timer", Timer)
    write(tmp_path / "a.pdf", b"%PDF-1.4 nothing")
    with pytest.raises(InputError, match=r"a\.pdf: damaged"):
        list(documents(tmp_path / "a.pdf", limits=Limits(seconds=10**15)))
