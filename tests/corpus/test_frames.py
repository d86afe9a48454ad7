"""Data frames of any kind become the same corpus; what is wrong with one is said."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from coterie.corpus import Corpus, TextOptions, corpus_from_frame, is_frame
from coterie.errors import InputError

ENGLISH = TextOptions(language="en")
DATA = {
    "key": ["a", "a", None],
    "review": ["A red fox", None, "Blue whales"],
    "head": ["Fox", "", "Whale  song"],
    "stars": [5, 3, 1],
    "day": [datetime.datetime(2020, 1, day) for day in (1, 2, 3)],
}
KINDS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "arrow": pa.table,
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@every_kind
def test_every_kind_of_frame_gives_the_same_corpus(kind):
    frame = kind(DATA)
    assert is_frame(frame)
    corpus = corpus_from_frame(
        frame, text="review", id="key", label="stars", title="head", options=ENGLISH
    )
    assert corpus.ids == ["a", "a-2", "3"]
    assert corpus.labels.tolist() == ["5", "3", "1"]
    assert corpus.titles == ["Fox", "a-2", "Whale song"]
    assert corpus.words.tolist() == ["blue", "fox", "red", "whales"]
    assert corpus.texts(slice(None)) == ["A red fox", "", "Blue whales"]
    assert corpus.notes.empty == 1
    assert corpus.notes.renamed == 1
    others = {name: DATA[name] for name in ("key", "head", "stars", "day")}
    assert corpus.columns.to_pydict() == others


@every_kind
def test_the_text_is_guessed_and_said(kind):
    corpus = corpus_from_frame(kind(DATA), options=ENGLISH)
    assert corpus.ids == ["1", "2", "3"]
    assert "text taken from column 'review'" in corpus.notes.lines()
    assert "review" not in corpus.columns.column_names


@every_kind
def test_a_frame_of_texts_only_has_no_columns(kind):
    corpus = corpus_from_frame(kind({"x": ["red fox", "blue whale"]}), options=ENGLISH)
    assert corpus.columns is None
    assert corpus.notes.guesses == []


@every_kind
def test_views_are_columns_of_texts_or_of_numbers(kind):
    frame = kind(
        {"en": ["red", "blue"], "de": ["rot", None], "x": [[1.0, 2.0], None], "n": [1, 2]}
    )
    corpus = corpus_from_frame(frame, views=["en", "de", "x"])
    assert repr(corpus) == "Corpus(2 documents, 2 + 1 words in views en, de, vectors in x)"
    assert corpus.vectors["x"].tolist() == [[1, 2], [0, 0]]
    assert corpus.columns.to_pydict() == {"n": [1, 2]}


@every_kind
def test_several_texts_are_joined(kind):
    corpus = corpus_from_frame(kind(DATA), text=["head", "review"], options=ENGLISH)
    assert corpus.texts([0, 1]) == ["Fox\nA red fox", "\n"]
    assert corpus.columns.column_names == ["key", "stars", "day"]


@every_kind
def test_columns_of_a_frame_are_saved(kind, tmp_path):
    corpus = corpus_from_frame(kind(DATA), options=ENGLISH)
    corpus.save(tmp_path / "saved")
    assert Corpus.load(tmp_path / "saved").columns.equals(corpus.columns)


def test_odd_columns_of_pandas_are_kept():
    frame = pd.DataFrame(
        {
            0: ["red fox", float("nan"), pd.NA],
            ("a", 1): [1, "x", float("nan")],
            "when": pd.period_range("2020-01", periods=3, freq="M"),
            "kind": pd.Categorical(["x", None, "y"]),
            "n": [1.0, np.nan, 3.0],
        },
        index=[7, 7, 9],
    )
    corpus = corpus_from_frame(frame, text="0")
    assert corpus.ids == ["1", "2", "3"]
    assert corpus.texts(slice(None)) == ["red fox", "", ""]
    assert corpus.columns.column_names == ["('a', 1)", "when", "kind", "n"]
    assert corpus.columns["('a', 1)"].to_pylist() == ["1", "x", None]
    assert corpus.columns["kind"].to_pylist() == ["x", None, "y"]
    assert corpus.columns["n"].to_pylist() == [1.0, None, 3.0]


@every_kind
@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        ({"text": "body"}, "frame: no column 'body'. Columns: key, review, head, stars, day"),
        ({"text": "revue"}, r"frame: no column 'revue'. Columns: .* Did you mean 'review'\?"),
        ({"label": "star"}, r"frame: no column 'star'. Columns: .* Did you mean 'stars'\?"),
        ({"text": "stars"}, "frame: column 'stars' holds numbers, expected texts; name a col"),
        ({"text": ["review", "day"]}, "frame: column 'day' holds timestamp.*, expected texts"),
        ({"text": "review", "views": ["head"]}, "text: expected text or views, got both"),
    ],
)
def test_wrong_columns_are_named(kind, how, complaint):
    with pytest.raises(InputError, match=complaint):
        corpus_from_frame(kind(DATA), **how)


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (pd.DataFrame({"text": []}), "frame: 0 rows and 1 columns; expected a row a document"),
        (pl.DataFrame(), "frame: 0 rows and 0 columns; expected a row a document"),
        (pd.DataFrame({"a": [1], "b": [2]}), "frame: no column holds texts.* Columns: a, b"),
        (pd.DataFrame([["a", "b"]], columns=["x", "x"]), "several columns are named 'x'"),
        (pd.DataFrame([["a", "b"]], columns=[1, "1"]), "several columns are named '1'"),
        (pa.table([["a"], ["b"]], names=["x", "x"]), "several columns are named 'x'"),
        (["a", "b"], "frame: a list; expected a data frame of pandas, polars or pyarrow"),
        (pd.DataFrame({"x": [[1.0]]}), "no column holds texts"),
    ],
)
def test_frames_that_are_no_documents_are_refused(frame, complaint):
    with pytest.raises(InputError, match=complaint):
        corpus_from_frame(frame)


def test_views_of_vectors_alone_are_refused():
    with pytest.raises(InputError, match="views: expected at least one of texts, got vectors"):
        corpus_from_frame(pl.DataFrame({"x": [[1.0], [2.0]]}), views=["x"])


def test_what_is_no_frame():
    for other in (
        ["a"],
        np.eye(2),
        pd.Series(["a"]),
        pl.Series(["a"]),
        "a",
        {"a": ["b"]},
        None,
    ):
        assert not is_frame(other)
    assert is_frame(pd.DataFrame([[1, 2]], columns=["x", "x"]))


def test_texts_of_several_columns_are_had_by_column_saved_and_read(tmp_path):
    pets = pd.DataFrame({"head": ["Cat", "Dog"], "body": ["purrs", None], "stars": [5, 1]})
    whole = {"head": ["Cat", "Dog"], "body": ["purrs", ""]}
    pets.to_json(tmp_path / "pets.jsonl", orient="records", lines=True)
    for corpus in (
        corpus_from_frame(pets, text=["head", "body"]),
        corpus_from_frame(pets, views=["head", "body"]),
        Corpus.read(tmp_path / "pets.jsonl", text=["head", "body"]),
        Corpus.read(tmp_path / "pets.jsonl", views=["head", "body"]),
    ):
        assert corpus.text_columns(slice(None)) == whole
        assert corpus.texts([1, 0]) == ["Dog\n", "Cat\npurrs"]
        corpus.with_texts()[[1]].save(tmp_path / "saved")
        saved = Corpus.load(tmp_path / "saved")
        assert saved.text_columns(slice(None)) == {"head": ["Dog"], "body": [""]}
        assert saved.with_labels(["dog"]).columns == saved.columns
    guessed = Corpus.read(tmp_path / "pets.jsonl").text_columns([0])
    assert guessed == corpus_from_frame(pets).text_columns([0])
