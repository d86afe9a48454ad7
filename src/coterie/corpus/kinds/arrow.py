"""Parquet, Arrow, Feather and datasets of Hugging Face on disk, a row a document."""

from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any

from coterie.corpus import parquet
from coterie.corpus.documents import Document
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.corpus.limits import Budget
from coterie.corpus.tables import Row, refuse_repeated
from coterie.errors import InputError, UnreadableError

BATCH = 1000  # rows
Batches = Callable[[IO[bytes], str, Budget], Iterable[Any]]


def _parquet(file: IO[bytes], name: str, budget: Budget) -> Iterable[Any]:
    import pyarrow.parquet as pq

    refuse_repeated(name, pq.read_schema(file).names)
    return parquet.batches(name, file, budget)


def _arrow(file: IO[bytes], name: str, budget: Budget) -> Iterable[Any]:
    """Batches of a file of Arrow, which begins with ARROW1, or of a stream, as datasets are."""
    import pyarrow as pa

    start = file.read(6)
    file.seek(0)
    reader = pa.ipc.open_file(file) if start == b"ARROW1" else pa.ipc.open_stream(file)
    refuse_repeated(name, reader.schema.names)
    batches: Iterable[Any] = reader
    if start == b"ARROW1":
        batches = map(reader.get_batch, range(reader.num_record_batches))
    return (parquet.measured(name, batch, budget) for batch in batches)


def arrow_rows(
    kind: str, batches: Batches, name: str, file: IO[bytes], budget: Budget
) -> Iterator[Row]:
    """Yield the rows of a file of Arrow's formats, a batch in memory at a time."""
    import pyarrow as pa

    number = 0
    try:
        for batch in batches(file, name, budget):
            for start in range(0, batch.num_rows, BATCH):
                for row in batch.slice(start, BATCH).to_pylist():
                    number += 1
                    yield number, row
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        reason = str(error).splitlines()[0] if str(error) else "damaged"
        raise UnreadableError(name, f"not {kind} ({reason})") from error


def parquet_rows(name: str, file: IO[bytes], budget: Budget) -> Iterator[Row]:
    """Yield the rows of a Parquet file, a batch in memory at a time."""
    return arrow_rows("Parquet", _parquet, name, file, budget)


def _reader(kind: str, batches: Batches) -> Callable[[OpenFile], Iterator[Document]]:
    def documents(file: OpenFile) -> Iterator[Document]:
        rows = arrow_rows(kind, batches, file.path, file.seekable_stream(), file.budget)
        yield from file.rows(rows)

    return documents


PARQUET = Kind(
    "Parquet", (".parquet", ".pq"), _reader("Parquet", _parquet),
    lambda sample: sample.startswith(b"PAR1"),
)  # fmt: skip
ARROW = Kind(
    "Arrow", (".arrow", ".feather", ".ipc"), _reader("Arrow", _arrow),
    lambda sample: sample.startswith(b"ARROW1"),
)  # fmt: skip
