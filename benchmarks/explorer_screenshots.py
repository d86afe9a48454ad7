"""Pictures of the explorer with the built-in corpus, for the documentation.

    python benchmarks/explorer_screenshots.py docs/pictures [SESSION]

The built-in corpus is clustered as `make demo` does, two clusters are gathered and one is
named. SESSION is a folder in which this stays for the next time.
"""

import sys
import tempfile
import threading
from pathlib import Path

from pictures import DARK, DESK, PHONE, taking

from coterie.explorer.server import Server
from coterie.explorer.store import Store
from coterie.explorer.workspace import Workspace


def view(name):
    def show(page):
        page.get_by_role("button", name=name).first.click()
        page.wait_for_selector(".view > *")

    return show


def clusters(_page):
    pass


def cards(page):
    page.locator(".cards").evaluate("each => each.scrollIntoView({behavior: 'instant'})")
    page.mouse.wheel(0, -90)
    for at in (0, 1):
        page.locator(".card .choose").nth(at).check()


def home(page):
    page.locator("#home").click()
    page.wait_for_selector(".drop")


PICTURES = {
    "explorer": (clusters, DESK),
    "explorer-cards": (cards, DESK),
    "explorer-doubtful": (view("Doubtful"), DESK | DARK),
    "explorer-compare": (view("Compare"), DESK),
    "explorer-home": (home, DESK),
    "explorer-phone": (clusters, PHONE),
}


def prepared(room):
    """The built-in corpus clustered, two clusters gathered, one named; again into eight."""
    if room.store.nodes:
        return next(node for node in room.store.nodes.values() if node.parent is None).id

    def done(node):
        while room.jobs.of(node.id):
            threading.Event().wait(0.2)
        assert node.status == "ready", node.error
        return node.id

    first = done(room.demo({"n_clusters": 12}))
    room.edit(first, lambda result: result.rename({4: "Random variables"}))
    done(room.gather(first, [1, 5], {"n_clusters": 4}))
    done(room.cluster_again(first, {"n_clusters": 8}))
    return first


def main(out, session=None):
    with tempfile.TemporaryDirectory() as folder, taking(PICTURES, out) as take:
        room = Workspace(Store(Path(session or folder)))
        here = prepared(room)
        server = Server(room)
        threading.Thread(target=server.run, daemon=True).start()
        for name in PICTURES:
            take(name, server.address, ".card", here)
        server.end()
        room.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
