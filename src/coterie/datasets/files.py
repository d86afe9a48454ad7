"""Where the original files of a collection are, or where to get them."""

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from coterie.errors import InputError


class Collection(NamedTuple):
    """A collection people fetch themselves: names its file may have, and where it is found."""

    title: str
    names: tuple[str, ...]
    source: str


NEWSGROUPS = Collection(
    "20 Newsgroups, the original 20 x 1000 messages",
    ("20news-19997.tar.xz", "20news-19997.tar.gz"),
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
DEBIAN = Collection(
    "descriptions of Debian packages in five languages",
    ("debian-desc-en-de-fr-it-es.jsonl.xz",),
    "the Packages and Translation files of a Debian mirror",
)


def locate(collection: Collection) -> Path:
    """Find the file of a collection in the folder of `COTERIE_DATA` or in the user's cache."""
    for folder in _folders():
        for name in collection.names:
            if (folder / name).is_file():
                return folder / name
    raise InputError(
        f"{collection.title}: {collection.names[0]} not found in "
        f"{' or '.join(map(str, _folders()))}; get it from {collection.source} and put it "
        "there, or set COTERIE_DATA to its folder"
    )


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Stream the files of a tar archive: path and content, in the archive's order."""
    with tarfile.open(archive, "r|*") as tape:
        for member in tape:
            file = tape.extractfile(member) if member.isreg() else None
            if file is not None:
                yield member.name, file.read()


def _folders() -> list[Path]:
    from platformdirs import user_cache_path

    given = os.environ.get("COTERIE_DATA")
    cache = user_cache_path("coterie") / "data"
    return [Path(given), cache] if given else [cache]
