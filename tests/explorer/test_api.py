"""What the page may ask, from dropped files to exported ones."""

import csv
import io
import json
import re
import shutil
import threading
import zipfile

import pandas
import pyarrow.parquet as pq
import pytest

import coterie
import coterie.explorer.workspace as module
from coterie.explorer import uploads
from coterie.explorer.searching import FoldedTexts, folded
from coterie.explorer.store import Store
from coterie.explorer.suggestions import suggestions
from coterie.explorer.workspace import Workspace
from exploring import Client
from small import KINDS, TEXTS, clustered, make_frame


def table(frame=None):
    return (make_frame() if frame is None else frame).to_csv(index=False).encode()


def head_of(client, name):
    return client.get(f"/api/results/{name}/head").json()


def edit(client, node, **what):
    answer = client.post(f"/api/results/{node}/edits", what)
    assert answer.status_code == 200, answer.text
    return answer.json()


def names_in(client, name):
    return {each["number"]: each["name"] for each in head_of(client, name)["head"]["clusters"]}


@pytest.fixture(scope="module")
def folder_of_files():
    return {f"letters/{kind}/{i:02}.txt": text.encode() for i, (kind, text) in
            enumerate(zip(KINDS, TEXTS, strict=True))}  # fmt: skip


def test_a_dropped_table_shows_its_columns_and_is_clustered(client):
    upload = client.send({"drinks.csv": table()})
    seen = client.get(f"/api/uploads/{upload}/preview").json()
    assert seen["text"] == "body"
    assert seen["title"] == "drinks.csv"
    assert [each["name"] for each in seen["columns"]] == ["key", "body", "kind", "stars", "day"]
    assert seen["columns"][0]["examples"] == ["d00", "d01", "d02"]
    body = {"text": ["body"], "id": "key", "label": "kind", "n_clusters": 3, "method": "mm"}
    name = client.post(f"/api/uploads/{upload}/cluster", body).json()["id"]
    node = client.wait(name)
    assert node["status"] == "ready", node
    assert node["title"] == "drinks.csv"
    result = client.room.result(name)
    assert result.evaluate().ari == 1
    assert set(result.corpus.ids) == set(make_frame()["key"])
    assert not (client.room.store.folder(client.room.node(name)) / "source").exists()


def test_a_dropped_folder_keeps_its_names_as_labels_only(client, folder_of_files):
    hostile = {"../../../outside.txt": b"moon orbit star", "/etc/passwd": b"team ball cup"}
    upload = client.send(folder_of_files | hostile)
    assert client.get(f"/api/uploads/{upload}/preview").json()["files"] == 38
    answer = client.post(f"/api/uploads/{upload}/cluster", {"n_clusters": 3, "method": "mm"})
    name = answer.json()["id"]
    assert client.wait(name)["status"] == "ready"
    ids = set(client.room.result(name).corpus.ids)
    assert {"outside.txt", "etc/passwd", "letters/food/02.txt"} <= ids
    around = client.room.store.root.parent
    assert not list(around.rglob("outside.txt"))
    assert not list(around.rglob("passwd"))


def test_a_first_picture_comes_before_the_whole(client, folder_of_files, monkeypatch):
    seen = []
    real = client.room._fit

    def fit(job, node, corpus, about):
        first = client.room.result(node.id)
        seen.append((client.room.state()["nodes"][0]["preliminary"], len(first.numbers)))
        refused = client.post(
            f"/api/results/{node.id}/edits", {"edit": "merge", "clusters": [1, 2]}
        )
        seen.append(refused.json()["error"])
        real(job, node, corpus, about)

    monkeypatch.setattr(client.room, "_fit", fit)
    upload = client.send(folder_of_files)
    name = client.post(f"/api/uploads/{upload}/cluster", {"n_clusters": 3}).json()["id"]
    assert client.wait(name)["status"] == "ready"
    assert seen[0] == (36, 3)
    assert seen[1].startswith("this is a first picture")


@pytest.mark.parametrize(
    ("files", "body", "expected"),
    [
        ({"empty.csv": b""}, {}, "no rows"),
        ({"a.csv": b"text,n\nhello,1\n"}, {"text": ["body"]}, "no column 'body'"),
        ({"a.csv": b"text,n\nhello,1\n"}, {"n_clusters": 9}, "9 clusters"),
        ({"a.bin": b"\x00\x01\x02" * 99}, {}, "binary"),
        ({"a.tar.gz": b"no archive"}, {}, "archive"),
    ],
)
def test_files_that_cannot_be_clustered_end_in_one_sentence(client, files, body, expected):
    upload = client.send(files)
    name = client.post(f"/api/uploads/{upload}/cluster", body).json()["id"]
    node = client.wait(name)
    assert node["status"] == "failed"
    assert expected in node["error"]
    assert str(client.room.store.root) not in node["error"].replace("documents", "")


@pytest.mark.parametrize(
    "body",
    [
        {"n_clusters": -1}, {"n_clusters": "lots"}, {"n_clusters": True}, {"method": "magic"},
        {"text": "body"}, {"text": [1]}, {"method": 5},
    ],
)  # fmt: skip
def test_a_request_that_makes_no_sense_is_refused_at_once(client, body):
    upload = client.send({"a.txt": b"moon", "b.txt": b"star"})
    answer = client.post(f"/api/uploads/{upload}/cluster", body)
    assert answer.status_code == 400
    assert not client.room.store.nodes


def test_an_upload_can_be_forgotten(client):
    upload = client.send({"a.txt": b"moon"})
    folder = client.room.uploads[upload].folder
    assert folder.is_dir()
    assert client.delete(f"/api/uploads/{upload}").status_code == 200
    assert not folder.exists()
    assert client.get(f"/api/uploads/{upload}/preview").status_code == 404


def test_too_many_or_too_large_files_are_refused(client, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_FILES", 2)
    monkeypatch.setattr(uploads, "MOST_BYTES", 100)
    name = client.post("/api/uploads").json()["id"]
    path = f"/api/uploads/{name}/files"
    large = client.post(path, files=[("file", ("a.txt", b"x" * 101))])
    assert large.status_code == 400
    assert "coterie explore" in large.json()["error"]
    many = client.post(path, files=[("file", (f"{i}.txt", b"x")) for i in range(3)])
    assert many.status_code == 400
    assert "archive" in many.json()["error"]


def test_every_edit_is_made_saved_and_taken_back(client, opened):
    path = f"/api/results/{opened}"
    before = head_of(client, opened)
    edit(client, opened, edit="rename", cluster=1, name="Bread")
    assert names_in(client, opened)[1] == "Bread"
    edit(client, opened, edit="merge", clusters=[1, 3])
    assert list(names_in(client, opened)) == [1, 2]
    edit(client, opened, edit="move", ids=["d00", "d01"], cluster=2)
    edit(client, opened, edit="split", cluster=1, parts=2)
    client.wait(opened)
    assert list(names_in(client, opened)) == [1, 2, 4]
    edit(client, opened, edit="drop", clusters=[2])
    after = head_of(client, opened)
    assert after["aside"] > 0
    assert len(after["edits"]) == 5
    expected = client.room.result(opened).labels.tolist()
    other = Workspace(Store(client.room.store.root))  # as after a kill: nothing was ended
    assert other.result(opened).labels.tolist() == expected
    assert other.result(opened).edits[3].model is not None
    other.end()
    for _ in range(5):
        assert client.post(f"{path}/undo").status_code == 200
    assert head_of(client, opened)["head"] == before["head"] | {}
    assert "nothing to undo" in client.post(f"{path}/undo").json()["error"]


def test_an_opened_folder_gets_the_edits_and_is_not_overwritten_when_changed(client, results):
    name = client.room.open_folder(results).id
    edit(client, name, edit="rename", cluster=2, name="Sport")
    client.room._write_folder(name)
    assert coterie.load(results).names[2] == "Sport"
    elsewhere = coterie.load(results).rename({1: "Another program"})
    elsewhere.save()
    edit(client, name, edit="rename", cluster=3, name="Mine")
    client.room._write_folder(name)
    assert coterie.load(results).names[1] == "Another program"
    assert any("not in the folder" in note for note in client.room.notes[name])
    other = Workspace(Store(client.room.store.root))
    assert other.result(name).names[1] == "Another program"
    assert "were not applied" in other.notes[name][0]
    other.end()


def test_an_opened_folder_gets_edits_that_wait_when_it_is_removed(client, results):
    for label in ("First", "Second"):
        name = client.room.open_folder(results).id
        edit(client, name, edit="rename", cluster=1, name=label)
        assert client.delete(f"/api/results/{name}").status_code == 200
        assert coterie.load(results).names[1] == label
    name = client.room.open_folder(results).id
    edit(client, name, edit="rename", cluster=1, name="Third")
    coterie.load(results).rename({2: "Another program"}).save()
    refused = client.delete(f"/api/results/{name}")
    assert refused.status_code == 400
    assert "remove it again to lose them" in refused.json()["error"]
    assert client.delete(f"/api/results/{name}").status_code == 200
    assert coterie.load(results).names[1] == "Second"


def test_a_kill_while_the_folder_is_written_loses_no_edit(client, results):
    """Between the folder and the journal: each state in which a kill may leave them."""
    name = client.room.open_folder(results).id
    opened, result = client.room._opened(name), client.room.result(name)
    edit(client, name, edit="rename", cluster=1, name="First")
    opened.timer.cancel()
    opened.journal.folder_gets(result.edits, result.edits)
    for _ in range(2):
        other = Workspace(Store(client.room.store.root))
        assert other.result(name).names[1] == "First"
        other.end()
        coterie.load(results).rename({1: "First"}).save()  # the folder has them now


def test_gathered_clusters_are_clustered_by_themselves(client, opened):
    answer = client.post(
        f"/api/results/{opened}/gather", {"clusters": [1, 2], "n_clusters": 2, "method": "mm"}
    )
    child = answer.json()["id"]
    node = client.wait(child)
    assert node["parent"] == opened
    assert node["clusters"] == [1, 2]
    assert len(client.room.result(child).corpus) == 24
    client.delete(f"/api/results/{opened}")
    assert client.get("/api/state").json()["nodes"] == []


def test_two_results_are_compared(client, opened):
    again = client.post(f"/api/results/{opened}/again", {"n_clusters": 2, "method": "mm"})
    other = again.json()["id"]
    client.wait(other)
    found = client.get(f"/api/compare?one={opened}&other={other}").json()
    assert found["documents"] == 36
    assert found["n_moved"] == len(found["moved"]) == 12
    assert found["sentence"].startswith("67 %")


@pytest.mark.parametrize("asked", ["few", "many"])
def test_few_or_many_clusters_can_be_asked_for(client, opened, asked):
    body = {"n_clusters": asked, "method": "mm"}
    name = client.post(f"/api/results/{opened}/again", body).json()["id"]
    node = client.wait(name)
    assert node["title"] == f"{asked.capitalize()} clusters by mm"
    result = client.room.result(name)
    assert result.about.settings.n_clusters == asked
    offered = result.model.n_clusters_offered_["n_clusters"]
    assert len(result.numbers) == (min if asked == "few" else max)(offered)
    others = [int(k) for k in offered if k != len(result.numbers)]
    assert head_of(client, name)["facts"]["offered"] == others


def test_others_look_and_edit_while_a_cluster_is_being_split(client, opened, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()
    split = coterie.Clustering.split

    def slow(result, *arguments):
        begun.set()
        assert go_on.wait(30)
        return split(result, *arguments)

    monkeypatch.setattr(coterie.Clustering, "split", slow)
    edit(client, opened, edit="split", cluster=1, parts=2)
    assert begun.wait(30)
    edit(client, opened, edit="rename", cluster=2, name="Meanwhile")
    assert names_in(client, opened)[2] == "Meanwhile"
    go_on.set()
    client.wait(opened)
    assert names_in(client, opened)[2] == "Meanwhile"
    assert len(names_in(client, opened)) == 4


def test_a_part_of_the_version_before_an_edit_may_still_be_asked_for(client, opened):
    before = head_of(client, opened)["version"]
    edit(client, opened, edit="rename", cluster=1, name="Bread")
    after = head_of(client, opened)["version"]
    for version, status in ((before, 200), (after, 200), (after + 1, 404)):
        path = f"/api/results/{opened}/parts/names"
        assert client.get(path, params={"version": version}).status_code == status


WORDS = ["chess", "a", "1990", "éclair", "ßa", "日本", "x_y", "the"]
FIELDS = [
    "Chess duchess _chess 1chess",
    "échecs Éclair",
    "x_y a_chess",
    "日本語",
    "",
    "the the",
]


@pytest.mark.parametrize("word", WORDS)
def test_words_are_found_as_by_a_look_at_each_document(word):
    corpus = coterie.Corpus.from_texts([*FIELDS, *(f"{word}{each}" for each in FIELDS)])
    found = FoldedTexts(corpus).find(word)
    parts = re.findall(r"[^\W_]+", folded(word))
    expected = []
    for at, (title, name, text) in enumerate(
        zip(corpus.titles, corpus.ids, corpus.texts(slice(None)), strict=True)
    ):
        whole = folded(f"{title}\n{name}\n{text}")
        words = re.findall(r"[^\W_]+", whole)
        begins = [any(each.startswith(part) for each in words) for part in parts]
        if all(part in whole if "日" in part else begin
               for part, begin in zip(parts, begins, strict=True)):  # fmt: skip
            expected.append(at)
    assert found == expected


def test_decided_documents_steer_a_fit(client, opened):
    edit(client, opened, edit="rename", cluster=1, name="Bread")
    target = client.room.result(opened)
    moved = [name for name, label in zip(target.corpus.ids, target.labels, strict=True)
             if label == 2][:3]  # fmt: skip
    edit(client, opened, edit="move", ids=moved, cluster=1)
    child = client.post(f"/api/results/{opened}/steer").json()["id"]
    assert client.wait(child)["status"] == "ready"
    result = client.room.result(child)
    bread = next(number for number, name in result.names.items() if name == "Bread")
    place = {name: at for at, name in enumerate(result.corpus.ids)}
    assert {int(result.labels[place[name]]) for name in moved} == {bread}


def test_documents_are_found_shown_and_assigned(client, opened):
    path = f"/api/results/{opened}"
    found = client.get(f"{path}/find", params={"query": "Roc moon"}).json()["ids"]
    expected = [
        f"d{i:02}" for i, text in enumerate(TEXTS) if "moon" in text and "rocket" in text
    ]
    assert found == expected
    shown = client.get(f"{path}/document", params={"id": "d04"}).json()
    assert shown["text"] == TEXTS[4]
    assert shown["columns"]["stars"] == 4
    assert shown["choices"][0]["cluster"] == shown["cluster"]
    assert client.get(f"{path}/document", params={"id": "../d04"}).status_code == 400
    assigned = client.post(f"{path}/assign", {"text": "a rocket to the moon"}).json()
    assert assigned["cluster"] == shown_cluster(client, opened, "d00")
    assert assigned["n_words"] == 2
    members = client.get(f"{path}/members/1").json()
    assert len(members) == 12


def shown_cluster(client, name, document):
    answer = client.get(f"/api/results/{name}/document", params={"id": document})
    return answer.json()["cluster"]


def test_doubtful_documents_leave_the_queue_when_decided(client, tmp_path):
    texts = [*(f"common {text}" for text in TEXTS), "common"]
    result = clustered(pandas.DataFrame({"text": texts}), text="text")
    name = client.room.open_folder(result.save(tmp_path / "doubtful")).id
    path = f"/api/results/{name}"
    (row,) = client.get(f"{path}/doubtful").json()
    assert row["id"] == "37"
    edit(client, name, edit="move", ids=[row["id"]], cluster=row["second"])
    assert client.get(f"{path}/doubtful").json() == []
    assert client.room.result(name).labels[36] == row["second"]


def test_exports_honour_edits(client, opened, tmp_path):
    edit(client, opened, edit="rename", cluster=1, name="Bread")
    edit(client, opened, edit="merge", clusters=[2, 3])
    path = f"/api/results/{opened}/export"
    rows = list(csv.DictReader(io.StringIO(client.get(f"{path}/csv").text)))
    assert {row["name"] for row in rows if row["cluster"] == "1"} == {"Bread"}
    assert {row["cluster"] for row in rows} == {"1", "2"}
    parquet = pq.read_table(io.BytesIO(client.get(f"{path}/parquet").content))
    assert set(parquet["cluster"].to_pylist()) == {1, 2}
    assert parquet["body"].to_pylist()[0] == TEXTS[0]
    clusters = json.loads(client.get(f"{path}/json").text)["clusters"]
    assert clusters[0]["name"] == "Bread"
    page = client.get(f"{path}/page")
    assert "Bread" in page.text
    assert page.headers["content-disposition"].startswith("attachment")
    archive = zipfile.ZipFile(io.BytesIO(client.get(f"{path}/model").content))
    archive.extractall(tmp_path / "unpacked")
    loaded = coterie.load(tmp_path / "unpacked" / "results")
    assert loaded.names[1] == "Bread"
    assert loaded.predict(["bread oven"]).tolist() == [1]
    assert client.get(f"{path}/exe").status_code == 400


def test_tabs_stay_after_a_crash_and_an_interrupted_fit_can_begin_again(client, opened):
    upload = client.send({"a.csv": table()})
    body = {"text": ["body"], "n_clusters": 3, "method": "mm"}
    name = client.post(f"/api/uploads/{upload}/cluster", body).json()["id"]
    client.wait(name)
    node = client.room.node(name)
    node.status = "fitting"  # as a kill in the midst of a fit leaves it
    client.room.store.save(node)
    shutil.rmtree(client.room.store.folder(node) / "result")
    node.source = str(client.room.store.root.parent / "again.csv")
    client.room.store.root.parent.joinpath("again.csv").write_bytes(table())
    client.room.store.save(node)
    other = Client(Workspace(Store(client.room.store.root)))
    nodes = {each["id"]: each for each in other.get("/api/state").json()["nodes"]}
    assert nodes[opened]["status"] == "ready"
    assert nodes[name]["status"] == "new"
    assert other.post(f"/api/results/{name}/retry").status_code == 200
    assert other.wait(name)["status"] == "ready"
    other.room.end()


def test_closed_tabs_can_be_opened_again_or_removed(client, opened, results):
    client.post(f"/api/results/{opened}/close")
    assert client.get("/api/state").json()["nodes"][0]["closed"]
    client.post(f"/api/results/{opened}/open")
    assert not client.get("/api/state").json()["nodes"][0]["closed"]
    client.delete(f"/api/results/{opened}")
    assert client.get("/api/state").json()["nodes"] == []
    assert (results / "coterie.json").is_file()


def test_a_stop_ends_a_fit_and_keeps_what_there_is(client, monkeypatch):
    real = module.fit

    def fit(corpus, settings):
        (job,) = client.room.jobs.active()
        client.room.stop(job.id)
        return real(corpus, settings)

    monkeypatch.setattr(module, "fit", fit)
    upload = client.send({"a.csv": table()})
    body = {"text": ["body"], "n_clusters": 3}
    name = client.post(f"/api/uploads/{upload}/cluster", body).json()["id"]
    assert client.wait(name)["status"] == "ready"
    assert client.room.result(name).summary.interrupted


def test_a_stop_while_reading_keeps_the_first_picture(client, folder_of_files, monkeypatch):
    monkeypatch.setattr(
        module.Job, "count", lambda job, _: (job.stopping.set(), job.refuse_stopped())
    )
    upload = client.send(folder_of_files)
    name = client.post(f"/api/uploads/{upload}/cluster", {"n_clusters": 3}).json()["id"]
    node = client.wait(name)
    assert node["status"] == "ready"
    assert any("Stopped while reading" in note for note in node["notes"])
    edit(client, name, edit="merge", clusters=[1, 2])


def test_nothing_is_made_of_a_first_picture(client, folder_of_files, monkeypatch):
    refused = []

    def fit(_job, node, *_):
        for path, body in (("gather", {"clusters": [1]}), ("steer", {}), ("again", {})):
            refused.append(client.post(f"/api/results/{node.id}/{path}", body).status_code)
        raise module.StoppedError("enough")

    monkeypatch.setattr(client.room, "_fit", fit)
    upload = client.send(folder_of_files)
    name = client.post(f"/api/uploads/{upload}/cluster", {"n_clusters": 3}).json()["id"]
    assert client.wait(name)["error"] == "enough"
    assert refused == [400, 400, 400]
    assert len(client.room.store.nodes) == 1


def test_suggestions_say_why():
    texts = ["moon star orbit launch probe"] * 9 + ["moon star orbit launch rover"] * 9
    frame = pandas.DataFrame({"text": [*texts, *["goal team ball cup"] * 9]})
    result = clustered(frame, text="text")
    found = suggestions(result)
    assert found[0].edit == "merge"
    assert "words" in found[0].reason
    assert found[0].reason.endswith("merge?")
    one, other = found[0].clusters
    assert len(result.merge([one, other]).numbers) == 2


def test_unknown_identifiers_are_told(client, opened):
    for path in ("results/0000/head", "results/zz/export/csv", "compare?one=a&other=b"):
        answer = client.get(f"/api/{path}")
        assert answer.status_code == 404
        assert "no such result" in answer.json()["error"]
    assert client.post("/api/jobs/1/stop").status_code == 404
    assert client.get(f"/api/results/{opened}/parts/names?version=99").status_code == 404
