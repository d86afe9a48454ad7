"""Windows that slide over documents: in how many of them words are, alone and in pairs."""

import numpy as np
from numba import njit


def window_counts(words, positions, first, lengths, window, n_words, repeats):
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


@njit(nogil=True, cache=True)
def _slide(words, positions, first, lengths, window, repeats, together):
    """Add the windows that pairs share when the first of the two leaves."""
    n_words = len(together)
    inside = np.zeros(n_words, np.int64)  # occurrences in the window
    since = np.zeros(n_words, np.int64)  # the window at which a word entered
    present = np.empty(n_words, np.int64)
    where = np.full(n_words, -1, np.int64)  # index in `present`, -1 for none
    for d in range(len(lengths)):
        end, last = first[d + 1], max(lengths[d] - window + 1, 1)
        n_present, leaving, entering = 0, first[d], first[d]
        while leaving < end:
            enter_at = last
            if entering < end:
                enter_at = max(positions[entering] - window + 1, 0)
            leave_at = min(positions[leaving] + 1, last)
            if entering < end and enter_at < leave_at:
                word = words[entering]
                entering += 1
                inside[word] += 1
                if where[word] < 0:
                    since[word] = enter_at
                    where[word] = n_present
                    present[n_present] = word
                    n_present += 1
                continue
            word = words[leaving]
            leaving += 1
            inside[word] -= 1
            if where[word] < 0 or (repeats and inside[word] > 0):
                continue
            n_present -= 1
            moved = present[n_present]
            present[where[word]] = moved
            where[moved] = where[word]
            where[word] = -1
            together[word, word] += leave_at - since[word]
            for i in range(n_present):
                other = present[i]
                together[word, other] += leave_at - max(since[word], since[other])
