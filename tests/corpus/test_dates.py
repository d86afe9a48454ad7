"""Dates of documents come from mail, facts of files and names, for tables over time."""

import pytest

import coterie
from coterie.corpus import read
from coterie.corpus.kinds.opened import date_in


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2024-05-31.txt", "2024-05-31"),
        ("minutes 2024_05_31 final.txt", "2024-05-31"),
        ("20240531-a.txt", "2024-05-31"),
        ("2024-02-31.txt", None),
        ("120240531.txt", None),
        ("2024-0531.txt", None),
        ("103.txt", None),
    ],
)
def test_a_day_is_found_in_a_name(name, day):
    found = date_in(name)
    assert (found and found.date().isoformat()) == day


def test_dates_of_mail_and_of_names_make_one_table_over_time(tmp_path):
    mail = "From: a\nSubject: tea\nDate: 5 Feb 2024 10:00:00 +0000\n\nGreen tea leaves.\n"
    (tmp_path / "mail.txt").write_text(mail)
    for month in (1, 2, 3):
        (tmp_path / f"2024-0{month}-02 tea.txt").write_text("Green tea leaves grow on hills.")
        (tmp_path / f"2024-0{month}-03 rum.txt").write_text("Dark rum comes from sugar cane.")
    assert str(read(tmp_path).columns["date"].type) == "timestamp[us, tz=UTC]"
    result = coterie.cluster(tmp_path, 2, progress=False)
    table = result.over("date")
    assert table["period"].unique().tolist() == ["2024-01", "2024-02", "2024-03"]
    assert table["documents"].sum() == 7
