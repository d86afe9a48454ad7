"""Long jobs, one after the other, each with how far it is and a way to stop it."""

import queue
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from coterie.errors import InputError
from coterie.explorer.store import new_identifier
from coterie.fitting import Progress
from coterie.progress import status

KEPT = 50
Work = Callable[["Job"], None]


@dataclass
class Job:
    """One job: what it is for, how far it is, and whether it shall stop."""

    node: str
    work: Work
    id: str = field(default_factory=new_identifier)
    stage: str = "Waiting"
    share: float = 0.0
    began: float = 0.0
    seconds: float = 0.0
    done: bool = False
    stopping: threading.Event = field(default_factory=threading.Event)

    def now(self, stage: str, share: float = 0.0) -> None:
        """Say what is being done; the time left is reckoned from here."""
        self.stage, self.share, self.began = stage, share, time.monotonic()
        self.refuse_stopped()

    def refuse_stopped(self) -> None:
        """End the job where it has nothing to keep yet."""
        if self.stopping.is_set():
            raise StoppedError("stopped before there was anything to show")

    def count(self, n_documents: int) -> None:
        """Take note of how many documents have been read."""
        if n_documents % 100 == 0:
            self.stage = f"Reading · {n_documents:,} documents"
            self.refuse_stopped()

    def watch(self, progress: Progress) -> None:
        """Take note of how far a fit is; a stop that was asked for ends it, the best kept."""
        self.stage, self.share = progress.stage or "Fitting", progress.share
        if self.stopping.is_set():
            raise KeyboardInterrupt

    def to_values(self) -> dict[str, Any]:
        """How far the job is, for people: one percentage and the time left."""
        seconds = time.monotonic() - self.began if self.began else 0.0
        stopping = self.stopping.is_set() and not self.done
        stage = "Stopping, the best result so far is kept" if stopping else self.stage
        known = self.share > 0 and not stopping
        told = status(self.share, seconds, self.share)
        return {
            "id": self.id,
            "node": self.node,
            "status": f"{stage} · {told}" if known else stage,
            "share": self.share if known else None,
            "done": self.done,
            "stopping": stopping,
        }


class StoppedError(InputError):
    """A job was stopped before it had a result."""


class Jobs:
    """A queue of jobs and the thread that does them."""

    def __init__(self, failed: Callable[[str, str], None]) -> None:
        self.all: dict[str, Job] = {}
        self._failed = failed
        self._waiting: queue.Queue[Job | None] = queue.Queue()
        self._thread = threading.Thread(target=self._run, name="coterie-jobs", daemon=True)
        self._thread.start()

    def add(self, node: str, work: Work) -> Job:
        """Put a job at the end of the queue."""
        job = Job(node, work)
        self.all[job.id] = job
        for old in [each.id for each in self.all.values() if each.done][:-KEPT]:
            del self.all[old]
        self._waiting.put(job)
        return job

    def of(self, node: str) -> Job | None:
        """The job of a node that is not done."""
        return next((j for j in list(self.all.values()) if j.node == node and not j.done), None)

    def active(self) -> list[Job]:
        """The jobs that are not done."""
        return [job for job in list(self.all.values()) if not job.done]

    def end(self, seconds: float = 5.0) -> None:
        """Stop all jobs and wait a while for the one that runs."""
        for job in self.active():
            job.stopping.set()
        self._waiting.put(None)
        self._thread.join(seconds)

    def _run(self) -> None:
        while (job := self._waiting.get()) is not None:
            self._do(job)

    def _do(self, job: Job) -> None:
        try:
            job.now("Beginning")
            job.work(job)
        except (InputError, OSError, MemoryError) as error:
            self._failed(job.node, " ".join(str(error).split()) or type(error).__name__)
        except KeyboardInterrupt:
            self._failed(job.node, "stopped before there was anything to show")
        except Exception as error:
            traceback.print_exc()
            self._failed(job.node, f"a fault of the program: {type(error).__name__}: {error}")
        finally:
            job.done = True
