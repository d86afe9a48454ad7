"""The folder of results: written whole or not at all, and read back with care."""

import hashlib
import json
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from coterie import InputError, MultinomialMixture, TextOptions, load_model, read, save_model
from coterie.corpus import Corpus
from coterie.evaluation import evaluate
from coterie.findings import assign_documents, summarize
from coterie.findings.saved import evaluate_results, load_saved, portable_source
from coterie.folders import RECORD
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
    assert {path.name for path in (tmp_path / "a/b/c").iterdir()} == {*FILES, MODEL, RECORD}


@pytest.mark.parametrize("step", range(1, 5))
def test_a_failed_move_leaves_old_or_new_results_and_the_next_write_works(
    folder, write, monkeypatch, step
):
    (folder / "other.txt").write_text("mine")
    run = load_saved(folder).details["run"]
    with monkeypatch.context() as patch:
        moves = failing_once(Path.rename, at=step)
        patch.setattr(Path, "rename", lambda *arguments: moves(*arguments))
        with suppress(OSError):
            write(folder, title="second")
    assert (folder / "other.txt").read_text() == "mine"
    first = '"title": "first"' in (folder / "clusters.json").read_text()
    assert (load_saved(folder).details["run"] == run) == first
    write(folder, title="third")
    assert [each.name for each in folder.parent.iterdir()] == ["out"]


def test_a_failed_first_write_leaves_nothing(write, tmp_path, monkeypatch):
    for step in (1, 2):
        with monkeypatch.context() as patch:
            moves = failing_once(Path.rename, at=step)
            patch.setattr(Path, "rename", lambda *each, moves=moves: moves(*each))
            with pytest.raises(OSError, match="Input/output error"):
                write(tmp_path / "new" / "out")
        assert not list(tmp_path.iterdir())


def test_ctrl_c_while_writing_leaves_the_old_results(folder, write, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    before = contents(folder)
    monkeypatch.setattr("coterie.report.results.render", stop)
    with pytest.raises(KeyboardInterrupt):
        write(folder, title="second")
    assert contents(folder) == before
    assert [each.name for each in folder.parent.iterdir()] == ["out"]


@pytest.mark.parametrize("name", [*FILES, MODEL, RECORD])
def test_a_folder_with_somebody_elses_file_is_refused(tmp_path, name):
    (tmp_path / "thoughts.txt").write_text("kept")
    check_results_folder(tmp_path)
    (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match=f"holds a {name} that Coterie did not write"):
        check_results_folder(tmp_path)


@pytest.mark.parametrize("manifest", ["{}", '{"name": "web app"}'])
def test_somebody_elses_model_is_not_deleted(write, tmp_path, manifest):
    (tmp_path / MODEL).mkdir()
    (tmp_path / MODEL / "manifest.json").write_text(manifest)
    (tmp_path / MODEL / "weights.bin").write_text("precious")
    before = contents(tmp_path)
    with pytest.raises(InputError, match="holds a model that Coterie did not write"):
        write(tmp_path)
    assert contents(tmp_path) == before


def test_a_model_saved_there_by_itself_is_not_replaced_by_results(model, write, tmp_path):
    save_model(model, tmp_path / MODEL)
    with pytest.raises(InputError, match="holds a model that Coterie did not write"):
        write(tmp_path)


def test_files_of_others_stay_wherever_they_lie(folder, write):
    theirs = ["thoughts.txt", "model/thoughts.txt", "model/deep/thoughts.txt", "deep/x.csv"]
    for name in theirs:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("mine")
    write(folder, title="second")
    for name in theirs:
        assert (folder / name).read_text() == "mine"
    assert '"title": "second"' in (folder / "clusters.json").read_text()
    load_saved(folder)


@pytest.mark.parametrize("name", ["documents.csv", "model/manifest.json", RECORD])
def test_a_file_changed_since_it_was_written_is_not_replaced(folder, write, name):
    (folder / name).write_text((folder / name).read_text().replace("1", "2"))
    before = contents(folder)
    with pytest.raises(InputError, match=f"{name}.*choose another folder|{name} that Coterie"):
        write(folder, title="second")
    assert contents(folder) == before


def test_an_unlisted_array_in_the_model_is_not_replaced(folder, write):
    (folder / MODEL / "mine.npy").write_text("mine")
    with pytest.raises(InputError, match=r"holds a model/mine\.npy that Coterie did not write"):
        write(folder)


def test_a_file_that_was_deleted_is_written_again(folder, write):
    (folder / "terms.csv").unlink()
    write(folder)
    assert (folder / "terms.csv").is_file()


def test_all_files_carry_one_run_and_are_listed_with_checksums(folder, write):
    record = json.loads((folder / RECORD).read_text())
    run = record["run"]
    assert record["kind"] == "results"
    listed = record["files"]
    files = [each for each in folder.rglob("*") if each.is_file()]
    assert {each.relative_to(folder).as_posix() for each in files} == {*listed, RECORD}
    for name, checksum in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == checksum
    assert json.loads((folder / "clusters.json").read_text())["run"] == run
    page = (folder / "report.html").read_text()
    assert f'<meta name="coterie-run" content="{run}">' in page
    metadata = pq.read_schema(folder / "documents.parquet").metadata
    assert metadata[b"coterie-run"] == run.encode()
    assert load_saved(folder).details["run"] == run
    write(folder)
    assert json.loads((folder / RECORD).read_text())["run"] != run


def test_files_of_different_runs_are_not_read_together(folder, write, tmp_path):
    write(tmp_path / "other")
    shutil.copy(tmp_path / "other" / "documents.parquet", folder)
    with pytest.raises(InputError, match=r"documents\.parquet: not written with the model"):
        evaluate_results(folder)
    shutil.rmtree(folder / MODEL)
    shutil.copytree(tmp_path / "other" / MODEL, folder / MODEL)
    with pytest.raises(InputError, match="model: not written with the other results"):
        load_saved(folder)


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
    details = {"source": portable_source(path, tmp_path / "out"), "columns": columns}
    assert details["source"] == "../table.csv"
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
    clustered_table.rename(clustered_table.parent / "moved.csv")
    assert evaluate_results(folder, "parity").scores.n_documents == 15
    with pytest.raises(InputError, match=r"^table\.csv: .* not where it was; --table names it"):
        evaluate_results(folder, "label")
    moved = evaluate_results(folder, "label", clustered_table.parent / "moved.csv")
    assert moved.scores.contingency.classes == ("both", "space", "sport")


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
