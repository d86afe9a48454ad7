"""Tables for the terminal fit it, and show texts as they are."""

import io

import pytest
from rich.console import Console

from coterie.findings import summarize
from coterie.report.console import cluster_table, per_class_table, score_table


def printed(table, width=80):
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=True, color_system="standard").print(table)
    return stream.getvalue()


def plain(table, width=80):
    stream = io.StringIO()
    Console(file=stream, width=width).print(table)
    return stream.getvalue()


def test_the_clusters_are_listed_with_words_and_documents(model, corpus):
    text = plain(cluster_table(summarize(model, corpus, method="by hand")))
    for part in ("5  83 %", "goal, team, ice", "Season opener", "orbit, moon, said", "empty"):
        assert part in text


def test_the_word_for_numbers_is_named(model, make_corpus):
    corpus = make_corpus()
    corpus.words[0] = "#"
    text = plain(cluster_table(summarize(model, corpus, method="by hand")))
    assert "(numbers), team, ice" in text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_lines_fit_the_terminal_and_long_titles_are_cut(model, make_corpus, width):
    corpus = make_corpus(titles=["a very long title indeed " * 20] * 6)
    text = plain(cluster_table(summarize(model, corpus, method="by hand")), width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert "…" in text
    assert len(text.splitlines()) < 20


@pytest.mark.parametrize("title", ["[red]x[/]", "[/]", "[bold", ":smile:", "[link=x]y[/link]"])
def test_markup_is_shown_and_never_obeyed(model, make_corpus, title):
    corpus = make_corpus(titles=[title] * 6, labels=[title] * 6)
    corpus.words[5] = title
    summary = summarize(model, corpus, method="by hand")
    text = plain(cluster_table(summary))
    assert text.count(title) >= 3
    assert title in plain(per_class_table(summary.scores))


def test_texts_cannot_drive_the_terminal(model, make_corpus):
    corpus = make_corpus(titles=["\x1b]0;owned\x07\x1b[2Jx\u202ey"] * 6)
    text = printed(cluster_table(summarize(model, corpus, method="by hand")))
    assert "\x1b]" not in text
    assert "\x1b[2J" not in text
    assert "\x07" not in text
    assert "\u202e" not in text


def test_scores_and_classes_are_listed(model, labelled):
    scores = summarize(model, labelled, method="by hand").scores
    text = plain(score_table(scores))
    assert "Micro precision" in text
    assert "0.800" in text
    assert "hockey" in plain(per_class_table(scores))
    assert "0.750" in plain(per_class_table(scores))
