"""The text of a message: without headers in it, signatures, and lines that say who is quoted.

Lines are judged by their form, which is the same in all languages, not by words such as
"wrote". Lines may be long and made to be slow, so no pattern goes back over what it has read.
"""

import re

QUOTED = re.compile(r"\s{0,3}(?:[A-Za-z]{0,4}[>|](?![_<-])|:\s?[>:])")
OTHER_MARKS = (": ", "# ", "} ")
MARKED_LINES = 3
SIGNATURE = re.compile(r"-- ?")
RULE = re.compile(r"\s*+([-_=*~#.])\1{3,}+\W*+")
NAMED = re.compile(r"<[^<>\s]*+>|\S@\S|\d{1,4}[./-]\d{1,2}|\d:\d\d|\([^()]++\)|\d{4}")
ADDRESSED = re.compile(r"[^<>\s]@[^<>\s]{1,80}+>?+.{0,80}+$")
LONGEST_ADDRESSED = 170  # characters that the pattern above may match
MID_SENTENCE = re.compile(r"\s*[<(\"“„a-zß-ÿ]|\s*:")
END_OF_ATTRIBUTION = (":", ":-", "：")
OTHER_ENDS = ("...", "…", ">")  # of lines with an address or the name of a message
ADDRESS = re.compile(r"<[^<>\s]+>|\S@\S")
HEADER = re.compile(r"\s*\*?[^\W\d_][\w -]{0,20}\s?:\*?(?:\s|$)")
ENVELOPE = re.compile(r"[-_*>]{2}.*[-_*]{2}")
LONGEST_ENVELOPE = 60  # characters between its rules
ARMOUR = re.compile(r"-----(BEGIN|END) (PGP|RSA|CERTIFICATE).{0,40}-----")
ENCODED = re.compile(r"begin [0-7]{3,4} \S+")
ENCODED_LINE = re.compile(r"[ -`]{61}$")
LONGEST_SIGNATURE = 8  # lines after a rule that is not the standard one
LONGEST_ATTRIBUTION = 2  # lines before the last
LEAST_HEADERS = 3  # lines that make the headers of a forwarded message
LONGEST = 20_000  # lines of a message that are looked at


def own_words(body: str) -> str:
    r"""Return a message without headers within it, signature, attributions and quote marks.

    What is quoted stays: it says what an answer of a few words is about. If nothing is left,
    all of it stays.

    Examples
    --------
    >>> own_words("On Monday, 5 May, Ann <a@b.org> wrote:\n> Tea?\n\nYes.\n-- \nBob, Acme Ltd")
    'Tea?\n\nYes.'
    """
    lines = body.splitlines()
    if len(lines) > LONGEST:
        return body
    kept = _without_headers(_without_attachments(_without_signature(lines)))
    marks = _other_marks(kept)
    pairs = [_unmarked(line, marks) for line in kept]
    plain, depths = [line for line, _ in pairs], [depth for _, depth in pairs]
    attributions = _attributions(plain, depths)
    text = "\n".join(
        line
        for at, line in enumerate(plain)
        if at not in attributions and not RULE.fullmatch(line)
    ).strip()
    return text if any(map(str.isalpha, text)) else body


def _unmarked(line: str, marks: tuple[str, ...]) -> tuple[str, int]:
    """A line without the signs that mark it as quoted, and how many it has."""
    depth = end = 0
    while mark := QUOTED.match(line, end):
        end, depth = mark.end(), depth + 1
    line = line[end:]
    if line.startswith(marks):
        line, depth = line[2:], depth + 1
    return line.removeprefix(" ") if depth else line, depth


def _other_marks(lines: list[str]) -> tuple[str, ...]:
    """Signs that some people quote by, where several lines begin with one."""
    return tuple(
        mark
        for mark in OTHER_MARKS
        if sum(line.startswith(mark) for line in lines) >= MARKED_LINES
    )


def _without_signature(lines: list[str]) -> list[str]:
    """Lines up to the last "-- ", or to a rule with a few lines after it."""
    last = len(lines)
    while last and not lines[last - 1].strip():
        last -= 1
    for at in range(last - 1, 0, -1):
        standard = SIGNATURE.fullmatch(lines[at])
        closing = at == last - 1  # a rule below a signature that has one above too
        if standard or (not closing and RULE.fullmatch(lines[at])):
            return lines[:at]
        if last - at > LONGEST_SIGNATURE:
            break
    standard_at = [at for at, line in enumerate(lines) if line == "-- "]
    return lines[: standard_at[-1]] if standard_at and standard_at[-1] else lines


def _without_attachments(lines: list[str]) -> list[str]:
    """Lines that are not signatures by key, certificates or files written as letters."""
    kept, inside = [], False
    for line in lines:
        armour = ARMOUR.match(line)
        if armour:
            inside = armour[1] == "BEGIN" and "MESSAGE" not in line
        elif not inside and not _is_encoded(line):
            kept.append(line)
    return kept


def _is_encoded(line: str) -> bool:
    """Tell a line of a file encoded as letters, which have no small ones, or its first."""
    if ENCODED.fullmatch(line):
        return True
    return line[:1] == "M" and len(line) in (61, 62) and ENCODED_LINE.match(line) is not None


def _without_headers(lines: list[str]) -> list[str]:
    """Lines without blocks of headers within the text, and the rule above them."""
    kept: list[str] = []
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and HEADER.match(lines[end]):
            end += 1
        block = lines[at:end]
        if _are_headers(block):
            while kept and (not kept[-1].strip() or _is_envelope(kept[-1])):
                kept.pop()
            at = end
        else:  # nor are any of its last lines by themselves
            end = max(end, at + 1)
            kept.extend(lines[at:end])
            at = end
    return kept


def _is_envelope(line: str) -> bool:
    """Tell a line between rules, or a rule, such as "----- Original message -----"."""
    marked = line.strip()
    inside = marked.lstrip("-_*>").rstrip("-_*")
    return len(inside) <= LONGEST_ENVELOPE and ENVELOPE.fullmatch(marked) is not None


def _are_headers(block: list[str]) -> bool:
    """Tell headers, some with an address and some without, from a list of addresses."""
    addressed = sum("@" in line for line in block)
    return len(block) >= LEAST_HEADERS and 0 < addressed < len(block)


def _attributions(lines: list[str], depths: list[int]) -> set[int]:
    """Positions of lines that say who is quoted: above a deeper quote, or with an address."""
    found: set[int] = set()
    for at, line in enumerate(lines):
        if _is_addressed(line):
            found.update(_attribution(lines, depths, at))
        elif at and depths[at] > depths[at - 1]:
            last = at - 1 if lines[at - 1].strip() else at - 2
            if last >= 0 and depths[last] < depths[at]:
                found.update(_attribution(lines, depths, last))
    return found


def _is_addressed(line: str) -> bool:
    """Tell a line that ends with an address, some words and a colon."""
    end = line.rstrip()
    return end.endswith(":") and bool(ADDRESSED.search(end[-LONGEST_ADDRESSED:-1]))


def _attribution(lines: list[str], depths: list[int], last: int) -> range:
    """The lines of an attribution that ends with a line: as far up as its sentence goes."""
    nothing = range(0)
    end = lines[last].rstrip()
    other = end.endswith(OTHER_ENDS) and ADDRESS.search(end)
    if not other and not end.endswith(END_OF_ATTRIBUTION):
        return nothing
    first = last
    while not NAMED.search(lines[first]) or MID_SENTENCE.match(lines[first]):
        above = first - 1
        if first == 0 or last - first == LONGEST_ATTRIBUTION:
            break
        if not lines[above].strip() or depths[above] != depths[last]:
            break
        first -= 1
    return (
        range(first, last + 1) if NAMED.search("\n".join(lines[first : last + 1])) else nothing
    )
