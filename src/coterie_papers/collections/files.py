"""The files of collections: where they are, and where to get them."""

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from coterie.errors import InputError


class Collection(NamedTuple):
    """A collection to be fetched by hand: the names its file may have, and its source."""

    title: str
    names: tuple[str, ...]
    source: str


NEWSGROUPS = Collection(
    "20 Newsgroups, the original 20 x 1000 messages",
    ("20news-19997.tar.xz", "20news-19997.tar.gz", "20news-19997", "20_newsgroups"),
    "the home page of the 20 Newsgroups data set (qwone.com/~jason/20Newsgroups)",
)
REUTERS = Collection(
    "Reuters-21578, distribution 1.0, SGML files",
    ("reuters21578-sgml.tar.xz", "reuters21578.tar.gz"),
    "the home page of the Reuters-21578 collection (daviddlewis.com)",
)
WEBKB = Collection(
    "WebKB, pages of four universities",
    ("webkb-html.tar.xz", "webkb-data.gtar.gz"),
    "the home page of the 4 universities data set (cs.cmu.edu, project theo-20)",
)
NEWSGROUPS_18828 = Collection(
    "20 Newsgroups without copies, headers cut to From and Subject",
    ("20news-18828.tar.gz", "20news-18828.tar.xz", "20news-18828"),
    NEWSGROUPS.source,
)
NEWSGROUPS_BYDATE = Collection(
    "20 Newsgroups sorted by date, in a training and a test part",
    ("20news-bydate.tar.gz", "20news-bydate.tar.xz", "20news-bydate"),
    NEWSGROUPS.source,
)
RCV1 = Collection(
    "RCV1-v2, Reuters stories of 1996 and 1997 as word stems, with topics",
    ("rcv1-v2",),
    "the appendices of Lewis et al. 2004 (jmlr.org/papers/volume5/lewis04a): the files "
    "lyrl2004_tokens_*.dat.gz or lyrl2004_vectors_*.dat.gz and rcv1-v2.topics.qrels.gz",
)
RCV2_FRENCH = Collection(
    "Reuters RCV2, the stories in French",
    ("rcv2-french", "french"),
    "the Reuters corpora page of NIST (trec.nist.gov/data/reuters/reuters.html), by agreement: "
    "its folder of zipped XML stories in French",
)
SYNOPSES = Collection(
    "synopses of Debian packages with their sections",
    ("debian-synopsis-en.jsonl.xz",),
    "the package lists of Debian",
)
DEBIAN = Collection(
    "descriptions of Debian packages in five languages",
    ("debian-desc-en-de-fr-it-es.jsonl.xz",),
    "the Packages and Translation files of a Debian mirror",
)


def find(collection: Collection) -> Path | None:
    """Path of the file or folder of a collection, or None where it is missing."""
    for folder in _folders():
        for name in collection.names:
            if (folder / name).exists():
                return folder / name
    return None


def locate(collection: Collection) -> Path:
    """Find a collection in the folder of `COTERIE_DATA` or in the user's cache."""
    path = find(collection)
    if path is not None:
        return path
    raise InputError(
        f"{collection.title}: {collection.names[0]} not found in "
        f"{' or '.join(map(str, _folders()))}; get it from {collection.source} and put it "
        "there, or set COTERIE_DATA to its folder"
    )


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Stream the files of a tar archive or of a folder: path and content.

    Files of an archive come in its order, files of a folder by name.
    """
    if archive.is_dir():
        for path in sorted(archive.rglob("*")):
            if path.is_file():
                yield (
                    f"{archive.name}/{path.relative_to(archive).as_posix()}",
                    path.read_bytes(),
                )
        return
    with tarfile.open(archive, "r|*") as tape:
        for member in tape:
            file = tape.extractfile(member) if member.isreg() else None
            if file is not None:
                yield member.name, file.read()


def user_folder() -> Path:
    """The folder of collections in the user's cache."""
    from platformdirs import user_cache_path

    return user_cache_path("coterie") / "data"


def _folders() -> list[Path]:
    folder = os.environ.get("COTERIE_DATA")
    return [Path(folder), user_folder()] if folder else [user_folder()]
