"""Counting agrees with scikit-learn, in one pass, whatever the size of the chunks."""

import json
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from coterie.corpus import TextOptions, Vocabulary, counting
from coterie.errors import InputError

PATTERN = r"(?u)\b\w\w+\b"
WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "eta",
    "theta",
    "iota_1",
    "42",
    "straße",
    "été",
    "x",
]


def plain(**options):
    given_options = {
        "language": "en",
        "pattern": PATTERN,
        "digits": "keep",
        "stop_words": "none",
        "min_df": 1,
    }
    return TextOptions(**(given_options | options))


def random_texts(seed, n_documents=60, longest=30):
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(WORDS) + 1)
    return [
        ". ".join(
            rng.choice(WORDS, rng.integers(0, longest), p=weights / weights.sum())
        ).title()
        for _ in range(n_documents)
    ]


@pytest.mark.parametrize("chunk", [1, 37, 10**6])
@pytest.mark.parametrize(
    ("options", "theirs"),
    [
        ({}, {}),
        ({"ngrams": 2}, {"ngram_range": (1, 2)}),
        ({"ngrams": 3}, {"ngram_range": (1, 3)}),
        ({"ngrams": 5, "min_df": 2}, {"ngram_range": (1, 5), "min_df": 2}),
        ({"min_df": 5, "max_df": 0.5}, {"min_df": 5, "max_df": 0.5}),
        ({"min_df": 0.1, "max_df": 40}, {"min_df": 0.1, "max_df": 40}),
        ({"stop_words": ("alpha", "beta")}, {"stop_words": ["alpha", "beta"]}),
        (
            {"stop_words": ("alpha",), "ngrams": 2, "min_df": 2},
            {"stop_words": ["alpha"], "ngram_range": (1, 2), "min_df": 2},
        ),
        ({"max_words": 5}, {"max_features": 5}),
        ({"max_words": 5, "min_df": 2, "max_df": 0.8},
         {"max_features": 5, "min_df": 2, "max_df": 0.8}),
        ({"pattern": r"(?u)\b\w+\b", "min_length": 1}, {"token_pattern": r"(?u)\b\w+\b"}),
        ({"pattern": r"([a-z]+)_1"}, {"token_pattern": r"([a-z]+)_1"}),
    ],
)  # fmt: skip
def test_counts_equal_those_of_scikit_learn(options, theirs, chunk, monkeypatch):
    texts = random_texts(1)
    monkeypatch.setattr(counting, "CHUNK_TOKENS", chunk)
    vocabulary, counts = Vocabulary.learn(iter(texts), plain(**options))
    vectorizer = CountVectorizer(**theirs)
    expected = vectorizer.fit_transform(texts)
    assert vocabulary.words.tolist() == vectorizer.get_feature_names_out().tolist()
    assert (counts != expected).nnz == 0
    assert counts.dtype == np.float32
    assert counts.has_sorted_indices


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(alphabet=st.sampled_from("abcdé _.1")), min_size=1),
    st.sampled_from([1, 2, 4]),
)
def test_any_text_is_counted_as_scikit_learn_counts_it(texts, ngrams):
    vectorizer = CountVectorizer(ngram_range=(1, ngrams))
    try:
        expected = vectorizer.fit_transform(texts)
    except ValueError:
        with pytest.raises(InputError, match="no word is left"):
            Vocabulary.learn(texts, plain(ngrams=ngrams))
        return
    vocabulary, counts = Vocabulary.learn(texts, plain(ngrams=ngrams))
    assert vocabulary.words.tolist() == vectorizer.get_feature_names_out().tolist()
    assert (counts != expected).nnz == 0


def test_memory_grows_with_the_counts_not_with_the_text(monkeypatch):
    """20 MB of text in the same few words leave little behind."""
    monkeypatch.setattr(counting, "CHUNK_TOKENS", 50_000)
    page = "the same ten words again and again on every page " * 200

    def texts():
        for _ in range(2000):
            yield page

    tracemalloc.start()
    _, counts = Vocabulary.learn(texts(), plain())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert counts.sum(dtype=np.float64) == 2000 * 200 * 10
    assert peak < 2000 * len(page) / 4


def test_of_equally_frequent_words_the_alphabetically_first_are_kept():
    vocabulary, _ = Vocabulary.learn(["dd cc bb aa dd"], plain(max_words=2))
    assert vocabulary.words.tolist() == ["aa", "dd"]


@pytest.mark.parametrize("ngrams", [1, 2, 3])
@pytest.mark.parametrize("stem", [False, True])
def test_counting_again_gives_the_same_rows(ngrams, stem):
    texts = [*random_texts(2), "The dogs of 1984 and the dog of 42 run, running."]
    options = TextOptions(language="en", ngrams=ngrams, stem=stem)
    vocabulary, counts = Vocabulary.learn(texts, options)
    again = vocabulary.count(texts)
    assert again.shape == counts.shape
    assert (again != counts).nnz == 0
    assert (vocabulary.count(texts[::-1]) != counts[::-1]).nnz == 0


def test_unknown_words_are_not_counted_but_still_part_neighbours():
    vocabulary, _ = Vocabulary.learn(["red fox", "red fox"], plain(ngrams=2))
    counts = vocabulary.count(["red unknown fox", "", "red fox"])
    assert vocabulary.words.tolist() == ["fox", "red", "red fox"]
    assert counts.toarray().tolist() == [[1, 1, 0], [0, 0, 0], [1, 1, 1]]


def test_stems_and_numbers_are_merged_into_one_column_each():
    texts = ["cluster clusters clustering 12 34 5678", "clusters 99"]
    vocabulary, counts = Vocabulary.learn(texts, TextOptions(language="en", stem=True))
    assert vocabulary.words.tolist() == ["#", "cluster"]
    assert counts.toarray().tolist() == [[3, 3], [1, 1]]


def test_pairs_are_formed_after_stop_words_stems_and_numbers():
    options = TextOptions(language="en", stem=True, ngrams=2)
    vocabulary, _ = Vocabulary.learn(["houses of the 12 kings"], options)
    assert vocabulary.words.tolist() == ["#", "# king", "hous", "hous #", "king"]


def test_pairs_do_not_reach_across_documents(monkeypatch):
    monkeypatch.setattr(counting, "CHUNK_TOKENS", 100)
    vocabulary, _ = Vocabulary.learn(["red", "", "fox red"], plain(ngrams=2))
    assert vocabulary.words.tolist() == ["fox", "fox red", "red"]


@pytest.mark.parametrize(("n_documents", "least"), [(19, 1), (20, 2), (199, 2), (200, 3)])
def test_how_rare_a_word_may_be_depends_on_the_number_of_documents(n_documents, least):
    texts = ["common"] * n_documents
    for number in range(1, 4):
        texts[:number] = [text + " " + "xyz"[number - 1] * 3 for text in texts[:number]]
    vocabulary, _ = Vocabulary.learn(texts, TextOptions(language="en"))
    assert vocabulary.options.min_df == least
    assert len(vocabulary) == 1 + 4 - least


def test_nothing_left_is_an_error_that_counts():
    message = (
        "no word is left: 2 documents, 3 distinct words before stop words are left out, min_df="
    )
    with pytest.raises(InputError, match=f"{message}5"):
        Vocabulary.learn(["red fox", "blue"], TextOptions(language="en", min_df=5, max_df=9))
    with pytest.raises(InputError, match=f"{message}1"):  # stop words are counted before
        Vocabulary.learn(["the of", "of and"], TextOptions(language="en"))


def test_contradicting_frequencies_are_an_error():
    with pytest.raises(InputError, match=r"max_df=0.1 is fewer documents than min_df=2"):
        Vocabulary.learn(["red fox", "red"], TextOptions(language="en", min_df=2, max_df=0.1))


@pytest.mark.parametrize(
    ("texts", "message"),
    [([], "expected at least one document"), ("one text", "got one string")],
)
def test_what_is_not_a_collection_of_texts_is_refused(texts, message):
    with pytest.raises(InputError, match=message):
        Vocabulary.learn(texts)


@pytest.mark.parametrize("n_documents", [5, 299, 300, 301])
def test_the_language_is_identified_from_a_stream_and_no_document_is_lost(n_documents):
    german = "Der Hund und die Katze spielen im Garten, wenn die Sonne scheint."
    vocabulary, counts = Vocabulary.learn(german for _ in range(n_documents))
    assert vocabulary.options.language == "de"
    assert "und" not in vocabulary.words
    assert counts.shape[0] == n_documents
    assert (counts.toarray() == counts.toarray()[0]).all()
    assert vocabulary.remarks == ("language identified as 'de'",)


def test_stop_words_of_a_second_frequent_language_are_left_out_too():
    german = "Der Hund und die Katze spielen im Garten, wenn die Sonne scheint. " * 4
    french = "Le chien et le chat jouent dans le jardin quand le soleil brille. " * 4
    vocabulary, _ = Vocabulary.learn([german, french] * 10)
    assert {"hund", "chien", "katze", "jardin"} <= set(vocabulary.words)
    assert not {"und", "die", "et", "le", "dans"} & set(vocabulary.words)
    said = "language identified as 'de' in 10 of 20 documents (others: fr 10)"
    assert vocabulary.remarks == (said,)
    again = Vocabulary.learn([german, french] * 10, TextOptions(stop_words="none"))[0]
    assert {"und", "le"} <= set(again.words)
    mostly, _ = Vocabulary.learn([german] * 400 + [french] * 4)
    assert "le" not in mostly.words
    assert "jardin" in mostly.words


def test_a_word_of_one_language_that_is_a_stop_word_of_another_stays():
    german = (
        "Der alte Mann und die Frau gehen mit dem Hund in den Wald. Die Sonne scheint. " * 3
    )
    english = "Plants die when there is no water, and the soil of the garden is dry. " * 3
    vocabulary, counts = Vocabulary.learn([german, english] * 10)
    column = vocabulary.words.tolist().index("die")
    assert counts.toarray()[:2, column].tolist() == [0, 3]
    assert (vocabulary.count([german, english]).toarray() == counts.toarray()[:2]).all()
    stemmed, _ = Vocabulary.learn([german, english] * 10, TextOptions(stem=True))
    assert {"plant", "sonn"} <= set(stemmed.words)


def test_scripts_without_spaces_are_counted_by_pairs_that_become_words():
    texts = ["软件包 管理", "游戏 软件包", "软件包", "软件", "软件 游戏", "ゲームの软件"] * 5
    vocabulary, counts = Vocabulary.learn(texts, TextOptions(language="zh", min_df=2))
    assert set(vocabulary.words) == {"软件", "软件包", "管理", "游戏", "ゲーム"}
    assert (vocabulary.count(texts) != counts).nnz == 0
    chosen = vocabulary.select(np.array([vocabulary.words.tolist().index("软件包")]))
    assert chosen.count(["软件包和软件"]).toarray().tolist() == [[1]]
    again = Vocabulary.from_values(json.loads(json.dumps(vocabulary.to_values())))
    assert (again.count(texts) != counts).nnz == 0


def test_pairs_that_always_come_together_are_one_column():
    texts = ["丹麦语字典", "丹麦语", "丹麦语", "字典"] * 3
    vocabulary, counts = Vocabulary.learn(texts, TextOptions(language="zh", stop_words="none"))
    words = vocabulary.words.tolist()
    assert "丹麦语" in words
    assert "麦语" not in words
    assert counts.toarray()[:4, words.index("丹麦语")].tolist() == [1, 1, 1, 0]


def test_hiragana_is_grammar_unless_stop_words_stay():
    texts = ["これはゲームです。とても面白い。"] * 3
    words = Vocabulary.learn(texts, TextOptions(language="ja"))[0].words.tolist()
    assert words == ["ゲーム", "面白"]
    every = Vocabulary.learn(texts, TextOptions(language="ja", stop_words="none"))[0].words
    assert any(word.startswith("とて") for word in every)


def test_a_sequence_is_sampled_from_end_to_end():
    german = "Der Hund und die Katze spielen im Garten, wenn die Sonne scheint."
    english = "The dog and the cat are playing in the garden when the sun is out."
    vocabulary, _ = Vocabulary.learn([german] * 350 + [english] * 650)
    assert vocabulary.options.language == "en"


def test_a_vocabulary_survives_json_without_its_stop_file(tmp_path):
    file = tmp_path / "stop.txt"
    file.write_text("fox", encoding="utf-8")
    options = TextOptions(language="en", stop_words=str(file))
    vocabulary, counts = Vocabulary.learn(["red fox", "red dog"], options)
    file.unlink()
    again = Vocabulary.from_values(json.loads(json.dumps(vocabulary.to_values())))
    assert again.words.tolist() == ["dog", "red"]
    assert again.options == vocabulary.options
    assert (again.count(["red fox", "red dog"]) != counts).nnz == 0
