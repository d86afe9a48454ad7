"""Headers of the pages of Parquet: what pages expand to, whatever the end of the file says.

A header is a structure in Thrift's compact protocol. Its second and third field are the sizes
of the page, expanded and on disk.
"""

from typing import IO, Any

TRIED = (1 << 10, 1 << 16, 1 << 24)  # bytes of a header, which may hold long values
EXPANDED, ON_DISK = 2, 3
TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
DEEPEST = 10


def expanded_bytes(file: IO[bytes] | Any, chunk: Any) -> int:
    """Return the bytes that the pages of a column say they expand to.

    Examples
    --------
    >>> import io
    >>> import pyarrow as pa
    >>> import pyarrow.parquet as pq
    >>> file = io.BytesIO()
    >>> pq.write_table(pa.table({"text": ["tea " * 1000]}), file, use_dictionary=False)
    >>> expanded_bytes(file, pq.read_metadata(file).row_group(0).column(0)) >= 4000
    True
    """
    if not chunk.num_values:  # no page is read then
        return 0
    dictionary = chunk.dictionary_page_offset
    at = (
        chunk.data_page_offset
        if dictionary is None
        else min(dictionary, chunk.data_page_offset)
    )
    end, total = at + chunk.total_compressed_size, 0
    while at < end:
        sizes, length = _header(file, at)
        if min(sizes.get(EXPANDED, -1), sizes.get(ON_DISK, -1)) < 0:
            raise ValueError("a page without its size")
        total += sizes[EXPANDED]
        at += length + sizes[ON_DISK]
    return total


def _header(file: IO[bytes] | Any, at: int) -> tuple[dict[int, int], int]:
    """The whole numbers of a header, by their fields, and its length."""
    for n_bytes in TRIED:
        file.seek(at)
        reader = _Compact(file.read(n_bytes))
        try:
            numbers = reader.struct()
        except IndexError:  # it goes on
            continue
        return numbers, reader.at
    raise ValueError("a page without a header")


class _Compact:
    """Reads Thrift's compact protocol; of all it holds, the numbers of a structure matter."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def struct(self, level: int = 0) -> dict[int, int]:
        numbers, field = {}, 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            field = field + step if step else self._signed()
            if kind not in (TRUE, FALSE):
                numbers[field] = self._value(kind, level)
        return numbers

    def _value(self, kind: int, level: int) -> int:
        """The value of a number; what is something else is passed over."""
        if BYTE < kind < DOUBLE:
            return self._signed()
        if level > DEEPEST or kind > STRUCT:
            raise ValueError("a page with a header of another kind")
        if kind == STRUCT:
            self.struct(level + 1)
        elif kind in (LIST, SET):
            head = self._byte()
            size = head >> 4 if head >> 4 < 15 else self._unsigned()
            self._values(size, head & 15, level)
        elif kind == MAP:
            if size := self._unsigned():
                kinds = self._byte()
                for _ in range(size):
                    self._values(1, kinds >> 4, level)
                    self._values(1, kinds & 15, level)
        else:
            self._skip(self._unsigned() if kind == BINARY else 8 if kind == DOUBLE else 1)
        return 0

    def _values(self, size: int, kind: int, level: int) -> None:
        for _ in range(size):
            self._value(BYTE if kind in (TRUE, FALSE) else kind, level + 1)

    def _byte(self) -> int:
        byte = self._data[self.at]
        self.at += 1
        return byte

    def _skip(self, n_bytes: int) -> None:
        self.at += n_bytes
        if self.at > len(self._data):
            raise IndexError

    def _unsigned(self) -> int:
        value, shift = 0, 0
        while shift < 70:  # of more than 64 bits is nothing
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise ValueError("a page with a header of another kind")

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
