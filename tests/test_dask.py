"""Fits on a Dask cluster: real worker processes, which may be killed at any time."""

import gc
import os
import shutil
import signal
import threading
import time
import tracemalloc
import weakref

import dask
import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

import coterie
from commands import run
from coterie.clustering import parts
from coterie.clustering.parts import assign_parts
from coterie.clustering.saving import load_assigner
from coterie.clustering.sources import Reading, corpus_of
from coterie.corpus import partitions, storing
from coterie.corpus.storing import Storage, counts_on_disk
from coterie.demo.synthetic import Synthetic
from coterie.engine import shard_cuts
from coterie.executors import dask as dask_executor
from coterie.executors.dask import DaskExecutor
from planted import plant

REPLAYED = 3  # steps between backups of rows
N_ITERATIONS = 2 * REPLAYED + 2


@pytest.fixture(scope="module")
def cluster():
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("coterie.executors.dask.REPLAYED", REPLAYED)
        with coterie.run_on("dask", n_workers=2) as executor:
            yield executor


@pytest.fixture(scope="module")
def X():
    X, _, _ = plant(n_documents=1000, n_words=40, n_clusters=3, length=60, seed=0)
    assert len(shard_cuts(X)) - 1 > 16  # more than two groups
    return X


def model(**changes):
    settings = {"n_clusters": 3, "random_state": 0, "max_iter": N_ITERATIONS, "tol": 0.0}
    return coterie.PLSA(**settings | changes)


def parameters(fitted):
    return fitted.history_, fitted.components_, fitted.memberships_, fitted.labels_


def assert_same(fitted, expected):
    for ours, theirs in zip(parameters(fitted), parameters(expected), strict=True):
        assert_array_equal(ours, theirs)


def fit_here(estimator, X):
    """A fit on one thread: the fixture's cluster would be asked otherwise."""
    with coterie.run_on("threads", n_threads=1):
        return estimator.fit(X)


def kill(executor):
    """SIGKILL the worker that holds the most."""
    held = executor._inventory()
    busiest = max(held, key=lambda address: len(held[address]))
    os.kill(executor.client.run(os.getpid)[busiest], signal.SIGKILL)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "estimator",
    [
        model(),
        coterie.MultinomialMixture(3, init="dirichlet", max_iter=4, random_state=0),
        coterie.TwoPLSA(3, 3, max_iter=4, random_state=0),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_cluster_gives_the_bits_of_threads(cluster, X, estimator):
    here = fit_here(type(estimator)(**estimator.get_params()), X)
    with coterie.run_on(cluster):
        there = estimator.fit(X)
    assert_same(there, here)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_longer_steps_have_the_bits_of_threads(cluster, X):
    with coterie.accelerating():
        here = model().fit(X)
        with coterie.run_on(cluster):
            there = model().fit(X)
    assert_same(there, here)
    assert not np.array_equal(here.history_, model().fit(X).history_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("at", "delay"), [(2, None), (REPLAYED + 2, 0.01)])
def test_a_worker_killed_in_mid_fit_changes_nothing(cluster, X, at, delay):
    """Before the first backup of the rows, and after it; between sweeps, and in one."""
    here = fit_here(model(), X)

    def watcher(progress):
        if progress.iteration == at:
            kill(cluster) if delay is None else threading.Timer(delay, kill, [cluster]).start()

    with coterie.run_on(cluster), coterie.watching(watcher):
        there = model().fit(X)
    assert_same(there, here)


def test_what_only_a_worker_that_is_gone_was_asked_for_is_missing(cluster):
    gone = dask_executor._Unit(
        "counts", [], "rows", worker=f"{cluster.client.scheduler.address}0"
    )
    asked = cluster.client.submit(abs, -1, workers=[gone.worker], pure=False)
    with pytest.raises(dask_executor._MissingError):
        cluster._results([asked], [gone])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_all_workers_killed_in_mid_fit_change_nothing(cluster, X, monkeypatch):
    """Where no worker is left, Dask puts work aside that it never takes up again."""
    here = fit_here(model(), X)
    rows, killed = cluster._rows, []

    def with_nobody_left(sent):
        if not killed:
            killed.extend(cluster.client.run(os.getpid).values())
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
        return rows(sent)

    monkeypatch.setattr(cluster, "_rows", with_nobody_left)
    with coterie.run_on(cluster):
        there = model().fit(X)
    assert_same(there, here)
    assert len(killed) == 2


def test_workers_forget_what_no_fit_holds(cluster, X):
    with coterie.run_on(cluster):
        model(max_iter=2, tol=1.0).fit(X)
        model(max_iter=2, tol=1.0).fit(X[:300])
    names = {name for held in cluster._inventory().values() for name in held}
    latest = {name for unit in cluster._latest.units for name in (unit.counts, unit.rows)}
    assert names >= latest
    assert len(names) <= 2 * len(latest) + 2 * 20  # of the fit before, some may still be there


def test_the_cluster_listens_on_the_loopback_address_only(cluster):
    addresses = [cluster.client.scheduler.address, *cluster.client.nthreads()]
    assert all(address.startswith("tls://127.0.0.1:") for address in addresses)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_certificates_are_passed_on_to_a_cluster_that_is_there(cluster, X):
    there = {"scheduler": cluster.client.scheduler.address, "security": cluster.client.security}
    with coterie.run_on("dask", **there) as executor:
        assert executor.client.security is there["security"]
        fitted = model().fit(X)
    assert_same(fitted, fit_here(model(), X))
    assert cluster.client.status == "running"


def test_an_address_where_nobody_answers_is_refused_in_one_sentence(monkeypatch):
    monkeypatch.setattr("coterie.executors.dask.ANSWER", "0.2s")
    with pytest.raises(coterie.InputError, match=r"^scheduler tcp://127\.0\.0\.1:9: no Dask"):
        DaskExecutor(scheduler="tcp://127.0.0.1:9")


def test_a_client_and_an_address_are_one_too_many(cluster):
    with pytest.raises(coterie.InputError, match="expected one"):
        DaskExecutor(cluster.client, scheduler="tcp://127.0.0.1:9")


def test_a_given_client_stays_open(cluster, X):
    with coterie.run_on("dask", cluster.client) as executor:
        model(max_iter=2, tol=1.0).fit(X)
        assert executor is not cluster
    assert len(cluster.client.nthreads()) == 2


def test_what_each_worker_computes_comes_back_in_order(cluster):
    assert cluster.results(cluster.begin(abs, [-3, -2, -1])) == [3, 2, 1]
    assert np.array_equal(cluster.map(lambda x: x + 1, [1, 2]), [2, 3])


WORDS = ["tea", "milk", "cup", "rum", "sugar", "lime", "ship", "sail", "anchor", "the", "and"]


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    """A folder of texts and tables, some of them in folders, one of them no text."""
    folder = tmp_path_factory.mktemp("letters")
    rng = np.random.default_rng(0)
    for number in range(40):
        file = folder / ("sea" if number % 2 else "land") / f"{number}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(" ".join(rng.choice(WORDS, size=30)))
    rows = [f'{{"text": "{" ".join(rng.choice(WORDS, size=9))}"}}' for _ in range(9)]
    (folder / "land.jsonl").write_text("\n".join(rows))
    (folder / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (folder / ".hidden.txt").write_text("nobody reads this")
    return folder


@pytest.fixture
def small_partitions(monkeypatch):
    monkeypatch.setattr(partitions, "PARTITION_FILES", 7)


def assert_same_corpus(ours, theirs):
    assert ours.ids == theirs.ids
    assert ours.titles == theirs.titles
    assert_array_equal(ours.labels, theirs.labels)
    assert_array_equal(ours.words, theirs.words)
    assert ours.counts.dtype == theirs.counts.dtype
    for part in ("data", "indices", "indptr"):
        assert_array_equal(getattr(ours.counts, part), getattr(theirs.counts, part))
    assert ours.vocabulary.options == theirs.vocabulary.options
    assert ours.notes == theirs.notes
    assert ours.texts([0, 12, 48]) == theirs.texts([0, 12, 48])


@pytest.mark.usefixtures("small_partitions")
@pytest.mark.parametrize("options", [coterie.TextOptions(), coterie.TextOptions(ngrams=2)])
def test_files_read_on_a_cluster_are_the_corpus_read_here(cluster, letters, options):
    with coterie.run_on(cluster):
        there = corpus_of(letters, Reading(options=options, quiet=True))
    assert_same_corpus(there, coterie.read(letters, options=options))


@pytest.mark.usefixtures("small_partitions")
def test_an_address_is_read_in_partitions_here_too(letters):
    there = corpus_of(f"file://{letters}", Reading(quiet=True))
    here = coterie.read(letters)
    assert_same_corpus(there, here)
    again = corpus_of(f"file://{letters}", Reading(options=here.vocabulary, quiet=True))
    assert_array_equal(again.counts.toarray(), here.counts.toarray())


@pytest.mark.usefixtures("small_partitions")
def test_a_worker_killed_in_mid_count_changes_nothing(cluster, letters, monkeypatch):
    """It dies when partitions are counted, and their counts, which it had, are not arranged."""
    begin, begun = cluster.begin, []

    def begin_and_kill(function, *items):
        begun.append(function)
        if function is partitions._arranged:
            os.kill(next(iter(cluster.client.run(os.getpid).values())), signal.SIGKILL)
        return begin(function, *items)

    monkeypatch.setattr(cluster, "begin", begin_and_kill)
    with coterie.run_on(cluster):
        there = corpus_of(letters, Reading(quiet=True))
    assert partitions._arranged in begun
    assert_same_corpus(there, coterie.read(letters))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.usefixtures("small_partitions")
@pytest.mark.parametrize("killed", [False, True])
def test_counts_are_fitted_where_they_were_counted(cluster, tmp_path, monkeypatch, killed):
    """Shards are made of partitions on workers; others, and those that were lost, are sent."""
    rng = np.random.default_rng(1)
    for number in range(30):
        lines = (f'{{"text": "{" ".join(rng.choice(WORDS, size=40))}"}}' for _ in range(20))
        (tmp_path / f"{number:02}.jsonl").write_text("\n".join(lines))
    cluster.client.wait_for_workers(2, timeout=60)  # one may have been killed before
    sent, scatter = [], cluster._scatter

    def scattered(payload, worker):
        sent.extend(each for each in payload if hasattr(each, "indptr"))
        return scatter(payload, worker)

    monkeypatch.setattr(cluster, "_scatter", scattered)
    with coterie.run_on(cluster):
        corpus = corpus_of(tmp_path, Reading(quiet=True))
        assert len(shard_cuts(corpus.counts)) > 3
        if killed:
            os.kill(next(iter(cluster.client.run(os.getpid).values())), signal.SIGKILL)
        there = model().fit(corpus)
        assert killed or not sent
        model().fit(corpus.counts * 2)
    assert sent
    assert_same(there, model().fit(coterie.read(tmp_path)))


@pytest.fixture
def no_memory(monkeypatch):
    """Counts beside a cluster are on disk from the first byte on."""
    monkeypatch.setattr(storing, "BESIDE_CLUSTER", 0)


@pytest.fixture(scope="module")
def long_letters(tmp_path_factory):
    """Documents so long that what is held of each is little beside its counts."""
    folder = tmp_path_factory.mktemp("long")
    Synthetic(300, 3, n_words=20_000, length=2000).write_jsonl(folder / "whole")
    lines = (folder / "whole").read_text().splitlines()
    (folder / "whole").unlink()
    for number in range(12):
        part = lines[25 * number : 25 * (number + 1)]
        (folder / f"{number:02}.jsonl").write_text("\n".join(part))
    return folder


@pytest.fixture(scope="module")
def long_corpus(long_letters):
    return coterie.read(long_letters)


@pytest.fixture
def single_files(monkeypatch):
    monkeypatch.setattr(partitions, "PARTITION_FILES", 1)


class Gathered:
    """Counts that a client has brought here: most non-zeros at a time, and those still held."""

    def __init__(self, client, monkeypatch):
        self.sizes, self.most_held, self._held = [], 0, []
        self._gather = client.gather
        monkeypatch.setattr(client, "gather", self)

    def __call__(self, futures, *given, **named):
        results = self._gather(futures, *given, **named)
        found = [each for each in results if hasattr(each, "indptr")]
        if found:
            gc.collect()
            self._held = [each for each in self._held if each() is not None]
            self._held += map(weakref.ref, found)
            self.sizes += [each.nnz for each in found]
            self.most_held = max(self.most_held, sum(each().nnz for each in self._held))
        return results


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("no_memory", "single_files")
@pytest.mark.parametrize(
    "method",
    [
        "plsa",
        "mm",
        *(pytest.param(name, marks=pytest.mark.soak) for name in ("ext-plsa", "2plsa")),
    ],
)
def test_a_clustering_never_has_the_counts_here(
    cluster, long_letters, long_corpus, monkeypatch, method
):
    """A partition of them comes at a time, to disk; labels and tables are those of threads."""
    settings = {"method": method, "max_iter": 4, "seed": 1, "progress": False}
    with coterie.run_on("threads", n_threads=1):
        here = coterie.cluster(long_corpus, 3, **settings)
        expected = here.summary
    gathered = Gathered(cluster.client, monkeypatch)
    with coterie.run_on(cluster):
        there = coterie.cluster(long_letters, 3, on="dask", **settings)
        summary = there.summary
    counts = there.corpus.counts
    assert counts_on_disk(counts)
    assert not counts_on_disk(here.corpus.counts)
    assert sum(gathered.sizes) == counts.nnz
    assert gathered.most_held <= 2 * max(gathered.sizes) < counts.nnz / 5
    assert_same(there.model, here.model)
    assert_array_equal(counts.toarray(), here.corpus.counts.toarray())
    about = {"seconds": summary.seconds, "title": summary.title}
    assert summary.to_json() == expected.to_json() | about
    assert there.corpus.texts([0, 299]) == here.corpus.texts([0, 299])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("no_memory", "single_files")
def test_counts_take_no_memory_here(cluster, long_letters, tmp_path, monkeypatch):
    """From reading to the saved folder; mapped files are not counted, Python and NumPy are."""
    monkeypatch.setattr("coterie.arrays.BLOCK_COUNTS", 1 << 14)

    def save(name):
        settings = {"method": "plsa", "max_iter": 2, "progress": False, "on": "dask"}
        coterie.cluster(long_letters, 3, **settings).save(tmp_path / name, page="light")

    def peak(name):
        tracemalloc.start()
        try:
            save(name)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    with coterie.run_on(cluster):
        save("compiled")
        on_disk = peak("disk")
        monkeypatch.setattr(storing, "BESIDE_CLUSTER", 1 << 40)
        in_memory = peak("memory")
    assert on_disk < in_memory - 0.9 * 8 * coterie.load(tmp_path / "disk").corpus.counts.nnz


def test_a_worker_that_is_absent_for_a_while_comes_back():
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1ms"}),
        coterie.run_on("dask", n_workers=1) as executor,
    ):
        (process,) = executor.client.run(os.getpid).values()
        os.kill(process, signal.SIGKILL)
        end = time.monotonic() + 60
        while not set(executor.client.run(os.getpid, on_error="ignore").values()) - {process}:
            assert time.monotonic() < end
            time.sleep(0.1)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.usefixtures("no_memory", "single_files")
def test_workers_killed_in_mid_count_and_in_mid_fit_change_nothing(
    cluster, long_letters, long_corpus, monkeypatch
):
    """Counts that are on disk here go to another worker from there."""
    begin, killed = cluster.begin, []

    def kill_one(*_):
        cluster.client.wait_for_workers(2, timeout=60)
        os.kill(next(iter(cluster.client.run(os.getpid).values())), signal.SIGKILL)
        killed.append(True)

    def begin_and_kill(function, *items):
        if function is partitions._arranged:
            kill_one()
        return begin(function, *items)

    def watcher(progress):
        if progress.iteration == 2:
            kill(cluster)
            killed.append(True)

    monkeypatch.setattr(cluster, "begin", begin_and_kill)
    with coterie.run_on(cluster), coterie.watching(watcher):
        corpus = corpus_of(long_letters, Reading(quiet=True), storage=Storage())
        there = model().fit(corpus)
    assert len(killed) == 2
    assert counts_on_disk(corpus.counts)
    assert_array_equal(corpus.counts.toarray(), long_corpus.counts.toarray())
    assert_same(there, fit_here(model(), long_corpus))


def test_files_that_change_while_they_are_read_are_refused():
    blocks = [partitions.Counts(np.eye(2, dtype=np.float32))] * 2
    for n_counts in (3, 5):
        with pytest.raises(coterie.InputError, match="changed"):
            storing.stored_rows(blocks, (4, 2), n_counts, Storage(0))


def test_an_address_that_nobody_knows_is_refused(tmp_path):
    for address in ("nowhere://x", f"file://{tmp_path}/missing"):
        with pytest.raises(coterie.InputError, match=address.partition(":")[0]):
            corpus_of(address, Reading(quiet=True))


def test_pipes_at_an_address_are_skipped(letters):
    os.mkfifo(letters / "pipe.txt")
    there = corpus_of(f"file://{letters}", Reading(quiet=True))
    assert there.notes.skipped["not a regular file"] == 1
    assert there.notes == coterie.read(letters).notes


def save_clusters(letters, folder):
    with pytest.warns(UserWarning, match="photo.png"):
        coterie.cluster(letters, 3, method="mm", seed=0).save(folder)


def together(folder):
    return pa.concat_tables([pq.read_table(file) for file in sorted(folder.iterdir())])


@pytest.mark.usefixtures("small_partitions")
@pytest.mark.parametrize("killed", [False, True])
def test_documents_are_assigned_and_written_by_workers(cluster, letters, tmp_path, killed):
    """Each partition has its file; together they are the table that is written here."""
    save_clusters(letters, tmp_path / "saved")
    assigner = load_assigner(tmp_path / "saved")
    cluster.client.wait_for_workers(2, timeout=60)
    pids = set(cluster.client.run(os.getpid).values())
    if killed:
        os.kill(pids.pop(), signal.SIGKILL)
    out = tmp_path / "parts"
    with coterie.run_on(cluster):
        written = assign_parts(assigner, letters, f"file://{out}")
    files = sorted(out.iterdir())
    assert [file.name for file in files] == [f"part-{n:05d}.parquet" for n in range(6)]
    corpus = coterie.read(letters)
    assert (written.n_files, written.notes.documents) == (6, len(corpus))
    assert written.notes.skipped == corpus.notes.skipped
    found = together(out)
    here = assigner.columns(assigner.counted(letters, quiet=True))
    for name in ("id", "title", "cluster", "name", "probability", "second"):
        assert found[name].to_pylist() == here[name].to_pylist()
    with pytest.raises(coterie.InputError, match="not an empty folder"):
        assign_parts(assigner, letters, str(out))


@pytest.mark.usefixtures("small_partitions")
def test_the_client_neither_reads_nor_writes_parts(cluster, letters, tmp_path, monkeypatch):
    save_clusters(letters, tmp_path / "saved")
    done = run("assign", tmp_path / "saved", letters, "--parts", tmp_path / "here", "-q")
    assert done.exit_code == 0, done.output
    assert "Wrote 6 files with 49 documents" in done.output
    for name in ("read_parts", "_write"):
        monkeypatch.setattr(parts, name, None)
    with coterie.run_on(cluster):
        assign_parts(load_assigner(tmp_path / "saved"), letters, str(tmp_path / "there"))
    assert together(tmp_path / "here").equals(together(tmp_path / "there"))


def test_stores_say_in_one_sentence_what_they_could_not_do(letters, tmp_path, monkeypatch):
    save_clusters(letters, tmp_path / "saved")

    def message(*arguments):
        done = run("assign", tmp_path / "saved", *arguments, "-q")
        assert done.exit_code == 2
        return done.stderr

    unknown = "Error: nosuch://b: Protocol not known: nosuch\n"
    assert message(letters, "--parts", "nosuch://b") == unknown

    def fail(*_, **__):
        raise RuntimeError("no key\nfound")  # libraries of stores have errors of their own

    for name in ("find", "makedirs"):
        monkeypatch.setattr(fsspec.get_filesystem_class("memory"), name, fail)
        source = "memory://b" if name == "find" else letters
        assert message(source, "--parts", "memory://b") == "Error: memory://b: no key found\n"
        monkeypatch.undo()


@pytest.mark.usefixtures("small_partitions")
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_parts_that_fail_leave_nothing_behind(letters, tmp_path, monkeypatch, error):
    """The third part does: two are written, one half."""
    save_clusters(letters, tmp_path / "saved")
    (tmp_path / "there").mkdir()
    write, written = pq.write_table, []

    def fill(table, stream, **how):
        written.append(table)
        if len(written) % 3:
            write(table, stream, **how)
        else:
            stream.write(b"PAR1")
            raise error

    monkeypatch.setattr(pq, "write_table", fill)
    before = sorted(tmp_path.rglob("*"))
    for name in ("new/inner/parts", "there"):
        done = run("assign", tmp_path / "saved", letters, "--parts", tmp_path / name, "-q")
        full = f"Error: {tmp_path / name}: No space left on device\n"
        stopped = isinstance(error, KeyboardInterrupt)
        assert done.stderr.lstrip() == ("Stopped.\n" if stopped else full)
        assert sorted(tmp_path.rglob("*")) == before
    assert len(written) == 6


def test_parts_of_files_that_are_all_skipped_say_so(letters, tmp_path, monkeypatch):
    monkeypatch.setattr(partitions, "PARTITION_FILES", 1)
    save_clusters(letters, tmp_path / "saved")
    done = run("assign", tmp_path / "saved", letters, "--parts", tmp_path / "parts")
    assert "1 binary, not text (photo.png)" in done.stderr
    (tmp_path / "photos").mkdir()
    shutil.copy(letters / "photo.png", tmp_path / "photos")
    none = ("assign", tmp_path / "saved", tmp_path / "photos", "--parts", tmp_path / "none")
    said = "photos: no documents found (1 binary, not text)"
    assert said in run(*none).stderr
    assert not (tmp_path / "none").exists()


def test_parts_skip_what_may_not_be_read(letters, tmp_path, monkeypatch):
    """A file and a folder, as where they are read here."""
    save_clusters(letters, tmp_path / "saved")
    local, scan = fsspec.get_filesystem_class("file"), os.scandir
    get_file = local.get_file

    def refuse_file(self, path, *more, **named):
        if path.endswith("land/0.txt"):
            raise PermissionError(13, "Permission denied", path)
        return get_file(self, path, *more, **named)

    def refuse_folder(path):
        if str(path).endswith("sea"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(local, "get_file", refuse_file)
    monkeypatch.setattr(os, "scandir", refuse_folder)
    done = run("assign", tmp_path / "saved", letters, "--parts", tmp_path / "parts")
    assert "28 documents read" in done.stderr
    assert "2 not allowed to read it (sea, land/0.txt)" in done.stderr


def test_parts_and_a_file_are_one_too_many(letters, tmp_path):
    done = run("assign", tmp_path, letters, "--parts", tmp_path / "a", "--out", tmp_path / "b")
    assert done.exit_code == 2
    assert "--parts: --out was given too" in done.output
