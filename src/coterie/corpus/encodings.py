"""Bytes into text, whatever they were written in, without ever failing."""

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import IO

from coterie.corpus.limits import BLOCK_BYTES, DEFAULT_LIMITS, Limits, too_long
from coterie.corpus.notes import ReadingNotes

SAMPLE_BYTES = 8192
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # which begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
BINARY_SIGNATURES = (
    b"%PDF", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"BZh",
    b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x7fELF", b"\xd0\xcf\x11\xe0", b"SQLite format 3",
    b"PAR1", b"OggS", b"ID3", b"wOFF",
)  # fmt: skip
VALID_MULTIBYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
HIGH_BYTE = re.compile(rb"[\x80-\xff]")
ASCII = bytes(range(128))
CONTROL = bytes(code for code in range(32) if chr(code) not in "\t\n\v\f\r\x1b\b")
BROKEN_PER_VALID = 10
MOST_CONTROLS = 0.08
MOST_NULS = 0.02
LONGEST_CHARACTER = 4
LEGACY = {
    "cp1250": "windows-1250", "cp1251": "windows-1251", "cp1252": "windows-1252",
    "cp1253": "windows-1253", "cp1254": "windows-1254", "cp1255": "windows-1255",
    "cp1256": "windows-1256", "cp1257": "windows-1257", "cp1258": "windows-1258",
    "iso8859-2": "iso-8859-2", "iso8859-5": "iso-8859-5", "iso8859-7": "iso-8859-7",
    "koi8-r": "koi8-r", "koi8-u": "koi8-u", "cp866": "cp866",
    "mac-cyrillic": "mac-cyrillic", "cp932": "shift_jis", "euc_jis_2004": "euc-jp",
    "gb18030": "gb18030", "big5": "big5", "big5hkscs": "big5hkscs", "cp949": "euc-kr",
    "johab": "johab", "tis-620": "tis-620", "cp874": "cp874",
}  # fmt: skip
"""Encodings other than Unicode that are recognised: Python's name, and the usual one."""

SIBLINGS = {"iso-8859-2": "windows-1250", "iso-8859-7": "windows-1253"}
ESCAPED = {b"\x1b$": "iso2022_jp", b"\x1b$)C": "iso2022_kr"}  # written in ASCII
DECLARED_ONLY = ("utf-7", "hz")  # written in ASCII too, and without a mark
WESTERN = ("windows-1252", "iso-8859-1")
ENOUGH_BYTES = 5  # beyond ASCII; an alphabet is not recognised by fewer
LEAST_LETTERS = 0.6  # of what is not ASCII; signs alone show no alphabet
AMID_LATIN = re.compile(
    "(?<=[A-Za-z])[\u0370-\u07ff\u0e00-\u0e7f]|[\u0370-\u07ff\u0e00-\u0e7f](?=[A-Za-z])"
)
MOST_AMID = 0.3  # share of Greek, Cyrillic, ... letters that stand beside a Latin one
VALID_PER_BROKEN = 10  # characters of UTF-8 that is a little broken
REPLACEMENT = "\ufffd"
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Decoded:
    """A text, the encoding it was in, and how many characters could not be read."""

    text: str
    encoding: str
    replaced: int


def decode(data: bytes, declared: str | None = None) -> Decoded:
    r"""Decode bytes by their byte order mark, as UTF-8 if they can be, as declared, as guessed.

    Western European is declared of texts in any encoding: it is believed of none that shows
    another.

    Examples
    --------
    >>> decode("naïve".encode("utf-16"))
    Decoded(text='naïve', encoding='utf-16-le', replaced=0)
    >>> decode("naïve".encode("cp1252"))
    Decoded(text='naïve', encoding='windows-1252', replaced=0)
    >>> decode(b"na\xc3\xafve \xff")
    Decoded(text='naïve \ufffd', encoding='utf-8', replaced=1)
    """
    encoding, mark = _guess(data)
    body = data[mark:]
    if declared and not mark and _is_believed(declared, body, encoding):
        return Decoded(body.decode(declared), declared.lower(), 0)
    text = body.decode(encoding, "replace")
    return Decoded(text, encoding, _replaced(text, body, encoding))


def _is_believed(declared: str, data: bytes, guessed: str) -> bool:
    """Tell whether a text is in the encoding that it is declared to be in."""
    try:
        name, text = codecs.lookup(declared).name, data.decode(declared)
    except (LookupError, ValueError):
        return False
    if data.isascii():
        return name in DECLARED_ONLY
    if guessed in WESTERN:
        return name != "iso8859-1"  # which is meant as windows-1252
    is_unicode = guessed.startswith("utf-16") or _decodes(data, "utf-8")
    return not is_unicode and name not in ("iso8859-1", "cp1252") and _is_plausible(text)


def looks_binary(sample: bytes) -> bool:
    r"""Say whether bytes are not text: NUL or many control characters, unless UTF-16.

    Examples
    --------
    >>> looks_binary(b"plain text"), looks_binary(b"\x00\x01\x02\x03")
    (False, True)
    """
    sample = sample[:SAMPLE_BYTES]
    if sample.startswith(BINARY_SIGNATURES):
        return True
    if _sixteen_bits(sample):
        return False
    controls = len(sample) - len(sample.translate(None, CONTROL))
    return controls > len(sample) * MOST_CONTROLS or sample.count(0) > len(sample) * MOST_NULS


def decoded_lines(
    start: bytes,
    stream: IO[bytes],
    notes: ReadingNotes,
    name: str = "",
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[str]:
    """Yield the lines, each with its newline, of a start already read and the rest of a stream.

    The encoding is decided at the first byte that is not ASCII, from the block it is in.
    """
    decoder = _LateDecoder(notes)
    universal = io.IncrementalNewlineDecoder(None, translate=True)
    unfinished: list[str] = []  # of a line longer than a block, joined once at its end
    n_lines, length = 0, 0
    block = start or stream.read(BLOCK_BYTES)
    while block:
        first, *others = universal.decode(decoder.decode(block)).split("\n")
        unfinished.append(first)
        length += len(first)
        if length > limits.document:
            raise too_long(name, limits, f"line {n_lines + 1} is ")
        if others:
            last = others.pop()
            yield "".join(unfinished) + "\n"
            for line in others:
                yield line + "\n"
            unfinished, length, n_lines = [last], len(last), n_lines + len(others) + 1
        block = stream.read(BLOCK_BYTES)
    unfinished.append(universal.decode(decoder.decode(b"", final=True), final=True))
    *lines, rest = "".join(unfinished).split("\n")
    for line in lines:
        yield line + "\n"
    if rest:
        yield rest


class _LateDecoder:
    def __init__(self, notes: ReadingNotes) -> None:
        self._notes = notes
        self._decoder: codecs.IncrementalDecoder | None = None
        self._encoding = "utf-8"
        self._begun = False
        self._held = b""

    def decode(self, block: bytes, final: bool = False) -> str:
        if not self._begun:
            self._begun = True
            encoding, mark = _guess(block)
            if mark or encoding.startswith("utf-16"):
                self._settle(encoding)
                block = block[mark:]
        if self._decoder is None:
            block, self._held = self._held + block, b""
            if block[: -LONGEST_CHARACTER + 1].isascii() and not final:
                return self._hold_back(block)
            if block.isascii():
                return block.decode("ascii")
            self._settle(_guess(block)[0])
        assert self._decoder is not None
        text = self._decoder.decode(block, final)
        self._notes.decoded("utf-8", _replaced(text, block, self._encoding))
        return text

    def _hold_back(self, block: bytes) -> str:
        """Keep an end that may be a part of a character until more is known."""
        safe = len(block) if block.isascii() else max(0, len(block) - LONGEST_CHARACTER + 1)
        self._held = block[safe:]
        return block[:safe].decode("ascii")

    def _settle(self, encoding: str) -> None:
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._notes.decoded(encoding)


def _guess(data: bytes) -> tuple[str, int]:
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    sixteen_bits = _sixteen_bits(data[:SAMPLE_BYTES])
    if sixteen_bits:
        return sixteen_bits, 0
    return _without_mark(data), 0


def _sixteen_bits(sample: bytes) -> str | None:
    sample = sample[: len(sample) // 2 * 2]
    half = len(sample) // 2
    if half < 2:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    little = odd * 10 > half * 4 or sample.startswith(codecs.BOM_UTF16_LE)
    big = even * 10 > half * 4 or sample.startswith(codecs.BOM_UTF16_BE)
    if little == big:
        return None
    encoding = "utf-16-le" if little else "utf-16-be"
    text = sample.decode(encoding, "replace")
    strange = sum(sign < " " and sign not in "\t\n\f\r" for sign in text)
    return encoding if (strange + text.count(REPLACEMENT)) * 20 < len(text) else None


def _without_mark(data: bytes) -> str:
    """UTF-8, broken or not, an encoding of another alphabet, or Western European."""
    if _decodes(data, "utf-8"):
        return _escaped(data) if b"\x1b$" in data else "utf-8"
    n_valid = len(VALID_MULTIBYTE.findall(data))
    n_broken = len(HIGH_BYTE.findall(VALID_MULTIBYTE.sub(b"", data)))
    if 0 < VALID_PER_BROKEN * n_broken <= n_valid:
        return "utf-8"
    other = _other_alphabet(_lines_beyond_ascii(data))
    if other:
        return other
    if 0 < n_broken <= BROKEN_PER_VALID * n_valid:
        return "utf-8"
    return "windows-1252" if _decodes(data, "cp1252") else "iso-8859-1"


def _escaped(data: bytes) -> str:
    """The encoding of a text of ASCII with escapes, as Japanese mail was long written."""
    fits = (each for mark, each in ESCAPED.items() if mark in data and _decodes(data, each))
    return next(fits, "utf-8")


def _other_alphabet(sample: bytes) -> str | None:
    """The encoding of a text with many letters beyond ASCII, by chardet."""
    if len(sample.translate(None, ASCII)) < ENOUGH_BYTES:
        return None
    from chardet import detect

    found = detect(sample, include_encodings=[*LEGACY, "utf-8"])["encoding"]
    if found is None or found.lower() == "utf-8":
        return None
    usual = _usual_names().get(codecs.lookup(found).name)
    if usual is None or usual == "windows-1252":
        return None
    text = sample.decode(usual, "replace")
    sibling = SIBLINGS.get(usual, usual)
    usual = sibling if text == sample.decode(sibling, "replace") else usual
    return usual if _is_plausible(text) else None


def _is_plausible(text: str) -> bool:
    """Tell whether what is not ASCII is letters, and not amid words of Latin letters."""
    beyond = [sign for sign in text if not sign.isascii()]
    letters = sum(map(str.isalpha, beyond))
    amid = len(AMID_LATIN.findall(text))
    return letters >= LEAST_LETTERS * len(beyond) and amid <= MOST_AMID * letters


@cache
def _usual_names() -> dict[str, str]:
    names = {codecs.lookup(each).name: usual for each, usual in LEGACY.items()}
    return names | {"euc_jp": "euc-jp", "euc_kr": "euc-kr", "shift_jis": "shift_jis"}


def _lines_beyond_ascii(data: bytes) -> bytes:
    """The first lines that are not all ASCII, which differ most between encodings."""
    lines = (line for line in data.split(b"\n") if not line.isascii())
    sample = bytearray()
    while len(sample) < SAMPLE_BYTES and (line := next(lines, None)) is not None:
        sample += line + b"\n"
    return bytes(sample[:SAMPLE_BYTES])


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _replaced(text: str, data: bytes, encoding: str) -> int:
    replaced = text.count(REPLACEMENT) if not text.isascii() else 0
    if not replaced:
        return 0
    genuine = REPLACEMENT.encode("utf-16-le" if encoding == "utf-16-le" else "utf-16-be")
    genuine = REPLACEMENT.encode() if encoding == "utf-8" else genuine
    return max(0, replaced - data.count(genuine))


def without_surrogates(text: str) -> tuple[str, int]:
    r"""Replace halves of characters, which no file can hold, and say how many there were.

    Examples
    --------
    >>> without_surrogates("a\ud800")
    ('a\ufffd', 1)
    """
    return (text, 0) if text.isascii() else LONE_SURROGATE.subn(REPLACEMENT, text)
