"""Candidates for the clusters, and how many are compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from coterie.fitting import State
from coterie.memory import Size
from coterie.schema import Distributions, Field, Is, Items, Number, Row, Values, Whole
from coterie.types import Array

WORK = 36_000_000  # non-zeros times clusters of all rounds together
LEAST_ROUNDS, MOST_ROUNDS = 3, 6
VOTING = 1_100_000_000  # documents times squares of clusters of all votes together
LEAST_VOTES = 16
FEW, FEW_SHARE = 2000, 3  # documents; times as many candidates from axes where so few
USUAL, MANY = 20, 40  # clusters that ranks suit, and beyond which clusters are many
MOST_RANK = 300


@dataclass(frozen=True)
class Candidate:
    """One clustering of the documents, and its objective under the mixture."""

    name: str
    memberships: Array
    objective: float


@dataclass(frozen=True)
class Effort:
    """How many candidates are compared, and how far the result is fitted.

    `growths` are pairs of a first vocabulary size and a number of steps, each giving `n_init`
    candidates a round; each of `ranks` of the latent semantic analysis gives `n_partitions` a
    round, the best of `n_tries` each. The consensus is the best of `n_votes` partitions. It is
    refined with a term of so many nearest neighbours. Where `is_final`, it is refined further
    than candidates are, and the most likely of them may outvote all.
    """

    growths: tuple[tuple[int, int], ...] = ((300, 5), (500, 5), (1000, 4), (2000, 3))
    n_init: int = 1
    n_kept: int = 1
    ranks: tuple[int, ...] = (20, 50, 100)
    n_partitions: int = 1
    n_tries: int = 3
    n_votes: int = 192
    n_rounds: int = 1
    is_final: bool = True
    n_neighbors: int = 20

    def adapted(self, size: Size, n_clusters: int) -> Self:
        """As much as suits a collection.

        Where there is little to compute, candidates come in several rounds: the more of
        them, the more stable their consensus. Where documents and clusters are very many,
        votes are fewer. From few documents a growing vocabulary learns less than the axes,
        which then have more candidates. Neighbours are not more than a third of a mean cluster.
        More clusters need more axes to be told apart, and are better served by these than by
        more rounds.

        Examples
        --------
        >>> effort = Effort().adapted(Size(n_documents=2, n_words=2, n_nonzero=3), 2)
        >>> effort.n_rounds, effort.n_partitions
        (6, 3)
        >>> Effort().adapted(Size(n_documents=2, n_words=2, n_nonzero=3), 50).ranks
        (50, 125, 250)
        """
        n_documents = size.n_documents
        most_rounds = MOST_ROUNDS if n_clusters <= MANY else LEAST_ROUNDS
        n_rounds = min(
            most_rounds, max(LEAST_ROUNDS, WORK // max(1, size.n_nonzero * n_clusters))
        )
        n_votes = max(LEAST_VOTES, VOTING // (n_documents * n_clusters**2))
        share = FEW_SHARE if n_documents < FEW else 1
        return replace(
            self,
            n_rounds=n_rounds,
            ranks=tuple(rank_for(rank, n_clusters) for rank in self.ranks),
            n_partitions=share * self.n_partitions,
            n_votes=min(self.n_votes, n_votes),
            n_neighbors=min(self.n_neighbors, -(-n_documents // (3 * n_clusters))),
        )


def rank_for(rank: int, n_clusters: int) -> int:
    """The number of axes that tells many clusters apart as `rank` axes tell a few.

    Examples
    --------
    >>> rank_for(50, 18), rank_for(50, 40), rank_for(50, 200)
    (50, 50, 300)
    """
    if n_clusters <= MANY:
        return rank
    return max(rank, min(MOST_RANK, rank * n_clusters // USUAL))


LIGHT = Effort(
    growths=((500, 3), (1000, 3)), n_init=3, n_kept=2, n_partitions=1, n_votes=48, n_rounds=2,
    is_final=False,
)  # fmt: skip
LIGHTER = replace(LIGHT, growths=((1000, 3),), n_rounds=1)
QUICK = Effort(
    growths=((500, 3),), n_init=3, n_kept=2, n_partitions=1, n_votes=8, is_final=False,
    n_neighbors=0,
)  # fmt: skip


def save_candidates(state: State, source: str, candidates: Sequence[Candidate]) -> None:
    """Save the candidates from one source in the checkpoint, where there is one."""
    sources = state.values.setdefault("candidates", {})
    sources[source] = [[each.name, each.objective] for each in candidates]
    for i, each in enumerate(candidates):
        state.arrays[f"{source}-{i}"] = each.memberships
    state.save()


SAVED: dict[str, Field] = {  # in a checkpoint
    "seed": Whole(),
    "number": Row((Whole(1), Values(Items(Number(finite=False)))), optional=True),
    "candidates": Values(Items(Row((Is(str), Number(finite=False)))), optional=True),
}


def saved_candidates(
    state: State, source: str, shape: tuple[int, int]
) -> list[Candidate] | None:
    """The candidates from one source that an earlier fit saved, or None.

    `shape` is that of their memberships.
    """
    state.check(SAVED, dict.fromkeys(state.arrays, Distributions(f"{shape[0]} {shape[1]}")))
    saved = state.values.get("candidates", {}).get(source)
    if saved is None:
        return None
    if not saved or any(f"{source}-{i}" not in state.arrays for i in range(len(saved))):
        state.refuse(f"candidates of '{source}' are missing")
    return [
        Candidate(name, state.arrays[f"{source}-{i}"], float(objective))
        for i, (name, objective) in enumerate(saved)
    ]
