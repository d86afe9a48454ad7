"""Commands on a folder of results: look at it, edit it, search it."""

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coterie import terminal
from coterie.commands.files import check_file, file_to_write, replace_file
from coterie.commands.options import columns_options, names_in, note_replaced
from coterie.errors import InputError

if TYPE_CHECKING:
    from coterie.clustering import Clustering

SHOWN_DOCUMENTS = 20
SHOWN_CLUSTERS, SHOWN_GROUPS = 12, 60
PICTURES = (".png", ".svg", ".pdf")
FAR = 0.1  # share beyond the mean that gets a sign
SHARES = ("share", "probability", "second_probability")
NUMBERS = (
    *SHARES, "number", "cluster", "other", "size", "doubtful", "documents", "count", "lift",
)  # fmt: skip
LONGEST = defaultdict(lambda: 60, excerpt=120, words=100)  # characters shown of a column
result_argument = click.argument("result", type=terminal.NamedPath(path_type=Path))
option = partial(click.option, cls=terminal.Option)
as_json = option("--json", "as_json", is_flag=True, help="The table as JSON.")
quiet = option("-q", "--quiet", is_flag=True, help="No progress and no notes.")
number = terminal.WholeNumber(1)
picture = option("--picture", type=terminal.NamedPath(path_type=Path), metavar="FILE",
                 help="Picture to write, .png, .svg or .pdf (default: none).")  # fmt: skip
results_folder = option("--out", type=terminal.NamedPath(path_type=Path), metavar="DIR",
                        help="Folder for the report, the tables and the model (default: "
                        "none).")  # fmt: skip


@click.command(cls=terminal.Command)
@result_argument
@click.argument("cluster", type=number, required=False)
@as_json
def show(result: Path, cluster: int | None, as_json: bool) -> None:
    """Show the clusters in RESULT, or the words and documents of one.

    RESULT is a folder written by `coterie cluster --out`.

    \b
    Examples:
      coterie show results
      coterie show results 3
      coterie show results --json
    """
    loaded = _load(result)
    if cluster is None:
        columns = ["number", "name", "size", "share", "words", "probability", "doubtful"]
        _table(loaded.clusters, columns, as_json)
        return
    words, documents = loaded.words(cluster), loaded.typical(cluster)
    if as_json:
        both = {"words": _records(words), "documents": _records(documents)}
        terminal.show_json(both)
        return
    name = loaded.names[cluster]
    terminal.show(f"{cluster} · {terminal.plain(name)}", "")
    _table(words, ["word", "probability", "lift", "count", "mark"], as_json)
    terminal.show("")
    _table(documents, ["id", "title", "probability"], as_json)


@click.command(cls=terminal.Command)
@result_argument
@click.argument("names", nargs=-1, required=True, metavar="NUMBER=NAME...")
def rename(result: Path, names: Sequence[str]) -> None:
    """Give clusters of RESULT names.

    An empty name gives the automatic one back.

    \b
    Examples:
      coterie rename results 3=Space 5="Health care"
      coterie rename results 3=
    """
    _edit(result, lambda loaded: loaded.rename(dict(map(_number_and_name, names))))


@click.command(cls=terminal.Command)
@result_argument
@click.argument("clusters", type=number, nargs=-1, required=True)
def merge(result: Path, clusters: Sequence[int]) -> None:
    """Make several CLUSTERS of RESULT one.

    It has the smallest of their numbers; all other numbers stay.

    \b
    Example:
      coterie merge results 2 5
    """
    _edit(result, lambda loaded: loaded.merge(clusters))


@click.command(cls=terminal.Command)
@result_argument
@click.argument("cluster", type=number)
@option("-k", "n_clusters", type=number, default=2, metavar="N",
        help="Number of parts (default: 2).")  # fmt: skip
def split(result: Path, cluster: int, n_clusters: int) -> None:
    """Divide a CLUSTER of RESULT.

    The largest part keeps the number, the others get new ones.

    \b
    Example:
      coterie split results 4 -k 3
    """
    _edit(result, lambda loaded: loaded.split(cluster, n_clusters))


@click.command(cls=terminal.Command)
@result_argument
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@option("--to", "cluster", type=number, required=True, metavar="N",
        help="Number of the cluster.")  # fmt: skip
def move(result: Path, ids: Sequence[str], cluster: int) -> None:
    """Put documents of RESULT into another cluster.

    \b
    Example:
      coterie move results letter-17.txt letter-18.txt --to 2
    """
    _edit(result, lambda loaded: loaded.move(ids, cluster))


@click.command(cls=terminal.Command)
@result_argument
@click.argument("clusters", type=number, nargs=-1, required=True)
def drop(result: Path, clusters: Sequence[int]) -> None:
    """Set the documents of CLUSTERS of RESULT aside.

    They stay in documents.csv with cluster 0; new documents of these clusters get 0 too.

    \b
    Example:
      coterie drop results 7
    """
    _edit(result, lambda loaded: loaded.drop(clusters))


@click.command(cls=terminal.Command)
@result_argument
def undo(result: Path) -> None:
    """Take the last edit of RESULT back.

    \b
    Example:
      coterie undo results
    """
    _edit(result, lambda loaded: loaded.undo())


@click.command(cls=terminal.Command)
@result_argument
@click.argument("cluster", type=number)
@option("-k", "n_clusters", type=terminal.number_or_auto, default="auto", metavar="N",
        help="Number of clusters, or few or many (default: estimated).")  # fmt: skip
@results_folder
def within(result: Path, cluster: int, n_clusters: Any, out: Path | None) -> None:
    """Cluster the documents of one CLUSTER of RESULT by themselves.

    \b
    Examples:
      coterie within results 3
      coterie within results 3 -k 4 --out results-3
    """
    note_replaced(out)
    _clusters_to(out, _load(result).within(cluster, n_clusters))


@click.command(cls=terminal.Command)
@result_argument
@click.argument("n_clusters", type=number)
@results_folder
def at(result: Path, n_clusters: int, out: Path | None) -> None:
    """Show coarser or finer clusters of RESULT, which stays as it is.

    For fewer clusters the most similar ones are merged, for more the largest are split.

    \b
    Examples:
      coterie at results 12
      coterie at results 4 --out results-4
    """
    note_replaced(out)
    _clusters_to(out, _load(result).at(n_clusters))


@click.command(cls=terminal.Command)
@result_argument
@click.argument("phrase", nargs=-1, required=True)
@option("-n", "most", type=number, default=SHOWN_DOCUMENTS, metavar="N",
        help=f"Number of documents shown (default: {SHOWN_DOCUMENTS}).")  # fmt: skip
@as_json
def find(result: Path, phrase: Sequence[str], most: int, as_json: bool) -> None:
    """Find the documents of RESULT in which a word or PHRASE occurs.

    \b
    Examples:
      coterie find results chess
      coterie find results world championship --json
    """
    found = _records(_load(result).find(" ".join(phrase)))
    if as_json:
        terminal.show_json(found)
        return
    terminal.show(f"{len(found):,} documents" if len(found) != 1 else "1 document")
    if not found:
        return
    _table(found[:most], ["id", "cluster", "name", "count", "excerpt"], as_json)
    if len(found) > most:
        terminal.say(f"{len(found) - most:,} more; -n shows more of them")


@click.command(cls=terminal.Command)
@result_argument
@click.argument("column")
@option("--by", "period", type=click.Choice(["year", "quarter", "month", "week", "day"]),
        default="month", help="Length of a period (default: month).")  # fmt: skip
@picture
@replace_file
@as_json
def over(
    result: Path,
    column: str,
    period: str,
    picture: Path | None,
    replace_it: bool,
    as_json: bool,
) -> None:
    """Show the share of the clusters of RESULT over time, by a COLUMN of dates.

    \b
    Examples:
      coterie over results date --by year
      coterie over results date --picture over.png
    """
    _refuse_picture(picture, replace_it)
    loaded = _load(result)
    with _noted():
        _shares(loaded, loaded.over(column, by=period), as_json)
        _draw(picture, replace_it, lambda: loaded.plot.over(column, by=period))


@click.command(cls=terminal.Command)
@result_argument
@click.argument("column")
@picture
@replace_file
@as_json
def by(
    result: Path, column: str, picture: Path | None, replace_it: bool, as_json: bool
) -> None:
    """Show the share of the clusters of RESULT for each value of a COLUMN.

    \b
    Examples:
      coterie by results section
      coterie by results section --picture by.png
    """
    _refuse_picture(picture, replace_it)
    loaded = _load(result)
    with _noted():
        _shares(loaded, loaded.by(column), as_json)
        _draw(picture, replace_it, lambda: loaded.plot.by(column))


@click.command(cls=terminal.Command)
@result_argument
@click.argument("path", type=terminal.PathOrAddress(path_type=Path))
@columns_options
@quiet
def update(result: Path, path: Path, quiet: bool, **columns: Any) -> None:
    """Add the documents in PATH to RESULT.

    Models of online EM (mm, plsa, ext-plsa, 2plsa) learn from them; by other methods they are
    assigned, and clusters stay as they are. Clusters keep their numbers, names and edits. Says
    which clusters grew, drifted or want a split.

    \b
    Examples:
      coterie update results new-letters/
      coterie update results reviews-of-june.csv --text body
    """
    from coterie.corpus import Limits

    text = columns["text"]
    updated = _load(result).update(
        path,
        text=None if text is None else names_in(text) or (),
        id=columns["id_column"],
        title=columns["title"],
        label=columns["label"],
        limits=Limits.parse(columns["limits"]),
        quiet=quiet,
    )
    with terminal.writing_results():
        updated.result.save()
        rows = [vars(change) for change in updated.changes]
        _table(rows, ["number", "name", "before", "new"])
        sentences = [each.sentence() for each in updated.changes if each.sentence()]
        for sentence in sentences or ["No cluster grew, drifted or wants a split."]:
            terminal.say(terminal.plain(sentence))
        if not updated.learned and not quiet:
            terminal.say(f"Note: {LEARNED_NOTHING}")
        terminal.say(f"Wrote {result}")


LEARNED_NOTHING = "new documents were assigned; the clusters did not learn from them"
COMMANDS = (update, show, rename, merge, split, move, drop, undo, at, within, find, over, by)


def _load(folder: Path) -> "Clustering":
    from coterie.clustering import load

    return load(folder)


def _edit(folder: Path, change: Callable[["Clustering"], Any]) -> None:
    """Load, change and save a clustering, and show what it is now."""
    loaded = _load(folder)
    change(loaded)
    with terminal.writing_results() as stop_was_asked:
        loaded.save()
        if not stop_was_asked():
            _clusters(loaded)
        terminal.say(f"Wrote {folder}; `coterie undo {folder}` takes the last edit back")


def _clusters(loaded: "Clustering") -> None:
    _table(loaded.clusters, ["number", "name", "size", "share", "probability", "doubtful"])


def _clusters_to(out: Path | None, loaded: "Clustering") -> None:
    """Show the clusters of a new clustering, and write it where asked."""
    _clusters(loaded)
    if out is None:
        return
    with terminal.writing_results():
        loaded.save(out)
        terminal.say(f"Wrote {out}; open {out / 'report.html'}")


def _number_and_name(text: str) -> tuple[int, str]:
    before, sign, name = text.partition("=")
    if not sign or not before.strip().isdecimal():
        raise InputError(f"{text!r}: expected a number and a name, as 3=Space")
    return int(before), name


def _records(table: Any) -> list[dict[str, Any]]:
    """The rows of a data frame, of whatever library, as dictionaries."""
    if isinstance(table, list):
        return table
    import narwhals

    rows: list[dict[str, Any]] = narwhals.from_native(table).rows(named=True)
    return rows


def _table(table: Any, columns: Sequence[str], as_json: bool = False) -> None:
    """Print columns of a data frame, or all of it as JSON."""
    rows = _records(table)
    if as_json:
        terminal.show_json(rows)
        return
    known = [name for name in columns if not rows or name in rows[0]]
    right = [at for at, name in enumerate(known) if name in NUMBERS]
    cells = [[_cell(name, row[name]) for name in known] for row in rows]
    headings = [name.replace("_", " ").capitalize() for name in known]
    terminal.show(terminal.listing(headings, cells, right=right))


def _cell(column: str, value: Any) -> str:
    from coterie.report.wording import percent, times

    if value is None:
        return ""
    if column in SHARES:
        return percent(value)
    if column == "lift":
        return times(value)
    text = terminal.plain(f"{value:,}" if column in NUMBERS else str(value))
    return text if len(text) <= LONGEST[column] else text[: LONGEST[column] - 1] + "…"


@contextmanager
def _noted() -> Iterator[None]:
    """Say what the block warns of, once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default", UserWarning)
        yield
    for message in dict.fromkeys(str(each.message) for each in caught):
        terminal.say(f"Note: {message}")


def _shares(loaded: "Clustering", table: Any, as_json: bool) -> None:
    """Print the shares of clusters: a row a period or value, a column a cluster."""
    rows = _records(table)
    if as_json:
        terminal.show_json(rows)
        return
    group = next(iter(rows[0]))
    clusters = sorted(loaded.summary.clusters, key=lambda each: -each.size)
    shown = sorted(each.number for each in clusters[:SHOWN_CLUSTERS])
    by_group: dict[Any, dict[int, Any]] = {}
    for row in rows:
        by_group.setdefault(row[group], {})[row["number"]] = row
    cells = [
        [
            terminal.plain(str(name)),
            f"{sum(row['documents'] for row in found.values()):,}",
            *(_share(found[number]) for number in shown),
        ]
        for name, found in list(by_group.items())[:SHOWN_GROUPS]
    ]
    headings = [group.capitalize(), "Documents", *map(str, shown)]
    terminal.show(terminal.listing(headings, cells, right=range(1, len(headings))), "")
    names = [[str(number), terminal.plain(loaded.names[number])] for number in shown]
    terminal.show(terminal.listing(["", "Cluster"], names, right=[0]))
    signs = f"+ and -: at least {100 * FAR:.0f} points above or below the share over all"
    terminal.show("", signs)
    hidden = (len(by_group) - len(cells), len(clusters) - len(shown))
    for number, noun in zip(hidden, (f"{group}s", "clusters"), strict=True):
        if number > 0:
            terminal.say(f"{number:,} more {noun}; --json lists all")


def _share(row: dict[str, Any]) -> str:
    """The share of a cluster, with a sign where it is far from that over all documents."""
    from coterie.report.wording import percent

    if row["share"] is None or row["share"] != row["share"]:
        return "-"
    sign = "+" if row["beyond"] >= FAR else "-" if row["beyond"] <= -FAR else " "
    return f"{percent(row['share'])} {sign}"


def _draw(file: Path | None, replace_it: bool, draw: Callable[[], Any]) -> None:
    """Write a picture where asked."""
    if file is None:
        return
    drawn = draw()
    with file_to_write(file, replace_it) as draft:
        getattr(drawn, "figure", drawn).savefig(draft, dpi=150)
    terminal.say(f"Wrote {file}")


def _refuse_picture(file: Path | None, replace_it: bool) -> None:
    """Refuse a picture that cannot be written, before anything is shown."""
    if file is None:
        return
    if file.suffix not in PICTURES:
        raise InputError(f"{file}: expected a name that ends in {', '.join(PICTURES)}")
    check_file(file, replace_it)


def compare_results(one: Path, other: Path, as_json: bool) -> None:
    """Show how two folders of results of the same documents agree."""
    found = _load(one).compare(_load(other))
    if as_json:
        tables = {"contingency": _records(found.contingency), "moved": _records(found.moved)}
        terminal.show_json(
            {"agreement": found.agreement, "n_documents": found.n_documents, **tables}
        )
        return
    terminal.show(repr(found), "")
    pairs = sorted(_records(found.contingency), key=lambda row: -row["documents"])
    _table(pairs[:SHOWN_DOCUMENTS], ["cluster", "name", "other", "other_name", "documents"])
    if found.n_moved:
        terminal.show("", "Documents that moved")
        moved = _records(found.moved)[:SHOWN_DOCUMENTS]
        _table(moved, ["id", "title", "name", "other_name"])
    if found.n_moved > SHOWN_DOCUMENTS:
        terminal.say(f"{found.n_moved - SHOWN_DOCUMENTS:,} more moved; --json lists all")
