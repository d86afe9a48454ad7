"""The commands `coterie reproduce` and `coterie datasets`; entry points name them."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from coterie import progress, terminal

option = partial(click.option, cls=terminal.Option)
positive = terminal.WholeNumber(1)
path_type = terminal.NamedPath(path_type=Path)


@click.command(cls=terminal.Command)
@click.argument("name", required=False)
@option(
    "--runs",
    type=positive,
    metavar="N",
    help="Number of runs of each method (default: the paper's).",
)
@option(
    "--quick", is_flag=True, help="Samples and few runs: signs only, in about a minute an item."
)
@option(
    "--out",
    type=path_type,
    default=Path("reproduced"),
    show_default=True,
    metavar="DIR",
    help="Folder for pages, data and pictures.",
)
@option(
    "--jobs",
    type=positive,
    metavar="N",
    help="Number of processes at once (default: one a core).",
)
@option(
    "--cells",
    type=path_type,
    metavar="DIR",
    help="Folder for the results of single runs (default: in the user's cache).",
)
@option("--fresh", is_flag=True, help="Compute saved results again.")
@option("--saved", is_flag=True, help="Only write, from saved results of any version.")
@option("-q", "--quiet", is_flag=True, help="No progress.")
def reproduce(
    name: str | None,
    runs: int | None,
    quick: bool,
    out: Path,
    jobs: int | None,
    cells: Path | None,
    fresh: bool,
    saved: bool,
    quiet: bool,
) -> None:
    """Compute a published table or figure again, or list them all.

    NAME is an item of the list, a paper as rigouste, or all. Every finished run is saved: the
    same command resumes an interrupted one, and items share the runs they have in common. The
    folder gets a page, data and pictures of each item, and an index.

    \b
    Examples:
      coterie reproduce
      coterie reproduce rigouste-figure6
      coterie reproduce all --quick --out quick
    """
    from coterie.executors import available_threads
    from coterie_papers import running
    from coterie_papers.cells import Store, default_folder
    from coterie_papers.items import summarize

    if name is None:
        _list_items(runs, quick)
        return
    store = Store(cells or default_folder(), any_code=saved)
    for item in running.chosen(name):
        seconds = item.seconds(running.scope_of(item, runs, quick))
        with _progress(item.name, seconds, quiet) as report:
            sheet, written = running.reproduce(
                item, out, runs=runs, quick=quick, jobs=jobs or available_threads(),
                fresh=fresh, store=store, report=report,
            )  # fmt: skip
        terminal.say(f"{item.name}: {sheet.headline}")
        if store.outdated:
            terminal.say(
                f"  {len(store.outdated)} saved results were of code that has changed since; "
                "they were computed again."
            )
            store.outdated.clear()
        terminal.say(f"  {summarize(sheet.claims)} Wrote {written[-3]}")


def _list_items(runs: int | None, quick: bool) -> None:
    from coterie_papers import running
    from coterie_papers.collections.catalogue import WITHOUT_LOADER

    rows = []
    for item in running.items():
        absent = running.missing(item)
        data = ", ".join(
            f"{need} (missing)" if need in absent else need for need in running.needed(item)
        )
        seconds = item.seconds(running.scope_of(item, runs, quick))
        originals = ", ".join(
            f"{name} (no loader)" if name in WITHOUT_LOADER else name for name in item.original
        )
        rows.append([item.name, item.title, data, originals, progress.duration(seconds)])
    headings = ["Item", "Content", "Collections", "In the paper", "Time on one core"]
    terminal.show(terminal.listing(headings, rows))


@contextmanager
def _progress(title: str, seconds: float, quiet: bool) -> Iterator[Callable[[Any], None]]:
    """Show the share of the cells that is computed, and the time left.

    Yields a function to call with each finished cell. Where Ctrl-C ends the block, say how to
    go on.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}", markup=False),
    )
    hidden = quiet or not sys.stderr.isatty()
    bar = Progress(*columns, console=Console(stderr=True), transient=True, disable=hidden)
    try:
        with bar:
            task = bar.add_task(title, total=max(seconds, 1e-9), last="")
            yield lambda cell: bar.update(
                task, advance=cell.seconds, last=f"{cell.method} on {cell.corpus}"
            )
    except KeyboardInterrupt:
        terminal.say("Finished runs are saved; the same command resumes.")
        raise


@click.command(cls=terminal.Command)
@click.argument("name", required=False)
@option("--check", is_flag=True, help="Compare files with their known SHA-256 sums.")
def datasets(name: str | None, check: bool) -> None:
    """List the collections that can be loaded, or say where to get one.

    Collections are searched in the folder that COTERIE_DATA names, then in the user's cache.

    \b
    Examples:
      coterie datasets
      coterie datasets --check
      coterie datasets webkb
    """
    from coterie_papers.collections import catalogue

    entries = [catalogue.entry(name)] if name else list(catalogue.CATALOGUE.values())
    rows = []
    for each in entries:
        path = catalogue.whereabouts(each.name)
        state = "missing" if path is None else str(path)
        rows.append([each.name, each.size, ", ".join(each.papers), state])
    terminal.show(terminal.listing(["Collection", "Size", "Papers", "Where"], rows))
    for each in entries if check else ():
        for finding in catalogue.check(each.name):
            terminal.show(f"{finding.file}: {catalogue.WORDS[finding.state]}")
    if name:
        terminal.show(*catalogue.explained(entries[0]))
    else:
        terminal.show(*(f"{each}: {why}" for each, why in catalogue.WITHOUT_LOADER.items()))
