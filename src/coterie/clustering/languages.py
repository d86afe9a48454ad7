"""Documents in several languages: a part a language, and clusters that follow languages."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.corpus.columns import LANGUAGE
from coterie.corpus.languages import frequent

if TYPE_CHECKING:
    from coterie.corpus import Corpus

FOLLOWED = 0.9  # share of documents in clusters of their language, from which on it is said
FEWEST = 10  # documents of a language that is clustered by itself


def languages_of(corpus: "Corpus") -> list[str] | None:
    """The language of each document, where they are in several."""
    if corpus.columns is None or LANGUAGE not in corpus.columns.column_names:
        return None
    codes = [str(code) for code in corpus.columns[LANGUAGE].to_pylist()]
    return codes if len(set(codes)) > 1 else None


def by_language(corpus: "Corpus") -> Iterator[tuple[str, "Corpus"]]:
    """Parts of a corpus, a language each, the most frequent first, with the words they have.

    Languages of fewer than ten documents are left out; `left_out` counts them.
    """
    codes = np.array(languages_of(corpus) or [])
    for code, number in Counter(codes.tolist()).most_common():
        if number < FEWEST:
            continue
        part = corpus[np.flatnonzero(codes == code)]
        documents = np.bincount(part.counts.indices, minlength=part.counts.shape[1])
        least = min(int(part.vocabulary.options.min_df or 1), 3)
        yield code, part.select_words(np.flatnonzero(documents >= least))


def left_out(corpus: "Corpus") -> dict[str, int]:
    """Documents in languages of which there are too few to cluster, by language.

    Examples
    --------
    >>> from coterie import Corpus
    >>> english = ["The sun is out, and the dog is with the cat in the garden."] * 30
    >>> german = ["Der Hund ist mit der Katze im Garten, und die Sonne scheint."] * 9
    >>> left_out(Corpus.from_texts(english + german))
    {'de': 9}
    """
    often = Counter(languages_of(corpus) or []).most_common()
    return {code: number for code, number in often if number < FEWEST}


def note_on_languages(corpus: "Corpus", labels: Any) -> str | None:
    """What to say where clusters follow languages, and what can be done about it."""
    codes = languages_of(corpus)
    if codes is None:
        return None
    counts = Counter(zip(labels.tolist(), codes, strict=True))
    main: dict[int, tuple[int, str]] = {}
    for (label, code), number in counts.items():
        main[label] = max(main.get(label, (0, "")), (number, code))
    alike = sum(number for number, _ in main.values()) / len(codes)
    if alike < FOLLOWED or len({code for _, code in main.values()}) < 2:
        return None
    often = Counter(codes)
    named = ", ".join(f"{code} {often[code]:,}" for code in frequent(dict(often.most_common())))
    return (
        f"clusters follow languages ({named}). --by-language clusters each language by "
        "itself; --embeddings of a multilingual model, or --views where documents are "
        "translations, cluster across languages."
    )
