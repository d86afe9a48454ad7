"""Directives of the pages of methods.

`{about-method} NAME` gives its description, class, reference and abilities; `{method-scores}
NAME` how it did, on which collection, by which command and when; `{all-methods}` a table.
"""

from collections.abc import Iterable

import figures
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from coterie.methods import METHODS


class Generated(SphinxDirective):
    """Lines of Markdown made by a function of the method that the directive names."""

    required_arguments = 0
    optional_arguments = 1

    def lines(self) -> Iterable[str]:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        for path in (*figures.RUNS, "src/coterie/methods.py", "docs/_ext/figures.py"):
            self.env.note_dependency(str(figures.ROOT / path))
        parent = nodes.container(classes=[self.name])
        self.state.nested_parse(StringList(list(self.lines()), "figures.py"), 0, parent)
        return [parent]


class Facts(Generated):
    """`{about-method} NAME`"""

    def lines(self) -> Iterable[str]:
        return figures.facts(METHODS[self.arguments[0]])


class Scores(Generated):
    """`{method-scores} NAME`"""

    def lines(self) -> Iterable[str]:
        return figures.scores(self.arguments[0])


class AllMethods(Generated):
    """`{all-methods}`"""

    def lines(self) -> Iterable[str]:
        return figures.all_methods()


def setup(app):
    """Register the directives."""
    app.add_directive("about-method", Facts)
    app.add_directive("method-scores", Scores)
    app.add_directive("all-methods", AllMethods)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
