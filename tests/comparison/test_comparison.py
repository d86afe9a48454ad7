"""Methods compared over seeds: what is fitted and measured, the table and its formats."""

import csv
import io
import json
import re
import signal

import numpy as np
import pytest

import coterie
from commands import refuse, run, succeed
from coterie.comparison import ComparisonTable, Run, compare, runs
from coterie.comparison.table import Cell
from coterie.corpus import Corpus
from coterie.errors import InputError
from coterie.evaluation import ari, compare_runs, micro_precision, nmi
from coterie.evaluation.internal import resample
from coterie.findings.internal import InternalMeasures, internal_scores
from coterie.methods import method

SUBJECTS = {
    "tea": ["kettle", "leaf", "cup", "brew", "steam", "green", "sugar"],
    "sea": ["ship", "wave", "harbour", "sail", "anchor", "tide", "wind"],
    "sky": ["star", "moon", "orbit", "comet", "planet", "night", "light"],
}


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    texts, labels = [], []
    for number in range(60):
        subject = list(SUBJECTS)[number % 3]
        others = [word for words in SUBJECTS.values() for word in words]
        words = [*rng.choice(SUBJECTS[subject], 6), *rng.choice(others, 12)]
        texts.append(" ".join(rng.permutation(words)))
        labels.append(subject)
    return Corpus.from_texts(texts, labels=labels)


@pytest.fixture(scope="module")
def table(corpus):
    return compare(corpus, ["mm", "kmeans", "cosine"], seeds=4, n_init=1)


@pytest.fixture(autouse=True)
def heeding():
    """Ctrl-C as in a terminal, also where the tests run in the background, deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_scores_are_those_of_the_fits(corpus, table):
    assert table.n_clusters == 3
    assert [(each.method, each.seed) for each in table.runs] == [
        (name, seed) for seed in range(4) for name in ("mm", "kmeans", "cosine")
    ]
    model = method("kmeans").make(3, seed=2, n_init=1).fit(corpus)
    found = table.runs[7].scores
    classes, clusters = corpus.labels.tolist(), model.labels_.tolist()
    assert found["ap"] == micro_precision(classes, clusters)
    assert found["nmi"] == nmi(classes, clusters)
    assert found["ari"] == ari(classes, clusters)
    internal = InternalMeasures(corpus).of(model)
    assert found["c_v"] == pytest.approx(internal.c_v)
    assert found["silhouette"] == pytest.approx(internal.silhouette)
    rows = resample(60, random_state=2)
    of_part = method("kmeans").make(3, seed=2, n_init=1).fit(corpus[rows]).labels_
    assert found["stability"] == ari(model.labels_[rows].tolist(), of_part.tolist())
    assert found["seconds"] > 0


def test_a_method_without_randomness_is_fitted_to_all_once(corpus, table, monkeypatch):
    for measure in ("nmi", "npmi", "seconds", "megabytes"):
        assert len(set(table.scores("cosine", measure))) <= 1
    assert len(set(table.scores("cosine", "stability"))) > 1
    sizes = []
    fit = coterie.Cosine.fit

    def counted(self, X, *rest):
        sizes.append(len(X))
        return fit(self, X, *rest)

    monkeypatch.setattr(coterie.Cosine, "fit", counted)
    compare(corpus, "cosine", seeds=3)
    assert sorted(sizes) == [48, 48, 48, 60]


def test_cells_have_mean_deviation_and_mark(table):
    (mm, kmeans, cosine) = table.rows
    for row in table.rows:
        scores = table.scores(row["method"], "nmi")
        assert row["runs"] == 4
        assert row["nmi"].mean == pytest.approx(np.mean(scores))
        assert row["nmi"].deviation == pytest.approx(np.std(scores, ddof=1))
    cheap = [row["seconds"] for row in (mm, kmeans, cosine)]
    assert min(cheap).mark == "best"  # less is better
    assert sum(cell.mark == "best" for cell in cheap) == 1


def made(**scores):
    """A table of one measure, by its scores of each method."""
    listed = [Run(m, s, {"nmi": x}) for m, xs in scores.items() for s, x in enumerate(xs)]
    return ComparisonTable(listed, n_clusters=3)


def test_marks_are_those_of_the_rank_sum_test():
    a, b, c = [0.80, 0.84, 0.79, 0.83], [0.82, 0.81, 0.78, 0.80], [0.60, 0.66, 0.61, 0.65]
    marks = {row["method"]: row["nmi"].mark for row in made(b=b, a=a, c=c).rows}
    assert marks == {"a": "best", "b": "equal", "c": ""}
    assert compare_runs(a, c, level=0.05).better == "first"
    assert compare_runs(a, b, level=0.05).better is None


def test_too_few_runs_are_not_tested():
    table = made(a=[0.8, 0.9, 0.9], b=[0.1, 0.2, 0.1])
    assert [row["nmi"].mark for row in table.rows] == ["best", ""]
    assert "Too few runs for a rank-sum test at 0.05." in table.caption
    assert made(a=[0.5]).rows[0]["nmi"] == Cell(0.5, None, "best")
    assert "over 1 run, 3 clusters" in made(a=[0.5]).caption


def test_a_measure_that_some_runs_lack_is_that_of_the_others():
    listed = [Run("a", seed, {"nmi": 0.5, "silhouette": 0.1 * seed}) for seed in range(4)]
    listed += [Run("b", seed, {"nmi": 0.4}) for seed in range(3)]
    listed += [Run("b", 3, {"nmi": 0.4, "silhouette": 0.1}), Run("c", 0, {"nmi": 0.1})]
    a, b, c = ComparisonTable(listed[:8], 3).rows + ComparisonTable(listed, 3).rows[2:]
    assert a["silhouette"] == Cell(pytest.approx(0.15), pytest.approx(0.1291, abs=1e-4), "best")
    assert b["silhouette"] == Cell(0.1, None, "")
    assert c["silhouette"] == Cell(None, None, "")
    assert " – " in ComparisonTable(listed, 3).to_markdown()


def test_formats(table):
    markdown = table.to_markdown()
    head, rule, *rows = markdown.splitlines()[:5]
    assert head.split("|")[1].strip() == "Method"
    assert set(rule) == set("|- ")
    best = next(row for row in table.rows if row["nmi"].mark == "best")["nmi"]
    assert f"**{best.mean:.3f} ± {best.deviation:.3f}**" in "\n".join(rows)
    assert len({len(line) for line in (head, rule, *rows)}) == 1
    assert markdown.endswith(f"\n{table.caption}\n")
    records = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert float(records[1]["c_v"]) == table.rows[1]["c_v"].mean
    assert records[1]["c_v_mark"] == table.rows[1]["c_v"].mark
    latex = table.to_latex()
    assert rf"\textbf{{{best.mean:.3f} $\pm$ {best.deviation:.3f}}}" in latex
    assert r"C\_V" in latex
    assert not re.search(r"[†±–]|[^\\]%", latex)
    content = json.loads(table.to_json())
    assert content["rows"][0]["nmi"]["mean"] == table.rows[0]["nmi"].mean
    assert len(content["runs"]) == 12


def test_a_frame_has_the_numbers(table):
    pytest.importorskip("pandas")
    frame = table.to_frame()
    assert frame.index.tolist() == ["mm", "kmeans", "cosine"]
    assert frame.loc["mm", "stability"] == table.rows[0]["stability"].mean


def test_without_labels_the_number_of_clusters_is_estimated(corpus):
    texts = corpus.texts(slice(None))
    table = compare(texts, "mm", seeds=1, n_init=2)
    assert table.n_clusters >= 2
    assert {"ap", "nmi", "ari"}.isdisjoint(table.runs[0].scores)
    assert {"npmi", "c_v", "diversity", "stability", "silhouette"} <= set(table.runs[0].scores)
    labelled = compare(texts, "mm", seeds=1, n_init=2, labels=corpus.labels)
    assert labelled.n_clusters == 3
    assert labelled.runs[0].scores["nmi"] > 0.5


def test_documents_without_a_label_are_left_out_of_agreement(corpus):
    some = corpus.labels.copy()
    some[:20] = ""
    table = compare(corpus.with_labels(some), "mm", seeds=1)
    model = method("mm").make(3, seed=0, n_init=10).fit(corpus)
    expected = nmi(some[20:].tolist(), model.labels_[20:].tolist())
    assert table.runs[0].scores["nmi"] == pytest.approx(expected)


@pytest.mark.skipif(not runs.PEAK.exists(), reason="memory is measured on Linux")
def test_memory_is_what_a_fit_adds():
    def greedy():
        return np.ones(5_000_000).sum()  # 40 MB

    assert 35 < runs._cost(greedy)["megabytes"] < 60
    assert 35 < runs._cost(greedy)["megabytes"] < 60  # not only the first time
    assert runs._cost(lambda: None)["megabytes"] < 10


def test_memory_that_cannot_be_measured_is_left_out(corpus, monkeypatch, tmp_path):
    monkeypatch.setattr(runs, "PEAK", tmp_path / "no" / "such")
    table = compare(corpus, "mm", seeds=1, n_init=1)
    assert "megabytes" not in table.runs[0].scores
    assert "MB" not in table.to_markdown()


@pytest.mark.parametrize("at", [5, 6])  # a fit to part of the documents, and one to all
@pytest.mark.parametrize("name", ["mm", "kmeans"])
def test_ctrl_c_leaves_the_finished_runs(corpus, monkeypatch, name, at):
    fitted = []
    make = runs._Bench._make

    def interrupted(self, chosen, seed):
        fitted.append(seed)
        if len(fitted) == at:
            signal.raise_signal(signal.SIGINT)
        return make(self, chosen, seed)

    monkeypatch.setattr(runs._Bench, "_make", interrupted)
    table = compare(corpus, name, seeds=10, n_init=1)
    assert [each.seed for each in table.runs] == [0, 1]
    assert table.interrupted
    assert "Stopped by Ctrl-C: finished runs only." in table.caption
    fitted[:] = [0] * (at - 1 if at == 5 else at - 2)
    with pytest.raises(KeyboardInterrupt):
        compare(corpus, name, seeds=10, n_init=1)


def test_progress_is_one_percentage(corpus):
    shares, stages = [], []
    with coterie.watching(lambda p: (shares.append(p.share), stages.append(p.stage))):
        compare(corpus, ["mm", "plsa"], seeds=2, n_init=1)
    assert shares == sorted(shares)
    assert shares[0] < 0.4
    assert shares[-1] == pytest.approx(1, abs=0.15)
    assert stages[-1] == "Comparing methods: plsa, seed 2 of 2"


def test_internal_scores_of_a_model(corpus):
    model = coterie.PLSA(3, n_init=2, random_state=0).fit(corpus)
    scores = internal_scores(model, corpus, n_resamples=2)
    assert scores.npmi > -0.2
    assert scores.stability > 0.5
    one = internal_scores(coterie.PLSA(1).fit(corpus), corpus)
    assert one.silhouette is None
    assert one.npmi is not None


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"methods": []}, "methods: expected names of different methods, got none"),
        ({"methods": ["mm", "mm"]}, "expected names of different methods, got mm, mm"),
        ({"methods": ["best"]}, "method 'best': not known"),
        ({"methods": ["voted-plsa"]}, "voted-plsa needs several views, the corpus has one"),
        ({"methods": "mm", "seeds": 0}, "seeds: expected at least one, got 0"),
        ({"methods": "mm", "n_clusters": 50}, "n_clusters: 50, more than 80 % of 60 documents"),
    ],
)
def test_what_cannot_be_compared(corpus, arguments, complaint):
    with pytest.raises(InputError, match=complaint):
        compare(corpus, **arguments)


def test_a_method_of_one_view_needs_one(corpus):
    views = corpus.with_vectors("embeddings", np.ones((60, 2)))
    with pytest.raises(InputError, match="mm takes one view, the corpus has several"):
        compare(views, ["mm"])


@pytest.fixture(scope="module")
def folder(corpus, tmp_path_factory):
    file = tmp_path_factory.mktemp("compared") / "texts.jsonl"
    pairs = zip(corpus.texts(slice(None)), corpus.labels, strict=True)
    file.write_text("\n".join(json.dumps({"body": t, "kind": k}) for t, k in pairs))
    return file


@pytest.mark.parametrize("suffix", ["md", "csv", "tex", "json"])
def test_the_command_writes_the_format_of_the_name(folder, tmp_path, suffix):
    out = tmp_path / f"table.{suffix}"
    command = ("compare", folder, "--methods", "mm,kmeans", "--seeds", 2, "--n-init", 1)
    done = succeed(*command, "--text", "body", "--label", "kind", "--out", out)
    assert f"Wrote {out}" in done.stderr
    start = {"md": "| Method", "csv": "method,runs,ap", "tex": r"\begin{table}", "json": "{"}
    assert out.read_text(encoding="utf-8").startswith(start[suffix])
    assert done.stdout.startswith("| Method | AP ")
    assert "3 clusters" in done.stdout


def test_the_command_prints_json(folder):
    done = succeed("compare", folder, "--methods", "mm", "--seeds", 1, "-k", 2, "--json", "-q")
    assert done.stderr == ""
    content = json.loads(done.stdout)
    assert content["n_clusters"] == 2
    assert content["runs"][0]["method"] == "mm"


def test_the_command_refuses_early(folder, tmp_path):
    refuse("table.doc: expected a name that ends in .md, .csv, .tex, .json",
           "compare", tmp_path / "nowhere", "--out", "table.doc")  # fmt: skip
    refuse("method 'best': not known", "compare", tmp_path / "nowhere", "--methods", "best")
    refuse("100 clusters: more than the 60 documents", "compare", folder, "-k", 100)
    assert run("compare", tmp_path / "nowhere").exit_code == 2


def test_the_terminal_has_a_column_for_each_method(table):
    from rich.console import Console

    from coterie.report.console import comparison_table

    console = Console(width=100, record=True, file=io.StringIO())
    console.print(comparison_table(table))
    shown = console.export_text()
    assert re.search(r"^ +mm +kmeans +cosine", shown)
    assert re.search(r"^Silhouette +-?0\.\d{3} ± ", shown, re.MULTILINE)
    assert "Mean ± standard deviation over 4 runs" in " ".join(shown.split())
