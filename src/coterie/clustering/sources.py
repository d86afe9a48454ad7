"""Whatever holds documents, as a corpus: paths, texts, data frames, counts."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coterie import progress
from coterie.corpus import Corpus, Limits, TextOptions, Vocabulary, is_texts
from coterie.corpus.frames import corpus_from_frame, is_frame
from coterie.corpus.limits import DEFAULT_LIMITS
from coterie.corpus.text import DEFAULT_OPTIONS
from coterie.errors import InputError

AUTO = "auto"
EMBEDDINGS = "embeddings"
EXPECTED = (
    "expected a path, texts in a list or column, a data frame, a Corpus, or counts with words"
)
Options = TextOptions | Vocabulary | Mapping[str, TextOptions | Vocabulary]


@dataclass(frozen=True)
class Reading:
    """How documents are read: names of columns, and how words are counted."""

    text: Sequence[str] = ()
    id: str | None = None
    title: str | None = None
    label: str | None = None
    views: Sequence[str] = ()
    options: Options = DEFAULT_OPTIONS
    limits: Limits = DEFAULT_LIMITS
    quiet: bool = False

    def columns(self) -> dict[str, Any]:
        """The names of columns, as a saved result holds them."""
        return {
            "text": list(self.text) or None,
            "id": self.id,
            "label": self.label,
            "title": self.title,
            "views": list(self.views),
        }


def names_of(columns: str | Sequence[str] | None) -> tuple[str, ...]:
    """Names of columns: one, several in a list, or none."""
    return () if not columns else (columns,) if isinstance(columns, str) else tuple(columns)


def corpus_of(
    source: Any, how: Reading, *, words: Any = None, embeddings: Any = None
) -> Corpus:
    """Make a corpus of whatever holds documents, with embeddings where there are some."""
    make = _maker(source, how, words)
    if embeddings is None:
        return make()
    if isinstance(embeddings, str) and embeddings == AUTO:
        from coterie.corpus.embedding import check_embedder, embedded

        check_embedder()
        corpus = make()
        return corpus.with_vectors(EMBEDDINGS, embedded(corpus.texts(slice(None))))
    from coterie.corpus.vectors import checked_vectors, read_vectors

    name = EMBEDDINGS
    if isinstance(embeddings, str | os.PathLike):
        name, embeddings = os.fspath(embeddings), read_vectors(Path(embeddings))
    corpus = make()
    return corpus.with_vectors(EMBEDDINGS, checked_vectors(name, embeddings, len(corpus)))


def _maker(source: Any, how: Reading, words: Any) -> Callable[[], Corpus]:
    """A function that makes the corpus; what is wrong with the source is said at once."""
    if isinstance(source, Corpus):
        _refuse_columns(how, "a Corpus")
        return lambda: source
    if words is not None:
        _refuse_columns(how, "counts")
        return lambda: Corpus.from_counts(source, words)
    if isinstance(source, str | os.PathLike):
        return lambda: _read(source, how)
    if is_frame(source):
        return lambda: corpus_from_frame(
            source, text=how.text or None, id=how.id, label=how.label, title=how.title,
            views=how.views or None, options=how.options,
        )  # fmt: skip
    if isinstance(source, Mapping) or _holds_texts(source):
        _refuse_columns(how, "a list of texts")
        texts = source if isinstance(source, Mapping) else list(source)
        return lambda: Corpus.from_texts(texts, options=how.options)
    raise InputError(f"source: {_described(source)}; {EXPECTED}")


def _holds_texts(source: Any) -> bool:
    if isinstance(source, list | tuple) or len(getattr(source, "shape", ())) == 1:
        if not len(source):
            raise InputError("source: no texts, expected at least one")
        if not is_texts(source):
            first = next(iter(source))
            raise InputError(
                f"source: the first entry is {_described(first)}, expected a text; "
                "for a matrix of counts give its words too"
            )
        return True
    return False


def _described(value: Any) -> str:
    """A value in a few words, never all of it."""
    if isinstance(value, int | float):
        return f"the number {value}"
    shape = getattr(value, "shape", None)
    return type(value).__name__ + (f" of shape {tuple(shape)}" if shape else "")


def _refuse_columns(how: Reading, what: str) -> None:
    named = {"text": how.text, "id": how.id, "title": how.title, "label": how.label}
    for name, column in named.items():
        if column:
            raise InputError(f"{name}={column!r}: {what} has no columns")


def _read(path: str | os.PathLike[str], how: Reading) -> Corpus:
    with progress.reading(os.fspath(path), how.quiet) as tick:
        return Corpus.read(
            path, text=how.text or None, id=how.id, label=how.label, title=how.title,
            views=how.views or None, options=how.options, tick=tick, limits=how.limits,
        )  # fmt: skip
