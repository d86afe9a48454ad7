"""The page in a browser and the cards in a notebook."""

import re
import webbrowser
from types import SimpleNamespace

import pytest

import coterie
from coterie.clustering.showing import N_CARDS

TEXTS = ["green tea", "black tea", "tea leaves", "dark rum", "white rum", "rum punch"]


@pytest.fixture(scope="module")
def clustered():
    return coterie.cluster(TEXTS, 2, "mm", progress=False)


@pytest.fixture
def result(clustered):
    return clustered.copy()


@pytest.fixture
def opened(monkeypatch):
    """The addresses that a browser was asked to open."""
    addresses = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    return addresses


def test_a_page_is_written_and_opened(result, opened, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    page = result.rename({1: "Drinks"}).show()
    assert page.is_relative_to(tmp_path)
    assert "Drinks" in page.read_text(encoding="utf-8")
    assert opened == [page.as_uri()]
    result.show(browser=False)
    assert len(opened) == 1


def test_the_saved_page_is_shown_as_long_as_it_is_up_to_date(result, tmp_path, monkeypatch):
    saved = tmp_path / "saved"
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result.save(saved)
    page = saved / "report.html"
    assert result.show(browser=False) == page
    result.rename({1: "Drinks"})
    assert result.show(browser=False) != page
    assert result.undo().show(browser=False) == page
    result.rename({1: "Drinks"}).save()
    assert result.show(browser=False) == page
    assert coterie.load(saved).show(browser=False) == page


def test_a_page_that_others_changed_is_not_shown(result, tmp_path, monkeypatch):
    saved = tmp_path / "saved"
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result.save(saved)
    other = coterie.load(saved)
    other.rename({1: "Drinks"}).save()
    assert result.show(browser=False) != saved / "report.html"
    (saved / "report.html").write_text("changed", encoding="utf-8")
    assert other.show(browser=False) != saved / "report.html"
    (saved / "report.html").unlink()
    assert other.show(browser=False) != saved / "report.html"


def test_two_splits_of_one_cluster_are_not_the_same_edit(result, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result.merge([1, 2]).split(1)
    result.save(tmp_path / "saved")
    result.undo().split(1)
    assert result.show(browser=False) != tmp_path / "saved" / "report.html"


def test_cards_show_each_cluster(result):
    shown = result.move("1", 2).rename({1: "Drinks"})._repr_html_()
    text = " ".join(re.sub(r"<[^>]+>", "", shown).split())
    assert "6 documents · 2 clusters" in text
    for cluster in result.summary.clusters:
        size = "1 document" if cluster.size == 1 else f"{cluster.size} documents"
        assert f"{cluster.number} {cluster.name} {size} ·" in text
        assert cluster.words[0].word in text
        assert f"“{cluster.documents[0].title}”" in text
    assert "<script" not in shown
    assert "more:" not in text


def test_cards_escape_what_documents_say(result):
    shown = result.rename({1: '<img src=x onerror="alert(1)">'})._repr_html_()
    assert "<img" not in shown
    assert "&lt;img" in shown


def test_there_are_at_most_24_cards(result):
    cluster = result.summary.clusters[0]
    summary = SimpleNamespace(**vars(result.summary) | {"clusters": (cluster,) * 30})
    from coterie.clustering.showing import cards

    shown = cards(SimpleNamespace(summary=summary))
    assert shown.count(f"<bdi>{cluster.name}</bdi>") == N_CARDS
    assert "and 6 more: <code>result.clusters</code>" in shown


def test_a_light_page_has_no_data_and_stays_light(result, tmp_path):
    full = result.save(tmp_path / "full") / "report.html"
    assert 'id="part-texts"' in full.read_text(encoding="utf-8")
    light = result.save(tmp_path / "light", page="light") / "report.html"
    assert "part-" not in light.read_text(encoding="utf-8")
    assert light.stat().st_size < full.stat().st_size / 2
    again = coterie.load(tmp_path / "light")
    again.rename({1: "Drinks"}).save()
    assert "part-" not in light.read_text(encoding="utf-8")
    with pytest.raises(coterie.InputError, match="page"):
        result.save(tmp_path / "other", page="small")
