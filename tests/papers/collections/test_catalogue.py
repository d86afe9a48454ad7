"""The catalogue: what is here, whether it is whole, and loaders for formats not at hand."""

import gzip
import hashlib
import zipfile

import pytest

from coterie import InputError, TextOptions
from coterie_papers.collections import catalogue
from coterie_papers.collections.newsgroups import load_newsgroups, newsgroup_messages
from coterie_papers.collections.rcv import (
    load_rcv1,
    load_rcv2_french,
    rcv1_tokens,
    rcv1_topics,
    rcv1_vectors,
    rcv2_stories,
)
from coterie_papers.collections.recipes import sample_by_class, stratified_folds
from coterie_papers.items import PAPERS

PLAIN = TextOptions(language="en", stop_words="none", min_df=1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def test_entries_name_papers_and_loaders_that_exist():
    import coterie_papers.collections as room

    for entry in catalogue.CATALOGUE.values():
        assert set(entry.papers) <= set(PAPERS)
        name = entry.loader.partition("(")[0]
        assert callable(getattr(room, name)), name
        assert all(len(checksum) == 64 for checksum in entry.checksums.values())


def test_a_whole_a_changed_and_a_missing_file_are_told_apart(folder, monkeypatch):
    place = folder / "reuters-multiview-600"
    place.mkdir()
    (place / "a.npy").write_bytes(b"tea")
    (place / "b.npy").write_bytes(b"rum")
    known = hashlib.sha256(b"tea").hexdigest()
    entry = catalogue.entry("reuters-multiview-600")
    changed = entry._replace(checksums=dict.fromkeys(("a.npy", "b.npy", "c.npy"), known))
    monkeypatch.setitem(catalogue.CATALOGUE, entry.name, changed)
    assert [(f.file.name, f.state) for f in catalogue.check(entry.name)] == [
        ("a.npy", "whole"),
        ("b.npy", "differs"),
        ("c.npy", "missing"),
    ]
    assert catalogue.check("webkb") == []


def test_a_collection_unpacked_is_found_and_its_sum_unknown(folder):
    (folder / "20news-19997").mkdir()
    assert catalogue.whereabouts("20newsgroups") == folder / "20news-19997"
    assert [f.state for f in catalogue.check("20newsgroups")] == ["unknown"]


@pytest.mark.corpus
def test_the_real_files_have_their_known_sums(collections):
    for name in catalogue.CATALOGUE:
        place = catalogue.whereabouts(name)
        if place is not None and place.is_relative_to(collections):
            assert {f.state for f in catalogue.check(name)} == {"whole"}, name


def test_three_distributions_of_20_newsgroups_are_read(folder):
    for path, head in {
        "20news-19997/20_newsgroups/sci.space/1": "Message-ID: <1>\nSubject: orbit",
        "20news-18828/sci.space/1": "From: a\nSubject: orbit",
        "20news-bydate/20news-bydate-train/sci.space/1": "From: a\nSubject: orbit",
        "20news-bydate/20news-bydate-test/sci.space/2": "From: a\nSubject: orbit",
    }.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{head}\n\nthe moon {path[-1]} and stars\n")
    for distribution, n in {"19997": 1, "18828": 1, "bydate": 2}.items():
        messages = newsgroup_messages(distribution)
        assert len(messages) == n
        assert {(m.group, m.subject) for m in messages} == {("sci.space", "orbit")}
        assert "moon" in load_newsgroups(options=PLAIN, distribution=distribution).words
    with pytest.raises(InputError, match="distribution='2021': expected 19997, 18828, bydate"):
        newsgroup_messages("2021")


@pytest.fixture
def rcv1(folder):
    place = folder / "rcv1-v2"
    place.mkdir()
    qrels = ["GSPO 1 1", "GSPO 2 1", "GHEA 3 1", "GHEA 2 1", "GCAT 4 1", "E41 5 1", "GDIS 6 1"]
    with gzip.open(place / "rcv1-v2.topics.qrels.gz", "wt") as stream:
        stream.write("\n".join(qrels) + "\n")
    parts = {"train": (1, 2, 3), "test_pt0": (4, 5, 6)}
    for part, stories in parts.items():
        with gzip.open(place / f"lyrl2004_tokens_{part}.dat.gz", "wt") as stream:
            for n in stories:
                stream.write(f".I {n}\n.W\nball game\nstory{n}\n\n")
    (place / "lyrl2004_vectors_train.dat").write_text("1  2:0.5 7:0.25\n2  1:1.0\n")
    return place


def test_rcv1_stories_of_exactly_one_theme_are_drawn(rcv1):
    assert rcv1.is_dir()
    assert rcv1_topics()["2"] == ("GSPO", "GHEA")
    assert dict(rcv1_tokens())["5"] == "ball game story5"
    corpus = load_rcv1(options=PLAIN)
    assert dict(zip(corpus.ids, corpus.labels, strict=True)) == {
        "1": "sports", "3": "health", "5": "employment", "6": "disasters",
    }  # fmt: skip
    assert "story3" in corpus.words


def test_rcv1_vectors_are_read_and_bad_lines_named(rcv1):
    weights, stories = rcv1_vectors()
    assert stories == ["1", "2"]
    assert weights.toarray().tolist() == [[0, 0.5, 0, 0, 0, 0, 0.25], [1, 0, 0, 0, 0, 0, 0]]
    (rcv1 / "lyrl2004_vectors_train.dat").write_text("1 x\n")
    with pytest.raises(InputError, match="lyrl2004_vectors_train.dat, line 1: expected"):
        rcv1_vectors()
    (rcv1 / "rcv1-v2.topics.qrels.gz").unlink()
    with pytest.raises(InputError, match="expected a file rcv1-v2.topics.qrels"):
        rcv1_topics()


STORY = """<?xml version="1.0" encoding="iso-8859-1" ?>
<newsitem itemid="{number}" xml:lang="fr"><title>t</title><headline>Le blé {number}</headline>
<text><p>Le prix du blé monte.</p><p>Récolte {number}.</p></text>
<metadata><codes class="bip:countries:1.0"><code code="FRA"/></codes>
<codes class="bip:topics:1.0">{codes}</codes></metadata></newsitem>
"""


@pytest.fixture
def rcv2(folder):
    place = folder / "rcv2-french"
    place.mkdir()
    topics = {1: ("C15", "CCAT"), 2: ("CCAT",), 3: ("M11",), 4: ("FRA",), 5: ("M11", "CCAT")}
    stories = {
        n: STORY.format(number=n, codes="".join(f'<code code="{c}"/>' for c in codes))
        for n, codes in topics.items()
    }
    (place / "1.xml").write_text(stories[1], encoding="latin-1")
    with zipfile.ZipFile(place / "more.zip", "w") as archive:
        for n in (2, 3, 4, 5):
            archive.writestr(f"{n}.xml", stories[n].encode("latin-1"))
    return place


def test_rcv2_stories_of_several_classes_belong_to_the_smallest(rcv2):
    assert rcv2.is_dir()
    stories = {story.number: story for story in rcv2_stories()}
    assert stories["1"].topics == ("C15", "CCAT")
    assert stories["1"].title == "Le blé 1"
    assert stories["2"].body == "Le prix du blé monte.\nRécolte 2."
    corpus = load_rcv2_french(options=TextOptions(language="fr", min_df=1))
    assert dict(zip(corpus.ids, corpus.labels, strict=True)) == {
        "1": "C15", "2": "CCAT", "3": "M11", "5": "M11",
    }  # fmt: skip
    assert len(load_rcv2_french(per_class=1)) == 3


def test_a_file_that_is_no_story_is_named(rcv2):
    (rcv2 / "1.xml").write_text("<newsitem>")
    with pytest.raises(InputError, match="1.xml: not an XML story"):
        list(rcv2_stories())


def test_folds_spread_every_class_and_samples_keep_their_order():
    labels = ["tea"] * 10 + ["rum"] * 5
    folds = stratified_folds(labels, 5, seed=1)
    assert [int((folds[:10] == f).sum()) for f in range(5)] == [2] * 5
    assert sorted(folds[10:]) == [0, 1, 2, 3, 4]
    drawn = sample_by_class(range(15), labels, 3, seed=2)
    assert drawn == sorted(drawn)
    assert [sum(d < 10 for d in drawn), sum(d >= 10 for d in drawn)] == [3, 3]
    assert drawn != sample_by_class(range(15), labels, 3, seed=3)
