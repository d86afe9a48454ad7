"""Batches of rows of Parquet and Arrow, measured before they are expanded."""

import os
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from coterie.corpus.limits import MB, Budget, too_long
from coterie.corpus.parquet_pages import expanded_bytes

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 1000
BATCH_BYTES = 16 * MB


def batches(name: str, file: IO[bytes] | Any, budget: Budget) -> "Iterator[pa.RecordBatch]":
    """Yield the rows of a Parquet file; what they expand to is counted before they do.

    A string that is repeated is stored once, so a small file may hold any number of large
    ones. Strings stay such dictionaries here.
    """
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(file)
    leaves = [metadata.schema.column(i) for i in range(len(metadata.schema))]
    strings = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    fixed = [leaf.length for leaf in leaves if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY"]
    budget.expect(sum(fixed))
    n_rows = max(1, min(BATCH_ROWS, BATCH_BYTES // max(1, sum(fixed))))
    table = pq.ParquetFile(
        file, metadata=metadata, read_dictionary=strings, page_checksum_verification=True
    )
    stored, size = 0, file.seek(0, os.SEEK_END)
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        chunks = [group.column(i) for i in range(group.num_columns)]
        stored += sum(chunk.total_compressed_size for chunk in chunks)
        if stored > size:
            raise ValueError("columns overlap")
        budget.expect(sum(expanded_bytes(file, chunk) for chunk in chunks))
        budget.expect(max((chunk.num_values for chunk in chunks), default=0))
        for batch in table.iter_batches(n_rows, row_groups=[number]):
            yield measured(name, batch, budget)


def measured(name: str, batch: "pa.RecordBatch", budget: Budget) -> "pa.RecordBatch":
    """A batch, after what it expands to is counted."""
    sizes = [_sizes(column) for column in batch.columns]
    if any(size.longest > budget.limits.document for size in sizes):
        raise too_long(name, budget.limits, "a value is ")
    budget.expand(max(batch.num_rows, sum(size.total for size in sizes)))
    return batch


class _Size(NamedTuple):
    """Bytes of the longest string of an Arrow array, and of all of it when expanded."""

    longest: int
    total: int


def _sizes(values: Any) -> _Size:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if isinstance(kind, pa.BaseExtensionType):
        return _sizes(values.storage)
    if pa.types.is_nested(kind):
        inner = [_sizes(each) for each in _parts(values)]
        longest = max((each.longest for each in inner), default=0)
        return _Size(longest, sum(each.total for each in inner))
    if pa.types.is_dictionary(kind) and not pa.types.is_primitive(kind.value_type):
        lengths = pc.binary_length(values.dictionary).take(values.indices.drop_null())
        return _Size(_most(lengths), values.indices.nbytes + (pc.sum(lengths).as_py() or 0))
    if kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        return _Size(_most(pc.binary_length(values)), values.nbytes)
    if kind in (pa.string_view(), pa.binary_view()):
        lengths = _lengths_of_views(values)
        return _Size(_most(lengths), pc.sum(lengths).as_py() or 0)
    return _Size(0, values.nbytes)


def _most(lengths: Any) -> int:
    import pyarrow.compute as pc

    return pc.max(lengths).as_py() or 0


def _lengths_of_views(values: Any) -> Any:
    """Lengths of strings that are views, and may lie one over the other: few bytes, long texts.

    A view has four numbers, the first of which is its length.
    """
    import pyarrow as pa

    numbers = pa.Array.from_buffers(
        pa.int32(), 4 * (values.offset + len(values)), [None, values.buffers()[1]]
    )
    first = range(4 * values.offset, len(numbers), 4)
    return numbers.take(pa.array(first, pa.int64())).cast(pa.int64())


def _parts(values: Any) -> list[Any]:
    """The arrays that a nested one holds; views and runs, which repeat them, are not read."""
    import pyarrow as pa

    read = (pa.StructArray, pa.ListArray, pa.LargeListArray, pa.FixedSizeListArray)
    if not isinstance(values, (*read, pa.MapArray)):
        raise TypeError(f"values of type {values.type}")
    if pa.types.is_map(values.type):
        return [values.keys, values.items]
    flat = values.flatten()
    return flat if isinstance(flat, list) else [flat]
