"""What was found, as tables; new documents; edits and their undoing."""

import numpy as np
import pandas
import pytest

import coterie
from coterie import InputError
from small import KINDS, TEXTS, clustered

OURS = ["id", "title", "cluster", "name", "probability", "second", "second_name"]


def test_the_table_of_clusters_is_that_of_the_page(result):
    table = result.clusters
    assert [*table] == ["number", "name", "size", "share", "words", "probability", "doubtful"]
    assert table["number"].tolist() == [1, 2, 3]
    assert table["size"].tolist() == [12, 12, 12]
    assert table["share"].sum() == pytest.approx(1)
    for row, cluster in zip(table.itertuples(), result.summary.clusters, strict=True):
        assert (row.name, row.probability) == (cluster.name, cluster.mean_probability)


def test_the_table_of_documents_has_all_columns_of_the_source(result, frame):
    table = result.documents
    assert [*table] == ["kind", "stars", "day", "body", *OURS, "second_probability"] or [
        *table
    ] == ["key", "kind", "stars", "day", "body", *OURS, "second_probability"]
    for column in ("kind", "stars", "day", "body"):
        pandas.testing.assert_series_equal(table[column], frame[column], check_dtype=False)
    assert table["id"].tolist() == frame["key"].tolist()
    assert table["cluster"].tolist() == (result.model.labels_ + 1).tolist()
    assert table["name"].tolist() == [result.names[n] for n in table["cluster"]]
    assert (table["cluster"] != table["second"]).all()


def test_columns_named_like_ours_are_kept_under_another_name(frame):
    frame["cluster"] = "theirs"
    table = clustered(frame.rename(columns={"body": "text"})).documents
    assert set(table["source_cluster"]) == {"theirs"}
    assert set(table["cluster"]) == {1, 2, 3}


def test_words_have_probability_and_lift(result):
    table = result.words(1, 3)
    assert len(table) == 3
    assert [*table] == ["word", "probability", "lift", "count", "mark"]
    first = result.summary.clusters[0].words[0]
    assert table.iloc[0][["word", "lift"]].tolist() == [first.word, first.lift]
    with pytest.raises(InputError, match="cluster 9: no such cluster; there are 1, 2, 3"):
        result.words(9)
    with pytest.raises(InputError, match="n_words: 0"):
        result.words(1, 0)


def test_documents_of_a_cluster_typical_doubtful_and_all(result):
    for number in result.numbers:
        kinds = {KINDS[int(name[1:])] for name in result.members(number)["id"]}
        assert len(kinds) == 1
        assert len(result.members(number)) == 12
        typical = result.typical(number, 2)
        assert len(typical) == 2
        assert set(typical["cluster"]) == {number}
        assert typical["body"].tolist() == [TEXTS[int(name[1:])] for name in typical["id"]]
    assert len(result.doubtful) == len(result.summary.doubtful)
    assert set(result.duplicates["same_words"]) == {True}


def test_find_counts_whole_words_in_any_case(result):
    found = result.find("MOON  orbit")
    assert set(found["count"]) == {1}
    assert {KINDS[int(name[1:])] for name in found["id"]} == {"space"}
    assert found["excerpt"].str.contains("moon orbit").all()
    assert len(result.find("moo")) == 0
    with pytest.raises(InputError, match="expected a word or phrase"):
        result.find(" ")
    counts = coterie.cluster(np.eye(3) + 1, 2, "mm", words=["a", "b", "c"], progress=False)
    assert len(counts.find("B")) == 3


def test_new_texts_go_where_theirs_are(result, frame):
    assert result.predict(TEXTS).tolist() == result.labels.tolist()
    table = result.assign(frame.head(4))
    assert table["cluster"].tolist() == result.labels[:4].tolist()
    assert table["stars"].tolist() == [0, 1, 2, 3]
    assert result.assign(TEXTS[:2])["cluster"].tolist() == result.labels[:2].tolist()
    with pytest.raises(InputError, match="no column 'body'"):
        result.assign(frame[["kind"]])


def test_merging_is_a_union_and_no_other_document_moves(result):
    before = result.labels
    result.merge([3, 1])
    assert result.numbers == [1, 2]
    np.testing.assert_array_equal(result.labels, np.where(before == 3, 1, before))
    assert result.clusters["size"].tolist() == [24, 12]
    np.testing.assert_allclose(result.memberships.sum(axis=1), 1)
    np.testing.assert_array_equal(result.predict(TEXTS), result.labels)


def test_a_document_nearer_to_two_parts_together_stays_where_it_is(result):
    memberships = np.array(result.model.memberships_)
    memberships[0] = [0.3, 0.3, 0.4]
    result.model.memberships_ = memberships
    result.model.labels_ = np.array(result.model.labels_)
    result.model.labels_[0] = 2
    result.merge([1, 2])
    assert result.labels[0] == 3
    assert result.documents["probability"][0] == pytest.approx(0.4)
    assert result.documents["second_probability"][0] == pytest.approx(0.6)


def test_splitting_divides_and_the_other_numbers_stay(result):
    merged = result.merge([1, 2]).labels
    result.split(1, 2)
    assert result.numbers == [1, 3, 4]
    np.testing.assert_array_equal(result.labels == 3, merged == 3)
    assert sorted(result.clusters["size"]) == [12, 12, 12]
    np.testing.assert_array_equal(result.predict(TEXTS), result.labels)
    np.testing.assert_allclose(result.memberships.sum(axis=1), 1)
    assert set(result.words(4)["word"]) & {"moon", "goal", "bread"}


def test_a_cluster_that_cannot_be_divided_is_told():
    same = coterie.cluster(["moon orbit"] * 5 + ["goal team"] * 5, 2, "mm", progress=False)
    with pytest.raises(InputError, match="cluster 1: its documents cannot be divided into 2"):
        same.split(1, 2)
    with pytest.raises(InputError, match="no more than 2 clusters"):
        same.at(3)
    assert same.edits == ()


def test_names_survive_what_does_not_concern_them(result):
    result.rename({1: "  One\n1 ", 2: "Two"})
    assert result.names[1] == "One 1"
    result.merge([2, 3])
    assert result.names[2] == "Two"
    assert set(result.documents["name"]) == {"One 1", "Two"}
    automatic = clustered().names[1]
    assert result.rename({1: ""}).names[1] == automatic
    with pytest.raises(InputError, match="name of cluster 1: expected a text, got int"):
        result.rename({1: 5})
    with pytest.raises(InputError, match="at most 200"):
        result.rename({1: "x" * 201})


def test_a_function_names_clusters_from_words_and_texts(result):
    seen = []

    def name(words, texts):
        seen.append((words, texts))
        return words[0].upper()

    result.rename(name)
    assert [words[0].upper() for words, _ in seen] == [*result.names.values()]
    assert all(text in TEXTS for _, texts in seen for text in texts)


def test_moved_documents_are_certain(result):
    target = 1 if result.labels[0] != 1 else 2
    result.move(["d00"], target)
    row = result.documents.iloc[0]
    assert (row["cluster"], row["probability"]) == (target, 1.0)
    assert (result.labels[1:] == clustered().labels[1:]).all()
    with pytest.raises(InputError, match="document 'x': no such id"):
        result.move("x", 1)
    with pytest.raises(InputError, match="no ids"):
        result.move([], 1)


def test_dropped_documents_are_set_aside_and_told(result):
    before = result.labels
    result.drop([2])
    assert result.numbers == [1, 3]
    np.testing.assert_array_equal(result.labels, np.where(before == 2, 0, before))
    table = result.documents
    assert len(table) == 36
    assert set(table["name"][table["cluster"] == 0]) == {"(dropped)"}
    assert table["probability"][table["cluster"] == 0].isna().all()
    assert not set(table["second"].dropna()) - {1, 3}
    assert "12 documents of dropped clusters set aside" in result.summary.notes
    np.testing.assert_array_equal(result.predict(TEXTS), result.labels)
    assert len(result.members(0)) == 12
    with pytest.raises(InputError, match="these are all clusters"):
        result.drop([1, 3])


def test_clusters_of_all_documents_cannot_be_dropped(result):
    everyone = result.corpus.ids
    result.move(everyone, 1)
    with pytest.raises(InputError, match="no document is in another cluster"):
        result.drop([1])
    assert result.clusters["size"].tolist() == [36, 0, 0]
    assert len(result.edits) == 1
    with pytest.raises(InputError, match="cluster 2: no document, expected at least two"):
        result.within(2)


def test_every_edit_is_undone(result):
    states = []
    for edit in (
        lambda: result.rename({1: "First"}),
        lambda: result.merge([1, 2]),
        lambda: result.split(1, 2),
        lambda: result.move(["d05"], 3),
        lambda: result.drop([4]),
    ):
        states.append((result.labels.tolist(), result.names))
        edit()
        assert (result.labels.tolist(), result.names) != states[-1]
    for state in reversed(states):
        result.undo()
        assert (result.labels.tolist(), result.names) == state
    with pytest.raises(InputError, match="nothing to undo"):
        result.undo()


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        (lambda r: r.merge([1]), "merge: only one cluster"),
        (lambda r: r.merge([1, 1]), "merge: only one cluster"),
        (lambda r: r.merge([]), "merge: no clusters"),
        (lambda r: r.merge(2), "merge: 2; expected a list"),
        (lambda r: r.merge(["1", "2"]), "merge: '1'"),
        (lambda r: r.merge([1, 7]), "cluster 7: no such cluster"),
        (lambda r: r.rename({7: "x"}), "cluster 7: no such cluster"),
        (lambda r: r.split(7), "cluster 7: no such cluster"),
        (lambda r: r.split(1, 1), "split: 1 parts"),
        (lambda r: r.split(1, 40), "40 clusters: more than the 12 documents"),
        (lambda r: r.move(["d00"], 7), "cluster 7: no such cluster"),
        (lambda r: r.drop([7]), "cluster 7: no such cluster"),
        (lambda r: r.within(7), "cluster 7: no such cluster"),
        (lambda r: r.at(0), "n_clusters: 0"),
        (lambda r: r.at(99), "99 clusters: more than the 36 documents"),
    ],
)
def test_an_edit_that_cannot_be_is_told_and_changes_nothing(result, edit, complaint):
    before = result.labels.tolist(), result.names, result.edits
    with pytest.raises(InputError, match=complaint):
        edit(result)
    assert (result.labels.tolist(), result.names, result.edits) == before


def test_coarser_and_finer_leave_the_result_as_it_is(result):
    for number, other in [(n, result.at(n)) for n in (1, 2, 3)] + [(3, result.at(1).at(3))]:
        assert len(other.numbers) == number
        assert other.clusters["size"].sum() == 36
        np.testing.assert_array_equal(other.predict(TEXTS), other.labels)
    assert result.edits == ()


def test_coarser_levels_are_those_of_the_page():
    auto = coterie.cluster(TEXTS, 3, options=None, progress=False)
    coarser = auto.at(2)
    levels = auto.summary.levels[2]
    table = pandas.crosstab(levels, coarser.labels)
    assert (table.to_numpy() > 0).sum() == 2


def test_a_part_knows_where_it_comes_from(result):
    part = result.merge([1, 2]).within(1, 2)
    assert len(part.corpus) == 24
    assert part.parent.cluster == 1
    assert part.parent.result is result
    assert part.parent.name == result.names[1]
    assert sorted(part.clusters["size"]) == [12, 12]


def test_labels_of_a_column_or_a_list_are_compared(result):
    assert result.evaluate("kind").nmi == pytest.approx(1)
    assert result.evaluate(KINDS).nmi == pytest.approx(1)
    assert result.drop([1]).evaluate("kind").n_documents == 24
    with pytest.raises(InputError, match="the documents have no labels"):
        result.evaluate()
    with pytest.raises(InputError, match="no column 'knd'.*Did you mean 'kind'"):
        result.evaluate("knd")
    with pytest.raises(InputError, match="labels: 2 for 36"):
        result.evaluate(["a", "b"])
