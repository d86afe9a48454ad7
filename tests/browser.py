"""A real browser for tests: Chromium where it is installed, driven by Playwright."""

import contextlib
import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium_path():
    """Where Chromium is; a test that needs it is skipped where it is not."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium here; on Debian `apt install chromium` brings it")
    return found


@contextlib.contextmanager
def chromium():
    """A browser without a window."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright here")
    path = chromium_path()
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(OPTIONS))
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A tab, and all that must not happen in it: errors, dialogs, requests."""

    def __init__(self, browser, address, **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.wrong = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("dialog", self._asked)
        self.page.on("request", self._requested)
        self.address = address

    def _heard(self, message):
        if message.type in ("error", "warning"):
            self.wrong.append(f"console: {message.text}")

    def _asked(self, dialog):
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _requested(self, request):
        if request.url.partition("#")[0] != self.address:
            self.wrong.append(f"request: {request.url}")

    def __enter__(self):
        self.page.goto(self.address)
        return self.page

    def __exit__(self, *_):
        self.context.close()
