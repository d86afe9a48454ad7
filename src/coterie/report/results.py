"""The folder of results that a clustering is written to."""

import json
import os
import tempfile
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.errors import InputError
from coterie.findings import DocumentRow, Summary
from coterie.findings.saved import CORPUS, MODEL, OUR_FOLDERS, PARTS
from coterie.findings.texts import printable
from coterie.folders import (
    MANIFEST,
    NO_RECORD,
    RECORD,
    linked_to,
    refuse_changed,
    refuse_unwritable,
    replacing,
    settle,
    write_record,
    written,
)
from coterie.report.html import render
from coterie.report.tables import (
    write_clusters,
    write_csv,
    write_duplicates,
    write_levels,
    write_parquet,
    write_terms,
)
from coterie.report.wording import counted
from coterie.storage import save_model

if TYPE_CHECKING:
    import pyarrow as pa

    from coterie.corpus import Corpus
    from coterie.report.payload import Payload

KIND = "results"
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
    *,
    payload: Callable[[], "Payload | None"],
    documents: "pa.Table",
    with_texts: Iterable["pa.Table"],
    corpus: "Corpus",
    parts: Mapping[int, Any],
    raw_csv: bool = False,
    **details: Any,
) -> str:
    """Write tables, page, model and corpus, all or, after a failure or a kill, none of them.

    The model and the models of `parts` of clusters are only saved. `details` are plain values
    saved with the model. The table of documents `with_texts` comes in parts. All files
    carry the id of this run, which is returned; `coterie.json` lists them. Texts that a
    spreadsheet would run as formulas are made safe in CSV files, unless `raw_csv`. The page,
    which takes longest, is written last; where its `payload` is None, it is a small one.
    """
    folder = Path(folder)
    check_results_folder(folder)
    run = uuid.uuid4().hex
    details |= {"raw_csv": raw_csv, "run": run}
    with replacing(folder, RECORD) as draft:
        csv, parquet, doubtful, duplicates, levels, clusters, terms, page = (
            draft / file for file in FILES
        )
        write_parquet(parquet, with_texts, run)
        write_csv(csv, documents, raw=raw_csv)
        write_csv(doubtful, _rows_of(documents, summary.doubtful), raw=raw_csv)
        write_duplicates(duplicates, summary, raw=raw_csv)
        write_levels(levels, summary, raw=raw_csv)
        write_clusters(clusters, summary, run=run, n_edits=len(details.get("edits", ())))
        write_terms(terms, summary, raw=raw_csv)
        save_model(model, draft / MODEL, **details)
        for number, part in parts.items():
            save_model(part, draft / PARTS / str(number))
        corpus.save(draft / CORPUS)
        page.write_text(render(summary, run=run, payload=payload()), encoding="utf-8")
        write_record(draft, KIND, run)
    return run


def _rows_of(documents: "pa.Table", rows: Sequence[DocumentRow]) -> "pa.Table":
    """The rows of some documents, in their order."""
    place = {name: at for at, name in enumerate(documents["id"].to_pylist())}
    return documents.take(np.array([place[row.id] for row in rows], dtype=np.int64))


def assignments_csv(documents: "pa.Table", *, raw_csv: bool = False) -> str:
    """Give assigned documents as the text of a CSV file."""
    with tempfile.TemporaryDirectory() as name:
        write_csv(Path(name) / "documents.csv", documents, raw=raw_csv)
        return (Path(name) / "documents.csv").read_text(encoding="utf-8")


def check_results_folder(folder: str | os.PathLike[str]) -> bool:
    """Refuse a folder that cannot be written, or that holds files of other programs.

    Returns whether it holds earlier results.
    """
    folder = Path(folder)
    refuse_unwritable(folder, "results")
    settle(folder)
    _refuse_within_results(folder)
    ours = written(folder, RECORD)
    for name in (RECORD, *FILES, *_model_files(folder)):
        if os.path.lexists(folder / name) and name not in ours:
            raise InputError(
                f"{folder}: holds a {name} that Coterie did not write; move it away or choose "
                "another folder"
            )
    refuse_changed(folder, RECORD)
    return bool(ours)


def _refuse_within_results(folder: Path) -> None:
    """Refuse a folder in the model, the documents or the parts of other results."""
    folder = linked_to(folder)
    for around in folder.parents:
        if folder.relative_to(around).parts[0] in OUR_FOLDERS and written(around, RECORD):
            raise InputError(
                f"{folder}: within the results in {around}, which could not be read any more; "
                "choose another folder"
            )


def described(folder: str | os.PathLike[str]) -> str:
    """The results in a folder in a few words: the title, documents, clusters and edits.

    The folder may come from a stranger, and its words say nothing then.
    """
    try:
        content = json.loads((Path(folder) / "clusters.json").read_text(encoding="utf-8"))
        sizes = f"{counted(content['n_documents'], 'document')} in "
        sizes += counted(len(content["clusters"]), "cluster")
        edits = f", {counted(content['n_edits'], 'edit')}" if content.get("n_edits") else ""
        return f"{printable(content['title'])}, {sizes}{edits}".removeprefix(", ")
    except (*NO_RECORD, OverflowError):
        return "clusters.json is not readable"


def _model_files(folder: Path) -> list[str]:
    """What there may be to replace of models and corpus: all, or what is named like it."""
    names = []
    for room in (MODEL, CORPUS, PARTS):
        inside = folder / room
        if not inside.is_dir() or inside.is_symlink() or not (folder / RECORD).is_file():
            names.append(room)
            continue
        files = [*inside.rglob("*.npy"), *inside.rglob(MANIFEST), inside / MANIFEST]
        names += [file.relative_to(folder).as_posix() for file in files]
    return names
