"""Files for other programs hold what was found, exactly."""

import csv
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from coterie.clustering import Clustering
from coterie.corpus.readers import documents
from coterie.corpus.spreadsheets import DOCUMENTS, original_cell, safe_cell
from coterie.corpus.tables import Columns
from coterie.findings import summarize
from coterie.report import write_clusters, write_csv, write_parquet, write_terms


def read_csv(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def document_rows(model, corpus):
    return summarize(model, corpus, method="by hand").documents


def write_documents(folder, model, corpus, **how):
    """The table of documents as CSV and Parquet, and as it is."""
    corpus.columns = None
    table = Clustering(model, corpus).document_table(texts=False)
    write_csv(folder / "d.csv", table, **how)
    write_parquet(folder / "d.parquet", table)
    return table


def test_documents_come_back_from_csv_and_parquet(model, labelled, tmp_path):
    rows = document_rows(model, labelled)
    written = write_documents(tmp_path, model, labelled)
    table = pq.read_table(tmp_path / "d.parquet")
    assert table.equals(written)
    assert [each["probability"] for each in table.to_pylist()] == [r.probability for r in rows]
    for read, row in zip(read_csv(tmp_path / "d.csv"), rows, strict=True):
        assert list(read) == list(DOCUMENTS)
        assert (read["id"], read["label"]) == (row.id, row.label)
        assert (int(read["cluster"]), int(read["second"])) == (row.cluster, row.second)
        assert float(read["probability"]) == pytest.approx(row.probability, rel=1e-5)


def test_without_labels_there_is_no_label_column(model, corpus, tmp_path):
    write_documents(tmp_path, model, corpus)
    assert "label" not in read_csv(tmp_path / "d.csv")[0]
    assert "label" not in pq.read_table(tmp_path / "d.parquet").column_names


@pytest.mark.parametrize(
    "title", ['=1+1, "quoted"', "two\nlines", "-1", "日本語 · ümlaut", "bad\udce9", "a\x00b"]
)
def test_awkward_titles_stay_exact_and_in_their_cell(model, make_corpus, tmp_path, title):
    corpus = make_corpus(titles=[title, *"bcdef"])
    write_documents(tmp_path, model, corpus, raw=True)
    expected = title.encode("utf-8", "backslashreplace").decode()
    rows = read_csv(tmp_path / "d.csv")
    assert [row["title"] for row in rows] == [expected, *"bcdef"]
    assert pq.read_table(tmp_path / "d.parquet")["title"][0].as_py() == expected


def test_a_single_cluster_leaves_the_second_choice_blank(corpus, model, tmp_path):
    model.memberships_, model.labels_ = np.ones((6, 1)), np.zeros(6, dtype=int)
    del model.components_
    write_documents(tmp_path, model, corpus)
    assert read_csv(tmp_path / "d.csv")[0]["second"] == ""
    assert pq.read_table(tmp_path / "d.parquet")["second"].null_count == 6


def test_terms_are_ranked_and_counted_in_the_clusters_own_documents(model, corpus, tmp_path):
    summary = summarize(model, corpus, method="by hand")
    write_terms(tmp_path / "terms.csv", summary)
    rows = read_csv(tmp_path / "terms.csv")
    assert [(row["cluster"], row["rank"], row["word"], row["count"]) for row in rows] == [
        ("1", "1", "goal", "3"),
        ("1", "2", "team", "5"),
        ("1", "3", "ice", "1"),
        ("2", "1", "orbit", "2"),
        ("2", "2", "moon", "1"),
        ("2", "3", "said", "1"),
    ]
    words = summary.clusters[0].words
    assert float(rows[0]["weight"]) == pytest.approx(words[0].weight, rel=1e-5)
    write_terms(tmp_path / "terms.csv", summary, n_words=1)
    assert len(read_csv(tmp_path / "terms.csv")) == 2


def test_clusters_are_written_as_the_summarys_json(model, labelled, tmp_path):
    summary = summarize(model, labelled, method="by hand")
    write_clusters(tmp_path / "clusters.json", summary)
    read = json.loads((tmp_path / "clusters.json").read_text(encoding="utf-8"))
    assert read == summary.to_json()


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "'=1", "''-1", "＝1"]
HARMLESS = ["tea", "'tis", "''", "", "a=b", "1-1"]


@pytest.mark.parametrize("text", [*FORMULAS, *HARMLESS])
def test_what_a_spreadsheet_would_run_is_text_and_comes_back(text):
    assert safe_cell(text) == (f"'{text}" if text in FORMULAS else text)
    assert original_cell(safe_cell(text)) == text


def test_no_csv_file_holds_a_formula_and_numbers_stay_numbers(model, make_corpus, tmp_path):
    corpus = make_corpus(titles=FORMULAS[:6], labels=["-1", "=1", "'+1", "a", "b", "c"])
    summary = summarize(model, corpus, method="by hand")
    rows = summary.documents
    write_documents(tmp_path, model, corpus)
    cells = read_csv(tmp_path / "d.csv")
    assert [row["title"] for row in cells] == [f"'{title}" for title in FORMULAS[:6]]
    assert [row["label"] for row in cells] == ["'-1", "'=1", "''+1", "a", "b", "c"]
    assert [int(row["cluster"]) for row in cells] == [row.cluster for row in rows]
    titles = pq.read_table(tmp_path / "d.parquet")["title"].to_pylist()
    assert titles == [row.title for row in rows]


def test_a_table_of_documents_is_read_back_to_the_original_text(model, make_corpus, tmp_path):
    titles = [*FORMULAS[:5], "''-1"]
    corpus = make_corpus(titles=titles, labels=["-1", "=1", "'+1", "a", "b", "c"])
    rows = document_rows(model, corpus)
    write_documents(tmp_path, model, corpus)
    columns = Columns(text=("title",), id="id", label="label")
    read = [*documents(tmp_path / "d.csv", columns)]
    assert [(each.id, each.text, each.label) for each in read] == [
        (row.id, row.title, row.label) for row in rows
    ]


def test_other_tables_are_read_as_they_are(tmp_path):
    (tmp_path / "t.csv").write_text("id,title\na,'=1\n")
    assert [each.text for each in documents(tmp_path / "t.csv", Columns(("title",)))] == ["'=1"]
