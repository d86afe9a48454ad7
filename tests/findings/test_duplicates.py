"""All duplicates are found, against plain loops over all pairs."""

import csv
import json

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.findings import duplicates, summarize
from coterie.findings.duplicates import (
    Weighted,
    alike_documents,
    alike_rows,
    equal_rows,
    find_duplicates,
    link_documents,
    rare_parts,
)
from coterie.report.remarks import about_duplicates
from coterie.report.tables import write_duplicates


def noisy_copies(seed, n_documents=150, n_words=80):
    """Texts of which many are copies with a few words changed, or copies of copies."""
    rng = np.random.default_rng(seed)
    rows = [rng.poisson(0.3, n_words)]
    while len(rows) < n_documents:
        row = (
            rows[rng.integers(len(rows))].copy()
            if rng.random() < 0.6
            else rng.poisson(0.3, n_words)
        )
        for column in rng.integers(n_words, size=rng.integers(0, 5)):
            row[column] = rng.poisson(1)
        rows.append(row)
    return sp.csr_array(np.array(rows), dtype=np.float32)


def weighted(counts):
    table = counts.toarray().astype(float)
    filled = table.any(axis=1).sum()
    df = (table > 0).sum(axis=0)
    weights = np.log1p(table) * np.log((filled + 1) / np.maximum(df, 1))
    return weights / np.maximum(np.linalg.norm(weights, axis=1, keepdims=True), 1e-12)


def groups_by_loops(rows, limit):
    group = list(range(len(rows)))
    for i in range(len(rows)):
        for j in range(i):
            if rows[i] @ rows[j] >= limit and group[i] != group[j]:
                old, new = group[i], group[j]
                group = [new if each == old else each for each in group]
    return group


def same_groups(one, other):
    pairs = set(zip(list(one), list(other), strict=True))
    return len(pairs) == len(set(one)) == len(set(other))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("limit", [0.8, 0.9])
@pytest.mark.parametrize("key_work", [0, 1e9], ids=["pairs of words", "single words"])
def test_no_pair_alike_is_missed(seed, limit, key_work, monkeypatch):
    monkeypatch.setattr(duplicates, "KEY_WORK", key_work)
    counts = noisy_copies(seed)
    expected = groups_by_loops(weighted(counts), limit)
    found = alike_rows(Weighted.of(counts), np.arange(counts.shape[0]), limit)
    assert 5 < len(set(expected)) < 140
    assert same_groups(found, expected)


def test_what_rare_parts_allow_is_exact_for_each_pair():
    """Short documents are their rare parts; no third document joins a pair that is missed."""
    rng = np.random.default_rng(0)
    table = [rng.permutation(np.repeat([1.0, 0.0], [4, 8])) for _ in range(60)]
    counts = sp.csr_array(np.array(table), dtype=np.float32)
    rows, of_counts = weighted(counts), Weighted.of(counts)
    cosines, limit = rows @ rows.T, 0.7
    near = np.argwhere(np.triu(np.abs(cosines - limit) < 0.1, 1))
    assert len(near) > 20
    for i, j in near:
        one, other = alike_rows(of_counts, np.array([i, j]), limit)
        assert (one == other) == (cosines[i, j] >= limit), (i, j)


def test_cosines_are_those_of_weighted_counts():
    counts = noisy_copies(2)
    rows = weighted(counts)
    first, second = np.arange(149), np.arange(1, 150)
    found = Weighted.of(counts).cosines(first, second)
    np.testing.assert_allclose(found, np.sum(rows[:-1] * rows[1:], axis=1), atol=1e-9)


def test_small_blocks_give_the_same_groups(monkeypatch):
    counts = noisy_copies(7)
    usual = alike_rows(Weighted.of(counts), np.arange(150))
    monkeypatch.setattr(duplicates, "BLOCK_KEYS", 50)
    monkeypatch.setattr(duplicates, "BLOCK_ROWS", 40)
    assert same_groups(alike_rows(Weighted.of(counts), np.arange(150)), usual)


def test_documents_of_one_and_two_words_are_compared():
    rows = [[3, 0, 0], [1, 0, 0], [0, 9, 1], [0, 8, 1], [0, 0, 5], [9, 1, 0]]
    counts = sp.csr_array(np.array(rows, dtype=np.float32))
    expected = groups_by_loops(weighted(counts), 0.9)
    assert same_groups(alike_rows(Weighted.of(counts), np.arange(6)), expected)


def test_no_word_of_a_rare_part_is_enough_for_two_documents_alike():
    counts = noisy_copies(3)
    rows, weights = Weighted.of(counts), weighted(counts)
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    parts = rare_parts(rows, np.arange(150))
    for row, start, end in zip(weights, [0, *parts.ends], parts.ends, strict=False):
        values = np.sort(parts.values[start:end])[::-1]
        rarest = np.sort(df[np.flatnonzero(row)])[: end - start]
        common = np.sqrt((values**2).sum())
        needed = common * np.cos(np.arccos(min(common, 1)) + np.arccos(0.9))
        assert len(rarest) == len(values)
        if end - start < np.count_nonzero(row):
            assert values[0] * (values[0] + np.sqrt(0.2)) < needed + 1e-5


def test_equal_counts_are_equal_and_nothing_else():
    table = sp.csr_array([[1, 0, 2], [0, 1, 2], [1, 0, 2], [1, 2, 0], [0, 0, 0], [0, 0, 0]])
    assert equal_rows(table).tolist() == [0, 1, 0, 2, 3, 3]


@pytest.fixture
def summary(make_corpus, model):
    texts = [
        "orbit moon orbit said",
        "team goal ice team",
        "moon orbit said orbit",
        "",
        "",
        "team",
    ]
    corpus = make_corpus([f"t{i}\n\n{text}" for i, text in enumerate(texts)])
    return summarize(model, corpus, method="by hand")


def test_groups_say_who_is_alike_and_where_and_leave_out_empty_documents(summary):
    (group,) = summary.duplicates.groups
    assert [each.id for each in group.documents] == ["doc-0", "doc-2"]
    assert group.same_words
    assert group.clusters == (1, 2)
    assert (summary.duplicates.n_repeated, summary.duplicates.n_equal) == (1, 1)
    assert [each.similarity for each in group.documents] == [1.0, 1.0]
    assert about_duplicates(summary.duplicates) == (
        "2 documents in 1 group are duplicates or near-duplicates. "
        "1 of them has exactly the words of another."
    )


def test_the_table_has_a_row_a_document(summary, tmp_path):
    write_duplicates(tmp_path / "d.csv", summary)
    with (tmp_path / "d.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["group"], row["size"], row["same_words"], row["id"]) for row in rows] == [
        ("1", "2", "yes", "doc-0"),
        ("1", "2", "yes", "doc-2"),
    ]
    assert (
        json.loads(json.dumps(summary.to_json()))["duplicates"]["groups"][0]["same_words"]
        is True
    )


def test_where_pairs_are_too_many_equal_documents_are_still_found(
    make_corpus, model, monkeypatch
):
    monkeypatch.setattr(duplicates, "MOST_PAIRS", 1)
    corpus = make_corpus(
        ["a\n\nmoon team", "b\n\nmoon team", *["c\n\nteam goal"] * 3, "d\n\nice"]
    )
    groups = summarize(model, corpus, method="by hand").duplicates
    assert not groups.compared
    assert [len(group.documents) for group in groups.groups] == [3, 2]
    assert "too many" in about_duplicates(groups)
    assert "the fit was stopped" in about_duplicates(groups, interrupted=True)


def test_groups_are_the_same_whatever_the_order_of_documents():
    counts = noisy_copies(11)
    order = np.random.default_rng(0).permutation(counts.shape[0])
    usual = alike_rows(Weighted.of(counts), np.arange(counts.shape[0]))
    permuted = alike_rows(Weighted.of(counts[order]), np.arange(counts.shape[0]))
    assert same_groups(permuted, usual[order])


def test_views_are_compared_together(make_corpus, model):
    documents = summarize(model, make_corpus(), method="by hand").documents
    first = sp.csr_array(np.eye(6)[[0, 0, 1, 2, 3, 4]])
    second = sp.csr_array(np.eye(6)[[0, 1, 2, 3, 4, 5]])
    assert len(find_duplicates(documents, alike_documents([first])).groups) == 1
    assert not find_duplicates(documents, alike_documents([first, second])).groups


def of_weights(rows):
    """Documents of these weights, all words being equally rare."""
    counts = sp.csr_array(np.expm1(np.asarray(rows, dtype=np.float64)))
    return Weighted(counts, np.ones(counts.shape[1]), np.linalg.norm(rows, axis=1))


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [1, 0, 2, 3]])
def test_the_document_whose_rare_part_ends_first_gives_the_bound(order):
    rows = np.array([[0.71, 0.7042], [0.70, 0.7141], [0.0, 1.0], [0.0, 1.0]])
    found = alike_rows(of_weights(rows[order]), np.arange(4))
    assert found[0] == found[1] != found[2] == found[3]


def test_single_precision_does_not_part_what_is_at_the_limit():
    just_below = np.float32(0.9) - np.float32(3e-7)
    at_limit = np.array([[1, 0, 0], [just_below, np.sqrt(0.19), 0]], dtype=np.float32)
    assert at_limit[0] @ at_limit[1] < 0.9
    assert alike_rows(of_weights(at_limit), np.arange(2)).tolist() == [0, 0]
    below = np.array([[1, 0, 0], [0.8999, np.sqrt(1 - 0.8999**2), 0]], dtype=np.float32)
    assert alike_rows(of_weights(below), np.arange(2)).tolist() == [0, 1]


def test_what_is_left_out_changes_neither_links_nor_weights():
    """Of four documents linked in a chain, the first two are left out: two stay a group."""
    counts = np.zeros((8, 110))
    for row in range(4):
        counts[row, row : row + 100] = 1
    counts[4:, 104:108] = np.eye(4)
    counts = sp.csr_array(counts)
    whole = alike_documents([counts])
    assert [each.members.tolist() for each in whole.groups] == [[0, 1, 2, 3]]
    kept = np.array([2, 3, 4, 5, 6, 7])
    (left,) = alike_documents([counts], link_documents([counts]), kept).groups
    assert left.members.tolist() == [0, 1]
    cosines = Weighted.of(counts).cosines(np.array([2, 0]), np.array([3, 3]))
    assert left.similarities.tolist() == [1, cosines[0]]
    (left,) = alike_documents([counts], None, np.array([0, 3])).groups
    assert left.members.tolist() == [0, 1]
    assert left.similarities.tolist() == [1, cosines[1]]
    assert cosines[0] > 0.9 > cosines[1]


def test_after_a_stop_only_equal_documents_are_found():
    counts = sp.csr_array(np.array([[4.0, 2, 1, 0], [4, 2, 1, 0], [4, 2, 2, 0], [0, 0, 0, 3]]))
    linked = link_documents([counts], near=False)
    assert not linked.compared
    assert linked.alike[0] == linked.alike[1]
    assert len(set(linked.alike[1:])) == 3
