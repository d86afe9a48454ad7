"""The folder of results that a clustering is written to."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from coterie.errors import InputError
from coterie.findings import DocumentRow, Summary
from coterie.findings.saved import MODEL
from coterie.report.html import render
from coterie.report.tables import (
    write_clusters,
    write_document_csv,
    write_documents,
    write_duplicates,
    write_levels,
    write_terms,
)
from coterie.storage import save_model

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
    model: Any,
    summary: Summary,
    **details: Any,
) -> None:
    """Write tables, page and model, all of them or, after a failure, none.

    The model is only saved. `details` are plain values saved with it, to read more documents
    the same way.
    """
    folder = Path(folder)
    check_results_folder(folder)
    names = [cluster.name for cluster in summary.clusters]
    details |= {"method": summary.method, "names": names}
    with _new_folder(folder), _draft(folder) as draft:
        csv, parquet, doubtful, duplicates, levels, clusters, terms, page = (
            draft / file for file in FILES
        )
        write_documents(csv, parquet, summary.documents)
        write_document_csv(doubtful, summary.doubtful)
        write_duplicates(duplicates, summary)
        write_levels(levels, summary)
        write_clusters(clusters, summary)
        write_terms(terms, summary)
        page.write_text(render(summary), encoding="utf-8")
        save_model(model, draft / MODEL, **details)
        _move_in(draft, folder)


def write_assignments(path: str | os.PathLike[str], rows: Sequence[DocumentRow]) -> None:
    """Write assigned documents as CSV; replace a file of that name when all is written."""
    path = Path(path)
    with _draft(path.parent) as draft:
        write_document_csv(draft / path.name, rows)
        (draft / path.name).replace(path)


def assignments_csv(rows: Sequence[DocumentRow]) -> str:
    """Give assigned documents as the text of a CSV file."""
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
    """Replace older results by the drafted ones; after a failure, the older ones come back."""
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
    """Refuse a folder that cannot be written, or that holds files of other programs."""
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
