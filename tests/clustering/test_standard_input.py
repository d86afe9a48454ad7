"""Standard input: its beginning says what it holds, and no row is taken for a text."""

import io
import sys

import pytest

import coterie
from commands import refuse
from coterie import Limits, TextOptions
from coterie.clustering.sources import Reading, read_stream
from coterie.errors import InputError

ENGLISH = TextOptions(language="en", min_df=1)


def read(content, **settings):
    data = content if isinstance(content, bytes) else content.encode()
    corpus = read_stream(io.BytesIO(data), Reading(options=ENGLISH, **settings))
    return corpus.texts(slice(None)), corpus.notes


class Endless(io.RawIOBase):
    """Bytes without an end, of which only so many may be asked for."""

    def __init__(self, sign):
        self._sign, self.asked = sign, 0

    def read(self, size=-1):
        self.asked += size
        assert self.asked < 1 << 22
        return self._sign * (size // len(self._sign))


def test_a_stream_without_end_is_refused_by_its_beginning():
    with pytest.raises(InputError, match="standard input: binary, not text"):
        read_stream(Endless(b"\0"), Reading())
    with pytest.raises(InputError, match="standard input: more than 1 MB"):
        read_stream(Endless(b"tea "), Reading(limits=Limits(collection=1 << 20)))


def test_a_closed_stream_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input: closed, expected documents"):
        coterie.cluster("-", 2)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_mark_of_the_encoding_hides_no_format(encoding):
    texts, _ = read('{"text": "green tea"}\n{"text": "dark rum"}\n'.encode(encoding))
    assert texts == ["green tea", "dark rum"]


def test_a_line_that_begins_with_from_is_no_mailbox():
    lines = ["From Paris with love", "Green tea"]
    assert read("\n".join(lines))[0] == lines
    texts, _ = read("From me Mon Jan  5 2004\nFrom: me\nSubject: tea\n\nGreen?\n")
    assert texts == ["tea\nGreen?"]


@pytest.mark.parametrize("between", [" ", "\n"])
def test_a_table_of_long_texts_is_a_table(between):
    """The beginning that is looked at ends within a row."""
    texts = [between.join([f"word{n}"] * 3000) for n in range(9)]
    rows = "".join(f'"{text}",{n}\n' for n, text in enumerate(texts))
    assert read("text,id\n" + rows)[0] == texts


def test_two_long_lines_are_no_table():
    lines = ["tea, rum", "milk " * 30_000]
    assert read("\n".join(lines))[0] == [each.rstrip("\n") for each in lines]


def test_what_is_replaced_is_noted_and_a_long_line_refused():
    _, notes = read("caf\u00e9 \u00e9t\u00e9\nmore\n".encode("latin-1"))
    assert notes.encodings == {"windows-1252": 1}
    with pytest.raises(InputError, match="standard input: line 2 is larger than 1000 bytes"):
        read("tea\n" + "word " * 40_000, limits=Limits(document=1000))


def test_what_files_are_named_does_not_drive_the_terminal(tmp_path):
    (tmp_path / "a.csv").write_text("id,te\x1b[31mxt\n1,green tea\n")
    refuse(
        r"no column 'body'. Columns: id, te\x1b[31mxt",
        "cluster",
        tmp_path / "a.csv",
        "--text",
        "body",
    )
