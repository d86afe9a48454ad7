"""A folder of results read back: its model, its names, and its scores against labels."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coterie.corpus import read
from coterie.corpus.readers import documents
from coterie.corpus.tables import Columns
from coterie.errors import InputError
from coterie.evaluation import Scores, evaluate
from coterie.findings.internal import InternalScores, internal_scores
from coterie.findings.texts import encodable
from coterie.folders import RECORD, RUN, finish_moving_in, read_record
from coterie.persistence import named
from coterie.schema import Either, Field, Is, Items, Record, check_fields
from coterie.storage import load_with_details

MODEL = "model"
DOCUMENTS = "documents.parquet"
NAMES = Either((Is(type(None)), Items(Is(str)), Items(Is(str), kind=tuple)), optional=True)
NAME = Either((Is(type(None)), Is(str)), optional=True)
COLUMNS = {"text": NAMES, "views": NAMES, "id": NAME, "label": NAME, "title": NAME}
DETAILS: dict[str, Field] = {  # saved with a model that are read again
    "names": Items(Is(str), "K"),
    "columns": Record(COLUMNS, empty=True, optional=True),
    "source": Is(str, optional=True),
}


class Saved(NamedTuple):
    """A saved model, and the details that were saved with it."""

    model: Any
    details: dict[str, Any]

    @property
    def names(self) -> list[str]:
        """Names of the clusters, by number."""
        return list(self.details["names"])

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the table that was clustered, where it was one."""
        return dict(self.details.get("columns", {}))


def load_saved(path: str | os.PathLike[str]) -> Saved:
    """Read the model of a results folder, or a model folder itself."""
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: no such folder")
    finish_moving_in(path)
    folder = path / MODEL if (path / MODEL).is_dir() else path
    model, details = load_with_details(folder)
    run = read_record(path, RECORD).get("run")
    if folder != path and run and run != details.get("run"):
        raise InputError(f"{folder}: not written with the other results in {path}")
    n_clusters = len(getattr(model, "components_", ()))
    if "names" not in details:
        details["names"] = [f"cluster {i + 1}" for i in range(n_clusters)]
    with named(folder):
        known = {name: each for name, each in details.items() if name in DETAILS}
        check_fields("details: ", known, DETAILS, {"K": n_clusters})
    return Saved(model, details)


class Evaluated(NamedTuple):
    """Scores of the documents that have a label, and how many have none.

    `scores` is None where no labels are known.
    """

    scores: Scores | None
    n_unlabelled: int


def evaluate_results(
    path: str | os.PathLike[str],
    label: str | None = None,
    table_path: str | os.PathLike[str] | None = None,
) -> Evaluated:
    """Compare the clusters of a results folder with labels.

    Labels are those known when clustering or, when a column is named, those of that column
    of the file that was clustered, which `table_path` names where it was moved. Documents
    without a label are left out; `scores` is None where no labels are known.
    """
    saved = load_saved(path)
    memberships = saved.model.memberships_
    table = _read_documents(Path(path) / DOCUMENTS, len(memberships), saved.details.get("run"))
    if label is not None and label != saved.columns.get("label"):
        source = _source(saved, Path(path), f"column {label!r}", table_path)
        labels = _labels_of_source(saved, source, label, table["id"], table["title"])
    elif "label" in table:
        labels = table["label"]
    else:
        return Evaluated(None, len(memberships))
    labelled = np.array([bool(each) for each in labels])
    if not labelled.any():
        raise InputError(f"{path}: no document has a label")
    classes = [each for each in labels if each]
    clusters = np.array(table["cluster"])[labelled]
    scores = evaluate(classes, clusters.tolist(), memberships[labelled])
    return Evaluated(scores, int((~labelled).sum()))


def evaluate_internally(
    path: str | os.PathLike[str],
    table_path: str | os.PathLike[str] | None = None,
    *,
    n_resamples: int = 0,
) -> InternalScores:
    """Judge the clusters of a results folder by measures that need no labels.

    The documents are read again where they were, or where `table_path` says. A model fitted
    with vectors beside words has no stability, as the vectors may not be there any more.
    """
    saved = load_saved(path)
    if saved.model.vocabulary_ is None:
        raise InputError(
            f"{path}: fitted to a matrix of counts, so it has no texts to judge by"
        )
    memberships = saved.model.memberships_
    table = _read_documents(Path(path) / DOCUMENTS, len(memberships), saved.details.get("run"))
    source = _source(saved, Path(path), "coherence and silhouette", table_path)
    columns: dict[str, Any] = saved.columns | {"label": None}
    corpus = read(source, **columns, options=saved.model.vocabulary_)
    if [encodable(each) for each in corpus.ids] != table["id"]:
        raise InputError(f"{source}: changed since it was clustered; its documents are others")
    if getattr(saved.model, "vector_views_", ()):
        n_resamples = 0
    return internal_scores(saved.model, corpus, n_resamples=n_resamples)


def _read_documents(file: Path, n_documents: int, run: str | None) -> dict[str, list[Any]]:
    import pyarrow
    import pyarrow.parquet as pq

    if not file.is_file():
        raise InputError(f"{file}: missing; expected a folder written by `coterie cluster`")
    try:
        table = pq.read_table(file)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{file}: damaged, not readable as Parquet") from error
    if table.num_rows != n_documents or not {"id", "cluster"} <= {*table.column_names}:
        raise InputError(
            f"{file}: expected the {n_documents} documents of the model, "
            f"got {table.num_rows} rows of {', '.join(table.column_names)}"
        )
    if run and (table.schema.metadata or {}).get(RUN.encode()) != run.encode():
        raise InputError(f"{file}: not written with the model; cluster the documents again")
    columns: dict[str, list[Any]] = table.to_pydict()
    return columns


def portable_source(source: Path, results: Path) -> str:
    """Where documents lie, seen from the results or from here, without telling the whole path.

    What is only reached through the root keeps its name alone.

    Examples
    --------
    >>> portable_source(Path("/data/news/a.csv"), Path("/data/results"))
    '../news/a.csv'
    >>> portable_source(Path("/data/news/a.csv"), Path("/tmp/results"))
    'a.csv'
    """
    source = source.resolve()
    for start in (results.resolve(), Path.cwd()):
        around = [each for each in (start, *start.parents) if each != each.parent]
        if any(source.is_relative_to(each) for each in around):
            return Path(os.path.relpath(source, start)).as_posix()
    return source.name


def _source(saved: Saved, results: Path, purpose: str, named: Any) -> Path:
    """The table that was clustered: as named, or seen from the results, or from here."""
    if named is not None:
        return Path(named)
    source = saved.details.get("source")
    if not source:
        raise InputError(f"{purpose}: the documents did not come from a table")
    name, results = Path(source).name, results.resolve()
    for place in (results / source, Path(source), results.parent / name, Path(name)):
        if place.exists():
            return Path(os.path.normpath(place))
    raise InputError(f"{name}: the clustered table is not where it was; --table names it")


def _labels_of_source(
    saved: Saved, source: Path, label: str, ids: list[str], titles: list[str]
) -> list[str | None]:
    """Labels in a column of the table that was clustered, which must not have changed."""
    columns = Columns(**saved.columns | {"label": label})
    by_id = {document.id: document for document in documents(source, columns)}
    if all(document.label is None for document in by_id.values()):
        raise InputError(f"{source}: not a table, so it has no column {label!r}")
    missing = [each for each in ids if each not in by_id]
    if missing:
        raise InputError(f"{source}: document {missing[0]!r} is not in it any more")
    for name, title in zip(ids, titles, strict=True):
        if encodable(by_id[name].title) != title:
            raise InputError(
                f"{source}: changed since it was clustered, document {name!r} is now "
                f"{by_id[name].title!r}"
            )
    return [by_id[each].label for each in ids]
