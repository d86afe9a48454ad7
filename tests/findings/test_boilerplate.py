"""Signatures are marked, subjects are not."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.findings import WordWeight, summarize
from coterie.findings.boilerplate import (
    AS_OFTEN,
    EQUALLY_OFTEN,
    LEAST_DOCUMENTS,
    effective_documents,
    find_blocks,
    marked_words,
    presence,
    same_counts,
    shared_documents,
)
from coterie.report import render, write_terms
from coterie.report.console import cluster_table

SUBJECT = ["moon", "orbit", "rocket", "launch", "shuttle"]
SIGNATURE = ["gordon", "cadre", "dsl"]


def mail(n_documents=60, n_signed=20, seed=0):
    """Mails on one subject, some signed; the last half is on something else."""
    rng = np.random.default_rng(seed)
    texts = []
    for i in range(n_documents):
        words = list(rng.choice(SUBJECT, size=8)) + (SIGNATURE if i < n_signed else [])
        texts.append("t\n\n" + " ".join(words))
    texts += ["t\n\n" + " ".join(rng.choice(["goal", "ice", "team"], 6)) for _ in texts]
    return texts


@pytest.fixture
def signed(make_corpus):
    texts = mail()
    corpus = make_corpus(texts, sorted([*SUBJECT, *SIGNATURE, "goal", "ice", "team"]))
    labels = np.repeat([0, 1], len(texts) // 2)
    return SimpleNamespace(labels_=labels, memberships_=np.eye(2)[labels]), corpus


def cluster_with(summary, word):
    return next(c for c in summary.clusters if word in {each.word for each in c.words})


def test_a_signature_is_marked_and_described_and_never_in_the_name(signed):
    model, corpus = signed
    cluster = cluster_with(summarize(model, corpus, method="m"), "moon")
    assert {each.word for each in cluster.words if each.mark} == set(SIGNATURE)
    (block,) = cluster.blocks
    assert set(block.words) == set(SIGNATURE)
    assert block.n_documents == 20
    assert not set(SIGNATURE) & set(cluster.name.split(" · "))


@pytest.mark.parametrize("seed", range(5))
def test_words_of_a_subject_are_not_marked(make_corpus, seed):
    texts = mail(n_signed=0, seed=seed)
    corpus = make_corpus(texts, sorted([*SUBJECT, "goal", "ice", "team"]))
    labels = np.repeat([0, 1], len(texts) // 2)
    model = SimpleNamespace(labels_=labels, memberships_=np.eye(2)[labels])
    summary = summarize(model, corpus, method="m")
    assert not [w for c in summary.clusters for w in c.words if w.mark]


def test_a_text_in_all_documents_of_a_cluster_is_a_block_too(make_corpus):
    texts = mail(n_signed=60)
    corpus = make_corpus(texts, sorted([*SUBJECT, *SIGNATURE, "goal", "ice", "team"]))
    labels = np.repeat([0, 1], len(texts) // 2)
    model = SimpleNamespace(labels_=labels, memberships_=np.eye(2)[labels])
    cluster = cluster_with(summarize(model, corpus, method="m"), "moon")
    assert {each.word for each in cluster.words if each.mark} == set(SIGNATURE)


def test_two_words_are_no_block():
    together = np.array([[1, 1, 0], [0, 0, 1]] * 20)
    assert find_blocks(sp.csr_array(together)) == []


def test_a_few_documents_are_no_evidence():
    rows = [[1, 1, 1, 0]] * LEAST_DOCUMENTS + [[0, 0, 0, 1]] * 20
    assert [block.tolist() for block in find_blocks(sp.csr_array(rows))] == [[0, 1, 2]]
    assert find_blocks(sp.csr_array(rows[1:])) == []


def test_shares_and_correlations_against_loops():
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.7, (40, 6)) * (rng.random((40, 1)) < 0.6)
    dense[:, 5] = 2 * dense[:, 4]
    table = sp.csr_array(dense)
    shared, alike = shared_documents(presence(table)), same_counts(table)
    for i in range(6):
        n = dense[:, i].astype(float)
        assert effective_documents(table)[i] == pytest.approx(n.sum() ** 2 / (n**2).sum())
        for j in range(6):
            a, b = dense[:, i] > 0, dense[:, j] > 0
            assert shared[i, j] == pytest.approx((a & b).sum() / (a | b).sum())
            cosine = n @ dense[:, j] / np.linalg.norm(n) / np.linalg.norm(dense[:, j])
            r = np.corrcoef(n, dense[:, j])[0, 1]
            assert alike[i, j] == (r >= AS_OFTEN or cosine >= EQUALLY_OFTEN)


def test_a_word_of_very_few_documents_is_marked(make_corpus):
    texts = mail(n_documents=400, n_signed=0)
    texts[0] += " db" * 2000
    corpus = make_corpus(texts, sorted([*SUBJECT, "db", "goal", "ice", "team"]))
    labels = np.repeat([0, 1], len(texts) // 2)
    model = SimpleNamespace(labels_=labels, memberships_=np.eye(2)[labels])
    cluster = cluster_with(summarize(model, corpus, method="m"), "moon")
    assert {each.word: each.mark for each in cluster.words if each.mark} == {"db": "few"}
    assert cluster.words[0].word == "db"
    assert "db" not in cluster.name


def test_marks_are_shown_and_explained_on_the_page_the_terminal_and_in_the_table(
    signed, tmp_path
):
    model, corpus = signed
    summary = summarize(model, corpus, method="m")
    html = render(summary)
    assert html.count('<sup class="mark"') == 3
    assert "come together in 20 documents" in html
    table = cluster_table(summary)
    assert table.caption.startswith("† nearly always comes with the same other words")
    assert "gordon†" in str(table.columns[2]._cells)
    write_terms(tmp_path / "t.csv", summary)
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert sum(line.endswith(',"block"') for line in lines) == 3


def test_without_marks_nothing_is_explained(model, corpus):
    summary = summarize(model, corpus, method="m")
    assert cluster_table(summary).caption is None
    assert 'class="mark"' not in render(summary)


def test_copies_of_a_document_make_no_block():
    words = tuple(WordWeight(word, 0.1, 9.0, 0.1) for word in ("boat", "sail", "anchor"))
    different = np.array([[1, 1, 1, 4], [2, 0, 1, 0], [0, 3, 0, 1]])
    counts = sp.csr_array(np.repeat(different, [20, 1, 1], axis=0).astype(float))
    vocabulary = np.array(["boat", "sail", "anchor", "tea"])
    marked, blocks = marked_words(words, np.arange(3), counts, vocabulary)
    assert [word.mark for word in marked] == ["", "", ""]
    assert blocks == ()
    signed = sp.csr_array(np.column_stack([np.ones((20, 3)), np.arange(1.0, 21.0)]))
    assert len(marked_words(words, np.arange(3), signed, vocabulary)[1]) == 1
