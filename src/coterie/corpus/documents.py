"""A document as readers give it, before its words are counted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coterie.corpus.encodings import without_surrogates
from coterie.corpus.notes import ReadingNotes

TITLE_LENGTH = 80


@dataclass(slots=True)
class Document:
    """A text with its id, and what else its source has, such as other columns of its table.

    `views` are the parts of the text by name: views, or the columns of a table it is read from.
    """

    id: str
    text: str
    label: str | None = None
    title: str = ""
    folder: tuple[str, ...] = ()
    views: dict[str, str] = field(default_factory=dict)
    vectors: dict[str, Sequence[float] | None] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)


def title_of(text: str) -> str:
    r"""Return the first line that is not blank, cut to 80 characters.

    Examples
    --------
    >>> title_of("\n  A  title \nand the rest")
    'A title'
    """
    if len(text) <= TITLE_LENGTH and "\n" not in text and text.isascii():
        return " ".join(text.split())
    for line in text[:4000].splitlines():
        words = " ".join(line[: 4 * TITLE_LENGTH].split())
        if words:
            return words[:TITLE_LENGTH]
    return ""


class UniqueNames:
    """Gives each name once: a repeated one gets a number, and is counted.

    Examples
    --------
    >>> names = UniqueNames()
    >>> [names.of(name) for name in ("a", "b", "a", "a")], names.changed
    (['a', 'b', 'a-2', 'a-3'], 2)
    """

    def __init__(self) -> None:
        self.changed = 0
        self._uses: dict[str, int] = {}

    def of(self, name: str) -> str:
        """Return the name, or the first variant of it that is free."""
        if name not in self._uses:
            self._uses[name] = 1
            return name
        candidate = name
        while candidate in self._uses:
            self._uses[name] += 1
            candidate = f"{name}-{self._uses[name]}"
        self._uses[candidate] = 1
        self.changed += candidate != name
        return candidate


def cleaned(documents: Iterable[Document], notes: ReadingNotes) -> Iterator[Document]:
    """Give every document a title and a unique id, and replace characters no file can hold."""
    names = UniqueNames()
    for document in documents:
        text, replaced = without_surrogates(document.text)
        if document.views:
            parts = UniqueNames()
            document.views = {
                parts.of(without_surrogates(key)[0]): (
                    text if view is document.text else without_surrogates(view)[0]
                )
                for key, view in document.views.items()
            }
        document.text = text
        document.id = name = names.of(without_surrogates(document.id)[0])
        document.title = without_surrogates(document.title or title_of(text) or name)[0]
        notes.replaced += replaced
        notes.renamed = names.changed
        yield document


def labels_from_folders(folders: list[tuple[str, ...]]) -> list[str] | None:
    """Return for each document the first part of its folder that is not common to all.

    Examples
    --------
    >>> labels_from_folders([("news", "sport", "1994"), ("news", "health", "1995")])
    ['sport', 'health']
    >>> labels_from_folders([("news",), ("news",)]) is None
    True
    """
    if not folders or len(set(folders)) == 1:
        return None
    first, last = min(folders), max(folders)
    depth = 0
    while depth < min(len(first), len(last)) and first[depth] == last[depth]:
        depth += 1
    return [folder[depth] if len(folder) > depth else "" for folder in folders]
