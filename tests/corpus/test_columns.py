"""Columns of the source stay with their documents, in one type each."""

import datetime
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mutations
from coterie.corpus import Corpus, TextOptions, columns, read
from coterie.corpus.columns import Cells, Gatherer, arrow_array
from coterie.corpus.notes import ReadingNotes
from coterie.errors import InputError

ENGLISH = TextOptions(language="en")
TEXTS = ["red fox", "blue whale", "green frog"]
COLUMNS = {"stars": [5, None, 1], "shop": ["Bonn", "Pisa", None]}


@pytest.fixture
def corpus():
    return Corpus.from_texts(TEXTS, columns=COLUMNS, options=ENGLISH)


def columns_of(path, **how):
    return read(path, options=ENGLISH, **how).columns


def saved(table, path):
    pq.write_table(pa.table(table), path)
    return path


# A corpus and its columns.


def test_columns_go_along(corpus):
    assert corpus.columns.to_pydict() == COLUMNS
    assert corpus[[2, 0]].columns.to_pydict() == {"stars": [1, 5], "shop": [None, "Bonn"]}
    assert corpus[[]].columns.num_rows == 0
    assert corpus.select_words([0]).columns.equals(corpus.columns)
    assert corpus.with_vectors("photo", np.eye(3)).columns.equals(corpus.columns)
    counts = Corpus.from_counts(np.eye(3), list("abc"), columns=corpus.columns)
    assert counts.columns.equals(corpus.columns)
    assert Corpus.from_texts(TEXTS).columns is None
    assert Corpus.from_texts(TEXTS, columns={}).columns is None


def test_columns_of_arrays_and_nested_values_are_simple():
    table = pa.table({"c": pa.array(["x", "y", "x"]).dictionary_encode(), "l": [[1], None, []]})
    kept = Corpus.from_texts(TEXTS, columns=table).columns
    assert kept.schema.types == [pa.string(), pa.string()]
    assert kept.to_pydict() == {"c": ["x", "y", "x"], "l": ["[1]", None, "[]"]}
    kept = Corpus.from_texts(
        TEXTS, columns={"a": np.arange(3), "b": (True, False, None)}
    ).columns
    assert kept.schema.types == [pa.int64(), pa.bool_()]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"stars": [1, 2]}, "columns: 'stars' has 2 values for 3 documents; expected one a"),
        (pa.table({"stars": [1, 2]}), "columns: 'stars' has 2 values for 3 documents"),
        (pa.table([[1, 2, 3]] * 2, names=["a", "a"]), "columns: several are named 'a'"),
        ({1: [1, 2, 3]}, "columns: 1 is no string; expected names of columns"),
        ({"a": "abc"}, "columns: 'a' is no list; expected a value a document"),
        ([1, 2, 3], "columns: a list; expected a mapping of names to values, or a table"),
    ],
)
def test_columns_that_do_not_fit_are_refused(given, complaint):
    with pytest.raises(InputError, match=complaint):
        Corpus.from_texts(TEXTS, columns=given)


# Saved.


def test_saved_columns_come_back(corpus, tmp_path):
    dates = [datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC), None, None]
    more = {**COLUMNS, "day": dates, "sure": [True, False, None], "none": [None] * 3}
    corpus = Corpus.from_texts(TEXTS, columns=more)
    corpus.save(tmp_path / "saved")
    assert Corpus.load(tmp_path / "saved").columns.equals(corpus.columns)
    corpus[[]].save(tmp_path / "empty")
    assert Corpus.load(tmp_path / "empty").columns.schema == corpus.columns.schema
    Corpus.from_texts(TEXTS).save(tmp_path / "none")
    assert Corpus.load(tmp_path / "none").columns is None


def rewrite(folder, change):
    manifest = json.loads((folder / "manifest.json").read_text())
    change(manifest["values"])
    mutations.correct(folder, manifest)


def test_a_corpus_saved_before_there_were_columns_loads(tmp_path):
    Corpus.from_texts(TEXTS).save(tmp_path / "saved")
    rewrite(tmp_path / "saved", lambda values: values.pop("columns"))
    assert Corpus.load(tmp_path / "saved").columns is None


def test_columns_of_strangers_are_checked(corpus, tmp_path):
    folder = tmp_path / "saved"
    corpus.save(folder)
    content = np.load(folder / "columns.npy")
    damaged = content.copy()
    damaged[10:30] ^= 255
    longer = columns.packed(pa.table({"a": [1, 2, 3, 4]}))
    for bad, complaint in [
        (content[:-5], "columns: not Parquet"),
        (content[:0], "columns: not Parquet"),
        (damaged, "columns: not Parquet"),
        (longer, "columns: 4 rows for 3 documents"),
        (content.astype(np.int64), "columns: .*of type int64, expected uint8"),
    ]:
        (folder / "columns.npy").write_bytes(mutations.to_bytes(bad))
        rewrite(folder, lambda _: None)
        with pytest.raises(InputError, match=complaint) as error:
            Corpus.load(folder)
        assert str(error.value).startswith(str(folder))


def test_random_changes_of_columns_are_refused_or_harmless(corpus, tmp_path):
    corpus.save(tmp_path / "corpus")
    content = np.load(tmp_path / "corpus" / "columns.npy")
    rng = np.random.default_rng(0)
    for _ in range(100):
        changed = content.copy()
        changed[rng.integers(len(content), size=3)] = rng.integers(256, size=3)
        (tmp_path / "corpus" / "columns.npy").write_bytes(mutations.to_bytes(changed))
        rewrite(tmp_path / "corpus", lambda _: None)
        assert mutations.attempt(tmp_path / "corpus")[0] in ("answer", "refused")


# Tables.


def test_a_csv_keeps_all_columns_but_the_text(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text(
        "id,body,stars,price,zip,long,shop,mixed,void\n"
        "a,red fox,5,1.5,007,12345678901234567890,Bonn,1,\n"
        "b,blue whale,,-.5e1,12,1,,x,\n"
        "c,green frog,-1,,13,2,'=x,,\n"
    )
    corpus = read(table, id="id", text="body", options=ENGLISH)
    assert corpus.ids == ["a", "b", "c"]
    assert corpus.columns.to_pydict() == {
        "id": ["a", "b", "c"],
        "stars": [5, None, -1],
        "price": [1.5, -5.0, None],
        "zip": ["007", "12", "13"],
        "long": ["12345678901234567890", "1", "2"],
        "shop": ["Bonn", "", "'=x"],
        "mixed": ["1", "x", ""],
        "void": ["", "", ""],
    }
    assert corpus.columns["stars"].type == pa.int64()
    assert corpus.columns["price"].type == pa.float64()


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "2.5"], [1.0, 2.5]),
        (["9223372036854775807"], [2**63 - 1]),
        (["9223372036854775808", ""], ["9223372036854775808", ""]),
        (["9007199254740993", "0.5"], ["9007199254740993", "0.5"]),
        (["1e999"], ["1e999"]),
        (["0", "-0"], [0.0, 0.0]),
        (["00.5"], ["00.5"]),
        (["nan"], ["nan"]),
        (["1_000"], ["1_000"]),
        (["٣"], ["٣"]),
        ([" 1"], [" 1"]),
        (["1" * 5000], ["1" * 5000]),
    ],
)
def test_cells_become_numbers_where_nothing_is_lost(cells, values):
    gatherer = Gatherer()
    for cell in cells:
        gatherer.add(Cells(a=cell))
    assert gatherer.finish(ReadingNotes())["a"].to_pylist() == values


def test_the_columns_of_views_are_not_kept_twice(tmp_path):
    table = tmp_path / "t.jsonl"
    rows = [{"en": "red", "de": "rot", "x": [1.0, 2.0], "n": 1}] * 2
    table.write_text("\n".join(map(json.dumps, rows)))
    assert columns_of(table, views=["en", "de", "x"]).to_pydict() == {"n": [1, 1]}


def test_json_values_keep_their_type_or_become_text(tmp_path):
    table = tmp_path / "t.jsonl"
    rows = [
        {"text": "red", "n": 1, "x": 1, "b": True, "code": "1", "tags": ["a", "é"], "m": "a"},
        {"text": "blue", "n": None, "x": 2.5, "b": False, "code": "2", "tags": None, "m": 3},
        "green frog",
    ]
    table.write_text("\n".join(map(json.dumps, rows)))
    kept = columns_of(table)
    assert kept.to_pydict() == {
        "n": [1, None, None],
        "x": [1.0, 2.5, None],
        "b": [True, False, None],
        "code": ["1", "2", None],
        "tags": ['["a", "é"]', None, None],
        "m": ["a", "3", None],
    }
    assert kept.schema.types[:3] == [pa.int64(), pa.float64(), pa.bool_()]


def test_a_nested_text_is_not_kept_but_its_neighbours_are(tmp_path):
    table = tmp_path / "t.json"
    table.write_text(json.dumps([{"a": {"body": "red fox", "n": 1}, "b": 2}]))
    assert columns_of(table, text="a.body").to_pydict() == {"a": ['{"n": 1}'], "b": [2]}


def test_broken_characters_and_odd_values_do_no_harm(tmp_path):
    table = tmp_path / "t.jsonl"
    table.write_text('{"text": "red", "a\\ud800": "x\\udfff", "big": 1' + "0" * 40 + "}\n")
    kept = columns_of(table).to_pydict()
    assert kept == {"a\ufffd": ["x\ufffd"], "big": ["1" + "0" * 40]}
    assert arrow_array([{1: {2}}, None]).to_pylist() == ['{"1": "{2}"}', None]
    assert arrow_array([{(1, 2): 3}]).to_pylist() == ["{(1, 2): 3}"]


def test_parquet_dates_and_numbers_keep_their_type(tmp_path):
    day, moment = (
        datetime.date(2020, 1, 2),
        datetime.datetime(2020, 1, 2, 3, tzinfo=datetime.UTC),
    )
    table = {"text": TEXTS[:2], "day": [day, None], "at": [moment, None], "n": [1, None]}
    kept = columns_of(saved(table, tmp_path / "t.parquet"))
    assert kept.to_pydict() == {name: table[name] for name in ("day", "at", "n")}
    assert kept.schema.types == [pa.date32(), pa.timestamp("us", "UTC"), pa.int64()]


def test_several_tables_of_a_folder_are_united(tmp_path):
    (tmp_path / "a.csv").write_text("text,stars,shop\nred fox,5,Bonn\nred tea,,Pisa\n")
    (tmp_path / "b.jsonl").write_text('{"text": "blue whale", "stars": 2, "kind": "x"}\n')
    (tmp_path / "c.txt").write_text("green frog")
    assert columns_of(tmp_path).to_pydict() == {
        "stars": [5, None, 2, None],
        "shop": ["Bonn", "Pisa", None, None],
        "kind": [None, None, "x", None],
    }


def test_plain_files_have_no_columns(tmp_path):
    (tmp_path / "a.txt").write_text("red fox")
    (tmp_path / "b.html").write_text("<p>blue whale")
    (tmp_path / "c.csv").write_text("text\ngreen frog\n")
    assert columns_of(tmp_path) is None


def test_keys_without_end_are_left_out_and_noted(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "MOST_COLUMNS", 2)
    table = tmp_path / "t.jsonl"
    table.write_text("\n".join(json.dumps({"text": "red", f"k{i}": i}) for i in range(4)))
    corpus = read(table, text="text", options=ENGLISH)
    assert corpus.columns.column_names == ["k0", "k1"]
    assert "columns beyond the first 2 were not kept" in corpus.notes.lines()


# Mail.


def test_mails_have_a_date_and_a_sender(tmp_path):
    (tmp_path / "m.mbox").write_bytes(
        b"From x\nFrom: =?utf-8?q?Ren=C3=A9?= <r@x>\nSubject: tea\n"
        b"Date: Thu, 02 Jan 2020 03:04:05 +0200\n\nGreen\n\n"
        b"From y\nSubject: rum\nDate: once\n\nDark\n\n"
        b"From z\nFrom: z\nSubject: old\nDate: Mon, 01 Jan 0001 00:00:00 +2359\n\nOld\n"
    )
    kept = columns_of(tmp_path / "m.mbox")
    moment = datetime.datetime(2020, 1, 2, 1, 4, 5, tzinfo=datetime.UTC)
    assert kept["from"].to_pylist() == ["René <r@x>", None, "z"]
    assert kept["date"].to_pylist()[:2] == [moment, None]
    assert kept["date"].type == pa.timestamp("us", "UTC")
    (tmp_path / "m.eml").write_bytes(
        b"From: a\nSubject: b\nDate: 2 Jan 2020 01:04:05 -0000\n\ntea"
    )
    assert columns_of(tmp_path / "m.eml").to_pydict() == {"date": [moment], "from": ["a"]}
