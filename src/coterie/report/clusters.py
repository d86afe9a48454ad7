"""What one cluster is: its size, the words and documents that tell it, and its name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.errors import InputError
from coterie.report.assignments import Assignments, DocumentRow, label_at
from coterie.report.boilerplate import N_LOOKED_AT, Block, marked_words
from coterie.report.names import distinct_names, good_words, owners
from coterie.report.wording import encodable, excerpt
from coterie.report.words import ViewProfile, WordWeight
from coterie.types import Labels

if TYPE_CHECKING:
    from coterie.corpus import Corpus

LEAST_MASS = 1e-6


@dataclass(frozen=True)
class TypicalDocument:
    """A document that shows what its cluster is about; `position` is its row in the corpus."""

    position: int
    id: str
    title: str
    label: str | None
    probability: float
    excerpt: str


@dataclass(frozen=True)
class ViewWords:
    """The words that tell a cluster in one of several views, as a language."""

    name: str
    words: tuple[WordWeight, ...]
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True)
class Cluster:
    """One cluster: `number` counts from the largest, `index` is the model's own.

    `size` counts the documents that choose it first, `mass` adds up their and everyone
    else's probabilities, and `mean_probability` is that of its own documents, `n_doubtful` of
    which might as well be elsewhere. `words` are those of the first view; `views` holds those
    of each where there are several. `blocks` are words that always come together.
    """

    number: int
    index: int
    name: str
    size: int
    share: float
    mass: float
    mean_probability: float
    n_doubtful: int
    words: tuple[WordWeight, ...]
    documents: tuple[TypicalDocument, ...]
    blocks: tuple[Block, ...] = ()
    views: tuple[ViewWords, ...] = ()


def read_excerpts(corpus: "Corpus", positions: list[Any]) -> tuple[dict[int, str], list[str]]:
    """Read the texts of a few documents in one go, or say why they cannot be had."""
    chosen = sorted(int(position) for position in positions)
    if not chosen:
        return {}, []
    try:
        texts = corpus.texts(chosen)
    except (InputError, OSError) as error:
        return {}, [f"Excerpts are missing: {error}"]
    return {
        position: excerpt(text, corpus.titles[position])
        for position, text in zip(chosen, texts, strict=True)
    }, []


@dataclass(frozen=True)
class Told:
    """The words of one cluster, by its index, in each view."""

    index: int
    views: tuple[ViewWords, ...]


def telling_words(
    index: Any, assignments: Assignments, views: Sequence[ViewProfile], n_words: int
) -> Told:
    """Words that tell a cluster, those marked that do so for a poor reason."""
    index = int(index)
    mass = float(assignments.memberships[:, index].sum(dtype=np.float64))
    if not assignments.sizes[index] and mass <= LEAST_MASS:
        return Told(index, tuple(ViewWords(view.name, ()) for view in views))
    members = assignments.members(index)
    return Told(
        index,
        tuple(
            ViewWords(
                view.name,
                *marked_words(
                    view.words.top(index, n_words),
                    view.words.ranked(index, max(N_LOOKED_AT, n_words)),
                    view.counts[members],
                    view.words.words,
                ),
            )
            for view in views
        ),
    )


def cluster_names(
    told: Sequence[Told], assignments: Assignments, views: Sequence[ViewProfile]
) -> list[str]:
    """Names of clusters, in their order, no two of them equal."""
    owned = [owners(view.words, assignments.sizes) for view in views]
    return distinct_names(
        [
            [
                good_words(view.words, each.index, own)
                for view, own in zip(each.views, owned, strict=True)
            ]
            for each in told
        ]
    )


def describe(
    told: Told,
    name: str,
    corpus: "Corpus",
    assignments: Assignments,
    doubtful: Sequence[DocumentRow],
    typical: Mapping[int, Labels],
    excerpts: Mapping[int, str],
) -> Cluster:
    """Put together what is known of a cluster."""
    index = told.index
    size = int(assignments.sizes[index])
    number = int(assignments.numbers[index])
    members = assignments.memberships[assignments.members(index), index]
    return Cluster(
        number=number,
        index=index,
        name=name,
        size=size,
        share=size / len(corpus),
        mass=float(assignments.memberships[:, index].sum(dtype=np.float64)),
        mean_probability=float(members.mean(dtype=np.float64)) if size else 0.0,
        n_doubtful=sum(row.cluster == number for row in doubtful),
        words=told.views[0].words,
        blocks=told.views[0].blocks,
        documents=tuple(
            TypicalDocument(
                position=int(position),
                id=encodable(corpus.ids[position]),
                title=encodable(corpus.titles[position]),
                label=label_at(corpus, position),
                probability=float(assignments.memberships[position, index]),
                excerpt=excerpts.get(int(position), ""),
            )
            for position in typical[index]
        ),
        views=told.views if len(told.views) > 1 else (),
    )
