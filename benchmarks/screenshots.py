"""Pictures of the page of the built-in corpus, for the documentation.

    python benchmarks/screenshots.py docs/pictures [NAME ...]

The built-in corpus is clustered as `make demo` does, and once by a method that clusters words.
All pictures are taken, or those named.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from pictures import DARK, DESK, PHONE, chromium, taking


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


MARKS = {  # what docs/read_your_result.md explains, by its number there, and on which side
    1: ("#cluster-2 h3 bdi", "right"),
    2: ("#cluster-2 .card-size", "left"),
    3: ("#cluster-2 ol.words li:nth-child(2) .word", "left"),
    4: ("#cluster-2 ol.words li:nth-child(7) > :last-child", "right"),
    5: ("#cluster-2 .documents .document-facts", "left"),
    6: (":has(> #level)", "left"),
    7: ("table.doubtful tbody tr:first-child td:last-child", "right"),
    8: (".groups .group-facts", "left"),
}
ANNOTATE = """marks => {
  const all = selector => [...document.querySelectorAll(selector)];
  const hide = elements => elements.forEach(each => { each.style.display = "none"; });
  hide(all(".top-bar, .toc, .page-head, footer, .fold, .card-more"));
  hide(all("#fold-cards, #all-doubtful"));
  hide(all(".card:not(#cluster-2), #cluster-2 .documents > li:nth-child(n + 3)"));
  hide(all("#cluster-2 ol.words > li:nth-child(n + 9), table.doubtful tr:nth-child(n + 4)"));
  hide(["map", "pair", "columns", "tree", "trust", "labels", "made"]
    .map(name => document.getElementById(`${name}-title`)?.closest("section")).filter(Boolean));
  all(".groups").forEach(list => hide([...list.children].slice(2)));
  document.querySelector(".page").style.cssText = "margin: 0 auto; padding: 0 3rem";
  document.querySelector("main > section").style.marginTop = 0;
  document.querySelector(".cards").style.display = "block";
  for (const [number, [selector, side]] of Object.entries(marks)) {
    const box = document.querySelector(selector).getBoundingClientRect();
    const badge = document.createElement("div");
    badge.textContent = number;
    Object.assign(badge.style, {
      position: "absolute", width: "1.5rem", height: "1.5rem", borderRadius: "50%",
      background: "#b3261e", color: "#fff", font: "bold 0.95rem/1.5rem sans-serif",
      textAlign: "center", boxShadow: "0 0 0 2px #fff", zIndex: 9,
      left: `${side === "left" ? box.left - 32 : box.right + 8}px`,
      top: `${box.top + scrollY + box.height / 2 - 12}px`,
    });
    document.body.append(badge);
  }
}"""


def annotated(page):
    page.evaluate(ANNOTATE, {str(number): each for number, each in MARKS.items()})


PICTURES = {
    "page": (overview, DESK),
    "map": (the_map, DESK),
    "levels": (coarser, DESK),
    "search": (search, DESK | DARK),
    "word": (word, DESK),
    "blocks": (blocks, DESK),
    "phone": (the_map, PHONE),
    "phone-search": (search, PHONE | DARK),
    "annotated": (annotated, {"viewport": {"width": 860, "height": 800}}),
}
WHOLE = ("annotated",)
"""Pictures of all of the page, not only of what a screen holds."""


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


def result_of_the_frame():
    """The result that docs/start/frame.md shows."""
    import doctest

    text = (Path(__file__).parents[1] / "docs/start/frame.md").read_text(encoding="utf-8")
    names = {}
    for example in doctest.DocTestParser().get_examples(text):
        exec(compile(example.source, "frame.md", "exec"), names)
        if "result" in names:
            return names["result"]
    raise ValueError("docs/start/frame.md makes no result")


def cards(picture):
    """A result as a notebook shows it."""
    with chromium() as browser:
        tab = browser.new_page(viewport={"width": 960, "height": 300})
        tab.set_content(f"<body style='margin: 1rem'>{result_of_the_frame()._repr_html_()}")
        tab.locator("body > div").screenshot(path=picture)


def words(picture):
    """The words of the clusters of the built-in corpus, as `result.plot.words` draws them."""
    import coterie
    from coterie.demo import load_demo

    figure = coterie.cluster(load_demo(), 6, "mm", progress=False).plot.words()
    figure.savefig(picture, dpi=80)


OTHERS = {"cards": cards, "words": words}


def main(out, *names):
    names = names or (*PICTURES, *OTHERS)
    pages = {}
    with tempfile.TemporaryDirectory() as folder, taking(PICTURES, out) as take:
        for name in PICTURES.keys() & set(names):
            method = "itcc" if name == "blocks" else "auto"
            if method not in pages:
                pages[method] = page_of_the_demo(Path(folder), method)
            take(name, pages[method].as_uri(), whole=name in WHOLE)
    for name in OTHERS.keys() & set(names):
        OTHERS[name](Path(out) / f"{name}.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
