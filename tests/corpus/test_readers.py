"""Files of every kind become documents; what cannot be read is counted or named."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import stat
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.corpus import read
from coterie.corpus.documents import labels_from_folders
from coterie.corpus.encodings import decode, decoded_lines, looks_binary
from coterie.corpus.mail import mail_text
from coterie.corpus.markup import visible_text
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.readers import documents
from coterie.corpus.tables import Columns
from coterie.errors import InputError

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(64))
MAIL = b"From: a@b\nSubject: Lunch\nX-Noise: zzz\n\nAt noon.\n"


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def tape(files, mode="w"):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def zipped(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def texts_of(path, **columns):
    return {document.id: document.text for document in documents(path, Columns(**columns))}


def test_a_folder_is_read_in_the_order_of_names_hidden_files_and_links_aside(tmp_path):
    write(tmp_path, {"b/2.txt": "two", "a.md": "one", "c": "three", ".git/x.txt": "no"})
    write(tmp_path, {"b/.hidden": "no", "photo.png": PNG})
    os.symlink(tmp_path / "a.md", tmp_path / "link.txt")
    notes = ReadingNotes()
    found = [(d.id, d.text, d.folder) for d in documents(tmp_path, notes=notes)]
    assert found == [("a.md", "one", ()), ("b/2.txt", "two", ("b",)), ("c", "three", ())]
    assert notes.skipped == {"a link, not followed": 1, "binary, not text": 1}
    assert notes.examples["binary, not text"] == ["photo.png"]


@pytest.mark.parametrize(
    ("name", "content", "text", "title"),
    [
        ("a.txt", b"\n First line \nsecond", "\n First line \nsecond", "First line"),
        ("a.html", b"<title>T</title><p>x<b>y</b><p>z", "xy\nz", "T"),
        ("page", b"<!doctype html><title>T</title>words", "words", "T"),
        ("a.txt", b"<html> is a tag", "<html> is a tag", "<html> is a tag"),
        ("a.eml", MAIL, "Lunch\nAt noon.", "Lunch"),
        ("a.json", b'{"text": "words", "n": 1}', "words", "words"),
        ("empty.txt", b"", "", "empty.txt"),
        ("long.txt", b"x" * 200, "x" * 200, "x" * 80),
        ("a.txt", "naïve".encode("utf-16"), "naïve", "naïve"),
    ],
)
def test_a_file_is_a_document_with_a_title(tmp_path, name, content, text, title):
    write(tmp_path, {name: content})
    (document,) = documents(tmp_path / name)
    assert (document.id, document.text, document.title) == (name, text, title)


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [("gz", gzip.compress), ("xz", lzma.compress), ("bz2", bz2.compress)],
)
@pytest.mark.parametrize(
    ("name", "content", "ids"),
    [
        ("a.txt", b"words", ["a.txt"]),
        ("a.csv", b"id,text\n1,one\n2,two\n", ["1", "2"]),
        ("a.tar", tape({"x/1": b"one", "x/2": b"two"}), ["x/1", "x/2"]),
    ],
)
def test_compressed_files_are_read_like_the_files_in_them(
    tmp_path, suffix, compress, name, content, ids
):
    write(tmp_path, {f"{name}.{suffix}": compress(content)})
    assert list(texts_of(tmp_path / f"{name}.{suffix}")) == ids


@pytest.mark.parametrize("kind", ["zip", "tar", "tgz", "tar.xz", "tar.bz2"])
def test_archives_are_read_without_being_unpacked(tmp_path, kind):
    files = {"top/a/1.txt": b"one", "top/b/2.html": b"<p>two", "top/b/t.csv": b"text\nthree\n"}
    files |= {"top/.x": b"no", "top/p.png": PNG}
    mode = {"tgz": "w:gz", "tar.xz": "w:xz", "tar.bz2": "w:bz2"}.get(kind, "w")
    write(tmp_path, {f"x.{kind}": zipped(files) if kind == "zip" else tape(files, mode)})
    found = texts_of(tmp_path / f"x.{kind}")
    assert found == {"top/a/1.txt": "one", "top/b/2.html": "two", "top/b/t.csv:1": "three"}
    assert [p.name for p in tmp_path.iterdir()] == [f"x.{kind}"]


def test_an_archive_in_a_folder_is_a_folder_and_a_zip_in_an_archive_is_counted(tmp_path):
    write(tmp_path, {"t.tar": tape({"1.txt": b"one", "z.zip": zipped({"a": "b"})}), "b": "two"})
    notes = ReadingNotes()
    assert [d.id for d in documents(tmp_path, notes=notes)] == ["b", "t.tar/1.txt"]
    assert notes.skipped == {"zip inside an archive": 1}


def test_encrypted_and_damaged_members_are_counted_and_the_rest_is_read(tmp_path):
    content = bytearray(
        zipped({"a.txt": "good words", "b.txt": "bad words", "c.txt": "secret"})
    )
    content[content.index(b"bad words")] ^= 1
    header = content.rindex(b"PK\x01\x02")
    content[header + 8] |= 1
    write(tmp_path, {"x.zip": bytes(content)})
    notes = ReadingNotes()
    assert [d.text for d in documents(tmp_path / "x.zip", notes=notes)] == ["good words"]
    assert notes.skipped == {"damaged": 1, "encrypted": 1}


@pytest.mark.parametrize("cut", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_a_truncated_tape_is_read_as_far_as_it_goes(tmp_path, cut, mode):
    files = {f"{n}.txt": os.urandom(3000).hex().encode() for n in range(20)}
    whole = tape(files, mode)
    name = {"w": "x.tar", "w:gz": "x.tar.gz", "w:xz": "x.tar.xz"}[mode]
    write(tmp_path, {name: whole[: int(len(whole) * cut)], "other.txt": "other"})
    notes = ReadingNotes()
    found = [d.id for d in documents(tmp_path, notes=notes)]
    assert found[0] == "other.txt"
    assert len(found) < 21
    assert sum(notes.skipped.values()) >= 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("photo.png", PNG, "photo.png: binary, not text"),
        ("a.pdf", b"%PDF-1.4", "a.pdf: damaged"),
        ("x.zip", b"not a zip", "x.zip: not a readable archive"),
        ("x.tar", b"not a tape", "x.tar: not a readable archive"),
        ("x.txt.gz", b"not gzip", "x.txt.gz: damaged"),
        ("x.txt.xz", b"not xz", "x.txt.xz: damaged"),
        ("d.csv", b"id,text,label\n", "d.csv: no rows"),
        ("d.csv", b"", "d.csv: no rows"),
        ("d.csv", PNG, "d.csv: binary, not text"),
        ("d.jsonl", b"oops\n{\n", r"d.jsonl: line 1: not JSON \("),
        ("d.json", b"[oops", r"d.json: not JSON \("),
        ("d.json", b"[1, 2]", "d.json: no rows"),
        ("d.json", b'{"n": 1}', "d.json: no column holds text"),
        ("d.parquet", b"PAR1 oops", "d.parquet: not Parquet"),
        ("p.zip", zipped({"a.png": PNG}), r"no documents found \(1 binary, not text\)"),
    ],
)
def test_a_single_file_that_cannot_be_read_is_an_error_of_one_line(
    tmp_path, name, content, message
):
    write(tmp_path, {name: content})
    with pytest.raises(InputError, match=message) as caught:
        list(documents(tmp_path / name))
    assert "\n" not in str(caught.value)


def test_missing_paths_and_empty_folders_are_errors(tmp_path):
    with pytest.raises(InputError, match="nowhere: no such file or folder"):
        list(documents(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="no documents found"):
        list(documents(tmp_path))


TABLES = {
    "t.csv": b'id,body,kind\nx,"one, ""two""\nlines",a\ny,three,b\n',
    "t.tsv": b'id\tbody\tkind\nx\t"one, ""two""\nlines"\ta\ny\tthree\tb\n',
    "semicolon.csv": b'id;body;kind\r\nx;"one, ""two""\r\nlines";a\r\ny;three;b\r\n',
    "bar.csv": b'id|body|kind\nx|"one, ""two""\nlines"|a\ny|three|b\n',
    "mac.csv": b'id,body,kind\rx,"one, ""two""\rlines",a\ry,three,b\r',
    "t.jsonl": b'{"id": "x", "body": "one, \\"two\\"\\nlines", "kind": "a"}\n\n'
    b'{"id": "y", "body": "three", "kind": "b"}',
    "t.json": json.dumps(
        [
            {"id": "x", "body": 'one, "two"\nlines', "kind": "a"},
            {"id": "y", "body": "three", "kind": "b"},
        ]
    ).encode(),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_tables_say_the_same_in_every_form(tmp_path, name, encoding):
    write(tmp_path, {name: TABLES[name].decode().encode(encoding)})
    found = list(documents(tmp_path / name, Columns(id="id", label="kind")))
    assert [(d.id, d.text, d.label) for d in found] == [
        ("x", 'one, "two"\nlines', "a"),
        ("y", "three", "b"),
    ]


def test_parquet_is_a_table(tmp_path):
    rows = {"n": [1, 2], "body": ["one", None], "nested": [{"lang": "en"}, {"lang": "de"}]}
    pq.write_table(pa.table(rows), tmp_path / "t.parquet")
    columns = Columns(id="n", label="nested.lang")
    found = list(documents(tmp_path / "t.parquet", columns))
    assert [(d.id, d.text, d.label) for d in found] == [("1", "one", "en"), ("2", "", "de")]
    archive = zipped({"t.parquet": (tmp_path / "t.parquet").read_bytes()})
    write(tmp_path, {"x.zip": archive})
    assert list(texts_of(tmp_path / "x.zip")) == ["t.parquet:1", "t.parquet:2"]


def test_a_missing_column_is_named_with_those_there_are(tmp_path):
    write(tmp_path, {"data.csv": "id,text,label\n1,a,b\n"})
    message = "data.csv: no column 'body'. Columns: id, text, label"
    with pytest.raises(InputError, match=message):
        texts_of(tmp_path / "data.csv", text=("body",))


def test_columns_named_for_files_that_have_none_are_said_to_be_missing(tmp_path):
    write(
        tmp_path, {"a.txt": "first", "b.csv": "body\nsecond\n", "c.mbox": "From x\n\nthird\n"}
    )
    notes = ReadingNotes()
    found = list(documents(tmp_path, Columns(text=("body",)), notes))
    assert len(found) == 3
    said = "files that are not tables read whole: they have no column 'body'"
    assert notes.guesses == [said]


def test_the_text_column_is_guessed_by_name_then_by_length_and_said(tmp_path):
    write(tmp_path, {"a.csv": "n,Abstract,remarks\n1,short,very very long\n"})
    write(tmp_path, {"b.csv": "n,x,y\n1,short,very very long\n"})
    for name, text, column in (("a", "short", "Abstract"), ("b", "very very long", "y")):
        notes = ReadingNotes()
        (document,) = documents(tmp_path / f"{name}.csv", notes=notes)
        assert document.text == text
        assert notes.guesses == [f"text taken from column '{column}'"]


def test_several_text_columns_are_joined_and_nested_ones_found(tmp_path):
    write(tmp_path, {"a.jsonl": '{"t": "one", "u": {"v": 2}}\n{"t": null}\n'})
    assert texts_of(tmp_path / "a.jsonl", text=("t", "u.v")) == {"1": "one\n2", "2": "\n"}


def test_a_single_column_may_hold_any_delimiter(tmp_path):
    write(tmp_path, {"a.csv": 'text\none, two; three\n"quoted, too"\n'})
    assert list(texts_of(tmp_path / "a.csv").values()) == ["one, two; three", "quoted, too"]


def test_huge_fields_are_fine_and_the_limit_of_the_process_stays(tmp_path):
    before = csv.field_size_limit(131_072)
    huge = "word " * 100_000
    write(tmp_path, {"a.csv": f"id,text\n1,{huge}\n"})
    assert [d.text for d in documents(tmp_path / "a.csv")] == [huge]
    assert csv.field_size_limit(before) == 131_072


def test_bad_lines_are_counted_with_their_numbers(tmp_path):
    write(tmp_path, {"a.jsonl": '{"text": "one"}\noops\n[1]\n"two"\n'})
    notes = ReadingNotes()
    found = {d.id: d.text for d in documents(tmp_path / "a.jsonl", notes=notes)}
    assert found == {"1": "one", "4": "two"}
    assert notes.examples == {
        "not JSON": ["a.jsonl, line 2"],
        "not a JSON object or string": ["a.jsonl, line 3"],
    }


def test_repeated_ids_are_made_unique_and_counted(tmp_path):
    write(tmp_path, {"a.csv": "id,text\nx,a\nx,b\nx-2,c\nx,d\n"})
    notes = ReadingNotes()
    found = [d.id for d in documents(tmp_path / "a.csv", Columns(id="id"), notes)]
    assert found == ["x", "x-2", "x-2-2", "x-3"]
    assert notes.renamed == 3


def test_halves_of_characters_are_replaced_and_counted(tmp_path):
    write(tmp_path, {"a.jsonl": '{"te\\ud800xt": "a\\ud800b", "id": "x"}\n'})
    notes = ReadingNotes()
    (document,) = documents(tmp_path / "a.jsonl", notes=notes)
    assert document.text == "a\ufffdb"
    assert notes.replaced == 1


def test_a_half_in_the_name_of_a_column_is_replaced(tmp_path):
    rows = '{"te\\ud800xt": "green tea", "n": 1}\n{"te\\ud800xt": "dark rum", "n": 2}\n'
    write(tmp_path, {"a.jsonl": rows})
    assert read(tmp_path / "a.jsonl").texts([0, 1]) == ["green tea", "dark rum"]


@pytest.mark.parametrize("compress", [lzma.compress, bz2.compress])
def test_compressed_streams_one_after_the_other_are_all_read(tmp_path, compress):
    suffix = ".xz" if compress is lzma.compress else ".bz2"
    first, second = compress(b"tea "), compress(b"rum")
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(first + (bytes(8) if suffix == ".xz" else b"") + second)
    assert [each.text for each in documents(path)] == ["tea rum"]
    path.write_bytes(
        first + b"?" + second[1:]
    )  # once read as far as the damage, without a word
    with pytest.raises(InputError, match="damaged"):
        list(documents(path))
    path.write_bytes(first + second[:-3])
    with pytest.raises(InputError, match="damaged"):
        list(documents(path))


def test_links_in_a_zip_archive_are_counted_and_not_read(tmp_path):
    link = zipfile.ZipInfo("b.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.txt", "tea")
        archive.writestr(link, "/etc/passwd")
    notes = ReadingNotes()
    assert [each.text for each in documents(tmp_path / "a.zip", notes=notes)] == ["tea"]
    assert notes.skipped == {"a link, not followed": 1}


def test_an_mbox_is_a_mail_a_document(tmp_path):
    box = b"From x\n" + MAIL + b"\nFrom y\nSubject: Next\n\n>From here on\nFrom inside\n"
    write(tmp_path, {"m.mbox": box})
    found = [(d.id, d.title, d.text) for d in documents(tmp_path / "m.mbox")]
    assert found == [
        ("1", "Lunch", "Lunch\nAt noon."),
        ("2", "Next", "Next\nFrom here on\nFrom inside"),
    ]


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([("text/html", "<p>page</p>"), ("text/plain", "plain")], "S\nplain"),
        ([("text/html", "<p>page</p><style>no</style>")], "S\npage"),
        ([("image/png", "no")], "S"),
    ],
)
def test_plain_parts_are_preferred_to_pages(parts, text):
    body = "".join(f"--B\nContent-Type: {kind}\n\n{content}\n" for kind, content in parts)
    mail = f"Subject: S\nContent-Type: multipart/alternative; boundary=B\n\n{body}--B--\n"
    assert mail_text(mail.encode(), ReadingNotes())[:2] == (text, "S")


@pytest.mark.parametrize(
    "head",
    [
        b"Subject: =?bogus?q?=E9?=\nContent-Type: text/plain; charset=bogus\n",
        b"Subject: =?utf-8?b?!!!?=\nContent-Transfer-Encoding: base64\n",
        b"Subject: \xff\xfe\nContent-Type: text/plain; charset*=utf-8'%\n",
        b"Content-Type: multipart/mixed\n",
        b"Content-Type: multipart/mixed; boundary=\n",
    ],
)
def test_broken_mails_are_read_somehow(head):
    text, title, _ = mail_text(head + b"\nbody \xe9 of mail\n", ReadingNotes())
    assert isinstance(text, str)
    assert isinstance(title, str)


@given(st.binary(max_size=300))
def test_no_mail_crashes(data):
    mail_text(b"Subject: x\nContent-Type: " + data, ReadingNotes())
    mail_text(b"Subject: " + data, ReadingNotes())


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a</p><script>no()</script><style>no{}</style><p>b", "a\nb"),
        ("<ul><li>a<li>b</ul>c<br>d", "a\nb\nc\nd"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a\nb"),
        ("caf&eacute; &lt;b&gt;<!-- no -->", "café <b>"),
        ("", ""),
    ],
)
def test_only_what_is_seen_of_a_page_is_text(html, text):
    assert visible_text(html)[0] == text


@pytest.mark.parametrize(
    ("data", "text", "encoding", "replaced"),
    [
        ("é".encode(), "é", "utf-8", 0),
        (b"\xef\xbb\xbf" + "é".encode(), "é", "utf-8", 0),
        ("été".encode("utf-16"), "été", "utf-16-le", 0),
        (b"\xfe\xff" + "été".encode("utf-16-be"), "été", "utf-16-be", 0),
        ("plain words".encode("utf-16-le"), "plain words", "utf-16-le", 0),
        ("plain words".encode("utf-16-be"), "plain words", "utf-16-be", 0),
        ("“été”".encode("cp1252"), "“été”", "windows-1252", 0),
        (b"\x81\xe9", "\x81é", "iso-8859-1", 0),
        (b"caf\xc3\xa9 \xff\xff", "café \ufffd\ufffd", "utf-8", 2),
        ("genuine \ufffd".encode(), "genuine \ufffd", "utf-8", 0),
        (b"", "", "utf-8", 0),
    ],
)
def test_encodings_are_found(data, text, encoding, replaced):
    found = decode(data)
    assert (found.text, found.encoding, found.replaced) == (text, encoding, replaced)


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("مرحبا كيف حالك", "iso-8859-6"),
        ("Příliš žluťoučký kůň", "iso-8859-2"),
        ("ありがとうございます", "shift_jis"),
        ("ありがとうございます", "euc-jp"),
        ("喝茶", "gb2312"),
        ("喝茶", "utf-16"),
        ("Ačiū už žinutę", "iso-8859-4"),
        ("Grüße aus Köln", "utf-7"),
        ("我们喝茶 今天天气很好", "hz-gb-2312"),
        ("Green tea", "cp037"),
        ("Gruesse", "utf-32"),
    ],
)
def test_an_encoding_that_is_declared_is_believed(text, declared):
    """None of these is guessed right."""
    assert decode(text.encode(declared), declared).text == text


@pytest.mark.parametrize(
    ("text", "encoding", "declared"),
    [
        ("“cœur”", "windows-1252", "iso-8859-1"),
        ("Добрый день, отправляю отчёт", "koi8-r", "iso-8859-1"),
        ("Добрый день, отправляю отчёт", "utf-8", "koi8-r"),
        ("été", "windows-1252", "utf-8"),
        ("a ~{ b +AGE-", "ascii", "us-ascii"),
        ("été", "windows-1252", "no such"),
    ],
)
def test_an_encoding_that_a_text_is_not_in_is_not_believed(text, encoding, declared):
    assert decode(text.encode(encoding), declared).text == text


def test_a_declaration_in_ascii_is_not_of_utf_16(tmp_path):
    page = '<html><meta charset="utf-16"><p>L\'été dernier, à la plage!'
    (tmp_path / "a.html").write_bytes(page.encode("cp1252"))
    (tmp_path / "a.xml").write_bytes(
        '<?xml version="1.0" encoding="UTF-16"?><a>été?'.encode("cp1252")
    )
    texts = [each.text for each in documents(tmp_path)]
    assert texts == ["L'été dernier, à la plage!", "été?"]


SENTENCES = {
    ("windows-1251", "Это длинный русский текст о погоде и природе."),
    ("koi8-r", "Это длинный русский текст о погоде и природе."),
    ("windows-1250", "Zażółć gęślą jaźń, to jest zdanie po polsku o pogodzie."),
    ("windows-1253", "Αυτό είναι ένα ελληνικό κείμενο για τον καιρό."),
    ("windows-1255", "זהו משפט ארוך בעברית על מזג האוויר והטבע."),
    ("windows-1256", "هذه جملة طويلة باللغة العربية عن الطقس والطبيعة."),
    ("shift_jis", "これは日本語の文章です。東京は大きな都市です。"),
    ("euc-jp", "これは日本語の文章です。東京は大きな都市です。"),
    ("gb18030", "这是一个中文句子，北京是中国的首都。"),
    ("big5", "這是一個中文句子，臺北是一個城市。"),
    ("euc-kr", "안녕하세요 세계. 이것은 한국어 문장입니다."),
    ("windows-1252", "L'été dernier, à la plage, le garçon était très heureux."),
    ("windows-1252", "Über die Straße gehen müde Bären, schön und groß."),
    ("windows-1252", "El niño comió la piñata en la montaña; ¿qué pasó después?"),
    ("windows-1252", "A informação não é opção; a ação começa amanhã às três."),
    ("windows-1252", "Räksmörgås på Åland är väldigt gott även på hösten."),
}


@pytest.mark.parametrize(("encoding", "sentence"), sorted(SENTENCES))
def test_encodings_of_many_languages_are_found(encoding, sentence):
    for text in ("\n".join(["plain words", *[sentence] * 3]), sentence * 999):
        found = decode(text.encode(encoding))
        assert (found.text, found.encoding, found.replaced) == (text, encoding, 0)
        (line, *_) = decoded_lines(b"", io.BytesIO(text.encode(encoding)), ReadingNotes())
        assert line == text.split("\n")[0] + ("\n" if "\n" in text else "")


def test_a_page_is_read_in_the_character_set_it_declares(tmp_path):
    page = '<meta charset="windows-1251"><p>привет'.encode("cp1251")
    notes = ReadingNotes()
    write(tmp_path, {"a.html": page})
    (document,) = documents(tmp_path / "a.html", notes=notes)
    assert document.text == "привет"
    assert notes.encodings == {"windows-1251": 1}


@given(st.binary())
def test_no_bytes_crash_the_decoder(data):
    assert isinstance(decode(data).text, str)
    assert isinstance(looks_binary(data), bool)
    assert all(decoded_lines(data, io.BytesIO(b""), ReadingNotes()))


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
@pytest.mark.parametrize("ascii_before", [0, 65_535, 200_000])
def test_the_encoding_of_a_stream_is_found_however_late_it_shows(encoding, ascii_before):
    text = "x" * ascii_before + "été\r\nnaïve\n" + "déjà vu " * 9_000
    data = text.encode(encoding)
    notes = ReadingNotes()
    lines = list(decoded_lines(b"", io.BytesIO(data), notes))
    assert lines == ["x" * ascii_before + "été\n", "naïve\n", "déjà vu " * 9_000]
    assert notes.replaced == 0
    assert sum(notes.encodings.values()) == (encoding != "utf-8")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("windows-1252", "100 °C – 20 °C ± 5 %, 30 µm × 40 µm ½ © ®"),
        ("windows-1252", "It’s “fine” — he said, and she didn’t think it’s so “bad”."),
        ("cp866", "Это длинный русский текст о погоде и природе."),
        ("iso2022_jp", "これは日本語の文章です。"),
    ],
)
def test_few_or_odd_letters_do_not_mislead(encoding, text):
    found = decode(text.encode(encoding))
    assert (found.text, found.encoding) == (text, encoding)


def test_text_with_a_few_control_characters_is_text_and_random_bytes_are_not():
    assert not looks_binary(b"a page\x0c with \x1b[1mbold\x1b[0m words" * 9 + b"one \x00 stray")
    assert looks_binary(bytes(range(256)) * 8)
    assert looks_binary(b"%PDF-1.4 looks like text")


@pytest.mark.parametrize(
    ("folders", "labels"),
    [
        ([("a",), ("b",)], ["a", "b"]),
        ([("x", "y", "a", "u"), ("x", "y", "b", "u")], ["a", "b"]),
        ([(), ("a",), ("a", "deep")], ["", "a", "a"]),
        ([("a",), ("a", "b"), ("a", "c")], ["", "b", "c"]),
        ([("a",), ("a",)], None),
        ([(), ()], None),
        ([], None),
    ],
)
def test_labels_are_the_first_folder_that_varies(folders, labels):
    assert labels_from_folders(folders) == labels


def test_notes_are_sentences_and_survive_json():
    notes = ReadingNotes(documents=1, empty=2, replaced=1, renamed=3)
    for number in range(5):
        notes.skip("damaged", f"{number}.txt")
    notes.skip("encrypted", "x")
    notes.leave_out("not JSON", "a.jsonl, line 2")
    notes.decoded("windows-1252")
    notes.guess("language identified as 'en'")
    assert notes.lines() == [
        "1 document read",
        "6 files were skipped: 5 damaged (0.txt, 1.txt, 2.txt, ...); 1 encrypted (x)",
        "1 row was left out: 1 not JSON (a.jsonl, line 2)",
        "1 text read as windows-1252, not UTF-8",
        "1 unreadable character replaced",
        "3 repeated ids made unique by a suffix",
        "2 documents without any word, left empty",
        "language identified as 'en'",
    ]
    assert ReadingNotes.from_values(json.loads(json.dumps(notes.to_values()))) == notes


@pytest.mark.parametrize(
    ("name", "advice"), [("a.msg", ".eml"), ("a.doc", ".docx"), ("a.bin", "binary")]
)
def test_files_that_are_not_read_are_refused_with_what_to_do(tmp_path, name, advice):
    (tmp_path / name).write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(InputError, match=advice):
        list(documents(tmp_path / name))
