"""Loaders of collections in several languages, on small files of their format and the real."""

import io
import json
import lzma
import tarfile
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import InputError, VotedPLSA
from coterie_papers.collections.multiview import (
    LANGUAGES,
    load_debian,
    load_reuters_600,
    load_reuters_multilingual,
)

ROOT = "rcv1rcv2aminigoutte"
LINES = "C15 1:0.5 4:1.25\nECAT 1:-0.75 2:2  \n\nGCAT 2:1.5 4:0.25\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    return tmp_path


def index_files(**others):
    """EN/Index_EN-EN holds English originals, FR/Index_EN-FR their French translations."""
    files = {f"{view}/Index_EN-{view}": LINES for view in LANGUAGES}
    files |= {f"{view}/Index_FR-{view}": "M11 1:1 2:1 4:1\n" for view in LANGUAGES}
    return files | others


def write_archive(path, files):
    with tarfile.open(path, "w:bz2") as tape:
        for name, content in files.items():
            member = tarfile.TarInfo(f"{ROOT}/{name}")
            member.size = len(content)
            tape.addfile(member, io.BytesIO(content.encode()))


@pytest.mark.parametrize("packed", [True, False])
def test_the_original_collection_is_read_from_its_index_files(folder, packed):
    if packed:
        write_archive(folder / f"{ROOT}.tar.bz2", index_files())
    else:
        for name, content in index_files().items():
            (folder / ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / ROOT / name).write_text(content)
    corpus = load_reuters_multilingual("EN", min_df=1)
    assert list(corpus.views) == ["en", "fr", "de", "it", "es"]
    assert corpus.labels.tolist() == ["C15", "ECAT", "GCAT"]
    view = corpus.views["de"]
    assert view.vocabulary.words.tolist() == ["00001", "00002", "00004"]
    assert view.counts.toarray().tolist() == [[0.5, 0, 1.25], [0, 2, 0], [0, 1.5, 0.25]]
    assert "view 'de': 16.7% of the weights negative, now 0" in corpus.notes.lines()
    assert load_reuters_multilingual("EN", min_df=2).words.tolist() == ["00002", "00004"]
    assert len(load_reuters_multilingual("FR", min_df=1)) == 1
    two = load_reuters_multilingual("EN", min_df=1, views=["EN", "SP"])
    assert list(two.views) == ["en", "es"]


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        (
            "IT/Index_EN-IT",
            "C15 1:0.5\n",
            r"views EN and IT hold different documents \(3 and 1",
        ),
        ("IT/Index_EN-IT", LINES.replace("GCAT", "M11"), "views EN and IT hold different"),
        ("IT/Index_EN-IT", "C15 1:0.5 oops\n", "Index_EN-IT, line 1: expected a class and"),
        ("IT/Index_EN-IT", "\n\n", "Index_EN-IT: no documents"),
    ],
)
def test_files_that_do_not_fit_are_named(folder, name, content, complaint):
    write_archive(folder / f"{ROOT}.tar.bz2", index_files(**{name: content}))
    with pytest.raises(InputError, match=complaint):
        load_reuters_multilingual("EN", min_df=1)


def test_a_missing_file_or_language_is_named(folder):
    files = {name: text for name, text in index_files().items() if name != "SP/Index_EN-SP"}
    write_archive(folder / f"{ROOT}.tar.bz2", files)
    with pytest.raises(InputError, match="has no file SP/Index_EN-SP"):
        load_reuters_multilingual("EN")
    with pytest.raises(InputError, match="language 'DE': expected one of EN, FR, GR, IT, SP"):
        load_reuters_multilingual("DE")


def test_the_sample_of_600_is_read_from_its_matrices(folder):
    data = folder / "reuters-multiview-600"
    data.mkdir()
    weights = np.array([[1.5, 0, -2], [2, 1, 0], [3, 1, 0]])
    for name in LANGUAGES:
        sp.save_npz(data / f"reuters600_EN_{name}.npz", sp.csr_array(weights))
    np.save(data / "reuters600_labels.npy", np.array([1, 1, 2], dtype=np.uint8))
    corpus = load_reuters_600(min_df=1)
    assert corpus.labels.tolist() == ["1", "1", "2"]
    assert corpus.counts.toarray().tolist() == [[1.5, 0], [2, 1], [3, 1]]
    assert load_reuters_600(min_df=3).words.tolist() == ["00000"]
    (data / "reuters600_EN_IT.npz").unlink()
    with pytest.raises(InputError, match="reuters600_EN_IT.npz: missing"):
        load_reuters_600()


def test_descriptions_are_read_in_five_languages(folder):
    rows = [
        {"package": f"p{i}", "section": section, "en": f"{word} toy", "de": f"{word} spiel",
         "fr": f"{word} jeu", "it": f"{word} gioco", "es": f"{word} juego"}
        for i, (section, word) in enumerate([("games", "puzzle"), ("sound", "audio")] * 4)
    ]  # fmt: skip
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path = folder / "debian-desc-en-de-fr-it-es.jsonl.xz"
    path.write_bytes(lzma.compress(text.encode()))
    corpus = load_debian(["games"])
    assert list(corpus.views) == ["en", "de", "fr", "it", "es"]
    assert set(corpus.labels) == {"games"}
    assert corpus.ids == corpus.titles == ["p0", "p2", "p4", "p6"]
    assert corpus.views["de"].vocabulary.words.tolist() == ["puzzle", "spiel"]
    assert len(load_debian(None)) == 8
    with pytest.raises(InputError, match="sections: no package is in 'x11'"):
        load_debian(["games", "x11"])


@pytest.mark.parametrize("load", [load_debian, load_reuters_600, load_reuters_multilingual])
@pytest.mark.usefixtures("folder")
def test_a_missing_collection_is_explained(load):
    with pytest.raises(InputError, match="not found in .*; get it from .*COTERIE_DATA"):
        load()


@pytest.mark.corpus
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_real_collections_have_their_known_sizes(collections):
    for file in ("reuters-multiview-600", "debian-desc-en-de-fr-it-es.jsonl.xz"):
        if not (collections / file).exists():
            pytest.skip(f"COTERIE_DATA has no {file}")
    reuters, debian = load_reuters_600(), load_debian()
    assert set(Counter(reuters.labels).values()) == {100}
    assert reuters.views["de"].counts.shape == (600, 3577)
    assert len(debian) == 606
    assert len(load_debian(None)) == 1303
    model = VotedPLSA(6, random_state=0).fit(debian)
    assert 100 < model.n_preassigned_ < 400
