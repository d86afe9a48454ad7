"""`coterie reproduce` and `coterie datasets` as people use them."""

import json

import pytest

from commands import run
from coterie_papers.collections import catalogue
from coterie_papers.running import items


@pytest.fixture
def nothing_here(tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    return tmp_path


@pytest.mark.usefixtures("nothing_here")
def test_without_a_name_all_items_are_listed_with_what_they_need():
    done = run("reproduce")
    assert done.exit_code == 0, done.stderr
    for item in items():
        assert item.name in done.stdout
    assert "(missing)" in done.stdout
    assert "min" in done.stdout
    assert "wikipedia-xml" in done.stdout
    assert "loader)" in done.stdout


def test_a_missing_collection_is_explained_in_one_line(nothing_here):
    done = run("reproduce", "rigouste-figure1", "--out", nothing_here / "out")
    assert done.exit_code == 2
    assert done.stderr.lstrip().startswith("Error: 20 Newsgroups")
    assert "get it from" in done.stderr
    assert not (nothing_here / "out").exists()


def test_an_unknown_item_is_refused():
    done = run("reproduce", "nobody-table1")
    assert done.exit_code == 2
    assert "nobody-table1: no table, figure or paper of that name" in done.stderr


@pytest.mark.usefixtures("planted")
def test_an_item_is_computed_written_and_not_computed_again(tmp_path, monkeypatch):
    (tmp_path / "20news-19997.tar.xz").write_bytes(b"")
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    arguments = ("reproduce", "rigouste-figure4", "--quick", "--jobs", 1, "--cells",
                 tmp_path / "cells", "--out", tmp_path / "out")  # fmt: skip
    done = run(*arguments)
    assert done.exit_code == 0, done.stderr
    assert "rigouste-figure4: MI F-score" in done.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "rigouste-figure4.md", "rigouste-figure4.json", "rigouste-figure4-likelihood.svg",
        "rigouste-figure4-f-score.svg", "README.md",
    }  # fmt: skip
    before = json.loads((tmp_path / "out" / "rigouste-figure4.json").read_text())
    monkeypatch.setattr("coterie_papers.cells.compute", None)
    assert run(*arguments).exit_code == 0
    assert json.loads((tmp_path / "out" / "rigouste-figure4.json").read_text()) == before
    assert (tmp_path / "out" / "rigouste-figure4.md").read_text().startswith("**Substitute:**")


def test_collections_are_listed_with_where_they_are(nothing_here):
    (nothing_here / "data" / "webkb-html.tar.xz").write_bytes(b"x")
    done = run("datasets")
    assert done.exit_code == 0
    for name in catalogue.CATALOGUE:
        assert name in done.stdout
    assert done.stdout.count("missing") == len(catalogue.CATALOGUE) - 1
    assert "wikipedia-xml: The 1,236 articles" in done.stdout


def test_a_collection_without_a_loader_says_what_replaces_it():
    done = run("datasets", "wikipedia-xml")
    assert done.exit_code == 2
    assert "There is no loader" in done.stderr
    assert "messages of 20newsgroups replace them" in " ".join(done.stderr.split())


def test_a_file_that_is_not_the_known_one_is_found_out(nothing_here):
    (nothing_here / "data" / "webkb-html.tar.xz").write_bytes(b"x")
    done = run("datasets", "webkb", "--check")
    assert "not the known one" in " ".join(done.stdout.split())
    assert "Get it from the home page of the 4 universities" in " ".join(done.stdout.split())
    assert run("datasets", "nothing").exit_code == 2


@pytest.mark.usefixtures("planted")
def test_ctrl_c_says_how_to_go_on_and_keeps_what_was_done(tmp_path, monkeypatch):
    (tmp_path / "20news-19997.tar.xz").write_bytes(b"")
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    from coterie_papers import cells

    computed = []

    def compute(cell):
        if len(computed) == 3:
            raise KeyboardInterrupt
        computed.append(cell)
        return real(cell)

    real = cells.compute
    monkeypatch.setattr(cells, "compute", compute)
    done = run("reproduce", "rigouste-figure4", "--quick", "--jobs", 1,
               "--cells", tmp_path / "cells", "--out", tmp_path / "out")  # fmt: skip
    assert done.exit_code == 130
    assert "the same command resumes" in done.stderr
    assert len(list((tmp_path / "cells").rglob("*.json"))) == 3
    assert not (tmp_path / "out").exists()
