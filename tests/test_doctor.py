"""`coterie doctor`: what it shows, what it calls broken, that it works where little does."""

import json
import subprocess
import sys

import pytest

from commands import run, succeed
from coterie import __version__
from coterie.commands import doctor

KNOWN = {
    "selection", "documents", "plots", "papers", "map", "gpu", "vectors", "dask", "explorer",
}  # fmt: skip


@pytest.fixture
def missing(monkeypatch):
    """A function that makes distributions look older, or as if they were not there."""
    real = doctor.version_of

    def hide(**versions):
        monkeypatch.setattr(
            doctor,
            "version_of",
            lambda name: versions[name] if name in versions else real(name),
        )

    return hide


def test_one_screen_says_what_is_there():
    shown = succeed("doctor").stdout
    assert shown.count("\n") <= 45
    assert max(map(len, shown.splitlines())) <= 100
    assert f"Coterie    {__version__} in " in shown
    for word in ("numpy", "Threads", "BLAS", "Memory", "Disk", "GPU", "Browser", "Small fit"):
        assert word in shown, word
    assert shown.rstrip().endswith("Nothing is broken.")


def test_json_holds_the_same_and_nothing_is_broken():
    found = json.loads(succeed("doctor", "--json").stdout)
    assert found["coterie"] == __version__
    assert set(found["extras"]) == KNOWN
    assert found["packages"]["numpy"] == __import__("numpy").__version__
    assert found["small_fit"] is True
    assert found["threads"] >= 1
    assert found["memory_free"] > 0
    assert all(free > 0 for free in found["disk_free"].values())
    assert found["folders"]["compiled code"]["bytes"] > 0
    assert found["problems"] == []


def test_an_extra_that_is_missing_is_no_problem_and_its_command_is_shown(missing):
    missing(kmedoids=None)
    shown = succeed("doctor").stdout
    assert 'selection  missing: pip install "coterie[selection]"' in shown
    missing(kmedoids="0.5.0")
    assert not doctor.examine()["extras"]["selection"]["installed"]
    missing(kmedoids="0.5.1")
    assert doctor.examine()["extras"]["selection"]["installed"]


@pytest.mark.parametrize(
    ("version", "said"),
    [(None, "rich is not installed, expected rich>=13.9"), ("13.8.1", "rich is 13.8.1")],
)
def test_a_package_that_is_missing_or_too_old_is_broken(missing, version, said):
    missing(rich=version)
    done = run("doctor")
    assert done.exit_code == doctor.BROKEN
    last = done.stdout.splitlines()[-1]
    assert last.startswith(f"Broken: {said}")
    assert last.endswith('Do: pip install "rich>=13.9"')


def test_a_fit_that_fails_is_broken_and_the_rest_is_shown(monkeypatch):
    def fails():
        raise ImportError("libgomp.so.1: cannot open\nshared object file")

    monkeypatch.setattr(doctor, "_fits", fails)
    done = run("doctor")
    assert done.exit_code == doctor.BROKEN
    assert "Small fit  FAILS" in done.stdout
    assert "Memory" in done.stdout
    line = "Broken: a small fit: ImportError: libgomp.so.1: cannot open shared object file."
    assert line in done.stdout
    assert json.loads(run("doctor", "--json").stdout)["small_fit"] is False


def test_threads_that_are_no_number_are_broken(monkeypatch):
    monkeypatch.setenv("COTERIE_THREADS", "many")
    problems = doctor.Problems()
    assert problems.tried("threads", doctor._threads, None, "unset it") is None
    assert "COTERIE_THREADS='many'" in problems.found[0]["what"]


def test_a_folder_that_cannot_be_written_is_broken(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("no folder")
    monkeypatch.setenv("XDG_DATA_HOME", str(file))
    done = run("doctor")
    assert done.exit_code == doctor.BROKEN
    assert f"Broken: {file / 'coterie' / 'explorer'}: cannot be written" in done.stdout
    assert "set XDG_DATA_HOME" in done.stdout


def test_sizes_of_folders_are_those_of_their_files(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    vectors = tmp_path / "coterie" / "vectors"
    vectors.mkdir(parents=True)
    (vectors / "a.sqlite").write_bytes(b"x" * 3_000_000)
    found = doctor._folders(doctor.Problems())
    assert found["vectors"]["bytes"] == found["cache"]["bytes"] == 3_000_000
    assert str(vectors) == found["vectors"]["path"]
    assert "2.9 MB" in succeed("doctor").stdout


def test_it_works_without_the_library_behind_it():
    """NumPy cannot be imported: the command says so, without a traceback."""
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "from coterie.cli import main; main(['doctor'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == doctor.BROKEN, done.stderr
    assert "Broken: a small fit: ModuleNotFoundError" in done.stdout
    assert "Traceback" not in done.stderr
    assert "Extra" in done.stdout
