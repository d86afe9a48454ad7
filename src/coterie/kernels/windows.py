"""Windows that slide over documents: in how many of them words are, alone and in pairs."""

from typing import Any

import numpy as np

from coterie.kernels.compiled import njit


def window_counts(
    words: Any,
    positions: Any,
    first: Any,
    lengths: Any,
    window: int,
    n_words: int,
    repeats: bool,
) -> tuple[Any, int]:
    """Numbers of windows with each pair of words, words by words, and of windows in all.

    `words` and `positions` hold the chosen words of all documents, each between 0 and
    `n_words`, and where they stand in their document; those of document d begin at
    `first[d]`, and it has `lengths[d]` tokens. A window of `window` tokens moves by one token;
    a shorter document is one window. The diagonal counts windows with one word.

    With `repeats` a word stays in a window until its last occurrence leaves. Without, it is
    gone when one of its occurrences leaves, until the next enters.
    """
    together = np.zeros((n_words, n_words), np.int64)
    _slide(words, positions, first, lengths, window, repeats, together)
    pairs = together + together.T - np.diag(np.diag(together))
    return pairs, int(np.maximum(lengths - window + 1, 1).sum())


@njit(nogil=True)
def _slide(words, positions, first, lengths, window, repeats, together):
    """Add the windows that pairs share, each when the first of the two leaves."""
    n_words = len(together)
    inside = np.zeros(n_words, np.int64)  # occurrences in the window
    since = np.full(n_words, -1, np.int64)  # the window at which a word entered, -1 for none
    present = np.empty(n_words, np.int64)
    for d in range(len(lengths)):
        end, last = first[d + 1], max(lengths[d] - window + 1, 1)
        n_present, leaving, entering = 0, first[d], first[d]
        while leaving < end:
            leave_at = min(positions[leaving] + 1, last)
            if entering < end and positions[entering] - window + 1 < leave_at:
                word = words[entering]
                inside[word] += 1
                if since[word] < 0:
                    since[word] = max(positions[entering] - window + 1, 0)
                    present[n_present] = word
                    n_present += 1
                entering += 1
            else:
                word = words[leaving]
                inside[word] -= 1
                if since[word] >= 0 and not (repeats and inside[word] > 0):
                    n_present = _leave(word, leave_at, present, n_present, since, together)
                leaving += 1


@njit(nogil=True)
def _leave(word, at, present, n_present, since, together):
    """Take a word out of those present, and add the windows it shared; how many are left."""
    n_left = 0
    for i in range(n_present):
        other = present[i]
        together[word, other] += at - max(since[word], since[other])
        if other != word:
            present[n_left] = other
            n_left += 1
    since[word] = -1
    return n_left
