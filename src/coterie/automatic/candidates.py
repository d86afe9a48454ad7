"""Candidates for the clusters, and how many are tried."""

from dataclasses import dataclass

from coterie.types import Array


@dataclass(frozen=True)
class Candidate:
    """One way the documents may be clustered, and how likely the mixture holds it."""

    name: str
    memberships: Array
    objective: float


@dataclass(frozen=True)
class Effort:
    """How much is tried.

    `growths` are pairs of a first vocabulary size and a number of steps, each giving `n_runs`
    candidates; each of `ranks` of the latent semantic analysis gives `n_partitions`, the best
    of `n_tries` each; the agreement is looked for `n_agreements` times, by the best of
    `n_votes` each.
    """

    growths: tuple[tuple[int, int], ...] = ((300, 5), (500, 5), (1000, 4), (2000, 3))
    n_runs: int = 6
    n_kept: int = 4
    ranks: tuple[int, ...] = (20, 50, 100)
    n_partitions: int = 4
    n_tries: int = 3
    n_agreements: int = 6
    n_votes: int = 8


LIGHT = Effort(growths=((500, 3), (1000, 3)), n_runs=3, n_kept=2, n_partitions=1)
GLANCE = Effort(growths=((500, 3),), n_runs=3, n_kept=2, n_partitions=1, n_agreements=1)
