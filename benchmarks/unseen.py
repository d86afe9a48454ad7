"""Collections made when the settings of the default had been chosen, to judge it by.

They are made from the same texts as those of `short_texts.py`, cut and labelled in other ways:
the beginnings of stories and descriptions, a few words from the middle of a text, groups and
languages that no setting was tried on. `COLLECTIONS` gives each by name; all are read from the
folder in COTERIE_DATA.
"""

from collections import Counter
from functools import partial

import numpy as np
import short_texts
from short_texts import QUOTED, corpus_of, stories_of

from coterie.corpus import Corpus, TextOptions, read
from coterie_papers.collections.files import DEBIAN, locate
from coterie_papers.collections.newsgroups import newsgroup_messages

SEVEN = (
    "rec.autos", "sci.space", "comp.graphics", "rec.sport.hockey", "talk.politics.guns",
    "sci.med", "comp.windows.x",
)  # fmt: skip
WORDS = (
    "python", "perl", "ruby", "java", "window", "database", "music", "network", "editor",
    "debug", "compiler", "chess", "bluetooth", "calendar", "spell", "printer", "camera",
    "graph", "cluster", "backup",
)  # fmt: skip
N_SECTIONS = 8


def cut(text, n_words, rng=None):
    """So many words from the beginning of a text, or from anywhere in it; None for all."""
    if n_words is None:
        return text
    words = text.split()
    first = 0 if rng is None else int(rng.integers(max(1, len(words) - n_words)))
    return " ".join(words[first : first + n_words])


def stories(n_topics, n_words=None, *, anywhere=False):
    """Reuters stories of the largest topics, or so many of their words."""
    rng = np.random.default_rng(1) if anywhere else None
    chosen = stories_of(n_topics)
    return corpus_of([cut(s.body, n_words, rng) for s in chosen], [s.topics[0] for s in chosen])


def descriptions(language, n_words=None):
    """Descriptions of packages of the largest sections, in one language."""
    options = TextOptions(language=language)
    whole = read(locate(DEBIAN), text=language, label="section", options=options)
    sections = whole.labels.astype(str)
    largest = [section for section, _ in Counter(sections).most_common(N_SECTIONS)]
    rows = np.flatnonzero(np.isin(sections, largest))
    texts = [cut(text, n_words) for text in whole.texts(rows)]
    return Corpus.from_texts(texts, labels=sections[rows], options=options)


def groups(names, most, n_words=None):
    """So many messages of each group whose name begins so, or words from anywhere in them."""
    rng, pairs, n_messages = np.random.default_rng(2), [], Counter()
    for message in newsgroup_messages():
        text = QUOTED.sub("", message.body)
        long_enough = n_words is None or len(text.split()) > n_words
        if message.group.startswith(names) and long_enough and n_messages[message.group] < most:
            n_messages[message.group] += 1
            pairs.append((cut(text, n_words, rng), message.group))
    return corpus_of(*zip(*pairs, strict=True))


COLLECTIONS = {
    "leads": partial(stories, 7, 25),
    "excerpts": partial(stories, 7, 20, anywhere=True),
    "topics": partial(stories, 20),
    "beginnings": partial(descriptions, "en", 15),
    "german": partial(descriptions, "de"),
    "french": partial(descriptions, "fr"),
    "spanish": partial(descriptions, "es"),
    "windows20": partial(groups, SEVEN, 600, 20),
    "windows60": partial(groups, SEVEN, 300, 60),
    "computers": partial(groups, ("comp.",), 400),
    "debates": partial(groups, ("talk.", "alt.", "soc."), 300),
    "leisure": partial(groups, ("rec.",), 1000),
    "sciences": partial(groups, ("sci.",), 150),
    "stems": partial(short_texts.packages, 89, sizes=(5, 300)),
    "words": partial(short_texts.keywords, WORDS, most=60),
}
