"""The `coterie` command. A command parses, calls the library, and prints."""

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

AUTO = "auto"
COUNTS_FOR_ONE_RESTART = 2_000_000
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


option = partial(click.option, cls=terminal.Option)
column = partial(option, metavar="COL", section="Columns of a table")
word = partial(option, section="Words")
fit = partial(option, section="Fitting")
positive = terminal.whole_number(1)
path_type = click.Path(path_type=Path)

main_options = options(
    option("-k", "n_clusters", type=terminal.number_or_auto, metavar="N",
           help="Number of clusters, or auto, which is the default and looks for it."),
    option("--method", metavar="NAME",
           help="See `coterie methods`; else auto."),
    option("--out", type=path_type, metavar="DIR",
           help="Folder for tables, model and report."),
    option("-q", "--quiet", is_flag=True, help="No progress, no notes on what was read."),
)  # fmt: skip
columns_options = options(
    column("--text", metavar="COL[,COL]", help="The text; else it is looked for."),
    column("--id", "id_column", help="What names each document; else its number."),
    column("--label", help="Known classes, to compare with."),
    column("--title", help="Titles; else the first words of the text."),
)
embeddings = column(
    "--embeddings", type=path_type, metavar="FILE.npy",
    help="Vectors of the documents, a row each in their order; auto computes them.",
)  # fmt: skip
views_options = options(
    column("--views", metavar="NAME,NAME",
           help="Columns, or folders of files with equal names: views, as languages."),
    embeddings,
)  # fmt: skip
text_options = options(
    word("--language", metavar="CODE",
         help="As en or fr, or one a view as en,fr; else its name if a code, or identified."),
    word("--stop-words", default="auto", show_default=True, metavar="LIST",
         help="auto, short, long, none, or a file with a word a line."),
    word("--stem", is_flag=True, help="Count words by their Snowball stems."),
    word("--digits", type=click.Choice(["one", "keep", "drop"]), default="one",
         show_default=True, help="Numbers: as one word, each as its own, or not at all."),
    word("--min-df", type=terminal.frequency, metavar="N",
         help="Drop words in fewer documents: a number, as 3, or a share, as 1%."),
    word("--max-df", type=terminal.frequency, default=1.0, metavar="N",
         help="Drop words in more documents: a number, or a share, as 50%."),
    word("--max-words", type=positive, metavar="N", help="Keep the most frequent words."),
    word("--ngrams", type=positive, default=1, metavar="N",
         help="2 counts pairs of words too, 3 also runs of three, ..."),
)  # fmt: skip
fit_options = options(
    fit("--word-clusters", type=positive, metavar="N",
        help="Clusters of words, for methods that have them; else twice -k, at least 10."),
    fit("--start", type=click.Choice(["kmeans", "dirichlet", "random"]), default=None,
        help="Where runs begin; else kmeans for mm and several views, or the method's own."),
    fit("--seed", type=terminal.whole_number(0, 2**32 - 1), default=0, show_default=True,
        metavar="N", help="Same seed, same answer."),
    fit("--restarts", type=positive, metavar="N",
        help="Runs, the best of which is kept; 10, fewer if documents are many."),
    fit("--max-iter", type=positive, metavar="N",
        help="Most steps of a run; else the method's own, mostly 200."),
    fit("--threads", type=positive, metavar="N",
        help="Cores to use, else all; does not change the answer."),
    fit("--checkpoint", type=path_type, metavar="DIR",
        help="Folder to keep a long fit in; the same command goes on from there."),
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
      coterie demo                               see it work, nothing needed
      coterie cluster my-folder                  a folder of texts
      coterie cluster mails.mbox --out out       with tables, model and a page
      coterie cluster a.csv -k 5 --text body     a column of a table
      coterie assign out new-folder              place new documents
      coterie cluster --help                     all that can be set
    """


@main.command()
@main_options
@fit_options
def demo(out: Path | None, **settings: Any) -> None:
    """Cluster the built-in corpus and show what was found.

    The corpus is made of the docstrings of Python packages on this machine, twelve classes of
    them, so that the clusters can be compared with a known answer; -k is 12 unless given.

    \b
    Examples:
      coterie demo
      coterie demo --method plsa --out demo-results
    """
    _settle_method(settings)
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

    PATH is a folder (read with all below it), a CSV, TSV, JSONL or Parquet table, an mbox, or
    an archive of any of these. Ctrl-C ends a long fit early and keeps the best found so far.

    \b
    With --out, that folder gets:
      report.html        all that was found, on a page to open in a browser
      documents.csv      each document's cluster, its probability, second choice
      documents.parquet  the same, in full precision
      doubtful.csv       those of them that might as well be elsewhere
      duplicates.csv     groups of documents that say the same, or almost
      levels.csv         each document's group when groups are fewer, or more
      terms.csv          words of each cluster; a mark at boilerplate
      clusters.json      all the page shows, as data: also the numbers of
                         clusters tried, the tree, how sure probabilities are
      model/             what `coterie assign` and `evaluate` read

    \b
    Examples:
      coterie cluster letters/
      coterie cluster letters/ --out results --embeddings letters.npy
      coterie cluster reviews.csv -k 5 --text body --label stars --out results
      coterie cluster news.jsonl.gz -k 20 --method plsa --language de --stem
      coterie cluster parallel.jsonl -k 6 --views en,de,fr
    """
    views, vectors = _names(settings.pop("views")), settings.pop("embeddings")
    _settle_method(settings, views, vectors)
    _refuse_early(path, out, settings)
    columns = {
        "text": _names(settings.pop("text")),
        "id": settings.pop("id_column"),
        "label": settings.pop("label"),
        "title": settings.pop("title"),
        "views": views or [],
    }
    options = _text_options(settings, views)
    from coterie.corpus import read

    with terminal.reading(str(path), settings["quiet"]) as tick:
        corpus = _with_embeddings(
            vectors, lambda: read(path, **columns, options=options, tick=tick)
        )
    details = {"source": str(path.resolve()), "columns": columns}
    _cluster(corpus, out, path.resolve().name, settings, details)


@main.command()
@click.argument("model", type=path_type)
@click.argument("path", type=path_type)
@option(
    "--out",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE",
    help="CSV to write, - for the standard output; else a table is shown.",
)
@option("-q", "--quiet", is_flag=True, help="No progress, no notes on what was read.")
@columns_options
@embeddings
def assign(model: Path, path: Path, out: Path | None, quiet: bool, **columns: Any) -> None:
    """Place the documents in PATH in the clusters of MODEL.

    MODEL is the folder `coterie cluster --out` wrote, or the model folder in it. Words are
    counted as they were then; each document is placed on its own. Columns of a table are
    those of then where none are named; '' stands for none.

    \b
    Examples:
      coterie assign results new-letters/
      coterie assign results reviews-of-june.csv --out june.csv
      coterie assign results mail.eml --out -
    """
    from coterie.corpus import read
    from coterie.findings import assign_documents
    from coterie.findings.saved import load_saved
    from coterie.report import results

    to_file = out is not None and str(out) != STANDARD_OUTPUT
    if out is not None and to_file:
        results.check_assignments_file(out, path)
    saved = load_saved(model)
    if saved.model.vocabulary_ is None:
        raise InputError(f"{model}: fitted to a matrix, so it cannot read texts")
    vectors = columns.pop("embeddings")
    _refuse_embeddings(vectors, saved.model, quiet)
    chosen = _columns_as_then(columns, saved.columns)
    words = saved.model.vocabulary_
    with terminal.reading(str(path), quiet) as tick:
        corpus = _with_embeddings(
            vectors, lambda: read(path, **chosen, options=words, tick=tick)
        )
    rows = assign_documents(saved.model, corpus)
    _tell(corpus.notes, quiet)
    if out is None:
        from coterie.report.console import assigned_table

        terminal.show(assigned_table(rows, saved.names))
    elif to_file:
        results.write_assignments(out, rows)
        terminal.say(f"Wrote {out}")
    else:
        click.echo(results.assignments_csv(rows), nl=False)


@main.command()
@click.argument("folder", type=path_type)
@option("--label", metavar="COL", help="Column with the classes; else those known.")
@option("--json", "as_json", is_flag=True, help="Print the scores as JSON.")
def evaluate(folder: Path, label: str | None, as_json: bool) -> None:
    """Compare the clusters in FOLDER with known classes.

    FOLDER is what `coterie cluster --out` wrote. Classes are those found when clustering
    (folder names, or --label), or a column of the clustered table.

    \b
    Examples:
      coterie evaluate results
      coterie evaluate results --label section
      coterie evaluate results --json > scores.json
    """
    from coterie.findings.saved import evaluate_results
    from coterie.report.console import per_class_table, score_table

    scores, n_unlabelled = evaluate_results(folder, label)
    if n_unlabelled:
        terminal.say(f"{n_unlabelled} documents without a label, left out")
    if as_json:
        import json

        click.echo(json.dumps(scores.as_dict(), indent=1, allow_nan=False))
    else:
        terminal.show(score_table(scores), "", per_class_table(scores))


@main.command()
def methods() -> None:
    """List the clustering methods.

    \b
    Examples:
      coterie methods
      coterie cluster letters/ -k 8 --method plsa
    """
    from coterie.methods import METHODS

    rows = [[each.name, each.title, each.good_for, each.reference] for each in METHODS.values()]
    terminal.show(terminal.listing(["Method", "What it is", "Good for", "After"], rows))


@main.command()
@click.argument("name", required=False)
@option("--runs", type=positive, metavar="N", help="Runs of each method; else the paper's.")
@option("--quick", is_flag=True, help="A look at the signs, on samples, in seconds.")
@option(
    "--out",
    type=path_type,
    default=Path("reproduced"),
    show_default=True,
    metavar="DIR",
    help="Folder for pages, data and pictures.",
)
@option("--jobs", type=positive, metavar="N", help="Processes at once; else one a core.")
@option(
    "--cells",
    type=path_type,
    metavar="DIR",
    help="Where single results are kept; else in the user's cache.",
)
@option("--fresh", is_flag=True, help="Compute again what is kept.")
@option("-q", "--quiet", is_flag=True, help="No progress.")
def reproduce(
    name: str | None,
    runs: int | None,
    quick: bool,
    out: Path,
    jobs: int | None,
    cells: Path | None,
    fresh: bool,
    quiet: bool,
) -> None:
    """Compute a published table or figure again, or list them all.

    NAME is that of an item in the list, a paper as 002, or all. Each run that ends is kept, so
    that an interrupted command goes on where it stopped, and tables share what they have in
    common. The folder gets a page, its data and pictures, and an index of all.

    \b
    Examples:
      coterie reproduce
      coterie reproduce 002-figure6
      coterie reproduce all --quick --out quick
    """
    import coterie_papers as papers
    from coterie.executors import available_threads
    from coterie_papers.cells import Store, default_store

    if name is None:
        _list_items(runs, quick)
        return
    store = Store(cells) if cells else default_store()
    for chosen in papers.chosen(name):
        scope = papers.scope_of(chosen, runs, quick)
        with (
            terminal.saying_if_stopped("What was computed is kept: the same command goes on."),
            terminal.computing(chosen.name, chosen.seconds(scope), quiet) as tell,
        ):
            sheet, written = papers.reproduce(
                chosen, out, runs=runs, quick=quick, jobs=jobs or available_threads(),
                fresh=fresh, store=store, tell=tell,
            )  # fmt: skip
        held = sum(claim.holds for claim in sheet.claims)
        terminal.say(f"{chosen.name}: {sheet.headline}")
        terminal.say(f"  {held} of {len(sheet.claims)} statements hold; wrote {written[-3]}")


def _list_items(runs: int | None, quick: bool) -> None:
    import coterie_papers as papers

    rows = []
    for item in papers.items():
        absent = papers.missing(item)
        data = ", ".join(
            f"{need} (missing)" if need in absent else need for need in papers.needed(item)
        )
        seconds = item.seconds(papers.scope_of(item, runs, quick))
        rows.append(
            [item.name, item.title, data, ", ".join(item.original), terminal.duration(seconds)]
        )
    headings = ["Item", "What", "Data", "In the paper", "One core"]
    terminal.show(terminal.listing(headings, rows))


@main.command()
@click.argument("name", required=False)
@option("--check", is_flag=True, help="Compare files with their known SHA-256 sums.")
def datasets(name: str | None, check: bool) -> None:
    """List the collections that can be loaded, or say where to get one.

    Collections are looked for in the folder that COTERIE_DATA names, then in the user's cache.

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
        place = catalogue.whereabouts(each.name)
        state = "missing" if place is None else str(place)
        rows.append([each.name, each.size, ", ".join(each.papers), state])
    terminal.show(terminal.listing(["Collection", "Size", "Papers", "Where"], rows))
    for each in entries if check else ():
        for finding in catalogue.check(each.name):
            terminal.show(f"{finding.file}: {catalogue.WORDS[finding.state]}")
    if name:
        terminal.show(*catalogue.explained(entries[0]))


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
    _tell(corpus.notes, settings["quiet"])
    started = time.perf_counter()
    model = _fit(corpus, title, settings)
    seconds = time.perf_counter() - started
    if settings["n_clusters"] == AUTO and not settings["quiet"]:
        found = len(model.components_)
        terminal.say(f"{found} cluster{'' if found == 1 else 's'}; -k asks for another number")
    summary = summarize(model, corpus, method=settings["method"], title=title, seconds=seconds)
    if out:
        from coterie.report.results import write_results

        write_results(out, model, summary, **details)
    _show(summary)
    if out:
        terminal.say(f"Wrote {out}; open {out / 'report.html'}")


def _refuse_number(wanted: Any, n_documents: int) -> None:
    if wanted == AUTO and n_documents == 1:
        raise InputError("one document only, expected several to cluster")
    if wanted != AUTO and wanted > n_documents:
        raise InputError(f"-k {wanted}: more clusters than documents, which are {n_documents}")


def _number_of_clusters(
    corpus: "Corpus", chosen: Any, settings: dict[str, Any]
) -> tuple[Any, dict[str, list[float]]]:
    """The number asked for, or "auto" for the method that looks for it, or what that finds.

    With it comes the curve it was read from, empty where none was.
    """
    if settings["n_clusters"] != AUTO or chosen.name == AUTO:
        return settings["n_clusters"], {}
    from coterie.automatic import number_of_clusters

    return number_of_clusters(corpus, random_state=settings["seed"])


def _fit(corpus: "Corpus", title: str, settings: dict[str, Any]) -> Any:
    from coterie import checkpointing, run_on, watching
    from coterie.methods import LIBRARY, method

    restarts = settings["restarts"]
    if restarts is None:
        n_counts = sum(view.counts.nnz for view in corpus.views.values())
        restarts = max(1, min(10, COUNTS_FOR_ONE_RESTART // max(n_counts, 1)))
    chosen = method(settings["method"])
    with ExitStack() as stack:
        stack.enter_context(run_on("threads", n_threads=settings["threads"]))
        caught = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        bar = stack.enter_context(terminal.fitting(title, settings["quiet"]))
        stack.enter_context(watching(bar))
        if chosen.reference != LIBRARY:  # which would never come to the end of a step
            stack.enter_context(
                watching(stack.enter_context(terminal.stopping_between_steps()))
            )
        n_clusters, curve = _number_of_clusters(corpus, chosen, settings)
        model = chosen.make(
            n_clusters,
            seed=settings["seed"],
            n_init=restarts,
            max_iter=settings["max_iter"],
            start=settings["start"],
            n_word_clusters=settings["word_clusters"],
        )
        if settings["checkpoint"]:
            stack.enter_context(checkpointing(settings["checkpoint"]))
        model.fit(corpus)
    if curve:
        model.n_clusters_curve_ = curve
    _tell_how_it_ended(model, caught, settings)
    return model


def _tell_how_it_ended(model: Any, caught: list[Any], settings: dict[str, Any]) -> None:
    from coterie import InterruptedWarning

    said = [w.message for w in caught if issubclass(w.category, InterruptedWarning)]
    if model.interrupted_ or said:
        stop = said[-1] if said else "stopped by Ctrl-C; the best so far is kept"
        resume = "; the same command goes on from there" if settings["checkpoint"] else ""
        terminal.say(f"Note: {stop}{resume}")
    elif not model.converged_:
        terminal.say(f"Note: not converged in {model.n_iter_} steps; --max-iter allows more")


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
    if (said := remark_table(summary)).row_count:
        terminal.show(said, "")
    if summary.scores is not None:
        terminal.show(score_table(summary.scores))


def _tell(notes: "ReadingNotes", quiet: bool) -> None:
    if not quiet:
        for line in notes.lines():
            terminal.say(line)


def _refuse_early(source: Path | None, out: Path | None, settings: dict[str, Any]) -> None:
    """Say what cannot work before documents are read, not after."""
    from coterie.methods import method

    _refuse_unused(method(settings["method"]), settings)
    checkpoint = settings["checkpoint"]
    for written in (out, checkpoint):
        if written and source and source.is_dir() and _is_within(written, source):
            raise InputError(
                f"{written}: in {source}, where it would be read as documents; "
                "choose a folder elsewhere"
            )
    if checkpoint:
        from coterie.persistence import refuse_foreign

        refuse_foreign(checkpoint, "checkpoint")
    if out and checkpoint and _is_within(out, checkpoint):
        raise InputError(f"{out}: in the checkpoint's folder, which is emptied in the end")
    if out is not None:
        from coterie.report.results import check_results_folder

        check_results_folder(out)


def _refuse_unused(chosen: Any, settings: dict[str, Any]) -> None:
    for name in chosen.unused:
        if settings[name] is not None:
            option_name = "--" + name.replace("_", "-")
            raise InputError(f"{option_name}: means nothing to the method {chosen.name}")
    if settings["checkpoint"] and not chosen.resumes:
        raise InputError(f"--checkpoint: a fit by {chosen.name} cannot be kept and resumed")


def _is_within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _names(columns: str | None) -> list[str] | None:
    return [name.strip() for name in columns.split(",")] if columns else None


def _columns_as_then(columns: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    """The columns named now, else those of the clustered table; labels are not expected."""
    given = {
        "text": columns["text"],
        "id": columns["id_column"],
        "label": columns["label"],
        "title": columns["title"],
    }
    then = {"text": None, "id": None, "title": None, "views": None} | then | {"label": None}
    given["views"] = None
    chosen = {name: then[name] if each is None else each for name, each in given.items()}
    if given["text"] is not None:
        chosen["text"] = _names(given["text"])
    return {name: each or None for name, each in chosen.items()}


def _text_options(settings: dict[str, Any], views: list[str] | None) -> Any:
    """How to count words, in each view where there are several languages."""
    from coterie.corpus import TextOptions

    names = ("stop_words", "stem", "digits", "min_df", "max_df", "max_words", "ngrams")
    chosen = {name: settings.pop(name) for name in names}
    codes = _names(settings.pop("language")) or []
    if len(codes) < 2:
        return TextOptions(language=codes[0] if codes else None, **chosen)
    if len(codes) != len(views or ["text"]):
        expected = f"one or as many as views, {len(views)}" if views else "one"
        raise InputError(
            f"--language {','.join(codes)}: {len(codes)} given, expected {expected}"
        )
    pairs = zip(views or (), codes, strict=True)
    return {view: TextOptions(language=code, **chosen) for view, code in pairs}


def _settle_method(
    settings: dict[str, Any], views: list[str] | None = None, vectors: Path | None = None
) -> None:
    """Choose a method where none was named, and refuse one that sees other views than given."""
    from coterie.methods import METHODS, method

    n_views = len(views or ["text"]) + (vectors is not None)
    if views and len(set(views)) < len(views):
        raise InputError(f"--views {','.join(views)}: the same view twice")
    if views and n_views == 1:
        raise InputError(
            f"--views {views[0]}: one view only, expected several; --text {views[0]} clusters "
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
            f"--method {chosen.name}: needs several views; --views names them, --embeddings "
            "adds one"
        )


def _with_embeddings(file: Path | None, read: Callable[[], "Corpus"]) -> "Corpus":
    """What `read` gives, with the vectors of a file, which is looked at first."""
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
        raise InputError(f"--embeddings {file}: the model was fitted without")
    if file is None and expected and not quiet:
        terminal.say(
            "no --embeddings, which the model has: documents are placed by words alone"
        )
