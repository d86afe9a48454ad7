"""Where the texts of a corpus are: in memory, in blocks, or in the files they came from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from coterie.corpus.blocks import BLOCKS, by_name, restored_blocks
from coterie.corpus.counting import Integers
from coterie.corpus.documents import Document
from coterie.corpus.limits import DEFAULT_LIMITS, Limits
from coterie.corpus.readers import documents
from coterie.corpus.tables import Columns
from coterie.errors import InputError
from coterie.schema import Either, Field, Is, Items, Record, Values, Wholes, check_parameters

TEXT = "text"
"""Name of texts that come from no named column or view."""

Taken = TypeVar("Taken")
IN_MEMORY: dict[str, Field] = {
    "texts": Wholes("*", dtypes=(np.dtype(np.uint8),)),
    "ends": Wholes("*"),
    "names": Items(Is(str), optional=True),  # in folders saved before there were names
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

    def parts(self, positions: Integers, ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the same texts by the columns or views that they are read from."""

    def select(self, positions: Integers) -> "Origin":
        """Return the origin of some of the documents."""

    def to_values(self) -> dict[str, Any]:
        """Return what `restored` needs, as plain values and arrays."""


@dataclass(frozen=True)
class InMemory:
    """Texts held in memory, by column or view; a document has a text in each."""

    contents: Mapping[str, Sequence[str]]

    def texts(self, positions: Integers, ids: Sequence[str]) -> list[str]:
        """Return the texts at some positions, those of several columns joined."""
        return joined(self.parts(positions, ids))

    def parts(
        self,
        positions: Integers,
        ids: Sequence[str],  # noqa: ARG002
    ) -> dict[str, list[str]]:
        """Return the texts of each column at some positions."""
        places = positions.tolist()
        return {
            name: [texts[place] for place in places] for name, texts in self.contents.items()
        }

    def select(self, positions: Integers) -> "InMemory":
        """Keep the texts at some positions."""
        return InMemory(self.parts(positions, ()))

    def to_values(self) -> dict[str, Any]:
        """Return the texts, column after column, as one array of bytes, and their ends."""
        encoded = [text.encode("utf-8") for text in chain(*self.contents.values())]
        ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        whole = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        return {"texts": whole, "ends": ends, "names": list(self.contents)}


@dataclass(frozen=True)
class OnDisk:
    """Texts that stay where they were read; position *i* is the document `order[i]` there."""

    path: Path | tuple[Path, ...]
    columns: Columns
    order: Integers
    limits: Limits = DEFAULT_LIMITS

    def texts(self, positions: Integers, ids: Sequence[str]) -> list[str]:
        """Read the texts again, as far as needed, and check that they are still the same."""
        return self._read(positions, ids, lambda document: document.text)

    def parts(self, positions: Integers, ids: Sequence[str]) -> dict[str, list[str]]:
        """Read the texts again, by column or view; as one where documents differ in these."""
        found = self._read(positions, ids, lambda each: each.views or {TEXT: each.text})
        return by_name(found, self.columns.views)

    def _read(
        self, positions: Integers, ids: Sequence[str], take: Callable[[Document], Taken]
    ) -> list[Taken]:
        expected = {int(self.order[at]): ids[at] for at in positions.tolist()}
        texts: dict[int, Taken] = {}
        if expected:
            last = max(expected)
            found = documents(self.path, self.columns, limits=self.limits)
            for number, document in enumerate(found):
                if number in expected:
                    if document.id != expected[number]:
                        raise self._changed(expected[number])
                    texts[number] = take(document)
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
    names = values.get("names", [TEXT])
    if not names or len(set(names)) < len(names):
        raise InputError("origin: names of columns of texts, expected different ones")
    n_texts = len(values["ends" if "texts" in values else "order"])
    if n_texts != n_documents * len(names):
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
        texts = [encoded[start:end].decode("utf-8") for start, end in bounds]
    except UnicodeDecodeError as error:
        raise InputError(f"origin: a text is not UTF-8 ({error})") from error
    starts = range(0, n_texts, n_documents) if n_documents else [0] * len(names)
    parts = [texts[start : start + n_documents] for start in starts]
    return InMemory(dict(zip(names, parts, strict=True)))


def joined(parts: Mapping[str, Iterable[str]]) -> list[str]:
    r"""The texts of several columns, a line break between those of a document.

    Examples
    --------
    >>> joined({"head": ["Tea", "Rum"], "body": ["is hot", "is dark"]})
    ['Tea\nis hot', 'Rum\nis dark']
    """
    return list(map("\n".join, zip(*parts.values(), strict=True)))
