"""Standard streams as a shell hands them over: full, closed, a pipe that nobody reads."""

import csv
import errno
import os
import pty
import subprocess
import sys
import tempfile
from contextlib import suppress

import pytest

from commands import run, succeed

FULL = "/dev/full"
COMMAND = [sys.executable, "-m", "coterie"]
WORDS = ("moon star rocket", "dough oven bread")
DRIVING = "\x1b[2Jmenu"
pytestmark = pytest.mark.skipif(not os.path.exists(FULL), reason="needs /dev/full of Linux")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("streams") / "t.csv"
    with path.open("w", newline="") as stream:
        rows = [[f"{DRIVING} {i}", f"{WORDS[i % 2]} {i}"] for i in range(24)]
        csv.writer(stream).writerows([["name", "body"], *rows])
    return path


@pytest.fixture(scope="module")
def results(table):
    out = table.with_name("results")
    fast = ("-k", 2, "--method", "mm", "--n-init", 2, "--language", "en")
    succeed("cluster", table, "--text", "body", "--id", "name", *fast, "--out", out)
    return out


def shell(redirection, *arguments):
    """What the command does in a shell that redirects its streams."""
    line = ["sh", "-c", f'exec "$@" {redirection}', "sh", *COMMAND, *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("redirection", "reason"),
    [(f">{FULL}", "No space left on device"), (">&-", "Bad file descriptor")],
)
@pytest.mark.parametrize("words", ["methods", "--version", "show RESULTS --json"])
def test_output_that_cannot_be_written_is_named(results, words, redirection, reason):
    given = [str(results) if word == "RESULTS" else word for word in words.split()]
    done = shell(redirection, *given)
    assert (done.returncode, done.stderr) == (2, f"Error: standard output: {reason}\n")


def test_a_pipe_that_nobody_reads_ends_the_command_without_a_word(results):
    reader, writer = os.pipe()
    os.close(reader)
    command = [*COMMAND, "show", results, "--json"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("redirection", [f"2>{FULL}", "2>&-", "<&- 2>&-"])
def test_notes_that_cannot_be_written_cost_no_result(results, table, tmp_path, redirection):
    out = tmp_path / "out.csv"
    done = shell(redirection, "assign", results, table, "--text", "body", "--out", out)
    assert done.returncode == 0
    assert len(out.read_text("utf-8").splitlines()) == 25
    assert shell(redirection, "cluster", tmp_path / "nowhere").returncode == 2


def test_csv_on_a_pipe_is_as_it_is_and_on_a_terminal_does_not_drive_it(results, table):
    given = ("assign", results, table, "--text", "body", "--id", "name", "--out", "-", "-q")
    assert DRIVING in shell("", *given).stdout
    ours, theirs = pty.openpty()
    with subprocess.Popen([*COMMAND, *map(str, given)], stdout=theirs) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the end of a terminal
            while block := os.read(ours, 1 << 16):
                shown += block
        os.close(ours)
    assert process.returncode == 0
    assert b"\\x1b[2Jmenu 3" in shown
    assert b"\x1b" not in shown


def test_a_current_folder_that_was_removed_is_named(table, tmp_path):
    line = f'cd {tmp_path} && rmdir {tmp_path} && exec "$@"'
    command = ["bash", "-c", line, "-", *COMMAND, "cluster", str(table), "--out", "out"]
    done = subprocess.run(command, capture_output=True, text=True)
    said = "Error: the current folder: No such file or directory"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, said)


def test_a_full_disk_of_temporary_files_is_named(table, monkeypatch):
    def fill(*_, **__):
        tempfile.gettempdir()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("coterie.clustering.sources.corpus_of", fill)
    done = run("cluster", table)
    said = f"temporary files, in {tempfile.tempdir} (TMPDIR may name another folder): No space"
    assert (done.exit_code, said in done.stderr) == (2, True)
