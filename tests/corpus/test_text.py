"""What a word is, which words are dropped, and which language they are in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.corpus.languages import ENGLISH_FUNCTION_WORDS, identify, stop_list
from coterie.corpus.text import Analyser, TextOptions, tokenizer
from coterie.errors import InputError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Plain ASCII, 2 words_apart", ["plain", "ascii", "2", "words", "apart"]),
        ("naïve Ünïcode_text", ["naïve", "ünïcode", "text"]),
        ("cafe\u0301 CAFÉ", ["café", "café"]),
        ("हिन्दी में शब्द", ["हिन्दी", "में", "शब्द"]),
        ("soft\u00adhyphen é", ["softhyphen", "é"]),
        ("Ελληνικά, русский", ["ελληνικά", "русский"]),
        ("", []),
        ("... --- !!!", []),
    ],
)
def test_words_are_runs_of_letters_digits_and_marks(text, words):
    assert tokenizer()(text) == words


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_text_is_split_alike_alone_and_beside_an_accent(text):
    assert tokenizer()(text) == tokenizer()(text + " é")[:-1]


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_a_known_pattern_splits_ascii_text_as_its_regular_expression_does(text):
    quick = [word for word in tokenizer(r"\b\w\w+\b")(text) if len(word) > 1]
    assert quick == tokenizer(r"\b\w\w+\b(?=)")(text)


def test_short_words_stop_words_and_numbers_are_decided_by_the_options():
    words = ["the", "a", "x1", "1984", "dogs"]
    english = Analyser(TextOptions(language="en"))
    assert english.terms(words) == [None, None, "x1", "#", "dogs"]
    kept = Analyser(TextOptions(language="en", digits="keep", stop_words="none", min_length=1))
    assert kept.terms(words) == words
    dropped = Analyser(TextOptions(language="en", digits="drop", stem=True))
    assert dropped.terms(words) == [None, None, "x1", None, "dog"]


def test_contractions_stop_the_words_they_are_split_into():
    terms = Analyser(TextOptions(language="en", min_length=1)).terms(["don", "t", "ll", "won"])
    assert terms == [None, None, None, "won"]


def test_the_short_english_list_is_short_and_the_long_one_holds_nearly_all_of_it():
    assert 120 <= len(set(ENGLISH_FUNCTION_WORDS)) <= 280
    missing = stop_list("en") - stop_list("en", "long")
    assert len(missing) < 10
    assert len(stop_list("en", "long")) > 1000


def test_given_stop_words_may_be_words_or_a_file(tmp_path):
    file = tmp_path / "stop.txt"
    file.write_text("Dogs\ncats\n", encoding="utf-8")
    for given_words in (("Dogs", "cats"), str(file)):
        analyser = Analyser(TextOptions(language="en", stop_words=given_words))
        assert analyser.terms(["dogs", "cats", "the"]) == [None, None, "the"]


def test_a_language_without_a_list_has_no_stop_words_and_says_so():
    analyser = Analyser(TextOptions(language="ka"))
    assert analyser.terms(["the"]) == ["the"]
    assert analyser.remarks == ["no stop words: there is no list for language 'ka'"]
    with pytest.raises(InputError, match="stop_words: there is no list for language 'ka'"):
        Analyser(TextOptions(language="ka", stop_words="long"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "xx"}, "language: 'xx' is not a known ISO 639-1 code; known are .*en"),
        ({"digits": "two"}, "digits: expected one, keep or drop, got 'two'"),
        ({"min_df": 0}, "min_df: expected .*, got 0"),
        ({"min_df": 1.5}, "min_df: .*got 1.5"),
        ({"max_df": -0.1}, "max_df: .*got -0.1"),
        ({"max_df": True}, "max_df: .*got True"),
        ({"max_words": 0}, "max_words: expected an integer of at least 1, got 0"),
        ({"min_length": 0}, "min_length: .*got 0"),
        ({"ngrams": 0}, "ngrams: expected an integer of at least 1, got 0"),
        ({"ngrams": 10**9}, "ngrams: 1000000000, expected at most 100"),
        ({"pattern": "("}, "pattern: '\\(' is not a regular expression"),
        ({"pattern": "(a)(b)"}, "pattern: expected at most one group"),
    ],
)
def test_impossible_options_are_refused_by_name(options, message):
    with pytest.raises(InputError, match=message):
        TextOptions(**options)


def test_a_stop_list_that_does_not_exist_is_named():
    with pytest.raises(InputError, match="stop_words: expected auto, .*got 'nowhere.txt'"):
        Analyser(TextOptions(language="en", stop_words="nowhere.txt"))


def test_a_language_without_stemmer_is_named_with_those_that_have_one():
    with pytest.raises(InputError, match="no stemmer for language 'ja'; there is one for .*de"):
        Analyser(TextOptions(language="ja", stem=True))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The weather was fine and the children were playing in the garden.", "en"),
        ("Das Wetter war schön und die Kinder spielten im Garten.", "de"),
        ("Il fait beau et les enfants jouent dans le jardin.", "fr"),
        ("0 1 2 3 !", "und"),
        ("", "und"),
    ],
)
def test_the_language_is_identified(text, language):
    assert identify([text]).language == language


def test_a_mixture_of_languages_is_said():
    english = "The weather was fine and the children were playing in the garden. " * 4
    german = "Das Wetter war schön und die Kinder spielten im Garten. " * 4
    guess = identify([english] * 7 + [german] * 3)
    assert guess.votes == {"en": 7, "de": 3}
    said = "language identified as 'en' in 7 of 10 documents (others: de 3)"
    assert guess.remark() == said


def test_options_survive_json():
    options = TextOptions(language="fr", stop_words=("le", "la"), max_df=0.5, ngrams=2)
    assert TextOptions.from_values(options.to_values()) == options
