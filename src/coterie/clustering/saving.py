"""A clustering as a folder of results, and back.

The model is saved as it was fitted; edits are a list beside it, with the models of split
clusters. Two processes that edit the same folder do not overwrite each other: a save is refused
where the folder was written since it was read.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from coterie.clustering.assigning import Assigner
from coterie.clustering.layout import DISCS, is_available
from coterie.clustering.page import page_payload
from coterie.clustering.result import About, Clustering, Parent
from coterie.clustering.running import Settings
from coterie.clustering.sources import EMBEDDINGS, Reading
from coterie.clustering.tables import text_blocks
from coterie.corpus import Corpus
from coterie.errors import InputError
from coterie.findings.edits import (
    Drop,
    Edit,
    Merge,
    Move,
    Rename,
    Split,
    checked_names,
    numbers_after,
)
from coterie.findings.saved import (
    CORPUS,
    MODEL,
    OUR_FOLDERS,
    PARTS,
    Saved,
    load_saved,
    portable_source,
    refuse_unclustered,
)
from coterie.folders import RECORD, alone, file_checksum, read_record, written
from coterie.persistence import named
from coterie.report.html import FULL
from coterie.report.payload import Payload
from coterie.report.results import write_results
from coterie.schema import Field, Is, Items, Row, Whole, check_fields
from coterie.storage import load_model

UNSAVED = ("checkpoint", "threads", "on", "scheduler", "memory", "quiet", "verbose")
"""Settings of a fit that say nothing of its answer."""

KINDS: dict[str, dict[str, Field]] = {
    "rename": {"names": Items(Row((Whole(1), Is(str))))},
    "merge": {"clusters": Items(Whole(1))},
    "split": {"cluster": Whole(1), "parts": Items(Whole(1))},
    "move": {"ids": Items(Is(str)), "cluster": Whole(1)},
    "drop": {"clusters": Items(Whole(1))},
}


def save(
    result: Clustering,
    folder: str | os.PathLike[str] | None = None,
    page: Callable[[Path, Corpus], Payload | None] | None = None,
) -> Path:
    """Write a clustering to a folder, or back to its own.

    `page` gives the payload of the page, of documents with their texts.
    """
    if folder is None and result.folder is None:
        raise InputError("save: no folder yet; name one")
    if folder is not None and not os.fspath(folder):
        raise InputError("save: an empty path; '.' is the current folder")
    path = Path(folder) if folder is not None else result.folder
    assert path is not None
    corpus, documents = result.corpus.with_texts(), result.document_table(texts=False)
    with alone(path):
        if result.folder is not None and path.resolve() == result.folder.resolve():
            _refuse_newer(path, result.run)
        result.run = write_results(
            path,
            result.model,
            result.summary,
            payload=partial(page or partial(page_payload, result), path, corpus),
            documents=documents,
            with_texts=text_blocks(documents, corpus),
            corpus=corpus,
            parts={
                at: edit.model
                for at, edit in enumerate(result.edits, start=1)
                if isinstance(edit, Split)
            },
            raw_csv=result.about.raw_csv,
            **_details(result, path),
        )
    result.folder, result.saved_edits = path, result.edits
    return path


def _refuse_newer(path: Path, run: str) -> None:
    found = read_record(path, RECORD).get("run")
    if found != run:
        raise InputError(
            f"{path}: changed since it was read, perhaps by another edit at the same time; "
            "load it again and repeat the edit"
        )


def _details(result: Clustering, path: Path) -> dict[str, Any]:
    about = result.about
    parent = result.parent
    settings = {
        name: value for name, value in vars(about.settings).items() if name not in UNSAVED
    }
    return {
        "title": about.title,
        "seconds": about.seconds,
        "settings": settings,
        "columns": _portable_columns(about.reading, path),
        "source": _portable(about.source, path),
        "library": about.library,
        "page": about.page,
        "layout": about.layout,
        "names": {str(number): name for number, name in result.names.items()},
        "edits": [to_values(edit) for edit in result.edits],
        "parent": None if parent is None else [parent.title, parent.cluster, parent.name],
    }


def _portable(source: str, results: Path) -> str:
    absolute = source and Path(source).is_absolute()
    return portable_source(Path(source), results) if absolute else source


def _portable_columns(reading: Reading, results: Path) -> dict[str, Any]:
    """The names of columns; a model of embeddings in a folder is seen from the results."""
    columns = reading.columns()
    if (model := columns[EMBEDDINGS]) and Path(model).is_absolute():
        columns[EMBEDDINGS] = portable_source(Path(model), results, also_from_here=False)
    return columns


def to_values(edit: Edit) -> dict[str, Any]:
    """An edit as plain values, without the model of a split cluster.

    Examples
    --------
    >>> to_values(Merge((2, 5)))
    {'edit': 'merge', 'clusters': [2, 5]}
    """
    values: dict[str, Any] = {"edit": type(edit).__name__.lower()}
    for name in KINDS[values["edit"]]:
        value = getattr(edit, name)
        if isinstance(value, Mapping):
            value = [list(pair) for pair in value.items()]
        values[name] = list(value) if isinstance(value, tuple) else value
    return values


def load(folder: str | os.PathLike[str]) -> Clustering:
    """Read a clustering that `Clustering.save` or `coterie cluster --out` wrote.

    The folder may come from a stranger: all of it is checked before anything computes on it.

    Examples
    --------
    >>> import coterie, tempfile
    >>> texts = ["green tea", "black tea", "tea leaves", "dark rum", "white rum", "rum punch"]
    >>> result = coterie.cluster(texts, 2, progress=False).rename({2: "Rum"})
    >>> folder = result.save(tempfile.mkdtemp() + "/drinks")
    >>> coterie.load(folder).names[2]
    'Rum'
    """
    path = Path(folder)
    saved = load_saved(path)
    if not (path / CORPUS).is_dir():
        raise InputError(
            f"{path}: holds no documents, expected a folder written by `coterie cluster --out`"
        )
    _refuse_foreign(path)
    corpus = Corpus.load(path / CORPUS)
    with named(path):
        n_documents = len(saved.model.memberships_)
        if len(corpus) != n_documents:
            raise InputError(f"{len(corpus)} documents for a model of {n_documents}")
        if corpus.reads_files:  # of whoever loads it, were it a stranger's
            raise InputError("names files elsewhere as its documents; results hold their own")
        edits = _saved_edits(saved, path, set(corpus.ids))
    result = Clustering(saved.model, corpus, about=_about(saved, path), parent=_parent(saved))
    with named(path):
        result._set(tuple(edits))
    result.folder, result.run = path, saved.details.get("run", "")
    result.saved_edits = result.edits
    return result


def load_assigner(folder: str | os.PathLike[str]) -> Assigner:
    """Read what assigns new documents, from a folder of results or of a model alone."""
    path = Path(folder)
    if path.name == MODEL and (path.parent / RECORD).is_file():
        path = path.parent
    saved = load_saved(path)
    with named(path):
        edits = _saved_edits(saved, path, None)
    if edits:
        _refuse_foreign(path)
    numbers = numbers_after(edits, saved.model.memberships_.shape[1]).alive
    names = {number: saved.names.get(number, f"cluster {number}") for number in numbers}
    return Assigner(saved.model, edits, names, _reading(saved, path))


def _refuse_foreign(path: Path) -> None:
    """Refuse models and documents that were not written with the rest."""
    listed = written(path, RECORD)
    for place in OUR_FOLDERS:
        for manifest in (path / place).glob("**/manifest.json"):
            name = manifest.relative_to(path).as_posix()
            if listed.get(name) != file_checksum(manifest):
                raise InputError(f"{manifest}: not written with the other results in {path}")


def _saved_edits(saved: Saved, path: Path, ids: set[str] | None) -> list[Edit]:
    n_clusters = saved.model.memberships_.shape[1]
    return edits_from(saved.details.get("edits", []), path / PARTS, n_clusters, ids)


def edits_from(
    listed: Sequence[Any], parts: Path, n_clusters: int, ids: set[str] | None
) -> list[Edit]:
    """Edits from plain values, checked against the clusters and documents they speak of.

    `parts` is the folder of the models of split clusters, each named by the position of its
    edit, from 1.
    """
    edits: list[Edit] = []
    for values in listed:
        edit = _from_values(values, parts / str(len(edits) + 1), ids)
        numbers_after([*edits, edit], n_clusters)
        edits.append(edit)
    return edits


def _from_values(values: Any, part: Path, ids: set[str] | None) -> Edit:
    kind = values.get("edit") if isinstance(values, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"edits: {str(kind)[:40]!r}; expected one of {', '.join(KINDS)}")
    content = {name: each for name, each in values.items() if name != "edit"}
    check_fields(f"{kind}: ", content, KINDS[kind], {})
    if kind == "rename":
        return Rename(checked_names(dict(content["names"])))
    if kind == "split":
        return _split(content["cluster"], tuple(content["parts"]), part)
    if kind == "move":
        missing = [] if ids is None else [each for each in content["ids"] if each not in ids]
        if missing:
            raise InputError(f"edits: document {missing[0][:40]!r} is not there")
        return Move(tuple(content["ids"]), content["cluster"])
    return {"merge": Merge, "drop": Drop}[kind](tuple(content["clusters"]))


def _split(cluster: int, parts: tuple[int, ...], part: Path) -> Split:
    model = load_model(part)
    with named(part):
        refuse_unclustered(model)
    if len(parts) < 2 or model.memberships_.shape[1] != len(parts):
        raise InputError(f"{part}: expected a model of the {len(parts)} parts of {cluster}")
    return Split(cluster, parts, model)


def _reading(saved: Saved, results: Path) -> Reading:
    columns: dict[str, Any] = {name: each for name, each in saved.columns.items() if each}
    for name in ("text", "views"):
        columns[name] = tuple(columns.get(name, ()))
    if (model := results / columns.get(EMBEDDINGS, "")) != results and model.is_dir():
        columns[EMBEDDINGS] = str(model.resolve())
    return Reading(**columns)


def _about(saved: Saved, results: Path) -> About:
    details = saved.details
    settings = Settings(**details.get("settings", {}))
    layout = details.get("layout", DISCS)
    return About(
        title=details.get("title", ""),
        settings=settings,
        reading=_reading(saved, results),
        source=details.get("source", ""),
        seconds=details.get("seconds"),
        library=details.get("library", ""),
        raw_csv=details.get("raw_csv", False),
        page=details.get("page", FULL),
        layout=layout if is_available(layout) else DISCS,
    )


def _parent(saved: Saved) -> Parent | None:
    parent = saved.details.get("parent")
    return None if parent is None else Parent(*parent)
