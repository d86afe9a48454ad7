"""Files for other programs: documents as CSV and Parquet, words as CSV, clusters as JSON.

Text is written exactly as it is, always in quotes, in UTF-8. In CSV files numbers have six
significant digits; Parquet and JSON files hold them in full.
"""

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coterie.report.assignments import (
    Assignments,
    Clustering,
    DocumentRow,
    read_assignments,
)
from coterie.report.boilerplate import marked_words
from coterie.report.hierarchy import level_labels
from coterie.report.summary import Summary
from coterie.report.tree import read_pieces
from coterie.report.wording import encodable
from coterie.report.words import ViewProfile, counts_by_cluster, read_words

if TYPE_CHECKING:
    from coterie.corpus import Corpus

DUPLICATES = ("group", "size", "same_words", "id", "title", "cluster", "similarity")
TERMS = ("cluster", "rank", "word", "probability", "lift", "weight", "count", "mark")


def write_documents(
    path_csv: str | os.PathLike[str],
    path_parquet: str | os.PathLike[str],
    rows: Sequence[DocumentRow],
) -> None:
    """Write the rows of `document_rows` as CSV and Parquet; without labels, no label column."""
    write_document_csv(path_csv, rows)
    _write_parquet(path_parquet, _columns(rows), rows)


def write_document_csv(path: str | os.PathLike[str], rows: Sequence[DocumentRow]) -> None:
    """Write the rows of `document_rows` as CSV; without labels, no label column."""
    columns = _columns(rows)
    _write_csv(path, columns, ([getattr(row, name) for name in columns] for row in rows))


def _columns(rows: Sequence[DocumentRow]) -> list[str]:
    unlabelled = all(row.label is None for row in rows)
    return [name for name in DocumentRow._fields if not (unlabelled and name == "label")]


def write_terms(
    path: str | os.PathLike[str], model: Clustering, corpus: "Corpus", n_words: int = 50
) -> None:
    """Write the words that tell each cluster; `count` is how often its documents use them.

    `mark` is "block" or "few" for words that do so for a poor reason, else empty. Of several
    views each has its rows, and a first column names it.
    """
    assignments = read_assignments(model, corpus)
    views = read_words(model, corpus, assignments)
    rows: list[list[Any]] = []
    for view in views:
        name = [view.name] if len(views) > 1 else []
        rows += ([*name, *row] for row in _terms(view, assignments, n_words))
    _write_csv(path, ("view", *TERMS) if len(views) > 1 else TERMS, rows)


def _terms(view: ViewProfile, assignments: Assignments, n_words: int) -> Iterator[list[Any]]:
    counts = counts_by_cluster(view.counts, assignments)
    for number, index in enumerate(assignments.order, start=1):
        if not assignments.memberships[:, index].any():
            continue
        columns = view.words.ranked(index, n_words)
        used = counts[[index]].toarray()[0, columns]
        own = view.counts[assignments.members(index)]
        words = view.words.top(index, n_words)
        marked, _ = marked_words(words, columns, own, view.words.words)
        top = zip(marked, used, strict=True)
        for rank, (each, count) in enumerate(top, start=1):
            measured = [each.probability, each.lift, each.weight]
            yield [number, rank, each.word, *measured, _whole(count), each.mark]


def write_duplicates(path: str | os.PathLike[str], summary: Summary) -> None:
    """Write the groups of documents alike, a document a row; `similarity` is to the first."""
    _write_csv(
        path,
        DUPLICATES,
        (
            [group.number, len(group.documents), "yes" if group.same_words else "no",
             each.id, each.title, each.cluster, each.similarity]
            for group in summary.duplicates.groups
            for each in group.documents
        ),
    )  # fmt: skip


def write_levels(
    path: str | os.PathLike[str], model: Clustering, corpus: "Corpus", summary: Summary
) -> None:
    """Write which group each document is in when groups are fewer, or more.

    A column is named by its number of groups; of a model without a tree there is one.
    """
    assignments = read_assignments(model, corpus)
    levels = {assignments.n_clusters: assignments.numbers[assignments.labels]}
    pieces = read_pieces(model, assignments, read_words(model, corpus, assignments))
    if summary.hierarchy is not None and pieces is not None:
        levels = level_labels(summary.hierarchy, pieces.labels)
    ids = (encodable(each) for each in corpus.ids)
    rows = zip(ids, *(each.tolist() for each in levels.values()), strict=True)
    _write_csv(path, ["id", *(f"in_{n_groups}" for n_groups in levels)], rows)


def write_clusters(path: str | os.PathLike[str], summary: Summary) -> None:
    """Write the summary as JSON."""
    text = json.dumps(summary.to_json(), indent=1, ensure_ascii=False, allow_nan=False)
    Path(path).write_text(text + "\n", encoding="utf-8")


def _write_csv(
    path: str | os.PathLike[str], columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_rounded(value) for value in row] for row in rows)


def _write_parquet(
    path: str | os.PathLike[str], columns: Sequence[str], rows: Sequence[DocumentRow]
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {
        "cluster": pa.int32(),
        "second": pa.int32(),
        "probability": pa.float64(),
        "second_probability": pa.float64(),
    }
    arrays = [
        pa.array([getattr(row, name) for row in rows], type=kinds.get(name, pa.string()))
        for name in columns
    ]
    pq.write_table(pa.table(arrays, names=list(columns)), str(path))


def _rounded(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _whole(count: float) -> int | float:
    return int(count) if float(count).is_integer() else float(count)
