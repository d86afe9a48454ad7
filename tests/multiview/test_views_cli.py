"""Several views from the command line: clustered, shown side by side, assigned, refused."""

import csv
import json
import random

import numpy as np
import pytest

from commands import refuse, succeed
from coterie import load_model
from coterie.methods import METHODS

THEMES = {
    "space": {
        "en": "rocket moon orbit planet star comet launch gravity",
        "de": "rakete mond umlaufbahn planet stern komet start schwerkraft",
    },
    "cooking": {
        "en": "bread oven butter flour onion garlic sauce recipe",
        "de": "brot ofen butter mehl zwiebel knoblauch soße rezept",
    },
}
N = 40


def rows():
    rng = random.Random(0)
    for number in range(N):
        theme = list(THEMES)[number % 2]
        texts = {
            view: " ".join(rng.choices(words.split(), k=10))
            for view, words in THEMES[theme].items()
        }
        if number == 7:
            texts["de"] = ""
        yield {"id": f"d{number}", "kind": theme, **texts}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("views") / "parallel.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def vectors(table):
    x = np.random.default_rng(0).normal(size=(N, 6)) + np.eye(6)[np.arange(N) % 2] * 5
    np.save(table.parent / "x.npy", x)
    return table.parent / "x.npy"


FAST = ("-k", 2, "--id", "id", "--label", "kind")


@pytest.fixture(scope="module")
def results(table):
    out = table.parent / "results"
    succeed("cluster", table, "--views", "en,de", "--out", out, *FAST)
    return out


def test_clusters_are_told_in_each_language_side_by_side(table):
    done = succeed("cluster", table, "--views", "en,de", *FAST)
    lines = [line.split() for line in done.stdout.splitlines()]
    heads = [line for line in lines if line == ["en", "de"]]
    assert len(heads) == 1
    below = lines[lines.index(["en", "de"]) :]
    beside = {tuple(line[-2:]) for line in below if len(line) >= 2}
    words = {
        view: {w for t in THEMES.values() for w in t[view].split()} for view in ("en", "de")
    }
    assert sum(en in words["en"] and de in words["de"] for en, de in beside) >= 8
    assert "NMI                         1.000" in done.stdout
    assert "view 'de': 1 document without it, known by other views only" in done.stderr


def test_what_is_written_names_the_views(results):
    with (results / "terms.csv").open(encoding="utf-8") as stream:
        terms = list(csv.DictReader(stream))
    assert {row["view"] for row in terms} == {"en", "de"}
    assert all(row["word"] not in "rocket moon" for row in terms if row["view"] == "de")
    clusters = json.loads((results / "clusters.json").read_text(encoding="utf-8"))
    assert clusters["method"] == "auto"
    assert clusters["n_words"] == 32
    for cluster in clusters["clusters"]:
        assert [view["name"] for view in cluster["views"]] == ["en", "de"]
        assert cluster["words"] == cluster["views"][0]["words"]
    page = (results / "report.html").read_text(encoding="utf-8")
    assert page.count('<div class="views">') == 2
    assert "<h4><bdi>de</bdi></h4>" in page
    assert "rakete" in page
    model = load_model(results / "model")
    assert list(model.vocabulary_) == ["en", "de"]
    assert model.vocabulary_["de"].options.language == "de"


def test_new_documents_are_assigned_by_the_views_they_have(table, results, tmp_path):
    new = tmp_path / "new.jsonl"
    new.write_text(
        '{"id": "both", "en": "rocket orbit", "de": "rakete mond"}\n'
        '{"id": "german", "en": "", "de": "brot ofen mehl"}\n'
        '{"id": "english", "en": "moon comet", "de": null}\n'
    )
    done = succeed("assign", results, new, "--out", "-")
    placed = {row["id"]: row["cluster"] for row in csv.DictReader(done.stdout.splitlines())}
    assert placed["both"] == placed["english"] != placed["german"]
    everything = succeed("assign", results, table, "--out", "-").stdout
    assert everything.count("\n") == N + 1
    for label in ((), ("--label", "kind"), ("--label", "en")):
        shown = succeed("evaluate", results, *label).stdout
        assert ("NMI                         1.000" in shown) == (label != ("--label", "en"))


def test_folders_of_files_with_the_same_names_are_views(tmp_path):
    for row in rows():
        for view in ("en", "de"):
            file = tmp_path / "parallel" / view / row["kind"] / f"{row['id']}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(row[view], encoding="utf-8")
    out = tmp_path / "out"
    folder = tmp_path / "parallel"
    done = succeed("cluster", folder, "--views", "en,de", "-k", 2, "--out", out)
    assert "NMI                         1.000" in done.stdout
    assert succeed("assign", out, folder, "--out", "-").stdout.count("\n") == N + 1


@pytest.mark.parametrize("method", ["conc-plsa", "fusion-lm", "voted-plsa"])
def test_every_method_of_views_runs_with_embeddings_too(table, vectors, method, tmp_path):
    out = tmp_path / "out"
    views = ("--views", "en,de", "--embeddings", vectors, "--method", method)
    few = ("--init", "random", "--n-init", 2)
    done = succeed("cluster", table, *views, *FAST, *few, "--out", out)
    assert "Agreement" in done.stdout
    model = load_model(out / "model")
    assert model.view_names_ == ["en", "de", "embeddings"]
    placed = succeed("assign", out, table, "--embeddings", vectors, "--out", "-")
    assert placed.stdout.count("\n") == N + 1
    without = succeed("assign", out, table, "--out", "-")
    assert "Note: the model was fitted with embeddings" in without.stderr


@pytest.mark.parametrize("method", [name for name in METHODS if METHODS[name].takes_views])
def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(
    table, vectors, method, tmp_path
):
    views = ("--views", "en,de", "--embeddings", vectors, "--method", method, "-q")
    found = []
    for threads in (1, 2):
        out = tmp_path / str(threads)
        succeed("cluster", table, *views, *FAST, "--threads", threads, "--out", out)
        found.append((out / "documents.csv").read_bytes())
    assert found[0] == found[1]


def test_embeddings_beside_one_text_are_a_second_view(table, vectors, tmp_path):
    out = tmp_path / "out"
    views = ("--text", "en", "--embeddings", vectors, "--method", "voted-plsa")
    succeed("cluster", table, *views, *FAST, "--out", out)
    model = load_model(out / "model")
    assert type(model).__name__ == "VotedPLSA"
    assert model.view_names_ == ["text", "embeddings"]
    assert succeed("assign", out, table, "--embeddings", vectors, "--out", "-").stdout


def test_languages_may_be_given_one_a_view(table, tmp_path):
    out = tmp_path / "out"
    succeed("cluster", table, "--views", "en,de", "--language", "en,fr", *FAST, "--out", out)
    vocabularies = load_model(out / "model").vocabulary_
    assert [v.options.language for v in vocabularies.values()] == ["en", "fr"]


def test_what_cannot_be_is_refused_in_one_line(table, vectors, results, tmp_path):
    cluster = ("cluster", table, *FAST)
    refuse(
        "--views en: only one view, expected several; use --text en", *cluster, "--views", "en"
    )
    refuse("--views en,en: the same view twice", *cluster, "--views", "en,en")
    refuse("no column 'fr'. Columns: id, kind, en, de", *cluster, "--views", "en,fr")
    refuse("--method voted-plsa: needs several views", *cluster, "--method", "voted-plsa")
    refuse("--method conc-plsa: needs several views", "demo", "--method", "conc-plsa")
    refuse("the method plsa takes one view; auto, voted-plsa, conc-plsa, fusion-lm take",
           *cluster, "--views", "en,de", "--method", "plsa")  # fmt: skip
    refuse("--embeddings: the method mm takes one view",
           *cluster, "--embeddings", vectors, "--method", "mm")  # fmt: skip
    refuse(
        "text: expected text or views, got both", *cluster, "--views", "en,de", "--text", "en"
    )
    refuse("'klingon' is not a known", *cluster, "--views", "en,de", "--language", "en,klingon")
    refuse("--language en,de,fr: expected one, or one for each of the 2 views",
           *cluster, "--views", "en,de", "--language", "en,de,fr")  # fmt: skip
    views = ("--views", "en,de", "--method", "voted-plsa")
    refuse("--checkpoint: the method voted-plsa cannot continue",
           *cluster, *views, "--checkpoint", tmp_path / "saved")  # fmt: skip
    refuse("--word-clusters: the method voted-plsa has no such option",
           *cluster, *views, "--word-clusters", 3)  # fmt: skip
    np.save(tmp_path / "few.npy", np.ones((3, 2)))
    voted = (*cluster, "--method", "voted-plsa", "--embeddings")
    refuse(f"few.npy: 3 rows, but there are {N} documents", *voted, tmp_path / "few.npy")
    refuse("none.npy: no such file", *voted, tmp_path / "none.npy")
    refuse(
        "the model was fitted without embeddings",
        "assign",
        results,
        table,
        "--embeddings",
        vectors,
    )


def test_the_methods_are_listed():
    shown = succeed("methods").stdout
    for name in ("voted-plsa", "conc-plsa", "fusion-lm"):
        assert name in shown
