"""Coarser and finer groups follow the model's tree, and only a tree that fits its clusters."""

import csv
import json
from types import SimpleNamespace

import numpy as np
import pytest

from coterie import AutoClustering, Cosine
from coterie.corpus import Corpus, TextOptions
from coterie.findings import summarize
from coterie.report import render
from coterie.report.figures import dendrogram
from coterie.report.tables import write_levels

WORDS = ["ape", "bee", "cat", "dog", "eel", "fox"]
TEXTS = ["ape", "bee", "cat cat", "dog", "eel", "fox fox fox", "fox"]


class Grown:
    """Three clusters, the last two of which are halved; 0 and 2 are joined before 1.

    Leaves 0, 1, 2 are clusters, 3 and 4 the second halves of 1 and 2.
    """

    def __init__(self):
        self.leaves_ = np.array([1, 3, 2, 4, 0, 0, 0])
        self.labels_ = np.array([1, 1, 2, 2, 0, 0, 0])
        self.memberships_ = np.eye(3)[self.labels_]
        self.tree_ = np.array(
            [[1, 3, 1.0, 2], [2, 4, 2.0, 2], [0, 6, 3.0, 5], [5, 7, 9.0, 7]], dtype=float
        )


@pytest.fixture
def grown():
    return Grown()


@pytest.fixture
def animals(make_corpus):
    return make_corpus([f"t{i}\n\n{text}" for i, text in enumerate(TEXTS)], WORDS)


def described(hierarchy):
    return {
        node.clusters: (node.size, node.height)
        for node in hierarchy.nodes
        if len(node.clusters) > 1
    }


def test_clusters_keep_their_names_and_joined_ones_have_their_own(grown, animals):
    summary = summarize(grown, animals, method="m")
    hierarchy = summary.hierarchy
    names = {cluster.number: cluster.name for cluster in summary.clusters}
    assert {n.cluster: n.name for n in hierarchy.nodes if n.cluster} == names
    assert described(hierarchy) == {(1, 3): (5, 3.0), (1, 2, 3): (7, 9.0)}


def test_the_parts_of_a_cluster_are_its_halves_the_largest_first(grown, animals):
    grown.leaves_[4] = 5
    grown.tree_ = np.array(
        [[0, 5, 0.5, 3], [1, 3, 1.0, 2], [2, 4, 2.0, 2], [6, 8, 3.0, 5], [7, 9, 9.0, 7]]
    )
    hierarchy = summarize(grown, animals, method="m").hierarchy
    place = next(i for i, node in enumerate(hierarchy.nodes) if node.cluster == 1)
    parts = [hierarchy.nodes[part] for part in hierarchy.parts(place)]
    assert [(part.name, part.size) for part in parts] == [("fox", 2), ("eel", 1)]
    assert hierarchy.nodes[place].height == 0.5


def test_every_node_is_as_large_as_its_parts(grown, animals):
    hierarchy = summarize(grown, animals, method="m").hierarchy
    for place, node in enumerate(hierarchy.nodes):
        parts = hierarchy.parts(place)
        assert not parts or sum(hierarchy.nodes[part].size for part in parts) == node.size
        assert node.parent is None or node.parent > place
    assert sum(node.parent is None for node in hierarchy.nodes) == 1


def test_levels_number_the_groups_of_every_document(grown, animals, tmp_path):
    summary = summarize(grown, animals, method="m")
    write_levels(tmp_path / "levels.csv", summary)
    with (tmp_path / "levels.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["id", "in_2", "in_3", "in_5"]
    assert [row["in_3"] for row in rows] == list("2233111")
    assert [row["in_2"] for row in rows] == list("2211111")
    assert len({row["in_5"] for row in rows}) == 5
    for fine, coarse in (("in_3", "in_2"), ("in_5", "in_3")):
        assert len({(row[fine], row[coarse]) for row in rows}) == len(
            {row[fine] for row in rows}
        )


def test_a_model_without_a_tree_has_one_level(model, corpus, tmp_path):
    summary = summarize(model, corpus, method="m")
    assert summary.hierarchy is None
    write_levels(tmp_path / "levels.csv", summary)
    assert (tmp_path / "levels.csv").read_text().splitlines()[0] == '"id","in_3"'


@pytest.mark.parametrize(
    "change",
    [
        lambda model: setattr(model, "labels_", np.array([1, 2, 1, 2, 0, 0, 0])),
        lambda model: setattr(model, "leaves_", np.arange(6)),
        lambda model: setattr(model, "tree_", model.tree_[:2]),
    ],
)
def test_a_tree_that_does_not_go_with_the_clusters_is_left_alone(grown, animals, change):
    change(grown)
    grown.memberships_ = np.eye(3)[grown.labels_]
    assert summarize(grown, animals, method="m").hierarchy is None


def test_a_document_the_tree_has_elsewhere_stays_in_its_cluster(grown, make_corpus):
    corpus = make_corpus([*(f"t\n\n{text}" for text in TEXTS[:6]), ""], WORDS)
    grown.leaves_[6] = 1  # where a document without words may be
    summary = summarize(grown, corpus, method="m")
    sizes = {cluster.number: cluster.size for cluster in summary.clusters}
    assert {n.cluster: n.size for n in summary.hierarchy.nodes if n.cluster} == sizes


@pytest.mark.parametrize("name", ["auto", "cosine"])
def test_levels_of_real_models_are_nested_and_agree_with_the_labels(name):
    rng = np.random.default_rng(0)
    themes = [
        "moon orbit star rocket",
        "goal team ball cup",
        "bread oven flour salt",
        "law court judge jury",
    ]
    texts = [" ".join(rng.choice(theme.split(), 6)) for theme in themes for _ in range(12)]
    corpus = Corpus.from_texts([*texts, ""], options=TextOptions(language="en"))
    model = AutoClustering(4, random_state=0) if name == "auto" else Cosine(4)
    model.fit(corpus)
    summary = summarize(model, corpus, method=name)
    levels = summary.levels
    assert levels[4].tolist() == (model.labels_ + 1).tolist()
    assert list(levels) == sorted(levels)
    for fine, coarse in zip(list(levels.values())[1:], list(levels.values()), strict=False):
        pairs = set(zip(fine.tolist(), coarse.tolist(), strict=True))
        assert len(pairs) == len(set(fine.tolist()))
    html = render(summary)
    assert "Coarser and finer" in html


def test_the_json_and_the_page_hold_the_tree(grown, animals):
    summary = summarize(grown, animals, method="m")
    plain = summary.to_json()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["hierarchy"]["levels"][0]["n_clusters"] == 2
    html = render(summary)
    for part in ("Coarser and finer", "In 2 groups", "Each cluster in two"):
        assert part in html


def test_the_picture_joins_what_the_tree_joins(grown, animals):
    hierarchy = summarize(grown, animals, method="m").hierarchy
    picture = dendrogram(hierarchy)
    assert [hierarchy.nodes[row].cluster for row in picture.rows] == [1, 3, 2]
    assert [branch.path for branch in picture.branches] == [
        "M240.0 16.0H121.0V48.0H240.0",
        "M121.0 32.0H1.0V80.0H240.0",
    ]
    assert picture.branches[1].title.endswith(": 7 documents")
    assert dendrogram(None) is None


def test_two_clusters_have_no_coarser_view(make_corpus):
    corpus = make_corpus(["a\n\nape", "b\n\nbee"], ["ape", "bee"])
    model = SimpleNamespace(
        labels_=np.array([0, 1]), memberships_=np.eye(2), tree_=np.array([[0, 1, 1.0, 2]])
    )
    summary = summarize(model, corpus, method="m")
    assert summary.hierarchy.levels == ()
    assert "Coarser and finer" in render(summary)


@pytest.mark.parametrize("evil", ["<script>alert(1)</script>", "\"' onmouseover='alert(1)'"])
def test_names_titles_and_blocks_are_shown_and_never_run(make_corpus, evil):
    signed = [f"t\n\nape bee cat{' fox' * i}" for i in range(12)]
    texts = signed + ["t\n\ndog"] * 4 + ["t\n\neel"]
    corpus = make_corpus(
        texts, WORDS, titles=[evil] * 17, ids=[f"{evil}{i}" for i in range(17)]
    )
    corpus.words[:] = [f"{evil}{i}" for i in range(6)]
    model = SimpleNamespace(labels_=np.repeat([0, 1, 2], [12, 4, 1]))
    model.memberships_ = np.eye(3)[model.labels_]
    model.leaves_, model.tree_ = model.labels_, np.array([[0, 1, 1.0, 16], [2, 3, 2.0, 17]])
    summary = summarize(model, corpus, method="m")
    assert summary.clusters[0].blocks
    assert summary.duplicates.groups
    assert summary.hierarchy
    html = render(summary)
    assert evil not in html
    assert html.count("<script>") == 1


def test_halves_are_named_by_what_tells_them_from_their_cluster(make_corpus):
    texts = ["fox eel eel", "fox bee bee", "cat", "ape"]
    corpus = make_corpus([f"t\n\n{text}" for text in texts], WORDS)
    model = SimpleNamespace(labels_=np.array([0, 0, 1, 2]))
    model.memberships_ = np.eye(3)[model.labels_]
    model.tree_ = np.array([[0, 1, 1.0, 2], [4, 2, 2.0, 3], [5, 3, 3.0, 4]])
    hierarchy = summarize(model, corpus, method="m").hierarchy
    place = next(i for i, node in enumerate(hierarchy.nodes) if node.cluster == 1)
    names = {hierarchy.nodes[part].name for part in hierarchy.parts(place)}
    assert names == {"eel", "bee"}
