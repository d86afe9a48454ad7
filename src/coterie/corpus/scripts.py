"""Scripts that put no spaces between words: their words are pairs of characters.

Katakana, in which Japanese writes foreign words, stands for whole words, and no pair lies in
two scripts. Pairs that always come together are one word in the end, such as three characters
that are a name.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

HAN = (
    "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
HIRAGANA = "\u3041-\u309f"
KATAKANA = "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
SOUTH_EAST = "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1050-\u109f\u1780-\u17d3\uaa60-\uaa7f"
MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d"
    "\u17b4-\u17d3"
)
"""Vowels and tones of Thai, Lao, Burmese and Khmer that are written on a letter."""

UNSPACED = re.compile(f"[{HAN}{HIRAGANA}{KATAKANA}{SOUTH_EAST}]")
PAIRED = re.compile(f"[{HAN}{HIRAGANA}{SOUTH_EAST}]")
RUNS = re.compile(
    f"[{HAN}]+|[{HIRAGANA}]+|[{KATAKANA}]+|[{SOUTH_EAST}]+"
    f"|[^{HAN}{HIRAGANA}{KATAKANA}{SOUTH_EAST}]+"
)
ONLY_HIRAGANA = re.compile(f"[{HIRAGANA}]+")
UNIT = re.compile(f".[{MARKS}]*", re.DOTALL)
TOGETHER = 0.9  # share of the occurrences of a pair that another stands beside
LEAST = 3  # occurrences
LONGEST = 6  # characters of a word made of pairs
SAMPLED = 5000  # documents


def split(word: str) -> list[str]:
    """Split a run of letters where its script changes, and unspaced scripts into pairs.

    Examples
    --------
    >>> split("日本語の"), split("3dゲーム"), split("機")
    (['日本', '本語', 'の'], ['3d', 'ゲーム'], ['機'])
    """
    if UNSPACED.search(word) is None:
        return [word]
    words: list[str] = []
    for run in RUNS.findall(word):
        words.extend(_pairs(run) if PAIRED.match(run) else (run,))
    return words


def _pairs(run: str) -> list[str]:
    units = UNIT.findall(run)
    if len(units) < 2:
        return [run]
    return [units[at] + units[at + 1] for at in range(len(units) - 1)]


class Neighbours:
    """How often characters follow pairs of characters, of the first documents that have some.

    Examples
    --------
    >>> neighbours = Neighbours()
    >>> for text in ("软件包管理", "软件包", "软件包", "软件管理", "软件"):
    ...     neighbours.add(split(text))
    >>> neighbours.joined(["件包", "管理", "软件"])
    (['软件包', '管理', '软件'], [0, 1, 2])
    """

    def __init__(self) -> None:
        self._documents = 0
        self._pairs: Counter[str] = Counter()
        self._following: dict[str, Counter[str]] = defaultdict(Counter)
        self._before: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, tokens: Sequence[str]) -> None:
        """Count the pairs of a document, and the pairs that overlap with them."""
        if self._documents >= SAMPLED:
            return
        previous, some = "", False
        for token in tokens:
            if not PAIRED.match(token):
                previous = ""
                continue
            some = True
            self._pairs[token] += 1
            if previous and previous[-1] == token[0]:
                self._following[previous][token] += 1
                self._before[token][previous] += 1
            previous = token
        self._documents += some

    def merge(self, other: "Neighbours") -> None:
        """Take what was counted of the documents that follow, unless there are enough."""
        if self._documents >= SAMPLED:
            return
        self._documents += other._documents
        self._pairs.update(other._pairs)
        for mine, theirs in (
            (self._following, other._following),
            (self._before, other._before),
        ):
            for pair, beside in theirs.items():
                mine[pair].update(beside)

    def joined(self, words: Sequence[str]) -> tuple[list[str], list[int]]:
        """Names of words, pairs made longer where they are parts of words; those that stay.

        Of pairs that always come together the first stays, and stands for all of them.
        """
        if not self._pairs:
            return list(words), list(range(len(words)))
        known = set(words)
        dropped = {
            following
            for word in words
            if (following := self._next(word, self._following)) in known
            and self._next(following, self._before) == word
            and following != word
        }
        dropped -= self._whole_circles(dropped)
        names: dict[str, str] = {}
        for word in words:
            if word not in dropped:
                name = self._extended(word) if word in self._pairs else word
                names[word] = word if name in known or name in names.values() else name
        staying = [at for at, word in enumerate(words) if word in names]
        return [names[words[at]] for at in staying], staying

    def _whole_circles(self, dropped: set[str]) -> set[str]:
        """Pairs that follow one another in a circle, of which none is the first."""
        reached: set[str] = set()
        for pair in dropped:
            before, steps = self._next(pair, self._before), 0
            while before in dropped and steps < LONGEST:
                before, steps = self._next(before, self._before), steps + 1
            if before in dropped:
                reached.add(pair)
        return reached

    def _next(self, pair: str, beside: Mapping[str, Counter[str]]) -> str:
        """The pair that always follows, or precedes, a pair; nothing if there is none."""
        if pair not in beside:
            return ""
        other, number = beside[pair].most_common(1)[0]
        return other if number >= max(LEAST, TOGETHER * self._pairs[pair]) else ""

    def _extended(self, pair: str) -> str:
        """A pair with what always stands before and after it."""
        units = UNIT.findall(pair)
        last = pair
        while len(units) < LONGEST and (last := self._next(last, self._following)):
            units.append(UNIT.findall(last)[1])
        first = pair
        while len(units) < LONGEST and (first := self._next(first, self._before)):
            units.insert(0, UNIT.findall(first)[0])
        return "".join(units)
