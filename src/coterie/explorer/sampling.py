"""A first picture: a quick clustering of some of the documents, while all of them are read.

The sample is spread evenly over the files of a folder or archive, which often lie in an order
that means something; of anything else it is the beginning. Files are copied to an archive of
their own, so that they are read as all documents are.
"""

import io
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from coterie.clustering import Clustering
from coterie.clustering.result import About
from coterie.clustering.running import Settings, fit
from coterie.clustering.sources import Reading
from coterie.corpus import Corpus, TextOptions
from coterie.corpus.archives import COMPRESSED, DAMAGED
from coterie.corpus.readers import documents
from coterie.corpus.tables import Columns
from coterie.errors import InputError

MOST = 2000
LARGEST_FILE = 1 << 20
LARGEST_SAMPLE = 64 << 20
SECONDS = 1.0
LEAST = 4  # documents of a picture
USUAL_CLUSTERS = 12
TAPES = (".tar", ".tgz", ".txz", ".tbz2")


class Member(NamedTuple):
    """A file of a sample."""

    name: str
    content: bytes


def first_picture(
    path: Path, how: Reading, n_clusters: int | str, title: str, taken: Path | None = None
) -> Clustering | None:
    """A quick clustering of a sample; None where there is too little for one.

    `taken` is a sample that `take_sample` wrote before.
    """
    with suppress(InputError, OSError):
        corpus = sample(path, how, taken)
        if corpus is None or len(corpus) < LEAST:
            return None
        usual = min(USUAL_CLUSTERS, max(2, len(corpus) // 10))
        number = n_clusters if isinstance(n_clusters, int) else usual
        return _quick(corpus, number, how, title)
    return None


def _quick(corpus: Corpus, n_clusters: int, how: Reading, title: str) -> Clustering:
    """A mixture of multinomials from k-means, in a few iterations."""
    settings = Settings(
        min(n_clusters, len(corpus)), "mm", init="kmeans", n_init=1, max_iter=20, quiet=True
    )
    fitted = fit(corpus, settings)
    about = About(title=title, settings=settings, reading=how, seconds=fitted.seconds)
    return Clustering(fitted.model, corpus, about=about)


def sample(path: Path, how: Reading, taken: Path | None = None) -> Corpus | None:
    """Some documents of a path."""
    if taken is not None and taken.is_file():
        return _first_of(taken, how)
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "sample.tar"
        return _first_of(archive if take_sample(path, archive) else path, how)


def take_sample(path: Path, archive: Path) -> bool:
    """Write some files of a folder or tar archive as one archive; False for anything else."""
    members = _members(path)
    if members is None:
        return False
    draft = archive.with_suffix(".draft")
    n_files = _write(draft, members)
    draft.replace(archive)
    return n_files > 0


def _write(archive: Path, members: Iterator[Member]) -> int:
    n_files = total = 0
    with tarfile.open(archive, "w") as tape:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            total += len(content)
            if total > LARGEST_SAMPLE:
                break
            tape.addfile(member, io.BytesIO(content))
            n_files += 1
    return n_files


def _members(path: Path) -> Iterator[Member] | None:
    """Files spread evenly over a folder or a tar archive; None for anything else."""
    if path.is_dir():
        return _of_folder(path)
    names = path.name.lower().split(".")
    if f".{names[-1]}" in TAPES or names[-2:-1] == ["tar"]:
        return _of_tape(path)
    return None


def _of_folder(folder: Path) -> Iterator[Member]:
    found = (each for each in folder.rglob("*") if each.is_file())
    files = sorted(each for each in found if not _hidden(each, folder))
    step = max(1, -(-len(files) // MOST))
    for file in files[step // 2 :: step]:
        if file.is_symlink() or file.stat().st_size > LARGEST_FILE:
            continue
        yield Member(file.relative_to(folder).as_posix(), file.read_bytes())


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def _of_tape(path: Path) -> Iterator[Member]:
    """Every so manieth member, more and more seldom as there are more of them."""
    kept: list[Member] = []
    step, number = 1, 0
    with suppress(*DAMAGED), path.open("rb") as stream:
        opened: IO[bytes] = stream
        if path.suffix.lower() in COMPRESSED:
            opened = COMPRESSED[path.suffix.lower()](stream)  # type: ignore[assignment]
        with tarfile.open(fileobj=opened, mode="r|*") as tape:
            for member in tape:
                if not member.isreg():
                    continue
                if number % step == 0 and member.size <= LARGEST_FILE:
                    content = tape.extractfile(member)
                    kept.append(Member(member.name, content.read() if content else b""))
                number += 1
                if len(kept) == 2 * MOST:
                    kept, step = kept[::2], 2 * step
    yield from kept[:: max(1, -(-len(kept) // MOST))]


def _first_of(path: Path, how: Reading) -> Corpus | None:
    """As many documents as are shown at first, or as come in a second."""
    columns = Columns(tuple(how.text) or None, how.id, how.label, how.title)
    until, found = time.monotonic() + SECONDS, []
    for document in documents(path, columns, limits=how.limits):
        found.append(document)
        if len(found) == MOST or (len(found) >= LEAST and time.monotonic() > until):
            break
    if not found:
        return None
    options = how.options if isinstance(how.options, TextOptions) else TextOptions()
    return Corpus.from_texts(
        [each.text for each in found],
        ids=[each.id for each in found],
        titles=[each.title for each in found],
        options=options,
    )


def warm_up() -> None:
    """Load what a first picture needs, so that the first one does not wait for it."""
    from coterie.clustering.page import payload

    texts = [f"{one} {other}" for one in ("tea", "rum", "milk") for other in ("cup", "pot") * 4]
    corpus = Corpus.from_texts(texts)  # its language is guessed, which loads what guesses
    payload(_quick(corpus, 3, Reading(quiet=True), ""))
