"""Equations as MathML, which browsers show by themselves: no script, no fonts, no network."""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def mathml(node: nodes.Node, *, block: bool) -> str:
    """An equation of LaTeX as an element of MathML; what cannot be read is a warning."""
    source = re.sub(r"\\textstyle *", "", node.astext()).replace(r"\Big/", "/")
    try:
        return tex2mathml(source, as_block=block)
    except MathError as error:
        logger.warning("equation %r: %s", source, error, location=node)
        return "<code></code>"


def inline(translator, node) -> None:
    """An equation within a line."""
    translator.body.append(mathml(node, block=False))
    raise nodes.SkipNode


def display(translator, node) -> None:
    """An equation of its own."""
    translator.body.append(f'<div class="math">{mathml(node, block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app):
    """Register the renderer as the one in use."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
