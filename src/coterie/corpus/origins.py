"""Where the texts of a corpus are: in memory, in blocks, or in the files they came from."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from coterie.corpus.blocks import BLOCKS, restored_blocks
from coterie.corpus.counting import Integers
from coterie.corpus.limits import DEFAULT_LIMITS, Limits
from coterie.corpus.readers import documents
from coterie.corpus.tables import Columns
from coterie.errors import InputError
from coterie.schema import Either, Field, Is, Items, Record, Values, Wholes, check_parameters

IN_MEMORY: dict[str, Field] = {
    "texts": Wholes("*", dtypes=(np.dtype(np.uint8),)),
    "ends": Wholes("*"),
}
ON_DISK: dict[str, Field] = {
    "path": Either((Is(str), Items(Is(str)))),
    "columns": Values(Field()),
    "order": Wholes("*"),
    "limits": Values(Field()),
}


class Origin(Protocol):
    """What can give back the texts of documents."""

    def texts(self, positions: Integers, ids: Sequence[str]) -> list[str]:
        """Return the texts at some positions of a corpus with these ids."""

    def select(self, positions: Integers) -> "Origin":
        """Return the origin of some of the documents."""

    def to_values(self) -> dict[str, Any]:
        """Return what `restored` needs, as plain values and arrays."""


@dataclass(frozen=True)
class InMemory:
    """Texts held in memory."""

    contents: Sequence[str]

    def texts(self, positions: Integers, ids: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return the texts at some positions."""
        return [self.contents[position] for position in positions.tolist()]

    def select(self, positions: Integers) -> "InMemory":
        """Keep the texts at some positions."""
        return InMemory(self.texts(positions, ()))

    def to_values(self) -> dict[str, Any]:
        """Return the texts as one array of bytes, and where each ends."""
        encoded = [text.encode("utf-8") for text in self.contents]
        ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        return {"texts": np.frombuffer(b"".join(encoded), dtype=np.uint8), "ends": ends}


@dataclass(frozen=True)
class OnDisk:
    """Texts that stay where they were read; position *i* is the document `order[i]` there."""

    path: Path | tuple[Path, ...]
    columns: Columns
    order: Integers
    limits: Limits = DEFAULT_LIMITS

    def texts(self, positions: Integers, ids: Sequence[str]) -> list[str]:
        """Read the source again, as far as needed, and check that it is still the same."""
        expected = {int(self.order[at]): ids[at] for at in positions.tolist()}
        texts: dict[int, str] = {}
        if expected:
            last = max(expected)
            found = documents(self.path, self.columns, limits=self.limits)
            for number, document in enumerate(found):
                if number in expected:
                    if document.id != expected[number]:
                        raise self._changed(expected[number])
                    texts[number] = document.text
                if number == last:
                    break
        missing = expected.keys() - texts.keys()
        if missing:
            raise self._changed(expected[min(missing)])
        return [texts[int(self.order[at])] for at in positions.tolist()]

    def _changed(self, name: str) -> InputError:
        paths = [self.path] if isinstance(self.path, Path) else self.path
        return InputError(
            f"{', '.join(map(str, paths))}: changed since it was read, document '{name}' is "
            "not where it was"
        )

    def select(self, positions: Integers) -> "OnDisk":
        """Keep the documents at some positions."""
        return replace(self, order=self.order[positions])

    def to_values(self) -> dict[str, Any]:
        """Return the path, the columns, the order and the limits."""
        return {
            "path": str(self.path) if isinstance(self.path, Path) else [*map(str, self.path)],
            "columns": asdict(self.columns),
            "order": self.order,
            "limits": asdict(self.limits),
        }


def restored(values: Any, n_documents: int) -> Origin:
    """Return the origin of so many documents that `to_values` described."""
    if isinstance(values, dict) and "blocks" in values:
        Record(BLOCKS).check("origin", values, {})
        return restored_blocks(values, n_documents)
    fields = IN_MEMORY if isinstance(values, dict) and "texts" in values else ON_DISK
    Record(fields).check("origin", values, {})
    n_texts = len(values["ends" if "texts" in values else "order"])
    if n_texts != n_documents:
        raise InputError(f"origin: {n_texts} texts for {n_documents} documents")
    if fields is ON_DISK:
        check_parameters(Columns, values["columns"])
        check_parameters(Limits, values["limits"])
        columns, limits = Columns(**values["columns"]), Limits(**values["limits"])
        path = values["path"]
        where = Path(path) if isinstance(path, str) else tuple(map(Path, path))
        return OnDisk(where, columns, values["order"], limits)
    encoded, ends = values["texts"].tobytes(), values["ends"].tolist()
    bounds = list(pairwise([0, *ends]))
    if max(ends, default=0) != len(encoded) or any(a > b for a, b in bounds):
        raise InputError(f"origin: ends of texts, expected rising numbers to {len(encoded)}")
    try:
        return InMemory([encoded[start:end].decode("utf-8") for start, end in bounds])
    except UnicodeDecodeError as error:
        raise InputError(f"origin: a text is not UTF-8 ({error})") from error
