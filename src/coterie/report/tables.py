"""Files for other programs: documents as CSV and Parquet, words as CSV, clusters as JSON.

Text is in UTF-8 and, in CSV files, always in quotes. There numbers have six significant digits,
and a text that a spreadsheet would run as a formula gets an apostrophe before it, unless `raw`;
Parquet and JSON files hold all exactly as it is.
"""

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coterie.corpus.spreadsheets import safe_cell
from coterie.findings import Summary, TermRow
from coterie.folders import RUN

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK_ROWS = 1 << 16  # that are in memory together as Python's own values
TABLES = (".csv", ".parquet")
DUPLICATES = ("group", "size", "same_words", "id", "title", "cluster", "similarity")


def write_table(path: str | os.PathLike[str], table: "pa.Table", *, raw: bool = False) -> None:
    """Write a table as Parquet if the file's name says so, as CSV else."""
    if Path(path).suffix.lower() == ".parquet":
        write_parquet(path, table)
    else:
        write_csv(path, table, raw=raw)


def write_csv(path: str | os.PathLike[str], table: "pa.Table", *, raw: bool = False) -> None:
    """Write a table as CSV."""
    _write_csv(path, table.column_names, _rows(table), raw)


def _rows(table: "pa.Table") -> Iterator[tuple[Any, ...]]:
    for batch in table.to_batches(max_chunksize=BLOCK_ROWS):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def write_parquet(
    path: str | os.PathLike[str], table: "pa.Table | Iterable[pa.Table]", run: str = ""
) -> None:
    """Write a table, or its parts, as Parquet, with the run that it belongs to if any."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = iter([table] if isinstance(table, pa.Table) else table)
    first = next(parts)
    schema = first.schema.with_metadata({RUN: run}) if run else first.schema
    with pq.ParquetWriter(str(path), schema, compression="zstd") as writer:
        for part in chain([first], parts):
            writer.write_table(part.replace_schema_metadata(schema.metadata))


def write_terms(
    path: str | os.PathLike[str], summary: Summary, n_words: int = 50, *, raw: bool = False
) -> None:
    """Write the distinctive words of each cluster; `count` is over the cluster's documents.

    `mark` is "block" or "few" for misleading words, else empty. Of several views each has its
    rows, and a first column names it.
    """
    several = bool(summary.clusters[0].views)
    columns = [each.name for each in fields(TermRow) if several or each.name != "view"]
    rows = [row for row in summary.terms if row.rank <= n_words]
    values = ([_term_value(row, name) for name in columns] for row in rows)
    _write_csv(path, columns, values, raw)


def _term_value(row: TermRow, name: str) -> Any:
    """A value of a row; counts without a fraction are whole numbers."""
    value = getattr(row, name)
    return int(value) if name == "count" and value.is_integer() else value


def write_duplicates(
    path: str | os.PathLike[str], summary: Summary, *, raw: bool = False
) -> None:
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
        raw,
    )  # fmt: skip


def write_levels(path: str | os.PathLike[str], summary: Summary, *, raw: bool = False) -> None:
    """Write the group of each document at each level.

    A column is named by its number of groups; a model without a tree has one level.
    """
    ids = summary.documents.ids()
    rows = zip(ids, *(each.tolist() for each in summary.levels.values()), strict=True)
    _write_csv(path, ["id", *(f"in_{n_groups}" for n_groups in summary.levels)], rows, raw)


def write_clusters(
    path: str | os.PathLike[str], summary: Summary, *, run: str = "", n_edits: int = 0
) -> None:
    """Write the summary as JSON, with its run and the number of edits where there are some.

    Of lists, as that of doubtful documents, each item has a line.
    """
    about = ({"run": run} if run else {}) | ({"n_edits": n_edits} if n_edits else {})
    content = about | summary.to_json()
    with Path(path).open("w", encoding="utf-8") as file:
        for number, (name, value) in enumerate(content.items()):
            file.write(f"{',' if number else '{'}\n {json.dumps(name)}: ")
            if isinstance(value, list):
                rows = ",\n  ".join(map(_line, value))
                file.write(f"[\n  {rows}\n ]" if rows else "[]")
            else:
                file.write(_line(value))
        file.write("\n}\n")


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _write_csv(
    path: str | os.PathLike[str],
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    raw: bool,
) -> None:
    written = _rounded if raw else _safe
    with Path(path).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        writer.writerow([written(name) for name in columns])
        writer.writerows([written(value) for value in row] for row in rows)


def _rounded(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _safe(value: Any) -> Any:
    return safe_cell(value) if isinstance(value, str) else _rounded(value)
