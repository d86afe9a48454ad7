"""Clusters that follow languages are told, and a language can be clustered by itself."""

import numpy as np
import pytest

from commands import run, succeed
from coterie.clustering.languages import by_language, languages_of, note_on_languages
from coterie.corpus import Corpus

ENGLISH = "The dog and the cat are playing in the garden of the house, and the sun is out. {}"
GERMAN = "Der Hund und die Katze spielen im Garten vor dem Haus, und die Sonne scheint. {}"


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_texts(
        [text.format(word) for word in ("tea", "rum") * 6 for text in (ENGLISH, GERMAN)]
    )


def test_the_language_of_each_document_is_a_column(corpus):
    assert languages_of(corpus) == ["en", "de"] * 12
    alone = Corpus.from_texts([ENGLISH.format(n) for n in range(9)])
    assert languages_of(alone) is None


def test_a_part_has_the_documents_and_words_of_its_language(corpus):
    parts = dict(by_language(corpus))
    assert list(parts) == ["en", "de"]
    assert len(parts["de"]) == 12
    assert {"hund", "tea"} <= set(parts["de"].words)
    assert "dog" not in parts["de"].words
    assert parts["de"].texts([0]) == [GERMAN.format("tea")]


def test_clusters_that_follow_languages_are_told_with_what_to_do(corpus):
    by_code = np.array([0, 1] * 12)
    said = note_on_languages(corpus, by_code)
    assert "clusters follow languages (en 12, de 12)" in said
    assert "--by-language" in said
    assert note_on_languages(corpus, np.array([0, 0, 1, 1] * 6)) is None
    assert note_on_languages(corpus, np.zeros(24, dtype=int)) is None


def test_a_language_of_few_documents_is_left_out_and_told(tmp_path):
    for number in range(10):
        (tmp_path / f"en{number}.txt").write_text(ENGLISH.format("tea rum"[number % 2 * 4 :]))
    for number in range(3):
        (tmp_path / f"de{number}.txt").write_text(GERMAN.format(number))
    method = ("--method", "kmeans")
    done = succeed("cluster", tmp_path, "--by-language", "-k", 2, *method)
    assert (
        "3 documents are left out, in languages of fewer than 10 documents: de 3" in done.stderr
    )
    assert "Language en: 10 documents" in done.stdout
    many = run("cluster", tmp_path, "--by-language", "-k", 11, *method)
    assert (many.exit_code, "en: 11 clusters: more than the 10" in many.stderr) == (2, True)
    (tmp_path / "en0.txt").unlink()
    none = run("cluster", tmp_path, "--by-language", "-k", 2, *method)
    assert (none.exit_code, "no language has 10 documents (en 9, de 3)" in none.stderr) == (
        2,
        True,
    )
