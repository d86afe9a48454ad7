"""Files made to be endless, huge or deep are refused at once, or read in linear time."""

import gzip
import io
import lzma
import os
import socket
import sqlite3
import struct
import tarfile
import time
import zipfile
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import coterie
from coterie import Corpus, Limits, TextOptions
from coterie.corpus import limits as limits_module
from coterie.corpus import parquet
from coterie.corpus.columns import unpacked
from coterie.corpus.encodings import decoded_lines
from coterie.corpus.kinds import databases
from coterie.corpus.mail import mail_text, messages
from coterie.corpus.markup import visible_text
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.readers import documents
from coterie.errors import InputError

MB = 1 << 20
WORDS = b"some words and more, "
PAIRS = pa.map_(pa.string(), pa.string())


def refusal(path, limits=None):
    with pytest.raises(InputError) as caught:
        list(documents(path, limits=limits or Limits()))
    return str(caught.value)


def overlapping(n_members, size):
    """A zip archive all of whose members are the same bytes of it."""
    raw, name = b"a" * size, b"a.txt"
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(raw) + packer.flush()
    sizes = (zlib.crc32(raw), len(data), len(raw), len(name))
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 0, *sizes, 0) + name + data
    entry = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 0, *sizes, *[0] * 6) + name
    length = n_members * len(entry)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, *[n_members] * 2, length, len(local), 0)
    return local + entry * n_members + end


def tape_of_size(size, format=tarfile.GNU_FORMAT):
    member = tarfile.TarInfo("a.txt")
    member.size = size
    return (member.tobuf(format) + b"words" + bytes(507)) * 20


def cpu_seconds(function):
    started = time.process_time()
    function()
    return time.process_time() - started


def test_overlapping_members_are_refused_at_once(tmp_path):
    (tmp_path / "a.zip").write_bytes(overlapping(4000, 10 * MB))
    assert "overlap" in refusal(tmp_path / "a.zip")


def test_a_zip_that_says_it_is_huge_is_refused_at_once(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(8):
            archive.writestr(f"{number}.txt", b"a" * 10 * MB)
    assert "a.zip: expands to more than 64 MB" in refusal(tmp_path / "a.zip")
    assert len(list(documents(tmp_path / "a.zip", limits=Limits(ratio=10_000)))) == 8


@pytest.mark.parametrize("format", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("suffix", [".tar", ".tgz"])
def test_a_tape_with_absurd_sizes_is_refused_at_once(tmp_path, format, suffix):
    content = tape_of_size(2**60, format)
    path = tmp_path / f"a{suffix}"
    path.write_bytes(gzip.compress(content) if suffix == ".tgz" else content)
    assert "expands to more than 64 MB" in refusal(path)


def test_sparse_members_are_skipped(tmp_path):
    member = tarfile.TarInfo("a.txt")
    member.size = 512
    sparse = {"major": "1", "minor": "0", "name": "a.txt", "realsize": "1000"}
    member.pax_headers = {f"GNU.sparse.{key}": value for key, value in sparse.items()}
    content = member.tobuf(tarfile.PAX_FORMAT) + b"0\n" + bytes(510)
    (tmp_path / "a.tar").write_bytes(content + bytes(1024))
    assert "1 not a regular file" in refusal(tmp_path / "a.tar")


@pytest.mark.parametrize(
    "name", ["a.txt.gz", "a.csv.gz", "a.txt.xz", "a.tar.gz", "a.txt.gz.gz"]
)
def test_what_expands_too_much_is_refused(tmp_path, name, monkeypatch):
    monkeypatch.setattr(limits_module, "WITHOUT_RATIO", MB // 16)
    compress = lzma.compress if name.endswith("xz") else gzip.compress
    content = b"id,text\n" + b"1,a\n" * (MB // 4)
    if ".tar" in name:
        tape = io.BytesIO()
        with tarfile.open(fileobj=tape, mode="w") as archive:
            member = tarfile.TarInfo("a.csv")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        content = tape.getvalue()
    for _ in range(name.count(".gz") + name.count(".xz")):
        content = compress(content)
    (tmp_path / name).write_bytes(content)
    message = refusal(tmp_path / name)
    assert f"{name}: expands to more than" in message
    assert "raise the limits archive and ratio" in message
    (tmp_path / "other.txt").write_text("words")
    notes = ReadingNotes()
    assert [each.id for each in documents(tmp_path, notes=notes)][-1] == "other.txt"
    assert sum((notes.skipped + notes.partial).values()) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"a" * 2000),
        ("a.csv", b"text\nx\n" + b"a" * 2000 + b"\n"),
        ("a.csv", b'text\nx\n"' + b"a\n" * 2000),
        ("a.jsonl", b'{"text": "' + b"a" * 100_000 + b'"}'),
        ("a.json", b'{"text": "' + b"a" * 10_000 + b'"}'),
        ("a.mbox", b"From x\n\n" + b"a\n" * 2000),
        ("a.html", b"<p>" + b"a" * 10_000),
    ],
)
def test_a_document_beyond_the_limit_is_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert "larger than 1000 bytes" in refusal(tmp_path / name, Limits(document=1000))


def test_a_collection_beyond_the_limit_is_refused(tmp_path):
    for number in range(5):
        (tmp_path / f"{number}.txt").write_bytes(b"a" * 300)
    message = refusal(tmp_path, Limits(collection=1000))
    assert message.startswith("3.txt: the collection is larger than 1000 bytes")


def test_limits_are_kept_to_read_texts_again(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"some words " * 20)
    (tmp_path / "b.txt").write_bytes(b"tea")
    how = TextOptions(language="en")
    corpus = Corpus.read(tmp_path, options=how, limits=Limits(document=100))
    assert corpus.ids == ["b.txt"]
    corpus.save(tmp_path / ".saved")
    assert Corpus.load(tmp_path / ".saved").texts([0]) == ["tea"]


@pytest.mark.parametrize(
    "setting", ["document", "document=", "size=3", "document=3XB", "ratio=0"]
)
def test_limits_that_say_nothing_are_refused(setting):
    with pytest.raises(InputError, match="limit"):
        Limits.parse([setting])


def test_an_empty_path_is_refused():
    with pytest.raises(InputError, match="path: empty"):
        list(documents(""))


def test_a_path_that_no_file_can_have_is_refused():
    for path in ("a\0b", "a" * 5000):
        with pytest.raises(InputError):
            list(documents(path))


def test_pipes_sockets_and_devices_are_refused_or_skipped(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket.txt"))
        (tmp_path / "a.txt").write_text("words")
        notes = ReadingNotes()
        assert [each.id for each in documents(tmp_path, notes=notes)] == ["a.txt"]
    assert notes.skipped == {"not a regular file": 2}
    for path in (tmp_path / "pipe.txt", "/dev/zero"):
        assert "a pipe, socket or device" in refusal(path)


@pytest.mark.parametrize("path", ["/dev/zero", "large.txt", "folder", "missing"])
def test_stop_words_come_from_a_regular_file_of_bounded_size(tmp_path, path):
    (tmp_path / "folder").mkdir()
    with (tmp_path / "large.txt").open("wb") as file:
        file.truncate(17 * MB)
    with pytest.raises(InputError, match="a readable file of words of at most 16 MB"):
        Corpus.from_texts(["a b"], options=TextOptions(stop_words=str(tmp_path / path)))


@pytest.mark.parametrize("name", ["d", "a-long-name-" * 12])
def test_folders_are_read_however_deep(tmp_path, name):
    at = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir(name, dir_fd=at)
        at, outer = os.open(name, os.O_RDONLY, dir_fd=at), at
        os.close(outer)
    with open(os.open("a.txt", os.O_WRONLY | os.O_CREAT, dir_fd=at), "w") as file:
        file.write("deep words")
    os.close(at)
    found = [(each.text, len(each.folder)) for each in documents(tmp_path)]
    assert found == [("deep words", 1200)]
    _remove_deep(tmp_path, name)


def _remove_deep(folder, name):
    """Remove nested folders from above: each is moved up before its parent is removed."""
    while (folder / name / name).exists():
        (folder / name / name).rename(folder / "inner")
        (folder / name).rmdir()
        (folder / "inner").rename(folder / name)


def test_a_long_line_is_read_in_linear_time():
    def read(n_bytes):
        stream = io.BytesIO(WORDS * (n_bytes // len(WORDS)))
        return lambda: list(decoded_lines(b"", stream, ReadingNotes()))

    assert cpu_seconds(read(64 * MB)) < 5


def test_deep_pages_are_read_in_linear_time_and_nothing_visible_is_lost():
    deep = "<div>one " * 50_000 + "<script>no</script><b>wo</b>rds" + "</div>" * 50_000
    started = time.process_time()
    text, _ = visible_text(f"{deep}<p>end<p>")
    assert time.process_time() - started < 5
    assert text.split() == ["one"] * 50_000 + ["words", "end"]


def test_many_pieces_of_an_encoded_subject_are_read_in_linear_time():
    mail = b"Subject: " + b"=?a?q?" * 200_000 + b"\n\nwords"
    assert cpu_seconds(lambda: mail_text(mail, ReadingNotes())) < 5


def test_names_that_are_no_text_can_be_shown(tmp_path):
    (tmp_path / "a.txt").write_text("words")
    (tmp_path / os.fsdecode(b"\xff.png")).write_bytes(b"\x89PNG")
    notes = ReadingNotes()
    list(documents(tmp_path, notes=notes))
    assert "\n".join(notes.lines()).encode()


def tape_with(name="a.txt", **headers):
    member = tarfile.TarInfo(name)
    member.size = 5
    member.pax_headers = {key.replace("_", "."): value for key, value in headers.items()}
    return member.tobuf(tarfile.PAX_FORMAT) + b"words" + bytes(507)


def zip_with(name):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("x" * len(name) or "x", "words")
    return stream.getvalue().replace(b"x" * len(name), name) if name else stream.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.tar", tape_with(GNU_sparse_map="a,b"), "not a readable archive (malformed"),
        ("a.tar", tape_with("../.."), "1 without a name"),
        ("a.zip", zip_with(b"./.."), "1 without a name"),
        ("a.zip", overlapping(1, 0).replace(b"a.txt", b"\0.txt"), "1 without a name"),
    ],
)
def test_malformed_archives_are_refused(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    assert reason in refusal(tmp_path / name)


def test_the_end_of_a_line_and_half_a_character_are_two_lines():
    stream = io.BytesIO(b"text\nwords\n\xc3")
    assert list(decoded_lines(b"", stream, ReadingNotes())) == ["text\n", "words\n", "Ã"]


# Parquet holds a repeated string once, however often it comes.


def repeated(n_rows, n_bytes):
    text = pa.array(["x" * n_bytes])
    return pa.DictionaryArray.from_arrays(pa.array([0] * n_rows, pa.int32()), text)


@pytest.mark.parametrize(
    "columns",
    [
        {"text": repeated(20_000, 1_000_000)},
        {"text": ["a"], "deep": pa.array([[{"a": "x" * 1_000_000}] * 70])},
        {"text": ["a"] * 9, "fixed": pa.array([b"\0" * 10_000_000] * 9, pa.binary(10_000_000))},
        {"text": ["a"], "mapped": pa.array([[("a", "x" * 70_000_000)]], PAIRS)},
    ],
    ids=["strings", "nested", "fixed", "mapped"],
)
def test_a_parquet_bomb_is_refused(tmp_path, columns):
    pq.write_table(pa.table(columns), tmp_path / "a.parquet", compression="zstd")
    assert (tmp_path / "a.parquet").stat().st_size < 20_000
    with pytest.raises(InputError, match="a.parquet: expands to more than 64 MB"):
        coterie.read(tmp_path / "a.parquet")


def lying(path, columns, says):
    """A Parquet file whose end says another size of each column than its pages."""
    how = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
    pq.write_table(pa.table(columns), path, **how)
    group, data = pq.read_metadata(path).row_group(0), path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for number in range(group.num_columns):
        true = zigzag(getattr(group.column(number), says[0]))
        lie = zigzag(says[1], len(true))
        data = data[:start] + data[start:].replace(b"\x16" + true, b"\x16" + lie)
    path.write_bytes(data)
    return path


def zigzag(number, n_bytes=0):
    """A number as Thrift writes it, of seven bits a byte."""
    n_bytes = n_bytes or -(-(2 * number).bit_length() // 7)
    digits = [2 * number >> 7 * at & 127 for at in range(n_bytes)]
    return bytes(each | 128 for each in digits[:-1]) + bytes(digits[-1:])


def test_a_parquet_that_lies_is_refused_before_it_expands(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "measured", pytest.fail)  # when it is expanded
    large = {"text": ["x" * 70_000_000]}
    path = lying(tmp_path / "a.parquet", large, ("total_uncompressed_size", 1000))
    assert pq.read_metadata(path).row_group(0).column(0).total_uncompressed_size == 1000
    assert "a.parquet: expands to more than 64 MB" in refusal(path)
    several = {f"text{n}": ["x" * 30_000_000] for n in range(3)}
    pq.write_table(pa.table(several), tmp_path / "b.parquet", compression="zstd")
    assert "b.parquet: expands to more than 64 MB" in refusal(tmp_path / "b.parquet")
    some = {"text": [np.random.default_rng(0).bytes(2000).hex()]}
    path = lying(tmp_path / "c.parquet", some, ("total_compressed_size", 8000))
    assert "c.parquet: not Parquet (columns overlap)" in refusal(path)


def test_a_value_larger_than_a_document_is_refused(tmp_path):
    pq.write_table(pa.table({"text": ["x" * 5000, "a"]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="a value is larger than 2 KB, the limit of a doc"):
        coterie.read(tmp_path / "a.parquet", limits=Limits(document=2048))


def test_columns_of_a_saved_corpus_are_bounded():
    content = io.BytesIO()
    pq.write_table(pa.table({"note": repeated(2, 80_000_000)}), content, compression="zstd")
    bomb = np.frombuffer(content.getvalue(), dtype=np.uint8)
    with pytest.raises(InputError, match="columns: too large for 2 documents"):
        unpacked(bomb, 2)


def test_columns_of_all_kinds_come_back(tmp_path):
    columns = {
        "large": pa.array(["q", None] * 50, pa.large_string()),
        "coded": pa.array(["q", "r"] * 50).dictionary_encode(),
        "fixed": pa.array([b"ab", b"cd"] * 50, pa.binary(2)),
        "time": pa.array([0, 1] * 50, pa.timestamp("s")),
        "mapped": pa.array([[("k", "v")], None] * 50, PAIRS),
        "parts": [{"u": ["1"]}, None] * 50,
    }
    table = pa.table({"text": ["red apples", "green seas"] * 50} | columns)
    pq.write_table(table, tmp_path / "a.parquet")
    corpus = coterie.read(tmp_path / "a.parquet", text="text")
    assert corpus.columns["parts"].to_pylist()[:2] == ['{"u": ["1"]}', None]
    corpus.save(tmp_path / "saved")
    assert coterie.Corpus.load(tmp_path / "saved").columns.equals(corpus.columns)


# Arrow, whose parts say where others are, and what they expand to.


def arrow(path, batch, compression=None):
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with (
        pa.OSFile(str(path), "wb") as file,
        pa.ipc.new_file(file, batch.schema, options=options) as writer,
    ):
        writer.write_batch(batch)
    return path


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
@pytest.mark.parametrize(
    "values", [["x" * 100 * MB], repeated(1, 100 * MB)], ids=["own", "dictionary"]
)
def test_an_arrow_bomb_is_refused_before_it_expands(tmp_path, monkeypatch, compression, values):
    path = arrow(tmp_path / "a.arrow", pa.record_batch({"text": values}), compression)
    monkeypatch.setattr(parquet, "measured", pytest.fail)  # when it is expanded
    assert "a.arrow: expands to more than" in refusal(path)


def test_offsets_that_lead_outside_are_refused(tmp_path):
    path = arrow(
        tmp_path / "a.arrow", pa.record_batch({"text": ["hello there", "green tea", "rum"]})
    )
    data, offsets = path.read_bytes(), struct.pack("<4i", 0, 11, 20, 23)
    assert data.count(offsets) == 1
    path.write_bytes(data.replace(offsets, struct.pack("<4i", 0, 11, 2**31 - 1, 23)))
    assert "a.arrow: not Arrow (In column 0" in refusal(path)


@pytest.mark.parametrize(("part", "wrong"), [(0, -8), (0, 1 << 40), (1, -(1 << 40))])
def test_a_compressed_part_said_to_be_elsewhere_is_refused(tmp_path, part, wrong):
    """Neither read from before the beginning, nor taken off what the others expand to."""
    path = arrow(tmp_path / "a.arrow", pa.record_batch({"text": ["rum " * 500] * 9}), "zstd")
    reader = pa.ipc.MessageReader.open_stream(io.BytesIO(path.read_bytes()[8:]))
    rows = next(each for each in iter(reader.read_next_message, None) if each.body.size)
    old = rows.metadata.to_pybytes()
    lengths = [int(number) for number in np.frombuffer(old, "<q", len(old) // 8)]
    at = max(i for i in range(len(lengths) - 1) if 0 < lengths[i + 1] <= rows.body.size
             and lengths[i] + lengths[i + 1] <= rows.body.size)  # fmt: skip
    new = bytearray(old)
    struct.pack_into("<q", new, 8 * (at + part), wrong)
    data = path.read_bytes()
    assert data.count(old) == 1
    path.write_bytes(data.replace(old, bytes(new)))
    assert "a.arrow: not Arrow" in refusal(path)


def test_a_string_of_arrow_larger_than_a_document_is_refused(tmp_path):
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        batch = pa.record_batch({"text": pa.array(["a", "x" * 5000], kind)})
        message = refusal(arrow(tmp_path / "a.arrow", batch), Limits(document=2048))
        assert message.startswith("a.arrow: a value is larger than 2 KB")


def test_views_of_the_same_string_are_counted_each(tmp_path):
    text = pa.array(["x" * MB], pa.string_view()).buffers()
    n_rows = 300
    views = pa.py_buffer(text[1].to_pybytes() * n_rows)
    try:
        same = pa.Array.from_buffers(pa.string_view(), n_rows, [None, views, text[2]])
    except ValueError:
        pytest.skip(f"pyarrow {pa.__version__} cannot make such views")
    path = arrow(tmp_path / "a.arrow", pa.record_batch({"text": same}))
    assert path.stat().st_size < 1.1 * MB
    assert "expands to more than" in refusal(path)


def test_runs_are_refused_and_rows_without_bytes_counted(tmp_path):
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([10**9], pa.int64()), pa.array(["tea"]))
    path = arrow(tmp_path / "a.arrow", pa.record_batch({"text": runs}))
    by_type, by_size = "not Arrow (values of type run_end_encoded", "expands to more than"
    message = refusal(path)  # old versions of pyarrow know the size of runs
    assert by_type in message or by_size in message
    path = arrow(tmp_path / "b.arrow", pa.record_batch({"text": pa.nulls(MB)}))
    assert "expands to more than 512 KB" in refusal(path, Limits(archive=MB // 2))


@pytest.mark.parametrize(
    "values",
    [pa.array([2**31 - 1], pa.date32()), pa.array([2**62], pa.duration("s")),
     pa.array([1], pa.timestamp("s", tz="No/Where"))],
    ids=["date", "duration", "zone"],
)  # fmt: skip
def test_values_that_python_cannot_hold_are_refused_with_their_column(tmp_path, values):
    pq.write_table(pa.table({"text": ["tea"], "when": values}), tmp_path / "a.parquet")
    message = refusal(tmp_path / "a.parquet")
    assert message.startswith("a.parquet: values that cannot be read in column 'when' of ")


# Databases, whose columns may be computed.


def database(path, column, n_rows):
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE teas (id INTEGER, text {column})")
        connection.executemany(
            "INSERT INTO teas (id) VALUES (?)", [(n,) for n in range(n_rows)]
        )
    connection.close()
    return path


def test_computed_columns_are_bounded(tmp_path):
    many = database(tmp_path / "a.db", "AS (hex(zeroblob(1000000)))", 40)
    assert "a.db: expands to more than 64 MB" in refusal(many)
    long = database(tmp_path / "b.db", "AS (hex(zeroblob(2000)))", 1)
    assert refusal(long, Limits(document=2048)).startswith("b.db: a value is larger than 2 KB")


def test_the_clock_of_a_database_does_not_run_while_rows_are_used(tmp_path, monkeypatch):
    path = database(tmp_path / "a.db", "DEFAULT 'green tea'", 3000)
    now = iter(range(10**9))
    monkeypatch.setattr(databases.time, "monotonic", lambda: next(now))
    monkeypatch.setattr(databases, "STEPS", 100)
    assert len(list(documents(path, limits=Limits(seconds=100)))) == 3000
    monkeypatch.setattr(databases, "STEPS", 1)
    message = refusal(path, Limits(seconds=1))
    assert message == "a.db: a row takes longer than 1 s; raise the limit seconds"


def test_a_line_of_a_mailbox_beyond_the_limit_is_not_read_on():
    class Line(io.BytesIO):
        most = 0

        def readline(self, size=-1):
            self.most = max(self.most, size if size >= 0 else 2**62)
            return super().readline(size)

    mail = Line(b"From me\nSubject: tea\n\n" + b"a" * MB)
    with pytest.raises(InputError, match="a message is larger than 1000 bytes"):
        list(messages(mail, "a.mbox", Limits(document=1000)))
    assert mail.most == 1001


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_large_header_of_a_tape_is_refused(tmp_path, kind):
    member = tarfile.TarInfo("a")
    member.type, member.size = kind, MB
    (tmp_path / "a.tar").write_bytes(
        member.tobuf(tarfile.USTAR_FORMAT) + bytes(MB) + bytes(1024)
    )
    assert "a.tar: not a readable archive (a header of 1 MB)" in refusal(tmp_path / "a.tar")
