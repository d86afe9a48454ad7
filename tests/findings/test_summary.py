"""What the summary says, against numbers worked out by hand."""

import json
import math
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from coterie.errors import InputError
from coterie.findings import (
    assign_documents,
    assignments,
    duplicates,
    summarize,
    tree,
    words,
)
from coterie.findings import summary as summary_module
from coterie.report.console import cluster_table, remark_table
from coterie.report.html import render
from coterie.report.tables import (
    write_clusters,
    write_duplicates,
    write_levels,
    write_terms,
)


def numbers_in(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for each in value for number in numbers_in(each)]
    return [value] if isinstance(value, int | float) else []


def test_clusters_are_numbered_by_their_labels(model, corpus):
    clusters = summarize(model, corpus, method="by hand").clusters
    assert [(c.number, c.index, c.size) for c in clusters] == [(1, 0, 5), (2, 1, 1), (3, 2, 0)]
    assert [c.share for c in clusters] == pytest.approx([5 / 6, 1 / 6, 0])
    assert clusters[0].mean_probability == pytest.approx((1 + 1 + 0.6 + 0.55 + 0.99) / 5)
    assert clusters[0].mass == pytest.approx(4.14)


def test_words_are_ranked_by_probability_times_log_lift(model, corpus):
    totals = {"goal": 3, "ice": 1, "moon": 1, "orbit": 3, "said": 3, "team": 5}
    overall = {word: count / 16 for word, count in totals.items()}
    hockey, space, _ = summarize(model, corpus, method="by hand").clusters
    for cluster, expected in ((hockey, ["goal", "team", "ice"]), (space, None)):
        row = dict(zip(corpus.words, model.components_[cluster.index], strict=True))
        for each in cluster.words:
            lift = row[each.word] / overall[each.word]
            assert each.probability == pytest.approx(row[each.word])
            assert each.lift == pytest.approx(lift)
            assert each.weight == pytest.approx(row[each.word] * math.log(lift))
        weights = [each.weight for each in cluster.words]
        assert weights == sorted(weights, reverse=True)
        assert min(weights) > 0
        assert expected is None or [each.word for each in cluster.words] == expected
    assert space.name == "orbit · moon · said"


def test_rare_accidents_rank_below_frequent_distinctive_words(make_corpus):
    corpus = make_corpus(
        ["a\n\n" + "tea " * 9 + "quirk", "b\n\n" + "rum " * 9 + "oak"],
        ["oak", "quirk", "rum", "tea"],
    )
    model = SimpleNamespace(labels_=np.array([0, 1]), memberships_=np.eye(2))
    first, second = summarize(model, corpus, method="by hand").clusters
    assert [each.word for each in first.words] == ["tea", "quirk"]
    assert [each.word for each in second.words] == ["rum", "oak"]


def test_an_empty_cluster_is_shown_as_empty(model, corpus):
    empty = summarize(model, corpus, method="by hand").clusters[2]
    assert (empty.size, empty.words, empty.documents) == (0, (), ())
    assert empty.mean_probability == 0


def test_empty_documents_are_counted_and_never_typical_but_doubtful(model, corpus):
    summary = summarize(model, corpus, method="by hand")
    assert summary.n_empty_documents == 1
    shown = {document.id for cluster in summary.clusters for document in cluster.documents}
    assert "doc-3" not in shown
    assert "doc-3" in {row.id for row in summary.doubtful}


def test_typical_documents_are_probable_first_and_among_equals_speak_most(model, corpus):
    hockey = summarize(model, corpus, method="by hand").clusters[0]
    evidence = []
    totals = corpus.counts.toarray().sum(axis=0) / 16
    for position in (1, 2, 5):
        counts = corpus.counts.toarray()[position]
        log_lift = np.log(model.components_[0] / totals, where=counts > 0, out=np.zeros(6))
        evidence.append(counts @ log_lift / np.sqrt(counts.sum()))
    expected = [(1, 2, 5)[i] for i in np.argsort(-np.array(evidence))] + [4]
    assert [document.position for document in hockey.documents] == expected
    assert expected[0] != 5, "a document of one word must not come first"


def test_a_title_is_repeated_only_when_no_other_is_left(model, make_corpus):
    corpus = make_corpus(titles=["a", "same", "same", "d", "other", "third"])
    options = {"method": "by hand", "n_documents": 3}
    hockey = summarize(model, corpus, **options).clusters[0]
    assert [document.title for document in hockey.documents] == ["same", "third", "other"]
    everything = summarize(model, corpus, method="by hand").clusters[0]
    assert [document.title for document in everything.documents][-1] == "same"


def test_excerpts_are_read_in_one_call_for_the_typical_documents_alone(model, corpus):
    summary = summarize(model, corpus, method="by hand", n_documents=1)
    assert len(corpus.asked) == 1
    shown = [d.position for cluster in summary.clusters for d in cluster.documents]
    assert sorted(corpus.asked[0]) == sorted(shown)
    assert summary.clusters[1].documents[0].excerpt == "orbit moon orbit said"


@pytest.mark.parametrize("error", [InputError("news.zip: gone"), FileNotFoundError("news.zip")])
def test_texts_that_cannot_be_had_leave_empty_excerpts_and_a_note(model, corpus, error):
    def fail(_):
        raise error

    corpus.texts = fail
    summary = summarize(model, corpus, method="by hand")
    assert {d.excerpt for cluster in summary.clusters for d in cluster.documents} == {""}
    assert "Excerpts are missing: news.zip" in summary.notes[-1]


def test_doubtful_documents_are_those_nearest_to_a_second_cluster(model, corpus):
    row, empty = summarize(model, corpus, method="by hand").doubtful
    assert empty.id == "doc-3"
    assert (row.id, row.cluster, row.second) == ("doc-4", 1, 2)
    assert row.margin == pytest.approx(0.1)


def test_all_doubtful_documents_are_listed_the_smallest_margins_first(make_corpus):
    corpus = make_corpus([f"t{i}\n\ntea" for i in range(30)], ["tea"])
    first = np.linspace(0.5, 0.9, 30)[::-1]
    model = SimpleNamespace(
        labels_=np.zeros(30, dtype=int), memberships_=np.column_stack([first, 1 - first])
    )
    summary = summarize(model, corpus, method="by hand")
    expected = [i for i in range(29, -1, -1) if first[i] - (1 - first[i]) < 0.2]
    assert [row.id for row in summary.doubtful] == [f"doc-{i}" for i in expected]
    assert len(expected) == summary.clusters[0].n_doubtful == 8


def test_a_document_without_words_is_doubtful_too(make_corpus):
    corpus = make_corpus(["a\n\ntea", "b\n\n"], ["tea"])
    model = SimpleNamespace(
        labels_=np.zeros(2, dtype=int), memberships_=np.array([[1.0, 0.0], [0.5, 0.5]])
    )
    assert [row.id for row in summarize(model, corpus, method="m").doubtful] == ["doc-1"]


def test_a_document_less_likely_than_not_is_doubtful_however_far_the_second(make_corpus):
    corpus = make_corpus(["a\n\ntea", "b\n\ntea"], ["tea"])
    memberships = np.array([[0.49, 0.17, 0.17, 0.17], [0.52, 0.16, 0.16, 0.16]])
    model = SimpleNamespace(labels_=np.zeros(2, dtype=int), memberships_=memberships)
    assert [row.id for row in summarize(model, corpus, method="m").doubtful] == ["doc-0"]


def test_the_words_of_a_single_cluster_are_its_most_frequent(corpus):
    model = SimpleNamespace(labels_=np.zeros(6, dtype=int), memberships_=np.ones((6, 1)))
    summary = summarize(model, corpus, method="by hand")
    assert summary.clusters[0].words[0].word == "team"
    assert summary.doubtful == ()
    assert summary.documents[0].second is None


def test_a_model_without_components_has_its_words_counted(model, corpus):
    del model.components_
    hockey = summarize(model, corpus, method="by hand").clusters[0]
    used = corpus.counts.toarray().T @ model.memberships_[:, 0]
    team = next(each for each in hockey.words if each.word == "team")
    assert team.probability == pytest.approx(used[5] / used.sum())


def test_a_corpus_without_any_word_left_is_still_summarized(make_corpus):
    corpus = make_corpus(["", ""], ["tea"])
    model = SimpleNamespace(labels_=np.array([0, 1]), memberships_=np.eye(2))
    summary = summarize(model, corpus, method="by hand")
    assert summary.n_empty_documents == 2
    assert [cluster.name for cluster in summary.clusters] == ["(no words)"] * 2
    json.dumps(summary.to_json(), allow_nan=False)


def test_scores_leave_out_documents_without_a_label(model, labelled):
    scores = summarize(model, labelled, method="by hand").scores
    assert scores.n_documents == 5
    assert scores.micro_precision == pytest.approx(4 / 5)
    assert scores.contingency.classes == ("hockey", "space")
    assert scores.contingency.clusters == (1, 2)
    assert scores.contingency.counts.tolist() == [[3, 0], [1, 1]]


def test_without_labels_there_are_no_scores(model, corpus, make_corpus):
    assert summarize(model, corpus, method="by hand").scores is None
    unlabelled = make_corpus(labels=["", None, "", "", "", ""])
    assert summarize(model, unlabelled, method="by hand").scores is None


def test_the_json_is_plain_finite_and_complete(model, labelled):
    summary = summarize(model, labelled, method="by hand", title="News", seconds=1.5)
    plain = summary.to_json()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert all(math.isfinite(number) for number in numbers_in(plain))
    assert plain["history"] == [None, -30.0, -20.0, -19.5]
    assert plain["parameters"] == {
        "n_clusters": 3,
        "tol": 1e-4,
        "alpha": "inf",
        "init": "array of shape (2, 2)",
        "random_state": 7,
    }
    facts = (
        "title",
        "seconds",
        "model",
        "n_documents",
        "n_tokens",
        "n_iterations",
        "converged",
    )
    assert [plain[name] for name in facts] == ["News", 1.5, "HandMade", 6, 16, 4, True]
    assert plain["clusters"][0]["words"][0]["word"] == "goal"
    assert plain["doubtful"][0]["second_probability"] == pytest.approx(0.45)
    assert plain["notes"] == ["6 documents read."]


def test_rows_use_the_numbers_of_the_clusters(model, labelled):
    rows = summarize(model, labelled, method="m").documents
    assert [row.cluster for row in rows] == (model.labels_ + 1).tolist()
    assert rows[4] == ("doc-4", "Between", "space", 1, 0.55, 2, 0.45)
    assert rows[3].label == ""


def test_the_second_choice_is_never_the_first(model, corpus):
    model.memberships_ = np.full((6, 3), 1 / 3)
    rows = summarize(model, corpus, method="m").documents
    assert all(row.second != row.cluster for row in rows)


def test_new_documents_are_assigned_by_the_models_probabilities(model, corpus):
    model.predict_proba = lambda documents: model.memberships_[: len(documents)]
    assert assign_documents(model, corpus) == summarize(model, corpus, method="m").documents
    with pytest.raises(InputError, match="corpus: expected documents"):
        assign_documents(model, _NoDocuments())


def test_terms_begin_with_the_words_of_the_clusters(model, corpus):
    summary = summarize(model, corpus, method="m", n_words=2)
    for cluster in summary.clusters:
        terms = [term for term in summary.terms if term.cluster == cluster.number]
        assert [term.rank for term in terms] == list(range(1, len(terms) + 1))
        shown = [(word.word, word.weight, word.mark) for word in cluster.words]
        assert [(term.word, term.weight, term.mark) for term in terms[:2]] == shown
    assert len(summary.terms) == 6


def test_tables_are_left_out_of_the_json(model, corpus):
    plain = summarize(model, corpus, method="m").to_json()
    assert not {"documents", "terms", "levels"} & set(plain)


COMPUTATIONS = (
    (assignments, "document_rows"),
    (duplicates, "find_duplicates"),
    (assignments, "doubtful_positions"),
    (tree, "read_tree"),
    (words, "read_words"),
)


def test_everything_is_computed_once_for_all_writers(model, corpus, tmp_path, monkeypatch):
    calls = Counter()

    def counting(name, function):
        def count(*arguments):
            calls[name] += 1
            return function(*arguments)

        return count

    for module, name in COMPUTATIONS:
        function = counting(name, getattr(module, name))
        monkeypatch.setattr(module, name, function)
        monkeypatch.setattr(summary_module, name, function)
    ranked = counting("ranked", words.WordProfile.ranked)
    monkeypatch.setattr(words.WordProfile, "ranked", lambda *arguments: ranked(*arguments))
    summary = summarize(model, corpus, method="m")
    once = dict.fromkeys((name for _, name in COMPUTATIONS), 1) | {"ranked": 2}
    assert calls == once  # the empty cluster has no words to rank
    write_everything(tmp_path, summary)
    assert calls == once


def write_everything(folder, summary):
    write_duplicates(folder / "duplicates.csv", summary)
    write_levels(folder / "levels.csv", summary)
    write_terms(folder / "terms.csv", summary)
    write_clusters(folder / "clusters.json", summary)
    render(summary)
    cluster_table(summary)
    remark_table(summary)


def test_names_that_utf8_cannot_hold_are_spelt_out(model, make_corpus):
    corpus = make_corpus(ids=["bad\udce9", *"bcdef"])
    summary = summarize(model, corpus, method="m")
    assert summary.documents[0].id == "bad\\udce9"
    json.dumps(summary.to_json(), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        (
            "memberships_",
            np.ones((5, 3)),
            "memberships_ of HandMade: expected a row for each of",
        ),
        ("memberships_", np.full((6, 3), np.nan), "memberships_ of HandMade, row 0"),
        ("labels_", np.array([0, 1, 2, 3, 0, 0]), "labels_ of HandMade, row 3: .* got 3"),
        ("labels_", np.array([0, -1, 2, 2, 0, 0]), "labels_ of HandMade, row 1: .* got -1"),
        ("labels_", np.zeros(6), "labels_ of HandMade: expected 6 whole numbers"),
        ("components_", np.ones((3, 5)), r"components_ of HandMade: expected shape \(3, 6\)"),
        ("components_", -np.ones((3, 6)), "components_ of HandMade, row 0"),
    ],
)
def test_what_does_not_fit_the_corpus_is_named(model, corpus, attribute, value, message):
    setattr(model, attribute, value)
    with pytest.raises(InputError, match=message):
        summarize(model, corpus, method="by hand")


def test_an_unfitted_model_and_an_empty_corpus_are_named(model, corpus, make_corpus):
    with pytest.raises(InputError, match="SimpleNamespace: expected a fitted model"):
        summarize(SimpleNamespace(), corpus, method="by hand")
    with pytest.raises(InputError, match="corpus: expected documents"):
        summarize(model, _NoDocuments(), method="by hand")
    with pytest.raises(InputError, match="n_words: expected a number of at least 0, got -1"):
        summarize(model, make_corpus(), method="by hand", n_words=-1)


class _NoDocuments:
    def __len__(self):
        return 0
