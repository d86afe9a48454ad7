"""New documents assigned in partitions: read, counted, assigned and written where each is.

Only the model goes to workers and only numbers come back, so that neither a collection nor its
assignments need fit on one machine. Each partition has a file of its own in a folder, or at an
address that fsspec knows.
"""

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from coterie import executors
from coterie.clustering.assigning import Assigner
from coterie.clustering.sources import Reading, read_parts
from coterie.clustering.tables import with_columns
from coterie.corpus import Corpus
from coterie.corpus.notes import NoDocumentsError, ReadingNotes
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
    n = len(partitions)
    files = [posixpath.join(out, NAME.format(number)) for number in range(n)]
    with _new_folder(out, files):
        cluster = executors.reading_cluster(needed=True)
        (there,) = cluster.begin(_same, [assigner])
        hows = [replace(how, quiet=True)] * n
        begun = cluster.begin(_assigned, partitions, [there] * n, hows, files)
        results: Sequence[tuple[int, ReadingNotes]] = cluster.results(begun)
        for _, more in results:
            add_notes(notes, more)
        notes.documents = sum(number for number, _ in results)
        if not notes.documents:
            raise NoDocumentsError(source, notes)
    return Written(sum(number > 0 for number, _ in results), notes)


def _same(assigner: Assigner) -> Assigner:
    return assigner


def _assigned(
    partition: Partition, assigner: Assigner, how: Reading, file: str
) -> tuple[int, ReadingNotes]:
    """Read, count and assign a partition, and write its file; this runs where it is."""
    with executors.run_on("threads", n_threads=1):
        try:
            corpus = read_parts(partition, how, Here())
        except NoDocumentsError as error:
            return 0, error.notes
        ours = assigner.columns(corpus)
        ours = {name: ours.get(name, _missing(corpus)) for name in FIRST} | ours
        table = with_columns(corpus, ours, texts=False)
    _write(file, table)
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
        try:
            with system.open(draft, "wb") as stream:
                pq.write_table(table, stream, compression="zstd")
            system.mv(draft, path)
        except BaseException:
            with suppress(Exception):
                system.rm_file(draft)
            raise


@contextmanager
def _new_folder(out: str, files: Iterable[str]) -> Iterator[None]:
    """Make the folder to write to; refuse one that holds something.

    If the block fails, the files and folders that it made are taken away.
    """
    system, path = store_of(out)
    made: list[str] = []
    with reaching(out):
        is_empty = not system.exists(path) or (system.isdir(path) and not system.ls(path))
        above = path
        while above != posixpath.dirname(above) and not system.exists(above):
            made.append(above)
            above = posixpath.dirname(above)
        if is_empty:
            system.makedirs(path, exist_ok=True)
    if not is_empty:
        raise InputError(f"{out}: not an empty folder; choose another one for the parts")
    try:
        yield
    except BaseException:
        for file in files:
            with suppress(Exception):
                system.rm_file(posixpath.join(path, posixpath.basename(file)))
        for folder in made:
            with suppress(Exception):
                system.rmdir(folder)
        raise


def folder_of(out: Any) -> str:
    """An address as it is, a path from the root on, as workers need it."""
    return out if is_address(out) else str(linked_to(Path(out)))
