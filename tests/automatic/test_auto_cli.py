"""The automatic method from the command line: its number, new documents, vectors."""

import csv
import json
import random

import numpy as np
import pytest

from commands import succeed
from coterie import load_model, read
from coterie.automatic import number_of_clusters
from coterie.automatic.number import number_asked, offers
from coterie.automatic.stages import Stages
from coterie.findings import summarize

THEMES = (
    "bake bread butter dough flour garlic knife onion oven pepper recipe salt sauce",
    "astronaut comet gravity launch lunar mission moon orbit planet probe rocket star",
    "ball coach cup goal keeper league match player referee score season stadium team",
)
ENGLISH = ("--language", "en")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = random.Random(0)
    path = tmp_path_factory.mktemp("auto") / "table.jsonl"
    rows = []
    for number in range(60):
        words = rng.choices(THEMES[number % 3].split(), k=12)
        rows.append({"text": " ".join(words), "theme": f"theme {number % 3}"})
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.fixture(scope="module")
def vectors(table):
    file = table.with_name("vectors.npy")
    np.save(file, np.eye(3)[np.arange(60) % 3] * 2 - 0.5)
    return file


def test_the_automatic_method_is_the_default(table, tmp_path):
    done = succeed("cluster", table, "--label", "theme", "--out", tmp_path / "out", *ENGLISH)
    assert "3 clusters estimated; 7 stands out too: -k 7" in done.stderr
    assert "Strongest words" in done.stdout
    model = load_model(tmp_path / "out" / "model")
    assert type(model).__name__ == "AutoClustering"
    assert model.n_clusters_ == 3
    assert model.n_clusters_curve_["n_clusters"][0] == 2
    scores = json.loads(succeed("evaluate", tmp_path / "out", "--json").stdout)
    assert scores["nmi"] > 0.9
    placed = succeed("assign", tmp_path / "out", table, "--out", "-")
    written = (tmp_path / "out" / "documents.csv").read_text()
    clusters = [row["cluster"] for row in csv.DictReader(written.splitlines())]
    assert set(clusters) == {"1", "2", "3"}
    assert [row["cluster"] for row in csv.DictReader(placed.stdout.splitlines())] == clusters


@pytest.mark.parametrize("method", ["auto", "plsa", "chi-sim", "kmeans"])
def test_the_curve_of_a_number_looked_for_is_shown_by_any_method(table, tmp_path, method):
    out = tmp_path / "out"
    done = succeed("cluster", table, "-k", "auto", "--method", method, "--out", out, *ENGLISH)
    model = load_model(out / "model")
    corpus = read(table, options=model.vocabulary_)
    chosen, curve = number_of_clusters(corpus, random_state=0)
    assert model.n_clusters_curve_ == curve
    printed = " ".join(done.stdout.split())
    assert f"{chosen} clusters score " in printed
    assert f"2 to {curve['n_clusters'][-1]} clusters were tried." in printed
    page = (out / "report.html").read_text()
    chart = page.split("<figcaption>How many clusters")[1].split("</figure>")[0]
    assert chart.count("<circle") == len(curve["n_clusters"])
    written = json.loads((out / "clusters.json").read_text())["number"]
    assert (written["chosen"], written["tried"]) == (chosen, curve["n_clusters"])
    assert written["measures"] == {name: curve[name] for name in curve if name != "n_clusters"}
    again = summarize(model, corpus, method=method)
    assert json.loads(json.dumps(again.to_json()["number"])) == written


def test_the_numbers_that_stand_out_are_offered_and_can_be_asked_for(
    table, tmp_path, monkeypatch
):
    curve = {"n_clusters": [2, 3, 4, 6, 8], "modularity": [0.7, 0.8, 0.6, 0.85, 0.6]}
    found = {asked: (number_asked(curve, asked), curve) for asked in ("few", "auto", "many")}
    monkeypatch.setattr(Stages, "number", lambda _self, asked: found[asked])
    for asked, method, said in (
        ("few", "auto", "2 clusters estimated; 3 and 6 stand out too: -k 3, -k 6"),
        ("auto", "auto", "3 clusters estimated; 2 and 6 stand out too: -k 2, -k 6"),
        ("many", "kmeans", "6 clusters estimated; 2 and 3 stand out too: -k 2, -k 3"),
    ):
        out = tmp_path / asked
        done = succeed(
            "cluster", table, "-k", asked, "--method", method, "--out", out, *ENGLISH
        )
        assert said in done.stderr
        assert load_model(out / "model").n_clusters_offered_ == offers(curve)
        written = json.loads((out / "clusters.json").read_text())["number"]
        assert written["offered"] == [2, 3, 6]
        assert written["chosen"] == found[asked][0]
        assert "stand out too." in (out / "report.html").read_text()


def test_a_number_that_was_given_has_no_curve(table, tmp_path):
    out = tmp_path / "out"
    done = succeed("cluster", table, "-k", 3, "--method", "plsa", "--out", out, *ENGLISH)
    assert "tried" not in done.stdout
    assert "How many clusters" not in (out / "report.html").read_text()
    assert json.loads((out / "clusters.json").read_text())["number"] is None
    assert not hasattr(load_model(out / "model"), "n_clusters_curve_")


def test_vectors_of_a_file_take_part(table, vectors, tmp_path):
    out = tmp_path / "out"
    succeed("cluster", table, "-k", 3, "--embeddings", vectors, "--out", out, *ENGLISH)
    model = load_model(out / "model")
    assert model.neighbors_["vectors"].shape == (60, 3)
    assert succeed("assign", out, table, "--embeddings", vectors, "--out", "-").stdout
    without = succeed("assign", out, table, "--out", "-")
    assert "without --embeddings, documents are assigned by their words alone" in without.stderr
