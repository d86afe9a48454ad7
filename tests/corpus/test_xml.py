"""Of XML the text between the tags is read, and nothing in it can do anything."""

import pytest

from coterie.corpus.kinds.xml_files import text_of
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.readers import documents

TEI = (
    '<?xml version="1.0" encoding="iso-8859-1"?>\n<!-- a > note -->\n<TEI><head>'
    "<title lang='fr'>Le thé &amp; le café</title></head>\n<p>Thé <hi>vert</hi>.</p></TEI>"
)


def test_text_title_and_declared_encoding(tmp_path):
    (tmp_path / "a.xml").write_bytes(TEI.encode("latin-1"))
    notes = ReadingNotes()
    [found] = documents(tmp_path / "a.xml", notes=notes)
    assert found.title == "Le thé & le café"
    assert found.text == "Le thé & le café\nThé vert ."


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<a>1 &lt; 2 &#228;</a>", "1 < 2 ä"),
        ("<a><![CDATA[<b> & c]]></a>", "<b> & c"),
        ("<!DOCTYPE a [<!ENTITY b 'c'><!ENTITY d '&b;&b;'>]><a>&d; e</a>", "&d; e"),
        ("<a>open <b", "open"),
        ("<a>open <!-- never closed", "open"),
        ("no tag", "no tag"),
        (f"<a>tea &#{'9' * 5000}; rum</a>", "tea \ufffd rum"),
        (f"<a>&#{'0' * 5000}65; &#x41;</a>", "A A"),
        ("", ""),
    ],
)
def test_damaged_or_hostile_xml_gives_its_text(source, text):
    assert text_of(source) == text


def test_a_page_that_is_xml_is_read_as_a_page(tmp_path):
    (tmp_path / "p.xml").write_text("<?xml version='1.0'?><html><title>T</title><p>Tea</html>")
    [found] = documents(tmp_path / "p.xml")
    assert (found.title, found.text) == ("T", "Tea")


def test_xml_of_many_openings_is_read_in_linear_time():
    assert text_of("<!--" * 500_000) == ""
    assert text_of("<" * 500_000 + "tea") == ""
    assert len(text_of("a<!DOCTYPE [" * 20_000)) < 20
