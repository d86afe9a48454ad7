"""What was skipped, replaced and guessed while documents were read."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from coterie.errors import InputError
from coterie.schema import Field, Is, Items, Record, Values, Whole

EXAMPLES = 3
PARTIAL = "in part: "  # begins the keys of examples of files that were read in part
COUNTERS = ("skipped", "partial", "left_out", "encodings")
VALUES: dict[str, Field] = {
    **dict.fromkeys(("documents", "empty", "replaced", "renamed"), Whole()),
    **dict.fromkeys(COUNTERS, Values(Whole())),
    "examples": Values(Items(Is(str))),
    "guesses": Items(Is(str)),
}


@dataclass
class ReadingNotes:
    """Counts of what was read, skipped and replaced, and the guesses made.

    `skipped` counts files by the reason, `partial` those of which only a beginning was read,
    `left_out` rows of tables.

    Examples
    --------
    >>> notes = ReadingNotes(documents=2)
    >>> notes.skip("binary, not text", "photo.png")
    >>> notes.lines()
    ['2 documents read', '1 file was skipped: 1 binary, not text (photo.png)']
    """

    documents: int = 0
    empty: int = 0
    replaced: int = 0
    renamed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    partial: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    encodings: Counter[str] = field(default_factory=Counter)
    guesses: list[str] = field(default_factory=list)

    def skip(self, reason: str, name: str, kept: int = 0) -> None:
        """Count a file that was not read, or not after some documents; the first are named."""
        if kept:
            self.partial[reason] += 1
            self._add_example(PARTIAL + reason, f"{name}, {_counted(kept, 'document')} kept")
        else:
            self.skipped[reason] += 1
            self._add_example(reason, name)

    def leave_out(self, reason: str, name: str) -> None:
        """Count a row that was not read; the first few are named."""
        self.left_out[reason] += 1
        self._add_example(reason, name)

    def _add_example(self, reason: str, name: str) -> None:
        names = self.examples.setdefault(reason, [])
        if len(names) < EXAMPLES:
            names.append(_printable(name))

    def guess(self, sentence: str) -> None:
        """Add a guess, once."""
        if (sentence := _printable(sentence)) not in self.guesses:
            self.guesses.append(sentence)

    def decoded(self, encoding: str, replaced: int = 0) -> None:
        """Count a text that was not UTF-8, or not quite."""
        if encoding != "utf-8":
            self.encodings[encoding] += 1
        self.replaced += replaced

    def lines(self) -> list[str]:
        """Return the notes as short sentences for a person."""
        lines = [_counted(self.documents, "document") + " read", *self._not_read()]
        for encoding, number in self.encodings.most_common():
            lines.append(f"{_counted(number, 'text')} read as {encoding}, not UTF-8")
        if self.replaced:
            lines.append(f"{_counted(self.replaced, 'unreadable character')} replaced")
        if self.renamed:
            lines.append(f"{_counted(self.renamed, 'repeated id')} made unique by a suffix")
        return lines + self._empty() + self.guesses

    def losses(self) -> list[str]:
        """Return the notes on files and rows that were not read and documents without words.

        Examples
        --------
        >>> ReadingNotes(documents=2, empty=1, guesses=["language identified as 'en'"]).losses()
        ['1 document without any word, left empty']
        """
        return self._not_read() + self._empty()

    def _not_read(self) -> list[str]:
        told = (
            ("file", "skipped", self.skipped, ""),
            ("file", "read in part", self.partial, PARTIAL),
            ("row", "left out", self.left_out, ""),
        )
        return [self._reasons(*each) for each in told if each[2]]

    def _empty(self) -> list[str]:
        noun = _counted(self.empty, "document")
        return [f"{noun} without any word, left empty"] if self.empty else []

    def _reasons(self, noun: str, verb: str, reasons: Counter[str], key: str) -> str:
        total = reasons.total()
        parts = []
        for reason, number in reasons.most_common():
            examples = self.examples[key + reason]
            names = ", ".join(examples)
            more = ", ..." if number > len(examples) else ""
            parts.append(f"{number} {reason} ({names}{more})")
        was = "was" if total == 1 else "were"
        return f"{_counted(total, noun)} {was} {verb}: {'; '.join(parts)}"

    def to_values(self) -> dict[str, Any]:
        """Return the notes as plain values."""
        values = dict(vars(self))
        return values | {name: dict(values[name]) for name in COUNTERS}

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> "ReadingNotes":
        """Return the notes that `to_values` wrote."""
        Record(VALUES).check("notes", values, {})
        partial = {PARTIAL + reason for reason in values["partial"]}
        reasons = values["skipped"].keys() | values["left_out"].keys() | partial
        if not reasons <= values["examples"].keys():
            raise InputError("notes: a reason without examples")
        counters = {name: Counter(values[name]) for name in COUNTERS}
        return cls(**(values | counters))


class NoDocumentsError(InputError):
    """Nothing that was read became a document; the notes say what was skipped."""

    def __init__(self, source: object, notes: ReadingNotes) -> None:
        reasons = (*notes.skipped.items(), *notes.left_out.items())
        listed = ", ".join(f"{number} {reason}" for reason, number in reasons)
        super().__init__(f"{source}: no documents found" + (f" ({listed})" if listed else ""))
        self.notes = notes


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"


def _printable(text: str) -> str:
    """The text, halves of characters replaced, as names of files and columns may hold them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
