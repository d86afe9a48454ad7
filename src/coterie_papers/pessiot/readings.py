"""Experiment on what the paper leaves open of its collections: readings of its selection."""

import re
from collections import Counter
from collections.abc import Callable, Iterable

from coterie_papers.cells import Cell, Scores
from coterie_papers.collections.files import NEWSGROUPS, REUTERS, locate, members
from coterie_papers.collections.newsgroups import FIVE_CLASSES, MESSAGE_ID
from coterie_papers.collections.reuters import BODY, TOPIC, TOPICS

HEAD_AND_STORY = re.compile(r"<REUTERS(.*?)>(.*?)</REUTERS>", re.DOTALL)
GROUPS_HEADER = re.compile(r"^newsgroups:\s*(.*)", re.IGNORECASE | re.MULTILINE)
SEVEN = ("earn", "acq", "money-fx", "crude", "grain", "trade", "interest")


def reuters(reading: str) -> list[str]:
    """The class of each story in one reading."""
    found = []
    for path, content in members(locate(REUTERS)):
        number = re.search(r"reut2-(\d+)\.sgm$", path)
        if number is None:
            continue
        for head, story in HEAD_AND_STORY.findall(content.decode("latin-1")):
            listed = TOPICS.search(story)
            topics = TOPIC.findall(listed.group(1)) if listed else []
            keep = {
                "first topic, with a body": True,
                "one topic alone": len(topics) == 1,
                "training stories": 'LEWISSPLIT="TRAIN"' in head and 'TOPICS="YES"' in head,
                "test stories": 'LEWISSPLIT="TEST"' in head and 'TOPICS="YES"' in head,
                "first half of the files": int(number.group(1)) < 11,
            }[reading]
            if keep and topics and topics[0] in SEVEN and BODY.search(story):
                found.append(topics[0])
    return found


def newsgroups(reading: str) -> list[str]:
    """The class of each message in one reading."""
    everything, copies = [], Counter[str]()
    for path, content in members(locate(NEWSGROUPS)):
        head, _, body = content.decode("latin-1").partition("\n\n")
        group, name = path.split("/")[-2:]
        identity, header = MESSAGE_ID.search(head), GROUPS_HEADER.search(head)
        key = identity.group(1) if identity else f"{group}/{name}"
        posted = header.group(1).split(",") if header else []
        copies[key] += 1
        everything.append((key, group, " ".join(body.split()), [p.strip() for p in posted]))
    known = {group for _, group, _, _ in everything}
    once: dict[str, str] = {}
    for key, group, text, posted in everything:
        keep = {
            "one copy in the collection": copies[key] == 1,
            "first copy": True,
            "header names one of the 20 groups": sum(p in known for p in posted) <= 1,
            "header names one group": len(posted) <= 1,
        }[reading]
        if keep:
            once.setdefault(text, group.partition(".")[0])
    return [name for name in once.values() if name in FIVE_CLASSES]


COLLECTIONS: dict[str, Callable[[str], Iterable[str]]] = {
    "reuters": reuters,
    "newsgroups": newsgroups,
}


def shares(cell: Cell) -> Scores:
    """Number of documents and the share of each class in one reading of a collection."""
    sizes = Counter(COLLECTIONS[cell.corpus](cell.setting("reading")))
    total = sizes.total()
    return {
        "documents": total,
        "classes": {name: size / total for name, size in sizes.most_common()},
    }
