"""Mail: a message a document, its subject first, its other headers left out."""

import email
import email.errors
import email.header
import email.utils
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import Message
from email.policy import Compat32
from functools import partial
from itertools import chain
from typing import IO, Any

from coterie.corpus.encodings import decode
from coterie.corpus.limits import DEFAULT_LIMITS, Limits, too_long
from coterie.corpus.markup import visible_text
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.quotes import own_words

BROKEN_MAIL = (
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    AssertionError,
    RecursionError,
)
LONGEST_HEADER = 10_000  # characters that are decoded
LONGEST_DATE = 200
HEADER = re.compile(rb"[!-9;-~]+:")
MESSAGE_ID = re.compile(r"<[^<>\s]{3,250}>")
REPLY = re.compile(
    r"^(?:(?:re|aw|sv|fw|fwd|tr|wg|antw)(?:\[\d+\])?\s?[:：]\s*)+", re.IGNORECASE
)
DEEPEST = 20  # levels of parts within parts
TOO_DEEP = f"parts of messages that are more than {DEEPEST} levels deep are not read"
NO_TEXT = "parts of messages that are attached, or neither text nor HTML, are not read"
QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)


def looks_like_mail(sample: bytes) -> bool:
    r"""Tell whether a file begins with the headers of a message, From and Subject among them.

    Examples
    --------
    >>> looks_like_mail(b"Path: news\nFrom: me\nSubject: tea\n\nGreen or black?")
    True
    >>> looks_like_mail(b"From: all of us\n\nThank you.")
    False
    """
    head, blank, _ = _with_newlines(sample).partition(b"\n\n")
    lines = head.split(b"\n") if blank else head.split(b"\n")[:-1]
    names = {line.partition(b":")[0].lower() for line in lines if HEADER.match(line)}
    headers_only = all(HEADER.match(line) or line[:1] in (b" ", b"\t") for line in lines)
    return headers_only and {b"from", b"subject"} <= names


def looks_like_mailbox(sample: bytes) -> bool:
    r"""Tell whether a file begins as mailboxes do: a line "From ", then headers.

    Examples
    --------
    >>> looks_like_mailbox(b"From me Mon Jan  5 2004\nSubject: tea\nFrom: me\n\nGreen?")
    True
    >>> looks_like_mailbox(b"From now on,\n\nall is well.")
    False
    """
    first, _, rest = _with_newlines(sample).partition(b"\n")
    return first.startswith(b"From ") and looks_like_mail(rest)


def _with_newlines(sample: bytes) -> bytes:
    return sample.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def messages(
    stream: IO[bytes], name: str = "", limits: Limits = DEFAULT_LIMITS
) -> Iterator[bytes]:
    r"""Yield the messages of an mbox, split where a line begins with "From ".

    Examples
    --------
    >>> import io
    >>> list(messages(io.BytesIO(b"From a\nSubject: x\n\none\n\nFrom b\n\n>From c\n")))
    [b'Subject: x\n\none\n\n', b'\nFrom c\n']
    """
    lines: list[bytes] = []
    begun = False
    blank = True
    size = 0
    read = iter(partial(stream.readline, limits.document + 1), b"")
    for line in chain.from_iterable(each.splitlines(keepends=True) for each in read):
        if blank and line.startswith(b"From "):
            if begun:
                yield QUOTED_FROM.sub(rb"\1", b"".join(lines))
            lines, begun, size = [], True, 0
        else:
            lines.append(line)
            size += len(line)
            if size > limits.document:
                raise too_long(name, limits, "a message is ")
        blank = not line.strip()
    if begun or lines:
        yield QUOTED_FROM.sub(rb"\1", b"".join(lines))


class Threads:
    r"""Threads of messages, each named by the first message that references lead back to.

    Examples
    --------
    >>> threads = Threads()
    >>> threads.of(["<1@a>"], "<2@a>"), threads.of(["<2@a>"], "<3@a>"), threads.of([], "")
    ('<1@a>', '<1@a>', None)
    """

    def __init__(self) -> None:
        self._first: dict[str, str] = {}

    def of(self, references: list[str], message: str) -> str | None:
        """The thread of a message, by the messages it refers to, the oldest first."""
        named = [*references, message] if message else references
        if not named:
            return None
        known = (self._first[each] for each in named if each in self._first)
        first = next(known, named[0])
        for each in named:
            self._first.setdefault(each, first)
        return first


class _Policy(Compat32):
    """Headers that say what a part is are short: what looks for parameters in them is slow."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:LONGEST_HEADER] if name.lower().startswith("content-") else value


POLICY = _Policy()


def mail_text(
    data: bytes, notes: ReadingNotes, threads: Threads | None = None
) -> tuple[str, str, dict[str, Any]]:
    r"""Return what the sender of a message wrote after its subject, the subject, and headers.

    Examples
    --------
    >>> mail_text(b"Subject: =?utf-8?q?caf=C3=A9?=\nFrom: x\n\nOpen late.", ReadingNotes())
    ('café\nOpen late.', 'café', {'date': None, 'from': 'x'})
    """
    try:
        message = email.message_from_bytes(data, policy=POLICY)
        subject = _header(message, "Subject") or ""
        body = own_words("\n".join(_parts(message, notes)))
    except BROKEN_MAIL:
        decoded = decode(data)
        notes.decoded(decoded.encoding, decoded.replaced)
        return decoded.text, "", {}
    topic = REPLY.sub("", subject)
    text = "\n".join(part for part in (topic, body) if part)
    return text, subject, _columns(message, Threads() if threads is None else threads)


def _columns(message: Message, threads: Threads) -> dict[str, Any]:
    try:
        thread = _thread(message, threads)
        known = {"date": _date(message), "from": _header(message, "From")}
        return known | {"thread": thread} if thread else known
    except (*BROKEN_MAIL, OverflowError, email.errors.MessageError):
        return {"date": None, "from": None}


def _thread(message: Message, threads: Threads) -> str | None:
    """The thread by References or, where there are none, In-Reply-To."""
    referred: list[str] = []
    for name in ("References", "In-Reply-To"):
        raw = str(message.get(name) or "")[:LONGEST_HEADER]
        referred = referred or MESSAGE_ID.findall(raw)
    own = MESSAGE_ID.findall(str(message.get("Message-ID") or "")[:LONGEST_HEADER])
    return threads.of(referred, own[0] if own else "")


def _date(message: Message) -> datetime | None:
    """When a message was sent, in universal time; None where its date is not one."""
    try:
        date = email.utils.parsedate_to_datetime(str(message.get("Date"))[:LONGEST_DATE])
        return date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except (*BROKEN_MAIL, OverflowError):
        return None


def _header(message: Message, name: str) -> str | None:
    raw = message.get(name)
    if raw is None:
        return None
    raw = str(raw)
    chunks = email.header.decode_header(raw[:LONGEST_HEADER])
    text = "".join(_chunk_text(*chunk) for chunk in chunks) + raw[LONGEST_HEADER:]
    return " ".join(text.split())


def _chunk_text(chunk: bytes | str, charset: str | None) -> str:
    if isinstance(chunk, str):
        return chunk
    return decode(chunk, charset).text


def _parts(message: Message, notes: ReadingNotes, level: int = 0) -> Iterator[str]:
    """Texts of a message in order; of alternatives, the plain text where there is one."""
    kind = message.get_content_type()
    if level > DEEPEST:
        notes.guess(TOO_DEEP)
    elif message.get_content_disposition() == "attachment":
        notes.guess(NO_TEXT)
    elif message.is_multipart():
        inner = [each for each in message.get_payload() if isinstance(each, Message)]
        if kind == "multipart/alternative":
            inner = sorted(inner, key=lambda part: part.get_content_type() != "text/plain")
            found = (list(_parts(each, notes, level + 1)) for each in inner)
            yield from next((texts for texts in found if "".join(texts).strip()), [])
            return
        for each in inner:
            yield from _parts(each, notes, level + 1)
    elif kind == "text/html":
        yield visible_text(_part_text(message, notes))[0]
    elif kind == "text/plain" or kind.startswith(
        "multipart/"
    ):  # broken, so that it has no parts
        yield _part_text(message, notes)
    else:
        notes.guess(NO_TEXT)


def _part_text(part: Message, notes: ReadingNotes) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    decoded = decode(payload, part.get_content_charset())
    notes.decoded(decoded.encoding, decoded.replaced)
    return decoded.text
