"""The preprocessing of the papers, by name, and how they cut collections into parts."""

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
        own = rng.permutation(np.flatnonzero(names == name))
        folds[own] = (begin + np.arange(len(own))) % n_folds
        begin += len(own)
    return folds


def sample_by_class(
    things: Iterable[T], labels: Sequence[Any], per_class: int, seed: int = 0
) -> list[T]:
    """Up to `per_class` things of each class, drawn at random, in their own order.

    Examples
    --------
    >>> sample_by_class("abcdef", [0, 0, 0, 0, 1, 1], 2)
    ['a', 'c', 'e', 'f']
    """
    by_class: dict[Any, list[int]] = defaultdict(list)
    for position, label in enumerate(labels):
        by_class[label].append(position)
    rng = np.random.default_rng(seed)
    kept: set[int] = set()
    for own in by_class.values():
        kept.update(own[i] for i in rng.permutation(len(own))[:per_class])
    return [thing for position, thing in enumerate(things) if position in kept]
