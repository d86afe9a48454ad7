"""What happened while documents were read: nothing is skipped, replaced or guessed unseen."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

EXAMPLES = 3


@dataclass
class ReadingNotes:
    """Counts of what was read, skipped, replaced, and the guesses made.

    Examples
    --------
    >>> notes = ReadingNotes(documents=2)
    >>> notes.skip("binary, not text", "photo.png")
    >>> notes.lines()
    ['2 documents read', '1 skipped: binary, not text (photo.png)']
    """

    documents: int = 0
    empty: int = 0
    replaced: int = 0
    renamed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    encodings: Counter[str] = field(default_factory=Counter)
    guesses: list[str] = field(default_factory=list)

    def skip(self, reason: str, name: str) -> None:
        """Count something left out, and keep the first few names."""
        self.skipped[reason] += 1
        names = self.examples.setdefault(reason, [])
        if len(names) < EXAMPLES:
            names.append(name)

    def guess(self, sentence: str) -> None:
        """Keep a guess, once."""
        if sentence not in self.guesses:
            self.guesses.append(sentence)

    def decoded(self, encoding: str, replaced: int = 0) -> None:
        """Count a text that was not UTF-8, or not quite."""
        if encoding != "utf-8":
            self.encodings[encoding] += 1
        self.replaced += replaced

    def lines(self) -> list[str]:
        """Return the notes as short sentences for a person."""
        said = [_counted(self.documents, "document") + " read"]
        for reason, number in self.skipped.most_common():
            names = ", ".join(self.examples[reason])
            more = ", ..." if number > len(self.examples[reason]) else ""
            said.append(f"{number} skipped: {reason} ({names}{more})")
        for encoding, number in self.encodings.most_common():
            said.append(f"{_counted(number, 'text')} read as {encoding}, not UTF-8")
        if self.replaced:
            said.append(f"{_counted(self.replaced, 'unreadable character')} replaced")
        if self.renamed:
            said.append(f"{_counted(self.renamed, 'repeated id')} made unique by a suffix")
        if self.empty:
            said.append(f"{_counted(self.empty, 'document')} without any word kept, empty")
        return said + self.guesses

    def to_values(self) -> dict[str, Any]:
        """Return the notes as plain values."""
        values = dict(vars(self))
        return values | {name: dict(values[name]) for name in ("skipped", "encodings")}

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> "ReadingNotes":
        """Return the notes that `to_values` wrote."""
        counters = {name: Counter(values[name]) for name in ("skipped", "encodings")}
        return cls(**(values | counters))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
