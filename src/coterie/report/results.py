"""The folder of results a clustering leaves, and reading it back."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coterie.base import EMEstimator
from coterie.corpus.readers import documents
from coterie.corpus.tables import Columns
from coterie.errors import InputError
from coterie.evaluation import Scores, evaluate
from coterie.report.assignments import DocumentRow, document_rows
from coterie.report.html import render
from coterie.report.summary import Summary
from coterie.report.tables import (
    write_clusters,
    write_document_csv,
    write_documents,
    write_duplicates,
    write_levels,
    write_terms,
)
from coterie.report.wording import encodable
from coterie.storage import load_model, model_details, save_model

if TYPE_CHECKING:
    from coterie.corpus import Corpus

MODEL = "model"
FILES = (
    "documents.csv",
    "documents.parquet",
    "doubtful.csv",
    "duplicates.csv",
    "levels.csv",
    "clusters.json",
    "terms.csv",
    "report.html",
)


def write_results(
    folder: str | os.PathLike[str],
    model: EMEstimator,
    corpus: "Corpus",
    summary: Summary,
    **details: Any,
) -> None:
    """Write tables, page and model, all of them or, after a failure, none.

    `details` are plain values kept with the model, to read more documents the same way.
    """
    folder = Path(folder)
    check_results_folder(folder)
    order = [cluster.index for cluster in summary.clusters]
    names = [cluster.name for cluster in summary.clusters]
    details |= {"method": summary.method, "order": order, "names": names}
    with _new_folder(folder), _draft(folder) as draft:
        csv, parquet, doubtful, duplicates, levels, clusters, terms, page = (
            draft / file for file in FILES
        )
        write_documents(csv, parquet, document_rows(model, corpus))
        write_document_csv(doubtful, summary.doubtful)
        write_duplicates(duplicates, summary)
        write_levels(levels, model, corpus, summary)
        write_clusters(clusters, summary)
        write_terms(terms, model, corpus)
        page.write_text(render(summary), encoding="utf-8")
        save_model(model, draft / MODEL, **details)
        _move_in(draft, folder)


def write_assignments(path: str | os.PathLike[str], rows: Sequence[DocumentRow]) -> None:
    """Write placed documents as CSV; a file of that name is replaced when all is written."""
    path = Path(path)
    with _draft(path.parent) as draft:
        write_document_csv(draft / path.name, rows)
        (draft / path.name).replace(path)


def assignments_csv(rows: Sequence[DocumentRow]) -> str:
    """Give placed documents as the text of a CSV file."""
    with tempfile.TemporaryDirectory() as name:
        write_document_csv(Path(name) / "documents.csv", rows)
        return (Path(name) / "documents.csv").read_text(encoding="utf-8")


@contextmanager
def _draft(folder: Path) -> Iterator[Path]:
    """Give a hidden folder to write in, on the same disk."""
    with tempfile.TemporaryDirectory(prefix=".coterie-", dir=folder) as name:
        yield Path(name)


@contextmanager
def _new_folder(folder: Path) -> Iterator[None]:
    """Make a folder with those around it, and take them away if the block fails."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as undo:
        for each in reversed(missing):
            undo.callback(each.rmdir)
        yield
        undo.pop_all()


def _move_in(draft: Path, folder: Path) -> None:
    """Put the drafted results in the place of older ones, which come back after a failure."""
    replaced = draft / "replaced"
    replaced.mkdir()
    with ExitStack() as undo:
        for name in (*FILES, MODEL):
            if (folder / name).exists():
                (folder / name).rename(replaced / name)
                undo.callback((replaced / name).rename, folder / name)
            (draft / name).rename(folder / name)
            undo.callback((folder / name).rename, draft / name)
        undo.pop_all()


def check_assignments_file(path: str | os.PathLike[str], source: Path) -> None:
    """Refuse a file that cannot be written, or that is the one to be read."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path}: a folder, expected a file to write")
    if not path.parent.is_dir():
        raise InputError(f"{path.parent}: no such folder, to write {path.name} in")
    if path.exists() and source.exists() and path.samefile(source):
        raise InputError(f"{path}: the file that is read; choose another to write")


def check_results_folder(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder that cannot be written, or that holds somebody else's files."""
    folder = Path(folder)
    around = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not around.is_dir():
        raise InputError(f"{around}: a file, expected a folder for the results")
    if not os.access(around, os.W_OK | os.X_OK):
        raise InputError(f"{around}: not allowed to write results there")
    ours = (folder / MODEL / "manifest.json").is_file()
    taken = [name for name in (*FILES, MODEL) if (folder / name).exists()]
    if taken and not ours:
        raise InputError(
            f"{folder}: holds a {taken[0]} that Coterie did not write; choose another folder"
        )


class Saved(NamedTuple):
    """A model with the clusters' numbers and names as people saw them."""

    model: Any
    details: dict[str, Any]

    @property
    def names(self) -> list[str]:
        return list(self.details["names"])

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the table that was clustered, where it was one."""
        return dict(self.details.get("columns", {}))

    def numbered(self, memberships: Any) -> Any:
        """Memberships with columns in the order of the clusters' numbers."""
        return memberships[:, self.details["order"]]


def load_saved(path: str | os.PathLike[str]) -> Saved:
    """Read the model of a results folder, or a model folder itself."""
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: no such folder")
    folder = path / MODEL if (path / MODEL).is_dir() else path
    model, details = load_model(folder), model_details(folder)
    if "order" not in details:
        n_clusters = len(model.components_)
        names = [f"cluster {number + 1}" for number in range(n_clusters)]
        details |= {"order": list(range(n_clusters)), "names": names}
    return Saved(model, details)


def assign(saved: Saved, corpus: "Corpus") -> list[DocumentRow]:
    """Place documents counted with the model's vocabulary in its clusters."""
    memberships = saved.model.predict_proba(corpus)
    placed = SimpleNamespace(memberships_=memberships, labels_=memberships.argmax(axis=1))
    return document_rows(placed, corpus, order=saved.details["order"])


class Evaluated(NamedTuple):
    """Scores of the documents that have a label, and how many have none."""

    scores: Scores
    n_unlabelled: int


def evaluate_results(path: str | os.PathLike[str], label: str | None = None) -> Evaluated:
    """Compare the clusters of a results folder with labels.

    Labels are those known when clustering or, when a column is named, those of that column
    of the file that was clustered. Documents without a label are left out.
    """
    saved = load_saved(path)
    file = Path(path) / "documents.parquet"
    memberships = saved.numbered(saved.model.memberships_)
    table = _read_documents(file, len(memberships))
    if label is not None and label != saved.columns.get("label"):
        labels = _labels_of_source(saved, label, table["id"], table["title"])
    elif "label" in table:
        labels = table["label"]
    else:
        raise InputError(
            f"{path}: its documents have no labels; --label names a column of the "
            "clustered table"
        )
    labelled = np.array([bool(each) for each in labels])
    if not labelled.any():
        raise InputError(f"{path}: no document has a label")
    true = [each for each in labels if each]
    found = np.array(table["cluster"])[labelled]
    scores = evaluate(true, found.tolist(), memberships[labelled])
    return Evaluated(scores, int((~labelled).sum()))


def _read_documents(file: Path, n_documents: int) -> dict[str, list[Any]]:
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
    columns: dict[str, list[Any]] = table.to_pydict()
    return columns


def _labels_of_source(
    saved: Saved, label: str, ids: list[str], titles: list[str]
) -> list[str | None]:
    source = saved.details.get("source")
    if not source:
        raise InputError(f"column {label!r}: the documents did not come from a table")
    columns = Columns(**saved.columns | {"label": label})
    found = {document.id: document for document in documents(source, columns)}
    labels = {name: document.label for name, document in found.items()}
    if all(each is None for each in labels.values()):
        raise InputError(f"{source}: not a table, so it has no column {label!r}")
    missing = [each for each in ids if each not in labels]
    if missing:
        raise InputError(f"{source}: document {missing[0]!r} is not in it any more")
    for name, title in zip(ids, titles, strict=True):
        if encodable(found[name].title) != title:
            raise InputError(
                f"{source}: changed since it was clustered, document {name!r} is now "
                f"{found[name].title!r}"
            )
    return [labels[each] for each in ids]
