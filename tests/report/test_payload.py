"""The payload holds what the clustering found, whatever is read back from its bytes."""

import base64
import gzip
import json

import numpy as np
import pandas
import pytest
import scipy.sparse as sp

import coterie
from coterie.clustering.page import column_of, payload
from coterie.report.packing import TYPES, postings, varints
from coterie.report.payload import NONE, Budget
from coterie.report.texts import pack_texts

WORDS = ["tea", "leaf", "pot", "rum", "cane", "cask", "moon", "orbit", "star"]


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(3)
    texts, years = [], []
    for at in range(240):
        theme = WORDS[3 * (at % 3) : 3 * (at % 3) + 3]
        texts.append(" ".join([*rng.choice(theme, 6), *rng.choice(WORDS, 2)]) + f" n{at}")
        years.append(2000 + at % 4)
    frame = pandas.DataFrame({"text": texts, "year": years, "kind": ["a", None] * 120})
    return coterie.cluster(frame, 3, "mm", text="text", progress=False, n_init=1)


def read_array(made, name):
    where = made.head["arrays"][name]
    data = made.parts["arrays"][where["start"] :]
    return np.frombuffer(data, TYPES[where["type"]], where["length"])


def read_varints(data):
    """A plain loop over bytes, as `web/data.js` has it."""
    values, value, shift = [], 0, 1
    for byte in data:
        value += (byte & 127) * shift
        shift *= 128
        if byte < 128:
            values.append(value)
            value, shift = 0, 1
    return values


def read_postings(data, n_words, with_counts):
    stream, lists = iter(read_varints(data)), []
    for _ in range(n_words):
        document, entries = -1, []
        for _ in range(next(stream)):
            document += next(stream)
            entries.append((document, next(stream)) if with_counts else document)
        lists.append(entries)
    assert next(stream, None) is None
    return lists


def test_numbers_and_postings_read_back_as_they_were():
    numbers = [0, 1, 127, 128, 16383, 16384, 2**31, 5, 0]
    assert read_varints(varints(np.array(numbers))) == numbers
    counts = sp.random_array((50, 20), density=0.2, rng=np.random.default_rng(0))
    counts.data[:] = np.arange(1, counts.nnz + 1)
    dense = counts.toarray()
    dense[:, 4] = 0
    expected = [[(i, int(n)) for i, n in enumerate(column) if n] for column in dense.T]
    assert read_postings(postings(dense, with_counts=True), 20, True) == expected
    plain = [[document for document, _ in each] for each in expected]
    assert read_postings(postings(dense, with_counts=False), 20, False) == plain


def test_the_arrays_are_those_of_the_documents(result):
    made = payload(result)
    numbers = np.array([each["number"] for each in made.head["clusters"]])
    assert (numbers[read_array(made, "cluster")] == result.labels).all()
    rows = result.summary.documents
    probabilities = read_array(made, "probability") / 65535
    assert probabilities == pytest.approx([row.probability for row in rows], abs=1e-5)
    assert (numbers[read_array(made, "second")] == [row.second for row in rows]).all()
    names = json.loads(made.parts["names"])
    assert names["ids"] == [row.id for row in rows]
    assert made.parts["texts"].decode().split("\0")[:-1] == result.corpus.texts(slice(None))
    assert [each["name"] for each in made.head["columns"]] == ["year", "kind"]
    kinds = read_array(made, "column_1")
    assert set(kinds[::2]) == {0}
    assert set(kinds[1::2]) == {NONE}


def test_the_words_have_their_shares_and_their_documents(result):
    made = payload(result)
    words = json.loads(made.parts["words"])["words"]
    shares = np.frombuffer(made.parts["word_shares"], "<f4").reshape(3, len(words))
    found = read_postings(made.parts["word_postings"], len(words), True)
    counts = result.corpus.counts.toarray()
    for at, word in enumerate(words):
        column = result.corpus.words.tolist().index(word)
        assert shares[:, at] == pytest.approx(result.model.components_[:, column], rel=1e-5)
        assert found[at] == [(i, int(n)) for i, n in enumerate(counts[:, column]) if n]


def test_the_levels_join_the_clusters_one_pair_at_a_time(result):
    tree = payload(result).head["tree"]
    assert [node["clusters"] for node in tree[:3]] == [(1,), (2,), (3,)]
    for node in tree[3:]:
        first, second = (tree[part] for part in node["parts"])
        assert sorted([*first["clusters"], *second["clusters"]]) == list(node["clusters"])
        assert node["size"] == first["size"] + second["size"]
        assert node["name"]
    assert tree[-1]["clusters"] == (1, 2, 3)


def test_too_many_documents_are_a_sample_of_each_cluster_and_the_page_says_so(result):
    made = payload(result, Budget(listed=60, points=200))
    assert (made.head["n_listed"], made.head["n_points"]) == (60, 200)
    ids = json.loads(made.parts["names"])["ids"]
    assert len(ids) == len(set(ids)) == 60
    typical = {each.id for one in result.summary.clusters for each in one.documents}
    assert typical <= set(ids)
    shares = np.bincount(read_array(made, "cluster"), minlength=3) / 200
    assert shares == pytest.approx([each.share for each in result.summary.clusters], abs=0.05)
    listed = np.bincount(read_array(made, "cluster")[:60], minlength=3) / 60
    assert listed == pytest.approx([each.share for each in result.summary.clusters], abs=0.15)
    assert made.head["notes"][0].startswith("This page lists 60 of 240 documents, a sample")
    assert "200" in made.head["notes"][1]
    place = {name: at for at, name in enumerate(result.corpus.ids)}
    expected = [result.labels[place[name]] for name in ids]
    numbers = np.array([each["number"] for each in made.head["clusters"]])
    assert numbers[read_array(made, "cluster")[:60]].tolist() == expected


@pytest.mark.parametrize("room", [9_000, 14_000, 25_000])
def test_texts_are_cut_to_the_room_and_the_words_of_the_rest_are_listed(room):
    rng = np.random.default_rng(1)
    texts = [" ".join(f"w{word}" for word in rng.integers(0, 300, 400)) for _ in range(50)]
    packed = pack_texts(texts, room)
    size = sum(len(gzip.compress(part, 6, mtime=0)) for part in packed.parts.values())
    assert size < 1.1 * room
    shown = packed.parts["texts"].decode().split("\0")[:-1]
    words = packed.parts["rest_words"].decode().split("\n")[:-1]
    found = dict(
        zip(words, read_postings(packed.parts["rest_postings"], len(words), False), strict=True)
    )
    most = None if "all of a text" in packed.notes[0] else max(map(len, found.values()))
    for at, (text, short) in enumerate(zip(texts, shown, strict=True)):
        assert text.startswith(short)
        assert packed.whole[at] == 0
        for word in set(text[len(short) :].split()):
            if most is None or word in found:
                assert at in found[word]


def test_texts_lose_what_cannot_be_shown_and_nothing_else():
    packed = pack_texts(["a\0b\r\nc\td\udce9\x1b[1m\u202eé", ""], 1000)
    assert packed.parts["texts"].decode() == "ab\nc\td\\udce9[1mé\0\0"
    assert packed.notes == []


def test_what_is_packed_is_base64_of_gzip_and_no_markup(result):
    for name, part in payload(result).packed().items():
        assert set(part) <= set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
        )
        assert gzip.decompress(base64.b64decode(part)) or name


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("when", ["2024-05-17", "2024-06-01", None], "date"),
        ("year", [1999, 2001, 2001], "date"),
        ("price", [1999, 2001, 2001], "category"),
        ("price", list(range(1000, 1030)), "number"),
        ("price", [1.5 * k for k in range(30)], "number"),
        ("open", [True, False, True], "category"),
        ("section", ["a", "b", "a", "b"], "category"),
        ("abstract", [f"text {k}" for k in range(40)], None),
        ("nothing", [None, "", float("nan")], None),
    ],
)
def test_columns_are_dates_numbers_or_names(name, values, kind):
    column = column_of(name, values)
    assert (column.kind if column else None) == kind


def test_an_edited_clustering_has_its_own_payload(result):
    other = result.copy()
    other.merge([1, 2])
    other.rename({1: "Both"})
    made = payload(other)
    assert made.head["clusters"][0]["name"] == "Both"
    assert len(made.head["clusters"]) == 2
    dropped = result.copy()
    dropped.drop(3)
    made = payload(dropped)
    assert made.head["n_listed"] == int((result.labels != 3).sum())
    assert made.head["n_documents"] == made.head["n_listed"]


ODD = {
    "one cluster": lambda: coterie.cluster(["tea pot", "pot", "tea"], 1, "mm", progress=False),
    "no texts": lambda: coterie.cluster(
        np.eye(6), 2, "mm", words=list("abcdef"), progress=False
    ),
    "an empty document": lambda: coterie.cluster(
        ["red fox", "", "blue fox", "blue sea"], 2, "mm", progress=False
    ),
    "documents all alike": lambda: coterie.cluster(["red fox"] * 30, 2, "mm", progress=False),
    "two views": lambda: coterie.cluster(
        {"en": ["a cat", "a dog", "cat cat"], "de": ["die Katze", "der Hund", "Katze"]},
        2, "auto", progress=False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_odd_collections_have_a_payload_too(name):
    result = ODD[name]()
    made = payload(result)
    assert made.head["n_listed"] == len(result.corpus)
    assert json.loads(made.head_text())["clusters"]
    assert all(np.isfinite([each["x"], each["y"]]).all() for each in made.head["clusters"])
