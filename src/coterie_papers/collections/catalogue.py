"""The collections that can be loaded: where they are, whether intact, where to get them."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from coterie.errors import InputError
from coterie_papers.collections import files
from coterie_papers.collections.files import Collection
from coterie_papers.collections.multiview import REUTERS_600, REUTERS_MULTILINGUAL

State = Literal["whole", "differs", "unknown", "missing"]


class Entry(NamedTuple):
    """A collection as `coterie datasets` lists it.

    `papers` are the papers that use it. `checksums` are the SHA-256 sums of its files; a copy
    packed in another way has other sums and may still be good.
    """

    name: str
    collection: Collection
    size: str
    papers: tuple[str, ...]
    loader: str
    checksums: Mapping[str, str] = {}


class Finding(NamedTuple):
    """The result of a check of one file."""

    file: Path
    state: State


CATALOGUE = {
    entry.name: entry
    for entry in (
        Entry("20newsgroups", files.NEWSGROUPS, "19,997 messages in 20 groups",
              ("pessiot", "grimal", "rigouste", "wang"), "load_newsgroups()",
              {"20news-19997.tar.xz":
               "0e958816921145efc29626b4045b3b2e9a83579b353a41820f1cff9c71bde2cf"}),
        Entry("20newsgroups-18828", files.NEWSGROUPS_18828, "18,828 messages in 20 groups",
              (), 'load_newsgroups(distribution="18828")'),
        Entry("20newsgroups-bydate", files.NEWSGROUPS_BYDATE, "18,846 messages in 20 groups",
              (), 'load_newsgroups(distribution="bydate")'),
        Entry("reuters-21578", files.REUTERS, "21,578 stories in 135 topics",
              ("pessiot", "rigouste"), "load_reuters()",
              {"reuters21578-sgml.tar.xz":
               "2b493cea8b0d7e88e3a4bf7a57e07f6744042af3f85e61318b793b703ee88188"}),
        Entry("webkb", files.WEBKB, "8,281 pages in 7 classes", ("pessiot",), "load_webkb()",
              {"webkb-html.tar.xz":
               "1c2011691effc6e2100c09567f4668e3fbe8a0d93f3dbb9d721f4ba8acf4da0f"}),
        Entry("rcv1-v2", files.RCV1, "804,414 stories in 103 topics", ("rigouste",),
              "load_rcv1()"),
        Entry("rcv2-french", files.RCV2_FRENCH, "85,393 stories", ("pessiot",),
              "load_rcv2_french()"),
        Entry("reuters-multiview-600", REUTERS_600, "600 documents in 6 classes, 5 views",
              ("pessiot", "kim"), "load_reuters_600()",
              {"reuters600_EN_EN.npz":
               "2eca84fbda12d1bdb264fb8342a47ddd67f44af0b36a2f31603e42cc83aa8dab",
               "reuters600_EN_FR.npz":
               "6fde786d9e420c4054c4983e1f4a47c29d4a2f77e54518d27413fdf72dcf3d98",
               "reuters600_EN_GR.npz":
               "d8716e1d1cd097b9c8ee8aa962e4a14d7803a3e568eacb7cb0a9fd45d836e325",
               "reuters600_EN_IT.npz":
               "7f6e0e670cc89dd637710d0bacd87f5357ab0615efe74e9f062e8f2119044770",
               "reuters600_EN_SP.npz":
               "cacb2774236e733e7ab918433fbcda2bd96eb3d95762e276575c9d1946046619",
               "reuters600_labels.npy":
               "c2dd27bca26ec2d4bf09be567aa16422d377648ba653baa4a22a043dfe3f6b4e"}),
        Entry("reuters-multilingual", REUTERS_MULTILINGUAL,
              "111,740 documents in 6 classes, 5 views", ("kim",),
              "load_reuters_multilingual()"),
        Entry("debian", files.DEBIAN, "1,303 descriptions in 5 languages", ("kim",),
              "load_debian()",
              {"debian-desc-en-de-fr-it-es.jsonl.xz":
               "94dbe43b624b157021990a0bd89491f46ebeb3ec79378819175cee772209792c"}),
    )
}  # fmt: skip


WITHOUT_LOADER = {
    "wikipedia-xml": "The 1,236 articles of nine topics in Wang's table 2. There is no loader: "
    "the paper names neither the topics nor the articles nor their format. 1,236 messages of "
    "20newsgroups replace them.",
}
"""Collections of the papers that cannot be loaded: why, and what replaces them."""


def entry(name: str) -> Entry:
    """The collection of that name.

    Examples
    --------
    >>> entry("webkb").size
    '8,281 pages in 7 classes'
    """
    if name in WITHOUT_LOADER:
        raise InputError(f"{name}: {WITHOUT_LOADER[name]}")
    if name not in CATALOGUE:
        raise InputError(f"collection {name!r}: not known; there are {', '.join(CATALOGUE)}")
    return CATALOGUE[name]


WORDS: dict[State, str] = {
    "whole": "intact: its SHA-256 sum is the known one",
    "differs": "its SHA-256 sum is not the known one: it is damaged or packed in another way",
    "unknown": "present; its SHA-256 sum is not known",
    "missing": "missing",
}


def explained(chosen: Entry) -> list[str]:
    """Sentences on what a collection is, where to get it and how to load it."""
    names = chosen.collection.names
    return [
        f"{chosen.collection.title}.",
        f"Get it from {chosen.collection.source}.",
        f"Put it, as {' or '.join(names)}, in the folder that COTERIE_DATA names or in "
        f"{files.user_folder()}.",
        f"Load it with coterie_papers.collections.{chosen.loader}.",
    ]


def whereabouts(name: str) -> Path | None:
    """Path of the collection of that name, or None where it is missing."""
    return files.find(entry(name).collection)


def check(name: str) -> list[Finding]:
    """Compare the files of a collection with their known SHA-256 sums."""
    chosen = entry(name)
    path = files.find(chosen.collection)
    if path is None:
        return []
    if path.is_file():
        return [_compared(path, chosen.checksums.get(path.name))]
    if not chosen.checksums or path.name not in chosen.collection.names[:1]:
        return [Finding(path, "unknown")]
    return [_compared(path / file, known) for file, known in chosen.checksums.items()]


def _compared(file: Path, known: str | None) -> Finding:
    if not file.is_file():
        return Finding(file, "missing")
    if known is None:
        return Finding(file, "unknown")
    with file.open("rb") as stream:
        same = hashlib.file_digest(stream, "sha256").hexdigest() == known
    return Finding(file, "whole" if same else "differs")
