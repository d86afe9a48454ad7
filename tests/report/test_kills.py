"""Results killed while they are written: old or new, whole, and no file of others lost."""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from coterie import MultinomialMixture, TextOptions
from coterie.clustering import Clustering, load
from coterie.clustering.result import About
from coterie.corpus import Corpus
from coterie.findings.saved import CORPUS
from coterie.folders import RECORD, file_checksum, settle
from coterie.report.results import FILES, MODEL
from kills import contents, killed_after

TEXTS = ["moon orbit star", "goal team ball", "orbit star rocket", "team ball cup"] * 3
LABELS = ["space", "sport"] * 6
THEIRS = ("thoughts.txt", "model/thoughts.txt", "model/deep/thoughts.txt")


def make_writer():
    """A function that writes results under a title."""
    corpus = Corpus.from_texts(TEXTS, labels=LABELS, options=TextOptions("en", min_df=1))
    model = MultinomialMixture(2, random_state=0).fit(corpus)
    return lambda out, title: Clustering(model, corpus, about=About(title=title)).save(out)


@pytest.fixture
def write():
    return make_writer()


@pytest.fixture
def out(write, tmp_path):
    write(tmp_path / "out", "old")
    for name in THEIRS:
        (tmp_path / "out" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "out" / name).write_text("mine")
    return tmp_path / "out"


def check(out, titles):
    """Results are whole, of one run, and among the files of others; returns their title."""
    saved = load(out)
    assert saved.about.title in titles
    assert saved.evaluate().n_documents == 12
    record = json.loads((out / RECORD).read_text())
    assert record["run"] == saved.run
    assert {*FILES} < {*record["files"]}
    for name, checksum in record["files"].items():
        assert file_checksum(out / name) == checksum
    for name in THEIRS:
        assert (out / name).read_text() == "mine"
    return saved.about.title


def check_clean(out):
    """Nothing is left but results and the files of others."""
    settle(out)
    assert [each.name for each in out.parent.iterdir()] == ["out"]
    assert {each.name for each in out.iterdir()} == {
        *FILES,
        MODEL,
        CORPUS,
        RECORD,
        "thoughts.txt",
    }
    listed = json.loads((out / RECORD).read_text())["files"]
    files = {name for name, content in contents(out).items() if content is not None}
    assert files == {*listed, RECORD, *THEIRS}


def kill_everywhere(write, out, step):
    """Kill a write after each number of operations; how many kills there were, and titles."""
    title, titles = "old", []
    for n_operations in itertools.count(step=step):
        new = str(n_operations)
        with killed_after(n_operations) as kills:
            write(out, new)
        title = check(out, {title, new})
        titles.append(title == new)
        if not kills:
            break
    check_clean(out)
    return titles


def test_results_killed_at_some_steps_are_old_or_new(write, out):
    titles = kill_everywhere(write, out, step=40)
    assert titles[-1]
    assert not titles[0]


@pytest.mark.soak
@pytest.mark.parametrize("inside", [False, True])
def test_results_killed_at_every_step_are_old_or_new(write, out, inside, monkeypatch):
    if inside:
        monkeypatch.chdir(out)
    titles = kill_everywhere(write, out, step=1)
    assert len(titles) > 150
    assert len({*titles}) == 2


SERVER = """
import os, sys
from test_kills import make_writer
write = make_writer()
print(flush=True)
for line in sys.stdin:
    child = os.fork()
    if not child:
        for number in range(50):
            write(line.strip(), f"{os.getpid()}-{number}")
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print(flush=True)
"""


@pytest.mark.soak
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_200_real_kills_lose_nothing(out, write):
    path = os.pathsep.join([*sys.path, os.path.dirname(__file__)])
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    rng = random.Random(0)
    seen = set()
    begun = time.monotonic()
    write(out, "first")
    longest = 5 * (time.monotonic() - begun)
    with server:
        server.stdout.readline()
        for _ in range(200):
            server.stdin.write(f"{out}\n")
            server.stdin.flush()
            child = int(server.stdout.readline())
            time.sleep(rng.uniform(0, longest))
            os.kill(child, signal.SIGKILL)
            server.stdout.readline()
            title = load(out).about.title
            seen.add(check(out, {title}))
        server.stdin.close()
    assert len(seen) > 10
    write(out, "after")
    assert check(out, {"after"}) == "after"
    check_clean(out)
