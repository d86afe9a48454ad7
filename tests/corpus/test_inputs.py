"""Texts and matrices made elsewhere become a corpus, or are refused in one sentence."""

import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

import coterie
from coterie.corpus import Corpus, corpus_of_texts, is_texts, refuse_strings
from coterie.errors import InputError
from coterie.findings import summarize

TEXTS = ["Cats purr.", "Dogs bark.", "Dogs and cats play.", ""]
COUNTS = [[2, 0, 1], [0, 3, 0], [0, 0, 0]]
WORDS = ["tea", "rum", "cup"]
EXPECTED = "expected texts, all strings, or a matrix of counts"


def message_of(action, *arguments, **named):
    with pytest.raises(InputError) as caught:
        action(*arguments, **named)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        lambda texts: np.array(texts, dtype=object),
        lambda texts: np.array(texts, dtype=np.dtypes.StringDType()),
        pd.Series,
        lambda texts: pd.Series(texts, dtype=object, index=range(7, 7 + len(texts))),
        lambda texts: pd.Series(texts, dtype="category"),
        lambda texts: pd.DataFrame({"body": texts})["body"],
    ],
)
def test_texts_are_recognised_in_every_form(make):
    texts = make(TEXTS)
    assert is_texts(texts)
    corpus = corpus_of_texts(texts)
    assert corpus.texts(slice(None)) == TEXTS
    assert all(type(text) is str for text in corpus.texts(slice(None)))
    assert corpus.words.tolist() == ["bark", "cats", "dogs", "play", "purr"]


@pytest.mark.parametrize(
    "X",
    [
        COUNTS,
        np.array(COUNTS),
        sp.csr_array(COUNTS),
        sp.coo_matrix(COUNTS),
        pd.DataFrame(COUNTS),
        np.array(COUNTS, dtype=object),
        [1, 2],
        np.arange(3),
        pd.Series([1.0, 2.0]),
        [],
        None,
        3,
        "one text",
        np.array([["a", "b"]]),
        pd.DataFrame({"a": ["x"]}),
        [["a", "b"]],
    ],
)
def test_what_is_no_list_of_texts_is_none(X):
    assert not is_texts(X)


@pytest.mark.parametrize("X", [COUNTS, np.array(COUNTS), sp.csr_array(COUNTS), [[1], [1, 2]]])
def test_matrices_without_strings_pass(X):
    refuse_strings(X)
    refuse_strings(pd.DataFrame(COUNTS))
    refuse_strings(np.array([[{"a": 1}, 2]], dtype=object))


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        (["a", "b", "c", 7], "X: row 3 holds 7 (int)"),
        (["a", None], "X: row 1 holds None (NoneType)"),
        (["a", float("nan")], "X: row 1 holds nan (float)"),
        (pd.Series(["a", None], dtype=object), "X: row 1 holds None (NoneType)"),
        ([["a"], "b"], "X: row 0 holds ['a'] (list)"),
        (["a", b"b"], "X: row 1 holds b'b' (bytes)"),
        (["a", ["x" * 100]], f"X: row 1 holds ['{'x' * 38}... (list)"),
        (np.array([["a", "b"]]), "X: row 0, column 0 holds 'a' (str)"),
    ],
)
def test_what_is_not_all_texts_is_named_by_row(texts, complaint):
    assert message_of(corpus_of_texts, texts) == f"{complaint}; {EXPECTED}"


@pytest.mark.parametrize(
    ("X", "complaint"),
    [
        ([[1, 2], [3, "x" * 100]], f"X: row 1, column 1 holds '{'x' * 40}'... (str)"),
        (np.array([["1", "2"]]), "X: row 0, column 0 holds '1' (str)"),
        (np.array([[1, "b"]], dtype=object), "X: row 0, column 1 holds 'b' (str)"),
        (pd.DataFrame({"n": [1, 2], "body": [None, "tea"]}), "X: row 1, column 'body' holds"),
        (pd.DataFrame([[1, "a"]], columns=["n", "n"]), "X: row 0, column 'n' holds 'a' (str)"),
    ],
)
def test_strings_in_a_matrix_are_named_by_row_and_column(X, complaint):
    said = message_of(refuse_strings, X)
    assert said.startswith(complaint)
    assert said.endswith(EXPECTED)


def test_one_text_is_not_several():
    assert message_of(refuse_strings, "x" * 100) == (
        f"X: one text, '{'x' * 40}'... (str); expected several, in a list"
    )


@pytest.mark.parametrize(
    "make",
    [
        list,
        np.array,
        sp.csr_array,
        sp.csc_matrix,
        sp.coo_array,
        pd.DataFrame,
        lambda rows: np.array(rows, dtype=np.int8),
        lambda rows: np.array(rows, dtype=object),
    ],
)
def test_any_matrix_of_counts_becomes_a_corpus(make):
    corpus = Corpus.from_counts(make(COUNTS), WORDS, labels=["a", "b", "a"])
    assert corpus.counts.toarray().tolist() == COUNTS
    assert corpus.counts.dtype == np.float32
    assert corpus.counts.nnz == 3
    assert corpus.words.tolist() == WORDS
    assert corpus.titles == corpus.ids == ["1", "2", "3"]
    assert corpus.labels.tolist() == ["a", "b", "a"]
    assert corpus.notes.empty == 1
    assert message_of(corpus.texts, [0]) == (
        "the corpus was made from counts and holds no texts"
    )


def test_the_matrix_given_is_not_changed_and_repeated_entries_are_added():
    X = sp.csr_array((np.array([1.0, 2.0, 0.0]), [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    corpus = Corpus.from_counts(X, ["a", "b"])
    assert corpus.counts.toarray().tolist() == [[0, 3], [0, 0]]
    assert X.nnz == 3
    assert X.data.tolist() == [1, 2, 0]


def test_weights_that_32_bits_cannot_hold_stay_as_they_are():
    corpus = Corpus.from_counts([[0.1, 2**24 + 1]], ["a", "b"])
    assert corpus.counts.toarray().tolist() == [[0.1, 2**24 + 1]]


def test_repeated_ids_of_a_matrix_are_made_unique():
    corpus = Corpus.from_counts(COUNTS, WORDS, ids=["x", "x", "y"], titles=["A", "B", "C"])
    assert corpus.ids == ["x", "x-2", "y"]
    assert corpus.titles == ["A", "B", "C"]
    assert corpus.notes.renamed == 1


@pytest.mark.parametrize(
    ("X", "words", "named", "complaint"),
    [
        ([[1, -2, 0]], WORDS, {}, "X: row 0, column 1 holds -2; expected counts of zero or"),
        ([[1, np.nan, 0]], WORDS, {}, "X: row 0, column 1 holds nan; expected counts of zero"),
        (sp.csr_array([[0, 0, 0], [0, 0, np.inf]]), WORDS, {}, "X: row 1, column 2 holds inf"),
        ([1, 2, 3], WORDS, {}, "X: shape (3,); expected a matrix, a row a document"),
        (np.zeros((0, 3)), WORDS, {}, "X: shape (0, 3); expected a matrix"),
        (
            [[1, 2], [3]],
            WORDS,
            {},
            "X: a list; expected a matrix of numbers, rows of one length",
        ),
        ([["a", "b", "c"]], WORDS, {}, "X: row 0, column 0 holds 'a' (str)"),
        (COUNTS, ["tea"], {}, "words: 1 for 3 columns of X; expected one a column"),
        (COUNTS, ["tea", "rum", 3], {}, "words: column 2 holds 3 (int); expected a string"),
        (COUNTS, ["tea", "rum", "tea"], {}, "words: 'tea' stands for columns 0 and 2"),
        (COUNTS, "tea", {}, "words: 'tea' (str); expected a list of them, one a column of X"),
        (
            COUNTS,
            WORDS,
            {"titles": ["A"]},
            "titles: 1 for 3 documents; expected one a document",
        ),
        (COUNTS, WORDS, {"ids": ["A"]}, "ids: 1 for 3 documents; expected one a document"),
        (COUNTS, WORDS, {"labels": "ab"}, "labels: 2 for 3 documents; expected one a document"),
    ],
)
def test_a_matrix_that_makes_no_corpus_is_refused_in_a_sentence(X, words, named, complaint):
    assert message_of(Corpus.from_counts, X, words, **named).startswith(complaint)


def test_counts_made_by_scikit_learn_are_clustered_and_reported_on():
    texts = ["red apples, green apples", "blue seas and green seas"] * 3
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(texts)
    corpus = Corpus.from_counts(X, vectorizer.get_feature_names_out())
    fitted = coterie.PLSA(2, random_state=0).fit(corpus)
    new = fitted.vocabulary_.count(["Red apples", "the Blue seas"])
    np.testing.assert_array_equal(
        new.toarray(), vectorizer.transform(["Red apples", "the Blue seas"]).toarray()
    )
    assert fitted.predict(new).tolist() == fitted.labels_[:2].tolist()
    summary = summarize(fitted, corpus, method="PLSA")
    assert len(summary.clusters) == 2
    assert any(re.search("made from counts and holds no texts", note) for note in summary.notes)


@pytest.mark.parametrize("word", ["New", "new york", "new_york", "don't", "-", ""])
def test_texts_are_not_counted_by_columns_that_are_no_words(word):
    corpus = Corpus.from_counts([[1, 2]], ["tea", word])
    said = message_of(corpus.vocabulary.count, ["tea"])
    assert said.startswith(f"texts cannot be counted: {word!r} (column 1)")


def test_a_corpus_made_of_counts_is_saved_and_loaded(tmp_path):
    corpus = Corpus.from_counts(COUNTS, WORDS, titles=["A", "B", "C"])
    corpus.save(tmp_path / "saved")
    loaded = Corpus.load(tmp_path / "saved")
    assert loaded.counts.toarray().tolist() == COUNTS
    assert loaded.words.tolist() == WORDS
    assert loaded.titles == ["A", "B", "C"]
    assert loaded.notes == corpus.notes
    assert loaded.vocabulary.count(["a cup of tea"]).toarray().tolist() == [[1, 0, 1]]
    assert loaded[1:].ids == ["2", "3"]
    message_of(loaded.texts, [0])
