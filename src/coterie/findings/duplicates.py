r"""Duplicates: documents with equal counts, or with a cosine of 0.9 or more.

Cosines are those of weighted counts, :math:`\log(1 + n) \log((N + 1) / df)`, so that words
of most documents make no two of them alike. Not all pairs are compared, yet none is missed.
Of each document *x*, of length one, take the rarest words, its *rare* part *p*; the others are
its rest. Of two documents take that whose rare part ends first, in the order of all words by
rarity. What they share among its rare words is in both rare parts, and its product is *a*. The
angle between the two is at least the difference of their angles to the space of these words, so
that a cosine of *t* needs

.. math:: a \ge |p| \cos(\arccos |p| + \arccos t).

The rare part is so long that no word of it alone can give this product to a document at a
cosine of *t*. Two documents alike then share two words of their rare parts; only those that
share such a pair are compared. Few do, however many documents there are, so that the time grows
as their number.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from coterie.arrays import document_frequencies
from coterie.findings.assignments import DocumentRows
from coterie.kernels import alike
from coterie.types import Array, Counts, Labels

kernel: Any = alike  # compiled functions have no types
ALIKE = 0.9
ROUNDING = 1e-5  # single precision must not part what is at the limit
BLOCK_ROWS = 1 << 16
BLOCK_KEYS = 1 << 23  # pairs of words that are sorted together
KEY_WORK = 16  # a key takes the time of so many comparisons
MOST_KEYS, MOST_PAIRS = 1 << 31, 1 << 31
"""What is compared in about a minute; beyond, only equal counts are found."""


@dataclass(frozen=True)
class Duplicate:
    """A document of a group, and its cosine with the first of the group."""

    position: int
    id: str
    title: str
    label: str | None
    cluster: int
    similarity: float


@dataclass(frozen=True)
class DuplicateGroup:
    """Documents alike, in the order of the corpus; `same_words` if all counts are equal."""

    number: int
    same_words: bool
    documents: tuple[Duplicate, ...]

    @property
    def clusters(self) -> tuple[int, ...]:
        """Numbers of the clusters they are in."""
        return tuple(sorted({document.cluster for document in self.documents}))


@dataclass(frozen=True)
class Duplicates:
    """Groups of documents alike, the largest first.

    `n_repeated` documents could be left out if one of each group were kept, `n_equal` of them
    with counts equal to those of another. `compared` is False where too many documents are
    too much alike to compare them, so that only those with equal counts were found.
    """

    groups: tuple[DuplicateGroup, ...]
    n_repeated: int
    n_equal: int
    compared: bool


class Alike(NamedTuple):
    """Documents of a group: positions, cosines with the first, whether its counts are equal."""

    members: Labels
    similarities: Array
    same_words: bool


class Groups(NamedTuple):
    """What `Duplicates` is told from, which depends on nothing but the counts."""

    groups: tuple[Alike, ...]
    n_repeated: int
    n_equal: int
    compared: bool


def find_duplicates(documents: DocumentRows, found: Groups) -> Duplicates:
    """Groups of documents alike, as a report shows them."""
    return Duplicates(
        groups=tuple(
            _described(number, each, documents)
            for number, each in enumerate(found.groups, start=1)
        ),
        n_repeated=found.n_repeated,
        n_equal=found.n_equal,
        compared=found.compared,
    )


class Linked(NamedTuple):
    """A number for each document, equal for those alike, and one equal for equal counts."""

    alike: Labels
    equal: Labels
    compared: bool


def link_documents(counts: Sequence[Counts], near: bool = True) -> Linked:
    """Which documents are alike in all views together; only equal ones where not `near`."""
    table = _canonical(counts)
    equal = equal_rows(table)
    firsts = first_of_each(equal)
    alike: Labels = np.arange(len(firsts))
    compared = False
    if near:
        with suppress(TooManyPairsError):
            alike, compared = alike_rows(Weighted.of(table), firsts), True
    return Linked(alike[equal], equal, compared)


def alike_documents(
    counts: Sequence[Counts], linked: Linked | None = None, kept: Labels | None = None
) -> Groups:
    """Groups of the documents kept that are alike, those without words left out.

    What is kept changes neither weights nor links: two documents may be in a group by a third
    that is left out. Members are positions among those kept.
    """
    linked = link_documents(counts) if linked is None else linked
    table = _canonical(counts)
    kept = np.arange(table.shape[0]) if kept is None else kept
    filled, equal = np.diff(table.indptr)[kept] > 0, linked.equal[kept]
    groups = _groups(linked.alike[kept], filled)
    weighted = Weighted.of(table)
    return Groups(
        groups=tuple(_group(members, equal, weighted, kept) for members in groups),
        n_repeated=sum(len(members) - 1 for members in groups),
        n_equal=int(filled.sum()) - len(np.unique(equal[filled])),
        compared=linked.compared,
    )


class TooManyPairsError(Exception):
    """More pairs than can be compared in minutes."""


def equal_rows(table: Counts) -> Labels:
    """A number for each row, equal for rows with equal counts, counting from the first row.

    Examples
    --------
    >>> equal_rows(sp.csr_array([[1, 2], [0, 3], [1, 2]]))
    array([0, 1, 0])
    """
    hashes = np.empty((table.shape[0], 2), dtype=np.uint64)
    bits = table.data.view(f"u{table.data.itemsize}")
    kernel.row_hashes(table.indptr, table.indices, bits, hashes)
    order = np.lexsort((hashes[:, 1], hashes[:, 0]))  # stable: of equals, the first is first
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any(hashes[order[1:]] != hashes[order[:-1]], axis=1)
    for at in np.flatnonzero(~is_new):  # equal in 128 bits; compare all the same
        is_new[at] = not kernel.rows_equal(
            table.indptr, table.indices, table.data, order[at - 1], order[at]
        )
    firsts = order[is_new]
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.argsort(np.argsort(firsts))[np.cumsum(is_new) - 1]
    return numbers


@dataclass(frozen=True, eq=False)
class Weighted:
    """Counts of documents, with what turns them into weights of length one when needed.

    `rarity` has the weight of each word, `norms` the length of each weighted document.
    """

    counts: Counts
    rarity: Array
    norms: Array

    @classmethod
    def of(cls, counts: Counts) -> "Weighted":
        """Weigh words by the documents that have them."""
        n_filled = np.count_nonzero(np.diff(counts.indptr))
        df = document_frequencies(counts)
        rarity = np.log((n_filled + 1) / np.maximum(df, 1))
        norms = np.empty(counts.shape[0])
        kernel.row_norms(counts.indptr, counts.indices, counts.data, rarity, norms)
        return cls(counts, rarity, norms)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The counts as arrays, the weights of words and the lengths."""
        counts = self.counts
        return counts.indptr, counts.indices, counts.data, self.rarity, self.norms

    def cosines(self, first: Labels, second: Labels) -> Array:
        """Cosines of pairs of documents."""
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        return np.array([kernel.cosine(*self.arrays, a, b) for a, b in pairs])


class RareParts(NamedTuple):
    """The rarest words of some rows, by rank, and their weights; row *i* ends at `ends[i]`."""

    ends: Labels
    words: Labels
    values: Array


def rare_parts(weighted: Weighted, rows: Labels, limit: float = ALIKE) -> RareParts:
    """The rarest words of some documents, as few as make two shared words necessary.

    Examples
    --------
    >>> counts = sp.csr_array(np.ones((4, 10)) - np.eye(4, 10))
    >>> np.diff(rare_parts(Weighted.of(counts), np.arange(2)).ends, prepend=0)
    array([4, 4])
    """
    indptr, indices, data, rarity, norms = weighted.arrays
    rank = np.empty(len(rarity), dtype=np.int32)
    rank[np.argsort(-rarity, kind="stable")] = np.arange(len(rarity), dtype=np.int32)
    parts, end = [], 0
    for start in range(0, max(len(rows), 1), BLOCK_ROWS):
        block = rows[start : start + BLOCK_ROWS]
        most = int(np.sum(indptr[block + 1] - indptr[block]))
        words, values = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.float32)
        ends = np.zeros(len(block), dtype=np.int64)
        inputs = indptr, indices, data, rarity, rank, norms, block, limit
        n = kernel.rare_parts(*inputs, ends, words, values)
        parts.append((end + ends, words[:n].copy(), values[:n].copy()))
        end += n
    return RareParts(*map(np.concatenate, zip(*parts, strict=True)))


def alike_rows(weighted: Weighted, rows: Labels, limit: float = ALIKE) -> Labels:
    """A number for each of some documents, equal for those linked by cosines at the limit.

    Examples
    --------
    >>> counts = sp.csr_array([[1, 1, 1, 0, 0], [0, 0, 1, 1, 1], [0, 0, 1, 1, 1]])
    >>> alike_rows(Weighted.of(counts), np.arange(3))
    array([0, 1, 1])
    """
    limit = limit - ROUNDING
    rare = rare_parts(weighted, rows, limit)
    starts = np.concatenate([[0], rare.ends])
    lengths = _lengths(rare.values, starts)
    parents = np.arange(len(rows))
    n_left = MOST_PAIRS
    for bounds, owners in _sharing(rare, starts, len(weighted.rarity), limit):
        sharing = bounds, owners, starts, rare.words, rare.values, lengths
        n_pairs = kernel.link_alike(*sharing, rows, *weighted.arrays, limit, parents, n_left)
        if n_pairs < 0:
            raise TooManyPairsError
        n_left -= n_pairs
    return np.array([kernel.find(parents, row) for row in range(len(rows))], dtype=np.int64)


def _lengths(values: Array, starts: Labels) -> Array:
    """Lengths of rare parts, each from one of the starts to the next."""
    lengths = np.empty(len(starts) - 1)
    for first in range(0, len(lengths), BLOCK_ROWS):
        inside = starts[first : first + BLOCK_ROWS + 1]
        squares = np.square(values[inside[0] : inside[-1]], dtype=np.float64)
        sums = np.concatenate([[0.0], np.cumsum(squares)])[inside - inside[0]]
        lengths[first : first + BLOCK_ROWS] = np.sqrt(np.maximum(np.diff(sums), 0))
    return lengths


def _sharing(
    rare: RareParts, starts: Labels, n_words: int, limit: float
) -> Iterator[tuple[Labels, Labels]]:
    """Rows that share two rare words, or one where that is less work, in parts.

    The rows of a key are from one of the bounds to the next. A document whose rare part is all
    of it may share one word alone; both weights of that are then at the limit.
    """
    in_rows = np.bincount(rare.words, minlength=n_words).astype(np.float64)
    n_rare = np.diff(starts).astype(np.float64)
    n_keys = float(n_rare @ (n_rare + 1)) / 2
    singles = bool(in_rows @ in_rows <= KEY_WORK * n_keys)
    n_keys = n_rare.sum() if singles else n_keys
    if n_keys > MOST_KEYS:
        raise TooManyPairsError
    sizes = np.zeros(max(1, int(n_keys / BLOCK_KEYS)), dtype=np.int64)
    how = starts, rare.words, rare.values, np.uint64(n_words), singles, limit
    kernel.count_keys(*how, sizes)
    for part, n in enumerate(sizes.tolist()):
        keys, owners = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.int32)
        kernel.keys_of_part(*how, np.uint64(part), np.uint64(len(sizes)), keys, owners)
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        changes = np.flatnonzero(keys[1:] != keys[:-1]) + 1
        yield _several(np.concatenate([[0], changes, [n]]), owners[order])


def _several(bounds: Labels, owners: Labels) -> tuple[Labels, Labels]:
    """Only the keys that several rows have."""
    sizes = np.diff(bounds)
    several = sizes > 1
    kept = np.repeat(several, sizes)
    return np.concatenate([[0], np.cumsum(sizes[several])]), owners[kept]


def _canonical(counts: Sequence[Counts]) -> Counts:
    table = sp.csr_array(sp.hstack(counts, format="csr") if len(counts) > 1 else counts[0])
    if not table.has_canonical_format or not np.all(table.data):
        table = table.copy()
        table.sum_duplicates()
        table.eliminate_zeros()
    return table


def first_of_each(numbers: Labels) -> Labels:
    """First row of each number, which count up from the first row."""
    _, firsts = np.unique(numbers, return_index=True)
    positions: Labels = firsts
    return positions


def _groups(together: Labels, filled: Labels) -> list[Labels]:
    """Positions of the documents of each group of several, the largest group first."""
    sizes = np.bincount(together[filled], minlength=int(together.max(initial=0)) + 1)
    positions = np.flatnonzero(filled & (sizes[together] > 1))
    order = positions[np.argsort(together[positions], kind="stable")]
    _, starts = np.unique(together[order], return_index=True)
    several = np.split(order, starts[1:]) if len(order) else []
    return sorted(several, key=lambda members: (-len(members), members[0]))


def _group(members: Labels, equal: Labels, weighted: Weighted, kept: Labels) -> Alike:
    same_as_first = equal[members] == equal[members[0]]
    similarities = np.ones(len(members))
    others = members[~same_as_first]
    first = np.full(len(others), kept[members[0]])
    similarities[~same_as_first] = np.minimum(weighted.cosines(first, kept[others]), 1)
    return Alike(members, similarities, bool(same_as_first.all()))


def _described(number: int, found: Alike, documents: DocumentRows) -> DuplicateGroup:
    rows = zip(
        found.members.tolist(),
        documents.some(found.members),
        found.similarities.tolist(),
        strict=True,
    )
    return DuplicateGroup(
        number=number,
        same_words=found.same_words,
        documents=tuple(
            Duplicate(position, row.id, row.title, row.label, row.cluster, similarity)
            for position, row, similarity in rows
        ),
    )
