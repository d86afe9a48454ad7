"""Prose out of docstrings: sentences, without signatures, formulas and examples."""

import inspect
import re
from collections.abc import Iterator

LISTS = {
    "attributes",
    "other parameters",
    "parameters",
    "raises",
    "returns",
    "warns",
    "yields",
}
"""Sections that list names, each with a description indented below."""

PROSE = {"", "extended summary", "notes", "summary"}

_HEADING = re.compile(r"^(?P<name>\S[^\n]*)\n(?:-{3,}|={3,})[ ]*$", re.MULTILINE)
_BLOCK = re.compile(r"^\s*\.\.(?:\s|$)|::$")
_EXAMPLE = re.compile(r"^\s*(?:>>>|Examples?\b.*:\s*$)")
_SIGNATURE = re.compile(r"^[\w.]+\(.*\)(?:\s*->.*)?$")
_MARKUP = re.compile(
    r"""
    :math:`[^`]*`       # formulas
    | ``.*?``           # code
    | \$[^$\n]*\$
    | \[[\w*]+\]_       # citations
    | https?://\S+
    | :[\w:+-]+:(?=`)   # the role of a name in backticks
    | %\(\w+\)s         # templates that were not filled in
    | [=-]{3,}          # rules of tables
    """,
    re.VERBOSE | re.DOTALL,
)
_GAP = re.compile(r"\s+(?=[.,;:!?](?:\s|$))")
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+(?=[^a-z\s])|\n\s*\n")


def sentences(docstring: str) -> list[str]:
    """Give the sentences of a docstring that are prose, each on one line.

    Examples
    --------
    >>> sentences('''Sort a sequence.
    ...
    ... Parameters
    ... ----------
    ... x : array_like
    ...     The sequence to be sorted.
    ...
    ... Examples
    ... --------
    ... >>> arrange([2, 1])
    ... [1, 2]
    ... ''')
    ['Sort a sequence.', 'The sequence to be sorted.']
    """
    prose_sentences = []
    for section, body in _sections(inspect.cleandoc(docstring)):
        if section not in PROSE | LISTS:
            continue
        lines = _without_blocks(body.splitlines())
        if section in LISTS:
            lines = [line if line[:1].isspace() else "" for line in lines]
        prose = _MARKUP.sub(" ", "\n".join(lines)).replace("`", "").replace("::", ":")
        prose_sentences += [
            _GAP.sub("", " ".join(part.split())) for part in _SENTENCE_END.split(prose)
        ]
    return [s for s in dict.fromkeys(prose_sentences) if s and not _SIGNATURE.match(s)]


def _sections(text: str) -> Iterator[tuple[str, str]]:
    name, start = "", 0
    for heading in _HEADING.finditer(text):
        yield name, text[start : heading.start()]
        name, start = heading["name"].strip().lower(), heading.end()
    yield name, text[start:]


def _without_blocks(lines: list[str]) -> list[str]:
    """Blank examples up to the next empty line; directives and code with all they indent."""
    visible = []
    in_example = False
    outer: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if line.strip() and outer is not None and indent <= outer:
            outer = None
        in_example = bool(line.strip()) and (in_example or bool(_EXAMPLE.match(line)))
        hidden = in_example or outer is not None
        if outer is None and _BLOCK.search(line.rstrip()):
            outer = indent
            hidden = hidden or line.lstrip().startswith("..")
        visible.append("" if hidden else line)
    return visible
