"""The corpora of the experiments, by name: `webkb`, `webkb:600` a sample, `webkb/3` a split."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from coterie.corpus import Corpus, TextOptions
from coterie.errors import InputError
from coterie.types import Counts, Labels, Strings
from coterie_papers.collections import load_newsgroups, load_reuters, load_webkb
from coterie_papers.collections.catalogue import whereabouts
from coterie_papers.collections.multiview import load_reuters_600
from coterie_papers.collections.newsgroups import Message, newsgroup_messages
from coterie_papers.collections.rcv import load_rcv1, load_rcv2_french
from coterie_papers.collections.recipes import (
    RIGOUSTE,
    WANG,
    sample_by_class,
    stratified_folds,
)

N_SPLITS = 10
LEAST_DOCUMENTS = 3
FOUR_GROUPS = ("rec.sport.hockey", "sci.med", "sci.space", "talk.politics.mideast")
NINE_GROUPS = (
    "comp.graphics", "misc.forsale", "rec.autos", "rec.sport.baseball", "sci.crypt",
    "sci.med", "sci.space", "soc.religion.christian", "talk.politics.mideast",
)  # fmt: skip
TEN_GROUPS = (*NINE_GROUPS, "comp.sys.mac.hardware")
SKEWED = (584, 310, 164, 85, 45, 24, 13, 7, 4)
"""1,236 messages of nine groups, each with about half as many as the one before.

Two of them are of one group with probability 0.31, the precision of a random partition.
"""
STORIES = {"earn": 1999, "acq": 1077, "money-fx": 363, "crude": 303, "grain": 281,
           "trade": 208, "interest": 104}  # fmt: skip
"""Stories of each class that Pessiot et al. have by the shares of their Table 1."""


@dataclass(frozen=True, eq=False)
class Data:
    """Counts or weights, the class of each document, and the texts where there are any."""

    counts: Counts
    labels: Strings
    corpus: Corpus | None = None

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(set(self.labels.tolist()))

    @property
    def words(self) -> Strings:
        """The words of the columns."""
        if self.corpus is None:
            raise InputError("the corpus has weights without words")
        return self.corpus.words

    def take(self, rows: Labels) -> "Data":
        """Some of the documents, in the same words."""
        corpus = None if self.corpus is None else self.corpus[rows]
        return Data(self.counts[rows], self.labels[rows], corpus)

    def without_rare_words(self) -> "Data":
        """The same without words in fewer documents than the recipe requires."""
        least: float = LEAST_DOCUMENTS
        if self.corpus is not None:
            least = self.corpus.vocabulary.options.min_df or 1
        kept = np.flatnonzero(self.counts.count_nonzero(axis=0) >= least)
        corpus = None if self.corpus is None else self.corpus.select_words(kept)
        return Data(self.counts[:, kept], self.labels, corpus)


def _data(corpus: Corpus) -> Data:
    assert corpus.labels is not None
    return Data(corpus.counts, corpus.labels, corpus)


def _groups(
    names: Sequence[str], per_group: int | Sequence[int], options: TextOptions
) -> Callable[[], Data]:
    """A function that loads some messages of each group."""

    def load() -> Data:
        sizes = [per_group] * len(names) if isinstance(per_group, int) else per_group
        drawn: list[Message] = []
        for name, size in zip(names, sizes, strict=True):
            members = [message for message in _messages() if message.group == name]
            drawn += sample_by_class(members, [name] * len(members), size)
        return _data(
            Corpus.from_texts(
                [message.body for message in drawn],
                ids=[message.name for message in drawn],
                labels=[message.group for message in drawn],
                options=options,
            )
        )

    return load


def _all_groups() -> list[str]:
    return sorted({message.group for message in _messages()})


@cache
def _messages() -> list[Message]:
    return newsgroup_messages()


LOADERS: dict[str, Callable[[], Data]] = {
    "reuters": lambda: _data(load_reuters()),
    "newsgroups": lambda: _data(load_newsgroups()),
    "reuters-drawn": lambda: _drawn_stories(),
    "webkb": lambda: _data(load_webkb()),
    "rcv2-french": lambda: _data(load_rcv2_french()),
    "reuters600-french": lambda: _french_view(),
    "four-themes": lambda: _data(load_rcv1()),
    "four-groups": _groups(FOUR_GROUPS, 400, RIGOUSTE),
    "nine-groups": _groups(NINE_GROUPS, [138] * 3 + [137] * 6, WANG),
    "nine-groups-skewed": _groups(NINE_GROUPS, SKEWED, WANG),
    "ten-groups": _groups(TEN_GROUPS, 498, WANG),
    "twenty-groups": lambda: _data(load_newsgroups("twenty", options=WANG)),
    "twenty-groups-few": lambda: _groups(_all_groups(), 75, WANG)(),
}


def _drawn_stories() -> Data:
    """As many stories of each class as the paper has, drawn at random."""
    data = _data(load_reuters())
    rng = np.random.default_rng(0)
    drawn = [
        rng.permutation(np.flatnonzero(data.labels == name))[:size]
        for name, size in STORIES.items()
    ]
    return data.take(np.sort(np.concatenate(drawn))).without_rare_words()


def _french_view() -> Data:
    corpus = load_reuters_600()
    assert corpus.labels is not None
    return Data(corpus.views["fr"].counts, corpus.labels)


def french() -> str:
    """RCV2-French where it is here, else the French view of the multilingual sample."""
    return "reuters600-french" if whereabouts("rcv2-french") is None else "rcv2-french"


def themes() -> str:
    """The four themes of Rigouste et al. where RCV1-v2 is here, else four newsgroups."""
    return "four-groups" if whereabouts("rcv1-v2") is None else "four-themes"


def load(name: str) -> Data:
    """The corpus, sample or split of that name.

    A split is one of ten: all documents but a tenth of every class.
    """
    whole, _, split = name.partition("/")
    data = _sampled(whole) if ":" in whole else _whole(whole)
    if not split:
        return data
    folds = stratified_folds(data.labels, N_SPLITS)
    return data.take(np.flatnonzero(folds != int(split) % N_SPLITS))


@lru_cache(maxsize=16)
def _sampled(name: str) -> Data:
    base, _, size = name.partition(":")
    data = _whole(base)
    folds = stratified_folds(data.labels, max(1, round(len(data.labels) / int(size))))
    return data.take(np.flatnonzero(folds == 0)).without_rare_words()


@lru_cache(maxsize=3)
def _whole(name: str) -> Data:
    if name not in LOADERS:
        raise InputError(f"corpus {name!r}: expected one of {', '.join(LOADERS)}")
    return LOADERS[name]()
