"""Messages of Arrow's streams: what they expand to, by what they say before they do.

A message is a table of FlatBuffers, whose fields are found by a list of offsets before it, and
a body of buffers. A compressed buffer begins with its size when expanded.
"""

import struct
from typing import Any

DICTIONARY, ROWS = "dictionary", "record batch"
HEADER = 2  # fields of a message, of a dictionary, and of a batch of rows
DATA = 1
BUFFERS, COMPRESSION = 2, 3
NOT_WHOLE = "a message that is not whole"


def expanded_bytes(message: Any) -> int:
    """Return the bytes that the buffers of a message say they expand to.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batch = pa.record_batch({"text": ["tea " * 1000]})
    >>> sink = pa.BufferOutputStream()
    >>> options = pa.ipc.IpcWriteOptions(compression="zstd")
    >>> with pa.ipc.new_stream(sink, batch.schema, options=options) as stream:
    ...     stream.write_batch(batch)
    >>> messages = pa.ipc.MessageReader.open_stream(sink.getvalue())
    >>> [expanded_bytes(messages.read_next_message()) > 4000 for _ in range(2)]
    [False, True]
    """
    if message.type not in (DICTIONARY, ROWS):
        return 0
    data, body = message.metadata.to_pybytes(), message.body
    batch = _field(data, _number("I", data, 0), HEADER)
    batch = _followed(data, batch)
    if message.type == DICTIONARY:
        batch = _followed(data, _field(data, batch, DATA))
    buffers = _field(data, batch, BUFFERS)
    if not _field(data, batch, COMPRESSION) or not buffers:
        return int(body.size)
    first = _followed(data, buffers)
    total = 0
    for at in range(first + 4, first + 4 + 16 * _number("I", data, first), 16):
        start, length = _number("q", data, at), _number("q", data, at + 8)
        if length < 0:
            raise ValueError(NOT_WHOLE)
        if length:
            total += max(length, _number("q", body, start))
    return total


def _number(kind: str, data: Any, at: int) -> int:
    """The number at a place in some bytes, which may not be before their beginning."""
    if at < 0:
        raise ValueError(NOT_WHOLE)
    try:
        return int(struct.unpack_from(f"<{kind}", data, at)[0])
    except struct.error as error:
        raise ValueError(NOT_WHOLE) from error


def _followed(data: bytes, at: int) -> int:
    """The place to which an offset leads."""
    return at + _number("I", data, at)


def _field(data: bytes, table: int, number: int) -> int:
    """The place of a field of a table, 0 where it has none."""
    offsets = table - _number("i", data, table)
    at = 4 + 2 * number
    offset = _number("H", data, offsets + at) if at < _number("H", data, offsets) else 0
    return table + offset if offset else 0
