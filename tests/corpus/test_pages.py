"""The main text of a web page is read, without menus; a page of links stays whole."""

import pytest

from coterie.corpus.markup import main_text
from coterie.corpus.readers import documents

MENU = "<ul>" + "".join(f"<li><a href=x>Link number {n}</a>" for n in range(9)) + "</ul>"
TEXT = "Green tea grows on hills, where the nights are cool and mornings bring fog. " * 4


@pytest.mark.parametrize(
    "page",
    [
        f"<nav>{MENU}</nav><main><p>{TEXT}</p></main><footer>Terms</footer>",
        f"<header>{MENU}</header><article><p>{TEXT}</p></article><aside>Buy</aside>",
        f"<article><article><p>{TEXT}</p></article></article>{MENU}",
        f"<div><div>{MENU}</div></div><p>{TEXT}</p><div role=navigation>Next</div>",
        f"<table><tr><td><a>One</a><a>Two</a><a>Three</a><a>Four</a></table><p>{TEXT}",
    ],
)
def test_menus_are_left_out(page):
    assert main_text(page)[0] == TEXT.strip()


@pytest.mark.parametrize("page", [MENU, f"<nav>{MENU}</nav>", f"<nav>{MENU}</nav><p>A page"])
def test_a_page_of_links_stays_whole(page):
    assert "Link number 8" in main_text(page)[0]


def test_a_short_article_does_not_stand_for_the_page():
    assert main_text(f"<article>Ad</article><p>{TEXT}</p>")[0] == "Ad\n" + TEXT.strip()


def test_the_date_of_a_page_is_kept(tmp_path):
    page = tmp_path / "a.html"
    page.write_text(
        "<title>Tea</title><meta property='article:published_time' "
        f"content='2024-05-31T10:00:00Z'><p>{TEXT}"
    )
    [found] = documents(page)
    assert found.columns["date"].isoformat() == "2024-05-31T10:00:00+00:00"


def test_menus_within_menus_are_left_out_however_deep():
    deep = "<div>" * 300 + MENU + "</div>" * 300
    assert main_text(deep + f"<p>{TEXT}")[0] == TEXT.strip()
