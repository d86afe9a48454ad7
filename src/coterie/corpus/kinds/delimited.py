"""CSV and TSV: the delimiter is found by trial, and what does not fit the header is told."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import IO, Any

from coterie.corpus.columns import Cells, CellsWithCommas
from coterie.corpus.documents import Document
from coterie.corpus.kinds.lines import text_lines
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.corpus.limits import DEFAULT_LIMITS, Limits, size_in_words
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.spreadsheets import is_table_of_documents, original_cell
from coterie.corpus.tables import Row, header_of, peeked
from coterie.errors import UnreadableError

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
DECLARED = re.compile(r"sep=(\t|[^\s\w\"])")  # the first line of some tables that Excel wrote
NO_DELIMITER = "\x1f"
PEEKED_LINES = 50  # to choose the delimiter
MOST_LINES = 0.6  # of a row, which may be rows
FEW_ROWS = 100  # below which nothing is said of most rows before all are read
BROKEN: list[str] = []  # stands for a record that cannot be read
LARGEST_FIELD = 2**31 - 1  # what the csv module takes on every machine


def csv_rows(
    name: str, stream: IO[bytes], notes: ReadingNotes, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Row]:
    r"""Yield the rows of a CSV file by their header, the delimiter chosen by trial.

    Rows of another width than the header are counted and left out. A quote that is not closed
    makes all that follows uncertain, so the table is refused.

    Examples
    --------
    >>> import io
    >>> list(csv_rows("t.csv", io.BytesIO(b"a;b\n1;'2'\n"), ReadingNotes()))
    [(1, {'a': '1', 'b': "'2'"})]
    """
    lines = text_lines(name, stream, notes, limits)
    sample = peeked(lines, PEEKED_LINES, len)
    delimiter = _declared_or_tried(name, sample, notes)
    cells_of: type[Cells] = CellsWithCommas if delimiter == ";" else Cells
    reader = csv.reader(chain(sample, lines), delimiter=delimiter, strict=True)
    records = _Records(name, reader, min(limits.document, LARGEST_FIELD))
    header = header_of(name, next(iter(records), []), notes)
    width, number, faults = len(header), 0, 0
    doubtful: list[int] = []  # lines of rows that may be several
    ours = is_table_of_documents(header)
    header = [original_cell(heading) for heading in header] if ours else header
    for record in records:
        number += 1
        if len(record) > width and not any(record[width:]):
            record = record[:width]
        if len(record) == width:
            if records.last_line > records.line and _could_be_rows(record, delimiter):
                doubtful.append(records.line)
            cells = map(original_cell, record) if ours else record
            yield number, cells_of(zip(header, cells, strict=True))
            continue
        faults += 1
        more = "more" if len(record) > width else "fewer"
        reason = f"{more} fields than the header" if record else "a quote amid a quoted field"
        notes.leave_out(reason, f"{name}, {records.where()}")
        _refuse_most(name, faults, number, at_least=FEW_ROWS)
    _refuse_most(name, faults, number)
    _note_doubtful(name, doubtful, notes)


def _note_doubtful(name: str, lines: list[int], notes: ReadingNotes) -> None:
    if lines:
        more = f" and {len(lines) - 1:,} more" if len(lines) > 1 else ""
        notes.guess(
            f"{name}: the row in line {lines[0]}{more} may be several, as its lines would be "
            "rows; is a quote in it not closed?"
        )


def _could_be_rows(record: list[str], delimiter: str) -> bool:
    r"""Tell whether most lines of a record with line breaks would be such rows by themselves.

    A quote that is not closed, and closed by a stray one later, makes one row of several.

    Examples
    --------
    >>> _could_be_rows(["2", "an open quote\n3,plain\n4,a screen of 32 inch"], ",")
    True
    >>> _could_be_rows(["2", "Dear Ann,\nyes, of course"], ",")
    False
    """
    rows = [line.split(delimiter) for line in delimiter.join(record).split("\n") if line]
    forms = Counter(tuple(map(_form, row)) for row in rows if len(row) == len(record))
    return len(rows) > 1 and max(forms.values(), default=0) >= MOST_LINES * len(rows)


def _form(cell: str) -> str:
    """What a cell holds, by which those of a column are alike: nothing, a number, or words."""
    return "number" if cell.strip().isdecimal() else "words" if cell.strip() else "nothing"


def _declared_or_tried(name: str, sample: list[str], notes: ReadingNotes) -> str:
    """The delimiter; a first line that says it is made blank."""
    declared = DECLARED.fullmatch(sample[0].strip("\n ")) if sample else None
    delimiter = declared[1] if declared else _delimiter(sample)
    if declared:
        sample[0] = "\n"
    if delimiter not in (",", NO_DELIMITER) and not name.lower().endswith(".tsv"):
        notes.guess(f"delimiter of {name}: {DELIMITERS.get(delimiter, delimiter)}")
    return delimiter


class _Records:
    """Records of a table with the line each begins in; a broken one of one line is empty.

    The largest field is a setting of the whole process, so it holds only while one is read.
    """

    def __init__(self, name: str, reader: Any, largest: int) -> None:
        self._name, self._reader, self._largest = name, reader, largest
        self.line = self.last_line = 1

    def where(self) -> str:
        """The lines of the record, for a person."""
        if self.last_line <= self.line:
            return f"line {self.line}"
        return f"lines {self.line} to {self.last_line}"

    def __iter__(self) -> Iterator[list[str]]:
        while True:
            self.line = self._reader.line_num + 1
            before = csv.field_size_limit(self._largest)
            try:
                record = next(self._reader, None)
            except csv.Error as error:
                self._refuse(error)
                record = BROKEN
            finally:
                csv.field_size_limit(before)
            self.last_line = self._reader.line_num
            if record is None:
                return
            if record or record is BROKEN:
                yield record

    def _refuse(self, error: csv.Error) -> None:
        last = self._reader.line_num
        if "end of data" in str(error):
            problem = "opens a quote that is never closed"
        elif "limit" in str(error):
            allowed = size_in_words(self._largest)
            problem = f"has a field larger than {allowed}; is a quote in it not closed?"
        elif last > self.line:
            problem = f"opens a quote that is not closed before the quote in line {last}"
        else:
            return
        raise UnreadableError(
            self._name,
            f"the row in line {self.line} {problem} (within quotes, a quote is written twice)",
        )


def _refuse_most(name: str, faults: int, number: int, at_least: int = 0) -> None:
    """Refuse a table most of whose rows were left out."""
    if faults > max(at_least, number / 2):
        raise UnreadableError(
            name,
            f"most rows do not fit the header ({faults:,} of {number:,} so far); is its first "
            "row the names of the columns, and the delimiter the same throughout?",
        )


def _delimiter(sample: list[str]) -> str:
    """Choose the delimiter that splits most rows like the header, then into most columns."""
    best, best_score = NO_DELIMITER, (0.0, 0)
    for delimiter in DELIMITERS:
        reader = csv.reader(sample, delimiter=delimiter)
        widths = [len(row) for row in _Records("", reader, LARGEST_FIELD) if row]
        if widths and widths[0] > 1:
            agreeing = sum(width == widths[0] for width in widths) / len(widths)
            best, best_score = max(
                (best, best_score), (delimiter, (agreeing, widths[0])), key=lambda pair: pair[1]
            )
    return best


def looks_like_table(text: str, is_cut: bool = False) -> bool:
    r"""Tell whether every one of the first rows has as many cells as the first, above one.

    A text that is cut may end within a row.

    Examples
    --------
    >>> looks_like_table("id,body\n1,tea\n2,rum\n"), looks_like_table("tea, rum\ncoffee\n")
    (True, False)
    """
    lines = text.splitlines()
    sample = lines[:PEEKED_LINES]
    delimiter = _delimiter(sample)
    widths = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
    goes_on = is_cut or len(lines) > len(sample)
    in_quotes = goes_on and sum(line.count('"') for line in sample) % 2 == 1
    if in_quotes or (is_cut and len(lines) == len(sample) and len(widths) > 2):
        widths.pop()  # of a row that is not there as a whole
    return delimiter != NO_DELIMITER and len(set(widths)) == 1 and len(sample) > 1


def _documents(file: OpenFile) -> Iterator[Document]:
    yield from file.rows(csv_rows(file.path, file.stream, file.notes, file.budget.limits))


KIND = Kind("CSV", (".csv", ".tsv"), _documents)
