"""Parquet, a row a document."""

from collections.abc import Iterator
from typing import IO

from coterie.corpus.documents import Document
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.corpus.tables import Row, refuse_repeated
from coterie.errors import UnreadableError

BATCH = 1000


def parquet_rows(name: str, file: IO[bytes]) -> Iterator[Row]:
    """Yield the rows of a Parquet file, a batch in memory at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        table = pq.ParquetFile(file)
        refuse_repeated(name, table.schema_arrow.names)
        for batch in table.iter_batches(batch_size=BATCH):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except UnreadableError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else "damaged"
        raise UnreadableError(name, f"not Parquet ({reason})") from error


def _documents(file: OpenFile) -> Iterator[Document]:
    yield from file.rows(parquet_rows(file.path, file.seekable_stream()))


KIND = Kind("Parquet", (".parquet",), _documents, lambda sample: sample.startswith(b"PAR1"))
