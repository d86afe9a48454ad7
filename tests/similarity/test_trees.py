"""Trees of similarities, and their cuts."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cophenet, fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import pdist
from sklearn.metrics import adjusted_rand_score

from coterie import run_on
from coterie.similarity import trees


@pytest.fixture
def points():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, 5)) + 4 * np.eye(5)[rng.integers(4, size=40)]
    return points / np.linalg.norm(points, axis=1, keepdims=True)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_distances_by_the_book(points, container):
    points = points * np.linspace(0.5, 0.9, 40)[:, None]
    S = points @ points.T
    for kind, distance in {
        "one-minus": lambda i, j: 1 - S[i, j],
        "sqrt": lambda i, j: np.sqrt(2 - 2 * S[i, j]),
        "kernel": lambda i, j: np.sqrt(S[i, i] + S[j, j] - 2 * S[i, j]),
    }.items():
        expected = [distance(i, j) for i in range(40) for j in range(i + 1, 40)]
        assert_allclose(trees.distances(container(S), kind), expected)


def test_similarities_above_one_are_at_distance_zero():
    S = np.array([[1, 1.4], [1.4, 1]])
    for kind in trees.DISTANCES:
        assert trees.distances(S, kind) == 0


def test_ward_of_cosines_is_ward_of_points_of_length_one(points):
    tree = trees.ward(points @ points.T, "sqrt")
    assert_allclose(tree, linkage(points, "ward"), rtol=1e-6)
    assert_allclose(trees.distances(points @ points.T, "kernel"), pdist(points), atol=1e-7)


@pytest.mark.parametrize("n_clusters", [1, 2, 4, 11, 40])
def test_cuts_are_those_of_scipy_with_the_largest_first(points, n_clusters):
    tree = trees.ward(points @ points.T, "sqrt")
    labels = trees.cut(tree, n_clusters)
    assert adjusted_rand_score(fcluster(tree, n_clusters, "maxclust"), labels) == 1
    sizes = np.bincount(labels)
    assert len(sizes) == n_clusters
    assert np.all(np.diff(sizes) <= 0)


def test_there_are_as_many_clusters_as_asked_for_when_heights_are_equal():
    tree = trees.ward(np.eye(6))
    for n_clusters in range(1, 7):
        assert len(np.unique(trees.cut(tree, n_clusters))) == n_clusters


def test_leaves_that_come_late_join_the_root(points):
    kept = np.delete(np.arange(40), [0, 7, 39])
    part = trees.ward(points[kept] @ points[kept].T, "sqrt")
    whole = trees.with_late_leaves(part, kept, 40)
    assert is_valid_linkage(whole)
    assert len(whole) == 39
    assert_array_equal(whole[-3:, 2], part[-1, 2])
    between = cophenet(whole)
    inside = np.array([i in kept and j in kept for i in range(40) for j in range(i + 1, 40)])
    assert_allclose(between[inside], cophenet(part))
    assert_allclose(between[~inside], part[-1, 2])


def test_one_document_is_a_tree_without_merges():
    assert trees.ward(np.ones((1, 1))).shape == (0, 4)
    assert_array_equal(trees.cut(np.empty((0, 4)), 1), [0])
    two = trees.with_late_leaves(np.empty((0, 4)), np.array([1]), 3)
    assert is_valid_linkage(two)


@pytest.mark.parametrize("kind", ["one-minus", "sqrt"])
@pytest.mark.parametrize("n", [2, 7, 300])
def test_ward_is_that_of_scipy(n, kind):
    points = np.random.default_rng(n).random((n, 5))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    similarity = points @ points.T
    expected = linkage(trees.distances(similarity, kind), "ward")
    assert_allclose(trees.ward(similarity, kind), expected, rtol=1e-12)


def test_trees_are_those_of_scipy_to_the_same_bits_on_any_number_of_threads():
    points = np.random.default_rng(0).random((700, 5))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    similarity = points @ points.T
    found = []
    for n_threads in (1, 3):
        with run_on("threads", n_threads=n_threads):
            found.append(trees.grow([similarity, similarity[:400, :400]]))
    for one, other in zip(*found, strict=True):
        assert_array_equal(one, other)
    expected = linkage(trees.distances(similarity), "ward")
    assert_allclose(found[0][0], expected, rtol=1e-9)


def test_a_cluster_between_two_that_merge_may_come_nearer():
    distance = np.ones((200, 200))
    for i, j, between in [(0, 140, 0.1), (0, 70, 0.12), (70, 140, 0.5), (1, 2, 0.45)]:
        distance[i, j] = distance[j, i] = between
    tree = trees.ward(1 - distance)
    assert_array_equal(tree[:3, :2], [[0, 140], [70, 200], [1, 2]])
    assert_allclose(tree[:3, 2], [0.1, np.sqrt((2 * 0.12**2 + 2 * 0.5**2 - 0.1**2) / 3), 0.45])


@pytest.mark.parametrize("seed", range(5))
def test_every_cluster_is_merged_once_where_most_distances_are_equal(seed):
    rng = np.random.default_rng(seed)
    half = np.where(rng.random((150, 150)) < 0.03, rng.choice([0.1, 0.3], (150, 150)), 0)
    tree = trees.ward(np.maximum(half, half.T))
    assert sorted(tree[:, :2].ravel()) == list(range(2 * 150 - 2))
    assert np.all(np.diff(tree[:, 2]) >= 0)
    assert tree[-1, 3] == 150
