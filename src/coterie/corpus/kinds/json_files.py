"""JSON lines, an object a document, and JSON files of one object or a list of them."""

import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import IO, Any

from coterie.corpus.documents import Document
from coterie.corpus.encodings import decode, looks_binary
from coterie.corpus.kinds.lines import text_lines
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.corpus.limits import DEFAULT_LIMITS, Limits
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.tables import Row, cut
from coterie.errors import UnreadableError


def json_line_rows(
    name: str, stream: IO[bytes], notes: ReadingNotes, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Row]:
    r"""Yield the objects of a JSON lines file, numbered by line; bad lines are counted.

    Examples
    --------
    >>> import io
    >>> list(json_line_rows("t.jsonl", io.BytesIO(b'{"a": 1}\n"words"\n'), ReadingNotes()))
    [(1, {'a': 1}), (2, {'text': 'words'})]
    """
    good, first_problem = 0, ""
    for number, line in enumerate(text_lines(name, stream, notes, limits), start=1):
        if not line.strip():
            continue
        row, problem = _parsed(name, number, line)
        if row is None:
            first_problem = first_problem or f"line {number}: {problem}"
            notes.leave_out(problem.partition(" (")[0], f"{name}, line {number}")
            continue
        good += 1
        yield number, row
    if not good and first_problem:
        raise UnreadableError(name, first_problem)


class _RepeatedKeyError(Exception):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _RepeatedKeyError(f"an object has the key '{cut(key)}' more than once")
    return row


SCAN: Any = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
ENDS = ("\n", "")
SPACED = re.compile(r'"[ \t]++:')  # a key that is not followed by a colon at once
LONGEST_NUMBER = 4300  # digits, which Python makes no number of; kept as text


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) <= LONGEST_NUMBER else digits


PARSE = json.JSONDecoder(object_pairs_hook=_object, parse_int=_number).decode


def _quickly(line: str) -> dict[str, Any] | None:
    """The object of a line, if no key can be in it twice: it has as many as signs of keys."""
    try:
        value, end = SCAN(line, 0)
    except (StopIteration, ValueError, RecursionError):
        return None
    rest = line[end:]
    if not isinstance(value, dict) or line.count('":') != len(value) or rest not in ENDS:
        return None
    return None if (" :" in line or "\t:" in line) and SPACED.search(line) else value


def _parsed(name: str, number: int, line: str) -> tuple[Mapping[str, Any] | None, str]:
    if (quick := _quickly(line)) is not None:
        return quick, ""
    try:
        value = PARSE(line)
    except _RepeatedKeyError as error:
        raise UnreadableError(name, f"line {number}: {error}") from error
    except (ValueError, RecursionError) as error:
        return None, f"not JSON ({error})"
    row = _as_row(value)
    return row, "" if row is not None else "not a JSON object or string"


def _as_row(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, str):
        return {"text": value}
    return value if isinstance(value, dict) else None


def json_rows(name: str, data: bytes, notes: ReadingNotes) -> tuple[list[Row], bool]:
    """Return the objects of a JSON file, and whether it is a list of them."""
    decoded = decode(data)
    notes.decoded(decoded.encoding, decoded.replaced)
    try:
        value = PARSE(decoded.text)
    except _RepeatedKeyError as error:
        raise UnreadableError(name, str(error)) from error
    except (ValueError, RecursionError) as error:
        raise UnreadableError(name, f"not JSON ({error})") from error
    several = isinstance(value, list)
    rows: list[Row] = []
    for number, item in enumerate(value if several else [value], start=1):
        row = _as_row(item)
        if row is None:
            notes.leave_out("not a JSON object or string", f"{name}, item {number}")
        else:
            rows.append((number, row))
    return rows, several


def _lines(file: OpenFile) -> Iterator[Document]:
    yield from file.rows(json_line_rows(file.path, file.stream, file.notes, file.budget.limits))


def _documents(file: OpenFile) -> Iterator[Document]:
    if looks_binary(file.sample()):
        raise UnreadableError(file.path, "binary, not text")
    data = file.whole()
    if _is_lines(data):
        lines = io.BufferedReader(io.BytesIO(data))
        yield from file.rows(json_line_rows(file.path, lines, file.notes, file.budget.limits))
        return
    rows, several = json_rows(file.path, data, file.notes)
    for document in file.rows(rows):
        named = several or file.columns.id
        yield document if named else replace(document, id=file.path)


def _is_lines(data: bytes) -> bool:
    """Tell whether a file holds an object a line, as many do that are named .json."""
    first, _, rest = data.partition(b"\n")
    if not first.strip().endswith(b"}") or rest.lstrip()[:1] != b"{":
        return False
    try:
        return isinstance(json.loads(first, parse_int=_number), dict)
    except (ValueError, RecursionError):
        return False


LINES = Kind("JSON lines", (".jsonl", ".ndjson"), _lines)
KIND = Kind("JSON", (".json",), _documents)
