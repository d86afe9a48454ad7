"""One cluster: its size, its distinctive words, its typical documents and its name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coterie.arrays import row_blocks, rows_at
from coterie.errors import InputError
from coterie.findings.assignments import Assignments, DocumentRow
from coterie.findings.boilerplate import Block, marked_words
from coterie.findings.names import distinct_names, main_clusters, name_words
from coterie.findings.texts import excerpt
from coterie.findings.words import TermRow, ViewProfile, WordWeight
from coterie.types import Array, Labels

if TYPE_CHECKING:
    from coterie.corpus import Corpus

CANDIDATES = 10  # documents among which titles are made distinct, times those shown
PROBABILITY_STEP = 0.05  # probabilities that differ by less are taken as equal


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
    """The distinctive words of a cluster in one of several views, such as a language."""

    name: str
    words: tuple[WordWeight, ...]
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True)
class Cluster:
    """One cluster: `index` is its label in `labels_`, `number` the label plus one.

    `size` counts the documents whose first choice it is, `mass` adds up the probabilities of
    all documents, and `mean_probability` is over its documents, `n_doubtful` of which might
    as well be in another. `words` are those of the first view; `views` holds those of each
    where there are several. `blocks` are words that always come together.
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


class RankedWords(NamedTuple):
    """The distinctive words of one cluster in one view, their counts in it, and the blocks."""

    view: str
    words: tuple[WordWeight, ...] = ()
    counts: tuple[float, ...] = ()
    blocks: tuple[Block, ...] = ()


def rank_words(
    label: int, assignments: Assignments, views: Sequence[ViewProfile], n_words: int
) -> tuple[RankedWords, ...]:
    """Distinctive words of a cluster in each view, the misleading ones marked."""
    if assignments.is_empty(label):
        return tuple(RankedWords(view.name) for view in views)
    members = assignments.members(label)
    return tuple(_ranked(label, view, rows_at(view.counts, members), n_words) for view in views)


def _ranked(label: int, view: ViewProfile, counts: Any, n_words: int) -> RankedWords:
    columns = view.words.ranked(label, n_words)
    words = view.words.described(label, columns)
    marked, blocks = marked_words(words, columns, counts, view.words.words)
    totals = np.asarray(counts[:, columns].sum(axis=0, dtype=np.float64))
    return RankedWords(view.name, marked, tuple(totals.tolist()), blocks)


def term_rows(ranked: Sequence[Sequence[RankedWords]]) -> tuple[TermRow, ...]:
    """The words of all clusters, those of the first view first."""
    return tuple(
        TermRow(
            each.view, number, rank, word.word,
            word.probability, word.lift, word.weight, count, word.mark,
        )
        for view in zip(*ranked, strict=True)
        for number, each in enumerate(view, start=1)
        for rank, (word, count) in enumerate(zip(each.words, each.counts, strict=True), start=1)
    )  # fmt: skip


def cluster_names(
    clusters: Sequence[Sequence[ViewWords]],
    assignments: Assignments,
    views: Sequence[ViewProfile],
) -> list[str]:
    """Names of the clusters from their words in each view, no two of them equal."""
    mains = [main_clusters(view.words, assignments.sizes) for view in views]
    return distinct_names(
        [
            [
                name_words(view.words, label, in_view)
                for view, in_view in zip(cluster, mains, strict=True)
            ]
            for label, cluster in enumerate(clusters)
        ]
    )


def read_excerpts(corpus: "Corpus", positions: Labels) -> tuple[dict[int, str], list[str]]:
    """Read the texts of some documents at once; where they are missing, a note says why."""
    chosen = sorted(positions.tolist())
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


def describe_typical(
    positions: Labels, documents: Sequence[DocumentRow], excerpts: Mapping[int, str]
) -> tuple[TypicalDocument, ...]:
    """Describe the typical documents of a cluster."""
    return tuple(
        TypicalDocument(
            position=position,
            id=documents[position].id,
            title=documents[position].title,
            label=documents[position].label,
            probability=documents[position].probability,
            excerpt=excerpts.get(position, ""),
        )
        for position in positions.tolist()
    )


def describe_cluster(
    label: int,
    name: str,
    views: tuple[ViewWords, ...],
    typical: tuple[TypicalDocument, ...],
    n_doubtful: int,
    assignments: Assignments,
) -> Cluster:
    """Put together what is known of a cluster."""
    size = int(assignments.sizes[label])
    members = assignments.memberships[assignments.members(label), label]
    return Cluster(
        number=label + 1,
        index=label,
        name=name,
        size=size,
        share=size / len(assignments.labels),
        mass=float(assignments.memberships[:, label].sum(dtype=np.float64)),
        mean_probability=float(members.mean(dtype=np.float64)) if size else 0.0,
        n_doubtful=n_doubtful,
        words=views[0].words,
        blocks=views[0].blocks,
        documents=typical,
        views=views if len(views) > 1 else (),
    )


def typical_documents(
    label: int,
    corpus: "Corpus",
    assignments: Assignments,
    views: Sequence[ViewProfile],
    lengths: Array,
    n_documents: int,
) -> Labels:
    """Positions of the most probable documents; among equals, of those with most evidence.

    Evidence is the sum of the log-lifts of a document's words over the square root of its
    length, so that neither a lucky short document nor a merely long one comes first.
    """
    members = assignments.members(label)
    members = members[lengths[members] > 0]
    log_lifts = sum(_log_lifts(view, label, members) for view in views)
    evidence = log_lifts / np.sqrt(lengths[members])
    steps = np.round(assignments.memberships[members, label] / PROBABILITY_STEP)
    best = members[np.lexsort((-evidence, -steps))]
    return _distinct_titles_first(best[: CANDIDATES * n_documents], corpus)[:n_documents]


def _log_lifts(view: ViewProfile, label: int, members: Labels) -> Array:
    """Sums of the log-lifts of the words of some documents."""
    log_lift = view.words.log_lift(label)
    blocks = row_blocks(rows_at(view.counts, members))
    return np.concatenate([block @ log_lift for _, block in blocks])


def _distinct_titles_first(positions: Labels, corpus: "Corpus") -> Labels:
    """Move documents whose title was already listed to the end."""
    listed: set[str] = set()
    repeated = np.zeros(len(positions), dtype=bool)
    for i, position in enumerate(positions):
        repeated[i] = corpus.titles[position] in listed
        listed.add(corpus.titles[position])
    return np.concatenate([positions[~repeated], positions[repeated]])
