"""The published numbers are those of the papers, and every item can be planned and named."""

from dataclasses import replace
from importlib import import_module

import pytest

from coterie import InputError
from coterie_papers import pictures
from coterie_papers.collections.catalogue import CATALOGUE, WITHOUT_LOADER
from coterie_papers.grimal import published as grimal
from coterie_papers.items import Chart, Line, Scope, Value, values
from coterie_papers.kim import published as kim
from coterie_papers.pessiot import published as pessiot
from coterie_papers.rigouste import published as rigouste
from coterie_papers.rigouste import setup
from coterie_papers.running import chosen, item, items, missing, needed, scope_of
from coterie_papers.wang import published as wang

EXPECTED = [
    *(f"pessiot-table{n}" for n in range(1, 6)), "pessiot-figure2", "pessiot-figure3",
    *(f"grimal-table{n}" for n in range(1, 4)), "grimal-figure2",
    "rigouste-section4", *(f"rigouste-figure{n}" for n in range(1, 8)),
    "kim-table1", "kim-table2", "kim-section4", "wang-table1", "wang-table2", "wang-figure1",
]  # fmt: skip


def test_items_are_in_the_papers_order():
    assert [each.name for each in items()] == EXPECTED


def test_a_name_stands_for_an_item_a_paper_or_all():
    assert [each.name for each in chosen("rigouste-figure6")] == ["rigouste-figure6"]
    assert len(chosen("rigouste")) == 8
    assert len(chosen("all")) == len(EXPECTED)
    with pytest.raises(
        InputError, match="pessiot-table9: no table, figure or paper of that name"
    ):
        item("pessiot-table9")


@pytest.mark.parametrize("each", items(), ids=lambda each: each.name)
def test_every_item_needs_known_collections_and_quick_is_less(each):
    assert set(each.needs) <= set(CATALOGUE)
    assert set(each.original) <= set(CATALOGUE) | set(WITHOUT_LOADER)
    assert not set(WITHOUT_LOADER) & set(CATALOGUE)
    quick, full = scope_of(each, quick=True), scope_of(each)
    assert quick.quick
    assert not full.quick
    assert 0 < each.seconds(quick) <= each.seconds(full)
    assert full.runs == each.runs
    assert scope_of(each, runs=2).runs == 2


@pytest.mark.parametrize("each", items(), ids=lambda each: each.name)
def test_every_cell_names_an_experiment(each):
    for experiment in {cell.experiment for cell in each.plan(Scope(2))}:
        module, _, function = experiment.rpartition(".")
        assert callable(getattr(import_module(f"coterie_papers.{module}"), function))


def test_papers_compute_their_experiments_under_their_names():
    """A cell is saved by the name of its experiment: no paper reuses another's."""
    for each in items():
        for experiment in {cell.experiment for cell in each.plan(Scope(2))}:
            room = experiment.partition(".")[0]
            assert room in (each.paper, "clustering", "words")


def test_tables_share_their_cells():
    scope = Scope(10)
    five, three = item("pessiot-table5"), item("pessiot-table3")
    reuters = {c for c in three.plan(scope) if c.corpus.startswith("reuters/")}
    assert reuters
    assert reuters <= set(five.plan(scope))
    assert set(item("rigouste-figure1").plan(scope)) <= set(
        item("rigouste-figure7").plan(scope)
    )


def test_runs_of_pessiot_have_a_split_and_a_seed_of_their_own():
    cells = [
        c
        for c in item("pessiot-table5").plan(Scope(10))
        if c.method == "c-mm" and c.experiment == "clustering.scores"
    ]
    assert {(c.corpus.partition("/")[2], c.seed) for c in cells} == {
        (str(n), n) for n in range(10)
    }


def test_what_is_missing_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert missing(item("pessiot-table2")) == ["20newsgroups", "webkb"]


def test_where_the_papers_collection_is_here_no_other_is_needed(tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert needed(item("rigouste-figure1")) == ["20newsgroups"]
    assert item("rigouste-figure1").plan(Scope())[0].corpus == "four-groups"
    (tmp_path / "rcv1-v2").mkdir()
    assert needed(item("rigouste-figure1")) == ["rcv1-v2"]
    assert item("rigouste-figure1").plan(Scope())[0].corpus == "four-themes"
    (tmp_path / "rcv2-french").mkdir()
    assert "reuters-multiview-600" not in needed(item("pessiot-table5"))
    assert any(
        c.corpus.startswith("rcv2-french/") for c in item("pessiot-table5").plan(Scope())
    )
    assert needed(item("wang-table2")) == ["20newsgroups"]


def test_values_are_read_as_printed():
    assert values("0.52↓ 0.60±0.07 - 0") == [
        Value(0.52, worse=True),
        Value(0.60, 0.07),
        None,
        Value(0.0),
    ]
    assert str(Value(0.25, read_off=True)) == "about 0.25"
    with pytest.raises(InputError, match="'x': expected a number"):
        values("0.5 x")


def test_tables_of_pessiot_have_their_numbers():
    assert pessiot.best("C-MM", "20Newsgroups") == {
        "precision": Value(0.75),
        "nmi": Value(0.53),
    }
    assert pessiot.best("Kmeans", "RCV2-French")["precision"] == Value(0.27, worse=True)
    assert len(pessiot.BEST) == 10
    assert {len(row) for row in pessiot.BEST.values()} == {8}
    assert len(pessiot.CLASSES) == 26
    assert pessiot.CLASSES["WebKB", "course"][1] == Value(0.86)
    for collection, shares in pessiot.PROPORTIONS.items():
        assert sum(shares.values()) == pytest.approx(100, abs=0.5), collection
    assert pessiot.TIMES["LDA"] == (60, 1800, 900, 120)


def test_the_average_of_a_class_table_is_the_precision_of_table_5():
    for collection in pessiot.COLLECTIONS:
        for place, method in enumerate(("MM", "C-MM")):
            average = pessiot.CLASSES[collection, "Average"][place]
            assert average.mean == pessiot.best(method, collection)["precision"].mean


def test_tables_of_grimal_have_their_numbers():
    assert grimal.SUPERVISED["χ-Sim 0.8 p"]["NG3"] == Value(0.90, 0.02)
    assert grimal.SUPERVISED["BVD"]["NG1"] is None
    assert grimal.SUPERVISED_NMI["RSN"]["NG1"] == Value(0.64, 0.16)
    assert grimal.MEDOIDS["CTK"]["M5"] == Value(0.76, 0.04)
    assert (len(grimal.SUPERVISED), len(grimal.SUPERVISED_NMI), len(grimal.MEDOIDS)) == (
        12,
        7,
        11,
    )
    for groups, n_clusters, _ in grimal.GROUPS.values():
        assert len(groups) == n_clusters


def test_figures_of_rigouste_have_what_the_text_says():
    assert (rigouste.LABELS.mean, rigouste.DIRICHLET.mean, rigouste.INCREMENTAL.mean) == (
        0.87,
        0.25,
        0.85,
    )
    assert str(rigouste.HIERARCHICAL) == "< 0.3"
    *figures, section = rigouste.SAYINGS
    assert figures == [f"rigouste-figure{n}" for n in range(1, 8)]
    assert all("read off" in rigouste.SAYINGS[name] for name in figures)
    assert section == "rigouste-section4"
    assert [value.mean for value in rigouste.PERTURBED.values()] == [0.9, 0.7, 0.25]


def test_tables_of_papers_003_and_004_have_their_numbers():
    single = [value for name, value in kim.PREASSIGNED.items() if name != "Average"]
    shares, precisions = zip(*single, strict=True)
    assert sum(shares) / 5 == pytest.approx(kim.PREASSIGNED["Average"][0], abs=1e-3)
    assert sum(precisions) / 5 == pytest.approx(kim.PREASSIGNED["Average"][1], abs=5e-3)
    assert kim.STRATEGIES["Fusion-LM"]["precision"] == Value(0.61, worse=True)
    assert wang.pairs("2PLSA", 15)["f1"] == Value(0.4883)
    assert wang.pairs("k-means", 15) == {}
    assert [len(words) for words in wang.TOPICS.values()] == [5] * 5


def test_a_bound_is_shown_and_drawn_as_one():
    rows = {"a": ([0.1], Value(0.3, read_off=True, bound="<")), "b": ([0.2], Value(0.25))}
    assert [line[2] for line in setup.summary(rows).rows] == ["< 0.3", "0.25"]
    assert [record.get("bound") for record in setup.summary(rows).records] == ["<", None]
    assert setup.headline(rows).endswith("a 0.10 (< 0.3); b 0.20 (0.25)")
    chart = Chart("f-score", "t", "x", setup.F_SCORE, [Line("a", [1, 3], [0, 0])])
    ours, bound = setup.with_published(chart, rows).lines
    assert bound.name == "a, published < 0.3"
    colours = pictures._colours([ours.name, bound.name])
    assert colours[ours.name] == colours[bound.name]


def test_published_values_are_drawn_beside_the_lines_they_belong_to():
    rows = {"a": ([0.1], Value(0.2)), "b": ([0.3], Value(0.2)), "c": ([0.5], Value(0.9))}
    lines = [Line(name, [1, 2, 3], [0, 0, 0]) for name in ("a", "b", "d")]
    chart = Chart("f-score", "t", "x", setup.F_SCORE, lines)
    *_, added = setup.with_published(chart, rows).lines
    assert (added.name, added.x, added.y) == ("a, published", [1, 3], [0.2, 0.2])
    assert len(setup.with_published(chart, rows).lines) == 4
    other = replace(chart, y_label="log-likelihood")
    assert setup.with_published(other, rows) == other
