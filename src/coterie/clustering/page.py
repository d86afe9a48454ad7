"""What the page and the explorer show of a clustering: the payload of `coterie.report`."""

import datetime
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.clustering import levels
from coterie.clustering.columns import DAY, MONTH, YEAR, _day, _is_missing
from coterie.clustering.layout import lay_out
from coterie.clustering.tables import texts_of
from coterie.findings.names import distinct_names
from coterie.findings.saved import portable_source
from coterie.findings.summary import words_of_name
from coterie.findings.texts import encodable, shorten
from coterie.report.html import LIGHT, hue
from coterie.report.payload import (
    NONE,
    Budget,
    Column,
    Half,
    Node,
    Payload,
    Shown,
    make_payload,
)

if TYPE_CHECKING:
    from coterie.clustering.result import Clustering
    from coterie.corpus import Corpus

MOST_COLUMNS = 20
MOST_COMPARED = 2 * 10**8  # pairs of clusters times words, to find a tree
MOST_VALUES = 300
FEW = 20  # distinct whole numbers that are taken as names
VALUE_LENGTH = 60
MISSING_DAY = -(2**31)
FIRST_DAY = datetime.date(1970, 1, 1).toordinal()
PERIODS = {YEAR: "year", MONTH: "month", DAY: "day"}


MOST_DOCUMENTS = 200_000  # that a page holds; beyond, it is a light one


def page_payload(
    result: "Clustering", folder: Path, corpus: "Corpus | None" = None
) -> Payload | None:
    """The payload of the page of a clustering that lies in a folder; None for a light page."""
    return None if is_light(result) else payload(result, folder=folder, corpus=corpus)


def is_light(result: "Clustering") -> bool:
    """Tell whether the page of a clustering is a light one: by wish, or as it would be huge."""
    return result.about.page == LIGHT or len(result.corpus) > MOST_DOCUMENTS


def payload(
    result: "Clustering",
    budget: Budget | None = None,
    *,
    folder: Path | None = None,
    corpus: "Corpus | None" = None,
) -> Payload:
    """The payload of a clustering; `folder` is where the page will lie.

    `corpus` is that of the clustering with its texts in memory, where it is at hand.
    """
    found = result._found
    budget = Budget() if budget is None else budget
    corpus = result.corpus if corpus is None else corpus
    texts = texts_of(corpus, found.positions) if budget.texts else None
    places, centres, radii = lay_out(result)
    nodes = _tree(result)
    halves, half = _halves(result)
    links, is_file = _files(result, folder)
    shown = Shown(
        summary=result.summary,
        found=found,
        places=places,
        centres=centres,
        radii=radii,
        hues=[int(hue(number)) for number in result.numbers],
        tree=nodes,
        halves=halves,
        half=half,
        texts=texts,
        columns=_columns(result),
        word_labels=_word_labels(result),
        links=links,
        is_file=is_file,
        layout=result.about.layout,
        remembered=result._remembered,
    )
    return make_payload(shown, budget)


def _word_labels(result: "Clustering") -> Any:
    """Word clusters of a model that has them, in a single view."""
    labels = getattr(result.model, "word_labels_", None)
    views = result._found.views
    if labels is None or len(views) > 1 or not result.summary.word_clusters:
        return None
    return np.asarray(labels) if len(labels) == views[0].counts.shape[1] else None


# Coarser and finer


def _tree(result: "Clustering") -> list[Node]:
    """The clusters, then what they are joined to, one pair at a time."""
    clusters = result.summary.clusters
    nodes = [Node(each.name, each.size, (each.number,)) for each in clusters]
    top = {each.number: at for at, each in enumerate(clusters)}
    for one, other in levels._joins(result) if _is_quickly_joined(result) else ():
        first, second = top[one], top[other]
        together = nodes[first].clusters + nodes[second].clusters
        size = nodes[first].size + nodes[second].size
        nodes.append(Node("", size, tuple(sorted(together)), (first, second)))
        for number in together:
            top[number] = len(nodes) - 1
    names = _joined_names(result, nodes[len(clusters) :])
    return [
        node if node.name else node._replace(name=name)
        for node, name in zip(nodes, [*("" for _ in clusters), *names], strict=True)
    ]


def _is_quickly_joined(result: "Clustering") -> bool:
    """Whether there is a tree, or one can be had within seconds."""
    n_words = sum(view.counts.shape[1] for view in result._found.views)
    known = result.summary.hierarchy is not None
    return known or len(result.numbers) ** 2 * n_words <= MOST_COMPARED


def _joined_names(result: "Clustering", nodes: Sequence[Node]) -> list[str]:
    hierarchy = result.summary.hierarchy
    if hierarchy is not None:
        known = {frozenset(node.clusters): node.name for node in hierarchy.nodes}
        if all(frozenset(node.clusters) in known for node in nodes):
            return [known[frozenset(node.clusters)] for node in nodes]
    found = result._found
    candidates = [
        words_of_name(
            found, result._remembered, np.isin(found.assignments.labels + 1, node.clusters)
        )
        for node in nodes
    ]
    return distinct_names(candidates)


def _halves(result: "Clustering") -> tuple[list[Half], Any]:
    """The finest groups of the tree, and that of each document."""
    hierarchy, by_level = result.summary.hierarchy, result.summary.levels
    if hierarchy is None or max(by_level) <= len(result.numbers):
        return [], None
    finest = by_level[max(by_level)]
    wholes = {node.parent for node in hierarchy.nodes}
    leaves = [i for i in range(len(hierarchy.nodes)) if i not in wholes]
    leaves.sort(key=lambda i: (-hierarchy.nodes[i].size, i))
    place = {number: at for at, number in enumerate(result.numbers)}
    halves = [
        Half(place[node.clusters[0]], node.name, node.size)
        for node in (hierarchy.nodes[i] for i in leaves)
    ]
    return halves, np.asarray(finest) - 1


# Columns


def _columns(result: "Clustering") -> list[Column]:
    """The columns by which documents can be coloured and counted, the classes first.

    They are read once, of all documents, so that a value keeps its colour whatever is dropped.
    """
    kept = result._found.positions
    columns = result._remembered([], _read_columns, result)
    return [each._replace(data=np.asarray(each.data)[kept]) for each in columns]


def _read_columns(result: "Clustering") -> list[Column]:
    corpus = result.corpus
    columns = []
    if corpus.labels is not None:
        values = [None if each in (None, "") else str(each) for each in corpus.labels]
        columns.append(_category("class", values))
    table, reading = corpus.columns, result.about.reading
    skipped = {*reading.text, *reading.views, reading.id, reading.title, reading.label}
    if table is not None:
        names = [name for name in table.column_names if name not in skipped]
        columns += [column_of(name, table[name].to_pylist()) for name in names]
    return [each for each in columns if each is not None][:MOST_COLUMNS]


def column_of(name: str, values: Sequence[Any]) -> Column | None:
    """A column as dates, numbers or a few names; None where it is none of these.

    Examples
    --------
    >>> column_of("date", ["2024-05-17", None]).data.tolist()
    [19860, -2147483648]
    >>> column_of("stars", [5, 3, 5]).values
    ('3', '5')
    """
    known = [value for value in values if not _is_missing(value)]
    if not known:
        return None
    name = encodable(name)
    return (
        _dates(name, values, known) or _numbers(name, values, known) or _category(name, values)
    )


def _dates(name: str, values: Sequence[Any], known: Sequence[Any]) -> Column | None:
    if any(isinstance(value, bool | float) for value in known):
        return None
    days = [None if _is_missing(value) else _day(value) for value in values]
    exact = [day.exact for day in days if day is not None]
    if len(exact) < 0.9 * len(known):
        return None
    if max(exact) == YEAR and not any(word in name.lower() for word in ("year", "date")):
        return None
    data = [MISSING_DAY if day is None else day.date.toordinal() - FIRST_DAY for day in days]
    period = PERIODS[min(exact)]
    return Column(name, "date", np.array(data, dtype=np.int64), period=period)


def _numbers(name: str, values: Sequence[Any], known: Sequence[Any]) -> Column | None:
    numeric = all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in known
    )
    if not numeric:
        return None
    if len(set(known)) <= FEW:
        named = {value: f"{value:g}" for value in sorted(set(known))}
        texts = [None if _is_missing(value) else named[value] for value in values]
        return _category(name, texts, list(named.values()))
    data = [np.nan if _is_missing(value) else float(value) for value in values]
    finite = np.array(data)
    finite[np.abs(finite) > 1e30] = np.nan
    return Column(name, "number", finite)


def _category(
    name: str, values: Sequence[Any], order: Sequence[str] | None = None
) -> Column | None:
    texts = [
        None if _is_missing(value) else shorten(encodable(str(value)), VALUE_LENGTH)
        for value in values
    ]
    frequencies = Counter(text for text in texts if text is not None)
    if not frequencies or len(frequencies) > min(MOST_VALUES, max(2, len(texts) // 2)):
        return None
    listed = order or sorted(frequencies, key=lambda text: (-frequencies[text], text))
    codes = {text: code for code, text in enumerate(listed)}
    data = np.array([NONE if text is None else codes[text] for text in texts])
    return Column(name, "category", data, tuple(listed))


# Files


def _files(result: "Clustering", folder: Path | None) -> tuple[str, list[bool]]:
    """Where the files of the documents lie as seen from a folder, and which ids are files."""
    if folder is None or not result.about.source:
        return "", []
    source = folder / result.about.source
    links = portable_source(source, folder)
    if not source.is_dir() or (folder / links).resolve() != source.resolve():
        return "", []
    is_file = [_is_below(source, name) for name in result._found.corpus.ids]
    return (f"./{links}/", is_file) if any(is_file) else ("", [])


def _is_below(source: Path, name: str) -> bool:
    if not name or ".." in Path(name).parts or Path(name).is_absolute() or "\0" in name:
        return False
    return (source / name).is_file()
