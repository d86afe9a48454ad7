"""Reuters-21578 as Pessiot et al. use it: the first topic of a story is its class."""

import html
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from coterie.corpus import Corpus, TextOptions
from coterie_papers.collections.files import REUTERS, locate, members
from coterie_papers.collections.recipes import PESSIOT

STORY = re.compile(r"<REUTERS.*?NEWID=\"(\d+)\".*?>(.*?)</REUTERS>", re.DOTALL)
TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
TOPIC = re.compile(r"<D>(.*?)</D>")
TITLE = re.compile(r"<TITLE>(.*?)</TITLE>", re.DOTALL)
BODY = re.compile(r"<BODY>(.*?)</BODY>", re.DOTALL)
SIGN_OFF = re.compile(r"\s*reuter\s*\x03?\s*$", re.IGNORECASE)


class Story(NamedTuple):
    """A story with all its topics."""

    number: str
    topics: tuple[str, ...]
    title: str
    body: str


def load_reuters(n_classes: int = 7, options: TextOptions = PESSIOT) -> Corpus:
    """Load the stories with a body whose first topic is one of the most frequent.

    Pessiot et al. have 4,335 stories in seven classes and do not say how they chose them;
    these are all stories of the same seven classes.
    """
    stories = [story for story in reuters_stories() if story.topics and story.body]
    sizes = Counter(story.topics[0] for story in stories)
    largest = {topic for topic, _ in sizes.most_common(n_classes)}
    kept = [story for story in stories if story.topics[0] in largest]
    return Corpus.from_texts(
        [story.body for story in kept],
        ids=[story.number for story in kept],
        titles=[story.title or story.number for story in kept],
        labels=[story.topics[0] for story in kept],
        options=options,
    )


def reuters_stories() -> Iterator[Story]:
    """All stories in their order, those without topics or body included."""
    for path, content in members(locate(REUTERS)):
        if path.endswith(".sgm"):
            for number, story in STORY.findall(content.decode("latin-1")):
                topics = TOPIC.findall(_first(TOPICS, story))
                body = SIGN_OFF.sub("", html.unescape(_first(BODY, story)))
                title = " ".join(html.unescape(_first(TITLE, story)).split())
                yield Story(number, tuple(topics), title, body)


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found.group(1) if found else ""
