"""A clustering to look at: its page in a browser, its cards in a notebook."""

import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from coterie.clustering.page import page_payload
from coterie.folders import RECORD, file_checksum, read_record
from coterie.report.html import hue, render, template

if TYPE_CHECKING:
    from coterie.clustering.result import Clustering

PAGE = "report.html"
N_CARDS, N_WORDS, N_TITLES = 24, 8, 2


def show(result: "Clustering", *, browser: bool = True) -> Path:
    """Open the page in a browser, the saved one where it is up to date; returns the file."""
    page = _saved_page(result)
    if page is None:
        page = Path(tempfile.mkdtemp(prefix="coterie-")) / PAGE
        shown = render(result.summary, payload=page_payload(result, page.parent))
        page.write_text(shown, encoding="utf-8")
    if browser:
        webbrowser.open(page.resolve().as_uri())
    return page


def _saved_page(result: "Clustering") -> Path | None:
    """The saved page; None where it does not show this result, edits included."""
    if result.folder is None or not _same(result.edits, result.saved_edits):
        return None
    record = read_record(result.folder, RECORD)
    page = result.folder / PAGE
    if record.get("run") != result.run or not page.is_file():
        return None
    return page if record["files"].get(PAGE) == file_checksum(page) else None


def _same(edits: tuple[object, ...], others: tuple[object, ...]) -> bool:
    """Tell whether two lists hold the very same edits."""
    return [id(each) for each in edits] == [id(each) for each in others]


def cards(result: "Clustering") -> str:
    """A card for each of the first 24 clusters as HTML, for a notebook.

    Examples
    --------
    >>> import coterie
    >>> texts = ["green tea", "black tea", "tea leaves", "dark rum", "white rum", "rum punch"]
    >>> result = coterie.cluster(texts, 2, progress=False).rename({1: "Tea & co"})
    >>> "Tea &amp; co" in cards(result)
    True
    """
    clusters = result.summary.clusters
    return template("cards.html.jinja").render(
        summary=result.summary,
        clusters=clusters[:N_CARDS],
        n_more=max(0, len(clusters) - N_CARDS),
        n_words=N_WORDS,
        n_titles=N_TITLES,
        hue=hue,
    )
