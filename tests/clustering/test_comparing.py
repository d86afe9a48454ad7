"""Two clusterings of the same documents compared."""

import pandas as pd
import pytest

import coterie
import small
from coterie.errors import InputError

TEXTS = ["green tea", "black tea", "tea leaves", "dark rum", "white rum", "rum punch"]


@pytest.fixture(scope="module")
def clustered():
    return coterie.cluster(TEXTS, 2, "mm", progress=False)


@pytest.fixture
def result(clustered):
    return clustered.copy()


def test_a_clustering_agrees_with_itself(result):
    found = result.compare(result.copy())
    assert found.matching == {1: 1, 2: 2}
    assert found.agreement == {"stayed": 1.0, "ari": 1.0, "nmi": 1.0, "ami": 1.0}
    assert len(found.moved) == 0
    assert list(found.moved.columns) == [
        "id", "title", "cluster", "name", "other", "other_name"
    ]  # fmt: skip
    assert found.contingency["documents"].tolist() == [3, 3]
    assert repr(found) == "100 % of 6 documents stayed in their cluster, 0 moved (ARI 1.00)"


def test_numbers_do_not_matter_only_documents_do(result):
    here, there = int(result.labels[0]), int(result.labels[3])
    swapped = result.copy()
    for number, documents in ((here, "456"), (there, "123")):
        swapped.move(list(documents), number)
    found = result.compare(swapped)
    assert found.matching == {here: there, there: here}
    assert found.agreement["stayed"] == 1


def test_moved_documents_are_listed_with_both_names(result):
    here, there = int(result.labels[0]), int(result.labels[3])
    other = result.copy().move("2", there).rename({there: "Rum"})
    found = result.compare(other)
    assert found.n_moved == 1
    row = found.moved.iloc[0]
    assert (row["id"], row["cluster"], row["other"]) == ("2", here, there)
    assert (row["name"], row["other_name"]) == (result.names[here], "Rum")
    assert found.agreement["stayed"] == pytest.approx(5 / 6)
    assert found.contingency["documents"].sum() == 6
    assert "Rum" in found._repr_html_()
    assert "1 moved" in found._repr_html_()


def test_names_are_escaped_in_a_notebook(result):
    other = result.copy().move("2", int(result.labels[3])).rename({1: "<b>", 2: "<i>"})
    shown = result.compare(other)._repr_html_()
    assert "<b>" not in shown
    assert "<i>" not in shown


def test_documents_set_aside_are_a_cluster_of_their_own(result):
    here = int(result.labels[0])
    found = result.compare(result.copy().drop(here))
    assert found.matching[here] == 0
    assert found.n_moved == 0
    aside = found.contingency.query("other == 0").iloc[0]
    assert (aside["documents"], aside["other_name"]) == (3, "(dropped)")


def test_more_clusters_leave_some_without_a_match():
    three = small.clustered()
    found = three.compare(three.copy().merge([1, 2]))
    assert sorted(found.matching.values()) == [1, 3]
    assert found.n_moved == 12


def test_only_common_documents_are_compared(result):
    frame = pd.DataFrame({"text": [*TEXTS[2:], "gin"], "id": ["3", "4", "5", "6", "x"]})
    other = coterie.cluster(frame, 2, "mm", text="text", id="id", progress=False)
    found = result.compare(other)
    assert (found.n_documents, found.only_here, found.only_there) == (4, 2, 1)
    assert repr(found).endswith("; 3 documents in one of the two only")
    frame["id"] = list("abcde")
    foreign = coterie.cluster(frame, 2, "mm", text="text", id="id", progress=False)
    with pytest.raises(InputError, match="compare: no document of one clustering has an id"):
        result.compare(foreign)
