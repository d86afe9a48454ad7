"""Mail and news are recognised by content; headers and signatures are no words."""

import csv
import datetime

import pytest

from coterie.corpus.mail import (
    DEEPEST,
    NO_TEXT,
    TOO_DEEP,
    Threads,
    looks_like_mail,
    looks_like_mailbox,
    mail_text,
)
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.quotes import own_words
from coterie.corpus.readers import documents

NEWS = (
    "Path: news.example!not-for-mail\nFrom: ann@example.org (Ann)\nSubject: Re: Tea\n"
    "Date: 5 Apr 93 10:00:00 GMT\nMessage-ID: <2@example>\nReferences: <1@example>\n\n"
    "In article <1@example> bob@example.org writes:\n>Which tea?\n\n"
    "Green, {}.\n-- \nAnn\nAcme\n"
)


def one(folder, name, content):
    (folder / name).write_text(content)
    [document] = documents(folder / name)
    return document


@pytest.mark.parametrize("name", ["1.txt", "1", "1.md", "1.eml", "cur:2,S"])
def test_a_message_is_recognised_in_any_file_of_text(tmp_path, name):
    found = one(tmp_path, name, NEWS.format("please"))
    assert (found.title, found.text) == ("Re: Tea", "Tea\nWhich tea?\n\nGreen, please.")
    assert found.columns == {
        "date": datetime.datetime(1993, 4, 5, 10, tzinfo=datetime.UTC),
        "from": "ann@example.org (Ann)",
        "thread": "<1@example>",
    }


def test_a_mailbox_is_recognised_without_its_extension(tmp_path):
    box = "".join(f"From a\n{NEWS.format(word)}\n" for word in ("please", "thanks"))
    (tmp_path / "Inbox").write_text(box)
    found = list(documents(tmp_path / "Inbox"))
    assert [each.text for each in found] == [
        "Tea\nWhich tea?\n\nGreen, please.",
        "Tea\nWhich tea?\n\nGreen, thanks.",
    ]
    assert not looks_like_mailbox(b"From here\nwe see: nothing\n\n")


def test_messages_in_cells_of_a_table_are_read_as_mail(tmp_path):
    with (tmp_path / "mails.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["file", "message", "from"])
        table.writerows([[n, NEWS.format(f"number {n}"), f"sender {n}"] for n in range(3)])
        table.writerow([3, "no mail: just words", ""])
    notes = ReadingNotes()
    found = list(documents(tmp_path / "mails.csv", notes=notes))
    assert [each.text for each in found][2:] == [
        "Tea\nWhich tea?\n\nGreen, number 2.",
        "no mail: just words",
    ]
    assert found[0].title == "Re: Tea"
    assert found[0].columns["thread"] == "<1@example>"
    assert found[0].columns["from"] == "sender 0"  # the table's own column
    assert "the texts in column 'message' were read as mail" in notes.guesses


def test_text_that_only_begins_like_mail_is_no_mail():
    assert not looks_like_mail(b"To: do\nFrom: here\n\nSubject to change")
    assert not looks_like_mail(b"Note: a text\nwith a colon\nFrom: x\nSubject: y\n\n")


FORWARDED = (
    "Look at this.\n\n---------- Forwarded message ---------\nVon: Bob <bob@example.org>\n"
    "Datum: Mo., 5. Mai\nBetreff: Tee\nAn: <ann@example.org>\n\nTee ist da."
)


LISTED = "Teams:\n\nKnights: a@example.org\nCyclones: b@example.org\nBadgers: c@example.org\n."


@pytest.mark.parametrize(
    ("body", "own"),
    [
        ("Am Mo., 5. Mai schrieb Bob\n<bob@example.org>:\n\n> Tee?\n\nJa.", "Tee?\n\nJa."),
        ("Le 05/05/2020 à 10:00, Ann a écrit :\n> Du thé ?\nOui.", "Du thé ?\nOui."),
        ("Yes, it is so.\nOn 5/5/20 Bob wrote:\n> Tea?", "Yes, it is so.\nTea?"),
        (": one\n: two\n: three\nfour", "one\ntwo\nthree\nfour"),
        ("JD> Which?\nGreen.", "Which?\nGreen."),
        ("In article <1@a> b@c says:\n>> >Which?\nGreen.", "Which?\nGreen."),
        ("> In article <1@a> b@c says:\n> > Which?\n> Green.\nYes.", "Which?\nGreen.\nYes."),
        ("> On 5/5/20 Bob wrote:\n> > Which?\n> Green.", "Which?\nGreen."),
        ("mathew <m@a.org> writes ...\n> Which?", "Which?"),
        ("That (as I said) is so :)\n> Which?", "That (as I said) is so :)\nWhich?"),
        (FORWARDED, "Look at this.\n\nTee ist da."),
        ("Words.\n_______________\nAnn, Acme Ltd\nPhone 1\n", "Words."),
        ("Words.\n-----BEGIN PGP SIGNATURE-----\nabc=\n-----END PGP SIGNATURE-----", "Words."),
        ("A file:\nbegin 644 tea.gif\nM" + "#" * 60 + "\nend", "A file:\nend"),
        ("x > y, and\n<b> is bold: yes", "x > y, and\n<b> is bold: yes"),
        ("List:\n- tea\n- rum", "List:\n- tea\n- rum"),
        (LISTED, LISTED),
    ],
)
def test_headers_signatures_and_attributions_are_left_out(body, own):
    assert own_words(body).replace("\n\n\n", "\n\n") == own


def test_threads_follow_replies_without_references():
    threads = Threads()
    assert threads.of([], "<1>") == "<1>"
    assert threads.of(["<1>"], "<2>") == "<1>"
    assert threads.of(["<2>"], "<3>") == "<1>"


def test_parts_that_are_no_alternatives_are_all_read():
    mail = (
        b"Subject: S\nContent-Type: multipart/mixed; boundary=B\n\n--B\n"
        b"Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n"
        b"\n<p>caf=C3=A9\n--B\nContent-Type: text/plain\n\nlist footer\n--B--\n"
    )
    assert mail_text(mail, ReadingNotes())[0] == "S\ncafé\nlist footer"


def test_parts_that_are_not_read_are_noted():
    mixed = (
        "From: a\nSubject: S\nContent-Type: multipart/mixed; boundary=B\n\n--B\n\nsee\n--B\n"
    )
    for part in (
        "Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nlost",
        "Content-Type: application/pdf\n\nlost",
        "Content-Type: text/calendar\n\nlost",
    ):
        notes = ReadingNotes()
        assert mail_text(f"{mixed}{part}\n--B--\n".encode(), notes)[0] == "S\nsee"
        assert notes.guesses == [NO_TEXT]


@pytest.mark.parametrize("levels", [DEEPEST, DEEPEST + 1])
def test_parts_within_too_many_others_are_noted(levels):
    notes = ReadingNotes()
    mail = "Subject: S\n" + levels * "Content-Type: message/rfc822\n\n" + "From: a\n\ntea\n"
    found = (mail_text(mail.encode(), notes)[0], notes.guesses)
    assert found == (("S\ntea", []) if levels == DEEPEST else ("S", [TOO_DEEP]))


def test_a_message_whose_parts_are_not_there_is_read_as_text():
    for boundary in ("", "; boundary=B"):
        mail = f"Subject: S\nContent-Type: multipart/mixed{boundary}\n\ngreen tea\n"
        assert mail_text(mail.encode(), ReadingNotes())[0] == "S\ngreen tea"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_mailbox_may_end_its_lines_as_any_system_does(tmp_path, end):
    box = "".join(
        f"From a\nSubject: S\nFrom: b\n\n{word} tea\n\n" for word in ("green", "black")
    )
    (tmp_path / "Inbox").write_bytes(box.replace("\n", end).encode())
    assert [each.text for each in documents(tmp_path / "Inbox")] == [
        "S\ngreen tea",
        "S\nblack tea",
    ]
