"""The whole way in a real browser, by clicks and by keys; hostile text in every field."""

import shutil
import threading

import pandas
import pytest

from browser import chromium
from coterie.explorer.server import Server
from coterie.explorer.store import Store
from coterie.explorer.workspace import Workspace
from small import TEXTS, clustered, make_frame

PAYLOADS = [
    "<script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "<svg onload=window.hacked=1>",
    "<svg><script>window.hacked=1</script></svg>",
    '"><script>window.hacked=1</script>',
    "'><img src=x onerror=window.hacked=1>",
    "</script><script>window.hacked=1</script>",
    "</textarea><script>window.hacked=1</script>",
    "</title><script>window.hacked=1</script>",
    "</style><script>window.hacked=1</script>",
    "<iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
    "<iframe src=javascript:parent.hacked=1></iframe>",
    "<object data=javascript:window.hacked=1>",
    "<embed src=javascript:window.hacked=1>",
    "<a href=javascript:window.hacked=1>click</a>",
    "javascript:window.hacked=1",
    "<body onload=window.hacked=1>",
    "<input autofocus onfocus=window.hacked=1>",
    "<select autofocus onfocus=window.hacked=1>",
    "<details open ontoggle=window.hacked=1>",
    "<video><source onerror=window.hacked=1>",
    "<audio src=x onerror=window.hacked=1>",
    "<marquee onstart=window.hacked=1>",
    "<math><mi xlink:href=javascript:window.hacked=1>",
    "<form action=javascript:window.hacked=1><button>",
    "<isindex action=javascript:window.hacked=1>",
    "<link rel=stylesheet href=javascript:window.hacked=1>",
    "<base href=javascript:window.hacked=1//>",
    "<meta http-equiv=refresh content='0;url=javascript:window.hacked=1'>",
    "<style>@import'javascript:window.hacked=1'</style>",
    "<div style=background:url(javascript:window.hacked=1)>",
    "<template><script>window.hacked=1</script></template>",
    '<noscript><p title="</noscript><img src=x onerror=window.hacked=1>">',
    "<![CDATA[<script>window.hacked=1</script>]]>",
    "<!--><script>window.hacked=1</script>-->",
    "{{constructor.constructor('window.hacked=1')()}}",
    "${window.hacked=1}",
    "`;window.hacked=1;`",
    "';window.hacked=1;'",
    '";window.hacked=1;"',
    "\\u003cscript\\u003ewindow.hacked=1\\u003c/script\\u003e",
    "&lt;script&gt;window.hacked=1&lt;/script&gt;",
    "&#60;script&#62;window.hacked=1&#60;/script&#62;",
    "%3Cscript%3Ewindow.hacked=1%3C/script%3E",
    "__proto__",
    "constructor",
    '{"__proto__":{"hacked":1}}',
    "data:text/html,<script>parent.hacked=1</script>",
    "\u202e<script>window.hacked=1</script>\u202c",
    "\U0001f600<img src=x onerror=window.hacked=1>\u2028window.hacked=1",
]


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def served(tmp_path):
    room = Workspace(Store(tmp_path / "session"))
    server = Server(room)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server, room
    server.end()
    thread.join(10)
    room.end()


@pytest.fixture
def page(browser, served):
    """A page of the explorer; whatever goes wrong in it is an error of the test."""
    context = browser.new_context(
        accept_downloads=True, viewport={"width": 1300, "height": 900}
    )
    shown = context.new_page()
    wrong = []
    shown.on("console", lambda each: wrong.append(each.text) if each.type == "error" else None)
    shown.on("pageerror", lambda each: wrong.append(str(each)))
    shown.on(
        "request", lambda each: wrong.append(each.url) if foreign(each.url, served) else None
    )
    shown.set_default_timeout(60_000)
    yield shown
    context.close()
    assert wrong == []


def foreign(url, served):
    own = f"http://127.0.0.1:{served[0].port}/"
    return not url.startswith((own, f"blob:{own}", "data:,"))


def ready(page, address):
    page.goto(address)
    page.wait_for_selector("html[data-ready]")


def settled(page):
    page.wait_for_selector("#progress:empty", state="attached")
    page.wait_for_selector(".cards .card")


def cluster_names(page):
    return page.locator(".cards button.name").all_inner_texts()


def test_the_whole_way_by_clicks(page, served):
    server, room = served
    ready(page, server.address)
    assert server.guard.token not in page.url
    drop_and_cluster(page, "drinks.csv")
    gather_by_clicks(page)
    edit_by_clicks(page)
    search_and_move(page)
    export_by_clicks(page)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.wait_for_selector(".edits li")
    assert page.locator(".edits li").count() == 1
    assert len([node for node in room.store.nodes.values() if node.parent is None]) == 1


def drop_and_cluster(page, table):
    content = make_frame().to_csv(index=False)
    dropped = page.evaluate_handle(
        """([name, content]) => {
          const dropped = new DataTransfer();
          dropped.items.add(new File([content], name));
          return dropped;
        }""",
        [table, content],
    )
    page.dispatch_event(".drop", "drop", {"dataTransfer": dropped})
    page.wait_for_selector("table.columns")
    assert page.locator("table.columns input:checked").count() == 1
    page.get_by_label("Known classes").select_option("kind")
    assert page.get_by_label("If estimated").is_enabled()
    page.get_by_label("Number of clusters").fill("3")
    assert page.get_by_label("If estimated").is_disabled()
    page.get_by_label("Method").select_option("mm")
    page.get_by_role("button", name="Find clusters").click()
    page.wait_for_selector("text=36 documents in 3 clusters")
    settled(page)
    assert len(cluster_names(page)) == 3


def gather_by_clicks(page):
    page.locator(".card .choose").nth(0).check()
    page.locator(".card .choose").nth(1).check()
    page.get_by_role("button", name="Gather and cluster").click()
    page.get_by_label("Number of clusters").fill("2")
    page.get_by_role("button", name="Cluster these").click()
    page.wait_for_selector("text=24 documents in 2 clusters")
    settled(page)
    assert page.locator(".tree-of-results .branch").count() == 2
    page.locator(".tree-of-results .branch").first.click()
    page.wait_for_selector("text=36 documents in 3 clusters")


def edit_by_clicks(page):
    """Merge by dragging one card onto another, rename, undo both."""
    page.wait_for_selector("#cluster-3")
    page.drag_and_drop("#cluster-3", "#cluster-2", source_position={"x": 9, "y": 9})
    page.wait_for_selector("text=36 documents in 2 clusters")
    page.locator("#cluster-1 button.name").click()
    page.locator("input.name").fill("Bread & <b>butter</b>")
    page.keyboard.press("Enter")
    page.wait_for_selector("#cluster-1 button.name:has-text('Bread & <b>butter</b>')")
    page.get_by_role("button", name="Undo the last").click()
    page.wait_for_selector("text=The last edit is undone")
    page.get_by_role("button", name="Undo the last").click()
    page.wait_for_selector("text=36 documents in 3 clusters")


def search_and_move(page):
    page.fill("#query", "rocket")
    page.wait_for_selector("#drawer:not([hidden]) .list > li")
    assert page.locator(".list-status").inner_text().startswith("12 documents")
    page.locator(".list > li summary").first.click()
    page.locator(".list > li .moving select").first.select_option("2")
    page.wait_for_selector("text=Moved 1 document to")
    page.wait_for_selector("#drawer:not([hidden]) .list > li")


def export_by_clicks(page):
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Documents as CSV").click()
    assert len(pandas.read_csv(download.value.path())) == 36
    assert download.value.suggested_filename == "documents.csv"
    page.get_by_role("button", name="Close", exact=True).click()


def drop_from_the_desktop(page, path):
    """Drop a file or folder of the disk, as a desktop does."""
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        session.send(
            "Input.dispatchDragEvent", {"type": kind, "x": 600, "y": 300, "data": data}
        )


def test_a_folder_with_folders_is_dropped(page, served, tmp_path):
    """More files in a folder than the browser lists at once (100)."""
    server, room = served
    letters = tmp_path / "letters"
    for at, text in enumerate(TEXTS * 4):
        file = letters / ("deep/er" if at % 10 == 0 else ".") / f"{at}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text} {text[::-1]}{at}")
    (letters / ".git").mkdir()
    (letters / ".git" / "config").write_text("hidden hidden hidden")
    n_files = len(TEXTS) * 4
    assert n_files > 140
    ready(page, server.address)
    drop_from_the_desktop(page, letters)
    page.wait_for_selector(f"text={n_files} files")
    assert page.locator("h1").inner_text() == "letters"
    page.get_by_label("Number of clusters").fill("3")
    page.get_by_label("Method").select_option("mm")
    page.get_by_role("button", name="Find clusters").click()
    page.wait_for_selector(f"text={n_files} documents in 3 clusters")
    settled(page)
    (node,) = room.store.nodes.values()
    ids = set(room.result(node.id).corpus.ids)
    assert {"letters/deep/er/0.txt", "letters/1.txt"} <= ids, sorted(ids)[:3]
    drop_from_the_desktop(page, letters / ".git")
    page.wait_for_selector("text=No file is in what was dropped")


def test_the_whole_way_by_keyboard(page, served, results_folder):
    server, room = served
    name = room.open_folder(results_folder).id
    ready(page, server.address)
    page.wait_for_selector(".card")
    rename_and_merge_by_keys(page)
    split_and_drop_by_keys(page)
    gather_by_keys(page)
    search_by_keys(page, room.result(name).corpus.texts([0])[0].split()[0])
    page.get_by_role("button", name="Export").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Clusters as JSON").focus()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "clusters.json"
    page.keyboard.press("Escape")
    assert [type(edit).__name__ for edit in room.result(name).edits] == ["Rename", "Split"]


def focus_card(page, number):
    page.locator(f"#cluster-{number} button.name").focus()


def rename_and_merge_by_keys(page):
    keys = page.keyboard
    focus_card(page, 1)
    keys.press("r")
    keys.type("Loaves")
    keys.press("Enter")
    page.wait_for_selector("#cluster-1 button.name:has-text('Loaves')")
    page.wait_for_selector("#cluster-1 :focus")
    keys.press("ArrowRight")
    page.wait_for_selector("#cluster-2 :focus")
    keys.press("c")
    keys.press("ArrowRight")
    keys.press("c")
    page.wait_for_selector("text=2 clusters chosen")
    keys.press("m")
    page.wait_for_selector("text=36 documents in 2 clusters")
    keys.press("Control+z")
    page.wait_for_selector("text=36 documents in 3 clusters")


def split_and_drop_by_keys(page):
    from playwright.sync_api import expect

    keys = page.keyboard
    focus_card(page, 1)
    keys.press("s")
    page.wait_for_selector("dialog[open]")
    page.get_by_label("Number of parts").focus()
    keys.press("Enter")
    page.wait_for_selector("text=36 documents in 4 clusters")
    focus_card(page, 1)
    keys.press("Delete")
    page.wait_for_selector("text=set aside")
    expect(page.locator(".card")).to_have_count(3)
    keys.press("Control+z")
    expect(page.locator(".card")).to_have_count(4)


def gather_by_keys(page):
    focus_card(page, 2)
    page.keyboard.press("g")
    page.wait_for_selector("dialog[open]")
    page.get_by_label("Number of clusters").focus()
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=12 documents in 2 clusters")
    settled(page)


def search_by_keys(page, word):
    page.keyboard.press("/")
    page.keyboard.type(word)
    page.wait_for_selector("#drawer:not([hidden]) .list > li")
    page.keyboard.press("Escape")
    page.wait_for_selector("#drawer", state="hidden")


def test_a_pasted_text_is_assigned_and_everything_exported_from_tabs(
    page, served, results_folder, tmp_path
):
    server, room = served
    room.open_folder(results_folder)
    room.open_folder(clustered(k=2).save(tmp_path / "others"))
    ready(page, server.address)
    page.wait_for_selector("text=36 documents in 2 clusters")
    assert page.locator("#tabs .tab:not(.new)").count() == 2
    page.locator("#tabs .tab").first.click()
    page.wait_for_selector("text=36 documents in 3 clusters")
    page.wait_for_selector(".card")
    page.get_by_role("button", name="Assign a text").click()
    page.get_by_label("Text", exact=True).fill("a rocket in orbit of the moon")
    page.get_by_role("button", name="Assign", exact=True).click()
    page.wait_for_selector(".assigned:has-text('3 words of it known here')")
    assert "rocket" in page.inner_text(".assigned") or "orbit" in page.inner_text(".assigned")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Export").click()
    kinds = set()
    for button in page.locator(".exports button").all():
        with page.expect_download() as download:
            button.click()
        assert download.value.path().stat().st_size > 100
        kinds.add(download.value.suggested_filename.rpartition(".")[2])
    assert kinds == {"csv", "parquet", "json", "html", "zip"}


def test_doubtful_documents_are_decided_with_one_key_and_steer_a_fit(page, served, tmp_path):
    server, room = served
    frame = pandas.DataFrame({"text": [*(f"common {text}" for text in TEXTS), "common"]})
    name = room.open_folder(clustered(frame, text="text").save(tmp_path / "results")).id
    assert len(room.result(name).summary.doubtful) == 1
    ready(page, server.address)
    page.get_by_role("button", name="Doubtful").first.click()
    page.wait_for_selector(".decision")
    page.keyboard.press("2")
    page.wait_for_selector("text=1 decided")
    assert len(room.result(name).edits) == 1
    page.get_by_role("button", name="Clusters", exact=True).click()
    page.get_by_role("button", name="Fit again from these").click()
    page.wait_for_selector("text=fitted again")
    page.wait_for_selector("h1:has-text('Fitted again')")
    settled(page)
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_selector("text=stayed in their cluster")


def hostile_table(file):
    """Payloads in texts, titles, ids, classes, names of columns and the name of the file."""
    kinds = ["moon orbit star", "goal team ball", "flour bread oven"]
    columns = {
        "text": [f"{kinds[i % 3]} {kinds[i % 3]} {each}" for i, each in enumerate(PAYLOADS)],
        "<img src=x onerror=window.hacked=1>": PAYLOADS,
        "</select><script>window.hacked=1</script>": [PAYLOADS[i % 4] for i in range(50)],
        "heading": PAYLOADS,
        "name": [f"{i} {each}" for i, each in enumerate(PAYLOADS)],
    }
    pandas.DataFrame(columns).to_csv(file, index=False)
    return list(columns)


def test_hostile_text_in_every_field_runs_nothing(page, served, tmp_path):
    assert len(PAYLOADS) == len(set(PAYLOADS)) == 50
    table = tmp_path / "<img src=x onerror=window.hacked=1>.csv"
    columns = hostile_table(table)
    ready(page, served[0].address)
    page.set_input_files("#files", table)
    page.wait_for_selector("table.columns")
    page.get_by_label("Title", exact=True).select_option("heading")
    page.get_by_label("Name of each document").select_option("name")
    page.get_by_label("Known classes").select_option(columns[2])
    page.get_by_label("Number of clusters").fill("3")
    page.get_by_label("Method").select_option("mm")
    page.get_by_role("button", name="Find clusters").click()
    page.wait_for_selector("text=50 documents in 3 clusters")
    settled(page)
    rename_to_payloads(page)
    look_everywhere(page)
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("({}).hacked") is None
    inside = "main script, main iframe, main img, #drawer script, #drawer img, #toast img"
    assert page.locator(inside).count() == 0


def rename_to_payloads(page):
    for number, payload in zip((1, 2, 3), PAYLOADS[1:4], strict=True):
        page.locator(f"#cluster-{number} button.name").click()
        page.locator("input.name").fill(payload)
        page.keyboard.press("Enter")
        page.wait_for_selector(f"text=Cluster {number} is now")
    assert cluster_names(page) == PAYLOADS[1:4]


def look_everywhere(page):
    page.get_by_role("button", name="All documents").click()
    page.wait_for_selector(".list > li")
    for _ in range(5):  # a hidden button does nothing
        page.evaluate("document.querySelector('button.more').click()")
        page.wait_for_timeout(100)
    page.evaluate(
        "for (const each of document.querySelectorAll('.list details')) each.open = 1"
    )
    page.wait_for_timeout(300)
    for view in ("Words and columns", "Doubtful", "Compare", "Clusters"):
        page.get_by_role("button", name=view).first.click()
        page.wait_for_timeout(200)
    page.fill("#query", PAYLOADS[0])
    page.wait_for_timeout(500)


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.soak)])
def test_axe_finds_no_serious_violation(page, served, results_folder, scheme):
    from axe_playwright_python.sync_playwright import Axe

    server, room = served
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    ready(page, server.address)

    def check(where):
        found = Axe().run(page)
        bad = [
            (each["id"], each["impact"], [node["html"][:160] for node in each["nodes"][:3]])
            for each in found.response["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert bad == [], where

    check("home")
    name = room.open_folder(results_folder).id
    room.edit(name, lambda result: result.rename({1: "Bread"}))
    page.reload()
    page.wait_for_selector(".card")
    page.locator(".card .choose").first.check()
    check("clusters")
    page.get_by_role("button", name="All documents").click()
    page.wait_for_selector(".list > li")
    check("list")
    page.keyboard.press("Escape")
    for view in ("Words and columns", "Doubtful", "Compare"):
        page.get_by_role("button", name=view).first.click()
        page.wait_for_timeout(300)
        check(view)
    page.get_by_role("button", name="Export").click()
    check("dialog")


def test_without_the_token_the_page_shows_nothing(page, served, results_folder):
    server, room = served
    room.open_folder(results_folder)
    page.goto(server.address.partition("#")[0])
    page.wait_for_selector("text=Open the address that")
    assert "results" not in page.locator("body").inner_text()


def test_a_result_that_cannot_be_read_is_told_and_can_be_removed(
    browser, served, results_folder
):
    server, room = served
    room.open_folder(results_folder)
    room._open.clear()
    (results_folder / "model" / "manifest.json").write_text("{}")
    page = browser.new_page()
    ready(page, server.address)
    page.wait_for_selector("[role=alert]:has-text('manifest.json')")
    page.get_by_role("button", name="Remove").click()
    page.locator("dialog button.main").click()
    page.wait_for_selector(".drop")
    page.close()
    assert not room.store.nodes
    assert results_folder.is_dir()


@pytest.fixture
def results_folder(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "results")
