"""Names of clusters: as few as three words that distinguish each from the others.

A word suits a name if it holds a letter, is no boilerplate, is not much less distinctive than
the most distinctive one, and is nowhere more frequent than in the cluster it names. Where too
few words suit, the demands are lowered, the last one first.
"""

from collections.abc import Sequence

import numpy as np

from coterie.findings.texts import encodable, readable_word
from coterie.findings.words import WordProfile, WordWeight
from coterie.types import Labels

NAME_WORDS = 3
NAMELESS = "(no words)"
SEPARATOR = " · "


def main_clusters(profile: WordProfile, sizes: Labels) -> dict[str, int]:
    """Label of the cluster, of those with documents, in which each word is most frequent.

    Examples
    --------
    >>> words = np.array(["rum", "tea"], dtype=object)
    >>> shares = np.array([[0.2, 0.8], [0.7, 0.3], [1.0, 0.0]])
    >>> main_clusters(WordProfile(words, shares, np.array([0.5, 0.5])), np.array([2, 2, 0]))
    {'rum': 1, 'tea': 0}
    """
    filled = np.flatnonzero(sizes)
    if not len(filled):
        return {}
    labels = filled[profile.clusters[filled].argmax(axis=0)]
    return {
        encodable(str(word)): int(label)
        for word, label in zip(profile.words, labels, strict=True)
    }


def name_words(
    words: Sequence[WordWeight], label: int | None = None, mains: dict[str, int] | None = None
) -> list[str]:
    """Words for the name of a cluster, the strongest first, by the demands three words meet.

    `mains` holds the cluster in which each word is most frequent.

    Examples
    --------
    >>> words = [WordWeight(w, 0.1, 9.0, 0.1) for w in ["tea", "#", "pot", "leaf", "cup"]]
    >>> name_words(words)
    ['tea', 'pot', 'leaf', 'cup']
    >>> name_words(words, 0, {"tea": 0, "pot": 1, "leaf": 0, "cup": 0})
    ['tea', 'leaf', 'cup']
    """
    with_letters = [each for each in words if any(letter.isalpha() for letter in each.word)]
    unmarked = [each for each in with_letters if not each.mark]
    floor = np.log(max((each.lift for each in unmarked), default=1.0)) / 2
    distinctive = [each for each in unmarked if np.log(max(each.lift, 1e-300)) >= floor]
    at_home = [each for each in distinctive if (mains or {}).get(each.word) == label]
    best = next((each for each in (at_home, distinctive) if len(each) >= NAME_WORDS), None)
    chosen = best or unmarked or with_letters or words
    return [readable_word(each.word) for each in chosen]


def joined_name(views: Sequence[Sequence[str]]) -> list[str]:
    """First words of each view in turn, each word once: three of them, or one a view.

    Examples
    --------
    >>> joined_name([["tea", "pot", "leaf", "cup"]])
    ['tea', 'pot', 'leaf']
    >>> joined_name([["tea", "pot"], ["thé", "tasse"], ["tea", "Kanne"], ["té", "taza"]])
    ['tea', 'thé', 'Kanne', 'té']
    """
    rest = [list(words) for words in views]
    chosen: list[str] = []
    while any(rest) and len(chosen) < max(NAME_WORDS, len(views)):
        for words in rest:
            while words and words[0] in chosen:
                words.pop(0)
            if words and len(chosen) < max(NAME_WORDS, len(views)):
                chosen.append(words.pop(0))
    return chosen


def distinct_names(candidates: Sequence[Sequence[Sequence[str]]]) -> list[str]:
    """A name for each cluster from the name words of its views, no two of them equal.

    Examples
    --------
    >>> distinct_names([[["tea", "pot", "leaf", "cup"]], [["tea", "pot", "leaf", "bag"]], [[]]])
    ['tea · pot · leaf', 'tea · pot · leaf · bag', '(no words)']
    """
    names: list[str] = []
    for views in candidates:
        name = SEPARATOR.join(joined_name(views)) or NAMELESS
        further = [word for word in views[0] if word not in name.split(SEPARATOR)]
        while name in names and name != NAMELESS and further:
            name += SEPARATOR + further.pop(0)
        if name in names and name != NAMELESS:
            name += f" ({1 + sum(each.startswith(name) for each in names)})"
        names.append(name)
    return names
