"""Links from pages to files beside the site, which have a page of their own on it."""

import re

PAGES = {
    "CONTRIBUTING.md": "/contribute/index.md",
    "SECURITY.md": "/contribute/security.md",
    "CHANGELOG.md": "/contribute/changes.md",
}


def redirect(app, docname: str, source: list[str]) -> None:
    """Let links to files in the root of the repository lead to their pages."""
    for file, page in PAGES.items():
        source[0] = re.sub(rf"\]\((?:\.\./)+{re.escape(file)}", f"]({page}", source[0])


def setup(app):
    """Register the event."""
    app.connect("source-read", redirect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
