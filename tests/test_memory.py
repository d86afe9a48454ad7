"""Memory is reckoned before a fit, by every estimator, and too much is refused."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import coterie
from commands import refuse, succeed
from coterie import memory
from coterie.memory import Size, TooLargeError, available_bytes, bytes_in
from coterie.methods import METHODS, methods_that_fit
from estimators import ESTIMATORS, clusterer, every, fit, name_of

ROOT = Path(__file__).parents[1]
SIZE = Size(5000, 3000, 200_000, itemsize=4, n_tokens=300_000)
VIEWS = tuple(replace(SIZE, n_words=1500, n_nonzero=100_000) for _ in range(2))
SIZE = replace(SIZE, views=VIEWS)
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)


def test_checking_stability_is_reckoned_where_it_takes_more_than_the_search():
    few = {"growths": ((300, 3),), "ranks": (20,), "n_votes": 16}
    size = Size(3000, 8000, 80_000, itemsize=4)
    plain, checked = (
        coterie.AutoClustering(20, calibrated=calibrated, **few)._needed_bytes(size)
        for calibrated in (False, True)
    )
    assert checked > plain


@every_estimator
def test_every_estimator_reckons_more_than_its_data(estimator):
    assert estimator._needed_bytes(SIZE) > SIZE.data


@every_estimator
def test_what_is_needed_grows_with_documents_and_words(estimator):
    needed = estimator._needed_bytes(SIZE)
    assert estimator._needed_bytes(SIZE.sample(10_000)) > needed
    wide = tuple(view.with_words(6000, 2) for view in SIZE.views)
    assert estimator._needed_bytes(replace(SIZE.with_words(12_000, 2), views=wide)) > needed


@every(clusterer)
def test_what_is_needed_grows_with_clusters(estimator):
    few, many = (estimator._with_clusters(k)._needed_bytes(SIZE) for k in (10, 300))
    assert many > few or estimator._needed_bytes(SIZE) == few  # of pairs, clusters are nothing


@every_estimator
@pytest.mark.filterwarnings("ignore")
def test_every_fit_is_reckoned_once_and_refused_above_the_limit(estimator):
    told = []
    with coterie.memory_limit("1GB", lambda *both: told.append(both)):
        fit(estimator)
    ((needed, allowed),) = told
    assert allowed == 1 << 30
    with coterie.memory_limit(f"{needed}B"):
        fit(estimator)
    with (
        coterie.memory_limit(f"{needed - 1}B"),
        pytest.raises(TooLargeError, match="would fit"),
    ):
        fit(estimator)


@pytest.mark.parametrize("name", METHODS)
def test_what_is_said_to_fit_does(name):
    size = replace(SIZE, n_documents=20_000, n_nonzero=800_000)
    model = METHODS[name].make(50)
    allowed = model._needed_bytes(size) // 2
    for way in model._ways(size, allowed):
        number = int("".join(filter(str.isdigit, way)))
        if "clusters" in way:
            assert model._with_clusters(number)._needed_bytes(size) <= allowed
            assert number < 50
        elif "sample" in way:
            sample = size.sample(number)
            assert 0.8 * allowed < model._needed_bytes(sample) <= allowed
        else:
            parameter, _, value = way.partition("=")
            other = clone(model).set_params(**{parameter: json.loads(value.lower())})
            assert other._needed_bytes(size) <= allowed


def test_a_refusal_says_what_is_needed_allowed_and_would_fit():
    X = np.random.default_rng(0).poisson(0.1, (400, 300))
    one_thread = coterie.run_on("threads", n_threads=1)
    with one_thread, coterie.memory_limit("500KB"), pytest.raises(TooLargeError) as refused:
        coterie.PLSA(100).fit(X)
    assert str(refused.value) == (
        "PLSA of 400 documents and 300 words into 100 clusters needs about 2.5 MB of memory, "
        "500 KB is allowed; 8 clusters would fit"
    )


def test_methods_that_fit_need_no_more_than_is_allowed():
    fitting = methods_that_fit(SIZE, 30 << 20, 20)
    assert "mm" in [each.name for each in fitting]
    assert all(each.make(20)._needed_bytes(SIZE) <= 30 << 20 for each in fitting)
    assert all(each.takes_views for each in methods_that_fit(SIZE, 1 << 30, 9, has_views=True))


def test_nothing_is_refused_on_the_built_in_corpus():
    size = Size(6000, 6000, 300_000, itemsize=4, n_tokens=600_000)  # more than it has
    assert len(methods_that_fit(size, 2 << 30, 12)) == sum(
        not each.needs_views for each in METHODS.values()
    )


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("4", 4 << 30), (0.5, 1 << 29), ("500MB", 500 << 20), ("1.5 gib", 3 << 29), ("9B", 9)],
)
def test_sizes_are_read(text, n_bytes):
    assert bytes_in(text) == n_bytes


@pytest.mark.parametrize("text", ["", "0", "-1", "4 XB", "much", "nan"])
def test_other_sizes_are_refused(text):
    with pytest.raises(coterie.InputError, match="expected a size above zero"):
        bytes_in(text)


def write(root, **files):
    for name, text in files.items():
        file = root / name.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


MEMINFO = "MemTotal:       9000 kB\nMemAvailable:   8000 kB\n"


def test_what_the_machine_has_free_is_read(tmp_path):
    write(tmp_path, proc__meminfo=MEMINFO)
    assert available_bytes(tmp_path) == 8000 << 10


def test_a_limit_of_cgroups_version_2_holds_also_that_of_a_parent(tmp_path):
    write(tmp_path, proc__meminfo=MEMINFO, proc__self__cgroup="0::/a/b\n")
    top = "sys__fs__cgroup__"
    write(tmp_path, **{f"{top}a__b__memory_dot_max": "max\n"})
    assert available_bytes(tmp_path) == 8000 << 10
    write(tmp_path, **{f"{top}a__memory_dot_max": "100000\n"})
    write(tmp_path, **{f"{top}a__memory_dot_current": "60000\n"})
    write(tmp_path, **{f"{top}a__memory_dot_stat": "anon 1\ninactive_file 5000\n"})
    assert available_bytes(tmp_path) == 45_000
    write(tmp_path, **{f"{top}a__b__memory_dot_max": "20000\n"})
    assert available_bytes(tmp_path) == 20_000
    write(tmp_path, **{f"{top}a__b__memory_dot_current": "30000\n"})
    assert available_bytes(tmp_path) == 0


def test_a_limit_of_cgroups_version_1_holds(tmp_path):
    write(tmp_path, proc__meminfo=MEMINFO, proc__self__cgroup="5:cpu:/\n4:memory:/x\n0::/\n")
    folder = tmp_path / "sys/fs/cgroup/memory/x"
    folder.mkdir(parents=True)
    (folder / "memory.limit_in_bytes").write_text(f"{(1 << 63) - 4096}\n")
    assert available_bytes(tmp_path) == 8000 << 10
    (folder / "memory.limit_in_bytes").write_text("50000\n")
    (folder / "memory.usage_in_bytes").write_text("20000\n")
    (folder / "memory.stat").write_text("inactive_file 1\ntotal_inactive_file 7000\n")
    assert available_bytes(tmp_path) == 37_000


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("memory") / "texts.csv"
    rng = np.random.default_rng(0)
    words = [f"{'abcdefghij'[i % 10]}{'klmnopqrst'[i // 10 % 10]}word" for i in range(100)]
    lines = (" ".join(rng.choice(words, 12)) for _ in range(120))
    path.write_text("text\n" + "\n".join(lines) + "\n")
    return path


def test_the_command_tells_what_is_needed(table):
    done = succeed("cluster", table, "-k", 2, "--method", "mm", "--verbose", "--memory", "1")
    assert "Memory: about " in done.stderr
    assert "KB needed of 1 GB allowed.\n" in done.stderr
    done = succeed("cluster", table, "-k", 2, "--method", "mm", "-v")
    assert " free.\n" in done.stderr
    assert "Memory" not in succeed("cluster", table, "-k", 2, "--method", "mm").stderr


def test_the_command_refuses_and_names_another_method(table, monkeypatch):
    monkeypatch.setenv("COTERIE_THREADS", "1")  # what each thread takes is reckoned too
    chosen = ("cluster", table, "-k", 20, "--method", "ext-plsa", "-q")
    refuse("; 3 clusters or the method mm would fit", *chosen, "--memory", "500KB")
    refuse("'--memory': expected a size above zero, such as", *chosen, "--memory", "tons")


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux")
def test_what_is_reckoned_is_what_is_measured():
    code = (
        "import sys; sys.path.insert(0, 'benchmarks')\n"
        "from memory import cut_short, measure\n"
        "cut_short(); measure('mm', (120, 80, 20, 4))\n"
        "print(*measure('mm', (20_000, 8_000, 10, 100)))"
    )
    settings = {"MALLOC_MMAP_THRESHOLD_": "65536", "COTERIE_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=os.environ | settings, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    reckoned, measured = map(int, done.stdout.split())
    assert 0.6 < reckoned / measured < 1.6


def test_largest_is_found_by_halves():
    assert memory.largest(lambda n: n <= 12_345, 10**6) == 12_000
