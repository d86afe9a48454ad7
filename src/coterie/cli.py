"""The `coterie` command: each command parses, calls the library and prints."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coterie import __version__, progress, terminal
from coterie.commands import doctor, evaluating, exploring, results
from coterie.commands.files import check_file, file_to_write, replace_file
from coterie.commands.options import (
    columns_options,
    embeddings,
    fit_options,
    main_options,
    names_in,
    note_reading,
    note_replaced,
    option,
    path_type,
    place_options,
    raw_csv,
    reading_of,
    settings_of,
    spelled,
    text_options,
    views_options,
)
from coterie.errors import InputError

if TYPE_CHECKING:
    from coterie.clustering.result import Clustering
    from coterie.clustering.running import Settings
    from coterie.corpus import Corpus
    from coterie.findings import Summary
    from coterie.report.payload import Payload

STANDARD_OUTPUT = "-"
EMBEDDINGS, NO_EMBEDDINGS = "embeddings", "none"


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
      coterie explore my-folder                  all of it in a browser
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
    from coterie.clustering.layout import check_layout
    from coterie.clustering.running import check_method
    from coterie.demo import load_demo

    settings["n_clusters"] = settings["n_clusters"] or 12
    chosen = settings_of(settings)
    check_method(chosen.method, spelled=spelled)
    check_layout(settings["layout"])
    _refuse_early(None, out, chosen)

    with progress.reading("the docstrings of installed packages", settings["quiet"]):
        corpus = load_demo()
    _cluster(
        corpus,
        out,
        chosen,
        title="built-in corpus",
        raw_csv=settings["raw_csv"],
        page=settings["page"],
        layout=settings["layout"],
        as_json=settings["as_json"],
    )


@main.command()
@click.argument(
    "paths",
    type=terminal.PathOrAddress(path_type=Path, allow_dash=True),
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

    PATH is a folder with its subfolders, a table (CSV, JSONL, Parquet, Arrow, SQLite, Excel),
    mail, a PDF, office or book file, or an archive of these; an address such as
    s3://bucket/texts, for which fsspec and the package of that store are needed; - is standard
    input: a table, or a document a line.

    The first Ctrl-C ends a long fit and keeps the best result so far (methods of scikit-learn
    keep none); a second one stops at once. Clusters are numbered from 1, the largest first.

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
      coterie cluster letters/ --out results --embeddings all-MiniLM-L6-v2
      coterie cluster reviews.csv -k 5 --text body --label stars --out results
      coterie cluster news.jsonl.gz -k 20 --method plsa --language de --stem
      coterie cluster parallel.jsonl -k 6 --views en,de,fr
    """
    from coterie.clustering.layout import check_layout
    from coterie.clustering.running import check_method, place_to_read
    from coterie.clustering.sources import (
        corpus_of,
        located,
        model_named,
        storage_within,
        titled,
    )

    chosen, vectors = settings_of(settings), settings["embeddings"]
    check_method(
        chosen.method,
        names_in(settings["views"]),
        vectors=vectors is not None,
        spelled=spelled,
    )
    check_layout(settings["layout"])
    for path in paths:
        _refuse_early(path, out, chosen)
    source, how = paths[0] if len(paths) == 1 else paths, reading_of(settings)
    storage = storage_within(chosen.memory)
    with place_to_read(chosen):
        corpus = corpus_of(source, how, embeddings=vectors, storage=storage)
        how = replace(how, embeddings=model_named(vectors))
        if storage.on_disk and not chosen.quiet:
            terminal.say(storage.note())
        about = {"source": located(source), "reading": how, "raw_csv": settings["raw_csv"],
                 "page": settings["page"], "layout": settings["layout"],
                 "as_json": settings["as_json"]}  # fmt: skip
        if settings["by_language"] and _cluster_by_language(corpus, out, chosen, source, about):
            return
        _cluster(corpus, out, chosen, title=titled(source), **about)


@main.command()
@click.argument("model", type=path_type)
@click.argument("path", type=terminal.PathOrAddress(path_type=Path))
@option(
    "--out",
    type=terminal.NamedPath(path_type=Path, allow_dash=True),
    metavar="FILE",
    help="File to write, .csv or .parquet, or - for CSV on standard output (default: a table "
    "on the terminal).",
)
@option(
    "--parts",
    type=terminal.PathOrAddress(path_type=Path),
    metavar="FOLDER",
    help="New folder, or address, for Parquet files in place of one file; each is written "
    "where its part of PATH is read: on the workers of --on dask.",
)
@replace_file
@raw_csv
@option("-q", "--quiet", is_flag=True, help="No progress and no notes.")
@columns_options
@embeddings
@place_options
def assign(
    model: Path,
    path: Path,
    out: Path | None,
    parts: Any,
    replace_it: bool,
    raw_csv: bool,
    quiet: bool,
    **columns: Any,
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
      coterie assign results s3://bucket/mail --on dask --parts s3://bucket/assigned
    """
    from coterie.clustering.running import check_place, place
    from coterie.clustering.tables import with_columns
    from coterie.report.results import assignments_csv
    from coterie.report.tables import write_table

    if parts is not None and out is not None:
        raise InputError("--parts: --out was given too; expected one")
    to_file = out is not None and str(out) != STANDARD_OUTPUT
    if out is not None and to_file:
        _check_out(out, path, replace_it)
    assigner = _assigner_for(model, columns["embeddings"], quiet)
    check_place(columns["on"], columns["scheduler"], "--{}".format)
    how = _named_columns(columns) | {"quiet": quiet, "embeddings": columns["embeddings"]}
    with place(columns["on"], columns["threads"], columns["scheduler"]):
        if parts is not None:
            _assign_parts(assigner, path, parts, how)
            return
        corpus = assigner.counted(path, **how)
        rows = assigner.rows(corpus)
    note_reading(corpus.notes, quiet)
    if out is None:
        from coterie.report.console import assigned_table

        terminal.show(assigned_table(rows, assigner.names))
        return
    table = with_columns(corpus, assigner.columns(corpus), texts=False)
    if to_file:
        with file_to_write(out, replace_it) as draft:
            write_table(draft, table, raw=raw_csv)
        terminal.say(f"Wrote {out}")
    else:
        terminal.show_csv(assignments_csv(table, raw_csv=raw_csv))


def _assigner_for(model: Path, embeddings: str | None, quiet: bool) -> Any:
    """The saved model, which must be one of texts."""
    from coterie.clustering.saving import load_assigner

    assigner = load_assigner(model)
    if assigner.model.vocabulary_ is None:
        raise InputError(f"{model}: fitted to a matrix of counts, so it cannot read texts")
    _refuse_embeddings(embeddings, assigner, quiet)
    return assigner


def _named_columns(columns: dict[str, Any]) -> dict[str, Any]:
    """Columns and limits that were named for new documents."""
    from coterie.corpus import Limits

    text = columns["text"]
    return {
        "text": None if text is None else names_in(text) or (),
        "id": columns["id_column"],
        "title": columns["title"],
        "label": columns["label"],
        "table": columns["table"],
        "limits": Limits.parse(columns["limits"]),
    }


def _assign_parts(assigner: Any, path: Any, parts: Any, how: dict[str, Any]) -> None:
    """Assign and write in partitions, where they are read."""
    from coterie.clustering.parts import assign_parts, folder_of
    from coterie.report.wording import counted

    written = assign_parts(assigner, path, folder_of(parts), **how)
    note_reading(written.notes, how["quiet"])
    files, documents = counted(written.n_files, "file"), written.notes.documents
    terminal.say(f"Wrote {files} with {counted(documents, 'document')} to {parts}")


def _check_out(out: Path, source: Path, replace_it: bool) -> None:
    """Refuse a file that cannot be written, or that is the one to be read."""
    from coterie.report.tables import TABLES

    if out.is_file() and Path(source).exists() and out.samefile(source):
        raise InputError(f"{out}: the file that is read; choose another to write")
    check_file(out, replace_it)
    if out.suffix.lower() not in TABLES:
        raise InputError(f"{out}: expected a name that ends in {', '.join(TABLES)}")


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


for command in (
    *exploring.COMMANDS,
    *evaluating.COMMANDS,
    *results.COMMANDS,
    *doctor.COMMANDS,
):
    main.add_command(command)


def _cluster_by_language(
    corpus: "Corpus", out: Path | None, settings: "Settings", source: Any, about: dict[str, Any]
) -> bool:
    """Cluster the documents of each language by themselves; False where all are in one."""
    from coterie.clustering.languages import FEWEST, by_language, languages_of, left_out
    from coterie.clustering.running import check_number
    from coterie.clustering.sources import titled

    if languages_of(corpus) is None:
        terminal.say("Note: --by-language: the documents are in one language")
        return False
    note_reading(corpus.notes, settings.quiet)
    parts = list(by_language(corpus))
    few = left_out(corpus)
    named = ", ".join(f"{code} {number}" for code, number in few.items())
    if not parts:
        raise InputError(f"--by-language: no language has {FEWEST} documents ({named})")
    if few:
        terminal.say(
            f"Note: {sum(few.values())} documents are left out, in languages of fewer than "
            f"{FEWEST} documents: {named}"
        )
    for code, part in parts:
        try:
            check_number(settings.n_clusters, len(part))
        except InputError as error:
            raise InputError(f"--by-language: {code}: {error}") from error
    for code, part in parts:
        terminal.show("", f"Language {code}: {len(part):,} documents")
        folder = None if out is None else out / code
        part.notes = replace(part.notes, documents=len(part), guesses=[])
        _cluster(part, folder, settings, title=f"{titled(source)} ({code})", **about)
    return True


def _cluster(
    corpus: "Corpus", out: Path | None, settings: "Settings", *, as_json: bool, **about: Any
) -> None:
    """Fit, write where asked, and show."""
    from coterie.clustering import running
    from coterie.clustering.result import About, Clustering

    running.check_number(settings.n_clusters, len(corpus))
    note_reading(corpus.notes, settings.quiet)
    fitted = running.fit(corpus, settings, spelled)
    for note in () if settings.quiet else fitted.notes:
        terminal.say(note)
    for remark in fitted.remarks:
        terminal.say(f"Note: {remark}")
    known = About(settings=settings, seconds=fitted.seconds, **about)
    result = Clustering(fitted.model, corpus, about=known)
    if out is None:
        _show(result.summary, as_json)
        return
    is_stopped = bool(getattr(fitted.model, "interrupted_", False))
    with terminal.writing_results() as stop_was_asked:
        out, is_cut = _write(out, result, lambda: is_stopped or stop_was_asked())
        if not stop_was_asked():
            _show(result.summary, as_json)
        if is_cut:
            terminal.say(
                "Note: the page is a light one, to end soon; an edit writes the full one"
            )
        so_far = ", the best result so far" if is_stopped else ""
        terminal.say(f"Wrote {out}{so_far}; open {out / 'report.html'}")


def _write(out: Path, result: "Clustering", in_haste: Callable[[], bool]) -> tuple[Path, bool]:
    """Write results where asked or, where that was changed during the fit, beside it.

    Also tells whether the page became a light one, since it was to end soon.
    """
    from coterie.clustering.page import is_light, page_payload
    from coterie.clustering.saving import save
    from coterie.folders import free_name

    cut: list[bool] = []

    def page(folder: Path, corpus: "Corpus") -> "Payload | None":
        full = None if in_haste() else page_payload(result, folder, corpus)
        cut[:] = [in_haste() and not is_light(result)]
        return None if in_haste() else full

    try:
        return save(result, out, page), any(cut)
    except InputError as error:
        beside = save(result, free_name(out), page)
        terminal.say(f"Note: {error}")
        return beside, any(cut)


def _show(summary: "Summary", as_json: bool) -> None:
    if as_json:
        terminal.show_json(summary.to_json())
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


def _refuse_early(source: Path | str | None, out: Path | None, settings: "Settings") -> None:
    """Refuse what cannot work before documents are read."""
    checkpoint = settings.checkpoint
    for written in (out, checkpoint):
        if not written or not isinstance(source, Path) or not source.is_dir():
            continue
        if _is_within(written, source):
            raise InputError(
                f"{written}: inside {source}, so it would be read as documents; "
                "choose another folder"
            )
    if checkpoint:
        from coterie.persistence import refuse_foreign

        refuse_foreign(checkpoint, "checkpoint")
    if out and checkpoint and _is_within(out, checkpoint):
        raise InputError(f"{out}: inside the checkpoint folder, which is deleted after the fit")
    note_replaced(out, settings.quiet)


def _is_within(path: Path, folder: Path) -> bool:
    from coterie.folders import linked_to

    return linked_to(path).is_relative_to(linked_to(folder))


def _refuse_embeddings(given: str | None, assigner: Any, quiet: bool) -> None:
    expected = EMBEDDINGS in getattr(assigner.model, "vector_views_", ())
    if given not in (None, NO_EMBEDDINGS) and not expected:
        raise InputError(f"--embeddings {given}: the model was fitted without embeddings")
    if given is None and expected and not assigner.computes_embeddings and not quiet:
        terminal.say(
            "Note: the model was fitted with embeddings; without --embeddings, documents are "
            "assigned by their words alone"
        )
