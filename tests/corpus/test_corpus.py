"""A corpus stays consistent when sliced, saved, loaded, and asked for its texts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from coterie.corpus import Corpus, TextOptions, View, Vocabulary, read
from coterie.errors import InputError

ENGLISH = TextOptions(language="en")
TEXTS = ["The red fox", "A blue whale", "Red and blue birds", "...", "Green frogs, red frogs"]
LABELS = ["a", "b", "a", "c", "b"]


@pytest.fixture
def corpus():
    return Corpus.from_texts(TEXTS, ids=list("vwxyz"), labels=LABELS, options=ENGLISH)


@pytest.fixture
def folder(tmp_path):
    for number, (label, text) in enumerate(zip(LABELS, TEXTS, strict=True)):
        path = tmp_path / "texts" / label / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "texts"


def same(left, right):
    assert left.ids == right.ids
    assert left.titles == right.titles
    assert (left.labels is None) == (right.labels is None)
    if left.labels is not None:
        assert left.labels.tolist() == right.labels.tolist()
    assert left.notes == right.notes
    assert list(left.views) == list(right.views)
    for name in left.views:
        mine, other = left.views[name], right.views[name]
        assert mine.vocabulary.to_values() == other.vocabulary.to_values()
        assert mine.counts.dtype == other.counts.dtype == np.float32
        assert (mine.counts != other.counts).nnz == 0


def test_a_corpus_of_texts_has_counts_names_and_notes(corpus):
    assert len(corpus) == 5
    words = ["birds", "blue", "fox", "frogs", "green", "red", "whale"]
    assert corpus.words.tolist() == words
    assert corpus.counts.toarray()[4].tolist() == [0, 0, 0, 2, 1, 1, 0]
    assert corpus.titles[0] == "The red fox"
    assert corpus.labels.tolist() == LABELS
    assert corpus.labels.dtype == object
    assert corpus.notes.lines() == [
        "5 documents read",
        "1 document without any word, left empty",
    ]
    assert repr(corpus) == "Corpus(5 documents, 7 words)"


@pytest.mark.parametrize(
    "documents",
    [slice(1, 4), slice(None, None, -2), [3, 0, 3], np.array([True, False, True, False, True])],
)
def test_slicing_keeps_everything_together(corpus, folder, documents):
    positions = np.arange(5)[documents].tolist()
    for whole in (corpus, Corpus.from_folder(folder, options=ENGLISH)):
        part = whole[documents]
        assert part.ids == [whole.ids[p] for p in positions]
        assert part.titles == [whole.titles[p] for p in positions]
        assert part.labels.tolist() == [whole.labels[p] for p in positions]
        assert (part.counts.toarray() == whole.counts.toarray()[positions]).all()
        assert part.texts(slice(None)) == whole.texts(positions)
        assert part[::-1].texts([0]) == whole.texts([positions[-1]])


def test_an_empty_slice_is_an_empty_corpus(corpus):
    assert len(corpus[[]]) == 0
    assert corpus[[]].counts.shape == (0, 7)
    assert corpus[[]].texts(slice(None)) == []


@pytest.mark.parametrize("documents", [[9], [True, False], [0.5]])
def test_documents_that_are_not_there_are_refused(corpus, documents):
    with pytest.raises(InputError, match=r"documents: .*\(there are 5\)"):
        corpus[documents]


def test_words_are_selected_in_alphabetical_order(corpus):
    part = corpus.select_words([5, 1])
    assert part.words.tolist() == ["blue", "red"]
    assert part.counts.toarray().tolist() == [[0, 1], [1, 0], [1, 1], [0, 0], [0, 1]]
    assert part.vocabulary.count(["red red fox"]).toarray().tolist() == [[0, 2]]
    assert part.texts([0]) == corpus.texts([0])
    mask = corpus.words == "fox"
    assert corpus.select_words(mask).words.tolist() == ["fox"]
    with pytest.raises(InputError, match=r"columns: .*\(there are 7\)"):
        corpus.select_words([99])


def test_a_folder_gives_labels_titles_and_texts(folder):
    ticks = []
    corpus = Corpus.from_folder(folder, options=ENGLISH, tick=ticks.append)
    assert ticks == [1, 2, 3, 4, 5]
    assert corpus.ids == ["a/0.txt", "a/2.txt", "b/1.txt", "b/4.txt", "c/3.txt"]
    assert corpus.labels.tolist() == ["a", "a", "b", "b", "c"]
    assert corpus.texts([3, 0]) == [TEXTS[4], TEXTS[0]]


def test_the_same_texts_give_the_same_counts_from_memory_and_from_disk(folder):
    from_disk = read(folder, options=ENGLISH)
    texts = from_disk.texts(slice(None))
    from_memory = Corpus.from_texts(texts, options=ENGLISH)
    assert from_disk.words.tolist() == from_memory.words.tolist()
    assert (from_disk.counts != from_memory.counts).nnz == 0


def test_files_side_by_side_have_no_labels(tmp_path):
    (tmp_path / "1.txt").write_text("red fox")
    (tmp_path / "2.txt").write_text("blue whale")
    assert read(tmp_path, options=ENGLISH).labels is None


def test_texts_of_a_source_that_is_gone_or_changed_are_an_error(folder, tmp_path):
    corpus = Corpus.from_folder(folder, options=ENGLISH)
    (folder / "a" / "0.txt").unlink()
    message = "changed since it was read, document 'a/2.txt' is not where it was"
    with pytest.raises(InputError, match=message):
        corpus.texts([1])
    with pytest.raises(InputError, match="document 'c/3.txt' is not where it was"):
        corpus.texts([4])
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="texts: no such file or folder"):
        corpus.texts([0])


def test_a_corpus_made_of_counts_has_no_texts(corpus):
    bare = Corpus(corpus.views, corpus.ids)
    assert bare.titles == corpus.ids
    with pytest.raises(InputError, match="made from counts"):
        bare.texts([0])


@pytest.mark.parametrize("part", [slice(None), slice(1, 4), [4, 2]])
def test_a_saved_corpus_is_the_same_when_loaded(corpus, folder, tmp_path, part):
    for number, whole in enumerate((corpus, read(folder, options=ENGLISH))):
        saved = whole[part]
        saved.save(tmp_path / f"saved{number}")
        loaded = Corpus.load(tmp_path / f"saved{number}")
        same(loaded, saved)
        assert loaded.texts(slice(None)) == saved.texts(slice(None))
        assert loaded[1:].texts([0]) == saved.texts([1])
    manifest = json.loads((tmp_path / "saved0" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["kind"] == "corpus"


@pytest.mark.parametrize("text", ["", "naïve 😀 \x00 text", "half \ud83d of one"])
def test_any_text_can_be_saved(tmp_path, text):
    corpus = Corpus.from_texts([text, "red fox"], ids=[text, "b"], options=ENGLISH)
    corpus.save(tmp_path / "saved")
    loaded = Corpus.load(tmp_path / "saved")
    same(loaded, corpus)
    assert loaded.texts([0]) == corpus.texts([0])
    assert corpus.notes.replaced == ("\ud83d" in text)


def test_columns_of_a_table_may_be_views_in_their_own_languages(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("en,de,n\nthe red fox,der rote Fuchs,1\nthe whale,der Wal,2\n")
    corpus = Corpus.from_table(table, views=["en", "de"], id="n", options=TextOptions())
    assert list(corpus.views) == ["en", "de"]
    languages = [view.vocabulary.options.language for view in corpus.views.values()]
    assert languages == ["en", "de"]
    assert corpus.words.tolist() == ["fox", "red", "whale"]
    assert corpus.views["de"].vocabulary.words.tolist() == ["fuchs", "rote", "wal"]
    assert corpus.texts([1]) == ["the whale\nder Wal"]
    corpus.save(tmp_path / "saved")
    same(Corpus.load(tmp_path / "saved"), corpus)
    part = corpus.select_words([0], view="de")[1:]
    assert part.views["de"].counts.shape == (1, 1)
    assert part.views["en"].counts.shape == (1, 3)


def test_views_may_have_options_of_their_own():
    views = {"short": ["red fox", "red"], "long": ["red foxes", "red"]}
    options = {"short": ENGLISH, "long": TextOptions(language="en", stem=True)}
    corpus = Corpus.from_texts(views, options=options)
    assert corpus.views["long"].vocabulary.words.tolist() == ["fox", "red"]
    with pytest.raises(
        InputError, match="options: none for view 'long'; there are some for short"
    ):
        Corpus.from_texts(views, options={"short": ENGLISH})


@pytest.mark.parametrize(
    ("texts", "given", "message"),
    [
        ({"en": ["a"], "de": []}, {}, r"different numbers of documents \(en 1, de 0\)"),
        ({}, {}, "at least one view"),
        ("one", {}, "got one string"),
        (["red", None], {}, "document 1 of view 'text' is NoneType, not str"),
        (["red fox"], {"ids": ["a", "b"]}, "ids: 2 for 1 documents; expected one a document"),
        (["red fox"], {"labels": ["a", "b"]}, "labels: 2 for 1 documents"),
        (["red fox"], {"titles": []}, "titles: 0 for 1 documents"),
        ([], {}, "texts: none; expected at least one document"),
    ],
)
def test_what_does_not_fit_together_is_refused(texts, given, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(texts, **({"options": ENGLISH} | given))


def test_views_and_vocabularies_must_fit(corpus):
    with pytest.raises(InputError, match="counts: 7 columns for 1 words"):
        View(corpus.counts, Vocabulary(["red"], ENGLISH))
    with pytest.raises(InputError, match="ids: 2 for 5 documents; expected one"):
        Corpus(corpus.views, ["a", "b"])
    with pytest.raises(InputError, match="views: expected at least one"):
        Corpus({}, [])
    with pytest.raises(InputError, match="view: no 'fr'; there are text"):
        corpus.select_words([0], view="fr")


def test_what_is_asked_of_a_path_must_make_sense(folder):
    file = folder / "a" / "0.txt"
    with pytest.raises(InputError, match="expected a folder, got a file"):
        Corpus.from_folder(file)
    with pytest.raises(InputError, match="expected a table"):
        Corpus.from_table(file)
    with pytest.raises(InputError, match="text: expected text or views, got both"):
        read(folder, text="a", views=["b"])
    with pytest.raises(InputError, match="views: expected a list of columns"):
        read(folder, views="en")
    with pytest.raises(InputError, match="a/0.txt: has no column 'en'"):
        read(folder, views=["en"])


def test_labels_may_be_numbers_and_missing_ones_are_empty(tmp_path):
    labels = np.array([1, 2], dtype=np.int64)
    corpus = Corpus.from_texts(["red", "blue"], labels=labels, options=ENGLISH)
    corpus.save(tmp_path / "saved")
    assert Corpus.load(tmp_path / "saved").labels.tolist() == [1, 2]
    table = tmp_path / "t.jsonl"
    table.write_text('{"text": "red", "k": "x"}\n{"text": "blue", "k": null}\n')
    assert read(table, label="k", options=ENGLISH).labels.tolist() == ["x", ""]


def test_importing_the_room_imports_nothing_heavy():
    heavy = "pyarrow py3langid Stemmer selectolax sklearn stopwordsiso numba".split()  # noqa: SIM905
    code = f"import sys, coterie.corpus; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("archive", "n_documents", "n_labels"),
    [("20news-19997.tar.xz", 19_997, 20), ("webkb-html.tar.xz", 8_280, 7)],
)
def test_real_archives_are_read_whole(archive, n_documents, n_labels):
    data = os.environ.get("COTERIE_DATA")
    if not data or not (Path(data) / archive).is_file():
        pytest.skip(f"COTERIE_DATA has no {archive}")
    corpus = read(Path(data) / archive)
    assert len(corpus) == n_documents
    assert len(set(corpus.labels)) == n_labels
    assert corpus.vocabulary.options.language == "en"
