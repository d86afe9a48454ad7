"""Mail and news: a message a document, whether a file holds one or a whole mailbox."""

from collections.abc import Iterator

from coterie.corpus.documents import Document
from coterie.corpus.kinds.opened import Kind, OpenFile
from coterie.corpus.mail import looks_like_mail, looks_like_mailbox, mail_text, messages


def _message(file: OpenFile) -> Iterator[Document]:
    yield file.document(*mail_text(file.whole(), file.notes, file.threads))


def _mailbox(file: OpenFile) -> Iterator[Document]:
    found = messages(file.stream, file.path, file.budget.limits)
    for number, data in enumerate(found, start=1):
        yield file.numbered(number, *mail_text(data, file.notes, file.threads))


MAIL = Kind("mail", (".eml",), _message, looks_like_mail)
MBOX = Kind("mailbox", (".mbox",), _mailbox, looks_like_mailbox)
