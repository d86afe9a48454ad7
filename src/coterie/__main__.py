"""`python -m coterie` is the `coterie` command."""

from coterie.cli import main

main(prog_name="coterie")
