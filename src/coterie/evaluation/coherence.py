r"""Coherence of the words of topics, by how often they occur near each other.

:math:`p(v, w)` is the share of windows of tokens that contain both words, and

.. math:: \mathrm{NPMI}(v, w) =
          \log \frac{p(v, w) + \varepsilon}{p(v)\,p(w)} \Big/ -\log (p(v, w) + \varepsilon)

The measures and windows are those of Röder, Both and Hinneburg (2015), and equal those of
gensim's `CoherenceModel`.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from coterie.corpus import Corpus, Sequences, sequences_of, sequences_of_tokens
from coterie.errors import InputError
from coterie.types import Array, Labels

EPSILON = 1e-12
NPMI_WINDOW, C_V_WINDOW = 10, 110
Topics: TypeAlias = Sequence[Sequence[str]]
Texts: TypeAlias = Corpus | Sequences | Sequence[Sequence[str]]


def npmi_coherence(
    topics: Topics, texts: Texts, *, window: int = NPMI_WINDOW, repeats: bool = False
) -> Array:
    """NPMI of each topic: the mean over all pairs of its words, from -1 to 1.

    Parameters
    ----------
    topics : sequence of sequences of str
        Words of each topic, at least two.
    texts : Corpus, or sequence of sequences of str
        Where to look for the words. Windows slide over the words of a corpus as they were
        counted: stop words are left out, rare words are not. A corpus made from counts, of
        several views, or with sequences of words has no order of words: each document is then
        one window.
    window : int, default=10
        Tokens of a window; a shorter document is one window.
    repeats : bool, default=False
        Whether a word that stands twice in a window stays when the first of the two leaves, as
        the definition says. gensim counts it as gone, and so does the default, so that numbers
        can be compared with published ones.

    Examples
    --------
    >>> texts = [["green", "tea"], ["black", "tea"], ["dark", "rum"], ["rum", "punch"]]
    >>> npmi_coherence([["tea", "green"], ["tea", "rum"]], texts).round(3)
    array([ 0.5 , -0.95])
    """
    scores = []
    for npmi in _tables(topics, texts, window, repeats):
        apart = ~np.eye(len(npmi), dtype=bool)
        scores.append(float(npmi[apart].mean()))
    return np.array(scores)


def c_v_coherence(
    topics: Topics, texts: Texts, *, window: int = C_V_WINDOW, repeats: bool = False
) -> Array:
    """C_V of each topic: how alike its words are in their NPMI with all words of the topic.

    A word's vector holds its NPMI with each word of the topic, itself included; C_V is the mean
    cosine of these vectors with their sum. Parameters are those of `npmi_coherence`.

    Examples
    --------
    >>> texts = [["green", "tea"], ["black", "tea"], ["dark", "rum"], ["rum", "punch"]]
    >>> c_v_coherence([["tea", "green"], ["tea", "rum"]], texts).round(3)
    array([0.949, 0.026])
    """
    scores = []
    for npmi in _tables(topics, texts, window, repeats):
        total = npmi.sum(axis=0)
        lengths = np.linalg.norm(npmi, axis=1) * np.linalg.norm(total)
        scores.append(float(np.mean(npmi @ total / lengths)))
    return np.array(scores)


def word_diversity(topics: Topics) -> float:
    """Share of distinct words among the words of all topics (Dieng, Ruiz and Blei 2020).

    Examples
    --------
    >>> word_diversity([["tea", "green"], ["tea", "rum"]])
    0.75
    """
    words = [word for topic in topics for word in topic]
    if not words:
        raise InputError("topics: expected words, got none")
    return len(set(words)) / len(words)


def _tables(topics: Topics, texts: Texts, window: int, repeats: bool) -> list[Array]:
    """NPMI of the words of each topic, words by words."""
    chosen = _checked_words(topics)
    if window < 1:
        raise InputError(f"window: expected at least one token, got {window}")
    together, n_windows = _occurrences(texts, chosen, window, repeats)
    number = {word: each for each, word in enumerate(chosen)}
    tables: list[Array] = []
    for topic in topics:
        columns = [number[word] for word in topic]
        pairs = together[np.ix_(columns, columns)] / n_windows
        single = np.diag(pairs)
        joint = pairs + EPSILON
        tables.append(np.log(joint / np.outer(single, single)) / -np.log(joint))
    return tables


def _checked_words(topics: Topics) -> list[str]:
    """All distinct words, where each topic has at least two different ones."""
    if isinstance(topics, str) or not len(topics):
        raise InputError("topics: expected lists of words, got none")
    for position, topic in enumerate(topics):
        if isinstance(topic, str) or len(topic) < 2 or len(set(topic)) < len(topic):
            raise InputError(
                f"topics: topic {position} is {topic!r}, expected at least two different words"
            )
    return list(dict.fromkeys(word for topic in topics for word in topic))


def _occurrences(
    texts: Texts, chosen: list[str], window: int, repeats: bool
) -> tuple[Array, int]:
    """In how many windows each pair of words is, and how many windows there are."""
    sequences = sequences_of(texts) if isinstance(texts, Corpus) else texts
    if isinstance(texts, Corpus) and sequences is None:
        columns = _columns(texts.words.tolist(), chosen)
        present = (texts.counts[:, columns] > 0).astype(np.int64)
        together, n_windows = (present.T @ present).toarray(), len(texts)
    else:
        if not isinstance(sequences, Sequences):
            sequences = sequences_of_tokens(sequences or ())
        columns = _columns(sequences.words.tolist(), chosen)
        together, n_windows = _windows(sequences, columns, window, repeats)
    absent = np.flatnonzero(np.diag(together) == 0)
    if len(absent):
        raise InputError(f"topics: the word {chosen[absent[0]]!r} is in none of the texts")
    return together, n_windows


def _columns(words: list[str], chosen: list[str]) -> Labels:
    position = {word: column for column, word in enumerate(words)}
    for word in chosen:
        if word not in position:
            raise InputError(f"topics: the word {word!r} is in none of the texts")
    return np.array([position[word] for word in chosen])


def _windows(
    sequences: Sequences, columns: Labels, window: int, repeats: bool
) -> tuple[Array, int]:
    from coterie.kernels.windows import window_counts

    number = np.full(len(sequences.words) + 1, -1, dtype=np.int32)  # the last for column -1
    number[columns] = np.arange(len(columns))
    numbers = number[sequences.columns]
    at = np.flatnonzero(numbers >= 0)
    starts = np.concatenate([[0], sequences.ends])
    first = np.searchsorted(at, starts)
    positions = at - np.repeat(starts[:-1], np.diff(first))
    lengths = np.diff(starts)
    pairs, n_windows = window_counts(
        numbers[at], positions, first, lengths, window, len(columns), repeats
    )
    return pairs, n_windows
