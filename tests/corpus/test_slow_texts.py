"""Texts made to be slow are read in a time that grows as they do, and give what they hold."""

import time

import pytest

from coterie.corpus.mail import mail_text
from coterie.corpus.markup import main_text, visible_text
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.quotes import own_words
from coterie.corpus.segments import cut_text
from coterie.corpus.text import tokenizer
from coterie.explorer.searching import folded

MANY = 100_000
SECONDS = 4  # of the processor; each took minutes
FORMATS = "".join(f"<b id={n}>" for n in range(490))
FORWARDED = "From: a@b.org\nTo: me\nSubject: tea\n\n"


def quickly(function, *values):
    started = time.process_time()
    result = function(*values)
    assert time.process_time() - started < SECONDS
    return result


@pytest.mark.parametrize(
    "body",
    [
        "-" * MANY + "x",
        "<" + "a" * MANY + " wrote:\n> Which?",
        "a" * 80 + "@" + ":" * 150 + " " * 50 * MANY + "x",
        ">" * 10 * MANY + "x",
        "Hi\n" + "-" * 4000 + "x\n" + FORWARDED,
        "Key: value\n" * 19_000,
    ],
    ids=["rule", "name", "address", "marks", "envelope", "headers"],
)
def test_lines_of_mail(body):
    assert quickly(own_words, body + "\nGreen tea.").endswith("Green tea.")


def test_parameters_of_mail():
    kind = b"Content-Type: text/plain" + b'; a=\\"' * 5 * MANY
    mail = b"From: me\nSubject: tea\n" + kind + b"\n\nGreen"
    assert quickly(mail_text, mail, ReadingNotes())[0] == "tea\nGreen"


def test_the_name_of_a_tag_that_does_not_end():
    page = "<p>tea</p>" * 300 + "<" + "a" * MANY
    assert quickly(visible_text, page)[0].startswith("tea\ntea")


def test_formats_that_stay_open_do_not_multiply():
    """A parser opens all of them in each block again, so that small pages filled the memory."""
    page = f"<center>{FORMATS}</center>" + "<center>tea </center>" * 10_000
    text, _, _ = quickly(main_text, page)
    assert text.split() == ["tea"] * 10_000


def test_an_article_within_another_is_read_once():
    words = "Green tea grows on hills, where nights are cool. " * 9
    page = f"<main>{words}<article>Rum.</article></main><article>Milk.</article>"
    text = main_text(page)[0]
    assert (text.count("Rum"), text.count("Milk")) == (1, 1)


def test_ends_of_sentences():
    assert quickly(cut_text, "." * MANY + "x. Yes", "sentence")[1] == "Yes"


@pytest.mark.parametrize("marks", ["\u0301\u0316", "\u0f73\u0f73"])
@pytest.mark.parametrize("function", [tokenizer(), folded], ids=["words", "folded"])
def test_marks_on_one_letter(function, marks):
    found = quickly(function, "tea a" + marks * MANY + " rum naïve")
    assert found[0] in ("t", "tea")
    assert "rum" in found


def test_a_few_marks_stay():
    assert tokenizer()("a\u0301" + "\u0316" * 20) == ["á" + "\u0316" * 20]
