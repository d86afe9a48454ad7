"""What surrounds a fit: progress of parts, Ctrl-C, fits side by side, saved state."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import coterie
from coterie import executors, fitting

# Progress of parts.


def test_the_share_of_nested_parts_is_that_of_the_whole():
    heard = []
    with coterie.watching(heard.append), fitting.session():
        for number in range(2):
            with fitting.part(number, 2, f"stage {number}"):
                for inner in range(2):
                    with fitting.part(inner, 2, "inner"):
                        fitting.report(1, 2, -1.0, 0.5)
                        fitting.report(2, 2, -1.0, 1.0)
    assert_allclose([progress.share for progress in heard], np.arange(1, 9) / 8)
    assert [progress.stage for progress in heard] == ["stage 0"] * 4 + ["stage 1"] * 4


def test_the_share_of_one_run_grows_with_the_logarithm_and_never_falls():
    heard = []
    with coterie.watching(heard.append), fitting.session():
        for iteration in (1, 10, 100):
            fitting.report(iteration, 100, 0.0)
        fitting.report(1, 100, 0.0)  # of a fit beside it
    shares = [progress.share for progress in heard]
    assert_allclose(shares, [np.log(2) / np.log(101), np.log(11) / np.log(101), 1, 1])


def test_watching_and_checkpointing_inside_a_part_keep_its_share_and_its_stop(tmp_path):
    outer, inner = [], []
    with (
        coterie.watching(outer.append),
        fitting.session() as session,
        fitting.part(1, 2, "second"),
        coterie.watching(inner.append),
        coterie.checkpointing(tmp_path / "state"),
    ):
        fitting.report(1, 1, 0.0, 0.5)
        assert not fitting.stopped()
        session.request_stop()
        assert fitting.stopped()
    assert [(p.share, p.stage) for p in inner] == [(0.75, "second")]
    assert outer == inner


def test_a_part_is_not_saved_by_itself_but_what_it_asks_for_is(tmp_path):
    with coterie.checkpointing(tmp_path / "whole"):
        assert fitting.state(dict).is_saved
        with fitting.part(0, 2):
            assert not fitting.state(dict).is_saved
            with coterie.checkpointing(tmp_path / "part"):
                assert fitting.state(dict).is_saved


def test_watchers_nest_and_end_with_their_block(X):
    outer, inner = [], []
    with coterie.watching(outer.append):
        with coterie.watching(inner.append):
            coterie.PLSA(2, random_state=0).fit(X)
        n_inner = len(inner)
        coterie.PLSA(2, random_state=0).fit(X)
    coterie.PLSA(2, random_state=0).fit(X)
    assert len(inner) == n_inner > 0
    assert len(outer) == 2 * n_inner


# Ctrl-C.


def interrupting(*moments):
    """A watcher during which Ctrl-C is pressed at these reports."""
    heard = []

    def watcher(progress):
        heard.append(progress)
        for _ in range(moments.count(len(heard))):
            signal.raise_signal(signal.SIGINT)

    return watcher


@pytest.fixture
def model():
    """Restarts one after the other, in the thread that Ctrl-C reaches."""
    with coterie.run_on("threads", n_threads=1):
        yield coterie.PLSA(3, random_state=0, n_init=3, tol=0, max_iter=50)


@pytest.mark.parametrize("moment", [1, 2, 50, 51])
def test_the_first_ctrl_c_asks_for_a_stop_and_the_result_is_kept(model, moment, X):
    with (
        coterie.watching(interrupting(moment)),
        pytest.warns(coterie.InterruptedWarning, match="^stopped by Ctrl-C; ") as caught,
    ):
        model.fit(X)
    assert len(caught) == 1
    assert model.interrupted_
    assert model.n_iter_ == min(moment, 50)
    assert_array_equal(model.predict(X), model.labels_)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("moments", [(2, 2), (2, 3)])
def test_the_second_ctrl_c_ends_the_fit_at_once(model, moments, X, monkeypatch):
    publish = coterie.PLSA._publish

    def pressed_again(self, *arguments):
        signal.raise_signal(signal.SIGINT)
        publish(self, *arguments)

    if moments == (2, 3):  # the fit makes no third iteration: while it publishes
        monkeypatch.setattr(coterie.PLSA, "_publish", pressed_again)
    with coterie.watching(interrupting(*moments)), pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert not hasattr(model, "labels_")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_watcher_asks_for_a_stop_by_raising_keyboard_interrupt(model, X):
    def watcher(progress):
        if progress.iteration == 4:
            raise KeyboardInterrupt

    with coterie.watching(watcher), pytest.warns(coterie.InterruptedWarning):
        model.fit(X)
    assert model.n_iter_ == 4


def test_a_fit_after_a_stopped_one_is_not_stopped(model, X):
    with coterie.watching(interrupting(2)), pytest.warns(coterie.InterruptedWarning):
        model.fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not model.fit(X).interrupted_


def test_fits_inside_a_fit_are_stopped_with_it_and_say_nothing(X):
    with fitting.session() as session, warnings.catch_warnings():
        session.request_stop()
        inner = coterie.PLSA(3, random_state=0)
        inner._fit(X)
    assert inner.n_iter_ == 1


def test_a_handler_of_somebody_else_stays(model, X):
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
    try:
        with coterie.watching(interrupting(3)), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X)
    finally:
        signal.signal(signal.SIGINT, before)
    assert pressed == [1]
    assert not model.interrupted_


def test_a_fit_in_another_thread_leaves_ctrl_c_alone(model, X):
    handlers = []

    def in_thread():
        with coterie.watching(lambda _: handlers.append(signal.getsignal(signal.SIGINT))):
            model.fit(X)

    with ThreadPoolExecutor(1) as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pool.submit(in_thread).result()
    assert set(handlers) == {signal.default_int_handler}
    assert not model.interrupted_


def test_an_undivided_block_ends_at_once():
    with fitting.session() as session:
        with pytest.raises(KeyboardInterrupt), fitting.undivided():
            signal.raise_signal(signal.SIGINT)
        assert not session.stopped
        signal.raise_signal(signal.SIGINT)
        assert session.stopped


CHILD = """
    import sys, time, warnings
    sys.path.insert(0, sys.argv[1])
    import coterie
    from planted import plant

    X = plant(60, 40, 3, 40, seed=0)[0]
    reports = 0

    def watcher(progress):
        global reports
        reports += 1
        if reports == int(sys.argv[2]):
            print("now", flush=True)
        time.sleep(0.003)

    warnings.simplefilter("ignore")
    model = coterie.PLSA(3, n_init=4, tol=0, max_iter=50, random_state=0)
    with coterie.watching(watcher):
        try:
            model.fit(X)
        except KeyboardInterrupt:
            print("ended", flush=True)
        else:
            print(model.interrupted_, reports < 200, len(model.labels_), flush=True)
"""


@pytest.mark.parametrize(("moment", "n_times"), [(1, 1), (60, 1), (30, 2)])
def test_ctrl_c_of_a_terminal(moment, n_times):
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), str(Path(__file__).parent), str(moment)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"COTERIE_THREADS": "1"},
    )
    with child:
        assert child.stdout.readline() == "now\n"
        for _ in range(n_times):
            child.send_signal(signal.SIGINT)
            time.sleep(0.001)
        answer = child.stdout.read().strip()
    assert child.returncode == 0
    # two at once may reach the child as one
    assert answer == "True True 60" or (n_times == 2 and answer == "ended")


# Fits side by side.


def on_threads(function, items):
    with coterie.run_on("threads", n_threads=3):
        return executors.current().map(function, items)


@pytest.mark.parametrize("run", [None, on_threads])
def test_results_side_by_side_are_in_order(run):
    def task(number):
        time.sleep(0.01 * (3 - number))
        return number

    tasks = [lambda number=number: task(number) for number in range(4)]
    assert fitting.side_by_side(tasks, run) == [0, 1, 2, 3]


@pytest.mark.parametrize("run", [None, on_threads])
def test_after_a_stop_the_first_result_is_there(run):
    with fitting.session() as session:
        session.request_stop()
        assert fitting.side_by_side([lambda: "first", lambda: "second"], run) == ["first"]


def test_a_stop_between_leaves_out_what_had_not_begun():
    with fitting.session() as session:
        tasks = [lambda: 0, session.request_stop, lambda: 2]
        assert fitting.side_by_side(tasks, None) == [0, None]


@pytest.mark.parametrize("run", [None, on_threads])
def test_an_error_side_by_side_is_raised_and_ends_the_others(run):
    ended = []

    def fails():
        raise ZeroDivisionError

    def waits():
        for _ in range(1000):
            if fitting.stopped():
                ended.append(threading.current_thread())
                return
            time.sleep(0.005)

    with pytest.raises(ZeroDivisionError):
        fitting.side_by_side([waits, fails, waits] if run else [fails, waits], run)
    assert len(ended) >= (1 if run else 0)
    assert not fitting.stopped()


def test_parts_side_by_side_share_the_whole():
    heard = []
    with coterie.watching(heard.append), fitting.session(), fitting.part(1, 2):
        fitting.side_by_side([lambda: fitting.report(1, 1, 0.0)] * 4, None, "four")
    assert_allclose([progress.share for progress in heard], [0.625, 0.75, 0.875, 1])
    assert heard[0].stage == "four"


# State between steps.


def sum_of_squares(n_steps, at_step=lambda _: None):
    """A long fit of one's own: resumed, it goes on where it stood."""
    state = fitting.state(lambda: {"model": "squares", "data": n_steps})
    total = state.arrays.get("total", np.zeros(3))
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(n_steps, 3))
    for step in range(state.values.get("step", 0), n_steps):
        total = total + draws[step] ** 2 / 3
        state.values, state.arrays = {"step": step + 1}, {"total": total}
        state.save()
        at_step(step)
    state.end()
    return total


def test_a_resumed_state_gives_the_same_bits(tmp_path):
    def fail(step):
        if step == 4:
            raise ZeroDivisionError

    expected = sum_of_squares(9)
    with coterie.checkpointing(tmp_path / "state"):
        with pytest.raises(ZeroDivisionError):
            sum_of_squares(9, fail)
        assert (tmp_path / "state").is_dir()
        steps = []
        assert_array_equal(sum_of_squares(9, steps.append), expected)
    assert steps == [5, 6, 7, 8]
    assert not (tmp_path / "state").exists()


def test_the_state_of_a_stopped_fit_stays_and_another_fit_is_refused(tmp_path):
    with coterie.checkpointing(tmp_path / "state"):
        with fitting.session() as session:
            session.request_stop()
            sum_of_squares(3)
        assert (tmp_path / "state").is_dir()
        with pytest.raises(coterie.InputError, match="checkpoint of another fit, its data"):
            sum_of_squares(4)


def test_nothing_is_saved_where_nobody_asks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    state = fitting.state(lambda: pytest.fail("nobody asks what is fitted"))
    assert not state.is_saved
    assert not state.is_due
    state.save()
    state.end()
    assert not list(tmp_path.iterdir())
