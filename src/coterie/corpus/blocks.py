"""Texts compressed in blocks, each of which can be read by itself: an Arrow file of strings."""

import io
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from coterie.errors import InputError
from coterie.schema import Field, Wholes
from coterie.types import Labels

BLOCK_BYTES = 1 << 20  # of text that is compressed together
BLOCK_TEXTS = 4096
TEXT = "text"
BLOCKS: dict[str, Field] = {
    "blocks": Wholes("*", dtypes=(np.dtype(np.uint8),)),
    "ends": Wholes("*"),
}
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Texts in blocks; position *i* is the text `order[i]` of all, block *b* ends at `ends[b]`.

    `content` is the Arrow file, in memory or mapped from disk.
    """

    content: Bytes
    ends: Labels
    order: Labels

    def texts(self, positions: Labels, ids: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return the texts at some positions; each block that has some is read once."""
        wanted = self.order[positions]
        found: dict[int, str] = {}
        for block, inside in self._by_block(np.unique(wanted)):
            first = int(self.ends[block - 1]) if block else 0
            texts = self._block(block).take(inside - first).to_pylist()
            found.update(zip(inside.tolist(), texts, strict=True))
        return [found[number] for number in wanted.tolist()]

    def select(self, positions: Labels) -> "Blocks":
        """Keep the texts at some positions."""
        return replace(self, order=self.order[positions])

    def to_values(self) -> dict[str, Any]:
        """Return the blocks, those of the texts that are kept alone."""
        n_texts = int(self.ends[-1]) if len(self.ends) else 0
        if not np.array_equal(self.order, np.arange(n_texts)):
            return stored(self._in_order()).to_values()
        return {"blocks": self.content, "ends": self.ends}

    def _in_order(self) -> Iterator[str]:
        for start in range(0, len(self.order), BLOCK_TEXTS):
            stop = min(start + BLOCK_TEXTS, len(self.order))
            yield from self.texts(np.arange(start, stop), ())

    def _by_block(self, numbers: Labels) -> Iterator[tuple[int, Labels]]:
        """Numbers of texts, rising, in parts that lie in one block."""
        blocks = np.searchsorted(self.ends, numbers, side="right")
        starts = np.flatnonzero(np.diff(blocks, prepend=-1))
        for part in np.split(numbers, starts[1:]) if len(numbers) else ():
            yield int(np.searchsorted(self.ends, part[0], side="right")), part

    def _block(self, number: int) -> Any:
        import pyarrow as pa

        try:
            reader = pa.ipc.open_file(pa.py_buffer(self.content))
            batch = reader.get_batch(number)
            batch.validate(full=True)
            column = batch.column(TEXT)
        except (pa.ArrowException, OSError, KeyError, ValueError, MemoryError) as error:
            reason = str(error).partition("\n")[0] or "damaged"
            raise InputError(f"texts: not Arrow blocks ({reason})") from error
        first = int(self.ends[number - 1]) if number else 0
        expected = int(self.ends[number]) - first
        if not pa.types.is_large_string(column.type) or len(column) != expected:
            raise InputError(
                f"texts: block {number} holds {len(column)} of {column.type}, expected "
                f"{expected} texts"
            )
        if column.null_count:
            raise InputError(f"texts: block {number} lacks {column.null_count} texts")
        return column


class TextWriter:
    """Stores texts that come one by one, compressed in blocks.

    On disk they are in a temporary file without a name, which vanishes with the process.

    Examples
    --------
    >>> with TextWriter() as writer:
    ...     for text in ("green tea", "dark rum", "black tea"):
    ...         writer.add(text)
    ...     writer.finish().texts(np.array([2, 0]), ())
    ['black tea', 'green tea']
    """

    def __init__(self, *, on_disk: bool = True) -> None:
        self._file: Any = io.BytesIO() if not on_disk else tempfile.TemporaryFile()  # noqa: SIM115
        self._texts: list[str] = []
        self._n_bytes = 0
        self._ends: list[int] = []
        self._writer: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, text: str) -> None:
        """Store a text."""
        self._texts.append(text)
        self._n_bytes += len(text)
        if self._n_bytes >= BLOCK_BYTES or len(self._texts) == BLOCK_TEXTS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        schema = pa.schema([(TEXT, pa.large_string())])
        if self._writer is None:
            options = pa.ipc.IpcWriteOptions(compression="zstd")
            self._writer = pa.ipc.new_file(self._file, schema, options=options)
        if not self._texts:
            return
        texts = pa.array(self._texts, pa.large_string())
        self._writer.write_batch(pa.record_batch([texts], schema=schema))
        self._ends.append((self._ends[-1] if self._ends else 0) + len(self._texts))
        self._texts, self._n_bytes = [], 0

    def finish(self) -> Blocks:
        """Return the origin of all texts."""
        self._flush()
        self._writer.close()
        ends = np.array(self._ends, dtype=np.int64)
        return Blocks(self._content(), ends, np.arange(ends[-1] if len(ends) else 0))

    def _content(self) -> Bytes:
        if isinstance(self._file, io.BytesIO):
            return np.frombuffer(self._file.getvalue(), dtype=np.uint8)
        self._file.flush()
        return np.asarray(np.memmap(self._file, np.uint8, "r"))  # lives as long as it is mapped


def stored(texts: Iterable[str]) -> Blocks:
    """Return some texts as blocks in memory."""
    with TextWriter(on_disk=False) as writer:
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
    return Blocks(values["blocks"], ends, np.arange(n_texts))
