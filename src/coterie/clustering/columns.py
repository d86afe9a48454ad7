"""Clusters over time, and for each value of a column."""

import datetime
import re
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from coterie.errors import InputError, check_choice
from coterie.findings.edits import SET_ASIDE
from coterie.report.wording import counted, thousands

if TYPE_CHECKING:
    from coterie.clustering.result import Clustering

MOST = 1000  # periods or values
YEARS = range(1000, 3000)
SHOWN = 40  # characters of a value
YEAR, MONTH, DAY = range(3)
EXPECTED = "expected dates such as 2024, 2024-05, 2024-05-17, 17 May 2024 or those of mail"
ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ]\d\d:\d\d.*)?)?)?")
TIME = r"(?:,? +\d{1,2}:\d\d.*)?"
WRITTEN = (  # with an English name of the month, as 17 May 2024, 17-MAY-2024, May 17, 2024
    re.compile(
        rf"(?P<day>\d{{1,2}})[- ](?P<month>[a-z]{{3,9}})\.?[- ,]+(?P<year>\d{{4}}){TIME}"
    ),
    re.compile(rf"(?P<month>[a-z]{{3,9}})\.? (?P<day>\d{{1,2}}),? (?P<year>\d{{4}}){TIME}"),
)
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


class Day(NamedTuple):
    """A date and how exact it is: the first day of a year or month stands for all of it."""

    date: datetime.date
    exact: int


class Period(NamedTuple):
    """A length of time: its number on the line of all, its text, and how exact it needs dates.

    The texts sort as the periods do.
    """

    number: Callable[[datetime.date], int]
    text: Callable[[int], str]
    exact: int


def _month(number: int) -> str:
    return f"{number // 12:04d}-{number % 12 + 1:02d}"


def _quarter(number: int) -> str:
    return f"{number // 4:04d}-Q{number % 4 + 1}"


def _week(number: int) -> str:
    year, week, _ = datetime.date.fromordinal(7 * number + 1).isocalendar()
    return f"{year:04d}-W{week:02d}"


PERIODS = {
    "year": Period(lambda date: date.year, "{:04d}".format, YEAR),
    "quarter": Period(lambda date: 4 * date.year + (date.month - 1) // 3, _quarter, MONTH),
    "month": Period(lambda date: 12 * date.year + date.month - 1, _month, MONTH),
    "week": Period(lambda date: (date.toordinal() - 1) // 7, _week, DAY),
    "day": Period(
        datetime.date.toordinal, lambda n: datetime.date.fromordinal(n).isoformat(), DAY
    ),
}


def over(result: "Clustering", column: str, by: str = "month") -> Any:
    """Table of the share of each cluster in each period, the empty ones among them.

    Its columns are period, number, name, documents, share (of the period's documents) and
    beyond (the share minus that over all periods). Documents without a date, and those set
    aside, are left out.

    Examples
    --------
    >>> import coterie, pandas
    >>> texts = ["green tea", "black tea", "tea leaves", "cup of tea", "dark rum", "white rum"]
    >>> years = [2023, 2023, 2023, 2025, 2025, 2025]
    >>> frame = pandas.DataFrame({"text": texts, "year": years})
    >>> result = coterie.cluster(frame, 2, text="text", progress=False)
    >>> over(result, "year", "year")[["period", "number", "documents", "share"]].round(2)
      period  number  documents  share
    0   2023       1          3   1.00
    1   2023       2          0   0.00
    2   2024       1          0    NaN
    3   2024       2          0    NaN
    4   2025       1          1   0.33
    5   2025       2          2   0.67
    """
    check_choice("by", by, tuple(PERIODS))
    values = result.column(column)
    period = PERIODS[by]
    days = [_day(value) for value in values]
    _refuse_undated(column, by, values, days)
    numbers = [
        None if day is None or day.exact < period.exact else period.number(day.date)
        for day in days
    ]
    dated = [number for number in numbers if number is not None]
    first, last = min(dated), max(dated)
    if last - first >= MOST:
        _refuse_many(column, by, [day.date for day in days if day is not None])
    _warn_missing(len(values) - len(dated), len(values), f"date in '{column}'")
    groups = [None if number is None else period.text(number) for number in numbers]
    listed = [period.text(number) for number in range(first, last + 1)]
    return _shares(result, "period", groups, listed)


def by(result: "Clustering", column: str) -> Any:
    """Table of the share of each cluster for each value of a column, the most frequent first.

    Its columns are value, number, name, documents, share (of the documents with the value) and
    beyond (the share minus that over all values). Documents without a value, and those set
    aside, are left out.
    """
    values = result.column(column)
    groups = [None if _is_missing(value) else value for value in values]
    present = [value for value in groups if value is not None]
    if not present:
        raise InputError(f"column '{column}': no document has a value")
    frequencies = Counter(present)
    if len(frequencies) > MOST:
        found = thousands(len(frequencies))
        raise InputError(
            f"column '{column}': {found} different values; expected at most {thousands(MOST)}"
        )
    _warn_missing(len(values) - len(present), len(values), f"value in '{column}'")
    listed = sorted(frequencies, key=lambda value: (-frequencies[value], str(value)))
    return _shares(result, "value", groups, listed)


def _shares(
    result: "Clustering", name: str, groups: Sequence[Any], listed: Sequence[Any]
) -> Any:
    """A row a group and cluster; a document whose group is None is in none."""
    pairs = [
        (group, int(number))
        for group, number in zip(groups, result.labels, strict=True)
        if group is not None and number != SET_ASIDE
    ]
    together = Counter(pairs)
    sizes, totals = Counter(group for group, _ in pairs), Counter(number for _, number in pairs)
    names = result.names
    rows = [(group, number, together[group, number]) for group in listed for number in names]
    shares = [n / sizes[group] if sizes[group] else None for group, _, n in rows]
    beyond = [
        None if share is None else share - totals[number] / len(pairs)
        for share, (_, number, _) in zip(shares, rows, strict=True)
    ]
    return result._frame(
        {
            name: [group for group, _, _ in rows],
            "number": [number for _, number, _ in rows],
            "name": [names[number] for _, number, _ in rows],
            "documents": [n for _, _, n in rows],
            "share": _floats(shares),
            "beyond": _floats(beyond),
        }
    )


def _floats(values: Sequence[float | None]) -> Any:
    import pyarrow as pa

    return pa.array(values, pa.float64())


def _day(value: Any) -> Day | None:
    """The date that a value means; None for anything else.

    Examples
    --------
    >>> _day("2024-05").date, _day(2024).date, _day("Fri, 17 May 2024 10:00:00 +0200").date
    (datetime.date(2024, 5, 1), datetime.date(2024, 1, 1), datetime.date(2024, 5, 17))
    """
    if isinstance(value, datetime.datetime):
        return None if value != value else Day(value.date(), DAY)
    if isinstance(value, datetime.date):
        return Day(value, DAY)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        return _written(str(value).strip())
    except (ValueError, OverflowError):
        return None


def _written(text: str) -> Day | None:
    """The date of a text; a ValueError where it is none."""
    match = ISO.fullmatch(text)
    if match is None:
        compact = text[:4].isdigit() and int(text[:4]) in YEARS
        if compact:
            return Day(datetime.datetime.fromisoformat(text).date(), DAY)
        return _named(text.lower()) or Day(parsedate_to_datetime(text).date(), DAY)
    year, month, day = match.groups()
    if month is None and int(year) not in YEARS:
        return None
    exact = YEAR if month is None else MONTH if day is None else DAY
    return Day(datetime.date(int(year), int(month or 1), int(day or 1)), exact)


def _named(text: str) -> Day | None:
    """The date of a text with the name of a month in it."""
    found = next((match for each in WRITTEN if (match := each.fullmatch(text))), None)
    if found is None or found["month"][:3] not in MONTHS:
        return None
    month = 1 + MONTHS.index(found["month"][:3])
    return Day(datetime.date(int(found["year"]), month, int(found["day"])), DAY)


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and value != value)


def _refuse_undated(
    column: str, by: str, values: Sequence[Any], days: Sequence[Day | None]
) -> None:
    """Refuse a column without dates, or with none that is exact enough."""
    exact = [day.exact for day in days if day is not None]
    if not exact:
        wrong = next((value for value in values if not _is_missing(value)), None)
        found = "no values" if wrong is None else repr(str(wrong)[:SHOWN])
        raise InputError(f"column '{column}': {found}; {EXPECTED}")
    if max(exact) < PERIODS[by].exact:
        held, longer = ("years", "year") if max(exact) == YEAR else ("months", "month")
        raise InputError(f"column '{column}' has {held} only; use by='{longer}'")


def _refuse_many(column: str, by: str, dates: Sequence[datetime.date]) -> None:
    """Refuse too many periods, and name the shortest length of which there are not."""
    first, last = min(dates), max(dates)
    n_periods = {name: p.number(last) - p.number(first) + 1 for name, p in PERIODS.items()}
    fitting = [name for name, n in n_periods.items() if n <= MOST]
    hint = f"use by='{fitting[-1]}'" if fitting else "look at the first and the last date"
    raise InputError(
        f"column '{column}': {counted(n_periods[by], by)} from {first} to {last}; expected at "
        f"most {thousands(MOST)}, {hint}"
    )


def _warn_missing(n_missing: int, n_all: int, what: str) -> None:
    if n_missing:
        have = "has" if n_missing == 1 else "have"
        left = "is" if n_missing == 1 else "are"
        warnings.warn(
            f"{thousands(n_missing)} of {counted(n_all, 'document')} {have} no {what} and "
            f"{left} left out",
            UserWarning,
            stacklevel=4,
        )
