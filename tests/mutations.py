"""Saved folders changed at random, checksums corrected: what a stranger may send.

`python tests/mutations.py SAVED PATTERN FIRST LAST` loads and uses the folders of `SAVED` that
are named like PATTERN under the changes number FIRST to LAST, and prints what came of each, a
line of JSON.
"""

import contextlib
import copy
import hashlib
import io
import json
import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import coterie
from coterie.clustering.saving import load_assigner
from coterie.folders import RECORD, content_checksum, read_record, write_record
from estimators import ESTIMATORS, fit, fitted, name_of
from small import TEXTS, clustered

POOL = [
    None, True, False, -1, 0, 1, 7, 10**9, 10**400, -(10**30), 0.5, 1e308, float("nan"),
    float("inf"), "", "x", "tfidf", "spectral", [], [[]], {}, [1, "a", None], {"a": 1},
    {"$tuple": []}, {"$tuple": 3}, {"$array": "nothing"}, {"$array": 3}, {"$what": 1},
    {"$mapping": [[1, 2]]}, {"$mapping": [[[], 2]]}, {"$sparse": []}, {"$object": 3},
    {"$objects": [["a"], [1]]}, {"$objects": [["a"], [7, 10**12]]},
    {"$object": {"class": "PLSA", "parameters": {}}},
    {"$object": {"class": "Corpus", "parameters": {}}},
    {"$object": {"class": "Dirichlet", "parameters": {"concentration": 1.0}}},
    {"$sparse": [{"data": 1, "indices": 2, "indptr": 3}, [1, 1]]},
]  # fmt: skip
NOTHING_LEFT = (  # for a further change, by an earlier one
    KeyError, TypeError, IndexError, AttributeError, ValueError, MemoryError, RecursionError,
)  # fmt: skip
DTYPES = ["f2", "f4", "f8", ">f8", "i1", "i4", "i8", "u8", "c16", "?", "U3", "S2", "M8[s]"]


# Changes of arrays.


def resized(x, rng):
    axis = int(rng.integers(max(x.ndim, 1)))
    if not x.ndim:
        return np.repeat(x[None], 3)
    n = x.shape[axis]
    choices = [
        lambda: np.repeat(x, 2, axis=axis),
        lambda: np.tile(x, (int(rng.integers(2, 5)),) + (1,) * (x.ndim - 1)),
        lambda: np.take(x, range(max(n - 1, 0)), axis=axis),
        lambda: np.take(x, range(int(rng.integers(n + 1))), axis=axis),
        lambda: np.take(x, [], axis=axis),
        lambda: np.concatenate([x, np.take(x, range(min(n, 1)), axis=axis)], axis=axis),
        lambda: x.T,
        lambda: x.ravel(),
        lambda: x[None],
        lambda: x[..., None],
        lambda: np.asfortranarray(x),
        lambda: x.reshape(-1)[:1].reshape(()) if x.size else x,
    ]
    return choices[rng.integers(len(choices))]()


def revalued(x, rng):
    x = x.copy()
    if not x.size or x.dtype.kind not in "fiu":
        return x
    at = rng.integers(x.size, size=int(rng.integers(1, 4)))
    floats = [np.nan, np.inf, -np.inf, -1.0, 2.0, 1e300, -1e300, 1e-310, 0.0]
    wholes = [-1, -2, 0, 1, 100, 2**31 - 1, 2**31, 2**62, -(2**62)]
    pool = np.array(floats if x.dtype.kind == "f" else wholes)
    choices = [
        lambda: x.reshape(-1).__setitem__(at, rng.choice(pool).astype(x.dtype)),
        lambda: x.__imul__(x.dtype.type(2)),
        lambda: x.__imul__(x.dtype.type(0)),
        lambda: x.fill(rng.choice(pool).astype(x.dtype)),
        lambda: rng.shuffle(x.reshape(-1)),
        lambda: x.reshape(-1).__setitem__(slice(None), x.reshape(-1)[::-1].copy()),
        lambda: x.__iadd__(x.dtype.type(1)),
        lambda: x.__isub__(x.dtype.type(1)),
        lambda: np.negative(x, out=x),
    ]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        choices[rng.integers(len(choices))]()
    return x


def retyped(x, rng):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return x.astype(DTYPES[rng.integers(len(DTYPES))])


def to_bytes(x, **options):
    stream = io.BytesIO()
    np.save(stream, x, **options)
    return stream.getvalue()


def change_array(files, manifest, rng):  # noqa: C901, PLR0915
    names = list(manifest["arrays"])
    if not names:
        return
    name = names[rng.integers(len(names))]
    file, other = f"{name}.npy", f"{names[rng.integers(len(names))]}.npy"
    try:
        x = np.load(io.BytesIO(files[file]))
    except (ValueError, KeyError, OSError, EOFError, MemoryError):
        return
    how = rng.integers(14)
    if how < 4:
        files[file] = to_bytes(resized(x, rng))
    elif how < 8:
        files[file] = to_bytes(revalued(x, rng))
    elif how < 9:
        files[file] = to_bytes(retyped(x, rng))
    elif how < 10:
        files[file], files[other] = files.get(other, b""), files[file]
    elif how < 11:
        content = files[file]
        cut = int(rng.integers(len(content) + 1))
        files[file] = [content[:cut], content + b"\0" * 8, rng.bytes(200), b""][rng.integers(4)]
    elif how < 12:
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
        if rng.random() < 0.3:
            header["descr"] = ["|O", "<U0", "|V8", "<f16"][rng.integers(4)]
        stream = io.BytesIO()
        np.lib.format.write_array_header_1_0(stream, header)
        files[file] = stream.getvalue() + b"\0" * 64
    elif how < 13:
        del manifest["arrays"][name]
    else:
        files["extra.npy"] = files[file]
        manifest["arrays"]["extra"] = ""


# Changes of values.


def paths(values, path=()):
    items = values.items() if isinstance(values, dict) else enumerate(values)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from paths(item, (*path, key))


def from_pool(rng):
    return copy.deepcopy(POOL[rng.integers(len(POOL))])  # a further change may be inside it


def change_value(_, manifest, rng):  # noqa: C901, PLR0915
    every = list(paths(manifest["values"]))
    shallow = [path for path in every if "$array" not in path or rng.random() < 0.3]
    short = [path for path in shallow if len(path) <= 4]
    chosen = short if short and rng.random() < 0.6 else shallow
    if not chosen:
        return
    path = chosen[rng.integers(len(chosen))]
    holder = manifest["values"]
    for key in path[:-1]:
        holder = holder[key]
    key, old = path[-1], holder[path[-1]]
    how = rng.integers(8)
    if how < 3:
        holder[key] = from_pool(rng)
    elif how == 3:
        del holder[key]
    elif how == 4 and isinstance(holder, dict):
        holder["other_" if rng.random() < 0.5 else "$x"] = holder.pop(key)
    elif how == 5 and isinstance(old, list) and old:
        holder[key] = [old[:-1], old + old[:1], old[::-1], old * 2][rng.integers(4)]
    elif how == 5 and isinstance(old, bool | int | float):
        holder[key] = [old + 1, -old, old * 2, float(old), str(old), not old][rng.integers(6)]
    elif how == 5 and isinstance(old, str):
        names = [*coterie.__all__, "Vocabulary", "os", "__class__", old + "_", "\ud800", "a\0b"]
        holder[key] = names[rng.integers(len(names))]
    elif how == 6:
        other = every[rng.integers(len(every))]
        value = manifest["values"]
        for step in other:
            value = value[step]
        holder[key] = json.loads(json.dumps(value))
    elif how == 7:
        deep = []
        for _ in range([3, 90, 110, 300][rng.integers(4)]):
            deep = [deep] if rng.random() < 0.5 else {"a": deep}
        holder[key] = deep


def change_manifest(_, manifest, rng):
    key = ["kind", "layout", "values", "arrays", "more"][rng.integers(5)]
    manifest[key] = from_pool(rng)


def mutate(folder, rng):
    """Change a folder in one to three ways, and correct its checksums."""
    files = {file.name: file.read_bytes() for file in folder.glob("*.npy")}
    manifest = json.loads((folder / "manifest.json").read_text())
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        change = change_array if rng.random() < 0.55 else change_value
        change = change_manifest if rng.random() < 0.02 else change
        with contextlib.suppress(*NOTHING_LEFT):
            change(files, manifest, rng)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    correct(folder, manifest)
    if rng.random() < 0.02:
        text = (folder / "manifest.json").read_text()
        (folder / "manifest.json").write_text(text[: rng.integers(len(text))])


def mutate_results(folder, rng, saved):
    """Change something in a folder of results, and correct the checksums of its record."""
    rooms = sorted(manifest.parent for manifest in folder.rglob("manifest.json"))
    room = rooms[rng.integers(len(rooms))]
    run = read_record(folder, RECORD)["run"]
    how = rng.random()
    if how < 0.4:
        change_details(folder / "model", rng)
    elif how < 0.55:  # what was saved elsewhere, as it is
        others = sorted(each.parent for each in saved.rglob("manifest.json"))
        shutil.rmtree(room)
        shutil.copytree(others[rng.integers(len(others))], room)
    else:
        mutate(room, rng)
    (folder / RECORD).unlink()
    write_record(folder, "results", run)
    if rng.random() < 0.1:
        record = json.loads((folder / RECORD).read_text())
        change_value({}, {"values": record}, rng)
        record["checksum"] = content_checksum(record)
        (folder / RECORD).write_text(json.dumps(record))


def change_details(folder, rng):
    """Change the names, edits, settings and so on that are saved with a model."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for _ in range(int(rng.integers(1, 4))):
        with contextlib.suppress(*NOTHING_LEFT):
            change_value({}, {"values": manifest["values"]["details"]}, rng)
    correct(folder, manifest)


def correct(folder, manifest):
    """Write a manifest with the checksums of the files as they are."""
    for file in folder.glob("*.npy"):
        if isinstance(manifest["arrays"], dict) and file.stem in manifest["arrays"]:
            checksum = hashlib.sha256(file.read_bytes()).hexdigest()
            manifest["arrays"][file.stem] = checksum
    manifest["checksum"] = content_checksum(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))


# What is done with what loads.


def documents(model, n=6):
    """A few documents as a model takes them, of as many columns as it says."""
    rng = np.random.default_rng(0)

    def counts(width):
        return sp.csr_array(rng.poisson(1.0, (n, width)).astype(float))

    if hasattr(model, "view_names_"):
        views = {name: counts(width) for name, width in model.word_views_.items()}
        vectors = {name: rng.random((n, width)) for name, width in model.vector_views_.items()}
        return views | vectors
    if isinstance(model, coterie.VonMisesFisherMixture):
        return rng.random((n, model.n_features_in_))
    return counts(model.n_features_in_)


def use_model(model):  # noqa: C901, PLR0915
    """Assign documents and read the attributes; wrong answers are assertions."""
    X = documents(model)
    if hasattr(model, "predict"):
        K = model.memberships_.shape[1]
        labels, shares = model.predict(X), model.predict_proba(X)
        assert labels.shape == (6,)
        assert 0 <= labels.min() <= labels.max() < K
        assert shares.shape == (6, K)
        assert np.all(abs(shares.sum(axis=1) - 1) < 1e-2)
        model.score(X), model.log_likelihood(X)
        if not isinstance(model, coterie.VonMisesFisherMixture):  # densities are above one
            model.perplexity(X)
        if hasattr(model, "word_labels_"):
            assert model.word_memberships_.shape[0] == len(model.word_labels_)
            np.argsort(-model.components_, axis=1)[:, :5]
    if hasattr(model, "transform"):
        out = model.transform(X)
        out = out.data if sp.issparse(out) else out
        assert np.all(np.isfinite(out))
        model.get_feature_names_out()
    if hasattr(model, "top_words") and model.vocabulary_ is None:
        model.top_words([f"w{i}" for i in range(model.n_features_in_)])
    if hasattr(model, "labels_at"):
        model.labels_at(1), model.labels_at(model.n_clusters_)
        vectors = [
            np.random.default_rng(0).random((6, w)) for w in model.vector_views_.values()
        ]
        if len(vectors) == 1:
            assert np.all(np.isfinite(model.predict_proba(X, vectors[0])))
    if hasattr(model, "similar_documents"):
        model.similar_documents(0)
    if hasattr(model, "similar_words"):
        model.similar_words(0)
    if isinstance(getattr(model, "vocabulary_", None), coterie.corpus.Vocabulary):
        model.vocabulary_.count(["red apples and green seas", "été 1999"])
        if hasattr(model, "predict") and not getattr(model, "word_views_", None):
            model.predict(["red apples", ""])
    repr(model)


def use_corpus(corpus):
    """Cut it, read its texts, count others."""
    n = len(corpus)
    repr(corpus), corpus[: n // 2], corpus.notes.lines()
    corpus.texts(slice(0, 2)) if corpus._origin is not None else None
    corpus.select_words([0])
    corpus.columns.to_pydict() if corpus.columns is not None else None
    corpus.counts.sum(axis=0), corpus.counts.T.tocsr() @ np.ones(n)
    corpus.vocabulary.count(["a red apple"])


def use_results(result, folder):
    """Look at everything, assign texts, edit, and save elsewhere."""
    labels, memberships = result.labels, result.memberships
    assert labels.shape == (len(result.corpus),)
    assert set(labels.tolist()) <= {0, *result.numbers}
    assert np.all((memberships >= 0) & (memberships.sum(axis=1, keepdims=True) <= 1.01))
    assert len(result.documents) == len(labels)
    assert sum(each.size for each in result.summary.clusters) == np.sum(labels > 0)
    assert len(result.clusters) == len(result.numbers)
    first = result.numbers[0]
    result.words(first), result.typical(first), result.members(first)
    repr(result), result.names, result.doubtful, result.duplicates, result.find("moon")
    result._repr_html_()
    assert set(result.predict(TEXTS[:6]).tolist()) <= {0, *result.numbers}
    assigner = load_assigner(folder)
    assigner.columns(assigner.counted(TEXTS[:6]))
    result.rename({first: "x"}).undo()
    result.save(folder.parent / "elsewhere")


def use_checkpoint(folder):
    """Go on from it."""
    with coterie.checkpointing(folder):
        found = fit(ESTIMATORS[int(folder.name.partition("-")[2])])
    assert np.all(abs(found.memberships_.sum(axis=1) - 1) < 1e-2)


def save_checkpoint(number, folder):
    """The state of a fit that was stopped in its middle."""
    reports = []

    def stop(progress):
        reports.append(progress)
        if progress.share > 0.5:
            raise KeyboardInterrupt

    with coterie.checkpointing(folder, every=0), coterie.watching(stop):
        fit(ESTIMATORS[number])


def attempt(folder):
    """What came of loading and using a folder: "answer", "refused", or what went wrong."""
    start = time.perf_counter()
    step = "load"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if folder.name.startswith("checkpoint"):
                use_checkpoint(folder)
            elif folder.name.startswith("corpus"):
                loaded = coterie.Corpus.load(folder)
                step = "use"
                use_corpus(loaded)
            elif folder.name.startswith("results"):
                loaded = coterie.load(folder)
                step = "use"
                use_results(loaded, folder)
            else:
                loaded = coterie.load_model(folder)
                step = "use"
                use_model(loaded)
        outcome = "answer"
    except coterie.InputError as error:
        resumed = folder.name.startswith("checkpoint")  # whose fit may fail later, typed too
        known = step == "use" or resumed or str(folder) in str(error)
        outcome = "refused" if known else f"no folder in: {error}"
    except Exception as error:
        outcome = f"{step}: {type(error).__name__}: {str(error)[:200]}"
    return outcome, time.perf_counter() - start


def mutation(saved, number, scratch, pattern="*"):
    """Make a mutant of one of the saved folders, and try it."""
    folders = sorted(saved.glob(pattern))
    rng = np.random.default_rng(number)
    source = folders[rng.integers(len(folders))]
    folder = scratch / source.name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)
    if source.name.startswith("results"):
        mutate_results(folder, rng, saved)
    else:
        mutate(folder, rng)
    outcome, seconds = attempt(folder)
    return {"number": number, "name": source.name, "outcome": outcome, "seconds": seconds}


def save_all(folder, every=1):
    """Save estimators of the registry, fitted, their checkpoints, and corpora."""
    for number, estimator in list(enumerate(ESTIMATORS))[::every]:
        coterie.save_model(fitted(estimator), folder / f"{number}-{name_of(estimator)}")
        if hasattr(estimator, "fit_predict"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                save_checkpoint(number, folder / f"checkpoint-{number}")
    texts = ["red apples and green apples", "blue seas, green seas", "red seas in spring"] * 4
    columns = {"stars": list(range(12)), "shop": ["Bonn", None, "Pisa"] * 4}
    corpus = coterie.Corpus.from_texts(texts, labels=list("abc") * 4, columns=columns)
    corpus.save(folder / "corpus")
    vectors = np.random.default_rng(0).random((12, 3))
    corpus.with_vectors("photo", vectors).save(folder / "corpus-vectors")
    views = coterie.Corpus.from_texts({"en": texts, "fr": texts[::-1]})
    views.save(folder / "corpus-views")
    words = [f"w{i}" for i in range(12)]
    coterie.Corpus.from_counts(np.eye(12), words).save(folder / "corpus-counts")
    save_results(folder)
    for name in ("PLSA", "ChiSim", "MostFrequent", "ConceptSpace"):
        model = getattr(coterie, name)(2).fit(corpus)
        coterie.save_model(model, folder / f"texts-{name}")
    start = coterie.MultinomialMixture(2, init=np.arange(12) % 2).fit(corpus)
    coterie.save_model(start, folder / "texts-start")
    auto = coterie.AutoClustering(2, growths=((5, 2),), ranks=(3,), n_votes=2, random_state=0)
    coterie.save_model(auto.fit(views, vectors=vectors), folder / "texts-auto")
    coterie.save_model(coterie.VotedPLSA(2, random_state=0).fit(views), folder / "texts-votes")
    fusion = coterie.FusionLM(2, relation=True, random_state=0).fit(views)
    coterie.save_model(fusion, folder / "texts-fusion")


def save_results(folder):
    """Save clusterings as folders of results, one with every kind of edit."""
    clustered().save(folder / "results")
    edited = clustered().rename({2: "Zwei"}).merge([1, 3]).split(1, 2)
    edited.move(["d00", "d01"], 2).drop([4]).save(folder / "results-edited")
    clustered(TEXTS).within(1, 2).save(folder / "results-within")


if __name__ == "__main__":
    saved, pattern = Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as scratch:
        for folder in saved.glob(pattern):  # what is imported or compiled is not timed
            attempt(Path(shutil.copytree(folder, Path(scratch) / folder.name)))
        for number in range(int(sys.argv[3]), int(sys.argv[4])):
            print(json.dumps({"number": number, "begun": True}), flush=True)
            outcome = mutation(saved, number, Path(scratch), pattern)
            print(json.dumps(outcome), flush=True)
