"""The text a person sees on a web page, and its title."""

import re
from typing import Any

from coterie.corpus.encodings import Decoded, decode

DECLARED = re.compile(
    rb"charset\s*=\s*[\"']?\s*(?!utf-?(?:16|32))([A-Za-z0-9_.:-]+)", re.IGNORECASE
)
"""A character set; what is declared in ASCII is not of two bytes a character or of four."""

LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
TAG = re.compile(r"<(/?)([a-z][a-z0-9]*+)[^<>]*+>", re.IGNORECASE)
DEEPEST = 500
"""Levels of tags that are parsed; parsers, as browsers, slow down with each level."""

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "wbr"}
FORMATTING = {
    "b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u",
}  # fmt: skip
"""Tags that say nothing of text; parsers repeat those that are open in every block after."""

INVISIBLE = ["script", "style", "noscript", "template", "title", "svg", "iframe"]
MAIN = "main, article, [role=main]"
WITHIN_MAIN = ", ".join(f"{outer} :is({MAIN})" for outer in ("main", "article"))
NAVIGATION = (
    "nav, footer, aside, select, button, [role=navigation], [role=banner], "
    "[role=contentinfo], [role=search]"
)
DATES = (
    "meta[property='article:published_time']", "meta[name='date']", "meta[name='dc.date']",
    "meta[itemprop='datePublished']", "time[datetime]",
)  # fmt: skip
MARK = "data-menu"
ENOUGH = 200  # characters of a main text
MENU_LINKS, MOST_LINKS = 4, 500
MOST_LINKS_OF_A_PAGE, LARGEST_PAGE = 5000, 4 << 20  # beyond which menus are not looked for
MENU_SHARE = 0.9  # of the letters of a menu that are links
LEAST_SHARE = 0.2  # of the text of a page; if less were left, all of it is read
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
    return _lines(text), title


def main_text(html: str) -> tuple[str, str, str]:
    """Return the main text of a page, without menus, its title, and the date it says.

    The main text is in the elements that are for it, where they hold enough. Otherwise
    elements for navigation are left out, and blocks of nothing but links, unless little were
    left.

    Examples
    --------
    >>> menu = "<ul><li><a>Home</a><li><a>Shop</a><li><a>Help</a><li><a>Terms</a></ul>"
    >>> main_text(f"<title>T</title><nav>All</nav>{menu}<p>Green tea grows on hills.")
    ('Green tea grows on hills.', 'T', '')
    """
    from selectolax.lexbor import LexborHTMLParser

    whole, title = visible_text(html)
    page = LexborHTMLParser(_shallow(BLOCK.sub("\n<", html)))
    date = next((text for name in DATES if (text := _content(page, name))), "")
    page.strip_tags(INVISIBLE, recursive=True)
    inner = {each.mem_id for each in page.css(WITHIN_MAIN)}
    marked = [each for each in page.css(MAIN) if each.mem_id not in inner]
    text = "\n".join(_lines(each.text()) for each in marked)
    if len(text) < ENOUGH:
        few = len(html) <= LARGEST_PAGE and len(page.css("a")) <= MOST_LINKS_OF_A_PAGE
        blocks = filter(_is_menu, page.css("ul, ol, table, div")) if few else ()
        for menu in [*page.css(NAVIGATION), *blocks]:
            menu.attrs[MARK] = ""
        for menu in reversed(page.css(f"[{MARK}]")):  # those within others first
            menu.decompose()
        text = _lines(page.body.text()) if page.body is not None else ""
    return (text if len(text) >= LEAST_SHARE * len(whole) else whole), title, date


def _content(page: Any, selector: str) -> str:
    element = page.css_first(selector)
    values = element.attributes if element is not None else {}
    return str(values.get("content") or values.get("datetime") or "")


def _is_menu(node: Any) -> bool:
    """Tell whether a block holds several links and hardly anything else."""
    links = node.css("a")
    if not MENU_LINKS <= len(links) <= MOST_LINKS:
        return False
    length = len("".join(node.text().split()))
    linked = sum(len("".join(link.text().split())) for link in links)
    return bool(length and linked >= MENU_SHARE * length)


def _lines(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _shallow(html: str) -> str:
    """Drop the tags of a page that are nested too deeply, but not those that hide text.

    Tags of formatting go too: a few hundred that stay open make a small page fill the memory.
    """
    if html.count("<") <= DEEPEST:
        return html
    depth = 0

    def shallow(tag: re.Match[str]) -> str:
        nonlocal depth
        closing, name = tag[1], tag[2].lower()
        if name in FORMATTING:
            return ""
        depth = max(0, depth - 1) if closing else depth + (name not in VOID)
        too_deep = depth + bool(closing) > DEEPEST
        return "" if too_deep and name not in INVISIBLE else tag[0]

    return TAG.sub(shallow, html)
