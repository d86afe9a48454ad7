"""Clusters over time and by the values of a column."""

import datetime

import pandas as pd
import pyarrow as pa
import pytest

import coterie
from coterie.clustering.columns import _day
from coterie.errors import InputError

TEXTS = ["green tea", "black tea", "tea leaves", "dark rum", "white rum", "rum punch"]


def clustered(**columns):
    return coterie.cluster(
        pa.table({"text": TEXTS, **columns}), 2, "mm", text="text", progress=False
    )


def table(frame):
    """Documents by group and cluster."""
    columns = (frame[name].to_pylist() for name in (0, "number", "documents"))
    return {(group, number): n for group, number, n in zip(*columns, strict=True)}


def tea(result):
    return int(result.labels[0])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-05-17", "2024-05-17"),
        ("2024-05-17T23:30:00+02:00", "2024-05-17"),
        ("2024-05-17 23:30:00 UTC", "2024-05-17"),
        ("2024-05-17T10:00:00.123456789Z", "2024-05-17"),
        ("20240517", "2024-05-17"),
        (20240517, "2024-05-17"),
        (" 2024 ", "2024-01-01"),
        (2024.0, "2024-01-01"),
        ("2024-05", "2024-05-01"),
        ("Fri, 17 May 2024 10:00:00 +0200", "2024-05-17"),
        ("17-MAY-2024 10:57:32.16", "2024-05-17"),
        ("17 May 2024", "2024-05-17"),
        ("May 17, 2024 10:00 pm", "2024-05-17"),
        (datetime.datetime(2024, 5, 17, 3), "2024-05-17"),
        (datetime.date(2024, 5, 17), "2024-05-17"),
        (pd.Timestamp("2024-05-17"), "2024-05-17"),
    ],
)
def test_dates_are_read_in_many_forms(value, expected):
    assert _day(value).date.isoformat() == expected


@pytest.mark.parametrize(
    "value",
    [None, "", "tea", 12, 999, 3000, True, 1.5, float("nan"), "2024-13", "2024-02-30", "0999",
     pd.NaT, "17", "9" * 400, 10**400, float("inf"), "31 feb 2024",
     "17 tea 2024", "05/06/2024"],
)  # fmt: skip
def test_other_values_are_no_dates(value):
    assert _day(value) is None


def test_shares_over_time_list_empty_periods():
    days = ["2024-01-05", "2024-01-20", "2024-03-01", "2024-03-02", "2024-03-03", "2024-03-31"]
    result = clustered(day=days)
    found = result.over("day")
    assert found.column_names == ["period", "number", "name", "documents", "share", "beyond"]
    first, second = result.numbers
    rum = first + second - tea(result)
    counts = table(found)
    assert [counts[f"2024-0{m}", tea(result)] for m in (1, 2, 3)] == [2, 0, 1]
    assert counts["2024-03", rum] == 3
    row = {(p, n): i for i, (p, n) in enumerate(counts)}
    shares, beyond = found["share"].to_pylist(), found["beyond"].to_pylist()
    assert shares[row["2024-03", rum]] == 0.75
    assert beyond[row["2024-03", rum]] == 0.25
    assert shares[row["2024-02", rum]] is None
    assert beyond[row["2024-02", rum]] is None


@pytest.mark.parametrize(
    ("by", "periods"),
    [
        ("year", ["2023", "2024"]),
        ("quarter", ["2023-Q4", "2024-Q1"]),
        ("month", ["2023-12", "2024-01"]),
        ("week", ["2023-W52", "2024-W01"]),
        ("day", ["2023-12-31", "2024-01-01"]),
    ],
)
def test_periods_of_each_length(by, periods):
    dates = [datetime.date(2023, 12, 31)] * 3 + [datetime.date(2024, 1, 1)] * 3
    found = clustered(day=dates).over("day", by)["period"].to_pylist()
    assert list(dict.fromkeys(found)) == periods


def test_timestamps_with_a_zone_keep_the_day_they_are_written_with():
    late = [datetime.datetime(2024, 1, 31, 23, tzinfo=datetime.UTC)] * 6
    stamps = pa.array(late, pa.timestamp("ms", "Asia/Tokyo"))
    assert clustered(day=stamps).over("day")["period"].to_pylist()[0] == "2024-02"


def test_documents_without_a_date_are_counted_in_a_warning():
    result = clustered(day=["2024-01-01", "", None, "soon", "2024-01-02", "2024"])
    with pytest.warns(
        UserWarning, match="4 of 6 documents have no date in 'day' and are left out"
    ) as caught:
        found = result.over("day")
    assert caught[0].filename == __file__
    assert sum(found["documents"].to_pylist()) == 2


def test_dropped_documents_are_left_out():
    result = clustered(year=[2024] * 6)
    result.drop(tea(result))
    found = result.over("year", "year")
    assert found["documents"].to_pylist() == [3]
    assert found["share"].to_pylist() == [1.0]


@pytest.mark.parametrize(
    ("column", "by", "message"),
    [
        ("day", "month", "no column 'day'. Columns: .*Did you mean 'days'"),
        ("words", "month", "column 'words': 'soon'; expected dates such as 2024"),
        ("years", "month", "column 'years' has years only; use by='year'"),
        ("months", "day", "column 'months' has months only; use by='month'"),
        ("none", "month", "column 'none': no values; expected dates"),
        ("days", "decade", "by='decade': expected 'year' or"),
        ("days", "day", "4,018 days from 2013-01-01 to 2024-01-01.*use by='week'"),
    ],
)
def test_what_cannot_be_is_said(column, by, message):
    result = clustered(
        words=["soon"] * 6,
        years=[2024] * 6,
        months=["2024-05"] * 6,
        none=pa.array([None] * 6, pa.string()),
        days=["2013-01-01"] * 3 + ["2024-01-01"] * 3,
    )
    with pytest.raises(InputError, match=message):
        result.over(column, by)


def test_shares_by_value_come_in_the_order_of_frequency():
    result = clustered(shop=["Bonn", "Pisa", "Pisa", "Pisa", None, "Rome"])
    with pytest.warns(UserWarning, match="1 of 6 documents has no value in 'shop' and is left"):
        found = result.by("shop")
    assert found.column_names == ["value", "number", "name", "documents", "share", "beyond"]
    assert list(dict.fromkeys(found["value"].to_pylist())) == ["Pisa", "Bonn", "Rome"]
    rows = dict(zip(table(found), found["share"].to_pylist(), strict=True))
    assert rows["Pisa", tea(result)] == pytest.approx(2 / 3)
    assert rows["Rome", tea(result)] == 0


def test_values_keep_their_type():
    assert clustered(stars=[5, 5, 5, 1, 1, 1]).by("stars")["value"].to_pylist()[0] in (1, 5)


def test_too_many_values_and_none_are_refused():
    with pytest.raises(InputError, match="column 'shop': no document has a value"):
        clustered(shop=[""] * 6).by("shop")
    texts = [f"tea {i}" for i in range(1001)]
    many = pa.table({"text": texts, "shop": [f"s{i}" for i in range(1001)]})
    result = coterie.cluster(many, 2, "mm", text="text", n_init=1, progress=False)
    with pytest.raises(
        InputError, match="'shop': 1,001 different values; expected at most 1,0"
    ):
        result.by("shop")
