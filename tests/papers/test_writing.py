"""Pages, data, pictures and the index as they are written."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from coterie_papers import fingerprints
from coterie_papers.cells import Store, cell
from coterie_papers.items import Chart, Claim, Grid, Item, Line, Matrix, Scope, Sheet
from coterie_papers.running import items, scope_of
from coterie_papers.writing import markdown, what_holds, write_index, write_sheet

ITEM = Item(
    "rigouste-figure9", "a thing", "Figure 9, section 1", ("webkb",), lambda _: [], None
)
OTHER = Item(
    "rigouste-figure8", "another", "Figure 8, section 1", ("webkb",), lambda _: [], None
)


@pytest.fixture
def sheet():
    parts = [
        "A note.",
        Grid(["a", "b"], [["1", "x|y"]], [{"a": 1}], title="Numbers"),
        Chart("lines", "Lines", "x", "y", [Line("l", [1, 2], [3, 4])]),
        Matrix("dots", "Dots", "x", "y", [[0.0, 1.0]]),
    ]
    claims = [
        Claim("all well", {"here": True}),
        Claim("so so", {"here": True, "there": False}),
        Claim("not at all", {"here": False}),
        Claim("rum is better", {"here": True}, ours=True),
    ]
    return Sheet(parts, claims, "**Substitute:** tea for rum.", "0.5 (0.6)")


def test_the_first_line_names_the_substitute(tmp_path, sheet):
    write_sheet(tmp_path, ITEM, Scope(), sheet)
    page = (tmp_path / "rigouste-figure9.md").read_text()
    assert page.splitlines()[0] == "**Substitute:** tea for rum."
    assert "# rigouste-figure9: a thing" in page
    assert "| 1 | x\\|y |" in page
    assert "![Lines](rigouste-figure9-lines.svg)" in page
    assert "- holds: all well" in page
    assert "- holds in part: so so (holds for here; not for there)" in page
    assert "- does not hold: not at all" in page
    assert "- holds: (ours) rum is better" in page
    assert "Statements of the paper that hold: 1 of 3; of ours: 1 of 1.\n" in page
    assert "--quick" not in page


def test_all_files_are_written_and_named(tmp_path, sheet):
    written = write_sheet(tmp_path, ITEM, Scope(3, quick=True), sheet)
    assert sorted(path.name for path in written) == sorted(p.name for p in tmp_path.iterdir())
    assert {path.suffix for path in written} == {".svg", ".md", ".json"}
    data = json.loads((tmp_path / "rigouste-figure9.json").read_text())
    assert data["quick"]
    assert data["tables"] == [{"title": "Numbers", "records": [{"a": 1}]}]
    assert data["charts"][0]["lines"][0]["y"] == [3, 4]
    assert (
        "coterie reproduce rigouste-figure9 --quick"
        in (tmp_path / "rigouste-figure9.md").read_text()
    )


def test_the_index_lists_every_item_with_ours_theirs_and_what_holds(tmp_path, sheet):
    write_sheet(tmp_path, ITEM, Scope(), sheet)
    page = write_index(tmp_path, [OTHER, ITEM]).read_text()
    assert "| rigouste-figure8 | another | not run |  |  |" in page
    row = "| [rigouste-figure9](rigouste-figure9.md) | a thing | 0.5 (0.6) | 1 of 3 | 1 of 1 |"
    assert row in page
    assert "Statements of the papers that hold: 1 of 3; of ours: 1 of 1.\n" in page
    assert "- does not hold: not at all" in page
    assert "tea for rum" in page


def test_a_claim_that_does_not_hold_says_why(tmp_path, sheet):
    why = Claim("tea is cold", {"here": False}, reason="Rum was out.")
    part = Claim("tea is hot", {"here": True, "there": False}, reason="Rum was in.")
    write_sheet(tmp_path, ITEM, Scope(), replace(sheet, claims=[why, part], notes=["Cheers."]))
    page = (tmp_path / "rigouste-figure9.md").read_text()
    index = write_index(tmp_path, [ITEM]).read_text()
    for text in (page, index):
        assert "- does not hold: tea is cold. Rum was out.\n" in text
        assert "tea is hot (holds for here; not for there). Rum was in.\n" in text
    assert "## Notes\n\n- Cheers." in page
    assert "- note: Cheers." in index


def test_data_keep_the_cells_they_were_made_of(tmp_path, sheet, store):
    each = cell("clustering.scores", "webkb", "mm", 1, words=(10, 20))
    store.put(each, {"nmi": 0.25})
    write_sheet(tmp_path, ITEM, Scope(), sheet, [store.record(each)])
    other = Store(tmp_path / "nowhere")
    assert other.get(each) is None
    other.read(tmp_path / "rigouste-figure9.json")
    assert other.get(each) == {"nmi": 0.25}
    assert other.record(each)["code"] == each.code()


def test_saved_cells_of_any_code_are_good_where_asked_for(store, monkeypatch):
    each = cell("clustering.scores", "webkb", "mm", 1)
    monkeypatch.setattr(fingerprints, "fingerprint", lambda *_: "old")
    store.put(each, {"nmi": 0.25})
    monkeypatch.setattr(fingerprints, "fingerprint", lambda *_: "new")
    assert store.get(each) is None
    anyhow = Store(store.folder, any_code=True)
    assert anyhow.get(each) == {"nmi": 0.25}
    assert anyhow.record(each)["code"] == "old"


def test_the_index_of_the_results_is_up_to_date(tmp_path):
    results = Path(__file__).parents[2] / "docs" / "results"
    for file in results.glob("*.json"):
        shutil.copy(file, tmp_path)
    assert write_index(tmp_path, items()).read_text() == (results / "README.md").read_text()


def test_every_page_of_the_results_has_the_claims_of_its_data():
    results = Path(__file__).parents[2] / "docs" / "results"
    for file in results.glob("*.json"):
        claims = [Claim(**each) for each in json.loads(file.read_text())["claims"]]
        assert what_holds(claims) in file.with_suffix(".md").read_text()
        assert not any(claim.text.startswith("(ours)") for claim in claims)


def test_every_page_of_the_results_has_its_pictures():
    results = Path(__file__).parents[2] / "docs" / "results"
    shown = {
        name
        for page in results.glob("*.md")
        for name in re.findall(r"!\[.*?\]\((.*?)\)", page.read_text())
    }
    assert shown == {file.name for file in results.glob("*.svg")}


@pytest.mark.parametrize("item", items(), ids=lambda item: item.name)
def test_every_page_of_the_results_is_what_its_runs_give(item):
    """Tables, statements, reasons and notes are made of the runs that the data keep."""
    results = Path(__file__).parents[2] / "docs" / "results"
    file = results / f"{item.name}.json"
    if not file.is_file() or "cells" not in json.loads(file.read_text()):
        pytest.skip("not run since the data keep their runs")
    store = Store(results / "none", any_code=True)
    store.read(file)
    scope = scope_of(item)
    runs = {each: store.get(each) for each in item.plan(scope)}
    assert None not in runs.values()
    sheet = item.present(scope, runs)
    assert markdown(item, scope, sheet) == (results / f"{item.name}.md").read_text()


def test_every_statement_that_does_not_hold_has_a_reason():
    results = Path(__file__).parents[2] / "docs" / "results"
    for file in results.glob("*.json"):
        data = json.loads(file.read_text())
        if "cells" in data:
            for claim in (Claim(**each) for each in data["claims"]):
                assert claim.holds or claim.ours or claim.reason, (file.name, claim.text)
