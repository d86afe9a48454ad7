"""Data that several tests share."""

import os

if "PYTEST_XDIST_WORKER" in os.environ:  # tests run side by side: each on one thread
    for name in ("COTERIE_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start what runs in the
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background; tests press Ctrl-C

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from planted import plant

SHORT = 40  # bytes that a name of a test may show


def pytest_make_parametrize_id(val, argname):
    """Names of tests hold no files: workers must find the same names, and files hold times."""
    return argname if isinstance(val, bytes) and len(val) > SHORT else None


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk():
    """Files of tests need not survive a power cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def corpus():
    """A planted corpus of counts, with the clusters of documents and of words."""
    return plant(n_documents=60, n_words=40, n_clusters=3, length=40, seed=0)


@pytest.fixture
def X(corpus):
    return corpus[0]


@pytest.fixture
def large():
    """Counts large enough to be cut into several shards."""
    rng = np.random.default_rng(0)
    dense = rng.poisson(plant(600, 50, 4, 120, seed=1)[0].toarray() * 0.9)
    return sp.csr_array(dense.astype(np.float64))


@pytest.fixture(scope="session")
def collections():
    """The folder of real collections, or a skip where there is none."""
    folder = os.environ.get("COTERIE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the real collections: set COTERIE_DATA to their folder")
    return Path(folder)
