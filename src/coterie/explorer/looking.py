"""What people look at in a result, as plain values."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import narwhals
import numpy as np

from coterie.clustering import Clustering
from coterie.clustering.assigning import Assigner
from coterie.clustering.tables import texts_of
from coterie.errors import InputError
from coterie.findings.assignments import DocumentRow
from coterie.findings.edits import Drop, Edit, Merge, Move, Rename, Split
from coterie.report.wording import counted

MOST_MOVED = 2000
MOST_TEXTS = 1000
LONGEST_TEXT = 200_000
N_CHOICES = 5


def document(result: Clustering, name: str) -> dict[str, Any]:
    """One document: its text, its columns, and the clusters it may belong to."""
    position = place(result, name)
    corpus = result.corpus
    texts = texts_of(corpus, [position])
    text = texts[0] if texts else ""
    columns = {} if corpus.columns is None else corpus.columns.slice(position, 1).to_pylist()[0]
    memberships = result.memberships[position]
    return {
        "id": name,
        "title": str(corpus.titles[position]),
        "text": text[:LONGEST_TEXT],
        "whole": len(text) <= LONGEST_TEXT,
        "columns": {key: plain(value) for key, value in columns.items()},
        "cluster": int(result.labels[position]),
        "choices": _choices(result, memberships),
    }


def texts(result: Clustering, names: Sequence[str]) -> list[dict[str, Any]]:
    """The texts of some documents; "" where there is none."""
    if len(names) > MOST_TEXTS:
        raise InputError(f"{len(names)} texts at once; expected at most {MOST_TEXTS}")
    wanted = set(names)
    places = {name: at for at, name in enumerate(result.corpus.ids) if name in wanted}
    positions = [places[name] for name in names if name in places]
    found = texts_of(result.corpus, positions) or [""] * len(positions)
    by_name = dict(zip([name for name in names if name in places], found, strict=True))
    return [
        {
            "text": by_name.get(n, "")[:LONGEST_TEXT],
            "whole": len(by_name.get(n, "")) <= LONGEST_TEXT,
        }
        for n in names
    ]


def place(result: Clustering, name: str) -> int:
    """The position of a document."""
    found = np.flatnonzero(np.asarray(result.corpus.ids, dtype=object) == name)
    if not len(found):
        raise InputError(f"document {name[:60]!r}: no such id")
    return int(found[0])


def _choices(result: Clustering, memberships: Any) -> list[dict[str, Any]]:
    pairs = sorted(zip(result.numbers, memberships.tolist(), strict=True), key=lambda p: -p[1])
    return [{"cluster": number, "probability": p} for number, p in pairs[:N_CHOICES]]


def members(result: Clustering, number: int) -> list[dict[str, Any]]:
    """The documents of a cluster, the most probable first; 0 for those set aside."""
    return [
        {name: row[name] for name in ("id", "title", "probability", "second")}
        for row in rows_of(result.members(number))
    ]


def doubtful(result: Clustering) -> list[dict[str, Any]]:
    """The documents to decide, the closest first; of one decided nobody is in doubt."""
    return [_row(row) for row in result.summary.doubtful]


def _row(row: DocumentRow) -> dict[str, Any]:
    return {name: plain(value) for name, value in row._asdict().items()}


def comparison(one: Clustering, other: Clustering) -> dict[str, Any]:
    """How two results agree, and which documents moved."""
    found = one.compare(other)
    return {
        "sentence": repr(found),
        "agreement": {name: plain(value) for name, value in found.agreement.items()},
        "documents": found.n_documents,
        "matching": [list(pair) for pair in found.matching.items()],
        "names": [_names(one), _names(other)],
        "pairs": rows_of(found.contingency),
        "n_moved": found.n_moved,
        "moved": rows_of(found.moved)[:MOST_MOVED],
    }


def _names(result: Clustering) -> list[list[Any]]:
    return [[number, name] for number, name in result.names.items()]


def assigned(result: Clustering, text: str) -> dict[str, Any]:
    """The clusters of a new text, and those of its words that speak for the first of them."""
    if not text.strip():
        raise InputError("no text; paste one")
    assigner = Assigner(result.model, result.edits, result.names, result.about.reading)
    corpus = assigner.counted([text])
    row = assigner.rows(corpus)[0]
    known = corpus.counts.sum() if corpus.views else 0
    return _row(row) | {
        "name": result.names.get(row.cluster, "(dropped)"),
        "second_name": result.names.get(row.second or 0, ""),
        "n_words": int(known),
    }


def rows_of(table: Any) -> list[dict[str, Any]]:
    """The rows of a data frame as plain values."""
    rows: Iterable[dict[str, Any]] = narwhals.from_native(table).rows(named=True)
    return [{name: plain(value) for name, value in row.items()} for row in rows]


def plain(value: Any) -> Any:
    """A value that JSON holds; what is not finite becomes null."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def described(edit: Edit) -> str:
    """An edit in one sentence.

    Examples
    --------
    >>> described(Merge((2, 5)))
    'Merged clusters 2 and 5.'
    """
    match edit:
        case Rename():
            given = [
                f"{n} “{name}”" if name else f"{n} as before" for n, name in edit.names.items()
            ]
            return f"Named cluster {', '.join(given)}."
        case Merge():
            return f"Merged clusters {_listed(edit.clusters)}."
        case Split():
            return f"Split cluster {edit.cluster} into {_listed(edit.parts)}."
        case Move():
            return f"Moved {counted(len(edit.ids), 'document')} to cluster {edit.cluster}."
        case Drop():
            noun = "clusters" if len(edit.clusters) > 1 else "cluster"
            return f"Set the documents of {noun} {_listed(edit.clusters)} aside."
    return type(edit).__name__


def _listed(numbers: Iterable[int]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} and {last}" if first else last
