"""Collections of short texts, made from those at hand: titles, subjects, synopses, first lines.

`COLLECTIONS` gives each by name; all but `lines` are read from the folder in COTERIE_DATA.
`LARGE` gives those of many texts.
"""

import re
from collections import Counter

import numpy as np

from coterie.corpus import Corpus, TextOptions, read
from coterie.demo import load_demo
from coterie_papers.collections.files import SYNOPSES, locate
from coterie_papers.collections.newsgroups import FIVE_CLASSES, newsgroup_messages
from coterie_papers.collections.reuters import reuters_stories

ENGLISH = TextOptions(language="en")
TOPICAL = (
    "games", "science", "sound", "graphics", "fonts", "mail", "math", "electronics",
    "hamradio", "database", "video", "web", "editors", "admin", "net", "localization",
)  # fmt: skip
LANGUAGES = (
    "perl", "python", "ruby", "javascript", "haskell", "golang", "rust", "php", "java", "ocaml",
    "lisp", "gnu-r", "gnome", "fonts", "doc", "localization", "games", "science", "sound",
    "mail",
)  # fmt: skip
KEYWORDS = (
    "emacs", "xml", "audio", "mail", "irc", "game", "kernel", "gtk", "qt", "apache", "mysql",
    "postgresql", "android", "pdf", "image", "video", "font", "dns", "password", "ssh", "git",
    "theme", "usb", "terminal",
)  # fmt: skip
REPLY = re.compile(r"^\s*(re|fwd?|fw)\s*(\[\d+\])?:\s*", re.IGNORECASE)
SENTENCE = re.compile(r"[A-Z][^.!?>|]{60,220}[.!?]")
PASSAGE = 40  # words
LEAST_SYNOPSES = 1000  # of a section
QUOTED = re.compile(r"^\s*[>|:].*$", re.MULTILINE)


def corpus_of(texts, labels):
    """Texts without repeats and without empty ones, each with its class."""
    once = {}
    for text, label in zip(texts, labels, strict=True):
        if text.strip():
            once.setdefault(" ".join(text.split()), label)
    return Corpus.from_texts(list(once), labels=list(once.values()), options=ENGLISH)


def stories_of(n_topics):
    """The Reuters stories of the largest topics that have a body."""
    stories = [story for story in reuters_stories() if story.topics and story.body]
    largest = {
        topic for topic, _ in Counter(s.topics[0] for s in stories).most_common(n_topics)
    }
    return [story for story in stories if story.topics[0] in largest]


def titles():
    """Titles of the Reuters stories of the seven largest classes."""
    chosen = stories_of(7)
    return corpus_of([s.title for s in chosen], [s.topics[0] for s in chosen])


def messages():
    return [m for m in newsgroup_messages() if m.group.partition(".")[0] in FIVE_CLASSES]


def without_reply(subject):
    while REPLY.match(subject):
        subject = REPLY.sub("", subject, count=1)
    return subject


def subjects():
    """Subject lines of 20 Newsgroups, a thread once, by the 18 groups."""
    chosen = messages()
    return corpus_of([without_reply(m.subject) for m in chosen], [m.group for m in chosen])


def sentences_of(message):
    return SENTENCE.findall(QUOTED.sub("", message.body).replace("\n", " "))


def sentences():
    """One sentence of each message of 20 Newsgroups, by the five classes."""
    rng = np.random.default_rng(0)
    texts, labels = [], []
    for message in messages():
        found = sentences_of(message)
        if found:
            texts.append(found[int(rng.integers(len(found)))])
            labels.append(message.group.partition(".")[0])
    return corpus_of(texts, labels)


def all_sentences():
    """All sentences of 20 Newsgroups, by the 18 groups."""
    pairs = [(text, m.group) for m in messages() for text in sentences_of(m)]
    return corpus_of(*zip(*pairs, strict=True))


def passages():
    """All of 20 Newsgroups in passages of 40 words, by the 18 groups."""
    pairs = []
    for message in messages():
        words = QUOTED.sub("", message.body).split()
        starts = range(0, len(words) - PASSAGE // 2, PASSAGE)
        pairs += [(" ".join(words[i : i + PASSAGE]), message.group) for i in starts]
    return corpus_of(*zip(*pairs, strict=True))


def all_synopses():
    """Synopses of the sections of Debian that have at least 1,000."""
    whole = read(locate(SYNOPSES), text="synopsis", label="section", options=ENGLISH)
    sizes = Counter(whole.labels.astype(str))
    return synopses([section for section, size in sizes.items() if size >= LEAST_SYNOPSES])


def synopses(sections=TOPICAL):
    """One-line synopses of Debian packages by their section."""
    whole = read(locate(SYNOPSES), text="synopsis", label="section", options=ENGLISH)
    rows = np.flatnonzero(np.isin(whole.labels.astype(str), sections))
    return corpus_of(whole.texts(rows), whole.labels[rows])


def kinds():
    """500 synopses at most of each of twenty sections, most of them programming languages."""
    rng = np.random.default_rng(0)
    whole = read(locate(SYNOPSES), text="synopsis", label="section", options=ENGLISH)
    labels = whole.labels.astype(str)
    rows = [rng.permutation(np.flatnonzero(labels == section))[:500] for section in LANGUAGES]
    chosen = np.concatenate(rows)
    return corpus_of(whole.texts(chosen), labels[chosen])


def keywords(names=KEYWORDS, most=250):
    """So many synopses at most with one of some words, by that word."""
    rng = np.random.default_rng(0)
    texts = read(locate(SYNOPSES), text="synopsis", options=ENGLISH).texts(slice(None))
    by_word = {word: [] for word in names}
    for text in dict.fromkeys(texts):
        words = set(re.findall("[a-z]+", text.lower())) & by_word.keys()
        if len(words) == 1:
            by_word[words.pop()].append(text)
    chosen = {word: rng.permutation(found)[:most] for word, found in by_word.items()}
    labels = [word for word, found in chosen.items() for _ in found]
    return corpus_of([str(text) for found in chosen.values() for text in found], labels)


def sections():
    """4,000 of the synopses of all sections of Debian, for many clusters."""
    whole = read(locate(SYNOPSES), text="synopsis", label="section", options=ENGLISH)
    rows = np.sort(np.random.default_rng(0).permutation(len(whole.labels))[:4000])
    return corpus_of(whole.texts(rows), whole.labels[rows])


def threads(n_threads=100):
    """What the messages of the largest threads of 20 Newsgroups say themselves, by thread."""
    chosen = messages()
    subjects = [f"{m.group} {without_reply(m.subject).lower()}" for m in chosen]
    largest = {subject for subject, _ in Counter(subjects).most_common(n_threads)}
    rows = [row for row, subject in enumerate(subjects) if subject in largest]
    texts = [QUOTED.sub("", chosen[row].body) for row in rows]
    return corpus_of(texts, [subjects[row] for row in rows])


def packages(n_stems=200, sizes=(8, 60)):
    """Synopses of packages by what their names begin with, up to the first hyphen.

    The file does not name the source of a package; those of one source mostly begin alike.
    Beginnings of 8 to 60 different synopses are drawn from: `python3` and `libghc`, of
    thousands, are languages. `sizes` are other bounds.
    """
    whole = read(locate(SYNOPSES), text="synopsis", label="package", options=ENGLISH)
    once = {}
    for text, package in zip(whole.texts(slice(None)), whole.labels.astype(str), strict=True):
        once.setdefault(" ".join(text.split()), package.partition("-")[0])
    least, most = sizes
    suited = sorted(s for s, size in Counter(once.values()).items() if least <= size <= most)
    chosen = set(np.random.default_rng(0).choice(suited, n_stems, replace=False).tolist())
    pairs = [(text, stem) for text, stem in once.items() if stem in chosen]
    return corpus_of(*zip(*pairs, strict=True))


def lines():
    """First lines of the docstrings of the built-in corpus, by package."""
    demo = load_demo()
    texts = [text.strip().partition("\n")[0] for text in demo.texts(slice(None))]
    return corpus_of(texts, demo.labels)


COLLECTIONS = {
    "titles": titles,
    "subjects": subjects,
    "sentences": sentences,
    "synopses": synopses,
    "lines": lines,
    "kinds": kinds,
    "keywords": keywords,
    "sections": sections,
    "threads": threads,
    "packages": packages,
}
LARGE = {
    "sentences": all_sentences,
    "passages": passages,
    "synopses": all_synopses,
}
