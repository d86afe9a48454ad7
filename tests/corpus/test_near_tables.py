"""Tables as programs write them: Excel's CSV, partitions, databases, Arrow, datasets."""

import gzip
import json
import sqlite3
from contextlib import closing

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from coterie.corpus import partitions, read
from coterie.corpus.limits import DEFAULT_LIMITS
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.readers import documents
from coterie.corpus.tables import Columns
from coterie.errors import InputError

ROWS = [{"text": "green tea", "stars": 5}, {"text": "dark rum", "stars": 3}]
TABLE = pa.Table.from_pylist(ROWS)


def found(path, **columns):
    return [(each.text, dict(each.columns)) for each in documents(path, Columns(**columns))]


EXPECTED = [("green tea", {"stars": 5}), ("dark rum", {"stars": 3})]


@pytest.mark.parametrize("start", ["", "sep=;\r\n"])
def test_semicolons_decimal_commas_and_a_byte_order_mark_are_read(tmp_path, start):
    table = start + "text;price;day\r\ngreen tea;3,50;1.2.2020\r\ndark rum;12;2.2.2020\r\n"
    (tmp_path / "t.csv").write_text(table, encoding="utf-8-sig")
    columns = read(tmp_path / "t.csv").columns
    assert columns["price"].to_pylist() == [3.5, 12]
    assert columns["day"].to_pylist() == ["1.2.2020", "2.2.2020"]


def test_commas_in_a_table_with_commas_are_no_decimal_points(tmp_path):
    (tmp_path / "t.csv").write_text('text,price\ngreen tea,"1,234"\ndark rum,"2,500"\n')
    assert read(tmp_path / "t.csv").columns["price"].to_pylist() == ["1,234", "2,500"]


@pytest.mark.parametrize("name", ["t.arrow", "t.feather", "stream.arrow", "t.pq"])
def test_arrow_and_feather_are_read(tmp_path, name):
    path = tmp_path / name
    if name == "t.pq":
        pq.write_table(TABLE, path)
    elif name == "stream.arrow":
        with pa.ipc.new_stream(path, TABLE.schema) as writer:
            writer.write_table(TABLE)
    elif name == "t.arrow":
        with pa.ipc.new_file(path, TABLE.schema) as writer:
            writer.write_table(TABLE)
    else:
        feather.write_feather(TABLE, path)
    assert found(path) == EXPECTED
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(InputError, match="not (Arrow|Parquet)|no rows"):
        found(path)


def test_a_dataset_of_hugging_face_is_read_without_its_descriptions(tmp_path):
    split = tmp_path / "train"
    split.mkdir()
    with pa.ipc.new_stream(split / "data-00000-of-00001.arrow", TABLE.schema) as writer:
        writer.write_table(TABLE)
    for name in ("state.json", "dataset_info.json"):
        (split / name).write_text(json.dumps({"text": "about"}))
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train"]}')
    assert found(tmp_path) == EXPECTED
    assert found(split) == EXPECTED


def test_folders_of_partitions_are_columns(tmp_path):
    for at, year in enumerate(("2023", "2024")):
        (tmp_path / f"year={year}").mkdir()
        part = TABLE.slice(at, 1)
        pq.write_table(part, tmp_path / f"year={year}" / "part-0.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert found(tmp_path) == [
        ("green tea", {"year": "2023", "stars": 5}),
        ("dark rum", {"year": "2024", "stars": 3}),
    ]


def database(path, tables=("teas",)):
    with sqlite3.connect(path) as connection:
        for table in (name.replace('"', '""') for name in tables):
            connection.execute(f'CREATE TABLE "{table}" (text TEXT, stars INTEGER)')
            connection.executemany(
                f'INSERT INTO "{table}" VALUES (?, ?)', [tuple(row.values()) for row in ROWS]
            )
    connection.close()
    return path


@pytest.mark.parametrize("name", ["t.db", "t.sqlite", "unnamed"])
def test_the_only_table_of_a_database_is_read(tmp_path, name):
    assert found(database(tmp_path / name)) == EXPECTED


def test_a_table_of_several_is_named(tmp_path):
    path = database(tmp_path / "t.db", ("teas", 'odd "name"; DROP'))
    assert found(path, table='odd "name"; DROP') == EXPECTED
    assert read(path, table="teas").columns["stars"].to_pylist() == [5, 3]
    with pytest.raises(InputError, match="several tables .*name one with --table"):
        found(path)
    with pytest.raises(InputError, match=r"no table 'rums'. Tables: teas"):
        found(path, table="rums")
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(InputError, match="not a readable SQLite database"):
        found(path, table="teas")


def test_changes_beside_a_database_are_not_lost_without_a_word(tmp_path):
    path = database(tmp_path / "t.db")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("INSERT INTO teas VALUES ('mint tea', 4)")
    connection.commit()
    with pytest.raises(InputError, match=r"t\.db: its last changes may be in t\.db-wal"):
        found(path)
    (tmp_path / "a.txt").write_text("rum")
    notes = ReadingNotes()
    assert [each.text for each in documents(tmp_path, notes=notes)] == ["rum"]
    assert any("its last changes" in reason for reason in notes.skipped)
    connection.close()
    assert found(path) == [*EXPECTED, ("mint tea", {"stars": 4})]


def test_changes_beside_a_database_are_not_lost_where_files_are_read_in_parts(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(partitions, "PARTITION_FILES", 1)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("rum")
    (folder / "t.db-a.txt").write_text("tea")
    path = database(folder / "t.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("INSERT INTO teas VALUES ('mint tea', 4)")
        connection.commit()
        for address, n_read in ((f"file://{folder}", 2), (f"file://{path}", 0)):
            notes = ReadingNotes()
            for part in partitions.partitions_of(address, ReadingNotes()):
                n_read -= len(list(part.documents(Columns(), notes, DEFAULT_LIMITS)))
            assert n_read == 0
            assert any("its last changes" in reason for reason in notes.skipped)


def test_a_change_of_a_database_that_was_not_ended_is_refused(tmp_path):
    path, journal = database(tmp_path / "t.db"), tmp_path / "t.db-journal"
    journal.write_bytes(b"\xd9\xd5\x05\xf9 \xa1c\xd7" + bytes(504))
    with pytest.raises(InputError, match=r"t\.db: its last changes may be in t\.db-journal"):
        found(path)
    journal.write_bytes(bytes(512))  # as PRAGMA journal_mode = PERSIST leaves it
    assert found(path) == EXPECTED


@pytest.mark.parametrize("name", ["t.db", "t.db.gz"])
def test_a_database_that_is_cut_off_is_refused(tmp_path, name):
    whole = database(tmp_path / "whole.db").read_bytes()
    cut = whole[:-100]  # SQLite reads zeros there
    (tmp_path / name).write_bytes(gzip.compress(cut) if name.endswith("gz") else cut)
    with pytest.raises(InputError, match=r"t\.db.*its last page is cut off"):
        found(tmp_path / name)


def test_names_of_columns_that_are_not_utf8_are_refused(tmp_path):
    path = database(tmp_path / "t.db")
    path.write_bytes(path.read_bytes().replace(b"stars", b"st\xffrs"))
    with pytest.raises(InputError, match=r"t\.db: the name of a column is not UTF-8"):
        found(path)


def test_a_file_of_json_lines_named_json_is_read(tmp_path):
    lines = "\n".join(json.dumps(row) for row in [*ROWS, {"stars": 1}])
    (tmp_path / "t.json").write_text(lines)
    notes = ReadingNotes()
    texts = [each.text for each in documents(tmp_path / "t.json", notes=notes)]
    assert texts == ["green tea", "dark rum", ""]
    (tmp_path / "n.jsonl").write_text('{"a": {"b": "green tea"}}\n{"c": 1}\n')
    assert [text for text, _ in found(tmp_path / "n.jsonl", text=("a.b",))] == ["green tea", ""]


@pytest.mark.parametrize("name", ["n.json", "n.jsonl"])
def test_numbers_longer_than_python_reads_are_kept_as_text(tmp_path, name):
    digits = "7" * 5000
    (tmp_path / name).write_text(f'{{"text": "green tea", "n": {digits}}}\n')
    assert found(tmp_path / name) == [("green tea", {"n": digits})]
