"""Segments keep the order and the words of their documents."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from coterie.corpus import Corpus, TextOptions, View, read, segments
from coterie.corpus.segments import cut_text, segment_counts
from coterie.errors import InputError

ENGLISH = TextOptions(language="en", stop_words="none", min_df=1, min_length=1)
TEXTS = [
    "The fox runs. It is red!\n\nThe whale swims, e.g. in the sea.\n \t\nBirds? They fly.",
    "",
    "one line, no end",
    "\n\n \n\n",
    "Cats purr.\r\n\r\nDogs bark.",
]
WAYS = ["paragraph", "sentence", 1, 3, 1000]


def sums(counts, documents, n_documents):
    """Counts of segments added up by document."""
    total = np.zeros((n_documents, counts.shape[1]))
    np.add.at(total, documents, counts.toarray())
    return total


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("paragraph", [0, 0, 0, 1, 2, 3, 4, 4]),
        ("sentence", [0, 0, 0, 0, 0, 1, 2, 3, 4, 4]),
        (6, [0, 0, 0, 1, 2, 3, 4]),
        (1000, [0, 1, 2, 3, 4]),
    ],
)
def test_documents_are_cut_where_they_should_be(by, expected):
    counts, documents = segment_counts(Corpus.from_texts(TEXTS, options=ENGLISH), by)
    assert documents.tolist() == expected
    assert counts.shape[0] == len(expected)


@pytest.mark.parametrize("by", WAYS)
def test_segments_add_up_to_their_documents(by):
    corpus = Corpus.from_texts(TEXTS, options=ENGLISH)
    counts, documents = segment_counts(corpus, by)
    assert_array_equal(sums(counts, documents, 5), corpus.counts.toarray())


@given(
    st.lists(st.text(st.sampled_from("aBΣé1 .!?\n\r\t\"')’¿…_-\u00ad\u0301")), min_size=1),
    st.sampled_from(WAYS),
)
def test_no_word_is_lost_or_cut_in_two(texts, by):
    corpus = Corpus.from_texts([*texts, "word"], options=ENGLISH)
    counts, documents = segment_counts(corpus, by)
    assert_array_equal(sums(counts, documents, len(corpus)), corpus.counts.toarray())
    assert_array_equal(np.unique(documents), np.arange(len(corpus)))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He left. She stayed.", 2),
        ("He left... She stayed?! Yes.", 3),
        ("It weighs 3.5 kg. and more", 1),
        ("See e.g. this one", 1),
        ("«Partir.» Élise reste.", 2),
        ('He said "Go." Then he went.', 2),
        ("¿Qué? ¡Nada! Adiós.", 3),
        ("One.\nTwo.\n\nThree", 3),
        ("Дом стоит. Он стар.", 2),
    ],
)
def test_sentences_end_where_a_capital_follows(text, sentences):
    found = cut_text(text, "sentence")
    assert len(found) == sentences
    assert "".join(found) == text


def test_segments_stay_in_the_order_of_the_text():
    corpus = Corpus.from_texts(["b a c a b"], options=ENGLISH)
    counts, _ = segment_counts(corpus, 1)
    assert corpus.words[counts.toarray().argmax(axis=1)].tolist() == list("bacab")


def test_texts_on_disk_are_read_block_by_block(tmp_path, monkeypatch):
    monkeypatch.setattr(segments, "DOCUMENTS_AT_ONCE", 2)
    table = tmp_path / "table.csv"
    rows = [f'{i},"red fox {i}.\n\nBlue whale."' for i in range(5)]
    table.write_text("id,text\n" + "\n".join(rows) + "\n", encoding="utf-8")
    corpus = read(table, options=ENGLISH)
    counts, documents = segment_counts(corpus)
    assert documents.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert_array_equal(sums(counts, documents, 5), corpus.counts.toarray())
    part, of = segment_counts(corpus[[3, 1]])
    assert_array_equal(sums(part, of, 2), corpus.counts.toarray()[[3, 1]])


def test_only_words_of_the_corpus_are_counted():
    corpus = Corpus.from_texts(TEXTS, options=ENGLISH).select_words([0, 2, 5])
    counts, documents = segment_counts(corpus)
    assert_array_equal(sums(counts, documents, 5), corpus.counts.toarray())


def test_pairs_of_words_are_not_made_across_a_cut():
    options = TextOptions(language="en", min_df=1, ngrams=2)
    corpus = Corpus.from_texts(["red fox\n\nblue whale"], options=options)
    counts, _ = segment_counts(corpus)
    lost = corpus.words[(corpus.counts.toarray() - counts.sum(axis=0))[0] > 0]
    assert lost.tolist() == ["fox blue"]


@pytest.mark.parametrize("by", ["chapter", 0, -1, 2.5, True, None])
def test_other_ways_to_cut_are_refused(by):
    corpus = Corpus.from_texts(TEXTS, options=ENGLISH)
    with pytest.raises(InputError, match=r"^segments=.*: expected 'paragraph', 'sentence' or"):
        segment_counts(corpus, by)


def test_several_views_and_unknown_texts_are_refused():
    two = Corpus.from_texts({"en": ["a cat", "a dog"], "de": ["die Katze", "der Hund"]})
    with pytest.raises(InputError, match="expected a corpus of one view, got en, de"):
        segment_counts(two)
    known = Corpus.from_texts(["red fox"], options=ENGLISH)
    counts = View(sp.csr_array(known.counts), known.vocabulary)
    with pytest.raises(InputError, match="made from counts"):
        segment_counts(Corpus({"text": counts}, ["a"]))
