"""Fits on a Dask cluster: real worker processes, which may be killed at any time."""

import os
import signal
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import coterie
from coterie.engine import shard_cuts
from coterie.executors.dask import REPLAYED, DaskExecutor
from planted import plant

N_ITERATIONS = 2 * REPLAYED + 3


@pytest.fixture(scope="module")
def cluster():
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
    here = type(estimator)(**estimator.get_params()).fit(X)
    with coterie.run_on(cluster):
        there = estimator.fit(X)
    assert_same(there, here)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("at", "delay"), [(2, None), (REPLAYED + 4, 0.01)])
def test_a_worker_killed_in_mid_fit_changes_nothing(cluster, X, at, delay):
    """Before the first backup of the rows, and after it; between sweeps, and in one."""
    here = model().fit(X)

    def watcher(progress):
        if progress.iteration == at:
            kill(cluster) if delay is None else threading.Timer(delay, kill, [cluster]).start()

    with coterie.run_on(cluster), coterie.watching(watcher):
        there = model().fit(X)
    assert_same(there, here)


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
    assert cluster.each(abs, [-3, -2, -1]) == [3, 2, 1]
    assert np.array_equal(cluster.map(lambda x: x + 1, [1, 2]), [2, 3])
