r"""What the page and the explorer show of a clustering, as data: the payload.

A payload has a *head*, which is JSON, and *parts*, which are bytes. The page holds them
compressed (gzip, then base64) in data blocks, the explorer sends them by HTTP. The front end
in `web/` reads nothing else; `web/source.js` says how it asks.

Documents are numbered from 0: first the *listed* ones, which have titles and texts, then those
that are only points of the map. Both are all documents unless there are too many.

The head
    ``title``; ``n_documents`` of the collection, ``n_points``, ``n_listed``;
    ``whole``: whether every listed text is whole; ``notes``: sentences on what was left out;
    ``likely``, ``close``: a document is doubtful if its probability is below the first, or the
    second choice is less than the other behind; ``links``: where the files of the documents
    lie as seen from the page, "" where they do not; ``layout``: "discs", "umap" or "pacmap".
    ``clusters``: a list of ``number``, ``name``, ``size``, ``share``, ``probability``,
    ``doubtful``, ``hue``, ``x``, ``y``, ``radius`` (of its disc on the map) and ``words``,
    each ``word``, ``shown``, ``lift``, ``weight``.
    ``tree``: nodes, those of the clusters first in their order, then one for each join, in the
    order of joining: ``name``, ``size``, ``clusters`` (numbers), ``parts`` (two nodes or null).
    ``halves``: finer groups: ``cluster``, ``name``, ``size``; empty where there are none.
    ``columns``: ``name``, ``kind`` ("category", "number" or "date"), ``values`` of a category,
    ``period`` of dates ("year", "month" or "day").
    ``word_clusters``: ``number``, ``name``, ``n_words``; ``blocks``: null, or ``rows`` and
    ``columns`` of the pictures and where clusters (``row_ends``) and word clusters
    (``column_ends``) end in the second.
    ``arrays``: by name, the ``type`` of an array ("u8", "u16", "u32", "i32", "f32",
    little-endian), its ``start`` in the part ``arrays`` in bytes, and its ``length``.

Arrays, one value a document
    ``cluster``, ``second``: positions in the list of clusters (65535: none);
    ``probability``, ``second_probability``: times 65535; ``x``, ``y``: 0 to 65535 over the
    square that holds the map; ``half``: position in ``halves``;
    ``column_0``, ...: codes of a category (65535: missing), numbers (NaN), or days since 1970
    (-2147483648); ``whole``: 1 where the listed text is whole.

Parts
    ``arrays``: the arrays above, and ``before`` and ``after``, the pictures of documents by
    words, a byte a cell, where there are blocks.
    ``names``: JSON, ``titles``, ``ids`` and ``files`` (1 where the id is a file below `links`)
    of the listed documents.
    ``texts``: texts of the listed documents, UTF-8, each followed by a zero byte.
    ``rest_words``, ``rest_postings``: the words that stand in the parts of texts that were cut
    off, sorted, each followed by a line break; for each of them how many documents, then the
    gaps between their numbers, all as variable-length integers (7 bits a byte, the lowest
    first, 128 added to all but the last byte; the first gap counts from -1).
    ``words``: JSON, ``words`` as counted and ``shown`` as people read them, ``main`` (position
    of the cluster in which each is most frequent).
    ``word_shares``: p(w|k), float32, a row a cluster, a column a word.
    ``word_postings``: for each of these words how many documents, then a gap and the count of
    each document, as above.
"""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from coterie.arrays import cells_at
from coterie.findings.assignments import CLOSE, LIKELY
from coterie.findings.remembering import LARGE, Remembered, checksum
from coterie.findings.texts import encodable, readable_word, shorten
from coterie.findings.words import WordProfile
from coterie.report.blocks import block_pictures
from coterie.report.packing import Arrays, laid_out, postings, zipped
from coterie.report.texts import pack_texts
from coterie.report.wording import counted, thousands
from coterie.types import Array, Counts, Labels

if TYPE_CHECKING:
    from coterie.findings import Summary
    from coterie.findings.summary import Found

MOST_LISTED, MOST_POINTS = 20_000, 200_000
MOST_BYTES = 15_000_000
MOST_SHARES = 200_000  # clusters times words
TITLE_LENGTH = 200
NONE = 65535


class Column(NamedTuple):
    """A column of the documents: codes of a category, numbers, or days since 1970."""

    name: str
    kind: str
    data: Any
    values: tuple[str, ...] = ()
    period: str = ""


class Node(NamedTuple):
    """A cluster, or two nodes joined; `parts` are positions in the list of nodes."""

    name: str
    size: int
    clusters: tuple[int, ...]
    parts: tuple[int, int] | None = None


class Half(NamedTuple):
    """A finer group of documents, half of a cluster or all of it."""

    cluster: int
    name: str
    size: int


@dataclass(frozen=True, eq=False)
class Shown:
    """All that a payload is made of; rows are those of the summary's documents."""

    summary: "Summary"
    found: "Found"
    places: Array
    centres: Array
    radii: Array
    hues: Sequence[int]
    tree: Sequence[Node] = ()
    halves: Sequence[Half] = ()
    half: Labels | None = None
    texts: Sequence[str] | None = None
    columns: Sequence[Column] = ()
    word_labels: Labels | None = None
    links: str = ""
    is_file: Sequence[bool] = ()
    layout: str = "discs"
    remembered: Remembered = field(default_factory=Remembered)


@dataclass(frozen=True)
class Budget:
    """How much a payload may hold: documents with titles and texts, points, bytes in base64."""

    listed: int = MOST_LISTED
    points: int = MOST_POINTS
    n_bytes: int = MOST_BYTES
    texts: bool = True


@dataclass
class Payload:
    """The head and the parts; both are plain."""

    head: dict[str, Any]
    parts: dict[str, bytes] = field(default_factory=dict)

    def head_text(self) -> str:
        """The head as JSON."""
        return json.dumps(self.head, ensure_ascii=False, allow_nan=False)

    def packed(self) -> dict[str, str]:
        """The head and the parts, compressed and in base64: no sign of theirs is markup."""
        parts = {"head": self.head_text().encode()} | self.parts
        return {name: base64.b64encode(zipped(part)).decode() for name, part in parts.items()}


def make_payload(shown: Shown, budget: Budget | None = None) -> Payload:
    """Gather the data that the page and the explorer show.

    The typical and the doubtful documents are listed first where not all can be; the others
    are spread evenly over each cluster.
    """
    budget = Budget() if budget is None else budget
    order, n_listed = _order(shown, budget)
    arrays = _document_arrays(shown, order)
    payload = Payload(_head(shown, len(order), n_listed))
    _add_words(payload, shown, order)
    if shown.word_labels is not None:
        payload.head["blocks"], pictures = block_pictures(
            shown.found.views[0].counts, shown.found.assignments.labels, shown.word_labels
        )
        arrays |= pictures
    payload.parts["names"] = shown.remembered(
        [shown.found.positions, order[:n_listed], list(shown.is_file)],
        _names,
        shown,
        order[:n_listed],
        most=LARGE,
    )
    if budget.texts and shown.texts is not None:
        _add_texts(payload, arrays, [shown.texts[at] for at in order[:n_listed]], budget)
    payload.head["arrays"], payload.parts["arrays"] = laid_out(arrays)
    return payload


def _add_texts(payload: Payload, arrays: Arrays, texts: Sequence[str], budget: Budget) -> None:
    used = sum(len(zipped(part)) for part in payload.parts.values())
    used += len(zipped(laid_out(arrays)[1]))
    packed = pack_texts(texts, 3 * budget.n_bytes // 4 - used)
    payload.parts |= packed.parts
    payload.head["whole"] = bool(all(packed.whole))
    payload.head["notes"] += packed.notes
    arrays["whole"] = "u8", packed.whole


# Documents


def _order(shown: Shown, budget: Budget) -> tuple[Labels, int]:
    """Positions of the documents, the listed ones first, and how many these are."""
    n_documents = len(shown.summary.documents)
    every: Labels = np.arange(n_documents)
    n_listed = min(n_documents, budget.listed)
    if n_listed == n_documents:
        return every, n_listed
    place = {row.id: at for at, row in enumerate(shown.summary.documents)}
    typical = [each.position for one in shown.summary.clusters for each in one.documents]
    doubtful = [place[row.id] for row in shown.summary.doubtful[: n_listed // 4]]
    first = list(dict.fromkeys([*typical, *doubtful]))[:n_listed]
    rest = _spread(np.setdiff1d(every, first), shown.found.assignments.labels)
    order = np.concatenate([np.array(first, dtype=np.intp), rest])
    listed = np.sort(order[:n_listed])
    return np.concatenate([listed, np.sort(order[n_listed : budget.points])]), n_listed


def _spread(positions: Labels, labels: Labels) -> Labels:
    """Positions in an order of which every beginning has each cluster's share."""
    mine = labels[positions]
    keys = np.empty(len(positions))
    for label in np.unique(mine):
        members = np.flatnonzero(mine == label)
        steps = (np.arange(len(members)) * 0.6180339887498949) % 1
        keys[members] = steps
    ordered: Labels = positions[np.argsort(keys, kind="stable")]
    return ordered


def _document_arrays(shown: Shown, order: Labels) -> Arrays:
    """The arrays with a value a document: their types and values."""
    found = shown.found.assignments
    position = np.full(found.n_clusters, NONE, dtype=np.int64)
    for at, cluster in enumerate(shown.summary.clusters):
        position[cluster.index] = at
    second = np.full(len(order), NONE, dtype=np.int64)
    second_probability: Array = np.zeros(len(order))
    if found.has_second:
        labels, probabilities = found.second_choices
        second, second_probability = position[labels[order]], probabilities[order]
    x, y = _square(shown)[order].T
    arrays: Arrays = {
        "cluster": ("u16", position[found.labels[order]]),
        "second": ("u16", second),
        "probability": ("u16", _sixteen_bits(found.probabilities[order])),
        "second_probability": ("u16", _sixteen_bits(second_probability)),
        "x": ("u16", _sixteen_bits(x)),
        "y": ("u16", _sixteen_bits(y)),
    }
    if shown.half is not None:
        arrays["half"] = "u16", shown.half[order]
    types = {"category": "u16", "number": "f32", "date": "i32"}
    for at, column in enumerate(shown.columns):
        arrays[f"column_{at}"] = types[column.kind], np.asarray(column.data)[order]
    return arrays


def _sixteen_bits(shares: Array) -> Any:
    return np.round(np.clip(shares, 0, 1) * 65535)


def _bounds(shown: Shown) -> tuple[Array, float]:
    """The lower left corner of the square that holds the map, and its side."""
    lows = np.vstack([shown.places, shown.centres - shown.radii[:, None]]).min(axis=0)
    highs = np.vstack([shown.places, shown.centres + shown.radii[:, None]]).max(axis=0)
    side = max(float((highs - lows).max()), 1e-9)
    return (lows + highs - side) / 2, side


def _square(shown: Shown) -> Array:
    corner, side = _bounds(shown)
    places: Array = (shown.places - corner) / side
    return places


def _names(shown: Shown, listed: Labels) -> bytes:
    rows = shown.summary.documents.some(listed)
    files = [int(shown.is_file[at]) for at in listed.tolist()] if len(shown.is_file) else []
    content = {
        "titles": [shorten(row.title, TITLE_LENGTH) for row in rows],
        "ids": [row.id for row in rows],
        "files": files,
    }
    return json.dumps(content, ensure_ascii=False).encode()


# Head


def _head(shown: Shown, n_points: int, n_listed: int) -> dict[str, Any]:
    summary = shown.summary
    return {
        "title": summary.title,
        "n_documents": summary.n_documents,
        "n_points": n_points,
        "n_listed": n_listed,
        "whole": False,
        "likely": LIKELY,
        "close": CLOSE,
        "links": shown.links,
        "layout": shown.layout,
        "clusters": _clusters(shown),
        "tree": [node._asdict() for node in shown.tree],
        "halves": [half._asdict() for half in shown.halves],
        "columns": [
            {"name": each.name, "kind": each.kind, "values": each.values,
             "period": each.period}
            for each in shown.columns
        ],
        "word_clusters": [
            {"number": each.number, "n_words": each.n_words,
             "name": " · ".join(readable_word(word.word) for word in each.words[:3])}
            for each in summary.word_clusters
        ],
        "blocks": None,
        "notes": _sample_notes(summary.n_documents, n_points, n_listed),
    }  # fmt: skip


def _sample_notes(n_documents: int, n_points: int, n_listed: int) -> list[str]:
    notes = []
    if n_listed < n_documents:
        notes.append(
            f"This page lists {thousands(n_listed)} of {counted(n_documents, 'document')}, "
            "a sample of each cluster with its typical and doubtful documents."
        )
    if n_points < n_documents:
        notes.append(f"The map shows {thousands(n_points)} of them.")
    return notes


def _clusters(shown: Shown) -> list[dict[str, Any]]:
    corner, side = _bounds(shown)
    return [
        {
            "number": each.number,
            "name": each.name,
            "size": each.size,
            "share": each.share,
            "probability": each.mean_probability,
            "doubtful": each.n_doubtful,
            "hue": shown.hues[at],
            "x": float((shown.centres[at, 0] - corner[0]) / side),
            "y": float((shown.centres[at, 1] - corner[1]) / side),
            "radius": float(shown.radii[at] / side),
            "words": [
                {"word": word.word, "shown": readable_word(word.word), "lift": word.lift,
                 "weight": word.weight}
                for word in each.words
            ],
        }
        for at, each in enumerate(shown.summary.clusters)
    ]  # fmt: skip


# Words


def _add_words(payload: Payload, shown: Shown, order: Labels) -> None:
    """Add the distinctive words of all clusters, their shares and their documents."""
    indices = np.array([each.index for each in shown.summary.clusters])
    words: list[str] = []
    shares, columns = [], []
    per_cluster = max(12, MOST_SHARES // max(len(indices) ** 2, 1)) // len(shown.found.views)
    for view in shown.found.views:
        profile = view.words
        corpus, most = checksum(profile.corpus), min(per_cluster, 150)
        ranked = [
            shown.remembered(
                [profile.clusters[k], corpus, most, len(profile.clusters) == 1],
                WordProfile.ranked, profile, k, most,
            )
            for k in indices
        ]  # fmt: skip
        chosen = np.unique(np.concatenate(ranked)).astype(np.intp)
        words += [encodable(str(profile.words[at])) for at in chosen]
        shares.append(profile.clusters[indices][:, chosen])
        columns.append((view.counts, chosen))
    table = np.hstack(shares).astype("<f4")
    payload.parts["words"] = json.dumps(
        {
            "words": words,
            "shown": [readable_word(word) for word in words],
            "main": table.argmax(axis=0).tolist() if table.size else [],
        },
        ensure_ascii=False,
    ).encode()
    payload.parts["word_shares"] = table.tobytes()
    payload.parts["word_postings"] = shown.remembered(
        [shown.found.positions, order, *(chosen for _, chosen in columns)],
        _word_postings,
        columns,
        order,
        most=LARGE,
    )


def _word_postings(columns: Sequence[tuple[Counts, Labels]], order: Labels) -> bytes:
    """The documents of some words of each view."""
    counts = [cells_at(counts, order, chosen) for counts, chosen in columns]
    return postings(sp.hstack(counts, format="csc"), with_counts=True)
