"""`{all-commands}`: what `coterie COMMAND --help` prints, for every command."""

import click
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from coterie.cli import main

WIDTH = 88


class AllCommands(SphinxDirective):
    """A section for each command, in the order of `coterie --help`."""

    def run(self) -> list[nodes.Node]:
        sections = []
        with click.Context(main, info_name="coterie", terminal_width=WIDTH) as context:
            for name in main.list_commands(context):
                command = main.get_command(context, name)
                with click.Context(
                    command, info_name=name, parent=context, terminal_width=WIDTH
                ) as inner:
                    help_text = command.get_help(inner)
                section = nodes.section(ids=[nodes.make_id(f"coterie-{name}")], names=[name])
                section += nodes.title(text=f"coterie {name}")
                section += nodes.literal_block(help_text, help_text, language="none")
                sections.append(section)
        return sections


def setup(app):
    """Register the directive."""
    app.add_directive("all-commands", AllCommands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
