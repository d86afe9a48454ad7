"""All external measures of a clustering at once."""

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from coterie.evaluation.external import (
    ClassScore,
    PairScores,
    ari,
    class_scores,
    information_f_score,
    mi_f_score,
    micro_precision,
    nmi,
    pairwise_scores,
    pairwise_scores_soft,
)
from coterie.evaluation.labels import Contingency, LabelsLike, contingency, plain_name
from coterie.evaluation.noise import label_noise

SOFT_PAIRS_LIMIT = 20_000
"""`evaluate` compares all pairs of soft memberships up to this many documents."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Every external measure of one clustering.

    `mi_f_score` is that of the memberships, or of the labels where there are none;
    `soft_pairs` is None without memberships, or beyond `SOFT_PAIRS_LIMIT` documents;
    `label_noise` is the share of labels that, drawn at random, would give the same `nmi` and
    the same `mi_f_score`.
    """

    n_documents: int
    micro_precision: float
    micro_recall: float
    nmi: float
    ari: float
    mi_f_score: float
    label_noise: dict[str, float]
    pairs: PairScores
    soft_pairs: PairScores | None
    class_table: list[ClassScore]
    contingency: Contingency

    def as_dict(self) -> dict[str, Any]:
        """Give the scores as plain values, ready for JSON; unusual names become strings."""
        rows = [{**row._asdict(), "name": plain_name(row.name)} for row in self.class_table]
        return {
            **vars(self),
            "label_noise": dict(self.label_noise),
            "pairs": self.pairs._asdict(),
            "soft_pairs": self.soft_pairs._asdict() if self.soft_pairs else None,
            "class_table": rows,
            "contingency": self.contingency.as_dict(),
        }


def evaluate(
    true: LabelsLike, predicted: LabelsLike, memberships: npt.ArrayLike | None = None
) -> Scores:
    """Compute every external measure of a clustering, and of its memberships if there are any.

    Examples
    --------
    >>> scores = evaluate(["tea", "tea", "rum", "rum"], [0, 0, 0, 1])
    >>> scores.micro_precision, round(scores.nmi, 3), scores.soft_pairs
    (0.75, 0.346, None)
    """
    true, predicted = list(true), list(predicted)
    table = contingency(true, predicted)
    precision = micro_precision(true, predicted)
    if memberships is None:
        information, soft_pairs = information_f_score(table.counts), None
    else:
        information = mi_f_score(true, memberships)
        few = len(true) <= SOFT_PAIRS_LIMIT
        soft_pairs = pairwise_scores_soft(true, memberships) if few else None
    geometric = nmi(true, predicted)
    return Scores(
        n_documents=len(true),
        micro_precision=precision,
        micro_recall=precision,
        nmi=geometric,
        ari=ari(true, predicted),
        mi_f_score=information,
        label_noise={
            "nmi": label_noise(true, geometric, "nmi"),
            "mi_f_score": label_noise(true, information, "mi_f_score"),
        },
        pairs=pairwise_scores(true, predicted),
        soft_pairs=soft_pairs,
        class_table=class_scores(true, predicted),
        contingency=table,
    )
