"""20 Newsgroups as the papers use it: no headers, no subject lines, no copies."""

import re
from collections import Counter
from typing import NamedTuple

from coterie.corpus import Corpus, TextOptions
from coterie.errors import InputError
from coterie_papers.collections.files import (
    NEWSGROUPS,
    NEWSGROUPS_18828,
    NEWSGROUPS_BYDATE,
    locate,
    members,
)
from coterie_papers.collections.recipes import PESSIOT

MESSAGE_ID = re.compile(r"^message-id:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
SUBJECT = re.compile(r"^subject:\s*(.*)", re.IGNORECASE | re.MULTILINE)
FIVE_CLASSES = ("alt", "comp", "rec", "sci", "talk")
DISTRIBUTIONS = {
    "19997": NEWSGROUPS,
    "18828": NEWSGROUPS_18828,
    "bydate": NEWSGROUPS_BYDATE,
}


class Message(NamedTuple):
    """A message without its headers."""

    name: str
    group: str
    subject: str
    body: str


def load_newsgroups(
    classes: str = "five", options: TextOptions = PESSIOT, distribution: str = "19997"
) -> Corpus:
    """Load the messages that are in one group only, each once.

    `classes="five"` labels the messages of alt, comp, rec, sci and talk by these, as Pessiot
    et al. do; `"groups"` labels the same messages by their 18 groups; `"twenty"` takes all 20
    groups.
    `distribution` is one of the three the collection comes in: "19997", "18828" or "bydate".
    """
    if classes not in ("five", "groups", "twenty"):
        raise InputError(f"classes={classes!r}: expected five, groups or twenty")
    kept = [
        message
        for message in newsgroup_messages(distribution)
        if classes == "twenty" or message.group.partition(".")[0] in FIVE_CLASSES
    ]
    whole = classes != "five"
    return Corpus.from_texts(
        [message.body for message in kept],
        ids=[message.name for message in kept],
        titles=[message.subject for message in kept],
        labels=[m.group if whole else m.group.partition(".")[0] for m in kept],
        options=options,
    )


def newsgroup_messages(distribution: str = "19997", copies: bool = False) -> list[Message]:
    """All messages in the archive's order, without those of several groups and repeats.

    A message posted to several groups has no one class, so all its copies go; of messages
    with the same text the first stays. Only the original distribution has the headers that
    tell the former; the makers of the other two took them out. `copies=True` keeps all.
    """
    if distribution not in DISTRIBUTIONS:
        raise InputError(f"distribution={distribution!r}: expected {', '.join(DISTRIBUTIONS)}")
    ids: Counter[str] = Counter()
    found: list[tuple[str, Message]] = []
    for path, content in members(locate(DISTRIBUTIONS[distribution])):
        head, _, body = content.decode("latin-1").partition("\n\n")
        group, number = path.split("/")[-2:]
        name = f"{group}/{number}"
        identity, subject = MESSAGE_ID.search(head), SUBJECT.search(head)
        key = identity.group(1) if identity else name
        ids[key] += 1
        found.append((key, Message(name, group, subject.group(1) if subject else name, body)))
    if copies:
        return [message for _, message in found]
    once: dict[str, Message] = {}
    for key, message in found:
        if ids[key] == 1:
            once.setdefault(" ".join(message.body.split()), message)
    return list(once.values())
