"""The preprocessing of the papers, and their folds and samples of collections."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from coterie.corpus import TextOptions
from coterie.types import Labels

T = TypeVar("T")

PESSIOT = TextOptions(language="en", stop_words="long", min_df=3, digits="one")
"""Lower case, digits to one token, a stop list, words in at least three documents."""

PESSIOT_FRENCH = TextOptions(language="fr", stop_words="auto", min_df=3, digits="one")
"""The same in French."""

RIGOUSTE = TextOptions(language="en", stop_words="long", min_df=1, digits="one")
"""All words but stop words: the paper counts 25,775 in 1,600 stories."""

WANG = TextOptions(language="en", stop_words="long", min_df=3, digits="drop", stem=True)
"""Stop words removed, words cut to Porter's stems (the later, Snowball form of his rules)."""


def stratified_folds(labels: Iterable[Hashable], n_folds: int, seed: int = 0) -> Labels:
    """The fold of each document, every class being spread evenly over the folds.

    Examples
    --------
    >>> folds = stratified_folds(["tea"] * 6 + ["rum"] * 3, 3)
    >>> np.bincount(folds[:6]), np.bincount(folds[6:])
    (array([2, 2, 2]), array([1, 1, 1]))
    """
    names = np.array([repr(label) for label in labels])
    rng = np.random.default_rng(seed)
    folds = np.empty(len(names), dtype=np.int64)
    begin = 0
    for name in np.unique(names):
        members = rng.permutation(np.flatnonzero(names == name))
        folds[members] = (begin + np.arange(len(members))) % n_folds
        begin += len(members)
    return folds


def sample_by_class(
    documents: Iterable[T], labels: Sequence[Any], per_class: int, seed: int = 0
) -> list[T]:
    """Up to `per_class` documents of each class, drawn at random, in their original order.

    Examples
    --------
    >>> sample_by_class("abcdef", [0, 0, 0, 0, 1, 1], 2)
    ['a', 'c', 'e', 'f']
    """
    by_class: dict[Any, list[int]] = defaultdict(list)
    for position, label in enumerate(labels):
        by_class[label].append(position)
    rng = np.random.default_rng(seed)
    drawn: set[int] = set()
    for members in by_class.values():
        drawn.update(members[i] for i in rng.permutation(len(members))[:per_class])
    return [each for position, each in enumerate(documents) if position in drawn]
