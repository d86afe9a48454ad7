"""New documents assigned in partitions: read, counted, assigned and written where each is.

Only the model goes to workers and only numbers come back, so that neither a collection nor its
assignments need fit on one machine. Each partition has a file of its own in a folder, or at an
address that fsspec knows.
"""

import posixpath
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from coterie import executors
from coterie.clustering.assigning import Assigner
from coterie.clustering.sources import Reading, read_parts
from coterie.clustering.tables import with_columns
from coterie.corpus import Corpus
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.partitions import (
    Here,
    Partition,
    add_notes,
    is_address,
    partitions_of,
    reaching,
    store_of,
)
from coterie.errors import InputError
from coterie.folders import linked_to

NAME = "part-{:05d}.parquet"
FIRST = ("id", "title", "label")  # columns that all parts have, labels or not


class Written(NamedTuple):
    """How many files were written, and what was noted of the documents."""

    n_files: int
    notes: ReadingNotes


def assign_parts(assigner: Assigner, source: Any, out: str, **named: Any) -> Written:
    """Assign the documents of a folder or an address, and write a file for each partition.

    Partitions are worked on by the cluster of the surrounding `run_on` block; without one, one
    after the other. `named` are columns, as of `Assigner.counted`.
    """
    if assigner.computes_embeddings or named.pop("embeddings", None) is not None:
        raise InputError("parts are assigned by words alone: leave embeddings out")
    notes, how = ReadingNotes(), assigner.reading_of(source, **named)
    partitions = partitions_of(source, notes)
    _make_folder(out)
    cluster = executors.reading_cluster(needed=True)
    n = len(partitions)
    numbers = list(range(n))
    (there,) = cluster.begin(_same, [assigner])
    hows = [replace(how, quiet=True)] * n
    begun = cluster.begin(_assigned, partitions, numbers, [there] * n, hows, [out] * n)
    results: Sequence[tuple[int, ReadingNotes]] = cluster.results(begun)
    for _, more in results:
        add_notes(notes, more)
    notes.documents = sum(number for number, _ in results)
    return Written(sum(number > 0 for number, _ in results), notes)


def _same(assigner: Assigner) -> Assigner:
    return assigner


def _assigned(
    partition: Partition, number: int, assigner: Assigner, how: Reading, out: str
) -> tuple[int, ReadingNotes]:
    """Read, count and assign a partition, and write its file; this runs where it is."""
    with executors.run_on("threads", n_threads=1):
        try:
            corpus = read_parts(partition, how, Here())
        except InputError as error:
            if "no documents found" not in str(error):
                raise
            return 0, ReadingNotes()
        ours = assigner.columns(corpus)
        ours = {name: ours.get(name, _missing(corpus)) for name in FIRST} | ours
        table = with_columns(corpus, ours, texts=False)
    _write(posixpath.join(out, NAME.format(number)), table)
    return len(corpus), corpus.notes


def _missing(corpus: Corpus) -> Any:
    import pyarrow as pa

    return pa.nulls(len(corpus), pa.string())


def _write(path: str, table: Any) -> None:
    """Write a table whole or not at all, however often it is asked for."""
    import pyarrow.parquet as pq

    system, path = store_of(path)
    folder, name = posixpath.split(path)
    draft = posixpath.join(folder, f".{uuid4().hex}.{name}")
    with reaching(folder):
        with system.open(draft, "wb") as stream:
            pq.write_table(table, stream, compression="zstd")
        system.mv(draft, path)


def _make_folder(out: str) -> None:
    """Make the folder to write to; refuse one that holds something."""
    system, path = store_of(out)
    with reaching(out):
        is_empty = not system.exists(path) or (system.isdir(path) and not system.ls(path))
        if is_empty:
            system.makedirs(path, exist_ok=True)
    if not is_empty:
        raise InputError(f"{out}: not an empty folder; choose another one for the parts")


def folder_of(out: Any) -> str:
    """An address as it is, a path from the root on, as workers need it."""
    return out if is_address(out) else str(linked_to(Path(out)))
