"""Voting patterns, signatures and agreement as loops (Kim et al., 2010, section 2.2)."""

import tracemalloc
from collections import Counter
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from coterie.multiview.voting import preassign, signatures, votes_needed


def draw_patterns(n_documents=80, n_views=5, n_view_clusters=3, missing=0.0, seed=0):
    rng = np.random.default_rng(seed)
    topics = rng.integers(n_view_clusters, size=n_documents)
    patterns = np.repeat(topics[:, None], n_views, axis=1)
    wrong = rng.random(patterns.shape) < 0.25
    patterns[wrong] = rng.integers(n_view_clusters, size=wrong.sum())
    patterns[rng.random(patterns.shape) < missing] = -1
    return patterns


@pytest.mark.parametrize(("agreement", "needed"), [(None, 4), (1.0, 5), (0.5, 3)])
def test_signatures_are_of_the_largest_groups_of_similar_patterns(agreement, needed):
    patterns = [tuple(each) for each in draw_patterns(200).tolist()]
    sizes, left, expected = Counter(patterns), list(patterns), []

    def in_common(one, other):
        return sum(a == b for a, b in zip(one, other, strict=True))

    def rank(pattern, left):
        group = [each for each in left if in_common(pattern, each) >= needed]
        return -len(group), -sizes[pattern], pattern

    for _ in range(4):
        best = min(sizes, key=partial(rank, left=left))
        expected.append(best)
        left = [each for each in left if in_common(best, each) < needed]
    assert_array_equal(signatures(np.array(patterns), 4, agreement), expected)


def test_many_patterns_are_compared_in_little_memory():
    patterns = np.random.default_rng(0).integers(40, size=(10_000, 3))
    tracemalloc.start()
    signatures(patterns, 5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * patterns.nbytes  # a table of pairs is 300 times as large


def test_a_pattern_like_a_signature_is_no_signature_beside_it():
    many, like, few = [0, 0, 0, 0, 0], [0, 0, 0, 0, 2], [1, 2, 1, 1, 1]
    patterns = np.array([many] * 9 + [like] * 8 + [few] * 3)
    assert signatures(patterns, 2).tolist() == [many, few]
    # where no other group is left, patterns like those before are better than none
    assert signatures(patterns, 5).tolist() == [many, few, like]
    # one vote of two is not similar
    assert signatures(np.array([[0, 0]] * 5 + [[0, 1]] * 4 + [[2, 2]] * 3), 2).tolist() == [
        [0, 0],
        [0, 1],
    ]


def test_documents_with_all_votes_but_one_in_common_are_preassigned():
    patterns = draw_patterns()
    chosen = signatures(patterns, 4)
    labels, in_common = preassign(patterns, chosen)
    for d, pattern in enumerate(patterns):
        common = [sum(a == b for a, b in zip(pattern, each, strict=True)) for each in chosen]
        assert in_common[d] == max(common)
        assert labels[d] == (common.index(max(common)) if max(common) >= 4 else -1)
    assert 0 < np.count_nonzero(labels >= 0) < len(labels)


@pytest.mark.parametrize(("agreement", "needed"), [(1.0, 5), (0.8, 4), (0.6, 3), (0.5, 3)])
def test_the_share_of_votes_asked_for_can_be_set(agreement, needed):
    patterns = draw_patterns()
    labels, in_common = preassign(patterns, signatures(patterns, 4), agreement)
    assert_array_equal(labels >= 0, in_common >= needed)


def test_a_missing_vote_counts_neither_for_nor_against():
    chosen = np.array([[0, 0, 0, 0], [1, 1, 1, -1]])
    patterns = np.array(
        [
            [0, 0, -1, 0],  # all it has
            [0, 0, -1, 1],  # all but one of three
            [0, -1, -1, 1],  # one of two is not enough
            [0, -1, -1, 0],
            [0, -1, -1, -1],  # a single vote agrees with nothing
            [-1, -1, -1, -1],
            [1, 1, 1, 2],  # what the signature lacks is not in common
            [1, 1, 2, -1],
        ]
    )
    labels, in_common = preassign(patterns, chosen)
    assert labels.tolist() == [0, 0, -1, 0, -1, -1, 1, 1]
    assert in_common.tolist() == [3, 2, 1, 2, 1, 0, 3, 2]


def test_of_two_views_one_vote_in_common_is_enough():
    labels, _ = preassign(np.array([[0, 1], [2, 2], [0, -1]]), np.array([[0, 0]]))
    assert labels.tolist() == [0, -1, 0]
    assert votes_needed(np.array([2, 1]), 2, None).tolist() == [1, 1]


def test_whole_patterns_come_before_those_with_gaps():
    patterns = np.array([[1, -1, 1]] * 5 + [[0, 0, 0]] * 2 + [[2, -1, -1]] * 9)
    assert signatures(patterns, 3).tolist() == [[0, 0, 0], [1, -1, 1]]
    labels, _ = preassign(patterns, signatures(patterns, 3)[:0])
    assert set(labels) == {-1}


def test_the_order_of_documents_does_not_matter():
    patterns = draw_patterns(missing=0.1)
    order = np.random.default_rng(1).permutation(len(patterns))
    chosen = signatures(patterns, 4)
    assert_array_equal(signatures(patterns[order], 4), chosen)
    assert_array_equal(
        preassign(patterns[order], chosen)[0], preassign(patterns, chosen)[0][order]
    )
