"""The `coterie` command: each command parses, calls the library and prints."""

import sys
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from coterie import __version__, terminal
from coterie.errors import InputError

if TYPE_CHECKING:
    from coterie.corpus import Corpus
    from coterie.corpus.notes import ReadingNotes
    from coterie.findings import Summary
    from coterie.findings.internal import InternalScores

AUTO = "auto"
COUNTS_FOR_ONE_RESTART = 2_000_000
STANDARD_OUTPUT = "-"
RESAMPLES = 3
"""Fits to part of the documents by which `evaluate` judges stability without labels."""
EMBEDDINGS = "embeddings"
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def options(*decorators: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """Several click options as one decorator, first written first listed."""

    def decorate(command: Decorated) -> Decorated:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


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
    option("--method", metavar="NAME",
           help="Clustering method; `coterie methods` lists them (default: auto)."),
    option("--out", type=path_type, metavar="DIR",
           help="Folder for the report, the tables and the model (default: none)."),
    raw_csv,
    option("-q", "--quiet", is_flag=True, help="No progress and no notes."),
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
    fit("--checkpoint", type=path_type, metavar="DIR",
        help="Folder for checkpoints; the same command continues from the last one (default: "
        "none)."),
)  # fmt: skip
compare_options = options(
    option("--methods", "names", metavar="NAME,NAME",
           help="Methods; `coterie methods` lists them (default: auto,mm,plsa,kmeans)."),
    option("-k", "n_clusters", type=positive, metavar="N",
           help="Number of clusters (default: the number of classes, or estimated)."),
    option("--seeds", type=positive, default=10, metavar="N",
           help="Number of runs of each method, with seeds from 0 (default: 10)."),
    option("--out", type=path_type, metavar="FILE",
           help="File for the table, .md, .csv, .tex or .json (default: none)."),
    option("--json", "as_json", is_flag=True, help="The table and every run as JSON."),
    option("-q", "--quiet", is_flag=True, help="No progress and no notes."),
    option("--n-init", type=positive, metavar="N",
           help="Number of restarts of each fit (default: 10, fewer for large collections)."),
    option("--threads", type=positive, metavar="N",
           help="Number of threads; clusters do not depend on it (default: all cores)."),
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
    _choose_method(settings)
    _refuse_early(None, out, settings)
    from coterie.demo import load_demo

    if settings["n_clusters"] is None:
        settings["n_clusters"] = 12
    with terminal.reading("the docstrings of installed packages", settings["quiet"]):
        corpus = load_demo()
    _cluster(corpus, out, "built-in corpus", settings, {})


@main.command()
@click.argument("path", type=path_type)
@main_options
@columns_options
@views_options
@text_options
@fit_options
def cluster(path: Path, out: Path | None, **settings: Any) -> None:
    """Cluster the documents in PATH.

    PATH is a folder with its subfolders, a CSV, TSV, JSONL or Parquet table, an mbox, or an
    archive of any of these. The first Ctrl-C ends a long fit and keeps the best result so
    far (methods of scikit-learn keep none); a second one stops at once. Clusters are numbered
    from 1, the largest first.

    \b
    With --out, the folder gets:
      report.html        clusters, their words and documents, on one page
      documents.csv      each document's cluster, probability and second choice
      documents.parquet  the same, in full precision
      doubtful.csv       documents that may belong to another cluster
      duplicates.csv     groups of duplicates and near-duplicates
      levels.csv         each document's cluster at coarser and finer levels
      terms.csv          words of each cluster, boilerplate marked
      clusters.json      everything the page shows, as data
      model/             the fitted model, for `coterie assign` and `evaluate`
      coterie.json       the list of these files, with checksums
    Writing again replaces these files; all others in the folder stay.

    \b
    Examples:
      coterie cluster letters/
      coterie cluster letters/ --out results --embeddings letters.npy
      coterie cluster reviews.csv -k 5 --text body --label stars --out results
      coterie cluster news.jsonl.gz -k 20 --method plsa --language de --stem
      coterie cluster parallel.jsonl -k 6 --views en,de,fr
    """
    views, vectors = _names(settings.pop("views")), settings.pop("embeddings")
    _choose_method(settings, views, vectors)
    _refuse_early(path, out, settings)
    columns = {
        "text": _names(settings.pop("text")),
        "id": settings.pop("id_column"),
        "label": settings.pop("label"),
        "title": settings.pop("title"),
        "views": views or [],
    }
    options = _text_options(settings, views)
    from coterie.corpus import Limits, read

    limits = Limits.parse(settings.pop("limits"))
    with terminal.reading(str(path), settings["quiet"]) as tick:
        corpus = _with_embeddings(
            vectors, lambda: read(path, **columns, options=options, tick=tick, limits=limits)
        )
    from coterie.findings.saved import portable_source

    details = {"source": portable_source(path, out or path), "columns": columns}
    _cluster(corpus, out, path.resolve().name, settings, details)


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
    from coterie.corpus import Limits, read
    from coterie.findings import assign_documents
    from coterie.findings.saved import load_saved
    from coterie.report import results

    to_file = out is not None and str(out) != STANDARD_OUTPUT
    if out is not None and to_file:
        results.check_assignments_file(out, path)
    saved = load_saved(model)
    if saved.model.vocabulary_ is None:
        raise InputError(f"{model}: fitted to a matrix of counts, so it cannot read texts")
    vectors, limits = columns.pop("embeddings"), Limits.parse(columns.pop("limits"))
    _refuse_embeddings(vectors, saved.model, quiet)
    chosen = _columns_to_read(columns, saved.columns)
    words = saved.model.vocabulary_
    with terminal.reading(str(path), quiet) as tick:
        corpus = _with_embeddings(
            vectors, lambda: read(path, **chosen, options=words, tick=tick, limits=limits)
        )
    rows = assign_documents(saved.model, corpus)
    _note_reading(corpus.notes, quiet)
    if out is None:
        from coterie.report.console import assigned_table

        terminal.show(assigned_table(rows, saved.names))
    elif to_file:
        results.write_assignments(out, rows, raw_csv=raw_csv)
        terminal.say(f"Wrote {out}")
    else:
        click.echo(results.assignments_csv(rows, raw_csv=raw_csv), nl=False)


@main.command()
@click.argument("folder", type=path_type)
@option("--label", metavar="COL", help="Column of the classes (default: the known ones).")
@option(
    "--table",
    type=path_type,
    metavar="FILE",
    help="Clustered table, where it was moved (default: where it was).",
)
@option(
    "--resamples",
    type=terminal.WholeNumber(0),
    metavar="N",
    help="Number of fits to 80 % of the documents, for stability (default: 3 without labels, "
    "0 with).",
)
@option("--json", "as_json", is_flag=True, help="Scores as JSON.")
@option("-q", "--quiet", is_flag=True, help="No progress and no notes.")
def evaluate(
    folder: Path,
    label: str | None,
    table: Path | None,
    resamples: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Judge the clusters in FOLDER, also by known classes.

    FOLDER was written by `coterie cluster --out`. The classes are those known when it was
    written (names of subfolders, or --label), or a column of the clustered table. Without
    classes, and beside them, clusters are judged by the coherence and diversity of their
    words, by the silhouette and by stability; for these the documents are read again.

    \b
    Examples:
      coterie evaluate results
      coterie evaluate results --label section --resamples 5
      coterie evaluate results --json > scores.json
    """
    from coterie.findings.saved import evaluate_results
    from coterie.report.console import internal_table, per_class_table, score_table

    scores, n_unlabelled = evaluate_results(folder, label, table)
    if scores and n_unlabelled and not quiet:
        terminal.say(f"{n_unlabelled} documents without a label are left out")
    internal = _internal_scores(folder, table, resamples, scores is not None, quiet)
    if as_json:
        import json

        content = scores.as_dict() if scores else {}
        content["internal"] = vars(internal) if internal else None
        click.echo(json.dumps(content, indent=1, allow_nan=False))
        return
    if scores:
        terminal.show(score_table(scores), "", per_class_table(scores))
    if internal:
        terminal.show(*([""] if scores else []), internal_table(internal))


def _internal_scores(
    folder: Path, table: Path | None, resamples: int | None, labelled: bool, quiet: bool
) -> "InternalScores | None":
    """Measures without labels; beside labels, a note where the documents cannot be read."""
    from coterie import run_on, watching
    from coterie.findings.saved import evaluate_internally

    if resamples is None:
        resamples = 0 if labelled else RESAMPLES
    with ExitStack() as stack:
        stack.enter_context(run_on("threads"))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(watching(stack.enter_context(terminal.fitting(quiet))))
        try:
            return evaluate_internally(folder, table, n_resamples=resamples)
        except InputError as error:
            if not labelled:
                raise
            reason = error
    if not quiet:
        terminal.say(f"Note: no measures without labels, {reason}")
    return None


@main.command()
@click.argument("path", type=path_type, required=False)
@compare_options
@columns_options
@views_options
@text_options
def compare(path: Path | None, names: str | None, out: Path | None, **settings: Any) -> None:
    """Compare methods on the documents in PATH, or the built-in corpus, over several seeds.

    The table has the mean and the standard deviation of each measure: agreement with the
    classes (--label, or names of subfolders), coherence (NPMI, C_V) and diversity of words,
    stability, silhouette, seconds, and MB that a fit adds to the memory. The best mean is
    bold; † marks methods that are not significantly worse by the rank-sum test. In a pipe the
    table is Markdown. Ctrl-C ends the comparison with the runs that are finished.

    \b
    Examples:
      coterie compare --methods mm,lda
      coterie compare letters/
      coterie compare reviews.csv --methods auto,mm,lda --label stars --out table.tex
      coterie compare news.jsonl.gz -k 20 --seeds 5 --json > runs.json
    """
    from coterie import run_on, watching
    from coterie.comparison import compare as compare_methods
    from coterie.comparison.runs import METHODS_COMPARED, checked_methods
    from coterie.comparison.table import writer_of

    chosen = _names(names) or METHODS_COMPARED
    checked_methods(chosen)
    if out is not None:
        writer_of(out)
    corpus = _built_in(settings["quiet"]) if path is None else _read_to_compare(path, settings)
    _refuse_number(settings["n_clusters"] or AUTO, len(corpus))
    _note_reading(corpus.notes, settings["quiet"])
    with ExitStack() as stack:
        stack.enter_context(run_on("threads", n_threads=settings["threads"]))
        progress = stack.enter_context(terminal.fitting(settings["quiet"]))
        stack.enter_context(watching(progress))
        wanted = {name: settings[name] for name in ("n_clusters", "seeds", "n_init")}
        table = compare_methods(corpus, chosen, **wanted)
    if out is not None:
        table.write(out)
        terminal.say(f"Wrote {out}")
    if settings["as_json"]:
        click.echo(table.to_json())
    elif sys.stdout.isatty():
        from coterie.report.console import comparison_table

        terminal.show(comparison_table(table))
    else:
        click.echo(table.to_markdown(), nl=False)


def _built_in(quiet: bool) -> "Corpus":
    from coterie.demo import load_demo

    with terminal.reading("the docstrings of installed packages", quiet):
        return load_demo()


def _read_to_compare(path: Path, settings: dict[str, Any]) -> "Corpus":
    """The documents, as the options of columns, views and words say."""
    from coterie.corpus import Limits, read

    views, vectors = _names(settings.pop("views")), settings.pop("embeddings")
    columns = {
        "text": _names(settings.pop("text")),
        "id": settings.pop("id_column"),
        "label": settings.pop("label"),
        "title": settings.pop("title"),
        "views": views or [],
    }
    options = _text_options(settings, views)
    limits = Limits.parse(settings.pop("limits"))
    with terminal.reading(str(path), settings["quiet"]) as tick:
        return _with_embeddings(
            vectors, lambda: read(path, **columns, options=options, tick=tick, limits=limits)
        )


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


def _cluster(
    corpus: "Corpus",
    out: Path | None,
    title: str,
    settings: dict[str, Any],
    details: dict[str, Any],
) -> None:
    """Fit, write where asked, and show."""
    from coterie.findings import summarize

    settings["n_clusters"] = settings["n_clusters"] or AUTO
    _refuse_number(settings["n_clusters"], len(corpus))
    _note_reading(corpus.notes, settings["quiet"])
    started = time.perf_counter()
    model = _fit(corpus, settings)
    seconds = time.perf_counter() - started
    if settings["n_clusters"] == AUTO and not settings["quiet"]:
        estimated = _counted(len(model.components_), "cluster")
        terminal.say(f"{estimated} estimated; -k sets another number")
    described = {"method": settings["method"], "title": title, "seconds": seconds}
    if out is None:
        _show(summarize(model, corpus, **described))
        return
    writing = "The results are being written; Ctrl-C again stops at once"
    with terminal.unstopped(writing) as stop_was_asked:
        summary = summarize(model, corpus, **described)
        out = _write(out, model, summary, details | {"raw_csv": settings["raw_csv"]})
    if not stop_was_asked():
        _show(summary)
    so_far = ", the best result so far" if summary.interrupted else ""
    terminal.say(f"Wrote {out}{so_far}; open {out / 'report.html'}")
    if stop_was_asked():
        raise click.exceptions.Exit(terminal.STOPPED)


def _write(out: Path, model: Any, summary: "Summary", details: dict[str, Any]) -> Path:
    """Write results where asked or, where that was changed during the fit, beside it."""
    from coterie.folders import free_name
    from coterie.report.results import write_results

    try:
        write_results(out, model, summary, **details)
    except InputError as error:
        beside = free_name(out)
        write_results(beside, model, summary, **details)
        terminal.say(f"Note: {error}")
        return beside
    return out


def _refuse_number(n_clusters: Any, n_documents: int) -> None:
    if n_clusters == AUTO and n_documents == 1:
        raise InputError("only one document, expected at least two")
    if n_clusters != AUTO and n_clusters > n_documents:
        raise InputError(f"-k {n_clusters}: more clusters than documents ({n_documents})")


def _number_of_clusters(
    corpus: "Corpus", chosen: Any, settings: dict[str, Any]
) -> tuple[Any, dict[str, list[float]]]:
    """The number that was set, or an estimate for methods that do not estimate it themselves.

    With an estimate comes the curve behind it, otherwise an empty one.
    """
    if settings["n_clusters"] != AUTO or chosen.name == AUTO:
        return settings["n_clusters"], {}
    from coterie.automatic import number_of_clusters

    return number_of_clusters(corpus, random_state=settings["seed"])


def _fit(corpus: "Corpus", settings: dict[str, Any]) -> Any:
    from coterie import checkpointing, run_on, watching
    from coterie.methods import method

    n_init = settings["n_init"]
    if n_init is None:
        n_counts = sum(view.counts.nnz for view in corpus.views.values())
        n_init = max(1, min(10, COUNTS_FOR_ONE_RESTART // max(n_counts, 1)))
    chosen = method(settings["method"])
    with ExitStack() as stack:
        stack.enter_context(run_on("threads", n_threads=settings["threads"]))
        caught = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        stack.enter_context(watching(stack.enter_context(terminal.fitting(settings["quiet"]))))
        n_clusters, curve = _number_of_clusters(corpus, chosen, settings)
        model = chosen.make(
            n_clusters,
            seed=settings["seed"],
            n_init=n_init,
            max_iter=settings["max_iter"],
            init=settings["init"],
            n_word_clusters=settings["word_clusters"],
        )
        if settings["checkpoint"]:
            stack.enter_context(checkpointing(settings["checkpoint"]))
        model.fit(corpus)
    if curve:
        model.n_clusters_curve_ = curve
    _note_how_it_ended(model, caught, settings)
    return model


def _note_how_it_ended(model: Any, caught: list[Any], settings: dict[str, Any]) -> None:
    from coterie import InterruptedWarning

    stops = [w.message for w in caught if issubclass(w.category, InterruptedWarning)]
    if stops:
        saved = settings["checkpoint"] and settings["checkpoint"].exists()
        resume = "; the same command continues from there" if saved else ""
        terminal.say(f"Note: {stops[-1]}{resume}")
    elif not model.converged_:
        iterations = _counted(model.n_iter_, "iteration")
        terminal.say(f"Note: not converged after {iterations}; --max-iter allows more")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _show(summary: "Summary") -> None:
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


def _refuse_early(source: Path | None, out: Path | None, settings: dict[str, Any]) -> None:
    """Refuse what cannot work before documents are read."""
    from coterie.methods import method

    _refuse_unused(method(settings["method"]), settings)
    checkpoint = settings["checkpoint"]
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

        check_results_folder(out)


def _refuse_unused(chosen: Any, settings: dict[str, Any]) -> None:
    for name in chosen.unused:
        if settings[name] is not None:
            option_name = "--" + name.replace("_", "-")
            raise InputError(f"{option_name}: the method {chosen.name} has no such option")
    if settings["checkpoint"] and not chosen.resumes:
        raise InputError(
            f"--checkpoint: the method {chosen.name} cannot continue from a checkpoint"
        )


def _is_within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _names(columns: str | None) -> list[str] | None:
    return [name.strip() for name in columns.split(",")] if columns else None


def _columns_to_read(columns: dict[str, Any], clustered: dict[str, Any]) -> dict[str, Any]:
    """The columns named now, or else those of the clustered table, but for its labels."""
    named = {
        "text": columns["text"],
        "id": columns["id_column"],
        "label": columns["label"],
        "title": columns["title"],
        "views": None,
    }
    if named["text"] is not None:
        named["text"] = _names(named["text"]) or ""
    defaults = dict.fromkeys(named) | clustered | {"label": None}
    chosen = {name: defaults[name] if each is None else each for name, each in named.items()}
    return {name: each or None for name, each in chosen.items()}


def _text_options(settings: dict[str, Any], views: list[str] | None) -> Any:
    """How to count words, for each view where there are several languages."""
    from coterie.corpus import TextOptions

    names = ("stop_words", "stem", "digits", "min_df", "max_df", "max_words", "ngrams")
    chosen = {name: settings.pop(name) for name in names}
    codes = _names(settings.pop("language")) or []
    if len(codes) < 2:
        return TextOptions(language=codes[0] if codes else None, **chosen)
    if len(codes) != len(views or ["text"]):
        expected = f"one, or one for each of the {len(views)} views" if views else "one"
        raise InputError(f"--language {','.join(codes)}: expected {expected}")
    pairs = zip(views or (), codes, strict=True)
    return {view: TextOptions(language=code, **chosen) for view, code in pairs}


def _choose_method(
    settings: dict[str, Any], views: list[str] | None = None, vectors: Path | None = None
) -> None:
    """Choose the default method where none is named; refuse one for other views."""
    from coterie.methods import METHODS, method

    n_views = len(views or ["text"]) + (vectors is not None)
    if views and len(set(views)) < len(views):
        raise InputError(f"--views {','.join(views)}: the same view twice")
    if views and n_views == 1:
        raise InputError(
            f"--views {views[0]}: only one view, expected several; use --text {views[0]} for "
            "one column"
        )
    if settings["method"] is None:
        settings["method"] = AUTO
    chosen = method(settings["method"])
    if n_views > 1 and not chosen.takes_views:
        several = ", ".join(each.name for each in METHODS.values() if each.takes_views)
        option_name = "--views" if views else "--embeddings"
        raise InputError(
            f"{option_name}: the method {chosen.name} takes one view; {several} take several"
        )
    if n_views == 1 and chosen.needs_views:
        raise InputError(
            f"--method {chosen.name}: needs several views; name them by --views, or add "
            "--embeddings"
        )


def _with_embeddings(file: Path | None, read: Callable[[], "Corpus"]) -> "Corpus":
    """The corpus that `read` returns, with the embeddings of a file, which is checked first."""
    if file is None:
        return read()
    if str(file) == AUTO:
        from coterie.corpus.embedding import check_embedder, embedded

        check_embedder()
        corpus = read()
        return corpus.with_vectors(EMBEDDINGS, embedded(corpus.texts(slice(None))))
    from coterie.corpus.vectors import checked_vectors, read_vectors

    vectors = read_vectors(file)
    corpus = read()
    return corpus.with_vectors(EMBEDDINGS, checked_vectors(str(file), vectors, len(corpus)))


def _refuse_embeddings(file: Path | None, model: Any, quiet: bool) -> None:
    expected = EMBEDDINGS in getattr(model, "vector_views_", ())
    if file is not None and not expected:
        raise InputError(f"--embeddings {file}: the model was fitted without embeddings")
    if file is None and expected and not quiet:
        terminal.say(
            "Note: the model was fitted with embeddings; without --embeddings, documents are "
            "assigned by their words alone"
        )
