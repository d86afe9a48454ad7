"""Options that several commands share, and what they mean to the library."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from coterie import terminal
from coterie.errors import InputError

if TYPE_CHECKING:
    from coterie.clustering.running import Settings
    from coterie.clustering.sources import Reading
    from coterie.corpus.notes import ReadingNotes

AUTO = "auto"
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def options(*decorators: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """Several click options as one decorator, first written first listed."""

    def decorate(command: Decorated) -> Decorated:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def complete_methods(_context: Any, _parameter: Any, start: str) -> list[str]:
    """Names of methods, for completion by the shell; after commas, of the last one."""
    from coterie.methods import METHODS

    before, comma, last = start.rpartition(",")
    return [before + comma + name for name in METHODS if name.startswith(last)]


option = partial(click.option, cls=terminal.Option)
column = partial(option, metavar="COL", section="Columns of a table")
word = partial(option, section="Words")
fit = partial(option, section="Fitting")
positive = terminal.WholeNumber(1)
path_type = terminal.NamedPath(path_type=Path)

raw_csv = option(
    "--raw-csv", is_flag=True,
    help="Text in CSV files as it is; by default a text that a spreadsheet would run as a "
    "formula begins with an apostrophe.",
)  # fmt: skip
main_options = options(
    option("-k", "n_clusters", type=terminal.number_or_auto, metavar="N",
           help="Number of clusters, or few or many of those that stand out (default: "
           "estimated; 12 for the demo)."),
    option("--method", metavar="NAME", shell_complete=complete_methods,
           help="Clustering method; `coterie methods` lists them (default: auto)."),
    option("--out", type=path_type, metavar="DIR",
           help="Folder for the report, the tables and the model (default: none)."),
    raw_csv,
    option("--page", type=click.Choice(["full", "light"]), default="full",
           help="Page of the report: full, with every document, search and map, or light, a "
           "small one for sharing (default: full)."),
    option("--map", "layout", type=click.Choice(["discs", "umap", "pacmap"]), default="discs",
           help="Layout of the map: a disc for each cluster, or UMAP or PaCMAP, which need an "
           "extra (default: discs)."),
    option("--json", "as_json", is_flag=True, help="Clusters as JSON in place of tables."),
    option("-q", "--quiet", is_flag=True, help="No progress and no notes."),
    option("-v", "--verbose", is_flag=True, help="The memory that is needed, as a note."),
)  # fmt: skip
columns_options = options(
    column("--text", metavar="COL[,COL]",
           help="Column of the text; several are joined (default: guessed)."),
    column("--id", "id_column",
           help="Column that names the documents (default: row number)."),
    column("--label", help="Column of known classes, for comparison (default: none)."),
    column("--title", help="Column of titles (default: first words of the text)."),
    column("--table", metavar="NAME",
           help="Table of a database, or sheet of a workbook (default: the only one, or the "
           "first sheet)."),
    option("--limit", "limits", multiple=True, metavar="NAME=SIZE", section="Reading",
           help="Limit of what is read: document, archive or collection, such as "
           "document=1GB, ratio of an archive to its size, or seconds that one PDF or office "
           "file may take; may be repeated (default: document=512MB, archive=64GB, "
           "collection=256GB, ratio=200, seconds=60)."),
)  # fmt: skip
embeddings = column(
    "--embeddings", metavar="MODEL",
    help="Name or folder of a model of sentences that computes embeddings, auto for a small "
    "one, or a .npy file of them, one row per document in the order of the documents "
    "(default: none; to assign, the model of the fit).",
)  # fmt: skip
views_options = options(
    column("--views", metavar="NAME,NAME",
           help="Columns, or folders of files with equal names, that are views of the same "
           "documents, such as languages (default: one view)."),
    embeddings,
    option("--by-language", is_flag=True,
           help="One clustering for each language, side by side; with --out, a folder each."),
)  # fmt: skip
text_options = options(
    word("--language", metavar="CODE",
         help="Language, such as en, or one per view, such as en,fr (default: identified)."),
    word("--stop-words", default="auto", metavar="LIST",
         help="Stop words: auto, short, long, none, or a file with one word a line "
         "(default: auto)."),
    word("--stem", is_flag=True, help="Snowball stems in place of words."),
    word("--digits", type=click.Choice(["one", "keep", "drop"]), default="one",
         help="Numbers: all as one word, each as its own word, or none (default: one)."),
    word("--min-df", type=terminal.frequency, metavar="N",
         help="Lowest document frequency of a word: a number, such as 3, or a share, such as "
         "1% (default: 3, lower for fewer than 200 documents)."),
    word("--max-df", type=terminal.frequency, default=1.0, metavar="N",
         help="Highest document frequency of a word: a number, or a share, such as 50% "
         "(default: 100%)."),
    word("--max-words", type=positive, metavar="N",
         help="Size of the vocabulary, the most frequent words first (default: no limit)."),
    word("--ngrams", type=positive, default=1, metavar="N",
         help="Longest sequence of words that is counted: 2 adds pairs, 3 also triples "
         "(default: 1)."),
)  # fmt: skip
places = (
    fit("--threads", type=positive, metavar="N",
        help="Number of threads, or of the worker processes that --on dask starts; the result "
        "does not depend on it (default: all cores)."),
    fit("--on", type=click.Choice(["threads", "dask", "gpu"]), default="threads",
        help="Where the fit runs; dask and gpu need an extra, such as coterie[dask] (default: "
        "threads)."),
    fit("--scheduler", metavar="ADDRESS",
        help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786, for --on dask "
        "(default: a cluster on this machine, closed at the end)."),
)  # fmt: skip
place_options = options(*places)
fit_options = options(
    fit("--word-clusters", type=positive, metavar="N",
        help="Number of word clusters, for methods that have them (default: twice -k, at "
        "least 10; -k for chi-sim)."),
    fit("--init", type=click.Choice(["kmeans", "dirichlet", "random"]), default=None,
        help="Initialisation; the default depends on the method."),
    fit("--seed", type=terminal.WholeNumber(0, 2**32 - 1), default=0, metavar="N",
        help="Seed; the same seed gives the same result (default: 0)."),
    fit("--n-init", type=positive, metavar="N",
        help="Number of restarts; the best one is the result (default: 10, fewer for large "
        "collections)."),
    fit("--max-iter", type=positive, metavar="N",
        help="Maximum number of iterations (default: that of the method, mostly 200)."),
    fit("--online", is_flag=True,
        help="Online EM: three passes over batches, for mm and the PLSA family."),
    fit("--accelerate", "accelerated", is_flag=True,
        help="Longer steps of EM while its objective rises, for mm, plsa and 2plsa."),
    *places,
    fit("--memory", type=terminal.memory_size, metavar="SIZE",
        help="Memory, such as 4GiB or 500MB: counts that need more than an eighth of it are on "
        "disk, and a fit that needs more than all of it is refused before it begins (default: "
        "what the machine has free)."),
    fit("--checkpoint", type=path_type, metavar="DIR",
        help="Folder for checkpoints; the same command continues from the last one (default: "
        "none)."),
)  # fmt: skip


def settings_of(chosen: dict[str, Any]) -> "Settings":
    """How to cluster, from the options of the command."""
    from coterie.clustering.running import Settings, check_settings

    settings = Settings(
        n_clusters=chosen["n_clusters"] or AUTO,
        method=chosen["method"] or AUTO,
        seed=chosen["seed"],
        n_word_clusters=chosen["word_clusters"],
        init=chosen["init"],
        n_init=chosen["n_init"],
        max_iter=chosen["max_iter"],
        threads=chosen["threads"],
        on=chosen["on"],
        scheduler=chosen["scheduler"],
        online=chosen["online"],
        accelerated=chosen["accelerated"],
        checkpoint=chosen["checkpoint"],
        memory=chosen["memory"],
        verbose=chosen["verbose"],
        quiet=chosen["quiet"],
    )
    check_settings(settings, spelled)
    return settings


def spelled(setting: str, value: str = "") -> str:
    """A setting as an option of the command, for messages.

    Examples
    --------
    >>> spelled("n_word_clusters"), spelled("method", "plsa")
    ('--word-clusters', '--method plsa')
    """
    option = "--" + setting.replace("n_word", "word").replace("_", "-")
    option = {"--n-clusters": "-k"}.get(option, option)
    return f"{option} {value}" if value else option


def reading_of(settings: dict[str, Any]) -> "Reading":
    """How documents are read, from the options of a command."""
    from coterie.clustering.sources import Reading
    from coterie.corpus import Limits

    views = names_in(settings["views"]) or []
    return Reading(
        text=tuple(names_in(settings["text"]) or ()),
        id=settings["id_column"],
        title=settings["title"],
        label=settings["label"],
        views=tuple(views),
        options=_text_options(settings, views),
        limits=Limits.parse(settings["limits"]),
        quiet=settings["quiet"],
        table=settings["table"],
    )


def names_in(columns: str | None) -> list[str] | None:
    """Names of columns, written with commas between them."""
    return [name.strip() for name in columns.split(",")] if columns else None


def _text_options(settings: dict[str, Any], views: list[str]) -> Any:
    """How to count words, for each view where there are several languages."""
    from coterie.corpus import TextOptions

    names = ("stop_words", "stem", "digits", "min_df", "max_df", "max_words", "ngrams")
    chosen = {name: settings[name] for name in names}
    codes = names_in(settings["language"]) or []
    if len(codes) < 2:
        return TextOptions(language=codes[0] if codes else None, **chosen)
    if len(codes) != len(views or ["text"]):
        expected = f"one, or one for each of the {len(views)} views" if views else "one"
        raise InputError(f"--language {','.join(codes)}: expected {expected}")
    pairs = zip(views or (), codes, strict=True)
    return {view: TextOptions(language=code, **chosen) for view, code in pairs}


def note_replaced(out: Path | None, quiet: bool = False) -> None:
    """Refuse a folder that results cannot be written to; say which ones it holds."""
    from coterie.report.results import check_results_folder, described

    if out is not None and check_results_folder(out) and not quiet:
        terminal.say(f"{out} holds earlier results, which will be replaced: {described(out)}")


def note_reading(notes: "ReadingNotes", quiet: bool) -> None:
    """Say what was read, skipped and guessed."""
    if not quiet:
        for line in notes.lines():
            terminal.say(terminal.plain(line))
