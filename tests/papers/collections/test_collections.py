"""Loaders of the standard collections on archives of their format, small ones and the real."""

import io
import tarfile
from collections import Counter

import pytest

from coterie import InputError, TextOptions
from coterie_papers.collections import load_newsgroups, load_reuters, load_webkb
from coterie_papers.collections.newsgroups import newsgroup_messages
from coterie_papers.collections.reuters import reuters_stories

PLAIN = TextOptions(language="en", stop_words="none", min_df=1)


def archive(folder, name, files):
    with tarfile.open(folder / name, "w:xz") as tape:
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            data = content.encode("latin-1")
            member.size = len(data)
            tape.addfile(member, io.BytesIO(data))


def message(identity, subject, body):
    return f"Path: x\nFrom: y\nSubject: {subject}\nMessage-ID: <{identity}>\n\n{body}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def newsgroups(folder):
    root = "20news-19997/20_newsgroup"
    files = {
        f"{root}/alt.atheism/1": message(1, "doubt", "belief and caf\xe9"),
        f"{root}/comp.graphics/2": message(2, "lines", "drawing of lines"),
        f"{root}/comp.graphics/3": message(3, "both", "to two groups"),
        f"{root}/sci.space/4": message(3, "both", "to two groups"),
        f"{root}/sci.space/5": message(5, "again", "drawing  of\nlines"),
        f"{root}/misc.forsale/6": message(6, "sale", "one boat"),
        f"{root}/rec.autos/7": message(7, "wheels", "round wheels"),
    }
    archive(folder, "20news-19997.tar.xz", files)


@pytest.mark.usefixtures("newsgroups")
def test_messages_of_several_groups_go_and_repeats_stay_once():
    names = [message.name for message in newsgroup_messages()]
    assert names == ["alt.atheism/1", "comp.graphics/2", "misc.forsale/6", "rec.autos/7"]


@pytest.mark.usefixtures("newsgroups")
def test_newsgroups_are_labelled_by_class_or_group():
    five = load_newsgroups(options=PLAIN)
    assert five.labels.tolist() == ["alt", "comp", "rec"]
    assert five.titles == ["doubt", "lines", "wheels"]
    assert "café" in five.words
    assert "subject" not in five.words
    groups = load_newsgroups("groups", options=PLAIN)
    assert groups.labels.tolist() == ["alt.atheism", "comp.graphics", "rec.autos"]
    assert "misc.forsale" in load_newsgroups("twenty", options=PLAIN).labels
    with pytest.raises(InputError, match="classes='six': expected five, groups or twenty"):
        load_newsgroups("six")


STORIES = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" NEWID="1"><TOPICS><D>grain</D><D>wheat</D></TOPICS>
<TEXT><TITLE>CROPS &amp; RAIN</TITLE><BODY>Rain fell on &lt;wheat>. Reuter
\x03</BODY></TEXT></REUTERS>
<REUTERS TOPICS="YES" NEWID="2"><TOPICS><D>earn</D></TOPICS>
<TEXT><TITLE>PROFIT</TITLE><BODY>Shares rose.</BODY></TEXT></REUTERS>
<REUTERS TOPICS="YES" NEWID="3"><TOPICS><D>earn</D></TOPICS>
<TEXT><BODY>Shares fell.</BODY></TEXT></REUTERS>
<REUTERS TOPICS="NO" NEWID="4"><TOPICS></TOPICS>
<TEXT><BODY>Nothing said.</BODY></TEXT></REUTERS>
<REUTERS TOPICS="YES" NEWID="5"><TOPICS><D>earn</D></TOPICS><TEXT><TITLE>NO BODY</TITLE>
</TEXT></REUTERS>
"""


def test_reuters_stories_are_labelled_by_their_first_topic(folder):
    archive(folder, "reuters21578-sgml.tar.xz", {"reuters21578/reut2-000.sgm": STORIES})
    assert [story.topics for story in reuters_stories()] == [
        ("grain", "wheat"),
        ("earn",),
        ("earn",),
        (),
        ("earn",),
    ]
    corpus = load_reuters(2, options=PLAIN)
    assert corpus.ids == ["1", "2", "3"]
    assert corpus.labels.tolist() == ["grain", "earn", "earn"]
    assert corpus.titles == ["CROPS & RAIN", "PROFIT", "3"]
    assert corpus.texts([0]) == ["Rain fell on <wheat>."]
    assert load_reuters(1, options=PLAIN).labels.tolist() == ["earn", "earn"]


def test_webkb_pages_lose_their_headers_and_tags(folder):
    page = "Date: x\r\nContent-type: text/html\r\n\r\n<title>Me</title><p>I <b>study</b> birds"
    files = {
        "webkb/html/student/cornell/http:^^a^b.html": page,
        "webkb/html/other/cornell/http:^^c": page,
    }
    archive(folder, "webkb-html.tar.xz", files)
    corpus = load_webkb(options=PLAIN)
    assert corpus.labels.tolist() == ["student"]
    assert corpus.titles == ["Me"]
    assert {"study", "birds"} <= set(corpus.words)
    assert "date" not in corpus.words


@pytest.mark.parametrize("load", [load_newsgroups, load_reuters, load_webkb])
def test_a_missing_collection_is_explained(load, folder):
    with pytest.raises(
        InputError, match=f"not found in {folder} or .*; get it from .*"
    ) as error:
        load()
    assert "COTERIE_DATA" in str(error.value)


@pytest.mark.corpus
def test_the_real_collections_have_their_known_sizes(collections):
    for file in ("20news-19997.tar.xz", "reuters21578-sgml.tar.xz", "webkb-html.tar.xz"):
        if not (collections / file).is_file():
            pytest.skip(f"COTERIE_DATA has no {file}")
    reuters, webkb = load_reuters(), load_webkb()
    assert len(reuters) == 8197
    assert Counter(reuters.labels)["earn"] == 3761
    assert len(webkb) == 4199
    assert Counter(webkb.labels)["student"] == 1641
    assert len(load_newsgroups()) == 16833
