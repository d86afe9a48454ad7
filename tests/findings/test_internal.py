"""Measures without labels of a results folder, whose documents are read again."""

import json
import shutil

import pytest

import coterie
from commands import refuse, succeed
from coterie.errors import InputError
from coterie.findings.internal import internal_scores
from coterie.findings.saved import evaluate_internally

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
    assert evaluate_internally(results, n_resamples=2) == expected
    assert expected.stability is not None
    assert evaluate_internally(results).stability is None


def test_a_table_that_was_moved_is_named(results, table, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    moved = shutil.move(table, tmp_path / "elsewhere" / "moved.jsonl")
    with pytest.raises(InputError, match="the clustered table is not where it was; --table"):
        evaluate_internally(results)
    assert evaluate_internally(results, moved).diversity > 0.5
    refuse("not where it was; --table names it", "evaluate", results)
    done = succeed("evaluate", results, "--table", moved, "--resamples", 1)
    assert "NPMI" in done.stdout
    assert "Stability" in done.stdout


def test_beside_labels_a_note_says_that_the_documents_are_gone(table, tmp_path):
    out = tmp_path / "out"
    command = ("cluster", table, "-k", 2, "--method", "mm", "--text", "body")
    succeed(*command, "--label", "kind", "--out", out)
    assert "C_V" in succeed("evaluate", out).stdout
    table.unlink()
    done = succeed("evaluate", out, "--json")
    assert done.stderr.startswith(
        "Note: no measures without labels, drinks.jsonl: the clustered"
    )
    assert json.loads(done.stdout)["internal"] is None
    assert json.loads(done.stdout)["nmi"] > 0
    assert succeed("evaluate", out, "-q").stderr == ""


def test_other_documents_are_refused(results, table):
    with table.open("a") as more:
        more.write('\n{"body": "one more", "kind": "tea"}')
    with pytest.raises(InputError, match="changed since it was clustered"):
        evaluate_internally(results)
