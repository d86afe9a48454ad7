"""The command line as tests call it."""

from click.testing import CliRunner

from coterie.cli import main


def run(*arguments, given=None):
    """What the command does in this process."""
    return CliRunner().invoke(main, [str(each) for each in arguments], input=given)


def succeed(*arguments, given=None):
    done = run(*arguments, given=given)
    assert done.exit_code == 0, done.stderr
    return done


def refuse(culprit, *arguments):
    """The command ends with exit code 2 and one line that names the culprit."""
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert culprit in done.stderr
