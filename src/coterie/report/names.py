"""Names for clusters: the words that tell each from the others, in as few as three.

A good word for a name holds a letter, is no boilerplate, is not much less distinctive than
the most distinctive one, and is nowhere more frequent than in the cluster it names. Where too
few words are that good, the demands are lowered, the last named first.
"""

from collections.abc import Sequence

import numpy as np

from coterie.report.wording import encodable
from coterie.report.words import WordProfile, WordWeight
from coterie.types import Labels

NAME_WORDS = 3
NAMELESS = "(no words)"
SEPARATOR = " · "


def owners(profile: WordProfile, sizes: Labels) -> dict[str, int]:
    """The cluster, of those with documents, in which each word is most frequent.

    Examples
    --------
    >>> words = np.array(["rum", "tea"], dtype=object)
    >>> shares = np.array([[0.2, 0.8], [0.7, 0.3], [1.0, 0.0]])
    >>> owners(WordProfile(words, shares, np.array([0.5, 0.5])), np.array([2, 2, 0]))
    {'rum': 1, 'tea': 0}
    """
    filled = np.flatnonzero(sizes)
    if not len(filled):
        return {}
    best = filled[profile.clusters[filled].argmax(axis=0)]
    return {
        encodable(str(word)): int(owner)
        for word, owner in zip(profile.words, best, strict=True)
    }


def good_words(
    words: Sequence[WordWeight], index: int | None = None, owned: dict[str, int] | None = None
) -> list[str]:
    """Words for a name, first the strongest, all as good as can be had three of.

    Examples
    --------
    >>> words = [WordWeight(w, 0.1, 9.0, 0.1) for w in ["tea", "#", "pot", "leaf", "cup"]]
    >>> good_words(words)
    ['tea', 'pot', 'leaf', 'cup']
    >>> good_words(words, 0, {"tea": 0, "pot": 1, "leaf": 0, "cup": 0})
    ['tea', 'leaf', 'cup']
    """
    spelt = [each for each in words if any(letter.isalpha() for letter in each.word)]
    unmarked = [each for each in spelt if not each.mark]
    floor = np.log(max((each.lift for each in unmarked), default=1.0)) / 2
    telling = [each for each in unmarked if np.log(max(each.lift, 1e-300)) >= floor]
    own = [each for each in telling if (owned or {}).get(each.word) == index]
    best = next((each for each in (own, telling) if len(each) >= NAME_WORDS), None)
    return [each.word for each in best or unmarked or spelt or words]


def joined_name(views: Sequence[Sequence[str]]) -> list[str]:
    """First words of each view in turn, a word once, as many as a name has or one a view.

    Examples
    --------
    >>> joined_name([["tea", "pot", "leaf", "cup"]])
    ['tea', 'pot', 'leaf']
    >>> joined_name([["tea", "pot"], ["thé", "tasse"], ["tea", "Kanne"], ["té", "taza"]])
    ['tea', 'thé', 'Kanne', 'té']
    """
    rest = [list(words) for words in views]
    found: list[str] = []
    while any(rest) and len(found) < max(NAME_WORDS, len(views)):
        for words in rest:
            while words and words[0] in found:
                words.pop(0)
            if words and len(found) < max(NAME_WORDS, len(views)):
                found.append(words.pop(0))
    return found


def distinct_names(candidates: Sequence[Sequence[Sequence[str]]]) -> list[str]:
    """A name for each cluster from the good words of its views, no two of them equal.

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
