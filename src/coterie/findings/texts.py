"""Texts of a corpus made safe and short: for files, for a terminal, as an excerpt."""

from coterie.corpus.text import NUMBER

NUMBERS = "(numbers)"
EXCERPT_LENGTH = 300
CONTROLS = dict.fromkeys(
    [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)
"""Characters that drive terminals, or turn the direction of the text after them."""


def encodable(text: str) -> str:
    r"""Spell out what UTF-8 cannot hold, such as undecodable bytes of a file's name.

    Examples
    --------
    >>> print(encodable("menu\udce9"))
    menu\udce9
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def printable(text: str) -> str:
    r"""Put the text on one line and drop control characters, which can drive a terminal.

    Examples
    --------
    >>> printable("one\n two\x1b[31m")
    'one two[31m'
    """
    return " ".join(encodable(text).split()).translate(CONTROLS)


def readable_word(word: str) -> str:
    """Name the word that stands for all numbers, also within a run of words.

    Examples
    --------
    >>> readable_word("#"), readable_word("# km"), readable_word("c#")
    ('(numbers)', '(numbers) km', 'c#')
    """
    return " ".join(NUMBERS if each == NUMBER else each for each in word.split(" "))


def shorten(text: str, length: int) -> str:
    """Cut the text at a word's end where one is near, and mark the cut.

    Examples
    --------
    >>> shorten("a pot of green tea", 12)
    'a pot of…'
    """
    if len(text) <= length:
        return text
    cut = text[:length]
    words, _, _ = cut.rpartition(" ")
    beginning = words if len(words) > length // 2 else cut[:-1]
    return beginning.rstrip() + "…"


def excerpt(text: str, title: str, length: int = EXCERPT_LENGTH) -> str:
    r"""Give the beginning of a text on one line, without the first line if it is the title.

    Examples
    --------
    >>> excerpt("Tea\n\nA drink  made from leaves.", "Tea")
    'A drink made from leaves.'
    """
    head, _, rest = text.lstrip().partition("\n")
    if head.strip() == title.strip() and rest.strip():
        text = rest
    return shorten(printable(text[: 20 * length]), length)
