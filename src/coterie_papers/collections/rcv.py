"""Reuters RCV1-v2 and the French part of RCV2, in their published formats.

RCV1-v2 is what Lewis, Yang, Rose and Li (2004) distribute: stories as lists of word stems
(`lyrl2004_tokens_*.dat`) or as weighted vectors (`lyrl2004_vectors_*.dat`), and
`rcv1-v2.topics.qrels` with a line "topic story 1" for every topic of a story. RCV2 is one XML
file a story, in folders or zip archives.
"""

import gzip
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import scipy.sparse as sp

from coterie.corpus import Corpus, TextOptions
from coterie.errors import InputError
from coterie.types import Counts
from coterie_papers.collections.files import RCV1, RCV2_FRENCH, locate
from coterie_papers.collections.recipes import PESSIOT_FRENCH, RIGOUSTE, sample_by_class

FOUR_THEMES = {"GSPO": "sports", "GHEA": "health", "GDIS": "disasters", "E41": "employment"}
SIX_CLASSES = ("C15", "CCAT", "E21", "ECAT", "GCAT", "M11")
PER_THEME, PER_CLASS = 400, 5000


class XmlStory(NamedTuple):
    """A story with its topic codes."""

    number: str
    topics: tuple[str, ...]
    title: str
    body: str


def load_rcv1(
    themes: dict[str, str] = FOUR_THEMES,
    per_class: int = PER_THEME,
    options: TextOptions = RIGOUSTE,
    seed: int = 0,
) -> Corpus:
    """Load stories with exactly one of some topics, as many of each topic.

    The defaults are the four themes of Rigouste, Cappé and Yvon.

    The paper does not say which stories it drew; these are drawn by `seed`.
    """
    topics = rcv1_topics()
    chosen = {
        story: own[0]
        for story, all_topics in topics.items()
        if len(own := [topic for topic in all_topics if topic in themes]) == 1
    }
    kept = sample_by_class(list(chosen), list(chosen.values()), per_class, seed)
    texts = dict.fromkeys(kept, "")
    for story, words in rcv1_tokens():
        if story in texts:
            texts[story] = words
    return Corpus.from_texts(
        list(texts.values()),
        ids=list(texts),
        labels=[themes[chosen[story]] for story in texts],
        options=options,
    )


def rcv1_topics() -> dict[str, tuple[str, ...]]:
    """The topics of every story, ancestors included, in the order of the file."""
    (file,) = _files("rcv1-v2.topics.qrels*", least=1)[:1]
    topics: dict[str, list[str]] = defaultdict(list)
    for number, line in enumerate(_lines(file), start=1):
        parts = line.split()
        if parts and len(parts) != 3:
            raise InputError(f"{file}, line {number}: expected 'topic story 1', got {line!r}")
        if parts and parts[2] == "1":
            topics[parts[1]].append(parts[0])
    return {story: tuple(names) for story, names in topics.items()}


def rcv1_tokens() -> Iterator[tuple[str, str]]:
    """Number and stems of every story: '.I number', '.W', the stems, an empty line."""
    for file in _files("lyrl2004_tokens_*.dat*", least=1):
        story = ""
        words: list[str] = []
        for line in _lines(file):
            if line.startswith(".I "):
                if story:
                    yield story, " ".join(words)
                story, words = line[3:].strip(), []
            elif line.strip() not in ("", ".W"):
                words.append(line.strip())
        if story:
            yield story, " ".join(words)


def rcv1_vectors() -> tuple[Counts, list[str]]:
    """Weights of all stories, a column a term, and their numbers: '2286 1:0.5 7:0.1'."""
    stories: list[str] = []
    data: list[float] = []
    columns: list[int] = []
    ends = [0]
    for file in _files("lyrl2004_vectors_*.dat*", least=1):
        for number, line in enumerate(_lines(file), start=1):
            story, *pairs = line.split() or [""]
            if story:
                try:
                    terms = [pair.split(":") for pair in pairs]
                    columns += [int(term) - 1 for term, _ in terms]
                    data += [float(weight) for _, weight in terms]
                except ValueError as error:
                    raise InputError(
                        f"{file}, line {number}: expected 'story term:weight ...'"
                    ) from error
                stories.append(story)
                ends.append(len(data))
    shape = (len(stories), max(columns, default=-1) + 1)
    return sp.csr_array((np.array(data), np.array(columns), np.array(ends)), shape), stories


def load_rcv2_french(
    per_class: int = PER_CLASS, options: TextOptions = PESSIOT_FRENCH, seed: int = 0
) -> Corpus:
    """Load up to 5,000 stories of each of six classes, as Pessiot et al. do.

    A story of several classes belongs to the smallest of them.
    """
    stories = [
        story._replace(topics=own)
        for story in rcv2_stories()
        if (own := tuple(topic for topic in story.topics if topic in SIX_CLASSES))
    ]
    sizes = Counter(topic for story in stories for topic in story.topics)
    labels = [min(story.topics, key=lambda topic: (sizes[topic], topic)) for story in stories]
    kept = sample_by_class(range(len(stories)), labels, per_class, seed)
    return Corpus.from_texts(
        [stories[i].body for i in kept],
        ids=[stories[i].number for i in kept],
        titles=[stories[i].title or stories[i].number for i in kept],
        labels=[labels[i] for i in kept],
        options=options,
    )


def rcv2_stories() -> Iterator[XmlStory]:
    """All stories of the folder, those in zip archives included, by file name."""
    for name, content in _xml_files(locate(RCV2_FRENCH)):
        try:
            root = ElementTree.fromstring(content)
        except ElementTree.ParseError as error:
            raise InputError(f"{name}: not an XML story ({error})") from error
        codes = [
            code.get("code", "")
            for group in root.iter("codes")
            if group.get("class", "").startswith("bip:topics")
            for code in group.iter("code")
        ]
        yield XmlStory(
            root.get("itemid", name),
            tuple(dict.fromkeys(codes)),
            _text(root.iter("headline")) or _text(root.iter("title")),
            "\n".join(_text([paragraph]) for paragraph in root.iter("p")),
        )


def _text(elements: Iterable[ElementTree.Element]) -> str:
    return " ".join(" ".join("".join(element.itertext()).split()) for element in elements)


def _xml_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() == ".xml":
            yield str(path), path.read_bytes()
        elif path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as archive:
                for name in sorted(archive.namelist()):
                    if name.lower().endswith(".xml"):
                        yield f"{path}/{name}", archive.read(name)


def _files(pattern: str, least: int) -> list[Path]:
    folder = locate(RCV1)
    found = sorted(folder.glob(pattern), key=lambda file: ("train" not in file.name, file.name))
    if len(found) < least:
        raise InputError(f"{folder}: expected a file {pattern}; get it from {RCV1.source}")
    return found


def _lines(file: Path) -> Iterator[str]:
    opener = gzip.open if file.suffix == ".gz" else open
    with opener(file, "rt", encoding="latin-1") as lines:
        for line in lines:
            yield line.rstrip("\n")
