"""The text a person sees on a web page, and its title."""

import re

from coterie.corpus.encodings import Decoded, decode

DECLARED = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)[^<>]*>", re.IGNORECASE)
DEEPEST = 500
"""Levels of tags that are parsed; parsers, as browsers, slow down with each level."""

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "wbr"}
INVISIBLE = ["script", "style", "noscript", "template", "title", "svg", "iframe"]
BLOCK = re.compile(
    r"<(?=/?(?:p|div|br|hr|li|ul|ol|dl|dt|dd|tr|td|th|table|caption|h[1-6]|pre|blockquote|"
    r"section|article|header|footer|main|nav|aside|address|form|option|title|body)\b)",
    re.IGNORECASE,
)


def looks_like_html(sample: bytes) -> bool:
    """Tell whether bytes are a web page, where the name of the file does not say so.

    Examples
    --------
    >>> looks_like_html(b"<!DOCTYPE html><p>Hi"), looks_like_html(b"a < b")
    (True, False)
    """
    return LOOKS_LIKE_HTML.search(sample) is not None


def decode_html(data: bytes) -> Decoded:
    """Decode a page, believing the character set it declares where it is not UTF-8."""
    declared = DECLARED.search(data[:2048])
    return decode(data, declared[1].decode("ascii") if declared else None)


def visible_text(html: str) -> tuple[str, str]:
    """Return the text of a page, a block a line, and its title.

    Examples
    --------
    >>> visible_text("<title>T</title><p>One<b>two</b></p><p>three</p><script>4</script>")
    ('Onetwo\\nthree', 'T')
    """
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(_shallow(BLOCK.sub("\n<", html)))
    heading = page.css_first("title")
    title = " ".join(heading.text().split()) if heading is not None else ""
    page.strip_tags(INVISIBLE, recursive=True)
    text = page.body.text() if page.body is not None else ""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line), title


def _shallow(html: str) -> str:
    """Drop the tags of a page that are nested too deeply, but not those that hide text."""
    if html.count("<") <= DEEPEST:
        return html
    depth = 0

    def shallow(tag: re.Match[str]) -> str:
        nonlocal depth
        closing, name = tag[1], tag[2].lower()
        depth = max(0, depth - 1) if closing else depth + (name not in VOID)
        too_deep = depth + bool(closing) > DEEPEST
        return "" if too_deep and name not in INVISIBLE else tag[0]

    return TAG.sub(shallow, html)
