"""Docstrings on the site: links in single backticks, and no members that are scikit-learn's."""

import inspect
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.roles import XRefRole

BIBLIOGRAPHY = "docs/bibliography.md"
SIZE = re.compile(r"(\w+)_(?=[,) ])")


class Name(XRefRole):
    """Text in single backticks: a link where it names something documented, code otherwise."""

    def process_link(self, env, refnode, has_explicit_title, title, target):
        refnode["refdomain"] = "py"
        refnode["reftype"] = "obj"
        if target[:1].isupper():  # a class, in whichever module
            refnode["refspecific"] = True
        refnode["py:module"] = env.ref_context.get("py:module")
        refnode["py:class"] = env.ref_context.get("py:class")
        refnode["may_be_code"] = True
        return title, target.removesuffix("()").strip()


def unresolved(app, env, node: addnodes.pending_xref, contnode: nodes.Node):
    """Code in backticks, and names of other libraries, of which there is no inventory offline.

    Names of ours that lead nowhere stay warnings.
    """
    ours = str(node.get("reftarget", "")).startswith("coterie") and not node.get("may_be_code")
    return contnode if node.get("refdomain") == "py" and not ours else None


def skip(app, what, name, member, skip, options):
    """Leave out what scikit-learn and Python define; its own documentation has it."""
    function = member.fget if isinstance(member, property) else member
    module = getattr(
        inspect.unwrap(function) if callable(function) else function, "__module__", ""
    )
    return True if str(module).partition(".")[0] in ("sklearn", "builtins") else None


def prepare(app, what, name, obj, options, lines: list[str]) -> None:
    """Turn paths of pages into links, and keep sizes such as `n_iter_` from becoming some."""
    for i, line in enumerate(lines):
        for path, page in ((BIBLIOGRAPHY, "bibliography"), ("docs/automatic.md", "automatic")):
            line = line.replace(path, f":doc:`{page} </{page}>`")
        lines[i] = SIZE.sub(r"\1\\_", line) if " of shape (" in line else line


def setup(app):
    """Register the role and the events."""
    app.add_role("name", Name(innernodeclass=nodes.literal, warn_dangling=False))
    app.connect("missing-reference", unresolved)
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-docstring", prepare, priority=1)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
