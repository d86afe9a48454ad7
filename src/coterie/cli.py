"""The `coterie` command: each command parses, calls the library and prints."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from coterie import __version__, progress, terminal
from coterie.commands.results import COMMANDS as results_commands
from coterie.errors import InputError

if TYPE_CHECKING:
    from coterie.clustering.result import Clustering
    from coterie.clustering.running import Settings
    from coterie.corpus import Corpus
    from coterie.corpus.notes import ReadingNotes
    from coterie.findings import Summary

AUTO = "auto"
STANDARD_OUTPUT = "-"
EMBEDDINGS = "embeddings"
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def options(*decorators: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """Several click options as one decorator, first written first listed."""

    def decorate(command: Decorated) -> Decorated:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def _complete_method(_context: Any, _parameter: Any, start: str) -> list[str]:
    """Names of methods, for completion by the shell."""
    from coterie.methods import METHODS

    return [name for name in METHODS if name.startswith(start)]


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
           help="Number of clusters (default: estimated; 12 for the demo)."),
    option("--method", metavar="NAME", shell_complete=_complete_method,
           help="Clustering method; `coterie methods` lists them (default: auto)."),
    option("--out", type=path_type, metavar="DIR",
           help="Folder for the report, the tables and the model (default: none)."),
    raw_csv,
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
    option("--limit", "limits", multiple=True, metavar="NAME=SIZE", section="Reading",
           help="Limit of what is read: document, archive or collection, such as "
           "document=1GB, or ratio of an archive to its size; may be repeated (default: "
           "document=512MB, archive=64GB, collection=256GB, ratio=200)."),
)  # fmt: skip
embeddings = column(
    "--embeddings", type=path_type, metavar="FILE.npy",
    help="Embeddings, one row per document in the order of the documents, or auto to compute "
    "them (default: none).",
)  # fmt: skip
views_options = options(
    column("--views", metavar="NAME,NAME",
           help="Columns, or folders of files with equal names, that are views of the same "
           "documents, such as languages (default: one view)."),
    embeddings,
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
    fit("--threads", type=positive, metavar="N",
        help="Number of threads; the result does not depend on it (default: all cores)."),
    fit("--memory", type=terminal.memory_size, metavar="SIZE",
        help="Memory that the fit may need, such as 4GiB or 500MB; more is refused before it "
        "begins (default: what the machine has free)."),
    fit("--checkpoint", type=path_type, metavar="DIR",
        help="Folder for checkpoints; the same command continues from the last one (default: "
        "none)."),
)  # fmt: skip


@click.group(
    "coterie",
    cls=terminal.Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="coterie")
def main() -> None:
    """Find groups of documents and the groups of words that explain them.

    \b
    Examples:
      coterie demo                               a first try, without data
      coterie cluster my-folder                  a folder of texts
      coterie cluster mails.mbox --out out       with report, tables and model
      coterie cluster a.csv -k 5 --text body     a column of a table
      coterie show out                           what was found
      coterie rename out 3=Space                 edits, also merge, split, move, drop, undo
      coterie assign out new-folder              new documents
      coterie cluster --help                     all options
    """


@main.command()
@main_options
@fit_options
def demo(out: Path | None, **settings: Any) -> None:
    """Cluster the built-in corpus.

    The corpus consists of the docstrings of Python packages on this machine, in twelve
    classes, so that the clusters can be compared with known classes.

    \b
    Examples:
      coterie demo
      coterie demo --method plsa --out demo-results
    """
    settings["n_clusters"] = settings["n_clusters"] or 12
    chosen = _settings(settings)
    _refuse_early(None, out, chosen)
    from coterie.demo import load_demo

    with progress.reading("the docstrings of installed packages", settings["quiet"]):
        corpus = load_demo()
    _cluster(
        corpus,
        out,
        chosen,
        title="built-in corpus",
        raw_csv=settings["raw_csv"],
        as_json=settings["as_json"],
    )


@main.command()
@click.argument(
    "paths",
    type=terminal.NamedPath(path_type=Path, allow_dash=True),
    nargs=-1,
    required=True,
    metavar="PATH...",
)
@main_options
@columns_options
@views_options
@text_options
@fit_options
def cluster(paths: tuple[Path, ...], out: Path | None, **settings: Any) -> None:
    """Cluster the documents in PATH, or in several.

    PATH is a folder with its subfolders, a CSV, TSV, JSONL or Parquet table, an mbox, or an
    archive of any of these; - is standard input: a table, or a document a line. The first
    Ctrl-C ends a long fit and keeps the best result so far (methods of scikit-learn keep none);
    a second one stops at once. Clusters are numbered from 1, the largest first.

    \b
    With --out, the folder gets:
      report.html        clusters, their words and documents, on one page
      documents.csv      columns of the table, cluster, its name, probability
      documents.parquet  the same in full precision, with the texts
      doubtful.csv       documents that may belong to another cluster
      duplicates.csv     groups of duplicates and near-duplicates
      levels.csv         each document's cluster at coarser and finer levels
      terms.csv          words of each cluster, boilerplate marked
      clusters.json      everything the page shows, as data
      model/             the fitted model, for `coterie assign`
      corpus/            the documents, for `coterie show`, `rename`, `find`
      coterie.json       the list of these files, with checksums
    Writing again replaces these files; all others in the folder stay.

    \b
    Examples:
      coterie cluster letters/
      coterie cluster letters/ more-letters/ notes.csv
      coterie cluster letters/ --out results --embeddings letters.npy
      coterie cluster reviews.csv -k 5 --text body --label stars --out results
      coterie cluster news.jsonl.gz -k 20 --method plsa --language de --stem
      coterie cluster parallel.jsonl -k 6 --views en,de,fr
    """
    from coterie.clustering.running import check_method
    from coterie.clustering.sources import Reading, corpus_of, located, titled
    from coterie.corpus import Limits

    views, vectors = _names(settings["views"]) or [], settings["embeddings"]
    chosen = _settings(settings)
    check_method(chosen.method, views, vectors=vectors is not None)
    for path in paths:
        _refuse_early(path, out, chosen)
    source = paths[0] if len(paths) == 1 else paths
    how = Reading(
        text=tuple(_names(settings["text"]) or ()),
        id=settings["id_column"],
        title=settings["title"],
        label=settings["label"],
        views=tuple(views),
        options=_text_options(settings, views),
        limits=Limits.parse(settings["limits"]),
        quiet=settings["quiet"],
    )
    corpus = corpus_of(source, how, embeddings=vectors)
    _cluster(corpus, out, chosen, title=titled(source), source=located(source), reading=how,
             raw_csv=settings["raw_csv"],
             as_json=settings["as_json"])  # fmt: skip


@main.command()
@click.argument("model", type=path_type)
@click.argument("path", type=path_type)
@option(
    "--out",
    type=terminal.NamedPath(path_type=Path, allow_dash=True),
    metavar="FILE",
    help="CSV file to write, or - for standard output (default: a table on the terminal).",
)
@raw_csv
@option("-q", "--quiet", is_flag=True, help="No progress and no notes.")
@columns_options
@embeddings
def assign(
    model: Path, path: Path, out: Path | None, raw_csv: bool, quiet: bool, **columns: Any
) -> None:
    """Assign the documents in PATH to the clusters of MODEL.

    MODEL is a folder written by `coterie cluster --out`, or the model folder in it. Words are
    counted as in that fit, and each document is assigned independently of the others. Columns
    default to those of the clustered table; '' stands for none.

    \b
    Examples:
      coterie assign results new-letters/
      coterie assign results reviews-of-june.csv --out june.csv
      coterie assign results mail.eml --out -
    """
    from coterie.clustering.saving import load_assigner
    from coterie.clustering.tables import with_columns
    from coterie.corpus import Limits
    from coterie.report import results

    to_file = out is not None and str(out) != STANDARD_OUTPUT
    if out is not None and to_file:
        results.check_assignments_file(out, path)
    assigner = load_assigner(model)
    if assigner.model.vocabulary_ is None:
        raise InputError(f"{model}: fitted to a matrix of counts, so it cannot read texts")
    _refuse_embeddings(columns["embeddings"], assigner.model, quiet)
    text = columns["text"]
    corpus = assigner.counted(
        path,
        text=None if text is None else _names(text) or (),
        id=columns["id_column"],
        title=columns["title"],
        label=columns["label"],
        limits=Limits.parse(columns["limits"]),
        quiet=quiet,
        embeddings=columns["embeddings"],
    )
    rows = assigner.rows(corpus)
    _note_reading(corpus.notes, quiet)
    if out is None:
        from coterie.report.console import assigned_table

        terminal.show(assigned_table(rows, assigner.names))
        return
    table = with_columns(corpus, assigner.columns(corpus), texts=None)
    if to_file:
        results.write_assignments(out, table, raw_csv=raw_csv)
        terminal.say(f"Wrote {out}")
    else:
        click.echo(results.assignments_csv(table, raw_csv=raw_csv), nl=False)


@main.command()
@click.argument("folder", type=path_type)
@option("--label", metavar="COL", help="Column of the classes (default: the known ones).")
@option("--json", "as_json", is_flag=True, help="Scores as JSON.")
def evaluate(folder: Path, label: str | None, as_json: bool) -> None:
    """Compare the clusters in FOLDER with known classes.

    FOLDER was written by `coterie cluster --out`. The classes are those known when it was
    written (names of subfolders, or --label), or a column of the clustered table.

    \b
    Examples:
      coterie evaluate results
      coterie evaluate results --label section
      coterie evaluate results --json > scores.json
    """
    from coterie.clustering import load
    from coterie.persistence import named
    from coterie.report.console import per_class_table, score_table

    result = load(folder)
    with named(folder):
        scores = result.evaluate(label)
    n_left_out = len(result.corpus) - scores.n_documents
    if n_left_out:
        terminal.say(f"{n_left_out} documents without a label are left out")
    if as_json:
        import json

        click.echo(json.dumps(scores.as_dict(), indent=1, allow_nan=False))
    else:
        terminal.show(score_table(scores), "", per_class_table(scores))


@main.command()
def methods() -> None:
    """List the clustering methods.

    docs/bibliography.md holds the references in full.

    \b
    Examples:
      coterie methods
      coterie cluster letters/ -k 8 --method plsa
    """
    from coterie.methods import METHODS

    rows = [[each.name, each.title, each.good_for, each.reference] for each in METHODS.values()]
    headings = ["Method", "Description", "Good for", "Reference"]
    terminal.show(terminal.listing(headings, rows))
    terminal.show("", "References in full: docs/bibliography.md")


for command in results_commands:
    main.add_command(command)


def _settings(chosen: dict[str, Any]) -> "Settings":
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
        checkpoint=chosen["checkpoint"],
        memory=chosen["memory"],
        verbose=chosen["verbose"],
        quiet=chosen["quiet"],
    )
    check_settings(settings, _option_name)
    return settings


def _option_name(setting: str) -> str:
    return "--" + setting.replace("n_word", "word").replace("_", "-")


def _cluster(
    corpus: "Corpus", out: Path | None, settings: "Settings", *, as_json: bool, **about: Any
) -> None:
    """Fit, write where asked, and show."""
    from coterie.clustering import running
    from coterie.clustering.result import About, Clustering

    running.check_number(settings.n_clusters, len(corpus))
    _note_reading(corpus.notes, settings.quiet)
    fitted = running.fit(corpus, settings)
    for note in fitted.notes:
        if not settings.quiet or note.startswith("Note"):
            terminal.say(note)
    known = About(settings=settings, seconds=fitted.seconds, notes=fitted.notes, **about)
    result = Clustering(fitted.model, corpus, about=known)
    if out is None:
        _show(result.summary, as_json)
        return
    writing = "The results are being written; Ctrl-C again stops at once"
    with terminal.unstopped(writing) as stop_was_asked:
        out = _write(out, result)
    if not stop_was_asked():
        _show(result.summary, as_json)
    so_far = ", the best result so far" if result.summary.interrupted else ""
    terminal.say(f"Wrote {out}{so_far}; open {out / 'report.html'}")
    if stop_was_asked():
        raise click.exceptions.Exit(terminal.STOPPED)


def _write(out: Path, result: "Clustering") -> Path:
    """Write results where asked or, where that was changed during the fit, beside it."""
    from coterie.folders import free_name

    try:
        return result.save(out)
    except InputError as error:
        beside = result.save(free_name(out))
        terminal.say(f"Note: {error}")
        return beside


def _show(summary: "Summary", as_json: bool) -> None:
    if as_json:
        import json

        click.echo(json.dumps(summary.to_json(), indent=1, ensure_ascii=False))
        return
    from coterie.report.console import (
        cluster_table,
        remark_table,
        score_table,
        view_table,
        word_cluster_table,
    )

    terminal.show(cluster_table(summary))
    if summary.clusters[0].views:
        terminal.show(view_table(summary))
    if summary.word_clusters:
        terminal.show(word_cluster_table(summary))
    if (remarks := remark_table(summary)).row_count:
        terminal.show(remarks, "")
    if summary.scores is not None:
        terminal.show(score_table(summary.scores))


def _note_reading(notes: "ReadingNotes", quiet: bool) -> None:
    if not quiet:
        for line in notes.lines():
            terminal.say(line)


def _refuse_early(source: Path | None, out: Path | None, settings: "Settings") -> None:
    """Refuse what cannot work before documents are read."""
    checkpoint = settings.checkpoint
    for written in (out, checkpoint):
        if written and source and source.is_dir() and _is_within(written, source):
            raise InputError(
                f"{written}: inside {source}, so it would be read as documents; "
                "choose another folder"
            )
    if checkpoint:
        from coterie.persistence import refuse_foreign

        refuse_foreign(checkpoint, "checkpoint")
    if out and checkpoint and _is_within(out, checkpoint):
        raise InputError(f"{out}: inside the checkpoint folder, which is deleted after the fit")
    if out is not None:
        from coterie.report.results import check_results_folder

        if check_results_folder(out) and not settings.quiet:
            terminal.say(f"{out} holds earlier results, which will be replaced")


def _is_within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _names(columns: str | None) -> list[str] | None:
    return [name.strip() for name in columns.split(",")] if columns else None


def _text_options(settings: dict[str, Any], views: list[str]) -> Any:
    """How to count words, for each view where there are several languages."""
    from coterie.corpus import TextOptions

    names = ("stop_words", "stem", "digits", "min_df", "max_df", "max_words", "ngrams")
    chosen = {name: settings[name] for name in names}
    codes = _names(settings["language"]) or []
    if len(codes) < 2:
        return TextOptions(language=codes[0] if codes else None, **chosen)
    if len(codes) != len(views or ["text"]):
        expected = f"one, or one for each of the {len(views)} views" if views else "one"
        raise InputError(f"--language {','.join(codes)}: expected {expected}")
    pairs = zip(views or (), codes, strict=True)
    return {view: TextOptions(language=code, **chosen) for view, code in pairs}


def _refuse_embeddings(file: Path | None, model: Any, quiet: bool) -> None:
    expected = EMBEDDINGS in getattr(model, "vector_views_", ())
    if file is not None and not expected:
        raise InputError(f"--embeddings {file}: the model was fitted without embeddings")
    if file is None and expected and not quiet:
        terminal.say(
            "Note: the model was fitted with embeddings; without --embeddings, documents are "
            "assigned by their words alone"
        )
