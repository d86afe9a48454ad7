"""Views read from columns, from folders and from files of vectors, and saved with a corpus."""

import json
import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from coterie import Corpus, InputError, TextOptions, read
from coterie.corpus.vectors import read_vectors

EN = ["The red fox sleeps.", "A blue whale swims in the sea.", "The fox and the whale."]
DE = ["Der rote Fuchs schläft.", "Ein blauer Wal schwimmt im Meer.", "Der Fuchs und der Wal."]


@pytest.fixture
def folders(tmp_path):
    for language, texts in (("en", EN), ("de", DE)):
        for name, text in zip(("a/1.txt", "a/2.txt", "b/3.txt"), texts, strict=True):
            file = tmp_path / "parallel" / language / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    return tmp_path / "parallel"


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_folder_for_each_language_gives_views_of_files_with_the_same_name(folders):
    corpus = read(folders, views=["en", "de"])
    assert corpus.ids == ["a/1.txt", "a/2.txt", "b/3.txt"]
    assert corpus.labels.tolist() == ["a", "a", "b"]
    languages = [view.vocabulary.options.language for view in corpus.views.values()]
    assert languages == ["en", "de"]
    assert "fox" in corpus.views["en"].vocabulary.words
    assert "fuchs" in corpus.views["de"].vocabulary.words
    assert "der" not in corpus.views["de"].vocabulary.words
    assert corpus.texts([1]) == [f"{EN[1]}\n{DE[1]}"]
    again = read(folders, views=["en", "de"], options={
        name: view.vocabulary for name, view in corpus.views.items()
    })  # fmt: skip
    assert (again.views["de"].counts != corpus.views["de"].counts).nnz == 0


def test_a_file_that_one_folder_lacks_is_a_document_without_that_view(folders):
    (folders / "de" / "a" / "1.txt").unlink()
    (folders / "de" / "b" / "4.txt").write_text("Ein Wal allein.")
    corpus = read(folders, views=["en", "de"])
    assert corpus.ids == ["a/1.txt", "a/2.txt", "b/3.txt", "b/4.txt"]
    assert np.diff(corpus.views["de"].counts.indptr)[0] == 0
    assert np.diff(corpus.views["en"].counts.indptr)[3] == 0
    assert corpus.notes.lines() == [
        "4 documents read",
        "view 'en': 1 document without it, known by other views only",
        "view 'de': 1 document without it, known by other views only",
    ]
    assert corpus.titles[3] == "Ein Wal allein."
    assert corpus.texts([0, 3]) == [EN[0], "Ein Wal allein."]


def test_folders_that_do_not_fit_together_are_refused(folders):
    with pytest.raises(
        InputError, match="parallel: no folder 'it' for that view; there are de, en"
    ):
        read(folders, views=["en", "it"])
    (folders / "it").mkdir()
    with pytest.raises(InputError, match="it: empty, expected the documents of view 'it'"):
        read(folders, views=["en", "it"])
    (folders / "it" / "other.txt").write_text("Una volpe.")
    with pytest.raises(
        InputError, match="no file has the same name in 'en' and 'it', as a/1.txt and other.txt"
    ):
        read(folders, views=["en", "it"])
    (folders / "it" / "a").mkdir()
    (folders / "it" / "a" / "1.txt").write_text("... !!")
    (folders / "it" / "other.txt").unlink()
    with pytest.raises(InputError, match="^view 'it': no word is left: 3 documents"):
        read(folders, views=["en", "it"])


def test_views_in_a_language_that_is_not_named_are_identified(tmp_path):
    rows = [{"n": i, "first": EN[i], "second": DE[i]} for i in range(3)]
    corpus = read(write_lines(tmp_path / "t.jsonl", rows), views=["first", "second"], id="n")
    languages = [view.vocabulary.options.language for view in corpus.views.values()]
    assert languages == ["en", "de"]
    assert "view 'second': language identified as 'de'" in corpus.notes.lines()


def test_a_column_of_lists_is_a_view_of_vectors(tmp_path):
    rows = [
        {"en": EN[0], "photo": [1, -2.5]},
        {"en": EN[1], "photo": None},
        {"en": EN[2], "photo": [0.5, 3]},
    ]
    table = write_lines(tmp_path / "t.jsonl", rows)
    corpus = read(table, views=["en", "photo"])
    assert repr(corpus).endswith("words, vectors in photo)")
    assert_array_equal(corpus.vectors["photo"], [[1, -2.5], [0, 0], [0.5, 3]])
    assert corpus.texts([2]) == [EN[2]]
    assert corpus.titles[1] == EN[1]
    again = read(table, views=["en", "photo"], options={"en": corpus.vocabulary})
    assert_array_equal(again.vectors["photo"], corpus.vectors["photo"])


@pytest.mark.parametrize(
    ("spoilt", "complaint"),
    [
        (
            [1, 2, 3],
            "view 'photo': the vector of document '60' has 3 numbers, those before it 2",
        ),
        ("words", "t.jsonl: row 60, column 'photo': expected a list of numbers, got str"),
        (
            [1, float("nan")],
            "view 'photo': row 60, column 2: expected a finite number, got nan",
        ),
        *(
            (
                [1, large],
                "view 'photo': the vector of document '60' holds a number that is too large",
            )
            for large in (1e300, 10**400)
        ),
    ],
)
def test_bad_vectors_of_a_table_are_named(tmp_path, spoilt, complaint):
    rows = [{"en": EN[i % 3], "photo": [1.0, i]} for i in range(60)]
    rows[59]["photo"] = spoilt
    with pytest.raises(InputError, match=complaint):
        read(write_lines(tmp_path / "t.jsonl", rows), views=["en", "photo"])


def test_vectors_alone_are_not_a_corpus(tmp_path):
    rows = [{"photo": [1.0, 2.0]}, {"photo": [1.0, 0.0]}]
    with pytest.raises(InputError, match=r"no column holds text|at least one of words"):
        read(write_lines(tmp_path / "t.jsonl", rows), views=["photo"])


def test_vectors_stay_with_their_documents(tmp_path):
    x = np.arange(6.0).reshape(3, 2)
    corpus = Corpus.from_texts(EN, options=TextOptions(language="en")).with_vectors("photo", x)
    assert_array_equal(corpus[[2, 0]].vectors["photo"], x[[2, 0]])
    assert_array_equal(corpus.select_words([0, 1]).vectors["photo"], x)
    corpus.save(tmp_path / "saved")
    assert_array_equal(Corpus.load(tmp_path / "saved").vectors["photo"], x)
    for bad, complaint in [
        (x[:2], "view 'photo': 2 rows, but there are 3 documents"),
        (x[0], "view 'photo': expected a matrix of numbers, a document a row, got shape (2,)"),
        (
            np.full((3, 2), np.inf),
            "view 'photo': row 1, column 1: expected a finite number, got inf",
        ),
        ([["a"], ["b"], ["c"]], "view 'photo': expected a matrix of numbers"),
    ]:
        with pytest.raises(InputError, match=re.escape(complaint)):
            corpus.with_vectors("photo", bad)
    with pytest.raises(InputError, match="view 'text': both words and vectors"):
        corpus.with_vectors("text", x)


def test_files_of_vectors_are_checked(tmp_path):
    np.save(tmp_path / "x.npy", np.ones((2, 3), dtype=np.int64))
    assert read_vectors(tmp_path / "x.npy").dtype == np.float32
    with pytest.raises(InputError, match=r"y.npy: no such file of vectors"):
        read_vectors(tmp_path / "y.npy")
    (tmp_path / "y.npy").write_text("not numbers")
    with pytest.raises(InputError, match=r"y.npy: not a .npy file of numbers"):
        read_vectors(tmp_path / "y.npy")
    np.save(tmp_path / "y.npy", np.array([{"a": 1}]), allow_pickle=True)
    with pytest.raises(InputError, match=r"y.npy: not a .npy file of numbers"):
        read_vectors(tmp_path / "y.npy")
    np.savez(tmp_path / "z.npz", a=np.ones(2))
    with pytest.raises(InputError, match=r"z.npz: several arrays, expected a .npy file of one"):
        read_vectors(tmp_path / "z.npz")
    np.save(tmp_path / "y.npy", np.float64(3))
    with pytest.raises(InputError, match="expected a matrix of numbers"):
        read_vectors(tmp_path / "y.npy")


def test_a_file_of_vectors_shorter_than_its_header_says_is_refused(tmp_path):
    np.save(tmp_path / "x.npy", np.ones((2, 3)))
    header = (tmp_path / "x.npy").read_bytes().replace(b"(2, 3)", b"(2, 9)")
    (tmp_path / "x.npy").write_bytes(header)
    with pytest.raises(InputError, match=r"x.npy: not a .npy file of numbers"):
        read_vectors(tmp_path / "x.npy")
