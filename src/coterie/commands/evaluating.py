"""Commands that judge: a folder of results, or methods side by side."""

import json
import sys
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coterie import progress, terminal
from coterie.commands.files import check_file, file_to_write, replace_file
from coterie.commands.options import (
    columns_options,
    complete_methods,
    names_in,
    note_reading,
    option,
    options,
    path_type,
    place_options,
    positive,
    reading_of,
    text_options,
    views_options,
)
from coterie.commands.results import compare_results
from coterie.folders import RECORD

if TYPE_CHECKING:
    from coterie.clustering import Clustering
    from coterie.comparison import ComparisonTable
    from coterie.corpus import Corpus
    from coterie.evaluation import Scores
    from coterie.findings.internal import InternalScores

RESAMPLES = 3
"""Fits to part of the documents by which `evaluate` judges stability without labels."""

compare_options = options(
    option("--methods", "names", metavar="NAME,NAME", shell_complete=complete_methods,
           help="Methods; `coterie methods` lists them (default: auto,mm,plsa,kmeans)."),
    option("-k", "n_clusters", type=positive, metavar="N",
           help="Number of clusters (default: the number of classes, or estimated)."),
    option("--seeds", type=positive, default=10, metavar="N",
           help="Number of runs of each method, with seeds from 0 (default: 10)."),
    option("--out", type=path_type, metavar="FILE",
           help="File for the table, .md, .csv, .tex or .json (default: none)."),
    replace_file,
    option("--json", "as_json", is_flag=True, help="The table and every run as JSON."),
    option("-q", "--quiet", is_flag=True, help="No progress and no notes."),
    option("--n-init", type=positive, metavar="N",
           help="Number of restarts of each fit (default: 10, fewer for large collections)."),
    place_options,
)  # fmt: skip


@click.command(cls=terminal.Command)
@click.argument("folder", type=path_type)
@option("--label", metavar="COL", help="Column of the classes (default: the known ones).")
@option("--resamples", type=terminal.WholeNumber(0), metavar="N",
        help="Number of fits to 80 % of the documents, for stability (default: 3 without "
        "labels, 0 with).")  # fmt: skip
@option("--json", "as_json", is_flag=True, help="Scores as JSON.")
@option("-q", "--quiet", is_flag=True, help="No progress and no notes.")
def evaluate(
    folder: Path, label: str | None, resamples: int | None, as_json: bool, quiet: bool
) -> None:
    """Judge the clusters in FOLDER, also by known classes.

    FOLDER was written by `coterie cluster --out`. The classes are those known when it was
    written (names of subfolders, or --label), or a column of the clustered table. Without
    classes, and beside them, clusters are judged by the coherence and diversity of their
    words, by the silhouette and by stability.

    \b
    Examples:
      coterie evaluate results
      coterie evaluate results --label section --resamples 5
      coterie evaluate results --json > scores.json
    """
    from coterie.clustering import load
    from coterie.report.console import internal_table, per_class_table, score_table

    result = load(folder)
    scores = _agreement(folder, result, label, quiet)
    n_resamples = resamples if resamples is not None else 0 if scores else RESAMPLES
    internal = _internal_scores(result, n_resamples, quiet)
    if as_json:
        content = (scores.as_dict() if scores else {}) | {"internal": vars(internal)}
        click.echo(json.dumps(content, indent=1, allow_nan=False))
        return
    if scores:
        terminal.show(score_table(scores), "", per_class_table(scores), "")
    terminal.show(internal_table(internal))


def _agreement(
    folder: Path, result: "Clustering", label: str | None, quiet: bool
) -> "Scores | None":
    """Agreement with classes; None where there are none and no column is named."""
    from coterie.persistence import named

    if label is None and result.corpus.labels is None:
        return None
    with named(folder):
        scores = result.evaluate(label)
    n_left_out = len(result.corpus) - scores.n_documents
    if n_left_out and not quiet:
        terminal.say(f"{n_left_out} documents without a label are left out")
    return scores


def _internal_scores(result: "Clustering", n_resamples: int, quiet: bool) -> "InternalScores":
    from coterie import run_on, watching

    with ExitStack() as stack:
        stack.enter_context(run_on("threads"))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(watching(stack.enter_context(progress.fitting(quiet))))
        return result.internal_scores(n_resamples=n_resamples)


@click.command(cls=terminal.Command)
@click.argument("paths", type=path_type, nargs=-1, metavar="[PATH...]")
@compare_options
@columns_options
@views_options
@text_options
def compare(
    paths: tuple[Path, ...], names: str | None, out: Path | None, **settings: Any
) -> None:
    """Compare methods on the documents in PATH, or two results of the same documents.

    Methods are compared over several seeds, without PATH on the built-in corpus.

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
      coterie compare results other-results
    """
    if len(paths) == 2 and all((path / RECORD).is_file() for path in paths):
        compare_results(paths[0], paths[1], settings["as_json"])
        return
    from coterie import watching
    from coterie.clustering.running import check_number, check_place, place
    from coterie.comparison import compare as compare_methods
    from coterie.comparison.runs import METHODS_COMPARED, checked_methods
    from coterie.comparison.table import writer_of

    chosen = names_in(names) or METHODS_COMPARED
    checked_methods(chosen)
    check_place(settings["on"], settings["scheduler"], "--{}".format)
    if out is not None:
        writer_of(out)
        check_file(out, settings["replace_it"])
    corpus = _documents(paths, settings)
    check_number(settings["n_clusters"] or "auto", len(corpus))
    note_reading(corpus.notes, settings["quiet"])
    with ExitStack() as stack:
        stack.enter_context(place(settings["on"], settings["threads"], settings["scheduler"]))
        shown = stack.enter_context(progress.fitting(settings["quiet"]))
        stack.enter_context(watching(shown))
        wanted = {name: settings[name] for name in ("n_clusters", "seeds", "n_init")}
        table = compare_methods(corpus, chosen, **wanted)
    if out is not None:
        with file_to_write(out, settings["replace_it"]) as draft:
            table.write(draft)
        terminal.say(f"Wrote {out}")
    _show_comparison(table, settings["as_json"])


def _show_comparison(table: "ComparisonTable", as_json: bool) -> None:
    from coterie.report.console import comparison_table

    if as_json:
        click.echo(table.to_json())
    elif sys.stdout.isatty():
        terminal.show(comparison_table(table))
    else:
        click.echo(table.to_markdown(), nl=False)


def _documents(paths: tuple[Path, ...], settings: dict[str, Any]) -> "Corpus":
    """The documents to compare methods on: those in paths, or the built-in ones."""
    if paths:
        from coterie.clustering.sources import corpus_of

        source = paths[0] if len(paths) == 1 else paths
        return corpus_of(source, reading_of(settings), embeddings=settings["embeddings"])
    from coterie.demo import load_demo

    with progress.reading("the docstrings of installed packages", settings["quiet"]):
        return load_demo()


COMMANDS = (evaluate, compare)
