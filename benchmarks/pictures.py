"""What the pictures of the page and of the explorer share: screens, a browser, the files."""

import sys
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from browser import chromium

DESK = {"viewport": {"width": 1280, "height": 820}}
PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
DARK = {"color_scheme": "dark"}


@contextmanager
def taking(pictures, out):
    """Take pictures: by name, what to prepare on which screen.

    The block gets a function that opens an address for a picture, prepares and takes it.
    """
    with chromium() as browser:

        def take(name, address, wait="html[data-ready]", here="", whole=False):
            prepare, options = pictures[name]
            tab = browser.new_page(**options)
            if here:
                tab.add_init_script(f"sessionStorage.setItem('coterie-here', '{here}')")
            tab.goto(address)
            tab.wait_for_selector("html[data-ready]", state="attached")
            tab.wait_for_selector(wait, state="attached")
            prepare(tab)
            tab.wait_for_timeout(1200)
            picture = Path(out) / f"{name}.png"
            tab.screenshot(path=picture, full_page=whole)
            tab.close()
            print(f"{picture}: {picture.stat().st_size / 1000:.0f} kB")

        yield take
