"""How long a person waits in the explorer, for 20 Newsgroups in a real browser.

    COTERIE_DATA=... python benchmarks/explorer.py

Drops the archive, and tells the seconds from "Find clusters" to the first picture and to the
whole result, then those of searches and of edits, until the page shows them.
"""

import argparse
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from coterie.explorer.sampling import warm_up
from coterie.explorer.server import Server
from coterie.explorer.store import Store
from coterie.explorer.workspace import Workspace

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from browser import OPTIONS, chromium_path

COLLECTION = "20news-19997.tar.xz"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", default="20", help="number of clusters")
    parser.add_argument("--method", default="auto")
    chosen = parser.parse_args()
    archive = Path(os.environ["COTERIE_DATA"]) / COLLECTION
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        room = Workspace(Store(Path(folder)))
        warm_up()
        server = Server(room)
        threading.Thread(target=server.run, daemon=True).start()
        browser = driver.chromium.launch(executable_path=chromium_path(), args=list(OPTIONS))
        measure(browser.new_page(), server.address, archive, chosen)
        browser.close()
        server.end()
        room.end()


class Clock:
    """Seconds, and those of the processor in this process, since something began."""

    def __init__(self):
        self.began, self.busy = time.perf_counter(), time.process_time()

    def tell(self, what):
        seconds, busy = time.perf_counter() - self.began, time.process_time() - self.busy
        print(f"{what:<24} {seconds:7.2f} s, the server's processor {busy:6.2f} s", flush=True)


def measure(page, address, archive, chosen):
    page.set_default_timeout(1_200_000)
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.set_input_files("#files", archive)
    page.wait_for_selector("text=Find clusters")
    page.get_by_label("Number of clusters").fill(chosen.k)
    page.get_by_label("Method").select_option(chosen.method)
    page.wait_for_timeout(2000)  # the time it takes to choose
    clock = Clock()
    page.get_by_role("button", name="Find clusters").click()
    shown(page, "main .lead", "A first picture")
    shown(page, ".map-points")
    clock.tell("first picture")
    shown(page, "main .lead", "19,997 documents in")
    shown(page, ".card")
    clock.tell("whole result")
    page.wait_for_selector("#progress:empty", state="attached")
    clock.tell("whole result saved")
    for query in ("chess", "shuttle orbit"):
        clock = Clock()
        page.fill("#query", query)
        shown(page, "#list-title", f"“{query}”")
        shown(page, ".list > li")
        clock.tell(f"search for {query}")
    page.keyboard.press("Escape")
    edits(page)


def shown(page, selector, text=""):
    """Wait for an element with a text, asking at every frame that the browser paints."""
    page.wait_for_function(
        "([each, text]) => document.querySelector(each)?.textContent.includes(text)",
        arg=[selector, text],
    )


def edits(page):
    clock = Clock()
    page.locator("#cluster-1 button.name").click()
    page.locator("input.name").fill("Renamed")
    page.keyboard.press("Enter")
    shown(page, "#toast", "is now")
    clock.tell("a cluster renamed")
    page.wait_for_timeout(500)
    clock = Clock()
    page.drag_and_drop("#cluster-3", "#cluster-2", source_position={"x": 9, "y": 9})
    shown(page, "#toast", "Merged")
    clock.tell("two clusters merged")
    page.locator("#cluster-1 .card-more button").first.click()
    page.locator(".list > li summary").first.click()
    page.wait_for_timeout(500)
    clock = Clock()
    page.locator(".list > li .moving select").first.select_option(index=3)
    shown(page, "#toast", "Moved")
    clock.tell("a document moved")
    clock = Clock()
    page.locator("#undo").click()
    shown(page, "#toast", "undone")
    clock.tell("the last edit undone")
    page.keyboard.press("Escape")
    page.locator("#cluster-5 button.name").focus()
    page.wait_for_timeout(500)
    clock = Clock()
    page.keyboard.press("Delete")
    shown(page, "#toast", "aside")
    clock.tell("a cluster dropped")


main()
