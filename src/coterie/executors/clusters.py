"""A Dask cluster on this machine: processes that only this process can speak to."""

import logging
from typing import Any

import dask
from distributed import LocalCluster, Security

LOOPBACK = "127.0.0.1"
IGNORE_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
NEVER = "3650 days"
SETTINGS = {
    "distributed.scheduler.work-stealing": False,  # rows are where they are
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.memory.target": False,  # what is held is held by us
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}


class _LocalCluster(LocalCluster):  # type: ignore[misc]
    """A cluster whose killed workers are started again, however often they are killed.

    Dask gives up one that is absent a while after it was killed, even if it was back meanwhile.
    """

    def _update_worker_status(self, op: str, msg: Any) -> None:
        with dask.config.set({"distributed.deploy.lost-worker-timeout": NEVER}):
            super()._update_worker_status(op, msg)


def local_cluster(n_workers: int) -> Any:
    """So many processes of one thread each, on the loopback address, without a dashboard.

    Whoever can speak to a scheduler can run code as its owner, so this one asks for
    certificates that it makes for itself.
    """
    with dask.config.set(SETTINGS):
        return _LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": f"{LOOPBACK}:0"},
            security=Security.temporary(),
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            preload=[IGNORE_CTRL_C],
        )
