"""A clustering kept in a folder: all of it comes back, and no edit is lost."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pandas
import pytest

import coterie
from coterie import InputError
from coterie.clustering.saving import load_assigner
from coterie.folders import content_checksum, write_record
from small import TEXTS, clustered

EDITS = (
    ("rename", lambda r: r.rename({2: "Zwei · 2"})),
    ("merge", lambda r: r.merge([1, 3])),
    ("split", lambda r: r.split(1, 2)),
    ("move", lambda r: r.move(["d00", "d01"], 2)),
    ("drop", lambda r: r.drop([4])),
)

EVERYBODY_IN_1 = {"edit": "move", "ids": [f"d{i:02}" for i in range(36)], "cluster": 1}


def state(result):
    return result.labels.tolist(), result.names, result.documents.to_dict("list")


def same(one, other):
    assert one[:2] == other[:2]
    pandas.testing.assert_frame_equal(pandas.DataFrame(one[2]), pandas.DataFrame(other[2]))


def test_every_edit_is_saved_loaded_and_undone(result, tmp_path):
    states = [state(result)]
    result.save(tmp_path / "out")
    for _, edit in EDITS:
        loaded = coterie.load(tmp_path / "out")
        edit(loaded).save()
        states.append(state(loaded))
        again = coterie.load(tmp_path / "out")
        same(state(again), states[-1])
        np.testing.assert_array_equal(again.predict(TEXTS), loaded.predict(TEXTS))
        assigner = load_assigner(tmp_path / "out")
        rows = assigner.rows(assigner.counted(TEXTS))
        assert [row.cluster for row in rows] == again.predict(TEXTS).tolist()
    assert coterie.load(tmp_path / "out").edits[0].names == {2: "Zwei · 2"}
    for before in reversed(states[:-1]):
        coterie.load(tmp_path / "out").undo().save()
        same(state(coterie.load(tmp_path / "out")), before)


def test_texts_columns_and_settings_come_back(result, frame, tmp_path):
    result.save(tmp_path / "out")
    loaded = coterie.load(tmp_path / "out")
    assert loaded.corpus.texts(slice(None)) == TEXTS
    assert loaded.documents["day"].tolist() == frame["day"].tolist()
    assert loaded.about.settings.method == "mm"
    assert loaded.about.reading.text == ("body",)
    assert loaded.assign(frame)["cluster"].tolist() == result.labels.tolist()
    assert loaded.merge([1, 2]).split(1, 2).predict(TEXTS).max() == 4


def test_the_parent_of_a_part_is_remembered(result, tmp_path):
    part = result.merge([1, 2]).within(1, 2)
    part.save(tmp_path / "out")
    assert coterie.load(tmp_path / "out").parent == part.parent._replace(result=None)


def test_the_second_of_two_edits_at_once_is_told(result, tmp_path):
    result.save(tmp_path / "out")
    one, other = coterie.load(tmp_path / "out"), coterie.load(tmp_path / "out")
    one.rename({1: "One"}).save()
    other.rename({2: "Two"})
    with pytest.raises(InputError, match="changed since it was read"):
        other.save()
    assert coterie.load(tmp_path / "out").names[1] == "One"
    other.save(tmp_path / "beside")
    assert coterie.load(tmp_path / "beside").names[2] == "Two"


def test_of_many_processes_that_edit_at_once_each_is_kept_or_told(result, tmp_path):
    result.save(tmp_path / "out")
    code = (
        "import sys, coterie\n"
        "result = coterie.load(sys.argv[1])\n"
        "print('loaded', flush=True)\n"
        "sys.stdin.readline()\n"
        "try: result.rename({1: sys.argv[2]}).save()\n"
        "except coterie.InputError: sys.exit(3)\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code, tmp_path / "out", f"name {i}"],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for i in range(3)
    ]  # fmt: skip
    assert [process.stdout.readline() for process in started] == ["loaded\n"] * 3
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    codes = [process.wait() for process in started]
    for process in started:
        process.stdin.close()
        process.stdout.close()
    assert sorted(codes) == [0, 3, 3]
    assert coterie.load(tmp_path / "out").names[1] == f"name {codes.index(0)}"


def test_what_is_no_result_is_told(result, tmp_path):
    with pytest.raises(InputError, match="no folder yet"):
        result.save()
    with pytest.raises(InputError, match="empty path"):
        result.save("")
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "nowhere", tmp_path / "empty"):
        with pytest.raises(InputError):
            coterie.load(folder)


@pytest.mark.parametrize(
    ("edits", "complaint"),
    [
        ([{"edit": "explode"}], "expected one of rename"),
        ([5], "expected one of rename"),
        ([{"edit": []}], "expected one of rename"),
        ([{"edit": "merge", "clusters": [1, 9]}], "cluster 9: no such cluster"),
        ([{"edit": "merge", "clusters": "12"}], "clusters"),
        ([{"edit": "move", "ids": ["nobody"], "cluster": 1}], "'nobody' is not there"),
        ([{"edit": "rename", "names": [[1, 5]]}], "names"),
        ([{"edit": "rename", "names": [[1, "x" * 300]]}], "at most 200"),
        ([{"edit": "split", "cluster": 1, "parts": [1, 4]}], "no such folder|parts"),
        ([{"edit": "drop", "clusters": [1, 2, 3]}], "these are all clusters"),
        ([EVERYBODY_IN_1, {"edit": "drop", "clusters": [1]}], "no document is in another"),
        ([{"edit": "merge", "clusters": [1, 2], "also": 1}], "also"),
    ],
)
def test_edits_of_strangers_are_checked(result, tmp_path, edits, complaint):
    out = result.save(tmp_path / "out")
    change_details(out, result.run, edits=edits)
    with pytest.raises(InputError, match=complaint):
        coterie.load(out)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"method": "mm", "seed": 2**32}, "seed: 4294967296; expected a whole number from 0"),
        ({"method": "ldcc", "online": True}, "online: the method ldcc cannot"),
        ({"method": "itcc", "accelerated": True, "init": "x" * 99}, "init"),
        ({"method": "nothing"}, "nothing"),
    ],
)
def test_settings_of_strangers_are_checked_before_a_fit(result, tmp_path, settings, complaint):
    out = result.save(tmp_path / "out")
    change_details(out, result.run, settings=settings)
    with pytest.raises(InputError, match=complaint):
        coterie.load(out).within(1, 2)


def change_details(out, record_run, **changes):
    """Change what is saved with the model, as a stranger would: all checksums are corrected."""
    manifest = out / "model" / "manifest.json"
    content = json.loads(manifest.read_text())
    details = content["values"]["details"] | changes
    content["values"]["details"] = {k: each for k, each in details.items() if each is not None}
    content["checksum"] = content_checksum(content)
    manifest.write_text(json.dumps(content))
    rerecord(out, record_run)


def rerecord(out, run):
    (out / "coterie.json").unlink()
    write_record(out, "results", run)


def test_results_of_strangers_do_not_have_my_files_read(result, tmp_path):
    out = result.save(tmp_path / "out")
    (tmp_path / "mine").mkdir()
    for name in result.corpus.ids:
        (tmp_path / "mine" / f"{name}.txt").write_text(f"secret of {name}")
    shutil.rmtree(out / "corpus")
    coterie.read(tmp_path / "mine").save(out / "corpus")
    assert coterie.Corpus.load(out / "corpus").texts([0]) == ["secret of d00"]
    write_record(out, "results", result.run)
    with pytest.raises(InputError, match=r"out: names files elsewhere as its documents"):
        coterie.load(out)


def test_names_of_no_cluster_are_let_be(result, tmp_path):
    out = result.save(tmp_path / "out")
    change_details(out, result.run, names={"9" * 5000: "huge", "x": "none", "٢": "two"})
    assert set(load_assigner(out).names) == {1, 2, 3}
    assert coterie.load(out).names == result.names


def test_results_without_a_run_can_be_read(result, tmp_path):
    out = result.save(tmp_path / "out")
    change_details(out, "", run=None)
    assert coterie.load(out).run == ""


def test_a_model_without_clusters_is_no_result(result, tmp_path):
    out, model = result.save(tmp_path / "out"), coterie.MostFrequent(5).fit(result.corpus)
    coterie.save_model(model, out / "parts" / "1")
    split = {"edit": "split", "cluster": 1, "parts": [1, 4]}
    change_details(out, result.run, edits=[split])
    for room in ("parts/1", "model"):
        for read in (coterie.load, load_assigner):
            with pytest.raises(InputError, match=f"{room}: holds a MostFrequent, expected a"):
                read(out)
        shutil.rmtree(out / "model")
        coterie.save_model(model, out / "model", run=result.run)
        rerecord(out, result.run)


def test_a_page_shows_what_was_edited(tmp_path):
    result = clustered().rename({1: "Erster <b>"}).drop([2])
    result.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Erster &lt;b&gt;" in page
    assert "12 documents of dropped clusters set aside" in page
    assert 'id="cluster-2"' not in page
    documents = pandas.read_csv(tmp_path / "out" / "documents.csv")
    assert sorted(documents["cluster"].unique()) == [0, 1, 3]
    assert "body" not in documents
    assert "body" in pandas.read_parquet(tmp_path / "out" / "documents.parquet")
