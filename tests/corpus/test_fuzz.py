"""Any bytes give documents and notes, or an `InputError`, in bounded time.

The usual tests try a few inputs; `make soak` tries new ones for an hour, or for as many seconds
as COTERIE_FUZZ_SECONDS says.
"""

import bz2
import gzip
import io
import json
import lzma
import os
import sqlite3
import struct
import tarfile
import time
import zipfile
from contextlib import closing

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from coterie.corpus.limits import Limits
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.readers import documents
from coterie.corpus.tables import Columns
from coterie.errors import InputError

LONG = float(os.environ.get("COTERIE_FUZZ_SECONDS", 3600))
SECONDS = 10  # of one input; a few milliseconds are usual
LIMITS = Limits(document=1 << 20, archive=1 << 22, collection=1 << 23)
SUFFIXES = [
    ".txt", ".html", ".eml", ".mbox", ".csv", ".tsv", ".json", ".jsonl", ".parquet", ".zip",
    ".tar", ".tgz", "", ".csv.gz", ".txt.xz", ".jsonl.bz2", ".tar.gz", ".mbox.gz", ".zip.gz",
    ".arrow", ".feather", ".db", ".rtf", ".xml",
]  # fmt: skip
PIECES = {
    "table": [
        b'"', b'""', b",", b";", b"\t", b"|", b"\n", b"\r", b"\r\n", b"id", b"text", b"1", b" ",
    ],
    "json": [
        b"{", b"}", b"[", b"]", b'"text"', b'"', b":", b",", b"\n", b"1e999", b"-", b"null",
        b"NaN", b"\\ud800", b'{"text": "a"}\n', b'{"a": {"b": [1, 2]}}\n', b"[" * 2000,
    ],
    "mail": [
        b"From ", b"From: a\n", b"Subject: ", b"=?utf-8?q?=C3?=", b"=?x?b?!?=", b"\n",
        b">From ", b"Content-Type: multipart/mixed; boundary=B\n", b"--B\n", b"--B--\n",
        b"Content-Transfer-Encoding: base64\n", b"Content-Type: message/rfc822\n", b"====",
        b"Content-Type: text/html\n", b"Content-Type: text/plain; charset=utf-16\n",
    ],
    "html": [
        b"<", b">", b"</", b"<div>", b"<p", b"<script>", b"</title>", b"<title>", b"<svg>",
        b"<template>", b"<table>", b"<!--", b"-->", b"&amp", b"&#x110000;", b"charset=x",
        b"<html>", b"<body>", b"<plaintext>", b"<math><mi>", b"<![CDATA[", b"<div>" * 600,
    ],
    "bytes": [
        b"\0", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc3", b"\xe9", b"\xed\xa0\x80",
        b"a", b"\xd8\x00", b"\x1b$B", b"\x80", "é".encode(), "漢字".encode("shift_jis"),
    ],
}  # fmt: skip


def mixed(kind):
    piece = st.sampled_from(PIECES[kind] + PIECES["bytes"]) | st.binary(max_size=8)
    return st.lists(piece, max_size=60).map(b"".join)


contents = st.one_of(*map(mixed, PIECES))
names = st.sampled_from(
    ["a.txt", "b.csv", "c/d.jsonl", "e.html", "f.gz", "g.parquet", "h.mbox"]
)


def zipped(files, method):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return stream.getvalue()


def taped(files, format):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=format) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def parquet(rows):
    stream = io.BytesIO()
    pq.write_table(pa.table({"text": rows, "n": list(range(len(rows)))}), stream)
    return stream.getvalue()


def arrow(rows, compression):
    table = pa.table({"text": rows, "n": list(range(len(rows)))})
    stream = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(stream, table.schema, options=options) as writer:
        writer.write_table(table)
    return stream.getvalue()


def database(rows):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE teas (text TEXT, n INTEGER)")
        values = [(row, number) for number, row in enumerate(rows)]
        connection.executemany("INSERT INTO teas VALUES (?, ?)", values)
        connection.commit()
        return connection.serialize()


def gzipped(data):
    return gzip.compress(data, mtime=0)


files = st.dictionaries(names, contents, max_size=4)
methods = st.sampled_from(
    [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
formats = st.sampled_from([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
rows = st.lists(st.text(max_size=9) | st.none(), min_size=1, max_size=9)
whole = st.one_of(
    contents,
    st.builds(zipped, files, methods),
    st.builds(taped, files, formats),
    rows.map(parquet),
    rows.map(database),
    st.builds(arrow, rows, st.sampled_from([None, "zstd", "lz4"])),
)
packed = st.one_of(whole, *(whole.map(f) for f in (gzipped, bz2.compress, lzma.compress)))


@st.composite
def damaged(draw):
    """A file of any kind, with some bytes changed, cut out or repeated."""
    data = bytearray(draw(packed))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        how = draw(st.sampled_from(["change", "byte", "cut", "repeat", "number"]))
        if how == "change":
            data[at : at + 1] = draw(st.binary(max_size=2))
        elif how == "cut":
            del data[at : at + draw(st.integers(0, 600))]
        elif how == "repeat":
            data[at:at] = data[at : at + draw(st.integers(0, 600))]
        elif how == "byte":
            data[at : at + 1] = draw(st.binary(min_size=1, max_size=1))
        else:
            data[at : at + 4] = struct.pack("<I", draw(st.integers(0, 2**32 - 1)))
    return bytes(data)


def check(path, columns):
    """Read a path, only an `InputError` may be raised; the seconds of the processor."""
    notes = ReadingNotes()
    started = time.process_time()
    try:
        for document in documents(path, columns, notes, LIMITS):
            assert document.text.encode() is not None
            assert document.id.encode()
            assert document.title.encode()
    except InputError:
        pass
    "\n".join(notes.lines()).encode()
    assert ReadingNotes.from_values(json.loads(json.dumps(notes.to_values()))) == notes
    seconds = time.process_time() - started
    assert seconds < SECONDS
    return seconds


some_columns = st.sampled_from(
    [Columns(), Columns(text=("text",)), Columns(views=("text", "a"))]
)
quick = settings(
    max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@quick
@given(data=damaged(), suffix=st.sampled_from(SUFFIXES), columns=some_columns)
def test_any_bytes_are_read_or_refused(tmp_path_factory, data, suffix, columns):
    path = tmp_path_factory.getbasetemp() / f"fuzz{suffix}"
    path.write_bytes(data)
    check(path, columns)


@pytest.mark.soak
def test_any_bytes_are_read_or_refused_for_long(tmp_path):
    phases = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]
    n_read = 0
    slowest = 0.0
    long = settings(quick, derandomize=False, max_examples=2000, phases=phases)

    @long
    @given(data=damaged(), suffix=st.sampled_from(SUFFIXES), columns=some_columns)
    def try_new(data, suffix, columns):
        nonlocal n_read, slowest
        path = tmp_path / f"fuzz{suffix}"
        path.write_bytes(data)
        slowest = max(slowest, check(path, columns))
        n_read += 1

    end = time.monotonic() + LONG
    while time.monotonic() < end:
        try_new()
    print(f"{n_read} files read or refused in {LONG:.0f} s, the slowest in {slowest:.2f} CPU s")
