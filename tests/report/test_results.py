"""The folder of results: written whole or not at all, and read back with care."""

import hashlib
import json
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from coterie import InputError, MultinomialMixture, TextOptions, load_model, read, save_model
from coterie.clustering import Clustering, load
from coterie.clustering.result import About
from coterie.clustering.running import Settings
from coterie.clustering.saving import load_assigner
from coterie.commands.files import file_to_write
from coterie.corpus import Corpus
from coterie.evaluation import evaluate
from coterie.findings import assign_documents, summarize
from coterie.findings.saved import CORPUS, load_saved, portable_source
from coterie.folders import RECORD
from coterie.report.results import (
    FILES,
    MODEL,
    assignments_csv,
    check_results_folder,
)
from coterie.report.tables import write_csv

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
    def write_at(folder, title="first"):
        about = About(title=title, settings=Settings(method="mm"))
        Clustering(model, corpus, about=about).save(folder)

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
    saved = load(folder)
    assert saved.names == load_assigner(folder / MODEL).names == load_assigner(folder).names
    summary = summarize(model, corpus, method="mm")
    assert saved.names == {cluster.number: cluster.name for cluster in summary.clusters}
    assert saved.about.settings.method == "mm"
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
    saved = load_assigner(tmp_path / "model")
    assert saved.names == {1: "cluster 1", 2: "cluster 2"}
    assert [
        row.cluster - 1 for row in assign_documents(saved.model, corpus)
    ] == model.labels_.tolist()


def test_folders_are_made_as_needed(write, tmp_path):
    write(tmp_path / "a" / "b" / "c")
    assert {path.name for path in (tmp_path / "a/b/c").iterdir()} == {
        *FILES,
        MODEL,
        CORPUS,
        RECORD,
    }


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


@pytest.mark.parametrize("name", [*FILES, MODEL, CORPUS, RECORD])
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
    for part in (CORPUS, MODEL):
        shutil.copytree(folder, tmp_path / part)
        shutil.rmtree(tmp_path / part / part)
        shutil.copytree(tmp_path / "other" / part, tmp_path / part / part)
        (tmp_path / part / part / "manifest.json").touch()
    with pytest.raises(InputError, match="model: not written with the other results"):
        load_saved(tmp_path / MODEL)
    content = (tmp_path / CORPUS / CORPUS / "manifest.json").read_text()
    (tmp_path / CORPUS / CORPUS / "manifest.json").write_text(content + " ")
    with pytest.raises(InputError, match=r"manifest\.json: not written with the other results"):
        load(tmp_path / CORPUS)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError, match="file: a file, expected a folder"):
            check_results_folder(path)


def test_a_file_takes_its_name_when_all_is_written(folder, tmp_path, monkeypatch):
    rows = load(folder).document_table(texts=False)
    path = tmp_path / "new.csv"
    with file_to_write(path, replace=False) as draft:
        write_csv(draft, rows)
    assert path.read_text() == assignments_csv(rows) == (folder / "documents.csv").read_text()
    with monkeypatch.context() as patch:
        patch.setattr("coterie.report.tables._rounded", failing_once(str, at=9))
        with (
            pytest.raises(OSError, match="Input/output error"),
            file_to_write(path, replace=True) as draft,
        ):
            write_csv(draft, rows.take([0, 1, 2, 3]))
    assert path.read_text() == assignments_csv(rows)
    assert {each.name for each in tmp_path.iterdir()} == {"out", "new.csv"}


def test_a_file_that_came_in_the_meantime_is_not_replaced(tmp_path):
    path = tmp_path / "new.csv"
    with (
        pytest.raises(InputError, match="exists already"),
        file_to_write(path, replace=False) as draft,
    ):
        draft.write_text("ours")
        path.write_text("mine")
    assert path.read_text() == "mine"
    assert [each.name for each in tmp_path.iterdir()] == ["new.csv"]


def test_evaluation_leaves_out_what_has_no_label(folder, model):
    scores = load(folder).evaluate()
    labelled = np.array([bool(label) for label in LABELS * 3])
    true = np.array(LABELS * 3)[labelled]
    expected = evaluate(true, model.labels_[labelled], model.memberships_[labelled])
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
    corpus = read(path, text="body", id="name", label="parity", options=ENGLISH)
    model = MultinomialMixture(2, random_state=0).fit(corpus)
    result = Clustering(model, corpus, about=About(source=str(path)))
    result.save(tmp_path / "out")
    assert load_saved(tmp_path / "out").details["source"] == "../table.csv"
    return path


def test_labels_come_from_the_column_named_though_the_table_is_gone(clustered_table):
    result = load(clustered_table.parent / "out")
    clustered_table.unlink()
    assert result.evaluate().contingency.classes == ("0", "1")
    classes = result.evaluate("source_label").contingency.classes
    assert classes == ("both", "space", "sport")
    assert result.corpus.texts([0]) == [TEXTS[0]]
    with pytest.raises(InputError, match="no column 'kind'. Columns: .*parity"):
        result.evaluate("kind")


def test_a_source_reached_through_the_root_alone_keeps_its_name():
    assert portable_source(Path("/data/a.csv"), Path("/tmp/out")) == "a.csv"


def test_documents_of_another_model_are_refused(folder, tmp_path):
    Corpus.from_texts(TEXTS, options=ENGLISH).save(tmp_path / "corpus")
    shutil.rmtree(folder / CORPUS)
    shutil.copytree(tmp_path / "corpus", folder / CORPUS)
    with pytest.raises(InputError, match="not written with the other results"):
        load(folder)


def test_a_folder_without_documents_is_no_result(folder):
    shutil.rmtree(folder / CORPUS)
    with pytest.raises(InputError, match="holds no documents"):
        load(folder)
    with pytest.raises(InputError, match="no such folder"):
        load(folder / "nowhere")


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
