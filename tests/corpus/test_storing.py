"""Counts and texts on disk: the same corpus, the same answers, nothing left behind."""

import json
import os
import tempfile
from contextlib import suppress

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer

from coterie import PLSA, Corpus, MultinomialMixture, arrays, engine, starts
from coterie.corpus import counting
from coterie.corpus.blocks import BLOCK_TEXTS, Blocks, stored
from coterie.corpus.origins import restored
from coterie.corpus.storing import Storage, is_on_disk
from coterie.demo.synthetic import Synthetic
from coterie.errors import InputError


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("synthetic") / "documents.jsonl"
    Synthetic(900, n_clusters=3, n_words=400, length=30).write_jsonl(path)
    return path


@pytest.fixture(scope="module")
def small_chunks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "CHUNK_TOKENS", 5000)
        yield


@pytest.fixture(scope="module")
def both(table, small_chunks):  # noqa: ARG001
    storage = Storage(memory=40_000)
    on_disk = Corpus.read(table, label="label", storage=storage)
    assert storage.on_disk == on_disk.counts.data.nbytes + on_disk.counts.indices.nbytes
    return Corpus.read(table, label="label"), on_disk


def test_a_corpus_on_disk_equals_one_in_memory(both):
    in_memory, on_disk = both
    assert is_on_disk(on_disk.counts.data)
    assert is_on_disk(on_disk.counts.indices)
    assert not is_on_disk(in_memory.counts.data)
    for name in ("data", "indices", "indptr"):
        ours, theirs = getattr(on_disk.counts, name), getattr(in_memory.counts, name)
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)
    assert on_disk.words.tolist() == in_memory.words.tolist()
    assert (on_disk.ids, on_disk.titles) == (in_memory.ids, in_memory.titles)
    assert on_disk.texts(slice(None)) == in_memory.texts(slice(None))
    assert on_disk[5:8].texts([2, 0]) == in_memory.texts([7, 5])


@pytest.mark.usefixtures("small_chunks")
def test_pairs_of_words_are_counted_on_disk_too(table):
    from coterie import TextOptions

    pairs = TextOptions(language="en", ngrams=2)
    storage = Storage(memory=40_000)
    on_disk = Corpus.read(table, options=pairs, storage=storage)
    assert storage.on_disk
    assert (on_disk.counts != Corpus.read(table, options=pairs).counts).nnz == 0
    rows = np.split(on_disk.counts.indices, on_disk.counts.indptr[1:-1])
    assert all(np.all(np.diff(row) > 0) for row in rows)  # which they only claim, if not


@pytest.mark.parametrize("model", [PLSA, MultinomialMixture])
def test_fits_give_the_same_bits_and_copy_no_counts(both, model):
    _, on_disk = both
    counts = model(3)._read(on_disk)
    assert np.shares_memory(counts.data, on_disk.counts.data)
    assert all(is_on_disk(shard.data) for shard in engine.shards(counts))
    here, there = (
        model(3, random_state=0, max_iter=30, tol=1e-3).fit(each).memberships_ for each in both
    )
    assert np.array_equal(here, there)


def test_texts_are_stored_when_the_source_is_gone(table, tmp_path):
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(table.read_bytes())
    corpus = Corpus.read(copy, storage=Storage())
    first = json.loads(copy.read_text().splitlines()[0])["text"]
    copy.unlink()
    assert corpus.texts([0]) == [first]


@pytest.mark.parametrize("how", [{"text": ["head", "body"]}, {"views": ["head", "body"]}, {}])
def test_texts_of_several_columns_are_stored_by_column(tmp_path, how):
    table = tmp_path / "drinks.csv"
    table.write_text("head,body\nTea,It is hot.\nRum,It is dark and strong.\n")
    plain, on_disk = Corpus.read(table, **how), Corpus.read(table, storage=Storage(), **how)
    for positions in ([1], [1, 0], slice(None)):
        assert on_disk.texts(positions) == plain.texts(positions)
        assert on_disk.text_columns(positions) == plain.text_columns(positions)
    on_disk.save(tmp_path / "saved")
    loaded = Corpus.load(tmp_path / "saved")
    assert loaded.text_columns(slice(None)) == plain.text_columns(slice(None))


def test_nothing_is_left_in_the_temporary_folder(table, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    corpus = Corpus.read(table, storage=Storage(memory=0))
    assert is_on_disk(corpus.counts.data)
    assert corpus.texts([3])
    assert os.listdir(tmp_path) == []


def test_a_saved_corpus_has_its_blocks(both, tmp_path):
    _, corpus = both
    part = corpus[np.arange(899, 400, -7)]
    for name, each in (("whole", corpus), ("part", part)):
        each.save(tmp_path / name)
        loaded = Corpus.load(tmp_path / name)
        assert isinstance(loaded._origin, Blocks)
        assert loaded.texts(slice(None)) == each.texts(slice(None))
        assert (loaded.counts != each.counts).nnz == 0


def test_texts_of_several_blocks_in_any_order():
    texts = [f"text {number} " * (number % 3) for number in range(2 * BLOCK_TEXTS + 5)]
    origin = stored({"text": text} for text in texts)
    assert len(origin.ends) == 3
    chosen = np.array([2 * BLOCK_TEXTS + 4, 0, BLOCK_TEXTS, 0, BLOCK_TEXTS - 1])
    assert origin.texts(chosen, ()) == [texts[at] for at in chosen]
    assert origin.texts(np.array([], dtype=int), ()) == []
    assert stored([]).to_values()["ends"].tolist() == []


def test_blocks_that_expand_without_bound_are_refused_before_they_do():
    values = stored([{"text": "a" * (80 << 20)}, {"text": "tea"}]).to_values()
    assert values["blocks"].nbytes < 1 << 20
    with pytest.raises(InputError, match="texts: too large for 2 documents"):
        restored(values, 2)
    several = stored([{"text": f"{i} é" * 9} for i in range(2 * BLOCK_TEXTS)]).to_values()
    assert restored(several, 2 * BLOCK_TEXTS).texts(np.array([BLOCK_TEXTS]), ())


@pytest.mark.parametrize("seed", range(20))
def test_changed_bytes_of_blocks_are_refused_or_texts(seed):
    values = stored([{"text": text} for text in ("tea", "rum", "milk")]).to_values()
    rng = np.random.default_rng(seed)
    blocks = values["blocks"].copy()
    at = rng.integers(len(blocks), size=4)
    blocks[at] = rng.choice([0, 1, 127, 128, 255], size=4)
    with suppress(InputError):
        restored(values | {"blocks": blocks}, 3).texts(np.array([1]), ())


def test_blocks_of_strangers_are_checked():
    values = stored({"text": text} for text in ("one", "two", "three")).to_values()
    assert restored(values, 3).texts(np.array([1]), ()) == ["two"]
    with pytest.raises(InputError, match="3 texts for 4 documents"):
        restored(values, 4)
    with pytest.raises(InputError, match="expected rising numbers"):
        restored(values | {"ends": np.array([3, 3])}, 3)
    for damaged in (values["blocks"][:-20], values["blocks"] * 0):
        with pytest.raises(InputError, match="not Arrow blocks"):
            restored(values | {"blocks": damaged}, 3).texts(np.array([1]), ())
    wrong = restored(values | {"ends": np.array([2, 3])}, 3)
    with pytest.raises(InputError, match="block 0 holds 3"):
        wrong.texts(np.array([1]), ())


def test_the_generator_begins_alike_whatever_the_size():
    small, large = Synthetic(50, n_words=300), Synthetic(80, n_words=300)
    (few,), (more,) = small.blocks(), large.blocks()
    assert few.labels.tolist() == more.labels[:50].tolist()
    assert len(set(small.words)) == 300


@pytest.mark.parametrize("n_counts", [1, 1000, 1 << 20])
def test_passes_in_blocks_give_what_one_pass_gives(both, monkeypatch, n_counts):
    """Blocks end within documents' counts, at one document, or never."""
    monkeypatch.setattr(arrays, "BLOCK_COUNTS", n_counts)
    whole, X = both[0].counts, both[1].counts
    rows, columns = np.arange(len(both[0]))[::-2], np.arange(3, 200, 7)
    assert np.array_equal(arrays.row_sums(X), whole.sum(axis=1, dtype=np.float64))
    assert np.array_equal(arrays.word_sums(X), whole.sum(axis=0, dtype=np.float64))
    assert np.array_equal(arrays.document_frequencies(X), (whole > 0).sum(axis=0))
    chosen = arrays.rows_at(X, rows)
    assert is_on_disk(chosen.data)
    assert np.array_equal(chosen.toarray(), whole[rows].toarray())
    assert chosen.dtype == whole.dtype
    assert not is_on_disk(arrays.rows_at(whole, rows).data)
    cells = arrays.cells_at(X, rows, columns)
    assert np.array_equal(cells.toarray(), whole[rows][:, columns].toarray())
    assert arrays.rows_at(X, rows[:0]).shape == (0, X.shape[1])


def test_k_means_in_blocks_starts_as_on_all_rows(both, monkeypatch):
    weights = TfidfTransformer(sublinear_tf=True).fit_transform(both[0].counts)
    at_once = starts.kmeans_labels(weights, 3, np.random.default_rng(0))
    monkeypatch.setattr(arrays, "BLOCK_COUNTS", 1000)
    in_blocks = starts.kmeans(both[1].counts, 3, np.random.default_rng(0))
    assert np.array_equal(in_blocks, at_once)
