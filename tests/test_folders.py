"""Folders replaced as a whole: old or new after a kill anywhere, and no file of others lost."""

import errno
import itertools
import json
import os
import shutil
from contextlib import suppress

import numpy as np
import pytest

from coterie import InputError, folders
from coterie.persistence import load_folder, remove_folder, save_folder
from kills import contents, killed_after

OLD = {"x": np.arange(3), "only-old": np.ones(2)}
NEW = {"x": np.arange(4), "only-new": np.zeros(2)}
THEIRS = {"notes.txt": "mine", "deep/er/notes.txt": "mine too", "x.npy.txt": "near"}


@pytest.fixture
def target(tmp_path, monkeypatch, request):
    """A saved folder among files of others, replaced by each of the ways there are."""
    path = tmp_path / "around" / "saved"
    save_folder(path, "thing", {"a": 1}, OLD)
    for name, text in THEIRS.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    os.symlink("nowhere", path / "dangling")
    way = getattr(request, "param", "exchange")
    if way == "no exchange":
        monkeypatch.setattr(folders, "_exchange", _impossible)
    elif way == "current folder":
        monkeypatch.chdir(path)
    return path


def _impossible(*_):
    raise OSError(errno.ENOSYS, "no exchange here")


WAYS = pytest.mark.parametrize(
    "target", ["exchange", "no exchange", "current folder"], indirect=True
)


def check_theirs(path):
    for name, text in THEIRS.items():
        assert (path / name).read_text() == text
    assert os.readlink(path / "dangling") == "nowhere"


def restore(path, saved):
    """Bring a folder back to what it was, without replacing the folder itself."""
    for each in [*path.parent.iterdir()]:
        if each != path:
            shutil.rmtree(each)
    for each in [*path.iterdir()]:
        shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
    shutil.copytree(saved, path, dirs_exist_ok=True, symlinks=True)


@WAYS
def test_a_folder_killed_at_any_step_is_old_or_new_and_theirs_stays(target, tmp_path):
    saved = shutil.copytree(target, tmp_path / "copy", symlinks=True)
    seen = []
    for n_operations in itertools.count():
        with killed_after(n_operations) as kills:
            save_folder(target, "thing", {"a": 2}, NEW)
        values, arrays = load_folder(target, "thing")
        expected = {1: OLD, 2: NEW}[values["a"]]
        assert {name: each.tolist() for name, each in arrays.items()} == {
            name: each.tolist() for name, each in expected.items()
        }
        check_theirs(target)
        seen.append(values["a"])
        if not kills:
            break
        save_folder(target, "thing", {"a": 3}, NEW)
        assert load_folder(target, "thing")[0] == {"a": 3}
        check_theirs(target)
        ours = {"manifest.json", "x.npy", "only-new.npy"}
        assert {each.name for each in target.iterdir()} == {
            *ours, "notes.txt", "deep", "x.npy.txt", "dangling"
        }  # fmt: skip
        assert [each.name for each in target.parent.iterdir()] == ["saved"]
        restore(target, saved)
    assert seen == sorted(seen)
    assert {*seen} == {1, 2}
    assert len(seen) > 20


@WAYS
def test_a_removal_killed_at_any_step_ends_with_the_next_write(target, tmp_path):
    saved = shutil.copytree(target, tmp_path / "copy", symlinks=True)
    for n_operations in itertools.count():
        with killed_after(n_operations) as kills:
            remove_folder(target)
        check_theirs(target)
        if not kills:
            break
        folders.settle(target)
        if (target / "manifest.json").exists():
            assert load_folder(target, "thing")[0] == {"a": 1}
        else:
            assert not [*target.glob("*.npy")]
        check_theirs(target)
        restore(target, saved)
    assert {each.name for each in target.iterdir()} == {
        "notes.txt", "deep", "x.npy.txt", "dangling"
    }  # fmt: skip
    assert n_operations > 10


def test_a_first_write_killed_at_any_step_leaves_nothing_or_all(tmp_path):
    for n_operations in itertools.count():
        path = tmp_path / str(n_operations) / "new" / "saved"
        with killed_after(n_operations) as kills:
            save_folder(path, "thing", {"a": 2}, NEW)
        if path.exists():
            assert load_folder(path, "thing")[0] == {"a": 2}
        if not kills:
            break
        save_folder(path, "thing", {"a": 3}, NEW)
        assert [each.name for each in path.parent.iterdir()] == ["saved"]


def test_a_removed_folder_is_gone_where_all_was_ours(tmp_path):
    save_folder(tmp_path / "saved", "thing", {}, NEW)
    remove_folder(tmp_path / "saved")
    assert not [*tmp_path.iterdir()]


def test_hidden_folders_of_others_are_let_alone(target):
    others = {
        folders.BESIDE + "x": "precious",
        folders._beside(target) + "abc/draft": "precious",
        "saved/" + folders.INSIDE + "abc/ready": "precious",
    }
    for name in others:
        (target.parent / name).mkdir(parents=True)
        (target.parent / name / "thesis.txt").write_text("precious")
    save_folder(target, "thing", {"a": 2}, NEW)
    for name in others:
        assert (target.parent / name / "thesis.txt").read_text() == "precious"


def test_the_draft_of_a_process_that_lives_is_let_alone(tmp_path):
    with folders.replacing(tmp_path / "out", folders.RECORD) as draft:
        (draft / "a.txt").write_text("being written")
        save_folder(tmp_path / "out", "thing", {"a": 1}, NEW)
        assert (draft / "a.txt").read_text() == "being written"
        folders.write_record(draft, "results", "run")
    assert load_folder(tmp_path / "out", "thing")[0] == {"a": 1}
    assert (tmp_path / "out" / "a.txt").exists()


@WAYS
def test_a_file_that_somebody_changes_meanwhile_gets_another_name(target):
    with folders.replacing(target) as draft:
        for name in ("manifest.json", "x.npy", "only-old.npy"):
            shutil.copy(target / name, draft)
        (target / "x.npy").write_text("changed at the last moment")
        (target / "late.txt").write_text("late")
    assert (target / "x-2.npy").read_text() == "changed at the last moment"
    assert (target / "late.txt").read_text() == "late"
    assert load_folder(target, "thing")[0] == {"a": 1}
    check_theirs(target)


def test_a_changed_file_is_refused_before_anything_is_written(target):
    (target / "x.npy").write_text("mine now")
    before = contents(target)
    with pytest.raises(
        InputError, match=r"x\.npy: changed since Coterie wrote it.*move it away"
    ):
        save_folder(target, "thing", {"a": 2}, NEW)
    assert contents(target) == before


@pytest.mark.parametrize("name", ["../thesis.txt", "/thesis.txt", ".", "", "./"])
def test_a_record_that_names_files_elsewhere_is_not_ours(tmp_path, name):
    (tmp_path / "thesis.txt").write_text("precious")
    record = {"kind": "results", "layout": 1, "run": "r", "files": {name: "0"}}
    record["checksum"] = folders.content_checksum(record)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / folders.RECORD).write_text(json.dumps(record))
    assert folders.written(tmp_path / "out", folders.RECORD) == {}


# A folder that a stranger made: to read it or to write there touches nothing outside it.


def listed(folder, record, *names):
    """A record of files as ours would be."""
    files = {name: folders.file_checksum(folder / name) for name in names}
    content = {"kind": "thing", "layout": 2, "files": files, "arrays": {}, "values": {}}
    content["checksum"] = folders.content_checksum(content)
    (folder / record).write_text(json.dumps(content))


def leftover(folder, state, record="manifest.json"):
    """What a killed write would leave, in the state named."""
    place = folder / f"{folders.INSIDE}x"
    (place / state).mkdir(parents=True)
    (place / "mark.json").write_text(json.dumps({"kind": "draft", "record": record}))
    return place / state


def behind_a_link(folder, home):
    (folder / "home").symlink_to(home)
    listed(folder, "manifest.json", "home/.profile")


def moved_in_behind_a_link(folder, home):
    (folder / "home").symlink_to(home)
    ready = leftover(folder, "ready")
    (ready / "home").mkdir()
    (ready / "home" / ".profile").write_text("evil")
    listed(ready, "manifest.json", "home/.profile")


def moved_in_from_behind_a_link(folder, home):
    ready = leftover(folder, "ready")
    (ready / "home").symlink_to(home)
    listed(ready, "manifest.json", "home/.profile")


def given_back_behind_a_link(folder, home):
    (folder / "home").symlink_to(home)
    swapped = leftover(folder, "swapped")
    (swapped / "home").mkdir()
    (swapped / "home" / "evil").write_text("evil")


def a_link_as_what_is_left(folder, home):
    leftover(folder, "ready").rmdir()
    for name in ("ready", "swapped"):
        (folder / f"{folders.INSIDE}x" / name).symlink_to(home)


def a_record_elsewhere(folder, home):
    ready = leftover(folder, "ready", f"../../../{home.name}/mine.json")
    listed(ready.parents[2] / home.name, "mine.json")


@pytest.mark.parametrize("action", ["load", "settle", "save"])
@pytest.mark.parametrize(
    "attack",
    [
        behind_a_link,
        moved_in_behind_a_link,
        moved_in_from_behind_a_link,
        given_back_behind_a_link,
        a_link_as_what_is_left,
        a_record_elsewhere,
    ],
)
def test_a_strangers_folder_reaches_no_file_outside(attack, action, tmp_path):
    home, folder = tmp_path / "home", tmp_path / "stranger"
    home.mkdir()
    (home / ".profile").write_text("precious")
    (home / "mine.json").write_text("{}")
    listed(home, "manifest.json", ".profile")
    save_folder(folder, "thing", {"a": 1}, {})
    attack(folder, home)
    before = contents(home)
    with suppress(InputError):
        if action == "load":
            load_folder(folder, "thing")
        elif action == "settle":
            folders.settle(folder)
        else:
            save_folder(folder, "thing", {"a": 2}, {})
    assert contents(home) == before


def brought_into_the_folder_around(around):
    ready = leftover(around, "ready", folders.RECORD)
    for name in ("thesis.txt", "stranger/x.npy"):
        (ready / name).parent.mkdir(exist_ok=True)
        (ready / name).write_text("evil")
    listed(ready, folders.RECORD, "thesis.txt", "stranger/x.npy")


def removed_from_the_folder_around(around):
    leftover(around, "gone", folders.RECORD)
    listed(around, folders.RECORD, "thesis.txt")


@pytest.mark.parametrize(
    "attack", [brought_into_the_folder_around, removed_from_the_folder_around]
)
def test_to_read_a_folder_changes_nothing_in_the_folder_around_it(attack, tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    save_folder(tmp_path / "stranger", "thing", {"a": 1}, {})
    attack(tmp_path)
    assert load_folder(tmp_path / "stranger", "thing")[0] == {"a": 1}
    names = {each.name: each for each in tmp_path.glob("thesis*")}
    assert list(names) == ["thesis.txt"]
    assert names["thesis.txt"].read_text() == "precious"


def test_a_folder_whose_leftover_names_the_folder_itself_keeps_its_name(tmp_path):
    save_folder(tmp_path / "stranger", "thing", {"a": 1}, {})
    content = {"arrays": {}, "files": {".": "0"}}
    content["checksum"] = folders.content_checksum(content)
    (leftover(tmp_path / "stranger", "ready") / "manifest.json").write_text(json.dumps(content))
    assert load_folder(tmp_path / "stranger", "thing")[0] == {"a": 1}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("state", ["ready", "gone", "swapped"])
def test_what_another_user_left_in_a_shared_folder_is_let_alone(state, tmp_path):
    save_folder(tmp_path / "saved", "thing", {"a": 1}, OLD)
    place = tmp_path / f"{folders._beside(tmp_path / 'saved')}x"
    leftover(tmp_path / "saved", state).parent.rename(place)
    (place / state / "evil.txt").write_text("evil")
    listed(place / state, "manifest.json", "evil.txt")
    os.chown(place, 12345, 12345)
    before = contents(tmp_path)
    folders.settle(tmp_path / "saved")
    assert contents(tmp_path) == before


def test_a_model_is_read_whole_while_its_results_are_moving_in(tmp_path):
    results = tmp_path / "results"
    save_folder(results / "model", "thing", {"a": 1}, OLD)
    listed(results, folders.RECORD, *(f"model/{each}" for each in contents(results / "model")))
    ready = leftover(results, "ready", folders.RECORD)
    save_folder(ready / "model", "thing", {"a": 2}, NEW)
    (ready / "page.html").write_text("new")
    listed(
        ready,
        folders.RECORD,
        "page.html",
        *(f"model/{each}" for each in contents(ready / "model")),
    )
    values, arrays = load_folder(results / "model", "thing")
    assert values == {"a": 2}
    assert arrays.keys() == NEW.keys()
    assert not (results / "model" / "only-old.npy").exists()
    assert not (results / "page.html").exists()
    folders.settle(results)
    assert (results / "page.html").read_text() == "new"
    assert load_folder(results / "model", "thing")[0] == {"a": 2}


def test_an_error_that_names_no_file_gets_the_name_of_the_folder(tmp_path):
    with pytest.raises(OSError, match="too large") as error, folders.replacing(tmp_path / "a"):
        raise OSError(errno.EFBIG, "File too large")
    assert error.value.filename == str(tmp_path / "a")


def test_errors_in_a_draft_name_the_file_that_it_stands_for(tmp_path):
    with pytest.raises(OSError) as error, folders.replacing(tmp_path / "a") as draft:
        raise OSError(errno.ENOSPC, "No space left on device", str(draft / "b.csv"))
    assert error.value.filename == str(tmp_path / "a" / "b.csv")


def test_a_record_that_is_a_pipe_or_nested_deeply_is_none(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "deep").write_text("[" * 100_000)
    for name in ("pipe", "deep"):
        assert folders.read_record(tmp_path, name) == {}
    place = tmp_path / f"{folders.INSIDE}x"
    place.mkdir()
    os.mkfifo(place / "mark.json")
    folders.settle(tmp_path)
    assert place.exists()


def test_a_link_to_a_folder_is_followed_and_stays(target, tmp_path):
    (tmp_path / "link").symlink_to(target)
    save_folder(tmp_path / "link", "thing", {"a": 2}, NEW)
    assert (tmp_path / "link").is_symlink()
    assert load_folder(target, "thing")[0] == {"a": 2}


def test_all_is_on_the_disk_before_it_is_visible(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    save_folder(tmp_path / "saved", "thing", {}, NEW)
    save_folder(tmp_path / "saved", "thing", {}, NEW)
    for each in (tmp_path, tmp_path / "saved", *(tmp_path / "saved").iterdir()):
        assert each.stat().st_ino in synced
