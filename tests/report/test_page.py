"""The page in a real browser: every document is reached, and nothing of a document runs."""

import re
from functools import partial

import numpy as np
import pandas
import pytest

import coterie
from browser import Watched, chromium
from coterie.clustering.page import payload
from coterie.report import render
from coterie.report.payload import Budget

POOLS = {
    "drink": ("tea", "pot", "leaves", "cup", "rum", "cane", "sugar", "barrel", "brew", "steam"),
    "music": ("violin", "string", "bow", "chord", "melody", "drum", "choir", "song", "reed"),
    "space": ("moon", "orbit", "rocket", "star", "comet", "planet", "dust", "probe", "sun"),
}  # fmt: skip
quick = partial(coterie.cluster, progress=False, n_init=1, max_iter=30)


def small_frame():
    """Sixty documents of three themes, two years and a few columns, made without chance."""
    rows = []
    for at in range(60):
        name, pool = list(POOLS.items())[at % 3]
        words = [pool[(at + 3 * k * k) % len(pool)] for k in range(12)]
        other = list(POOLS.values())[(at + 1) % 3][at % 9]
        text = f"Note {at} on {words[0]}\n{' '.join(words)} {other} number{at}"
        rows.append(
            {"id": f"notes/{at}.txt", "text": text, "theme": name, "price": at * 1.5,
             "when": f"{2020 + at % 2}-{1 + at % 12:02d}-05"}
        )  # fmt: skip
    return pandas.DataFrame(rows)


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def small():
    return quick(small_frame(), 3, "mm", text="text", id="id", label="theme")


@pytest.fixture
def open_page(browser, tmp_path):
    """Open the page of a clustering; at the end nothing may have gone wrong in it."""
    opened = []

    def open_page(result, budget=None, **options):
        file = tmp_path / f"page-{len(opened)}.html"
        file.write_text(render(result.summary, payload=payload(result, budget)), "utf-8")
        tab = Watched(browser, file.as_uri(), **options)
        opened.append(tab)
        page = tab.__enter__()
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield open_page
    for tab in opened:
        tab.context.close()
        assert tab.wrong == []


def search(page, query):
    """The number of documents that a search finds, and the titles of the first ones."""
    page.fill("#query", query)
    page.wait_for_function(
        "q => document.querySelector('#list-title')?.textContent === `“${q}”`", arg=query
    )
    status = page.inner_text(".list-status")
    found = re.match(r"([\d,]+) document", status)
    page.wait_for_function(
        "n => document.querySelectorAll('.list > li').length >= Math.min(n, 40)",
        arg=int(found[1].replace(",", "")) if found else 0,
    )
    titles = [
        title.strip() for title in page.locator(".list .document-title").all_inner_texts()
    ]
    return int(found[1].replace(",", "")) if found else 0, titles


def test_the_page_of_the_demo_opens_without_a_request_or_an_error(open_page):
    from coterie.demo import load_demo

    corpus = load_demo()
    result = quick(corpus, 12, "mm")
    page = open_page(result)
    assert not page.locator("#map-section, #pair-section, #columns-section").evaluate_all(
        "sections => sections.filter((each) => each.hidden || each.offsetHeight < 100).length"
    )
    wanted = sum(bool(re.search(r"(?<![^\W_])matri", text, re.IGNORECASE))
                 for text in corpus.texts(slice(None)))  # fmt: skip
    assert search(page, "matri")[0] >= wanted > 50
    assert page.locator(".list mark").first.inner_text().lower().startswith("matri")
    page.click(".top-bar .all-documents")
    page.wait_for_function(
        f"document.querySelector('.list-status').textContent.startsWith('{len(corpus):,} ')"
    )


@pytest.mark.corpus
def test_a_search_finds_all_five_documents_with_chess(open_page, collections):
    from coterie_papers.collections import load_debian

    if not (collections / "debian-desc-en-de-fr-it-es.jsonl.xz").exists():
        pytest.skip("COTERIE_DATA has no debian-desc-en-de-fr-it-es.jsonl.xz")
    debian = load_debian()
    frame = pandas.DataFrame({"text": debian.texts(slice(None)), "package": debian.ids})
    result = quick(frame, 6, "mm", text="text", id="package")
    for budget in (None, Budget(n_bytes=350_000)):
        page = open_page(result, budget)
        assert search(page, "chess")[0] == 5
        ids = " ".join(page.locator(".list .document-facts").all_inner_texts())
        for name in ("gnugo", "gtkboard", "pgn-extract", "polyglot", "tourney-manager"):
            assert name in ids


def test_words_are_found_in_the_parts_of_texts_that_are_cut_off(open_page):
    frame = small_frame()
    chance = np.random.default_rng(0)
    noise = [" ".join(f"w{at}x{k}" for k in chance.integers(0, 11, 200)) for at in range(60)]
    frame["text"] = [f"{text}\n{more} zebra{at % 7} end{at}" for at, (text, more) in
                     enumerate(zip(frame["text"], noise, strict=True))]  # fmt: skip
    result = quick(frame, 3, "mm", text="text", id="id")
    page = open_page(result, Budget(n_bytes=14_000))
    assert "exts are shown up to 300 characters; the search finds" in page.inner_text(
        ".page-head"
    )
    assert search(page, "zebra3")[0] == len(frame["text"][3::7])
    assert search(page, "zebra")[0] == 60
    assert search(page, "END17 w17")[0] == 1
    assert "not shown" in page.inner_text(".list")
    assert search(page, "end17 w18")[0] == 0


def test_the_policy_lets_clusters_have_their_colours_and_bars_their_lengths(open_page, small):
    page = open_page(small)
    colours = page.locator(".toc .chip").evaluate_all(
        "chips => chips.map((each) => getComputedStyle(each).backgroundColor)"
    )
    assert len(set(colours)) == 3
    assert "rgba(0, 0, 0, 0)" not in colours
    bars = page.locator(".card .bar > span").evaluate_all(
        "bars => bars.map((each) => each.offsetWidth)"
    )
    assert len(set(bars)) > 3


def test_without_scripts_the_strip_shows_clusters_as_wide_as_they_are_large(browser, tmp_path):
    uneven = quick(
        small_frame().sort_values("theme")[:48], 3, "mm", text="text", id="id", label="theme"
    )
    sizes = uneven.clusters["size"].to_numpy()
    assert len(set(sizes.tolist())) > 1
    file = tmp_path / "page.html"
    file.write_text(render(uneven.summary, payload=payload(uneven)), "utf-8")
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        widths = [each.bounding_box()["width"] for each in page.locator(".strip a").all()]
    shares = [width / sum(widths) for width in widths]
    assert shares == pytest.approx((sizes / sizes.sum()).tolist(), abs=0.02)


def test_the_inner_part_of_a_word_is_not_found_but_its_beginning_is(open_page, small):
    page = open_page(small)
    assert search(page, "iolin")[0] == 0
    wanted = sum("violin" in text for text in small_frame()["text"])
    assert search(page, "VIOL")[0] == search(page, "víolin")[0] == wanted > 5
    assert search(page, "notes/17")[0] == 1


def test_a_word_shows_where_it_occurs_in_its_cluster_and_in_others(open_page, small):
    page = open_page(small)
    button = page.locator(".card button.word").first
    word = button.inner_text()
    button.click()
    page.wait_for_function(
        "w => document.querySelector('#list-title').textContent === `“${w}”`", arg=word
    )
    labels = small.labels
    column = small.corpus.words.tolist().index(word)
    documents = small.corpus.counts[:, [column]].nonzero()[0]
    here = sum(labels[at] == 1 for at in documents)
    status = page.inner_text(".list-status")
    assert status.startswith(f"{len(documents)} documents")
    assert f"{here} in 1 " in status
    assert f"{len(documents) - here} in others" in status
    page.keyboard.press("Escape")
    assert page.locator("#drawer").is_hidden()
    assert button.evaluate("each => document.activeElement === each")


def test_members_are_listed_and_sorted(open_page, small):
    page = open_page(small)
    page.locator("#cluster-2 .card-more button").first.click()
    size = small.summary.clusters[1].size
    page.wait_for_function(
        f"document.querySelectorAll('.list > li').length === {min(size, 40)}"
    )
    page.select_option("#list-sort", "title")
    page.wait_for_timeout(50)
    titles = page.locator(".list .document-title").all_inner_texts()
    assert titles == sorted(titles, key=lambda title: int(title.split()[1]))
    page.select_option("#list-sort", "probable")
    page.wait_for_timeout(50)
    first = page.locator(".list .document-title").first.inner_text()
    members = small.members(2)
    assert members["probability"].iloc[0] == pytest.approx(
        members.set_index("title").loc[first, "probability"], abs=1e-4
    )
    page.locator(".list summary").first.click()
    assert "number" in page.inner_text(".full-text")


def test_levels_map_columns_and_pairs_follow_what_is_chosen(open_page, small):
    page = open_page(small)
    page.locator("#level").fill("0")
    assert page.inner_text(".level output") == "2 groups"
    assert page.locator("#overview .contents > li").count() == 2
    assert page.locator(".multiple").count() == 2
    names = page.locator("#pair-first option").all_inner_texts()
    assert [name[0] for name in names] == ["A", "B"]
    page.select_option("#map-colour", label="price")
    assert page.locator(".legend li").count() == 3
    page.select_option("#map-colour", label="class")
    assert page.locator(".legend li").all_inner_texts() == sorted(POOLS)
    box = page.locator(".map-stage").bounding_box()
    page.locator(".map-tools button", has_text="Lasso").click()
    page.locator(".map-stage").scroll_into_view_if_needed()
    box = page.locator(".map-stage").bounding_box()
    corners = [(2, 2), (box["width"] - 2, 2), (box["width"] - 2, box["height"] - 2),
               (2, box["height"] - 2), (2, 2)]  # fmt: skip
    for at, (x, y) in enumerate(corners):
        page.mouse.move(box["x"] + x, box["y"] + y)
        if at == 0:
            page.mouse.down()
    page.mouse.up()
    page.wait_for_selector("#drawer:not([hidden])")
    assert page.inner_text(".list-status").startswith("60 documents")


def test_the_map_is_zoomed_and_a_lasso_lists_what_it_holds(open_page, small):
    page = open_page(small)
    page.locator(".map-stage").scroll_into_view_if_needed()
    box = page.locator(".map-stage").bounding_box()

    def lasso(left, right):
        corners = [(left, 0.02), (right, 0.02), (right, 0.98), (left, 0.98), (left, 0.02)]
        places = [
            (box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners
        ]
        page.mouse.move(*places[0])
        page.mouse.down()
        for place in places[1:]:
            page.mouse.move(*place, steps=4)
        page.mouse.up()
        page.wait_for_selector("#drawer:not([hidden]) .list > li")
        return int(page.inner_text(".list-status").split()[0])

    page.get_by_role("button", name="Lasso").click()
    assert lasso(0.01, 0.99) == 60
    page.keyboard.press("Escape")
    left = lasso(0.01, 0.5)
    page.keyboard.press("Escape")
    assert 0 < left < 60
    assert left + lasso(0.5, 0.99) == 60
    page.keyboard.press("Escape")
    for _ in range(4):
        page.get_by_role("button", name="Zoom in").click()
    assert lasso(0.01, 0.99) < 60
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Show all of the map").click()
    assert lasso(0.01, 0.99) == 60


def test_the_page_works_by_keyboard(open_page, small):
    page = open_page(small)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "query"
    page.keyboard.type("violin")
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id === 'list-title'")
    page.keyboard.press("Escape")
    assert page.locator("#drawer").is_hidden()
    page.locator(".map-stage").focus()
    for key in ("+", "ArrowLeft", "ArrowUp", "-", "0"):
        page.keyboard.press(key)
    card = page.locator("#cluster-1 > details")
    page.locator("#cluster-1 summary").first.focus()
    page.keyboard.press("Enter")
    assert not card.evaluate("each => each.open")
    page.locator("#fold-cards").focus()
    page.keyboard.press("Enter")
    assert not page.locator(".card > details[open]").count()
    page.keyboard.press("Enter")
    assert page.locator(".card > details[open]").count() == 3


def test_clusters_of_words_are_drawn_as_blocks(open_page):
    result = quick(small_frame(), 3, "itcc", text="text", n_word_clusters=3)
    page = open_page(result)
    assert page.locator("#blocks canvas").count() == 2
    assert page.locator(".block-names li").count() == 6


EVIL = [
    f"{start}window.hacked=1{end}"
    for start, end in [
        ("<script>", "</script>"),
        ("</script><script>", "</script>"),
        ("</title><script>", "</script>"),
        ("</style><script>", "</script>"),
        ("<img src=x onerror=", ">"),
        ("<svg onload=", ">"),
        ("<body onload=", ">"),
        ('"><img src=x onerror=', ">"),
        ("'><svg/onload=", ">"),
        ("javascript:", ""),
        ("JaVaScRiPt:", ""),
        (" javascript:", ""),
        ("data:text/html,<script>", "</script>"),
        ("{{", "}}"),
        ("{%", "%}"),
        ("${", "}"),
        ("`;", ";//"),
        ("');", ";//"),
        ('");', ";//"),
        ("-->", "<!--"),
        ("<!--", "-->"),
        ("]]>", "<![CDATA["),
        ("<iframe srcdoc='<script>", "</script>'>"),
        ("<details open ontoggle=", ">"),
        ("<input autofocus onfocus=", ">"),
        ("<a href=javascript:", ">x</a>"),
        ("<math><mtext></table><img src onerror=", ">"),
        ("<template><script>", "</script></template>"),
        ("<noscript><p title='</noscript><img src onerror=", ">'>"),
        ("<xmp><p title='</xmp><svg onload=", ">'>"),
        ("<object data=javascript:", ">"),
        ("<embed src=javascript:", ">"),
        ("<link rel=stylesheet href=javascript:", ">"),
        ("<style>@import 'javascript:", "';</style>"),
        ("<base href=javascript:", ">"),
        ("<meta http-equiv=refresh content='0;url=javascript:", "'>"),
        ("<form action=javascript:", "><input type=submit>"),
        ("<marquee onstart=", ">"),
        ("<video><source onerror=", ">"),
        ("<audio src onerror=", ">"),
        ("&lt;script&gt;", "&lt;/script&gt;"),
        ("%3Cscript%3E", "%3C/script%3E"),
        ("\u202e<script>", "</script>"),
        ("\ufeff<script>", "</script>"),
        ("\u2028", "\u2029"),
        ("__proto__.x=", ""),
        ("constructor[prototype]=", ""),
        ("\\u003cscript\\u003e", "\\u003c/script\\u003e"),
        ("<script type=module>", "</script>"),
        ("\x00<script>", "</script>"),
    ]
]


def test_fifty_hostile_texts_in_every_field_run_nothing(open_page):
    assert len(EVIL) == 50
    frame = pandas.DataFrame(
        {
            "id": EVIL,
            "title": EVIL,
            "text": [f"{evil}\n{evil} {' '.join(list(POOLS.values())[at % 3])}"
                     for at, evil in enumerate(EVIL)],
            "class": [EVIL[at % 10] for at in range(50)],
            EVIL[0]: [EVIL[at % 7] for at in range(50)],
            EVIL[4]: range(50),
        }
    )  # fmt: skip
    result = quick(frame, 3, "mm", text="text", id="id", title="title", label="class")
    words = result.corpus.words
    for at in range(min(len(words), len(EVIL))):
        words[at] = EVIL[at]
    result.rename({1: EVIL[1], 2: EVIL[4], 3: EVIL[6]})
    page = open_page(result, None, viewport={"width": 1300, "height": 900})
    plain = page.evaluate("document.querySelectorAll('script').length")
    for column in range(page.locator("#column-choice option").count()):
        page.select_option("#column-choice", str(column))
    for value in page.locator("#map-colour option").evaluate_all(
        "all => all.map(o => o.value)"
    ):
        page.select_option("#map-colour", value)
    page.click(".top-bar .all-documents")
    page.wait_for_function("document.querySelectorAll('.list > li').length === 40")
    page.click(".more")
    page.wait_for_function("document.querySelectorAll('.list > li').length === 50")
    page.evaluate("document.querySelectorAll('.list details').forEach((d) => (d.open = true))")
    page.wait_for_function("document.querySelectorAll('.full-text').length === 50")
    page.evaluate("document.querySelectorAll('.card button.word').forEach((b) => b.click())")
    page.evaluate("document.querySelectorAll('.pair button.word').forEach((b) => b.click())")
    for evil in EVIL[::7]:
        page.fill("#query", evil)
        page.wait_for_timeout(150)
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("({}).x") is None
    assert page.evaluate("document.querySelectorAll('script').length") <= plain
    strange = "img, iframe, object, embed, base, audio, video, marquee, math, link, template"
    assert page.locator(strange).count() == 0
    assert not page.evaluate(
        "[...document.querySelectorAll('*')].flatMap((e) => e.getAttributeNames())"
        ".filter((name) => name.startsWith('on')).length"
    )
    assert page.locator("a[href]").evaluate_all(
        "links => links.every((link) => link.getAttribute('href').startsWith('#'))"
    )


@pytest.mark.parametrize("screen", ["light", "dark", "phone"])
def test_axe_finds_nothing_serious(open_page, small, screen):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    phone = {"viewport": {"width": 390, "height": 800}, "has_touch": True}
    dark = {"color_scheme": "dark", "viewport": {"width": 1300, "height": 900}}
    page = open_page(small, None, **{"dark": dark, "phone": phone}.get(screen, {}))
    for step in ("closed", "open"):
        if step == "open":
            search(page, "violin")
            page.locator(".list summary").first.click()
        found = axe.run(page).response["violations"]
        serious = [
            (each["id"], each["nodes"][0]["html"][:120], each["nodes"][0]["failureSummary"])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]
        assert serious == [], step


def test_one_cluster_without_texts_has_a_page(open_page):
    counts = np.eye(6) + 1
    page = open_page(coterie.cluster(counts, 1, "mm", words=list("abcdef"), progress=False))
    assert page.locator("#pair-section").is_hidden()
    page.click(".top-bar .all-documents")
    page.wait_for_function("document.querySelectorAll('.list > li').length === 6")
    page.locator(".list summary").first.click()
    page.wait_for_selector(".list-body p")
    assert "The text is not in this page" in page.inner_text(".list-body")


def test_files_are_linked_when_the_page_lies_beside_them(tmp_path, browser):
    letters = tmp_path / "letters"
    (letters / "old").mkdir(parents=True)
    for at, text in enumerate(small_frame()["text"][:20]):
        (letters / "old" / f"a #{at}%.txt").write_text(text)
    result = quick(letters, 2, "mm")
    folder = result.save(tmp_path / "results")
    with Watched(browser, (folder / "report.html").as_uri()) as page:
        page.wait_for_selector("html[data-ready]", state="attached")
        page.click(".top-bar .all-documents")
        page.locator(".list summary").first.click()
        link = page.locator(".list-body a").first
        assert link.get_attribute("href").startswith("./../letters/old/a%20%23")
        file = page.evaluate("document.querySelector('.list-body a').href")
        assert (letters / "old" / file.rpartition("/")[2].replace("%20", " ").replace(
            "%23", "#").replace("%25", "%")).is_file()  # fmt: skip


class Printed:
    """A page on paper: its text, its last line, where the text ends on the right."""

    def __init__(self, page):
        self.width = page.get_width()
        self._found = page.get_textpage()
        boxes = [self._found.get_rect(at) for at in range(self._found.count_rects())]
        self.right = max(box[2] for box in boxes)
        self.text = _on_one_line(self._found.get_text_range())
        bottom = min(box[1] for box in boxes)
        self.last = _on_one_line(
            self._found.get_text_bounded(0, bottom, self.width, bottom + 6)
        )

    def height_of_first_letter(self, text):
        _, bottom, _, top = self._found.get_charbox(self._found.search(text).get_next()[0])
        return top - bottom


def _on_one_line(text):
    return " ".join(text.split())


def printed(page, file, paper):
    pdfium = pytest.importorskip("pypdfium2")
    page.pdf(path=file, format=paper)
    return [Printed(each) for each in pdfium.PdfDocument(file)]


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_paper_has_no_orphans_and_all_of_a_wide_table(open_page, tmp_path, paper):
    rng = np.random.default_rng(0)
    kinds = [chr(97 + at) for at in range(24)]
    rows = []
    for at in range(240):
        words = [f"{kinds[at % 24]}{'aeioubdfg'[k]}x" for k in rng.choice(9, 9)]
        rows.append({"text": f"Title{at}\n{' '.join(words)}", "kind": f"class-{at % 24}"})
    result = quick(pandas.DataFrame(rows), 24, "mm", text="text", label="kind")
    page = open_page(result, color_scheme="dark")
    headings = page.locator("main :is(h2, h3, h4)").all_text_contents()
    pages = printed(page, tmp_path / "page.pdf", paper)
    for each in pages:
        assert each.last not in map(_on_one_line, headings)
        assert each.right < each.width
        assert len(each.text) > 200
    for cluster in result.summary.clusters:
        titles = {document.title for document in cluster.documents}
        assert any(titles <= set(each.text.split()) for each in pages)
    whole = " ".join(each.text for each in pages)
    table = result.summary.scores.contingency
    for row, column in np.argwhere(table.counts):
        assert f"{table.clusters[column]}: {table.counts[row, column]}" in whole
    assert pages[0].height_of_first_letter("Overview") > 7  # not shrunk to what is too wide


def test_the_map_is_drawn_for_paper_and_again_for_the_screen(open_page, small, tmp_path):
    page = open_page(small, color_scheme="dark")
    page.evaluate(
        """() => addEventListener("beforeprint", () => {
          const map = document.querySelector(".map-points");
          const [red] = map.getContext("2d").getImageData(1, 1, 1, 1).data;
          window.onPaper = { red, shape: map.width / map.height };
        })"""
    )
    shown = page.evaluate("document.querySelector('.map-points').toDataURL()")
    page.pdf(path=tmp_path / "page.pdf")
    assert page.evaluate("window.onPaper") == {"red": 255, "shape": pytest.approx(700 / 450)}
    page.wait_for_function(
        "before => document.querySelector('.map-points').toDataURL() === before", arg=shown
    )


def test_the_small_page_opens_the_cards_that_are_looked_for(browser, tmp_path):
    """With many clusters all cards are folded; a search and a link open them."""
    words = [f"word{at}" for at in range(14)]
    texts = [f"{words[at % 14]} {words[at % 14]} text{at}" for at in range(56)]
    result = quick(pandas.DataFrame({"text": texts}), 14, "mm", text="text")
    file = tmp_path / "light.html"
    file.write_text(render(result.summary), "utf-8")
    tab = Watched(browser, file.as_uri())
    with tab as page:
        is_open = ".card > details[open]"
        assert page.locator(is_open).count() == 0
        page.fill("#query", "word5")
        page.wait_for_function("document.querySelector('#search-status').textContent")
        assert page.locator(".card .hit").first.is_visible()
        assert page.locator(".card:visible").count() < 14
        page.fill("#query", "")
        page.wait_for_function("!document.querySelector('#search-status').textContent")
        assert page.locator(is_open).count() == 0
        page.click('.contents a[href="#cluster-9"]')
        assert page.locator("#cluster-9 > details[open]").count() == 1
    assert tab.wrong == []
