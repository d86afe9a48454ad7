"""Texts compressed in blocks, each of which can be read by itself: an Arrow file of strings."""

import io
import struct
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from coterie.corpus.limits import DEFAULT_LIMITS, Budget, ExpansionError
from coterie.errors import InputError
from coterie.schema import Field, Is, Items, Wholes
from coterie.types import Labels

BLOCK_BYTES = 1 << 20  # of text that is compressed together
BLOCK_TEXTS = 4096
TEXT_BYTES = 100  # on disk, with what an archive may expand to: 20 KB a document
TEXT = "text"
MAGIC = b"ARROW1"  # ends an Arrow file
CONTINUED, RAW = -1, -1  # begins the head of a block; the length of a buffer left as it is
BLOCKS: dict[str, Field] = {
    "blocks": Wholes("*", dtypes=(np.dtype(np.uint8),)),
    "ends": Wholes("*"),
    "views": Items(Is(str)),
}
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Texts in blocks; position *i* is the text `order[i]` of all, block *b* ends at `ends[b]`.

    `content` is the Arrow file, in memory or mapped from disk. `views` are the names of the
    parts that all texts have, where a person named them.
    """

    content: Bytes
    ends: Labels
    order: Labels
    views: tuple[str, ...] = ()

    def texts(self, positions: Labels, ids: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return the texts at some positions."""
        return ["\n".join(each.values()) for each in self._found(positions)]

    def parts(
        self,
        positions: Labels,
        ids: Sequence[str],  # noqa: ARG002
    ) -> dict[str, list[str]]:
        """Return the same texts by the columns or views that they were read from."""
        return by_name(self._found(positions), self.views)

    def select(self, positions: Labels) -> "Blocks":
        """Keep the texts at some positions."""
        return replace(self, order=self.order[positions])

    def to_values(self) -> dict[str, Any]:
        """Return the blocks, those of the texts that are kept alone."""
        n_texts = int(self.ends[-1]) if len(self.ends) else 0
        if not np.array_equal(self.order, np.arange(n_texts)):
            return stored(self._in_order(), self.views).to_values()
        return {"blocks": self.content, "ends": self.ends, "views": list(self.views)}

    def _in_order(self) -> Iterator[dict[str, str]]:
        for start in range(0, len(self.order), BLOCK_TEXTS):
            yield from self._found(np.arange(start, min(start + BLOCK_TEXTS, len(self.order))))

    def _found(self, positions: Labels) -> list[dict[str, str]]:
        """The texts at some positions, by part; each block that has some is read once."""
        wanted = self.order[positions]
        found: dict[int, dict[str, str]] = {}
        for block, inside in self._by_block(np.unique(wanted)):
            first = int(self.ends[block - 1]) if block else 0
            names, parts = (column.take(inside - first) for column in self._block(block))
            pairs = zip(names.to_pylist(), parts.to_pylist(), strict=True)
            for number, (of_parts, texts) in zip(inside.tolist(), pairs, strict=True):
                found[number] = dict(zip(of_parts, texts, strict=True))
        return [found[number] for number in wanted.tolist()]

    def _by_block(self, numbers: Labels) -> Iterator[tuple[int, Labels]]:
        """Numbers of texts, rising, in parts that lie in one block."""
        blocks = np.searchsorted(self.ends, numbers, side="right")
        starts = np.flatnonzero(np.diff(blocks, prepend=-1))
        for part in np.split(numbers, starts[1:]) if len(numbers) else ():
            yield int(np.searchsorted(self.ends, part[0], side="right")), part

    def _block(self, number: int) -> list[Any]:
        """Names and texts of the parts of each text of a block."""
        import pyarrow as pa

        try:
            reader = pa.ipc.open_file(pa.py_buffer(self.content))
            batch = reader.get_batch(number)
            batch.validate(full=True)
        except (pa.ArrowException, OSError, KeyError, ValueError, MemoryError) as error:
            reason = str(error).partition("\n")[0] or "damaged"
            raise InputError(f"texts: not Arrow blocks ({reason})") from error
        first = int(self.ends[number - 1]) if number else 0
        expected = int(self.ends[number]) - first
        if batch.schema.types != [kind(pa), kind(pa)] or len(batch) != expected:
            raise InputError(
                f"texts: block {number} holds {len(batch)} rows, expected {expected} texts by "
                "their names and parts"
            )
        names, parts = batch.columns
        lacking = any(each.null_count or each.flatten().null_count for each in (names, parts))
        if lacking or names.value_lengths().to_pylist() != parts.value_lengths().to_pylist():
            raise InputError(f"texts: block {number} lacks some texts")
        return [names, parts]


def kind(pa: Any) -> Any:
    """The Arrow type of both columns of a block."""
    return pa.large_list(pa.large_string())


def by_name(found: Sequence[Mapping[str, str]], views: Sequence[str]) -> dict[str, list[str]]:
    """Texts by column or view; as one where documents differ in these.

    Examples
    --------
    >>> by_name([{"head": "Tea", "body": "is hot"}, {"text": "Rum"}], ())
    {'text': ['Tea\\nis hot', 'Rum']}
    """
    names = tuple(views) or tuple(dict.fromkeys(chain(*found)))
    if views or all(len(each) == len(names) for each in found):
        return {name: [each.get(name, "") for each in found] for name in names}
    return {TEXT: ["\n".join(each.values()) for each in found]}


class TextWriter:
    """Stores texts that come one by one, compressed in blocks.

    On disk they are in a temporary file without a name, which vanishes with the process.

    Examples
    --------
    >>> with TextWriter() as writer:
    ...     for text in ("green tea", "dark rum", "black tea"):
    ...         writer.add({"text": text})
    ...     writer.finish().texts(np.array([2, 0]), ())
    ['black tea', 'green tea']
    """

    def __init__(self, views: Sequence[str] = (), *, on_disk: bool = True) -> None:
        self._views = tuple(views)
        self._file: Any = io.BytesIO() if not on_disk else tempfile.TemporaryFile()  # noqa: SIM115
        self._texts: list[Mapping[str, str]] = []
        self._n_bytes = 0
        self._ends: list[int] = []
        self._writer: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, parts: Mapping[str, str]) -> None:
        """Store a text by its parts."""
        self._texts.append(parts)
        self._n_bytes += sum(map(len, parts.values()))
        if self._n_bytes >= BLOCK_BYTES or len(self._texts) == BLOCK_TEXTS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        schema = pa.schema([("names", kind(pa)), ("parts", kind(pa))])
        if self._writer is None:
            options = pa.ipc.IpcWriteOptions(compression="zstd")
            self._writer = pa.ipc.new_file(self._file, schema, options=options)
        if not self._texts:
            return
        columns = [
            pa.array([list(each) for each in self._texts], kind(pa)),
            pa.array([list(each.values()) for each in self._texts], kind(pa)),
        ]
        self._writer.write_batch(pa.record_batch(columns, schema=schema))
        self._ends.append((self._ends[-1] if self._ends else 0) + len(self._texts))
        self._texts, self._n_bytes = [], 0

    def finish(self) -> Blocks:
        """Return the origin of all texts."""
        self._flush()
        self._writer.close()
        ends = np.array(self._ends, dtype=np.int64)
        order = np.arange(ends[-1] if len(ends) else 0)
        return Blocks(self._content(), ends, order, self._views)

    def _content(self) -> Bytes:
        if isinstance(self._file, io.BytesIO):
            return np.frombuffer(self._file.getvalue(), dtype=np.uint8)
        self._file.flush()
        return np.asarray(np.memmap(self._file, np.uint8, "r"))  # lives as long as it is mapped


class _Arrow:
    """As much of the layout of an Arrow file as tells what its blocks expand to.

    Arrow takes that memory before it expands a block, by the length before each buffer. The
    footer and the head of a block are flatbuffers: tables of fields by their number, each with
    an offset to where it lies.
    """

    FOOTER_BLOCKS, HEAD, BUFFERS, COMPRESSION = 3, 2, 2, 3  # numbers of fields

    def __init__(self, content: memoryview) -> None:
        self._content = content

    def expanded(self) -> int:
        """Bytes of all buffers, expanded."""
        end = len(self._content) - len(MAGIC) - 4
        footer = self._table(end - self._number("<i", end))
        return sum(
            self._of_block(self._number("<q", at), self._number("<i", at + 8))
            for at in self._items(footer, self.FOOTER_BLOCKS, 24)
        )

    def _of_block(self, start: int, n_head: int) -> int:
        before = 8 if self._number("<i", start) == CONTINUED else 4
        field = self._field(self._table(start + before), self.HEAD)
        head = field + self._number("<I", field)
        compressed = self._field(head, self.COMPRESSION) > 0
        total = 0
        for at in self._items(head, self.BUFFERS, 16):
            offset, length = self._number("<q", at), self._number("<q", at + 8)
            if compressed and length:
                said = self._number("<q", start + n_head + offset)
                length = length if said == RAW else said
            total += self._positive(length)
        return total

    def _items(self, table: int, field: int, size: int) -> range:
        """Where the items of a list lie."""
        at = self._field(table, field)
        if not at:
            return range(0)
        at += self._number("<I", at)
        return range(at + 4, at + 4 + size * self._number("<I", at), size)

    def _table(self, at: int) -> int:
        return at + self._number("<I", at)

    def _field(self, table: int, number: int) -> int:
        """Where a field of a table lies; 0 where it is absent."""
        offsets = table - self._number("<i", table)
        place = 4 + 2 * number
        there = place < self._number("<H", offsets)
        offset = self._number("<H", offsets + place) if there else 0
        return table + offset if offset else 0

    def _number(self, kind: str, at: int) -> int:
        number: int = struct.unpack_from(kind, self._content, self._positive(at))[0]
        return number

    @staticmethod
    def _positive(number: int) -> int:
        if number < 0:
            raise ValueError("a negative size")
        return number


def stored(texts: Iterable[Mapping[str, str]], views: Sequence[str] = ()) -> Blocks:
    """Return some texts as blocks in memory."""
    with TextWriter(views, on_disk=False) as writer:
        for text in texts:
            writer.add(text)
        return writer.finish()


def restored_blocks(values: dict[str, Any], n_documents: int) -> Blocks:
    """Return blocks of so many texts, which may come from a stranger."""
    ends = values["ends"]
    if np.any(np.diff(ends, prepend=0) <= 0) or (n_documents and not len(ends)):
        raise InputError("texts: ends of blocks, expected rising numbers")
    n_texts = int(ends[-1]) if len(ends) else 0
    if n_texts != n_documents:
        raise InputError(f"origin: {n_texts} texts for {n_documents} documents")
    budget = Budget(DEFAULT_LIMITS)
    budget.open("texts", values["blocks"].nbytes + n_documents * TEXT_BYTES)
    try:
        budget.expect(_Arrow(memoryview(values["blocks"])).expanded())
    except ExpansionError as error:
        raise InputError(f"texts: too large for {n_documents} documents") from error
    except (struct.error, ValueError) as error:
        raise InputError(f"texts: not Arrow blocks ({error})") from error
    return Blocks(values["blocks"], ends, np.arange(n_texts), tuple(values["views"]))
