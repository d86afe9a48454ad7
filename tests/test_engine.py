"""The one loop: restarts, convergence, shards, checkpoints."""

import json
import multiprocessing
import os
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import coterie
from coterie import executors
from coterie.engine import Run, better, has_converged, shard_cuts, shards
from coterie.types import Counts
from estimators import data, em, every, fit, fitted, form
from planted import plant


class Stop(Exception):
    """What a watcher raises to end a fit from outside."""


def stopping_after(n_iterations, error):
    heard = []

    def watcher(progress):
        heard.append(progress)
        if len(heard) == n_iterations:
            raise error

    return watcher


def stop_a_fit(model, X, folder, n_iterations, every=0):
    """A fit that ends with an error, its state saved in a folder."""
    with (
        pytest.raises(Stop),
        coterie.checkpointing(folder, every=every),
        coterie.watching(stopping_after(n_iterations, Stop)),
    ):
        model.fit(X)


class Restarts:
    """A watcher of restarts that run one after the other: the objectives of each."""

    def __init__(self):
        self.objectives = []

    def __call__(self, progress):
        if progress.iteration == 1:
            self.objectives.append([])
        self.objectives[-1].append(progress.objective)


@every(em)
def test_restarts_begin_differently_and_the_best_is_kept(estimator):
    restarts = Restarts()
    with coterie.run_on("threads", n_threads=1), coterie.watching(restarts):
        found = fit(estimator, n_init=4)
    starts = [objectives[0] for objectives in restarts.objectives]
    assert len(set(starts)) == len(starts) == 4
    best = max(objectives[-1] for objectives in restarts.objectives)
    assert found.history_[-1] >= best - 1e-8 * abs(best)
    alone = fit(estimator, n_init=1)
    assert_array_equal(alone.history_, restarts.objectives[0])


def test_equal_restarts_give_the_earliest():
    def run(objective):
        return Run(lambda: np.zeros(1), (), (objective,))

    first, second = run(-100.0), run(-100.0 + 1e-10)
    assert better(first, second) is first
    assert better(first, run(-99.0)).objective == -99.0
    assert better(run(-np.inf), second) is second
    assert better(None, second) is second


def test_convergence_is_relative():
    assert not has_converged([-1.0], 1e-3)
    assert has_converged([-1e6, -1e6 + 900], 1e-3)
    assert not has_converged([-1e6, -1e6 + 1100], 1e-3)
    with pytest.warns(ConvergenceWarning, match="objective fell by 100"):
        assert has_converged([-1000.0, -1100.0], 1e-3)
    with pytest.warns(ConvergenceWarning, match="objective fell by 0.1 at iteration 2"):
        assert has_converged([-1000.0, -1000.1], 0)
    assert has_converged([0.0, -1e-15], 1e-3)


def test_shards_depend_on_the_data_alone(large):
    cuts = shard_cuts(large)
    assert cuts[0] == 0
    assert cuts[-1] == large.shape[0]
    assert len(cuts) > 3
    assert np.all(np.diff(cuts) > 0)
    assert np.diff(large.indptr[cuts]).max() < 1.5 * large.nnz / (len(cuts) - 1)


@pytest.mark.parametrize(
    ("n_rows", "n_words", "expected"),
    [(4, 5, 1), (100, 2, 4), (300, 2, 16), (10_000, 2, 64), (3000, 400, 64), (600, 8000, 2)],
)
def test_number_of_shards(n_rows, n_words, expected):
    """One for every 16 times as many non-zeros as words, evenly shared out, at most 64."""
    pattern = np.random.default_rng(0).random((n_rows, n_words)) < (
        0.1 if n_words > 1000 else 1
    )
    cuts = shard_cuts(Counts(pattern.astype(float)))
    assert len(cuts) - 1 == expected


def test_shards_are_the_rows_in_order():
    X = Counts(np.arange(1, 201).reshape(100, 2))
    assert shard_cuts(X) == [0, 25, 50, 75, 100]
    pieces = shards(X)
    assert_array_equal(np.vstack([piece.toarray() for piece in pieces]), X.toarray())
    assert all(np.shares_memory(piece.data, X.data) for piece in pieces)


def test_ctrl_c_after_a_finished_restart_keeps_the_better(large):
    model, restarts = coterie.PLSA(3, n_init=3, random_state=0, tol=1e-4), Restarts()
    with coterie.watching(restarts):
        clone(model).fit(large)
    n_first = len(restarts.objectives[0])
    with (
        coterie.watching(stopping_after(n_first + 1, KeyboardInterrupt)),
        pytest.warns(coterie.InterruptedWarning),
    ):
        found = clone(model).fit(large)
    assert_array_equal(found.history_, restarts.objectives[0])


def test_ctrl_c_before_anything_is_known_is_not_swallowed(X, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(coterie.PLSA, "_e_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        coterie.PLSA(2).fit(X)


@every(em)
@pytest.mark.parametrize("stop_at", [1, 4, 9])
def test_a_resumed_fit_gives_the_uninterrupted_answer(estimator, stop_at, tmp_path):
    whole, X, folder = fitted(estimator), data(estimator), tmp_path / "state"
    stop_a_fit(clone(estimator), X, folder, stop_at + 1)
    assert folder.is_dir()
    heard = []
    with coterie.checkpointing(folder, every=1e9), coterie.watching(heard.append):
        resumed = clone(estimator).fit(X)
    assert heard[0].share > 0.05
    assert_array_equal(resumed.history_, whole.history_)
    assert_array_equal(resumed.memberships_, whole.memberships_)
    assert_array_equal(resumed.components_, whole.components_)
    assert not folder.exists()


def wider(X):
    """The same counts with three more words, in no document."""
    return Counts((X.data, X.indices, X.indptr), shape=(X.shape[0], X.shape[1] + 3))


def test_another_start_is_another_fit(tmp_path):
    X = plant(1200, 20, 3, 20, seed=0)[0]
    start = np.arange(1200) % 3
    other = start.copy()
    other[300:900] = 0
    stop_a_fit(coterie.PLSA(3, init=start), X, tmp_path / "state", 3)
    with (
        coterie.checkpointing(tmp_path / "state"),
        pytest.raises(coterie.InputError, match="another fit, its parameters"),
    ):
        coterie.PLSA(3, init=other).fit(X)


def test_a_fit_seeded_by_a_generator_resumes(X, tmp_path):
    def model():
        return coterie.PLSA(3, random_state=np.random.RandomState(0))

    stop_a_fit(model(), X, tmp_path / "state", 4)
    whole = model().fit(X)
    with coterie.checkpointing(tmp_path / "state"):
        resumed = model().fit(X)
    assert_array_equal(resumed.memberships_, whole.memberships_)


def test_the_state_is_saved_when_a_restart_ends(X, tmp_path):
    restarts = Restarts()

    def stop(progress):
        restarts(progress)
        if len(restarts.objectives) == 2:
            raise Stop

    heard = []
    with (
        pytest.raises(Stop),
        coterie.watching(stop),
        coterie.checkpointing(tmp_path / "state", every=1e9),
    ):
        coterie.PLSA(3, n_init=3, random_state=0).fit(X)
    with coterie.watching(heard.append), coterie.checkpointing(tmp_path / "state"):
        coterie.PLSA(3, n_init=3, random_state=0).fit(X)
    assert heard[0].iteration == 1
    assert 1 / 3 < heard[0].share < 2 / 3


def test_the_state_is_saved_as_often_as_asked(X, tmp_path, monkeypatch):
    clock = iter(range(0, 100_000, 10))
    monkeypatch.setattr("coterie.checkpoints.time.monotonic", lambda: next(clock))
    saves = []
    monkeypatch.setattr("coterie.checkpoints.save_folder", lambda *_: saves.append(len(heard)))
    heard = []
    with coterie.watching(heard.append), coterie.checkpointing(tmp_path / "state", every=45):
        coterie.PLSA(3, random_state=0, tol=1e-4).fit(X)
    assert 2 < len(saves) < len(heard) / 2


def test_somebody_elses_folder_is_refused_before_the_fit(X, tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    heard = []
    with (
        coterie.watching(heard.append),
        coterie.checkpointing(tmp_path),
        pytest.raises(coterie.InputError, match="not saved by Coterie as a checkpoint"),
    ):
        coterie.PLSA(2).fit(X)
    assert not heard


def test_an_objective_that_is_no_number_ends_the_fit(X, monkeypatch):
    monkeypatch.setattr(coterie.PLSA, "_log_prior", lambda *_: np.nan)
    with pytest.raises(coterie.InputError, match="objective is not a number at iteration 1"):
        coterie.PLSA(2).fit(X)


def test_a_fit_sees_nothing_an_earlier_fit_left(X, monkeypatch):
    model = coterie.PLSA(2, random_state=0).fit(X)
    e_step = coterie.PLSA._e_step
    left, calls = [], []

    def spy(self, *arguments):
        calls.append(self)
        left.extend(name for name in vars(self) if name.endswith("_"))
        return e_step(self, *arguments)

    monkeypatch.setattr(coterie.PLSA, "_e_step", spy)
    model.fit(X)
    assert calls
    assert not left


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_fits_too(large):
    coterie.PLSA(2, max_iter=200, tol=1e-3, random_state=0).fit(large)
    process = multiprocessing.get_context("fork").Process(target=fit_quietly, args=(large,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
        process.start()
    process.join(30)
    alive = process.is_alive()
    process.kill()
    assert not alive
    assert process.exitcode == 0


def fit_quietly(X):
    coterie.PLSA(2, max_iter=200, tol=1e-3, random_state=0).fit(X)


def test_fits_in_several_threads_do_not_disturb_each_other(large):
    models = [coterie.PLSA(3, init="kmeans", tol=1e-3, random_state=seed) for seed in range(4)]
    alone = [clone(model).fit(large).memberships_ for model in models]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda model: clone(model).fit(large).memberships_, models))
    for ours, expected in zip(together, alone, strict=True):
        assert_array_equal(ours, expected)


def test_a_checkpoint_of_another_fit_is_refused(X, tmp_path):
    folder = tmp_path / "state"
    stop_a_fit(coterie.PLSA(3, random_state=0), X, folder, 3)
    for model, counts in [
        (coterie.PLSA(4, random_state=0), X),
        (coterie.MultinomialMixture(3, random_state=0), X),
        (coterie.PLSA(3, random_state=0), X[:50]),
        (coterie.PLSA(3, random_state=0), X * 2),
        (coterie.PLSA(3, random_state=0), X.astype(np.float32)),
        (coterie.PLSA(3, random_state=0), wider(X)),
        (coterie.PLSA(3, random_state=0, init=np.arange(60) % 3), X),
    ]:
        with (
            coterie.checkpointing(folder),
            pytest.raises(coterie.InputError, match="checkpoint of another fit, its "),
        ):
            model.fit(counts)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["values"]["current"] == 0


def test_an_unseeded_fit_resumes_with_the_seeds_it_began_with(X, tmp_path):
    stop_a_fit(coterie.PLSA(3), X, tmp_path / "state", 3)
    values = json.loads((tmp_path / "state" / "manifest.json").read_text())["values"]
    first = []
    with coterie.checkpointing(tmp_path / "state"), coterie.watching(first.append):
        coterie.PLSA(3).fit(X)
    assert first[0].iteration == len(values["run"]["history"]) + 1


@pytest.fixture(scope="module")
def small():
    """Counts too small to be shared out: more words than a sixteenth of the non-zeros."""
    return plant(60, 400, 3, 40, seed=0)[0]


@every(em)
def test_restarts_side_by_side_give_the_answer_of_one_after_the_other(estimator, small):
    X, fits = form(estimator, small), []
    for n_threads in (1, 2, 4):
        with coterie.run_on("threads", n_threads=n_threads):
            fits.append(fit(estimator, X, n_init=5))
    for other in fits[1:]:
        assert_array_equal(other.history_, fits[0].history_)
        assert_array_equal(other.memberships_, fits[0].memberships_)


def test_restarts_of_small_data_run_side_by_side(small):
    threads = set()
    with (
        coterie.run_on("threads", n_threads=2),
        coterie.watching(lambda _: threads.add(threading.current_thread().name)),
    ):
        coterie.PLSA(3, n_init=20, random_state=0).fit(small)
    assert len(threads) == 2


@every(em)
def test_ctrl_c_ends_restarts_side_by_side_and_keeps_the_best(estimator, small):
    heard = []

    def watcher(progress):
        heard.append(progress.objective)
        if len(heard) == 30:
            raise KeyboardInterrupt

    with (
        coterie.run_on("threads", n_threads=2),
        coterie.watching(watcher),
        pytest.warns(coterie.InterruptedWarning, match="the best result so far is kept"),
    ):
        found = fit(estimator, form(estimator, small), n_init=200)
    assert found.interrupted_
    assert len(heard) < 200
    assert found.history_[-1] >= max(heard) - 1e-6 * abs(found.history_[-1])


def test_an_error_in_a_restart_is_not_hidden_and_ends_the_others(small):
    heard = []
    stop = stopping_after(5, Stop)

    def watcher(progress):
        heard.append(progress)
        stop(progress)

    with (
        pytest.raises(Stop),
        coterie.run_on("threads", n_threads=2),
        coterie.watching(watcher),
    ):
        coterie.PLSA(3, n_init=50, random_state=0).fit(small)
    n_heard = len(heard)
    time.sleep(0.1)
    assert len(heard) == n_heard
    assert max(progress.share for progress in heard) < 0.9


@pytest.mark.parametrize(("error", "waits"), [(Stop, True), (KeyboardInterrupt, False)])
def test_an_error_waits_for_work_under_way_and_ctrl_c_does_not(error, waits):
    begun, go_on, ended = threading.Event(), threading.Event(), []

    def work(item):
        if item == 1:
            begun.set()
            go_on.wait(0.2 if waits else 10)
            ended.append(item)
            return
        assert item == 0
        begun.wait(10)
        raise error

    with coterie.run_on("threads", n_threads=2), pytest.raises(error):
        executors.current().map(work, range(50))
    assert ended == [1] * waits
    go_on.set()


def test_unknown_places_are_refused():
    with (
        pytest.raises(coterie.InputError, match=r"run_on\('moon'\): expected"),
        coterie.run_on("moon"),
    ):
        pass
    with (
        pytest.raises(coterie.InputError, match="n_threads=0: expected"),
        coterie.run_on("threads", n_threads=0),
    ):
        pass
    with (
        pytest.raises(coterie.InputError, match="n_threads='2': expected a whole number"),
        coterie.run_on("threads", n_threads="2"),
    ):
        pass


def test_the_number_of_threads_can_be_set_from_outside(monkeypatch):
    from coterie.executors import available_threads

    monkeypatch.setenv("COTERIE_THREADS", "3")
    assert available_threads() == 3
    for bad in ("many", "0", "-1", "1.5"):
        monkeypatch.setenv("COTERIE_THREADS", bad)
        with pytest.raises(coterie.InputError, match=f"COTERIE_THREADS='{bad}'"):
            available_threads()


def test_short_work_is_shared_in_order_and_fails_as_a_whole():
    with coterie.run_on("threads", n_threads=3) as executor:
        assert executor.share(lambda item: 2 * item, range(50)) == list(range(0, 100, 2))
        assert executor.share(lambda item: item, []) == []
        for bad in (0, 49):  # of the first the calling thread fails, or another one
            with pytest.raises(ZeroDivisionError):
                executor.share(lambda item, bad=bad: 1 / (item - bad), range(50))


def test_after_a_failure_no_more_short_work_is_begun():
    begun = []

    def work(item):
        begun.append(item)
        time.sleep(0.01)
        if item == 3:
            raise Stop

    with coterie.run_on("threads", n_threads=2) as executor:
        with pytest.raises(Stop):
            executor.share(work, range(200))
        executor._pool.shutdown()
    assert len(begun) < 10


@pytest.mark.parametrize("prior", [0.0, 0.5])
def test_large_tables_are_normalised_by_threads_to_the_same_bits(prior):
    from coterie import arrays
    from coterie.kernels import reference

    counts = np.random.default_rng(0).random((30_000, 48)).astype(np.float32)
    counts[:, 3] = 0
    counts[:, 40:] = 0
    found = []
    for n_threads in (1, 3):
        with coterie.run_on("threads", n_threads=n_threads):
            assert len(arrays.each_rows(len, counts)) > 1
            found.append(arrays.normalize_columns(counts.copy(), 40, prior))
    assert_array_equal(*found)
    with_prior = counts.astype(float)
    with_prior[:, :40] += prior
    assert_allclose(found[0], reference.normalize_columns(with_prior, 40), rtol=1e-5)
