r"""Duplicates: documents with equal counts, or with a cosine of 0.9 or more.

Cosines are those of weighted counts, :math:`\log(1 + n) \log((N + 1) / df)`, so that words
of most documents make no two of them alike. Not all pairs are compared, yet none is
missed. Of each document *x*, of length one, the rarest words that hold half of its squared
length are its *rare* part *p*, the others its rest *s*. Of two documents take that whose rare
part ends first, in the order of all words by rarity. What they share among its rare words is
in both rare parts, and its product is *a*; the other then has at least :math:`a / |p|` of its
length there, so that for the rest

.. math:: \cos \le a + |s| \sqrt{1 - (a / |p|)^2}.

Rare words are in few documents, so the products *a* of all pairs are cheap, a block of rows at
a time; pairs whose bound is 0.9 or more are then compared in full.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from coterie.findings.assignments import DocumentRow
from coterie.types import Array, Counts, Labels
from coterie.weighting import WordWeights

ALIKE = 0.9
ROUNDING = 1e-5  # single precision must not part what is at the limit
RARE_SHARE = 0.5  # of the squared length: less makes fewer pairs, but looser bounds
BLOCK_PAIRS = 1 << 21
MOST_PAIRS = 1 << 29
"""Pairs that are compared in about a minute; beyond, only equal counts are found."""


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


def find_duplicates(documents: Sequence[DocumentRow], counts: Sequence[Counts]) -> Duplicates:
    """Groups of documents alike in all views together, those without words left out."""
    table = _canonical(counts)
    equal = equal_rows(table)
    firsts = first_of_each(equal)
    rows, compared = weighted_unit_rows(table, firsts), True
    try:
        alike = alike_rows(rows)
    except TooManyPairsError:
        alike, compared = np.arange(len(firsts)), False
    filled = np.diff(table.indptr) > 0
    together = alike[equal]
    groups = _groups(together, filled)
    return Duplicates(
        groups=tuple(
            _group(number, members, equal, rows, documents)
            for number, members in enumerate(groups, start=1)
        ),
        n_repeated=sum(len(members) - 1 for members in groups),
        n_equal=int(filled.sum()) - len(np.unique(equal[filled])),
        compared=compared,
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
    known: dict[tuple[bytes, bytes], int] = {}
    numbers = np.empty(table.shape[0], dtype=np.int64)
    for row, (start, end) in enumerate(zip(table.indptr, table.indptr[1:], strict=False)):
        key = table.indices[start:end].tobytes(), table.data[start:end].tobytes()
        numbers[row] = known.setdefault(key, len(known))
    return numbers


def weighted_unit_rows(table: Counts, rows: Labels) -> Counts:
    """Some rows scaled to length one, words weighted as in the whole table."""
    from sklearn.preprocessing import normalize

    weights = WordWeights(scale=1.0, least_length=0, min_df=1).fit(table).transform(table[rows])
    return sp.csr_array(normalize(weights.astype(np.float64)), dtype=np.float32)


def alike_rows(rows: Counts, limit: float = ALIKE) -> Labels:
    """A number for each row of length one, equal for rows linked by cosines at the limit.

    Examples
    --------
    >>> alike_rows(sp.csr_array([[1.0, 0.0], [0.6, 0.8], [0.64, 0.768]]))
    array([0, 1, 1])
    """
    groups = np.arange(rows.shape[0])
    for first, second in _candidate_pairs(rows, limit):
        apart = groups[first] != groups[second]
        first, second = first[apart], second[apart]
        near = cosines(rows, first, second) >= limit - ROUNDING
        if near.any():
            groups = _linked(groups, first[near], second[near])
    return groups


def cosines(rows: Counts, first: Labels, second: Labels) -> Array:
    """Products of pairs of rows, a block of pairs at a time."""
    products = np.empty(len(first), dtype=np.float32)
    step = max(1, BLOCK_PAIRS // max(1, rows.nnz // max(1, rows.shape[0])))
    for start in range(0, len(first), step):
        block = slice(start, start + step)
        products[block] = rows[first[block]].multiply(rows[second[block]]).sum(axis=1)
    return products


def rare_parts(rows: Counts) -> Counts:
    """Of each row of length one, its rarest words that hold half of its squared length.

    Examples
    --------
    >>> rare_parts(sp.csr_array([[0.6, 0.8, 0.0], [0.0, 0.8, 0.6]])).toarray()
    array([[0.6, 0.8, 0. ],
           [0. , 0.8, 0.6]])
    >>> rare_parts(sp.csr_array([[0.8, 0.6, 0.0], [0.0, 0.6, 0.8]])).toarray()
    array([[0.8, 0. , 0. ],
           [0. , 0. , 0.8]])
    """
    n_documents = np.bincount(rows.indices, minlength=rows.shape[1])
    rank = np.empty(rows.shape[1], dtype=np.int64)
    rank[np.argsort(n_documents, kind="stable")] = np.arange(rows.shape[1])
    lengths = np.diff(rows.indptr)
    lines = np.repeat(np.arange(rows.shape[0]), lengths)
    order = np.lexsort((rank[rows.indices], lines))
    values = rows.data[order].astype(np.float64)
    rarer = np.cumsum(values**2) - values**2
    rarer -= np.repeat(rarer[rows.indptr[:-1][lengths > 0]], lengths[lengths > 0])
    rare = order[rarer < RARE_SHARE]
    chosen = values[rarer < RARE_SHARE], (lines[rare], rows.indices[rare])
    return sp.csr_array(chosen, shape=rows.shape)


def _candidate_pairs(rows: Counts, limit: float) -> Iterator[tuple[Labels, Labels]]:
    """Pairs of rows whose rare words allow a cosine of the limit, in blocks of bounded size."""
    rare = rare_parts(rows)
    by_word = sp.csr_array(rare.T)
    lengths = np.sqrt(rare.multiply(rare).sum(axis=1))
    for start, end in _row_blocks(rare, np.diff(by_word.indptr)):
        shared = sp.coo_array(rare[start:end] @ by_word)
        later = shared.col > shared.row + start
        first, second = shared.row[later] + start, shared.col[later].astype(np.int64)
        product = shared.data[later]
        bound = np.maximum(_bound(product, lengths[first]), _bound(product, lengths[second]))
        near = bound >= limit - ROUNDING
        yield first[near], second[near]


def _bound(product: Array, length: Array) -> Array:
    """Upper bound of the cosine by the product of the rare parts and the length of one."""
    rest = np.sqrt(np.maximum(1 - length**2, 0))
    bound: Array = product + rest * np.sqrt(np.maximum(1 - (product / length) ** 2, 0))
    return bound


def _row_blocks(rare: Counts, n_documents: Labels) -> Iterator[tuple[int, int]]:
    """Starts and ends of blocks of rows, each in a bounded number of pairs."""
    words = sp.csr_array((np.ones(rare.nnz), rare.indices, rare.indptr), shape=rare.shape)
    pairs = np.cumsum(words @ n_documents.astype(np.float64))
    if len(pairs) and pairs[-1] > MOST_PAIRS:
        raise TooManyPairsError
    start = 0
    while start < len(pairs):
        done = pairs[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(pairs, done + BLOCK_PAIRS, side="right")))
        yield start, end
        start = end


def _linked(groups: Labels, first: Labels, second: Labels) -> Labels:
    """Groups joined where a pair links them, numbered from the first row."""
    from scipy.sparse.csgraph import connected_components

    n_groups = int(groups.max()) + 1
    links = sp.coo_array(
        (np.ones(len(first)), (groups[first], groups[second])), shape=(n_groups, n_groups)
    )
    _, joined = connected_components(links, directed=False)
    numbers: Labels = joined[groups].astype(groups.dtype)
    return numbers


def _canonical(counts: Sequence[Counts]) -> Counts:
    table = sp.csr_array(sp.hstack(counts, format="csr") if len(counts) > 1 else counts[0])
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
    positions = np.flatnonzero(filled)
    order = positions[np.argsort(together[positions], kind="stable")]
    _, starts = np.unique(together[order], return_index=True)
    several = [each for each in np.split(order, starts[1:]) if len(each) > 1]
    return sorted(several, key=lambda members: (-len(members), members[0]))


def _group(
    number: int, members: Labels, equal: Labels, rows: Counts, documents: Sequence[DocumentRow]
) -> DuplicateGroup:
    distinct = equal[members]
    same_as_first = distinct == distinct[0]
    similarities = np.minimum(cosines(rows, np.full_like(distinct, distinct[0]), distinct), 1)
    similarities[same_as_first] = 1
    return DuplicateGroup(
        number=number,
        same_words=bool(same_as_first.all()),
        documents=tuple(
            Duplicate(
                position=int(position),
                id=documents[position].id,
                title=documents[position].title,
                label=documents[position].label,
                cluster=documents[position].cluster,
                similarity=float(similarity),
            )
            for position, similarity in zip(members, similarities, strict=True)
        ),
    )
