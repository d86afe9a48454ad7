"""The folder of results: written whole or not at all, and read back with care."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from coterie import InputError, MultinomialMixture, TextOptions, load_model, read, save_model
from coterie.corpus import Corpus
from coterie.evaluation import evaluate
from coterie.findings import assign_documents, summarize
from coterie.findings.saved import evaluate_results, load_saved
from coterie.report.results import (
    FILES,
    MODEL,
    assignments_csv,
    check_assignments_file,
    check_results_folder,
    write_assignments,
    write_results,
)

TEXTS = ["moon orbit star", "goal team ball", "orbit star rocket", "team ball cup", "moon team"]
LABELS = ["space", "sport", "space", "sport", ""]
ENGLISH = TextOptions(language="en", min_df=1)


@pytest.fixture
def corpus():
    return Corpus.from_texts(TEXTS * 3, labels=LABELS * 3, options=ENGLISH)


@pytest.fixture
def model(corpus):
    return MultinomialMixture(2, random_state=0).fit(corpus)


@pytest.fixture
def write(model, corpus):
    def write_at(folder, title="first", **details):
        summary = summarize(model, corpus, method="mm", title=title)
        write_results(folder, model, summary, **details)

    return write_at


@pytest.fixture
def folder(write, tmp_path):
    write(tmp_path / "out")
    return tmp_path / "out"


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def failing_once(function, at):
    """The same function, but its call number `at` fails."""
    calls = []

    def fail_or_do(*arguments):
        calls.append(arguments)
        if len(calls) == at:
            raise OSError(5, "Input/output error", "disk")
        return function(*arguments)

    return fail_or_do


def test_clusters_keep_their_numbers_and_names(folder, model, corpus):
    saved = load_saved(folder)
    assert saved == load_saved(folder / MODEL)._replace(model=saved.model)
    summary = summarize(model, corpus, method="mm")
    assert saved.names == [cluster.name for cluster in summary.clusters]
    assert saved.details["method"] == "mm"
    rows = assign_documents(saved.model, corpus)
    assert rows == summary.documents
    assert rows[:4] == assign_documents(saved.model, corpus[:4])


def test_numbers_stay_when_other_documents_make_another_cluster_the_largest(folder, corpus):
    saved = load_saved(folder)
    rows = assign_documents(saved.model, corpus)
    smallest = [position for position, row in enumerate(rows) if row.cluster == 2]
    assert smallest
    assert {row.cluster for row in assign_documents(saved.model, corpus[smallest])} == {2}


def test_a_model_saved_alone_has_numbered_clusters(model, corpus, tmp_path):
    save_model(model, tmp_path / "model")
    saved = load_saved(tmp_path / "model")
    assert saved.names == ["cluster 1", "cluster 2"]
    assert [
        row.cluster - 1 for row in assign_documents(saved.model, corpus)
    ] == model.labels_.tolist()


def test_folders_are_made_as_needed(write, tmp_path):
    write(tmp_path / "a" / "b" / "c")
    assert {path.name for path in (tmp_path / "a/b/c").iterdir()} == {*FILES, MODEL}


@pytest.mark.parametrize("step", range(1, 2 * (len(FILES) + 1) + 1))
def test_a_failed_move_brings_the_old_results_back(folder, write, monkeypatch, step):
    (folder / "other.txt").write_text("mine")
    before = contents(folder)
    with monkeypatch.context() as patch:
        moves = failing_once(Path.rename, at=step + 1)  # the first is the drafted model's own
        patch.setattr(Path, "rename", lambda *arguments: moves(*arguments))
        with pytest.raises(OSError, match="Input/output error"):
            write(folder, title="second")
    assert contents(folder) == before
    write(folder, title="second")
    assert contents(folder) != before


@pytest.mark.parametrize("step", range(1, len(FILES) + 2))
def test_a_failed_first_write_leaves_nothing(write, tmp_path, monkeypatch, step):
    moves = failing_once(Path.rename, at=step + 1)
    monkeypatch.setattr(Path, "rename", lambda *arguments: moves(*arguments))
    with pytest.raises(OSError, match="Input/output error"):
        write(tmp_path / "new" / "out")
    assert not list(tmp_path.iterdir())


def test_ctrl_c_while_writing_leaves_the_old_results(folder, write, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    before = contents(folder)
    monkeypatch.setattr("coterie.report.results.render", stop)
    with pytest.raises(KeyboardInterrupt):
        write(folder, title="second")
    assert contents(folder) == before


@pytest.mark.parametrize("name", [*FILES, MODEL])
def test_a_folder_with_somebody_elses_file_is_refused(tmp_path, name):
    (tmp_path / "thoughts.txt").write_text("kept")
    check_results_folder(tmp_path)
    (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match=f"holds a {name} that Coterie did not write"):
        check_results_folder(tmp_path)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError, match="file: a file, expected a folder"):
            check_results_folder(path)


def test_assignments_replace_a_file_when_all_is_written(folder, corpus, tmp_path, monkeypatch):
    rows = assign_documents(load_saved(folder).model, corpus)
    path = tmp_path / "new.csv"
    write_assignments(path, rows)
    assert path.read_text() == assignments_csv(rows) == (folder / "documents.csv").read_text()
    with monkeypatch.context() as patch:
        patch.setattr("coterie.report.tables._rounded", failing_once(str, at=9))
        with pytest.raises(OSError, match="Input/output error"):
            write_assignments(path, rows[:4])
    assert path.read_text() == assignments_csv(rows)
    assert {each.name for each in tmp_path.iterdir()} == {"out", "new.csv"}


def test_assignments_are_not_written_over_what_is_read(tmp_path):
    (tmp_path / "a.csv").write_text("text\n")
    check_assignments_file(tmp_path / "b.csv", tmp_path / "a.csv")
    with pytest.raises(InputError, match="the file that is read"):
        check_assignments_file(tmp_path / ".." / tmp_path.name / "a.csv", tmp_path / "a.csv")


def test_evaluation_leaves_out_and_counts_what_has_no_label(folder, model):
    scores, n_unlabelled = evaluate_results(folder)
    labelled = np.array([bool(label) for label in LABELS * 3])
    true = np.array(LABELS * 3)[labelled]
    expected = evaluate(true, model.labels_[labelled], model.memberships_[labelled])
    assert n_unlabelled == 3
    assert scores.n_documents == 12
    for name in ("nmi", "ari", "micro_precision", "mi_f_score"):
        assert getattr(scores, name) == pytest.approx(getattr(expected, name))


@pytest.fixture
def clustered_table(tmp_path):
    """Results of a table with two columns of classes, of which one was given as labels."""
    path = tmp_path / "table.csv"
    lines = [
        f"{i},{text},{LABELS[i % 5] or 'both'},{i % 2}" for i, text in enumerate(TEXTS * 3)
    ]
    path.write_text("\n".join(["name,body,label,parity", *lines]) + "\n")
    columns = {"text": ["body"], "id": "name", "label": "parity", "title": None}
    corpus = read(path, **columns, options=ENGLISH)
    model = MultinomialMixture(2, random_state=0).fit(corpus)
    summary = summarize(model, corpus, method="mm")
    details = {"source": str(path), "columns": columns}
    write_results(tmp_path / "out", model, summary, **details)
    return path


def test_labels_come_from_the_column_named(clustered_table):
    folder = clustered_table.parent / "out"
    assert evaluate_results(folder).scores.contingency.classes == ("0", "1")
    assert evaluate_results(folder, "label").scores.contingency.classes == (
        "both",
        "space",
        "sport",
    )


def test_known_labels_do_not_need_the_table_any_more(clustered_table):
    folder = clustered_table.parent / "out"
    clustered_table.unlink()
    assert evaluate_results(folder, "parity").scores.n_documents == 15
    with pytest.raises(InputError, match=r"table\.csv: no such file"):
        evaluate_results(folder, "label")


def test_a_table_that_lost_a_document_is_refused(clustered_table):
    lines = clustered_table.read_text().splitlines(keepends=True)
    clustered_table.write_text("".join(lines[:-1]))
    with pytest.raises(InputError, match=r"table\.csv: document '14' is not in it any more"):
        evaluate_results(clustered_table.parent / "out", "label")


def test_documents_in_memory_have_no_columns(folder):
    with pytest.raises(InputError, match="'kind': the documents did not come from a table"):
        evaluate_results(folder, "kind")


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"id": ["1"], "cluster": [1]}, "expected the 15 documents of the model, got 1 rows"),
        ({"id": ["1"] * 15}, "got 15 rows of id"),
    ],
)
def test_documents_of_another_model_are_refused(folder, columns, complaint):
    pq.write_table(pa.table(columns), folder / "documents.parquet")
    with pytest.raises(InputError, match=complaint):
        evaluate_results(folder)


def test_damaged_documents_are_refused(folder):
    (folder / "documents.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match=r"documents\.parquet: damaged"):
        evaluate_results(folder)


def test_known_words_bring_no_remarks_of_other_documents(corpus, tmp_path):
    learned = Corpus.from_texts(TEXTS)
    assert any("language" in line for line in learned.notes.lines())
    again = Corpus.from_texts(TEXTS[:2], options=learned.vocabulary)
    assert again.notes.lines() == ["2 documents read"]
    (tmp_path / "one.txt").write_text(TEXTS[0])
    assert read(tmp_path, options=learned.vocabulary).notes.lines() == ["1 document read"]
    assert len(corpus) == 15


def test_the_model_in_the_folder_is_whole(folder, model, corpus):
    loaded = load_model(folder / MODEL)
    np.testing.assert_array_equal(loaded.predict_proba(corpus), model.memberships_)
