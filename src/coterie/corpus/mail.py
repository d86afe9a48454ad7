"""Mail: a message a document, its subject first, its other headers left out."""

import email
import email.errors
import email.header
import email.utils
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import Message
from typing import IO, Any

from coterie.corpus.encodings import decode
from coterie.corpus.limits import DEFAULT_LIMITS, Limits, too_long
from coterie.corpus.markup import visible_text
from coterie.corpus.notes import ReadingNotes

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
    head, blank, _ = sample.replace(b"\r\n", b"\n").partition(b"\n\n")
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
    first, _, rest = sample.partition(b"\n")
    return first.startswith(b"From ") and looks_like_mail(rest)


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
    for line in stream:
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


def mail_text(data: bytes, notes: ReadingNotes) -> tuple[str, str, dict[str, Any]]:
    r"""Return the text of a message, headed by its subject, the subject, and other headers.

    Examples
    --------
    >>> mail_text(b"Subject: =?utf-8?q?caf=C3=A9?=\nFrom: x\n\nOpen late.", ReadingNotes())
    ('café\nOpen late.', 'café', {'date': None, 'from': 'x'})
    """
    try:
        message = email.message_from_bytes(data)
        subject = _header(message, "Subject") or ""
        body = _body(message, notes)
    except BROKEN_MAIL:
        decoded = decode(data)
        notes.decoded(decoded.encoding, decoded.replaced)
        return decoded.text, "", {}
    text = "\n".join(part for part in (subject, body) if part)
    return text, subject, _columns(message)


def _columns(message: Message) -> dict[str, Any]:
    try:
        return {"date": _date(message), "from": _header(message, "From")}
    except (*BROKEN_MAIL, OverflowError, email.errors.MessageError):
        return {"date": None, "from": None}


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


def _body(message: Message, notes: ReadingNotes) -> str:
    parts = [part for part in message.walk() if not part.is_multipart()]
    inline = [part for part in parts if part.get_content_disposition() != "attachment"]
    plain = [part for part in inline if part.get_content_type() == "text/plain"]
    if plain:
        return "\n".join(_part_text(part, notes) for part in plain)
    pages = [part for part in inline if part.get_content_type() == "text/html"]
    return "\n".join(visible_text(_part_text(part, notes))[0] for part in pages)


def _part_text(part: Message, notes: ReadingNotes) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    decoded = decode(payload, part.get_content_charset())
    notes.decoded(decoded.encoding, decoded.replaced)
    return decoded.text
