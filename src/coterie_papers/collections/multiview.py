"""Collections of documents in several languages (Kim et al. 2010, section 3)."""

import io
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from coterie.corpus import Corpus, ReadingNotes, TextOptions, View, Vocabulary, read
from coterie.errors import InputError
from coterie.types import Counts
from coterie_papers.collections.files import DEBIAN, Collection, locate, members

LANGUAGES = {"EN": "en", "FR": "fr", "GR": "de", "IT": "it", "SP": "es"}
"""What the collection calls its languages, and their codes."""

SECTIONS = ("games", "sound", "science", "text", "admin", "x11")
MIN_DOCUMENTS = 3
DEBIAN_VIEWS = ("en", "de", "fr", "it", "es")
REUTERS_600 = Collection(
    "600 documents of the Reuters RCV1/RCV2 multilingual collection",
    ("reuters-multiview-600",),
    "any copy of that sample (100 English documents of each class): reuters600_EN_EN.npz and "
    "so on for FR, GR, IT and SP, and reuters600_labels.npy",
)
REUTERS_MULTILINGUAL = Collection(
    "Reuters RCV1/RCV2 Multilingual, Multiview Text Categorization Test collection",
    (
        "rcv1rcv2aminigoutte.tar.bz2",
        "MultiLingualReuters.tar.bz2",
        "rcv1rcv2aminigoutte",
        "MultiLingualReutersCollection",
    ),
    "the UCI archive (archive.ics.uci.edu, data set 259)",
)


class Weights(NamedTuple):
    """The documents of one file: their classes, and their weights of words by number."""

    classes: list[str]
    matrix: Counts


def load_reuters_600(min_df: int = MIN_DOCUMENTS) -> Corpus:
    """Load 600 English stories in five languages, 100 of each of six classes.

    It holds weights and no words: a word is called by its number. Negative weights become
    zero; words of fewer than `min_df` documents are dropped.
    """
    folder = locate(REUTERS_600)
    matrices = {}
    for name in LANGUAGES:
        file = folder / f"reuters600_EN_{name}.npz"
        if not file.is_file():
            raise InputError(f"{file}: missing, expected a sparse matrix of weights")
        matrices[name] = sp.csr_array(sp.load_npz(file))
    labels = np.load(folder / "reuters600_labels.npy", allow_pickle=False)
    return _corpus(matrices, [str(label) for label in labels], min_df)


def load_debian(
    sections: Sequence[str] | None = SECTIONS, options: TextOptions | None = None
) -> Corpus:
    """Load descriptions of Debian packages in five languages, of all sections or of some."""
    corpus = read(
        locate(DEBIAN),
        views=DEBIAN_VIEWS,
        id="package",
        label="section",
        title="package",
        options=options or TextOptions(),
    )
    if sections is None:
        return corpus
    assert corpus.labels is not None
    for section in sections:
        if section not in corpus.labels:
            raise InputError(f"sections: no package is in {section!r}")
    chosen = corpus[np.flatnonzero([label in sections for label in corpus.labels])]
    least = (options or TextOptions()).min_df or MIN_DOCUMENTS
    for name, view in chosen.views.items():
        kept = np.flatnonzero(view.counts.count_nonzero(axis=0) >= least)
        chosen = chosen.select_words(kept, name)
    return chosen


def load_reuters_multilingual(
    language: str = "EN", min_df: int = MIN_DOCUMENTS, views: Iterable[str] = tuple(LANGUAGES)
) -> Corpus:
    """Load the documents written in one language, with their translations, from the original.

    Files are `<view>/Index_<language>-<view>`, a document a line: its class, then
    `number:weight` for each of its words. It holds no words: one is called by its number.
    Negative weights become zero; words of fewer than `min_df` documents are dropped.
    """
    for name in (language, *views):
        if name not in LANGUAGES:
            raise InputError(f"language {name!r}: expected one of {', '.join(LANGUAGES)}")
    wanted = {f"{view}/Index_{language}-{view}": view for view in views}
    found: dict[str, Weights] = {}
    path = locate(REUTERS_MULTILINGUAL)
    for file, data in members(path):
        view = wanted.get("/".join(posixpath.normpath(file).split("/")[-2:]))
        if view is not None:
            found[view] = read_weights(file, data)
        if len(found) == len(wanted):
            break
    return _aligned(path, wanted, found, min_df)


def _aligned(
    path: Path, wanted: Mapping[str, str], found: Mapping[str, Weights], min_df: int
) -> Corpus:
    for file, view in wanted.items():
        if view not in found:
            raise InputError(f"{path}: has no file {file}")
    (first, weights), *others = ((view, found[view]) for view in wanted.values())
    for view, other in others:
        if other.classes != weights.classes:
            n, m = len(weights.classes), len(other.classes)
            raise InputError(
                f"{path}: views {first} and {view} hold different documents ({n} and {m}, or "
                "other classes)"
            )
    matrices = {view: found[view].matrix for view in wanted.values()}
    return _corpus(matrices, weights.classes, min_df)


def read_weights(name: str, data: bytes) -> Weights:
    """Parse a file of the collection: a class, then `number:weight` pairs, a document a line.

    Examples
    --------
    >>> classes, matrix = read_weights("Index_EN-EN", b"C15 1:0.5 3:2\\nECAT 2:-1.5\\n")
    >>> classes, matrix.toarray().tolist()
    (['C15', 'ECAT'], [[0.0, 0.5, 0.0, 2.0], [0.0, 0.0, -1.5, 0.0]])
    """
    classes, indices, weights, ends = [], [], [], [0]
    for number, line in enumerate(io.BytesIO(data), start=1):
        head, *pairs = line.decode("ascii", "replace").split() or [""]
        if not head:
            continue
        try:
            split = [pair.split(":") for pair in pairs]
            indices.append(np.array([int(index) for index, _ in split], dtype=np.int64))
            weights.append(np.array([float(weight) for _, weight in split], dtype=np.float64))
        except ValueError as error:
            raise InputError(
                f"{name}, line {number}: expected a class and number:weight pairs ({error})"
            ) from error
        classes.append(head)
        ends.append(ends[-1] + len(pairs))
    if not classes:
        raise InputError(f"{name}: no documents")
    columns = np.concatenate(indices)
    shape = (len(classes), int(columns.max(initial=0)) + 1)
    parts = (np.concatenate(weights), columns, np.array(ends))
    return Weights(classes, sp.csr_array(parts, shape=shape))


def _corpus(matrices: Mapping[str, Counts], classes: Sequence[str], min_df: int) -> Corpus:
    notes = ReadingNotes(documents=len(classes))
    views = {}
    for name, matrix in matrices.items():
        counts = sp.csr_array(matrix, dtype=np.float32, copy=True)
        n_negative = int(np.count_nonzero(counts.data < 0))
        if n_negative:
            share = n_negative / counts.nnz
            notes.guess(f"view '{LANGUAGES[name]}': {share:.1%} of the weights negative, now 0")
        counts.data = np.maximum(counts.data, 0)
        counts.eliminate_zeros()
        kept = np.flatnonzero(np.bincount(counts.indices, minlength=counts.shape[1]) >= min_df)
        options = TextOptions(language=LANGUAGES[name], min_df=min_df)
        words = [f"{column:05}" for column in kept]
        views[LANGUAGES[name]] = View(sp.csr_array(counts[:, kept]), Vocabulary(words, options))
    ids = [str(number) for number in range(1, len(classes) + 1)]
    return Corpus(views, ids, labels=classes, notes=notes)
