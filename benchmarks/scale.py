"""Collections past memory and past one core: the same fit in several ways, and how it grows.

    python benchmarks/scale.py fits [--documents 100000] [--method plsa] [ROW ...]
    python benchmarks/scale.py growth [--sizes 10000 100000 1000000] [--method auto]
    python benchmarks/scale.py passes [--documents 10000000]
    python benchmarks/scale.py quality [sentences passages synopses] [--seeds 2] [--sample N]
    python benchmarks/scale.py weights [--documents 100000] [--sample 20000]

`fits` fits one collection on one thread, on two, from disk, where the memory it may take
is a quarter of what the fit in memory took (by RLIMIT_DATA, which counts what is not mapped
from files), on two Dask workers, online, and on a GPU where there is one. It compares labels
and log-likelihood with the first row; memory is that of this process, not of workers. `growth`
clusters raw JSON lines from file to page, with peak memory, and fits the exponent of growth.
`passes` measures seconds a pass of the mixture and of PLSA over a collection on disk.
`quality` runs the default on large collections of COTERIE_DATA, with
candidates compared on all of them and on a sample, as large as the default's or of `--sample`.
`weights` runs the default on more documents than its sample, with words weighed by coherence
and by rarity alone, and refines from the true clusters too.
Each measurement is a process of its own. CPU seconds are shown, as other programs may be
running.
Other collections are synthetic (`coterie.demo.synthetic`); files are temporary.

To add a row to `fits`, add to `ROWS` its settings, and to `place` how they are understood.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

ROWS = {  # of `fits`: the first is what the others are compared with
    "1 thread": {"threads": 1},
    "2 threads": {"threads": 2},
    "disk, a quarter of the memory": {"threads": 2, "on_disk": True, "share": 0.25},
    "Dask, 2 worker processes": {"on": "dask"},
    "online, 3 passes": {"threads": 2, "online": True},
    "GPU": {"on": "gpu"},
}
FITS = {"n_clusters": 8, "length": 250.0, "n_words": 30_000, "max_iter": 30}
PASSES = {"mm": "dirichlet", "plsa": "random"}  # and how they start
N_PASSES = 3
TRUE_ITER = 20  # of the refinement that begins with the true clusters
MB = 1 << 20


def place(stack, settings):
    """Enter where a fit runs: threads of this process, two worker processes, or a GPU."""
    import coterie

    options = {"threads": {"n_threads": settings.get("threads")}, "dask": {"n_workers": 2}}
    on = settings.get("on", "threads")
    stack.enter_context(coterie.run_on(on, **options.get(on, {})))


def watch():
    """Peaks of memory, sampled: in all, and without what is mapped from files."""
    peak = {"rss": 0, "anonymous": 0}

    def poll():
        while True:
            now = memory()
            for name, value in now.items():
                peak[name] = max(peak[name], value)
            time.sleep(0.02)

    threading.Thread(target=poll, daemon=True).start()
    return peak


def memory():
    """Bytes in memory now."""
    lines = Path("/proc/self/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    names = {"rss": "VmRSS", "anonymous": "RssAnon"}
    return {name: int(fields[field].split()[0]) << 10 for name, field in names.items()}


def make(method, n_clusters, max_iter, init=None):
    """The model of a method, one restart."""
    from coterie.methods import METHODS

    return METHODS[method].make(n_clusters, seed=0, n_init=1, max_iter=max_iter, init=init)


def fit(task):
    """One row of `fits`."""
    from coterie.corpus.storing import Storage
    from coterie.demo.synthetic import Synthetic

    settings = task["settings"]
    threading.stack_size(MB)
    collection = Synthetic(
        task["documents"], FITS["n_clusters"], FITS["n_words"], FITS["length"]
    )
    make(task["method"], 2, 2).fit(Synthetic(50, 2, 60, 20).counts().counts)  # compiled
    peak = watch()
    before = memory()["anonymous"]
    storage = Storage(0) if settings.get("on_disk") else Storage()
    counts = collection.counts(storage).counts
    del collection
    if task["most"]:
        most = data_held() + task["most"]
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    peak.update(memory())  # forgets the making of the counts
    model = make(task["method"], FITS["n_clusters"], FITS["max_iter"])
    with ExitStack() as stack:
        place(stack, settings)
        cpu, wall = time.process_time(), time.perf_counter()
        (model.fit_online if settings.get("online") else model.fit)(counts)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    taken = peak["anonymous"] - before
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)  # worker processes, their start too
    return {
        "cpu": cpu + ended.ru_utime + ended.ru_stime, "wall": wall, "taken": taken,
        "objective": model.log_likelihood(counts), "labels": model.labels_.tolist(),
    }  # fmt: skip


def data_held():
    """Bytes that RLIMIT_DATA counts: what the process has taken, mapped files aside."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmData"))


def grow(task):
    """The command from JSON lines to page."""
    from coterie.cli import main
    from coterie.demo.synthetic import Synthetic

    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder) / "documents.jsonl", Path(folder) / "out"
        Synthetic(task["documents"], n_clusters=20).write_jsonl(table)
        peak = watch()
        cpu, wall = time.process_time(), time.perf_counter()
        command = ["cluster", str(table), "-k", "20", "--method", task["method"], "-q"]
        command += ["--label", "label", "--json", "--out", str(out)]
        with open(os.devnull, "w") as nothing:
            shown, sys.stdout = sys.stdout, nothing
            try:
                main(command, standalone_mode=False)
            except SystemExit as end:
                if end.code:
                    raise
            finally:
                sys.stdout = shown
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        content = json.loads((out / "clusters.json").read_text(encoding="utf-8"))
    nmi = content["scores"]["nmi"]
    return {"cpu": cpu, "wall": wall, **peak, "nmi": nmi}


def passes(task):
    """Seconds a pass of some models over counts on disk."""
    import coterie
    from coterie import engine, executors
    from coterie.corpus.storing import Storage
    from coterie.demo.synthetic import Synthetic

    peak = watch()
    cpu = time.process_time()
    counts = Synthetic(task["documents"]).counts(Storage(0)).counts
    found = {"made": time.process_time() - cpu, "nonzeros": int(counts.nnz)}
    with coterie.run_on("threads", n_threads=2):
        for method, init in PASSES.items():
            peak.update(memory())
            model = make(method, 20, N_PASSES, init=init)
            X = model._read(counts)
            rows, shared = model._start(X, np.random.default_rng(0))
            run = engine.Run(partial(_same, rows), shared)
            stopping = engine.Stopping(N_PASSES, 0.0)
            times = []
            for _ in engine.iterate(
                model, engine.shards(X), run, executors.current(), stopping
            ):
                times.append((time.process_time(), time.time()))
            del rows, run
            for name, at in (("cpu", 0), ("wall", 1)):
                found[f"{method} {name}"] = (times[-1][at] - times[0][at]) / (len(times) - 1)
            found |= {f"{method} {name}": value // MB for name, value in peak.items()}
            print(json.dumps(found), file=sys.stderr, flush=True)
    return found


def quality(task):
    """NMI and CPU seconds of the default, candidates compared on a sample or on all."""
    from short_texts import LARGE

    import coterie
    from coterie.automatic import large
    from coterie.evaluation import nmi

    corpus = LARGE[task["collection"]]()
    large.SAMPLE = len(corpus) if task["whole"] else task["sample"] or large.SAMPLE
    n_sampled = min(large.SAMPLE, len(corpus))
    peak = watch()
    cpu = time.process_time()
    model = coterie.AutoClustering(
        len(set(corpus.labels)), calibrated=False, random_state=task["seed"]
    ).fit(corpus)
    cpu, rss = time.process_time() - cpu, peak["rss"]
    found = {"cpu": cpu, "rss": rss, "n": n_sampled, "k": model.n_clusters_}
    return found | {"nmi": nmi(corpus.labels, model.labels_)}


def weigh(task):
    """NMI of the default with some weights of words, and of its refinement from the truth."""
    from sklearn.base import clone

    import coterie
    from coterie.automatic import estimator, large
    from coterie.automatic.search import softened
    from coterie.demo.synthetic import Synthetic
    from coterie.evaluation import nmi
    from coterie.weighting import WordWeights

    counts, labels = Synthetic(task["documents"]).counts()
    n_clusters, found, refine = int(labels.max()) + 1, {}, large.fitted_from

    def from_truth_too(model, joined, start):
        longer = clone(model).set_params(max_iter=TRUE_ITER)
        refined = refine(longer, joined, softened(labels, n_clusters))
        found["true"] = nmi(labels, refined.labels_)
        return refine(model, joined, start)

    def by_rarity(X, *_, scale, **__):
        return WordWeights(scale=scale, exponent=1.0).fit(X)

    large.SAMPLE, large.fitted_from = task["sample"], from_truth_too
    if task["by"] == "rarity":
        estimator.learned_weights = by_rarity
    cpu = time.process_time()
    model = coterie.AutoClustering(n_clusters, calibrated=False, random_state=0).fit(counts)
    cpu = time.process_time() - cpu
    return found | {"cpu": cpu, "nmi": nmi(labels, model.labels_)}


def _same(rows):
    return rows


TASKS = {"fits": fit, "growth": grow, "passes": passes, "quality": quality, "weights": weigh}


def measured(kind, task):
    """What a measurement in a process of its own gives."""
    command = [sys.executable, __file__, "--task", json.dumps([kind, task])]
    surroundings = os.environ | {"MALLOC_ARENA_MAX": "1"}  # memory that threads reserve
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=surroundings)
    if done.returncode:
        return None
    return json.loads(done.stdout.splitlines()[-1])


def show_fits(arguments):
    first, last = None, None
    print(f"| {arguments.method}, {arguments.documents:,} documents | CPU s | wall s | memory "
          "taken, MB | objective | labels as in the first |")  # fmt: skip
    print("|---|---|---|---|---|---|")
    for name in arguments.rows or ROWS:
        settings = ROWS[name]
        if settings.get("on") == "gpu" and not find_spec("cupy"):
            print(f"| {name} | needs a GPU and the extra gpu | | | | |", flush=True)
            continue
        most = round(settings["share"] * last["taken"]) if "share" in settings else 0
        task = {"documents": arguments.documents, "method": arguments.method,
                "settings": settings, "most": most}  # fmt: skip
        found = measured("fits", task)
        if found is None:
            print(f"| {name} | failed | | | | |", flush=True)
            continue
        first, last = first or found, found
        equal = agreement(first["labels"], found["labels"])
        numbers = [f"{found['cpu']:.1f}", f"{found['wall']:.1f}", f"{found['taken'] / MB:,.0f}",
                   f"{found['objective']:,.0f}", f"{100 * equal:.2f} %"]  # fmt: skip
        print(f"| {name} | {' | '.join(numbers)} |", flush=True)


def agreement(first, second):
    """Share of documents in the same cluster, clusters matched so that it is largest."""
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((max(first) + 1, max(second) + 1))
    np.add.at(table, (first, second), 1)
    return table[linear_sum_assignment(-table)].sum() / len(first)


def show_growth(arguments):
    print("| documents | CPU s | wall s | peak MB | without mapped files | NMI |")
    print("|---|---|---|---|---|---|")
    rows = []
    for n in arguments.sizes:
        found = measured("growth", {"documents": n, "method": arguments.method})
        rows.append((n, found["cpu"], found["rss"]))
        numbers = [f"{found['cpu']:.1f}", f"{found['wall']:.1f}", f"{found['rss'] / MB:,.0f}",
                   f"{found['anonymous'] / MB:,.0f}", f"{found['nmi']:.3f}"]  # fmt: skip
        print(f"| {n:,} | {' | '.join(numbers)} |", flush=True)
    if len(rows) > 1:
        n, cpu, peak = np.log(np.array(rows)).T
        print(f"\nexponent of CPU time {np.polyfit(n, cpu, 1)[0]:.2f}, of memory "
              f"{np.polyfit(n, peak, 1)[0]:.2f}")  # fmt: skip


def show_quality(arguments):
    from short_texts import LARGE

    print("| | documents | classes | seed | all: NMI | CPU s | peak MB | sample | NMI | CPU s "
          "| peak MB | difference |")  # fmt: skip
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for collection in arguments.rows or LARGE:
        differences = []
        for seed in range(arguments.seeds):
            task = {"collection": collection, "seed": seed, "sample": arguments.sample}
            whole, part = (measured("quality", task | {"whole": way}) for way in (True, False))
            differences.append(part["nmi"] - whole["nmi"])
            first, second = (f"{each['nmi']:.3f} | {each['cpu']:.0f} | {each['rss'] / MB:,.0f}"
                             for each in (whole, part))  # fmt: skip
            print(f"| {collection} | {whole['n']:,} | {whole['k']} | {seed} | "
                  f"{first} | {part['n']:,} | {second} | {differences[-1]:+.3f} |",
                  flush=True)  # fmt: skip
        print(f"| {collection} | | | mean | | | | | | | | {np.mean(differences):+.3f} |",
              flush=True)  # fmt: skip


def show_weights(arguments):
    print("| documents | sample | words weighed by | NMI | from the true clusters | CPU s |")
    print("|--:|--:|---|--:|--:|--:|")
    for by in ("coherence", "rarity"):
        task = {"documents": arguments.documents or 100_000, "by": by,
                "sample": arguments.sample or 20_000}  # fmt: skip
        found = measured("weights", task)
        print(f"| {task['documents']:,} | {task['sample']:,} | {by} | {found['nmi']:.3f} | "
              f"{found['true']:.3f} | {found['cpu']:.0f} |", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=[*TASKS])
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--documents", type=int)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--method")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--sample", type=int, help="documents in the sample")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    arguments = parser.parse_intermixed_args()
    if arguments.task:
        warnings.simplefilter("ignore")
        kind, task = json.loads(arguments.task)
        print(json.dumps(TASKS[kind](task)))
    elif arguments.what == "growth":
        arguments.method = arguments.method or "auto"
        show_growth(arguments)
    elif arguments.what == "quality":
        show_quality(arguments)
    elif arguments.what == "weights":
        show_weights(arguments)
    elif arguments.what == "passes":
        found = measured("passes", {"documents": arguments.documents or 10_000_000})
        print(json.dumps(found, indent=1))
    else:
        arguments.method = arguments.method or "plsa"
        arguments.documents = arguments.documents or 100_000
        show_fits(arguments)


if __name__ == "__main__":
    main()
