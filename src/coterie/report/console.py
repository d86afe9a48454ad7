"""The summary as tables for the terminal; texts are shown as they are, never as markup."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from coterie.evaluation import Scores
from coterie.findings import Cluster, DocumentRow, Summary, WordWeight
from coterie.findings.edits import DROPPED
from coterie.findings.texts import printable, readable_word, shorten
from coterie.report.remarks import MEANINGS, SIGNS, marks, remarks
from coterie.report.wording import internal_measures, measures, percent, thousands

if TYPE_CHECKING:
    from coterie.comparison import ComparisonTable
    from coterie.findings.internal import InternalScores

TITLE_LENGTH = 60


def cluster_table(summary: Summary, *, n_words: int = 8, n_documents: int = 2) -> Table:
    """List the clusters: size and share, strongest words, most typical documents.

    Misleading words have a sign, which the caption explains.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column("", justify="right", style="bold cyan", no_wrap=True)
    table.add_column("Documents", justify="right", no_wrap=True)
    table.add_column("Strongest words", ratio=1)
    table.add_column("Most typical documents", ratio=1, overflow="ellipsis")
    for cluster in summary.clusters:
        table.add_row(
            str(cluster.number),
            _n_documents(cluster),
            _words(cluster, n_words),
            _titles(cluster, n_documents),
        )
        table.add_row()
    shown = marks(summary, n_words)
    if shown:
        table.caption = "\n".join(f"{SIGNS[mark]} {MEANINGS[mark]}" for mark in shown)
        table.caption_justify = "left"
    return table


def remark_table(summary: Summary) -> Table:
    """List what there is to say besides the clusters, a row for each subject."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for subject, sentences in remarks(summary):
        table.add_row(subject, Text(printable(sentences)))
    return table


def view_table(summary: Summary, *, n_words: int = 6) -> Table:
    """List the strongest words of each cluster in each view, side by side."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column("", justify="right", style="bold cyan", no_wrap=True)
    for view in summary.clusters[0].views:
        table.add_column(Text(printable(view.name)), ratio=1, overflow="ellipsis")
    for cluster in summary.clusters:
        words = [
            Text("\n".join(_signed(each) for each in view.words[:n_words]), no_wrap=True)
            for view in cluster.views
        ]
        table.add_row(str(cluster.number), *words)
        table.add_row()
    return table


def word_cluster_table(summary: Summary) -> Table:
    """List the clusters of words and the document clusters that use them."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column("", justify="right", style="bold cyan", no_wrap=True)
    table.add_column("Words", justify="right", no_wrap=True)
    table.add_column("Strongest words", ratio=2)
    linked = any(cluster.links for cluster in summary.word_clusters)
    if linked:
        table.add_column("Used in clusters", ratio=1)
    for cluster in summary.word_clusters:
        words = ", ".join(_readable(each) for each in cluster.words)
        links = ", ".join(f"{number} ({percent(share)})" for number, share in cluster.links)
        numbers = str(cluster.number), thousands(cluster.n_words)
        table.add_row(*numbers, Text(words or "none"), *([links] if linked else []))
    return table


def assigned_table(rows: Sequence[DocumentRow], names: Mapping[int, str]) -> Table:
    """List documents assigned to known clusters, with the clusters' names."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column("Document", ratio=1, overflow="ellipsis", no_wrap=True)
    table.add_column("", justify="right", style="bold cyan", no_wrap=True)
    table.add_column("Cluster", ratio=1, overflow="ellipsis", no_wrap=True)
    table.add_column("Probability", justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            Text(shorten(printable(row.id), TITLE_LENGTH)),
            str(row.cluster) if row.cluster else "",
            Text(printable(names.get(row.cluster, DROPPED))),
            f"{row.probability:.2f}" if row.cluster else "",
        )
    return table


def score_table(scores: Scores) -> Table:
    """List the measures of agreement with the known classes."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Agreement with the labels")
    table.add_column("", justify="right", style="bold")
    table.add_column("", style="dim")
    for name, value, meaning in measures(scores):
        table.add_row(name, value, meaning)
    return table


def internal_table(scores: "InternalScores") -> Table:
    """List the measures that need no labels."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Without labels")
    table.add_column("", justify="right", style="bold")
    table.add_column("", style="dim")
    for name, value, meaning in internal_measures(scores):
        table.add_row(name, value, meaning)
    return table


def comparison_table(compared: "ComparisonTable") -> Table:
    """List the measures, a column for each method; the best mean is bold."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column("", no_wrap=True)
    for name in compared.methods:
        table.add_column(name, justify="right")
    head, *rows = compared.texts(lambda text, mark: text + {"equal": " †"}.get(mark, ""))
    for number, measure in enumerate(compared.measures, start=1):
        marks = [row[measure.name].mark for row in compared.rows]
        cells = [
            Text(row[number], style="bold" if mark == "best" else "")
            for row, mark in zip(rows, marks, strict=True)
        ]
        table.add_row(head[number], *cells)
    table.caption = compared.caption
    table.caption_justify = "left"
    return table


def per_class_table(scores: Scores) -> Table:
    """List precision, recall and F1 of each known class."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Class", overflow="fold")
    for name in ("Documents", "Precision", "Recall", "F1"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in scores.class_table:
        table.add_row(
            Text(shorten(printable(str(row.name)), TITLE_LENGTH)),
            thousands(row.size),
            *(f"{value:.3f}" for value in (row.precision, row.recall, row.f1)),
        )
    return table


def _n_documents(cluster: Cluster) -> Text:
    if cluster.size == 0:
        return Text("empty", style="dim")
    size = Text.assemble(thousands(cluster.size), (f" {percent(cluster.share):>5}", "dim"))
    if cluster.n_doubtful:
        size.append(f"\n{thousands(cluster.n_doubtful)} doubtful", style="dim")
    return size


def _words(cluster: Cluster, n_words: int) -> Text:
    words = [_signed(each) for each in cluster.words[:n_words]]
    return Text.assemble((", ".join(words[:3]), "bold"), ", ".join(["", *words[3:]]))


def _titles(cluster: Cluster, n_documents: int) -> Text:
    titles = [shorten(printable(each.title), TITLE_LENGTH) for each in cluster.documents]
    return Text("\n".join(titles[:n_documents]), no_wrap=True, overflow="ellipsis")


def _signed(word: WordWeight) -> str:
    return _readable(word) + SIGNS[word.mark]


def _readable(word: WordWeight) -> str:
    return printable(readable_word(word.word))
