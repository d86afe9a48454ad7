"""Saved folders and models: whole, checked, and refused when damaged or newer."""

import hashlib
import json
import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import coterie
from coterie import InputError, load_model, save_model
from coterie.folders import replacing
from coterie.persistence import LAYOUT, load, load_folder, read_array, save, save_folder
from coterie.storage import load_with_details


def test_a_saved_model_is_the_same_model_with_its_details(X, tmp_path):
    fitted = coterie.PLSA(3, random_state=0).fit(X)
    save_model(fitted, tmp_path / "model", method="x", numbers=[1, 2])
    loaded = load_model(tmp_path / "model")
    assert loaded.get_params() == fitted.get_params()
    assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    for name, value in vars(fitted).items():
        assert_array_equal(getattr(loaded, name), value, name)
    assert load_with_details(tmp_path / "model")[1] == {"method": "x", "numbers": [1, 2]}


def test_a_model_fitted_to_a_corpus_keeps_its_vocabulary(tmp_path):
    texts = ["red apples and green apples", "blue seas, green seas"] * 3
    corpus = coterie.Corpus.from_texts(texts, options=coterie.TextOptions(language="en"))
    fitted = coterie.PLSA(2, random_state=0).fit(corpus)
    save_model(fitted, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    counts = loaded.vocabulary_.count(texts)
    assert_array_equal(loaded.predict(counts), fitted.predict(corpus))
    other = coterie.Corpus.from_texts(["pears"], options=coterie.TextOptions(language="en"))
    with pytest.raises(InputError, match="the corpus has other words than the"):
        fitted.predict(other)


def test_given_starts_are_saved_as_arrays(X, tmp_path):
    start = np.arange(60) % 3
    fitted = coterie.PLSA(3, init=start).fit(X)
    save_model(fitted, tmp_path / "model")
    assert_array_equal(load_model(tmp_path / "model").init, start)


def test_nothing_in_a_saved_model_is_pickled(X, tmp_path):
    save_model(coterie.PLSA(3, random_state=0).fit(X), tmp_path / "model")
    kinds = {file.suffix for file in (tmp_path / "model").iterdir()}
    assert kinds == {".json", ".npy"}
    for file in (tmp_path / "model").glob("*.npy"):
        np.load(file, allow_pickle=False)


def test_an_unfitted_model_cannot_be_saved(tmp_path):
    with pytest.raises(InputError, match="PLSA is not fitted, so there is nothing to save"):
        save_model(coterie.PLSA(3), tmp_path / "model")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def saved(tmp_path):
    save_folder(tmp_path / "saved", "thing", {"a": 1}, {"x": np.arange(5)})
    return tmp_path / "saved"


def edit(folder, **changes):
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | changes))


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda f: (f / "x.npy").unlink(), "x.npy: missing"),
        (lambda f: (f / "x.npy").write_bytes(b"\0" * 168), "x.npy: damaged, its checksum"),
        (lambda f: (f / "manifest.json").write_text("{"), "damaged, not readable as JSON"),
        (lambda f: (f / "manifest.json").write_text("[]"), "damaged, not readable as JSON"),
        (lambda f: (f / "manifest.json").write_text("{}"), "damaged, fields are missing"),
        (lambda f: edit(f, values={"a": 2}), "manifest.json: damaged, its checksum"),
        (lambda f: edit(f, layout=LAYOUT + 1), "saved by a newer Coterie"),
        (
            lambda f: edit(f, layout=LAYOUT - 1),
            r"saved by an older Coterie .*; make it again with this one",
        ),
        (lambda f: edit(f, kind="model"), "holds a model, expected a thing"),
        (lambda f: (f / "manifest.json").unlink(), "not a folder saved by Coterie"),
    ],
)
def test_a_damaged_or_newer_folder_is_refused(saved, damage, complaint):
    assert load_folder(saved, "thing")[0] == {"a": 1}
    damage(saved)
    with pytest.raises(InputError, match=complaint):
        load_folder(saved, "thing")


def test_saving_again_replaces_the_whole_folder(saved):
    save_folder(saved, "thing", {"a": 2}, {"y": np.arange(2)})
    assert load_folder(saved, "thing")[0] == {"a": 2}
    assert not (saved / "x.npy").exists()
    assert [f.name for f in saved.parent.iterdir()] == ["saved"]


def test_a_failed_save_leaves_the_old_folder_whole(saved):
    with pytest.raises(TypeError):
        save_folder(saved, "thing", {"bad": object()}, {"x": np.zeros(1)})
    assert load_folder(saved, "thing")[0] == {"a": 1}
    assert [f.name for f in saved.parent.iterdir()] == ["saved"]


def test_somebody_elses_folder_is_not_overwritten(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    for manifest in (None, '{"name": "web app"}', "x"):
        if manifest:
            (tmp_path / "mine" / "manifest.json").write_text(manifest)
        with pytest.raises(InputError, match="was not saved by Coterie"):
            save_folder(tmp_path / "mine", "thing", {}, {})
        assert (tmp_path / "mine" / "thesis.txt").read_text() == "precious"


def test_what_was_saved_is_not_replaced_by_another_kind_and_company_stays(saved):
    with pytest.raises(InputError, match="was not saved by Coterie as a model"):
        save_folder(saved, "model", {}, {})
    (saved / "notes.txt").write_text("mine")
    save_folder(saved, "thing", {"a": 2}, {})
    assert load_folder(saved, "thing")[0] == {"a": 2}
    assert {each.name for each in saved.iterdir()} == {"manifest.json", "notes.txt"}


def test_an_empty_folder_is_free(tmp_path):
    (tmp_path / "new").mkdir()
    save_folder(tmp_path / "new", "thing", {"a": 1}, {})
    assert load_folder(tmp_path / "new", "thing")[0] == {"a": 1}


def test_odd_values_come_back(tmp_path):
    values = {"numpy": np.int64(3), "bytes": "caf\udce9", "numbers": {2: 1, 10: 2}}
    save_folder(tmp_path / "odd", "thing", values, {})
    loaded, _ = load_folder(tmp_path / "odd", "thing")
    assert loaded == {"numpy": 3, "bytes": "caf\udce9", "numbers": {"2": 1, "10": 2}}


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o755), (0o077, 0o700)])
def test_a_saved_folder_can_be_read_by_others_where_the_user_wants_it(umask, mode, tmp_path):
    before = os.umask(umask)
    try:
        save_folder(tmp_path / "saved", "thing", {"a": 1}, {"x": np.arange(3)})
    finally:
        os.umask(before)
    assert (tmp_path / "saved").stat().st_mode & 0o777 == mode


def test_what_is_too_long_to_be_read_is_refused_before_it_is(saved):
    header = b"\x93NUMPY\x02\x00" + (1 << 30).to_bytes(4, "little")
    with (saved / "x.npy").open("wb") as stream:
        stream.write(header)
        stream.truncate(1 << 30)
    tracemalloc.start()
    with pytest.raises(InputError, match="not an array as numpy"):
        read_array(saved / "x.npy")
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    os.truncate(saved / "manifest.json", 1 << 40)
    with pytest.raises(InputError, match=r"manifest\.json: damaged.*larger than"):
        load_folder(saved, "thing")
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_a_pickled_array_is_refused(saved):
    np.save(saved / "x.npy", np.array([{}], dtype=object), allow_pickle=True)
    values, _ = {"a": 1}, None
    checksum = hashlib.sha256((saved / "x.npy").read_bytes()).hexdigest()
    manifest = {"kind": "thing", "layout": LAYOUT, "values": values, "arrays": {"x": checksum}}
    content = json.dumps(manifest, sort_keys=True)
    manifest["checksum"] = hashlib.sha256(content.encode()).hexdigest()
    (saved / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="holds object, expected numbers or strings"):
        load_folder(saved, "thing")


def test_arrays_outside_the_folder_are_refused(saved):
    edit(saved, arrays={"../x": "0"})
    with pytest.raises(InputError, match="arrays are named outside the folder"):
        load_folder(saved, "thing")


def test_a_rename_that_fails_leaves_the_old_folder(saved, monkeypatch):
    def fails(*_):
        raise OSError("no")

    monkeypatch.setattr(Path, "rename", fails)
    with pytest.raises(OSError, match="no"):
        save_folder(saved, "thing", {"a": 2}, {})
    assert load_folder(saved, "thing")[0] == {"a": 1}


def test_replacing_cleans_up_after_an_error(tmp_path):
    with pytest.raises(RuntimeError), replacing(tmp_path / "out") as folder:
        (folder / "half").write_text("x")
        raise RuntimeError
    assert not list(tmp_path.iterdir())


def test_a_model_of_an_unknown_class_is_refused(X, tmp_path):
    save_model(coterie.PLSA(3, random_state=0).fit(X), tmp_path / "model")
    values, arrays = load_folder(tmp_path / "model", "model")
    save_folder(tmp_path / "model", "model", values | {"class": "Corpus"}, arrays)
    with pytest.raises(
        InputError, match="model: holds a Corpus, which this Coterie does not know"
    ):
        load_model(tmp_path / "model")


def test_models_within_models_and_objects_as_parameters_are_saved(X, tmp_path):
    inner = coterie.MultinomialMixture(3, init=coterie.Dirichlet(100), random_state=0)
    fitted = coterie.HierarchicalSplits(inner).fit(X)
    save_model(fitted, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.estimator.init == coterie.Dirichlet(100)
    assert_array_equal(loaded.predict(X), fitted.predict(X))
    texts = ["red apples, green apples", "blue seas and green seas"] * 5
    views = coterie.Corpus.from_texts({"en": texts, "EN": texts, "$tuple": texts})
    for estimator in (
        coterie.FusionLM(2, random_state=0),
        coterie.VotedPLSA(2, random_state=0),
    ):
        fitted = estimator.fit(views)
        save_model(fitted, tmp_path / "views")
        loaded = load_model(tmp_path / "views")
        assert_array_equal(loaded.predict_proba(views), fitted.predict_proba(views))
        for ours, theirs in zip(
            getattr(loaded, "view_models_", ()),
            getattr(fitted, "view_models_", ()),
            strict=True,
        ):
            assert_array_equal(ours.components_, theirs.components_)


def test_the_model_of_a_folder_of_results_is_loaded_from_that_folder(X, tmp_path):
    fitted = coterie.PLSA(3, random_state=0).fit(X)
    save_model(fitted, tmp_path / "results" / "model", method="plsa")
    (tmp_path / "results" / "report.html").write_text("page")
    assert_array_equal(load_model(tmp_path / "results").components_, fitted.components_)
    assert load_with_details(tmp_path / "results")[1] == {"method": "plsa"}


def test_what_cannot_be_saved_is_named(X, tmp_path):
    fitted = coterie.PLSA(3, random_state=0).fit(X)
    fitted.tol = lambda: 0.1
    with pytest.raises(
        InputError, match="parameters-tol is of type function, which cannot be saved"
    ):
        save_model(fitted, tmp_path / "model")
    with pytest.raises(InputError, match="dict is not a model of Coterie"):
        save_model({}, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_a_generator_of_random_numbers_is_not_saved(X, tmp_path):
    fitted = coterie.PLSA(3, random_state=np.random.RandomState(0)).fit(X)
    save_model(fitted, tmp_path / "model")
    assert load_model(tmp_path / "model").random_state is None


def test_nested_values_come_back_as_they_were(tmp_path):
    content = {
        "plain": [None, True, 3, 0.5, "caf\udce9", [], {}],
        "tuple": (1, ("a", np.arange(2))),
        "keys": {2: 1, ("a", 1): 2},
        "marked": {"$array": "x", "$tuple": 1, "b": {"$mapping": []}},
        "case": {"x": np.zeros(2), "X": np.ones(2), "/../x": np.full(2, 2.0)},
        "sparse": sp.csr_array(np.eye(3, dtype=np.float32)),
        "objects": np.array([["a", None], [1, ("b",)]], dtype=object),
        "numpy": np.int64(3),
    }
    save(tmp_path / "saved", "thing", content)
    loaded = load(tmp_path / "saved", "thing")
    for name in ("plain", "keys", "marked", "numpy"):
        assert loaded[name] == content[name], name
    assert loaded["tuple"][1][0] == "a"
    assert_array_equal(loaded["tuple"][1][1], [0, 1])
    assert [array[0] for array in loaded["case"].values()] == [0, 1, 2]
    assert list(loaded["case"]) == list(content["case"])
    assert loaded["sparse"].dtype == np.float32
    assert_array_equal(loaded["sparse"].toarray(), np.eye(3))
    assert loaded["objects"].tolist() == content["objects"].tolist()
    with pytest.raises(InputError, match="a-0 is of type object, which cannot be saved"):
        save(tmp_path / "bad", "thing", {"a": [object()]})
