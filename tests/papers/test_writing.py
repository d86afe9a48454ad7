"""Pages, data, pictures and the index as they are written."""

import json
import re
import shutil
from pathlib import Path

import pytest

from coterie_papers.items import Chart, Claim, Grid, Item, Line, Matrix, Scope, Sheet
from coterie_papers.remarks import REMARKS
from coterie_papers.running import items
from coterie_papers.writing import what_holds, write_index, write_sheet

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


def test_remarks_say_why_on_runs_in_full_alone(tmp_path, sheet, monkeypatch):
    monkeypatch.setitem(REMARKS, "rigouste-figure9", ("Rum was out.",))
    write_sheet(tmp_path, ITEM, Scope(), sheet)
    assert "## Notes\n\n- Rum was out." in (tmp_path / "rigouste-figure9.md").read_text()
    assert "- note: Rum was out." in write_index(tmp_path, [ITEM]).read_text()
    write_sheet(tmp_path, ITEM, Scope(quick=True), sheet)
    assert "Rum" not in (tmp_path / "rigouste-figure9.md").read_text()
    assert "Rum" not in write_index(tmp_path, [ITEM]).read_text()


def test_remarks_are_on_items_that_exist():
    assert set(REMARKS) <= {item.name for item in items()}


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
