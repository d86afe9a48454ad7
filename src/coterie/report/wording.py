"""How numbers, texts and measures are written for people."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coterie.evaluation import Scores

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
    kept = words if len(words) > length // 2 else cut[:-1]
    return kept.rstrip() + "…"


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


def thousands(number: float) -> str:
    """Write a whole number with commas.

    Examples
    --------
    >>> thousands(1234567)
    '1,234,567'
    """
    return f"{round(number):,}"


def percent(share: float) -> str:
    """Write a share as a percentage that never rounds something to nothing or to all.

    Examples
    --------
    >>> percent(0.1234), percent(0.00001), percent(0.99999), percent(1.0)
    ('12.3%', '<0.1%', '>99.9%', '100%')
    """
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 <= share < 1:
        return ">99.9%"
    return "100%" if share == 1 else f"{100 * share:.1f}%"


def times(lift: float) -> str:
    """Write how many times more frequent a word is.

    Examples
    --------
    >>> times(3.14159), times(27.3)
    ('3.1×', '27×')
    """
    return f"{lift:.1f}×" if lift < 9.95 else f"{lift:,.0f}×"


def number(value: float) -> str:
    """Write a measured number in a few digits.

    Examples
    --------
    >>> number(-1234567.8), number(0.98765)
    ('-1,234,568', '0.9877')
    """
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}"


def duration(seconds: float) -> str:
    """Write a time the way a person would say it.

    Examples
    --------
    >>> duration(0.042), duration(12.3), duration(754)
    ('0.04 s', '12.3 s', '12 min 34 s')
    """
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def measures(scores: "Scores") -> list[tuple[str, float, str]]:
    """List the measures of agreement with known classes: name, value, and what it tells."""
    rows = [
        ("Micro precision", scores.micro_precision, "documents in their cluster's main class"),
        ("NMI", scores.nmi, "information shared, geometric mean"),
        ("Adjusted Rand index", scores.ari, "pairs agreed on, beyond chance"),
        ("MI F-score", scores.mi_f_score, "information shared by soft memberships"),
        ("Pairs, precision", scores.pairs.precision, "pairs together that should be"),
        ("Pairs, recall", scores.pairs.recall, "pairs found of those that should be together"),
        ("Pairs, F1", scores.pairs.f1, "harmonic mean of the two"),
    ]
    if scores.soft_pairs is not None:
        rows.append(("Soft pairs, F1", scores.soft_pairs.f1, "the same for soft memberships"))
    return rows
