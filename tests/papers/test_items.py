"""The published numbers are those of the papers, and every item can be planned and named."""

import pytest

from coterie import InputError
from coterie_papers.collections.catalogue import CATALOGUE
from coterie_papers.items import Scope, Value, values
from coterie_papers.paper_000 import published as p000
from coterie_papers.paper_001 import published as p001
from coterie_papers.paper_002 import published as p002
from coterie_papers.paper_003 import published as p003
from coterie_papers.paper_004 import published as p004
from coterie_papers.running import chosen, item, items, missing, needed, scope_of

EXPECTED = [
    *(f"000-table{n}" for n in range(1, 6)), "000-figure2", "000-figure3",
    *(f"001-table{n}" for n in range(1, 4)), "001-figure2",
    *(f"002-figure{n}" for n in range(1, 8)),
    "003-table1", "003-table2", "004-table1", "004-table2", "004-figure1",
]  # fmt: skip


def test_there_are_23_items_in_the_papers_order():
    assert [each.name for each in items()] == EXPECTED
    assert len(EXPECTED) == 23


def test_a_name_stands_for_an_item_a_paper_or_all():
    assert [each.name for each in chosen("002-figure6")] == ["002-figure6"]
    assert len(chosen("002")) == 7
    assert len(chosen("all")) == 23
    with pytest.raises(InputError, match="000-table9: no table or figure of that name"):
        item("000-table9")


@pytest.mark.parametrize("each", items(), ids=lambda each: each.name)
def test_every_item_needs_known_collections_and_quick_is_less(each):
    assert set(each.needs) <= set(CATALOGUE)
    quick, full = scope_of(each, quick=True), scope_of(each)
    assert quick.quick
    assert not full.quick
    assert 0 < each.seconds(quick) <= each.seconds(full)
    assert full.runs == each.runs
    assert scope_of(each, runs=2).runs == 2


def test_tables_share_their_cells():
    scope = Scope(10)
    five, three = item("000-table5"), item("000-table3")
    reuters = {c for c in three.plan(scope) if c.corpus.startswith("reuters/")}
    assert reuters
    assert reuters <= set(five.plan(scope))
    assert set(item("002-figure2").plan(scope)) <= set(item("002-figure7").plan(scope))


def test_runs_of_paper_000_have_a_split_and_a_seed_of_their_own():
    cells = [c for c in item("000-table5").plan(Scope(10)) if c.method == "plsa"]
    assert {(c.corpus.partition("/")[2], c.seed) for c in cells} == {
        (str(n), n) for n in range(10)
    }


def test_what_is_missing_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert missing(item("000-table2")) == ["20newsgroups", "webkb"]


def test_where_the_papers_collection_is_here_no_other_is_needed(tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert needed(item("002-figure1")) == ["20newsgroups"]
    assert item("002-figure1").plan(Scope())[0].corpus == "four-groups"
    (tmp_path / "rcv1-v2").mkdir()
    assert needed(item("002-figure1")) == ["rcv1-v2"]
    assert item("002-figure1").plan(Scope())[0].corpus == "four-themes"
    (tmp_path / "rcv2-french").mkdir()
    assert "reuters-multiview-600" not in needed(item("000-table5"))
    assert any(c.corpus.startswith("rcv2-french/") for c in item("000-table5").plan(Scope()))
    assert needed(item("004-table2")) == ["20newsgroups"]


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


def test_tables_of_paper_000_have_their_numbers():
    assert p000.best("C-MM", "20Newsgroups") == {"precision": Value(0.75), "nmi": Value(0.53)}
    assert p000.best("Kmeans", "RCV2-French")["precision"] == Value(0.27, worse=True)
    assert len(p000.BEST) == 10
    assert {len(row) for row in p000.BEST.values()} == {8}
    assert len(p000.CLASSES) == 26
    assert p000.CLASSES["WebKB", "course"][1] == Value(0.86)
    for collection, shares in p000.PROPORTIONS.items():
        assert sum(shares.values()) == pytest.approx(100, abs=0.5), collection
    assert p000.TIMES["LDA"] == (60, 1800, 900, 120)


def test_the_average_of_a_class_table_is_the_precision_of_table_5():
    for collection in p000.COLLECTIONS:
        for place, method in enumerate(("MM", "C-MM")):
            average = p000.CLASSES[collection, "Average"][place]
            assert average.mean == p000.best(method, collection)["precision"].mean


def test_tables_of_paper_001_have_their_numbers():
    assert p001.SUPERVISED["χ-Sim 0.8 p"]["NG3"] == Value(0.90, 0.02)
    assert p001.SUPERVISED["BVD"]["NG1"] is None
    assert p001.SUPERVISED_NMI["RSN"]["NG1"] == Value(0.64, 0.16)
    assert p001.MEDOIDS["CTK"]["M5"] == Value(0.76, 0.04)
    assert (len(p001.SUPERVISED), len(p001.SUPERVISED_NMI), len(p001.MEDOIDS)) == (12, 7, 11)
    for groups, n_clusters, _ in p001.GROUPS.values():
        assert len(groups) == n_clusters


def test_figures_of_paper_002_have_what_the_text_says():
    assert (p002.LABELS.mean, p002.DIRICHLET.mean, p002.INCREMENTAL.mean) == (0.87, 0.25, 0.85)
    assert list(p002.SAYINGS) == [f"002-figure{n}" for n in range(1, 8)]
    assert all("read off" in saying for saying in p002.SAYINGS.values())


def test_tables_of_papers_003_and_004_have_their_numbers():
    single = [value for name, value in p003.PREASSIGNED.items() if name != "Average"]
    shares, precisions = zip(*single, strict=True)
    assert sum(shares) / 5 == pytest.approx(p003.PREASSIGNED["Average"][0], abs=1e-3)
    assert sum(precisions) / 5 == pytest.approx(p003.PREASSIGNED["Average"][1], abs=5e-3)
    assert p003.STRATEGIES["Fusion-LM"]["precision"] == Value(0.61, worse=True)
    assert p004.pairs("2PLSA", 15)["f1"] == Value(0.4883)
    assert p004.pairs("k-means", 15) == {}
    assert [len(words) for words in p004.TOPICS.values()] == [5] * 5
