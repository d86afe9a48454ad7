"""The built-in corpus: enough of it, clean, always the same, and never an obstacle."""

import re
import subprocess
import sys
import types
from collections import Counter

import pytest

from coterie.corpus import Corpus, TextOptions
from coterie.demo import corpus as demo
from coterie.demo import demo_documents, load_demo

CLASSES = {*demo.SOURCES, *demo.NAMESPACES}


@pytest.fixture(scope="module")
def documents():
    return demo_documents()


def test_there_are_twelve_classes_none_of_which_drowns_the_others(documents):
    sizes = Counter(document.label for document in documents)
    assert set(sizes) == CLASSES
    assert len(CLASSES) == 12
    assert min(sizes.values()) >= 40
    assert max(sizes.values()) <= demo.PER_CLASS
    assert 1000 <= len(documents) <= 2400


def test_documents_are_named_by_class_and_sorted(documents):
    ids = [document.id for document in documents]
    assert len(set(ids)) == len(ids)
    assert "scipy.special.gamma" in ids
    assert "turtle.RawTurtle.begin_poly" in ids
    assert all(document.id.startswith(document.label + ".") for document in documents)
    assert [(d.label, d.id) for d in documents] == sorted((d.label, d.id) for d in documents)
    assert not [name for name in ids if re.search(r"\._|\.tests?\.", name)]


def test_every_document_has_words_and_no_two_say_the_same(documents):
    assert all(len(document.text.split()) >= demo.MIN_WORDS for document in documents)
    assert all(document.title for document in documents)
    assert len({document.text for document in documents}) == len(documents)


@pytest.mark.parametrize(
    "leftover",
    [r">>>", r"%\(", r"::\s", r"array_like\n", r"https?://", r":math:", r"-----", r"\\frac"],
)
def test_nothing_but_prose_is_left(documents, leftover):
    found = [document.id for document in documents if re.search(leftover, document.text)]
    assert len(found) <= len(documents) // 50, found


def test_no_sentence_is_said_all_over(documents):
    said = Counter(line for document in documents for line in document.text.splitlines())
    assert max(said.values()) <= demo.MAX_REPEATS


def test_the_same_documents_come_every_time(documents):
    assert demo_documents() == documents


def test_sources_are_read_without_being_run():
    code = (
        "import sys; from coterie.demo import demo_documents; demo_documents();"
        "assert 'turtle' not in sys.modules and 'tkinter' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_missing_packages_are_missing_classes(monkeypatch):
    monkeypatch.setattr(
        demo, "SOURCES", {"turtle": "no_such_module", "x": "no.such", "time": "time"}
    )
    monkeypatch.setattr(
        demo, "NAMESPACES", {"scipy.ndimage": ("scipy.ndimage", "scipy.nothing"), "y": ("y.z",)}
    )
    assert {document.label for document in demo_documents()} == {"scipy.ndimage"}


def test_packages_without_docstrings_are_missing_classes(monkeypatch):
    monkeypatch.setattr(demo, "SOURCES", {})
    monkeypatch.setattr(demo, "NAMESPACES", {"antigravity": ("math",)})
    assert demo_documents() == []


def test_the_corpus_holds_the_documents_with_their_classes(documents):
    corpus = load_demo()
    assert isinstance(corpus, Corpus)
    assert len(corpus) == len(documents)
    assert corpus.ids == [document.id for document in documents]
    assert list(corpus.labels) == [document.label for document in documents]
    assert corpus.titles == [document.title for document in documents]
    assert corpus.counts.shape == (len(corpus), len(corpus.words))
    assert corpus.vocabulary.options.language == "en"
    assert {"eigenvalues", "spline", "logger"} <= set(corpus.words)


def test_the_text_of_the_corpus_can_be_counted_otherwise():
    assert len(load_demo(TextOptions(language="en", max_words=50)).words) == 50


def test_large_classes_are_thinned_over_their_whole_range(documents, monkeypatch):
    names = [document.id for document in documents if document.label == "asyncio"]
    monkeypatch.setattr(demo, "SOURCES", {"asyncio": "asyncio"})
    monkeypatch.setattr(demo, "NAMESPACES", {})
    monkeypatch.setattr(demo, "PER_CLASS", 10)
    thinned = [document.id for document in demo_documents()]
    assert len(thinned) == 10
    assert thinned[0] == names[0]
    assert names.index(thinned[-1]) > 0.8 * len(names)


def test_a_method_speaks_for_itself_before_its_ancestors_do(monkeypatch):
    class Ancestor:
        def walk(self):
            """Walk as all ancestors did."""

        def rest(self):
            """Rest as all ancestors did."""

    class Child(Ancestor):
        def walk(self):
            """Walk in a new way."""

    module = types.ModuleType("family")
    module.__all__ = ["Child"]
    module.Child = Child
    monkeypatch.setitem(sys.modules, "family", module)
    monkeypatch.setattr(demo, "NAMESPACES", {__name__: ("family",)})
    found = demo._docstrings(__name__)
    assert found["family.Child.walk"] == "Walk in a new way."
    assert found["family.Child.rest"] == "Rest as all ancestors did."
