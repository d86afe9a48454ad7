"""Pictures of the page of the built-in corpus, for the documentation.

    python benchmarks/screenshots.py docs/pictures

The built-in corpus is clustered as `make demo` does, and once by a method that clusters words.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from pictures import DARK, DESK, PHONE, taking


def to(page, name):
    page.evaluate(
        "id => document.getElementById(id).scrollIntoView({behavior: 'instant'})", name
    )


def overview(_page):
    pass


def the_map(page):
    to(page, "map-section")


def coarser(page):
    page.locator("#level").fill("3")
    to(page, "sizes-title")


def search(page):
    to(page, "map-section")
    page.fill("#query", "sparse matrix")
    page.wait_for_selector(".list > li")


def word(page):
    page.locator("#cluster-2").evaluate("card => card.scrollIntoView({behavior: 'instant'})")
    page.locator("#cluster-2 button.word").nth(1).click()
    page.wait_for_selector(".list > li")


def blocks(page):
    to(page, "blocks-section")


PICTURES = {
    "page": (overview, DESK),
    "map": (the_map, DESK),
    "levels": (coarser, DESK),
    "search": (search, DESK | DARK),
    "word": (word, DESK),
    "blocks": (blocks, DESK),
    "phone": (the_map, PHONE),
    "phone-search": (search, PHONE | DARK),
}


def page_of_the_demo(folder, method="auto"):
    """The page of the built-in corpus, clustered by a method."""
    import coterie
    from coterie.clustering.page import payload
    from coterie.demo import load_demo
    from coterie.report import render

    result = coterie.cluster(load_demo(), 12, method)
    result.about = replace(result.about, title="Built-in corpus")
    page = folder / f"{method}.html"
    page.write_text(render(result.summary, payload=payload(result)), encoding="utf-8")
    return page


def main(out):
    with tempfile.TemporaryDirectory() as folder, taking(PICTURES, out) as take:
        usual = page_of_the_demo(Path(folder))
        with_words = page_of_the_demo(Path(folder), "itcc")
        for name in PICTURES:
            take(name, (with_words if name == "blocks" else usual).as_uri())


if __name__ == "__main__":
    main(*sys.argv[1:])
