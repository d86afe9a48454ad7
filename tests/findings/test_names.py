"""Names of clusters are distinctive, distinct, and no boilerplate."""

from types import SimpleNamespace

import numpy as np

from coterie.findings import WordWeight, summarize
from coterie.findings.names import distinct_names, name_words


def words(*names, lift=9.0, **lifts):
    return [WordWeight(name, 0.1, lifts.get(name, lift), 0.1) for name in names]


def test_a_word_far_less_distinctive_than_the_others_is_left_out():
    assert name_words(words("bike", "com", "ride", "helmet", com=2.0)) == [
        "bike",
        "ride",
        "helmet",
    ]


def test_a_word_names_the_cluster_it_is_most_frequent_in():
    mains = {"game": 1, "puck": 0, "goal": 0, "ice": 0}
    assert name_words(words("game", "puck", "goal", "ice"), 0, mains) == ["puck", "goal", "ice"]
    assert name_words(words("game", "puck"), 0, mains) == ["game", "puck"]


def test_marked_words_name_only_what_has_no_other():
    marked = [WordWeight("gordon", 0.1, 9.0, 0.1, "block")]
    assert name_words([*marked, *words("disease")]) == ["disease"]
    assert name_words(marked) == ["gordon"]
    assert name_words(words("#")) == ["(numbers)"]


def test_no_two_clusters_have_the_same_name():
    same = [["tea", "pot", "leaf"]]
    names = distinct_names([same, same, [["tea", "pot", "leaf", "bag"]], same, [[]], [[]]])
    assert names == [
        "tea · pot · leaf",
        "tea · pot · leaf (2)",
        "tea · pot · leaf · bag",
        "tea · pot · leaf (4)",
        "(no words)",
        "(no words)",
    ]


def test_clusters_of_the_same_words_have_different_names(make_corpus):
    corpus = make_corpus(
        ["a\n\ntea pot leaf"] * 4 + ["b\n\nrum cask oak"],
        sorted(["tea", "pot", "leaf", "rum", "cask", "oak"]),
    )
    labels = np.array([0, 0, 1, 1, 2])
    model = SimpleNamespace(labels_=labels, memberships_=np.eye(3)[labels])
    names = [cluster.name for cluster in summarize(model, corpus, method="m").clusters]
    assert len(set(names)) == 3


def test_a_name_has_words_of_every_view(make_corpus):
    english = make_corpus(["a\n\ntea pot", "b\n\nrum cask"], ["cask", "pot", "rum", "tea"])
    french = make_corpus(
        ["a\n\nthé tasse", "b\n\nrhum verre"], ["rhum", "tasse", "thé", "verre"]
    )
    views = {
        name: SimpleNamespace(counts=each.counts, vocabulary=SimpleNamespace(words=each.words))
        for name, each in (("en", english), ("fr", french))
    }
    english.views = views
    model = SimpleNamespace(
        labels_=np.array([0, 1]), memberships_=np.eye(2),
        view_components_={name: view.counts.toarray() for name, view in views.items()},
    )  # fmt: skip
    names = [cluster.name for cluster in summarize(model, english, method="m").clusters]
    assert names == ["pot · tasse · tea", "cask · rhum · rum"]
