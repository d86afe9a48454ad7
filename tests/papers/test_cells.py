"""Cells are computed once, kept whole, and shared by whoever needs them."""

import io
import json
import shutil
import tarfile

import pytest

from coterie import InputError
from coterie_papers import clustering, fingerprints
from coterie_papers.cells import Store, cell, complete, compute

SHAPE = cell("clustering.shape", "reuters", "-")


def reuters_archive(folder):
    """Six stories in two classes."""
    story = (
        '<REUTERS NEWID="{}"><TOPICS><D>{}</D></TOPICS><BODY>wheat and ships</BODY></REUTERS>'
    )
    stories = [story.format(number, "grain" if number % 2 else "ship") for number in range(6)]
    content = "\n".join(stories).encode()
    with tarfile.open(folder / "reuters21578-sgml.tar.xz", "w:xz") as tape:
        member = tarfile.TarInfo("reuters21578/reut2-000.sgm")
        member.size = len(content)
        tape.addfile(member, io.BytesIO(content))


@pytest.fixture
def counted(monkeypatch):
    """An experiment that says how often it ran, and fails for the seed 7."""
    ran = []

    def scores(each):
        if each.seed == 7:
            raise KeyboardInterrupt
        ran.append(each.seed)
        return {"seed": each.seed, "precision": 0.5}

    monkeypatch.setattr(clustering, "scores", scores)
    return ran


def runs(*seeds, **settings):
    return [cell("clustering.scores", "webkb", "mm", seed, **settings) for seed in seeds]


def test_settings_left_out_and_in_other_order_are_the_same_cell():
    first = cell("clustering.scores", "webkb", "mm", 1, words=None, b=[1, 2], a=3, seconds=5)
    assert first == cell("clustering.scores", "webkb", "mm", 1, a=3, b=(1, 2), seconds=9)
    assert len({first, cell("clustering.scores", "webkb", "mm", 1, a=3, b=(1, 2))}) == 1
    assert first.setting("b") == (1, 2)
    assert first.setting("words") is None
    assert first != cell("clustering.scores", "webkb", "mm", 2, a=3, b=(1, 2))


def test_what_is_kept_is_not_computed_again(counted, store):
    reported = []
    found = complete(runs(0, 1, 1), store, report=reported.append)
    assert [found[each]["seed"] for each in runs(0, 1)] == [0, 1]
    assert complete(runs(1, 0, 2), store)[runs(2)[0]]["seed"] == 2
    assert sorted(counted) == [0, 1, 2]
    assert sorted(each.seed for each in reported) == [0, 1]
    complete(runs(0), store, fresh=True)
    assert sorted(counted) == [0, 0, 1, 2]


def test_an_interrupted_run_goes_on_where_it_stopped(counted, store):
    with pytest.raises(KeyboardInterrupt):
        complete(runs(0, 1, 7, 9), store)
    assert counted == [0, 1]
    complete(runs(0, 1, 9), store)
    assert counted == [0, 1, 9]


def test_a_cell_with_other_settings_is_another(counted, store):
    complete(runs(0), store)
    complete(runs(0, words=10), store)
    assert counted == [0, 0]


def test_a_cell_of_changed_code_is_computed_again_and_one_of_equal_code_is_not(
    counted, store, monkeypatch
):
    codes = {"mm": "a", "plsa": "a"}
    monkeypatch.setattr(fingerprints, "fingerprint", lambda _, method: codes[method])
    both = [*runs(0), cell("clustering.scores", "webkb", "plsa", 1)]
    complete(both, store)
    complete(both, store)
    assert sorted(counted) == [0, 1]
    assert not store.outdated
    codes["mm"] = "b"
    complete(both, store)
    assert sorted(counted) == [0, 0, 1]
    assert store.outdated == set(runs(0))
    complete(both, store)
    assert sorted(counted) == [0, 0, 1]


def test_a_cell_saved_without_its_code_is_computed_again(counted, store):
    complete(runs(0), store)
    (file,) = store.folder.rglob("*.json")
    saved = json.loads(file.read_text())
    assert saved.pop("code") == runs(0)[0].code()
    file.write_text(json.dumps(saved))
    complete(runs(0), store)
    assert counted == [0, 0]


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A copy of our sources that can be changed."""
    for package in fingerprints.PACKAGES:
        without = shutil.ignore_patterns("__pycache__")
        shutil.copytree(fingerprints.ROOT / package, tmp_path / package, ignore=without)
    monkeypatch.setattr(fingerprints, "ROOT", tmp_path)
    return tmp_path


def codes(*methods):
    fingerprints.fingerprint.cache_clear()
    fingerprints._parsed.cache_clear()
    found = {name: fingerprints.fingerprint("clustering.scores", name) for name in methods}
    fingerprints.fingerprint.cache_clear()
    fingerprints._parsed.cache_clear()
    return found


def test_a_fingerprint_follows_the_code_of_the_method_alone(sources):
    methods = ("mm", "plsa", "chi-sim", "mm-incremental+ext-plsa", "auto")
    before = codes(*methods)
    assert len(set(before.values())) == len(methods)

    def changed(file, text):
        path = sources / "coterie" / file
        source = path.read_text()
        path.write_text(source + text)
        after = codes(*methods)
        path.write_text(source)
        return [name for name in methods if after[name] != before[name]]

    assert changed("similarity/chi_sim.py", "X = 1\n") == ["chi-sim"]
    assert changed("models/ext_plsa.py", "X = 1\n") == ["mm-incremental+ext-plsa"]
    assert changed("models/mixture.py", "X = 1\n") == ["mm", "mm-incremental+ext-plsa", "auto"]
    assert changed("base.py", "X = 1\n") == list(methods)
    assert changed("base.py", '# a comment\n"""A text."""\n\n') == []
    assert changed("report/html.py", "X = 1\n") == []


def test_a_file_holds_the_whole_cell_and_no_part_is_left(counted, store):
    complete(runs(3), store)
    (file,) = [path for path in store.folder.rglob("*") if path.is_file()]
    kept = json.loads(file.read_text())
    assert kept["cell"]["seed"] == 3
    assert kept["scores"] == {"seed": 3, "precision": 0.5}
    assert counted == [3]


def test_a_damaged_file_is_named(store):
    store.put(runs(3)[0], {})
    (file,) = [path for path in store.folder.rglob("*") if path.is_file()]
    file.write_text("{")
    with pytest.raises(InputError, match=f"{file}: damaged"):
        store.get(runs(3)[0])


def test_experiments_run_in_one_thread(monkeypatch):
    from coterie import executors

    seen = []
    monkeypatch.setattr(
        clustering, "scores", lambda _: seen.append(executors.current().n_threads) or {}
    )
    compute(runs(0)[0])
    assert seen == [1]


def test_several_processes_give_what_one_does(tmp_path, monkeypatch):
    reuters_archive(tmp_path)
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    both = [SHAPE, cell("clustering.shape", "reuters", "-", 1)]
    one = complete(both, Store(tmp_path / "one"))
    two = complete(both, Store(tmp_path / "two"), jobs=2)
    assert one == two
    assert one[SHAPE]["documents"] == 6
