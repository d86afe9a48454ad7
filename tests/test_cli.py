"""The command as people use it: what it prints, what it writes, how it refuses and stops."""

import csv
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import nullcontext, suppress
from importlib import import_module
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from commands import refuse, run, succeed
from coterie import load_model, progress, read, terminal
from coterie.cli import main
from coterie.corpus.spreadsheets import DOCUMENTS
from coterie.evaluation import evaluate, label_noise
from coterie.executors.threads import ThreadExecutor
from coterie.findings.saved import CORPUS
from coterie.fitting import Progress
from coterie.folders import RECORD
from coterie.methods import METHODS
from coterie.report.results import FILES, MODEL
from coterie.report.wording import percent

THEMES = {
    "cooking": "bake bread butter dough flour garlic knife onion oven pepper recipe salt sauce",
    "space": "astronaut comet gravity launch lunar mission moon orbit planet probe rocket star",
    "sport": "ball coach cup goal keeper league match player referee score season stadium team",
}
FAST = ("--language", "en", "--n-init", "2", "--method", "mm")
RESULTS = {*FILES, MODEL, CORPUS, RECORD}


@pytest.fixture(autouse=True)
def _heed_ctrl_c():
    """Ctrl-C as in a terminal, also where the tests run in the background, deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def snapshot(folder):
    """Every file below a folder with its bytes, every folder with None."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def write_texts(folder, n_documents=60):
    """A folder of short texts, those of each theme in a folder of their own."""
    rng = random.Random(0)
    everything = " ".join(THEMES.values()).split()
    for number in range(n_documents):
        theme = list(THEMES)[number % len(THEMES)]
        words = rng.choices(THEMES[theme].split(), k=12) + rng.choices(everything, k=6)
        file = folder / theme / f"{number:02}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"<b>[red]{theme}[/red]</b> & {number}\n\n{' '.join(words)}\n")


def write_table(path, folder):
    """The texts of a folder as CSV, with two columns that could be labels."""
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["name", "kind", "half", "body"])
        for number, file in enumerate(sorted(folder.rglob("*.txt"))):
            half = ["odd", ""][number % 2]
            writer.writerow([file.stem, file.parent.name, half, file.read_text()])


@pytest.fixture(scope="session")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli") / "texts"
    write_texts(folder)
    return folder


@pytest.fixture(scope="session")
def table(texts):
    path = texts.parent / "table.csv"
    write_table(path, texts)
    return path


@pytest.fixture(scope="session")
def results(texts):
    """What `cluster --out` wrote of the folder; not to be changed."""
    out = texts.parent / "results"
    succeed("cluster", texts, "-k", 3, "--out", out, *FAST)
    return out


@pytest.fixture(scope="session")
def table_results(table):
    """What `cluster --out` wrote of the table, without labels; not to be changed."""
    out = table.parent / "table-results"
    succeed("cluster", table, "-k", 3, "--text", "body", "--id", "name", "--out", out, *FAST)
    return out


@pytest.fixture
def here(texts, table, results, tmp_path, monkeypatch):
    """A folder full of traps, which is also the current one."""
    shutil.copytree(texts, tmp_path / "texts")
    shutil.copy(table, tmp_path / "table.csv")
    for name in ("results", "damaged", "newer", "lost"):
        shutil.copytree(results, tmp_path / name)
    with (tmp_path / "damaged" / MODEL / "fitted-components_.npy").open("r+b") as stream:
        stream.seek(-4, os.SEEK_END)
        stream.write(b"\1\2\3\4")
    manifest = tmp_path / "newer" / MODEL / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"layout": 99}))
    (tmp_path / "lost" / CORPUS / "manifest.json").write_bytes(b"{}")
    (tmp_path / "empty").mkdir()
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\2" * 40)
    (tmp_path / "headers.csv").write_text("name,body\n")
    (tmp_path / "one.txt").write_text("a single text about rockets")
    for folder, text in (("blank", " \n"), ("common", "the of and with")):
        (tmp_path / folder).mkdir()
        for number in range(4):
            (tmp_path / folder / f"{number}.txt").write_text(text)
    shutil.copytree(results, tmp_path / "changed")
    (tmp_path / "changed" / "terms.csv").write_text("mine")
    (tmp_path / "strangers" / MODEL).mkdir(parents=True)
    (tmp_path / "strangers" / MODEL / "manifest.json").write_text('{"name": "web app"}')
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "documents.csv").write_text("mine")
    monkeypatch.chdir(tmp_path)
    return tmp_path


REFUSALS = [
    ("cluster a.csv --max-iter 99999999999999999999999999", "--max-iter"),
    ("cluster a.csv --n-init 9999999999", "--n-init"),
    ("cluster nowhere", "nowhere: no such file"),
    ("cluster empty", "empty: no documents found"),
    ("cluster photo.png", "photo.png: binary, not text"),
    ("cluster table.csv --text words", "table.csv: no column 'words'"),
    ("cluster table.csv --text body,words", "table.csv: no column 'words'"),
    ("cluster table.csv --label words", "table.csv: no column 'words'"),
    ("cluster headers.csv", "headers.csv: no rows"),
    ("cluster texts -k 61", "61 clusters: more than the 60 documents"),
    ("cluster texts -k 0", "at least 1, or auto, few or many, got 0"),
    ("cluster texts -k all", "'-k': expected a whole number of at least 1, or auto, few"),
    ("cluster one.txt", "only one document"),
    ("cluster blank -k 2", "no word is left"),
    ("cluster common -k 2 --language en", "no word is left"),
    ("cluster texts --method magic", "method 'magic': not known; there are auto, mm,"),
    ("cluster texts --language xx", "language: 'xx' is not a known"),
    ("cluster texts --out one.txt", "one.txt: a file, expected a folder"),
    ("cluster texts --out one.txt/below", "one.txt: a file, expected a folder"),
    ("cluster texts --out theirs", "theirs: holds a documents.csv that Coterie did not"),
    ("cluster texts --out changed", "changed/terms.csv: changed since Coterie wrote it"),
    ("cluster texts --out strangers", "strangers: holds a model that Coterie did not write"),
    ("cluster texts --out texts/out", "texts/out: inside texts, so it would be read"),
    ("cluster texts --checkpoint texts", "texts: inside texts, so it would be read"),
    ("cluster texts --checkpoint theirs", "theirs: exists and was not saved by Coterie"),
    ("cluster texts --checkpoint c --out c/out", "c/out: inside the checkpoint folder"),
    ("cluster texts --n-init 0", "'--n-init': 0 is not in the range x>=1 (see"),
    ("cluster texts --threads 0", "'--threads': 0 is not in the range x>=1 (see"),
    ("cluster texts --max-iter 1.5", "'--max-iter': '1.5' is not a valid whole number"),
    ("cluster texts --seed -1", "'--seed': -1 is not in the range 0<=x<=4294967295"),
    ("cluster texts --min-df -1", "'--min-df': expected a number of documents, such as 3"),
    ("cluster texts --min-df 2.5", "'--min-df': expected a number of documents, such as 3"),
    ("cluster texts --max-df 120%", "'--max-df': expected a number of documents, such as 3"),
    ("cluster texts --stop-words no.txt", "stop_words: expected auto, short, long, none"),
    ("cluster texts --init nowhere", "'--init': 'nowhere' is not one of"),
    ("cluster texts --bogus", "--bogus"),
    ("cluster", "Missing argument 'PATH...' (see coterie cluster --help)"),
    ("bogus", "No such command 'bogus'"),
    ("--bogus", "--bogus"),
    ("demo --method magic", "method 'magic': not known"),
    ("assign nowhere texts", "nowhere: no such folder"),
    ("assign texts texts", "texts: not a folder saved by Coterie"),
    ("assign one.txt texts", "one.txt: not a folder saved by Coterie"),
    ("assign damaged texts", "fitted-components_.npy: damaged"),
    ("assign newer texts", "saved by a newer Coterie"),
    ("assign results nowhere", "nowhere: no such file"),
    ("assign results table.csv --text words", "table.csv: no column 'words'"),
    ("assign results table.csv --out empty", "empty: a folder, expected a file"),
    ("assign results table.csv --out no/a.csv", "no: no such folder"),
    ("assign results table.csv --out one.txt", "one.txt: exists already; choose another name"),
    ("assign results table.csv --out /dev/null --replace", "not a file that can be replaced"),
    ("assign results table.csv --out table.csv --replace", "table.csv: the file that is read"),
    ("compare texts --methods mm --out no/a.md", "no: no such folder"),
    ("assign results table.csv --out table.csv", "table.csv: the file that is read"),
    (
        "assign results table.csv --out new.xlsx",
        r"new.xlsx: expected a name that ends in .csv, ",
    ),
    ("evaluate nowhere", "nowhere: no such folder"),
    ("evaluate texts", "texts: not a folder saved by Coterie"),
    ("evaluate results/model", "holds no documents"),
    ("evaluate lost", "manifest.json: not written with the other results"),
    ("evaluate results --label kind", "no column 'kind'. Columns: text, id"),
]


@pytest.mark.parametrize(("command", "culprit"), REFUSALS, ids=[each for each, _ in REFUSALS])
def test_bad_input_gets_one_line_that_names_it_and_nothing_is_written(here, command, culprit):
    before = snapshot(here)
    words = command.split()
    out = ["--out", "new/out"] if words[0] == "cluster" and "--out" not in words else []
    done = run(*words, *out)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("Error: ")
    assert culprit in done.stderr
    assert snapshot(here) == before


@pytest.mark.parametrize(
    "words", [("cluster", "texts", "--out", ""), ("cluster", ""), ("demo", "--out", ""),
              ("cluster", "texts", "--checkpoint", ""),
              ("assign", "results", "texts", "--out", "")],
)  # fmt: skip
def test_an_empty_name_is_not_the_current_folder(here, words):
    before = snapshot(here)
    refuse("an empty path; '.' is the current folder", *words)
    assert snapshot(here) == before


def test_a_folder_without_labels_is_judged_by_its_words_and_stability(table_results):
    scores = json.loads(succeed("evaluate", table_results, "--json").stdout)
    assert set(scores) == {"internal"}
    assert all(-1 <= value <= 1 for value in scores["internal"].values())
    shown = succeed("evaluate", table_results, "--resamples", 0).stdout
    assert re.search(rf"^C_V +{scores['internal']['c_v']:.3f} ", shown, re.MULTILINE)
    assert "Stability" not in shown


def test_a_column_that_does_not_exist_cannot_be_evaluated(table_results):
    done = run("evaluate", table_results, "--label", "words")
    assert done.exit_code == 2
    assert "no column 'words'. Columns: source_name, kind, half, body, id" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_table_without_the_column_of_then_cannot_be_assigned(table_results, tmp_path):
    (tmp_path / "new.csv").write_text("name,words\nx,rocket moon\n")
    done = run("assign", table_results, tmp_path / "new.csv")
    assert done.exit_code == 2
    assert done.stderr == "Error: new.csv: no column 'body'. Columns: name, words\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do all")
def test_what_may_not_be_read_or_written_is_refused(here):
    (here / "one.txt").chmod(0)
    assert "one.txt: not allowed to read it" in run("cluster", "one.txt", "-k", 1).stderr
    (here / "empty").chmod(0o500)
    done = run("cluster", "texts", "--out", "empty/out")
    assert done.exit_code == 2
    assert done.stderr == f"Error: {here}/empty: not allowed to write results there\n"


def test_results_among_documents_are_not_read(here):
    (here / "texts" / "mine").mkdir()
    (here / "texts" / "mine" / RECORD).write_text('{"text": "rockets and moons"}')
    shutil.copytree(here / "results", here / "texts" / "earlier")
    done = succeed("cluster", "texts", "-k", 3, *FAST)
    assert "61 documents read" in done.stderr
    assert "1 file was skipped: 1 results of Coterie (earlier)" in done.stderr
    refuse("results: no documents found (1 results of Coterie)", "cluster", "results")


def test_a_folder_for_checkpoints_that_may_not_be_written_is_refused_early(here, monkeypatch):
    allowed = os.access

    def deny(path, mode):
        return allowed(path, mode) and not (str(path).endswith("empty") and mode & os.W_OK)

    monkeypatch.setattr(os, "access", deny)
    refusal = "Error: {}: not allowed to write checkpoints there\n"
    for name, named in (("empty", "empty"), ("empty/new", f"{here}/empty")):
        done = run("cluster", "texts", "--checkpoint", name, "-k", 3, *FAST)
        assert (done.exit_code, done.stderr) == (2, refusal.format(named))


def test_a_full_disk_is_one_line_and_leaves_no_folder(here, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device", "terms.csv")

    monkeypatch.setattr("coterie.report.results.write_terms", full)
    before = snapshot(here)
    done = run("cluster", "texts", "-k", 3, "--out", "a/b/c", "-q", *FAST)
    assert done.exit_code == 2
    assert done.stderr == "Error: terms.csv: No space left on device\n"
    assert snapshot(here) == before


def test_a_lack_of_memory_is_one_line(texts, monkeypatch):
    def greedy(*_, **__):
        raise MemoryError

    monkeypatch.setattr("coterie.corpus.Corpus.read", greedy)
    done = run("cluster", texts)
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: not enough memory")


@pytest.mark.parametrize(
    ("given", "meant"),
    [("1", 1), ("12", 12), ("0.5", 0.5), ("1.0", 1.0), ("50%", 0.5), ("100%", 1.0), (1.0, 1.0)],
)
def test_frequencies_are_documents_or_shares(given, meant):
    read_as = terminal.frequency(given)
    assert read_as == meant
    assert type(read_as) is type(meant)


def test_every_command_has_help_with_an_example():
    known = {"demo", "cluster", "explore", "assign", "evaluate", "compare", "methods", "doctor"}
    edits = {"rename", "merge", "split", "move", "drop", "undo"}
    looks = {"show", "at", "within", "find", "over", "by", "update"}
    assert set(main.commands) == known | edits | looks
    overview = succeed("--help").stdout
    positions = [overview.index(f"\n  {name} ") for name in main.commands]
    assert positions == sorted(positions)
    for name in (*main.commands, "reproduce", "datasets"):
        assert re.search(rf"Examples?:\n    coterie {name}", succeed(name, "--help").stdout)


def test_help_lists_every_option_once_in_its_section():
    shown = succeed("cluster", "-h").stdout
    for option in main.commands["cluster"].params:
        if option.param_type_name == "option":
            assert len(re.findall(rf"^  .*{option.opts[-1]}\b", shown, re.MULTILINE)) >= 1
            assert option.help in " ".join(shown.split())
    headings = re.findall(r"^(\w[\w ]*):$", shown, re.MULTILINE)
    assert headings == ["Options", "Columns of a table", "Reading", "Words", "Fitting"]


def test_help_names_every_file_that_is_written_and_no_other():
    shown = succeed("cluster", "--help").stdout
    paragraph = shown.split("With --out, the folder gets:\n")[1].split("\n\n")[0]
    named = re.findall(r"^    (\S+)  +\w.*$", paragraph, re.MULTILINE)
    assert len(named) == len(set(named))
    assert set(named) == {*FILES, f"{MODEL}/", f"{CORPUS}/", RECORD}
    assert max(map(len, paragraph.splitlines())) < 80


def test_no_command_at_all_shows_the_help():
    done = run()
    assert done.exit_code == 2
    assert "coterie demo" in done.stderr


def test_methods_lists_all_of_them():
    shown = succeed("methods").stdout
    assert METHODS
    for name in METHODS:
        assert re.search(rf"^{name} ", shown, re.MULTILINE)
    assert "References in full: docs/bibliography.md" in shown


@pytest.mark.parametrize("name", METHODS)
def test_every_option_of_a_method_reaches_its_estimator(name):
    def parameters(**settings):
        return METHODS[name].make(4, **settings).get_params()

    options = {
        "init": [{"init": "kmeans"}, {"init": "dirichlet"}],
        "n_init": [{}, {"n_init": 37}],
        "max_iter": [{}, {"max_iter": 9}],
        "word_clusters": [{}, {"n_word_clusters": 7}],
    }
    assert set(METHODS[name].unused) <= set(options)
    for option, (one, other) in options.items():
        if option not in METHODS[name].unused:
            assert str(parameters(**one)) != str(parameters(**other)), option
    assert METHODS[name].takes_views >= METHODS[name].needs_views


def test_the_version_is_shown():
    assert re.fullmatch(r"coterie, version \S+\n", succeed("--version").stdout)


def test_results_go_to_stdout_and_notes_to_stderr(texts):
    done = succeed("cluster", texts, "-k", 3, *FAST)
    assert done.stderr == "60 documents read\n"
    assert "Strongest words" in done.stdout
    assert re.search(r"NMI +1\.000", done.stdout)
    assert "\x1b" not in done.output
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 100
    assert all(line == line.rstrip() for line in lines)
    assert "<b>[red]space[/red]</b> &" in done.stdout
    assert succeed("cluster", texts, "-k", 3, *FAST, "-q").stderr == ""


@pytest.mark.parametrize("width", [60, 80, 140])
def test_tables_fit_the_width_asked_for(results, texts, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    for command in (
        ["cluster", texts, "-k", 3, *FAST],
        ["assign", results, texts],
        ["evaluate", results],
        ["methods"],
    ):
        assert max(map(len, succeed(*command).stdout.splitlines())) <= width


@pytest.mark.parametrize("how", [(), FAST, ("-k", "auto")])
def test_the_number_of_clusters_is_estimated(texts, how):
    done = succeed("cluster", texts, "--language", "en", *how)
    assert "3 clusters estimated; 5 stands out too: -k 5" in done.stderr
    assert len(re.findall(r"^ *\d+ ", done.stdout, re.MULTILINE)) >= 3


def test_a_note_says_that_a_fit_did_not_converge(texts):
    done = succeed("cluster", texts, "-k", 3, "--max-iter", 1, *FAST)
    assert "Note: not converged after 1 iteration; --max-iter allows more" in done.stderr


def test_the_demo_finds_its_packages(tmp_path):
    done = succeed("demo", "--out", tmp_path / "out")
    assert "turtle" in done.stdout
    assert len(json.loads((tmp_path / "out" / "clusters.json").read_text())["clusters"]) == 12
    scores = json.loads(succeed("evaluate", tmp_path / "out", "--json").stdout)
    assert scores["nmi"] > 0.5


def test_the_folder_holds_all_that_is_promised(results, texts):
    assert {path.name for path in results.iterdir()} == RESULTS
    with (results / "documents.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    columns = list(DOCUMENTS)
    assert list(rows[0]) == columns
    table = pq.read_table(results / "documents.parquet").to_pylist()
    assert len(rows) == len(table) == 60
    for row, full in zip(rows, table, strict=True):
        assert list(full) == ["text", *columns]
        assert {name: row[name] for name in ("id", "title", "label")} == {
            name: full[name] for name in ("id", "title", "label")
        }
        assert (int(row["cluster"]), int(row["second"])) == (full["cluster"], full["second"])
        for name in ("probability", "second_probability"):
            assert float(row[name]) == pytest.approx(full[name], rel=1e-5)
    ids = [path.relative_to(texts).as_posix() for path in sorted(texts.rglob("*.txt"))]
    assert [row["id"] for row in rows] == ids

    clusters = json.loads((results / "clusters.json").read_text())
    assert [each["number"] for each in clusters["clusters"]] == [1, 2, 3]
    assert sum(each["size"] for each in clusters["clusters"]) == 60
    with (results / "terms.csv").open(newline="") as stream:
        terms = list(csv.DictReader(stream))
    assert {term["cluster"] for term in terms} == {"1", "2", "3"}
    assert {"moon", "goal", "flour"} <= {term["word"] for term in terms}


def test_the_model_written_predicts_the_clusters_written(results, texts):
    model = load_model(results / MODEL)
    labels = model.predict(read(texts, options=model.vocabulary_))
    table = pq.read_table(results / "documents.parquet")
    order = [
        c["index"] for c in json.loads((results / "clusters.json").read_text())["clusters"]
    ]
    assert [order.index(label) + 1 for label in labels] == table["cluster"].to_pylist()


def test_the_report_stands_alone_and_escapes_what_it_quotes(results):
    page = (results / "report.html").read_text()
    assert not re.findall(r"""(?:src|href|action)\s*=\s*["']?\s*(?:https?:)?//""", page)
    assert not re.findall(r"url\(|@import|<link|<iframe", page)
    assert "&lt;b&gt;[red]" in page
    assert "<b>[red]" not in page


def test_writing_again_replaces_our_files_and_keeps_others(texts, results, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(results, out)
    (out / "thoughts.txt").write_text("mine")
    (out / MODEL / "thoughts.txt").write_text("mine")
    changing = ("documents.csv", "terms.csv", "report.html", "clusters.json")
    before = {name: (out / name).read_bytes() for name in changing}
    succeed("cluster", texts, "-k", 2, "--out", out, *FAST, "--method", "plsa")
    assert {path.name for path in out.iterdir()} == RESULTS | {"thoughts.txt"}
    for folder in (out, out / MODEL):
        assert (folder / "thoughts.txt").read_text() == "mine"
    assert len(json.loads((out / "clusters.json").read_text())["clusters"]) == 2
    assert len(load_model(out / MODEL).components_) == 2
    for name in changing:
        assert (out / name).read_bytes() != before[name]


def test_a_failure_while_writing_leaves_the_old_results_whole(
    texts, results, tmp_path, monkeypatch
):
    shutil.copytree(results, tmp_path / "out")
    before = snapshot(tmp_path)
    monkeypatch.setattr("coterie.report.results.save_model", lambda *_, **__: 1 / 0)
    done = run("cluster", texts, "-k", 2, "--out", tmp_path / "out", *FAST)
    assert isinstance(done.exception, ZeroDivisionError)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("method", [name for name in METHODS if not METHODS[name].takes_views])
def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(texts, tmp_path, method):
    def documents(name, *options):
        unused = METHODS[method].unused
        init = () if "init" in unused else ("--init", "random")
        n_init = () if "n_init" in unused else FAST
        command = ("cluster", texts, "-k", 3, "-q", *init, *n_init, "--method", method)
        succeed(*command, "--out", tmp_path / name, *options)
        return (tmp_path / name / "documents.csv").read_bytes()

    once = documents("once", "--seed", 1)
    assert documents("again", "--seed", 1) == once
    for threads in (1, 2, 4):
        assert documents(f"on {threads}", "--seed", 1, "--threads", threads) == once
    if method == "plsa":
        assert documents("other", "--seed", 2) != once


@pytest.mark.parametrize(
    ("method", "option", "value"),
    [("mm", "--word-clusters", 4), ("mm-incremental", "--init", "random"),
     ("mm-gibbs", "--n-init", 3), ("kmeans", "--init", "random"),
     ("spectral", "--max-iter", 9), ("lda", "--checkpoint", "saved"),
     ("auto", "--n-init", 3), ("auto", "--init", "random")],
)  # fmt: skip
def test_options_a_method_cannot_use_are_refused(texts, method, option, value):
    refuse(option, "cluster", texts, "-k", 3, "--method", method, option, value)


def test_a_table_that_was_changed_since_is_not_read_again(tmp_path):
    rows = [f"text of number {i} with words,{'ab'[i % 2]}" for i in range(30)]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["body,section", *rows]))
    succeed("cluster", table, "-k", 2, "--text", "body", "--out", tmp_path / "out", *FAST)
    before = succeed("evaluate", tmp_path / "out", "--label", "section").stdout
    table.write_text("\n".join(["body,section", *reversed(rows)]))
    assert succeed("evaluate", tmp_path / "out", "--label", "section").stdout == before


def test_threads_are_as_many_as_asked_for(texts, monkeypatch):
    asked = []

    class Recorded(ThreadExecutor):
        def __init__(self, n_threads=None):
            asked.append(n_threads)
            super().__init__(n_threads)

    monkeypatch.setattr("coterie.executors.threads.ThreadExecutor", Recorded)
    succeed("cluster", texts, "-k", 3, *FAST, "--threads", 3)
    succeed("cluster", texts, "-k", 3, *FAST)
    assert [n_threads for n_threads in asked if n_threads != 1] == [3, None]  # 1: within a pool


def test_every_option_on_words_reaches_the_vocabulary(texts, tmp_path):
    stop = tmp_path / "stop.txt"
    stop.write_text("moon\ngoal\n")
    sizes = ("--min-df", 2, "--max-df", "90%", "--max-words", 30, "--ngrams", 2)
    kinds = ("--language", "en", "--stem", "--digits", "drop", "--stop-words", stop)
    succeed("cluster", texts, "-k", 3, "--out", tmp_path / "out", *sizes, *kinds)
    used = load_model(tmp_path / "out" / MODEL).vocabulary_
    assert (used.options.stem, used.options.digits, used.options.ngrams) == (True, "drop", 2)
    assert (used.options.min_df, used.options.max_df) == (2, 0.9)
    assert len(used) == 30
    assert not {"moon", "goal", "#"} & set(used.words)


def test_assigning_the_documents_again_gives_what_clustering_gave(results, texts, tmp_path):
    for model, may in ((results, []), (results / MODEL, ["--replace"])):
        done = succeed("assign", model, texts, "--out", tmp_path / "again.csv", *may)
        assert done.stdout == ""
        assert done.stderr == f"60 documents read\nWrote {tmp_path / 'again.csv'}\n"
        again = (tmp_path / "again.csv").read_bytes()
        assert again == (results / "documents.csv").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["again.csv"]


def test_assigned_documents_are_written_as_parquet_where_the_name_says_so(
    results, texts, tmp_path
):
    succeed("assign", results, texts, "--out", tmp_path / "again.parquet", "-q")
    again = pq.read_table(tmp_path / "again.parquet").to_pylist()
    expected = pq.read_table(results / "documents.parquet").to_pylist()
    assert [(row["id"], row["cluster"], row["probability"]) for row in again] == [
        (row["id"], row["cluster"], row["probability"]) for row in expected
    ]


def test_a_document_is_placed_alone_as_among_others(results, texts):
    with (results / "documents.csv").open(newline="") as stream:
        together = {row["id"]: row for row in csv.DictReader(stream)}
    for name in list(together)[::7]:
        printed = succeed("assign", results, texts / name, "--out", "-", "-q").stdout
        (alone,) = csv.DictReader(printed.splitlines())
        for column in ("cluster", "probability", "second", "second_probability"):
            assert alone[column] == together[name][column]


def test_assigned_documents_are_shown_with_the_names_of_clusters(results, texts):
    done = succeed("assign", results, texts / "space")
    assert done.stderr == "20 documents read\n"
    clusters = json.loads((results / "clusters.json").read_text())["clusters"]
    (row,) = re.findall(r"^01\.txt .*", done.stdout, re.MULTILINE)
    number, name = re.fullmatch(r"01\.txt +(\d) +(\S.*\S) +1\.00", row).groups()
    assert clusters[int(number) - 1]["name"] == name
    words = {each["word"] for each in clusters[int(number) - 1]["words"]}
    assert {"moon", "orbit", "planet"} & words


def test_columns_are_those_of_then_unless_named(table, table_results, tmp_path):
    printed = succeed("assign", table_results, table, "--out", "-").stdout
    assert printed == (table_results / "documents.csv").read_text()
    (tmp_path / "new.csv").write_text("words\nrocket moon\n")
    columns = ("--text", "words", "--id", "")
    done = succeed("assign", table_results, tmp_path / "new.csv", *columns, "--out", "-")
    (row,) = csv.DictReader(done.stdout.splitlines())
    assert row["id"] == "1"


def test_the_scores_are_those_of_the_library(results):
    table = pq.read_table(results / "documents.parquet").to_pydict()
    order = [
        c["index"] for c in json.loads((results / "clusters.json").read_text())["clusters"]
    ]
    memberships = load_model(results / MODEL).memberships_[:, order]
    scores = evaluate(table["label"], table["cluster"], memberships)
    printed = succeed("evaluate", results, "--json").stdout
    internal = json.loads(printed).pop("internal")
    expected = json.loads(json.dumps(scores.as_dict()))
    assert json.loads(printed) == expected | {"internal": internal}
    assert internal["diversity"] > 0.5
    assert internal["stability"] is None
    shown = succeed("evaluate", results).stdout
    for name, value in (("NMI", scores.nmi), ("Pairs, F1", scores.pairs.f1)):
        assert re.search(rf"^{name} +{value:.3f} ", shown, re.MULTILINE)
    noise = percent(label_noise(table["label"], scores.nmi))
    assert re.search(rf"^Worth in label noise +{noise} +share of random", shown, re.MULTILINE)
    for row in scores.class_table:
        assert re.search(rf"^{row.name} +{row.size} +{row.precision:.3f}", shown, re.MULTILINE)


def test_a_column_of_the_clustered_table_can_be_evaluated(table_results):
    done = succeed("evaluate", table_results, "--label", "kind", "--json")
    scores = json.loads(done.stdout)
    assert done.stderr == ""
    assert scores["contingency"]["classes"] == ["cooking", "space", "sport"]
    assert scores["nmi"] == pytest.approx(1.0)
    done = succeed("evaluate", table_results, "--label", "half", "--json")
    assert done.stderr == "30 documents without a label are left out\n"
    assert json.loads(done.stdout)["n_documents"] == 30


def test_a_checkpointed_fit_gives_the_answer_of_an_uninterrupted_one(
    texts, tmp_path, monkeypatch
):
    command = ("cluster", texts, "-k", 3, "--init", "random", "--seed", 5, *FAST)
    succeed(*command, "--out", tmp_path / "whole")
    steps = []

    def stop_at_the_fourth(done):
        steps.append(done)
        if len(steps) == 4:
            signal.raise_signal(signal.SIGINT)

    (tmp_path / "state").mkdir()
    resumable = (*command, "--checkpoint", tmp_path / "state", "--out", tmp_path / "out")
    with monkeypatch.context() as patch:
        patch.setattr(progress, "fitting", _fitting_with(stop_at_the_fourth))
        done = succeed(*resumable)
    assert len(steps) == 4
    assert "result so far is kept; the same command continues from there" in done.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == RESULTS
    with monkeypatch.context() as patch:
        patch.setattr(progress, "fitting", _fitting_with(steps.append))
        succeed(*resumable)
    assert steps[4].iteration == 5 or steps[4].share > 0.1
    for name in ("documents.csv", "terms.csv"):
        whole = (tmp_path / "whole" / name).read_bytes()
        assert (tmp_path / "out" / name).read_bytes() == whole
    assert not (tmp_path / "state").exists()


def _fitting_with(tick):
    return lambda *_: nullcontext(tick)


COMMAND = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from coterie.cli import main; main()"
)


@pytest.fixture
def start():
    """Begin the command in a process of its own, which heeds Ctrl-C wherever tests run."""
    begun = []

    def begin(*arguments, **settings):
        command = [sys.executable, "-c", COMMAND, *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        begun.append(subprocess.Popen(command, **pipes | settings))
        return begun[-1]

    yield begin
    for process in begun:
        process.kill()
        process.communicate()


def finish(process):
    """Exit code, results and notes of a process that is about to end."""
    shown, notes = process.communicate(timeout=60)
    return process.returncode, shown, notes


def restarts_done(checkpoint):
    """The restart a checkpoint is in; none while it is being written."""
    try:
        return json.loads((checkpoint / "manifest.json").read_text())["values"]["current"]
    except (FileNotFoundError, NotADirectoryError):
        return 0


def wait_until(condition, process=None):
    """Wait for something to come about while a process lives."""
    end = time.monotonic() + 60
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


def test_ctrl_c_keeps_the_best_so_far_and_the_same_command_goes_on(start, texts, tmp_path):
    state, out = tmp_path / "state", tmp_path / "out"
    long = ("--max-iter", 100_000, "--n-init", 100_000, "--language", "en", "--method", "mm")
    command = ("cluster", texts, "-k", 3, *long, "--checkpoint", state, "--out", out)
    reached = [0]
    for _ in range(2):
        process = start(*command)
        goal = max(reached[-1] + 1, 8)
        wait_until(lambda goal=goal: restarts_done(state) >= goal, process)
        process.send_signal(signal.SIGINT)
        code, shown, notes = finish(process)
        assert code == 0, notes
        assert "Strongest words" in shown
        assert "Traceback" not in notes
        assert "Note: stopped by Ctrl-C; the best result so far is kept" in notes
        reached.append(restarts_done(state))
        assert reached[-1] > reached[-2]
        assert {path.name for path in out.iterdir()} == RESULTS
    assert {path.name for path in tmp_path.iterdir()} == {"state", "out"}
    assert reached[2] > reached[1] >= 8


def test_a_stopped_fit_says_so_in_the_page_the_data_and_the_last_message(
    texts, tmp_path, monkeypatch
):
    def stop(done):
        if done.iteration == 2:
            signal.raise_signal(signal.SIGINT)

    command = ("cluster", texts, "-k", 3, "--init", "random", *FAST, "--out", tmp_path / "out")
    with monkeypatch.context() as patch:
        patch.setattr(progress, "fitting", _fitting_with(stop))
        done = succeed(*command)
    sentence = "The fit was stopped by Ctrl-C; these are the best clusters found until then."
    assert json.loads((tmp_path / "out" / "clusters.json").read_text())["interrupted"] is True
    assert sentence in (tmp_path / "out" / "report.html").read_text()
    assert sentence in " ".join(done.stdout.split())
    last = f"Wrote {tmp_path / 'out'}, the best result so far; open "
    assert done.stderr.splitlines()[-1].startswith(last)
    assert "Note: the page is a light one, to end soon; an edit writes the full" in done.stderr
    light = (tmp_path / "out" / "report.html").stat().st_size
    succeed("rename", tmp_path / "out", "1=One")
    assert (tmp_path / "out" / "report.html").stat().st_size > 2 * light
    done = succeed(*command)
    assert "light" not in done.stderr
    assert json.loads((tmp_path / "out" / "clusters.json").read_text())["interrupted"] is False
    assert sentence not in (tmp_path / "out" / "report.html").read_text()
    assert "so far" not in done.stderr


@pytest.mark.parametrize("stage", ["clustering.result.describe", "report.results.render"])
def test_ctrl_c_while_results_are_written_finishes_them(texts, tmp_path, monkeypatch, stage):
    module, name = f"coterie.{stage}".rsplit(".", 1)
    function = getattr(import_module(module), name)

    def interrupted(*given, **named):
        signal.raise_signal(signal.SIGINT)
        return function(*given, **named)

    monkeypatch.setattr(f"coterie.{stage}", interrupted)
    done = run("cluster", texts, "-k", 3, *FAST, "--out", tmp_path / "out")
    assert done.exit_code == 130
    assert "The results are being written; Ctrl-C again stops at once\n" in done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"Wrote {tmp_path / 'out'}; open ")
    assert ("the page is a light one" in done.stderr) == (stage != "report.results.render")
    assert {path.name for path in (tmp_path / "out").iterdir()} == RESULTS
    succeed("evaluate", tmp_path / "out")


def test_a_second_ctrl_c_leaves_the_old_results_whole(texts, results, tmp_path, monkeypatch):
    def twice(*_, **__):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    shutil.copytree(results, tmp_path / "out")
    before = snapshot(tmp_path)
    monkeypatch.setattr("coterie.report.results.render", twice)
    done = run("cluster", texts, "-k", 2, *FAST, "--out", tmp_path / "out")
    assert done.exit_code == 130
    assert done.stderr.splitlines()[-1] == "Stopped."
    assert snapshot(tmp_path) == before


def test_results_changed_during_the_fit_are_kept_and_the_new_ones_lie_beside(
    texts, results, tmp_path, monkeypatch
):
    shutil.copytree(results, tmp_path / "out")

    def change(_):
        (tmp_path / "out" / "terms.csv").write_text("mine")

    monkeypatch.setattr(progress, "fitting", _fitting_with(change))
    done = succeed("cluster", texts, "-k", 2, *FAST, "--out", tmp_path / "out")
    assert (tmp_path / "out" / "terms.csv").read_text() == "mine"
    assert "terms.csv: changed since Coterie wrote it" in done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"Wrote {tmp_path / 'out-2'}; open ")
    assert {path.name for path in (tmp_path / "out-2").iterdir()} == RESULTS


def test_no_result_tells_where_the_documents_lie_on_this_machine(table_results, texts):
    for file in table_results.rglob("*"):
        if file.is_file():
            assert os.fsencode(texts.parent) not in file.read_bytes(), file
    manifest = json.loads((table_results / MODEL / "manifest.json").read_text())
    assert manifest["values"]["details"]["source"] == "../table.csv"


def test_formulas_in_a_table_are_text_unless_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"=id{i},-{'ab'[i % 2]},moon {['tea', 'rum'][i % 2]} star" for i in range(12)]
    (tmp_path / "t.csv").write_text("\n".join(["name,kind,body", *rows]))
    columns = ("--text", "body", "--id", "name", "--label", "kind", "-k", 2, *FAST)
    succeed("cluster", "t.csv", *columns, "--out", "out")
    succeed("cluster", "t.csv", *columns, "--out", "raw", "--raw-csv", "--page", "light")
    assert "part-head" not in Path("raw/report.html").read_text(encoding="utf-8")
    assert '"\'=id0"' in (tmp_path / "out" / "documents.csv").read_text()
    raw = (tmp_path / "raw" / "documents.csv").read_text()
    assert raw == (tmp_path / "out" / "documents.csv").read_text().replace("\"'", '"')
    for name, flag in (("out", ()), ("raw", ("--raw-csv",))):
        printed = succeed(
            "assign", name, "t.csv", "--label", "kind", "--out", "-", *flag
        ).stdout
        assert printed == (tmp_path / name / "documents.csv").read_text()
    scores = json.loads(succeed("evaluate", "out", "--json").stdout)
    assert scores["contingency"]["classes"] == ["-a", "-b"]
    again = ("--text", "title", "--id", "id", "--label", "label", "--out", "-")
    read_back = succeed("assign", "out", "out/documents.csv", *again).stdout
    ids = [row["id"] for row in csv.DictReader(read_back.splitlines())]
    assert ids == [f"'=id{i}" for i in range(12)]


def test_formulas_in_headings_are_text_and_read_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"moon {['tea', 'rum'][i % 2]} star,{i}" for i in range(12)]
    (tmp_path / "t.csv").write_text("\n".join(["=body,@more", *rows]))
    succeed("cluster", "t.csv", "--text", "=body", "-k", 2, *FAST, "--out", "out")
    for file in (tmp_path / "out").glob("*.csv"):
        headings = next(csv.reader(file.read_text("utf-8").splitlines()))
        assert not [each for each in headings if each[0] in "=+-@"], file
    assert '"\'@more"' in (tmp_path / "out" / "documents.csv").read_text("utf-8")
    succeed("assign", "out", "out/documents.csv", "--text", "@more", "--out", "-")
    raw = ("--text", "=body", "-k", 2, *FAST, "--out", "raw", "--raw-csv")
    succeed("cluster", "t.csv", *raw)
    assert '"@more"' in (tmp_path / "raw" / "documents.csv").read_text("utf-8")


FROM_ITS_FIRST_LINE = """
import os, signal, coterie.__main__ as command
heed = signal.signal
heed(signal.SIGINT, signal.default_int_handler)
signal.signal = lambda *handler: (heed(*handler), os.write(1, b"."))[0]
command.main()
"""


@pytest.mark.parametrize("milliseconds", [0, 10, 30, 60, 100, 200, 400])
def test_ctrl_c_ends_the_command_from_its_first_line_on(milliseconds):
    """Without a traceback, also while Python imports; earlier, Python itself is starting."""
    command = [sys.executable, "-c", FROM_ITS_FIRST_LINE, "demo"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout.read(1) == "."
        time.sleep(milliseconds / 1000)
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, notes = process.communicate(timeout=60)
    assert (process.returncode, notes.split()) == (130, ["Stopped."])
    assert time.monotonic() - pressed < 2


def test_little_is_imported_before_ctrl_c_is_heeded():
    code = "import signal, sys; old = {*sys.modules}; import coterie.__main__; "
    code += "print(*({*sys.modules} - old))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) == {"coterie", "coterie.__main__"}


PRESSED_WHERE_PYTHON_IGNORES_IT = """
import signal, time, weakref, coterie.demo, coterie.__main__ as command
signal.signal(signal.SIGINT, signal.default_int_handler)

class Pressed:
    def __set_name__(self, *_):
        signal.raise_signal(signal.SIGINT)

class Noted:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def in_a_callback():
    noted = type("Noted", (), {})()
    reference = weakref.ref(noted, lambda _: signal.raise_signal(signal.SIGINT))
    del noted
    time.sleep(30)

def in_a_destructor():
    Noted()
    time.sleep(30)

def in_a_definition():
    type("Named", (), {"name": Pressed()})

def in_code_of_a_string():
    exec("signal.raise_signal(signal.SIGINT)")

coterie.demo.load_demo = PLACE
command.main()
"""


@pytest.mark.parametrize(
    "place", ["in_a_callback", "in_a_destructor", "in_a_definition", "in_code_of_a_string"]
)
def test_ctrl_c_counts_also_where_python_ignores_or_renames_it(place, tmp_path):
    """An import has such places, so that one in some hundred Ctrl-C would be lost there."""
    source = PRESSED_WHERE_PYTHON_IGNORES_IT.replace("PLACE", place)
    (tmp_path / "pressed.py").write_text(source)
    command = [sys.executable, "-m", "pressed", "demo"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert (done.returncode, done.stderr.split()) == (130, ["Stopped."])


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_ctrl_c_while_reading_writes_nothing(start, tmp_path):
    table = tmp_path / "long.csv"
    table.write_text("id,body\n" + "1,some words of a long table that takes its time\n" * 10**6)
    process = start("cluster", table, "--out", tmp_path / "out", "--checkpoint", "state")
    opened = Path(f"/proc/{process.pid}/fd")

    def is_being_read():
        with suppress(OSError):
            return any(os.readlink(file) == str(table) for file in opened.iterdir())

    wait_until(is_being_read, process)
    process.send_signal(signal.SIGINT)
    code, shown, notes = finish(process)
    assert code == 130, notes
    assert shown == ""
    assert notes.split() == ["Stopped."]
    assert [path.name for path in tmp_path.iterdir()] == ["long.csv"]


def test_a_closed_pipe_loses_no_results(start, texts, tmp_path):
    receiving, sending = os.pipe()
    os.close(receiving)
    process = start("cluster", texts, "-k", 3, "--out", tmp_path / "out", *FAST, stdout=sending)
    os.close(sending)
    _, _, notes = finish(process)
    assert "Traceback" not in notes
    assert {path.name for path in (tmp_path / "out").iterdir()} == RESULTS


def test_a_terminal_that_knows_no_unicode_is_no_reason_to_fail(start, tmp_path):
    (tmp_path / "texts").mkdir()
    for number, word in enumerate(["зима", "лето", "зима", "лето"]):
        (tmp_path / "texts" / f"{number}.txt").write_text(f"{word} {word} год", "utf-8")
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    process = start("cluster", tmp_path / "texts", "-k", 2, "--language", "ru", env=environment)
    code, shown, notes = finish(process)
    assert code == 0, notes
    assert "\\u0437\\u0438\\u043c\\u0430" in shown


def test_progress_is_shown_on_a_terminal_only(monkeypatch, capfd):
    done = Progress(1, 10, -5.0, share=0.05, stage="")
    with progress.reading("x", quiet=False) as tick:
        tick(100)
    with progress.fitting(quiet=False) as tick:
        tick(done)
    assert capfd.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.reading("[red]x\x1b[2J", quiet=False) as tick:
        tick(100)
    with progress.fitting(quiet=False) as tick:
        tick(done)
    out, err = capfd.readouterr()
    assert out == ""
    assert "Reading [red]x[2J" in err
    assert "\x1b[2J" not in err
    assert "100 documents" in err
    assert "Fitting · 5 %" in err


@pytest.mark.corpus
def test_real_newsgroups_are_clustered_in_their_archive(collections, tmp_path):
    archive = collections / "20news-19997.tar.xz"
    if not archive.is_file():
        pytest.skip(f"COTERIE_DATA has no {archive.name}")
    done = succeed("cluster", archive, "-k", 20, "--method", "mm", "--out", tmp_path / "out")
    assert "19,997 documents read" in done.stderr
    assert json.loads(succeed("evaluate", tmp_path / "out", "--json").stdout)["nmi"] > 0.5


@pytest.mark.corpus
def test_real_descriptions_are_clustered_by_column(collections, tmp_path):
    table = collections / "debian-desc-en-de-fr-it-es.jsonl.xz"
    if not table.is_file():
        pytest.skip(f"COTERIE_DATA has no {table.name}")
    columns = ("--text", "fr", "--id", "package", "--language", "fr")
    succeed("cluster", table, "-k", 6, *columns, "--out", tmp_path / "out", "-q")
    done = succeed("evaluate", tmp_path / "out", "--label", "section", "--json")
    assert json.loads(done.stdout)["nmi"] > 0.15


def test_an_empty_path_is_not_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("some words")
    for arguments in (
        ["cluster", ""],
        ["assign", "model", ""],
        ["cluster", "a.txt", "--out", ""],
    ):
        done = run(*arguments)
        assert done.exit_code == 2
        assert "an empty path; '.' is the current folder" in done.stderr


def test_limits_reach_the_readers(tmp_path):
    (tmp_path / "a.txt").write_text("some words " * 1000)
    done = run("cluster", tmp_path / "a.txt", "--limit", "document=1KB")
    assert done.stderr.startswith("Error: a.txt: larger than 1 KB, the limit of a document")
    done = run("cluster", tmp_path / "a.txt", "--limit", "size=1")
    assert done.stderr.startswith("Error: limit 'size=1': expected document, archive")


def test_reading_shows_a_percentage_and_the_time_left():
    assert progress.status(0.25, 10.0, 0.2) == "25 % · about 40 s left"
    assert progress.status(0.25, 0.5, 0.2) == "25 %"
    assert progress.status(0.01, 10.0, 0.01) == "1 %"
    clock = progress.Clock()
    assert clock.status(0.5) == "50 %"
