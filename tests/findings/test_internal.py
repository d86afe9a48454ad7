"""Measures without labels of a results folder."""

import json

import pytest

import coterie
from commands import succeed
from coterie.findings.internal import internal_scores

TEXTS = [
    "hot tea with milk and sugar", "green tea without milk", "a cup of tea, hot",
    "dark rum and lime", "rum with lime and sugar", "punch of rum, lime and ice",
    "milk and sugar for tea", "ice, lime and rum", "a hot cup of green tea",
]  # fmt: skip


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "drinks.jsonl"
    rows = [{"body": text, "kind": "tea" if "tea" in text else "rum"} for text in TEXTS]
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


@pytest.fixture
def results(table, tmp_path):
    out = tmp_path / "out"
    succeed("cluster", table, "-k", 2, "--method", "mm", "--text", "body", "--out", out)
    return out


def test_the_scores_are_those_of_the_documents_of_the_fit(results, table):
    model = coterie.load_model(results / "model")
    corpus = coterie.read(table, text=["body"], options=model.vocabulary_)
    expected = internal_scores(model, corpus, n_resamples=2)
    result = coterie.load(results)
    assert result.internal_scores(n_resamples=2) == expected
    assert expected.stability is not None
    assert result.internal_scores().stability is None


def test_the_table_is_not_needed_any_more(results, table):
    table.unlink()
    assert coterie.load(results).internal_scores().diversity > 0.5
    done = succeed("evaluate", results, "--resamples", 1)
    assert "NPMI" in done.stdout
    assert "Stability" in done.stdout


def test_both_kinds_of_measures_are_shown_with_labels(table, tmp_path):
    out = tmp_path / "out"
    command = ("cluster", table, "-k", 2, "--method", "mm", "--text", "body")
    succeed(*command, "--label", "kind", "--out", out)
    assert "C_V" in succeed("evaluate", out).stdout
    scores = json.loads(succeed("evaluate", out, "--json").stdout)
    assert scores["nmi"] > 0
    assert scores["internal"]["stability"] is None


def test_edits_count(results):
    result = coterie.load(results)
    before = result.internal_scores()
    after = result.split(1, 2).internal_scores()
    assert after != before
    dropped = result.undo().drop([2]).internal_scores()
    assert dropped.silhouette is None
    assert dropped.diversity == 1.0
