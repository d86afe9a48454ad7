"""Fits of several methods over several seeds, each measured."""

import ctypes
import gc
import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from coterie.comparison.table import LEVEL, ComparisonTable, Run
from coterie.corpus import Corpus, corpus_of_texts
from coterie.errors import InputError, InterruptedWarning
from coterie.evaluation import ari, micro_precision, nmi
from coterie.evaluation.internal import resample
from coterie.findings.internal import InternalMeasures
from coterie.fitting import part, session, stopped
from coterie.methods import Method, method, usual_restarts
from coterie.types import Labels

METHODS_COMPARED = ("auto", "mm", "plsa", "kmeans")
STATUS = Path("/proc/self/status")
PEAK = Path("/proc/self/clear_refs")


def compare(
    source: Any,
    methods: Sequence[str] = METHODS_COMPARED,
    *,
    n_clusters: int | None = None,
    seeds: int = 10,
    labels: Any = None,
    n_init: int | None = None,
    level: float = LEVEL,
) -> ComparisonTable:
    """Compare methods on a corpus: agreement with labels, internal measures, time and memory.

    Each method is fitted once for each seed, from 0. AP (micro-averaged precision), NMI and ARI
    need labels. NPMI and C_V are the coherence of the ten most probable words of each cluster,
    diversity the share of distinct ones among them; the silhouette is that of tf-idf weights by
    cosine distance. Stability is the ARI with a second fit, to 80 % of the documents. Seconds
    and MB are those of the first; MB is how far the memory of the process rises, on Linux only.
    A method without randomness is fitted to all documents once, and its scores hold for every
    seed. After Ctrl-C the table has the runs that were finished.

    Parameters
    ----------
    source : Corpus, path, or sequence of texts
    methods : sequence of str
        Names of methods, as `coterie methods` lists them.
    n_clusters : int, optional
        By default the number of classes, or an estimate where there are no labels.
    seeds : int, default=10
        Number of runs of each method.
    labels : sequence, or str, optional
        The class of each document, or the column of a table that has it; by default the labels
        of the corpus, where it has some.
    n_init : int, optional
        Restarts of each fit; 10 by default, fewer for large collections.
    level : float, default=0.05
        Level of the rank-sum test.

    Examples
    --------
    >>> texts = ["hot tea", "green tea", "tea and milk", "dark rum", "rum punch", "rum"]
    >>> table = compare(texts, ["mm", "kmeans"], seeds=2, labels=["tea"] * 3 + ["rum"] * 3)
    >>> [row["method"] for row in table.rows], table.rows[0]["nmi"].mean
    (['mm', 'kmeans'], 1.0)
    """
    chosen = checked_methods(methods)
    if seeds < 1:
        raise InputError(f"seeds: expected at least one, got {seeds}")
    corpus = _read(source, labels)
    _check_views(corpus, chosen)
    tasks = [(each, seed) for seed in range(seeds) for each in chosen]
    with session(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", InterruptedWarning)
        with part(0, len(tasks) + 1, "Estimating the number of clusters"):
            size = n_clusters or _n_classes(corpus) or _estimate(corpus)
        if size > len(resample(len(corpus))):
            raise InputError(f"n_clusters: {size}, more than 80 % of {len(corpus)} documents")
        runs = _finished(_Bench(corpus, size, n_init), tasks, seeds)
    if not runs:
        raise KeyboardInterrupt
    return ComparisonTable(runs, size, level, interrupted=len(runs) < len(tasks))


def checked_methods(methods: Sequence[str]) -> list[Method]:
    """The methods of some names, all different.

    Examples
    --------
    >>> [each.title for each in checked_methods(["mm", "lda"])]
    ['multinomial mixture', 'latent Dirichlet allocation']
    """
    names = [methods] if isinstance(methods, str) else list(methods)
    if not names or len(set(names)) < len(names):
        listed = ", ".join(names) or "none"
        raise InputError(f"methods: expected names of different methods, got {listed}")
    return [method(name) for name in names]


def _read(source: Any, labels: Any) -> Corpus:
    """The corpus, with the labels that are named or given."""
    if isinstance(source, str | os.PathLike):
        column = labels if isinstance(labels, str) else None
        source, labels = Corpus.read(source, label=column), None if column else labels
    corpus = source if isinstance(source, Corpus) else corpus_of_texts(source)
    return corpus if labels is None else corpus.with_labels(labels)


def _check_views(corpus: Corpus, methods: Sequence[Method]) -> None:
    several = len(corpus.views) + len(corpus.vectors) > 1
    for each in methods:
        if several and not each.takes_views:
            raise InputError(f"methods: {each.name} takes one view, the corpus has several")
        if each.needs_views and not several:
            raise InputError(f"methods: {each.name} needs several views, the corpus has one")


def _n_classes(corpus: Corpus) -> int:
    """How many classes the labels have; 0 without labels, as without a difference."""
    classes = set() if corpus.labels is None else {each for each in corpus.labels if each != ""}
    return len(classes) if len(classes) > 1 else 0


def _estimate(corpus: Corpus) -> int:
    from coterie.automatic import number_of_clusters

    return int(number_of_clusters(corpus, random_state=0)[0])


def _finished(bench: "_Bench", tasks: list[tuple[Method, int]], seeds: int) -> list[Run]:
    """The runs that were finished when all were, or when Ctrl-C came."""
    runs: list[Run] = []
    for number, (each, seed) in enumerate(tasks):
        stage = f"Comparing methods: {each.name}, seed {seed + 1} of {seeds}"
        try:
            with part(number + 1, len(tasks) + 1, stage):
                run = bench.run(each, seed)
        except KeyboardInterrupt:
            break
        if stopped():
            break
        runs.append(run)
    return runs


class _Bench:
    """One corpus, and how methods are fitted to it and measured."""

    def __init__(self, corpus: Corpus, n_clusters: int, n_init: int | None) -> None:
        self._corpus, self._n_clusters = corpus, n_clusters
        self._n_init = n_init or usual_restarts(corpus)
        self._measures = InternalMeasures(corpus)
        self._without_randomness: dict[str, tuple[Labels, dict[str, float]]] = {}

    def run(self, chosen: Method, seed: int) -> Run:
        """Fit a method to part of the documents and to all, and measure the second fit.

        The first also compiles what needs to be, so that the second is timed fairly.
        """
        rows = resample(len(self._corpus), random_state=seed)
        with part(0, 2):
            labels_of_part = self._make(chosen, seed).fit(self._corpus[rows]).labels_
        if stopped():
            raise KeyboardInterrupt
        with part(1, 2):
            labels, scores = self._fit_to_all(chosen, seed)
        found = ari(labels[rows].tolist(), labels_of_part.tolist())
        return Run(chosen.name, seed, scores | {"stability": found})

    def _make(self, chosen: Method, seed: int) -> Any:
        return chosen.make(self._n_clusters, seed=seed, n_init=self._n_init)

    def _fit_to_all(self, chosen: Method, seed: int) -> tuple[Labels, dict[str, float]]:
        """Labels and scores of a fit; one without randomness is done once."""
        if chosen.name in self._without_randomness:
            return self._without_randomness[chosen.name]
        model = self._make(chosen, seed)
        cost = _cost(lambda: model.fit(self._corpus))
        if stopped():
            return model.labels_, {}
        internal = asdict(self._measures.of(model))
        scores = self._agreement(model.labels_) | internal | cost
        result = model.labels_, {n: each for n, each in scores.items() if each is not None}
        if "random_state" not in model.get_params():
            self._without_randomness[chosen.name] = result
        return result

    def _agreement(self, labels: Labels) -> dict[str, float]:
        """Agreement with the classes of the documents that have one."""
        if not _n_classes(self._corpus):
            return {}
        assert self._corpus.labels is not None
        pairs = zip(self._corpus.labels, labels.tolist(), strict=True)
        known = [(label, cluster) for label, cluster in pairs if label != ""]
        classes, clusters = map(list, zip(*known, strict=True))
        measures = {"ap": micro_precision, "nmi": nmi, "ari": ari}
        return {name: float(measure(classes, clusters)) for name, measure in measures.items()}


def _cost(fit: Callable[[], Any]) -> dict[str, float | None]:
    """Seconds that a fit takes, and MB that it adds to the memory of the process."""
    before = _forget_peak()
    started = time.perf_counter()
    fit()
    seconds = time.perf_counter() - started
    added = None if before is None else max(_memory("VmHWM") - before, 0.0)
    return {"seconds": seconds, "megabytes": added}


def _forget_peak() -> float | None:
    """Let the peak of memory begin anew; MB in use now, None where they cannot be known."""
    gc.collect()
    if sys.platform != "linux":
        return None
    with suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)  # memory that is free counts as used until then
    try:
        PEAK.write_text("5")
        return _memory("VmRSS")
    except OSError:
        return None


def _memory(name: str) -> float:
    """A figure of the status of the process, in MB."""
    lines = STATUS.read_text().splitlines()
    (found,) = [line for line in lines if line.startswith(f"{name}:")]
    return int(found.split()[1]) * 1024 / 1e6
