"""Links as they read on GitHub, made into links as they read on a site.

Files beside the site have a page of their own on it, and a link whose text is the name of a
file gets the title of its page.
"""

import re

PAGES = {
    "CONTRIBUTING.md": "/contribute/index.md",
    "SECURITY.md": "/contribute/security.md",
    "CHANGELOG.md": "/contribute/changes.md",
}


def redirect(app, docname: str, source: list[str]) -> None:
    """Let links lead to pages of the site, and be called as these are."""
    source[0] = re.sub(r"\[(\w+\.md)\]\((\1(?:#[\w-]+)?)\)", r"[](\2)", source[0])
    for file, page in PAGES.items():
        source[0] = re.sub(rf"\]\((?:\.\./)+{re.escape(file)}", f"]({page}", source[0])


def setup(app):
    """Register the event."""
    app.connect("source-read", redirect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
