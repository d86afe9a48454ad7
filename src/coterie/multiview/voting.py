"""Votes of the models of single views, and who agrees (Kim et al., 2010, section 2.2)."""

from math import ceil

import numpy as np
import scipy.sparse as sp

from coterie.types import Array, Labels

NO_VOTE = -1
MOST_COMPARED = 1000  # patterns that may be signatures, the most frequent


def voting_patterns(memberships: list[Array]) -> Labels:
    """The cluster of each document in each view, -1 where it lacks the view.

    Examples
    --------
    >>> en, de = np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.0, 0.0], [0.7, 0.3]])
    >>> voting_patterns([en, de])
    array([[ 0, -1],
           [ 1,  0]])
    """
    return np.column_stack(
        [np.where(q.any(axis=1), q.argmax(axis=1), NO_VOTE) for q in memberships]
    )


def signatures(patterns: Labels, n_clusters: int, agreement: float | None = None) -> Labels:
    """The patterns of the largest groups of documents with similar patterns, largest first.

    Documents are in the group of a pattern where enough votes are in common, as they are when
    pre-assigned, and more than half. A document counts in the first group only: else the
    pattern of a large group and one that differs from it in a single vote would both be
    signatures, and a smaller group would have none. A pattern with a vote missing comes after
    all whole ones. Of equally large groups, that with more documents of the very pattern comes
    first, then the first by its numbers, whatever the order of the documents.

    Examples
    --------
    >>> patterns = np.array([[0, 0, 0]] * 4 + [[0, 0, 1]] * 3 + [[1, 1, 1]] * 2)
    >>> signatures(patterns, 2)
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    distinct, sizes = np.unique(patterns, axis=0, return_counts=True)
    n_votes, n_views = (distinct != NO_VOTE).sum(axis=1), patterns.shape[1]
    usable = np.flatnonzero(n_votes >= min(2, n_views))
    usable = usable[np.argsort(-sizes[usable], kind="stable")][:MOST_COMPARED]
    half = np.maximum(n_votes, min(2, n_views)) // 2
    needed = np.maximum(votes_needed(n_votes, n_views, agreement), half + 1)
    groups_of = [_similar(distinct, pattern, needed) for pattern in distinct[usable]]
    ends = np.cumsum([0, *map(len, groups_of)])
    members = np.concatenate([np.zeros(0, dtype=np.int64), *groups_of])
    shape = len(usable), len(distinct)
    similar = sp.csr_array((np.ones(len(members)), members, ends), shape=shape)
    has_gaps, left, chosen = n_votes[usable] < n_views, sizes.copy(), list[int]()
    while len(chosen) < min(n_clusters, len(usable)):
        groups = similar @ left
        keys = usable, -sizes[usable], -groups, has_gaps, groups == 0, np.isin(usable, chosen)
        best = int(np.lexsort(keys)[0])
        chosen.append(int(usable[best]))
        left[groups_of[best]] = 0
    frequent: Labels = distinct[chosen]
    return frequent


def _similar(distinct: Labels, pattern: Labels, needed: Labels) -> Labels:
    """Which patterns have the votes they need in common with this one."""
    in_common = ((distinct == pattern) & (pattern != NO_VOTE)).sum(axis=1)
    return np.flatnonzero(in_common >= needed)


def votes_needed(n_votes: Labels, n_views: int, agreement: float | None) -> Labels:
    """Votes a document must have in common with a signature, by how many it has.

    All but one, or the share `agreement` of them, but never fewer than two where there are
    more than two views: a single vote agrees with nothing.

    Examples
    --------
    >>> votes_needed(np.array([5, 4, 2, 1]), 5, None), votes_needed(np.array([5]), 5, 0.5)
    (array([4, 3, 2, 2]), array([3]))
    """
    least = min(2, max(n_views - 1, 1))
    if agreement is None:
        wanted = n_votes - 1
    else:
        wanted = np.array([ceil(agreement * n - 1e-9) for n in n_votes], dtype=n_votes.dtype)
    needed: Labels = np.maximum(wanted, least)
    return needed


def preassign(
    patterns: Labels, chosen: Labels, agreement: float | None = None
) -> tuple[Labels, Labels]:
    """Cluster of each document that agrees with a signature, else -1, and the votes in common.

    Of several of the `chosen` signatures the one with most votes in common counts, of equals
    the first.

    Examples
    --------
    >>> patterns = np.array([[0, 0, 0], [0, 0, 1], [2, 1, 1], [0, 0, -1]])
    >>> preassign(patterns, np.array([[0, 0, 0], [1, 1, 1]]))
    (array([0, 0, 1, 0]), array([3, 2, 2, 2]))
    """
    if not len(chosen):
        return np.full(len(patterns), NO_VOTE), np.zeros(len(patterns), dtype=np.int64)
    votes = (patterns[:, None] == chosen[None]) & (patterns != NO_VOTE)[:, None]
    in_common = votes.sum(axis=2)
    best = in_common.argmax(axis=1)
    most: Labels = in_common[np.arange(len(patterns)), best]
    n_votes = (patterns != NO_VOTE).sum(axis=1)
    agrees = most >= votes_needed(n_votes, patterns.shape[1], agreement)
    return np.where(agrees, best, NO_VOTE), most
