"""Single results: one method on one corpus from one seed, computed once and saved."""

import hashlib
import json
import multiprocessing
import os
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from coterie import executors
from coterie.errors import InputError
from coterie_papers import fingerprints

Scores = dict[str, Any]
Results = Mapping["Cell", Scores]


@dataclass(frozen=True)
class Cell:
    """One computation. Equal cells are the same computation, whichever table they serve.

    `experiment` names a function of this package, as "clustering.scores"; `seconds` is an
    estimate of the time it takes.

    Examples
    --------
    >>> cell("clustering.scores", "webkb/0", "ext-plsa", words=10).settings
    (('words', 10),)
    """

    experiment: str
    corpus: str
    method: str
    seed: int
    settings: tuple[tuple[str, Any], ...]
    seconds: float = field(default=1.0, compare=False)

    def setting(self, name: str, default: Any = None) -> Any:
        """The setting of that name."""
        return dict(self.settings).get(name, default)

    def identity(self) -> dict[str, Any]:
        """All that distinguishes this cell from others, as plain values."""
        return {
            "experiment": self.experiment,
            "corpus": self.corpus,
            "method": self.method,
            "seed": self.seed,
            "settings": dict(self.settings),
        }

    def code(self) -> str:
        """Fingerprint of the code that computes it now."""
        return fingerprints.fingerprint(self.experiment, self.method)


def cell(
    experiment: str,
    corpus: str,
    method: str,
    seed: int = 0,
    *,
    seconds: float = 1.0,
    **settings: Any,
) -> Cell:
    """A cell with settings by name; those that are None are left out, lists become tuples."""
    plain = {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}
    chosen = tuple(sorted((k, v) for k, v in plain.items() if v is not None))
    return Cell(experiment, corpus, method, seed, chosen, seconds)


class Store:
    """A folder with a JSON file for every cell; a file is written whole or not at all.

    A file has the fingerprint of the code that computed it. `outdated` are the cells asked for
    whose code has changed since; with `any_code` they are good all the same.
    """

    def __init__(self, folder: Path, *, any_code: bool = False) -> None:
        self.folder = folder
        self.any_code = any_code
        self.outdated: set[Cell] = set()
        self._read: dict[str, Any] = {}
        self._files: set[Path] = set()

    def read(self, file: Path) -> None:
        """Know the cells that the JSON file of an item has, where there is such a file.

        A file is read once: what a run adds to it is in the store itself.
        """
        if file.is_file() and file not in self._files:
            self._files.add(file)
            data = json.loads(file.read_text(encoding="utf-8"))
            self._read |= {_name(saved["cell"]): saved for saved in data.get("cells", ())}

    def get(self, cell: Cell) -> Scores | None:
        """The saved scores of a cell; None where there are none of the code as it is now."""
        saved = self.record(cell)
        return None if saved is None else saved["scores"]

    def record(self, cell: Cell) -> dict[str, Any] | None:
        """The same with the cell and the fingerprint of the code that computed it."""
        candidates = [self._saved(cell), self._read.get(_name(cell.identity()))]
        known: list[dict[str, Any]] = [saved for saved in candidates if saved is not None]
        for saved in known:
            if self.any_code or saved.get("code") == cell.code():
                return saved
        if known:
            self.outdated.add(cell)
        return None

    def put(self, cell: Cell, scores: Scores) -> None:
        """Save the scores of a cell."""
        file = self._file(cell)
        file.parent.mkdir(parents=True, exist_ok=True)
        saved = {"cell": cell.identity(), "code": cell.code(), "scores": scores}
        content = json.dumps(saved)
        handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(content)
        Path(temporary).replace(file)

    def _saved(self, cell: Cell) -> Any:
        file = self._file(cell)
        if not file.is_file():
            return None
        try:
            saved = json.loads(file.read_text(encoding="utf-8"))
            saved["scores"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{file}: damaged. Remove it to compute it again.") from error
        return saved

    def _file(self, cell: Cell) -> Path:
        group = cell.corpus.partition("/")[0].replace(":", "-")
        return self.folder / group / f"{_name(cell.identity())}.json"


def _name(identity: Mapping[str, Any]) -> str:
    text = json.dumps(identity, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def default_folder() -> Path:
    """The folder of saved results in the user's cache."""
    from platformdirs import user_cache_path

    return user_cache_path("coterie") / "cells"


def compute(cell: Cell) -> Scores:
    """Run one experiment in one thread.

    Experiments measure CPU seconds, which other work on the machine does not lengthen.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    module, _, function = cell.experiment.rpartition(".")
    experiment = getattr(import_module(f"coterie_papers.{module}"), function)
    with (
        executors.run_on("threads", n_threads=1),
        threadpool_limits(1),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)  # said by the scores
        warnings.filterwarnings("ignore", "invalid value encountered in dot")  # some BLAS
        scores: Scores = experiment(cell)
    return {name: rounded(value) for name, value in scores.items()}


def rounded(scores: Any) -> Any:
    """The same with eight digits of every number, which are as many as files keep.

    Examples
    --------
    >>> rounded({"nmi": [1 / 3, 1e9 / 3], "n_iter": 123456789})
    {'nmi': [0.33333333, 333333330.0], 'n_iter': 123456789}
    """
    if isinstance(scores, Mapping):
        return {name: rounded(value) for name, value in scores.items()}
    if isinstance(scores, list | tuple):
        return [rounded(value) for value in scores]
    return float(f"{scores:.8g}") if isinstance(scores, float) else scores


def complete(
    cells: Iterable[Cell],
    store: Store,
    *,
    jobs: int = 1,
    fresh: bool = False,
    report: Callable[[Cell], None] = lambda _: None,
) -> dict[Cell, Scores]:
    """The scores of all cells: saved ones, and those computed now, each saved when ready.

    `report` is called with every finished cell. Corpora are taken one after the other.
    """
    results: dict[Cell, Scores] = {}
    todo: list[Cell] = []
    for each in sorted(set(cells), key=_in_order):
        saved = None if fresh else store.get(each)
        if saved is None:
            todo.append(each)
        else:
            results[each] = saved
            report(each)
    for each, scores in _computed(todo, jobs):
        store.put(each, scores)
        results[each] = scores
        report(each)
    return results


def _in_order(each: Cell) -> tuple[Any, ...]:
    """Cells of a corpus together, and no two alike, so that files have one order."""
    return each.corpus, each.experiment, each.method, each.seed, repr(each.settings)


def _computed(todo: list[Cell], jobs: int) -> Iterator[tuple[Cell, Scores]]:
    if jobs == 1 or len(todo) < 2:
        for each in todo:
            yield each, compute(each)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_ignore_ctrl_c)
    try:
        futures = {pool.submit(compute, each): each for each in todo}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    pool.shutdown()


def _ignore_ctrl_c() -> None:
    """Leave Ctrl-C to the process that started the others, which ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
