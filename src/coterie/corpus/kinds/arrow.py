"""Parquet, Arrow, Feather and datasets of Hugging Face on disk, a row a document."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import IO, Any

from coterie.corpus import ipc, parquet
from coterie.corpus.documents import Document
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.corpus.limits import Budget
from coterie.corpus.tables import Row, refuse_repeated
from coterie.errors import InputError, UnreadableError

BATCH = 1000  # rows
FILE_OF_ARROW = b"ARROW1\0\0"
UNREADABLE = (OSError, ValueError, TypeError, KeyError, OverflowError, MemoryError)
Batches = Callable[[IO[bytes], str, Budget], Iterable[Any]]


def _parquet(file: IO[bytes], name: str, budget: Budget) -> Iterable[Any]:
    import pyarrow.parquet as pq

    refuse_repeated(name, pq.read_schema(file).names)
    return parquet.batches(name, file, budget)


def _arrow(file: IO[bytes], name: str, budget: Budget) -> Iterable[Any]:
    """Batches of a file of Arrow, or of a stream, as datasets are.

    A file begins with ARROW1; a stream follows, and only then what says where its parts are.
    What batches expand to is counted before they do, and each is checked: offsets that lead
    outside of it would be followed.
    """
    import pyarrow as pa

    start = len(FILE_OF_ARROW) if file.read(len(FILE_OF_ARROW)) == FILE_OF_ARROW else 0
    file.seek(start)
    with suppress(StopIteration):
        messages = pa.ipc.MessageReader.open_stream(file)
        while True:
            budget.expect(ipc.expanded_bytes(messages.read_next_message()))
    file.seek(start)
    reader = pa.ipc.open_stream(file)
    refuse_repeated(name, reader.schema.names)
    for batch in reader:
        batch.validate(full=True)
        yield parquet.measured(name, batch, budget)


def arrow_rows(
    kind: str, batches: Batches, name: str, file: IO[bytes], budget: Budget
) -> Iterator[Row]:
    """Yield the rows of a file of Arrow's formats, a batch in memory at a time."""
    import pyarrow as pa

    number = 0
    try:
        for batch in batches(file, name, budget):
            for start in range(0, batch.num_rows, BATCH):
                for row in _rows(name, batch.slice(start, BATCH)):
                    number += 1
                    yield number, row
    except InputError:
        raise
    except (pa.ArrowException, *UNREADABLE) as error:
        raise UnreadableError(name, f"not {kind} ({_reason(error)})") from error


def _rows(name: str, batch: Any) -> list[dict[str, Any]]:
    """The rows of a batch; a column whose values Python cannot hold is named."""
    import pyarrow as pa

    unreadable = (pa.ArrowException, *UNREADABLE)
    try:
        rows: list[dict[str, Any]] = batch.to_pylist()
    except unreadable:
        for column, values in zip(batch.schema.names, batch.columns, strict=True):
            try:
                values.to_pylist()
            except unreadable as error:
                problem = f"column '{column}' of {values.type} ({_reason(error)})"
                raise UnreadableError(
                    name, f"values that cannot be read in {problem}"
                ) from error
        raise
    return rows


def _reason(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else "damaged"


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
    lambda sample: sample.startswith(FILE_OF_ARROW),
)  # fmt: skip
