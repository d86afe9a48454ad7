"""Commands that other installed packages add by an entry point."""

import pytest

from commands import refuse, run, succeed
from coterie.cli import main


@pytest.fixture
def install(tmp_path, monkeypatch):
    """A function that installs a package `tea` with a module and commands."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(code, **commands):
        (tmp_path / "tea.py").write_text(code)
        folder = tmp_path / "tea-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: tea\nVersion: 1.0\n")
        lines = [f"{name} = {target}" for name, target in commands.items()]
        (folder / "entry_points.txt").write_text(
            "\n".join(["[coterie.commands]", *lines]) + "\n"
        )
        monkeypatch.delitem(__import__("sys").modules, "tea", raising=False)

    return write


GOOD = """
import click

@click.command()
@click.argument("cups", type=int)
def brew(cups):
    \"\"\"Make tea.\"\"\"
    click.echo(f"{cups} cups of tea")
"""


def test_a_package_adds_a_command(install):
    install(GOOD, brew="tea:brew")
    help_page = succeed("--help").stdout
    assert "Make tea." in help_page
    assert help_page.index("cluster") < help_page.index("brew")
    assert succeed("brew", 3).stdout == "3 cups of tea\n"
    refuse("'x' is not a valid integer", "brew", "x")


def test_the_command_is_imported_only_when_it_is_called_or_listed(install):
    install("raise RuntimeError('imported')", brew="tea:brew")
    assert succeed("methods").stdout


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import a_package_that_is_not_here", "ModuleNotFoundError"),
        ("raise RuntimeError('no\\nwater')", "RuntimeError: no water"),
        ("", "AttributeError"),
        ("brew = 3", "expected a click command, got int"),
    ],
)
def test_a_broken_package_is_named_in_one_line_and_others_still_work(install, code, reason):
    install(code, brew="tea:brew")
    refuse("brew: the package tea cannot provide this command", "brew", "3", "--strong")
    assert reason in run("brew").stderr
    assert "the package tea" in " ".join(succeed("--help").stdout.split())


def test_no_package_replaces_a_command_of_coterie(install):
    install(GOOD, methods="tea:brew")
    assert "plsa" in succeed("methods").stdout
    assert succeed("--help").stdout.count("\n  methods ") == 1


def test_the_papers_add_their_commands():
    first = ["demo", "cluster", "assign", "methods", "explore"]
    assert list(main.commands)[: len(first)] == first
    assert main.get_command(None, "reproduce").callback.__module__ == "coterie_papers.cli"
    assert main.get_command(None, "datasets").callback.__module__ == "coterie_papers.cli"
